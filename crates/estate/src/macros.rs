//! Assembler macro statements, the syntax of BMS maps and IMS sources.
//!
//! ```text
//! name     operation operands                                           X   column 72: the statement goes on
//!                operands                                                   from column 16
//! ```
//! Operands are separated by commas and end at the first blank outside quotes; the rest is a remark. Blanks between
//! a comma and the end of a line do not end the operands. `*` and `.*` in column 1 begin a comment.

use crate::jcl::split_at_commas;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, SourceLine, SourceText, columns};

/// The zero-based column of the continuation mark.
const CONTINUES: usize = 71;
/// The zero-based column in which a continued statement resumes.
const CONTINUED: usize = 15;

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MacroStatement {
    /// The label in column 1, in upper case.
    pub name: Option<String>,
    /// The operation in upper case.
    pub operation: String,
    /// The operands in order.
    pub operands: Vec<MacroOperand>,
    /// All its lines.
    pub lines: LineRange,
}

/// One operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MacroOperand {
    /// The keyword before `=`, in upper case; none for a positional operand.
    pub keyword: Option<String>,
    /// The value as written, with its quotes and parentheses.
    pub value: String,
    /// The line on which it begins.
    pub line: LineNumber,
}

impl MacroStatement {
    /// Returns the operand with this keyword.
    pub fn operand(&self, keyword: &str) -> Option<&MacroOperand> {
        self.operands.iter().find(|operand| operand.keyword.as_deref() == Some(keyword))
    }

    /// Returns the value of a keyword as written, unless it is empty.
    pub fn value(&self, keyword: &str) -> Option<&str> {
        self.operand(keyword).map(|operand| operand.value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns the value of a keyword in upper case, without parentheses around a single value.
    pub fn word(&self, keyword: &str) -> Option<String> {
        let parts = list(self.value(keyword)?);
        parts.first().filter(|part| !part.is_empty()).map(|part| part.to_uppercase())
    }

    /// Returns the values of a keyword in upper case: `A` or `(A,B)`.
    pub fn words(&self, keyword: &str) -> Vec<String> {
        self.value(keyword).map(list).unwrap_or_default().into_iter().map(str::to_uppercase).collect()
    }
}

/// Splits `(A,B,(C,D))` into its parts; a value that is not a list is returned itself.
pub(crate) fn list(value: &str) -> Vec<&str> {
    match value.strip_prefix('(') {
        Some(inner) => {
            let parts = split_at_commas(inner.strip_suffix(')').unwrap_or(inner));
            parts.into_iter().map(str::trim).collect()
        }
        None => vec![value],
    }
}

/// Returns the text of a quoted value with doubled quotes and ampersands reduced; a value without quotes unchanged.
pub(crate) fn text(value: &str) -> String {
    match value.strip_prefix('\'') {
        Some(inner) => inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'").replace("&&", "&"),
        None => value.to_owned(),
    }
}

/// Parses the statements of a source.
pub(crate) fn parse_macros(source: &SourceText, diagnostics: &mut Vec<Diagnostic>) -> Vec<MacroStatement> {
    let lines: Vec<SourceLine<'_>> = source.lines().collect();
    let mut macros = Vec::new();
    let mut is_told = false;
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        let code = columns(line.text(), 0..CONTINUES);
        if code.trim().is_empty() {
            at += 1;
        } else if is_comment(line.text()) {
            at += 1;
            // A comment continues as a statement does, but only with lines that cannot be a statement: many comments are boxes
            // that end in column 72 by accident.
            while continues(lines[at - 1].text()) && lines.get(at).is_some_and(|next| is_continuation(next.text())) {
                at += 1;
            }
        } else {
            let (read, end) = statement(&lines, at, &mut is_told, diagnostics);
            macros.extend(read);
            at = end;
        }
    }
    macros
}

/// Divides the first line of a statement into its name, its operation and the rest. An operation in column 1 is told once in a source.
fn head<'t>(
    first: SourceLine<'t>,
    is_told: &mut bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Option<&'t str>, &'t str, &'t str) {
    let code = columns(first.text(), 0..CONTINUES);
    let (name, rest) = match code.starts_with(' ') {
        true => (None, code),
        false => code.split_once(' ').map_or((Some(code), ""), |(name, rest)| (Some(name), rest)),
    };
    let rest = rest.trim_start();
    let (mut operation, mut operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut name = name;
    // What stands in column 1 is a name, but not one without an operation behind it.
    let is_end = |word: &str| ["DBDGEN", "FINISH", "END"].iter().any(|end| word.eq_ignore_ascii_case(end));
    if let Some(word) = name.filter(|word| operation.contains('=') || operation.is_empty() && is_end(word)) {
        (name, operation, operands) = (None, word, rest);
        if !std::mem::replace(is_told, true) {
            let message = "an operation stands in column 1, where a name is expected; it and others like it are taken for what they are";
            diagnostics.push(Diagnostic::warning("operation-as-name", first.number(), message));
        }
    }
    (name, operation, operands)
}

/// Parses the statement that begins at a line. Also returns the index of the first line after it.
fn statement(
    lines: &[SourceLine<'_>],
    at: usize,
    is_told: &mut bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Option<MacroStatement>, usize) {
    let first = lines[at];
    let (name, operation, operands) = head(first, is_told, diagnostics);
    let mut reader = OperandParser::new(first.number());
    reader.line(operands.trim_start(), first.number());
    let mut end = at + 1;
    loop {
        let is_marked = continues(lines[end - 1].text());
        let is_misplaced = !is_marked && reader.quoted && ends_in_mark(lines[end - 1].text());
        let goes_on = is_marked || is_misplaced || reader.is_open();
        let Some(next) = lines.get(end).copied().filter(|_| goes_on) else { break };
        let text = next.text();
        if is_misplaced && is_continuation(text) {
            let message = "the statement goes on behind a mark that does not stand in column 72";
            diagnostics.push(Diagnostic::warning("missing-continuation", lines[end - 1].number(), message));
            reader.remove_mark();
            reader.line(columns(text, CONTINUED..CONTINUES), next.number());
        } else if is_misplaced {
            break;
        } else if is_continuation(text) {
            let number = next.number();
            if !is_marked {
                // Without a continuation mark, only text that fits where an operand is missing is part of the statement.
                let part = columns(text, CONTINUED..CONTINUES).trim();
                if !part.split(' ').next().is_some_and(|word| word.contains('=')) {
                    break;
                }
                let message = "the statement goes on without a mark in column 72 of the line before";
                diagnostics.push(Diagnostic::warning("missing-continuation", number, message));
            }
            reader.line(columns(text, CONTINUED..CONTINUES), number);
        } else if !is_marked {
            break;
        } else if is_comment(text) || text.trim().is_empty() {
            let message = "a comment or an empty line stands where a statement should go on";
            diagnostics.push(Diagnostic::warning("bad-continuation", next.number(), message));
            if text.trim().is_empty() {
                break;
            }
            end += 1;
            // The line after the comment is checked as if the comment were absent.
            if !lines.get(end).is_some_and(|line| is_continuation(line.text())) {
                break;
            }
            let Some(line) = lines.get(end) else { break };
            reader.line(columns(line.text(), CONTINUED..CONTINUES), line.number());
        } else if text.starts_with(' ') && !is_statement(text) {
            let message = "what goes on from the line before begins left of column 16";
            diagnostics.push(Diagnostic::warning("bad-continuation", next.number(), message));
            reader.line(columns(text, 0..CONTINUES).trim_start(), next.number());
        } else {
            let message = "a statement begins where the one before should go on";
            diagnostics.push(Diagnostic::warning("bad-continuation", next.number(), message));
            break;
        }
        end += 1;
    }
    let lines = LineRange::spanning(first.number(), lines[end - 1].number());
    let operands = reader.finish(diagnostics);
    let read = (!operation.is_empty()).then(|| MacroStatement {
        name: name.map(str::to_uppercase),
        operation: operation.to_uppercase(),
        operands,
        lines,
    });
    (read, end)
}

/// Reads operands, line by line.
struct OperandParser {
    done: Vec<MacroOperand>,
    value: String,
    line: LineNumber,
    /// The last line read.
    last: LineNumber,
    depth: u32,
    quoted: bool,
    /// Whether a blank has ended the operands; the rest is a remark.
    ended: bool,
}

impl OperandParser {
    fn new(line: LineNumber) -> Self {
        Self { done: Vec::new(), value: String::new(), line, last: line, depth: 0, quoted: false, ended: false }
    }

    /// Reads the part of a line that may contain operands.
    fn line(&mut self, part: &str, line: LineNumber) {
        self.last = line;
        if self.ended {
            return;
        }
        for character in part.chars() {
            if self.value.is_empty() {
                self.line = line;
            }
            match character {
                '\'' => self.quoted = !self.quoted,
                _ if self.quoted => {}
                ' ' => {
                    self.ended = !self.is_open();
                    return;
                }
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                ',' if self.depth == 0 => {
                    self.push(true);
                    continue;
                }
                _ => {}
            }
            self.value.push(character);
        }
    }

    /// Removes the mark that was read as the end of a quoted value, with the blanks behind it.
    fn remove_mark(&mut self) {
        self.value.truncate(self.value.trim_end().len());
        self.value.pop();
    }

    /// Whether another operand is expected: none was read yet, or the last character was a comma.
    fn is_open(&self) -> bool {
        !self.ended && !self.quoted && (self.value.is_empty() || self.value.ends_with(','))
    }

    fn push(&mut self, also_empty: bool) {
        let value = std::mem::take(&mut self.value);
        if value.is_empty() && !also_empty {
            return;
        }
        let keyword = value.split_once('=').filter(|(keyword, _)| is_keyword(keyword));
        let operand = match keyword {
            Some((keyword, value)) => {
                MacroOperand { keyword: Some(keyword.to_uppercase()), value: value.to_owned(), line: self.line }
            }
            None => MacroOperand { keyword: None, value, line: self.line },
        };
        self.done.push(operand);
    }

    fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Vec<MacroOperand> {
        if self.quoted {
            diagnostics.push(Diagnostic::warning("unclosed-quote", self.last, "the quotes that begin here do not end"));
        } else if self.depth > 0 {
            diagnostics.push(Diagnostic::warning("unclosed-parenthesis", self.last, "a parenthesis is not closed"));
        }
        self.push(false);
        self.done
    }
}

fn is_keyword(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '@' | '#' | '$' | '_'))
}

fn is_comment(text: &str) -> bool {
    text.starts_with('*') || text.starts_with(".*")
}

/// Whether the continuation column is not blank.
fn continues(text: &str) -> bool {
    !columns(text, CONTINUES..CONTINUES + 1).trim().is_empty()
}

/// Whether the code of a line ends a few columns before the continuation column, in what may be its mark.
fn ends_in_mark(text: &str) -> bool {
    let code = columns(text, 0..CONTINUES).trim_end();
    (CONTINUES - 7..=CONTINUES).contains(&code.chars().count()) && code.ends_with(['X', '-', '+', '*'])
}

/// Whether only the columns from the continuation column on contain text.
fn is_continuation(text: &str) -> bool {
    columns(text, 0..CONTINUED).trim().is_empty() && !columns(text, CONTINUED..CONTINUES).trim().is_empty()
}

/// Whether an indented line begins with an operation: a word without operand characters, followed by a blank.
fn is_statement(text: &str) -> bool {
    text.trim_start().split_once(' ').is_some_and(|(word, _)| is_keyword(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn macros(text: &str) -> (Vec<MacroStatement>, Vec<Diagnostic>) {
        let source = SourceText::read("T", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let mut diagnostics = Vec::new();
        (parse_macros(&source, &mut diagnostics), diagnostics)
    }

    fn marked(code: &str) -> String {
        format!("{code:<71}X\n")
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let (found, diagnostics) = macros(text);
        let shown = |read: &MacroStatement| {
            let operands: Vec<String> = read
                .operands
                .iter()
                .map(|o| o.keyword.as_ref().map_or(o.value.clone(), |keyword| format!("{keyword}={}", o.value)))
                .collect();
            let name = read.name.as_deref().unwrap_or("-");
            format!("{name} {} {} {}", read.lines, read.operation, operands.join(" | "))
        };
        let found: Vec<String> = found.iter().map(shown).collect();
        assert_eq!(found, expected);
        assert_eq!(diagnostics, []);
    }

    #[test]
    fn a_statement_has_a_name_an_operation_operands_and_a_remark() {
        check("F  dfhmdf Pos=(1,2),length=4 a remark, X=1\n", &["F 1 DFHMDF POS=(1,2) | LENGTH=4"]);
        check("* F M A=1\n.* F M\n\n         PRINT NOGEN\n   END\n", &["- 4 PRINT NOGEN", "- 5 END "]);
        check("ALONE\n", &[]);
    }

    #[test]
    fn what_stands_in_the_wrong_column_is_told_and_taken_as_meant() {
        let codes = |text: &str| {
            let (found, diagnostics) = macros(text);
            let shown: Vec<String> = found
                .iter()
                .map(|read| {
                    let operands = read.operands.iter().map(|operand| operand.value.as_str());
                    format!("{} {}", read.operation, operands.collect::<Vec<_>>().join(" "))
                })
                .collect();
            (shown.join("; "), diagnostics.iter().map(|found| found.code).collect::<Vec<_>>())
        };
        let text = "SEGM     NAME=A,BYTES=2\nFIELD    NAME=B\nDBDGEN\n";
        assert_eq!(codes(text), ("SEGM A 2; FIELD B; DBDGEN ".to_owned(), vec!["operation-as-name"]));
        // It is told once in each source, whatever was told before.
        let source = SourceText::read("T", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let mut diagnostics = Vec::new();
        (0..2).for_each(|_| drop(parse_macros(&source, &mut diagnostics)));
        assert_eq!(diagnostics.len(), 2);
        let text = format!("{:<67}X\n               HIS ONE'\n", format!("         M X='{} T", "A".repeat(52)));
        let value = format!("M '{} THIS ONE'", "A".repeat(52));
        assert_eq!(codes(&text), (value.clone(), vec!["missing-continuation"]));
        // What stands behind column 72 changes nothing, nor do blanks.
        for end in ["00010000", "        "] {
            let lines: String = text.lines().map(|line| format!("{line:<72}{end}\n")).collect();
            assert_eq!(codes(&lines), (value.clone(), vec!["missing-continuation"]), "{end:?}");
        }
        // Columns are characters.
        let accented = |text: &str| text.replace('A', "É");
        assert_eq!(codes(&accented(&text)), (accented(&value), vec!["missing-continuation"]));
    }

    #[test]
    fn a_statement_goes_on_from_column_16() {
        let text = marked("M        DFHMSD TYPE=MAP,      a remark") + "               MODE=OUT\n         END\n";
        check(&text, &["M 1-2 DFHMSD TYPE=MAP | MODE=OUT", "- 3 END "]);
        let text = marked("M        DFHMSD CTRL=(A,") + &marked("               B),") + "               X=1\n";
        check(&text, &["M 1-3 DFHMSD CTRL=(A,B) | X=1"]);
        let text = marked("M        DFHMSD TYPE=MAP      a remark") + "               MODE=OUT\n";
        check(&text, &["M 1-2 DFHMSD TYPE=MAP"]);
        let text = marked("M        DFHMSD") + "               MODE=OUT\n";
        check(&text, &["M 1-2 DFHMSD MODE=OUT"]);
    }

    #[test]
    fn quotes_go_on_over_the_end_of_a_line() {
        let full = "A".to_owned() + &" A".repeat(28);
        let text = marked(&format!("         M X='{full}")) + "               B, C''S',Y=2\n";
        let value = format!("- 1-2 M X='{full}B, C''S' | Y=2");
        check(&text, &[&value]);
    }

    #[test]
    fn a_comment_goes_on_only_where_it_can() {
        check(&(marked("* A") + "               B=1\nN  M\n"), &["N 3 M "]);
        check(&(marked("* A") + "         M B=1\n"), &["- 2 M B=1"]);
    }

    #[test]
    fn what_does_not_go_on_well_is_told_and_read() {
        let codes = |text: &str| {
            let (found, diagnostics) = macros(text);
            let operands = found.iter().map(|m| m.operands.len()).collect::<Vec<_>>();
            (operands, diagnostics.iter().map(|d| d.code).collect::<Vec<_>>())
        };
        let two = "N  M A=1,\n               B=2\n";
        assert_eq!(codes(two), (vec![2], vec!["missing-continuation"]));
        let left = marked("N  M A=1,") + "          B=2\n";
        assert_eq!(codes(&left), (vec![2], vec!["bad-continuation"]));
        let other = marked("N  M A=1,") + "O  M B=2\n";
        assert_eq!(codes(&other), (vec![1, 1], vec!["bad-continuation"]));
        let between = marked("N  M A=1,") + "* no\n               B=2\n";
        assert_eq!(codes(&between), (vec![2], vec!["bad-continuation"]));
        assert_eq!(codes("N  M A='1\n"), (vec![1], vec!["unclosed-quote"]));
        assert_eq!(codes("N  M A=(1\n"), (vec![1], vec!["unclosed-parenthesis"]));
        assert_eq!(codes(&marked("N  M A=1,")), (vec![1], vec![]));
    }

    #[test]
    fn values_are_taken_apart() {
        assert_eq!(list("A"), ["A"]);
        assert_eq!(list("(A,(B,C),'D,E')"), ["A", "(B,C)", "'D,E'"]);
        assert_eq!(list("(A"), ["A"]);
        assert_eq!(list("()"), [""]);
        assert_eq!(text("'it''s R&&D'"), "it's R&D");
        assert_eq!(text("X"), "X");
    }
}
