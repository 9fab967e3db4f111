//! From bytes to characters, and the files that are no text at all.

use crate::ebcdic::{self, CodePage};
use crate::line_breaks::{self, LineSpan, LineStructure};
use crate::{Encoding, LineNumber, format_detection};
use std::fmt;
use std::ops::Range;

/// Why the bytes of a file are no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {kind}")]
pub struct ReadError {
    /// The file's name, as it was handed in.
    pub file: String,
    /// What stands in the way.
    #[source]
    pub kind: ReadErrorKind,
}

/// What stands in the way of reading a file as source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadErrorKind {
    /// The bytes are no text.
    #[error("not a text file: {0}")]
    NotText(&'static str),
    /// The bytes are not what the user said they are.
    #[error("line {line}: byte 0x{byte:02X} is not {}", encoding.as_str())]
    InvalidByte {
        /// The line of the first byte that does not fit.
        line: LineNumber,
        /// That byte.
        byte: u8,
        /// The encoding that was asked for.
        encoding: Encoding,
    },
}

/// What was concluded from the bytes alone, and what a reader should therefore know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadNote {
    /// The text is EBCDIC, and this page the most probable one.
    CodePage(CodePage),
    /// The file has no ends of lines, and is read as records of 80 bytes.
    Records,
}

impl ReadNote {
    /// A word for it, as diagnostics have one.
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
            ReadNote::CodePage(page) => write!(
                f,
                "decoded as IBM EBCDIC code page {}; name another with --source-encoding",
                page.number()
            ),
            ReadNote::Records => {
                write!(
                    f,
                    "read as records of {} bytes, because it has no line ends",
                    line_breaks::RECORD_LENGTH
                )
            }
        }
    }
}

/// How many bytes are looked at to tell text from what is none, and EBCDIC from ASCII.
const HEAD: usize = 64 * 1024;

/// The encoding to read with, checked against every byte.
pub(crate) fn resolve_encoding(bytes: &[u8], asked: Option<Encoding>) -> Result<Encoding, ReadErrorKind> {
    if let Some(what) = foreign(bytes) {
        return Err(ReadErrorKind::NotText(what));
    }
    let head = histogram(&bytes[..bytes.len().min(HEAD)]);
    let encoding = asked.unwrap_or_else(|| guess(bytes, &head));
    if is_binary(&head, encoding) {
        return Err(ReadErrorKind::NotText("too many control bytes"));
    }
    match (first_misfit(bytes, &head, encoding), asked) {
        (None, _) => Ok(encoding),
        // Only ISO 8859-1 takes every byte, and nobody asked for it.
        (Some(_), None) if encoding == Encoding::Utf8 => Ok(Encoding::Latin1),
        (Some(_), None) => Err(ReadErrorKind::NotText("UTF-16 text with broken characters")),
        (Some(at), Some(encoding)) => {
            let lines = line_breaks::split_at_line_ends(&bytes[..=at], encoding).len();
            let line = LineNumber::from_index(lines.saturating_sub(1));
            Err(ReadErrorKind::InvalidByte { line, byte: bytes[at], encoding })
        }
    }
}

/// What gives a file away that is no text.
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

fn histogram(bytes: &[u8]) -> ebcdic::Histogram {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// The encoding that the bytes look like, before each of them is checked.
fn guess(bytes: &[u8], head: &ebcdic::Histogram) -> Encoding {
    if bytes.starts_with(b"\xff\xfe") {
        Encoding::Utf16Le
    } else if bytes.starts_with(b"\xfe\xff") {
        Encoding::Utf16Be
    } else if ebcdic::is_ebcdic(head) {
        // Brackets are rare, so all of the text is asked which page they are in.
        Encoding::Ebcdic(ebcdic::guess_code_page(&histogram(bytes)))
    } else {
        Encoding::Utf8
    }
}

/// Whether so many bytes are control characters that the file is no text.
fn is_binary(head: &ebcdic::Histogram, encoding: Encoding) -> bool {
    let all: usize = head.iter().sum();
    let is_control: fn(u8) -> bool = match encoding {
        // Half of its bytes are control characters to an eye that does not know it.
        Encoding::Utf16Le | Encoding::Utf16Be => return false,
        // Text all the same, though not in the encoding that was asked for.
        Encoding::Ebcdic(_) if ebcdic::is_ascii(head) => return false,
        Encoding::Ebcdic(_) => ebcdic::is_control,
        Encoding::Utf8 | Encoding::Latin1 => {
            |byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x00)
        }
    };
    let controls: usize =
        (0..=u8::MAX).filter(|byte| is_control(*byte)).map(|byte| head[usize::from(byte)]).sum();
    // A text of sixteen bytes is too short to tell.
    all >= 16 && (controls * 100 >= all * 5 || head[0] * 100 >= all * 20)
}

/// The place of the first byte that no text in this encoding has there.
fn first_misfit(bytes: &[u8], head: &ebcdic::Histogram, encoding: Encoding) -> Option<usize> {
    match encoding {
        Encoding::Latin1 => None,
        Encoding::Utf8 => std::str::from_utf8(bytes).err().map(|error| error.valid_up_to()),
        // Every byte is a character of EBCDIC; but a text of ASCII would be a text without a letter.
        Encoding::Ebcdic(_) => {
            let ascii = ebcdic::is_ascii(head);
            ascii.then(|| bytes.iter().position(|byte| matches!(byte, b' ' | b'\n'))).flatten()
        }
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let mut at = 0;
            let broken =
                char::decode_utf16(utf_16_units(bytes, encoding)).find_map(|character| match character {
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
pub(crate) struct DecodedText {
    pub(crate) text: String,
    pub(crate) lines: Vec<DecodedLine>,
    /// Whether the lines are records and not ended by anything.
    pub(crate) is_record_based: bool,
    /// Whether every line is printable ASCII, so that its characters are its bytes.
    pub(crate) is_ascii: bool,
}

/// A line in the characters of its file, without its end.
pub(crate) struct DecodedLine {
    /// Where the next line begins in the bytes.
    pub(crate) bytes_end: usize,
    pub(crate) text: Range<usize>,
    /// Where its bytes begin, without the end of the line.
    pub(crate) bytes_start: usize,
    /// Whether a tab was expanded: such a line is not cut at column 72.
    pub(crate) has_tabs: bool,
}

impl DecodedText {
    /// Decodes a file by its ends of lines, or by records where it has none and its columns are those of COBOL.
    pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> Result<Self, ReadErrorKind> {
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

    fn by(pieces: &[LineSpan], bytes: &[u8], encoding: Encoding, is_record_based: bool) -> Self {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 16);
        let mut lines = Vec::with_capacity(pieces.len());
        let mut is_ascii = matches!(encoding, Encoding::Utf8 | Encoding::Latin1);
        for piece in pieces {
            let start = text.len();
            let content = &bytes[piece.content.clone()];
            is_ascii = is_ascii && is_plain(content);
            let tabbed = push_line(&mut text, content, encoding);
            let bytes_start = piece.content.start;
            lines.push(DecodedLine {
                bytes_end: piece.end,
                text: start..text.len(),
                bytes_start,
                has_tabs: tabbed,
            });
        }
        Self { text, lines, is_record_based, is_ascii }
    }

    /// The lines' characters.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| &self.text[line.text.clone()])
    }
}

/// Appends the characters of one line without its end, and says whether a tab was expanded.
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
            // Broken characters were found before, so none is lost here.
            push_characters(out, char::decode_utf16(utf_16_units(bytes, encoding)).flatten())
        }
        Encoding::Utf8 | Encoding::Latin1 => match std::str::from_utf8(bytes) {
            Ok(text) if encoding == Encoding::Utf8 => push_characters(out, text.chars()),
            _ => push_characters(out, bytes.iter().map(|byte| char::from(*byte))),
        },
    }
}

/// Whether bytes are printable ASCII, as those of nearly every line are. Looking at all of them is quicker than stopping at the first
/// that is not.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & (0x20..0x7F).contains(byte))
}

/// Tab stops in columns, as editors and GnuCOBOL set them.
const TAB_STOP: usize = 8;

/// Appends characters, tabs expanded, other control characters as blanks.
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
            // A byte order mark is no character of the text.
            '\u{FEFF}' if column == 0 => {}
            character => {
                out.push(if character.is_control() { ' ' } else { character });
                column += 1;
            }
        }
    }
    tabbed
}
