//! The words, literals and signs of a text.

use super::comparisons::constant;
use super::wording;
use crate::anchors::words;

/// A word, a literal in quotes without them, or a sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Literal(&'a str),
    Sign(&'a str),
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Token::Word(word) | Token::Sign(word) => word.eq_ignore_ascii_case(text),
            Token::Literal(_) => false,
        }
    }

    /// Whether it is one of these words, in any case.
    pub(super) fn is_one(&self, of: &[&str]) -> bool {
        of.iter().any(|word| self.is(word))
    }

    /// Returns the whole number that it is, without leading zeros.
    pub(super) fn number(&self) -> Option<String> {
        match self {
            Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()) => Some(constant(word)),
            _ => None,
        }
    }
}

/// Whether one of these words stands at a place.
pub(super) fn is_at(tokens: &[Token<'_>], at: usize, of: &[&str]) -> bool {
    tokens.get(at).is_some_and(|token| token.is_one(of))
}

/// Divides a text into tokens. A name, a number and a word of English are words.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (is_literal, piece) in wording::pieces(text) {
        if is_literal {
            found.push(Token::Literal(piece));
            continue;
        }
        for part in piece.split_whitespace() {
            // A host variable.
            let part = part.strip_prefix(':').filter(|name| !name.is_empty()).unwrap_or(part);
            let mut rest = part;
            let is_signed =
                part.strip_prefix(['-', '+']).is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
            if is_signed {
                let end = part[1..].find(|c: char| !c.is_ascii_digit()).map_or(part.len(), |end| end + 1);
                found.push(Token::Word(&part[..end]));
                rest = &part[end..];
            }
            while !rest.is_empty() {
                let word = words(rest).next().filter(|word| rest.starts_with(word));
                let length = word.map_or_else(
                    || {
                        let two = rest.get(..2).filter(|two| [">=", "<=", "<>", "!="].contains(two));
                        two.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), str::len)
                    },
                    str::len,
                );
                let (token, behind) = rest.split_at(length);
                found.push(if word.is_some() { Token::Word(token) } else { Token::Sign(token) });
                rest = behind;
            }
        }
    }
    found
}
