//! Inputs: bytes of any size, read once from front to back.

use std::io::Read;
use std::path::Path;
use war_rig_chunker::Unit;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Running text. Form feeds in it end pages.
    Text,
    /// Markdown: running text.
    Markdown,
    /// A JSON value. An array is a list of records, everything else is text.
    Json,
    /// A JSON value on each line.
    JsonLines,
    /// Rows of columns, with the names in the first row. Tabs and semicolons separate as well.
    Csv,
    /// Pages.
    Pdf,
}

/// What an input consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// Running text.
    Text,
    /// Records.
    Records,
    /// Pages.
    Pages,
}

/// An input that is open.
pub struct Input {}

/// The units of an input, in order. Reads as it is asked, and holds no more than a record or a block of 64 KB (of a PDF, the whole file).
pub struct Units {}

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {kind}")]
pub struct InputError {
    /// The file, or `standard input`.
    pub name: String,
    /// Why.
    pub kind: InputErrorKind,
}

/// The reasons.
#[derive(Debug, thiserror::Error)]
pub enum InputErrorKind {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// Its bytes are no text of their encoding.
    #[error("line {line}: {message}")]
    NotText {
        /// The line, one-based.
        line: u64,
        /// What is there.
        message: String,
    },
    /// It is not what it is taken for.
    #[error("{0}")]
    NotThis(String),
}

impl Input {
    /// Opens a file. Without a kind it is told by the name's ending, else by the first bytes.
    ///
    /// # Errors
    /// [`InputError`] where it cannot be opened, is no regular file, or is a PDF that cannot be read.
    pub fn open(_path: &Path, _kind: Option<InputKind>, _encoding: Option<&str>) -> Result<Self, InputError> {
        todo!()
    }

    /// Takes what a reader brings, under a name for messages and prompts.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn from_reader(
        _name: &str,
        _reader: impl Read + Send + 'static,
        _kind: Option<InputKind>,
        _encoding: Option<&str>,
    ) -> Result<Self, InputError> {
        todo!()
    }

    /// The name, as prompts and results show it: the last part of a path.
    pub fn name(&self) -> &str {
        todo!()
    }

    /// What it is.
    pub fn kind(&self) -> InputKind {
        todo!()
    }

    /// What it consists of.
    pub fn content(&self) -> Content {
        todo!()
    }

    /// Its bytes, where they are known beforehand.
    pub fn size(&self) -> Option<u64> {
        todo!()
    }

    /// Its pages, where they are known beforehand.
    pub fn pages(&self) -> Option<u64> {
        todo!()
    }

    /// What it brings.
    pub fn units(self) -> Units {
        todo!()
    }
}

impl Units {
    /// What the user should know: pages without text and the like.
    pub fn notes(&self) -> Vec<String> {
        todo!()
    }

    /// The bytes read so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        todo!()
    }
}

impl Iterator for Units {
    type Item = Result<Unit, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}
