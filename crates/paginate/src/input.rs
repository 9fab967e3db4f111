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
pub struct Input {
    name: String,
    text: String,
    kind: InputKind,
}

/// The units of an input, in order. Reads as it is asked, and holds no more than a record or a block of 64 KB (of a PDF, the whole file).
pub struct Units {
    units: std::vec::IntoIter<Unit>,
    bytes: u64,
}

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
        let bytes = std::fs::read(_path)
            .map_err(|e| InputError { name: _path.display().to_string(), kind: InputErrorKind::Io(e) })?;
        let name = _path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let ending = _path.extension().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let kind = _kind.unwrap_or(match ending.as_str() {
            "jsonl" => InputKind::JsonLines,
            "csv" => InputKind::Csv,
            "md" => InputKind::Markdown,
            _ => InputKind::Text,
        });
        Self::from_reader(&name, std::io::Cursor::new(bytes), Some(kind), _encoding)
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
        let mut text = Vec::new();
        let mut reader = _reader;
        reader
            .read_to_end(&mut text)
            .map_err(|e| InputError { name: _name.to_owned(), kind: InputErrorKind::Io(e) })?;
        Ok(Self {
            name: _name.to_owned(),
            text: String::from_utf8_lossy(&text).into_owned(),
            kind: _kind.unwrap_or(InputKind::Text),
        })
    }

    /// The name, as prompts and results show it: the last part of a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// What it consists of.
    pub fn content(&self) -> Content {
        match self.kind {
            InputKind::JsonLines | InputKind::Csv | InputKind::Json => Content::Records,
            InputKind::Pdf => Content::Pages,
            _ => {
                if self.text.contains('\u{c}') {
                    Content::Pages
                } else {
                    Content::Text
                }
            }
        }
    }

    /// Its bytes, where they are known beforehand.
    pub fn size(&self) -> Option<u64> {
        Some(self.text.len() as u64)
    }

    /// Its pages, where they are known beforehand.
    pub fn pages(&self) -> Option<u64> {
        None
    }

    /// What it brings.
    pub fn units(self) -> Units {
        let content = self.content();
        let bytes = self.text.len() as u64;
        let units: Vec<Unit> = match content {
            Content::Text => vec![Unit::Text(self.text)],
            Content::Records => (1..)
                .zip(self.text.split_inclusive('\n'))
                .map(|(number, text)| Unit::Record { number, text: text.to_owned() })
                .collect(),
            Content::Pages => (1..)
                .zip(self.text.split_inclusive('\u{c}'))
                .map(|(number, text)| Unit::Page { number, text: text.to_owned() })
                .collect(),
        };
        Units { units: units.into_iter(), bytes }
    }
}

impl Units {
    /// What the user should know: pages without text and the like.
    pub fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The bytes read so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

impl Iterator for Units {
    type Item = Result<Unit, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.units.next().map(Ok)
    }
}
