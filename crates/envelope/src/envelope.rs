//! The envelope.

use crate::{EnvelopeHeaders, EnvelopeId, Payload, TraceContext};

/// A message from one agent to another.
///
/// Source, destination and message type are names of 1 to [`MAX_NAME_LEN`] bytes without control characters; [`split`](crate::split) refuses others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The unique id.
    pub id: EnvelopeId,
    /// The envelope that this one answers or belongs to.
    pub correlation_id: Option<EnvelopeId>,
    /// The sender.
    pub source: String,
    /// The receiver.
    pub destination: String,
    /// The type of the message, as agreed by sender and receiver.
    pub message_type: String,
    /// The content.
    pub payload: Payload,
    /// The sender's headers.
    pub headers: EnvelopeHeaders,
    /// The trace context.
    pub trace: TraceContext,
    /// The position in another envelope; none for a whole envelope.
    pub part: Option<PartPosition>,
}

/// The maximum bytes of a source, a destination and a message type.
pub const MAX_NAME_LEN: usize = 256;

/// The position of a part in its whole envelope. The receiver handles parts one by one, and their answers are merged.
///
/// Only [`route`](crate::route) creates them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartPosition {
    pub(crate) whole: EnvelopeId,
    pub(crate) number: u32,
    pub(crate) total: u32,
    pub(crate) overlap: usize,
}

impl PartPosition {
    /// Returns the id of the whole envelope.
    pub fn whole_id(&self) -> &EnvelopeId {
        &self.whole
    }

    /// Returns the number of this part, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the total number of parts.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Returns how many bytes at the beginning of the payload repeat the part before, as context. At most the payload's length.
    pub fn overlap(&self) -> usize {
        self.overlap
    }
}

impl Envelope {
    /// Creates a whole envelope without headers that answers no other.
    pub fn new(
        id: EnvelopeId,
        source: impl Into<String>,
        destination: impl Into<String>,
        message_type: impl Into<String>,
        payload: Payload,
        trace: TraceContext,
    ) -> Self {
        Self {
            id,
            correlation_id: None,
            source: source.into(),
            destination: destination.into(),
            message_type: message_type.into(),
            payload,
            headers: EnvelopeHeaders::new(),
            trace,
            part: None,
        }
    }
}
