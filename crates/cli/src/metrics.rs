//! Metrics of a coordinator or a worker, served for Prometheus over HTTP.
//!
//! Properties: the address is bound before a run begins, so that a port in use ends the command before any work. Each request reads the run once,
//! through [`SnapshotFn`], and retains nothing. There is one path, `/metrics`, in the OpenMetrics text format. No label contains the name of a file
//! or a program, or a secret.
//!
//! Races: the values of one response are read one after the other while the run goes on, so sums may differ by what happened in between.
//!
//! Accepted losses: when the run ends, a request in progress has [`FAREWELL`] to finish. There is no login and no TLS, as is usual for such pages:
//! the bound address decides who can read them.

mod families;

use crate::failure::Failure;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use war_rig_llm::CallProgress;
use war_rig_transport::{CoordinatorStats, Link, LinkCounts, WorkerStats};

/// The path of the metrics page.
const PATH: &str = "/metrics";

/// The time that requests in progress have when the run ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Reads the progress of a run.
pub type SnapshotFn = Arc<dyn Fn() -> MetricsSnapshot + Send + Sync>;

/// The progress of a coordinator or a worker.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetricsSnapshot {
    /// The coordinator's tickets; `None` for a worker.
    pub tickets: Option<CoordinatorStats>,
    /// The worker's activity, and how many tickets it processes at a time; `None` for a coordinator.
    pub slots: Option<(WorkerStats, usize)>,
    /// The calls to the model.
    pub calls: CallProgress,
    /// The traffic over the broker.
    pub link: LinkProgress,
}

/// The traffic over the broker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkProgress {
    /// Whether the broker is connected.
    pub is_connected: bool,
    /// Connections that were made.
    pub connections: u64,
    /// The messages.
    pub counts: LinkCounts,
}

impl LinkProgress {
    /// Reads the progress of a link.
    pub fn of(link: &Link) -> Self {
        let broker = link.broker();
        Self {
            is_connected: broker.is_connected(),
            connections: broker.connection_count(),
            counts: link.counters_snapshot(),
        }
    }
}

/// The process that serves metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsRole {
    /// `war-rig document --broker`.
    Coordinator,
    /// `war-rig worker`.
    Worker,
}

impl MetricsRole {
    /// The name used in labels.
    pub fn as_str(self) -> &'static str {
        match self {
            MetricsRole::Coordinator => "coordinator",
            MetricsRole::Worker => "worker",
        }
    }
}

/// An address that is bound but not yet served.
#[derive(Debug)]
pub struct BoundListener {
    listener: TcpListener,
    /// The address, with its actual port when any port was requested.
    pub address: SocketAddr,
}

/// Metrics that are served until [`MetricsServer::end`].
#[derive(Debug)]
pub struct MetricsServer {
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

/// Binds the address that was given with this argument.
///
/// # Errors
/// A usage failure when it cannot be bound: it is in use, does not belong to this machine, or is not permitted.
pub fn bind(argument: &str, address: SocketAddr) -> Result<BoundListener, Failure> {
    let bound = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(BoundListener { listener, address })
    });
    bound.map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another process has this port; name another one, or port 0 for any that is free"
            }
            io::ErrorKind::AddrNotAvailable => "name an address of this machine, such as 127.0.0.1:9464",
            io::ErrorKind::PermissionDenied => "name a port from 1024 on, such as 127.0.0.1:9464",
            _ => "name another address, such as 127.0.0.1:9464",
        };
        Failure::usage(format!("`{argument}`: nothing can be served at `{address}`"))
            .with_source(error)
            .with_hint(advice)
    })
}

impl BoundListener {
    /// Serves the metrics of this run; must be called inside a runtime.
    ///
    /// # Errors
    /// An internal failure when the runtime does not accept the address.
    pub fn serve(self, role: MetricsRole, read: SnapshotFn) -> Result<MetricsServer, Failure> {
        let listener = self.listen()?;
        let router = Router::new().route(PATH, get(move || answer(role, Arc::clone(&read))));
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = axum::serve(listener, router).with_graceful_shutdown(async move {
            // Also returns when the sender is dropped.
            let _ = stopped.await;
        });
        Ok(MetricsServer { stop, task: tokio::spawn(serve.into_future()) })
    }
}

impl BoundListener {
    /// Returns the listener; must be called inside a runtime.
    ///
    /// # Errors
    /// An internal failure when the runtime does not accept the address.
    pub fn listen(self) -> Result<tokio::net::TcpListener, Failure> {
        tokio::net::TcpListener::from_std(self.listener)
            .map_err(|error| Failure::internal(format!("`{}` cannot be served", self.address)).with_source(error))
    }
}

impl MetricsServer {
    /// Stops serving. Requests in progress have [`FAREWELL`] to finish.
    pub async fn end(self) {
        let Self { stop, mut task } = self;
        // The server may already have ended.
        let _ = stop.send(());
        if tokio::time::timeout(FAREWELL, &mut task).await.is_err() {
            task.abort();
            let _ = task.await;
        }
    }
}

async fn answer(role: MetricsRole, read: SnapshotFn) -> Response {
    // Reading the snapshot may block on the run's locks.
    let text = tokio::task::spawn_blocking(move || families::to_text(role, read())).await;
    match text {
        Ok(Ok(text)) => {
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            ([(CONTENT_TYPE, kind)], text).into_response()
        }
        Ok(Err(_)) | Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the figures cannot be read\n").into_response(),
    }
}

#[cfg(test)]
mod tests;
