//! Tokens of the logical text, parsed with nom.
//!
//! ```text
//! token   = literal | pseudo-text | exec | picture | word | period | symbol
//! literal = [ prefix ] quote { character | quote quote } quote
//! word    = ( letter | digit ) { letter | digit | "-" | "_" | "$" | "#" | "@" | ":" tag ":" }
//! period  = "." before a blank or an end
//! exec    = ( "EXEC" | "EXECUTE" ) kind ... "END-EXEC"
//! ```
//! Commas and semicolons are separators and produce no token.

use super::logical::SourceSegment;
use crate::diagnostic::Diagnostic;
use crate::tokens::TokenSlice;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while1};
use nom::character::complete::{anychar, satisfy};
use nom::combinator::{opt, peek, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{pair, terminated};
use nom::{IResult, Parser};
use std::ops::Range;
use war_rig_text::LineNumber;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word or a number.
    Word,
    /// An alphanumeric literal with its quotes and prefix.
    Literal,
    /// A picture string.
    Picture,
    /// A separator period.
    Period,
    /// One character of punctuation.
    Symbol,
    /// `== ... ==`.
    PseudoText,
    /// `EXEC ... END-EXEC`, opaque.
    Exec,
    /// A marker in the stream for a copybook that was not found.
    MissingCopy,
}

/// A token of one source: a range of its logical text, and its position. There are many tokens, so the struct is small.
#[derive(Debug, Clone, Copy)]
pub struct RawToken {
    start: u32,
    end: u32,
    /// The line on which it begins.
    pub line: LineNumber,
    /// The line on which it ends.
    pub end_line: LineNumber,
    /// Its one-based column; larger columns are stored as 65,535.
    pub column: u16,
    /// Its kind.
    pub kind: TokenKind,
    /// Whether it is the first token of its line.
    pub first: bool,
}

impl RawToken {
    /// Returns its byte range in the logical text.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns whether another token begins where this one ends.
    pub(crate) fn touches(&self, next: &RawToken) -> bool {
        self.end == next.start
    }
}

/// The longest logical text whose token positions fit: 4 GiB.
pub(crate) const LONGEST_TEXT: usize = u32::MAX as usize;

type LexResult<'a, T> = IResult<&'a str, T>;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@')
}

fn placeholder(input: &str) -> LexResult<'_, &str> {
    recognize((tag(":"), take_while1(is_word), tag(":"))).parse(input)
}

fn word(input: &str) -> LexResult<'_, &str> {
    let start = alt((recognize(satisfy(|c| c.is_alphanumeric() || matches!(c, '$' | '#' | '@' | '_'))), placeholder));
    recognize(pair(start, many0_count(alt((take_while1(is_word), placeholder))))).parse(input)
}

/// Parses a number with its sign or its decimal point: `-1`, `1.5`, `+.5`, and the floating-point `1.5E-3`.
fn number(input: &str) -> LexResult<'_, &str> {
    let digits = || take_while1(|c: char| c.is_ascii_digit());
    let sign = || alt((tag("-"), tag("+")));
    let exponent = || recognize((tag_no_case("E"), opt(sign()), digits()));
    let tail = || recognize((tag("."), digits(), opt(exponent())));
    let decimal = alt((recognize((opt(sign()), digits(), tail())), recognize((opt(sign()), tail()))));
    let whole = recognize(pair(sign(), digits()));
    terminated(alt((decimal, whole)), peek(not_word)).parse(input)
}

fn not_word(input: &str) -> LexResult<'_, ()> {
    match input.chars().next() {
        Some(c) if is_word(c) => nom::combinator::fail().parse(input),
        _ => Ok((input, ())),
    }
}

/// Parses a literal up to its closing quote, or to the end of the line if it is not closed.
fn literal(input: &str) -> LexResult<'_, &str> {
    let prefix_len = input.bytes().take(2).take_while(u8::is_ascii_alphabetic).count();
    let prefix = &input[..prefix_len];
    let known =
        ["", "X", "N", "Z", "G", "B", "H", "U", "NX", "BX", "UX", "NC"].iter().any(|p| p.eq_ignore_ascii_case(prefix));
    let quote = input[prefix_len..].chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote.filter(|_| known) else { return nom::combinator::fail().parse(input) };
    let body = &input.as_bytes()[prefix_len + 1..];
    let quote = quote as u8;
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == quote || *byte == b'\n') {
        at += found;
        let end = prefix_len + 1 + at;
        if body[at] == b'\n' {
            return Ok((&input[end..], &input[..end]));
        }
        if body.get(at + 1) != Some(&quote) {
            return Ok((&input[end + 1..], &input[..end + 1]));
        }
        at += 2;
    }
    Ok(("", input))
}

fn pseudo_text(input: &str) -> LexResult<'_, &str> {
    let (rest, _) = tag("==").parse(input)?;
    match rest.find("==") {
        Some(end) => Ok((&rest[end + 2..], &input[..end + 4])),
        None => nom::combinator::fail().parse(input),
    }
}

/// The maximum length of blanks and digits in the parentheses of a picture: `PIC X( 10 )`.
const MOST_IN_PICTURE: usize = 40;

/// Parses a picture string: everything to the next blank, without the period or comma that ends the entry. Blanks in its
/// parentheses belong to it.
fn picture(input: &str) -> LexResult<'_, &str> {
    let (_, run) = take_while1(|c: char| !c.is_whitespace()).parse(input)?;
    let open = |text: &str| text.rfind('(').is_some_and(|at| !text[at..].contains(')'));
    let mut end = run.len();
    if open(run)
        && let Some(closing) = input[end..].bytes().take(MOST_IN_PICTURE).position(|byte| byte == b')')
        && input[end..end + closing].bytes().all(|byte| byte == b' ' || is_word(char::from(byte)))
    {
        let rest = &input[end + closing..];
        end += closing + rest.find(char::is_whitespace).unwrap_or(rest.len());
    }
    let picture = input[..end].trim_end_matches([',', ';']);
    let picture = picture.strip_suffix('.').unwrap_or(picture);
    if picture.is_empty() { nom::combinator::fail().parse(input) } else { Ok((&input[picture.len()..], picture)) }
}

fn plain(input: &str) -> LexResult<'_, TokenKind> {
    alt((
        value(TokenKind::Literal, literal),
        value(TokenKind::Word, number),
        value(TokenKind::Word, word),
        value(TokenKind::Period, tag(".")),
        value(TokenKind::Symbol, anychar),
    ))
    .parse(input)
}

/// Whether each ASCII byte is part of a word: [`is_word`] in a table, because this is asked for nearly every byte of a source.
const IS_PART: [bool; 256] = {
    let mut is_part = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let is_sign = matches!(byte as u8, b'-' | b'_' | b'$' | b'#' | b'@');
        is_part[byte] = (byte as u8).is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    is_part
};

/// Parses the most frequent tokens by single bytes: an ASCII word, a period, a symbol. Returns none for all other tokens.
fn common(input: &[u8]) -> Option<(TokenKind, usize)> {
    let next = input.get(1).copied().unwrap_or(b' ');
    match input[0] {
        first if IS_PART[usize::from(first)] && first != b'-' => {
            let end = input.iter().position(|byte| !IS_PART[usize::from(*byte)]).unwrap_or(input.len());
            match input.get(end) {
                // A literal with a prefix, a word with a tag in it, or a letter outside ASCII.
                Some(b'\'' | b'"') if end <= 2 => None,
                Some(b':' | 0x80..) => None,
                // A number with a decimal point.
                Some(b'.') if first.is_ascii_digit() && input.get(end + 1).is_some_and(u8::is_ascii_digit) => None,
                _ => Some((TokenKind::Word, end)),
            }
        }
        b'.' if !next.is_ascii_digit() => Some((TokenKind::Period, 1)),
        b'(' | b')' | b'=' | b'<' | b'>' | b'*' | b'/' => Some((TokenKind::Symbol, 1)),
        b'+' | b'-' if !(next.is_ascii_digit() || next == b'.') => Some((TokenKind::Symbol, 1)),
        _ => None,
    }
}

/// The kind of token that the previous tokens announce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ExpectedToken {
    /// Any kind.
    #[default]
    Any,
    /// A picture string, or IS before one.
    Picture,
    /// Pseudo-text, if two equals signs follow.
    PseudoText,
}

impl ExpectedToken {
    /// Returns the expected kind after a token, given the expected kind before it. Operands of REPLACING may be pseudo-text or not, in
    /// any mixture, up to the period.
    pub(crate) fn after(self, kind: TokenKind, word: &[u8]) -> Self {
        let is = |words: &[&str]| words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word));
        match kind {
            // Most words have another length.
            TokenKind::Word if matches!(word.len(), 3 | 7) && is(&["PIC", "PICTURE"]) => ExpectedToken::Picture,
            TokenKind::Word if self == ExpectedToken::Picture && is(&["IS"]) => ExpectedToken::Picture,
            TokenKind::Word if matches!(word.len(), 7 | 9) && is(&["REPLACING", "REPLACE"]) => {
                ExpectedToken::PseudoText
            }
            TokenKind::Period => ExpectedToken::Any,
            _ if self == ExpectedToken::PseudoText => ExpectedToken::PseudoText,
            _ => ExpectedToken::Any,
        }
    }
}

/// Returns the place of the next token at or behind another: behind blanks and separators.
fn next_start(text: &str, at: usize) -> Option<usize> {
    // Nearly all of them are blanks.
    let is_separator = |byte: &u8| *byte == b' ' || matches!(byte, b'\t'..=b'\r' | b',' | b';');
    let bytes = &text.as_bytes()[at..];
    let start = at + bytes.iter().position(|byte| !is_separator(byte))?;
    if text.as_bytes()[start].is_ascii() {
        return Some(start);
    }
    // Blanks outside ASCII.
    text[start..].find(|c: char| !(c.is_whitespace() || matches!(c, ',' | ';'))).map(|more| start + more)
}

/// Returns all tokens of a logical text, in order.
pub(crate) fn tokens(text: &str, segments: &[SourceSegment], diagnostics: &mut Vec<Diagnostic>) -> Vec<RawToken> {
    tokens_after(ExpectedToken::Any, text, segments, diagnostics)
}

/// Returns the tokens of a text inside another; the text before it determines what is expected.
pub(crate) fn tokens_after(
    mut expected: ExpectedToken,
    text: &str,
    segments: &[SourceSegment],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<RawToken> {
    let mut tokens: Vec<RawToken> = Vec::with_capacity(text.len() / 6);
    let mut places = PositionFinder::new(segments, text);
    let mut at = 0;
    let mut last_line = None;
    while let Some(start) = next_start(text, at) {
        let (mut kind, length) = next_token(&text[start..], expected);
        let mut end = start + length;
        let (line, column) = places.find(start);
        if kind == TokenKind::Word && matches!(length, 4 | 7) && is_exec(&text[start..end]) {
            match exec_end(text, start, end) {
                ExecBlockEnd::None => {}
                ExecBlockEnd::Closed(closed) => (kind, end) = (TokenKind::Exec, closed),
                ExecBlockEnd::Unclosed(closed) => {
                    let message = "EXEC without END-EXEC; it is taken to end with its sentence";
                    diagnostics.push(Diagnostic::warning("unclosed-exec", line, message));
                    (kind, end) = (TokenKind::Exec, closed);
                }
            }
        }
        let end_line = places.line_behind(end - 1);
        let first = last_line != Some(line);
        last_line = Some(end_line);
        expected = expected.after(kind, &text.as_bytes()[start..end]);
        // The text is no longer than `LONGEST_TEXT`.
        tokens.push(RawToken { kind, start: start as u32, end: end as u32, line, end_line, column, first });
        at = end;
    }
    tokens.shrink_to_fit();
    tokens
}

/// Returns a number with a decimal comma, and how many tokens it has: the lexer reads `12,5` as two words and `,5` as one, because a
/// comma separates words in other programs.
pub(crate) fn comma_number(text: &str, tokens: TokenSlice<'_, RawToken>, at: usize) -> Option<(Range<usize>, usize)> {
    let digits = |at: usize| {
        let range = tokens.get(at).filter(|token| token.kind == TokenKind::Word)?.range();
        let word = &text[range.clone()];
        let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
        let is_number = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(range)
    };
    let mut number = digits(at)?;
    let before = text[..number.start].strip_suffix(',');
    let leads = before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\n', '(', '-', '+']));
    match digits(at + 1) {
        Some(next) if !leads && text[number.end..next.start] == *"," => Some((number.start..next.end, 2)),
        _ if leads => {
            number.start -= 1;
            Some((number, 1))
        }
        _ => None,
    }
}

/// Returns the first token of an input, with its length.
fn next_token(input: &str, expected: ExpectedToken) -> (TokenKind, usize) {
    let taken = |rest: &str| input.len() - rest.len();
    match expected {
        ExpectedToken::Any => {}
        ExpectedToken::Picture => {
            let is_word_is = input.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("IS"))
                && input[2..].starts_with(char::is_whitespace);
            if !is_word_is && let Ok((rest, _)) = picture(input) {
                return (TokenKind::Picture, taken(rest));
            }
        }
        ExpectedToken::PseudoText => {
            if let Ok((rest, _)) = pseudo_text(input) {
                return (TokenKind::PseudoText, taken(rest));
            }
        }
    }
    if let Some(common) = common(input.as_bytes()) {
        return common;
    }
    match plain(input) {
        Ok((rest, kind)) => (kind, taken(rest)),
        // `anychar` accepts anything, so only an empty input gets here, and the caller never passes one.
        Err(_) => (TokenKind::Symbol, input.chars().next().map_or(1, char::len_utf8)),
    }
}

fn is_exec(word: &str) -> bool {
    word.eq_ignore_ascii_case("EXEC") || word.eq_ignore_ascii_case("EXECUTE")
}

enum ExecBlockEnd {
    None,
    Closed(usize),
    Unclosed(usize),
}

/// Returns the end of an EXEC block that begins at `start`. The search stops at the next EXEC, so that all searches together
/// are linear.
fn exec_end(text: &str, start: usize, word_end: usize) -> ExecBlockEnd {
    let kind = text[word_end..].trim_start();
    let kind_end = kind.find(|c: char| !is_word(c)).unwrap_or(kind.len());
    if !is_exec_kind(&kind[..kind_end]) {
        return ExecBlockEnd::None;
    }
    let body = word_end + (text[word_end..].len() - kind.len()) + kind_end;
    let mut at = body;
    while let Some(found) = text[at..].find(|c: char| c.eq_ignore_ascii_case(&'E')) {
        let here = at + found;
        let boundary = !text[..here].ends_with(is_word);
        let rest = &text[here..];
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if boundary && rest[..end].eq_ignore_ascii_case("END-EXEC") {
            return ExecBlockEnd::Closed(here + end);
        }
        if boundary && is_exec(&rest[..end]) && next_is_kind(&rest[end..]) {
            break;
        }
        at = here + end.max(1);
    }
    let line = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let sentence = text[start..at.max(line)].find(".\n").map_or(line, |end| start + end);
    // The period that ends the sentence may belong to a label below the block.
    let label = text[start..sentence].rfind('\n').map(|end| start + end).filter(|above| {
        let own = &text[above + 1..sentence];
        let word = own.trim_start_matches(' ');
        own.len() - word.len() < AREA_B && !word.is_empty() && word.chars().all(is_word)
    });
    ExecBlockEnd::Unclosed(label.unwrap_or(sentence).max(body))
}

/// The number of blanks before code in area B, after those of the sequence area and the indicator.
const AREA_B: usize = 4;

fn next_is_kind(rest: &str) -> bool {
    let rest = rest.trim_start();
    is_exec_kind(&rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())])
}

/// Returns whether a precompiler knows this language after EXEC.
fn is_exec_kind(word: &str) -> bool {
    ["SQL", "CICS", "DLI", "SQLIMS", "HTML", "ADO", "JAVA"].iter().any(|kind| kind.eq_ignore_ascii_case(word))
}

/// Finds lines and columns for increasing positions.
struct PositionFinder<'a> {
    /// The segments behind the current one.
    segments: &'a [SourceSegment],
    /// The line of the current segment, and where the next one begins.
    line: LineNumber,
    next: usize,
    text: &'a str,
    /// Whether each character is one byte.
    is_ascii: bool,
    /// The last requested position, with its column. A line may be as long as the file.
    last: (usize, u32),
}

impl<'a> PositionFinder<'a> {
    fn new(segments: &'a [SourceSegment], text: &'a str) -> Self {
        let mut finder =
            Self { segments, line: LineNumber::FIRST, next: 0, text, is_ascii: text.is_ascii(), last: (0, 1) };
        finder.advance();
        finder
    }

    /// Goes on to the next segment.
    fn advance(&mut self) {
        if let Some((segment, behind)) = self.segments.split_first() {
            (self.segments, self.line, self.last) = (behind, segment.line, (segment.at, segment.column));
        }
        self.next = self.segments.first().map_or(usize::MAX, |next| next.at);
    }

    fn find(&mut self, position: usize) -> (LineNumber, u16) {
        while self.next <= position {
            self.advance();
        }
        let (from, column) = self.last;
        let passed = if self.is_ascii { position - from } else { self.text[from..position].chars().count() };
        let column = column + passed as u32;
        self.last = (position, column);
        (self.line, u16::try_from(column).unwrap_or(u16::MAX))
    }

    /// Returns the line of a position after the last one.
    fn line_behind(&self, position: usize) -> LineNumber {
        let behind = self.segments.iter().take_while(|segment| segment.at <= position);
        behind.last().map_or(self.line, |segment| segment.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tokens of a text, parsed with nom only.
    fn slowly(text: &str) -> Vec<(TokenKind, &str)> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| !(c.is_whitespace() || matches!(c, ',' | ';'))) {
            let (next, kind) = plain(&rest[start..]).expect("anything is a token");
            found.push((kind, &rest[start..rest.len() - next.len()]));
            rest = next;
        }
        found
    }

    #[test]
    fn what_is_told_by_single_bytes_is_what_the_grammar_says() {
        let parts = [
            "MOVE", "X", "nx", "12", "1A", "-", "+", ".", "(", ")", "=", "==", "*", "/", "<", ":", ":T:", "'A''B'",
            "\"", "'", " ", "\n", ",", ";", "1.5E", ".5e-3", "ä", "\u{a0}", "$", "_A", "#", "A-B", "9-", "&",
            "\u{2028}",
        ];
        let mut checked = 0;
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = format!("{first}{second}{third}");
                    let tokens = tokens(&text, &[], &mut Vec::new());
                    let found: Vec<_> = tokens.iter().map(|token| (token.kind, &text[token.range()])).collect();
                    assert_eq!(found, slowly(&text), "{text:?}");
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, parts.len().pow(3));
    }

    #[test]
    fn a_line_as_long_as_a_file_is_read_in_one_pass() {
        // Counting each word's column from the start of this line would take hours.
        let text = "A ".repeat(2_000_000);
        let segments = [SourceSegment { at: 0, line: LineNumber::FIRST, column: 1 }];
        let tokens = tokens(&text, &segments, &mut Vec::new());
        assert_eq!((tokens[3].column, tokens[1_999_999].column), (7, u16::MAX));
    }
}
