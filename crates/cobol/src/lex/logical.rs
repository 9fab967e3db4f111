//! Physical lines to one logical text with a segment map.
//!
//! This is the work of a compiler's reader before it sees a word: it drops comments and directives, joins a literal or word that
//! the indicator `-` continues, drops comment entries of the IDENTIFICATION DIVISION (free text, where an
//! apostrophe opens no literal), and ends a literal that is not continued with its line, so that one stray
//! quote costs one line.

use crate::diagnostic::Diagnostic;
use crate::reserved_words;
use war_rig_text::{LineNumber, SourceFormat, SourceLine, SourceText};

/// The origin of a range of the logical text.
#[derive(Debug, Clone, Copy)]
pub struct SourceSegment {
    /// The byte of the logical text at which the range begins.
    pub at: usize,
    /// The physical line.
    pub line: LineNumber,
    /// The one-based column of the range's first character.
    pub column: u32,
}

/// The code of a source, joined.
#[derive(Debug, Default)]
pub(crate) struct LogicalText {
    pub(crate) text: String,
    pub(crate) segments: Vec<SourceSegment>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether each line of the source is a comment.
    pub(crate) comment_lines: Vec<bool>,
}

/// The width of the code area of a fixed-format line: columns 8 to 72. A continued literal extends to its end.
const CODE_WIDTH: usize = 65;

impl LogicalText {
    pub(crate) fn of(source: &SourceText) -> Self {
        let comment_lines = Vec::with_capacity(source.line_count());
        let mut logical = LogicalText { comment_lines, ..LogicalText::default() };
        let mut state = LineJoinState::default();
        for line in source.lines() {
            logical.push(line, &mut state, source);
        }
        if let Some(line) = state.open_literal_since {
            logical.unclosed_literal(line);
        }
        if let Some(line) = state.debug_line {
            logical.note(line, "debug-lines", "debugging lines are text only: WITH DEBUGGING MODE is not in force");
        }
        if let Some(line) = state.conditional_line {
            logical.note(line, "conditional-compilation", "both branches of conditional compilation are read as text");
        }
        logical
    }

    /// Drops everything after this many bytes.
    pub(super) fn truncate(&mut self, most: usize) {
        if self.text.len() <= most {
            return;
        }
        let kept = self.segments.partition_point(|segment| segment.at <= most).saturating_sub(1);
        let first = self.segments[kept];
        self.segments.truncate(kept);
        self.text.truncate(first.at);
        self.note(first.line, "too-long", "the source is too long to be read further than this");
    }

    fn push(&mut self, line: SourceLine<'_>, state: &mut LineJoinState, source: &SourceText) {
        let number = line.number();
        let indicator = line.indicator();
        let code = line.code();
        let trimmed = without_indent(code);
        let is_comment = matches!(indicator, '*' | '/') || trimmed.starts_with("*>");
        self.comment_lines.push(is_comment);
        if is_comment || trimmed.is_empty() {
            return;
        }
        if !state.in_unit && line.is_option_card() {
            return;
        }
        if let Some(member) = included_member(line.text(), trimmed) {
            self.begin(number, line.code_column());
            self.text.push_str("COPY ");
            self.text.push_str(member);
            self.text.push_str(".\n");
            return;
        }
        let directive = without_indent(line.visible());
        if matches!(indicator, '$' | '?')
            || directive.starts_with(">>")
            || (line.format() != SourceFormat::Fixed && trimmed.starts_with('$'))
        {
            let conditional =
                directive.trim_start_matches(['>', '$', ' ']).get(..2).is_some_and(|w| w.eq_ignore_ascii_case("IF"));
            if conditional {
                state.conditional_line.get_or_insert(number);
            }
            return;
        }
        let (first, rest) = first_word(trimmed);
        if is_listing_control(first, rest) || (self.text.is_empty() && is_basis(first, rest)) {
            return;
        }
        if matches!(indicator, 'D' | 'd') && !*state.debugging.get_or_insert_with(|| debugging_mode(source)) {
            state.debug_line.get_or_insert(number);
            return;
        }
        if state.in_comment_entry(line) {
            return;
        }
        if indicator == '-' && !self.text.is_empty() {
            self.push_continuation(line, state);
            return;
        }
        if let Some(open) = state.open_literal_since.take() {
            self.unclosed_literal(open);
        }
        self.begin(number, line.code_column());
        if memchr::memchr(b'|', code.as_bytes()).is_some() {
            state.follow_execs(&self.text);
        }
        // The text after the name of a comment entry is free text: a quote in it opens no literal.
        let start_of_rest = code.len() - rest.len();
        let code = state.before_comment_entry(code, first, rest);
        let kept = &code[..state.code_end(code, None)];
        self.text.push_str(kept);
        self.text.push('\n');
        state.note_line(number, kept, first, &kept[start_of_rest..]);
    }

    /// Joins a line with the indicator `-` to the text before it: in an open literal, after its blanks up to column 72 of fixed format and
    /// without the quote that reopens it, otherwise directly after the last character.
    fn push_continuation(&mut self, line: SourceLine<'_>, state: &mut LineJoinState) {
        let code = line.code();
        let skipped = code.len() - without_indent(code).len();
        let mut rest = &code[skipped..];
        let mut column = line.code_column() + skipped as u32;
        self.text.pop();
        if let Some(quote) = state.open_quote {
            if line.format() == SourceFormat::Fixed {
                for _ in state.width_of_last_line..CODE_WIDTH {
                    self.text.push(' ');
                }
            }
            if let Some(reopened) = rest.strip_prefix(quote) {
                rest = reopened;
                column += 1;
            }
        } else {
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
        self.begin(line.number(), column);
        let kept = &rest[..state.code_end(rest, state.open_quote)];
        self.text.push_str(kept);
        self.text.push('\n');
        state.width_of_last_line = code.chars().count();
        state.open_literal_since = state.open_quote.map(|_| line.number());
    }

    fn begin(&mut self, line: LineNumber, column: u32) {
        self.segments.push(SourceSegment { at: self.text.len(), line, column });
    }

    fn unclosed_literal(&mut self, line: LineNumber) {
        let message = "a literal is not closed and not continued; it is taken to end with its line";
        self.diagnostics.push(Diagnostic::warning("unclosed-literal", line, message));
    }

    fn note(&mut self, line: LineNumber, code: &'static str, message: &str) {
        self.diagnostics.push(Diagnostic::note(code, line, message));
    }
}

#[derive(Debug, Default)]
struct LineJoinState {
    /// The quote of a literal that the last code line left open.
    open_quote: Option<char>,
    open_literal_since: Option<LineNumber>,
    width_of_last_line: usize,
    /// Whether the text before this place ends inside an EXEC block. Only lines with a bar ask, each about the text since the last one.
    in_exec: bool,
    execs_followed_to: usize,
    /// Whether a unit or a copybook has begun and not ended: compiler option cards precede one.
    in_unit: bool,
    in_identification: bool,
    comment_entry: bool,
    /// Whether WITH DEBUGGING MODE is in force; only a source with debugging lines is searched for it.
    debugging: Option<bool>,
    debug_line: Option<LineNumber>,
    conditional_line: Option<LineNumber>,
}

impl LineJoinState {
    /// Looks in the text since the last call for the last word that begins or ends an EXEC block.
    fn follow_execs(&mut self, text: &str) {
        let since = text.get(self.execs_followed_to..).unwrap_or(text);
        self.in_exec = is_in_exec(since).unwrap_or(self.in_exec);
        self.execs_followed_to = text.len();
    }

    /// Returns the length of a line before an inline comment, and records the quote that stays open at its end.
    fn code_end(&mut self, code: &str, mut open: Option<char>) -> usize {
        let bytes = code.as_bytes();
        // Most lines contain no quote and no asterisk.
        let is_plain = memchr::memchr3(b'\'', b'"', b'*', bytes).is_none() && memchr::memchr(b'|', bytes).is_none();
        if open.is_none() && is_plain {
            self.open_quote = None;
            return code.len();
        }
        let mut end = code.len();
        for (at, byte) in bytes.iter().enumerate() {
            match (*byte, open) {
                (b'\'' | b'"', None) => open = Some(char::from(*byte)),
                (quote, Some(current)) if char::from(quote) == current => open = None,
                (b'*', None) if bytes.get(at + 1) == Some(&b'>') => {
                    end = at;
                    break;
                }
                (b'|', None) if begins_comment(code, at) && !is_in_exec(&code[..at]).unwrap_or(self.in_exec) => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        self.open_quote = open;
        end
    }

    /// Returns whether the line belongs to a comment entry (`AUTHOR. James O'Grady.` and its continuation). An entry ends at the next
    /// header in area A.
    fn in_comment_entry(&mut self, line: SourceLine<'_>) -> bool {
        if !self.comment_entry {
            return false;
        }
        if ends_comment_entry(line) {
            self.comment_entry = false;
        }
        self.comment_entry
    }

    /// Notes what a line's code, of which these are the first word and the rest, means for the next lines.
    fn note_line(&mut self, number: LineNumber, code: &str, first: &str, rest: &str) {
        self.open_literal_since = self.open_quote.map(|_| number);
        // Only a literal that continues is padded with blanks.
        self.width_of_last_line = self.open_quote.map_or(0, |_| code.chars().count());
        let ends_unit = |word: &str| reserved_words::UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word));
        self.in_unit = !(first.eq_ignore_ascii_case("END") && ends_unit(first_word(rest).0));
        match reserved_words::division(first) {
            Some("IDENTIFICATION") => self.in_identification = true,
            None if reserved_words::is_unit_keyword(first) => self.in_identification = true,
            Some(_) if is_division_rest(rest) => self.in_identification = false,
            _ => {}
        }
    }

    /// Returns the code of a line up to the period after the name of a comment entry, if the line opens one.
    fn before_comment_entry<'c>(&mut self, code: &'c str, first: &str, rest: &str) -> &'c str {
        if !self.in_identification {
            return code;
        }
        let period = rest.find('.').filter(|at| rest[..*at].trim().is_empty());
        match period.filter(|_| reserved_words::opens_comment_entry(first)) {
            Some(period) => {
                self.comment_entry = true;
                &code[..code.len() - rest.len() + period + 1]
            }
            None => code,
        }
    }
}

/// Returns whether the bar at this position begins a comment, as in ACUCOBOL: it comes first or after a blank or a mark, so that it is no letter
/// of a national code, and is neither the operator `||` nor one of two around a text to replace, `|TAG|`.
fn begins_comment(code: &str, at: usize) -> bool {
    let before = code[..at].chars().next_back();
    let behind = code[at + 1..].trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let is_one_of_two = before == Some('|') || behind.starts_with('|');
    !is_one_of_two && before.is_none_or(|c| matches!(c, ' ' | '.' | ',' | ';' | ')'))
}

/// Returns whether a text ends inside an EXEC block; none if no block begins or ends in it.
fn is_in_exec(text: &str) -> Option<bool> {
    let mut words = text.rsplit(|c: char| !(c.is_alphanumeric() || c == '-'));
    let last = words.find(|word| word.eq_ignore_ascii_case("EXEC") || word.eq_ignore_ascii_case("END-EXEC"));
    last.map(|word| word.eq_ignore_ascii_case("EXEC"))
}

/// Returns a text without its leading blanks: ASCII blanks first, because nearly all blanks are ASCII.
fn without_indent(text: &str) -> &str {
    let blanks = text.bytes().take_while(|byte| *byte == b' ').count();
    let rest = &text[blanks..];
    if rest.as_bytes().first().is_some_and(u8::is_ascii_graphic) { rest } else { rest.trim_start() }
}

fn first_word(code: &str) -> (&str, &str) {
    let code = without_indent(code);
    let ascii = code.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let more = |c: char| !(c.is_alphanumeric() || c == '-');
    let end = match code.as_bytes().get(ascii) {
        Some(0x80..) => code[ascii..].find(more).map_or(code.len(), |end| ascii + end),
        _ => ascii,
    };
    code.split_at(end)
}

/// Returns whether the text after a division's name makes the line a header: DIVISION, or nothing because that word is on the
/// next line.
fn is_division_rest(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || first_word(rest).0.eq_ignore_ascii_case("DIVISION")
}

fn ends_comment_entry(line: SourceLine<'_>) -> bool {
    let code = line.code();
    let indent = code.len() - without_indent(code).len();
    if line.format() == SourceFormat::Fixed && indent > 3 {
        return false;
    }
    let (first, rest) = first_word(code);
    let header = reserved_words::division(first).is_some() && is_division_rest(rest);
    let paragraph = reserved_words::is_unit_keyword(first) || reserved_words::opens_comment_entry(first);
    let copy = first.eq_ignore_ascii_case("COPY") && rest.trim_end().ends_with('.');
    header || (paragraph && rest.trim_start().starts_with('.')) || first.eq_ignore_ascii_case("END") || copy
}

/// Returns whether a line of these words only controls the listing: EJECT, SKIP1 to SKIP3 and TITLE, which need no period and end no sentence.
fn is_listing_control(first: &str, rest: &str) -> bool {
    let is_alone = || rest.trim().trim_end_matches('.').is_empty();
    (["EJECT", "SKIP1", "SKIP2", "SKIP3"].iter().any(|word| word.eq_ignore_ascii_case(first)) && is_alone())
        || (first.eq_ignore_ascii_case("TITLE") && rest.trim_start().starts_with(['\'', '"']))
}

/// Returns whether these words of a line before the program are `BASIS name`, which makes a compiler read the program from its library.
fn is_basis(first: &str, rest: &str) -> bool {
    first.eq_ignore_ascii_case("BASIS") && rest.split_whitespace().count() == 1
}

/// Returns the member in a librarian's include line: `-INC X` (CA-Librarian) or `++INCLUDE X` (CA-Panvalet). `code` is not indented.
fn included_member<'c>(line: &'c str, code: &'c str) -> Option<&'c str> {
    // Librarian's line begins in column 1, Panvalet's also after the sequence area.
    let text = without_indent(line);
    let panvalet = || text.strip_prefix("++INCLUDE ").or_else(|| code.strip_prefix("++INCLUDE "));
    let rest = text.strip_prefix("-INC ").or_else(panvalet)?;
    rest.split([' ', '.', ',']).find(|word| !word.is_empty())
}

/// Returns whether WITH DEBUGGING MODE is in force.
fn debugging_mode(source: &SourceText) -> bool {
    let lines = source.lines().filter(|line| !line.is_comment() && !line.is_blank());
    let words = lines.flat_map(|line| line.code().split_whitespace());
    words.clone().zip(words.skip(1)).any(|(word, next)| {
        word.eq_ignore_ascii_case("DEBUGGING") && next.trim_end_matches('.').eq_ignore_ascii_case("MODE")
    })
}
