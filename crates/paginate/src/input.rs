//! Inputs: bytes of any size, read once from front to back.
//!
//! The texts of all units, put together in order, are the input as text: its byte order mark left out, and nothing else. What is no text in its encoding is an error
//! and never replaced; NUL characters are refused, other control characters (a 0x1A at the end as well) are text. An input of blanks alone, and a JSON array without
//! elements, has no units.

mod decode;
mod json_array;
mod pdf;
mod record_boundaries;
mod records;

use crate::external_part::ExternalPart;
use crate::merge::InputLocation;
use crate::slice::{InputUnit, is_list_content};
use decode::{BLOCK, TextBlocks};
use memchr::{memchr, memrchr, memrchr2};
use pdf::PdfReader;
use record_boundaries::RecordSplitter;
use records::RecordAssembler;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Running text. Where there is a form feed in the first 64 KB, form feeds end pages; one that comes later only is text.
    Text,
    /// Markdown: as text.
    Markdown,
    /// A JSON value. An array is a list of records, everything else is text. What stands between elements goes with the one before, the brackets with the first and
    /// the last one.
    Json,
    /// A JSON value on each line. Blanks between them go with the one before.
    JsonLines,
    /// Rows of columns, with the names in the first row. Commas, semicolons or tabs separate, whichever is most frequent in the first row. Quoted line ends do not end
    /// a row.
    Csv,
    /// Pages.
    Pdf,
}

/// What an input consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputContent {
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
    kind: InputKind,
    content: InputContent,
    size: Option<u64>,
    given: Option<ExternalPart>,
    source: InputSource,
}

enum InputSource {
    Blocks(Box<TextBlocks>),
    Pdf(Box<PdfReader>),
}

/// The units of an input, in order. Reads as it is asked, and holds no more than a record or a block of 64 KB (of a PDF, the whole file). A record above 16 MB is
/// passed over, and told as [`InputUnit::OversizedRecord`]; a page above that of a text comes in several units of the same number. Behind an error there is nothing more.
pub struct InputUnits {
    name: String,
    way: UnitSource,
    ready: VecDeque<Result<InputUnit, InputErrorKind>>,
    ended: bool,
}

enum UnitSource {
    /// With the line that has not ended yet.
    Text(Box<TextBlocks>, String),
    Pages(Box<TextBlocks>, TextPage),
    Records(Box<TextBlocks>, Box<RecordAssembler>),
    Pdf(Box<PdfReader>),
}

/// A page of a text that is being read.
#[derive(Default)]
struct TextPage {
    number: u64,
    text: String,
}

/// The most that is held of a record or a page, in bytes.
const LARGEST: usize = 16 << 20;

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
    WrongFormat(String),
    /// It is a PDF that asks for a password.
    #[error("the PDF is encrypted, and asks for a password")]
    Encrypted,
    /// It is, up to a record that is not.
    #[error("{message}")]
    Broken {
        /// The record, one-based; none in what stands before the first one.
        record: Option<u64>,
        /// The line, one-based, where it is known.
        line: Option<u64>,
        /// Where and what, in words.
        message: String,
    },
}

impl InputErrorKind {
    /// Where the input breaks off, as far as that is known.
    pub fn place(&self) -> InputLocation {
        let one = |number: u64| (number, number);
        match self {
            Self::Io(_) | Self::WrongFormat(_) | Self::Encrypted => InputLocation::default(),
            Self::NotText { line, .. } => {
                InputLocation { lines: Some(one(*line)), ..InputLocation::default() }
            }
            Self::Broken { record, line, .. } => {
                InputLocation { records: record.map(one), lines: line.map(one), ..InputLocation::default() }
            }
        }
    }
}

impl Input {
    /// Opens a file. Without a kind it is told by the name's ending, else by the first bytes: a PDF, a JSON array, JSON Lines, else text. The encoding is a
    /// name such as `windows-1252`; a byte order mark says more than the name, and without either it is UTF-8.
    ///
    /// # Errors
    /// [`InputError`] where it cannot be opened, is no regular file, or is a PDF that cannot be read; where there is no encoding of that name.
    pub fn open(path: &Path, kind: Option<InputKind>, encoding: Option<&str>) -> Result<Self, InputError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let failed = |error| InputError { name: path.display().to_string(), kind: InputErrorKind::Io(error) };
        // A pipe would keep the run waiting already when it is opened, and a device might have no end.
        let known = std::fs::metadata(path).map_err(failed)?;
        if !known.is_file() {
            return Err(failed(std::io::Error::other("it is no regular file")));
        }
        let file = File::open(path).map_err(failed)?;
        let mut input = Self::new(&name, Box::new(file), kind, encoding)?;
        input.size = Some(known.len());
        Ok(input)
    }

    /// Takes what a reader brings, under a name for messages and prompts. Reads its first 64 KB at once.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        kind: Option<InputKind>,
        encoding: Option<&str>,
    ) -> Result<Self, InputError> {
        Self::new(name, Box::new(reader), kind, encoding)
    }

    fn new(
        name: &str,
        mut reader: Box<dyn Read + Send>,
        kind: Option<InputKind>,
        encoding: Option<&str>,
    ) -> Result<Self, InputError> {
        let failed = |kind| InputError { name: name.to_owned(), kind };
        let mut head = Vec::new();
        let reading = reader.by_ref().take(BLOCK as u64).read_to_end(&mut head);
        reading.map_err(|error| failed(InputErrorKind::Io(error)))?;
        let is_pdf = || head[..head.len().min(1024)].windows(5).any(|bytes| bytes == b"%PDF-");
        let kind = kind.or_else(|| by_ending(name)).or_else(|| is_pdf().then_some(InputKind::Pdf));
        if kind == Some(InputKind::Pdf) {
            let pdf = PdfReader::read(head, reader).map_err(failed)?;
            let source = InputSource::Pdf(Box::new(pdf));
            let (kind, content) = (InputKind::Pdf, InputContent::Pages);
            return Ok(Self { name: name.to_owned(), kind, content, size: None, given: None, source });
        }
        let blocks = TextBlocks::new(head, reader, encoding).map_err(failed)?;
        let first = blocks.first();
        let kind = kind.unwrap_or_else(|| match is_list_content(first) {
            true if first.trim_start().starts_with('[') && !is_lines_of_arrays(first) => InputKind::Json,
            true => InputKind::JsonLines,
            false => InputKind::Text,
        });
        let content = match kind {
            InputKind::Text | InputKind::Markdown if memchr(b'\x0c', first.as_bytes()).is_some() => {
                InputContent::Pages
            }
            InputKind::Text | InputKind::Markdown => InputContent::Text,
            InputKind::Json if first.trim_start().starts_with('[') => InputContent::Records,
            InputKind::Json => InputContent::Text,
            InputKind::JsonLines | InputKind::Csv => InputContent::Records,
            InputKind::Pdf => InputContent::Pages,
        };
        let source = InputSource::Blocks(Box::new(blocks));
        Ok(Self { name: name.to_owned(), kind, content, size: None, given: None, source })
    }

    /// The same as a part that somebody else has cut from an input, and told as that in prompts.
    #[must_use]
    pub fn with_external_part(self, part: ExternalPart) -> Self {
        Self { given: Some(part), ..self }
    }

    /// Which part of another input it is, where it is one.
    pub(crate) fn external_part(&self) -> Option<&ExternalPart> {
        self.given.as_ref()
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
    pub fn content(&self) -> InputContent {
        self.content
    }

    /// Its bytes, where they are known beforehand.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Its pages, where they are known beforehand.
    pub fn pages(&self) -> Option<u64> {
        match &self.source {
            InputSource::Pdf(pdf) => Some(pdf.pages()),
            InputSource::Blocks(_) => None,
        }
    }

    /// What it brings.
    pub fn units(self) -> InputUnits {
        let way = match self.source {
            InputSource::Pdf(pdf) => UnitSource::Pdf(pdf),
            InputSource::Blocks(blocks) => match (self.content, self.kind) {
                (InputContent::Text, _) => UnitSource::Text(blocks, String::new()),
                (InputContent::Pages, _) => {
                    UnitSource::Pages(blocks, TextPage { number: 1, ..TextPage::default() })
                }
                (InputContent::Records, kind) => {
                    let split = RecordSplitter::of(kind, blocks.first(), &self.name);
                    UnitSource::Records(blocks, Box::new(RecordAssembler::new(split, LARGEST)))
                }
            },
        };
        InputUnits { name: self.name, way, ready: VecDeque::new(), ended: false }
    }
}

/// What the ending of a name says.
fn by_ending(name: &str) -> Option<InputKind> {
    let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "txt" | "log" => InputKind::Text,
        "md" => InputKind::Markdown,
        "json" => InputKind::Json,
        "jsonl" | "ndjson" => InputKind::JsonLines,
        "csv" | "tsv" => InputKind::Csv,
        "pdf" => InputKind::Pdf,
        _ => return None,
    })
}

/// Whether lines begin and end with brackets: JSON Lines of arrays, not one array.
fn is_lines_of_arrays(first: &str) -> bool {
    let mut lines = first.lines().map(str::trim).filter(|line| !line.is_empty()).take(2);
    let whole = |line: &str| line.starts_with('[') && line.ends_with(']');
    lines.next().is_some_and(whole) && lines.next().is_some_and(|line| line.starts_with('['))
}

impl InputUnits {
    /// What the user should know so far: pages without text, records that are not like the others.
    pub fn notes(&self) -> Vec<String> {
        match &self.way {
            UnitSource::Pdf(pdf) => pdf.notes(),
            UnitSource::Records(_, assembly) => assembly.note().into_iter().collect(),
            UnitSource::Text(..) | UnitSource::Pages(..) => Vec::new(),
        }
    }

    /// The bytes read so far, for progress. Of a PDF, the share of its bytes that its pages so far have of all pages.
    pub fn bytes_read(&self) -> u64 {
        match &self.way {
            UnitSource::Text(blocks, _) | UnitSource::Pages(blocks, _) | UnitSource::Records(blocks, _) => {
                blocks.bytes()
            }
            UnitSource::Pdf(pdf) => pdf.bytes(),
        }
    }

    /// Reads on until a unit is ready, or all has been read.
    fn fill(&mut self) {
        let block = match &mut self.way {
            UnitSource::Pdf(pdf) => {
                self.ready.extend(pdf.next_page().map(Ok));
                self.ended = self.ready.is_empty();
                return;
            }
            UnitSource::Text(blocks, _) | UnitSource::Pages(blocks, _) | UnitSource::Records(blocks, _) => {
                blocks.next()
            }
        };
        let block = match block {
            None => None,
            Some(Ok(block)) => Some(block),
            Some(Err(error)) => {
                // What the line with the broken byte begins with might be half a word.
                if let UnitSource::Pages(_, paper) = &mut self.way {
                    paper
                        .text
                        .truncate(memrchr2(b'\n', b'\x0c', paper.text.as_bytes()).map_or(0, |at| at + 1));
                    self.ready.extend(paper.end().map(Ok));
                }
                self.ready.push_back(Err(error));
                self.ended = true;
                return;
            }
        };
        self.ended = block.is_none();
        match &mut self.way {
            UnitSource::Text(_, held) => {
                let text = match block {
                    Some(block) => whole_lines(held, &block),
                    None => std::mem::take(held),
                };
                self.ready.extend((!text.is_empty()).then_some(Ok(InputUnit::Text(text))));
            }
            UnitSource::Pages(_, paper) => match block {
                Some(block) => self.ready.extend(paper.take(&block).into_iter().map(Ok)),
                None => self.ready.extend(paper.end().map(Ok)),
            },
            UnitSource::Records(_, assembly) => {
                let done = match block {
                    Some(block) => assembly.push_block(&block, &mut self.ready),
                    None => assembly.finish(&mut self.ready),
                };
                if let Err(error) = done {
                    self.ready.push_back(Err(error));
                    self.ended = true;
                }
            }
            UnitSource::Pdf(_) => {}
        }
    }
}

/// What of a text is whole: lines, or of a line that is longer than a block, words. The rest is held.
fn whole_lines(held: &mut String, block: &str) -> String {
    held.push_str(block);
    let end = memrchr(b'\n', held.as_bytes());
    let end = match end {
        None if held.len() >= BLOCK => memrchr(b' ', held.as_bytes()).or(Some(held.len() - 1)),
        end => end,
    };
    let rest = held.split_off(end.map_or(0, |at| at + 1));
    std::mem::replace(held, rest)
}

impl TextPage {
    /// The pages that end in a block.
    fn take(&mut self, block: &str) -> Vec<InputUnit> {
        let mut pages = Vec::new();
        for stretch in block.split_inclusive('\x0c') {
            self.text.push_str(stretch);
            let ends = stretch.ends_with('\x0c');
            if ends || self.text.len() > LARGEST {
                pages.push(InputUnit::Page { number: self.number, text: std::mem::take(&mut self.text) });
                self.number += u64::from(ends);
            }
        }
        pages
    }

    /// The last page, where anything stands behind the last form feed.
    fn end(&mut self) -> Option<InputUnit> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then_some(InputUnit::Page { number: self.number, text })
    }
}

impl Iterator for InputUnits {
    type Item = Result<InputUnit, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            self.fill();
        }
        let unit = self.ready.pop_front()?;
        Some(unit.map_err(|kind| InputError { name: self.name.clone(), kind }))
    }
}
