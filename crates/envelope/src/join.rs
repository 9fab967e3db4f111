//! From pieces back to the envelope.

use crate::collector::{Caps, Collector, Refused, Taken};
use crate::wire::{Cut, Group, Piece, Share, layout};
use crate::{Envelope, Payload, PayloadError, PayloadKind};
use bytes::{Bytes, BytesMut};
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// Pieces that make no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// A piece is not what it says.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Pieces are missing.
    #[error("pieces are missing: {}", ranges(missing))]
    Missing {
        /// Their indices, from 0. Empty where there was no piece at all.
        missing: Vec<RangeInclusive<u32>>,
    },
    /// There are pieces of more than one envelope.
    #[error("there are pieces of more than one envelope")]
    Several,
}

/// All pieces are there, and they are not those that the envelope was split into.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongWhole {
    /// They were cut otherwise: one was put in place of another.
    #[error("the pieces are not the ones that the envelope was split into")]
    Layout,
    /// A piece is not closed as pieces of JSON are.
    #[error("piece {index} has not the brackets of a piece of JSON")]
    Brackets {
        /// Which one, from 0.
        index: u32,
    },
    /// What a piece shows again is not what stands before it.
    #[error("piece {index} shows again what does not stand before it")]
    Overlap {
        /// Which one, from 0.
        index: u32,
    },
    /// The joined payload is another one.
    #[error("the joined payload is not the one that was split")]
    Payload,
    /// The payload is not of the kind that the envelope says.
    #[error(transparent)]
    Kind(#[from] PayloadError),
    /// More of the payload is shown again than there is.
    #[error("the part shows {overlap} bytes again, and has {bytes}")]
    Part {
        /// What it says.
        overlap: usize,
        /// What it has.
        bytes: usize,
    },
}

/// Joins the pieces of one envelope, in any order; a piece may be there several times.
///
/// Where pieces of several envelopes come in as they like, a [`Collector`] is what is needed.
///
/// # Errors
/// [`JoinError`] for pieces that are missing, foreign or not what they say. Never another payload than the one that was split.
pub fn join(pieces: impl IntoIterator<Item = Piece>) -> Result<Envelope, JoinError> {
    let caps = Caps { groups: 2, bytes: usize::MAX, timeout: Duration::MAX };
    let mut collector = Collector::new(caps);
    let mut whole = None;
    for piece in pieces {
        match collector.take(piece, Duration::ZERO) {
            Ok(Taken::Whole(envelope)) if whole.is_none() => whole = Some(*envelope),
            // An envelope in one piece may come several times as well.
            Ok(Taken::Whole(envelope)) if whole.as_ref() == Some(&envelope) => {}
            Ok(Taken::Whole(_)) => return Err(JoinError::Several),
            Ok(Taken::Waiting { .. } | Taken::Duplicate | Taken::Completed { .. }) => {}
            Err(refused) => return Err(refused.into()),
        }
        if collector.waiting() + usize::from(whole.is_some()) > 1 {
            return Err(JoinError::Several);
        }
    }
    match (whole, collector.close().pop()) {
        (Some(envelope), _) => Ok(envelope),
        (None, begun) => {
            let missing = begun.map(|begun| begun.missing).unwrap_or_default();
            Err(JoinError::Missing { missing })
        }
    }
}

/// The payload of pieces in their order, held against what they say of the whole.
pub(crate) fn joined(group: &Group, pieces: Vec<(Share, Bytes)>) -> Result<Bytes, WrongWhole> {
    if layout(pieces.iter().map(|(share, _)| *share)) != group.layout {
        return Err(WrongWhole::Layout);
    }
    let bytes: usize = pieces.iter().map(|(_, payload)| payload.len()).sum();
    let mut whole = BytesMut::with_capacity(bytes);
    for (share, payload) in pieces {
        match group.cut {
            Cut::Bytes => whole.extend_from_slice(&payload),
            Cut::Text => {
                let (again, own) = payload.split_at_checked(share.overlap).unwrap_or((&payload, &[]));
                if !whole.ends_with(again) {
                    return Err(WrongWhole::Overlap { index: share.index });
                }
                whole.extend_from_slice(own);
            }
            Cut::Json => {
                let own = unwrapped(&payload, share.index, group.total);
                if share.index > 0 {
                    whole.extend_from_slice(b",");
                }
                whole.extend_from_slice(own.ok_or(WrongWhole::Brackets { index: share.index })?);
            }
        }
    }
    if whole.len() != group.length || ContentHash::of(&whole) != group.whole {
        return Err(WrongWhole::Payload);
    }
    Ok(whole.freeze())
}

/// The envelope with its payload, which has to be of its kind.
pub(crate) fn filled(envelope: Envelope, kind: PayloadKind, payload: Bytes) -> Result<Envelope, WrongWhole> {
    let payload = Payload::new(kind, payload)?;
    if let Some(part) = envelope.part.as_ref().filter(|part| part.overlap() > payload.len()) {
        return Err(WrongWhole::Part { overlap: part.overlap(), bytes: payload.len() });
    }
    Ok(Envelope { payload, ..envelope })
}

/// Indices as an error tells them: a few of them.
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

/// A piece of JSON without the brackets that the split added.
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
