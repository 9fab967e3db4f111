//! The columns of a line: where its indicator, its code and its end are.

use crate::format_detection::SourceFormat;
use std::ops::Range;

/// The zero-based first column of a fixed-format line in a prompt: the indicator, column 7.
pub(crate) const INDICATOR_COLUMN: usize = 6;
/// The columns before the identification area of a fixed-format line.
pub(crate) const CODE_END: usize = 72;

/// Returns the byte at which a zero-based column of a line begins, or the line's length if it is shorter.
pub fn byte_of_column(line: &str, column: usize) -> usize {
    let end = column.min(line.len());
    // Most lines are ASCII in the columns that are read.
    if line.as_bytes()[..end].is_ascii() {
        return end;
    }
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

/// Returns these zero-based columns of a line, as far as it has them.
pub fn columns(line: &str, columns: Range<usize>) -> &str {
    &line[byte_of_column(line, columns.start)..byte_of_column(line, columns.end)]
}

/// Returns the byte range of a line that is shown.
pub(crate) fn shown(line: &str, format: SourceFormat, wide: bool) -> Range<usize> {
    let (start, end) = match format {
        SourceFormat::Free | SourceFormat::Terminal => (0, line.len()),
        // A librarian's include is not COBOL and has no columns: its name may begin in the first six.
        SourceFormat::Fixed if line.starts_with("-INC ") || line.starts_with("++INCLUDE ") => (0, line.len()),
        SourceFormat::Fixed => {
            let end = if wide { line.len() } else { byte_of_column(line, CODE_END) };
            (byte_of_column(line, INDICATOR_COLUMN).min(end), end)
        }
    };
    start..start + without_trailing_blanks(&line[start..end]).len()
}

/// Returns a text without trailing white space; nearly all of it is blanks, which are looked for first.
pub(crate) fn without_trailing_blanks(text: &str) -> &str {
    let mut rest = text.as_bytes();
    while let Some((before, b"        ")) = rest.split_last_chunk::<8>() {
        rest = before;
    }
    let end = rest.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    if rest[..end].last().is_some_and(u8::is_ascii_graphic) { &text[..end] } else { text[..end].trim_end() }
}
