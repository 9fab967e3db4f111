//! The costs of pieces that were counted before.
//!
//! COBOL repeats few words many times: with a cache, counting a source takes half as long.

use crate::encoder::Encoder;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// The number of cached pieces, a power of two: somewhat more than a large program has.
const SLOTS: usize = 1 << 13;

/// The maximum bytes of a cached piece: a line of marks.
const LONGEST_KNOWN: usize = 80;

/// The cost of pieces seen so far. A piece has one slot and evicts the previous entry, so that no text, even an adversarial one, can grow or slow
/// down the cache: at worst every piece is encoded again.
#[derive(Debug)]
pub(crate) struct PieceCache {
    slots: Vec<Option<(Box<str>, u64)>>,
}

impl PieceCache {
    pub(crate) fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&mut self, encoder: Encoder, text: &str) -> u64 {
        match encoder.ascii_pieces(text) {
            Some(pieces) => pieces.map(|piece| self.of_piece(encoder, piece)).sum(),
            None => encoder.count(text),
        }
    }

    fn of_piece(&mut self, encoder: Encoder, piece: &str) -> u64 {
        if piece.len() > LONGEST_KNOWN {
            return encoder.count_piece(piece);
        }
        let hash = FxBuildHasher.hash_one(piece);
        match &mut self.slots[hash as usize % SLOTS] {
            Some((known, tokens)) if **known == *piece => *tokens,
            slot => slot.insert((piece.into(), encoder.count_piece(piece))).1,
        }
    }
}
