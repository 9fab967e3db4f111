//! The units of an input, the slices that are cut from it, and what cuts them.

use crate::input::InputContent;
use crate::location::line_ends;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use war_rig_estimator::TokenCount;

/// The units of an input, in order. Their concatenated text is the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputUnit {
    /// A stretch of running text, cut anywhere.
    Text(String),
    /// The text before the first record that names its columns, such as the first row of a CSV file. The first slice owns it, and all show it.
    Header(String),
    /// A record with the separator after it; the first one also with the text before it.
    Record {
        /// One-based.
        number: u64,
        /// Its text.
        text: String,
    },
    /// A record that is too large to buffer.
    OversizedRecord {
        /// One-based.
        number: u64,
        /// Its size in bytes.
        bytes: u64,
        /// The line ends in it, for the line numbers after it.
        line_ends: u64,
    },
    /// A page; its text may be empty.
    Page {
        /// One-based.
        number: u64,
        /// Its text.
        text: String,
    },
    /// An unreadable page, or the unreadable rest of a page.
    UnreadablePage {
        /// One-based.
        number: u64,
        /// The reason, in words.
        reason: String,
    },
}

/// How an input is sliced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SliceBy {
    /// Running text: at the ends of paragraphs, else of lines, else of sentences, else of words, else between characters.
    Tokens {
        /// The maximum tokens of overlap with the slice before, in whole lines or sentences if possible. It is capped at half of a slice.
        overlap: TokenCount,
    },
    /// Records, as many as fit.
    Records {
        /// The maximum in a slice; none for as many as fit.
        most: Option<u64>,
        /// The records of overlap with the slice before; fewer if they take more than half of a slice, or leave no room for the next record.
        overlap: u64,
    },
    /// Pages.
    Pages {
        /// The pages in a slice; none for as many as fit.
        each: Option<u64>,
        /// A page with more characters is split if each page has its own slice; otherwise a page is split if it exceeds a slice. Its pieces have at
        /// most that many characters, and end at sentences if possible.
        longest: usize,
        /// The characters of overlap with the slice before, whether a slice begins with a page or inside one; fewer, so that the overlap begins with
        /// a word, or if it takes more than half of a slice.
        overlap: usize,
    },
}

/// The options of a slicer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceOptions {
    /// The slicing method.
    pub by: SliceBy,
    /// The maximum tokens of header, overlap and text of a slice together. At least 4, the maximum of a single character.
    pub max_tokens: TokenCount,
}

/// A part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The kind of content. Records are whole; the first and the last page may be pieces.
    pub kind: InputContent,
    /// The text before the first record that names its columns, if an earlier slice owns it; otherwise empty.
    pub header: String,
    /// The end of the text before, as context; earlier slices own it.
    pub overlap: String,
    /// The owned text, empty only if all its records are. Slices of textless pages alone do not exist; without records, it is the header alone.
    pub text: String,
    /// The lines of the text, one-based and inclusive; the last line of one slice may be the first of the next. Lines of pages are counted from the
    /// first page on. An empty text is on the line where the next one begins.
    pub lines: RangeInclusive<u64>,
    /// Where records and pages begin in the text, as byte offsets; a page continued from an earlier slice begins at 0. Empty for running text.
    pub marks: Vec<UnitStart>,
    /// The marks of the overlap.
    pub overlap_marks: Vec<UnitStart>,
    /// The tokens of header, overlap and text, each counted separately.
    pub tokens: TokenCount,
}

/// The start of a record or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitStart {
    /// The byte offset in the text.
    pub at: usize,
    /// The record or page, one-based.
    pub number: u64,
}

/// Why part of an input is in no slice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// A single record exceeds the size of a slice.
    #[error("record {number} has {tokens} tokens, and a part may have {limit}")]
    TokenLimit {
        /// The record, one-based.
        number: u64,
        /// Its tokens, including the header.
        tokens: TokenCount,
        /// The maximum tokens.
        limit: TokenCount,
    },
    /// A record is too large to be read.
    #[error("record {number} has {bytes} bytes, which is more than is read at once")]
    Oversized {
        /// The record, one-based.
        number: u64,
        /// Its size in bytes.
        bytes: u64,
    },
    /// A page cannot be read.
    #[error("page {number} cannot be read: {reason}")]
    Unreadable {
        /// The page, one-based.
        number: u64,
        /// The reason, in words.
        reason: String,
    },
    /// The header alone exceeds the size of a slice.
    #[error("the names of the columns have {tokens} tokens, and a part may have {limit}")]
    Header {
        /// Its tokens.
        tokens: TokenCount,
        /// The maximum tokens.
        limit: TokenCount,
    },
}

pub(super) type Slices = Vec<Result<Slice, SliceError>>;

/// A slicing method.
pub(super) trait SlicerKind: Debug + Send {
    /// Adds text; a record or a page with its number.
    fn take(&mut self, number: Option<u64>, text: String, slices: &mut Slices);

    /// Adds a header, if records are sliced.
    fn take_header(&mut self, text: String, slices: &mut Slices) {
        self.take(None, text, slices);
    }

    /// Makes slices of all units so far.
    fn settle(&mut self, slices: &mut Slices);

    /// Skips a record or a page that is in no slice, and counts its line ends.
    fn skip(&mut self, number: u64, line_ends: u64);

    /// Makes the last slices.
    fn finish(&mut self, slices: &mut Slices) {
        self.settle(slices);
    }
}

/// Returns the lines of a text that begins on this line.
pub(super) fn lines_from(first: u64, text: &str) -> RangeInclusive<u64> {
    let ends = line_ends(text);
    first..=first + if text.ends_with('\n') { ends - 1 } else { ends }
}
