//! The journal of a worker, which the coordinator stores.
//!
//! Each call is recorded there before it is sent, and its result is in the spool before the coordinator is asked to store it. While the coordinator
//! does not answer, calls wait: nothing is sent without a record. They wait until the coordinator must have revoked their lease; results are then
//! left to the spool. A call that waits for permission when the worker ends is not sent; if permission still comes, the coordinator is informed.

use crate::link::RequestError;
use crate::protocol::{CallId, CoordinatorReply, WorkerRequest};
use crate::subjects::EstateId;
use crate::worker::WorkerEnd;
use crate::worker::coordinator_client::CoordinatorClient;
use crate::worker::spool::{Spool, SpooledCall};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use war_rig_llm::{
    AnswerKey, CallLog, CallLogError, CallLogErrorKind, CallLogFuture, CallOutcome, FinishedCall, Money, NewCall,
    StopReason,
};

/// How much longer than the deadline a coordinator may be silent: by then it has revoked silent leases.
const MARGIN: Duration = Duration::from_secs(10);

/// The message for calls that are not made because the worker ends.
const TOLD_TO_END: &str = "the worker is told to end";

/// The journal of one estate.
pub(super) struct RemoteCallLog {
    estate: EstateId,
    line: CoordinatorClient,
    spool: Arc<Spool>,
    /// Why the worker ends, once it does.
    end: watch::Receiver<Option<WorkerEnd>>,
    state: Mutex<RemoteCallState>,
    /// Calls that will not be sent, but may still be recorded.
    unsent: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct RemoteCallState {
    /// The leases by file.
    leases: HashMap<String, String>,
    /// Recorded calls, by this side's number for them.
    calls: HashMap<u64, CallId>,
    last: u64,
    /// How long the coordinator may be silent.
    silence: Duration,
    /// Whether the coordinator allows no further calls.
    is_stopped: bool,
}

impl RemoteCallLog {
    pub(super) fn new(
        estate: EstateId,
        line: CoordinatorClient,
        spool: Arc<Spool>,
        end: watch::Receiver<Option<WorkerEnd>>,
    ) -> Self {
        Self { estate, line, spool, end, state: Mutex::default(), unsent: Mutex::default() }
    }

    /// Records that a file is in progress under a lease, with the deadline for signs of life.
    pub(super) fn begins(&self, file: &str, lease: &str, deadline: Duration) {
        let mut state = self.state.lock();
        state.leases.insert(file.to_owned(), lease.to_owned());
        state.silence = deadline + MARGIN;
    }

    /// Returns how long the coordinator may be silent before its leases count as revoked.
    pub(super) fn silence(&self) -> Duration {
        self.state.lock().silence
    }

    /// Whether a file is in progress under a lease that may still be valid.
    pub(super) fn holds(&self, file: &str, lease: &str) -> bool {
        self.state.lock().leases.get(file).is_some_and(|held| held == lease)
    }

    /// Records that the work on a file has ended.
    pub(super) fn ends(&self, file: &str, lease: &str) {
        let mut state = self.state.lock();
        if state.leases.get(file).is_some_and(|held| held == lease) {
            state.leases.remove(file);
        }
    }

    /// Records that a lease is no longer valid, so that no further calls are made for its file.
    pub(super) fn revoked(&self, lease: &str) {
        self.state.lock().leases.retain(|_, held| held != lease);
    }

    /// Whether the coordinator has reported that it allows no further calls.
    pub(super) fn was_stopped(&self) -> bool {
        self.state.lock().is_stopped
    }

    /// Returns the number of recorded calls without an end.
    pub(super) fn in_flight(&self) -> usize {
        self.state.lock().calls.len()
    }

    async fn ask(&self, request: WorkerRequest) -> Result<CoordinatorReply, CallLogError> {
        let asked = self.line.ask_until_answered(&self.estate, &request, self.silence()).await;
        self.read(asked)
    }

    /// Interprets a reply for calls.
    fn read(&self, asked: Result<CoordinatorReply, RequestError>) -> Result<CoordinatorReply, CallLogError> {
        if asked.as_ref().is_err_and(RequestError::is_transient) {
            // It has revoked them by now, or is gone.
            self.state.lock().leases.clear();
            return Err(refused("its coordinator is not heard of any more".to_owned()));
        }
        match asked.map_err(|error| refused(error.to_string()))? {
            CoordinatorReply::Revoked => Err(refused("its lease holds no more".to_owned())),
            CoordinatorReply::Stopped { stopped } => {
                self.state.lock().is_stopped = true;
                Err(CallLogError { kind: CallLogErrorKind::Stopped(stopped.reason), message: stopped.message })
            }
            CoordinatorReply::JournalFailed { is_damaged, message } => {
                // The coordinator's record has failed, not this machine.
                self.state.lock().is_stopped = true;
                let kind = if is_damaged { CallLogErrorKind::Damaged } else { CallLogErrorKind::Unwritable };
                Err(CallLogError { kind, message })
            }
            CoordinatorReply::Unreadable { problem } => Err(refused(problem)),
            reply @ (CoordinatorReply::Found { .. }
            | CoordinatorReply::Noted { .. }
            | CoordinatorReply::Kept { .. }) => Ok(reply),
            CoordinatorReply::Leave { .. }
            | CoordinatorReply::Stale
            | CoordinatorReply::OtherRelease { .. }
            | CoordinatorReply::Committed
            | CoordinatorReply::Heard { .. } => Err(senseless()),
        }
    }
}

impl RemoteCallLog {
    /// Waits until the worker must end.
    async fn told_to_end(&self) -> CallLogError {
        // The sender lives as long as the worker.
        let _ = self.end.clone().wait_for(Option::is_some).await;
        CallLogError { kind: CallLogErrorKind::Stopped(StopReason::Interrupted), message: TOLD_TO_END.to_owned() }
    }

    /// Asks for permission for a call. If the worker ends in the meantime, the call is not sent, even if permission comes later.
    async fn leave(&self, request: WorkerRequest, key: AnswerKey) -> Result<CoordinatorReply, CallLogError> {
        let (line, estate, silence) = (self.line.clone(), self.estate.clone(), self.silence());
        let mut asking = tokio::spawn(async move { line.ask_until_answered(&estate, &request, silence).await });
        tokio::select! {
            biased;
            asked = &mut asking => match asked {
                Ok(asked) => self.read(asked),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            told = self.told_to_end() => {
                let (line, estate) = (self.line.clone(), self.estate.clone());
                self.unsent.lock().spawn(async move {
                    let Ok(Ok(CoordinatorReply::Noted { call })) = asking.await else { return };
                    let result = Err("it was not sent, because the worker was told to end".to_owned());
                    let ended = FinishedCall { key, result, completion_tokens: 0, cost: Money::ZERO };
                    let ended = WorkerRequest::Ended { call, ended, since: 0 };
                    if let Err(error) = line.ask_until_answered(&estate, &ended, silence).await {
                        tracing::debug!(%error, "nobody could be told that a call was not sent");
                    }
                });
                Err(told)
            }
        }
    }
}

impl CallLog for RemoteCallLog {
    fn find_answer(&self, key: AnswerKey, since: u64) -> CallLogFuture<'_, Option<CallOutcome>> {
        Box::pin(async move {
            let worker = self.line.name().to_owned();
            let found = tokio::select! {
                biased;
                found = self.ask(WorkerRequest::Find { worker, key, since }) => found?,
                told = self.told_to_end() => return Err(told),
            };
            match found {
                CoordinatorReply::Found { outcome } => Ok(outcome),
                _ => Err(senseless()),
            }
        })
    }

    fn record_call(&self, call: NewCall) -> CallLogFuture<'_, u64> {
        Box::pin(async move {
            let lease = self.state.lock().leases.get(&call.file).cloned();
            let lease = lease.ok_or_else(|| refused("its lease holds no more".to_owned()))?;
            let key = call.key;
            match self.leave(WorkerRequest::Sending { lease, call }, key).await? {
                CoordinatorReply::Noted { call } => {
                    let mut state = self.state.lock();
                    state.last += 1;
                    let number = state.last;
                    state.calls.insert(number, call);
                    Ok(number)
                }
                _ => Err(senseless()),
            }
        })
    }

    fn record_outcome(&self, call: u64, ended: FinishedCall, since: u64) -> CallLogFuture<'_, Option<CallOutcome>> {
        Box::pin(async move {
            let noted = self.state.lock().calls.get(&call).copied();
            let call_id = noted.ok_or_else(|| refused(format!("call {call} was never noted")))?;
            let estate = self.estate.clone();
            let spooled = SpooledCall { estate, call: call_id, ended: ended.clone(), since };
            let file = self
                .spool
                .put(spooled)
                .await
                .map_err(|error| CallLogError { kind: CallLogErrorKind::Unwritable, message: error.to_string() })?;
            self.state.lock().calls.remove(&call);
            match self.ask(WorkerRequest::Ended { call: call_id, ended, since }).await {
                Ok(CoordinatorReply::Kept { outcome }) => {
                    self.spool.done(file).await;
                    Ok(outcome)
                }
                other => {
                    // It is offered again, as long as this process lives and by the next one.
                    self.spool.leave(file);
                    Err(other.err().unwrap_or_else(senseless))
                }
            }
        })
    }
}

fn refused(message: String) -> CallLogError {
    CallLogError { kind: CallLogErrorKind::Refused, message }
}

fn senseless() -> CallLogError {
    refused("the coordinator's reply does not fit what was asked".to_owned())
}

impl fmt::Debug for RemoteCallLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteCallLog").field("estate", &self.estate).finish_non_exhaustive()
    }
}
