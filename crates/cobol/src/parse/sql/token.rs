//! Splits SQL text into tokens; a host variable with its indicator is one token.

use crate::tokens::TokenSlice;

/// The kind of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EmbeddedTokenKind {
    /// A word or an ordinary identifier, in upper case.
    Word,
    /// A delimited identifier, without its quotes.
    Quoted,
    /// A character literal, without its quotes.
    Text,
    Number,
    /// A host variable, with the name of its indicator.
    Host(Option<String>),
    Symbol,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EmbeddedToken {
    pub(super) kind: EmbeddedTokenKind,
    pub(super) text: String,
    /// The byte offset at which it begins in the text.
    pub(super) at: usize,
    /// Whether it directly follows the previous token.
    pub(super) is_adjacent: bool,
}

impl EmbeddedToken {
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, EmbeddedTokenKind::Word | EmbeddedTokenKind::Symbol) && self.text == text
    }

    pub(super) fn is_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    pub(super) fn is_host(&self) -> bool {
        matches!(self.kind, EmbeddedTokenKind::Host(_))
    }

    /// Returns whether it can name something.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind, EmbeddedTokenKind::Word | EmbeddedTokenKind::Quoted)
    }
}

impl<'t> TokenSlice<'t, EmbeddedToken> {
    /// Returns the position of the parenthesis that closes the one at a position.
    pub(super) fn closing(self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let end = self.from(open).iter().position(|token| {
            depth = depth + usize::from(token.is("(")) - usize::from(token.is(")"));
            depth == 0
        });
        Some(open + end?)
    }

    /// Returns the pieces between commas outside parentheses.
    pub(super) fn parts(self) -> impl Iterator<Item = &'t [EmbeddedToken]> {
        let mut depth = 0_usize;
        self.as_slice().split(move |token| {
            depth = (depth + usize::from(token.is("("))).saturating_sub(usize::from(token.is(")")));
            depth == 0 && token.is(",")
        })
    }
}

/// Symbols of two characters, with their spelling in standard SQL.
const PAIRS: &[(&str, &str)] = &[
    ("<>", "<>"),
    ("<=", "<="),
    (">=", ">="),
    ("!=", "<>"),
    ("^=", "<>"),
    ("¬=", "<>"),
    ("!>", "<="),
    ("¬>", "<="),
    ("!<", ">="),
    ("¬<", ">="),
    ("||", "||"),
    ("!!", "||"),
];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')
}

/// Returns whether a character can be in the name of a host variable: those of COBOL, and the period before a part of a group.
fn is_host(c: char) -> bool {
    is_word(c) || matches!(c, '-' | '.')
}

/// Returns the tokens of SQL text, without comments.
pub(super) fn tokens(text: &str) -> Vec<EmbeddedToken> {
    let mut tokens: Vec<EmbeddedToken> = Vec::new();
    let mut at = 0;
    let mut glued = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = skipped(rest, c);
        if length > 0 {
            (at, glued) = (at + length, false);
            continue;
        }
        let (kind, token, length) = next(rest, c);
        push(&mut tokens, EmbeddedToken { kind, text: token, at, is_adjacent: glued });
        (at, glued) = (at + length.max(c.len_utf8()), true);
    }
    tokens
}

/// Returns the number of bytes of blanks or of a comment at the start of a text.
fn skipped(rest: &str, c: char) -> usize {
    if c.is_whitespace() {
        c.len_utf8()
    } else if rest.starts_with("--") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        rest.find("*/").map_or(rest.len(), |end| end + 2)
    } else {
        0
    }
}

fn next(rest: &str, c: char) -> (EmbeddedTokenKind, String, usize) {
    let taken = |accepts: fn(char) -> bool| rest.find(|c| !accepts(c)).unwrap_or(rest.len());
    match c {
        '\'' | '"' => {
            let (inside, length) = quoted(rest, c);
            if c == '\'' {
                (EmbeddedTokenKind::Text, inside, length)
            } else {
                (EmbeddedTokenKind::Quoted, inside.trim().to_uppercase(), length)
            }
        }
        ':' => {
            let behind = rest[1..].trim_start();
            let name = &behind[..behind.find(|c| !is_host(c)).unwrap_or(behind.len())];
            let name = name.trim_end_matches(['-', '.']);
            if name.starts_with(is_word) {
                let length = rest.len() - behind.len() + name.len();
                (EmbeddedTokenKind::Host(None), name.to_uppercase(), length)
            } else {
                (EmbeddedTokenKind::Symbol, ":".to_owned(), 1)
            }
        }
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
        c if c.is_ascii_digit() => number(rest),
        c if is_word(c) => {
            let length = taken(is_word);
            (EmbeddedTokenKind::Word, rest[..length].to_uppercase(), length)
        }
        _ => {
            let pair = PAIRS.iter().find(|(written, _)| rest.starts_with(written));
            match pair {
                Some((written, standard)) => (EmbeddedTokenKind::Symbol, (*standard).to_owned(), written.len()),
                None => (EmbeddedTokenKind::Symbol, c.to_string(), c.len_utf8()),
            }
        }
    }
}

/// Returns the text between quotes, with doubled quotes as one, and the number of bytes including the quotes.
fn quoted(rest: &str, quote: char) -> (String, usize) {
    let mut inside = String::new();
    let mut at = 1;
    loop {
        let Some(end) = rest[at..].find(quote) else {
            inside.push_str(&rest[at..]);
            return (inside, rest.len());
        };
        inside.push_str(&rest[at..at + end]);
        at += end + 1;
        if !rest[at..].starts_with(quote) {
            return (inside, at);
        }
        inside.push(quote);
        at += 1;
    }
}

/// Parses digits with a decimal point and an exponent.
fn number(rest: &str) -> (EmbeddedTokenKind, String, usize) {
    let digits = |from: usize| {
        let behind = rest[from..].bytes().position(|byte| !byte.is_ascii_digit());
        behind.map_or(rest.len(), |length| from + length)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let signed = end + 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
        if rest[signed..].starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(signed);
        }
    }
    (EmbeddedTokenKind::Number, rest[..end].to_owned(), end)
}

/// Adds a token, or joins it to the previous ones: an indicator to its host variable, a literal to its prefix.
fn push(tokens: &mut Vec<EmbeddedToken>, token: EmbeddedToken) {
    if token.is_host() {
        let behind_word = tokens.last().is_some_and(|last| last.is("INDICATOR"));
        let owner = tokens.iter_mut().nth_back(usize::from(behind_word));
        if let Some(EmbeddedTokenKind::Host(indicator @ None)) = owner.map(|owner| &mut owner.kind) {
            *indicator = Some(token.text);
            tokens.pop_if(|_| behind_word);
            return;
        }
    }
    if token.kind == EmbeddedTokenKind::Text
        && token.is_adjacent
        && let Some(last) = tokens.last_mut()
        && last.kind == EmbeddedTokenKind::Word
        && matches!(last.text.as_str(), "X" | "G" | "N" | "GX" | "UX" | "BX")
    {
        (last.kind, last.text) = (EmbeddedTokenKind::Text, token.text);
        return;
    }
    tokens.push(token);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown: Vec<String> = tokens(text)
            .iter()
            .map(|token| match &token.kind {
                EmbeddedTokenKind::Word | EmbeddedTokenKind::Symbol => token.text.clone(),
                EmbeddedTokenKind::Quoted => format!("\"{}\"", token.text),
                EmbeddedTokenKind::Text => format!("'{}'", token.text),
                EmbeddedTokenKind::Number => format!("#{}", token.text),
                EmbeddedTokenKind::Host(None) => format!(":{}", token.text),
                EmbeddedTokenKind::Host(Some(indicator)) => format!(":{}?{indicator}", token.text),
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn words_literals_numbers_and_symbols() {
        check("select a.b-1", &["SELECT", "A", ".", "B", "-", "#1"]);
        check("'IT''S' X'0F' \"My\".\"t\"", &["'IT'S'", "'0F'", "\"MY\"", ".", "\"T\""]);
        check("1.5E-3 .5 12 1E", &["#1.5E-3", "#.5", "#12", "#1", "E"]);
        check("A¬=B!=C^=D!!E||F", &["A", "<>", "B", "<>", "C", "<>", "D", "||", "E", "||", "F"]);
        check("A -- B\nC /* D */ E /*", &["A", "C", "E"]);
        check("'OPEN", &["'OPEN'"]);
    }

    #[test]
    fn host_variables_with_their_indicators() {
        check(":a, :b.c-d:ind", &[":A", ",", ":B.C-D?IND"]);
        check(":A INDICATOR :B", &[":A?B"]);
        check(": A :B", &[":A?B"]);
        check(":A-:B", &[":A", "-", ":B"]);
        check(":A :B :C", &[":A?B", ":C"]);
        check(":", &[":"]);
        check(":.", &[":", "."]);
    }
}
