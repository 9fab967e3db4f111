//! Who has which ticket, until when, and what was paid for it.

use crate::coordinator::CoordinatorStats;
use crate::protocol::{AttemptBlame, CallId};
use crate::random::random_id;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use war_rig_llm::{AnswerKey, CallPermit, StopError, UsageTotals, WindowEstimate};
use war_rig_pool::{DispatchOutcome, QueuedTicket};

/// How long to wait for tickets with workers once no more are handed out.
const DRAIN: Duration = Duration::from_secs(30);

/// The most server notes that are kept: each worker reports the same ones.
const MOST_NOTES: usize = 20;

/// The state of a coordinator.
#[derive(Default)]
pub(crate) struct LeaseTable {
    /// The open tickets, by file.
    open: HashMap<String, AwaitedTicket>,
    /// How many were opened so far.
    turns: u64,
    leases: HashMap<String, TicketLease>,
    /// The history of each file since the process started.
    past: HashMap<String, AttemptHistory>,
    calls: HashMap<CallId, InFlightCall>,
    /// The files of calls that outlived their lease: their results are still booked.
    late: HashMap<CallId, (String, AnswerKey)>,
    workers: HashMap<String, Instant>,
    revoked: u64,
    given_back: u64,
    attempts: u64,
    handed_back: u64,
    calls_answered: u64,
    calls_failed: u64,
    bill: UsageTotals,
    /// Why no further tickets are handed out.
    closed: Option<StopError>,
    /// Why no further calls are made; then no tickets are handed out either.
    pub(crate) stopped: Option<StopError>,
    stopped_at: Option<Instant>,
    /// Why the last worker that could not continue has left, and when.
    left: Option<(StopError, Instant)>,
    pub(crate) learned: Option<WindowEstimate>,
    pub(crate) notes: BTreeSet<String>,
}

/// A ticket whose result is awaited.
pub(crate) struct AwaitedTicket {
    pub(crate) ticket: QueuedTicket,
    tell: oneshot::Sender<DispatchOutcome>,
    place: LeaseState,
    /// Its number in the order of opening.
    turn: u64,
}

/// The state of a ticket.
#[derive(Debug, Clone, PartialEq)]
enum LeaseState {
    /// Its note must be published.
    New,
    /// Its note was published at this time.
    Published(Instant),
    /// A worker has requested it, and the attempt is being counted.
    Granting,
    /// A worker has it, under this lease.
    Leased(String),
}

#[derive(Debug, Default)]
struct AttemptHistory {
    /// How many notes were made for it.
    attempt: u32,
    bill: UsageTotals,
}

struct TicketLease {
    file: String,
    worker: String,
    until: Instant,
}

struct InFlightCall {
    file: String,
    lease: String,
    key: AnswerKey,
    leave: CallPermit,
}

/// A note that must be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DueMessage {
    pub(crate) file: String,
    pub(crate) attempt: u32,
    pub(crate) is_alone: bool,
}

impl AwaitedTicket {
    pub(crate) fn new(ticket: QueuedTicket, tell: oneshot::Sender<DispatchOutcome>) -> Self {
        Self { ticket, tell, place: LeaseState::New, turn: 0 }
    }

    fn end(self, brought: DispatchOutcome) {
        // If nobody waits any more, nobody needs it.
        let _ = self.tell.send(brought);
    }
}

impl LeaseTable {
    /// Adds a ticket to hand out.
    ///
    /// # Errors
    /// Why no more tickets are handed out.
    pub(crate) fn open(&mut self, mut open: AwaitedTicket) -> Result<(), StopError> {
        if let Some(stopped) = &self.closed {
            return Err(stopped.clone());
        }
        self.turns += 1;
        open.turn = self.turns;
        let file = open.ticket.job.file.clone();
        self.past.entry(file.clone()).or_default().attempt += 1;
        self.open.insert(file, open);
        Ok(())
    }

    /// Whether no ticket is awaited.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether workers have any tickets.
    pub(crate) fn has_leases(&self) -> bool {
        !self.leases.is_empty()
    }

    /// Returns the first notes to publish, in the order in which their tickets were opened: the longest ones come first.
    pub(crate) fn due(&self, most: usize) -> Vec<DueMessage> {
        let mut new: Vec<_> = self.open.iter().filter(|(_, open)| open.place == LeaseState::New).collect();
        new.sort_unstable_by_key(|(_, open)| open.turn);
        let note = |(file, open): (&String, &AwaitedTicket)| DueMessage {
            file: file.clone(),
            attempt: self.past.get(file).map_or(1, |past| past.attempt),
            is_alone: open.ticket.runs_alone,
        };
        new.into_iter().take(most).map(note).collect()
    }

    /// Records that a ticket's note was published.
    pub(crate) fn noted(&mut self, note: &DueMessage, now: Instant) {
        if let Some(open) = self.open.get_mut(&note.file)
            && open.place == LeaseState::New
        {
            open.place = LeaseState::Published(now);
        }
    }

    /// Returns how many notes should be in the queue, except those published after `since`.
    pub(crate) fn noted_before(&self, since: Instant) -> u64 {
        let is_old = |open: &&AwaitedTicket| matches!(open.place, LeaseState::Published(at) if at <= since);
        self.open.values().filter(is_old).count() as u64
    }

    /// Marks all notes that should be in the queue to be published again.
    pub(crate) fn note_again(&mut self) -> usize {
        let noted = self.open.values_mut().filter(|open| matches!(open.place, LeaseState::Published(_)));
        noted.map(|open| open.place = LeaseState::New).count()
    }

    /// Begins to grant a ticket to the worker that has its note; `None` if there is nothing to grant.
    pub(crate) fn grant(&mut self, file: &str, attempt: u32) -> Option<QueuedTicket> {
        if self.closed.is_some() || self.past.get(file)?.attempt != attempt {
            return None;
        }
        let open = self.open.get_mut(file)?;
        match open.place {
            LeaseState::New | LeaseState::Published(_) => {}
            LeaseState::Granting | LeaseState::Leased(_) => return None,
        }
        open.place = LeaseState::Granting;
        Some(open.ticket.clone())
    }

    /// Leases a ticket whose attempt was counted; `None` if it is no longer awaited.
    pub(crate) fn lease(&mut self, file: &str, worker: &str, until: Instant) -> Option<String> {
        let open = self.open.get_mut(file)?;
        self.attempts += 1;
        let lease = random_id();
        open.place = LeaseState::Leased(lease.clone());
        let (file, worker) = (file.to_owned(), worker.to_owned());
        self.leases.insert(lease.clone(), TicketLease { file, worker, until });
        Some(lease)
    }

    /// Returns the file of a valid lease.
    pub(crate) fn file_of(&self, lease: &str) -> Option<&str> {
        self.leases.get(lease).map(|lease| lease.file.as_str())
    }

    /// Whether a worker has any lease.
    pub(crate) fn knows(&self, worker: &str) -> bool {
        self.leases.values().any(|lease| lease.worker == worker)
    }

    /// Records that a worker was heard from.
    pub(crate) fn heard(&mut self, worker: &str, now: Instant) {
        self.workers.insert(worker.to_owned(), now);
    }

    /// Records a worker's active leases; returns those that are no longer valid.
    pub(crate) fn alive(&mut self, worker: &str, told: &[String], now: Instant, deadline: Duration) -> Vec<String> {
        self.heard(worker, now);
        let mut revoked = Vec::new();
        for lease in told {
            match self.leases.get_mut(lease).filter(|lease| lease.worker == worker) {
                Some(lease) => lease.until = now + deadline,
                None => revoked.push(lease.clone()),
            }
        }
        revoked
    }

    /// Extends a lease after a sign of life.
    pub(crate) fn extend(&mut self, lease: &str, now: Instant, deadline: Duration) {
        if let Some(lease) = self.leases.get_mut(lease) {
            lease.until = now + deadline;
            let worker = lease.worker.clone();
            self.heard(&worker, now);
        }
    }

    /// Ends a lease and reports its result. Returns whether the lease was valid.
    fn end(&mut self, lease: &str, brought: impl FnOnce(UsageTotals) -> DispatchOutcome) -> bool {
        let Some(TicketLease { file, .. }) = self.leases.remove(lease) else { return false };
        // Unfinished calls count with their maximum cost; otherwise, other calls would wait for them forever.
        for (call, in_flight) in self.calls.extract_if(|_, call| call.lease == lease) {
            self.late.insert(call, (in_flight.file, in_flight.key));
        }
        let bill = self.past.get(&file).map(|past| past.bill).unwrap_or_default();
        if let Some(open) = self.open.remove(&file) {
            open.end(brought(bill));
        }
        true
    }

    /// Accepts the draft of a ticket. Returns whether the lease was valid.
    pub(crate) fn done(&mut self, lease: &str, brought: impl FnOnce(UsageTotals) -> DispatchOutcome) -> bool {
        let held = self.end(lease, brought);
        self.handed_back += u64::from(held);
        held
    }

    /// Accepts a returned ticket. Returns whether the lease was valid.
    pub(crate) fn back(&mut self, lease: &str, why: String, blame: AttemptBlame, now: Instant) -> bool {
        self.given_back += 1;
        let worker = self.leases.get(lease).map(|lease| lease.worker.clone()).unwrap_or_default();
        let brought = match (&self.stopped, blame) {
            (Some(stopped), _) => DispatchOutcome::Stopped(stopped.clone()),
            (None, AttemptBlame::Ticket) => DispatchOutcome::Failed(why),
            (None, AttemptBlame::Nobody) => DispatchOutcome::Returned(why),
            (None, AttemptBlame::Worker(StopError { reason, message })) => {
                tracing::warn!(worker, why = message, "a worker leaves");
                let message = format!("the last worker, `{worker}`, has left: {message}");
                self.left = Some((StopError { reason, message }, now));
                DispatchOutcome::Returned(why)
            }
        };
        self.end(lease, |_| brought)
    }

    /// Fails a ticket whose attempt cannot be counted.
    pub(crate) fn fail(&mut self, file: &str, brought: DispatchOutcome) {
        if let Some(open) = self.open.remove(file) {
            open.end(brought);
        }
    }

    /// Records a call. Returns whether it may be made: a lease that has ended in the meantime allows none.
    ///
    /// A worker that asks again under the same key did not learn of the first record, and will report no end of it. It counts with its maximum cost.
    pub(crate) fn sent(
        &mut self,
        call: CallId,
        (file, lease): (&str, &str),
        (key, prompt_tokens): (AnswerKey, u64),
        leave: CallPermit,
    ) -> bool {
        self.book(file, |bill| {
            bill.calls += 1;
            bill.prompt_tokens += prompt_tokens;
            bill.largest_prompt = bill.largest_prompt.max(prompt_tokens);
        });
        let is_same = |open: &InFlightCall| open.lease == lease && open.key == key;
        for (call, unheard) in self.calls.extract_if(|_, open| is_same(open)) {
            self.late.insert(call, (unheard.file, unheard.key));
        }
        let held = self.leases.contains_key(lease);
        match held {
            true => {
                let in_flight = InFlightCall { file: file.to_owned(), lease: lease.to_owned(), key, leave };
                self.calls.insert(call, in_flight);
            }
            false => {
                self.late.insert(call, (file.to_owned(), key));
            }
        }
        held
    }

    /// Records the end of a call under this key; returns its file and what is still reserved for it.
    pub(crate) fn ended(&mut self, call: CallId, key: AnswerKey) -> Option<(String, Option<CallPermit>)> {
        if self.calls.get(&call).is_some_and(|open| open.key == key) {
            return self.calls.remove(&call).map(|InFlightCall { file, leave, .. }| (file, Some(leave)));
        }
        let is_late = self.late.get(&call).is_some_and(|(_, late)| *late == key);
        is_late.then(|| self.late.remove(&call)).flatten().map(|(file, _)| (file, None))
    }

    pub(crate) fn call_answered(&mut self) {
        self.calls_answered += 1;
    }

    pub(crate) fn call_failed(&mut self) {
        self.calls_failed += 1;
    }

    /// Adds to the usage of a file and to the total.
    pub(crate) fn book(&mut self, file: &str, add: impl Fn(&mut UsageTotals)) {
        add(&mut self.bill);
        add(&mut self.past.entry(file.to_owned()).or_default().bill);
    }

    /// Adds what a worker has learned about the model's window and the server.
    pub(crate) fn learn(&mut self, learned: Option<WindowEstimate>, notes: Vec<String>) {
        if let Some(new) = learned {
            let before = self.learned.unwrap_or(WindowEstimate { token_ratio: None, window: None });
            let token_ratio = match (before.token_ratio, new.token_ratio) {
                (Some(one), Some(other)) => Some(one.max(other)),
                (one, other) => one.or(other),
            };
            // The smallest window applies to all.
            let window = match (before.window, new.window) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            self.learned = Some(WindowEstimate { token_ratio, window });
        }
        let room = MOST_NOTES.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(room));
    }

    /// Allows no further calls, and hands no more tickets out. Returns whether this is the first such call.
    pub(crate) fn stop(&mut self, stopped: StopError) -> bool {
        if self.stopped.is_some() {
            return false;
        }
        self.stopped = Some(stopped.clone());
        self.stopped_at = Some(Instant::now());
        self.close(stopped);
        true
    }

    /// Hands no more tickets out. Workers finish what they have, with all the calls that they need.
    pub(crate) fn close(&mut self, stopped: StopError) {
        if self.closed.is_some() {
            return;
        }
        self.closed = Some(stopped.clone());
        let is_out = |open: &AwaitedTicket| matches!(open.place, LeaseState::Leased(_));
        let waiting: Vec<String> =
            self.open.iter().filter(|(_, open)| !is_out(open)).map(|(file, _)| file.clone()).collect();
        for file in waiting {
            self.fail(&file, DispatchOutcome::Stopped(stopped.clone()));
        }
    }

    /// Restarts all leases: no worker could be heard until now, so silence proves nothing.
    pub(crate) fn postpone(&mut self, now: Instant, deadline: Duration) {
        for lease in self.leases.values_mut() {
            lease.until = lease.until.max(now + deadline);
        }
    }

    /// Revokes the leases that were silent for too long.
    pub(crate) fn expire(&mut self, now: Instant) {
        self.revoke(|lease| lease.until < now);
    }

    /// Revokes all leases, once their workers have had enough time after the stop.
    pub(crate) fn drain(&mut self, now: Instant) {
        if self.stopped_at.is_some_and(|at| now > at + DRAIN) {
            self.revoke(|_| true);
        }
    }

    fn revoke(&mut self, is_over: impl Fn(&TicketLease) -> bool) {
        let over: Vec<String> =
            self.leases.iter().filter(|(_, lease)| is_over(lease)).map(|(id, _)| id.clone()).collect();
        for id in over {
            self.revoked += 1;
            let worker = self.leases.get(&id).map(|lease| lease.worker.clone()).unwrap_or_default();
            let stopped = self.stopped.clone();
            self.end(&id, |_| match stopped {
                Some(stopped) => DispatchOutcome::Stopped(stopped),
                None => DispatchOutcome::Failed(format!("its worker `{worker}` is not heard of any more")),
            });
        }
    }

    /// Returns when a worker was last heard from.
    pub(crate) fn last_heard(&self) -> Option<Instant> {
        self.workers.values().max().copied()
    }

    /// Returns why the last worker that could not continue has left, if no worker was heard from for so long.
    pub(crate) fn all_left(&self, now: Instant, patience: Duration) -> Option<StopError> {
        let (stopped, at) = self.left.as_ref()?;
        let heard = self.last_heard().is_none_or(|heard| heard <= *at);
        (heard && self.leases.is_empty() && now > *at + patience).then(|| stopped.clone())
    }

    pub(crate) fn figures(&self, deadline: Duration) -> CoordinatorStats {
        let now = Instant::now();
        CoordinatorStats {
            waiting: self.open.len() - self.leases.len().min(self.open.len()),
            leased: self.leases.len(),
            workers: self.workers.values().filter(|at| now < **at + deadline).count(),
            revoked: self.revoked,
            given_back: self.given_back,
            attempts: self.attempts,
            handed_back: self.handed_back,
            notes_waiting: 0,
            calls_in_flight: self.calls.len(),
            calls_answered: self.calls_answered,
            calls_failed: self.calls_failed,
            bill: self.bill,
        }
    }
}

#[cfg(test)]
mod tests;
