//! Slicing records.

use super::token_gauge::{TokenGauge, tokens};
use super::unit_packing::{Overlap, UnitQueue, UnitText, joined};
use super::units::{Slice, SliceError, SlicerKind, Slices, UnitStart, lines_from};
use crate::input::InputContent;
use crate::location::line_ends;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct RecordSlicer {
    gauge: TokenGauge,
    limit: u64,
    most: usize,
    /// The number of records of overlap.
    again: usize,
    header: String,
    header_tokens: u64,
    /// Whether a slice owns the header already.
    owned: bool,
    waiting: UnitQueue,
    /// The last sliced records, as many as the overlap may contain.
    last: VecDeque<UnitText>,
    /// The overlap of the next slice, chosen when its first record comes.
    overlap: Overlap,
    /// The last record.
    number: u64,
    line: u64,
}

impl SlicerKind for RecordSlicer {
    fn take(&mut self, number: Option<u64>, text: String, slices: &mut Slices) {
        self.number = number.unwrap_or(self.number + 1);
        let whole = UnitText { number: self.number, tokens: self.gauge.count(&text), text };
        let alone = self.header_tokens + whole.tokens;
        if alone > self.limit {
            self.pack(true, slices);
            self.refuse(&whole, alone, slices);
            return;
        }
        if self.waiting.units.is_empty() {
            self.begin(whole.tokens);
        }
        self.waiting.push(whole);
        self.pack(false, slices);
    }

    fn take_header(&mut self, text: String, slices: &mut Slices) {
        if self.number > 0 {
            self.take(None, text, slices);
            return;
        }
        let whole = format!("{}{text}", self.header);
        let count = self.gauge.count(&whole);
        if count >= self.limit {
            self.line += line_ends(&whole);
            (self.header, self.header_tokens) = (String::new(), 0);
            let (have, limit) = (tokens(count), tokens(self.limit));
            slices.push(Err(SliceError::Header { tokens: have, limit }));
            return;
        }
        (self.header, self.header_tokens) = (whole, count);
    }

    fn settle(&mut self, slices: &mut Slices) {
        self.pack(true, slices);
    }

    fn skip(&mut self, number: u64, line_ends: u64) {
        self.number = number;
        self.line += line_ends;
    }

    fn finish(&mut self, slices: &mut Slices) {
        self.pack(true, slices);
        if !self.owned && !self.header.is_empty() {
            let count = self.header_tokens;
            let text = std::mem::take(&mut self.header);
            self.line = 1;
            slices.push(Ok(self.slice(text, Vec::new(), count)));
        }
    }
}

impl RecordSlicer {
    pub fn new(gauge: TokenGauge, limit: u64, most: Option<u64>, overlap: u64) -> Self {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            gauge,
            limit,
            most: most.map_or(usize::MAX, size).max(1),
            again: size(overlap),
            header: String::new(),
            header_tokens: 0,
            owned: false,
            waiting: UnitQueue::default(),
            last: VecDeque::new(),
            overlap: Overlap::default(),
            number: 0,
            line: 1,
        }
    }

    /// Omits a record. It still shifts the lines of those after it.
    fn refuse(&mut self, whole: &UnitText, count: u64, slices: &mut Slices) {
        // The header comes before the first record, whether or not a slice owns it yet.
        self.line += line_ends(&whole.text);
        let (number, limit) = (whole.number, tokens(self.limit));
        slices.push(Err(SliceError::TokenLimit { number, tokens: tokens(count), limit }));
    }

    /// Chooses the overlap before a first record of that many tokens.
    fn begin(&mut self, first: u64) {
        let room = (self.limit - self.header_tokens - first).min(self.limit / 2);
        let mut from = self.last.len();
        let mut sum = 0;
        while from > 0 && sum + self.last[from - 1].tokens <= room {
            from -= 1;
            sum += self.last[from].tokens;
        }
        self.overlap = Overlap::default();
        for from in from..self.last.len() {
            let (text, marks) = joined("", &self.last.make_contiguous()[from..]);
            let count = self.gauge.count(&text);
            if count <= room {
                self.overlap = Overlap { text, marks, tokens: count };
                return;
            }
        }
    }

    /// Makes slices of pending records while there are enough.
    fn pack(&mut self, all: bool, slices: &mut Slices) {
        while !self.waiting.units.is_empty() {
            let lead = if self.owned { "" } else { &self.header };
            let shown = if self.owned { self.header_tokens } else { 0 };
            let room = self.limit - shown - self.overlap.tokens;
            let enough = all || self.waiting.units.len() >= self.most;
            let lead_tokens = self.header_tokens - shown;
            if !enough && self.waiting.estimate() + lead_tokens <= room {
                return;
            }
            let packed = self.waiting.packed(&self.gauge, lead, self.most, room);
            if packed.units == 0 {
                if !self.overlap.text.is_empty() {
                    self.overlap = Overlap::default();
                    continue;
                }
                let refused = self.waiting.take(1);
                let count = self.gauge.count(&format!("{lead}{}", refused[0].text));
                self.refuse(&refused[0], count, slices);
            } else if !enough && packed.units == self.waiting.units.len() && packed.tokens < room - room / 4 {
                self.waiting.record_count(packed.tokens.saturating_sub(lead_tokens));
                return;
            } else {
                let taken = self.waiting.take(packed.units);
                slices.push(Ok(self.slice(packed.text, packed.marks, packed.tokens)));
                self.remember(taken);
            }
            if let Some(first) = self.waiting.units.first() {
                self.begin(first.tokens);
            }
        }
    }

    fn remember(&mut self, taken: Vec<UnitText>) {
        self.last.extend(taken);
        while self.last.len() > self.again {
            self.last.pop_front();
        }
    }

    fn slice(&mut self, text: String, marks: Vec<UnitStart>, count: u64) -> Slice {
        let header = if self.owned { self.header.clone() } else { String::new() };
        let shown = if self.owned { self.header_tokens } else { 0 };
        let owned = std::mem::replace(&mut self.owned, true);
        let overlap = std::mem::take(&mut self.overlap);
        let mut lines = lines_from(self.line, &text);
        if !owned && !self.header.is_empty() {
            // The records between it and the first that fits are in no slice.
            lines = 1..=*lines.end();
        }
        self.line += line_ends(&text);
        Slice {
            kind: InputContent::Records,
            header,
            overlap: overlap.text,
            text,
            lines,
            marks,
            overlap_marks: overlap.marks,
            tokens: tokens(shown + overlap.tokens + count),
        }
    }
}
