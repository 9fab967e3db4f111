//! The formats of inputs, how one is recognized, and what is wrong with one.

use crate::merge::InputLocation;

/// The format of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Running text. If there is a form feed in the first 64 KB, form feeds end pages; one that comes later is text.
    Text,
    /// Markdown: as text.
    Markdown,
    /// A JSON value. An array is a list of records, everything else is text. Separators belong to the element before, the brackets to the first and
    /// the last element.
    Json,
    /// A JSON value on each line. Blanks between them belong to the one before.
    JsonLines,
    /// Rows of columns, with the names in the first row. The separator is the comma, semicolon or tab, whichever is most frequent in the first row.
    /// Quoted line ends do not end a row.
    Csv,
    /// Pages.
    Pdf,
}

/// The kind of units in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputContent {
    /// Running text.
    Text,
    /// Records.
    Records,
    /// Pages.
    Pages,
}

/// A read error of an input.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {kind}")]
pub struct InputError {
    /// The file, or `standard input`.
    pub name: String,
    /// The kind of error.
    pub kind: InputErrorKind,
}

/// The kinds of read errors.
#[derive(Debug, thiserror::Error)]
pub enum InputErrorKind {
    /// The input cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// The bytes are invalid in the encoding.
    #[error("line {line}: {message}")]
    NotText {
        /// The line, one-based.
        line: u64,
        /// The error message.
        message: String,
    },
    /// The input is not of the expected format.
    #[error("{0}")]
    WrongFormat(String),
    /// The PDF requires a password.
    #[error("the PDF is encrypted, and asks for a password")]
    Encrypted,
    /// The input is valid up to an invalid record.
    #[error("{message}")]
    Broken {
        /// The record, one-based; none for an error before the first one.
        record: Option<u64>,
        /// The line, one-based, if it is known.
        line: Option<u64>,
        /// The location and the error, in words.
        message: String,
    },
}

impl InputErrorKind {
    /// Returns where the input breaks off, as far as that is known.
    pub fn place(&self) -> InputLocation {
        let one = |number: u64| (number, number);
        match self {
            Self::Io(_) | Self::WrongFormat(_) | Self::Encrypted => InputLocation::default(),
            Self::NotText { line, .. } => InputLocation { lines: Some(one(*line)), ..InputLocation::default() },
            Self::Broken { record, line, .. } => {
                InputLocation { records: record.map(one), lines: line.map(one), ..InputLocation::default() }
            }
        }
    }
}

/// Whether a text begins like a list of records: a JSON array, or at least two lines with a JSON object or array each. Guesses from the sample alone.
pub(super) fn is_list_content(sample: &str) -> bool {
    let sample = sample.strip_prefix('\u{feff}').unwrap_or(sample).trim_start();
    is_array(sample) || is_json_lines(sample)
}

/// Whether a JSON value follows the bracket, and the array continues after a short value.
fn is_array(sample: &str) -> bool {
    let Some(mut inside) = sample.strip_prefix('[').map(str::trim_start) else { return false };
    // `[[A page]]` is a link in some wikis.
    while let Some(deeper) = inside.strip_prefix('[') {
        inside = deeper.trim_start();
    }
    match inside.chars().next() {
        None | Some('"' | ']') => true,
        Some('{') => matches!(inside[1..].trim_start().chars().next(), None | Some('"' | '}')),
        Some('-' | '0'..='9' | 't' | 'f' | 'n') => {
            let scalar = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+-.".contains(c));
            let value = &inside[..inside.len() - scalar.len()];
            let known = matches!(value, "true" | "false" | "null") || value.parse::<f64>().is_ok();
            // `[1] A footnote.` is text, and an array of one number is not worth dividing.
            known && scalar.trim_start().starts_with(',')
        }
        Some(_) => false,
    }
}

fn is_json_lines(sample: &str) -> bool {
    let mut whole = sample.split_inclusive('\n').filter(|line| line.ends_with('\n') && !line.trim().is_empty());
    let is_value = |line: &str| {
        let line = line.trim();
        (line.starts_with('{') && line.ends_with('}') && line.len() > 1)
            || (line.starts_with('[') && line.ends_with(']') && line.len() > 1)
    };
    let first = whole.by_ref().take(2).map(is_value).collect::<Vec<_>>();
    first == [true, true]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_records_are_told_from_their_beginning() {
        assert!(is_list_content("[{\"id\": 1}, "));
        assert!(is_list_content("{\"id\": 1}\n{\"id\": 2}\n{\"id\""));
        assert!(is_list_content("[[1, 2], [3, 4]]"));
        assert!(!is_list_content("[1] A footnote.\n"));
        assert!(!is_list_content("[[A page]] of a wiki.\n"));
        assert!(!is_list_content("{\n  \"id\": 1\n}\n"));
    }
}
