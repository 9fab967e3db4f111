//! The text of a page: its strings, with line ends and blanks according to their positions.
//!
//! A PDF page has no lines and often no blanks, only positioned strings. A string set higher or lower than the one before begins a line; a string
//! further on in the same line begins a word. Text in forms that the page refers to is not searched.

use super::LARGEST_STREAM;
use lopdf::content::{Content, Operation};
use lopdf::{Document, Encoding, Object, ObjectId};
use std::collections::BTreeMap;

/// A PDF matrix: two columns for direction and size, one for the position.
type Matrix = [f64; 6];

const UNIT: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// The backward offset in an array of strings that counts as a blank, in thousandths of the font size.
const BLANK: f64 = 180.0;

/// The reason for a page with invalid content.
pub(super) const DAMAGED: &str = "what it shows is damaged";

/// The minimum bytes of compressed empty data: 8 of zlib, and a line end.
const EMPTY: usize = 10;

struct PageInterpreter<'d> {
    fonts: BTreeMap<Vec<u8>, Encoding<'d>>,
    text: String,
    /// The part that cannot be read.
    failed: Option<String>,
    font: Option<Vec<u8>>,
    size: f64,
    leading: f64,
    /// The current transformation from the page, and the saved ones.
    drawn: Matrix,
    kept: Vec<Matrix>,
    /// The start of the current line.
    line: Matrix,
    /// The position of the last string, its size, and its length in characters; none if nothing has moved since.
    last: Option<(f64, f64, f64, usize)>,
    moved: bool,
}

/// The readable text of a page.
pub(super) struct PageText {
    pub text: String,
    /// Why some of its strings are omitted.
    pub failed: Option<String>,
    /// Whether the text stops because the rest is damaged.
    pub breaks_off: bool,
}

/// Extracts the text of a page.
///
/// # Errors
/// The reason why nothing of the page is readable.
pub(super) fn text_of(document: &Document, page: ObjectId) -> Result<PageText, String> {
    let bytes = content_of(document, page)?;
    let mut failed = None;
    let mut fonts = BTreeMap::new();
    for (name, font) in document.get_page_fonts(page).map_err(|error| error.to_string())? {
        match font.get_font_encoding_with_limit(document, LARGEST_STREAM) {
            Ok(encoding) => drop(fonts.insert(name, encoding)),
            Err(error) => failed = failed.or(Some(error.to_string())),
        }
    }
    // A lenient parser would silently stop at the error.
    let strict = Content::decode_strict(&bytes);
    let is_whole = strict.is_ok();
    let operations = strict.or_else(|_| Content::decode(&bytes)).map(|content| content.operations);
    let operations = operations.unwrap_or_default();
    // Content that decompresses to nothing, or ends within a text object, was truncated.
    let shows = operations.iter().rfind(|operation| matches!(operation.operator.as_str(), "BT" | "ET"));
    let is_open = shows.is_some_and(|operation| operation.operator == "BT");
    let mut page = PageInterpreter {
        fonts,
        text: String::new(),
        failed,
        font: None,
        size: 1.0,
        leading: 0.0,
        drawn: UNIT,
        kept: Vec::new(),
        line: UNIT,
        last: None,
        moved: false,
    };
    for operation in &operations {
        page.follow(operation);
    }
    Ok(PageText { text: page.text, failed: page.failed, breaks_off: !is_whole || is_open })
}

/// Returns the decompressed content of a page; empty if it declares none. The library skips missing streams, and returns corrupt ones compressed.
fn content_of(document: &Document, page: ObjectId) -> Result<Vec<u8>, String> {
    let missing = |_| "what it shows is missing or damaged".to_owned();
    let page = document.get_dictionary(page).map_err(|_| "the page is missing or damaged".to_owned())?;
    let Ok(contents) = page.get(b"Contents") else { return Ok(Vec::new()) };
    let (_, contents) = document.dereference(contents).map_err(missing)?;
    let one = [contents.clone()];
    let streams = match contents {
        Object::Null => return Ok(Vec::new()),
        Object::Array(streams) => streams.as_slice(),
        _ => &one,
    };
    let mut bytes = Vec::new();
    for stream in streams {
        let (_, stream) = document.dereference(stream).map_err(missing)?;
        let stream = stream.as_stream().map_err(missing)?;
        let left = LARGEST_STREAM.saturating_sub(bytes.len());
        let unfolded =
            stream.decompressed_content_with_limit(left).map_err(|_| "what it shows cannot be decoded".to_owned())?;
        if unfolded.is_empty() && stream.content.len() > EMPTY {
            return Err(DAMAGED.to_owned());
        }
        bytes.extend(unfolded);
        bytes.push(b'\n');
    }
    Ok(bytes)
}

impl PageInterpreter<'_> {
    fn follow(&mut self, operation: &Operation) {
        let operands = operation.operands.as_slice();
        let number = |index: usize| operands.get(index).and_then(number).unwrap_or(0.0);
        match operation.operator.as_str() {
            "q" => self.kept.push(self.drawn),
            "Q" => self.drawn = self.kept.pop().unwrap_or(self.drawn),
            "cm" => self.drawn = product(matrix(operands), self.drawn),
            "BT" => {
                self.line = UNIT;
                self.moved = true;
            }
            "Tf" => {
                self.font = operands.first().and_then(|name| name.as_name().ok()).map(<[u8]>::to_vec);
                self.size = number(1);
            }
            "TL" => self.leading = number(0),
            "Td" => self.go(number(0), number(1)),
            "TD" => {
                self.leading = -number(1);
                self.go(number(0), number(1));
            }
            "Tm" => {
                self.line = matrix(operands);
                self.moved = true;
            }
            "T*" => self.go(0.0, -self.leading),
            "'" | "\"" => {
                self.go(0.0, -self.leading);
                self.show(operands.last().into_iter());
            }
            "Tj" => self.show(operands.first().into_iter()),
            "TJ" => {
                if let Some(Object::Array(strings)) = operands.first() {
                    self.show(strings.iter());
                }
            }
            _ => {}
        }
    }

    fn go(&mut self, right: f64, up: f64) {
        self.line = product([1.0, 0.0, 0.0, 1.0, right, up], self.line);
        self.moved = true;
    }

    fn show<'o>(&mut self, strings: impl Iterator<Item = &'o Object>) {
        let mut shown = String::new();
        for string in strings {
            match string {
                Object::String(bytes, _) => shown.push_str(&self.decoded(bytes)),
                other => {
                    let is_blank = number(other).is_some_and(|back| back < -BLANK);
                    if is_blank && !shown.ends_with(' ') {
                        shown.push(' ');
                    }
                }
            }
        }
        let place = product(self.line, self.drawn);
        let size = (self.size * place[3].hypot(place[1])).abs().max(0.1);
        if self.moved {
            self.part(place, size, &shown);
        }
        if !shown.is_empty() {
            self.last = Some((place[4], place[5], size, shown.chars().count()));
            self.moved = false;
            self.text.push_str(&shown);
        }
    }

    /// Begins a line or a word before the next string.
    fn part(&mut self, place: Matrix, size: f64, shown: &str) {
        let Some((right, up, before, characters)) = self.last else { return };
        if (place[5] - up).abs() > 0.4 * size.min(before) || place[4] < right - before {
            while self.text.ends_with(' ') {
                self.text.pop();
            }
            self.text.push('\n');
            // Twice the usual line spacing begins a paragraph.
            if (place[5] - up).abs() > 2.2 * size.max(before) {
                self.text.push('\n');
            }
            return;
        }
        // Some files position each letter: only a wide step is a blank then.
        let is_word = characters > 1 || place[4] - right > before;
        if is_word && !self.text.ends_with([' ', '\n']) && !shown.starts_with(' ') {
            self.text.push(' ');
        }
    }

    fn decoded(&mut self, bytes: &[u8]) -> String {
        let font = self.font.as_ref().and_then(|name| self.fonts.get(name));
        let decoded = match font {
            Some(encoding) => Document::decode_text(encoding, bytes).map_err(|error| error.to_string()),
            None => Err("it is set in a font that the file does not have".to_owned()),
        };
        decoded.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            String::new()
        })
    }
}

fn number(object: &Object) -> Option<f64> {
    object.as_float().ok().map(f64::from)
}

fn matrix(operands: &[Object]) -> Matrix {
    let mut matrix = UNIT;
    for (place, operand) in matrix.iter_mut().zip(operands) {
        *place = number(operand).unwrap_or(*place);
    }
    matrix
}

/// Multiplies two matrices; the first is applied first.
fn product(a: Matrix, b: Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}
