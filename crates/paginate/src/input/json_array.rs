//! Finding the elements of a JSON array.
//!
//! The scanner examines only brackets, strings, and the commas between elements, without recursion, so elements may be nested to any depth. Complete
//! elements are validated later.

use super::record_boundaries::{MalformedRecord, is_blank};
use crate::location::line_ends;
use memchr::memchr2;

#[derive(Debug, Default)]
pub(super) struct JsonArrayScanner {
    state: ArrayState,
    /// Whether an element has begun.
    begun: bool,
    /// The open brackets inside the element.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ArrayState {
    /// Before the opening bracket of the array.
    #[default]
    Before,
    /// After the opening bracket: an element, or the end.
    First,
    /// After a comma.
    Next,
    /// In a string, an object or an array.
    Inside,
    /// In a number or a word.
    Scalar,
    /// After an element.
    Behind,
    /// After the array.
    After,
}

/// The maximum depth of an element; each open bracket takes a byte of memory.
const DEEPEST: usize = 16 << 20;

impl JsonArrayScanner {
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the scanner is between elements.
    pub fn is_between(&self) -> bool {
        matches!(self.state, ArrayState::Next | ArrayState::Behind | ArrayState::After)
    }

    pub fn end(&self) -> Result<(), String> {
        match self.state {
            ArrayState::After => Ok(()),
            ArrayState::Next | ArrayState::First => Err("the array goes on with nothing".to_owned()),
            ArrayState::Behind => Err("the array is not closed".to_owned()),
            ArrayState::Before => Err("it is no array".to_owned()),
            ArrayState::Inside | ArrayState::Scalar => Err("the input ends inside it".to_owned()),
        }
    }

    pub fn scan(&mut self, block: &[u8], begins: &mut Vec<usize>) -> Result<(), MalformedRecord> {
        let mut at = 0;
        while let Some(byte) = block.get(at).copied() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let Some(found) = memchr2(b'"', b'\\', &block[at..]) else { return Ok(()) };
                self.escaped = block[at + found] == b'\\';
                self.in_string = self.escaped;
                at += found + 1;
                self.close();
                continue;
            }
            self.step(byte, at, begins).map_err(|what| MalformedRecord { at, what })?;
            at += 1;
        }
        Ok(())
    }

    /// Continues after an element whose brackets are all closed.
    fn close(&mut self) {
        if !self.in_string && self.open.is_empty() && self.state == ArrayState::Inside {
            self.state = ArrayState::Behind;
        }
    }

    fn step(&mut self, byte: u8, at: usize, begins: &mut Vec<usize>) -> Result<(), String> {
        if self.state == ArrayState::Inside {
            return self.inside(byte);
        }
        if is_blank(byte) {
            if self.state == ArrayState::Scalar {
                self.state = ArrayState::Behind;
            }
            return Ok(());
        }
        let shown = || char::from(byte).escape_default().to_string();
        match (self.state, byte) {
            (ArrayState::Before, b'[') => self.state = ArrayState::First,
            (ArrayState::First | ArrayState::Scalar | ArrayState::Behind, b']') => self.state = ArrayState::After,
            (ArrayState::Scalar | ArrayState::Behind, b',') => self.state = ArrayState::Next,
            (ArrayState::Scalar, b'"' | b'[' | b'{' | b'}' | b':') => {
                return Err(format!("`{}` stands inside a number or word", shown()));
            }
            (ArrayState::Scalar, _) => {}
            (ArrayState::First | ArrayState::Next, b',' | b']' | b'}' | b':') => {
                return Err(format!("`{}` stands where an element should begin", shown()));
            }
            (ArrayState::First | ArrayState::Next, _) => {
                if self.begun {
                    begins.push(at);
                }
                self.begun = true;
                self.state = ArrayState::Scalar;
                if matches!(byte, b'"' | b'[' | b'{') {
                    self.state = ArrayState::Inside;
                    return self.inside(byte);
                }
            }
            (ArrayState::Behind, _) => return Err(format!("`{}` stands where a comma should", shown())),
            (ArrayState::After, _) => return Err("there is more behind the end of the array".to_owned()),
            (ArrayState::Before | ArrayState::Inside, _) => return Err("it is no array".to_owned()),
        }
        Ok(())
    }

    fn inside(&mut self, byte: u8) -> Result<(), String> {
        match byte {
            b'"' => self.in_string = true,
            b'[' | b'{' if self.open.len() == DEEPEST => return Err("it is nested too deeply".to_owned()),
            b'[' | b'{' => self.open.push(byte),
            b']' | b'}' => {
                let opened = self.open.pop();
                if opened != Some(if byte == b']' { b'[' } else { b'{' }) {
                    return Err(format!("`{}` closes what is not open", char::from(byte)));
                }
                self.close();
            }
            _ => {}
        }
        Ok(())
    }
}

/// Validates an element, with the opening bracket and separators that may surround it. Returns the error and its line in the text.
pub(super) fn element_error(text: &str, is_first: bool) -> Option<(u64, String)> {
    let blanks = |c: char| u8::try_from(c).is_ok_and(is_blank);
    let element = text.trim_start_matches(blanks);
    let element = if is_first { element.strip_prefix('[').unwrap_or(element) } else { element };
    // Skips values without building them, which does not recurse.
    let mut values = serde_json::Deserializer::from_str(element).into_iter::<serde::de::IgnoredAny>();
    let error = values.next()?.err()?;
    let before = line_ends(&text[..text.len() - element.len()]);
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message);
    Some((before + error.line().max(1) as u64, what.to_owned()))
}
