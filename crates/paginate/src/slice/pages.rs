//! Slicing pages.

use super::bounds::{CutPreference, WORD, first_of};
use super::token_gauge::{TokenGauge, tokens};
use super::unit_packing::{Overlap, UnitQueue, UnitText};
use super::units::{Slice, SlicerKind, Slices, UnitStart, lines_from};
use crate::input::InputContent;
use crate::location::line_ends;

#[derive(Debug)]
pub(super) struct PageSlicer {
    gauge: TokenGauge,
    limit: u64,
    /// The pages in a slice; none for as many as fit.
    each: Option<usize>,
    longest: usize,
    waiting: UnitQueue,
    behind: OverlapSource,
    /// The last page.
    number: u64,
    line: u64,
}

/// The end of the text in previous slices.
#[derive(Debug)]
struct OverlapSource {
    /// The maximum characters of overlap.
    most: usize,
    text: String,
    /// Where pages begin in it; the first begins at its start.
    marks: Vec<UnitStart>,
    /// Whether text before it was cut off.
    cut: bool,
}

impl SlicerKind for PageSlicer {
    fn take(&mut self, number: Option<u64>, text: String, slices: &mut Slices) {
        self.number = number.unwrap_or(self.number + 1);
        let whole = UnitText { number: self.number, tokens: self.gauge.count(&text), text };
        let long = self.each == Some(1) && whole.text.chars().nth(self.longest).is_some();
        if long || whole.tokens > self.limit {
            self.pack(true, slices);
            self.split(&whole, slices);
            return;
        }
        self.waiting.push(whole);
        self.pack(false, slices);
    }

    fn settle(&mut self, slices: &mut Slices) {
        self.pack(true, slices);
    }

    fn skip(&mut self, number: u64, line_ends: u64) {
        self.number = number;
        self.line += line_ends;
    }
}

impl PageSlicer {
    pub fn new(gauge: TokenGauge, limit: u64, each: Option<u64>, longest: usize, overlap: usize) -> Self {
        let each = each.map(|each| usize::try_from(each).unwrap_or(usize::MAX).max(1));
        let behind = OverlapSource { most: overlap, text: String::new(), marks: Vec::new(), cut: false };
        let waiting = UnitQueue::default();
        Self { gauge, limit, each, longest: longest.max(1), waiting, behind, number: 0, line: 1 }
    }

    /// Makes slices of pending pages while there are enough. Each pending page fits into a slice.
    fn pack(&mut self, all: bool, slices: &mut Slices) {
        let most = self.each.unwrap_or(usize::MAX);
        while let Some(first) = self.waiting.units.first() {
            let alone = self.limit - first.tokens;
            let again = self.behind.again(&self.gauge, alone.min(self.limit / 2));
            let room = self.limit - again.tokens;
            let enough = all || self.waiting.units.len() >= most;
            if !enough && self.waiting.estimate() <= room {
                return;
            }
            let packed = self.waiting.packed(&self.gauge, "", most, room);
            if !enough && packed.units == self.waiting.units.len() && packed.tokens < room - room / 4 {
                self.waiting.record_count(packed.tokens);
                return;
            }
            self.waiting.take(packed.units);
            if packed.text.is_empty() {
                // Pages without text are not processed.
                continue;
            }
            slices.push(Ok(self.slice(again, packed.text, packed.marks, packed.tokens)));
        }
    }

    /// Makes slices of one oversized page.
    fn split(&mut self, page: &UnitText, slices: &mut Slices) {
        let number = page.number;
        let mut rest = page.text.as_str();
        while !rest.is_empty() {
            let longest = rest.char_indices().nth(self.longest).map_or(rest.len(), |(at, _)| at);
            let mut again = self.behind.again(&self.gauge, self.limit / 2);
            let mut end = self.piece(rest, longest, self.limit - again.tokens);
            if end.is_none() {
                // The overlap must not displace the text itself.
                again = Overlap::default();
                end = self.piece(rest, longest, self.limit);
            }
            let Some((length, count)) = end else { return };
            let (text, next) = rest.split_at(length);
            self.gauge.observe(text, count);
            let marks = vec![UnitStart { at: 0, number }];
            slices.push(Ok(self.slice(again, text.to_owned(), marks, count)));
            rest = next;
        }
    }

    fn piece(&self, rest: &str, longest: usize, room: u64) -> Option<(usize, u64)> {
        let reach = self.gauge.estimate_fit(&rest[..longest], room);
        if reach == rest.len() {
            let count = self.gauge.count(rest);
            if count <= room {
                return Some((reach, count));
            }
        }
        self.gauge.fit_end(rest, reach.min(rest.len() - 1), room, CutPreference::Sentences)
    }

    fn slice(&mut self, again: Overlap, text: String, marks: Vec<UnitStart>, count: u64) -> Slice {
        let lines = lines_from(self.line, &text);
        self.line += line_ends(&text);
        self.behind.remember(&text, &marks);
        Slice {
            kind: InputContent::Pages,
            header: String::new(),
            overlap: again.text,
            text,
            lines,
            marks,
            overlap_marks: again.marks,
            tokens: tokens(again.tokens + count),
        }
    }
}

/// Returns the marks of a text from this byte on, with a mark at its start for the page continued there.
pub(super) fn marks_from(marks: &[UnitStart], at: usize) -> Vec<UnitStart> {
    let next = marks.partition_point(|mark| mark.at < at);
    let begins = marks.get(next).is_some_and(|mark| mark.at == at);
    let going_on = marks[..next].last().filter(|_| !begins).map(|mark| UnitStart { at: 0, number: mark.number });
    let rest = marks[next..].iter().map(|mark| UnitStart { at: mark.at - at, ..*mark });
    going_on.into_iter().chain(rest).collect()
}

impl OverlapSource {
    fn remember(&mut self, text: &str, marks: &[UnitStart]) {
        if self.most == 0 {
            return;
        }
        let before = self.text.len();
        // Only the end of a long text matters: a character has four bytes at most.
        self.text.push_str(text);
        for mark in marks {
            // A continued page is marked already.
            if self.marks.last().is_none_or(|known| known.number != mark.number) {
                self.marks.push(UnitStart { at: before + mark.at, number: mark.number });
            }
        }
        let from = self.text.char_indices().rev().nth(self.most - 1).map_or(0, |(at, _)| at);
        if from > 0 {
            self.marks = marks_from(&self.marks, from);
            self.text.drain(..from);
            self.cut = true;
        }
    }

    /// Returns its overlap, within the token limit.
    fn again(&self, gauge: &TokenGauge, most: u64) -> Overlap {
        let text = self.text.as_str();
        let mut from = 0;
        if self.cut {
            from = first_of(text, 1, text.len() / 3, WORD, CutPreference::Sentences).unwrap_or(0);
        }
        loop {
            let shown = &text[from..];
            let count = gauge.count(shown);
            if count <= most {
                return match shown.is_empty() {
                    true => Overlap::default(),
                    false => Overlap { text: shown.to_owned(), marks: marks_from(&self.marks, from), tokens: count },
                };
            }
            let less = shown.len() as u128 * u128::from(count - most) / u128::from(count);
            let least = from + usize::try_from(less).unwrap_or(0).max(1);
            let character = || first_of(text, least, text.len(), 0, CutPreference::Sentences);
            let word = first_of(text, least, (least + shown.len() / 4).min(text.len()), WORD, CutPreference::Sentences);
            from = word.or_else(character).unwrap_or(text.len());
        }
    }
}
