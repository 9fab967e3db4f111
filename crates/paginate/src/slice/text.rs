//! Slicing running text.

use super::bounds::{CutPreference, floor};
use super::token_gauge::{TokenGauge, tokens};
use super::units::{Slice, SlicerKind, Slices, lines_from};
use crate::input::InputContent;
use crate::location::line_ends;

#[derive(Debug)]
pub(super) struct TextSlicer {
    gauge: TokenGauge,
    limit: u64,
    /// The maximum tokens of overlap.
    most_again: u64,
    /// The received text; what is in no slice yet begins at `start`.
    text: String,
    start: usize,
    /// The bytes in which the next slice's end is searched. The decision does not depend on how much more text has come, so slices do not depend on
    /// how the text was delivered.
    window: usize,
    again: String,
    again_tokens: u64,
    line: u64,
}

impl SlicerKind for TextSlicer {
    fn take(&mut self, _number: Option<u64>, text: String, slices: &mut Slices) {
        self.text.push_str(&text);
        self.cut(false, slices);
    }

    fn settle(&mut self, slices: &mut Slices) {
        self.cut(true, slices);
    }

    fn skip(&mut self, _number: u64, line_ends: u64) {
        self.line += line_ends;
    }
}

impl TextSlicer {
    pub fn new(gauge: TokenGauge, limit: u64, overlap: u64) -> Self {
        let mut slicer = Self {
            gauge,
            limit,
            most_again: overlap.min(limit / 2),
            text: String::new(),
            start: 0,
            window: 0,
            again: String::new(),
            again_tokens: 0,
            line: 1,
        };
        slicer.aim();
        slicer
    }

    /// Sets the window to somewhat more than the next slice.
    fn aim(&mut self) {
        let bytes = self.gauge.estimate_bytes(self.limit - self.again_tokens);
        self.window = bytes.saturating_add(bytes / 4).saturating_add(64);
    }

    fn cut(&mut self, all: bool, slices: &mut Slices) {
        while let Some((length, count)) = self.next(all) {
            slices.push(Ok(self.slice(length, count)));
        }
        if self.start > 0 {
            self.text.drain(..self.start);
            self.start = 0;
        }
    }

    /// Returns the bytes and tokens of the next slice; none if more text has to come first.
    fn next(&mut self, all: bool) -> Option<(usize, u64)> {
        loop {
            let rest = &self.text[self.start..];
            let whole = rest.len() <= self.window;
            if rest.is_empty() || (whole && !all) {
                return None;
            }
            let view = if whole { rest } else { &rest[..floor(rest, self.window)] };
            let room = self.limit - self.again_tokens;
            let reach = self.gauge.estimate_fit(view, room);
            if reach == view.len() {
                if !whole {
                    self.window = self.window.saturating_mul(2);
                    continue;
                }
                let count = self.gauge.count(view);
                if count <= room {
                    return Some((view.len(), count));
                }
            }
            let end = self.gauge.fit_end(view, reach.min(view.len() - 1), room, CutPreference::Lines);
            if end.is_some() || self.again.is_empty() {
                return end;
            }
            // The overlap must not displace the text itself.
            self.again.clear();
            self.again_tokens = 0;
        }
    }

    fn slice(&mut self, length: usize, count: u64) -> Slice {
        let text = self.text[self.start..self.start + length].to_owned();
        self.start += length;
        self.gauge.observe(&text, count);
        let lines = lines_from(self.line, &text);
        self.line += line_ends(&text);
        let (again, again_tokens) = self.gauge.overlap_tail(&text, self.most_again);
        let again = again.to_owned();
        let overlap = std::mem::replace(&mut self.again, again);
        let overlap_tokens = std::mem::replace(&mut self.again_tokens, again_tokens);
        self.aim();
        Slice {
            kind: InputContent::Text,
            header: String::new(),
            overlap,
            text,
            lines,
            marks: Vec::new(),
            overlap_marks: Vec::new(),
            tokens: tokens(overlap_tokens + count),
        }
    }
}
