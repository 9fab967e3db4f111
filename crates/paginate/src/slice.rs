//! Slicing inputs of any kind: running text, lists of records, pages.
//!
//! A slice *owns* a stretch of its input: what all slices own, put together in order, is the input, byte for byte. What a slice is shown besides
//! (the names of columns, the end of what stood before it) is told apart, so that nothing has to be told twice. Records are never split.
//!
//! Slicers hold no more of their input than a slice or two: units go in one by one, slices come out when they are full.

mod bisect;
mod bounds;
mod in_memory;
mod pages;
mod records;
mod text;
mod token_gauge;
mod unit_packing;

pub use in_memory::{
    RecordEstimate, chunk_by_records, chunk_by_tokens, estimate_record_count, is_list_content,
};

use pages::PageSlicer;
use records::RecordSlicer;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use text::TextSlicer;
use token_gauge::TokenGauge;
use war_rig_estimator::{TokenCount, TokenCounter};

/// What an input brings, in order. All text in it, put together in order, is the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputUnit {
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
        /// The line ends in it, so that the lines behind it are counted right.
        line_ends: u64,
    },
    /// A page; its text is empty where it has none.
    Page {
        /// One-based.
        number: u64,
        /// All of it.
        text: String,
    },
    /// A page that cannot be read, or the rest of one whose beginning came before.
    UnreadablePage {
        /// One-based.
        number: u64,
        /// Why, in words.
        reason: String,
    },
}

/// How an input is sliced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SliceBy {
    /// Running text: at the ends of paragraphs, else of lines, else of sentences, else of words, else between characters.
    Tokens {
        /// The tokens at the end of a slice that the next one is shown again, at most; whole lines or sentences where there are some. More than half of what
        /// a slice may have is taken as half of it.
        overlap: TokenCount,
    },
    /// Records, as many as fit.
    Records {
        /// The most in a slice; none for as many as fit.
        most: Option<u64>,
        /// The records at the end of a slice that the next one is shown again; fewer where they take more than half of what a slice may have, or leave no room
        /// for the next record.
        overlap: u64,
    },
    /// Pages.
    Pages {
        /// How many go into a slice; none for as many as fit.
        each: Option<u64>,
        /// A page of more characters than this is split where each page has a slice of its own; else a page is split where it is more than a slice may have. Its
        /// pieces have at most so many characters, and end with sentences where they can.
        longest: usize,
        /// The characters at the end of a slice that the next one is shown again, whether it begins with a page or inside one; fewer, so that it begins with a
        /// word, or where they take more than half of what a slice may have.
        overlap: usize,
    },
}

/// What a slicer keeps to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceOptions {
    /// How to slice.
    pub by: SliceBy,
    /// The tokens that header, overlap and text of a slice may have together. Fewer than 4 are taken as 4, which a single character can have.
    pub max_tokens: TokenCount,
}

/// What a slice consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// Running text.
    Text,
    /// Whole records.
    Records,
    /// Pages, the first and the last of which may be pieces.
    Pages,
}

/// A part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// What it consists of.
    pub kind: SliceKind,
    /// What names the parts of its records and stands before the first one, where an earlier slice owns it; empty else.
    pub header: String,
    /// The end of what stood before, shown for understanding and owned by earlier slices.
    pub overlap: String,
    /// What it owns, empty only where all its records are. Pages without text that no other shares its slice with are in none; of an input without records, it is the header alone.
    pub text: String,
    /// The lines that the text stands on, one-based and inclusive; the last line of one slice may be the first of the next. Of pages, the lines are counted
    /// from the first page on. An empty text stands on the line that the next one begins on.
    pub lines: RangeInclusive<u64>,
    /// Where records and pages begin in the text, as bytes from its start, in order; a page that goes on from an earlier slice begins at 0. Empty for running text.
    pub marks: Vec<UnitStart>,
    /// The same for the overlap.
    pub overlap_marks: Vec<UnitStart>,
    /// The tokens of header, overlap and text, each counted as it stands.
    pub tokens: TokenCount,
}

/// The beginning of a record or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitStart {
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
    /// A page cannot be read.
    #[error("page {number} cannot be read: {reason}")]
    Unreadable {
        /// The page, one-based.
        number: u64,
        /// Why, in words.
        reason: String,
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
///
/// Units are of the kind that the slicer slices by. What is of another kind is taken as what is sliced: records and pages as text, text among records as a record
/// and among pages as a page, numbered behind the one before.
#[derive(Debug)]
pub struct Slicer {
    way: Box<dyn SlicerKind>,
}

type Slices = Vec<Result<Slice, SliceError>>;

/// A way to slice.
trait SlicerKind: Debug + Send {
    /// Takes text; a record or a page with its number.
    fn take(&mut self, number: Option<u64>, text: String, slices: &mut Slices);

    /// Takes what names the parts of records, where records are sliced.
    fn take_header(&mut self, text: String, slices: &mut Slices) {
        self.take(None, text, slices);
    }

    /// Makes slices of all that has come.
    fn settle(&mut self, slices: &mut Slices);

    /// Passes over a record or a page that is in no slice, and the line ends in it.
    fn skip(&mut self, number: u64, line_ends: u64);

    /// Makes the last slices.
    fn finish(&mut self, slices: &mut Slices) {
        self.settle(slices);
    }
}

/// The tokens that a single character can have: one for each of its bytes.
const LEAST_LIMIT: u64 = 4;

impl Slicer {
    /// A slicer.
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

    /// Takes a unit, and gives the slices that are full now. An error is about the unit that it names, which is in no slice; what follows it is.
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

    /// The last slices.
    pub fn finish(mut self) -> Vec<Result<Slice, SliceError>> {
        let mut slices = Vec::new();
        self.way.finish(&mut slices);
        slices
    }
}

/// The line ends in a text.
fn line_ends(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// The lines that a text stands on which begins on this line.
fn lines_from(first: u64, text: &str) -> RangeInclusive<u64> {
    let ends = line_ends(text);
    first..=first + if text.ends_with('\n') { ends - 1 } else { ends }
}
