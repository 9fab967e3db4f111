//! Assembling records from blocks.

use super::format::InputErrorKind;
use super::json_array::element_error;
use super::record_boundaries::{RecordSplitter, is_blank};
use crate::location::line_ends;
use crate::slice::InputUnit;
use serde::de::IgnoredAny;
use std::collections::VecDeque;

type ReadyUnits = VecDeque<Result<InputUnit, InputErrorKind>>;

/// The current record.
#[derive(Debug)]
pub(super) struct RecordAssembler {
    split: RecordSplitter,
    /// The maximum buffered bytes of a record.
    largest: usize,
    /// The record, one-based; 0 for the header.
    number: u64,
    text: String,
    /// The bytes and line ends of a skipped oversized record; none otherwise.
    passed: Option<(u64, u64)>,
    begins: Vec<usize>,
    line: u64,
    /// The columns of the first row.
    columns: Option<u64>,
    /// The number of irregular records, and the first of them.
    odd: Option<(u64, u64)>,
}

impl RecordAssembler {
    pub fn new(split: RecordSplitter, largest: usize) -> Self {
        let number = u64::from(!split.has_header());
        Self {
            split,
            largest,
            number,
            text: String::new(),
            passed: None,
            begins: Vec::new(),
            line: 1,
            columns: None,
            odd: None,
        }
    }

    /// Adds the units that end in a block.
    pub fn push_block(&mut self, block: &str, ready: &mut ReadyUnits) -> Result<(), InputErrorKind> {
        let mut begins = std::mem::take(&mut self.begins);
        begins.clear();
        let scanned = self.split.scan(block, &mut begins);
        let mut from = 0;
        for begin in begins.iter().copied() {
            self.add(&block[from..begin]);
            self.hand_over(ready)?;
            from = begin;
        }
        if let Err(broken) = scanned {
            let before = &block.as_bytes()[from..broken.at];
            let line = self.line + line_ends(before);
            return Err(broken_at(self.number, Some(line), &broken.what));
        }
        self.add(&block[from..]);
        self.begins = begins;
        Ok(())
    }

    /// Adds the last unit.
    pub fn finish(&mut self, ready: &mut ReadyUnits) -> Result<(), InputErrorKind> {
        let number = self.number;
        if self.split.has_begun() && self.split.is_whole() {
            self.hand_over(ready)?;
        }
        match self.split.end() {
            // An empty array has no records, but is not an error.
            Err(_) if !self.split.has_begun() && self.text.trim().is_empty() => Ok(()),
            Err(what) => Err(broken_at(number, None, &what)),
            Ok(()) => Ok(()),
        }
    }

    /// Whether a buffered record is valid JSON. Skips it without building it.
    fn is_json(&self, text: &str) -> bool {
        let blanks = |c: char| u8::try_from(c).is_ok_and(is_blank);
        self.passed.is_some() || serde_json::from_str::<IgnoredAny>(text.trim_matches(blanks)).is_ok()
    }

    /// Returns a note for the user about the records so far.
    pub fn note(&self) -> Option<String> {
        let is_lines = matches!(self.split, RecordSplitter::Lines(_));
        let other = "another number of columns than the first row";
        Some(match (self.odd?, is_lines) {
            ((1, first), true) => format!("record {first} is no JSON"),
            ((1, first), false) => format!("record {first} has {other}"),
            ((count, first), true) => {
                format!("{count} records are no JSON, the first of them record {first}")
            }
            ((count, first), false) => {
                format!("{count} records have {other}, the first of them record {first}")
            }
        })
    }

    fn add(&mut self, stretch: &str) {
        self.line += line_ends(stretch);
        if let Some((bytes, ends)) = &mut self.passed {
            *bytes += stretch.len() as u64;
            *ends += line_ends(stretch);
        } else if self.text.len() + stretch.len() > self.largest {
            let held = std::mem::take(&mut self.text);
            let bytes = (held.len() + stretch.len()) as u64;
            self.passed = Some((bytes, line_ends(held) + line_ends(stretch)));
        } else {
            self.text.push_str(stretch);
        }
    }

    fn hand_over(&mut self, ready: &mut ReadyUnits) -> Result<(), InputErrorKind> {
        let number = self.number;
        self.number += 1;
        let text = std::mem::take(&mut self.text);
        let width = self.split.next_row_width();
        if number == 0 {
            self.columns = width;
        } else if width != self.columns || (matches!(self.split, RecordSplitter::Lines(_)) && !self.is_json(&text)) {
            self.odd = self.odd.map(|(count, first)| (count + 1, first)).or(Some((1, number)));
        }
        let unit = match self.passed.take() {
            Some((bytes, _)) if number == 0 => {
                let message = format!("the first row has {bytes} bytes, which is more than is read at once");
                return Err(InputErrorKind::WrongFormat(message));
            }
            Some((bytes, line_ends)) => InputUnit::OversizedRecord { number, bytes, line_ends },
            None if number == 0 => InputUnit::Header(text),
            None => {
                if matches!(self.split, RecordSplitter::Array(_))
                    && let Some((line, what)) = element_error(&text, number == 1)
                {
                    let line = self.line - line_ends(&text) + line - 1;
                    return Err(broken_at(number, Some(line), &format!("it is no JSON: {what}")));
                }
                InputUnit::Record { number, text }
            }
        };
        ready.push_back(Ok(unit));
        Ok(())
    }
}

/// Creates an error for a record, or for the first row if the number is 0.
fn broken_at(number: u64, line: Option<u64>, what: &str) -> InputErrorKind {
    let record = (number > 0).then_some(number);
    let name = record.map_or("the first row".to_owned(), |number| format!("record {number}"));
    let message = match line {
        Some(line) => format!("{name}, line {line}: {what}"),
        None => format!("{name}: {what}"),
    };
    InputErrorKind::Broken { record, line, message }
}
