//! Why a request has no reply.

use war_rig_envelope::SplitError;

/// The error for a request without a reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no reply to `{message_type}` from `{subject}`: {kind}")]
pub struct RequestError {
    /// The subject of the request.
    pub subject: String,
    /// The type of the request.
    pub message_type: String,
    /// The reason.
    pub kind: RequestErrorKind,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestErrorKind {
    /// There was no connection to the broker until the timeout.
    #[error("there is no connection to the broker")]
    NoConnection,
    /// Nobody listened on the subject until the timeout.
    #[error("nobody listens")]
    NobodyListens,
    /// Somebody listens but has not answered in time.
    #[error("no answer in time")]
    NoReply,
    /// The request was handled, but its reply was dropped before it arrived.
    #[error("it was handled, but the reply was lost")]
    ReplyLost,
    /// The other side refused a piece of the request.
    #[error("the other side refused it: {0}")]
    Refused(Refusal),
    /// The envelope cannot be sent.
    #[error("the request cannot be sent: {0}")]
    Unsendable(SplitError),
    /// The subject is invalid.
    #[error("that is no subject")]
    Subject,
    /// A request with the same id already waits.
    #[error("a request of the same id waits for its reply")]
    Twice,
    /// The connection was closed.
    #[error("the connection was closed")]
    Closed,
}

/// Why the other side refused a piece of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The reason, in one line.
    pub reason: String,
    /// Whether it is refused as often as it is sent. Any other refusal is reported only if the request is still without a reply at its timeout.
    pub is_final: bool,
}

impl RequestError {
    pub(super) fn new(subject: &str, message_type: &str, kind: RequestErrorKind) -> Self {
        Self { subject: subject.to_owned(), message_type: message_type.to_owned(), kind }
    }

    /// Whether the request may have been received although no reply came. The connection may have been lost afterwards.
    pub fn may_have_been_received(&self) -> bool {
        self.is_transient() && !matches!(self.kind, RequestErrorKind::NobodyListens)
    }

    /// Whether a later attempt may succeed.
    pub fn is_transient(&self) -> bool {
        match &self.kind {
            RequestErrorKind::NoConnection | RequestErrorKind::NobodyListens | RequestErrorKind::NoReply => true,
            RequestErrorKind::Refused(refusal) => !refusal.is_final,
            RequestErrorKind::ReplyLost
            | RequestErrorKind::Unsendable(_)
            | RequestErrorKind::Subject
            | RequestErrorKind::Twice
            | RequestErrorKind::Closed => false,
        }
    }
}

/// Why an envelope was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SendError {
    /// The server's limit has shrunk since the pieces were cut. Cut again, they fit.
    LimitShrank,
    /// There is currently no connection.
    NoConnection,
    /// The envelope cannot be cut.
    Split(SplitError),
    /// The subject is invalid.
    Subject,
    /// The connection was closed.
    Closed,
}

impl SendError {
    /// Whether the next attempt may succeed.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            SendError::LimitShrank | SendError::NoConnection => true,
            SendError::Split(_) | SendError::Subject | SendError::Closed => false,
        }
    }
}

impl From<SendError> for RequestErrorKind {
    fn from(error: SendError) -> Self {
        match error {
            SendError::LimitShrank | SendError::NoConnection => RequestErrorKind::NoConnection,
            SendError::Split(error) => RequestErrorKind::Unsendable(error),
            SendError::Subject => RequestErrorKind::Subject,
            SendError::Closed => RequestErrorKind::Closed,
        }
    }
}
