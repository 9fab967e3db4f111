//! The coordinator's side: hands tickets out, keeps what workers report, and hands tickets out again where nothing more is heard.
//!
//! # What holds
//! - A ticket is with one worker at a time, under a lease. What comes under a lease that was revoked is refused, so that one result counts.
//! - An attempt is counted on the disk before the job is given to anybody; a call is noted on the disk before it is sent, and its answer before it is used.
//! - What all workers spend is never over the cap, and what they send a minute never over the limits.
//! - The broker may forget everything: what is not with a worker is published again.
//!
//! # Races, and what is accepted to be lost
//! A worker that is slow may be taken for gone, and the ticket is written a second time; the answers that it had by then are found in the journal, so that
//! at most the calls in flight are made twice. What came of a call is kept whoever made it, also after its lease was revoked, since it was paid for.

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
use requests::reply_to;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tracing::Instrument;
use war_rig_envelope::{Envelope, Payload};
use war_rig_llm::{AnswerKey, CallLog, SharedBudget, StopError, UsageTotals, WindowEstimate};
use war_rig_pool::{DispatchOutcome, QueuedTicket, RemoteQueue, StopRequest};
use war_rig_text::ContentHash;

/// Requests that wait at a time: each call of each worker may wait for its minute.
const AT_A_TIME: usize = 8_192;

/// Requests whose replies are remembered: those of two minutes at some thousands a second.
const REMEMBERED: usize = 500_000;

/// How long a reply is remembered, which is longer than a worker asks for it in one go.
const REMEMBER_FOR: Duration = Duration::from_secs(120);

/// How long requests that were taken may still take at the end.
const GRACE: Duration = Duration::from_secs(2);

/// How long another coordinator of the same estate is looked for.
const LOOK: RequestTimeouts =
    RequestTimeouts { per_attempt: Duration::from_millis(500), total: Duration::from_millis(500) };

/// How long a broker may be out of reach at the beginning, and how often it is tried.
const BEGIN_WITHIN: Duration = Duration::from_secs(10);
const BEGIN_AGAIN: Duration = Duration::from_millis(500);

/// Opens the queue, and takes notes out of it that an earlier process has left.
async fn emptied(queue: &TicketQueue, estate: &EstateId) -> Result<(), QueueError> {
    queue.open().await?;
    queue.purge(estate).await.map(|_| ())
}

/// Sees that nobody hands out tickets of the same estate: each of two would take the other's notes out of the queue. A broker that does not let
/// coordinators ask each other says nothing of it, and neither does one whose time for an answer is longer than [`LOOK`].
async fn look(link: &Link, estate: &EstateId) -> Result<(), CoordinatorError> {
    let broker = link.broker();
    // Nearly always so, and known at once.
    if let Ok(Some(true)) = broker.unless_refused(nobody_listens(broker, estate, 0)).await {
        return Ok(());
    }
    // Of a worker that has nothing, whatever is asked changes nothing.
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
    ServerLimits {
        at_a_time: AT_A_TIME,
        remembered: REMEMBERED,
        remember_for: REMEMBER_FOR,
        ..ServerLimits::default()
    }
}

/// Where calls and answers are kept.
pub trait CallLogs: Send + Sync {
    /// The run that calls are noted in from now on.
    fn current_run(&self) -> u64;

    /// The journal of a run, which may have ended before.
    fn for_run(&self, run: u64) -> Arc<dyn CallLog>;
}

/// How a coordinator works.
pub struct CoordinatorOptions {
    /// The estate.
    pub estate: EstateId,
    /// The release of the program; workers of others are refused, because they would not write the same.
    pub release: String,
    /// What workers are to write by, as the text of a settings file.
    pub settings: String,
    /// The time without a sign of life after which a worker's ticket goes to another.
    pub deadline: Duration,
    /// The time that a worker is waited for.
    pub worker_wait: Duration,
    /// Where calls and answers are kept.
    pub call_logs: Arc<dyn CallLogs>,
    /// What all workers together may spend and send.
    pub allowance: SharedBudget,
    /// The request that the run ends.
    pub stop: Arc<StopRequest>,
    /// Told once when no further call is made, and why.
    pub on_stop: Box<dyn Fn(&StopError) + Send + Sync>,
}

/// Why a coordinator cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The queue of notes cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Nobody can be heard.
    #[error(transparent)]
    Link(#[from] RequestError),
    /// Another process hands out tickets of the same estate: its state folder is a copy of this one, or this one a copy of its.
    #[error("another run hands out tickets of the estate {0} at this moment")]
    AlreadyRunning(EstateId),
}

/// The coordinator of an estate. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Coordinator(Arc<CoordinatorInner>);

/// What is told of a coordinator's work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoordinatorStats {
    /// Tickets that wait for a worker.
    pub waiting: usize,
    /// Tickets that are with workers.
    pub leased: usize,
    /// Workers that were heard of within the deadline.
    pub workers: usize,
    /// Leases that were revoked.
    pub revoked: u64,
    /// Tickets that were given back.
    pub given_back: u64,
    /// Attempts that were begun.
    pub attempts: u64,
    /// Tickets that were written of and came back.
    pub handed_back: u64,
    /// Notes that waited at the broker when it was last asked.
    pub notes_waiting: u64,
    /// Calls in flight.
    pub calls_in_flight: usize,
    /// Calls that were answered.
    pub calls_answered: u64,
    /// Calls that have brought no answer.
    pub calls_failed: u64,
    /// What all calls took.
    pub bill: UsageTotals,
}

pub(crate) struct CoordinatorInner {
    pub(crate) options: CoordinatorOptions,
    /// What tells this process from others of the same estate.
    pub(crate) epoch: String,
    pub(crate) broker: Broker,
    pub(crate) queue: TicketQueue,
    leases: Mutex<LeaseTable>,
    /// Wakes whoever publishes notes.
    pub(crate) wake: Notify,
    /// Why no further call is allowed, for those who wait for leave.
    halt: watch::Sender<Option<StopError>>,
    /// The notes of this estate that waited at the broker when it was last asked.
    pub(crate) notes_waiting: AtomicU64,
    tasks: Mutex<Option<(Server, JoinHandle<()>)>>,
}

impl Coordinator {
    /// Begins: opens the queue, takes notes out of it that an earlier process has left, and listens.
    ///
    /// # Errors
    /// [`CoordinatorError`] when the broker does not do its part.
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
        *lock(&inner.tasks) = Some((server, keeping));
        Ok(Self(inner))
    }

    /// Hands nothing more out and allows no further call; workers bring what they have in work to an end.
    pub fn stop(&self, stopped: StopError) {
        self.0.stop(stopped);
    }

    /// How the work stands.
    pub fn stats(&self) -> CoordinatorStats {
        let notes_waiting = self.0.notes_waiting.load(Ordering::Relaxed);
        CoordinatorStats { notes_waiting, ..self.0.lock().figures(self.0.options.deadline) }
    }

    /// What workers have learned of the model's window.
    pub fn window_estimate(&self) -> Option<WindowEstimate> {
        self.0.lock().learned
    }

    /// What the user should know of the server, as workers have told.
    pub fn server_notes(&self) -> Vec<String> {
        self.0.lock().notes.iter().cloned().collect()
    }

    /// Takes what is left of its notes out of the queue, and listens no more.
    pub async fn end(&self) {
        let tasks = lock(&self.0.tasks).take();
        if let Some((server, keeping)) = tasks {
            keeping.abort();
            // It was told to end.
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
            if let Err(stopped) = self.0.lock().open(AwaitedTicket::new(ticket, tell)) {
                return DispatchOutcome::Stopped(stopped);
            }
            self.0.wake.notify_one();
            // Whoever drops it has stopped the coordinator.
            told.await.unwrap_or_else(|_| DispatchOutcome::Stopped(ended()))
        })
    }
}

impl CoordinatorInner {
    pub(crate) fn lock(&self) -> MutexGuard<'_, LeaseTable> {
        lock(&self.leases)
    }

    /// Waits until no further call is allowed.
    pub(crate) async fn until_stopped(&self) -> StopError {
        let mut halt = self.halt.subscribe();
        let stopped =
            halt.wait_for(Option::is_some).await.expect("whoever tells of it lives as long as this");
        stopped.clone().expect("it was waited for")
    }

    pub(crate) fn stop(&self, stopped: StopError) {
        let is_first = self.lock().stop(stopped.clone());
        if is_first {
            tracing::info!(reason = %stopped, "nothing more is handed out");
            self.halt.send_replace(Some(stopped.clone()));
            (self.options.on_stop)(&stopped);
        }
        self.wake.notify_one();
    }
}

fn ended() -> StopError {
    StopError {
        reason: war_rig_llm::StopReason::Interrupted,
        message: "the coordinator has ended".to_owned(),
    }
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator").field("estate", &self.0.options.estate).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
