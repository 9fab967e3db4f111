//! The ASCII tokens of an encoding, by which an ASCII piece is counted without loading the encoder.

use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::ops::Range;

/// The ASCII tokens of an encoding: a table of places in the list that the build script writes.
///
/// A token's place also is its priority, because the list is in the order of ranks: only the order decides which pair is merged first.
pub(crate) struct AsciiTokens {
    /// Each token after a byte with its length.
    list: &'static [u8],
    /// A power of two of slots, at most half of them full: where a token begins in the list, after its length; 0 is an empty slot.
    slots: Vec<u32>,
}

impl AsciiTokens {
    /// Indexes a list.
    pub(crate) fn new(list: &'static [u8]) -> Self {
        let count = TokenRanges { list, at: 0 }.count();
        let mut tokens = Self { list, slots: vec![0; (2 * count).next_power_of_two()] };
        for range in (TokenRanges { list, at: 0 }) {
            let slot = tokens.slot(&list[range.clone()]);
            tokens.slots[slot] = range.start as u32;
        }
        tokens
    }

    /// Counts the tokens of a piece, as byte pair encoding merges them: of all neighbours that form a token, those of the lowest rank first, from
    /// the left.
    pub(crate) fn count(&self, piece: &[u8]) -> u32 {
        if piece.len() < 2 || self.rank(piece).is_some() {
            return 1;
        }
        // Where each part begins, and the rank of the token that it forms with the next part. The last entry is the end.
        let mut parts: Vec<(usize, u32)> = (0..=piece.len()).map(|start| (start, u32::MAX)).collect();
        let pair = |parts: &[(usize, u32)], part: usize| {
            let end = parts.get(part + 2).map(|(end, _)| *end);
            end.and_then(|end| self.rank(&piece[parts[part].0..end])).unwrap_or(u32::MAX)
        };
        for part in 0..piece.len() {
            parts[part].1 = pair(&parts, part);
        }
        while let Some((first, (_, rank))) = parts.iter().enumerate().min_by_key(|(_, (_, rank))| *rank)
            && *rank != u32::MAX
        {
            parts.remove(first + 1);
            parts[first].1 = pair(&parts, first);
            if first > 0 {
                parts[first - 1].1 = pair(&parts, first - 1);
            }
        }
        parts.len() as u32 - 1
    }

    /// Returns a token's place in the list; `None` if these bytes are no token.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        Some(self.slots[self.slot(bytes)]).filter(|place| *place != 0)
    }

    /// Returns the slot that holds these bytes, or the empty one where they would be.
    fn slot(&self, bytes: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = FxBuildHasher.hash_one(bytes) as usize & mask;
        while self.slots[slot] != 0 && self.token(self.slots[slot]) != bytes {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn token(&self, place: u32) -> &'static [u8] {
        let start = place as usize;
        &self.list[start..start + usize::from(self.list[start - 1])]
    }
}

/// The ranges of the tokens in a list.
struct TokenRanges {
    list: &'static [u8],
    at: usize,
}

impl Iterator for TokenRanges {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        self.at = start + usize::from(*self.list.get(self.at)?);
        Some(start..self.at)
    }
}
