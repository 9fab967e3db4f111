//! Slicing inputs of any kind: running text, lists of records, pages.
//!
//! A slice *owns* a stretch of its input: the owned stretches of all slices, concatenated in order, are the input, byte for byte. A slice shows its
//! context (column names, the end of the slice before) separately, so that no answer has to be given twice. Records are never split.
//!
//! A slicer buffers only a slice or two: units go in one by one, slices come out when they are full.

mod bisect;
mod bounds;
mod pages;
mod records;
mod text;
mod token_gauge;
mod unit_packing;
mod units;

pub(crate) use bounds::{ceiling, floor};
pub use units::{InputUnit, Slice, SliceBy, SliceError, SliceOptions, UnitStart};

use pages::PageSlicer;
use records::RecordSlicer;
use text::TextSlicer;
use token_gauge::TokenGauge;
use units::SlicerKind;
use war_rig_estimator::TokenCounter;

/// Converts units to slices.
///
/// Units should be of the slicer's kind. Others are converted: records and pages to text, and text to a record or a page, numbered after the one
/// before.
#[derive(Debug)]
pub struct Slicer {
    way: Box<dyn SlicerKind>,
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
