//! The worker's side: takes tickets, has their drafts written, and returns them.
//!
//! # What always holds
//! - It takes as many tickets as it has free slots, and none that it could not begin at once. A ticket that must be alone begins when nothing else is
//!   in progress.
//! - It acknowledges a note when the coordinator reports that the ticket's end is on its disk, or that there is nothing to do. Until then, it reports
//!   to the broker that the note is in progress.
//! - The result of a call is on this disk before the coordinator is asked to store it, and stays there until the coordinator has stored it.
//! - A coordinator of another release, or with settings that cannot be used here, is refused: an error in one estate's settings ends no worker.
//!
//! # Races and accepted losses
//! If a worker is suspended for longer than the deadline, it finds its leases revoked when it continues. It makes no further calls for them, but
//! still reports the results of those in flight. A ticket's draft is lost with its lease, and is made again from the recorded answers.
//!
//! A coordinator that is silent beyond the deadline has revoked its leases, or is gone. Then nothing waits for it: the results of calls stay
//! in the spool, and are offered from time to time.

mod coordinator_client;
mod held_leases;
mod job_executor;
mod presence;
mod remote_call_log;
mod spool;

pub use job_executor::{JobAssignment, JobExecutor, JobOutcome};
pub use spool::{Spool, SpoolError};

use crate::link::{Link, RequestError};
use crate::protocol::{AttemptBlame, CoordinatorReply, WorkerRequest};
use crate::random::fresh_trace;
use crate::subjects::EstateId;
use crate::tickets::{QueueError, ReceivedMessage, TicketMessage, TicketQueue};
use coordinator_client::CoordinatorClient;
use held_leases::HeldLeases;
use parking_lot::Mutex;
use remote_call_log::RemoteCallLog;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument;
use war_rig_llm::{StopError, StopReason};
use war_rig_pool::WriteJob;

/// How long one pull waits for a note.
const PULL: Duration = Duration::from_secs(2);

/// The pause before the next pull after a broker error.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// How long a note that cannot be worked on is left to other workers.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(5);

/// How often that time is doubled for a note whose coordinator does not answer, so that such notes do not keep a worker from others.
const MOST_DOUBLINGS: u32 = 6;

/// How long to wait for work in progress when the worker ends, and then how long to try to return it: together less than the half minute
/// that the process which told it to end waits.
const DRAIN: Duration = Duration::from_secs(25);
const GIVE_BACK: Duration = Duration::from_secs(3);

/// The options of a worker.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Its name for coordinators and logs.
    pub name: String,
    /// The release of the program.
    pub release: String,
    /// Tickets in progress at a time; at least 1.
    pub jobs: usize,
}

/// The figures of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerStats {
    /// Tickets that were taken.
    pub taken: u64,
    /// Tickets whose end is on the coordinator's disk.
    pub done: u64,
    /// Tickets that were returned.
    pub given_back: u64,
    /// Leases that were revoked.
    pub revoked: u64,
    /// Tickets in progress.
    pub in_work: usize,
    /// Ends of calls that no coordinator has yet.
    pub spooled: usize,
    /// Calls that were recorded and have no end yet.
    pub calls_in_flight: usize,
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It was told to end.
    Requested,
    /// It can make no further calls.
    Stopped(StopError),
    /// The broker delivers no notes to it.
    Queue(QueueError),
}

/// A worker. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Worker(Arc<WorkerInner>);

struct WorkerInner {
    line: CoordinatorClient,
    queue: TicketQueue,
    desk: Arc<dyn JobExecutor>,
    spool: Arc<Spool>,
    held: HeldLeases,
    slots: Arc<Semaphore>,
    jobs: usize,
    /// Locked by the one ticket that waits for all others to end.
    alone: tokio::sync::Mutex<()>,
    journals: Mutex<HashMap<(EstateId, String), Arc<RemoteCallLog>>>,
    /// Refused coordinators, so that each is reported once.
    refused: Mutex<HashSet<EstateId>>,
    /// The coordinator processes whose settings cannot be used here: none of their tickets is taken.
    unusable: Mutex<HashMap<EstateId, String>>,
    /// Why no further tickets are taken.
    end: watch::Sender<Option<WorkerEnd>>,
    taken: AtomicU64,
    done: AtomicU64,
    given_back: AtomicU64,
    in_work: AtomicUsize,
}

impl Worker {
    /// Creates a worker on a link to the broker.
    pub fn new(link: &Link, options: WorkerOptions, desk: Arc<dyn JobExecutor>, spool: Spool) -> Self {
        let jobs = options.jobs.max(1);
        Self(Arc::new(WorkerInner {
            queue: TicketQueue::new(link.broker()),
            line: CoordinatorClient::new(link.clone(), options.name, options.release),
            desk,
            spool: Arc::new(spool),
            held: HeldLeases::default(),
            slots: Arc::new(Semaphore::new(jobs)),
            jobs,
            alone: tokio::sync::Mutex::default(),
            journals: Mutex::default(),
            refused: Mutex::default(),
            unusable: Mutex::default(),
            end: watch::Sender::new(None),
            taken: AtomicU64::new(0),
            done: AtomicU64::new(0),
            given_back: AtomicU64::new(0),
            in_work: AtomicUsize::new(0),
        }))
    }

    /// Takes tickets until it is told to end, or can make no further calls.
    pub async fn run(&self) -> WorkerEnd {
        let mut slots = JoinSet::new();
        for _ in 0..self.0.jobs {
            slots.spawn(slot(Arc::clone(&self.0)));
        }
        let mut beside = JoinSet::new();
        beside.spawn(held_leases::keep_alive(Arc::clone(&self.0)));
        beside.spawn(spool::bring(Arc::clone(&self.0)));
        self.wait_for_end().await;
        self.0.desk.stop();
        if timeout(DRAIN, async { while slots.join_next().await.is_some() {} }).await.is_err() {
            let held = self.0.held.all();
            tracing::warn!(sources = held.len(), "what is in work has not come to its end, and is given back");
            slots.shutdown().await;
            self.0.gives_all_back(held).await;
        }
        beside.shutdown().await;
        let end = self.0.end.borrow().clone();
        end.unwrap_or(WorkerEnd::Requested)
    }

    /// Waits until the worker must end, for whatever reason.
    pub async fn wait_for_end(&self) {
        // The sender lives as long as the worker.
        let _ = self.0.end.subscribe().wait_for(Option::is_some).await;
    }

    /// Takes no more tickets, and finishes those in progress.
    pub fn stop(&self) {
        self.0.ends(WorkerEnd::Requested);
    }

    /// Returns the current figures.
    pub fn stats(&self) -> WorkerStats {
        let inner = &self.0;
        WorkerStats {
            taken: inner.taken.load(Ordering::Relaxed),
            done: inner.done.load(Ordering::Relaxed),
            given_back: inner.given_back.load(Ordering::Relaxed),
            revoked: inner.held.revoked(),
            in_work: inner.in_work.load(Ordering::Relaxed),
            spooled: inner.spool.pending_count(),
            calls_in_flight: inner.journals.lock().values().map(|journal| journal.in_flight()).sum(),
        }
    }
}

impl WorkerInner {
    fn ends(&self, end: WorkerEnd) {
        self.end.send_if_modified(|before| {
            let is_first = before.is_none();
            if is_first {
                *before = Some(end);
            }
            is_first
        });
    }

    fn is_ending(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// Returns the journal of a coordinator process. Those of earlier processes are dropped with the last call that needs them.
    fn journal(&self, estate: &EstateId, epoch: &str) -> Arc<RemoteCallLog> {
        let make = || {
            let (line, spool) = (self.line.clone(), Arc::clone(&self.spool));
            Arc::new(RemoteCallLog::new(estate.clone(), line, spool, self.end.subscribe()))
        };
        let mut journals = self.journals.lock();
        journals.retain(|(of, at), journal| of != estate || at == epoch || Arc::strong_count(journal) > 1);
        Arc::clone(journals.entry((estate.clone(), epoch.to_owned())).or_insert_with(make))
    }

    /// Records that a lease is no longer valid: no further calls are made for it.
    fn revoked(&self, lease: &str) {
        self.held.revoke(lease);
        self.journals.lock().values().for_each(|journal| journal.revoked(lease));
    }
}

/// Runs one slot: pulls a note, works on its ticket, and repeats.
async fn slot(inner: Arc<WorkerInner>) {
    let mut end = inner.end.subscribe();
    while !inner.is_ending() {
        let Ok(permit) = Arc::clone(&inner.slots).acquire_owned().await else { return };
        let next = tokio::select! {
            next = inner.queue.next(PULL) => next,
            _ = end.wait_for(Option::is_some) => return,
        };
        let note = match next {
            Ok(Some(note)) => note,
            Ok(None) => {
                drop(permit);
                continue;
            }
            Err(error) if !error.is_transient() => return inner.ends(WorkerEnd::Queue(error)),
            Err(error) => {
                tracing::warn!(%error, "no note is to be had");
                drop(permit);
                sleep(AFTER_ERROR).await;
                continue;
            }
        };
        if !note.note.alone {
            inner.handle(note).await;
            drop(permit);
            continue;
        }
        drop(permit);
        let _alone = waiting_with(&note, inner.alone.lock()).await;
        let all = u32::try_from(inner.jobs).expect("jobs are few");
        let all = waiting_with(&note, inner.slots.acquire_many(all)).await;
        inner.handle(note).await;
        drop(all);
    }
}

/// Awaits the future while reporting to the broker that the note is in progress.
async fn waiting_with<T>(note: &ReceivedMessage, waiting: impl Future<Output = T>) -> T {
    tokio::pin!(waiting);
    loop {
        tokio::select! {
            done = &mut waiting => return done,
            () = sleep(held_leases::PROGRESS_EVERY) => note.send_progress().await,
        }
    }
}

/// The coordinator's leave to work on a ticket.
struct Leave {
    lease: String,
    settings: String,
    deadline: Duration,
    job: Box<WriteJob>,
}

/// Why there is no leave, and what becomes of the note.
enum NoLeave {
    /// There is nothing to do: the note is acknowledged.
    NothingToDo,
    /// The note comes again after this time.
    PutOff(Duration),
}

/// A ticket that is leased to this worker.
struct LeasedTicket<'a> {
    note: &'a ReceivedMessage,
    line: CoordinatorClient,
    lease: String,
    journal: Arc<RemoteCallLog>,
    /// Whether the coordinator has revoked the lease.
    revoked: watch::Receiver<bool>,
    began: Instant,
}

impl LeasedTicket<'_> {
    fn estate(&self) -> &EstateId {
        &self.note.note.estate
    }

    /// Returns the job with everything that belongs to it.
    fn assignment(&self, settings: String, job: WriteJob) -> JobAssignment {
        JobAssignment {
            estate: self.estate().clone(),
            epoch: self.note.note.epoch.clone(),
            settings,
            job,
            journal: Arc::clone(&self.journal) as _,
        }
    }

    /// Whether the coordinator may still wait for the result. A revoked ticket is handed back all the same, because its coordinator is there.
    fn is_held(&self) -> bool {
        self.journal.holds(&self.note.note.ticket, &self.lease) || *self.revoked.borrow()
    }

    /// Logs what the coordinator says to the result, and returns whether the note is done with.
    fn is_taken_back(&self, reply: Result<CoordinatorReply, RequestError>) -> bool {
        let milliseconds = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        match reply {
            Ok(CoordinatorReply::Committed) => tracing::info!(milliseconds, "handed back"),
            Ok(CoordinatorReply::Revoked) => {
                tracing::warn!(was_told = *self.revoked.borrow(), milliseconds, "its lease holds no more");
            }
            Ok(other) => tracing::warn!(reply = ?other, milliseconds, "handed back, and not taken"),
            Err(error) => {
                tracing::warn!(%error, milliseconds, "the coordinator does not take it back");
                return false;
            }
        }
        true
    }
}

impl WorkerInner {
    /// Handles a note to its end.
    async fn handle(&self, note: ReceivedMessage) {
        if self.is_ending() {
            return note.redeliver_after(Duration::ZERO).await;
        }
        if self.unusable.lock().get(&note.note.estate) == Some(&note.note.epoch) {
            return note.redeliver_after(LEFT_TO_OTHERS).await;
        }
        let trace = fresh_trace();
        let span = tracing::info_span!(
            "ticket",
            file = %note.note.ticket,
            trace_id = %format_args!("{:032x}", u128::from_be_bytes(trace.trace_id())),
            span_id = %format_args!("{:016x}", u64::from_be_bytes(trace.span_id()))
        );
        self.ticket(note, self.line.traced(trace)).instrument(span).await;
    }

    /// Works on the ticket of a note, unless the coordinator gives no leave.
    async fn ticket(&self, note: ReceivedMessage, line: CoordinatorClient) {
        let Leave { lease, settings, deadline, job } = match self.leave(&note, &line).await {
            Ok(leave) => leave,
            Err(NoLeave::NothingToDo) => return note.acknowledge().await,
            Err(NoLeave::PutOff(delay)) => return note.redeliver_after(delay).await,
        };
        let ticket = self.begin(&note, line, lease, deadline);
        let outcome = waiting_with(&note, self.desk.write(ticket.assignment(settings, *job))).await;
        if !ticket.is_held() {
            self.held.revoke(&ticket.lease);
            self.held.release(&ticket.lease);
            self.in_work.fetch_sub(1, Ordering::Relaxed);
            tracing::warn!("its coordinator is not heard of any more");
            return note.redeliver_after(LEFT_TO_OTHERS).await;
        }
        // From here on the coordinator knows the result, and a sign of life would conflict with it.
        self.held.release(&ticket.lease);
        let ended = self.hand_back(&ticket, outcome).await;
        ticket.journal.ends(&note.note.ticket, &ticket.lease);
        self.in_work.fetch_sub(1, Ordering::Relaxed);
        match ticket.is_taken_back(ended) {
            true => note.acknowledge().await,
            false => note.redeliver_after(LEFT_TO_OTHERS).await,
        }
    }

    /// Asks the coordinator for leave to work on a note's ticket.
    async fn leave(&self, note: &ReceivedMessage, line: &CoordinatorClient) -> Result<Leave, NoLeave> {
        let TicketMessage { estate, epoch, ticket, attempt, .. } = &note.note;
        let take = WorkerRequest::Take {
            worker: line.name().to_owned(),
            release: line.release().to_owned(),
            epoch: epoch.clone(),
            ticket: ticket.clone(),
            attempt: *attempt,
        };
        match waiting_with(note, line.ask_for_leave(estate, &take)).await {
            Ok(CoordinatorReply::Leave { lease, settings, deadline, job }) if job.file == *ticket => {
                Ok(Leave { lease, settings, deadline: Duration::from_millis(deadline), job })
            }
            Ok(CoordinatorReply::Leave { job, .. }) => {
                tracing::warn!(job = job.file, "the coordinator has sent another job than that of the note");
                Err(NoLeave::PutOff(LEFT_TO_OTHERS))
            }
            Ok(CoordinatorReply::Stale) => Err(NoLeave::NothingToDo),
            Ok(CoordinatorReply::OtherRelease { release }) => {
                if self.refused.lock().insert(estate.clone()) {
                    let ours = line.release();
                    tracing::error!(
                        "a coordinator of release {release} is refused, because this worker is of {ours} and would write otherwise; run workers of the coordinator's release"
                    );
                }
                Err(NoLeave::PutOff(LEFT_TO_OTHERS))
            }
            Ok(other) => {
                tracing::warn!(reply = ?other, "the coordinator gives no leave");
                Err(NoLeave::PutOff(LEFT_TO_OTHERS))
            }
            Err(error) => {
                let doublings = u32::try_from(note.delivered).unwrap_or(u32::MAX).min(MOST_DOUBLINGS);
                let put_off = LEFT_TO_OTHERS * 2_u32.pow(doublings);
                tracing::warn!(%error, put_off = ?put_off, "the coordinator does not answer, and its note is put off");
                Err(NoLeave::PutOff(put_off))
            }
        }
    }

    /// Begins work on a ticket that is leased to this worker.
    fn begin<'a>(
        &self,
        note: &'a ReceivedMessage,
        line: CoordinatorClient,
        lease: String,
        deadline: Duration,
    ) -> LeasedTicket<'a> {
        let TicketMessage { estate, epoch, ticket, .. } = &note.note;
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.in_work.fetch_add(1, Ordering::Relaxed);
        let journal = self.journal(estate, epoch);
        journal.begins(ticket, &lease, deadline);
        let revoked = self.held.hold(estate, &lease, deadline);
        let began = Instant::now();
        tracing::info!(calls_in_flight = journal.in_flight(), "taken");
        LeasedTicket { note, line, lease, journal, revoked, began }
    }

    /// Hands the outcome of a ticket's job to the coordinator.
    async fn hand_back(
        &self,
        ticket: &LeasedTicket<'_>,
        outcome: JobOutcome,
    ) -> Result<CoordinatorReply, RequestError> {
        match outcome {
            // A draft that the coordinator itself has stopped is accepted as it is.
            JobOutcome::Draft { draft, stopped, .. } if draft.was_interrupted() && !ticket.journal.was_stopped() => {
                match stopped.filter(|_| !self.is_ending()) {
                    Some(stopped) => {
                        self.refuses_unless_own(ticket, &stopped);
                        let why = format!("its worker makes no further call: {stopped}");
                        self.gives_back(ticket, why, AttemptBlame::Worker(stopped)).await
                    }
                    None => {
                        let why = "its worker was told to end".to_owned();
                        self.gives_back(ticket, why, AttemptBlame::Nobody).await
                    }
                }
            }
            JobOutcome::Draft { draft, learned, notes, .. } => {
                let done = WorkerRequest::Done { lease: ticket.lease.clone(), draft, learned, notes };
                let asked = ticket.line.ask_until_answered(ticket.estate(), &done, ticket.journal.silence());
                let ended = waiting_with(ticket.note, asked).await;
                if matches!(ended, Ok(CoordinatorReply::Committed)) {
                    self.done.fetch_add(1, Ordering::Relaxed);
                }
                ended
            }
            JobOutcome::Unusable(why) => {
                let stopped = StopError { reason: StopReason::Configuration, message: why.clone() };
                self.refuses_unless_own(ticket, &stopped);
                self.gives_back(ticket, why, AttemptBlame::Worker(stopped)).await
            }
            JobOutcome::Failed(why) => {
                tracing::error!(why, "it cannot be written of");
                self.gives_back(ticket, why, AttemptBlame::Ticket).await
            }
        }
    }

    async fn gives_back(
        &self,
        ticket: &LeasedTicket<'_>,
        why: String,
        blame: AttemptBlame,
    ) -> Result<CoordinatorReply, RequestError> {
        self.given_back.fetch_add(1, Ordering::Relaxed);
        let back = WorkerRequest::Back { lease: ticket.lease.clone(), why, blame: blame.clone() };
        let told = ticket.line.ask_for_a_while(ticket.estate(), &back).await;
        if let AttemptBlame::Worker(stopped) = blame
            && is_own(stopped.reason)
        {
            self.ends(WorkerEnd::Stopped(stopped));
        }
        told
    }
}

impl WorkerInner {
    /// Takes no further tickets of a coordinator if its own settings allow no calls.
    fn refuses_unless_own(&self, ticket: &LeasedTicket<'_>, stopped: &StopError) {
        if is_own(stopped.reason) {
            return;
        }
        let TicketMessage { estate, epoch, .. } = &ticket.note.note;
        let before = self.unusable.lock().insert(estate.clone(), epoch.clone());
        if before.as_ref() != Some(epoch) {
            tracing::error!(
                %estate,
                "a coordinator's settings cannot be used here, so that none of its sources is taken: {}",
                stopped.message
            );
        }
    }

    /// Returns tickets that are not finished.
    async fn gives_all_back(&self, leases: Vec<(EstateId, String)>) {
        let each = leases.into_iter().map(|(estate, lease)| async move {
            self.given_back.fetch_add(1, Ordering::Relaxed);
            let why = "its worker was told to end".to_owned();
            let back = WorkerRequest::Back { lease, why, blame: AttemptBlame::Nobody };
            if let Err(error) = self.line.ask_once(&estate, &back, GIVE_BACK).await {
                tracing::warn!(%error, "a source is not taken back");
            }
        });
        futures::future::join_all(each).await;
    }
}

/// Whether a reason for no further calls is the worker's own, regardless of the coordinator; otherwise, it follows from one coordinator's settings.
fn is_own(reason: StopReason) -> bool {
    match reason {
        StopReason::Authentication
        | StopReason::Quota
        | StopReason::Unavailable
        | StopReason::Record
        | StopReason::Damaged
        | StopReason::Interrupted
        | StopReason::Deferred => true,
        StopReason::UnknownModel | StopReason::SpendCap | StopReason::Configuration => false,
    }
}
