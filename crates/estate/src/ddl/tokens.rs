//! Splits SQL into tokens, and tokens into statements.

use crate::cards;
use std::ops::Range;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DdlTokenKind {
    /// A keyword or name. Placeholders such as `<DB>`, `&DB` and `:DB` are names too.
    Word,
    /// A name in double quotes.
    Quoted,
    /// A text in quotes, with its prefix: `X'00'`.
    Text,
    /// A number, perhaps with letters after it: `5K`.
    Number,
    /// Any other character.
    Symbol,
}

/// A token of SQL with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DdlToken {
    pub kind: DdlTokenKind,
    pub at: Range<usize>,
    pub line: LineNumber,
    /// The line on which it ends; differs from the first for a multi-line text.
    pub end_line: LineNumber,
}

/// The tokens of a source, without comments, by statement.
pub(super) struct TokenizedStatements {
    /// The lines read, one after the other.
    pub text: String,
    pub tokens: Vec<DdlToken>,
    /// The statements, as non-empty ranges of tokens.
    pub statements: Vec<Range<usize>>,
}

impl TokenizedStatements {
    /// Tokenizes some lines of a source.
    pub fn of(source: &SourceText, lines: LineRange, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut text = String::new();
        let mut numbers = Vec::new();
        let is_cobol = is_embedded(source, lines);
        for line in source.lines_in(lines) {
            let code = match is_cobol {
                true if line.is_comment() => "",
                true => line.code(),
                false => cards::strip_sequence_number(line.text()),
            };
            // The lines may include JCL statements around the data.
            if code.starts_with("//") {
                continue;
            }
            numbers.push((text.len(), line.number()));
            text.push_str(code);
            text.push('\n');
        }
        let mut lexer = Lexer::new(&text, &numbers, diagnostics);
        lexer.run();
        let (tokens, ends) = (lexer.tokens, lexer.ends);
        let statements = split(&text, &tokens, &ends, diagnostics);
        Self { text, tokens, statements }
    }
}

/// Tokenizes a text that is no source of its own. Its tokens have no lines.
pub(super) fn tokens_of(text: &str) -> Vec<DdlToken> {
    let mut diagnostics = Vec::new();
    let mut lexer = Lexer::new(text, &[], &mut diagnostics);
    lexer.run();
    lexer.tokens
}

/// Whether the lines are an EXEC SQL of COBOL, with the columns of COBOL.
fn is_embedded(source: &SourceText, lines: LineRange) -> bool {
    let first = source.lines_in(lines).next();
    first.is_some_and(|line| {
        let mut words = line.code().split_whitespace();
        ["EXEC", "SQL"].iter().all(|word| words.next().is_some_and(|next| next.eq_ignore_ascii_case(word)))
    })
}

struct Lexer<'a> {
    text: &'a str,
    /// The start and number of each line.
    numbers: &'a [(usize, LineNumber)],
    /// The current line, as an index of `numbers`.
    line: usize,
    at: usize,
    terminator: char,
    tokens: Vec<DdlToken>,
    /// For each token, whether it ends a statement.
    ends: Vec<bool>,
    /// Whether a block comment can still end.
    may_end: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, numbers: &'a [(usize, LineNumber)], diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        let (tokens, ends) = (Vec::new(), Vec::new());
        Self { text, numbers, line: 0, at: 0, terminator: ';', tokens, ends, may_end: true, diagnostics }
    }

    fn run(&mut self) {
        while let Some(character) = self.rest().chars().next() {
            let rest = self.rest();
            if character.is_whitespace() {
                self.at += character.len_utf8();
            } else if rest.starts_with("--") {
                self.line_comment();
            } else if rest.starts_with("/*") {
                self.comment();
            } else if character == '*' && self.begins_line() && self.ends.last().is_none_or(|ends| *ends) {
                // Between statements nothing else begins with an asterisk; for programs that run SQL from a job it is a comment in column 1.
                self.at += self.line_length();
            } else if character == self.terminator {
                self.push(DdlTokenKind::Symbol, character.len_utf8(), true);
            } else {
                let (kind, length) = self.token(character);
                let is_end = kind == DdlTokenKind::Word && rest[..length].eq_ignore_ascii_case("END-EXEC");
                self.push(kind, length, is_end);
            }
        }
    }

    fn token(&mut self, first: char) -> (DdlTokenKind, usize) {
        let rest = self.rest();
        if let Some(length) = placeholder(rest) {
            return (DdlTokenKind::Word, length);
        }
        let terminator = self.terminator;
        let word = |text: &str| text.find(|c: char| !is_word(c) || c == terminator).unwrap_or(text.len());
        match first {
            '\'' => (DdlTokenKind::Text, self.quoted(0)),
            'X' | 'x' | 'G' | 'g' | 'N' | 'n' | 'B' | 'b' | 'U' | 'u' if rest[1..].starts_with('\'') => {
                (DdlTokenKind::Text, self.quoted(1))
            }
            '"' => match rest[1..self.line_length()].find('"') {
                Some(end) => (DdlTokenKind::Quoted, end + 2),
                None => (DdlTokenKind::Symbol, 1),
            },
            '0'..='9' => (DdlTokenKind::Number, word(rest)),
            _ if is_word(first) => {
                let length = word(rest);
                // The only hyphenated COBOL word around embedded SQL.
                let exec = rest.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("END-EXEC"));
                (DdlTokenKind::Word, if exec { 8 } else { length })
            }
            _ => (DdlTokenKind::Symbol, first.len_utf8()),
        }
    }

    /// Returns the length of a text whose opening quote is at this position.
    fn quoted(&mut self, start: usize) -> usize {
        let text = &self.rest()[start + 1..];
        let mut from = 0;
        while let Some(end) = text[from..].find('\'') {
            from += end + 1;
            // A doubled quote stands for one quote in the text.
            if !text[from..].starts_with('\'') {
                return start + 1 + from;
            }
            from += 1;
        }
        let line = self.number_at(self.at);
        self.diagnostics.push(Diagnostic::warning("unclosed-quote", line, "the quotes that begin here do not end"));
        self.line_length()
    }

    fn line_comment(&mut self) {
        let line = &self.rest()[..self.line_length()];
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if first.eq_ignore_ascii_case("--#SET") && second.eq_ignore_ascii_case("TERMINATOR") {
            self.terminator = words.next().and_then(|word| word.chars().next()).unwrap_or(self.terminator);
        }
        self.at += line.len();
    }

    fn comment(&mut self) {
        let rest = self.rest();
        if let Some(end) = self.may_end.then(|| rest.find("*/")).flatten() {
            self.at += end + 2;
            return;
        }
        self.may_end = false;
        let length = self.line_length();
        // Alone on its line it ends the data of a job.
        if rest[..length].trim() != "/*" {
            let line = self.number_at(self.at);
            let message = "the comment that begins here does not end";
            self.diagnostics.push(Diagnostic::note("unclosed-comment", line, message));
        }
        self.at += length;
    }

    fn push(&mut self, kind: DdlTokenKind, length: usize, is_end: bool) {
        let line = self.number_at(self.at);
        let end_line = self.number_at(self.at + length.saturating_sub(1));
        self.tokens.push(DdlToken { kind, at: self.at..self.at + length, line, end_line });
        self.ends.push(is_end);
        self.at += length;
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn line_length(&self) -> usize {
        let rest = self.rest();
        rest.find('\n').unwrap_or(rest.len())
    }

    /// Whether nothing but blanks stands before the position on its line.
    fn begins_line(&self) -> bool {
        let line = self.text[..self.at].rfind('\n').map_or(0, |end| end + 1);
        self.text[line..self.at].trim().is_empty()
    }

    /// Returns the line number of a position. Positions never decrease.
    fn number_at(&mut self, at: usize) -> LineNumber {
        while self.numbers.get(self.line + 1).is_some_and(|(start, _)| *start <= at) {
            self.line += 1;
        }
        self.numbers.get(self.line).map_or(LineNumber::FIRST, |(_, number)| *number)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '#' | '@' | '$')
}

/// Returns the length of a placeholder for a name: `<NAME>`, `&NAME`, `:NAME`, `${NAME}`, `%NAME%`.
fn placeholder(text: &str) -> Option<usize> {
    let name = |from: usize, also: &str| {
        let inner = &text[from..];
        let end = inner.find(|c: char| !is_word(c) && !also.contains(c)).unwrap_or(inner.len());
        (end > 0).then_some(from + end)
    };
    let closed = |from: usize, close: char| {
        name(from, "-").filter(|end| text[*end..].starts_with(close)).map(|end| end + close.len_utf8())
    };
    match text.as_bytes().first()? {
        b'<' => closed(1, '>'),
        b'%' => closed(1, '%'),
        b'$' if text.starts_with("${") => closed(2, '}'),
        b':' => name(1, "-"),
        // Of two points, the first ends the name of a job's symbol.
        b'&' => name(1, "").map(|end| end + usize::from(text[end..].starts_with(".."))),
        _ => None,
    }
}

/// Splits tokens into statements.
///
/// The body of a trigger or routine contains its own terminators, between BEGIN and END. If an END is missing, bodies are no
/// longer recognized, so that no later statement is lost.
fn split(text: &str, tokens: &[DdlToken], ends: &[bool], diagnostics: &mut Vec<Diagnostic>) -> Vec<Range<usize>> {
    let is = |index: usize, word: &str| {
        tokens
            .get(index)
            .is_some_and(|token| token.kind == DdlTokenKind::Word && text[token.at.clone()].eq_ignore_ascii_case(word))
    };
    let is_any = |index: usize, words: &[&str]| words.iter().any(|word| is(index, word));
    let mut statements = Vec::new();
    let (mut start, mut depth, mut looks_for_bodies, mut has_body) = (0, 0_u32, true, false);
    let mut at = 0;
    while at < tokens.len() {
        if at == start {
            let behind = if is(at + 1, "OR") && is(at + 2, "REPLACE") { at + 3 } else { at + 1 };
            has_body = looks_for_bodies && is(at, "CREATE") && is_any(behind, &["TRIGGER", "PROCEDURE", "FUNCTION"]);
        }
        if has_body && is_any(at, &["BEGIN", "CASE"]) && !(at > start && is(at - 1, "END")) {
            depth += 1;
        } else if has_body && is(at, "END") && !is_any(at + 1, &["IF", "LOOP", "WHILE", "REPEAT", "FOR"]) {
            depth = depth.saturating_sub(1);
        }
        if ends[at] && depth == 0 {
            if at > start {
                statements.push(start..at);
            }
            start = at + 1;
        }
        at += 1;
        if at == tokens.len() && depth > 0 {
            let message = "the body of this statement has a BEGIN without its END";
            diagnostics.push(Diagnostic::warning("unclosed-body", tokens[start].line, message));
            (depth, looks_for_bodies, at) = (0, false, start);
        }
    }
    if start < tokens.len() {
        statements.push(start..tokens.len());
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    #[track_caller]
    fn check(text: &str, expected: &[&str], codes: &[&str]) {
        let source = SourceText::read("T.sql", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let mut diagnostics = Vec::new();
        let found = TokenizedStatements::of(&source, source.line_range().unwrap(), &mut diagnostics);
        let shown: Vec<String> = found
            .statements
            .iter()
            .map(|statement| {
                let tokens = &found.tokens[statement.clone()];
                let words: Vec<&str> = tokens.iter().map(|token| &found.text[token.at.clone()]).collect();
                format!("{}-{} {}", tokens[0].line, tokens[tokens.len() - 1].end_line, words.join(" "))
            })
            .collect();
        assert_eq!(shown, expected);
        assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), codes);
    }

    #[test]
    fn statements_end_at_the_terminator() {
        check("A;;B C\n;\n D", &["1-1 A", "1-1 B C", "3-3 D"], &[]);
        check("A;\n--#SET TERMINATOR #\nB;C#\n--#set terminator ;\nD;\n", &["1-1 A", "3-3 B ; C", "5-5 D"], &[]);
        check("EXEC SQL A END-EXEC.\n", &["1-1 EXEC SQL A", "1-1 ."], &[]);
    }

    #[test]
    fn comments_are_no_words() {
        check("-- A;\n* B\nC /* D;\n */ E -- F\n*\nG;\n", &["3-6 C E * G"], &[]);
        check("A;\n/*\n", &["1-1 A"], &[]);
        check("A /* B\nC;", &["1-2 A C"], &["unclosed-comment"]);
        check("A;\n   * THE PROGRAM'S TABLE *\nB;\n", &["1-1 A", "3-3 B"], &[]);
    }

    #[test]
    fn quotes_hold_anything() {
        check("A 'it''s; -- B' X'00' \"c d\";", &["1-1 A 'it''s; -- B' X'00' \"c d\""], &[]);
        check("A 'B\nC';D", &["1-2 A 'B\nC'", "2-2 D"], &[]);
        check("A;\nB 'C\nD;", &["1-1 A", "2-3 B 'C D"], &["unclosed-quote"]);
    }

    #[test]
    fn placeholders_are_words() {
        check("<DB-2>.T &X..Y ${A} %B% :C a<b a &", &["1-1 <DB-2> . T &X. . Y ${A} %B% :C a < b a &"], &[]);
        check("CHAR(5K) 1.5", &["1-1 CHAR ( 5K ) 1 . 5"], &[]);
    }

    #[test]
    fn the_body_of_a_trigger_holds_statements() {
        let trigger = "CREATE TRIGGER T BEGIN ATOMIC IF A THEN B; END IF; C CASE X END; END";
        let expected = "1-1 CREATE TRIGGER T BEGIN ATOMIC IF A THEN B ; END IF ; C CASE X END ; END";
        check(&format!("{trigger};\nD;"), &[expected, "2-2 D"], &[]);
        check(
            "CREATE OR REPLACE PROCEDURE P BEGIN A; B",
            &["1-1 CREATE OR REPLACE PROCEDURE P BEGIN A", "1-1 B"],
            &["unclosed-body"],
        );
    }
}
