//! Slicing inputs of any kind: running text, lists of records, pages.
//!
//! A slice *owns* a stretch of its input: the owned stretches of all slices, concatenated in order, are the input, byte for byte. A slice shows its
//! context (column names, the end of the slice before) separately, so that no answer has to be given twice. Records are never split.
//!
//! A slicer buffers only a slice or two: units go in one by one, slices come out when they are full.

mod bisect;
mod bounds;
mod in_memory;
mod pages;
mod records;
mod text;
mod token_gauge;
mod unit_packing;

pub use in_memory::{RecordEstimate, chunk_by_records, chunk_by_tokens, estimate_record_count, is_list_content};

use pages::PageSlicer;
use records::RecordSlicer;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use text::TextSlicer;
use token_gauge::TokenGauge;
use war_rig_estimator::{TokenCount, TokenCounter};

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

/// The kind of content in a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// Running text.
    Text,
    /// Whole records.
    Records,
    /// Pages; the first and the last may be pieces.
    Pages,
}

/// A part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The kind of content.
    pub kind: SliceKind,
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

/// Converts units to slices.
///
/// Units should be of the slicer's kind. Others are converted: records and pages to text, and text to a record or a page, numbered after the one
/// before.
#[derive(Debug)]
pub struct Slicer {
    way: Box<dyn SlicerKind>,
}

type Slices = Vec<Result<Slice, SliceError>>;

/// A slicing method.
trait SlicerKind: Debug + Send {
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

/// The maximum tokens of a single character: one for each of its bytes.
const LEAST_LIMIT: u64 = 4;

impl Slicer {
    /// Creates a slicer.
    pub fn new(options: SliceOptions, counter: TokenCounter) -> Self {
        let limit = options.max_tokens.get().max(LEAST_LIMIT);
        let gauge = TokenGauge::new(counter);
        let way: Box<dyn SlicerKind> = match options.by {
            SliceBy::Tokens { overlap } => Box::new(TextSlicer::new(gauge, limit, overlap.get())),
            SliceBy::Records { most, overlap } => Box::new(RecordSlicer::new(gauge, limit, most, overlap)),
            SliceBy::Pages { each, longest, overlap } => {
                Box::new(PageSlicer::new(gauge, limit, each, longest, overlap))
            }
        };
        Self { way }
    }

    /// Adds a unit, and returns the slices that are full now. An error concerns a unit that is in no slice; slicing continues after it.
    pub fn push(&mut self, unit: InputUnit) -> Vec<Result<Slice, SliceError>> {
        let mut slices = Vec::new();
        match unit {
            InputUnit::Text(text) => self.way.take(None, text, &mut slices),
            InputUnit::Header(text) => self.way.take_header(text, &mut slices),
            InputUnit::Record { number, text } | InputUnit::Page { number, text } => {
                self.way.take(Some(number), text, &mut slices);
            }
            InputUnit::OversizedRecord { number, bytes, line_ends } => {
                self.way.settle(&mut slices);
                self.way.skip(number, line_ends);
                slices.push(Err(SliceError::Oversized { number, bytes }));
            }
            InputUnit::UnreadablePage { number, reason } => {
                self.way.settle(&mut slices);
                self.way.skip(number, 0);
                slices.push(Err(SliceError::Unreadable { number, reason }));
            }
        }
        slices
    }

    /// Returns the last slices.
    pub fn finish(mut self) -> Vec<Result<Slice, SliceError>> {
        let mut slices = Vec::new();
        self.way.finish(&mut slices);
        slices
    }
}

/// Counts the line ends in a text.
fn line_ends(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// Returns the lines of a text that begins on this line.
fn lines_from(first: u64, text: &str) -> RangeInclusive<u64> {
    let ends = line_ends(text);
    first..=first + if text.ends_with('\n') { ends - 1 } else { ends }
}
