//! The journal of a worker: what stands in it, the coordinator has.
//!
//! Each call is noted there before it is sent, and what came of it is in the spool before the coordinator is asked to keep it. While nobody answers, calls
//! wait: nothing is sent that is not noted.

use crate::message::{CallId, Reply, Request};
use crate::names::EstateId;
use crate::worker::line::Line;
use crate::worker::lock;
use crate::worker::spool::{Spool, Spooled};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use war_rig_llm::{
    AnswerKey, EndedCall, Journal, JournalError, JournalErrorKind, NewCall, Outcome, Recording,
};

/// The journal of one estate.
pub(super) struct RemoteJournal {
    estate: EstateId,
    line: Line,
    spool: Arc<Spool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The leases by file.
    leases: HashMap<String, String>,
    /// Calls that were noted, by the number that this side gives them.
    calls: HashMap<u64, CallId>,
    last: u64,
    /// Whether the coordinator allows no further call.
    is_stopped: bool,
}

impl RemoteJournal {
    pub(super) fn new(estate: EstateId, line: Line, spool: Arc<Spool>) -> Self {
        Self { estate, line, spool, state: Mutex::default() }
    }

    /// A file is in work under a lease.
    pub(super) fn begins(&self, file: &str, lease: &str) {
        lock(&self.state).leases.insert(file.to_owned(), lease.to_owned());
    }

    /// It is not any more.
    pub(super) fn ends(&self, file: &str, lease: &str) {
        let mut state = lock(&self.state);
        if state.leases.get(file).is_some_and(|held| held == lease) {
            state.leases.remove(file);
        }
    }

    /// A lease holds no more, so that no further call is made for its file.
    pub(super) fn revoked(&self, lease: &str) {
        lock(&self.state).leases.retain(|_, held| held != lease);
    }

    /// Whether the coordinator has said that it allows no further call.
    pub(super) fn was_stopped(&self) -> bool {
        lock(&self.state).is_stopped
    }

    /// Calls that were noted and have no end.
    pub(super) fn in_flight(&self) -> usize {
        lock(&self.state).calls.len()
    }

    async fn ask(&self, request: Request) -> Result<Reply, JournalError> {
        let asked = self.line.ask_until_answered(&self.estate, &request).await;
        match asked.map_err(|error| refused(error.to_string()))? {
            Reply::Revoked => Err(refused("its lease holds no more".to_owned())),
            Reply::Stopped { stopped } => {
                lock(&self.state).is_stopped = true;
                Err(JournalError {
                    kind: JournalErrorKind::Stopped(stopped.reason),
                    message: stopped.message,
                })
            }
            Reply::JournalFailed { is_damaged, message } => {
                let kind = if is_damaged { JournalErrorKind::Damaged } else { JournalErrorKind::Unwritable };
                Err(JournalError { kind, message })
            }
            Reply::Unreadable { problem } => Err(refused(problem)),
            reply @ (Reply::Found { .. } | Reply::Noted { .. } | Reply::Kept { .. }) => Ok(reply),
            Reply::Leave { .. }
            | Reply::Stale
            | Reply::OtherRelease { .. }
            | Reply::Committed
            | Reply::Heard { .. } => Err(senseless()),
        }
    }
}

impl Journal for RemoteJournal {
    fn find(&self, key: AnswerKey, since: u64) -> Recording<'_, Option<Outcome>> {
        Box::pin(async move {
            let worker = self.line.name().to_owned();
            match self.ask(Request::Find { worker, key, since }).await? {
                Reply::Found { outcome } => Ok(outcome),
                _ => Err(senseless()),
            }
        })
    }

    fn sending(&self, call: NewCall) -> Recording<'_, u64> {
        Box::pin(async move {
            let lease = lock(&self.state).leases.get(&call.file).cloned();
            let lease = lease.ok_or_else(|| refused("its lease holds no more".to_owned()))?;
            match self.ask(Request::Sending { lease, call }).await? {
                Reply::Noted { call } => {
                    let mut state = lock(&self.state);
                    state.last += 1;
                    let number = state.last;
                    state.calls.insert(number, call);
                    Ok(number)
                }
                _ => Err(senseless()),
            }
        })
    }

    fn ended(&self, call: u64, ended: EndedCall, since: u64) -> Recording<'_, Option<Outcome>> {
        Box::pin(async move {
            let noted = lock(&self.state).calls.get(&call).copied();
            let call_id = noted.ok_or_else(|| refused(format!("call {call} was never noted")))?;
            let estate = self.estate.clone();
            let spooled = Spooled { estate, call: call_id, ended: ended.clone(), since };
            let ticket = self.spool.put(spooled).await.map_err(|error| JournalError {
                kind: JournalErrorKind::Unwritable,
                message: error.to_string(),
            })?;
            let asked = self.ask(Request::Ended { call: call_id, ended, since }).await;
            lock(&self.state).calls.remove(&call);
            match asked? {
                Reply::Kept { outcome } => {
                    self.spool.done(ticket).await;
                    Ok(outcome)
                }
                _ => Err(senseless()),
            }
        })
    }
}

fn refused(message: String) -> JournalError {
    JournalError { kind: JournalErrorKind::Refused, message }
}

fn senseless() -> JournalError {
    refused("the coordinator's reply does not fit what was asked".to_owned())
}

impl fmt::Debug for RemoteJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteJournal").field("estate", &self.estate).finish_non_exhaustive()
    }
}
