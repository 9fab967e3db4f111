//! REPLACING: what a COPY changes in the words of its copybook.
//!
//! Words are compared without regard to case. A first operand between colons (`:TAG:`) is replaced inside words
//! too, as estates use it; LEADING and TRAILING replace the head or the tail of a word.

use crate::lex::token::{self, RawToken, TokenKind};

/// Which part of a word a replacement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole words, one or several.
    Whole,
    /// The head of a word.
    Leading,
    /// The tail of a word.
    Trailing,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    part: Part,
    from: Vec<String>,
    by: String,
}

/// What becomes of the words at a place: how many of them are replaced, and the words that stand there instead.
pub(crate) struct Replaced {
    pub(crate) taken: usize,
    pub(crate) words: Vec<(TokenKind, String)>,
}

impl Replacement {
    /// A replacement of one operand by another, each pseudo-text or words.
    pub(crate) fn new(part: Part, from: &str, by: &str) -> Self {
        let from = pseudo_text(from);
        let from = match part {
            Part::Whole => words(from).into_iter().map(|(_, word)| word).collect(),
            // A part of a word need be no word: `-IN`.
            Part::Leading | Part::Trailing => vec![from.trim().to_owned()],
        };
        Self { part, from, by: pseudo_text(by).to_owned() }
    }

    fn apply(&self, text: &str, tokens: &[RawToken]) -> Option<Replaced> {
        let word = |token: &RawToken| &text[token.range()];
        let first = word(tokens.first()?);
        let from = self.from.first()?;
        if self.from.len() == 1
            && let Some(changed) = self.inside(first, from)
        {
            return Some(Replaced { taken: 1, words: words(&changed) });
        }
        let whole = self.part == Part::Whole
            && tokens.len() >= self.from.len()
            && self.from.iter().zip(tokens).all(|(from, token)| from.eq_ignore_ascii_case(word(token)));
        whole.then(|| Replaced { taken: self.from.len(), words: words(&self.by) })
    }

    /// The word with a part of it replaced.
    fn inside(&self, word: &str, from: &str) -> Option<String> {
        let by = self.by.trim();
        let marked = from.len() > 2 && from.starts_with(':') && from.ends_with(':');
        match self.part {
            Part::Leading => {
                let head = word
                    .get(..from.len())
                    .filter(|head| head.eq_ignore_ascii_case(from) && word.len() > from.len())?;
                Some(format!("{by}{}", &word[head.len()..]))
            }
            Part::Trailing => {
                let start = word.len().checked_sub(from.len()).filter(|start| *start > 0)?;
                word.get(start..)
                    .filter(|tail| tail.eq_ignore_ascii_case(from))
                    .map(|_| format!("{}{by}", &word[..start]))
            }
            Part::Whole if marked => {
                let (upper, wanted) = (word.to_ascii_uppercase(), from.to_ascii_uppercase());
                let mut out = String::new();
                let mut last = 0;
                for (at, _) in upper.match_indices(&wanted) {
                    out.push_str(&word[last..at]);
                    out.push_str(by);
                    last = at + wanted.len();
                }
                (last > 0).then(|| out + &word[last..])
            }
            Part::Whole => None,
        }
    }
}

/// The first replacement that applies at the head of these tokens.
pub(crate) fn replaced(replacements: &[Replacement], text: &str, tokens: &[RawToken]) -> Option<Replaced> {
    replacements.iter().find_map(|replacement| replacement.apply(text, tokens))
}

fn pseudo_text(operand: &str) -> &str {
    operand.strip_prefix("==").and_then(|inside| inside.strip_suffix("==")).unwrap_or(operand)
}

fn words(text: &str) -> Vec<(TokenKind, String)> {
    let tokens = token::tokens(text, &[], &mut Vec::new());
    tokens.iter().map(|token| (token.kind, text[token.range()].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: Part, from: &str, by: &str, text: &str, expected: Option<&str>) {
        let tokens = token::tokens(text, &[], &mut Vec::new());
        let found = replaced(&[Replacement::new(part, from, by)], text, &tokens);
        let words =
            found.map(|found| found.words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "));
        assert_eq!(words.as_deref(), expected, "{from} by {by} in {text}");
    }

    #[test]
    fn words_and_parts_of_words_are_replaced() {
        check(Part::Whole, "==:TAG:==", "==POL==", ":TAG:-NUMBER", Some("POL-NUMBER"));
        check(Part::Whole, "==:tag:==", "==POL==", "X-:TAG:-:TAG:", Some("X-POL-POL"));
        check(Part::Whole, "CUST-ID", "OLD-ID", "cust-id", Some("OLD-ID"));
        check(Part::Whole, "CUST", "OLD", "CUST-ID", None);
        check(Part::Whole, "==PIC X(4)==", "==PIC 9(4) COMP==", "PIC X(4)", Some("PIC 9(4) COMP"));
        check(Part::Leading, "==CU==", "==XX==", "CU-NAME", Some("XX-NAME"));
        check(Part::Trailing, "==-IN==", "==-OUT==", "REC-IN", Some("REC-OUT"));
        check(Part::Whole, "==DROP==", "====", "DROP", Some(""));
        check(Part::Whole, "====", "==X==", "DROP", None);
    }
}
