//! Tokens of the logical text, read with nom.
//!
//! ```text
//! token   = literal | pseudo-text | exec | picture | word | period | symbol
//! literal = [ prefix ] quote { character | quote quote } quote
//! word    = ( letter | digit ) { letter | digit | "-" | "_" | "$" | "#" | "@" | ":" tag ":" }
//! period  = "." before a blank or an end
//! exec    = ( "EXEC" | "EXECUTE" ) kind ... "END-EXEC"
//! ```
//! Commas and semicolons are separators and leave no token.

use super::logical::Segment;
use crate::model::{Diagnostic, Severity};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{anychar, satisfy};
use nom::combinator::{opt, peek, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{pair, terminated};
use nom::{IResult, Parser};
use war_rig_text::LineNumber;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
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
    /// Stands in the stream for a copybook that was not found.
    MissingCopy,
}

/// A token of one source: a range of its logical text, and where that stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawToken {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) line: LineNumber,
    pub(crate) end_line: LineNumber,
    pub(crate) column: u32,
    /// Whether it is the first token of its line.
    pub(crate) first: bool,
}

type Read<'a, T> = IResult<&'a str, T>;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@')
}

fn placeholder(input: &str) -> Read<'_, &str> {
    recognize((tag(":"), take_while1(is_word), tag(":"))).parse(input)
}

fn word(input: &str) -> Read<'_, &str> {
    let start =
        alt((recognize(satisfy(|c| c.is_alphanumeric() || matches!(c, '$' | '#' | '@' | '_'))), placeholder));
    recognize(pair(start, many0_count(alt((take_while1(is_word), placeholder))))).parse(input)
}

/// A number with its sign or its point: `-1`, `1.5`, `+.5`.
fn number(input: &str) -> Read<'_, &str> {
    let digits = || take_while1(|c: char| c.is_ascii_digit());
    let sign = || alt((tag("-"), tag("+")));
    let tail = || recognize(pair(tag("."), digits()));
    let decimal = alt((recognize((opt(sign()), digits(), tail())), recognize((opt(sign()), tail()))));
    let whole = recognize(pair(sign(), digits()));
    terminated(alt((decimal, whole)), peek(not_word)).parse(input)
}

fn not_word(input: &str) -> Read<'_, ()> {
    match input.chars().next() {
        Some(c) if is_word(c) => nom::combinator::fail().parse(input),
        _ => Ok((input, ())),
    }
}

/// A literal ends at its quote, or with the line where it is not closed.
fn literal(input: &str) -> Read<'_, &str> {
    let prefix_len = input.bytes().take(2).take_while(u8::is_ascii_alphabetic).count();
    let prefix = &input[..prefix_len];
    let known = ["", "X", "N", "Z", "G", "B", "H", "U", "NX", "BX", "UX", "NC"]
        .iter()
        .any(|p| p.eq_ignore_ascii_case(prefix));
    let quote = input[prefix_len..].chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote.filter(|_| known) else { return nom::combinator::fail().parse(input) };
    let body = &input[prefix_len + 1..];
    let mut characters = body.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = prefix_len + 1 + at;
        if c == '\n' {
            return Ok((&input[end..], &input[..end]));
        }
        if c == quote {
            if characters.peek().is_some_and(|(_, next)| *next == quote) {
                characters.next();
            } else {
                return Ok((&input[end + 1..], &input[..end + 1]));
            }
        }
    }
    Ok(("", input))
}

fn pseudo_text(input: &str) -> Read<'_, &str> {
    let (rest, _) = tag("==").parse(input)?;
    match rest.find("==") {
        Some(end) => Ok((&rest[end + 2..], &input[..end + 4])),
        None => nom::combinator::fail().parse(input),
    }
}

/// A picture string: everything to the next blank, without the period or comma that ends the entry.
fn picture(input: &str) -> Read<'_, &str> {
    let (_, run) = take_while1(|c: char| !c.is_whitespace()).parse(input)?;
    let picture = run.trim_end_matches([',', ';']);
    let picture = picture.strip_suffix('.').unwrap_or(picture);
    if picture.is_empty() {
        nom::combinator::fail().parse(input)
    } else {
        Ok((&input[picture.len()..], picture))
    }
}

fn plain(input: &str) -> Read<'_, TokenKind> {
    alt((
        value(TokenKind::Literal, literal),
        value(TokenKind::Word, number),
        value(TokenKind::Word, word),
        value(TokenKind::Period, tag(".")),
        value(TokenKind::Symbol, anychar),
    ))
    .parse(input)
}

/// All tokens of a logical text, in order.
pub(crate) fn tokens(text: &str, segments: &[Segment], diagnostics: &mut Vec<Diagnostic>) -> Vec<RawToken> {
    let mut tokens: Vec<RawToken> = Vec::with_capacity(text.len() / 8);
    let mut places = Places { segments, at: 0, text };
    let mut at = 0;
    let mut last_line = None;
    while let Some(skipped) = text[at..].find(|c: char| !(c.is_whitespace() || matches!(c, ',' | ';'))) {
        let start = at + skipped;
        let input = &text[start..];
        let previous = tokens.last().map(|token| (token.kind, &text[token.start..token.end]));
        let (kind, end) = next_token(input, start, previous, text, &tokens);
        let (line, column) = places.find(start);
        let (kind, end) = match kind {
            TokenKind::Word if is_exec(&text[start..end]) => match exec_end(text, start, end) {
                Exec::None => (kind, end),
                Exec::Closed(end) => (TokenKind::Exec, end),
                Exec::Unclosed(end) => {
                    diagnostics.push(Diagnostic {
                        severity: Severity::Warning,
                        code: "unclosed-exec",
                        line: Some(line),
                        message: "EXEC without END-EXEC; it is taken to end with its sentence".to_owned(),
                    });
                    (TokenKind::Exec, end)
                }
            },
            _ => (kind, end),
        };
        let end_line = places.clone().line(end - 1);
        let first = last_line != Some(line);
        last_line = Some(end_line);
        tokens.push(RawToken { kind, start, end, line, end_line, column, first });
        at = end;
    }
    tokens
}

fn next_token(
    input: &str,
    start: usize,
    previous: Option<(TokenKind, &str)>,
    text: &str,
    tokens: &[RawToken],
) -> (TokenKind, usize) {
    let said = |words: &[&str]| {
        previous.is_some_and(|(kind, word)| {
            kind == TokenKind::Word && words.iter().any(|w| w.eq_ignore_ascii_case(word))
        })
    };
    let after_picture = said(&["PIC", "PICTURE"])
        || (said(&["IS"])
            && tokens.len() >= 2
            && tokens.get(tokens.len() - 2).is_some_and(|token| {
                let word = &text[token.start..token.end];
                word.eq_ignore_ascii_case("PIC") || word.eq_ignore_ascii_case("PICTURE")
            }));
    let is_word_is = input.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("IS"))
        && input[2..].starts_with(char::is_whitespace);
    if after_picture
        && !is_word_is
        && let Ok((rest, _)) = picture(input)
    {
        return (TokenKind::Picture, start + input.len() - rest.len());
    }
    let expects_pseudo = said(&["REPLACING", "BY", "LEADING", "TRAILING", "REPLACE", "ALSO"])
        || previous.is_some_and(|(kind, _)| kind == TokenKind::PseudoText);
    if expects_pseudo && let Ok((rest, _)) = pseudo_text(input) {
        return (TokenKind::PseudoText, start + input.len() - rest.len());
    }
    match plain(input) {
        Ok((rest, kind)) => (kind, start + input.len() - rest.len()),
        // `anychar` takes anything, so this arm is for an empty input only, which the caller never hands in.
        Err(_) => (TokenKind::Symbol, start + input.chars().next().map_or(1, char::len_utf8)),
    }
}

fn is_exec(word: &str) -> bool {
    word.eq_ignore_ascii_case("EXEC") || word.eq_ignore_ascii_case("EXECUTE")
}

enum Exec {
    None,
    Closed(usize),
    Unclosed(usize),
}

/// Where an EXEC block that begins at `start` ends. The search stops at the next EXEC, so that all searches together
/// are linear.
fn exec_end(text: &str, start: usize, word_end: usize) -> Exec {
    let kind = text[word_end..].trim_start();
    let kind_end = kind.find(|c: char| !is_word(c)).unwrap_or(kind.len());
    if !is_exec_kind(&kind[..kind_end]) {
        return Exec::None;
    }
    let body = word_end + (text[word_end..].len() - kind.len()) + kind_end;
    let mut at = body;
    while let Some(found) = text[at..].find(|c: char| c.eq_ignore_ascii_case(&'E')) {
        let here = at + found;
        let boundary = !text[..here].ends_with(is_word);
        let rest = &text[here..];
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if boundary && rest[..end].eq_ignore_ascii_case("END-EXEC") {
            return Exec::Closed(here + end);
        }
        if boundary && is_exec(&rest[..end]) && next_is_kind(&rest[end..]) {
            break;
        }
        at = here + end.max(1);
    }
    let line = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let sentence = text[start..at.max(line)].find(".\n").map(|end| start + end);
    Exec::Unclosed(sentence.unwrap_or(line).max(body))
}

fn next_is_kind(rest: &str) -> bool {
    let rest = rest.trim_start();
    is_exec_kind(&rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())])
}

/// The languages that a precompiler knows behind EXEC.
fn is_exec_kind(word: &str) -> bool {
    ["SQL", "CICS", "DLI", "SQLIMS", "HTML", "ADO", "JAVA"].iter().any(|kind| kind.eq_ignore_ascii_case(word))
}

/// Finds lines and columns for growing positions.
#[derive(Clone)]
struct Places<'a> {
    segments: &'a [Segment],
    at: usize,
    text: &'a str,
}

impl Places<'_> {
    fn line(&mut self, position: usize) -> LineNumber {
        while self.segments.get(self.at + 1).is_some_and(|next| next.at <= position) {
            self.at += 1;
        }
        self.segments.get(self.at).map_or(LineNumber::FIRST, |segment| segment.line)
    }

    fn find(&mut self, position: usize) -> (LineNumber, u32) {
        let line = self.line(position);
        let column = self.segments.get(self.at).map_or(1, |segment| {
            segment.column + self.text[segment.at.min(position)..position].chars().count() as u32
        });
        (line, column)
    }
}
