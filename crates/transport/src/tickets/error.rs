//! Why the queue cannot be used.

use crate::broker::harmless;
use async_nats::jetstream::{self, ErrorCode};

/// Why something could not be done with the queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("broker `{address}`: cannot {doing}: {kind}")]
pub struct QueueError {
    /// The broker, without names and passwords.
    pub address: String,
    /// What was tried.
    pub doing: String,
    /// What was wrong.
    pub kind: QueueErrorKind,
}

/// What was wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueErrorKind {
    /// The server does not answer just now.
    #[error("there is no answer")]
    Unreachable,
    /// The stream or its consumer is not there: the server was wiped, or nobody has made them yet.
    #[error("there is no such stream or consumer")]
    Missing,
    /// The server runs without JetStream, or the account has none.
    #[error("the server has no JetStream for this account")]
    NoJetStream,
    /// The stream or the server has no room.
    #[error("there is no room: {0}")]
    Full(String),
    /// The server does not permit it to this user.
    #[error("the server does not permit it: {0}")]
    Refused(String),
    /// The stream or its consumer is there with other settings.
    #[error("its `{what}` is `{is}` and must be `{should}`")]
    Differs {
        /// The setting, as the server calls it.
        what: &'static str,
        /// What it is.
        is: String,
        /// What it must be.
        should: String,
    },
    /// Whatever else the server says.
    #[error("{0}")]
    Failed(String),
}

impl QueueError {
    /// What the user can do about it, where there is something.
    pub fn advice(&self) -> Option<&'static str> {
        match self.kind {
            QueueErrorKind::Unreachable => Some("see whether the broker runs: `war-rig doctor --broker URL`"),
            QueueErrorKind::Missing => None,
            QueueErrorKind::NoJetStream => {
                Some("start the server with `-js`, or enable JetStream for the account")
            }
            QueueErrorKind::Full(_) => Some("give the stream or the account more room"),
            QueueErrorKind::Refused(_) => {
                Some("give the user the permissions of its role: docs/nats-permissions.conf")
            }
            QueueErrorKind::Differs { .. } => Some(
                "delete the stream WAR_RIG_TICKETS_1 while no run is under way: it is made and filled anew",
            ),
            QueueErrorKind::Failed(_) => None,
        }
    }

    /// Whether the same may work a little later.
    pub fn may_pass(&self) -> bool {
        match self.kind {
            QueueErrorKind::Unreachable | QueueErrorKind::Missing | QueueErrorKind::Full(_) => true,
            QueueErrorKind::NoJetStream
            | QueueErrorKind::Refused(_)
            | QueueErrorKind::Differs { .. }
            | QueueErrorKind::Failed(_) => false,
        }
    }
}

/// What JetStream's own errors come to.
pub(super) fn of_jetstream(error: &jetstream::Error) -> QueueErrorKind {
    match error.error_code() {
        ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
            QueueErrorKind::NoJetStream
        }
        ErrorCode::STREAM_NOT_FOUND | ErrorCode::CONSUMER_NOT_FOUND => QueueErrorKind::Missing,
        ErrorCode::INSUFFICIENT_RESOURCES
        | ErrorCode::STORAGE_RESOURCES_EXCEEDED
        | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED => QueueErrorKind::Full(harmless(&error.to_string())),
        _ => QueueErrorKind::Failed(harmless(&error.to_string())),
    }
}

/// What the library hands on as words alone.
pub(super) fn of_words(said: &str) -> QueueErrorKind {
    let lower = said.to_lowercase();
    match () {
        () if lower.contains("maximum messages exceeded") || lower.contains("maximum bytes exceeded") => {
            QueueErrorKind::Full(harmless(said))
        }
        () if lower.contains("timed out") => QueueErrorKind::Unreachable,
        () if lower.contains("stream not found") || lower.contains("consumer not found") => {
            QueueErrorKind::Missing
        }
        () => QueueErrorKind::Failed(harmless(said)),
    }
}
