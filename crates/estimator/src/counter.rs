//! Counting tokens.

use crate::encoder::Encoder;
use crate::heuristic;
use crate::piece_cache::PieceCache;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::sync::{Arc, Mutex, PoisonError};

/// A token count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenCount(u64);

impl TokenCount {
    /// Zero tokens.
    pub const ZERO: TokenCount = TokenCount(0);

    /// Creates a count.
    pub const fn new(tokens: u64) -> Self {
        Self(tokens)
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Subtracts a count; returns none if the result would be negative.
    pub fn checked_sub(self, other: TokenCount) -> Option<TokenCount> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Returns how many shares of this size are needed for these tokens, at least one.
    pub fn shares(self, share: TokenCount) -> u64 {
        self.0.div_ceil(share.0.max(1)).max(1)
    }
}

impl Add for TokenCount {
    type Output = TokenCount;

    fn add(self, other: TokenCount) -> TokenCount {
        TokenCount(self.0 + other.0)
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: TokenCount) {
        self.0 += other.0;
    }
}

impl Sum for TokenCount {
    fn sum<I: Iterator<Item = TokenCount>>(counts: I) -> TokenCount {
        TokenCount(counts.map(TokenCount::get).sum())
    }
}

impl fmt::Display for TokenCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A method of counting tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TokenizerEncoding {
    /// OpenAI's `o200k_base`, exact.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// OpenAI's `cl100k_base`, exact.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
    /// An upper bound for either, without tables.
    #[serde(rename = "heuristic")]
    Heuristic,
}

impl TokenizerEncoding {
    /// Every encoding.
    pub const ALL: [TokenizerEncoding; 3] =
        [TokenizerEncoding::O200kBase, TokenizerEncoding::Cl100kBase, TokenizerEncoding::Heuristic];

    /// Returns the name for users and JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The maximum bytes of a piece of a long text, because the encoder cannot process a million blanks in a row.
const PIECE: usize = 64 * 1024;

/// Counts tokens in one encoding. An encoder is loaded for the first text that is not ASCII, which takes a fifth of a second and 40 MB.
///
/// A counter and its clones cache the cost of words, some hundred kilobytes for each thread that counts at a time. The cache affects only time.
#[derive(Clone)]
pub struct TokenCounter {
    encoding: TokenizerEncoding,
    /// Idle caches of piece costs: each count takes one and returns it.
    cache_pool: Arc<Mutex<Vec<PieceCache>>>,
}

impl TokenCounter {
    /// Creates a counter.
    pub fn new(encoding: TokenizerEncoding) -> Self {
        Self { encoding, cache_pool: Arc::default() }
    }

    /// Returns the encoding.
    pub fn encoding(&self) -> TokenizerEncoding {
        self.encoding
    }

    /// Counts the tokens of a text. Special tokens in it count as plain text.
    ///
    /// A text above 64 KB is counted in pieces that end after a line, or inside one that is longer; the sum then exceeds the count of the whole by no
    /// more than the words that were cut.
    pub fn count(&self, text: &str) -> TokenCount {
        TokenCount(self.with_cache(|known| self.count_cached(text, known)))
    }

    /// Runs `work` with a cache.
    pub(crate) fn with_cache<T>(&self, work: impl FnOnce(&mut PieceCache) -> T) -> T {
        // A panic elsewhere lost its own cache, and left no other half updated.
        let shelf = || self.cache_pool.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = shelf().pop();
        let mut known = taken.unwrap_or_else(PieceCache::new);
        let done = work(&mut known);
        shelf().push(known);
        done
    }

    /// As [`TokenCounter::count`].
    pub(crate) fn count_cached(&self, text: &str, known: &mut PieceCache) -> u64 {
        let mut count = |text: &str| match self.encoding {
            TokenizerEncoding::O200kBase => known.count(Encoder::O200k, text),
            TokenizerEncoding::Cl100kBase => known.count(Encoder::Cl100k, text),
            TokenizerEncoding::Heuristic => heuristic::count(text),
        };
        let mut rest = text;
        let mut total = 0;
        while rest.len() > PIECE {
            let (piece, next) = rest.split_at(piece_end(rest));
            total += count(piece);
            rest = next;
        }
        total + count(rest)
    }
}

impl fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenCounter").field(&self.encoding).finish()
    }
}

/// Returns where a piece ends: after the last line end of the first 64 KB, else before the blank of the last word in it, else after the last whole
/// character. Encoders themselves cut at the first two, so there the sum equals the count of the whole.
fn piece_end(text: &str) -> usize {
    let limit = (0..=PIECE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let bytes = text.as_bytes();
    let before_word = |at: &usize| {
        bytes[*at] == b' ' && bytes[*at + 1].is_ascii_alphabetic() && bytes[*at - 1].is_ascii_alphanumeric()
    };
    let line = text[..limit].rfind('\n').map(|at| at + 1);
    line.or_else(|| (1..limit - 1).rev().find(before_word)).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_in_pieces_without_a_panic_and_close_to_the_whole() {
        for encoding in TokenizerEncoding::ALL {
            let counter = TokenCounter::new(encoding);
            assert!(counter.count(&" ".repeat(1_000_000)) > TokenCount::ZERO);
            let text = "           MOVE WS-TOTAL TO OUT-TOTAL.\n".repeat(10_000);
            let line = counter.count("           MOVE WS-TOTAL TO OUT-TOTAL.\n").get() * 10_000;
            let counted = counter.count(&text).get();
            assert!(counted.abs_diff(line) * 100 <= line, "{encoding:?}: {counted} for {line}");
            assert_eq!(counter.count(""), TokenCount::ZERO);
        }
    }

    #[test]
    fn special_tokens_in_a_source_are_plain_text() {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        assert!(counter.count("<|endoftext|>") > TokenCount::new(1));
    }
}
