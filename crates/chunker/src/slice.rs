//! Slicing inputs of any kind: running text, lists of records, pages.
//!
//! A slice *owns* a stretch of its input: what all slices own, put together in order, is the input, byte for byte. What a slice is shown besides
//! (the names of columns, the end of what stood before it) is told apart, so that nothing has to be told twice. Records are never split.
//!
//! Slicers hold no more of their input than a slice or two: units go in one by one, slices come out when they are full.

use std::ops::RangeInclusive;
use war_rig_estimator::{TokenCount, TokenCounter};

/// What an input brings, in order. All text in it, put together in order, is the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// A stretch of running text, cut anywhere.
    Text(String),
    /// What stands before the first record and names its parts, such as the first row of a CSV file. Owned by the first slice, and shown to all.
    Header(String),
    /// A record with what separates it from the next one; a first one also with what stands before it.
    Record {
        /// One-based.
        number: u64,
        /// All of it.
        text: String,
    },
    /// A record that is too large to be held at all.
    OversizedRecord {
        /// One-based.
        number: u64,
        /// What it takes.
        bytes: u64,
    },
    /// A page; its text is empty where it has none.
    Page {
        /// One-based.
        number: u64,
        /// All of it.
        text: String,
    },
}

/// How an input is sliced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SliceBy {
    /// Running text: at the ends of paragraphs, else of lines, else of sentences, else of words, else between characters.
    Tokens {
        /// The tokens at the end of a slice that the next one is shown again, at most; whole lines or sentences where there are some.
        overlap: TokenCount,
    },
    /// Records, as many as fit.
    Records {
        /// The most in a slice; none for as many as fit.
        most: Option<u64>,
        /// The records at the end of a slice that the next one is shown again.
        overlap: u64,
    },
    /// Pages.
    Pages {
        /// How many go into a slice; none for as many as fit.
        each: Option<u64>,
        /// A page of more characters than this is split, where it does not share its slice with others.
        longest: usize,
        /// The characters at the end of a slice that the next one is shown again, whether it begins with a page or inside one.
        overlap: usize,
    },
}

/// What a slicer keeps to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceOptions {
    /// How to slice.
    pub by: SliceBy,
    /// The tokens that header, overlap and text of a slice may have together.
    pub max_tokens: TokenCount,
}

/// A part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// What names the parts of its records and stands before the first one, where an earlier slice owns it; empty else.
    pub header: String,
    /// The end of what stood before, shown for understanding and owned by earlier slices.
    pub overlap: String,
    /// What it owns.
    pub text: String,
    /// The lines that the text stands on, one-based and inclusive; the last line of one slice may be the first of the next. Of pages, the lines are counted
    /// from the first page on.
    pub lines: RangeInclusive<u64>,
    /// Where records and pages begin in the text, as bytes from its start, in order; a page that goes on from an earlier slice begins at 0. Empty for running text.
    pub marks: Vec<Mark>,
    /// The same for the overlap.
    pub overlap_marks: Vec<Mark>,
    /// The tokens of header, overlap and text, each counted as it stands.
    pub tokens: TokenCount,
}

/// The beginning of a record or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Bytes from the start of the text.
    pub at: usize,
    /// The record or page, one-based.
    pub number: u64,
}

/// Why something of an input is in no slice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// A record alone is more than a slice may have.
    #[error("record {number} has {tokens} tokens, and a part may have {limit}")]
    TokenLimit {
        /// The record, one-based.
        number: u64,
        /// What it has, with the header.
        tokens: TokenCount,
        /// What it may have.
        limit: TokenCount,
    },
    /// A record is too large to be looked at.
    #[error("record {number} has {bytes} bytes, which is more than is read at once")]
    Oversized {
        /// The record, one-based.
        number: u64,
        /// What it has.
        bytes: u64,
    },
    /// The header alone is more than a slice may have.
    #[error("the names of the columns have {tokens} tokens, and a part may have {limit}")]
    Header {
        /// What they have.
        tokens: TokenCount,
        /// What a part may have.
        limit: TokenCount,
    },
}

/// Makes slices of units.
#[derive(Debug)]
pub struct Slicer {
    options: SliceOptions,
    counter: TokenCounter,
}

impl Slicer {
    /// A slicer.
    pub fn new(options: SliceOptions, counter: TokenCounter) -> Self {
        Self { options, counter }
    }

    /// Takes a unit, and gives the slices that are full now. An error is about the unit that it names, which is in no slice; what follows it is.
    pub fn push(&mut self, _unit: Unit) -> Vec<Result<Slice, SliceError>> {
        let _ = (&self.options, &self.counter);
        todo!()
    }

    /// The last slices.
    pub fn finish(self) -> Vec<Result<Slice, SliceError>> {
        todo!()
    }
}

impl Slice {
    /// The slice in two, each owning about half: between records, between pages, else at the best end in its text. None where it cannot be split further:
    /// one record, or one character. The second half has no overlap of its own, the first keeps that of the whole.
    pub fn halves(&self, _counter: &TokenCounter) -> Option<(Slice, Slice)> {
        todo!()
    }
}
