//! From physical lines to tokens.
//!
//! There are two steps. [`logical`] joins continued lines and drops comments, sequence areas and comment entries, without nom, and
//! keeps a segment map back to lines and columns. [`token`] parses the joined text with nom.

pub(crate) mod logical;
pub(crate) mod token;

use crate::code::to_u32;
use crate::diagnostic::Diagnostic;
use crate::tokens::TokenSlice;
use std::sync::Arc;
use token::{RawToken, TokenKind};
use war_rig_text::{ContentHash, LineNumber, ReadNote, SourceFormat, SourceText};

/// A source split into tokens, without its copybooks.
#[derive(Debug, Clone)]
pub struct LexedSource {
    pub(crate) name: String,
    /// The hash of the file's bytes, which identifies repeated readings of one file.
    pub(crate) hash: ContentHash,
    /// Shared, because it outlives the tokens.
    pub(crate) text: Arc<String>,
    /// The origins of the text.
    pub(crate) segments: Vec<logical::SourceSegment>,
    pub(crate) tokens: Vec<RawToken>,
    /// The tokens at which a COPY or an INCLUDE may begin.
    pub(crate) copies: Vec<u32>,
    /// Whether it contains DECIMAL-POINT IS COMMA.
    pub(crate) decimal_comma: bool,
    /// Whether its first line of code is in fixed format, where columns have a meaning.
    pub(crate) is_fixed: bool,
    /// Whether it may contain a REPLACE.
    pub(crate) may_replace: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) line_count: usize,
    pub(crate) comment_lines: Vec<bool>,
    /// The hash of its text, if parts of it were masked.
    masked: Option<ContentHash>,
}

impl LexedSource {
    /// Maps each line behind the first `half` lines to the same line of the first half: of a text that is generated in two halves, each with the lines of its
    /// source. 0 changes nothing.
    pub fn fold_lines(&mut self, half: usize) {
        let folded = |line: LineNumber| match line.index().checked_sub(half) {
            Some(index) if half > 0 => LineNumber::from_index(index),
            _ => line,
        };
        for token in &mut self.tokens {
            (token.line, token.end_line) = (folded(token.line), folded(token.end_line));
        }
    }

    /// Returns the tokens of the logical text, in order.
    pub fn tokens(&self) -> TokenSlice<'_, RawToken> {
        TokenSlice::of(&self.tokens)
    }

    /// Splits a source into tokens. Any input yields tokens or a diagnostic, or is empty.
    pub fn of(source: &SourceText) -> Self {
        let mut logical = logical::LogicalText::of(source);
        logical.truncate(token::LONGEST_TEXT);
        let mut diagnostics: Vec<Diagnostic> = source.notes().iter().map(|note| noted(*note)).collect();
        diagnostics.append(&mut logical.diagnostics);
        let tokens = token::tokens(&logical.text, &logical.segments, &mut diagnostics);
        let Keywords { copies, may_replace, decimal_comma } = Keywords::of(&logical.text, tokens.iter());
        let is_fixed = source.lines().next().is_some_and(|line| line.format() == SourceFormat::Fixed);
        Self {
            name: source.name().to_owned(),
            hash: source.hash(),
            text: Arc::new(logical.text),
            segments: logical.segments,
            tokens,
            copies,
            decimal_comma,
            is_fixed,
            may_replace,
            diagnostics,
            line_count: source.line_count(),
            comment_lines: logical.comment_lines,
            masked: None,
        }
    }

    /// Splits a source with masked parts; its hash distinguishes the masked text from the file.
    pub fn of_masked(source: &SourceText) -> Self {
        let lexed = Self::of(source);
        Self { masked: Some(ContentHash::of(lexed.text.as_bytes())), ..lexed }
    }

    /// Returns the hash of the masked text, if parts were masked.
    pub fn masked(&self) -> Option<ContentHash> {
        self.masked
    }

    /// Returns the hash of the file's bytes.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Returns whether it contains the header of a program.
    pub fn is_program(&self) -> bool {
        let is = |token: &RawToken, word: &str| self.text[token.range()].eq_ignore_ascii_case(word);
        self.tokens.iter().any(|token| is(token, "PROGRAM-ID"))
    }

    /// Returns the logical text: the code of the source, joined, without comments.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the origins of the logical text, in order.
    pub fn segments(&self) -> &[logical::SourceSegment] {
        &self.segments
    }

    /// Returns the name of the source, as passed in.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Splits a text that is not code, such as comments, into tokens; `segments` contain the origins of its ranges, in order.
pub fn tokenize(text: &str, segments: &[logical::SourceSegment]) -> Vec<RawToken> {
    token::tokens(text, segments, &mut Vec::new())
}

/// What a few words of a source mean for all of it, found in one pass.
#[derive(Default)]
struct Keywords {
    copies: Vec<u32>,
    may_replace: bool,
    decimal_comma: bool,
}

impl Keywords {
    fn of<'t>(text: &str, tokens: impl Iterator<Item = &'t RawToken> + Clone) -> Self {
        let is = |token: &RawToken, word: &str| text.as_bytes()[token.range()].eq_ignore_ascii_case(word.as_bytes());
        let mut found = Self::default();
        let mut behind = tokens.enumerate();
        while let Some((at, token)) = behind.next() {
            // Most words have another length.
            match token.range().len() {
                _ if token.kind == TokenKind::Exec => found.copies.push(to_u32(at)),
                4 if token.kind == TokenKind::Word && is(token, "COPY") => found.copies.push(to_u32(at)),
                7 => found.may_replace |= is(token, "REPLACE"),
                13 if is(token, "DECIMAL-POINT") => {
                    let mut next = behind.clone().map(|(_, next)| next).skip_while(|next| is(next, "IS"));
                    found.decimal_comma |= next.next().is_some_and(|next| is(next, "COMMA"));
                }
                _ => {}
            }
        }
        found
    }
}

/// Converts a note from reading the bytes to a diagnostic for the whole file.
fn noted(note: ReadNote) -> Diagnostic {
    Diagnostic::note(note.code(), None, note.to_string())
}
