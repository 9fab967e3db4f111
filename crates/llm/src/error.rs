//! What can become of a call, and what is done about it.

use crate::dialect::RequestFeature;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Why a call brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// What it was.
    pub kind: CallErrorKind,
    /// What the server or the network said, on one line, without keys.
    pub message: String,
}

impl CallError {
    /// An error of a kind.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The kinds of errors, by what is to be done about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallErrorKind {
    /// The key is refused: 401, 403.
    Authentication,
    /// The quota or the money at the provider is used up: 402, and 429 that says so.
    Quota,
    /// The server has no such model, or no such address.
    UnknownModel,
    /// Too many requests or tokens: 429.
    RateLimited {
        /// How long the server asks to wait, where it says so in a way that can be read.
        retry_after: Option<Duration>,
    },
    /// No connection, or one that ended before an answer began.
    Unreachable {
        /// Whether the request may have reached the server.
        was_sent: bool,
    },
    /// The server failed: 408, 5xx.
    ServerFailed {
        /// How long it asks to wait.
        retry_after: Option<Duration>,
        /// Whether the model may have begun to answer.
        has_begun: bool,
    },
    /// Something came, and it was no whole answer: it paused, was cut off, is too large, or no JSON.
    BrokenAnswer,
    /// No whole answer came, its headers included, in all the time that a call may take.
    TimedOut,
    /// The prompt and its answer are more than the model's window.
    ContextOverflow(ContextOverflow),
    /// The server does not take a part of the request.
    NotSupported(RequestFeature),
    /// A filter of the provider refuses this prompt; it may take the next.
    Filtered,
    /// Whatever else the server refuses: 4xx.
    Rejected,
}

/// What a server said of a prompt that is too long, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextOverflow {
    /// What the window holds.
    pub window: Option<u64>,
    /// What the server counted for the prompt.
    pub counted: Option<u64>,
}

/// What is done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing will help: the run stops.
    Stop(StopReason),
    /// All calls wait, then the same is sent again; no attempt is counted.
    Wait(Option<Duration>),
    /// The same is sent again, and the provider may be down.
    RetryOutage(Option<Duration>),
    /// The same is sent again.
    Retry,
    /// The same is sent once more: each time costs all the time that a call may take.
    RetryOnce,
    /// A smaller prompt is needed.
    Split(ContextOverflow),
    /// The request is worded otherwise.
    Adapt(RequestFeature),
    /// This call has failed, and says nothing of the others.
    Fail,
    /// This call was refused, as others may be.
    Refuse,
}

impl CallErrorKind {
    /// The one place that says what is retried, stopped or split.
    pub(crate) fn remedy(self) -> Remedy {
        match self {
            CallErrorKind::Authentication => Remedy::Stop(StopReason::Authentication),
            CallErrorKind::Quota => Remedy::Stop(StopReason::Quota),
            CallErrorKind::UnknownModel => Remedy::Stop(StopReason::UnknownModel),
            CallErrorKind::RateLimited { retry_after } => Remedy::Wait(retry_after),
            CallErrorKind::Unreachable { .. } => Remedy::RetryOutage(None),
            CallErrorKind::ServerFailed { retry_after, .. } => Remedy::RetryOutage(retry_after),
            CallErrorKind::BrokenAnswer => Remedy::Retry,
            CallErrorKind::TimedOut => Remedy::RetryOnce,
            CallErrorKind::ContextOverflow(overflow) => Remedy::Split(overflow),
            CallErrorKind::NotSupported(feature) => Remedy::Adapt(feature),
            CallErrorKind::Filtered => Remedy::Fail,
            CallErrorKind::Rejected => Remedy::Refuse,
        }
    }
}

/// Why no further call is made in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The provider refuses the key.
    Authentication,
    /// The quota at the provider is used up.
    Quota,
    /// The provider does not know the model or the address.
    UnknownModel,
    /// The next call could cost more than may be spent.
    SpendCap,
    /// The provider does not answer, or asks for a longer wait than is allowed.
    Unavailable,
    /// The provider refuses every call, for a reason that stands in the settings.
    Configuration,
    /// The record of answers cannot be written.
    Record,
    /// What is on record is damaged.
    Damaged,
    /// The user has asked for it.
    Interrupted,
}

/// The end of all calls, with what was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StopError {
    /// Why.
    pub reason: StopReason,
    /// In words.
    pub message: String,
}

/// Why a prompt has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No further call is made in this run.
    #[error(transparent)]
    Stopped(#[from] StopError),
    /// The model's window does not hold it. The same is not to be asked again.
    #[error("the prompt is more than the model's window{}", in_words(.0))]
    Overflow(ContextOverflow),
    /// All attempts came to nothing.
    #[error("{0}")]
    Failed(String),
}

fn in_words(overflow: &ContextOverflow) -> String {
    match (overflow.counted, overflow.window) {
        (Some(counted), Some(window)) => format!(": {counted} tokens where {window} are held"),
        (None, Some(window)) => format!(" of {window} tokens"),
        (Some(counted), None) => format!(": {counted} tokens"),
        (None, None) => String::new(),
    }
}
