//! Call errors, and how the client reacts to each.

use crate::dialect::RequestFeature;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Why a call returned no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The kind of error.
    pub kind: CallErrorKind,
    /// The message of the server or the network, on one line, without keys.
    pub message: String,
}

impl CallError {
    /// Creates an error of the given kind.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The kinds of errors, by the reaction that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallErrorKind {
    /// The server refused the key: 401, 403.
    Authentication,
    /// The quota or credit at the provider is used up: 402, or 429 with a message that says so.
    Quota,
    /// The server has no such model or address.
    UnknownModel,
    /// Too many requests or tokens: 429.
    RateLimited {
        /// The wait that the server asks for, if it is readable.
        retry_after: Option<Duration>,
    },
    /// The connection failed, or ended before an answer began.
    Unreachable {
        /// Whether the request may have reached the server.
        was_sent: bool,
    },
    /// The server failed: 408, 5xx.
    ServerFailed {
        /// The wait that the server asks for.
        retry_after: Option<Duration>,
        /// Whether the model may have begun to answer.
        has_begun: bool,
    },
    /// The answer is incomplete or malformed: it stalled, was cut off, is too large, or is not JSON.
    BrokenAnswer,
    /// No complete answer, including headers, came within the total timeout of a call.
    TimedOut,
    /// The prompt and its answer exceed the model's window.
    ContextOverflow(ContextOverflow),
    /// The server does not support a part of the request.
    NotSupported(RequestFeature),
    /// A filter of the provider refused this prompt; it may accept the next.
    Filtered,
    /// Any other refusal: 4xx.
    Rejected,
}

/// A server's report about a prompt that is too long, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextOverflow {
    /// The size of the window.
    pub window: Option<u64>,
    /// The server's count of the prompt.
    pub counted: Option<u64>,
}

/// The reaction to an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Stops the run, because nothing will help.
    Stop(StopReason),
    /// Pauses all calls, then retries; this does not count as an attempt.
    Wait(Option<Duration>),
    /// Retries; the provider may be down.
    RetryOutage(Option<Duration>),
    /// Retries.
    Retry,
    /// Retries once: each attempt may take the total timeout of a call.
    RetryOnce,
    /// Asks for a smaller prompt.
    Split(ContextOverflow),
    /// Changes the request's dialect.
    Adapt(RequestFeature),
    /// Fails this call, which says nothing about the others.
    Fail,
    /// Fails this call; the server may refuse others as well.
    Refuse,
}

impl CallErrorKind {
    /// Returns the reaction. This is the only place that decides what is retried, stopped or split.
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

/// Why a run makes no further calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The provider refuses the key.
    Authentication,
    /// The quota at the provider is used up.
    Quota,
    /// The provider does not know the model or the address.
    UnknownModel,
    /// The next call could exceed the spend cap.
    SpendCap,
    /// The provider does not answer, or asks for a longer wait than allowed.
    Unavailable,
    /// The provider refuses every call because of a setting.
    Configuration,
    /// The call log or cassette cannot be written.
    Record,
    /// The recorded data is damaged.
    Damaged,
    /// The user interrupted the run.
    Interrupted,
    /// The call waits in a batch. Others may be made.
    Deferred,
}

/// The end of all calls, with its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StopError {
    /// The reason.
    pub reason: StopReason,
    /// The message.
    pub message: String,
}

/// Why a prompt has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No further call is made in this run.
    #[error(transparent)]
    Stopped(#[from] StopError),
    /// The prompt exceeds the model's window. Sending it again is useless.
    #[error("the prompt is more than the model's window{}", in_words(.0))]
    Overflow(ContextOverflow),
    /// All attempts failed.
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
