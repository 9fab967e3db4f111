//! Splitting large envelopes into pieces.
//!
//! However a payload is cut, its bytes are restored exactly. Pieces of JSON are readable JSON themselves: the raw text is cut at commas between
//! elements, and each piece is closed with brackets that the join removes.

mod json;
mod payload_span;
mod text;

pub(crate) use json::{CommaPositions, container, pointer};
pub(crate) use payload_span::PayloadSpan;
pub(crate) use text::{character_at_or_before, words};

use crate::wire::{self, ENVELOPE_HASH, InvalidName, Piece, PieceGroup, PieceInfo};
use crate::{Envelope, MAX_PIECES, PayloadKind};
use bytes::Bytes;
use war_rig_text::ContentHash;

/// The minimum size of a piece in bytes: two characters.
pub const MIN_PIECE_SIZE: usize = 8;

/// How a payload is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SplitStrategy {
    /// By the payload's kind: JSON between elements or members, or as bytes where that is impossible; text between lines; bytes anywhere.
    #[default]
    Auto,
    /// JSON between elements of the outermost array, or members of the outermost object.
    Json,
    /// Text, or JSON as plain text: after lines, else after words, else between characters.
    Text,
    /// Anywhere; but JSON and text never inside a character.
    Bytes,
}

impl SplitStrategy {
    /// Returns the strategy's name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Limits for pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// The maximum bytes of a piece's payload. An envelope whose payload fits is one piece.
    pub max_payload: usize,
    /// The maximum bytes of a whole message, headers included, as [`Piece::wire_len`] counts them; none for no limit.
    pub max_message: Option<usize>,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self { max_payload: crate::MAX_PAYLOAD_SIZE, max_message: None }
    }
}

/// Why an envelope cannot be split, or cannot be sent at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// A name in the envelope is invalid.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The piece size is too small.
    #[error("a piece may have {limit} bytes of payload, and must have room for {MIN_PIECE_SIZE}")]
    Limit {
        /// The room for a payload beside headers.
        limit: usize,
    },
    /// A single JSON element exceeds the piece size.
    #[error("the element `{element}` has {bytes} bytes with what closes it, and a piece may have {limit}")]
    Element {
        /// A JSON pointer to it.
        element: String,
        /// Its bytes, with the brackets around it and the blanks beside it.
        bytes: usize,
        /// The maximum bytes of a piece.
        limit: usize,
    },
    /// The strategy is JSON, but the payload is not an array or object.
    #[error("a payload of {0} is no JSON array or object, and cannot be split as one", kind.as_str())]
    NoContainer {
        /// The kind of the payload.
        kind: PayloadKind,
    },
    /// The strategy is text, but the payload is arbitrary bytes.
    #[error("a payload of bytes cannot be split as text")]
    NoText,
    /// The envelope needs too many pieces.
    #[error("more than {MAX_PIECES} pieces of {limit} bytes")]
    TooMany {
        /// The maximum bytes of a piece.
        limit: usize,
    },
}

/// Splits an envelope into pieces, in order: one piece if its payload fits. The same envelope, its trace included, is always split into the same
/// pieces, so that a resent envelope completes a partial group.
///
/// # Errors
/// [`SplitError`] for invalid names, a limit that is too low, an element that is too large and must not be cut, and more than [`MAX_PIECES`] pieces.
pub fn split(envelope: &Envelope, strategy: SplitStrategy, options: &SplitOptions) -> Result<Vec<Piece>, SplitError> {
    wire::check_names(envelope)?;
    let kind = envelope.payload.kind();
    let payload = envelope.payload.as_bytes();
    let description = wire::description(envelope, kind);
    let whole = ContentHash::of(payload);
    let identity = wire::identity(&description, whole);
    if payload.len() <= options.max_payload {
        let mut headers = description.clone();
        headers.push((ENVELOPE_HASH.to_owned(), identity.to_string()));
        let piece = Piece { headers, payload: payload.clone() };
        if options.max_message.is_none_or(|limit| piece.wire_len() <= limit) {
            return Ok(vec![piece]);
        }
    }
    let limit = limit(envelope, &description, options);
    if limit < MIN_PIECE_SIZE {
        return Err(SplitError::Limit { limit });
    }
    let (cut, stretches) = stretches(envelope, strategy, limit)?;
    let total = u32::try_from(stretches.len()).ok().filter(|total| *total <= MAX_PIECES);
    let total = total.ok_or(SplitError::TooMany { limit })?;
    let payloads: Vec<Bytes> = stretches.iter().map(|stretch| stretch.of(payload)).collect();
    let shares: Vec<PieceInfo> =
        (0..).zip(&payloads).map(|(index, payload)| PieceInfo { index, hash: ContentHash::of(payload) }).collect();
    let layout = wire::layout(shares.iter().copied());
    let group = PieceGroup { total, cut, whole, length: payload.len(), layout };
    let chunk = wire::chunk_id(identity, &group);
    let of_group = wire::group_headers(description, envelope.trace, chunk, &group);
    let piece = |(payload, share): (Bytes, PieceInfo)| Piece {
        headers: wire::piece_headers(&of_group, envelope.trace, chunk, &share),
        payload,
    };
    Ok(payloads.into_iter().zip(shares).map(piece).collect())
}

/// Returns the room for a piece's payload beside the longest headers that it may need; zero if there is none.
fn limit(envelope: &Envelope, description: &[(String, String)], options: &SplitOptions) -> usize {
    let Some(message) = options.max_message else { return options.max_payload };
    let hash = ContentHash::of(b"");
    let length = envelope.payload.len();
    let group = PieceGroup { total: MAX_PIECES, cut: PayloadKind::Bytes, whole: hash, length, layout: hash };
    let share = PieceInfo { index: MAX_PIECES, hash };
    let of_group = wire::group_headers(description.to_vec(), envelope.trace, hash, &group);
    let headers = wire::piece_headers(&of_group, envelope.trace, hash, &share);
    // Pieces of text once had a header with this name and a length. Its room stays reserved, so that every version cuts an envelope alike.
    let reserved = "X-Chunk-Overlap: \r\n".len() + length.max(1).to_string().len();
    options.max_payload.min(message.saturating_sub(wire::headers_len(&headers) + reserved))
}

/// Returns how the payload is cut, and where.
fn stretches(
    envelope: &Envelope,
    strategy: SplitStrategy,
    limit: usize,
) -> Result<(PayloadKind, Vec<PayloadSpan>), SplitError> {
    let kind = envelope.payload.kind();
    let text = envelope.payload.as_str();
    let anywhere = || {
        let stretches = match text {
            Some(text) => text::anywhere(text, limit),
            None => text::by_size(envelope.payload.len(), limit),
        };
        Ok((PayloadKind::Bytes, stretches))
    };
    let as_text = |text| Ok((PayloadKind::Text, text::stretches(text, limit)));
    match (strategy, kind, text) {
        (SplitStrategy::Auto | SplitStrategy::Json, PayloadKind::Json, Some(text)) => {
            match json::stretches(text, limit) {
                Ok(stretches) => Ok((PayloadKind::Json, stretches)),
                Err(_) if strategy == SplitStrategy::Auto => anywhere(),
                Err(error) => Err(error),
            }
        }
        (SplitStrategy::Json, ..) => Err(SplitError::NoContainer { kind }),
        (SplitStrategy::Auto, PayloadKind::Text, Some(text)) | (SplitStrategy::Text, _, Some(text)) => as_text(text),
        (SplitStrategy::Text, _, None) => Err(SplitError::NoText),
        (SplitStrategy::Auto, ..) | (SplitStrategy::Bytes, ..) => anywhere(),
    }
}
