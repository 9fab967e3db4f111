//! Finding where records begin, in blocks of text cut anywhere.

use super::format::InputKind;
use super::json_array::JsonArrayScanner;
use crate::location::line_ends;
use memchr::{memchr, memchr2};
use std::collections::VecDeque;

/// Finds record boundaries.
#[derive(Debug)]
pub(super) enum RecordSplitter {
    Lines(LineSplitter),
    Array(JsonArrayScanner),
    Rows(CsvSplitter),
}

/// An error, and its byte in the block. Everything before it is valid.
#[derive(Debug)]
pub(super) struct MalformedRecord {
    pub at: usize,
    pub what: String,
}

impl RecordSplitter {
    /// Selects a splitter for an input of this kind that begins with this block.
    pub fn of(kind: InputKind, first: &str, name: &str) -> Self {
        match kind {
            InputKind::Json => Self::Array(JsonArrayScanner::default()),
            InputKind::Csv => Self::Rows(CsvSplitter::of(first, name)),
            _ => Self::Lines(LineSplitter::default()),
        }
    }

    /// Whether all records share the text before the first one as a header.
    pub fn has_header(&self) -> bool {
        matches!(self, Self::Rows(_))
    }

    /// Adds the positions in a block where records begin. Text before the first record that is not a header belongs to it, so it has no position.
    pub fn scan(&mut self, block: &str, begins: &mut Vec<usize>) -> Result<(), MalformedRecord> {
        match self {
            Self::Lines(lines) => lines.scan(block.as_bytes(), begins),
            Self::Array(array) => return array.scan(block.as_bytes(), begins),
            Self::Rows(rows) => rows.scan(block.as_bytes(), begins),
        }
        Ok(())
    }

    /// Whether any record has begun.
    pub fn has_begun(&self) -> bool {
        match self {
            Self::Lines(lines) => lines.begun,
            Self::Array(array) => array.has_begun(),
            Self::Rows(rows) => rows.begun,
        }
    }

    /// Returns the error of an input that ends here.
    pub fn end(&self) -> Result<(), String> {
        match self {
            Self::Lines(_) => Ok(()),
            Self::Array(array) => array.end(),
            Self::Rows(rows) => rows.end(),
        }
    }

    /// Returns the columns of the next unreported row, starting with the first; none if records are not rows.
    pub fn next_row_width(&mut self) -> Option<u64> {
        match self {
            Self::Rows(rows) => rows.widths.pop_front(),
            Self::Lines(_) | Self::Array(_) => None,
        }
    }

    /// Whether the last record is complete if the input ends here.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Lines(_) => true,
            Self::Array(array) => array.is_between(),
            Self::Rows(rows) => rows.end().is_ok(),
        }
    }
}

/// A record on each non-blank line.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    begun: bool,
    in_record: bool,
}

impl LineSplitter {
    fn scan(&mut self, block: &[u8], begins: &mut Vec<usize>) {
        let mut at = 0;
        while at < block.len() {
            if self.in_record {
                match memchr(b'\n', &block[at..]) {
                    Some(end) => at += end + 1,
                    None => return,
                }
                self.in_record = false;
                continue;
            }
            if !is_blank(block[at]) {
                if self.begun {
                    begins.push(at);
                }
                (self.begun, self.in_record) = (true, true);
            }
            at += 1;
        }
    }
}

/// JSON whitespace, and the character that once marked the end of files.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x1a)
}

/// CSV rows.
#[derive(Debug)]
pub(super) struct CsvSplitter {
    delimiter: u8,
    state: CsvState,
    /// Whether the first row has begun.
    begun: bool,
    line: u64,
    /// The line of the last quote that opened a field.
    opened: u64,
    /// The columns of unreported rows.
    widths: VecDeque<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CsvState {
    /// Between rows.
    Outside,
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted field: its end, or the first of a doubled quote.
    Quote,
}

impl CsvSplitter {
    fn of(first: &str, name: &str) -> Self {
        let tabs = name.to_ascii_lowercase().ends_with(".tsv");
        let delimiter = if tabs { b'\t' } else { delimiter(first) };
        Self { delimiter, state: CsvState::Outside, begun: false, line: 1, opened: 0, widths: VecDeque::new() }
    }

    fn scan(&mut self, block: &[u8], begins: &mut Vec<usize>) {
        let mut at = 0;
        while at < block.len() {
            // Most bytes do not change the state.
            match self.state {
                CsvState::Quoted => {
                    let end = memchr(b'"', &block[at..]).map_or(block.len(), |found| at + found);
                    self.line += line_ends(&block[at..end]);
                    at = end;
                }
                CsvState::Plain => {
                    at = memchr2(self.delimiter, b'\n', &block[at..]).map_or(block.len(), |found| at + found);
                }
                _ => {}
            }
            let Some(byte) = block.get(at).copied() else { return };
            if self.state == CsvState::Outside && !matches!(byte, b'\r' | b'\n') {
                if self.begun {
                    begins.push(at);
                }
                self.begun = true;
                self.widths.push_back(1);
                self.state = CsvState::Start;
            }
            self.line += u64::from(byte == b'\n');
            self.state = self.after(byte);
            at += 1;
        }
    }

    fn after(&mut self, byte: u8) -> CsvState {
        match (self.state, byte) {
            (CsvState::Outside, _) => CsvState::Outside,
            (CsvState::Start, b'"') => {
                self.opened = self.line;
                CsvState::Quoted
            }
            (CsvState::Quoted, b'"') => CsvState::Quote,
            (CsvState::Quoted, _) | (CsvState::Quote, b'"') => CsvState::Quoted,
            (_, b'\n') => CsvState::Outside,
            (_, byte) if byte == self.delimiter => {
                self.widths.back_mut().into_iter().for_each(|width| *width += 1);
                CsvState::Start
            }
            // Text after a closing quote belongs to the field.
            _ => CsvState::Plain,
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.state {
            CsvState::Quoted => Err(format!("a quote is opened on line {} and never closed", self.opened)),
            _ => Ok(()),
        }
    }
}

/// Returns the column separator: the most frequent of three in the first row, a comma if there is none.
fn delimiter(first: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in first.trim_start_matches(['\r', '\n']).bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            byte if !quoted => {
                counts.iter_mut().filter(|(known, _)| *known == byte).for_each(|(_, count)| *count += 1);
            }
            _ => {}
        }
    }
    // The first in the list wins a tie.
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(byte, _)| byte)
}
