//! The envelope.

use crate::{EnvelopeHeaders, EnvelopeId, Payload, TraceContext};

/// A message from one agent to another.
///
/// Source, destination and message type are names of 1 to [`MAX_NAME_LEN`] bytes without control characters; [`split`](crate::split) refuses others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// What tells it from all others.
    pub id: EnvelopeId,
    /// The envelope that it answers or belongs to.
    pub correlation_id: Option<EnvelopeId>,
    /// Who sends it.
    pub source: String,
    /// Whom it is for.
    pub destination: String,
    /// What it is about, in the words of those two.
    pub message_type: String,
    /// What it says.
    pub payload: Payload,
    /// What the sender adds.
    pub headers: EnvelopeHeaders,
    /// The work that it belongs to.
    pub trace: TraceContext,
    /// Which part of another envelope it is; none for one that is whole.
    pub part: Option<PartPosition>,
}

/// The most bytes of a source, a destination and a message type.
pub const MAX_NAME_LEN: usize = 256;

/// Which part of another envelope an envelope is. Such parts are handled one by one, and what comes of them is merged.
///
/// [`route`](crate::route) makes them; another way there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartPosition {
    pub(crate) whole: EnvelopeId,
    pub(crate) number: u32,
    pub(crate) total: u32,
    pub(crate) overlap: usize,
}

impl PartPosition {
    /// The envelope that it is a part of.
    pub fn whole_id(&self) -> &EnvelopeId {
        &self.whole
    }

    /// Which one, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// How many bytes at the beginning of its payload the part before has as well, shown for understanding. At most those of the payload.
    pub fn overlap(&self) -> usize {
        self.overlap
    }
}

impl Envelope {
    /// An envelope without headers, that answers none and is whole.
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
