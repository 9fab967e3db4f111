//! Finds things of a file by their lines, with a binary search because a file may have as many things as chunks.

use crate::{LineNumber, LineRange};

/// Things of one kind with their lines, in the order in which they begin. [`LineSpans::at`] and [`LineSpans::touching`] expect that two of
/// them share at most one line.
#[derive(Debug, Clone)]
pub struct LineSpans<T>(Vec<(LineRange, T)>);

impl<T: Copy> LineSpans<T> {
    /// Sorts things by the line on which they begin; those of one line keep their order.
    pub fn of(things: impl IntoIterator<Item = (LineRange, T)>) -> Self {
        let mut spans: Vec<_> = things.into_iter().collect();
        spans.sort_by_key(|(lines, _)| lines.start());
        Self(spans)
    }

    /// Returns all things with their lines.
    pub fn all(&self) -> &[(LineRange, T)] {
        &self.0
    }

    /// Returns the thing that contains a line, with its own lines.
    pub fn at(&self, line: LineNumber) -> Option<(LineRange, T)> {
        let behind = self.0.partition_point(|(lines, _)| lines.start() <= line);
        self.0[..behind].last().copied().filter(|(lines, _)| lines.contains(line))
    }

    /// Returns the things that overlap these lines.
    pub fn touching(&self, lines: LineRange) -> &[(LineRange, T)] {
        let first = self.0.partition_point(|(span, _)| span.end() < lines.start());
        let behind = self.0.partition_point(|(span, _)| span.start() <= lines.end());
        &self.0[first.min(behind)..behind]
    }

    /// Returns the things that begin in these lines.
    pub fn beginning_in(&self, lines: LineRange) -> &[(LineRange, T)] {
        let first = self.0.partition_point(|(span, _)| span.start() < lines.start());
        let behind = self.0.partition_point(|(span, _)| span.start() <= lines.end());
        &self.0[first..behind]
    }
}
