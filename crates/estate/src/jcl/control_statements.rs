//! Control statements: joins the lines of in-stream data and splits them into words.

use super::model::{Dd, JclOperand, JobStep};
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange, columns};

/// Where a statement stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatementPlace {
    /// Its lines.
    pub(super) lines: LineRange,
    /// The file that contains it.
    pub(super) file: Option<Arc<str>>,
}

impl StatementPlace {
    /// Returns the place of a step's EXEC.
    pub(super) fn of_exec(step: &JobStep) -> Self {
        Self { lines: step.exec, file: step.file.clone() }
    }

    /// Returns the place of an operand.
    pub(super) fn of_operand(operand: &JclOperand) -> Self {
        Self { lines: operand.lines, file: operand.file.clone() }
    }
}

/// A command with its lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ControlCommand {
    /// Its text with single blanks, without continuation marks and comments.
    pub(super) text: String,
    /// Its lines.
    pub(super) lines: LineRange,
    /// The file that contains it.
    pub(super) file: Option<Arc<str>>,
}

/// Returns the lines of a DD's in-stream data in these columns, each with its number and its file.
pub(super) fn data_lines(dd: &Dd, width: usize) -> impl Iterator<Item = (LineNumber, &str, Option<&Arc<str>>)> {
    dd.allocations.iter().flat_map(move |allocation| {
        let data = allocation.in_stream.as_ref().and_then(|data| Some((data.lines?, &*data.text)));
        data.into_iter().flat_map(move |(lines, text)| {
            let numbers = (lines.start().get()..).filter_map(LineNumber::new);
            let line = move |(number, line)| (number, columns(line, 0..width), allocation.file.as_ref());
            numbers.zip(text.lines()).map(line)
        })
    })
}

/// The columns of commands.
const COMMAND: usize = 72;

/// Returns the commands in a DD's in-stream data. A hyphen or a plus at the end of a line continues a command; comments are between `/*`
/// and `*/`.
pub(super) fn commands(dd: &Dd) -> Vec<ControlCommand> {
    let mut found: Vec<ControlCommand> = Vec::new();
    let (mut open, mut in_comment) = (false, false);
    for (number, line, file) in data_lines(dd, COMMAND) {
        let was_in_comment = in_comment;
        let line = without_comments(line, &mut in_comment);
        let text = line.trim();
        if text.is_empty() {
            // A line that contains only a comment neither continues nor ends a command.
            open &= was_in_comment || in_comment;
            continue;
        }
        let goes_on = text.ends_with(['-', '+']) || in_comment;
        let text = text.trim_end_matches(['-', '+']).trim_end();
        match found.last_mut().filter(|command| open && command.file.as_ref() == file) {
            Some(command) => {
                command.lines = LineRange::spanning(command.lines.start(), number);
                push(&mut command.text, text);
            }
            None => {
                let mut command =
                    ControlCommand { text: String::new(), lines: LineRange::single(number), file: file.cloned() };
                push(&mut command.text, text);
                found.push(command);
            }
        }
        open = goes_on;
    }
    found.retain(|command| !command.text.is_empty());
    found
}

/// Appends words, separated by single blanks.
fn push(text: &mut String, words: &str) {
    for word in words.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut rest = line;
    let mut kept = String::with_capacity(line.len());
    loop {
        let mark = if *in_comment { "*/" } else { "/*" };
        let Some(at) = rest.find(mark) else { break };
        if !*in_comment {
            kept.push_str(&rest[..at]);
            kept.push(' ');
        }
        *in_comment = !*in_comment;
        rest = &rest[at + mark.len()..];
    }
    if !*in_comment {
        kept.push_str(rest);
    }
    kept
}

/// A word of a command, with the parenthesized text after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandWord<'a> {
    /// The word without its quotes. Empty if the parentheses have no word.
    pub(super) text: &'a str,
    /// The text in parentheses, including quotes and inner parentheses.
    pub(super) inner: Option<&'a str>,
}

/// Splits a text into words. Parenthesized text stays whole; apply [`words`] to it to go deeper.
pub(super) fn words(text: &str) -> impl Iterator<Item = CommandWord<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', ',', ')', ';']);
        if rest.is_empty() {
            return None;
        }
        let word = match rest.strip_prefix('\'') {
            Some(quoted) => {
                let end = quoted.find('\'').unwrap_or(quoted.len());
                rest = quoted.get(end + 1..).unwrap_or_default();
                &quoted[..end]
            }
            None => {
                let end = rest.find([' ', ',', '(', ')', ';', '\'']).unwrap_or(rest.len());
                let word = &rest[..end];
                rest = &rest[end..];
                word
            }
        };
        let inner = rest.trim_start_matches(' ').strip_prefix('(').map(|opened| {
            let end = closing(opened);
            rest = opened.get(end + 1..).unwrap_or_default();
            opened[..end].trim()
        });
        Some(CommandWord { text: word, inner })
    })
}

/// Returns the position of the parenthesis that closes the one opened before the text.
fn closing(text: &str) -> usize {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted && depth == 0 => return at,
            b')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the text without outer quotes, in upper case.
pub(super) fn unquoted_name(text: &str) -> String {
    text.trim().trim_matches('\'').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_what_is_in_brackets_behind_them() {
        let found: Vec<(&str, Option<&str>)> =
            words("RUN PROGRAM (X) LIB('A.B(C)'), 'Q R' (A B)").map(|word| (word.text, word.inner)).collect();
        let expected = [("RUN", None), ("PROGRAM", Some("X")), ("LIB", Some("'A.B(C)'")), ("Q R", Some("A B"))];
        assert_eq!(found, expected);
        assert_eq!(words("A(B").map(|word| word.inner).collect::<Vec<_>>(), [Some("B")]);
        assert_eq!(words("'A").map(|word| word.text).collect::<Vec<_>>(), ["A"]);
        assert_eq!(words("))(").map(|word| (word.text, word.inner)).collect::<Vec<_>>(), [("", Some(""))]);
    }

    #[test]
    fn comments_are_left_out_also_over_lines() {
        let mut open = false;
        assert_eq!(without_comments("A /* B */ C /* D", &mut open), "A   C  ");
        assert!(open);
        assert_eq!(without_comments("E */ F", &mut open), " F");
    }
}
