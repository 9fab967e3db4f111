//! One line: its columns, its indicator and its code in each reference format.

use super::{LineData, SourceText};
use crate::LineNumber;
use crate::columns::INDICATOR_COLUMN;
use crate::format_detection::{self, CodeEnd, SourceFormat};

/// One line of a source.
#[derive(Debug, Clone, Copy)]
pub struct SourceLine<'a> {
    pub(super) source: &'a SourceText,
    pub(super) index: usize,
}

impl<'a> SourceLine<'a> {
    /// Returns the line's number in the file.
    pub fn number(self) -> LineNumber {
        LineNumber::from_index(self.index)
    }

    /// Returns the reference format of this line.
    pub fn format(self) -> SourceFormat {
        self.data().format
    }

    /// Returns all characters of the line, tabs expanded, without its end.
    pub fn text(self) -> &'a str {
        &self.source.text[self.data().text.clone()]
    }

    /// Returns the line as a prompt shows it: columns 7 to 72 in fixed format, of a comment also the rest of its text, the whole line in the others,
    /// without trailing blanks.
    pub fn visible(self) -> &'a str {
        &self.source.text[self.data().shown.clone()]
    }

    /// Returns the indicator in column 7, or in column 1 in terminal format; a blank in free format and on short lines. The ruler of an editor's
    /// listing is a comment.
    pub fn indicator(self) -> char {
        match self.format() {
            SourceFormat::Fixed => match self.visible().chars().next().unwrap_or(' ') {
                '-' if is_ruler(self.text()) => '*',
                indicator => indicator,
            },
            SourceFormat::Free => ' ',
            SourceFormat::Terminal => terminal_indicator(self.visible()).0,
        }
    }

    /// Returns the code: columns 8 to 72 in fixed format, what follows an indicator in terminal format, the whole line in free format, without
    /// trailing blanks.
    pub fn code(self) -> &'a str {
        match self.format() {
            SourceFormat::Fixed => {
                let shown = self.visible();
                &shown[shown.chars().next().map_or(0, char::len_utf8)..]
            }
            SourceFormat::Free => self.visible(),
            SourceFormat::Terminal => &self.visible()[terminal_indicator(self.visible()).1..],
        }
    }

    /// Returns the one-based column in which [`SourceLine::code`] begins.
    pub fn code_column(self) -> u32 {
        match self.format() {
            SourceFormat::Fixed => INDICATOR_COLUMN as u32 + 2,
            SourceFormat::Free => 1,
            SourceFormat::Terminal => 1 + terminal_indicator(self.visible()).1 as u32,
        }
    }

    /// Whether the shown part of the line is blank.
    pub fn is_blank(self) -> bool {
        self.visible().is_empty()
    }

    /// Whether the whole line is a comment: the indicator `*` or `/`, or `*>` before anything else.
    pub fn is_comment(self) -> bool {
        matches!(self.indicator(), '*' | '/') || begins_inline_comment(self.code())
    }

    /// Returns the text of a comment in the line that begins with `*>`, outside its literals; what precedes it may be code.
    pub fn inline_comment(self) -> Option<&'a str> {
        match CodeEnd::of(self.code()) {
            CodeEnd::Comment(text) => Some(text),
            CodeEnd::Literal(_) | CodeEnd::Code => None,
        }
    }

    /// Whether the line looks like a compiler option card, `CBL ...` or `PROCESS ...`, which comes before a program in any of columns 1 to 72.
    pub fn is_option_card(self) -> bool {
        format_detection::is_option_card(self.text())
    }

    fn data(self) -> &'a LineData {
        &self.source.lines[self.index]
    }
}

/// Whether code begins with `*>`. Nearly always, bytes show what it begins with.
fn begins_inline_comment(code: &str) -> bool {
    match code.as_bytes().trim_ascii_start() {
        [] => false,
        [b'*', b'>', ..] => true,
        [first, ..] => !first.is_ascii_graphic() && code.trim_start().starts_with("*>"),
    }
}

/// Returns the indicator of a line in terminal format and its length in bytes: a blank and 0 if code begins in column 1.
fn terminal_indicator(line: &str) -> (char, usize) {
    match line.as_bytes() {
        [b'*', b'>', ..] => (' ', 0),
        [indicator @ (b'*' | b'/' | b'-' | b'$' | b'?'), ..] => (char::from(*indicator), 1),
        [b'D' | b'd', b' ', ..] => ('D', 1),
        [b'\\', b'D' | b'd', ..] => ('D', 2),
        _ => (' ', 0),
    }
}

/// Whether a line is the ruler that an editor shows above the text: `----+----1----+----2`.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("----+----1----+----2") && line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'0'..=b'9'))
}

/// Whether the shown part of a fixed-format line is a comment.
pub(super) fn is_fixed_comment(shown: &str) -> bool {
    shown.starts_with(['*', '/']) || begins_inline_comment(&shown[shown.chars().next().map_or(0, char::len_utf8)..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;
    use crate::columns::without_trailing_blanks;

    #[test]
    fn blanks_around_code_are_those_of_unicode() {
        for text in [
            "", " ", "A", "A \u{b}         ", "A \u{a0}        ", "        \u{3000}", "ä       ", "*>", "  *> A", " *",
            "\u{2003} *> A", "\u{b}*>", "\u{a0}A *>",
        ] {
            assert_eq!(without_trailing_blanks(text), text.trim_end(), "{text:?}");
            assert_eq!(begins_inline_comment(text), text.trim_start().starts_with("*>"), "{text:?}");
        }
    }

    #[test]
    fn comments_behind_code_stand_outside_its_literals() {
        let text =
            b"       05 A PIC X. *> ITS STATE\n       05 B PIC XX VALUE '*>'.\n       *> ALONE\n      * OF A LINE\n";
        let source = SourceText::read("T.cpy", text.to_vec(), &ReadOptions::default()).unwrap();
        let comments: Vec<Option<&str>> = source.lines().map(|line| line.inline_comment()).collect();
        assert_eq!(comments, [Some(" ITS STATE"), None, Some(" ALONE"), None]);
    }

    #[test]
    fn the_ruler_of_an_editor_is_a_comment() {
        let ruler = b"----+----1----+----2----+----3----+----4\n       DISPLAY 'A\n      -    'B'.\n";
        let source = SourceText::read("T.cbl", ruler.to_vec(), &ReadOptions::default()).unwrap();
        let comments: Vec<bool> = source.lines().map(|line| line.is_comment()).collect();
        assert_eq!(comments, [true, false, false]);
    }
}
