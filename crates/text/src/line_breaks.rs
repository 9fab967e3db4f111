//! Finds where each line of a file ends, in bytes.
//!
//! Lines are numbered as an editor numbers them. Each has a line end, except perhaps the last, and whatever follows
//! the last line end is a line, even a lone 0x1A. Files from a host may have no line ends but records of 80 bytes.

use crate::{Encoding, ebcdic};
use memchr::{memchr2, memchr3};
use std::borrow::Cow;
use std::ops::Range;

/// A line's place in the bytes of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineSpan {
    /// The bytes of the line without its end.
    pub(crate) content: Range<usize>,
    /// Where the next line begins.
    pub(crate) end: usize,
}

/// The length of a record: a punched card's.
pub(crate) const RECORD_LENGTH: usize = 80;

/// In a file of records, bytes that equal line ends occur only in literals, on average more than two records apart.
const BYTES_TO_A_STRAY_END: usize = 2 * RECORD_LENGTH;

/// Splits at line ends: LF, CR LF or CR alone, in EBCDIC also NEL and CR NEL, in any mixture.
pub(crate) fn split_at_line_ends(bytes: &[u8], encoding: Encoding) -> Vec<LineSpan> {
    const RETURN: u8 = b'\r';
    match encoding {
        Encoding::Utf8 | Encoding::Latin1 => pieces(bytes, |from| {
            let at = from + memchr2(b'\n', RETURN, &bytes[from..])?;
            let pair = bytes[at..].starts_with(b"\r\n");
            Some((at, if pair { 2 } else { 1 }))
        }),
        Encoding::Ebcdic(_) => pieces(bytes, |from| {
            let is_feed = |byte| matches!(byte, ebcdic::LINE_FEED | ebcdic::NEXT_LINE);
            let at = from + memchr3(ebcdic::LINE_FEED, ebcdic::NEXT_LINE, RETURN, &bytes[from..])?;
            let pair = bytes[at] == RETURN && bytes.get(at + 1).is_some_and(|next| is_feed(*next));
            Some((at, if pair { 2 } else { 1 }))
        }),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let unit = |character: u8| if encoding == Encoding::Utf16Le { [character, 0] } else { [0, character] };
            let (feed, carriage) = (unit(b'\n'), unit(RETURN));
            pieces(bytes, |from| {
                let mut units = bytes[from..].chunks_exact(2);
                let at = from + 2 * units.position(|unit| unit == feed || unit == carriage)?;
                let pair = bytes[at..at + 2] == carriage && bytes[at + 2..].starts_with(&feed);
                Some((at, if pair { 4 } else { 2 }))
            })
        }
    }
}

/// Splits into lines. `next_end` returns the offset and length of the next line end from an offset on.
fn pieces(bytes: &[u8], next_end: impl Fn(usize) -> Option<(usize, usize)>) -> Vec<LineSpan> {
    let mut pieces = Vec::with_capacity(bytes.len() / 40);
    let mut start = 0;
    while let Some((at, length)) = next_end(start) {
        pieces.push(LineSpan { content: start..at, end: at + length });
        start = at + length;
    }
    if start < bytes.len() {
        pieces.push(LineSpan { content: start..bytes.len(), end: bytes.len() });
    }
    pieces
}

/// Splits into records of 80 bytes; the last may be shorter. A line end after the last record belongs to it.
pub(crate) fn split_records(bytes: &[u8], by_ends: &[LineSpan]) -> Vec<LineSpan> {
    let body = bytes.len() - last_end(by_ends);
    let starts = (0..body).step_by(RECORD_LENGTH);
    let mut pieces: Vec<LineSpan> = starts
        .map(|start| {
            let end = (start + RECORD_LENGTH).min(body);
            LineSpan { content: start..end, end }
        })
        .collect();
    if let Some(last) = pieces.last_mut() {
        last.end = bytes.len();
    }
    pieces
}

/// Returns the length of the line end at the end of a file; 0 if there is none.
fn last_end(by_ends: &[LineSpan]) -> usize {
    by_ends.last().map_or(0, |last| last.end - last.content.end)
}

/// Whether a file can be a file of records, judged by its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStructure {
    /// It has line ends.
    Lines,
    /// It has no line ends, and its length fits records.
    Records,
    /// It may be either or neither; only its columns can decide.
    Ambiguous,
}

/// Returns the structure of a file that was split at its line ends.
pub(crate) fn line_structure(bytes: &[u8], by_ends: &[LineSpan], encoding: Encoding) -> LineStructure {
    // The filler in the last block of a file is not part of a record.
    let filler = if matches!(encoding, Encoding::Ebcdic(_)) { 0x3F } else { 0x1A };
    let body = &bytes[..bytes.len() - last_end(by_ends)];
    let length = body.iter().rposition(|b| *b != 0 && *b != filler).map_or(0, |last| last + 1);
    let whole = length.is_multiple_of(RECORD_LENGTH);
    match encoding {
        _ if length <= RECORD_LENGTH => LineStructure::Lines,
        Encoding::Utf8 | Encoding::Latin1 if by_ends.len() == 1 && whole => LineStructure::Ambiguous,
        Encoding::Ebcdic(_) if body.len() == bytes.len() && by_ends.len() == 1 && whole => LineStructure::Records,
        Encoding::Ebcdic(_) if (by_ends.len() - 1) * BYTES_TO_A_STRAY_END < length => LineStructure::Ambiguous,
        _ => LineStructure::Lines,
    }
}

/// Returns a text with each CR LF replaced by LF.
///
/// ```
/// assert_eq!(*war_rig_text::unix_line_ends(b"a\r\nb\rc\r\r\n"), *b"a\nb\rc\r\n");
/// ```
pub fn unix_line_ends(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'\r') {
        return Cow::Borrowed(bytes);
    }
    let kept = |(at, byte): (usize, &u8)| (*byte != b'\r' || bytes.get(at + 1) != Some(&b'\n')).then_some(*byte);
    bytes.iter().enumerate().filter_map(kept).collect()
}

/// Returns the one-based number of the line at a position in bytes; behind the end, that of the last line.
///
/// ```
/// assert_eq!(war_rig_text::line_number_at(b"a\nb\nc", 2), 2);
/// ```
pub fn line_number_at(text: &[u8], at: usize) -> usize {
    text[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
