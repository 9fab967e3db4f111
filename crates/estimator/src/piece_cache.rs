//! Counting by pieces, each encoded only once.
//!
//! An encoder cuts a text into pieces by a regular expression and encodes each piece separately, so the tokens of a text are the sum over its pieces.
//! COBOL repeats few words many times, so a cache of piece costs avoids most encoding. The expression would cost more time than that saves, so this
//! module cuts pieces byte by byte, for ASCII only, and counts them by the encoding's ASCII tokens. Any other text goes directly to the encoder, which
//! is loaded by then only. The expressions are those of `o200k_base` and `cl100k_base`:
//!
//! ```text
//! o200k   word     [^\r\n\p{L}\p{N}]? U* L+ C?  |  [^\r\n\p{L}\p{N}]? U+ L* C?      U, L: upper and lower case letters
//! cl100k  word     C  |  [^\r\n\p{L}\p{N}]? \p{L}+                                  C: 's 't 're 've 'm 'll 'd, in any case
//! both    digits   \p{N}{1,3}
//! o200k   marks    " "? [^\s\p{L}\p{N}]+ [\r\n/]*
//! cl100k  marks    " "? [^\s\p{L}\p{N}]+ [\r\n]*
//! o200k   blanks   \s* [\r\n]+  |  \s+ (?!\S)  |  \s+
//! cl100k  blanks   \s+ $  |  \s* [\r\n]  |  \s+ (?!\S)  |  \s
//! ```

use crate::ascii_tokens::AsciiTokens;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::LazyLock;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

static O200K_TOKENS: LazyLock<AsciiTokens> =
    LazyLock::new(|| AsciiTokens::new(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.tokens"))));
static CL100K_TOKENS: LazyLock<AsciiTokens> =
    LazyLock::new(|| AsciiTokens::new(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.tokens"))));

/// The number of cached pieces, a power of two: somewhat more than a large program has.
const SLOTS: usize = 1 << 13;

/// The maximum bytes of a cached piece: a line of marks. Longer ones go to the encoder, which merges them in less than quadratic time.
const LONGEST_KNOWN: usize = 80;

/// The encoder whose counts are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoder {
    O200k,
    Cl100k,
}

/// The cost of pieces seen so far. A piece has one slot and evicts the previous entry, so that no text, even an adversarial one, can grow or slow
/// down the cache: at worst every piece is encoded again.
#[derive(Debug)]
pub(crate) struct PieceCache {
    slots: Vec<Option<(Box<str>, u32)>>,
}

impl PieceCache {
    pub(crate) fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&mut self, encoder: Encoder, text: &str) -> u64 {
        if !text.is_ascii() {
            return encoder.loaded().count_ordinary(text) as u64;
        }
        let mut rest = text;
        let mut count = 0;
        while !rest.is_empty() {
            let (piece, next) = rest.split_at(encoder.first(rest.as_bytes()));
            count += self.of_piece(encoder, piece);
            rest = next;
        }
        count
    }

    fn of_piece(&mut self, encoder: Encoder, piece: &str) -> u64 {
        if piece.len() > LONGEST_KNOWN {
            // A piece alone is cut into that same piece again.
            return encoder.loaded().count_ordinary(piece) as u64;
        }
        let hash = FxBuildHasher.hash_one(piece);
        let tokens = match &mut self.slots[hash as usize % SLOTS] {
            Some((known, tokens)) if **known == *piece => *tokens,
            slot => slot.insert((piece.into(), encoder.ascii_tokens().count(piece.as_bytes()))).1,
        };
        u64::from(tokens)
    }
}

impl Encoder {
    /// Returns the whole encoder. The first call in a process loads it, which takes a fifth of a second and 40 MB.
    fn loaded(self) -> &'static CoreBPE {
        match self {
            Encoder::O200k => o200k_base_singleton(),
            Encoder::Cl100k => cl100k_base_singleton(),
        }
    }

    fn ascii_tokens(self) -> &'static AsciiTokens {
        match self {
            Encoder::O200k => &O200K_TOKENS,
            Encoder::Cl100k => &CL100K_TOKENS,
        }
    }

    /// Returns the length of the first piece of a non-empty ASCII text.
    fn first(self, text: &[u8]) -> usize {
        if self == Encoder::Cl100k
            && let Some(contraction) = contraction(text)
        {
            return contraction;
        }
        let first = text[0];
        // Most blanks stand among others.
        if is_blank(first) && text.get(1).copied().is_none_or(is_blank) {
            return self.blanks(text);
        }
        let lead = usize::from(!matches!(first, b'\r' | b'\n') && !first.is_ascii_alphanumeric());
        let word = match self {
            Encoder::O200k => {
                let upper = lead + run(&text[lead..], |byte| byte.is_ascii_uppercase());
                upper + run(&text[upper..], |byte| byte.is_ascii_lowercase())
            }
            Encoder::Cl100k => lead + run(&text[lead..], |byte| byte.is_ascii_alphabetic()),
        };
        if word > lead {
            let contraction = (self == Encoder::O200k).then(|| contraction(&text[word..])).flatten();
            return word + contraction.unwrap_or(0);
        }
        if first.is_ascii_digit() {
            return run(&text[..text.len().min(3)], |byte| byte.is_ascii_digit());
        }
        let blank = usize::from(first == b' ');
        let marks = blank + run(&text[blank..], |byte| !is_blank(byte) && !byte.is_ascii_alphanumeric());
        if marks > blank {
            let ends = |byte| matches!(byte, b'\r' | b'\n') || (self == Encoder::O200k && byte == b'/');
            return marks + run(&text[marks..], ends);
        }
        self.blanks(text)
    }

    /// Returns the length of the piece at the start of a text that begins with blanks, if no mark or letter takes the last one.
    fn blanks(self, text: &[u8]) -> usize {
        let all = run(text, is_blank);
        let at_end = all == text.len();
        if self == Encoder::Cl100k && at_end {
            return all;
        }
        match text[..all].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
            Some(line_end) => line_end + 1,
            None if at_end => all,
            // The last blank belongs to what follows.
            None => (all - 1).max(1),
        }
    }
}

fn run(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|byte| !belongs(*byte)).unwrap_or(text.len())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns the length of a contraction at the start of a text: `'s`, `'LL`.
fn contraction(text: &[u8]) -> Option<usize> {
    let letters = text.strip_prefix(b"'")?;
    if matches!(letters.first()?.to_ascii_lowercase(), b's' | b't' | b'm' | b'd') {
        return Some(2);
    }
    let two = letters.get(..2)?.to_ascii_lowercase();
    matches!(two.as_slice(), b"re" | b"ve" | b"ll").then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Verifies that pieces are cut as the encoder cuts them. Tokens do not show whether they form one piece or several, so this compares the count,
    /// and verifies that no piece crosses a token's edge.
    fn check(text: &str) {
        for encoder in [Encoder::O200k, Encoder::Cl100k] {
            // The first count uses the tokens, the second one the cache.
            let mut known = PieceCache::new();
            let counted = [(); 2].map(|()| known.count(encoder, text));
            assert_eq!(counted, [encoder.loaded().count_ordinary(text) as u64; 2], "{encoder:?}: {text:?}");
            let tokens = encoder.loaded().split_by_token_ordinary(text).expect("tokens of ASCII are text");
            let mut edges = std::collections::HashSet::from([0]);
            let mut at = 0;
            edges.extend(tokens.iter().map(|token| {
                at += token.len();
                at
            }));
            let mut start = 0;
            while start < text.len() && text.is_ascii() {
                start += encoder.first(&text.as_bytes()[start..]);
                assert!(edges.contains(&start), "{encoder:?}: {text:?} at {start}");
            }
        }
    }

    #[test]
    fn words_digits_marks_and_blanks_are_cut_as_the_encoders_cut_them() {
        for text in [
            "|     MOVE WS-TOTAL-AMOUNT TO OUT-Total(1234567). \n",
            "don't DON'T 'start 'LLama o're it's'S 'x fooBar FOObar FooBAR",
            "|******* // ---/\r\n/\n\n//  x",
            "  \n   \n  end   ",
            "\t\tX\u{b}\u{c}y \u{1}\u{7f} a",
            "12345 678,90 1.5E+10",
            "|\n",
            " ",
        ] {
            check(text);
        }
    }

    /// `WAR_RIG_CASES` sets the number of cases for a property.
    fn config() -> ProptestConfig {
        let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500);
        ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn any_text_costs_what_the_encoder_says(text in "([ -~]|[A-Z]{2,9}|[a-z]{2,9}|'(s|T|re|LL)|[ \t\r\n/]{1,4}|[0-9]{1,5}|[.=*_-]{1,20}|[\u{0}-\u{7f}]|[éß中\u{a0}]){0,40}") {
            check(&text);
        }
    }
}
