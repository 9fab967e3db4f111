//! Counting tokens.

use crate::heuristic;
use crate::piece_cache::{PieceCache, PreTokenizer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::sync::{Arc, Mutex, PoisonError};
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// A number of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenCount(u64);

impl TokenCount {
    /// No tokens.
    pub const ZERO: TokenCount = TokenCount(0);

    /// This many tokens.
    pub const fn new(tokens: u64) -> Self {
        Self(tokens)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The tokens left of these when the others are taken; none when there are not so many.
    pub fn checked_sub(self, other: TokenCount) -> Option<TokenCount> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// How many whole shares of this size hold these tokens, at least one.
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

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TokenizerEncoding {
    /// OpenAI's `o200k_base`, exact.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// OpenAI's `cl100k_base`, exact.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
    /// An estimate from above of either, without tables.
    #[serde(rename = "heuristic")]
    Heuristic,
}

impl TokenizerEncoding {
    /// Every encoding.
    pub const ALL: [TokenizerEncoding; 3] =
        [TokenizerEncoding::O200kBase, TokenizerEncoding::Cl100kBase, TokenizerEncoding::Heuristic];

    /// The name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A long text is counted in pieces of at most this many bytes, because the encoder cannot take a million blanks in a row.
const PIECE: usize = 64 * 1024;

/// Counts tokens in one encoding. Making one loads the encoding's tables, once a process.
///
/// A counter and its clones remember what words cost, some hundred kilobytes for each thread that counts at a time. Nothing but
/// time depends on what they remember.
#[derive(Clone)]
pub struct TokenCounter {
    encoding: TokenizerEncoding,
    tables: Option<(&'static CoreBPE, PreTokenizer)>,
    /// What is known of pieces and not in use: whoever counts takes one, and gives it back.
    cache_pool: Arc<Mutex<Vec<PieceCache>>>,
}

impl TokenCounter {
    /// A counter; loads 2 MB of tables the first time for an exact encoding.
    pub fn new(encoding: TokenizerEncoding) -> Self {
        let tables = match encoding {
            TokenizerEncoding::O200kBase => Some((o200k_base_singleton(), PreTokenizer::O200k)),
            TokenizerEncoding::Cl100kBase => Some((cl100k_base_singleton(), PreTokenizer::Cl100k)),
            TokenizerEncoding::Heuristic => None,
        };
        Self { encoding, tables, cache_pool: Arc::default() }
    }

    /// The encoding it counts in.
    pub fn encoding(&self) -> TokenizerEncoding {
        self.encoding
    }

    /// The tokens of a text. Special tokens in it are counted as the plain text they are.
    ///
    /// A text above 64 KB is counted in pieces that end behind a line, or inside one where a line is longer than that; the sum is
    /// then never below the count of the whole by more than the words cut.
    pub fn count(&self, text: &str) -> TokenCount {
        TokenCount(self.with_cache(|known| self.count_cached(text, known)))
    }

    /// Works with what is known of pieces.
    pub(crate) fn with_cache<T>(&self, work: impl FnOnce(&mut PieceCache) -> T) -> T {
        // What panicked elsewhere took its own from the shelf and left no other half done.
        let shelf = || self.cache_pool.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = shelf().pop();
        let mut known = taken.unwrap_or_else(PieceCache::new);
        let done = work(&mut known);
        shelf().push(known);
        done
    }

    /// As [`TokenCounter::count`].
    pub(crate) fn count_cached(&self, text: &str, known: &mut PieceCache) -> u64 {
        let mut count = |text: &str| match self.tables {
            Some((tables, cut)) => known.count(tables, cut, text),
            None => heuristic::count(text),
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

/// Where a piece ends: behind the last line end of the first 64 KB, else before the blank of the last word in it, else behind the
/// last whole character. Encoders cut at the first two themselves, so that a count in pieces is that of the whole there.
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
