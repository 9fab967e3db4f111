//! The texts that patterns are matched against in a part of records: each value of a JSON record separately, and any other record unchanged.
//!
//! Keys and brackets are not content, and no match spans two values or records.

use crate::input::InputContent;
use crate::location::{self, line_ends};
use crate::merge::InputLocation;
use crate::part_text::json_escapes;
use crate::slice::Slice;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Range;

/// Calls `see` with each text of the records that a part owns, in order, and a locator of its bytes.
pub(crate) fn each(part: &Slice, mut see: impl FnMut(&str, &mut dyn FnMut(usize) -> InputLocation)) {
    let text = part.text.as_str();
    let begins = part.marks.iter().map(|mark| mark.at).filter(|at| *at > 0);
    let ends = begins.chain([text.len()]);
    let mut lines = LineCounter { text, line: *part.lines.start(), at: 0 };
    let mut from = 0;
    for end in ends {
        let Some(record) = text.get(from..end) else { continue };
        let mut place = |at: usize| {
            let line = lines.line_of(at).min(*part.lines.end());
            location::of(&part.marks, InputContent::Records, at, || line)
        };
        match json(record) {
            Some(json) => values(&record[json.clone()], &mut |at, value| {
                let begins = from + json.start + at;
                // A JSON string is on one line, whatever escapes it contains.
                see(&with_line_ends(value), &mut |_| place(begins));
            }),
            None => see(&with_line_ends(record), &mut |at| place(from + at)),
        }
        from = end;
    }
}

/// Converts single carriage returns to line feeds, keeping the length in bytes.
pub(crate) fn with_line_ends(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let mut alone = memchr::memchr_iter(b'\r', bytes).filter(is_alone).peekable();
    if alone.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut changed, mut from) = (String::with_capacity(text.len()), 0);
    for at in alone {
        changed.push_str(&text[from..at]);
        changed.push('\n');
        from = at + 1;
    }
    changed.push_str(&text[from..]);
    Cow::Owned(changed)
}

/// Counts lines from the last position requested, so that many positions cost as much as one.
struct LineCounter<'t> {
    text: &'t str,
    line: u64,
    at: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, at: usize) -> u64 {
        if at < self.at {
            return self.line - line_ends(&self.text[at..self.at]);
        }
        self.line += line_ends(&self.text[self.at..at]);
        self.at = at;
        self.line
    }
}

/// Returns the range of the value in a record that is a JSON object, array or string, alone or as an element of an array.
fn json(record: &str) -> Option<Range<usize>> {
    let is_between = |character: char| character.is_ascii_whitespace() || matches!(character, ',' | ']' | '\x1a');
    let start = record.find(|character: char| !character.is_ascii_whitespace() && character != '\u{FEFF}')?;
    let of_an_array = record[start..].strip_prefix('[').map(|_| start + 1);
    [Some(start), of_an_array].into_iter().flatten().find_map(|start| {
        let text = &record[start..];
        if !text.trim_ascii_start().starts_with(['{', '[', '"']) {
            return None;
        }
        // Skips values without building them, which does not recurse.
        let mut parsed = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        parsed.next()?.ok()?;
        let end = parsed.byte_offset();
        text[end..].chars().all(is_between).then_some(start..start + end)
    })
}

/// Calls `see` with the decoded strings and numbers of a JSON text, without field names, each with its first byte.
fn values(json: &str, see: &mut dyn FnMut(usize, &str)) {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                let inner = &json[at + 1..end];
                let behind = json.get(end + 1..).unwrap_or_default();
                if !behind.trim_ascii_start().starts_with(':') {
                    see(at, &unescaped(inner));
                }
                at = end + 1;
            }
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..]
                    .iter()
                    .take_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))
                    .count();
                see(at, &json[at..at + length]);
                at += length;
            }
            _ => at += 1,
        }
    }
}

/// Returns the position of the quote that closes a string.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

fn unescaped(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    json_escapes::read(inner, &mut text, &mut Vec::new());
    Cow::Owned(text)
}
