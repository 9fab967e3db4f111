//! The coordinator's side: hands tickets out, stores what workers report, and hands silent workers' tickets out again.
//!
//! # What always holds
//! - One worker at a time has a ticket, under a lease. Requests under a revoked lease are refused, so that only one result counts.
//! - An attempt is on the disk before anyone gets the job. A call is on the disk before it is sent, and its answer before it is used.
//! - The spending of all workers never exceeds the cap, and their requests per minute never exceed the limits.
//! - The broker may forget everything: notes of tickets that no worker has are published again.
//!
//! # Races and accepted losses
//! A slow worker may be assumed gone, and the ticket is then written a second time. The answers so far are in the journal, so at most the calls in
//! flight are repeated. The result of a call is stored whoever made it, even after its lease was revoked, because it was paid for.

mod lease_table;
mod maintenance;
mod requests;

use crate::broker::Broker;
use crate::link::{Link, RequestError, RequestTimeouts, Server, ServerLimits};
use crate::probe::nobody_listens;
use crate::protocol::{WorkerRequest, coordinator_of, of_request};
use crate::random::{fresh_id, fresh_trace, random_id};
use crate::subjects::EstateId;
use crate::tickets::{QueueError, TicketQueue};
use futures::future::BoxFuture;
use lease_table::{AwaitedTicket, LeaseTable};
use maintenance::keep;
use parking_lot::Mutex;
use requests::reply_to;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tracing::Instrument;
use war_rig_envelope::{Envelope, Payload};
use war_rig_llm::{AnswerKey, CallLog, SharedBudget, StopError, UsageTotals, WindowEstimate};
use war_rig_pool::{DispatchOutcome, QueuedTicket, RemoteQueue, StopRequest};
use war_rig_text::ContentHash;

/// The most requests that wait at a time: each call of each worker may wait for its turn in the rate limit.
const AT_A_TIME: usize = 8_192;

/// The most requests whose replies are cached: those of two minutes at several thousand per second.
const REMEMBERED: usize = 500_000;

/// How long a reply is cached, which is longer than a worker repeats a request in one round.
const REMEMBER_FOR: Duration = Duration::from_secs(120);

/// How long accepted requests may still take at the end.
const GRACE: Duration = Duration::from_secs(2);

/// How long to look for another coordinator of the same estate.
const LOOK: RequestTimeouts =
    RequestTimeouts { per_attempt: Duration::from_millis(500), total: Duration::from_millis(500) };

/// How long a broker may be unreachable at the start, and the pause between attempts.
const BEGIN_WITHIN: Duration = Duration::from_secs(10);
const BEGIN_AGAIN: Duration = Duration::from_millis(500);

/// Opens the queue, and removes notes that an earlier process left.
async fn emptied(queue: &TicketQueue, estate: &EstateId) -> Result<(), QueueError> {
    queue.open().await?;
    queue.purge(estate).await.map(|_| ())
}

/// Verifies that no other process hands out tickets of the same estate: each would delete the other's notes. It detects nothing if the broker
/// does not let coordinators reach each other, or if the other one takes longer than [`LOOK`] to answer.
async fn look(link: &Link, estate: &EstateId) -> Result<(), CoordinatorError> {
    let broker = link.broker();
    // Almost always true, and known at once.
    if let Ok(Some(true)) = broker.unless_refused(nobody_listens(broker, estate, 0)).await {
        return Ok(());
    }
    // A request from a worker without leases changes nothing.
    let nothing = ContentHash::of(b"");
    let key = AnswerKey { key: nothing, question: nothing, turn: 0 };
    let request = WorkerRequest::Find { worker: String::new(), key, since: 0 };
    let payload = Payload::bytes(of_request(&request));
    let to = coordinator_of(estate);
    let request = Envelope::new(fresh_id(), to.clone(), to, request.name(), payload, fresh_trace());
    match link.request(&estate.coordinator_subject(), request, LOOK).await {
        Ok(_) => Err(CoordinatorError::AlreadyRunning(estate.clone())),
        Err(error) => {
            tracing::debug!(%error, "no other coordinator of the estate is heard");
            Ok(())
        }
    }
}

fn limits() -> ServerLimits {
    ServerLimits { at_a_time: AT_A_TIME, remembered: REMEMBERED, remember_for: REMEMBER_FOR, ..ServerLimits::default() }
}

/// Where calls and answers are recorded.
pub trait CallLogs: Send + Sync {
    /// Returns the run that records calls from now on.
    fn current_run(&self) -> u64;

    /// Returns the journal of a run, which may have ended before.
    fn for_run(&self, run: u64) -> Arc<dyn CallLog>;
}

/// The options of a coordinator.
pub struct CoordinatorOptions {
    /// The estate.
    pub estate: EstateId,
    /// The release of the program; workers of other releases are refused, because they would write different documents.
    pub release: String,
    /// The settings for workers, as the text of a settings file.
    pub settings: String,
    /// The time without a sign of life after which another worker gets a worker's ticket.
    pub deadline: Duration,
    /// How long to wait for a worker.
    pub worker_wait: Duration,
    /// Where calls and answers are recorded.
    pub call_logs: Arc<dyn CallLogs>,
    /// The spending and requests that all workers share.
    pub allowance: SharedBudget,
    /// The request to stop the run.
    pub stop: Arc<StopRequest>,
    /// Called once, with the reason, when no further calls are made.
    pub on_stop: Box<dyn Fn(&StopError) + Send + Sync>,
}

/// Why a coordinator cannot start.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The queue of notes cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Requests cannot be received.
    #[error(transparent)]
    Link(#[from] RequestError),
    /// Another process hands out tickets of the same estate: one state folder is a copy of the other.
    #[error("another run hands out tickets of the estate {0} at this moment")]
    AlreadyRunning(EstateId),
}

/// The coordinator of an estate. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Coordinator(Arc<CoordinatorInner>);

/// The figures of a coordinator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoordinatorStats {
    /// Tickets that wait for a worker.
    pub waiting: usize,
    /// Tickets that workers have.
    pub leased: usize,
    /// Workers heard from within the deadline.
    pub workers: usize,
    /// Leases that were revoked.
    pub revoked: u64,
    /// Tickets that were returned.
    pub given_back: u64,
    /// Attempts that were started.
    pub attempts: u64,
    /// Tickets that came back with a draft.
    pub handed_back: u64,
    /// Notes that waited at the broker at the last check.
    pub notes_waiting: u64,
    /// Calls in flight.
    pub calls_in_flight: usize,
    /// Calls that were answered.
    pub calls_answered: u64,
    /// Calls that got no answer.
    pub calls_failed: u64,
    /// The usage of all calls.
    pub bill: UsageTotals,
}

pub(crate) struct CoordinatorInner {
    pub(crate) options: CoordinatorOptions,
    /// Distinguishes this process from others of the same estate.
    pub(crate) epoch: String,
    pub(crate) broker: Broker,
    pub(crate) queue: TicketQueue,
    leases: Mutex<LeaseTable>,
    /// Wakes the publisher of notes.
    pub(crate) wake: Notify,
    /// Why no further calls are allowed, for requests that wait for permission.
    halt: watch::Sender<Option<StopError>>,
    /// This estate's notes that waited at the broker at the last check.
    pub(crate) notes_waiting: AtomicU64,
    tasks: Mutex<Option<(Server, JoinHandle<()>)>>,
}

impl Coordinator {
    /// Starts a coordinator: opens the queue, removes notes that an earlier process left, and listens.
    ///
    /// # Errors
    /// [`CoordinatorError`] if the broker does not cooperate.
    pub async fn start(link: &Link, options: CoordinatorOptions) -> Result<Self, CoordinatorError> {
        look(link, &options.estate).await?;
        let broker = link.broker().clone();
        let queue = TicketQueue::new(&broker);
        let deadline = Instant::now() + BEGIN_WITHIN;
        while let Err(error) = emptied(&queue, &options.estate).await {
            if !error.is_transient() || Instant::now() > deadline {
                return Err(error.into());
            }
            tracing::warn!(%error, "the queue cannot be opened yet; it is tried again");
            sleep(BEGIN_AGAIN).await;
        }
        let (subject, epoch) = (options.estate.coordinator_subject(), random_id());
        let inner = Arc::new(CoordinatorInner {
            options,
            epoch,
            broker,
            queue,
            leases: Mutex::default(),
            wake: Notify::new(),
            halt: watch::Sender::default(),
            notes_waiting: AtomicU64::new(0),
            tasks: Mutex::default(),
        });
        let answering = Arc::clone(&inner);
        let server = link
            .serve(&subject, limits(), move |request| {
                let inner = Arc::clone(&answering);
                let (trace_id, span_id) = (request.trace.trace_id(), request.trace.span_id());
                let trace_id = format!("{:032x}", u128::from_be_bytes(trace_id));
                let span_id = format!("{:016x}", u64::from_be_bytes(span_id));
                let span = tracing::info_span!("request", %trace_id, %span_id);
                async move { reply_to(&inner, request).await }.instrument(span)
            })
            .await?;
        let keeping = tokio::spawn(keep(Arc::clone(&inner)));
        *inner.tasks.lock() = Some((server, keeping));
        Ok(Self(inner))
    }

    /// Hands no more tickets out and allows no further calls; workers finish what they have.
    pub fn stop(&self, stopped: StopError) {
        self.0.stop(stopped);
    }

    /// Returns the current figures.
    pub fn stats(&self) -> CoordinatorStats {
        let notes_waiting = self.0.notes_waiting.load(Ordering::Relaxed);
        CoordinatorStats { notes_waiting, ..self.0.leases.lock().figures(self.0.options.deadline) }
    }

    /// Returns what workers have learned about the model's window.
    pub fn window_estimate(&self) -> Option<WindowEstimate> {
        self.0.leases.lock().learned
    }

    /// Returns what workers reported about the server for the user.
    pub fn server_notes(&self) -> Vec<String> {
        self.0.leases.lock().notes.iter().cloned().collect()
    }

    /// Removes its remaining notes from the queue, and stops listening.
    pub async fn end(&self) {
        let tasks = self.0.tasks.lock().take();
        if let Some((server, keeping)) = tasks {
            keeping.abort();
            // The task was told to end.
            let _ = keeping.await;
            server.stop(GRACE).await;
        }
        if self.0.broker.is_connected()
            && let Err(error) = self.0.queue.purge(&self.0.options.estate).await
        {
            tracing::warn!(%error, "notes are left in the queue; workers will find that they are stale");
        }
    }
}

impl RemoteQueue for Coordinator {
    fn dispatch(&self, ticket: QueuedTicket) -> BoxFuture<'_, DispatchOutcome> {
        Box::pin(async move {
            let (tell, told) = oneshot::channel();
            if let Err(stopped) = self.0.leases.lock().open(AwaitedTicket::new(ticket, tell)) {
                return DispatchOutcome::Stopped(stopped);
            }
            self.0.wake.notify_one();
            // If the sender was dropped, the coordinator was stopped.
            told.await.unwrap_or_else(|_| DispatchOutcome::Stopped(ended()))
        })
    }
}

impl CoordinatorInner {
    /// Waits until no further calls are allowed.
    pub(crate) async fn until_stopped(&self) -> StopError {
        let mut halt = self.halt.subscribe();
        let stopped = halt.wait_for(Option::is_some).await.expect("whoever tells of it lives as long as this");
        stopped.clone().expect("it was waited for")
    }

    pub(crate) fn stop(&self, stopped: StopError) {
        let is_first = self.leases.lock().stop(stopped.clone());
        if is_first {
            tracing::info!(reason = %stopped, "nothing more is handed out");
            self.halt.send_replace(Some(stopped.clone()));
            (self.options.on_stop)(&stopped);
        }
        self.wake.notify_one();
    }
}

fn ended() -> StopError {
    StopError { reason: war_rig_llm::StopReason::Interrupted, message: "the coordinator has ended".to_owned() }
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator").field("estate", &self.0.options.estate).finish_non_exhaustive()
    }
}
