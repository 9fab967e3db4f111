//! A source as its rewriters see it: lines that may be changed, with their tokens, and lines that stay.
//!
//! This is a reader of its own, made from the rules of the reference format. It knows little and says so: a line of which it is not sure stays as
//! it is.

use std::ops::Range;

/// Where the code of a line in fixed format begins and ends.
pub const CODE: Range<usize> = 7..72;

/// Paragraphs of the IDENTIFICATION DIVISION that hold free text.
const ENTRIES: &[&str] = &["AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "SECURITY", "REMARKS"];
/// Words that begin what is neither code nor comment where they open a line.
const CARDS: &[&str] = &[
    "CBL", "PROCESS", "BASIS", "EJECT", "SKIP1", "SKIP2", "SKIP3", "TITLE", "SERVICE", "-INC", "++INCLUDE", "INSERT",
    "DELETE",
];

/// The lines of a source in fixed format.
#[derive(Debug)]
pub struct CobolText {
    /// Its lines in order.
    pub lines: Vec<CobolLine>,
    /// Whether the lines have no columns.
    pub is_free: bool,
}

/// A line without its end.
#[derive(Debug)]
pub struct CobolLine {
    /// All of its text.
    pub text: String,
    /// What ends it: a line feed with or without a carriage return, or nothing.
    pub end: &'static str,
    /// What may be done with it.
    pub kind: LineKind,
    /// Its code in order; none where it stays.
    pub tokens: Vec<CobolToken>,
}

/// What may be done with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Its code may be changed.
    Code,
    /// It is blank or a comment.
    Note,
    /// It has words, and stays: a continued line, free text, a directive, a debugging line, anything that is not understood.
    Fixed,
}

/// A piece of code on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CobolToken {
    /// Where it stands in the line.
    pub at: Range<usize>,
    /// As it is written.
    pub text: String,
    /// What it is.
    pub kind: CobolTokenKind,
    /// What it stands in.
    pub zone: Zone,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CobolTokenKind {
    /// A word or a number.
    Word,
    /// A literal in quotes.
    Literal,
    /// The period that ends a sentence or an entry.
    Period,
    /// Anything else.
    Mark,
}

/// What a token stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// In the IDENTIFICATION DIVISION.
    Identification,
    /// In the PROCEDURE DIVISION.
    Procedure,
    /// In another division, or in a copybook.
    Other,
    /// Within EXEC and END-EXEC.
    Exec,
    /// Within COPY or REPLACE.
    Copy,
    /// The string of a picture.
    Picture,
}

impl CobolToken {
    /// Whether it is this word, in either case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == CobolTokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is one of these words, in either case.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether it stands outside of EXEC, COPY and pictures.
    pub fn is_plain(&self) -> bool {
        matches!(self.zone, Zone::Identification | Zone::Procedure | Zone::Other)
    }

    /// Whether it may name something of the user's.
    pub fn is_name(&self) -> bool {
        self.kind == CobolTokenKind::Word
            && self.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            && self.text.bytes().any(|byte| byte.is_ascii_alphabetic())
    }
}

impl CobolText {
    /// Reads a source; none where its form is not certain: other bytes than ASCII in its ends, a format that changes, lines without columns and
    /// without a directive that says so.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        if text.contains('\r') && text.matches('\r').count() != text.matches("\r\n").count() {
            return None;
        }
        let mut lines: Vec<CobolLine> = text.split_inclusive('\n').map(CobolLine::whole).collect();
        let formats: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].sets_format()).collect();
        let is_free = match formats[..] {
            [] => false,
            [first] if lines[..first].iter().all(|line| line.text.trim().is_empty()) => {
                lines[first].text.to_ascii_uppercase().contains("FREE")
            }
            _ => return None,
        };
        if !is_free && !lines.iter().all(CobolLine::may_be_fixed) {
            return None;
        }
        let mut reader = LineTokenizer::default();
        for at in 0..lines.len() {
            let is_continued =
                !is_free && lines[at + 1..].iter().find(|line| !line.is_note(false)).is_some_and(CobolLine::continues);
            reader.read(&mut lines[at], is_free, is_continued);
        }
        Some(Self { lines, is_free })
    }

    /// The column at which code begins.
    pub fn margin(&self) -> usize {
        if self.is_free { 0 } else { CODE.start }
    }

    /// The tokens of all lines with the number of their line, from zero. None stands for a line that stays.
    pub fn tokens(&self) -> Vec<Option<(usize, &CobolToken)>> {
        let of_line = |(at, line): (usize, &'_ CobolLine)| match line.kind {
            LineKind::Fixed => vec![None],
            _ => (0..line.tokens.len()).map(|token| Some((at, token))).collect(),
        };
        let places = self.lines.iter().enumerate().flat_map(of_line);
        places.map(|place| place.map(|(line, token)| (line, &self.lines[line].tokens[token]))).collect()
    }
}

impl CobolLine {
    fn whole(text: &str) -> Self {
        let (text, end) = match (text.strip_suffix("\r\n"), text.strip_suffix('\n')) {
            (Some(text), _) => (text, "\r\n"),
            (None, Some(text)) => (text, "\n"),
            (None, None) => (text, ""),
        };
        Self { text: text.to_owned(), end, kind: LineKind::Fixed, tokens: Vec::new() }
    }

    /// The character in column 7.
    fn indicator(&self) -> u8 {
        self.text.as_bytes().get(6).copied().unwrap_or(b' ')
    }

    fn continues(&self) -> bool {
        self.indicator() == b'-'
    }

    fn sets_format(&self) -> bool {
        let text = self.text.to_ascii_uppercase().replace(' ', "");
        text.contains(">>SOURCE") || text.contains("$SETSOURCEFORMAT")
    }

    /// Whether it is a line of a librarian or a compiler option, wherever that begins.
    fn is_card(&self) -> bool {
        let begins = |text: &str| {
            let first = text.split_whitespace().next().unwrap_or_default().trim_end_matches('.');
            CARDS.iter().any(|card| first.eq_ignore_ascii_case(card))
        };
        begins(&self.text) || begins(self.text.get(CODE.start - 1..).unwrap_or_default()) || begins(self.code(false))
    }

    fn may_be_fixed(&self) -> bool {
        let is_odd = self.text.contains(['\t', '\u{1a}', '\u{c}']) || !self.text.is_ascii();
        is_odd || self.is_card() || b" *-/Dd$".contains(&self.indicator())
    }

    fn is_note(&self, is_free: bool) -> bool {
        let code = self.text.get(if is_free { 0 } else { CODE.start }..).unwrap_or_default();
        let is_comment = !is_free && b"*/".contains(&self.indicator());
        self.text.is_ascii() && (is_comment || code.trim().is_empty() || code.trim_start().starts_with("*>"))
    }

    /// The code, without columns 1 to 7 and 73 to 80.
    pub fn code(&self, is_free: bool) -> &str {
        let code = if is_free { 0..self.text.len() } else { CODE.start..CODE.end.min(self.text.len()) };
        self.text.get(code).unwrap_or_default()
    }

    /// Whether all of its tokens are plain ones, so that it may be laid out anew.
    pub fn is_plain(&self) -> bool {
        self.kind == LineKind::Code && self.tokens.iter().all(|token| token.is_plain() || token.zone == Zone::Picture)
    }
}

/// What is carried from line to line.
#[derive(Debug, Default)]
struct LineTokenizer {
    division: SourceDivision,
    in_entry: bool,
    within: Within,
    /// Before this a picture's string is due.
    picture: bool,
    /// The last word, in upper case.
    last: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SourceDivision {
    #[default]
    Other,
    Identification,
    Procedure,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Exec,
    Copy,
    /// The text between two `==` of a COPY.
    PseudoText,
}

impl LineTokenizer {
    fn read(&mut self, line: &mut CobolLine, is_free: bool, is_continued: bool) {
        if line.is_note(is_free) {
            line.kind = LineKind::Note;
            return;
        }
        let code = line.code(is_free);
        let has_odd = !line.text.is_ascii() || line.text.bytes().any(|byte| byte < b' ');
        let is_directive = code.trim_start().starts_with(">>") || code.trim_start().starts_with('$');
        let is_marked = !is_free && line.indicator() != b' ';
        if has_odd || is_directive || is_marked || line.is_card() {
            return;
        }
        if self.is_entry(code, is_free) {
            return;
        }
        let margin = if is_free { 0 } else { CODE.start };
        let (tokens, is_whole) = self.tokens(code, margin);
        if is_whole && !is_continued {
            line.kind = LineKind::Code;
            line.tokens = tokens;
        }
    }

    /// Whether a line is free text of the IDENTIFICATION DIVISION.
    fn is_entry(&mut self, code: &str, is_free: bool) -> bool {
        let first = code.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_ascii_uppercase();
        let is_header = is_free || code.len() - code.trim_start().len() < 4;
        if self.division == SourceDivision::Identification && is_header && ENTRIES.contains(&first.as_str()) {
            self.in_entry = true;
        } else if is_header
            && ["PROGRAM-ID", "ENVIRONMENT", "DATA", "PROCEDURE", "ID", "IDENTIFICATION", "CONFIGURATION"]
                .contains(&first.as_str())
        {
            self.in_entry = false;
        }
        self.in_entry
    }

    /// The tokens of a line's code, and whether they are all of it.
    fn tokens(&mut self, code: &str, margin: usize) -> (Vec<CobolToken>, bool) {
        let mut tokens = Vec::new();
        let (mut at, mut is_whole) = (0, true);
        while let Some(skipped) = code[at..].find(|c| c != ' ') {
            at += skipped;
            let rest = &code[at..];
            if rest.starts_with("*>") || (self.within == Within::Exec && rest.starts_with("--")) {
                return (tokens, false);
            }
            let length = if self.picture && !is_word(rest, "IS") {
                let length = rest.find(' ').unwrap_or(rest.len());
                if rest[..length].ends_with('.') { length - 1 } else { length }
            } else {
                token_length(rest).unwrap_or_else(|| {
                    is_whole = false;
                    rest.len()
                })
            };
            let kind = match rest.as_bytes()[0] {
                _ if self.picture => CobolTokenKind::Word,
                b'.' if length == 1 => CobolTokenKind::Period,
                _ if rest[..length].contains(['\'', '"']) => CobolTokenKind::Literal,
                first if is_word_byte(first) && rest[..length] != *"-" => CobolTokenKind::Word,
                _ => CobolTokenKind::Mark,
            };
            let text = rest[..length].to_owned();
            let place = margin + at..margin + at + length;
            let mut token = CobolToken { at: place, text, kind, zone: Zone::Other };
            token.zone = self.zone(&token);
            tokens.push(token);
            at += length;
        }
        (tokens, is_whole)
    }

    /// What a token stands in, and what is to be carried on from it.
    fn zone(&mut self, token: &CobolToken) -> Zone {
        let word = if token.kind == CobolTokenKind::Word { token.text.to_ascii_uppercase() } else { String::new() };
        let last = std::mem::replace(&mut self.last, word.clone());
        if self.picture && word != "IS" {
            self.picture = false;
            return Zone::Picture;
        }
        match self.within {
            Within::Exec => {
                if word == "END-EXEC" {
                    self.within = Within::Nothing;
                }
                return Zone::Exec;
            }
            Within::Copy | Within::PseudoText => {
                self.within = match (self.within, token.kind) {
                    (Within::Copy, CobolTokenKind::Period) => Within::Nothing,
                    (Within::Copy, CobolTokenKind::Mark) if token.text == "==" => Within::PseudoText,
                    (Within::PseudoText, CobolTokenKind::Mark) if token.text == "==" => Within::Copy,
                    (within, _) => within,
                };
                return Zone::Copy;
            }
            Within::Nothing => {}
        }
        match word.as_str() {
            "EXEC" | "EXECUTE" => {
                self.within = Within::Exec;
                return Zone::Exec;
            }
            "COPY" | "REPLACE" => {
                self.within = Within::Copy;
                return Zone::Copy;
            }
            "PIC" | "PICTURE" => self.picture = true,
            "DIVISION" => {
                self.division = match last.as_str() {
                    "ID" | "IDENTIFICATION" => SourceDivision::Identification,
                    "PROCEDURE" => SourceDivision::Procedure,
                    _ => SourceDivision::Other,
                };
            }
            "PROGRAM-ID" => self.division = SourceDivision::Identification,
            _ => {}
        }
        match self.division {
            SourceDivision::Identification => Zone::Identification,
            SourceDivision::Procedure => Zone::Procedure,
            SourceDivision::Other => Zone::Other,
        }
    }
}

fn is_word(rest: &str, word: &str) -> bool {
    rest.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word))
        && rest.as_bytes().get(word.len()).is_none_or(|byte| *byte == b' ')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_#$@".contains(&byte)
}

/// How long the token is that a text begins with; none for a literal that is not closed.
fn token_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let word = bytes.iter().take_while(|byte| is_word_byte(**byte)).count();
    let quote = bytes.get(word).copied().filter(|byte| b"'\"".contains(byte) && word <= 2);
    if let Some(quote) = quote {
        let mut at = word + 1;
        loop {
            at += bytes.get(at..)?.iter().position(|byte| *byte == quote)? + 1;
            if bytes.get(at) != Some(&quote) {
                return Some(at);
            }
            at += 1;
        }
    }
    // A number may begin with its point, and goes on behind it.
    let is_point = bytes[0] == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit);
    if word > 0 || is_point {
        let mut length = word;
        while bytes.get(length).is_some_and(|byte| b".,".contains(byte))
            && bytes[..length].iter().all(|byte| byte.is_ascii_digit() || b"-.,".contains(byte))
        {
            let digits = bytes[length + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                break;
            }
            length += 1 + digits;
        }
        return Some(length);
    }
    let marks = |marks: &[u8]| bytes.iter().take_while(|byte| marks.contains(byte)).count();
    Some(marks(b"=<>").max(marks(b"*")).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(code: &str) -> Vec<(String, CobolTokenKind)> {
        let source = CobolText::read(format!("       {code}\n").as_bytes()).unwrap();
        source.lines[0].tokens.iter().map(|token| (token.text.clone(), token.kind)).collect()
    }

    #[test]
    fn code_is_cut_into_words_literals_periods_and_marks() {
        let texts: Vec<String> = kinds("    MOVE 'IT''S' TO A-B (1:X) PIC S9(4).99. IF A>=-1.5 + .09 .")
            .into_iter()
            .map(|each| each.0)
            .collect();
        assert_eq!(
            texts,
            [
                "MOVE", "'IT''S'", "TO", "A-B", "(", "1", ":", "X", ")", "PIC", "S9(4).99", ".", "IF", "A", ">=",
                "-1.5", "+", ".09", "."
            ]
        );
        assert_eq!(kinds("X'00' .")[0].1, CobolTokenKind::Literal);
    }

    #[test]
    fn what_is_not_understood_stays() {
        let text = "       ID DIVISION.\n       PROGRAM-ID. X.\n       AUTHOR. O'BRIEN.\n           ME.\n       DATA DIVISION.\n\
                    \x20      01 A PIC X VALUE 'AB\n      -    'C'.\n      D    MOVE A TO B.\n           EXEC SQL -- COMMENT\n       \
                    \x20   END-EXEC\n      *    TEXT\n           MOVE A TO B *> TEXT\n           COPY X REPLACING ==A. B== BY ==C==.\n";
        let source = CobolText::read(text.as_bytes()).unwrap();
        let kinds: String = (source.lines.iter())
            .map(|line| match line.kind {
                LineKind::Code => 'c',
                LineKind::Note => 'n',
                LineKind::Fixed => 'f',
            })
            .collect();
        assert_eq!(kinds, "ccffcffffcnfc");
        assert!(source.lines[12].tokens.iter().all(|token| token.zone == Zone::Copy));
        assert!(CobolText::read(b"program-id. x.\n").is_none());
    }
}
