//! Hand-made parts for tests.

use crate::input::InputContent;
use crate::location::line_ends;
use crate::slice::{Slice, UnitStart};

/// Creates a part that begins on this line.
pub(crate) fn slice(overlap: &str, text: &str, line: u64) -> Slice {
    let last = line + line_ends(text.trim_end_matches('\n'));
    Slice {
        kind: InputContent::Text,
        header: String::new(),
        overlap: overlap.to_owned(),
        text: text.to_owned(),
        lines: line..=last,
        marks: Vec::new(),
        overlap_marks: Vec::new(),
        tokens: Default::default(),
    }
}

/// Creates a part of pages, the first with this number. The overlap is from the page before.
pub(crate) fn pages(overlap: &str, pages: &[&str], number: u64) -> Slice {
    let mut part = slice(overlap, &pages.concat(), 1);
    part.kind = InputContent::Pages;
    let mut at = 0;
    for (number, page) in (number..).zip(pages) {
        part.marks.push(UnitStart { at, number });
        at += page.len();
    }
    if !overlap.is_empty() {
        part.overlap_marks.push(UnitStart { at: 0, number: number - 1 });
    }
    part
}

/// Creates a part of records, the first with number 1.
pub(crate) fn records(overlap: &str, records: &[&str]) -> Slice {
    let mut part = pages(overlap, records, 1);
    part.kind = InputContent::Records;
    let last = 1 + line_ends(part.text.trim_end_matches('\n'));
    part.lines = 1..=last;
    part
}
