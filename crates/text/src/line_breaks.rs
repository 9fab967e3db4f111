//! Where one line of a file ends and the next begins, in bytes.
//!
//! Lines are numbered as an editor numbers them: each has an end of its own, only the last may lack one, and whatever stands
//! behind the last end is a line, even a lone 0x1A. Files from a host may have no ends at all, but records of 80 bytes.

use crate::{Encoding, ebcdic};
use std::ops::Range;

/// A line in the bytes of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineSpan {
    /// The line without its end.
    pub(crate) content: Range<usize>,
    /// Where the next line begins.
    pub(crate) end: usize,
}

/// The length of a record: a punched card's.
pub(crate) const RECORD_LENGTH: usize = 80;

/// In a file of records, bytes that happen to be ends of lines stand in literals, further apart than two records on average.
const BYTES_TO_A_STRAY_END: usize = 2 * RECORD_LENGTH;

/// The lines by their ends: LF, CR LF or CR alone, in EBCDIC also NEL and CR NEL, mixed as they come.
pub(crate) fn split_at_line_ends(bytes: &[u8], encoding: Encoding) -> Vec<LineSpan> {
    const RETURN: u8 = b'\r';
    match encoding {
        Encoding::Utf8 | Encoding::Latin1 => pieces(bytes, |from| {
            let at = find(bytes, from, |byte| matches!(byte, b'\n' | RETURN))?;
            let pair = bytes[at..].starts_with(b"\r\n");
            Some((at, if pair { 2 } else { 1 }))
        }),
        Encoding::Ebcdic(_) => pieces(bytes, |from| {
            let is_feed = |byte| matches!(byte, ebcdic::LINE_FEED | ebcdic::NEXT_LINE);
            let at = find(bytes, from, |byte| is_feed(byte) || byte == RETURN)?;
            let pair = bytes[at] == RETURN && bytes.get(at + 1).is_some_and(|next| is_feed(*next));
            Some((at, if pair { 2 } else { 1 }))
        }),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let unit =
                |character: u8| if encoding == Encoding::Utf16Le { [character, 0] } else { [0, character] };
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

/// The lines, given where the next end begins from some place on and how long it is.
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

/// The first byte from some place on that is wanted. Blocks without one are passed over as a whole, which is quicker than looking at
/// one byte after the other.
fn find(bytes: &[u8], from: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    let is_passed = |block: &&[u8]| !block.iter().fold(false, |found, byte| found | is_wanted(*byte));
    let passed = bytes[from..].chunks_exact(BLOCK).take_while(is_passed).count();
    let from = from + passed * BLOCK;
    bytes[from..].iter().position(|byte| is_wanted(*byte)).map(|at| from + at)
}

/// The lines by their length: records of 80 bytes, the last perhaps shorter. A line end behind all of them belongs to the last.
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

/// How long the line end is that a file ends with; 0 when it ends without one.
fn last_end(by_ends: &[LineSpan]) -> usize {
    by_ends.last().map_or(0, |last| last.end - last.content.end)
}

/// Whether a file can be one of records, by what its bytes are as lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStructure {
    /// It has ends of lines.
    Lines,
    /// It has none, and the length of records.
    Records,
    /// It may be either, or neither; only its columns can tell.
    Ambiguous,
}

/// The shape of a file that was cut by its ends.
pub(crate) fn line_structure(bytes: &[u8], by_ends: &[LineSpan], encoding: Encoding) -> LineStructure {
    // What fills the last block of a file is no part of a record.
    let filler = if matches!(encoding, Encoding::Ebcdic(_)) { 0x3F } else { 0x1A };
    let body = &bytes[..bytes.len() - last_end(by_ends)];
    let length = body.iter().rposition(|b| *b != 0 && *b != filler).map_or(0, |last| last + 1);
    let whole = length.is_multiple_of(RECORD_LENGTH);
    match encoding {
        _ if length <= RECORD_LENGTH => LineStructure::Lines,
        Encoding::Utf8 | Encoding::Latin1 if by_ends.len() == 1 && whole => LineStructure::Ambiguous,
        Encoding::Ebcdic(_) if body.len() == bytes.len() && by_ends.len() == 1 && whole => {
            LineStructure::Records
        }
        Encoding::Ebcdic(_) if (by_ends.len() - 1) * BYTES_TO_A_STRAY_END < length => {
            LineStructure::Ambiguous
        }
        _ => LineStructure::Lines,
    }
}
