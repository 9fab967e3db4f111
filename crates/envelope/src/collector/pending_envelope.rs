//! An incomplete envelope.

use super::ExpiredGroup;
use crate::wire::{PieceGroup, PieceInfo, description, headers_len};
use crate::{Envelope, PayloadKind};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// The overhead of a group beside headers and pieces: the struct, the first leaf of its piece tree, and its entries in tables that may be half empty.
const GROUP_OVERHEAD: usize = 3 * 1024;

/// The overhead of a header beside its bytes: its entry in a list that may be half empty, and what the allocator adds to its name and its value.
const HEADER_OVERHEAD: usize = size_of::<(String, String)>() * 2 + 64;

/// The overhead of a piece beside its payload: its entry in a tree whose leaves may be half empty.
pub(super) const PIECE_OVERHEAD: usize = 256;

/// An envelope with missing pieces.
#[derive(Debug)]
pub(super) struct PendingEnvelope {
    /// The envelope without its payload.
    pub(super) envelope: Envelope,
    pub(super) kind: PayloadKind,
    pub(super) group: PieceGroup,
    /// The pieces by index.
    pub(super) pieces: BTreeMap<u32, (PieceInfo, Bytes)>,
    /// When its first piece came.
    pub(super) since: Duration,
    /// The sequence number of the group in the collector.
    pub(super) number: u64,
    /// The bytes that it occupies.
    pub(super) bytes: usize,
}

impl PendingEnvelope {
    pub(super) fn new(
        envelope: Envelope,
        kind: PayloadKind,
        group: PieceGroup,
        (share, payload): (PieceInfo, Bytes),
        since: Duration,
        number: u64,
    ) -> Self {
        let headers = description(&envelope, kind);
        // Twice, because a string may have spare capacity.
        let headers = headers_len(&headers) * 2 + headers.len() * HEADER_OVERHEAD;
        let mut begun =
            Self { envelope, kind, group, pieces: BTreeMap::new(), since, number, bytes: GROUP_OVERHEAD + headers };
        begun.add(share, payload);
        begun
    }

    /// Adds a piece and returns its bytes.
    ///
    /// Copies the payload, because a payload from a connection is often a slice of a large buffer that it would keep alive.
    pub(super) fn add(&mut self, share: PieceInfo, payload: Bytes) -> usize {
        let more = payload.len() + PIECE_OVERHEAD;
        self.pieces.insert(share.index, (share, Bytes::copy_from_slice(&payload)));
        self.bytes += more;
        more
    }

    /// Returns the number of pieces so far.
    pub(super) fn have(&self) -> u32 {
        self.pieces.len() as u32
    }

    /// Returns the bytes of the complete group by its own description; actual pieces may be larger, and each is counted when it comes.
    pub(super) fn at_most(&self) -> usize {
        let missing = (self.group.total - self.have()) as usize;
        let payload: usize = self.pieces.values().map(|(_, payload)| payload.len()).sum();
        let rest = self.group.length.saturating_sub(payload);
        self.bytes.saturating_add(missing * PIECE_OVERHEAD).saturating_add(rest)
    }

    pub(super) fn expired(self, group: ContentHash) -> ExpiredGroup {
        let mut missing: Vec<RangeInclusive<u32>> = Vec::new();
        let mut next = 0;
        for index in self.pieces.keys().copied().chain([self.group.total]) {
            if next < index {
                missing.push(next..=index - 1);
            }
            next = index + 1;
        }
        ExpiredGroup { id: self.envelope.id, group, missing, total: self.group.total }
    }
}
