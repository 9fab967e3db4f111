//! The port to what must outlive the process: answers, and the calls that they were paid for with.
//!
//! A call is noted before it is sent, and what came of it before it is used, each on the disk when the future ends. So whatever ends the
//! process, no answer is paid for twice but those of the calls that were in flight, and every call that was sent is known.

use crate::Money;
use crate::answer::ModelAnswer;
use crate::answer_key::AnswerKey;
use crate::error::{ContextOverflow, StopReason};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::pin::Pin;

/// What came of a prompt and steers a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// An answer.
    Answer(ModelAnswer),
    /// It was more than the model's window.
    Overflow(ContextOverflow),
}

/// A future of a journal.
pub type CallLogFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CallLogError>> + Send + 'a>>;

/// A call that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCall {
    /// What its answer will be kept under.
    pub key: AnswerKey,
    /// The source file it is about; empty where it is about none.
    pub file: String,
    /// What it is about, in the words of errors: `cbl/X.cbl chunk 2/5 (lines 1-80)`.
    pub about: String,
    /// The tokens of its prompt, as counted.
    pub prompt_tokens: u64,
    /// The most that it can cost.
    #[serde(with = "crate::money::units")]
    pub most: Money,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedCall {
    /// What it was asked under. Numbers alone do not tell calls apart: a state folder that was put back from a copy gives the same ones again.
    pub key: AnswerKey,
    /// The answer, or that the prompt was too long; an error's words else.
    pub result: Result<CallOutcome, String>,
    /// The tokens of the answer.
    pub completion_tokens: u64,
    /// What it cost, or may have cost where no answer came.
    #[serde(with = "crate::money::units")]
    pub cost: Money,
}

/// Keeps answers and calls.
pub trait CallLog: Send + Sync + fmt::Debug {
    /// The first answer that was kept under this key behind place `since`; 0 is before all.
    ///
    /// # Errors
    /// [`CallLogError`] when the journal cannot be read, or what it holds is not what was put there.
    fn find_answer(&self, key: AnswerKey, since: u64) -> CallLogFuture<'_, Option<CallOutcome>>;

    /// Notes a call that is about to be sent, and gives its number.
    fn record_call(&self, call: NewCall) -> CallLogFuture<'_, u64>;

    /// Notes what came of a call, and gives what stands under its key now: where the same was asked twice at a time, the answer that was
    /// there first. `since` is as in [`find_answer`](CallLog::find_answer).
    fn record_outcome(
        &self,
        call: u64,
        ended: FinishedCall,
        since: u64,
    ) -> CallLogFuture<'_, Option<CallOutcome>>;
}

/// Why a journal does not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallLogError {
    /// What follows from it.
    pub kind: CallLogErrorKind,
    /// What failed, with the file where there is one.
    pub message: String,
}

/// What follows for the calls of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallLogErrorKind {
    /// What is on the disk is damaged: no further call.
    Damaged,
    /// It cannot be read or written just now: no further call.
    Unwritable,
    /// This call is not to be made; others may be.
    Refused,
    /// No further call is to be made, for this reason.
    Stopped(StopReason),
}
