//! Line numbers and ranges: one-based, inclusive, never zero, never inverted.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::num::NonZeroU32;

/// A one-based line number, as an editor shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineNumber(NonZeroU32);

/// An invalid line number or pair of numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{start}` to `{end}` is no range of lines")]
pub struct InvalidLine {
    start: u32,
    end: u32,
}

impl LineNumber {
    /// The first line of every file.
    pub const FIRST: LineNumber = LineNumber(NonZeroU32::MIN);

    /// Returns the line with this one-based number, or none for zero.
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Returns the line at a zero-based index.
    ///
    /// # Panics
    /// When the index does not fit a line number (above 4,294,967,294).
    pub fn from_index(index: usize) -> Self {
        let number = u32::try_from(index + 1).expect("a file has fewer than 2^32 lines");
        Self(NonZeroU32::new(number).expect("one more than an index is never zero"))
    }

    /// Returns the one-based number.
    pub fn get(self) -> u32 {
        self.0.get()
    }

    /// Returns the zero-based index.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the line `count` lines below.
    pub fn saturating_add(self, count: u32) -> Self {
        Self(self.0.saturating_add(count))
    }

    /// Returns the line before this one, or none before the first.
    pub fn previous(self) -> Option<Self> {
        Self::new(self.get() - 1)
    }
}

impl fmt::Display for LineNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A range of lines from `start` to `end`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawRange", into = "RawRange")]
pub struct LineRange {
    start: LineNumber,
    end: LineNumber,
}

#[derive(Serialize, Deserialize)]
struct RawRange {
    start_line: u32,
    end_line: u32,
}

impl TryFrom<RawRange> for LineRange {
    type Error = InvalidLine;

    fn try_from(raw: RawRange) -> Result<Self, InvalidLine> {
        let invalid = InvalidLine { start: raw.start_line, end: raw.end_line };
        let start = LineNumber::new(raw.start_line).ok_or_else(|| invalid.clone())?;
        let end = LineNumber::new(raw.end_line).ok_or_else(|| invalid.clone())?;
        LineRange::new(start, end).ok_or(invalid)
    }
}

impl From<LineRange> for RawRange {
    fn from(range: LineRange) -> Self {
        RawRange { start_line: range.start.get(), end_line: range.end.get() }
    }
}

/// Serializes a range as facts contain it: as `line` and `end_line`.
///
/// # Errors
/// Those of the serializer.
pub fn line_and_end<S: Serializer>(lines: &LineRange, serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_struct("Lines", 2)?;
    out.serialize_field("line", &lines.start)?;
    out.serialize_field("end_line", &lines.end)?;
    out.end()
}

impl LineRange {
    /// Returns the range from `start` to `end`, or none if `end` lies before `start`.
    pub fn new(start: LineNumber, end: LineNumber) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// Returns the range of one line.
    pub fn single(line: LineNumber) -> Self {
        Self { start: line, end: line }
    }

    /// Returns the smallest range that contains both lines, in either order.
    pub fn spanning(a: LineNumber, b: LineNumber) -> Self {
        Self { start: a.min(b), end: a.max(b) }
    }

    /// Returns the range over zero-based indices `start..end`, or none if that is empty.
    pub fn from_indices(range: std::ops::Range<usize>) -> Option<Self> {
        (range.start < range.end)
            .then(|| Self { start: LineNumber::from_index(range.start), end: LineNumber::from_index(range.end - 1) })
    }

    /// Returns the first line.
    pub fn start(self) -> LineNumber {
        self.start
    }

    /// Returns the last line, included.
    pub fn end(self) -> LineNumber {
        self.end
    }

    /// Returns the number of lines; never zero.
    pub fn count(self) -> u32 {
        self.end.get() - self.start.get() + 1
    }

    /// Returns the zero-based indices of the lines.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start.index()..self.end.index() + 1
    }

    /// Whether the line lies in the range.
    pub fn contains(self, line: LineNumber) -> bool {
        self.start <= line && line <= self.end
    }

    /// Whether the other range lies wholly inside this one.
    pub fn covers(self, other: LineRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the lines that both ranges contain.
    pub fn intersection(self, other: LineRange) -> Option<LineRange> {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end { self.start.fmt(f) } else { write!(f, "{}-{}", self.start, self.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> LineRange {
        LineRange::new(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap()).unwrap()
    }

    #[test]
    fn ranges_overlap_or_stay_apart() {
        assert_eq!(range(1, 9).intersection(range(5, 20)), Some(range(5, 9)));
        assert_eq!(range(1, 4).intersection(range(5, 20)), None);
    }

    #[test]
    fn an_inverted_or_zero_range_is_refused() {
        assert!(LineRange::new(LineNumber::new(4).unwrap(), LineNumber::new(3).unwrap()).is_none());
        assert!(LineNumber::new(0).is_none());
        assert_eq!(LineRange::from_indices(3..3), None);
        assert_eq!(LineRange::from_indices(0..3), Some(range(1, 3)));
    }
}
