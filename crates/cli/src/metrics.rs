//! Figures of a coordinator or a worker, served for Prometheus over HTTP.
//!
//! Properties: the address is bound before a run begins, so that a port in use ends the command before anything was done. Each request reads the run
//! once, through [`SnapshotFn`], and holds nothing of it. There is one path, `/metrics`, in the text format of OpenMetrics. No label holds the name of a
//! file, a program or a secret.
//!
//! Races: figures of one answer are read one after the other while the run goes on, so that sums may differ by what happened in between.
//!
//! What is accepted to lose: a request that is under way when the run ends has [`FAREWELL`] to come to its end. There is no login and no TLS, as is usual
//! for such pages: who may read them is decided by the address that they are bound to.

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

/// The path of the figures.
const PATH: &str = "/metrics";

/// The time that requests under way have when the run ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Reads off how far a run is.
pub type SnapshotFn = Arc<dyn Fn() -> MetricsSnapshot + Send + Sync>;

/// How far a coordinator or a worker is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetricsSnapshot {
    /// What a coordinator knows of its tickets; none for a worker.
    pub tickets: Option<TicketMetrics>,
    /// What a worker does; none for a coordinator.
    pub slots: Option<SlotMetrics>,
    /// The calls to the model.
    pub calls: CallMetrics,
    /// What went over the broker.
    pub link: LinkMetrics,
}

/// What a coordinator knows of its tickets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TicketMetrics {
    /// How many are in each state, each state once; of those that are left out nothing is said.
    pub by_state: Vec<(TicketState, u64)>,
    /// Attempts that were begun.
    pub attempts: u64,
    /// Attempts whose worker was not heard of any more.
    pub in_vain: u64,
    /// Tickets that workers have at this moment.
    pub leases: u64,
    /// Workers that were heard of within the deadline.
    pub workers: u64,
    /// Notes that wait at the broker; none where it does not say.
    pub waiting: Option<u64>,
}

/// What a worker does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SlotMetrics {
    /// Tickets that it takes at a time.
    pub total: u64,
    /// Tickets that it has.
    pub taken: u64,
    /// Tickets that it has finished.
    pub finished: u64,
    /// Tickets that it has given back, or that were taken from it.
    pub given_back: u64,
    /// Answers that the coordinator does not have yet.
    pub spooled: u64,
}

/// The calls to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallMetrics {
    /// Requests that were sent, those that were sent again included.
    pub sent: u64,
    /// Those among them that repeated an earlier one.
    pub retried: u64,
    /// Those that were answered; none where that is not counted.
    pub answered: Option<u64>,
    /// Those that came to no answer; none where that is not counted.
    pub failed: Option<u64>,
    /// Answers that were taken from a record.
    pub replayed: u64,
    /// Calls in flight.
    pub in_flight: u64,
    /// The tokens of the prompts that were sent.
    pub prompt_tokens: u64,
    /// The tokens of the answers.
    pub completion_tokens: u64,
    /// What the answers cost.
    pub cost: Money,
    /// For how long no call is sent, because the provider has asked to wait.
    pub pause: Duration,
}

/// What went over the broker.
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
    /// Messages that were refused because they are not what they say.
    pub refused: u64,
    /// Requests that came again and were answered as before.
    pub repeated: u64,
    /// Groups of pieces that did not come to their end in time.
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

/// Who shows its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsRole {
    /// `war-rig document --broker`.
    Coordinator,
    /// `war-rig worker`.
    Worker,
}

impl MetricsRole {
    /// The name as labels spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            MetricsRole::Coordinator => "coordinator",
            MetricsRole::Worker => "worker",
        }
    }
}

/// An address that is bound, and not yet served at.
#[derive(Debug)]
pub struct BoundListener {
    listener: TcpListener,
    /// The address, with its port where any was asked for.
    pub address: SocketAddr,
}

/// Figures that are served until [`MetricsServer::end`].
#[derive(Debug)]
pub struct MetricsServer {
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

/// Binds an address.
///
/// # Errors
/// A usage failure when it cannot be bound: another process has it, it is not one of this machine, or may not be had.
pub fn bind(address: SocketAddr) -> Result<BoundListener, Failure> {
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
        Failure::usage(format!("`--metrics`: nothing can be served at `{address}`"))
            .with_source(error)
            .with_hint(advice)
    })
}

impl BoundListener {
    /// Serves the figures of this run; called inside a runtime.
    ///
    /// # Errors
    /// An internal failure when the runtime does not take the address.
    pub fn serve(self, role: MetricsRole, read: SnapshotFn) -> Result<MetricsServer, Failure> {
        let listener = tokio::net::TcpListener::from_std(self.listener)
            .map_err(|error| Failure::internal("the figures cannot be served").with_source(error))?;
        let router = Router::new().route(PATH, get(move || answer(role, Arc::clone(&read))));
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = axum::serve(listener, router).with_graceful_shutdown(async move {
            // Also when whoever would stop it is gone.
            let _ = stopped.await;
        });
        Ok(MetricsServer { stop, task: tokio::spawn(serve.into_future()) })
    }
}

impl MetricsServer {
    /// Serves no more. Requests under way have [`FAREWELL`] to come to their end.
    pub async fn end(self) {
        let Self { stop, mut task } = self;
        // It may have ended by itself.
        let _ = stop.send(());
        if tokio::time::timeout(FAREWELL, &mut task).await.is_err() {
            task.abort();
            let _ = task.await;
        }
    }
}

async fn answer(role: MetricsRole, read: SnapshotFn) -> Response {
    // What a run is read from may wait for its locks.
    let text = tokio::task::spawn_blocking(move || families::to_text(role, read())).await;
    match text {
        Ok(Ok(text)) => {
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            ([(CONTENT_TYPE, kind)], text).into_response()
        }
        Ok(Err(_)) | Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "the figures cannot be read\n").into_response()
        }
    }
}

#[cfg(test)]
mod tests;
