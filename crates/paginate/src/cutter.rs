//! Turning an input into prompts, one after the other.
//!
//! The input is read, sliced and counted as prompts are consumed, so memory contains only a few parts. The first parts, up to [`AHEAD`], are cut
//! before any is emitted: if the input ends there, the number of parts is known. A longer input is processed before it is read to its end.

use crate::FailedPart;
use crate::external_part::ExternalPart;
use crate::input::{Input, InputError, InputUnits};
use crate::merge::InputLocation;
use crate::prompt::{PartLabel, PartNumbering, PartPromptRenderer};
use crate::slice::{Slice, SliceError, SliceOptions, Slicer};
use std::collections::VecDeque;
use war_rig_estimator::TokenCounter;
use war_rig_llm::BudgetedPrompt;

/// The bytes of parts that are cut before the first is emitted.
const AHEAD: usize = 4 << 20;

/// The distance between the order numbers of two parts, which leaves room for pieces.
const PIECES: u64 = 1 << PIECE_BITS;
const PIECE_BITS: u32 = 20;

/// A part, or a piece of a part that was too large.
#[derive(Debug, Clone)]
pub(crate) struct InputPart {
    pub(crate) slice: Slice,
    pub(crate) label: PartLabel,
    /// Sorts parts and their pieces.
    pub(crate) order: u64,
    /// How often it was divided.
    pub(crate) depth: u32,
}

/// Returns the number of the part that an order belongs to.
pub(crate) fn number_of(order: u64) -> u64 {
    order >> PIECE_BITS
}

/// Returns the order of a whole part.
pub(crate) fn order_of(number: u64) -> u64 {
    number << PIECE_BITS
}

impl InputPart {
    /// Divides the part in two; none if it is indivisible.
    pub(crate) fn halves(&self, counter: &TokenCounter) -> Option<[Self; 2]> {
        if self.depth == PIECE_BITS {
            return None;
        }
        let (first, second) = self.slice.halves(counter)?;
        let depth = self.depth + 1;
        let of = |slice, order| Self { slice, label: self.label, order, depth };
        Some([of(first, self.order), of(second, self.order + (PIECES >> depth))])
    }
}

/// The results of cutting.
#[derive(Debug)]
pub(crate) enum CutResult {
    /// A part and its prompt.
    Part(Box<InputPart>, BudgetedPrompt),
    /// Content that is in no part, and why.
    Failed(FailedPart),
    /// The rest of the input cannot be read.
    Broken(InputError),
}

/// Cuts an input into parts.
pub(crate) struct PartCutter {
    units: InputUnits,
    slicer: Option<Slicer>,
    frame: PartPromptRenderer,
    counter: TokenCounter,
    tells: bool,
    /// Whether even a single part is labeled as such.
    tells_one: bool,
    ready: VecDeque<Result<Slice, SliceError>>,
    /// Pieces that wait for their turn.
    pieces: Vec<InputPart>,
    broken: Option<InputError>,
    total: Option<u64>,
    /// The external part that this input is.
    given: Option<ExternalPart>,
    number: u64,
}

impl PartCutter {
    /// Creates a cutter and cuts the first parts.
    pub(crate) fn new(
        input: Input,
        options: SliceOptions,
        frame: PartPromptRenderer,
        counter: &TokenCounter,
        (tells, tells_one): (bool, bool),
    ) -> Self {
        let given = input.external_part().cloned();
        let mut cutter = Self {
            units: input.units(),
            slicer: Some(Slicer::new(options, counter.clone())),
            frame,
            counter: counter.clone(),
            tells,
            tells_one,
            ready: VecDeque::new(),
            pieces: Vec::new(),
            broken: None,
            total: None,
            given,
            number: 0,
        };
        let mut bytes = 0;
        while bytes < AHEAD && cutter.slicer.is_some() {
            let known = cutter.ready.len();
            cutter.read();
            bytes += cutter.ready.range(known..).flatten().map(|slice| slice.text.len()).sum::<usize>();
        }
        cutter.total = (cutter.slicer.is_none() && cutter.broken.is_none()).then_some(cutter.ready.len() as u64);
        cutter
    }

    /// Returns the number of parts, if it is known before the first is processed.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Returns the bytes of the input read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.units.bytes_read()
    }

    /// Returns the input's notes.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.units.notes()
    }

    /// Reads one more unit.
    fn read(&mut self) {
        let Some(slicer) = &mut self.slicer else { return };
        match self.units.next() {
            Some(Ok(unit)) => {
                let slices = slicer.push(unit);
                self.ready.extend(slices.into_iter().filter(says_something));
            }
            Some(Err(error)) => {
                self.broken = Some(error);
                self.finish();
            }
            None => self.finish(),
        }
    }

    fn finish(&mut self) {
        if let Some(slicer) = self.slicer.take() {
            self.ready.extend(slicer.finish().into_iter().filter(says_something));
        }
    }

    fn label(&self) -> PartLabel {
        let told = match (self.tells, &self.given, self.total) {
            (false, _, _) => PartNumbering::Nothing,
            (true, Some(given), _) => PartNumbering::Of(given.total),
            (true, None, Some(1)) if !self.tells_one => PartNumbering::Nothing,
            (true, None, Some(total)) => PartNumbering::Of(total),
            (true, None, None) => PartNumbering::Number,
        };
        PartLabel { number: self.given.as_ref().map_or(self.number, |given| given.number), numbering: told }
    }

    fn next_part(&mut self) -> Option<Result<InputPart, FailedPart>> {
        if let Some(piece) = self.pieces.pop() {
            return Some(Ok(piece));
        }
        while self.ready.is_empty() && self.slicer.is_some() {
            self.read();
        }
        let sliced = self.ready.pop_front()?;
        self.number += 1;
        let order = order_of(self.number);
        Some(match sliced {
            Ok(slice) => {
                let given = self.given.as_ref().filter(|_| self.number == 1);
                let slice = match given {
                    Some(given) => given.shown(slice),
                    None => slice,
                };
                Ok(InputPart { slice, label: self.label(), order, depth: 0 })
            }
            Err(error) => {
                let place = match error {
                    SliceError::TokenLimit { number, .. } | SliceError::Oversized { number, .. } => {
                        InputLocation { records: Some((number, number)), ..InputLocation::default() }
                    }
                    SliceError::Unreadable { number, .. } => {
                        InputLocation { pages: Some((number, number)), ..InputLocation::default() }
                    }
                    SliceError::Header { .. } => InputLocation::default(),
                };
                Err(FailedPart { part: self.number, place, reason: error.to_string() })
            }
        })
    }
}

/// Whether a slice has content: blanks alone have none.
fn says_something(slice: &Result<Slice, SliceError>) -> bool {
    slice.as_ref().map_or(true, |slice| !slice.text.trim().is_empty() || !slice.header.is_empty())
}

impl Iterator for PartCutter {
    type Item = CutResult;

    fn next(&mut self) -> Option<CutResult> {
        loop {
            let part = match self.next_part() {
                Some(Ok(part)) => part,
                Some(Err(failed)) => return Some(CutResult::Failed(failed)),
                None => return self.broken.take().map(CutResult::Broken),
            };
            match self.frame.render(&part.slice, part.label, None) {
                Ok(prompt) => return Some(CutResult::Part(Box::new(part), prompt)),
                // The text between pages, or at joints, may need a few tokens more than reserved.
                Err(over) => match part.halves(&self.counter) {
                    Some([first, second]) => self.pieces.extend([second, first]),
                    None => {
                        return Some(CutResult::Failed(FailedPart {
                            part: part.label.number,
                            place: crate::location::place_of_all(&part.slice),
                            reason: over.to_string(),
                        }));
                    }
                },
            }
        }
    }
}
