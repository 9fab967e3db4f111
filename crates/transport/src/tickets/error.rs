//! Why the queue cannot be used.

use crate::broker::harmless;
use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::stream::{ConsumerError, ConsumerErrorKind};
use async_nats::jetstream::{self, ErrorCode};

/// The error for a failed operation on the queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("broker `{address}`: cannot {doing}: {kind}")]
pub struct QueueError {
    /// The broker, without names and passwords.
    pub address: String,
    /// The operation.
    pub doing: String,
    /// The reason.
    pub kind: QueueErrorKind,
}

/// The reasons for a failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueErrorKind {
    /// The server currently does not answer.
    #[error("there is no answer")]
    Unreachable,
    /// The stream or its consumer does not exist: the server was wiped, or nobody has created them yet.
    #[error("there is no such stream or consumer")]
    Missing,
    /// The server runs without JetStream, or the account does not have it.
    #[error("the server has no JetStream for this account")]
    NoJetStream,
    /// The stream or the server is full.
    #[error("there is no room: {0}")]
    Full(String),
    /// The server does not permit the operation to this user.
    #[error("the server does not permit it: {0}")]
    Refused(String),
    /// The stream or its consumer exists with other settings.
    #[error("its `{what}` is `{is}` and must be `{should}`")]
    Differs {
        /// The setting, by the server's name for it.
        what: &'static str,
        /// Its actual value.
        is: String,
        /// Its required value.
        should: String,
    },
    /// Any other error from the server.
    #[error("{0}")]
    Failed(String),
}

impl QueueError {
    /// Returns what the user can do about it, if anything.
    pub fn advice(&self) -> Option<&'static str> {
        match self.kind {
            QueueErrorKind::Unreachable => Some("see whether the broker runs: `war-rig doctor --broker URL`"),
            QueueErrorKind::Missing => None,
            QueueErrorKind::NoJetStream => Some("start the server with `-js`, or enable JetStream for the account"),
            QueueErrorKind::Full(_) => Some("give the stream or the account more room"),
            QueueErrorKind::Refused(_) => Some("give the user the permissions of its role: docs/nats-permissions.conf"),
            QueueErrorKind::Differs { .. } => {
                Some("delete the stream WAR_RIG_TICKETS_1 while no run is under way: it is made and filled anew")
            }
            QueueErrorKind::Failed(_) => None,
        }
    }

    /// Whether a later attempt may succeed.
    pub fn is_transient(&self) -> bool {
        match self.kind {
            QueueErrorKind::Unreachable | QueueErrorKind::Missing | QueueErrorKind::Full(_) => true,
            QueueErrorKind::NoJetStream
            | QueueErrorKind::Refused(_)
            | QueueErrorKind::Differs { .. }
            | QueueErrorKind::Failed(_) => false,
        }
    }
}

/// Classifies JetStream's own errors.
pub(super) fn of_jetstream(error: &jetstream::Error) -> QueueErrorKind {
    match error.error_code() {
        ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => QueueErrorKind::NoJetStream,
        // A cluster that is electing a leader answers again in a moment.
        ErrorCode::CLUSTER_NOT_AVAILABLE | ErrorCode::CLUSTER_NOT_LEADER => QueueErrorKind::Unreachable,
        ErrorCode::STREAM_NOT_FOUND | ErrorCode::CONSUMER_NOT_FOUND => QueueErrorKind::Missing,
        ErrorCode::INSUFFICIENT_RESOURCES
        | ErrorCode::STORAGE_RESOURCES_EXCEEDED
        | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED => QueueErrorKind::Full(harmless(&error.to_string())),
        _ => QueueErrorKind::Failed(harmless(&error.to_string())),
    }
}

/// Classifies errors of the consumer; `unanswered` is the kind for a request without an answer.
pub(super) fn of_consumer(error: &ConsumerError, unanswered: impl FnOnce() -> QueueErrorKind) -> QueueErrorKind {
    match error.kind() {
        ConsumerErrorKind::TimedOut => unanswered(),
        // Any problem with a request, except a timeout.
        ConsumerErrorKind::Request => of_request(error, unanswered),
        ConsumerErrorKind::JetStream(error) => of_jetstream(&error),
        ConsumerErrorKind::InvalidConsumerType => {
            QueueErrorKind::Differs { what: "deliver_subject", is: "set".to_owned(), should: "none".to_owned() }
        }
        ConsumerErrorKind::InvalidName | ConsumerErrorKind::Other => of_words(&error.to_string()),
    }
}

/// Classifies the request error behind an error.
pub(super) fn of_request(
    error: &(dyn std::error::Error + 'static),
    unanswered: impl FnOnce() -> QueueErrorKind,
) -> QueueErrorKind {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(request) = error.downcast_ref::<RequestError>() {
            return match request.kind() {
                RequestErrorKind::NoResponders => QueueErrorKind::NoJetStream,
                RequestErrorKind::TimedOut => unanswered(),
                RequestErrorKind::InvalidSubject | RequestErrorKind::Other => of_words(&request.to_string()),
            };
        }
        at = error.source();
    }
    of_words(&error.to_string())
}

/// Classifies an error that the library reports only as text.
pub(super) fn of_words(said: &str) -> QueueErrorKind {
    let lower = said.to_lowercase();
    match () {
        () if lower.contains("maximum messages exceeded") || lower.contains("maximum bytes exceeded") => {
            QueueErrorKind::Full(harmless(said))
        }
        () if lower.contains("timed out") || lower.contains("temporarily unavailable") => QueueErrorKind::Unreachable,
        () if lower.contains("stream not found") || lower.contains("consumer not found") => QueueErrorKind::Missing,
        () => QueueErrorKind::Failed(harmless(said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(code: u64, description: &str) -> jetstream::Error {
        serde_json::from_value(json!({ "code": 503, "err_code": code, "description": description })).unwrap()
    }

    #[test]
    fn a_cluster_without_a_leader_may_answer_later() {
        let error = said(10_008, "JetStream system temporarily unavailable");
        assert_eq!(of_jetstream(&error), QueueErrorKind::Unreachable);
        assert_eq!(of_words(&error.to_string()), QueueErrorKind::Unreachable);
        let error = ConsumerError::new(ConsumerErrorKind::JetStream(error));
        assert_eq!(of_consumer(&error, || unreachable!()), QueueErrorKind::Unreachable);
        assert_eq!(of_jetstream(&said(10_009, "not the leader")), QueueErrorKind::Unreachable);
        assert!(matches!(of_jetstream(&said(10_052, "a limit")), QueueErrorKind::Failed(_)));
    }

    #[test]
    fn a_request_for_the_consumer_fails_for_many_reasons() {
        let of = |error: RequestError| of_consumer(&error.into(), || QueueErrorKind::Refused("no".to_owned()));
        assert_eq!(of(RequestErrorKind::NoResponders.into()), QueueErrorKind::NoJetStream);
        assert_eq!(of(RequestErrorKind::TimedOut.into()), QueueErrorKind::Refused("no".to_owned()));
        let unavailable = said(10_008, "JetStream system temporarily unavailable");
        let unavailable = RequestError::with_source(RequestErrorKind::Other, unavailable);
        assert_eq!(of(unavailable), QueueErrorKind::Unreachable);
        let unread = RequestError::with_source(RequestErrorKind::Other, "expected value at line 1");
        assert!(matches!(of(unread), QueueErrorKind::Failed(_)));
    }
}
