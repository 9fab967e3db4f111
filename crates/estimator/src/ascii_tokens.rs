//! The ASCII tokens of an encoding, by which an ASCII piece is counted without loading the encoder.

use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::LazyLock;

/// The tokens of `o200k_base`.
pub(crate) static O200K_BASE: LazyLock<AsciiTokens> =
    LazyLock::new(|| AsciiTokens::new(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.tokens"))));

/// The tokens of `cl100k_base`.
pub(crate) static CL100K_BASE: LazyLock<AsciiTokens> =
    LazyLock::new(|| AsciiTokens::new(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.tokens"))));

/// The ASCII tokens of an encoding, indexed.
pub(crate) struct AsciiTokens {
    /// The tokens that the build script writes, in the order of their ranks, each after a byte with its length.
    list: &'static [u8],
    /// A power of two of slots, at most half of them full.
    slots: Vec<Option<Place>>,
}

/// Where a token begins in the list. That also is its priority: which pair is merged first depends on the order of ranks alone.
type Place = NonZeroU32;

impl AsciiTokens {
    fn new(list: &'static [u8]) -> Self {
        let count = TokenRanges { list, at: 0 }.count();
        let mut tokens = Self { list, slots: vec![None; (2 * count).next_power_of_two()] };
        for range in (TokenRanges { list, at: 0 }) {
            let slot = tokens.slot(&list[range.clone()]);
            tokens.slots[slot] = u32::try_from(range.start).ok().and_then(Place::new);
        }
        tokens
    }

    /// Counts the tokens of a piece, as byte pair encoding merges them: of all neighbours that form a token, those of the lowest rank first, from
    /// the left. Takes quadratic time.
    pub(crate) fn count(&self, piece: &[u8]) -> u64 {
        if piece.len() < 2 || self.place(piece).is_some() {
            return 1;
        }
        // Where each part begins, and the token that it forms with the next part.
        let mut parts: Vec<(usize, Option<Place>)> = (0..piece.len())
            .map(|start| (start, piece.get(start..start + 2).and_then(|pair| self.place(pair))))
            .collect();
        while let Some((_, first)) =
            parts.iter().enumerate().filter_map(|(part, (_, token))| Some(((*token)?, part))).min()
        {
            parts.remove(first + 1);
            for part in first.saturating_sub(1)..=first {
                let end = parts.get(part + 2).map_or(piece.len(), |(start, _)| *start);
                let pair = (part + 1 < parts.len()).then(|| &piece[parts[part].0..end]);
                parts[part].1 = pair.and_then(|pair| self.place(pair));
            }
        }
        parts.len() as u64
    }

    /// Returns the place of a token; `None` if these bytes are none.
    fn place(&self, bytes: &[u8]) -> Option<Place> {
        self.slots[self.slot(bytes)]
    }

    /// Returns the slot that holds these bytes, or the empty one where they would be.
    fn slot(&self, bytes: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = FxBuildHasher.hash_one(bytes) as usize & mask;
        while self.slots[slot].is_some_and(|place| self.token(place) != bytes) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn token(&self, place: Place) -> &'static [u8] {
        let start = place.get() as usize;
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
