//! From bytes to characters: encodings, line ends, and the files that are no text at all.

use crate::LineNumber;
use std::ops::Range;

/// How the bytes of a source are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, of which ASCII is a part.
    Utf8,
    /// ISO 8859-1: every byte is the character of that number.
    Latin1,
}

impl Encoding {
    /// The name as JSON and `--source-encoding` spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "iso-8859-1",
        }
    }

    /// The encoding of this name, in any case; none when it is not known.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "ascii" | "us-ascii" => Some(Encoding::Utf8),
            "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1" => Some(Encoding::Latin1),
            _ => None,
        }
    }
}

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
    NotEncoded {
        /// The line of the first byte that does not fit.
        line: LineNumber,
        /// That byte.
        byte: u8,
        /// The encoding that was asked for.
        encoding: Encoding,
    },
}

/// The bytes of each line, its end included: LF, CR LF or CR alone, mixed as they come. A last line without an end counts.
pub(crate) fn line_bytes(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::with_capacity(bytes.len() / 40);
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'\n' => at + 1,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => at + 2,
            b'\r' => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        lines.push(start..end);
        start = end;
        at = end;
    }
    if start < bytes.len() {
        lines.push(start..bytes.len());
    }
    lines
}

/// What gives a file away that is no text, or text that this version does not read.
pub(crate) fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 9] = [
        (b"\x7fELF", "an ELF executable"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG", "a PNG picture"),
        (b"MZ\x90", "a Windows executable"),
        (b"SQLite format 3", "an SQLite database"),
        (b"\xff\xfe", "UTF-16 text, which is not read yet; convert it to UTF-8"),
        (b"\xfe\xff", "UTF-16 text, which is not read yet; convert it to UTF-8"),
    ];
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(what);
    }
    let head = &bytes[..bytes.len().min(64 * 1024)];
    if head.len() < 16 {
        return None;
    }
    let share = |wanted: &dyn Fn(u8) -> bool| head.iter().filter(|b| wanted(**b)).count() * 100 / head.len();
    let ebcdic_code =
        |b: u8| b == 0x40 || b == 0x4B || (0xC1..=0xE9).contains(&b) || (0xF0..=0xF9).contains(&b);
    if share(&|b| b == b' ' || b == b'\n') == 0 && share(&ebcdic_code) >= 60 {
        return Some("EBCDIC text, which is not read yet; convert it to UTF-8 or ISO 8859-1");
    }
    let control = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x00);
    if share(&control) >= 5 || share(&|b| b == 0) >= 20 {
        return Some("too many control bytes");
    }
    None
}

/// The encoding to read with, checked against every byte.
pub(crate) fn encoding(bytes: &[u8], asked: Option<Encoding>) -> Result<Encoding, ReadErrorKind> {
    match (asked, std::str::from_utf8(bytes)) {
        (Some(Encoding::Latin1), _) => Ok(Encoding::Latin1),
        (_, Ok(_)) => Ok(Encoding::Utf8),
        (None, Err(_)) => Ok(Encoding::Latin1),
        (Some(Encoding::Utf8), Err(error)) => {
            let at = error.valid_up_to();
            let line = LineNumber::from_index(line_bytes(&bytes[..=at]).len().saturating_sub(1));
            Err(ReadErrorKind::NotEncoded { line, byte: bytes[at], encoding: Encoding::Utf8 })
        }
    }
}

/// Tab stops in columns, as editors and GnuCOBOL set them.
const TAB_STOP: usize = 8;

/// Appends the characters of one line without its end: tabs expanded, control characters as blanks. Says whether a tab was
/// expanded, because such a line is not cut at column 72.
pub(crate) fn push_line(out: &mut String, bytes: &[u8], encoding: Encoding) -> bool {
    let end = bytes.iter().rposition(|b| *b != b'\n' && *b != b'\r').map_or(0, |last| last + 1);
    let bytes = &bytes[..end];
    if bytes.iter().all(|b| (0x20..0x7F).contains(b)) {
        out.push_str(std::str::from_utf8(bytes).expect("printable ASCII is UTF-8"));
        return false;
    }
    let mut column = 0;
    let mut tabbed = false;
    let mut push = |c: char| match c {
        '\t' => {
            tabbed = true;
            let blanks = TAB_STOP - column % TAB_STOP;
            out.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        }
        '\u{FEFF}' if column == 0 => {}
        c if c.is_control() => {
            out.push(' ');
            column += 1;
        }
        c => {
            out.push(c);
            column += 1;
        }
    };
    match (encoding, std::str::from_utf8(bytes)) {
        (Encoding::Utf8, Ok(text)) => text.chars().for_each(&mut push),
        _ => bytes.iter().for_each(|b| push(char::from(*b))),
    }
    tabbed
}
