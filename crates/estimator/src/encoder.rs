//! The exact encoders, and how they cut a text into pieces.
//!
//! An encoder cuts a text into pieces by a regular expression and encodes each piece separately, so the tokens of a text are the sum over its pieces.
//! The expression takes longer than the rest, and an encoder longer to load than a source to document. So ASCII is cut here, byte by byte, and its
//! pieces are counted by the encoding's ASCII tokens. Other text goes to the encoder, which is loaded by then only. The expressions are those of
//! `o200k_base` and `cl100k_base`:
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

use crate::ascii_tokens::{CL100K_BASE, O200K_BASE};
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// The maximum bytes of a piece that is merged here: a line of marks, also in free format. The encoder merges longer ones in less than quadratic time.
const LONGEST_MERGED: usize = 128;

/// An encoder whose counts are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoder {
    O200k,
    Cl100k,
}

impl Encoder {
    /// Counts the tokens of any text.
    pub(crate) fn count(self, text: &str) -> u64 {
        self.loaded().count_ordinary(text) as u64
    }

    /// Returns the pieces of an ASCII text; `None` for another text.
    pub(crate) fn ascii_pieces(self, text: &str) -> Option<impl Iterator<Item = &str>> {
        let mut rest = text;
        let pieces = std::iter::from_fn(move || {
            let (piece, next) = (!rest.is_empty()).then(|| rest.split_at(self.first(rest.as_bytes())))?;
            rest = next;
            Some(piece)
        });
        text.is_ascii().then_some(pieces)
    }

    /// Counts the tokens of a piece of an ASCII text.
    pub(crate) fn count_piece(self, piece: &str) -> u64 {
        match self {
            // The encoder cuts a piece alone into that same piece again.
            _ if piece.len() > LONGEST_MERGED => self.count(piece),
            Encoder::O200k => O200K_BASE.count(piece.as_bytes()),
            Encoder::Cl100k => CL100K_BASE.count(piece.as_bytes()),
        }
    }

    /// Returns the whole encoder. The first call in a process loads it, which takes a fifth of a second and 40 MB.
    fn loaded(self) -> &'static CoreBPE {
        match self {
            Encoder::O200k => o200k_base_singleton(),
            Encoder::Cl100k => cl100k_base_singleton(),
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
    use crate::piece_cache::PieceCache;
    use proptest::prelude::*;

    /// Verifies that pieces are cut as the encoder cuts them. Tokens do not show whether they form one piece or several, so this compares the count,
    /// and verifies that no piece crosses a token's edge.
    fn check(text: &str) {
        for encoder in [Encoder::O200k, Encoder::Cl100k] {
            // The first count uses the tokens, the second one the cache.
            let mut known = PieceCache::new();
            let counted = [(); 2].map(|()| known.count(encoder, text));
            assert_eq!(counted, [encoder.count(text); 2], "{encoder:?}: {text:?}");
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
        fn any_text_costs_what_the_encoder_says(text in "([ -~]|[A-Z]{2,9}|[a-z]{2,9}|'(s|T|re|LL)|[ \t\r\n/]{1,4}|[0-9]{1,5}|[.=*_-]{1,20}|[*]{60,140}|[\u{0}-\u{7f}]|[éß中\u{a0}]){0,40}") {
            check(&text);
        }
    }
}
