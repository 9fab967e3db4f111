//! The wire format of an envelope or a piece: headers and a payload.
//!
//! Every piece carries the envelope's description in a fixed form. A hash over that description and the whole payload is the envelope's *identity*.
//! An envelope in one piece carries its identity; one in several pieces carries the hash of its payload, and each piece's chunk id is derived from
//! the identity and from how the payload was cut. So a piece with any changed header is detected alone, before anything of it is stored.

mod header_names;
mod parse;

pub(crate) use header_names::*;
pub use parse::WireError;
pub(crate) use parse::{MessageForm, ParsedMessage, open};

use crate::headers::is_value;
use crate::trace::digits;
use crate::{Envelope, MAX_NAME_LEN, PayloadKind, TraceContext};
use bytes::Bytes;
use std::fmt;
use war_rig_text::{ContentHash, ContentHasher};

/// A message as it is sent: an envelope, or a piece of one.
#[derive(Clone, PartialEq, Eq)]
pub struct Piece {
    /// Names and values. Their order means nothing.
    pub headers: Vec<(String, String)>,
    /// The payload bytes.
    pub payload: Bytes,
}

impl Piece {
    /// Returns the bytes that NATS counts against its message limit: headers in their wire format, and payload.
    pub fn wire_len(&self) -> usize {
        headers_len(&self.headers) + self.payload.len()
    }
}

/// Shows only the header names and the size: the content does not belong in logs.
impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        write!(f, "Piece({names:?}, {} bytes)", self.payload.len())
    }
}

/// The maximum number of pieces of an envelope.
pub const MAX_PIECES: u32 = 65_536;

/// What all pieces of an envelope share besides its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceGroup {
    /// The number of pieces, at least two.
    pub(crate) total: u32,
    /// How the payload was cut: JSON between elements or members, each piece wrapped in brackets that are not part of the payload; text between
    /// lines, words or characters; bytes anywhere.
    pub(crate) cut: PayloadKind,
    /// The hash of the whole payload, and its bytes.
    pub(crate) whole: ContentHash,
    pub(crate) length: usize,
    /// The hash over the hashes of all pieces: the same payload cut differently is another group.
    pub(crate) layout: ContentHash,
}

/// The description of one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceInfo {
    /// From 0.
    pub(crate) index: u32,
    /// The hash of its payload.
    pub(crate) hash: ContentHash,
}

/// An invalid name in an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {field} `{value}` is no name of 1 to {MAX_NAME_LEN} bytes without control characters")]
pub struct InvalidName {
    /// The field of the envelope.
    pub field: &'static str,
    /// The value of the field.
    pub value: String,
}

/// Returns the headers that describe an envelope except for its payload, in a fixed order.
pub(crate) fn description(envelope: &Envelope, kind: PayloadKind) -> Vec<(String, String)> {
    let mut headers = vec![(ENVELOPE_ID.to_owned(), envelope.id.to_string())];
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    if let Some(id) = &envelope.correlation_id {
        add(CORRELATION_ID, id.to_string());
    }
    add(SOURCE, envelope.source.clone());
    add(DESTINATION, envelope.destination.clone());
    add(MESSAGE_TYPE, envelope.message_type.clone());
    add(PAYLOAD_KIND, kind.as_str().to_owned());
    add(TRACEPARENT, envelope.trace.to_string());
    if let Some(part) = &envelope.part {
        add(PART, format!("{}/{}", part.number, part.total));
        add(PART_OF, part.whole.to_string());
        add(PART_OVERLAP, part.overlap.to_string());
    }
    envelope.headers.iter().for_each(|(name, value)| add(name, value.to_owned()));
    headers
}

/// Verifies the names in an envelope.
pub(crate) fn check_names(envelope: &Envelope) -> Result<(), InvalidName> {
    let fields = [
        ("source", &envelope.source),
        ("destination", &envelope.destination),
        ("message type", &envelope.message_type),
    ];
    match fields.into_iter().find(|(_, value)| !is_field(value)) {
        Some((field, value)) => Err(InvalidName { field, value: crate::headers::told(value) }),
        None => Ok(()),
    }
}

/// Whether a text is a valid source, destination or message type.
pub(crate) fn is_field(value: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&value.len()) && is_value(value)
}

/// Hashes a description and the hash of the whole payload.
pub(crate) fn identity(description: &[(String, String)], whole: ContentHash) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.update(b"war-rig envelope 1");
    for text in description.iter().flat_map(|(name, value)| [name, value]) {
        // Includes the lengths, otherwise `a` and `bc` would equal `ab` and `c`.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(whole.as_bytes());
    hasher.hash()
}

/// Returns the id of the group of an envelope's pieces.
pub(crate) fn chunk_id(identity: ContentHash, group: &PieceGroup) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.update(b"war-rig chunks 1");
    hasher.update(identity.as_bytes());
    hasher.update(group.cut.as_str().as_bytes());
    hasher.update(&u64::from(group.total).to_le_bytes());
    hasher.update(&(group.length as u64).to_le_bytes());
    hasher.update(group.layout.as_bytes());
    hasher.hash()
}

/// Returns the layout of pieces in order.
pub(crate) fn layout(shares: impl IntoIterator<Item = PieceInfo>) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.update(b"war-rig layout 1");
    for share in shares {
        hasher.update(share.hash.as_bytes());
        // Pieces of text could once repeat text, this many bytes of it.
        hasher.update(&0_u64.to_le_bytes());
    }
    hasher.hash()
}

/// Returns the span of a piece: derived, so that a resent piece has the same span.
pub(crate) fn span(trace: TraceContext, chunk: ContentHash, index: u32) -> TraceContext {
    let mut hasher = ContentHasher::default();
    hasher.update(chunk.as_bytes());
    hasher.update(&index.to_le_bytes());
    let mut id: [u8; 8] = *hasher.hash().as_bytes().first_chunk().expect("a hash has 32 bytes");
    // A span id must not be all zeros.
    id[7] |= u8::from(id == [0; 8]);
    trace.child(id).expect("the id is not all zeros")
}

/// Returns the headers that all pieces of a group share.
pub(crate) fn group_headers(
    description: Vec<(String, String)>,
    trace: TraceContext,
    chunk: ContentHash,
    group: &PieceGroup,
) -> Vec<(String, String)> {
    let mut headers = description;
    // Each piece is its own span in the same trace.
    headers.retain(|(name, _)| name != TRACEPARENT);
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    add(ENVELOPE_SPAN, trace.span_id().iter().map(|byte| format!("{byte:02x}")).collect());
    add(CHUNK_ID, chunk.to_string());
    add(CHUNK_TOTAL, group.total.to_string());
    add(CHUNK_WHOLE, group.whole.to_string());
    add(CHUNK_LENGTH, group.length.to_string());
    add(CHUNK_LAYOUT, group.layout.to_string());
    add(CHUNK_STRATEGY, group.cut.as_str().to_owned());
    headers
}

/// Returns the headers of one piece: those of its group and its own.
pub(crate) fn piece_headers(
    of_group: &[(String, String)],
    trace: TraceContext,
    chunk: ContentHash,
    share: &PieceInfo,
) -> Vec<(String, String)> {
    let mut headers = Vec::with_capacity(of_group.len() + OWN_HEADERS);
    headers.extend_from_slice(of_group);
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    add(TRACEPARENT, span(trace, chunk, share.index).to_string());
    add(CHUNK_INDEX, share.index.to_string());
    add(CHUNK_HASH, share.hash.to_string());
    headers
}

/// Returns the wire length of headers in NATS: a line for the version, one for each header, and an empty one.
pub(crate) fn headers_len(headers: &[(String, String)]) -> usize {
    let lines: usize = headers.iter().map(|(name, value)| name.len() + ": ".len() + value.len() + 2).sum();
    "NATS/1.0\r\n".len() + lines + 2
}

/// Parses a hash in a header: 64 lower case digits.
pub(crate) fn hash_of(text: &str) -> Option<ContentHash> {
    digits::<32>(text).map(ContentHash::from)
}
