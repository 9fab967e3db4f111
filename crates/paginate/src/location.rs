//! The location of a text in the input: lines, records, pages.

use crate::input::InputContent;
use crate::merge::InputLocation;
use crate::part_text::PartText;
use crate::slice::{Slice, UnitStart};
use crate::word_index::WordIndex;
use war_rig_text::escaped;

/// Returns the location in the input of a byte of a part's own text. A byte at its end has the location of the last one.
pub(crate) fn place_of(slice: &Slice, at: usize) -> InputLocation {
    // A final line end does not begin a line of this part.
    let line = || (slice.lines.start() + line_ends(&slice.text[..at])).min(*slice.lines.end());
    of(&slice.marks, slice.kind, at, line)
}

/// Returns the location of everything that a part owns.
pub(crate) fn place_of_all(slice: &Slice) -> InputLocation {
    let lines = (slice.kind != InputContent::Pages).then(|| (*slice.lines.start(), *slice.lines.end()));
    InputLocation { lines, ..between(place_of(slice, 0), place_of(slice, slice.text.len())) }
}

/// Returns the location from the first to the last of two.
fn between(first: InputLocation, last: InputLocation) -> InputLocation {
    let both = |first: Option<(u64, u64)>, last: Option<(u64, u64)>| Some((first?.0, last?.1));
    InputLocation {
        pages: both(first.pages, last.pages),
        records: both(first.records, last.records),
        lines: both(first.lines, last.lines),
    }
}

/// A match of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextMatch {
    /// The location from its first to its last occurrence.
    pub(crate) place: InputLocation,
    /// Its first occurrence, in bytes of overlap and text together.
    pub(crate) at: usize,
    /// Whether it occurs only in the overlap.
    pub(crate) in_overlap: bool,
    /// Whether it occurs only once in the part.
    pub(crate) is_once: bool,
}

/// Finds texts in a part. A match that begins in the overlap and ends in the part's own text belongs to the part, at the location where it begins. A
/// word hyphenated at a page break is one word.
pub(crate) struct TextFinder {
    stretch: PartText,
    words: WordIndex,
    own: usize,
    has_records: bool,
}

impl TextFinder {
    /// Creates a finder for a part.
    pub(crate) fn new(slice: &Slice) -> Self {
        let (stretch, own) = PartText::from_slice(slice);
        let words = WordIndex::new([stretch.text()]);
        Self { stretch, words, own, has_records: slice.kind == InputContent::Records }
    }

    /// Finds a text as whole words, with any blanks and line ends between them, and reports whether it occurs only in the overlap. In records, also
    /// finds its escaped form in JSON and CSV. Returns none for a text without a letter or digit.
    pub(crate) fn find(&self, text: &str) -> Option<TextMatch> {
        let found = self.as_it_stands(text);
        if !self.has_records || found.as_ref().is_some_and(|found| !found.in_overlap) {
            return found;
        }
        let mut best = found;
        for written in as_written(text) {
            match self.as_it_stands(&written) {
                Some(found) if !found.in_overlap => return Some(found),
                Some(found) => best = best.or(Some(found)),
                None => {}
            }
        }
        best
    }

    fn place(&self, at: usize) -> InputLocation {
        self.stretch.location(at, self.stretch.line() + self.stretch.lines_between(0, at))
    }

    fn as_it_stands(&self, text: &str) -> Option<TextMatch> {
        let mut first: Option<(usize, bool)> = None;
        let mut last = 0;
        let mut count = 0;
        for found in self.words.find_all(text) {
            let is_before = found.end <= self.own;
            // A match in the part itself takes precedence over one in the overlap.
            if first.is_none_or(|(_, was_before)| was_before && !is_before) {
                (first, last, count) = (Some((found.start, is_before)), found.start, 1);
            } else if first.is_some_and(|(_, was_before)| was_before == is_before) {
                last = found.start;
                count += 1;
            }
        }
        let (at, in_overlap) = first?;
        let place = between(self.place(at), self.place(last));
        Some(TextMatch { place, at, in_overlap, is_once: count == 1 })
    }
}

/// Returns the escaped forms of a text in record formats, if they differ from the text.
fn as_written(text: &str) -> Vec<String> {
    let json = serde_json::to_string(text).unwrap_or_default();
    let json = json.trim_matches('"').to_owned();
    let ascii = escaped(&json, |character| !character.is_ascii()).into_owned();
    let quoted = text.replace('"', "\"\"");
    let mut all: Vec<String> = Vec::new();
    for written in [json, ascii, quoted] {
        if written != text && !all.contains(&written) {
            all.push(written);
        }
    }
    all
}

/// Returns a location of one line, record or page, given where records or pages begin. Text before the first belongs to it.
pub(crate) fn of(marks: &[UnitStart], content: InputContent, at: usize, line: impl Fn() -> u64) -> InputLocation {
    let index = marks.partition_point(|mark| mark.at <= at).saturating_sub(1);
    let number = marks.get(index).map(|mark| (mark.number, mark.number));
    let lines = || {
        let line = line();
        Some((line, line))
    };
    match content {
        InputContent::Text => InputLocation { lines: lines(), ..InputLocation::default() },
        InputContent::Records => InputLocation { records: number, lines: lines(), ..InputLocation::default() },
        InputContent::Pages => InputLocation { pages: number, ..InputLocation::default() },
    }
}

/// Counts the line ends in a text.
pub(crate) fn line_ends(text: impl AsRef<[u8]>) -> u64 {
    memchr::memchr_iter(b'\n', text.as_ref()).count() as u64
}

#[cfg(test)]
mod tests;
