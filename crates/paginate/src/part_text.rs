//! Consecutive texts as one text with known locations.

pub(crate) mod json_escapes;

use crate::input::InputContent;
use crate::location::{self, line_ends};
use crate::merge::InputLocation;
use crate::slice::{Slice, UnitStart};

/// Consecutive texts. Words hyphenated at a page break are joined as a reader would: `PBI-` and `1234` on the next page become `PBI-1234`. A soft
/// hyphen is removed. In JSON records, escapes in strings are decoded, because `\nPBI-1` is not the word `nPBI`.
#[derive(Debug, Clone)]
pub(crate) struct PartText {
    text: String,
    content: InputContent,
    /// The line that it begins on.
    line: u64,
    marks: Vec<UnitStart>,
    /// Line ends from decoded escapes, which do not end lines of the input; as bytes, in order.
    written: Vec<usize>,
}

impl PartText {
    /// Creates an empty text; what is added first begins on this line.
    pub fn new(content: InputContent, line: u64) -> Self {
        Self { text: String::new(), content, line, marks: Vec::new(), written: Vec::new() }
    }

    /// Returns the overlap and text of a part, and where its own text begins.
    pub fn from_slice(slice: &Slice) -> (Self, usize) {
        let line = slice.lines.start().saturating_sub(line_ends(&slice.overlap));
        let mut stretch = Self::new(slice.kind, line);
        stretch.push(&slice.overlap, &slice.overlap_marks);
        let before = stretch.text.len();
        stretch.push(&slice.text, &slice.marks);
        // A page break at the joint may have removed blanks.
        let own = before.min(stretch.own_start(slice));
        (stretch, own)
    }

    /// Appends the next text, with the records or pages that begin in it.
    pub fn push(&mut self, text: &str, marks: &[UnitStart]) {
        let mut from = 0;
        for (index, mark) in marks.iter().enumerate() {
            let at = mark.at.min(text.len());
            let Some(before) = text.get(from..at) else { continue };
            self.add(before);
            from = at;
            let goes_on = self.marks.last().is_some_and(|last| last.number == mark.number);
            if goes_on {
                continue;
            }
            let next = marks.get(index + 1).map_or(text.len(), |next| next.at.min(text.len()));
            if self.content == InputContent::Pages {
                from += self.join(text.get(at..next).unwrap_or_default());
            }
            self.marks.push(UnitStart { at: self.text.len(), number: mark.number });
        }
        self.add(text.get(from..).unwrap_or_default());
    }

    /// Appends a record, a page or a piece of text.
    fn add(&mut self, text: &str) {
        let is_json = self.content == InputContent::Records && text.trim_start().starts_with(['{', '[']);
        if is_json && text.contains('\\') {
            json_escapes::read(text, &mut self.text, &mut self.written);
        } else {
            self.text.push_str(text);
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line that it begins on; meaningless for pages.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of lines of the input that end between two bytes.
    pub fn lines_between(&self, from: usize, to: usize) -> u64 {
        let written = |at: usize| self.written.partition_point(|line_end| *line_end < at);
        line_ends(&self.text[from..to]) - (written(to) - written(from)) as u64
    }

    /// Returns the line that it ends on.
    pub fn last_line(&self) -> u64 {
        self.line.saturating_add(self.lines_between(0, self.text.len()))
    }

    /// Returns the record or page that it ends in.
    pub fn last_number(&self) -> Option<u64> {
        self.marks.last().map(|mark| mark.number)
    }

    /// Returns the location of a byte of the text on this line.
    pub fn location(&self, at: usize, line: u64) -> InputLocation {
        location::of(&self.marks, self.content, at, || line)
    }

    /// Removes the text before a byte, which must be a character boundary.
    pub fn discard_before(&mut self, at: usize) {
        self.line = self.line.saturating_add(self.lines_between(0, at));
        self.written = self.written.iter().filter_map(|line_end| line_end.checked_sub(at)).collect();
        let known = self.marks.partition_point(|mark| mark.at <= at);
        let first = known.checked_sub(1).map(|index| UnitStart { at: 0, number: self.marks[index].number });
        let later = self.marks[known..].iter().map(|mark| UnitStart { at: mark.at - at, number: mark.number });
        self.marks = first.into_iter().chain(later).collect();
        self.text.drain(..at);
    }

    /// Removes the text between a final hyphen and the first word of the next page. Returns the number of removed bytes of the page.
    fn join(&mut self, page: &str) -> usize {
        let end = self.text.trim_end();
        let Some(hyphen) = end.chars().next_back().filter(|last| matches!(last, '-' | '\u{2010}' | '\u{AD}')) else {
            return 0;
        };
        let word = page.trim_start();
        let before = end[..end.len() - hyphen.len_utf8()].chars().next_back();
        let cuts_a_word =
            before.is_some_and(char::is_alphanumeric) && word.chars().next().is_some_and(char::is_alphanumeric);
        if !cuts_a_word {
            return 0;
        }
        let kept = if hyphen == '\u{AD}' { end.len() - hyphen.len_utf8() } else { end.len() };
        self.text.truncate(kept);
        // Empty pages between the two begin where the next one does.
        self.marks.iter_mut().for_each(|mark| mark.at = mark.at.min(kept));
        page.len() - word.len()
    }

    /// Returns where the own text of a part begins, after all of it has been added.
    fn own_start(&self, slice: &Slice) -> usize {
        let first = slice.marks.first().filter(|mark| mark.at == 0);
        let page = first.and_then(|first| self.marks.iter().find(|mark| mark.number == first.number));
        let begins_a_page = slice.overlap_marks.last().map(|mark| mark.number) != first.map(|first| first.number);
        match page {
            Some(page) if begins_a_page => page.at,
            _ => usize::MAX,
        }
    }
}
