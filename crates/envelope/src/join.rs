//! Joining pieces into an envelope.

use crate::collector::{Collector, CollectorLimits, PieceError, PieceStatus};
use crate::wire::{Piece, PieceGroup, PieceInfo, layout};
use crate::{Envelope, Payload, PayloadError, PayloadKind};
use bytes::{Bytes, BytesMut};
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// Why pieces do not make an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// A piece does not match its hash.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// Pieces are missing.
    #[error("pieces are missing: {}", ranges(missing))]
    Missing {
        /// The missing indices, from 0. Empty if there was no piece at all.
        missing: Vec<RangeInclusive<u32>>,
    },
    /// There are pieces of more than one envelope.
    #[error("there are pieces of more than one envelope")]
    MixedEnvelopes,
}

/// All pieces are there, but they are not those that the envelope was split into.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntegrityError {
    /// The pieces were cut differently: one was replaced.
    #[error("the pieces are not the ones that the envelope was split into")]
    Layout,
    /// A piece lacks the brackets of a JSON piece.
    #[error("piece {index} has not the brackets of a piece of JSON")]
    Brackets {
        /// The index of the piece, from 0.
        index: u32,
    },
    /// The joined payload differs from the original.
    #[error("the joined payload is not the one that was split")]
    Payload,
    /// The payload does not match the kind that the envelope declares.
    #[error(transparent)]
    Kind(#[from] PayloadError),
    /// The overlap is longer than the payload.
    #[error("the part shows {overlap} bytes again, and has {bytes}")]
    Part {
        /// The declared overlap.
        overlap: usize,
        /// The bytes of the payload.
        bytes: usize,
    },
}

/// Joins the pieces of one envelope, in any order; duplicates are allowed.
///
/// Use a [`Collector`] if pieces of several envelopes arrive interleaved.
///
/// # Errors
/// [`JoinError`] for pieces that are missing, foreign or do not match their hash. The payload returned is always the one that was split.
pub fn join(pieces: impl IntoIterator<Item = Piece>) -> Result<Envelope, JoinError> {
    let caps = CollectorLimits { groups: 2, bytes: usize::MAX, timeout: Duration::MAX };
    let mut collector = Collector::new(caps);
    let mut whole = None;
    for piece in pieces {
        match collector.push(piece, Duration::ZERO) {
            Ok(PieceStatus::Complete(envelope)) if whole.is_none() => whole = Some(*envelope),
            // An envelope in one piece may also come several times.
            Ok(PieceStatus::Complete(envelope)) if whole.as_ref() == Some(&envelope) => {}
            Ok(PieceStatus::Complete(_)) => return Err(JoinError::MixedEnvelopes),
            Ok(PieceStatus::Incomplete { .. } | PieceStatus::Duplicate | PieceStatus::AlreadyComplete { .. }) => {}
            Err(refused) => return Err(refused.into()),
        }
        if collector.pending_count() + usize::from(whole.is_some()) > 1 {
            return Err(JoinError::MixedEnvelopes);
        }
    }
    match (whole, collector.expire(Duration::MAX).pop()) {
        (Some(envelope), _) => Ok(envelope),
        (None, begun) => {
            let missing = begun.map(|begun| begun.missing).unwrap_or_default();
            Err(JoinError::Missing { missing })
        }
    }
}

/// Joins the payloads of pieces in order, and verifies them against the group's description.
pub(crate) fn joined(group: &PieceGroup, pieces: Vec<(PieceInfo, Bytes)>) -> Result<Bytes, IntegrityError> {
    if layout(pieces.iter().map(|(share, _)| *share)) != group.layout {
        return Err(IntegrityError::Layout);
    }
    let bytes: usize = pieces.iter().map(|(_, payload)| payload.len()).sum();
    let mut whole = BytesMut::with_capacity(bytes);
    for (share, payload) in pieces {
        match group.cut {
            PayloadKind::Bytes | PayloadKind::Text => whole.extend_from_slice(&payload),
            PayloadKind::Json => {
                let own = unwrapped(&payload, share.index, group.total);
                if share.index > 0 {
                    whole.extend_from_slice(b",");
                }
                whole.extend_from_slice(own.ok_or(IntegrityError::Brackets { index: share.index })?);
            }
        }
    }
    if whole.len() != group.length || ContentHash::of(&whole) != group.whole {
        return Err(IntegrityError::Payload);
    }
    Ok(whole.freeze())
}

/// Returns the envelope with its payload, after validating the payload's kind.
pub(crate) fn filled(envelope: Envelope, kind: PayloadKind, payload: Bytes) -> Result<Envelope, IntegrityError> {
    let payload = Payload::new(kind, payload)?;
    if let Some(part) = envelope.part.as_ref().filter(|part| part.overlap() > payload.len()) {
        return Err(IntegrityError::Part { overlap: part.overlap(), bytes: payload.len() });
    }
    Ok(Envelope { payload, ..envelope })
}

/// Formats indices for an error message: a few of them.
pub(crate) fn ranges(missing: &[RangeInclusive<u32>]) -> String {
    const TOLD: usize = 8;
    if missing.is_empty() {
        return "all".to_owned();
    }
    let one = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    };
    let told: Vec<_> = missing.iter().take(TOLD).map(one).collect();
    let more = if missing.len() > TOLD { " and others" } else { "" };
    format!("{}{more}", told.join(", "))
}

/// Strips the brackets that the split added from a piece of JSON.
fn unwrapped(payload: &[u8], index: u32, total: u32) -> Option<&[u8]> {
    let opened = match index {
        0 => payload,
        _ => payload.strip_prefix(b"[").or_else(|| payload.strip_prefix(b"{"))?,
    };
    if index + 1 == total {
        return Some(opened);
    }
    opened.strip_suffix(b"]").or_else(|| opened.strip_suffix(b"}"))
}

/// Forged headers can match each other but not the payload: in these tests every hash is right except for the one error to detect.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{self, ENVELOPE_HASH};
    use crate::{EnvelopeId, PartPosition, TraceContext};

    fn envelope() -> Envelope {
        let trace = TraceContext::new([1; 16], [2; 8]).unwrap();
        let id = EnvelopeId::new("e1").unwrap();
        Envelope::new(id, "a", "b", "job", Payload::bytes(""), trace)
    }

    /// Creates pieces with these payloads, which claim to make this whole and have the given layout, or else their own.
    fn pieces(
        (kind, cut): (PayloadKind, PayloadKind),
        payloads: &[&'static str],
        whole: &str,
        layout: Option<ContentHash>,
    ) -> Vec<Piece> {
        let envelope = envelope();
        let shares: Vec<PieceInfo> = (0..)
            .zip(payloads)
            .map(|(index, payload)| PieceInfo { index, hash: ContentHash::of(payload.as_bytes()) })
            .collect();
        let description = wire::description(&envelope, kind);
        let group = PieceGroup {
            total: payloads.len() as u32,
            cut,
            whole: ContentHash::of(whole.as_bytes()),
            length: whole.len(),
            layout: layout.unwrap_or_else(|| wire::layout(shares.iter().copied())),
        };
        let chunk = wire::chunk_id(wire::identity(&description, group.whole), &group);
        let headers = wire::group_headers(description, envelope.trace, chunk, &group);
        let piece = |(payload, share): (&&'static str, &PieceInfo)| Piece {
            headers: wire::piece_headers(&headers, envelope.trace, chunk, share),
            payload: Bytes::from_static(payload.as_bytes()),
        };
        payloads.iter().zip(&shares).map(piece).collect()
    }

    /// Creates an envelope in one piece, of this kind.
    fn single(envelope: &Envelope, kind: PayloadKind, payload: &'static [u8]) -> Piece {
        let mut headers = wire::description(envelope, kind);
        let identity = wire::identity(&headers, ContentHash::of(payload));
        headers.push((ENVELOPE_HASH.to_owned(), identity.to_string()));
        Piece { headers, payload: Bytes::from_static(payload) }
    }

    /// Returns why the pieces do not make an envelope.
    fn wrong(pieces: Vec<Piece>) -> IntegrityError {
        let error = join(pieces).unwrap_err();
        let JoinError::Piece(PieceError::Integrity { source, .. }) = error else { panic!("{error}") };
        source
    }

    const TEXT: (PayloadKind, PayloadKind) = (PayloadKind::Text, PayloadKind::Text);
    const JSON: (PayloadKind, PayloadKind) = (PayloadKind::Json, PayloadKind::Json);

    #[test]
    fn pieces_that_are_made_as_they_must_be_are_joined() {
        let text = join(pieces(TEXT, &["one two ", "three"], "one two three", None)).unwrap();
        assert_eq!(text.payload, Payload::text("one two three").unwrap());
        let json = join(pieces(JSON, &["[1]", "[2]", "[3]"], "[1,2,3]", None)).unwrap();
        assert_eq!(json.payload, Payload::json("[1,2,3]").unwrap());
        let one = join([single(&envelope(), PayloadKind::Text, b"one")]).unwrap();
        assert_eq!(one.payload, Payload::text("one").unwrap());
    }

    #[test]
    fn a_layout_that_is_not_that_of_the_pieces_is_known() {
        let layout = Some(ContentHash::of(b"another"));
        assert_eq!(wrong(pieces(TEXT, &["one ", "two"], "one two", layout)), IntegrityError::Layout);
    }

    #[test]
    fn a_piece_of_json_without_its_brackets_is_known() {
        for (payloads, index) in
            [(["[1", "[2]", "[3]"], 0), (["[1]", "2]", "[3]"], 1), (["[1]", "[2", "[3]"], 1), (["[1]", "[2]", "3]"], 2)]
        {
            assert_eq!(wrong(pieces(JSON, &payloads, "[1,2,3]", None)), IntegrityError::Brackets { index });
        }
    }

    #[test]
    fn another_whole_than_the_one_that_was_said_is_known() {
        for whole in ["one twx", "one tw"] {
            assert_eq!(wrong(pieces(TEXT, &["one ", "two"], whole, None)), IntegrityError::Payload);
        }
    }

    #[test]
    fn a_payload_that_is_not_of_the_kind_that_is_said_is_known() {
        let kind = |piece| matches!(wrong(vec![piece]), IntegrityError::Kind(_));
        assert!(kind(single(&envelope(), PayloadKind::Text, &[0xff, 0xfe])));
        assert!(kind(single(&envelope(), PayloadKind::Json, b"{\"a\":")));
        let cut = (PayloadKind::Json, PayloadKind::Bytes);
        assert!(matches!(wrong(pieces(cut, &["[1,", "2"], "[1,2", None)), IntegrityError::Kind(_)));
    }

    #[test]
    fn a_part_that_shows_more_again_than_it_has_is_known() {
        let part = |overlap| PartPosition { whole: EnvelopeId::new("e0").unwrap(), number: 2, total: 2, overlap };
        let piece = |overlap| single(&Envelope { part: Some(part(overlap)), ..envelope() }, PayloadKind::Text, b"one");
        assert!(join([piece(3)]).is_ok());
        assert_eq!(wrong(vec![piece(4)]), IntegrityError::Part { overlap: 4, bytes: 3 });
    }
}
