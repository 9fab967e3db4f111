//! From an input to prompts, one after the other.
//!
//! The input is read, sliced and counted as prompts are taken: memory holds a few parts and no more. The first parts are cut before any is handed on, as far as
//! [`AHEAD`] goes, because an input that ends there is one whose number of parts can be told; a longer one is asked about before it is read to its end.

use crate::given::GivenPart;
use crate::input::{Input, InputError, Units};
use crate::merge::Place;
use crate::prompt::{Frame, Label, Told};
use crate::slice::{Slice, SliceError, SliceOptions, Slicer};
use crate::{Content, FailedPart};
use std::collections::VecDeque;
use war_rig_estimator::TokenCounter;
use war_rig_llm::BudgetedPrompt;

/// How many bytes of parts are cut before the first is handed on.
const AHEAD: usize = 4 << 20;

/// What is counted between two parts of one number, in the numbers that put pieces of parts in order.
const PIECES: u64 = 1 << PIECE_BITS;
const PIECE_BITS: u32 = 20;

/// A part, or a piece of one that was too large.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) slice: Slice,
    pub(crate) label: Label,
    /// Puts parts and their pieces in order.
    pub(crate) order: u64,
    /// How often it was divided.
    pub(crate) depth: u32,
}

/// The part that an order belongs to.
pub(crate) fn number_of(order: u64) -> u64 {
    order >> PIECE_BITS
}

/// The order of a whole part.
pub(crate) fn order_of(number: u64) -> u64 {
    number << PIECE_BITS
}

impl Part {
    /// The part in two; none where it cannot be divided.
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

/// What comes out of an input.
#[derive(Debug)]
pub(crate) enum Cut {
    /// A part with its prompt.
    Part(Box<Part>, BudgetedPrompt),
    /// Something that is in no part, and why.
    Failed(FailedPart),
    /// The input cannot be read further.
    Broken(InputError),
}

/// Cuts an input.
pub(crate) struct Cutter {
    units: Units,
    slicer: Option<Slicer>,
    frame: Frame,
    content: Content,
    counter: TokenCounter,
    tells: bool,
    /// Whether even one part alone is told that it is.
    tells_one: bool,
    ready: VecDeque<Result<Slice, SliceError>>,
    /// A piece that waits for its turn.
    pieces: Vec<Part>,
    broken: Option<InputError>,
    total: Option<u64>,
    /// Which part of another input all of this is.
    given: Option<GivenPart>,
    number: u64,
}

impl Cutter {
    /// Cuts as far as the first parts go.
    pub(crate) fn new(
        input: Input,
        options: SliceOptions,
        frame: Frame,
        counter: &TokenCounter,
        (tells, tells_one): (bool, bool),
    ) -> Self {
        let (content, given) = (input.content(), input.given().cloned());
        let mut cutter = Self {
            units: input.units(),
            slicer: Some(Slicer::new(options, counter.clone())),
            frame,
            content,
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
        cutter.total =
            (cutter.slicer.is_none() && cutter.broken.is_none()).then_some(cutter.ready.len() as u64);
        cutter
    }

    /// All parts there are, where that is known before the first is asked about.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// The bytes of the input that were read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.units.bytes_read()
    }

    /// What the input has to say of itself.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.units.notes()
    }

    /// Takes one more unit.
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

    fn label(&self) -> Label {
        let told = match (self.tells, &self.given, self.total) {
            (false, _, _) => Told::Nothing,
            (true, Some(given), _) => Told::Of(given.total),
            (true, None, Some(1)) if !self.tells_one => Told::Nothing,
            (true, None, Some(total)) => Told::Of(total),
            (true, None, None) => Told::Number,
        };
        Label { number: self.given.as_ref().map_or(self.number, |given| given.number), told }
    }

    fn next_part(&mut self) -> Option<Result<Part, FailedPart>> {
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
                Ok(Part { slice, label: self.label(), order, depth: 0 })
            }
            Err(error) => {
                let place = match error {
                    SliceError::TokenLimit { number, .. } | SliceError::Oversized { number, .. } => {
                        Place { records: Some((number, number)), ..Place::default() }
                    }
                    SliceError::Unreadable { number, .. } => {
                        Place { pages: Some((number, number)), ..Place::default() }
                    }
                    SliceError::Header { .. } => Place::default(),
                };
                Err(FailedPart { part: self.number, place, reason: error.to_string() })
            }
        })
    }
}

/// Whether there is anything to ask about: of blanks alone there is nothing.
fn says_something(slice: &Result<Slice, SliceError>) -> bool {
    slice.as_ref().map_or(true, |slice| !slice.text.trim().is_empty() || !slice.header.is_empty())
}

impl Iterator for Cutter {
    type Item = Cut;

    fn next(&mut self) -> Option<Cut> {
        loop {
            let part = match self.next_part() {
                Some(Ok(part)) => part,
                Some(Err(failed)) => return Some(Cut::Failed(failed)),
                None => return self.broken.take().map(Cut::Broken),
            };
            match self.frame.render(&part.slice, part.label, None) {
                Ok(prompt) => return Some(Cut::Part(Box::new(part), prompt)),
                // What stands between pages, or where pieces meet, may be a few tokens more than was left for it.
                Err(over) => match part.halves(&self.counter) {
                    Some([first, second]) => self.pieces.extend([second, first]),
                    None => {
                        return Some(Cut::Failed(FailedPart {
                            part: part.label.number,
                            place: crate::place::place_of_all(&part.slice, self.content),
                            reason: over.to_string(),
                        }));
                    }
                },
            }
        }
    }
}
