//! An envelope of which pieces are missing.

use super::ExpiredGroup;
use crate::wire::{PieceGroup, PieceInfo, description, headers_len};
use crate::{Envelope, PayloadKind};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// What a group takes beside its headers and pieces: itself, the first leaf of its tree of pieces, and its places in the collector's tables, which may be half empty.
const GROUP_OVERHEAD: usize = 3 * 1024;

/// What a header takes beside its bytes: its place in a list that may be half empty, and what the allocator adds to its name and its value.
const HEADER_OVERHEAD: usize = size_of::<(String, String)>() * 2 + 64;

/// What a piece takes beside its payload: its place in a tree whose leaves may be half empty.
pub(super) const PIECE_OVERHEAD: usize = 256;

/// An envelope that is waited for.
#[derive(Debug)]
pub(super) struct PendingEnvelope {
    /// With no payload yet.
    pub(super) envelope: Envelope,
    pub(super) kind: PayloadKind,
    pub(super) group: PieceGroup,
    /// By index.
    pub(super) pieces: BTreeMap<u32, (PieceInfo, Bytes)>,
    /// When its first piece came.
    pub(super) since: Duration,
    /// Which group of the collector it is, in the order in which they began.
    pub(super) number: u64,
    /// What it takes, as it is counted.
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
        // Twice, because a text may have room to grow.
        let headers = headers_len(&headers) * 2 + headers.len() * HEADER_OVERHEAD;
        let mut begun = Self {
            envelope,
            kind,
            group,
            pieces: BTreeMap::new(),
            since,
            number,
            bytes: GROUP_OVERHEAD + headers,
        };
        begun.add(share, payload);
        begun
    }

    /// Adds a piece and says what it takes.
    ///
    /// The payload is copied: what comes off a connection is often a part of a large buffer, and would keep all of that.
    pub(super) fn add(&mut self, share: PieceInfo, payload: Bytes) -> usize {
        let more = payload.len() + PIECE_OVERHEAD;
        self.pieces.insert(share.index, (share, Bytes::copy_from_slice(&payload)));
        self.bytes += more;
        more
    }

    /// How many pieces have come.
    pub(super) fn have(&self) -> u32 {
        self.pieces.len() as u32
    }

    /// What it takes when all pieces have come, by what it says of itself; its pieces may have more, of which each is counted when it comes.
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
