//! Dividing a slice in two.

use super::bounds::{CutPreference, middle};
use super::pages::marks_from;
use super::units::{Slice, UnitStart, lines_from};
use crate::input::InputContent;
use war_rig_estimator::TokenCounter;

impl Slice {
    /// Divides the slice into two of about equal size: between records, between pages, else at the best position in its text. Returns none if it is
    /// indivisible: one record (empty ones aside), or one character. The second half has no overlap of its own; the first keeps that of the whole.
    /// The first half keeps owning a header, and the second shows it.
    pub fn halves(&self, counter: &TokenCounter) -> Option<(Slice, Slice)> {
        let at = match self.kind {
            InputContent::Text => middle(&self.text, CutPreference::Lines),
            InputContent::Records => self.seam(),
            InputContent::Pages => self.seam().or_else(|| middle(&self.text, CutPreference::Sentences)),
        }?;
        let (first, second) = self.text.split_at(at);
        // Lines are counted from the end, because records may be missing after a header.
        let (start, end) = self.lines.clone().into_inner();
        let line = end - (lines_from(1, second).end() - 1);
        let before_line = line - u64::from(first.ends_with('\n'));
        let lead = &self.text[..self.marks.first().map_or(0, |mark| mark.at)];
        let header = if self.header.is_empty() { lead } else { &self.header };
        let before = self.marks.partition_point(|mark| mark.at < at);
        let first = Slice {
            text: first.to_owned(),
            lines: start..=before_line,
            marks: self.marks[..before].to_vec(),
            ..self.clone()
        };
        let second = Slice {
            header: header.to_owned(),
            overlap: String::new(),
            overlap_marks: Vec::new(),
            text: second.to_owned(),
            lines: line..=end,
            marks: marks_from(&self.marks, at),
            ..self.clone()
        };
        Some((first.counted(counter), second.counted(counter)))
    }

    fn counted(mut self, counter: &TokenCounter) -> Slice {
        self.tokens = [&self.header, &self.overlap, &self.text].map(|text| counter.count(text)).into_iter().sum();
        self
    }

    /// Returns the start of the record or page nearest to the middle of the text; none if only one has text.
    fn seam(&self) -> Option<usize> {
        let half = self.text.len() / 2;
        let first = self.marks.first()?.at;
        let inside = |mark: &&UnitStart| mark.at > first && mark.at < self.text.len();
        self.marks.iter().filter(inside).map(|mark| mark.at).min_by_key(|at| at.abs_diff(half))
    }
}
