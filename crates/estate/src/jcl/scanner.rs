//! Splits lines into statements.
//!
//! ```text
//! statement = "//" [ name ] blanks operation [ blanks operands [ blanks comment ] ]
//! ```
//! A statement ends at column 71. Operands that end with a comma continue on the next line, which begins with `//` and a blank. A literal
//! that is open at column 71 continues in column 16. The words of IF continue up to THEN. Comments may be between the lines of a statement.

use std::ops::Range;
use war_rig_text::{LineNumber, LineRange, SourceLine, SourceText, byte_of_column, columns};

/// The significant columns of a line.
const CARD: usize = 71;
/// The zero-based column in which the sequence number of a line begins.
const NUMBER: usize = 72;
/// The columns of in-stream data, and of comments.
pub(super) const RECORD: usize = 80;
/// The zero-based column in which a literal continues.
const LITERAL_GOES_ON: usize = 15;

/// An entry of one or more lines.
#[derive(Debug)]
pub(super) enum JclEntry {
    /// A statement.
    Statement(JclStatement),
    /// A comment, without its `//*`.
    Comment(LineNumber, String),
    /// A statement to JES, without its mark.
    Jes(LineNumber, String),
    /// `/*` outside in-stream data.
    Delimiter,
    /// `//` alone.
    Null(LineNumber),
    /// Lines that are not JCL.
    Data(LineRange),
}

/// A statement with its lines joined.
#[derive(Debug, Default)]
pub(super) struct JclStatement {
    /// The name in upper case; may be empty.
    pub(super) name: String,
    /// The operation in upper case; may be empty.
    pub(super) operation: String,
    /// The operand field without comments; for IF the text before THEN.
    pub(super) operands: String,
    /// Where each line begins in the operand field.
    begins: Vec<(usize, LineNumber)>,
    /// The error found while its lines were joined.
    pub(super) fault: Option<StatementFault>,
    /// The lines: first, last.
    lines: Option<LineRange>,
}

/// An error in a statement's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementFault {
    /// Its operands end with a comma, but no line continues them.
    NoContinuation,
    /// A literal is not closed.
    OpenLiteral,
    /// IF without THEN.
    NoThen,
}

impl JclStatement {
    /// Returns its lines.
    pub(super) fn lines(&self) -> LineRange {
        self.lines.unwrap_or(LineRange::single(LineNumber::FIRST))
    }

    /// Returns the lines of a part of its operand field.
    pub(super) fn lines_of(&self, part: Range<usize>) -> LineRange {
        let line = |at: usize| {
            let behind = self.begins.partition_point(|(begin, _)| *begin <= at);
            self.begins.get(behind.saturating_sub(1)).map_or(self.lines().start(), |(_, line)| *line)
        };
        LineRange::spanning(line(part.start), line(part.end.saturating_sub(1).max(part.start)))
    }

    fn continue_on(&mut self, line: LineNumber) {
        self.begins.push((self.operands.len(), line));
        self.reach(line);
    }

    fn reach(&mut self, line: LineNumber) {
        self.lines = Some(LineRange::spanning(self.lines().start(), line));
    }
}

/// Scans a source statement by statement.
pub(super) struct StatementScanner<'a> {
    source: &'a SourceText,
    at: usize,
    /// Whether what stands behind column 72 of the statements is digits throughout.
    is_numbered: bool,
}

impl<'a> StatementScanner<'a> {
    pub(super) fn new(source: &'a SourceText) -> Self {
        let is_digit = |c: char| c == ' ' || c.is_ascii_digit();
        let mut statements = source.lines().map(|line| line.text()).filter(|text| text.starts_with("//"));
        let is_numbered = statements.all(|text| columns(text, NUMBER..RECORD).chars().all(is_digit));
        Self { source, at: 0, is_numbered }
    }

    /// Reads in-stream data from here on. Without a delimiter of its own, it ends at `/*`, and after `*` also before `//`. Returns the data,
    /// the range read including the delimiter, and whether an end was found.
    pub(super) fn in_stream(
        &mut self,
        delimiter: Option<&str>,
        ends_at_jcl: bool,
    ) -> (Range<usize>, Range<usize>, bool) {
        let start = self.at;
        while let Some(line) = self.line(self.at) {
            let text = line.text();
            if text.starts_with(delimiter.unwrap_or("/*")) {
                self.at += 1;
                return (start..self.at - 1, start..self.at, true);
            }
            if delimiter.is_none() && ends_at_jcl && text.starts_with("//") {
                return (start..self.at, start..self.at, true);
            }
            self.at += 1;
        }
        (start..self.at, start..self.at, delimiter.is_none() && ends_at_jcl)
    }

    fn line(&self, index: usize) -> Option<SourceLine<'a>> {
        (index < self.source.line_count()).then(|| self.source.line(LineNumber::from_index(index))).flatten()
    }

    /// Returns the text of a `//*` line. It takes the whole line, but for a sequence number, or the mark of a job or a change, which stands apart.
    fn comment(&self, text: &'a str) -> Option<&'a str> {
        let number = columns(text, NUMBER..RECORD);
        let is_apart = columns(text, CARD..NUMBER) == " " && !number.starts_with(' ');
        let is_mark = is_apart && !number.trim_end().contains(' ') && number.contains(|c: char| c.is_ascii_digit());
        let is_number = number.len() == RECORD - NUMBER && number.bytes().all(|byte| byte.is_ascii_digit());
        let end = if is_number || is_mark || self.is_numbered { NUMBER } else { RECORD };
        columns(text, 0..end).strip_prefix("//*")
    }

    fn data(&mut self) -> JclEntry {
        let start = self.at;
        self.at += 1;
        while self.line(self.at).is_some_and(|line| !is_jcl(line.text())) {
            self.at += 1;
        }
        match LineRange::from_indices(start..self.at) {
            Some(lines) if self.source.lines_in(lines).any(|line| !line.text().trim().is_empty()) => {
                JclEntry::Data(lines)
            }
            _ => JclEntry::Delimiter,
        }
    }

    fn statement(&mut self, line: SourceLine<'a>) -> JclStatement {
        let card = columns(line.text(), 0..CARD);
        let name = word(card, 2);
        let operation = word(card, blanks(card, name.end));
        let mut statement = JclStatement {
            name: card[name].to_ascii_uppercase(),
            operation: card[operation.clone()].to_ascii_uppercase(),
            lines: Some(LineRange::single(line.number())),
            ..JclStatement::default()
        };
        let start = blanks(card, operation.end);
        statement.continue_on(line.number());
        match statement.operation.as_str() {
            "IF" => self.condition(&mut statement, &card[start..]),
            "ELSE" | "ENDIF" | "PEND" | "" => {}
            _ => self.operands(&mut statement, line, start),
        }
        statement
    }

    /// Reads the operand field from this byte of a line on.
    fn operands(&mut self, statement: &mut JclStatement, line: SourceLine<'a>, start: usize) {
        let (mut line, mut start, mut quoted) = (line, start, false);
        loop {
            let card = columns(line.text(), 0..CARD);
            let mut end = card.len();
            for (at, byte) in card.bytes().enumerate().skip(start) {
                quoted ^= byte == b'\'';
                if byte == b' ' && !quoted {
                    end = at;
                    break;
                }
            }
            statement.operands.push_str(&card[start.min(end)..end]);
            if !quoted && !statement.operands.ends_with(',') {
                let comment = card[end..].trim();
                let marked = columns(line.text(), CARD..CARD + 1).chars().any(|c| c != ' ');
                if !comment.is_empty() && marked {
                    self.comment_goes_on(statement);
                }
                return;
            }
            let Some(next) = self.continuation() else {
                let fault = if quoted { StatementFault::OpenLiteral } else { StatementFault::NoContinuation };
                statement.fault = Some(fault);
                statement.operands.truncate(statement.operands.trim_end().len());
                return;
            };
            let next_card = columns(next.text(), 0..CARD);
            start = blanks(next_card, 2);
            if quoted {
                // A short line counts as padded with blanks.
                let missing = CARD.saturating_sub(card.chars().count());
                statement.operands.extend(std::iter::repeat_n(' ', missing));
                start = start.min(byte_of_column(next_card, LITERAL_GOES_ON));
            }
            line = next;
            statement.continue_on(line.number());
        }
    }

    /// Reads the condition of IF up to THEN.
    fn condition(&mut self, statement: &mut JclStatement, text: &str) {
        let mut text = text.to_owned();
        loop {
            let mut words = text.split(' ').filter(|word| !word.is_empty());
            let mut found = false;
            for word in words.by_ref() {
                found = word.eq_ignore_ascii_case("THEN");
                if found {
                    break;
                }
                // `(A.RC=0)THEN` has no blank before its THEN.
                let (bare, glued) = match word.len().checked_sub(4).filter(|at| word.is_char_boundary(*at)) {
                    Some(at) if word[at..].eq_ignore_ascii_case("THEN") && word[..at].ends_with(')') => {
                        (&word[..at], true)
                    }
                    _ => (word, false),
                };
                if !statement.operands.is_empty() {
                    statement.operands.push(' ');
                }
                statement.operands.push_str(bare);
                found = glued;
                if found {
                    break;
                }
            }
            if found {
                return;
            }
            let Some(next) = self.continuation() else {
                statement.fault = Some(StatementFault::NoThen);
                return;
            };
            statement.reach(next.number());
            let card = columns(next.text(), 0..CARD);
            text = card[blanks(card, 2)..].to_owned();
        }
    }

    /// Returns the next line if it continues a statement: `//`, a blank, and no operation. Comments before it are skipped.
    fn continuation(&mut self) -> Option<SourceLine<'a>> {
        let mut at = self.at;
        while self.line(at).is_some_and(|line| line.text().starts_with("//*")) {
            at += 1;
        }
        let line = self.line(at).filter(|line| goes_on(columns(line.text(), 0..CARD)))?;
        self.at = at + 1;
        Some(line)
    }

    fn comment_goes_on(&mut self, statement: &mut JclStatement) {
        while let Some(line) = self.line(self.at).filter(|line| goes_on(columns(line.text(), 0..CARD))) {
            statement.reach(line.number());
            self.at += 1;
            if columns(line.text(), CARD..CARD + 1).trim().is_empty() {
                return;
            }
        }
    }
}

impl Iterator for StatementScanner<'_> {
    type Item = JclEntry;

    fn next(&mut self) -> Option<JclEntry> {
        let line = self.line(self.at)?;
        let text = line.text();
        if !is_jcl(text) {
            return Some(self.data());
        }
        self.at += 1;
        let card = columns(text, 0..CARD);
        if let Some(comment) = self.comment(text) {
            let is_jes = word_is(comment, &JES3);
            let text = comment.trim_end().to_owned();
            return Some(if is_jes {
                JclEntry::Jes(line.number(), text)
            } else {
                JclEntry::Comment(line.number(), text)
            });
        }
        if let Some(control) = card.strip_prefix("/*") {
            let is_jes = word_is(control, &JES2);
            return Some(if is_jes {
                JclEntry::Jes(line.number(), control.trim_end().to_owned())
            } else {
                JclEntry::Delimiter
            });
        }
        if card[2..].trim().is_empty() {
            return Some(JclEntry::Null(line.number()));
        }
        Some(JclEntry::Statement(self.statement(line)))
    }
}

/// Statements to JES2, after `/*`.
const JES2: [&str; 14] = [
    "JOBPARM", "MESSAGE", "NETACCT", "NOTIFY", "OUTPUT", "PRIORITY", "ROUTE", "SETUP", "SIGNOFF", "SIGNON", "XEQ",
    "XMIT", "EOF", "DEL",
];

/// Statements to JES3, after `//*`.
const JES3: [&str; 10] =
    ["MAIN", "FORMAT", "DATASET", "ENDDATASET", "ENDPROCESS", "NET", "NETACCT", "OPERATOR", "PROCESS", "ROUTE"];

/// The operations that a line without a name can have; such a line is not a continuation.
const OPERATIONS: [&str; 15] = [
    "DD", "EXEC", "SET", "IF", "ELSE", "ENDIF", "PEND", "INCLUDE", "PROC", "JOB", "OUTPUT", "JCLLIB", "CNTL",
    "ENDCNTL", "COMMAND",
];

fn word_is(text: &str, words: &[&str]) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_jcl(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// Whether a line that begins with `//` and a blank continues the previous one.
fn goes_on(card: &str) -> bool {
    let text = card.get(2..).unwrap_or_default();
    card.starts_with("//")
        && text.starts_with(' ')
        && !text.trim().is_empty()
        && !word_is(text.trim_start_matches(' '), &OPERATIONS)
}

/// Returns the word that begins at this byte.
fn word(text: &str, start: usize) -> Range<usize> {
    start..text[start..].find(' ').map_or(text.len(), |long| start + long)
}

/// Returns the first non-blank byte from this one on.
fn blanks(text: &str, start: usize) -> usize {
    text.len() - text[start..].trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn entries(text: &str) -> Vec<String> {
        let source = SourceText::read("T.jcl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        StatementScanner::new(&source)
            .map(|entry| match entry {
                JclEntry::Statement(s) => {
                    let fault = s.fault.map(|fault| format!(" {fault:?}")).unwrap_or_default();
                    format!("{}|{}|{}|{}{fault}", s.name, s.operation, s.operands, s.lines())
                }
                JclEntry::Comment(line, text) => format!("comment {line}:{text}"),
                JclEntry::Jes(line, text) => format!("jes {line}:{text}"),
                JclEntry::Delimiter => "delimiter".to_owned(),
                JclEntry::Null(line) => format!("null {line}"),
                JclEntry::Data(lines) => format!("data {lines}"),
            })
            .collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(entries(text), expected, "{text}");
    }

    #[test]
    fn operands_go_on_behind_a_comma_and_comments_are_left_out() {
        check(
            "//A JOB (1),CLASS=A, THE CLASS\n//* BETWEEN\n//      MSGCLASS=X  OUTPUT\n//S1 EXEC PGM=X\n",
            &["A|JOB|(1),CLASS=A,MSGCLASS=X|1-3", "S1|EXEC|PGM=X|4"],
        );
        check("//A DD DSN=X,\n//B DD DSN=Y\n", &["A|DD|DSN=X,|1 NoContinuation", "B|DD|DSN=Y|2"]);
        check("//A DD DSN=X,\n//  DD DSN=Y\n", &["A|DD|DSN=X,|1 NoContinuation", "|DD|DSN=Y|2"]);
        check("//A DD DSN=X,\n//* C\n//B DD *", &["A|DD|DSN=X,|1 NoContinuation", "comment 2: C", "B|DD|*|3"]);
    }

    #[test]
    fn comments_take_the_whole_line_but_for_its_number() {
        let comment = |behind: &str| format!("//* {:<65} {behind}", "ALL FILES OF THE");
        check(&format!("{:.69}DO JOB", comment("")), &[&format!("comment 1: {:<65}DO JOB", "ALL FILES OF THE")]);
        let tagged = "//A DD DSN=X                                                            TAG";
        let check_behind = |behind: &str, expected: &str| {
            let line = format!("//* {:<68}{behind}", "FILES OF ALL");
            check(
                &format!("{line}\n{tagged}"),
                &[&format!("comment 1: {}", format!("{:<68}{expected}", "FILES OF ALL").trim_end()), "A|DD|DSN=X|2"],
            );
        };
        check_behind("RECORDS", "RECORDS");
        check_behind("00010000", "");
        check_behind("JOB05067", "");
        check(&format!("//* {:<68}12", "FILES"), &["comment 1: FILES"]);
    }

    #[test]
    fn columns_behind_71_are_not_read() {
        let long = format!("{:<71}X00010000\n// B=C\n", "//A EXEC P,");
        check(&long, &["A|EXEC|P,B=C|1-2"]);
        let comment = format!("{:<71}X\n//   AND MORE\n//B DD *\n", "//A DD DSN=X   A COMMENT");
        check(&comment, &["A|DD|DSN=X|1-2", "B|DD|*|3"]);
        let plain = format!("{:<72}00010000\n//   WHATEVER\n", "//A DD DSN=X   A COMMENT");
        check(&plain, &["A|DD|DSN=X|1", "|WHATEVER||2"]);
    }

    #[test]
    fn a_literal_goes_on_in_column_16() {
        let open = format!(
            "{}\n//             AND MORE''S',C=D\n",
            "//A EXEC PGM=X,PARM='0123456789 0123456789 0123456789 0123456789 012345"
        );
        check(&open, &["A|EXEC|PGM=X,PARM='0123456789 0123456789 0123456789 0123456789 012345AND MORE''S',C=D|1-2"]);
        let short = "//A EXEC PGM=X,PARM='A\n//             B'\n";
        let expected = format!("A|EXEC|PGM=X,PARM='A{}B'|1-2", " ".repeat(49));
        check(short, &[&expected]);
        check(
            "//A JOB (1),O'NEIL,CLASS=A\n//S EXEC PGM=X\n",
            &["A|JOB|(1),O'NEIL,CLASS=A|1 OpenLiteral", "S|EXEC|PGM=X|2"],
        );
    }

    #[test]
    fn a_condition_goes_on_up_to_then() {
        check(
            "// IF (A.RC = 0 &\n//     B.RC = 0) THEN  BOTH\n//C IF ABEND THEN\n// ELSE WORDS, AND\n// ENDIF\n",
            &["|IF|(A.RC = 0 & B.RC = 0)|1-2", "C|IF|ABEND|3", "|ELSE||4", "|ENDIF||5"],
        );
        check("// IF (A.RC=0)THEN\n// IF X\n// ENDIF\n", &["|IF|(A.RC=0)|1", "|IF|X|2 NoThen", "|ENDIF||3"]);
    }

    #[test]
    fn names_alone_ends_controls_and_data() {
        check(
            "//job job\n//*MAIN SYSTEM=A\n/*JOBPARM S=A\n/*\nDATA\nMORE\n\n//\n//X\n   \n//* C\n",
            &[
                "JOB|JOB||1",
                "jes 2:MAIN SYSTEM=A",
                "jes 3:JOBPARM S=A",
                "delimiter",
                "data 5-7",
                "null 8",
                "X|||9",
                "delimiter",
                "comment 11: C",
            ],
        );
    }

    #[test]
    fn characters_of_several_bytes_are_columns() {
        check("//Ä DD DSN=Ö,\n// Ü=ß\n", &["Ä|DD|DSN=Ö,Ü=ß|1-2"]);
    }
}
