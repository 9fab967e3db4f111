//! Connections that end when a fault says so, and bodies that come as no server should send them.

use axum::body::{Body, Bytes};
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use futures::stream;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// A handle by which the answer to a call can close its connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionHandle {
    closed: Arc<AtomicBool>,
}

impl ConnectionHandle {
    /// Lets nothing more through.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    fn is_open(&self) -> io::Result<()> {
        if self.closed.load(Ordering::SeqCst) { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

/// A listener whose connections have a [`ConnectionHandle`] each.
#[derive(Debug)]
pub(crate) struct HandleListener(pub(crate) TcpListener);

impl Listener for HandleListener {
    type Io = Connection;
    type Addr = ConnectionHandle;

    async fn accept(&mut self) -> (Connection, ConnectionHandle) {
        let (stream, _) = Listener::accept(&mut self.0).await;
        // What is written goes out at once, which is not needed to answer.
        let _ = stream.set_nodelay(true);
        let line = ConnectionHandle::default();
        (Connection { stream, line: line.clone() }, line)
    }

    fn local_addr(&self) -> io::Result<ConnectionHandle> {
        Ok(ConnectionHandle::default())
    }
}

impl Connected<IncomingStream<'_, HandleListener>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, HandleListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that fails once its line is closed.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    line: ConnectionHandle,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.line.is_open()?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Err(reset) = self.line.is_open() {
            // A connection that does not linger is reset; every other one ends as connections do.
            let _ = self.stream.set_zero_linger();
            return Poll::Ready(Err(reset));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A body of pieces of so many bytes with a pause before each.
pub(crate) fn dripping(text: String, bytes: usize, pause: Duration) -> Body {
    let pieces: Vec<Bytes> = text.as_bytes().chunks(bytes.max(1)).map(Bytes::copy_from_slice).collect();
    Body::from_stream(stream::unfold(pieces.into_iter(), move |mut pieces| async move {
        let piece = pieces.next()?;
        tokio::time::sleep(pause).await;
        Some((Ok::<_, io::Error>(piece), pieces))
    }))
}

/// A body of which half comes, and then nothing, with the connection open.
pub(crate) fn stalled(text: &str) -> Body {
    let half = Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2]);
    Body::from_stream(stream::unfold(Some(half), |half| async move {
        let Some(half) = half else { return std::future::pending().await };
        Some((Ok::<_, io::Error>(half), None))
    }))
}

/// A body of which half comes before the connection ends.
pub(crate) fn cut(text: &str) -> Body {
    let half = Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2]);
    Body::from_stream(stream::unfold(Some(half), |half| async move {
        if let Some(half) = half {
            return Some((Ok(half), None));
        }
        // What was written leaves before the end comes.
        tokio::time::sleep(Duration::from_millis(30)).await;
        Some((Err(io::Error::from(io::ErrorKind::ConnectionAborted)), None))
    }))
}
