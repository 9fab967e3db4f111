//! Inputs: bytes of any size, read once from front to back.
//!
//! The concatenated texts of all units are the input as text, except for its byte order mark. Invalid text in its encoding is an error, never
//! replaced; NUL characters are rejected, other control characters (also a 0x1A at the end) are text. An input of blanks only, and an empty JSON
//! array, has no units.

mod decode;
mod format;
mod json_array;
mod pdf;
mod record_boundaries;
mod records;

use crate::external_part::ExternalPart;
use crate::slice::InputUnit;
use decode::{BLOCK, TextBlocks};
use format::is_list_content;
pub use format::{InputContent, InputError, InputErrorKind, InputKind};
use memchr::{memchr, memrchr, memrchr2};
use pdf::PdfReader;
use record_boundaries::RecordSplitter;
use records::RecordAssembler;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// An open input.
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

/// The units of an input, in order. Reads on demand, and buffers at most a record or a block of 64 KB (for a PDF, the whole file). Skips and reports
/// a record above 16 MB ([`InputUnit::OversizedRecord`]); a larger text page comes in several units of one number. Nothing follows an error.
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

/// The maximum buffered bytes of a record or a page.
const LARGEST: usize = 16 << 20;

impl Input {
    /// Opens a file. The default kind depends on the name's extension, else on the first bytes: a PDF, a JSON array, JSON Lines, else text. The
    /// encoding is a name such as `windows-1252`; a byte order mark overrides it, and the default is UTF-8.
    ///
    /// # Errors
    /// [`InputError`] if the file cannot be opened, is not a regular file, or is an unreadable PDF, or if the encoding is unknown.
    pub fn open(path: &Path, kind: Option<InputKind>, encoding: Option<&str>) -> Result<Self, InputError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let failed = |error| InputError { name: path.display().to_string(), kind: InputErrorKind::Io(error) };
        // Opening a pipe would block the run, and a device might have no end.
        let known = std::fs::metadata(path).map_err(failed)?;
        if !known.is_file() {
            return Err(failed(std::io::Error::other("it is no regular file")));
        }
        let file = File::open(path).map_err(failed)?;
        let mut input = Self::new(&name, Box::new(file), kind, encoding)?;
        input.size = Some(known.len());
        Ok(input)
    }

    /// Reads from a reader, under a name for messages and prompts. Reads the first 64 KB at once.
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
            InputKind::Text | InputKind::Markdown if memchr(b'\x0c', first.as_bytes()).is_some() => InputContent::Pages,
            InputKind::Text | InputKind::Markdown => InputContent::Text,
            InputKind::Json if first.trim_start().starts_with('[') => InputContent::Records,
            InputKind::Json => InputContent::Text,
            InputKind::JsonLines | InputKind::Csv => InputContent::Records,
            InputKind::Pdf => InputContent::Pages,
        };
        let source = InputSource::Blocks(Box::new(blocks));
        Ok(Self { name: name.to_owned(), kind, content, size: None, given: None, source })
    }

    /// Marks the input as a part that was cut elsewhere, and labels it so in prompts.
    #[must_use]
    pub fn with_external_part(self, part: ExternalPart) -> Self {
        Self { given: Some(part), ..self }
    }

    /// Returns the external part that this input is, if any.
    pub(crate) fn external_part(&self) -> Option<&ExternalPart> {
        self.given.as_ref()
    }

    /// Returns the name for prompts and results: the last component of a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the format.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// Returns the kind of its units.
    pub fn content(&self) -> InputContent {
        self.content
    }

    /// Returns the size in bytes, if it is known beforehand.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the number of pages, if it is known beforehand.
    pub fn pages(&self) -> Option<u64> {
        match &self.source {
            InputSource::Pdf(pdf) => Some(pdf.pages()),
            InputSource::Blocks(_) => None,
        }
    }

    /// Returns the units.
    pub fn units(self) -> InputUnits {
        let way = match self.source {
            InputSource::Pdf(pdf) => UnitSource::Pdf(pdf),
            InputSource::Blocks(blocks) => match (self.content, self.kind) {
                (InputContent::Text, _) => UnitSource::Text(blocks, String::new()),
                (InputContent::Pages, _) => UnitSource::Pages(blocks, TextPage { number: 1, ..TextPage::default() }),
                (InputContent::Records, kind) => {
                    let split = RecordSplitter::of(kind, blocks.first(), &self.name);
                    UnitSource::Records(blocks, Box::new(RecordAssembler::new(split, LARGEST)))
                }
            },
        };
        InputUnits { name: self.name, way, ready: VecDeque::new(), ended: false }
    }
}

/// Returns the format for a name's extension.
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
    /// Returns notes for the user so far: pages without text, irregular records.
    pub fn notes(&self) -> Vec<String> {
        match &self.way {
            UnitSource::Pdf(pdf) => pdf.notes(),
            UnitSource::Records(_, assembly) => assembly.note().into_iter().collect(),
            UnitSource::Text(..) | UnitSource::Pages(..) => Vec::new(),
        }
    }

    /// Returns the bytes read so far, for progress. For a PDF, in proportion to the pages so far.
    pub fn bytes_read(&self) -> u64 {
        match &self.way {
            UnitSource::Text(blocks, _) | UnitSource::Pages(blocks, _) | UnitSource::Records(blocks, _) => {
                blocks.bytes()
            }
            UnitSource::Pdf(pdf) => pdf.bytes(),
        }
    }

    /// Reads until a unit is ready, or the input ends.
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
                // The text of the line before the broken byte might end in half a word.
                if let UnitSource::Pages(_, paper) = &mut self.way {
                    paper.text.truncate(memrchr2(b'\n', b'\x0c', paper.text.as_bytes()).map_or(0, |at| at + 1));
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

/// Returns whole lines, or whole words of a line longer than a block. The rest stays in `held`.
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
    /// Returns the pages that end in a block.
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

    /// Returns the last page, if there is text after the last form feed.
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
