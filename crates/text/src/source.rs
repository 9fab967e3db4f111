//! A source file as lines with columns, with its raw bytes.

mod line;

use crate::columns::{CODE_END, INDICATOR_COLUMN, byte_of_column, shown, without_trailing_blanks};
use crate::decode::{self, DecodedText, ReadError, ReadNote};
use crate::format_detection::{self, FormatDirective, SourceFormat};
use crate::identification::IdentificationAreas;
use crate::{ContentHash, Encoding, LineNumber, LineRange};
pub use line::SourceLine;
use line::is_fixed_comment;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// What the user specifies about a source instead of having it detected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The reference format; `None` detects it and follows directives that change it inside a file.
    pub format: Option<SourceFormat>,
    /// The encoding; `None` detects EBCDIC and UTF-16, then reads UTF-8 if all bytes are valid UTF-8, else ISO 8859-1.
    pub encoding: Option<Encoding>,
}

/// A decoded source file.
#[derive(Debug, Clone)]
pub struct SourceText {
    name: String,
    /// The raw bytes; `None` if they equal the text.
    bytes: Option<Vec<u8>>,
    /// The characters of all lines, at the places in [`LineData::text`].
    text: String,
    lines: Vec<LineData>,
    format: SourceFormat,
    encoding: Encoding,
    notes: Vec<ReadNote>,
    hash: ContentHash,
    /// The hashes of lines longer than [`LONG`], computed when the first of them is requested.
    long_lines: OnceLock<HashMap<LineNumber, ContentHash>>,
}

/// The longest line, in bytes, whose hash is recomputed at each request. A line with all paragraphs of a file on it would be
/// hashed once for each of them.
const LONG: usize = 1024;

#[derive(Debug, Clone)]
struct LineData {
    bytes_end: usize,
    text: Range<usize>,
    shown: Range<usize>,
    format: SourceFormat,
}

/// A span of characters in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpan {
    /// The line.
    pub line: LineNumber,
    /// Columns of [`SourceLine::text`], one-based, end excluded.
    pub columns: Range<u32>,
}

/// The replacement for a masked character.
const MASK: char = 'X';

impl SourceText {
    /// Decodes a file.
    ///
    /// # Errors
    /// [`ReadError`] when the bytes are not text, or not in the requested encoding.
    pub fn read(name: impl Into<String>, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self, ReadError> {
        let name = name.into();
        let fail = |kind| ReadError { file: name.clone(), kind };
        let encoding = decode::resolve_encoding(&bytes, options.encoding).map_err(fail)?;
        let decoded = DecodedText::decode(&bytes, encoding).map_err(fail)?;
        let mut notes = Vec::new();
        if let (None, Encoding::Ebcdic(page)) = (options.encoding, encoding) {
            notes.push(ReadNote::CodePage(page));
        }
        if decoded.is_record_based {
            notes.push(ReadNote::Records);
        }
        let may_switch = options.format.is_none() && format_detection::may_set_format(&decoded.text);
        let mut current = options
            .format
            .map_or_else(|| format_detection::detect_format(decoded.cut_texts(), may_switch), FormatDirective::of);
        // Column 1 has indicators in the whole file or nowhere.
        let is_terminal = options.format.is_none() && decoded.texts().any(format_detection::has_indicator_in_column_1);
        let first = current.format;
        let hash = ContentHash::of(&bytes);
        let DecodedText { text, lines: spans, .. } = decoded;
        let converted = match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        let (text, bytes) = match converted {
            // What equals its bytes is stored once.
            None => (String::from_utf8(bytes).expect("printable ASCII is UTF-8"), None),
            Some(text) => (text, Some(bytes)),
        };
        let mut lines = Vec::with_capacity(spans.len());
        for decoded in spans {
            let range = decoded.text;
            let line = &text[range.clone()];
            let asked = may_switch.then(|| format_detection::parse_directive(line)).flatten();
            // A directive that starts in the sequence area is shown whole.
            let whole = asked.is_some() && line.find(|c: char| c != ' ').is_some_and(|at| at < INDICATOR_COLUMN);
            let own = match current.format {
                _ if whole => SourceFormat::Free,
                SourceFormat::Free if is_terminal => SourceFormat::Terminal,
                SourceFormat::Fixed if is_terminal && format_detection::is_terminal_line_of_fixed(line) => {
                    SourceFormat::Terminal
                }
                format => format,
            };
            let shown = shown(line, own, decoded.has_tabs || current.is_variable);
            let shown = range.start + shown.start..range.start + shown.end;
            lines.push(LineData { bytes_end: decoded.bytes_end, text: range, shown, format: own });
            current = asked.unwrap_or(current);
        }
        show_whole_comments(&text, &mut lines);
        let fixed = lines.iter().filter(|line| line.format == SourceFormat::Fixed).count();
        let free =
            if is_terminal || first == SourceFormat::Terminal { SourceFormat::Terminal } else { SourceFormat::Free };
        let first = if first == SourceFormat::Fixed { first } else { free };
        let format = match lines.len().cmp(&(fixed * 2)) {
            Ordering::Greater => free,
            Ordering::Less => SourceFormat::Fixed,
            Ordering::Equal => first,
        };
        let long_lines = OnceLock::new();
        Ok(Self { name, bytes, text, lines, format, encoding, notes, hash, long_lines })
    }

    /// Returns the file's name as the caller passed it: relative, and independent of the estate's location.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the reference format of most lines of the file.
    pub fn format(&self) -> SourceFormat {
        self.format
    }

    /// Returns the encoding that the bytes were read with.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the guesses made from the bytes alone, which may be wrong.
    pub fn notes(&self) -> &[ReadNote] {
        &self.notes
    }

    /// Returns the hash of the whole file's bytes.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Returns the raw bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// Returns the characters of all lines, in order, with or without the line ends between them.
    pub fn characters(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines; 0 only for an empty file.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns all lines as one range, or none for an empty file.
    pub fn line_range(&self) -> Option<LineRange> {
        LineRange::from_indices(0..self.lines.len())
    }

    /// Returns the lines in order.
    pub fn lines(&self) -> impl Iterator<Item = SourceLine<'_>> + Clone {
        (0..self.lines.len()).map(|index| SourceLine { source: self, index })
    }

    /// Returns one line, or none past the end.
    pub fn line(&self, line: LineNumber) -> Option<SourceLine<'_>> {
        (line.index() < self.lines.len()).then_some(SourceLine { source: self, index: line.index() })
    }

    /// Returns the lines of a range, as far as the file has them.
    pub fn lines_in(&self, range: LineRange) -> impl Iterator<Item = SourceLine<'_>> + Clone {
        let indices = range.indices();
        (indices.start..indices.end.min(self.lines.len())).map(|index| SourceLine { source: self, index })
    }

    /// Returns the raw bytes of a range with line ends, as far as the file has them. Ranges that tile the file yield the whole file.
    pub fn raw_bytes(&self, range: LineRange) -> &[u8] {
        let indices = range.indices();
        let start = indices.start.checked_sub(1).map_or(0, |before| self.end_of(before));
        &self.bytes()[start..self.end_of(indices.end - 1)]
    }

    /// Hashes the lines as shown, with masks. Sequence numbers and identification areas do not affect the hash.
    pub fn hash_lines(&self, range: LineRange) -> ContentHash {
        let of = |range| ContentHash::of_lines(self.lines_in(range).map(|line| line.visible()));
        let is_long = |line: &SourceLine<'_>| line.visible().len() > LONG;
        if range.count() > 1 || !self.line(range.start()).as_ref().is_some_and(is_long) {
            return of(range);
        }
        let known = self.long_lines.get_or_init(|| {
            let long = self.lines().filter(is_long).map(|line| line.number());
            long.map(|number| (number, of(LineRange::single(number)))).collect()
        });
        known[&range.start()]
    }

    /// Masks these spans: each character becomes an `X`, so columns do not move. Every reader of lines sees the mask, and
    /// [`hash_lines`](Self::hash_lines) hashes the masked lines. The name, the raw bytes, their hash and the number of lines do not change.
    /// Parts of a span outside a line are ignored.
    pub fn masked(mut self, stretches: &[ColumnSpan]) -> Self {
        if stretches.is_empty() {
            return self;
        }
        let mut stretches: Vec<&ColumnSpan> = stretches.iter().collect();
        stretches.sort_by_key(|stretch| (stretch.line, stretch.columns.start));
        let mut stretches = stretches.into_iter().peekable();
        let mut text = String::with_capacity(self.text.len());
        for (index, line) in self.lines.iter_mut().enumerate() {
            let number = LineNumber::from_index(index);
            let before = &self.text[line.text.clone()];
            let start = text.len();
            // Where the shown part begins and ends in the new text.
            let mut shown = start + line.shown.start - line.text.start..start + line.shown.end - line.text.start;
            if stretches.peek().is_none_or(|stretch| stretch.line != number) {
                text.push_str(before);
            } else {
                let (from, to) = (line.shown.start - line.text.start, line.shown.end - line.text.start);
                // The columns that the spans seen so far mask.
                let mut covered = 1..1;
                for (column, (at, character)) in (1..).zip(before.char_indices()) {
                    while let Some(next) = stretches.next_if(|next| next.line == number && next.columns.start <= column)
                    {
                        covered = column..next.columns.end.max(covered.end);
                    }
                    shown.start = if at == from { text.len() } else { shown.start };
                    shown.end = if at == to { text.len() } else { shown.end };
                    text.push(if covered.contains(&column) { MASK } else { character });
                }
                shown.start = if from == before.len() { text.len() } else { shown.start };
                shown.end = if to == before.len() { text.len() } else { shown.end };
                while stretches.next_if(|next| next.line == number).is_some() {}
            }
            line.text = start..text.len();
            line.shown = shown;
        }
        self.long_lines.take();
        let before = std::mem::replace(&mut self.text, text);
        self.bytes.get_or_insert_with(|| before.into_bytes());
        self
    }

    fn end_of(&self, index: usize) -> usize {
        self.lines.get(index).map_or(self.bytes().len(), |line| line.bytes_end)
    }
}

/// Shows the fixed-format comments whose text goes on behind column 72 to their end.
fn show_whole_comments(text: &str, lines: &mut [LineData]) {
    let is_cut = |line: &LineData| {
        let whole = &text[line.text.clone()];
        let end = byte_of_column(whole, CODE_END);
        let is_fixed = line.format == SourceFormat::Fixed && end < whole.len();
        is_fixed && line.shown.end <= line.text.start + end && is_fixed_comment(&text[line.shown.clone()])
    };
    if !lines.iter().any(is_cut) {
        return;
    }
    let code =
        lines.iter().filter(|line| line.format == SourceFormat::Fixed && !is_fixed_comment(&text[line.shown.clone()]));
    let areas = IdentificationAreas::of(code.map(|line| &text[line.text.clone()]));
    for line in lines.iter_mut().filter(|line| is_cut(line)) {
        let whole = &text[line.text.clone()];
        if areas.is_passed_by(whole) {
            line.shown.end = line.text.start + without_trailing_blanks(whole).len();
        }
    }
}

/// Returns the member name: the file name without folders and extension.
pub fn member_name(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadErrorKind;

    fn read(bytes: &[u8]) -> SourceText {
        SourceText::read("T.cbl", bytes.to_vec(), &ReadOptions::default()).unwrap()
    }

    fn shown(bytes: &[u8]) -> Vec<String> {
        read(bytes).lines().map(|line| line.visible().to_owned()).collect()
    }

    #[test]
    fn columns_outside_7_to_72_are_not_shown_and_do_not_change_a_hash() {
        let plain = format!("       {:<65}\n", "MOVE A TO B.");
        let numbered = format!("000100 {:<65}OLDTAG01 and more\n", "MOVE A TO B.");
        assert_eq!(shown(plain.as_bytes()), shown(numbered.as_bytes()));
        let all = LineRange::single(LineNumber::FIRST);
        assert_eq!(read(plain.as_bytes()).hash_lines(all), read(numbered.as_bytes()).hash_lines(all));
        assert_eq!(shown(b"007200\n      \n"), ["", ""]);
        let fixed = b"       A.\n      * B\n-INC REC\n-INCLU EC\n";
        assert_eq!(shown(fixed), [" A.", "* B", "-INC REC", " EC"]);
    }

    #[test]
    fn a_comment_is_shown_to_its_end() {
        let line = |text: &str, behind: &str| format!("{text:<72}{behind}\n");
        let text = "      * Without a value, the text is read as it would be if it were SJIS";
        let source = format!("{}{}", line("       A.", ""), line(text, " default."));
        assert_eq!(shown(source.as_bytes())[1], format!("{} default.", &text[6..]));
        let numbered = format!("{}{}", line("       A.", "00000100"), line(text, "00000200"));
        assert_eq!(shown(numbered.as_bytes())[1], &text[6..]);
    }

    #[track_caller]
    fn check_format(text: &str, format: SourceFormat, lines: &[(char, &str)]) {
        let source = read(text.as_bytes());
        let found: Vec<(char, &str)> = source.lines().map(|line| (line.indicator(), line.code())).collect();
        assert_eq!((source.format(), found.as_slice()), (format, lines), "{text}");
    }

    #[test]
    fn terminal_format_has_indicators_in_column_1() {
        check_format(
            "?SEARCH =TALLIB\n* pays\n IDENTIFICATION DIVISION.\n*> no\n/\nA.\n    MOVE 'A\n-'B' TO C\nD   DISPLAY A\n\\D  DISPLAY B\n$SET X\n**\nD.",
            SourceFormat::Terminal,
            &[
                ('?', "SEARCH =TALLIB"),
                ('*', " pays"),
                (' ', " IDENTIFICATION DIVISION."),
                (' ', "*> no"),
                ('/', ""),
                (' ', "A."),
                (' ', "    MOVE 'A"),
                ('-', "'B' TO C"),
                ('D', "   DISPLAY A"),
                ('D', "  DISPLAY B"),
                ('$', "SET X"),
                ('*', "*"),
                (' ', "D."),
            ],
        );
        // Nothing but comments shows the format.
        check_format("* a\n*\n copy \"b\".", SourceFormat::Terminal, &[('*', " a"), ('*', ""), (' ', " copy \"b\".")]);
        // A product that goes on in a line of its own is indented.
        check_format(
            "*> a\ncompute c = a\n * b\n-1.",
            SourceFormat::Free,
            &[(' ', "*> a"), (' ', "compute c = a"), (' ', " * b"), (' ', "-1.")],
        );
        check_format(
            "      $SET SOURCEFORMAT\"FREE\"\n* a\nmove a to b.",
            SourceFormat::Terminal,
            &[(' ', "      $SET SOURCEFORMAT\"FREE\""), ('*', " a"), (' ', "move a to b.")],
        );
    }

    #[test]
    fn an_indicator_in_column_1_of_fixed_format_is_one_where_nothing_else_is_meant() {
        check_format(
            "*HEADER,COBOL,A\n000100 A.\n*CR12      MOVE A TO B.\n?SEARCH =TALLIB\n000200 B.",
            SourceFormat::Fixed,
            &[('*', "HEADER,COBOL,A"), (' ', "A."), (' ', "    MOVE A TO B."), ('?', "SEARCH =TALLIB"), (' ', "B.")],
        );
        // What stands in a sequence area is no comment.
        check_format(
            "000100 A.\n* CR12     MOVE A TO B.\n* CR1  01  A PIC X.\n*CR123D    DISPLAY A.\n* X        GOBACK.\n000200 B.",
            SourceFormat::Fixed,
            &[
                (' ', "A."),
                (' ', "    MOVE A TO B."),
                (' ', "01  A PIC X."),
                ('D', "    DISPLAY A."),
                (' ', "    GOBACK."),
                (' ', "B."),
            ],
        );
        check_format(
            "           05  C-NAME PIC X.\n*CR12      05  C-AGE PIC 9.\n           05  C-SEX PIC X.",
            SourceFormat::Fixed,
            &[(' ', "    05  C-NAME PIC X."), (' ', "    05  C-AGE PIC 9."), (' ', "    05  C-SEX PIC X.")],
        );
        // Comments in column 1 do not make code in areas A and B free.
        check_format(
            "* Pays the bills.\n* Writes them.\n       A.\n           GOBACK.",
            SourceFormat::Fixed,
            &[('*', " Pays the bills."), ('*', " Writes them."), (' ', "A."), (' ', "    GOBACK.")],
        );
    }

    #[test]
    fn a_format_that_is_named_is_not_detected() {
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let free = SourceText::read("T.cbl", b"* A\n".to_vec(), &options).unwrap();
        assert!(free.lines().all(|line| !line.is_comment()));
        let options = ReadOptions { format: Some(SourceFormat::Terminal), ..ReadOptions::default() };
        let terminal = SourceText::read("T.cbl", b"* A\n".to_vec(), &options).unwrap();
        assert!(terminal.lines().all(|line| line.is_comment() && line.code_column() == 2));
    }

    #[test]
    fn what_is_ascii_is_kept_once_and_gives_its_bytes_back_all_the_same() {
        for bytes in [
            b"       A.\r\n\r\n       B.\n       C." as &[u8],
            b"       A.\n\x1a",
            b"",
            b"\n",
            b"A\tB\nC\n",
            b"\xFF\nA\n",
        ] {
            let source = read(bytes);
            assert_eq!(source.bytes(), bytes);
            if let Some(all) = source.line_range() {
                assert_eq!(source.raw_bytes(all), bytes);
            }
        }
        let source = read(b"       PASSWORD 'AB'.\r\n       C.\r\n");
        assert!(source.bytes.is_none());
        let line = LineNumber::FIRST;
        let masked = source.clone().masked(&[ColumnSpan { line, columns: 18..20 }]);
        assert_eq!(masked.lines().map(|line| line.visible()).collect::<Vec<_>>(), [" PASSWORD 'XX'.", " C."]);
        assert_eq!((masked.bytes(), masked.hash()), (source.bytes(), source.hash()));
        let lines: Vec<&[u8]> = masked.lines().map(|line| masked.raw_bytes(LineRange::single(line.number()))).collect();
        assert_eq!(lines, [b"       PASSWORD 'AB'.\r\n" as &[u8], b"       C.\r\n"]);
    }

    #[test]
    fn latin_1_counts_characters_and_control_bytes_are_blanks() {
        let mut bytes = b"      * Pr\xE4mie \x00\x0C\n".to_vec();
        bytes.extend_from_slice(b"       A.\n\x1A");
        let source = read(&bytes);
        assert_eq!(source.encoding(), Encoding::Latin1);
        assert_eq!(shown(&bytes), ["* Prämie", " A.", ""]);
    }

    #[test]
    fn a_mask_changes_what_is_shown_and_nothing_else() {
        let bytes =
            "000100 01 PW VALUE 'Größe'.                                                  TAG\n       A.\n      * ß\n";
        let source = read(bytes.as_bytes());
        let at = |line, columns| ColumnSpan { line: LineNumber::new(line).unwrap(), columns };
        let masked = source.clone().masked(&[
            at(3, 9..10),
            at(1, 22..24),
            at(1, 21..26),
            at(2, 70..99),
            at(3, 1..1),
            at(7, 1..9),
        ]);
        let lines: Vec<&str> = masked.lines().map(|line| line.visible()).collect();
        assert_eq!(lines, [" 01 PW VALUE 'XXXXX'.", " A.", "* X"]);
        assert!(masked.line(LineNumber::FIRST).unwrap().text().starts_with("000100 01 PW"));
        assert!(masked.line(LineNumber::FIRST).unwrap().text().ends_with("  TAG"));
        assert_eq!((masked.bytes(), masked.hash()), (source.bytes(), source.hash()));
        let all = source.line_range().unwrap();
        assert_eq!((masked.raw_bytes(all), masked.line_range()), (source.raw_bytes(all), source.line_range()));
        assert_ne!(masked.hash_lines(all), source.hash_lines(all));
        let same: Vec<String> = source.clone().masked(&[]).lines().map(|line| line.text().to_owned()).collect();
        assert_eq!(same, source.lines().map(|line| line.text().to_owned()).collect::<Vec<_>>());
    }

    #[test]
    fn a_byte_that_is_not_what_the_user_said_is_named_with_its_line() {
        let options = ReadOptions { encoding: Some(Encoding::Utf8), ..ReadOptions::default() };
        let error = SourceText::read("T.cbl", b"       A.\n       \xE4.\n".to_vec(), &options).unwrap_err();
        assert_eq!(error.to_string(), "T.cbl: line 2: byte 0xE4 is not utf-8");
    }

    #[test]
    fn a_binary_file_is_told_from_text() {
        let error = SourceText::read("T.cbl", b"\x7fELF\x02\x01".to_vec(), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error.kind, ReadErrorKind::NotText("an ELF executable")));
        assert!(SourceText::read("T.cbl", Vec::new(), &ReadOptions::default()).is_ok());
    }
}
