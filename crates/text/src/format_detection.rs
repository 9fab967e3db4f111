//! Detects the reference format of a source, line by line.

use crate::columns::{CODE_END, INDICATOR_COLUMN, byte_of_column, columns};
use regex::Regex;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The reference format of a line or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SourceFormat {
    /// Columns 1-6 sequence area, 7 indicator, 8-72 code, 73-80 identification.
    Fixed,
    /// The whole line is code.
    Free,
    /// The whole line is code, unless column 1 has an indicator: `*` and `/` for a comment, `-` for a continuation, `D ` or `\D` for
    /// debugging, `$` and `?` for a directive. So read the compilers of HP NonStop, OpenVMS and ACUCOBOL, and Micro Focus its free format.
    Terminal,
}

impl SourceFormat {
    /// Returns the name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How many lines vote. A program shows its format long before that.
const LINES_OF_THE_VOTE: usize = 4000;

/// The format that a directive sets for the lines after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormatDirective {
    pub(crate) format: SourceFormat,
    /// Whether code continues after column 72: VARIABLE is fixed format without an identification area.
    pub(crate) is_variable: bool,
}

impl FormatDirective {
    pub(crate) fn of(format: SourceFormat) -> Self {
        Self { format, is_variable: false }
    }
}

/// Matches `>>SOURCE FORMAT IS FREE`, `$SET SOURCEFORMAT"FREE"` and similar, starting at the directive's mark.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    let directive =
        r#"(?i)^(?:>>|\$) *(?:SET\b.*?\b)?SOURCE *(?:FORMAT)? *(?:IS\b)? *[("'=]? *(FREE|FIXED|VARIABLE|TERMINAL)\b"#;
    Regex::new(directive).expect("the pattern is one")
});

/// Returns whether a text may contain a directive. Nearly no text has the marks, so that no line needs a look.
pub(crate) fn may_set_format(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'$', b'>', bytes).any(|at| bytes[at] == b'$' || bytes.get(at + 1) == Some(&b'>'))
}

/// Parses the directive on a line: after blanks or a number, or in column 7 after any sequence area.
pub(crate) fn parse_directive(line: &str) -> Option<FormatDirective> {
    if !may_set_format(line) {
        return None;
    }
    let unnumbered = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    let indicator = line.char_indices().nth(INDICATOR_COLUMN).map_or("", |(at, _)| &line[at..]);
    let found = [unnumbered, indicator].into_iter().find_map(|text| DIRECTIVE.captures(text))?;
    let asked = found.get(1)?.as_str().to_ascii_uppercase();
    let format = match asked.as_str() {
        "FREE" => SourceFormat::Free,
        "TERMINAL" => SourceFormat::Terminal,
        _ => SourceFormat::Fixed,
    };
    Some(FormatDirective { format, is_variable: asked == "VARIABLE" })
}

/// Returns the format in which a file starts.
///
/// The lines before the first directive decide; if they do not show a format, the directive does. Each line votes: a word across
/// columns 6 and 7, or a `*>` comment in columns 1-6, can only be free format; an indicator in column 7 after a
/// blank or numbered sequence area can only be fixed. A word that begins in column 8 is typical of fixed format but possible in
/// free format, so it counts for a quarter. Code that column 72 would cut is free, however many lines only look fixed. An indicator in column 1
/// counts for a quarter where code shows free format, because a sequence area may hold anything. The default is fixed, as on the host.
/// `may_switch` says whether a line may be a directive.
pub(crate) fn detect_format<'a>(lines: impl Iterator<Item = &'a str> + Clone, may_switch: bool) -> FormatDirective {
    let mut count = VoteCount::default();
    let mut cut_words = Vec::new();
    let voters = lines.filter(|line| !is_blank(line)).take(LINES_OF_THE_VOTE);
    let mut lines = voters.clone();
    let mut has_marks = false;
    while let Some(line) = lines.next() {
        if let Some(asked) = may_switch.then(|| parse_directive(line)).flatten() {
            return match count.free().cmp(&count.fixed()) {
                Ordering::Greater => FormatDirective::of(SourceFormat::Free),
                Ordering::Less => FormatDirective::of(SourceFormat::Fixed),
                Ordering::Equal => asked,
            };
        }
        match vote(line) {
            Some(FormatVote::Fixed) => count.fixed += 1,
            Some(FormatVote::LooksFixed) => count.looks_fixed += 1,
            Some(FormatVote::Free) => count.free += 1,
            Some(FormatVote::Cut) => count.cut += 1,
            Some(FormatVote::LooksTerminal) => count.looks_terminal += 1,
            Some(FormatVote::Indented) => count.indented += 1,
            None => {}
        }
        has_marks |= is_marked(line);
        cut_words.extend(word_across_column_72(line));
        // The rest of the lines can no longer change that.
        let (rest, words) = (lines.size_hint().1.unwrap_or(LINES_OF_THE_VOTE), cut_words.len());
        if count.fixed > count.cut + words + rest && count.fixed() > count.free_with(words + rest) {
            break;
        }
    }
    count.cut += known_words(&cut_words, voters);
    // Marks of changes in columns 1 to 6 leave it to the lines.
    let is_cut = count.cut > count.fixed && !has_marks;
    let is_free = is_cut || count.free() > count.fixed();
    FormatDirective::of(if is_free { SourceFormat::Free } else { SourceFormat::Fixed })
}

/// Returns how many of the words across column 72 stand whole in columns 8 to 72 of some line, which no identification makes of what stands
/// before it.
fn known_words<'a>(cut_words: &[&str], lines: impl Iterator<Item = &'a str>) -> usize {
    if cut_words.is_empty() {
        return 0;
    }
    let whole: HashSet<String> = lines
        .filter(|line| open_at_column_72(line).is_some())
        .flat_map(|line| {
            let code = columns(line, INDICATOR_COLUMN + 1..CODE_END);
            let across = word_across_column_72(line).is_some();
            let end = if across { code.trim_end_matches(is_of_word).len() } else { code.len() };
            code[..end].split(|c| !is_of_word(c)).filter(|word| !word.is_empty())
        })
        .map(str::to_ascii_uppercase)
        .collect();
    cut_words.iter().filter(|word| whole.contains(&word.to_ascii_uppercase())).count()
}

/// The votes of the lines so far.
#[derive(Debug, Default)]
struct VoteCount {
    fixed: usize,
    looks_fixed: usize,
    free: usize,
    /// Those that column 72 would cut.
    cut: usize,
    looks_terminal: usize,
    indented: usize,
}

impl VoteCount {
    fn fixed(&self) -> usize {
        self.fixed + self.looks_fixed.div_ceil(LOOKS_OF_A_VOTE)
    }

    /// Returns the most votes for free format that there can be after as many more lines, once there is one for fixed format.
    fn free_with(&self, lines: usize) -> usize {
        self.free + self.cut + lines + self.looks_terminal / LOOKS_OF_A_VOTE
    }

    fn free(&self) -> usize {
        match (self.free + self.cut, self.fixed + self.looks_fixed) {
            // Nothing but indicators in column 1. In area B of fixed format they mark lines that were changed.
            (0, 0) => self.looks_terminal.saturating_sub(self.indented),
            // Code in the columns of fixed format: the compilers of Micro Focus drop comments in column 1 there, too.
            (0, _) => 0,
            _ => self.free_with(0),
        }
    }
}

/// Returns whether a line shows that column 1 has indicators: a comment, a directive `?NAME` or a debugging line `\D`. Nobody begins a
/// line of free format with the operator of a product.
pub(crate) fn has_indicator_in_column_1(line: &str) -> bool {
    match line.as_bytes() {
        [b'*', rest @ ..] => rest.first() != Some(&b'>'),
        [b'?', letter, ..] => letter.is_ascii_alphabetic(),
        [b'\\', b'D' | b'd', ..] => true,
        _ => false,
    }
}

/// Returns whether a line of a file in fixed format can only be read by the indicator in column 1: a directive `?NAME`, or a comment whose words
/// go on across column 7. What else begins with an asterisk there is a sequence area with the mark of a change, such as `*CR12`.
pub(crate) fn is_terminal_line_of_fixed(line: &str) -> bool {
    match line.as_bytes() {
        [b'?', letter, ..] => letter.is_ascii_alphabetic(),
        [b'*', ..] => {
            let columns: Vec<char> = line.chars().take(INDICATOR_COLUMN + 2).collect();
            let (sequence, rest) = columns.split_at(columns.len().min(INDICATOR_COLUMN - 1));
            let is_mark = || sequence.iter().any(char::is_ascii_digit);
            match rest {
                [first, ' ', third] if first.is_alphanumeric() => {
                    line.starts_with("* ") && third.is_alphabetic() && !is_mark()
                }
                // A debugging line has its indicator there.
                [_, 'D' | 'd', ' '] => false,
                [first, second, _] => first.is_alphanumeric() && second.is_alphanumeric(),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether lines that were cut by length have the columns of fixed format: nearly all have a valid indicator,
/// and half have a blank or numbered sequence area.
pub(crate) fn has_fixed_columns<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut all, mut odd, mut plain) = (0usize, 0usize, 0usize);
    for line in lines.filter(|line| !is_blank(line)).take(LINES_OF_THE_VOTE) {
        let columns: Vec<char> = line.chars().take(INDICATOR_COLUMN + 1).collect();
        let indicator = columns.get(INDICATOR_COLUMN).copied().unwrap_or(' ');
        all += 1;
        odd += usize::from(!matches!(indicator, ' ' | '*' | '/' | '-' | 'D' | 'd' | '$'));
        plain += usize::from(columns.iter().take(INDICATOR_COLUMN).all(|c| c.is_ascii_digit() || *c == ' '));
    }
    all > 0 && odd * 20 <= all && plain * 2 >= all
}

/// A line's vote for a format.
enum FormatVote {
    /// It can only be fixed.
    Fixed,
    /// It looks fixed but may be free.
    LooksFixed,
    /// It can only be free.
    Free,
    /// It can only be free, as column 72 would cut its code.
    Cut,
    /// It has what would be an indicator in column 1.
    LooksTerminal,
    /// It begins behind column 8, in either format.
    Indented,
}

/// How many lines that only look fixed count as one certain vote.
const LOOKS_OF_A_VOTE: usize = 4;

fn vote(line: &str) -> Option<FormatVote> {
    // Most lines have a blank or numbered sequence area, and a comment or code behind it. Bytes show that without decoding.
    if let Some([sequence @ .., indicator]) = line.as_bytes().first_chunk::<{ INDICATOR_COLUMN + 1 }>() {
        let next = line.as_bytes().get(INDICATOR_COLUMN + 1);
        let is_unnumbered = sequence.iter().all(|byte| *byte == b' ');
        match indicator {
            // Where code begins in column 8, comments of free format may begin in column 7.
            b'*' if is_unnumbered && next == Some(&b'>') => return Some(FormatVote::LooksFixed),
            b'*' | b'/' if sequence.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ') => {
                return Some(FormatVote::Fixed);
            }
            // A literal that goes on.
            b'-' if is_unnumbered && line[INDICATOR_COLUMN + 1..].trim_start().starts_with(['\'', '"']) => {
                return Some(FormatVote::Fixed);
            }
            _ if line.len() > CODE_END && is_cut_at_column_72(line) => return Some(FormatVote::Cut),
            _ if line.len() > CODE_END && has_identification(line) => return Some(FormatVote::Fixed),
            b' ' if is_unnumbered && next == Some(&b' ') => return Some(FormatVote::Indented),
            b' ' if sequence.iter().all(u8::is_ascii_digit) => {
                return Some(FormatVote::Fixed).filter(|_| !is_option_card(line));
            }
            // A header or a label in columns 8-11 is typical of fixed format; free format is seldom indented by 7.
            b' ' if is_unnumbered => return next.map(|_| FormatVote::LooksFixed).filter(|_| !is_option_card(line)),
            _ => {}
        }
    }
    if is_option_card(line) {
        return None;
    }
    if has_indicator_in_column_1(line) {
        return Some(FormatVote::LooksTerminal);
    }
    if is_marked(line) {
        return Some(FormatVote::LooksFixed);
    }
    // This runs on every line of free format, so it does not allocate.
    let (mut columns, mut count) = ([' '; 8], 0);
    for (column, c) in columns.iter_mut().zip(line.chars()) {
        *column = c;
        count += 1;
    }
    let columns = &columns[..count];
    let sequence = &columns[..count.min(INDICATOR_COLUMN)];
    if line.trim_start().starts_with("*>") && !sequence.iter().all(|c| *c == ' ') {
        return Some(FormatVote::Free);
    }
    if is_level_number(columns) {
        return Some(FormatVote::Free);
    }
    let goes_on = columns.get(INDICATOR_COLUMN - 1).is_some_and(|c| is_of_word(*c))
        && columns.get(INDICATOR_COLUMN).is_some_and(|c| c.is_alphanumeric())
        && !sequence.iter().all(|c| c.is_ascii_digit() || *c == ' ');
    goes_on.then_some(FormatVote::Free)
}

/// Whether column 72 cuts a line of code: a literal that is open there ends behind it, a word goes on that reaches farther than the
/// identification area, or only the end of a sentence or of a parenthesis stands behind it.
fn is_cut_at_column_72(line: &str) -> bool {
    let (code, rest) = line.split_at(byte_of_column(line, CODE_END));
    let end = rest.trim_end();
    let is_end = !end.is_empty()
        && end.bytes().all(|byte| matches!(byte, b'.' | b')'))
        && code.ends_with(|c| is_of_word(c) || matches!(c, ')' | '\'' | '"'));
    // Nearly no line has a quote or so long a word there.
    let goes_on =
        is_end || rest.chars().nth(WIDTH_OF_IDENTIFICATION).is_some() && word_across_column_72(line).is_some();
    if !goes_on && !rest.bytes().any(|byte| matches!(byte, b'\'' | b'"')) {
        return false;
    }
    open_at_column_72(line).is_some_and(|open| open.map_or(goes_on, |quote| rest.contains(quote)))
}

/// Returns the quote of the literal that is open at column 72, if one is; none if a comment stands there.
fn open_at_column_72(line: &str) -> Option<Option<char>> {
    if matches!(line.chars().nth(INDICATOR_COLUMN), Some('*' | '/')) {
        return None;
    }
    match CodeEnd::of(&line[..byte_of_column(line, CODE_END)]) {
        CodeEnd::Comment(_) => None,
        CodeEnd::Literal(quote) => Some(Some(quote)),
        CodeEnd::Code => Some(None),
    }
}

/// What the code of a line ends in.
pub(crate) enum CodeEnd<'a> {
    /// A comment, with its text behind `*>`.
    Comment(&'a str),
    /// A literal that is open, with its quote.
    Literal(char),
    Code,
}

impl<'a> CodeEnd<'a> {
    pub(crate) fn of(code: &'a str) -> Self {
        let mut open = None;
        for (at, c) in code.char_indices() {
            match (open, c) {
                (None, '*') if code[at..].starts_with("*>") => return Self::Comment(&code[at + 2..]),
                (None, '\'' | '"') => open = Some(c),
                (Some(quote), c) if quote == c => open = None,
                _ => {}
            }
        }
        open.map_or(Self::Code, Self::Literal)
    }
}

/// Returns the word of code that column 72 would cut, whole.
fn word_across_column_72(line: &str) -> Option<&str> {
    let end = byte_of_column(line, CODE_END);
    let (code, rest) = line.split_at(end);
    if !code.ends_with(is_of_word) || !rest.starts_with(is_of_word) || open_at_column_72(line) != Some(None) {
        return None;
    }
    let start = code.trim_end_matches(is_of_word).len();
    Some(&line[start..line.len() - rest.trim_start_matches(is_of_word).len()])
}

/// Whether columns 1 to 6 have the mark of a change, which has a digit, before an indicator or a blank: `CR0012*`.
fn is_marked(line: &str) -> bool {
    let Some([mark @ .., indicator]) = line.as_bytes().first_chunk::<{ INDICATOR_COLUMN + 1 }>() else { return false };
    mark.iter().all(u8::is_ascii_alphanumeric)
        && mark.iter().any(u8::is_ascii_digit)
        && !mark.iter().all(u8::is_ascii_digit)
        && matches!(indicator, b' ' | b'*' | b'/' | b'-' | b'D' | b'd')
}

/// Whether a character may be one of a COBOL word.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

/// Whether one word with a digit, such as a number or a member's name, stands in the identification area and well apart from the code.
fn has_identification(line: &str) -> bool {
    let (code, rest) = line.split_at(byte_of_column(line, CODE_END));
    let word = rest.trim_end();
    code.ends_with("  ")
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.len() <= WIDTH_OF_IDENTIFICATION
}

/// The columns 73 to 80 of fixed format.
const WIDTH_OF_IDENTIFICATION: usize = 8;

/// Whether a data item begins in columns 1 to 6: its level, and its name in column 7 at the latest, or the level in column 7, which has no digit in
/// fixed format. Numbers of lines have no name behind them.
fn is_level_number(columns: &[char]) -> bool {
    let count = |from: usize, is: fn(&char) -> bool| columns[from..].iter().take_while(|c| is(c)).count();
    let indent = count(0, |c| *c == ' ');
    let digits = count(indent, char::is_ascii_digit);
    let blanks = count(indent + digits, |c| *c == ' ');
    let name = indent + digits + blanks;
    let level =
        columns[indent..indent + digits].iter().take(3).fold(0, |level, c| level * 10 + c.to_digit(10).unwrap_or(0));
    let is_level = matches!(digits, 1 | 2) && matches!(level, 1..=49 | 66 | 77 | 78 | 88);
    // The indicators of fixed format are letters, too.
    let is_name = |c: &char| c.is_alphabetic() && (name < INDICATOR_COLUMN || !matches!(c, 'D' | 'd'));
    // The name stands behind the columns that are looked at, or in the last of them.
    let is_in_column_7 = (indent..indent + digits).contains(&INDICATOR_COLUMN) && digits == 2;
    let is_named = columns.get(name).is_some_and(is_name);
    is_level
        && (is_in_column_7 && (blanks > 0 || name == columns.len())
            || blanks > 0 && name <= INDICATOR_COLUMN && is_named)
}

/// Whether a line is blank. The first byte that is not a blank shows it of nearly every line.
fn is_blank(line: &str) -> bool {
    let first = line.bytes().find(|byte| *byte != b' ');
    !first.is_some_and(|first| first.is_ascii_graphic()) && line.trim_start().is_empty()
}

/// Whether a line looks like a compiler option card, which begins in any column of either format: `CBL APOST,LIB`.
pub(crate) fn is_option_card(line: &str) -> bool {
    // Nearly no line begins with such a word.
    let first = line.as_bytes().iter().find(|byte| **byte != b' ' && !byte.is_ascii_digit());
    if !first.is_some_and(|first| matches!(first, b'C' | b'c' | b'P' | b'p' | b'\t')) {
        return false;
    }
    let mut words = line.split_whitespace().skip_while(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let is = |word: Option<&str>, names: &[&str]| {
        word.is_some_and(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    is(words.next(), &["CBL", "PROCESS"]) && !is(words.next(), &["SECTION", "SECTION."])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_in_every_usual_spelling() {
        let free = Some(FormatDirective::of(SourceFormat::Free));
        let fixed = Some(FormatDirective::of(SourceFormat::Fixed));
        for (line, expected) in [
            (">>SOURCE FORMAT IS FREE", free),
            ("       >>source format free", free),
            ("000100 >> SOURCE FREE.", free),
            ("      $SET SOURCEFORMAT\"FREE\"", free),
            ("$SET SOURCEFORMAT\"FREE\"", free),
            ("$set sourceformat(free)", free),
            (">>SOURCE FORMAT TERMINAL", Some(FormatDirective::of(SourceFormat::Terminal))),
            ("      $SET ANS85 NOOSVS SOURCEFORMAT \"FREE\"", free),
            ("CHG042$SET SOURCEFORMAT\"FREE\"", free),
            (">>SET SOURCEFORMAT \"FREE\"", free),
            ("      $SET SOURCEFORMAT\"FIXED\"", fixed),
            (">>SOURCE FORMAT IS FIXED", fixed),
            (
                "      $SET SOURCEFORMAT\"VARIABLE\"",
                Some(FormatDirective { format: SourceFormat::Fixed, is_variable: true }),
            ),
            ("           MOVE SOURCE TO FREE", None),
            ("       >>IF FREE IS DEFINED", None),
            ("      * >>SOURCE FORMAT IS FREE", None),
            ("      $SET RESOURCEFORMAT\"FREE\"", None),
            ("           DISPLAY '>>SOURCE FORMAT IS FREE'", None),
            ("", None),
        ] {
            assert_eq!(parse_directive(line), expected, "{line}");
        }
    }

    #[test]
    fn no_line_is_left_out_of_a_vote_that_it_could_change() {
        for (fixed, free) in (0..9).flat_map(|fixed| (0..9).map(move |free| (fixed, free))) {
            let votes = std::iter::repeat_n("000100 A.", fixed).chain(std::iter::repeat_n("IDENTIFICATION", free));
            let votes = votes.chain([">>SOURCE FORMAT IS FREE"]);
            for may_switch in [false, true] {
                let detected = detect_format(votes.clone(), may_switch).format;
                // The directive breaks a tie, and its line can only be free.
                assert_eq!(detected == SourceFormat::Free, free >= fixed, "{fixed} to {free}");
            }
        }
    }

    /// Words that column 72 would cut, of which one stands elsewhere, in code that begins where that of fixed format does.
    const CUT_WORD: &str = "       *> the columns are not those of fixed format
       IDENTIFICATION DIVISION.
       PROGRAM-ID. A.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 FILE-STATUS PIC XX.
       PROCEDURE DIVISION.
       MAIN-LOGIC.
           OPEN INPUT RATE-FILE   IF FILE-STATUS NOT = '00' MOVE FILE-STATUS TO X
           GOBACK.";

    /// Lines that blanks fill to 80 columns, of which one ends in column 72.
    const PADDED: &str = "       IDENTIFICATION DIVISION.                                                 \nCR0012*    STOP RUN.                                                            \n           MOVE 'THE TEXT OF A LINE THAT ENDS IN COLUMN SEVENTYTWO' TO THIS-TEXT        \n           GOBACK.                                                              ";

    /// Marks of changes beside a comment that goes on behind column 72, and a word that stands elsewhere.
    const MARKED: &str = "       MOVE CUSTOMER-NUMBER TO X.
AB0012     MOVE 'A' TO X-AND-OTHER-THINGS-OF-THIS-PROGRAM OF THE CUSTOMER-NUMBER
AB0012     GOBACK.";

    /// A copybook in free format with words that are aligned in column 73.
    const ALIGNED: &str = "IF AMOUNT-A = 1                                                         THEN
IF AMOUNT-B = 1                                                         THEN
IF AMOUNT-C = 1                                                         THEN";

    /// The same columns with an identification that stands close to the code.
    const IDENTIFIED: &str = "       01 FILE-STATUS PIC XX.
       PROCEDURE DIVISION.
           OPEN INPUT RATE-FILE   IF FILE-STATUS NOT = '00' MOVE FILE-STPAY00010
           GOBACK.                                                      PAY00020";

    /// A comment whose apostrophes stand on both sides of column 72.
    const COMMENTED: &str = "       PROCEDURE DIVISION.
           GOBACK. *> what isn't known to the caller is not told, and it can't be asked
       A.
           GOBACK.                                                      PAY00020";

    #[test]
    fn formats_are_told_apart_without_a_mark() {
        for (text, expected) in [
            (
                "IDENTIFICATION DIVISION.\nPROGRAM-ID. A.\n*> a comment\nPROCEDURE DIVISION.\n    DISPLAY 'A'\n    GOBACK.",
                SourceFormat::Free,
            ),
            (
                "       IDENTIFICATION DIVISION.\n      * a comment\nABC123 PROGRAM-ID. A.\n           MOVE A TO B.",
                SourceFormat::Fixed,
            ),
            ("01  A.\n  02  B PIC S99.", SourceFormat::Free),
            ("    10 A.\n    20 B.\n    30 C.\n", SourceFormat::Fixed),
            ("           DISPLAY 'A literal that goes on behind column 72 and ends there' A.", SourceFormat::Free),
            (CUT_WORD, SourceFormat::Free),
            (PADDED, SourceFormat::Fixed),
            (MARKED, SourceFormat::Fixed),
            (
                "AB0001 PROGRAM-ID. A.\nAB0002     MOVE A TO                                                  WS-B.\nAB0003     GOBACK.",
                SourceFormat::Fixed,
            ),
            (ALIGNED, SourceFormat::Free),
            (IDENTIFIED, SourceFormat::Fixed),
            (COMMENTED, SourceFormat::Fixed),
            (
                "           DISPLAY 'A literal that goes on in the next line of this PAYROLL1\n      -    'program'.",
                SourceFormat::Fixed,
            ),
            ("*> free\n78 A VALUE 1.\n    78 B VALUE 2.\n    78 C VALUE 3.", SourceFormat::Free),
            ("000100 01 A.\n000200", SourceFormat::Fixed),
            // No line of fixed format has a digit in column 7.
            ("     03 A PIC X.", SourceFormat::Free),
            ("      03 A PIC X.", SourceFormat::Free),
            ("    03 A PIC X.", SourceFormat::Fixed),
            ("       03 A PIC X.", SourceFormat::Fixed),
            ("000103 A PIC X.", SourceFormat::Fixed),
            // Option cards may start in any column of either format and do not vote.
            ("CBL LIB,APOST\nPROCESS NOSEQ\n       01 A PIC X.", SourceFormat::Fixed),
            ("CBL LIB,APOST\n01 A PIC X.\n*> free", SourceFormat::Free),
            ("", SourceFormat::Fixed),
        ] {
            assert_eq!(detect_format(text.lines(), true), FormatDirective::of(expected), "{text}");
        }
    }

    #[test]
    fn records_are_told_by_their_columns() {
        let check = |text: &str, expected: bool| assert_eq!(has_fixed_columns(text.lines()), expected, "{text}");
        check("000100 IDENTIFICATION DIVISION.\n000200* a comment\n           MOVE A TO B", true);
        check("identification division. prog\nram-id. a. procedure division.\n display 'a'. goback.", false);
        check("", false);
    }
}
