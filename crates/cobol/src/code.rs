//! The words of statements, conditions and options, split once.
//!
//! The parser stores them while it reads its tokens, separated by single blanks. Each word has its kind, and any run of words
//! can be returned as text.

use crate::lex::token::{TokenKind, comma_number, tokens};
use crate::tokens::TokenSlice;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A name or a reserved word; it may begin with a digit.
    Name = 0,
    /// A number, with an adjacent sign.
    Number = 1,
    /// A literal with its quotes and its prefix.
    Literal = 2,
    /// A symbol: `(`, `>=`, `**`.
    Sign = 3,
}

/// The position of a word in the text, and its kind. There are many words, so each takes eight bytes: the kind is in the lowest two
/// bits of the end position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedWord {
    start: u32,
    end_and_kind: u32,
}

impl PackedWord {
    /// The longest text whose positions fit: 1 GiB.
    const LONGEST: u32 = u32::MAX >> 2;

    fn new(start: usize, end: usize, kind: WordKind) -> Self {
        let end = to_u32(end).min(Self::LONGEST);
        Self { start: to_u32(start).min(end), end_and_kind: end << 2 | kind as u32 }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..(self.end_and_kind >> 2) as usize
    }

    fn kind(self) -> WordKind {
        match self.end_and_kind & 3 {
            0 => WordKind::Name,
            1 => WordKind::Number,
            2 => WordKind::Literal,
            _ => WordKind::Sign,
        }
    }
}

/// Words with their text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeText {
    text: String,
    pieces: Vec<PackedWord>,
}

impl Display for CodeText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A range of words of a [`CodeText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordSpan {
    start: u32,
    end: u32,
}

impl WordSpan {
    /// Returns the number of words.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Returns whether it is empty.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Positions and indices take 32 bits: no source has four billion words or items.
pub(crate) fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl CodeText {
    /// Splits a text into words. Commas and semicolons are separators, except for the comma of a number.
    pub fn read(text: &str) -> Self {
        let mut code = Self::default();
        let (mut before, mut at) = (None, 0);
        let tokens = tokens(text, &[], &mut Vec::new());
        while let Some(token) = tokens.get(at) {
            // The parser's own text contains no comma except that of a number.
            let number = comma_number(text, TokenSlice::of(&tokens), at);
            let (range, taken) = number.unwrap_or((token.range(), 1));
            let is_adjacent = before == Some(range.start);
            before = Some(range.end);
            code.push(token.kind, &text[range], is_adjacent);
            at += taken;
        }
        code
    }

    /// Returns all words.
    pub fn words(&self) -> WordSlice<'_> {
        WordSlice { text: &self.text, pieces: &self.pieces }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        self.words().text()
    }

    /// Returns the words of a span.
    pub(crate) fn of(&self, span: WordSpan) -> WordSlice<'_> {
        let range = span.start as usize..span.end.max(span.start) as usize;
        WordSlice { text: &self.text, pieces: self.pieces.get(range).unwrap_or_default() }
    }

    /// Returns an empty span after the last word.
    pub(crate) fn empty_span(&self) -> WordSpan {
        let end = to_u32(self.pieces.len());
        WordSpan { start: end, end }
    }

    /// Adds a word to the last opened span, with or without a blank before it.
    pub(crate) fn extend(&mut self, span: &mut WordSpan, kind: TokenKind, word: &str, is_adjacent: bool) {
        if span.is_empty() {
            *span = self.empty_span();
            self.close_text();
        }
        debug_assert_eq!(span.end, to_u32(self.pieces.len()), "no word stands between those of a statement");
        self.push(kind, word, is_adjacent);
        span.end = to_u32(self.pieces.len());
    }

    /// Prevents the next word from joining the text before it.
    fn close_text(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// A subscript follows its name without a blank, a parenthesized condition does not; the two symbols of `>=`, `<=`, `<>` and `**` are one word.
    fn push(&mut self, kind: TokenKind, word: &str, is_adjacent: bool) {
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        let last = self.pieces.last().copied().filter(|_| !begins);
        let before = last.and_then(|last| self.text.get(last.range()));
        let is_symbol = kind == TokenKind::Symbol;
        let doubles =
            is_symbol && matches!((before, word), (Some("<" | ">"), "=") | (Some("<"), ">") | (Some("*"), "*"));
        let is_tight = begins
            || before == Some("(")
            || (is_symbol && word == ")")
            || (is_adjacent && ((is_symbol && word == "(") || doubles));
        if !is_tight {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(word);
        match last.filter(|_| doubles) {
            Some(first) => {
                self.pieces.pop();
                self.pieces.push(PackedWord::new(first.range().start, self.text.len(), WordKind::Sign));
            }
            None => self.pieces.push(PackedWord::new(start, self.text.len(), kind_of(kind, word))),
        }
    }

    /// Releases unused capacity.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.pieces.shrink_to_fit();
    }
}

fn kind_of(kind: TokenKind, word: &str) -> WordKind {
    match kind {
        TokenKind::Literal | TokenKind::PseudoText | TokenKind::Exec => WordKind::Literal,
        TokenKind::Symbol | TokenKind::Period => WordKind::Sign,
        TokenKind::Word | TokenKind::Picture | TokenKind::MissingCopy => {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,".contains(&byte));
            if is_number { WordKind::Number } else { WordKind::Name }
        }
    }
}

/// Consecutive words.
#[derive(Debug, Clone, Copy)]
pub struct WordSlice<'a> {
    text: &'a str,
    pieces: &'a [PackedWord],
}

impl<'a> WordSlice<'a> {
    /// Returns the number of words.
    pub fn len(self) -> usize {
        self.pieces.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the word at a position.
    pub fn get(self, at: usize) -> Option<CodeWord<'a>> {
        self.pieces.get(at).map(|piece| self.word(piece))
    }

    fn word(self, piece: &PackedWord) -> CodeWord<'a> {
        CodeWord { text: self.text.get(piece.range()).unwrap_or_default(), kind: piece.kind() }
    }

    /// Returns the first word.
    pub fn first(self) -> Option<CodeWord<'a>> {
        self.get(0)
    }

    /// Returns the only word; none if there are others.
    pub fn only(self) -> Option<CodeWord<'a>> {
        self.first().filter(|_| self.len() == 1)
    }

    /// Returns the last word.
    pub fn last(self) -> Option<CodeWord<'a>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Returns the words in order.
    pub fn iter(self) -> impl Iterator<Item = CodeWord<'a>> + Clone {
        self.pieces.iter().map(move |piece| self.word(piece))
    }

    /// Returns the words from a position on.
    pub fn from(self, at: usize) -> Self {
        Self { pieces: self.pieces.get(at..).unwrap_or_default(), ..self }
    }

    /// Returns the words before a position.
    pub fn ending_at(self, end: usize) -> Self {
        Self { pieces: self.pieces.get(..end).unwrap_or(self.pieces), ..self }
    }

    /// Returns the words of a range of positions.
    pub fn slice(self, places: Range<usize>) -> Self {
        self.ending_at(places.end).from(places.start)
    }

    /// Returns the position of the first word that satisfies a predicate.
    pub fn position(self, holds: impl FnMut(CodeWord<'a>) -> bool) -> Option<usize> {
        self.iter().position(holds)
    }

    /// Returns whether the slice contains a word.
    pub fn has(self, word: &str) -> bool {
        self.iter().any(|found| found.is(word))
    }

    /// Returns the text.
    pub fn text(self) -> &'a str {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else { return "" };
        self.text.get(first.range().start..last.range().end).unwrap_or_default()
    }

    /// Copies the words to a text of their own.
    pub fn to_code(self) -> CodeText {
        let start = self.pieces.first().map_or(0, |first| first.range().start);
        let moved = |piece: &PackedWord| {
            let range = piece.range();
            PackedWord::new(range.start - start, range.end - start, piece.kind())
        };
        CodeText { text: self.text().to_owned(), pieces: self.pieces.iter().map(moved).collect() }
    }

    /// Splits the words at a reserved word outside parentheses.
    pub fn split(self, at: &str) -> Vec<WordSlice<'a>> {
        let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
        for (place, word) in self.iter().enumerate() {
            match word.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ if depth == 0 && word.is(at) => {
                    parts.push(self.slice(start..place));
                    start = place + 1;
                }
                _ => {}
            }
        }
        parts.push(self.from(start));
        parts
    }

    /// Returns the names that qualify the first word, innermost first: `A OF B IN C`.
    pub fn qualifiers(self) -> impl Iterator<Item = &'a str> {
        (1..).step_by(2).map_while(move |at| {
            self.get(at).filter(|word| word.is_any(&["OF", "IN"]))?;
            self.get(at + 1).map(|name| name.text)
        })
    }

    /// Returns whether a blank precedes the word at a position.
    pub fn has_space_before(self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.pieces.get(before));
        let both = before.zip(self.pieces.get(at));
        both.is_some_and(|(before, piece)| before.range().end < piece.range().start)
    }
}

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeWord<'a> {
    /// As written.
    pub text: &'a str,
    /// Its kind.
    pub kind: WordKind,
}

/// The spellings of the figurative constant zero.
pub const ZEROS: &[&str] = &["ZERO", "ZEROS", "ZEROES"];

/// The figurative constants.
pub const FIGURATIVE_CONSTANTS: &[&str] = &[
    "ZERO", "ZEROS", "ZEROES", "SPACE", "SPACES", "LOW-VALUE", "LOW-VALUES", "HIGH-VALUE", "HIGH-VALUES", "QUOTE",
    "QUOTES", "NULL", "NULLS",
];

impl CodeWord<'_> {
    /// Returns whether it is this word, in upper or lower case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == WordKind::Name && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns whether it is one of these words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Returns whether it is this symbol.
    pub fn is_sign(&self, sign: &str) -> bool {
        self.kind == WordKind::Sign && self.text == sign
    }

    /// Returns whether it is a comparison operator: `=`, `>`, `<=`.
    pub(crate) fn is_comparison(&self) -> bool {
        self.kind == WordKind::Sign && self.text.starts_with(['<', '>', '='])
    }

    /// Returns whether it is an arithmetic operator: a symbol, or a number with its own sign.
    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(self.kind, WordKind::Sign | WordKind::Number) && self.text.starts_with(['+', '-', '*', '/'])
    }

    /// Returns whether it is a literal, a number or a figurative constant.
    pub fn is_constant(&self) -> bool {
        match self.kind {
            WordKind::Literal | WordKind::Number => true,
            WordKind::Name => self.is_any(FIGURATIVE_CONSTANTS),
            WordKind::Sign => false,
        }
    }

    /// Returns whether it is a literal of several words: a message.
    pub fn is_message(&self) -> bool {
        let is_word = |part: &&str| part.chars().any(char::is_alphabetic);
        self.kind == WordKind::Literal
            && self.text.trim_matches(['\'', '"']).split_whitespace().filter(is_word).count() > 1
    }

    /// Returns whether it can be the name of an item.
    pub fn is_name(&self) -> bool {
        self.kind == WordKind::Name && !self.is_constant()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_numbers_literals_and_signs() {
        use WordKind::{Literal, Name, Number, Sign};
        let check = |text: &str, expected: &[(&str, WordKind)], read: &str| {
            let code = CodeText::read(text);
            let found: Vec<_> = code.words().iter().map(|word| (word.text, word.kind)).collect();
            assert_eq!((found.as_slice(), code.text()), (expected, read), "{text}");
        };
        check("A-1 > = 250000.00", &[("A-1", Name), ("> =", Sign), ("250000.00", Number)], "A-1 > = 250000.00");
        check(
            "A(I,J)  NOT<>'it''s' OR x'00'",
            &[
                ("A", Name),
                ("(", Sign),
                ("I", Name),
                ("J", Name),
                (")", Sign),
                ("NOT", Name),
                ("<>", Sign),
                ("'it''s'", Literal),
                ("OR", Name),
                ("x'00'", Literal),
            ],
            "A(I J) NOT <> 'it''s' OR x'00'",
        );
        check(
            "3000-LOG ** 2 -1.5",
            &[("3000-LOG", Name), ("**", Sign), ("2", Number), ("-1.5", Number)],
            "3000-LOG ** 2 -1.5",
        );
        check("", &[], "");
    }

    #[test]
    fn spans_have_their_own_text_and_parts() {
        let mut code = CodeText::default();
        let (mut first, mut second) = (code.empty_span(), WordSpan::default());
        code.extend(&mut first, TokenKind::Symbol, "<", false);
        code.extend(&mut second, TokenKind::Symbol, "=", true);
        code.extend(&mut second, TokenKind::Word, "ALSO", false);
        code.extend(&mut second, TokenKind::Word, "B", false);
        assert_eq!((code.of(first).text(), code.of(second).text()), ("<", "= ALSO B"));
        let parts: Vec<String> =
            code.of(second).split("ALSO").into_iter().map(|part| part.to_code().text().to_owned()).collect();
        assert_eq!(parts, ["=", "B"]);
        assert!(code.of(second).has_space_before(1) && !code.of(second).has_space_before(0));
    }
}
