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
use war_rig_llm::{CallProgress, Money};
use war_rig_pool::TicketState;

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
    pub tickets: Option<TicketMetrics>,
    /// The worker's activity; `None` for a coordinator.
    pub slots: Option<SlotMetrics>,
    /// The calls to the model.
    pub calls: CallMetrics,
    /// The traffic over the broker.
    pub link: LinkMetrics,
}

/// The tickets of a coordinator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TicketMetrics {
    /// The number in each state, each state once; states left out are not reported.
    pub by_state: Vec<(TicketState, u64)>,
    /// Attempts that were started.
    pub attempts: u64,
    /// Attempts whose worker has gone silent.
    pub in_vain: u64,
    /// Tickets that workers currently hold.
    pub leases: u64,
    /// Workers that reported within the deadline.
    pub workers: u64,
    /// Messages waiting at the broker; `None` when it does not report that.
    pub waiting: Option<u64>,
}

/// The activity of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SlotMetrics {
    /// Tickets that it processes at a time.
    pub total: u64,
    /// Tickets in progress.
    pub taken: u64,
    /// Tickets that it has finished.
    pub finished: u64,
    /// Tickets that it returned, or that were taken from it.
    pub given_back: u64,
    /// Answers that the coordinator does not have yet.
    pub spooled: u64,
}

/// The calls to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallMetrics {
    /// Requests that were sent, including retries.
    pub sent: u64,
    /// Requests that repeated an earlier one.
    pub retried: u64,
    /// Requests that were answered; `None` when not counted.
    pub answered: Option<u64>,
    /// Requests that got no answer; `None` when not counted.
    pub failed: Option<u64>,
    /// Answers that were replayed from a record.
    pub replayed: u64,
    /// Calls in flight.
    pub in_flight: u64,
    /// The tokens of the prompts that were sent.
    pub prompt_tokens: u64,
    /// The tokens of the answers.
    pub completion_tokens: u64,
    /// What the answers cost.
    pub cost: Money,
    /// How long calls are paused because the provider asked to wait.
    pub pause: Duration,
}

/// The traffic over the broker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkMetrics {
    /// Whether the broker is connected.
    pub is_connected: bool,
    /// Connections that were made.
    pub connections: u64,
    /// Messages that were sent, each with all of its pieces.
    pub sent: u64,
    /// Messages that were received.
    pub received: u64,
    /// Messages that were rejected because they do not match their description.
    pub refused: u64,
    /// Requests that arrived again and got the same answer.
    pub repeated: u64,
    /// Groups of pieces that were not complete in time.
    pub expired: u64,
    /// Bytes of payload that were sent.
    pub sent_bytes: u64,
    /// Bytes of payload that were received.
    pub received_bytes: u64,
}

impl From<CallProgress> for CallMetrics {
    fn from(CallProgress { usage: bill, in_flight, pause }: CallProgress) -> Self {
        Self {
            sent: bill.calls,
            retried: bill.retries,
            answered: None,
            failed: None,
            replayed: bill.replayed,
            in_flight: in_flight as u64,
            prompt_tokens: bill.prompt_tokens,
            completion_tokens: bill.completion_tokens,
            cost: bill.cost,
            pause: pause.unwrap_or_default(),
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
