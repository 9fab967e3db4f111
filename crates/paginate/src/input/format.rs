//! The formats of inputs, and what is wrong with one.

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
