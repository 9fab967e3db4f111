//! Decodes bytes to characters and rejects files that are not text.

use crate::columns::CODE_END;
use crate::ebcdic::{self, CodePage};
use crate::line_breaks::{self, LineSpan, LineStructure};
use crate::{Encoding, LineNumber, format_detection};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Why the bytes of a file cannot be read as source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {kind}")]
pub struct ReadError {
    /// The file's name, as the caller passed it.
    pub file: String,
    /// The reason.
    #[source]
    pub kind: ReadErrorKind,
}

/// The reasons why a file cannot be read as source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadErrorKind {
    /// The bytes are not text.
    #[error("not a text file: {0}")]
    NotText(&'static str),
    /// The bytes are not in the encoding that the user named.
    #[error("line {line}: byte 0x{byte:02X} is not {}", encoding.as_str())]
    InvalidByte {
        /// The line of the first invalid byte.
        line: LineNumber,
        /// That byte.
        byte: u8,
        /// The encoding that the user named.
        encoding: Encoding,
    },
}

/// A guess made from the bytes alone, which the reader should know about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadNote {
    /// The text is EBCDIC, and this code page is the most probable one.
    CodePage(CodePage),
    /// The file has no line ends and is read as records of 80 bytes.
    Records,
}

impl ReadNote {
    /// The code of this note in diagnostics.
    pub fn code(self) -> &'static str {
        match self {
            ReadNote::CodePage(_) => "ebcdic",
            ReadNote::Records => "records",
        }
    }
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadNote::CodePage(page) => {
                write!(f, "decoded as IBM EBCDIC code page {}; name another with --source-encoding", page.number())
            }
            ReadNote::Records => {
                write!(f, "read as records of {} bytes, because it has no line ends", line_breaks::RECORD_LENGTH)
            }
        }
    }
}

/// How many bytes are inspected to distinguish text from binary data, and EBCDIC from ASCII.
const HEAD: usize = 64 * 1024;

/// Returns the encoding to read with, after checking every byte against it.
pub(crate) fn resolve_encoding(bytes: &[u8], asked: Option<Encoding>) -> Result<Encoding, ReadErrorKind> {
    if let Some(what) = foreign(bytes) {
        return Err(ReadErrorKind::NotText(what));
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    if asked.is_none() && is_plain_text(bytes) && has_blanks(head) {
        return Ok(Encoding::Utf8);
    }
    let head = histogram(head);
    let encoding = asked.unwrap_or_else(|| guess(bytes, &head));
    if is_binary(&head, encoding) {
        return Err(ReadErrorKind::NotText("too many control bytes"));
    }
    match (first_misfit(bytes, &head, encoding), asked) {
        (None, _) => Ok(encoding),
        // Only ISO 8859-1 accepts every byte, so it is the fallback when the user named no encoding.
        (Some(_), None) if encoding == Encoding::Utf8 => Ok(Encoding::Latin1),
        (Some(_), None) => Err(ReadErrorKind::NotText("UTF-16 text with broken characters")),
        (Some(at), Some(encoding)) => {
            let lines = line_breaks::split_at_line_ends(&bytes[..=at], encoding).len();
            let line = LineNumber::from_index(lines.saturating_sub(1));
            Err(ReadErrorKind::InvalidByte { line, byte: bytes[at], encoding })
        }
    }
}

/// Returns the sign that a file is not text, if it has one.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 7] = [
        (b"\x7fELF", "an ELF executable"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG", "a PNG picture"),
        (b"MZ\x90", "a Windows executable"),
        (b"SQLite format 3", "an SQLite database"),
    ];
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, what)| *what)
}

/// Whether there are so many blanks and line feeds of ASCII that the text is not EBCDIC.
fn has_blanks(bytes: &[u8]) -> bool {
    let mut blanks = bytes.iter().filter(|byte| matches!(byte, b' ' | b'\n'));
    bytes.is_empty() || blanks.nth(bytes.len().div_ceil(100) - 1).is_some()
}

fn histogram(bytes: &[u8]) -> ebcdic::Histogram {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// Guesses the encoding, before each byte is checked.
fn guess(bytes: &[u8], head: &ebcdic::Histogram) -> Encoding {
    if bytes.starts_with(b"\xff\xfe") {
        Encoding::Utf16Le
    } else if bytes.starts_with(b"\xfe\xff") {
        Encoding::Utf16Be
    } else if ebcdic::is_ebcdic(head) {
        // Brackets are rare, so the whole text is counted to find their code page.
        Encoding::Ebcdic(ebcdic::guess_code_page(&histogram(bytes)))
    } else {
        Encoding::Utf8
    }
}

/// Whether the file contains too many control characters to be text.
fn is_binary(head: &ebcdic::Histogram, encoding: Encoding) -> bool {
    let all: usize = head.iter().sum();
    let is_control: fn(u8) -> bool = match encoding {
        // Half of the bytes of UTF-16 look like control characters.
        Encoding::Utf16Le | Encoding::Utf16Be => return false,
        // The file is text, though not in the encoding that the user named.
        Encoding::Ebcdic(_) if ebcdic::is_ascii(head) => return false,
        Encoding::Ebcdic(_) => ebcdic::is_control,
        Encoding::Utf8 | Encoding::Latin1 => {
            |byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x00)
        }
    };
    let controls: usize = (0..=u8::MAX).filter(|byte| is_control(*byte)).map(|byte| head[usize::from(byte)]).sum();
    // A text under sixteen bytes is too short to judge.
    all >= 16 && (controls * 100 >= all * 5 || head[0] * 100 >= all * 20)
}

/// Returns the offset of the first byte that is invalid in this encoding.
fn first_misfit(bytes: &[u8], head: &ebcdic::Histogram, encoding: Encoding) -> Option<usize> {
    match encoding {
        Encoding::Latin1 => None,
        Encoding::Utf8 => std::str::from_utf8(bytes).err().map(|error| error.valid_up_to()),
        // Every byte is a valid EBCDIC character, but ASCII text read as EBCDIC would contain no letters.
        Encoding::Ebcdic(_) => {
            let ascii = ebcdic::is_ascii(head);
            ascii.then(|| bytes.iter().position(|byte| matches!(byte, b' ' | b'\n'))).flatten()
        }
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let mut at = 0;
            let broken = char::decode_utf16(utf_16_units(bytes, encoding)).find_map(|character| match character {
                Ok(character) => {
                    at += 2 * character.len_utf16();
                    None
                }
                Err(_) => Some(at),
            });
            broken.or((bytes.len() % 2 == 1).then(|| bytes.len() - 1))
        }
    }
}

fn utf_16_units(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = u16> {
    let unit = if encoding == Encoding::Utf16Le { u16::from_le_bytes } else { u16::from_be_bytes };
    bytes.chunks_exact(2).map(move |pair| unit([pair[0], pair[1]]))
}

/// The characters of a file, line by line.
pub(crate) struct DecodedText<'a> {
    /// Nearly all sources are plain ASCII, whose characters are the bytes.
    pub(crate) text: Cow<'a, str>,
    pub(crate) lines: Vec<DecodedLine>,
    /// Whether the lines are records without line ends.
    pub(crate) is_record_based: bool,
}

/// A line's place in the characters of its file, without its end.
pub(crate) struct DecodedLine {
    /// Where the next line begins in the bytes.
    pub(crate) bytes_end: usize,
    pub(crate) text: Range<usize>,
    /// Whether a tab was expanded. Such a line is not cut at column 72.
    pub(crate) has_tabs: bool,
}

impl<'a> DecodedText<'a> {
    /// Decodes a file by its line ends, or by records if it has no line ends and its columns are those of COBOL.
    pub(crate) fn decode(bytes: &'a [u8], encoding: Encoding) -> Result<Self, ReadErrorKind> {
        let by_ends = line_breaks::split_at_line_ends(bytes, encoding);
        let shape = line_breaks::line_structure(bytes, &by_ends, encoding);
        if shape != LineStructure::Lines {
            let records = Self::by(&line_breaks::split_records(bytes, &by_ends), bytes, encoding, true);
            if shape == LineStructure::Records || format_detection::has_fixed_columns(records.texts()) {
                return Ok(records);
            }
            let endless = by_ends.iter().all(|piece| piece.content.end == piece.end);
            if endless && matches!(encoding, Encoding::Ebcdic(_)) {
                let what = "EBCDIC text that has neither line ends nor records of 80 bytes";
                return Err(ReadErrorKind::NotText(what));
            }
        }
        Ok(Self::by(&by_ends, bytes, encoding, false))
    }

    fn by(pieces: &[LineSpan], bytes: &'a [u8], encoding: Encoding, is_record_based: bool) -> Self {
        if matches!(encoding, Encoding::Utf8 | Encoding::Latin1) && is_plain_text(bytes) {
            let text = Cow::Borrowed(std::str::from_utf8(bytes).expect("printable ASCII is UTF-8"));
            let line =
                |piece: &LineSpan| DecodedLine { bytes_end: piece.end, text: piece.content.clone(), has_tabs: false };
            return Self { text, lines: pieces.iter().map(line).collect(), is_record_based };
        }
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 16);
        let mut lines = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let start = text.len();
            let has_tabs = push_line(&mut text, &bytes[piece.content.clone()], encoding);
            lines.push(DecodedLine { bytes_end: piece.end, text: start..text.len(), has_tabs });
        }
        Self { text: Cow::Owned(text), lines, is_record_based }
    }

    /// The lines' characters; of lines with tabs, which no format cuts, those up to column 72.
    pub(crate) fn cut_texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.lines.iter().map(|line| {
            let text = &self.text[line.text.clone()];
            let end = if line.has_tabs { text.char_indices().nth(CODE_END).map(|(at, _)| at) } else { None };
            &text[..end.unwrap_or(text.len())]
        })
    }

    /// The lines' characters.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| &self.text[line.text.clone()])
    }
}

/// Appends the characters of one line without its end. Returns whether a tab was expanded.
fn push_line(out: &mut String, bytes: &[u8], encoding: Encoding) -> bool {
    match encoding {
        Encoding::Utf8 | Encoding::Latin1 if is_plain(bytes) => {
            out.push_str(std::str::from_utf8(bytes).expect("printable ASCII is UTF-8"));
            false
        }
        Encoding::Ebcdic(page) => {
            let characters = page.characters();
            push_characters(out, bytes.iter().map(|byte| characters[usize::from(*byte)]))
        }
        Encoding::Utf16Le | Encoding::Utf16Be => {
            // Invalid characters were rejected before, so none is lost here.
            push_characters(out, char::decode_utf16(utf_16_units(bytes, encoding)).flatten())
        }
        Encoding::Utf8 | Encoding::Latin1 => match std::str::from_utf8(bytes) {
            Ok(text) if encoding == Encoding::Utf8 => push_characters(out, text.chars()),
            _ => push_characters(out, bytes.iter().map(|byte| char::from(*byte))),
        },
    }
}

/// Whether bytes are printable ASCII, as in nearly every line. Checking all of them is faster than stopping at the first that is not.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & (0x20..0x7F).contains(byte))
}

/// Whether all lines are plain, and the bytes between them line ends.
fn is_plain_text(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & ((0x20..0x7F).contains(byte) | matches!(byte, b'\n' | b'\r')))
}

/// Tab stops in columns, as editors and GnuCOBOL set them.
const TAB_STOP: usize = 8;

/// Appends characters. Tabs are expanded; other control characters become blanks.
fn push_characters(out: &mut String, characters: impl Iterator<Item = char>) -> bool {
    let mut column = 0;
    let mut tabbed = false;
    for character in characters {
        match character {
            '\t' => {
                tabbed = true;
                let blanks = TAB_STOP - column % TAB_STOP;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            // A byte order mark is not part of the text.
            '\u{FEFF}' if column == 0 => {}
            character => {
                out.push(if character.is_control() { ' ' } else { character });
                column += 1;
            }
        }
    }
    tabbed
}
