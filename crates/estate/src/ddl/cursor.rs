//! A position in the tokens of one statement.

use super::SqlName;
use super::tokens::{DdlToken, DdlTokenKind};
use war_rig_text::LineRange;

/// Reads tokens one by one. Keywords are compared in any case.
#[derive(Clone, Copy)]
pub(super) struct TokenCursor<'a> {
    text: &'a str,
    tokens: &'a [DdlToken],
    at: usize,
}

impl<'a> TokenCursor<'a> {
    pub fn new(text: &'a str, tokens: &'a [DdlToken]) -> Self {
        Self { text, tokens, at: 0 }
    }

    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Returns how many tokens were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the tokens from a position up to this one.
    pub fn since(&self, place: usize) -> TokenCursor<'a> {
        Self { text: self.text, tokens: &self.tokens[place..self.at], at: 0 }
    }

    /// Returns the tokens from here to the end.
    pub fn rest(&self) -> TokenCursor<'a> {
        Self { text: self.text, tokens: &self.tokens[self.at..], at: 0 }
    }

    /// Returns all tokens.
    pub fn tokens(&self) -> &'a [DdlToken] {
        self.tokens
    }

    fn token(&self, ahead: usize) -> Option<&'a DdlToken> {
        self.tokens.get(self.at + ahead)
    }

    pub fn kind(&self) -> Option<DdlTokenKind> {
        self.token(0).map(|token| token.kind)
    }

    /// Returns the next token as written.
    pub fn token_text(&self) -> Option<&'a str> {
        self.token(0).map(|token| &self.text[token.at.clone()])
    }

    /// Whether a token ahead is this keyword.
    pub fn is_ahead(&self, ahead: usize, word: &str) -> bool {
        self.token(ahead).is_some_and(|token| {
            token.kind == DdlTokenKind::Word && self.text[token.at.clone()].eq_ignore_ascii_case(word)
        })
    }

    pub fn is(&self, word: &str) -> bool {
        self.is_ahead(0, word)
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether a token ahead is this symbol.
    pub fn is_symbol_ahead(&self, ahead: usize, symbol: char) -> bool {
        self.token(ahead)
            .is_some_and(|token| token.kind == DdlTokenKind::Symbol && self.text[token.at.clone()].starts_with(symbol))
    }

    pub fn is_symbol(&self, symbol: char) -> bool {
        self.is_symbol_ahead(0, symbol)
    }

    pub fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len());
    }

    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    /// Skips several keywords if all of them follow.
    pub fn eat_all(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(ahead, word)| self.is_ahead(ahead, word));
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub fn eat_symbol(&mut self, symbol: char) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    /// Reads the next word in upper case, whatever it is.
    pub fn word(&mut self) -> Option<String> {
        let word = self.token_text().filter(|_| self.kind() == Some(DdlTokenKind::Word))?.to_uppercase();
        self.at += 1;
        Some(word)
    }

    /// Reads a one-part name: in upper case, or as written in double quotes.
    pub fn identifier(&mut self) -> Option<String> {
        let written = self.token_text()?;
        let name = match self.kind()? {
            DdlTokenKind::Word => written.to_uppercase(),
            DdlTokenKind::Quoted => written[1..written.len() - 1].to_owned(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// Reads a name with its qualifier.
    pub fn name(&mut self) -> Option<SqlName> {
        let mut name = self.identifier()?;
        let mut schema: Option<String> = None;
        while self.is_symbol('.') {
            let point = self.at;
            self.at += 1;
            let Some(next) = self.identifier() else {
                self.at = point;
                break;
            };
            let before = std::mem::replace(&mut name, next);
            schema = Some(schema.map_or(before.clone(), |schema| format!("{schema}.{before}")));
        }
        Some(SqlName { schema, name })
    }

    /// Reads quoted text, with doubled quotes reduced and lines joined.
    pub fn quoted_text(&mut self) -> Option<String> {
        let written = self.token_text().filter(|_| self.kind() == Some(DdlTokenKind::Text))?;
        self.at += 1;
        let start = written.find('\'').map_or(0, |at| at + 1);
        let inner = written[start..].strip_suffix('\'').unwrap_or(&written[start..]);
        Some(inner.replace("''", "'").replace('\n', ""))
    }

    /// Reads a group in parentheses. Returns its content and whether it is closed.
    pub fn group(&mut self) -> Option<(TokenCursor<'a>, bool)> {
        if !self.eat_symbol('(') {
            return None;
        }
        let start = self.at;
        let mut depth = 0_u32;
        while !self.is_done() {
            if self.is_symbol('(') {
                depth += 1;
            } else if self.is_symbol(')') {
                if depth == 0 {
                    let group = self.since(start);
                    self.at += 1;
                    return Some((group, true));
                }
                depth -= 1;
            }
            self.at += 1;
        }
        Some((self.since(start), false))
    }

    /// Splits at commas outside parentheses.
    pub fn parts(&self) -> Vec<TokenCursor<'a>> {
        let mut rest = *self;
        let mut parts = Vec::new();
        let mut start = rest.at;
        let mut depth = 0_u32;
        while !rest.is_done() {
            if rest.is_symbol('(') {
                depth += 1;
            } else if rest.is_symbol(')') {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && rest.is_symbol(',') {
                parts.push(rest.since(start));
                start = rest.at + 1;
            }
            rest.at += 1;
        }
        parts.push(rest.since(start));
        parts.retain(|part| !part.tokens.is_empty());
        parts
    }

    /// Returns the lines of the tokens; none without a token.
    pub fn lines(&self) -> Option<LineRange> {
        let (first, last) = (self.tokens.first()?, self.tokens.last()?);
        Some(LineRange::spanning(first.line, last.end_line))
    }

    /// Returns all tokens as written, in one line and without comments.
    pub fn text(&self) -> String {
        let mut joined = String::new();
        let mut end = None;
        for token in self.tokens {
            if end.is_some_and(|end| end != token.at.start) {
                joined.push(' ');
            }
            joined.push_str(&self.text[token.at.clone()]);
            end = Some(token.at.end);
        }
        joined.replace('\n', " ")
    }
}
