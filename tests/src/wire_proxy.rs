//! A TCP proxy in front of a nats-server that cuts, delays, repeats and drops what passes.
//!
//! Properties: what is neither repeated nor dropped passes byte for byte and in order; a message passes whole or not at all, unless its
//! connection is cut. A cut is a reset of every connection that is open, wherever in a message it stands. Races: a connection that is made
//! while all are cut may be spared. What it accepts to lose: whatever was on its way when a connection was cut.

use crate::nats::{NatsFrame, NatsFrameKind, NatsFrameReader};
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How many pieces of one direction may wait to become due; beyond that, its sender is held back as by a slow line.
const WAITING: usize = 256;

/// How many bytes are read at a time.
const READ: usize = 64 * 1024;

/// How often a delivery reaches the client: once where nothing else is said.
type CopyRule = dyn Fn(usize, &NatsFrame) -> usize + Send + Sync;

/// What has passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireCounts {
    /// Connections that were let through.
    pub connections: usize,
    /// Connections that were turned away.
    pub refused: usize,
    /// Connections that were cut.
    pub cut: usize,
    /// Messages that clients have published.
    pub published: usize,
    /// Messages that the server has delivered, each counted once.
    pub delivered: usize,
    /// Copies of them that were sent beyond the first.
    pub repeated: usize,
    /// Messages of the server that no client got.
    pub dropped: usize,
    /// Connections that ended because what came was not NATS.
    pub broken: usize,
}

/// A proxy; it ends with all its connections when it is dropped.
#[derive(Debug)]
pub struct WireProxy {
    runtime: Option<Runtime>,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// Cuts all connections again and again until it is dropped.
#[derive(Debug)]
pub struct CutGuard(JoinHandle<()>);

struct Shared {
    server: SocketAddr,
    /// Whoever sees another number than it began with is cut.
    cuts: watch::Sender<u64>,
    faults: Mutex<Faults>,
    counts: Mutex<WireCounts>,
    kept: Mutex<Option<Vec<NatsFrame>>>,
}

struct Faults {
    to_server: Duration,
    to_client: Duration,
    refuses: bool,
    copies: Arc<CopyRule>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Shared").field("server", &self.server).field("counts", &*self.counts()).finish()
    }
}

impl WireProxy {
    /// Stands in front of a server on this machine, and lets everything pass.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(port: u16) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().expect("a thread can be started");
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("some port is free");
        let address = listener.local_addr().expect("a listener has an address");
        listener.set_nonblocking(true).expect("a listener need not block");
        let faults =
            Faults { to_server: Duration::ZERO, to_client: Duration::ZERO, refuses: false, copies: Arc::new(|_, _| 1) };
        let shared = Arc::new(Shared {
            server: (Ipv4Addr::LOCALHOST, port).into(),
            cuts: watch::Sender::new(0),
            faults: Mutex::new(faults),
            counts: Mutex::default(),
            kept: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).expect("it is listening and does not block");
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&accepting).carry(client));
            }
        });
        Self { runtime: Some(runtime), address, shared }
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// What has passed so far.
    pub fn counts(&self) -> WireCounts {
        *self.shared.counts()
    }

    /// Keeps every message from now on. A subscriber to everything would be another way to hear them, but then nobody is told any more that
    /// nobody listens.
    pub fn keep(&self) {
        *self.shared.kept() = Some(Vec::new());
    }

    /// The messages that were kept, of both directions, each once.
    pub fn kept(&self) -> Vec<NatsFrame> {
        self.shared.kept().clone().unwrap_or_default()
    }

    /// Cuts all connections that are open.
    pub fn cut(&self) {
        self.shared.cuts.send_modify(|cut| *cut += 1);
    }

    /// Cuts all connections so often.
    #[must_use]
    pub fn cut_every(&self, period: Duration) -> CutGuard {
        let shared = Arc::clone(&self.shared);
        let runtime = self.runtime.as_ref().expect("there is a runtime until the proxy is dropped");
        CutGuard(runtime.spawn(async move {
            loop {
                tokio::time::sleep(period).await;
                shared.cuts.send_modify(|cut| *cut += 1);
            }
        }))
    }

    /// Closes every new connection at once, or lets them through again.
    pub fn refuse(&self, refuses: bool) {
        self.shared.faults().refuses = refuses;
    }

    /// Delivers what comes from now on so much later, in each direction.
    pub fn delay(&self, to_server: Duration, to_client: Duration) {
        let mut faults = self.shared.faults();
        (faults.to_server, faults.to_client) = (to_server, to_client);
    }

    /// Delivers every message of the server so often.
    pub fn repeat(&self, times: usize) {
        self.deliver(move |_, _| times);
    }

    /// Drops this share of the server's messages, chosen by their order and a seed, and none of those that are spared.
    pub fn drop_share(&self, share: f64, seed: u64, spares: impl Fn(&NatsFrame) -> bool + Send + Sync + 'static) {
        self.deliver(move |order, frame| {
            let mut random = fastrand::Rng::with_seed(seed.wrapping_add(order as u64));
            usize::from(random.f64() >= share || spares(frame))
        });
    }

    /// Delivers each message of the server as often as a rule says, which sees how many came before and the message itself.
    pub fn deliver(&self, copies: impl Fn(usize, &NatsFrame) -> usize + Send + Sync + 'static) {
        self.shared.faults().copies = Arc::new(copies);
    }
}

impl Drop for WireProxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for CutGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProxyDirection {
    ToServer,
    ToClient,
}

/// Bytes, and when they may go on.
type DelayedBytes = (Instant, Vec<u8>);

impl Shared {
    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&self) -> MutexGuard<'_, WireCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Vec<NatsFrame>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries one connection until either side ends it or it is cut.
    async fn carry(self: Arc<Self>, client: TcpStream) {
        let mut cuts = self.cuts.subscribe();
        if self.faults().refuses {
            self.counts().refused += 1;
            return;
        }
        // A server that is down is seen as a connection that ends, which is all that a client can tell from here.
        let Ok(server) = TcpStream::connect(self.server).await else { return };
        self.counts().connections += 1;
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (client_reads, client_writes) = client.into_split();
        let (server_reads, server_writes) = server.into_split();
        let up = self.pass(ProxyDirection::ToServer, client_reads, server_writes);
        let down = self.pass(ProxyDirection::ToClient, server_reads, client_writes);
        tokio::pin!(up, down);
        tokio::select! {
            () = &mut up => {}
            () = &mut down => {}
            _ = cuts.changed() => self.counts().cut += 1,
        }
        // Both sockets are dropped here with whatever waits in them.
    }

    /// Passes one direction on until it ends.
    async fn pass(&self, way: ProxyDirection, reads: OwnedReadHalf, writes: OwnedWriteHalf) {
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::join!(
            async {
                // An error here is the end of a connection, however it came.
                let _ = self.read(way, reads, sender).await;
            },
            async {
                let _ = write(writes, receiver).await;
            }
        );
    }

    async fn read(
        &self,
        way: ProxyDirection,
        mut from: OwnedReadHalf,
        to: mpsc::Sender<DelayedBytes>,
    ) -> io::Result<()> {
        let (mut frames, mut bytes) = (NatsFrameReader::default(), vec![0; READ]);
        loop {
            let read = from.read(&mut bytes).await?;
            if read == 0 {
                return Ok(());
            }
            frames.push(&bytes[..read]);
            loop {
                let frame = match frames.take_next() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(error) => {
                        self.counts().broken += 1;
                        return Err(io::Error::other(error.to_string()));
                    }
                };
                let (delay, copies) = self.judge(way, &frame);
                let due = Instant::now() + delay;
                for _ in 0..copies {
                    if to.send((due, frame.bytes.clone())).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// How much later a frame goes on, and how often.
    fn judge(&self, way: ProxyDirection, frame: &NatsFrame) -> (Duration, usize) {
        let (delay, rule) = {
            let faults = self.faults();
            let delay = if way == ProxyDirection::ToServer { faults.to_server } else { faults.to_client };
            (delay, Arc::clone(&faults.copies))
        };
        if let Some(kept) = &mut *self.kept()
            && frame.kind != NatsFrameKind::Other
        {
            kept.push(frame.clone());
        }
        match (way, frame.kind) {
            (ProxyDirection::ToServer, NatsFrameKind::Publication) => self.counts().published += 1,
            (ProxyDirection::ToClient, NatsFrameKind::Delivery) => {
                let order = {
                    let mut counts = self.counts();
                    counts.delivered += 1;
                    counts.delivered - 1
                };
                let copies = rule(order, frame);
                let mut counts = self.counts();
                counts.repeated += copies.saturating_sub(1);
                counts.dropped += usize::from(copies == 0);
                return (delay, copies);
            }
            (_, NatsFrameKind::Delivery | NatsFrameKind::Publication | NatsFrameKind::Other) => {}
        }
        (delay, 1)
    }
}

/// Writes what is due. When nothing more comes, the connection is closed in this direction.
async fn write(mut to: OwnedWriteHalf, mut due: mpsc::Receiver<DelayedBytes>) -> io::Result<()> {
    while let Some((when, bytes)) = due.recv().await {
        tokio::time::sleep_until(when).await;
        to.write_all(&bytes).await?;
    }
    to.shutdown().await
}

#[cfg(test)]
mod tests;
