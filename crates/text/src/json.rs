//! JSON that escapes more characters than the standard requires.

use crate::decode::is_plain;
use crate::is_unsafe_to_display;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Escapes these characters in the strings of a piece of JSON, which keeps its meaning.
pub fn escaped(json: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !json.contains(&is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if !is_escaped(character) {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(text, "\\u{unit:04x}").expect("a string takes every write");
        }
    }
    Cow::Owned(text)
}

/// Formats JSON as Python's `json.dumps` does: one line of ASCII with a blank after every comma and colon.
///
/// # Panics
/// When the value cannot be serialized to JSON.
pub fn spaced_json(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    value.serialize(&mut serializer).expect("a value has string keys and writes to memory");
    let json = String::from_utf8(bytes).expect("JSON is written as UTF-8");
    escaped(&json, |character| !character.is_ascii()).into_owned()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.begin_array_value(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

/// Writes a value as JSON on the current line, safe to display.
///
/// # Errors
/// The output's errors, and one of kind [`io::ErrorKind::InvalidData`] for a value that cannot be serialized.
pub fn write_compact_json(value: &impl Serialize, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    out.write_all(escaped(&serde_json::to_string(value)?, is_unsafe_to_display).as_bytes())
}

/// Writes a value as JSON on lines, indented for this depth of lists and objects, and safe to display.
///
/// # Errors
/// The output's errors, and one of kind [`io::ErrorKind::InvalidData`] for a value that cannot be serialized.
pub fn write_json_at(depth: usize, value: &impl Serialize, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let formatter = IndentedJson { depth, is_filled: false };
    value.serialize(&mut Serializer::with_formatter(out, formatter)).map_err(Into::into)
}

/// Writes JSON as [`PrettyFormatter`](serde_json::ser::PrettyFormatter) does, but the start of a line in one piece: two fifths of a file's facts are
/// indentation.
struct IndentedJson {
    depth: usize,
    /// Whether the list or object that was ended or begun last has elements.
    is_filled: bool,
}

/// The end of an element, and the indentation of the deepest line that is written in one piece.
const NEXT_LINE: &[u8; 2 + 2 * 31] = b",\n                                                              ";

impl IndentedJson {
    /// Begins a line for an element, or for the end of a list or object.
    fn line<W: ?Sized + Write>(&self, out: &mut W, is_next: bool) -> io::Result<()> {
        let end = 2 + 2 * self.depth;
        out.write_all(&NEXT_LINE[usize::from(!is_next)..end.min(NEXT_LINE.len())])?;
        (NEXT_LINE.len()..end).try_for_each(|_| out.write_all(b" "))
    }

    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_filled = false;
        out.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.is_filled {
            self.line(out, false)?;
        }
        out.write_all(bracket)
    }
}

impl Formatter for IndentedJson {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if is_plain(fragment.as_bytes()) {
            return out.write_all(fragment.as_bytes());
        }
        out.write_all(escaped(fragment, is_unsafe_to_display).as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.line(out, !first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _out: &mut W) -> io::Result<()> {
        self.is_filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.line(out, !first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _out: &mut W) -> io::Result<()> {
        self.is_filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns a value as JSON on lines and on one line.
    fn written(value: &Value) -> [String; 2] {
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        write_json_at(0, value, &mut lines).unwrap();
        write_compact_json(value, &mut line).unwrap();
        [lines, line].map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn json_holds_no_character_that_steers_a_terminal() {
        let value = json!({"a\u{9b}": ["é\u{202e}\u{1b}[31m", {}, "\u{e0041}b\n"], "b": []});
        for text in written(&value) {
            assert!(text.chars().all(|c| c == '\n' || !is_unsafe_to_display(c)), "{text:?}");
            assert!(text.contains("é\\u202e\\u001b[31m"));
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
        let plain = json!({"a": [1, {"b": "c"}], "d": {}});
        assert_eq!(written(&plain), [serde_json::to_string_pretty(&plain).unwrap(), plain.to_string()]);
    }

    #[test]
    fn a_value_is_written_as_it_stands_inside_of_others() {
        let inner = json!({"a": [1, {}], "b": "\u{1b}[31m"});
        let mut text = b"{\n  \"list\": [\n    ".to_vec();
        write_json_at(2, &inner, &mut text).unwrap();
        text.extend_from_slice(b"\n  ]\n}");
        let mut whole = Vec::new();
        write_json_at(0, &json!({ "list": [inner] }), &mut whole).unwrap();
        let (text, whole) = (String::from_utf8(text).unwrap(), String::from_utf8(whole).unwrap());
        assert_eq!(text, whole);
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn json_on_lines_is_that_of_the_library_at_any_depth() {
        let mut value = json!([{}, [], {"a": {}, "b": [1]}]);
        for _ in 0..40 {
            value = json!([{"a": value, "b": []}, 1]);
        }
        let mut text = Vec::new();
        write_json_at(0, &value, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn spaced_json_is_that_of_python() {
        let value = json!({"a": [1, "é, \u{1F600}: b"], "c": {}});
        assert_eq!(spaced_json(&value), r#"{"a": [1, "\u00e9, \ud83d\ude00: b"], "c": {}}"#);
    }
}
