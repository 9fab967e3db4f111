//! The port to persistent storage for answers and the calls that paid for them.
//!
//! The client records a call before it sends it, and its outcome before it uses it. Each record is on disk when its future completes. So if the
//! process dies, only the calls in flight are paid for twice, and every call that was sent is known.

use crate::Money;
use crate::answer::ModelAnswer;
use crate::answer_key::AnswerKey;
use crate::error::{ContextOverflow, StopReason};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::pin::Pin;

/// The outcome of a prompt that steers a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// An answer.
    Answer(ModelAnswer),
    /// The prompt exceeded the model's window.
    Overflow(ContextOverflow),
}

/// The future of a [`CallLog`] operation.
pub type CallLogFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CallLogError>> + Send + 'a>>;

/// A call that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCall {
    /// The key under which its answer will be stored.
    pub key: AnswerKey,
    /// The source file of the prompt; empty if it has none.
    pub file: String,
    /// A label for error messages: `cbl/X.cbl chunk 2/5 (lines 1-80)`.
    pub about: String,
    /// Tokens of the prompt, as counted.
    pub prompt_tokens: u64,
    /// The most that the call can cost.
    #[serde(with = "crate::money::units")]
    pub most: Money,
}

/// A finished call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedCall {
    /// The key of the call. A call number alone is not unique: a state folder restored from a backup assigns the same numbers again.
    pub key: AnswerKey,
    /// The answer, or that the prompt was too long; otherwise an error message.
    pub result: Result<CallOutcome, String>,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// The cost, or the possible cost if no answer came.
    #[serde(with = "crate::money::units")]
    pub cost: Money,
}

/// Stores answers and calls.
pub trait CallLog: Send + Sync + fmt::Debug {
    /// Returns the first answer stored under this key after position `since`; 0 is before all answers.
    ///
    /// # Errors
    /// [`CallLogError`] when the log cannot be read, or its contents are not what was stored.
    fn find_answer(&self, key: AnswerKey, since: u64) -> CallLogFuture<'_, Option<CallOutcome>>;

    /// Records a call that is about to be sent, and returns its number.
    fn record_call(&self, call: NewCall) -> CallLogFuture<'_, u64>;

    /// Records the outcome of a call, and returns the outcome now stored under its key. If two identical calls ran at the same time, that is the
    /// first answer. `since` is as in [`find_answer`](CallLog::find_answer).
    fn record_outcome(&self, call: u64, ended: FinishedCall, since: u64) -> CallLogFuture<'_, Option<CallOutcome>>;
}

/// A failure of the call log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallLogError {
    /// The consequence for the run.
    pub kind: CallLogErrorKind,
    /// What failed, with the file if there is one.
    pub message: String,
}

/// The consequence of a failure for the calls of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallLogErrorKind {
    /// The data on disk is damaged: no further call.
    Damaged,
    /// The log cannot be read or written at the moment: no further call.
    Unwritable,
    /// This call must not be sent; others may be.
    Refused,
    /// No further call must be sent, for this reason.
    Stopped(StopReason),
}
