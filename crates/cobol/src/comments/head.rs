//! Finds what a program says of its purpose in the comments at its head.
//!
//! Each line is first classified. What the document shows better itself or what is not about the program's work can never be its purpose:
//! entries of the IDENTIFICATION DIVISION, change logs, stamps of tools, licenses, tables, code. Of the rest, a text behind a label that announces the
//! purpose wins, then a sentence about "this program", then the first prose.

use super::{
    IGNORED_LABELS, SourceWords, TELLING_LABELS, TITLE_LABELS, entry_of_glossary, is_banner, is_history, is_log_entry,
    is_notice, is_telling, label, unspaced, whole_sentences, words_of,
};
use crate::model::ParsedCobol;
use war_rig_text::{LineNumber, LineRange, SourceLine, SourceText};

/// How many lines of the program's own comment are quoted, plus the rest of the sentence.
const LINES_QUOTED: usize = 4;

/// The minimum number of words in an informative comment; fewer are a title.
const WORDS_OF_A_TITLE: usize = 4;

/// The most words of a line that ends with a colon and only announces a list.
const WORDS_OF_ANNOUNCEMENT: usize = 8;

/// The most lines of a paragraph before its sentence about the program that are quoted with it.
const LINES_BEFORE_SENTENCE: usize = 2;

/// How far the lines of an identification entry are indented at least.
const INDENT_OF_ENTRY: usize = 4;

/// The most words of the heading of a log.
const WORDS_OF_A_HEADING: usize = 3;

/// Returns the purpose of the first program, or of a copybook, from its comments, and the line where it begins.
pub fn head_comment(source: &SourceText, parsed: &ParsedCobol) -> Option<(String, LineNumber)> {
    program_comment(source, parsed, 0)
}

/// Returns the purpose of a program from the comments above its IDENTIFICATION DIVISION and before its other divisions, and the line where
/// it begins. No comment of another program counts.
pub fn program_comment(source: &SourceText, parsed: &ParsedCobol, program: usize) -> Option<(String, LineNumber)> {
    let head = Head::of(source, parsed, program);
    head.titled()
        .or_else(|| head.labelled(TELLING_LABELS))
        .or_else(|| head.behind_its_name())
        .or_else(|| head.sentence_about_itself())
        .or_else(|| head.labelled(TITLE_LABELS))
        .or_else(|| head.first_prose())
}

/// Returns the lines before the first division that follows the IDENTIFICATION DIVISION of a program, with the comment block above it.
pub(super) fn program_lines<'a>(source: &'a SourceText, parsed: &ParsedCobol, program: usize) -> Vec<SourceLine<'a>> {
    let divisions = || parsed.divisions.iter().filter(|division| division.file.is_none());
    let begins = |wanted: usize| {
        let own = divisions().find(|division| division.name == "IDENTIFICATION" && division.program == Some(wanted));
        let lines = own.map(|own| own.lines).or_else(|| parsed.programs.get(wanted).map(|program| program.lines));
        lines.map(|lines| lines.start().index())
    };
    let is_code = |index: &usize| {
        source.line(LineNumber::from_index(*index)).is_some_and(|line| !line.is_comment() && !line.is_blank())
    };
    let above = |start: usize| (0..start).rev().find(is_code).map_or(0, |code| code + 1);
    let own = begins(program).unwrap_or(0);
    let start = if program == 0 { 0 } else { above(own) };
    let other = divisions().filter(|division| division.name != "IDENTIFICATION");
    let other = other.map(|division| division.lines.start().index()).filter(|other| *other >= own).min();
    let next = begins(program + 1).filter(|next| *next > own).map(above);
    let end = [other, next].into_iter().flatten().min().unwrap_or(source.line_count());
    LineRange::from_indices(start..end).map(|range| source.lines_in(range).collect()).unwrap_or_default()
}

/// A line of the head.
struct HeadLine {
    number: LineNumber,
    /// Its words; empty for code and frames.
    text: String,
    /// The column of its first sign behind the frame.
    column: usize,
    /// Whether it separates blocks: code, or a frame.
    is_border: bool,
    /// Whether it is code.
    is_code: bool,
    /// Whether it ends with a colon, which announces what follows.
    announces: bool,
    /// Whether it begins with a colon, as the second line of a field does.
    is_value: bool,
    /// Whether it can never belong to a purpose.
    is_rejected: bool,
    /// Whether it stands in the block of a notice. Only a label lifts a text out of it.
    is_notice: bool,
}

/// What of the following lines belongs to a rejected line.
#[derive(Clone, Copy)]
enum Rejected {
    /// Nothing.
    Nothing,
    /// The lines of its paragraph.
    Paragraph,
    /// The lines of its block.
    Block,
    /// The lines of its block and of the next: the heading of a table or a log is framed.
    Table,
    /// The lines that begin in this column or behind it, as those of an identification entry do.
    Entry(usize),
}

/// The classified lines at the head of a program.
struct Head<'p> {
    words: SourceWords<'p>,
    parsed: &'p ParsedCobol,
    lines: Vec<HeadLine>,
}

impl<'p> Head<'p> {
    fn of(source: &'p SourceText, parsed: &'p ParsedCobol, program: usize) -> Self {
        let lines = program_lines(source, parsed, program);
        let mut head = Self { words: SourceWords::of(source), parsed, lines: Vec::with_capacity(lines.len()) };
        let mut in_remarks = false;
        for line in &lines {
            let is_code = !line.is_comment();
            // REMARKS is a comment entry: it continues in area B.
            in_remarks = is_code
                && (is_remarks(line.code()) || (in_remarks && !line.is_blank() && line.code().starts_with("    ")));
            let text = if is_code && !in_remarks { String::new() } else { words_of(line) };
            let body = if is_code { line.code() } else { line.visible().trim_start_matches(['*', '/', '>']) };
            head.lines.push(HeadLine {
                number: line.number(),
                text,
                column: line.visible().len() - body.trim_start().len(),
                is_border: !in_remarks && is_border(line),
                is_code: is_code && !in_remarks && !line.is_blank(),
                announces: line.visible().trim_end_matches(['*', ' ', '-', '=']).ends_with(':'),
                is_value: body.trim_start().starts_with(':'),
                is_rejected: false,
                is_notice: false,
            });
        }
        head.reject();
        for block in head.lines.chunk_by_mut(|a, b| !a.is_border && !b.is_border) {
            let holds_notice = block.iter().any(|line| is_notice(&line.text));
            block.iter_mut().for_each(|line| line.is_notice = holds_notice);
        }
        head
    }

    /// Marks the lines that can never belong to a purpose.
    fn reject(&mut self) {
        let mut rejected = Rejected::Nothing;
        for at in 0..self.lines.len() {
            let line = &self.lines[at];
            if line.is_border {
                let is_inside = matches!(rejected, Rejected::Entry(column) if !line.is_code && line.column >= column);
                rejected = match rejected {
                    Rejected::Table if !line.is_code => Rejected::Block,
                    inside if is_inside => inside,
                    _ => Rejected::Nothing,
                };
                continue;
            }
            if line.text.is_empty() {
                rejected = if matches!(rejected, Rejected::Paragraph) { Rejected::Nothing } else { rejected };
                continue;
            }
            let follows = match rejected {
                Rejected::Block | Rejected::Table => true,
                Rejected::Entry(column) => line.column >= column,
                Rejected::Paragraph => labelled_text(&line.text, TELLING_LABELS).is_none() && !is_entry(&line.text),
                Rejected::Nothing => false,
            };
            if !follows {
                let next = self.lines.get(at + 1).map_or("", |next| &next.text);
                rejected = if is_column_header(&line.text) {
                    Rejected::Table
                } else if is_history(&line.text) {
                    let is_heading = line.text.split(' ').count() <= WORDS_OF_A_HEADING;
                    if is_heading { Rejected::Table } else { Rejected::Block }
                } else if is_entry(&line.text) {
                    Rejected::Entry(line.column + INDENT_OF_ENTRY)
                } else if is_stamp(&line.text, next) || is_log_entry(&line.text) {
                    Rejected::Paragraph
                } else {
                    Rejected::Nothing
                };
            }
            let is_of_table = line.text.replace("||", "").contains('|');
            // A field's second line goes with its first.
            let above = at.checked_sub(1).map(|above| &self.lines[above]);
            let is_of_field = line.is_value
                && above.is_none_or(|above| {
                    above.is_rejected
                        || above.text.is_empty()
                        || (is_field(&above.text) && labelled_text(&above.text, TELLING_LABELS).is_none())
                });
            self.lines[at].is_rejected = is_of_table || is_of_field || !matches!(rejected, Rejected::Nothing);
        }
    }

    /// Returns the text behind a label, or below one that stands alone.
    fn labelled(&self, labels: &[&str]) -> Option<(String, LineNumber)> {
        self.lines.iter().enumerate().find_map(|(at, line)| {
            let rest = labelled_text(&line.text, labels).filter(|_| !line.is_rejected && !self.continues(at))?;
            if !rest.is_empty() {
                let rest = self.behind_own_name(rest);
                let is_text = self.is_clean(at) && is_telling(rest) && !is_stamp(rest, self.next(at));
                return is_text.then(|| self.quote(at, rest.to_owned()));
            }
            let is_below = |line: &HeadLine| line.is_code || !(line.text.is_empty() || self.is_its_name(&line.text));
            let below = at + 1 + self.lines[at + 1..].iter().position(is_below)?;
            let text = &self.lines[below].text;
            let is_text = text.contains(' ') && is_telling(text) && !is_field(text) && !self.is_label(below);
            (is_text && self.is_clean(below)).then(|| self.quote(below, text.clone()))
        })
    }

    /// Whether a line that begins like a label continues the sentence of the line above: `... THE INTRINSIC` and `FUNCTIONS: ACOS`.
    fn continues(&self, at: usize) -> bool {
        let text = &self.lines[at].text;
        let is_exact =
            label(text).is_some_and(|(label, _)| TELLING_LABELS.contains(&label.as_str()) && text.contains(':'));
        let above = at.checked_sub(1).map_or("", |above| &self.lines[above].text);
        let is_sentence =
            above.split(' ').count() >= WORDS_OF_A_TITLE && !above.ends_with('.') && label(above).is_none();
        is_sentence && !is_exact && !text.starts_with("REMARKS")
    }

    /// Returns the text after the program's name: `INTPOST - MONTHLY INTEREST POSTING`.
    fn behind_its_name(&self) -> Option<(String, LineNumber)> {
        self.lines.iter().enumerate().filter(|(_, line)| !line.is_rejected && !line.is_notice).find_map(|(at, line)| {
            let (name, rest) = line.text.split_once(' ')?;
            let name = name.trim_end_matches([':', '.', ',']);
            let is_named = self.parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
            let rest = rest.trim_start_matches(['-', ':', '=', '.', ' ']);
            (is_named && is_telling(rest) && !is_log_entry(rest)).then(|| self.quote(at, rest.to_owned()))
        })
    }

    /// Returns a title and the purpose below it, if both have labels and say different things.
    fn titled(&self) -> Option<(String, LineNumber)> {
        let ((title, line), (purpose, _)) = self.labelled(TITLE_LABELS).zip(self.labelled(TELLING_LABELS))?;
        (!purpose.contains(&title)).then(|| (format!("{}. {purpose}", title.trim_end_matches('.')), line))
    }

    /// Returns a title without the program's own name before it: `INTPOST (MONTHLY INTEREST)`.
    fn behind_own_name<'t>(&self, title: &'t str) -> &'t str {
        let Some((name, rest)) = title.split_once([' ', '(']) else { return title };
        let is_own = self.parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
        let rest = rest.trim_start_matches(['-', ':', ' ', '(']);
        let opens = |text: &str| text.matches('(').count();
        let rest = if opens(rest) < rest.matches(')').count() { rest.trim_end_matches([')', ' ']) } else { rest };
        if is_own && !rest.is_empty() { rest } else { title }
    }

    /// Returns the paragraph with a sentence about the program itself: `THIS PROGRAM POSTS THE ENTRIES OF THE DAY`.
    fn sentence_about_itself(&self) -> Option<(String, LineNumber)> {
        let is_sentence = |at: &usize| self.is_prose(*at) && self.is_about_itself(&self.lines[*at].text);
        let at = (0..self.lines.len()).find(is_sentence)?;
        let title = (0..at).find(|at| self.begins(*at));
        if title.and_then(|title| self.below_title(title, self.end_of_prose(title))) == Some(at) {
            return self.first_prose();
        }
        let before = (0..at).rev().take_while(|before| self.begins(*before)).count();
        let first = if before <= LINES_BEFORE_SENTENCE { at - before } else { at };
        Some(self.quote(first, self.lines[first].text.clone()))
    }

    /// Returns the first prose. The text below a title is more informative and follows it.
    fn first_prose(&self) -> Option<(String, LineNumber)> {
        let at = (0..self.lines.len()).find(|at| self.begins(*at))?;
        let mut end = self.end_of_prose(at);
        let mut own: Vec<String> = self.lines[at..end].iter().map(|line| line.text.clone()).collect();
        if let Some(below) = self.below_title(at, end) {
            end = self.end_of_prose(below);
            own.extend(self.lines[below..end].iter().map(|line| line.text.clone()));
        }
        Some((whole_sentences(&own, LINES_QUOTED, Some(&self.words)), self.lines[at].number))
    }

    /// Returns the first line of the prose below the lines of a title.
    fn below_title(&self, at: usize, end: usize) -> Option<usize> {
        let words: usize = self.lines[at..end].iter().map(|line| line.text.split(' ').count()).sum();
        let below = (end..self.lines.len()).find(|at| !self.lines[*at].text.is_empty())?;
        (words < WORDS_OF_A_TITLE && self.is_prose(below)).then_some(below)
    }

    /// Returns the line behind the prose that begins at a line.
    fn end_of_prose(&self, at: usize) -> usize {
        at + (at..self.lines.len()).take_while(|next| self.is_prose(*next)).count()
    }

    /// Quotes a text that begins in a line, with the lines that continue it.
    fn quote(&self, at: usize, first: String) -> (String, LineNumber) {
        let goes_on = |next: &usize| {
            let text = &self.lines[*next].text;
            // A dash may belong to the sentence.
            let is_label = label(text).is_some_and(|_| text.contains(':')) || self.is_label(*next);
            // What a hyphen divides is one word, however short its end.
            let is_rest = self.lines[*next - 1].text.ends_with('-') && !text.is_empty();
            (is_rest || is_telling(text)) && !self.lines[*next].is_rejected && !is_label && !self.is_above_table(*next)
        };
        let end = at + 1 + (at + 1..self.lines.len()).take_while(goes_on).count();
        let own = std::iter::once(first).chain(self.lines[at + 1..end].iter().map(|line| line.text.clone()));
        (whole_sentences(&own.collect::<Vec<_>>(), LINES_QUOTED, Some(&self.words)), self.lines[at].number)
    }

    /// Whether a line is the heading of a table.
    fn is_above_table(&self, at: usize) -> bool {
        let is_heading = self.lines[at].text.split(' ').all(|word| COLUMNS.contains(&word.to_uppercase().as_str()));
        is_heading && self.lines.get(at + 1).is_some_and(|next| next.is_rejected)
    }

    fn next(&self, at: usize) -> &str {
        self.lines.get(at + 1).map_or("", |next| &next.text)
    }

    /// Whether a line is not rejected and belongs to no notice by itself.
    fn is_clean(&self, at: usize) -> bool {
        !self.lines[at].is_rejected && !is_notice(&self.lines[at].text)
    }

    /// Whether a line is or begins with a known label.
    fn is_label(&self, at: usize) -> bool {
        let text = &self.lines[at].text;
        let known = |label: &str| TELLING_LABELS.contains(&label) || IGNORED_LABELS.contains(&label);
        !self.continues(at)
            && (label(text).is_some_and(|(label, _)| known(&label)) || labelled_text(text, TELLING_LABELS).is_some())
    }

    /// Whether a line can continue prose.
    fn is_prose(&self, at: usize) -> bool {
        let line = &self.lines[at];
        let upper = line.text.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
        !line.is_rejected
            && !line.is_notice
            && is_telling(&line.text)
            && !is_field(&line.text)
            && !IGNORED_LABELS.contains(&upper.as_str())
            && (labelled_text(&line.text, TELLING_LABELS).is_none() || self.continues(at))
            && !self.is_its_name(&line.text)
            && !upper.ends_with("DIVISION")
    }

    /// Whether prose can begin with a line: it has several words, and is no heading, no literal and no entry of a list.
    fn begins(&self, at: usize) -> bool {
        let line = &self.lines[at];
        let words = line.text.split(' ').count();
        let is_announcement = line.announces && words <= WORDS_OF_ANNOUNCEMENT && !self.is_about_itself(&line.text);
        let is_literal = |line: &HeadLine| line.text.starts_with('"');
        let follows_literal = at > 0 && is_literal(&self.lines[at - 1]);
        // An entry of a list has others beside it.
        let is_entry = |at: usize| self.lines.get(at).is_some_and(|line| entry_of_glossary(&line.text).is_some());
        let is_entry = is_entry(at) && (is_entry(at + 1) || at.checked_sub(1).is_some_and(is_entry));
        self.is_prose(at)
            && words > 1
            && !is_announcement
            && !is_literal(line)
            && !line.text.contains("->")
            && !follows_literal
            && !is_entry
    }

    /// Whether a comment only repeats the program's name.
    fn is_its_name(&self, text: &str) -> bool {
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '#' | '@' | '$'));
        let mut words = words.filter(|word| !word.is_empty()).peekable();
        words.next_if(|word| PROGRAMS.contains(&word.to_uppercase().as_str()));
        let is_own = |name: &str| self.parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
        words.next().is_some_and(is_own) && words.map(str::len).sum::<usize>() <= ENDING_OF_NAME
    }

    /// Whether a sentence says what the program does: `THIS PROGRAM`, `CE PROGRAMME`, `PROGRAM POSTER`.
    fn is_about_itself(&self, text: &str) -> bool {
        let upper = text.to_uppercase();
        let words: Vec<&str> = upper.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let is_own = |name: &&str| self.parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
        let is_subject = match words.as_slice() {
            [first, second, _, ..] if POINTING.contains(first) => PROGRAMS.contains(second),
            [first, second, _, ..] if PROGRAMS.contains(first) => is_own(second),
            ["THE", "FOLLOWING", third, _, ..] => PROGRAMS.contains(third),
            _ => false,
        };
        is_subject && !NOT_ITS_WORK.iter().any(|phrase| upper.contains(phrase))
    }
}

/// The longest ending of a file behind the name of its program, in bytes: `POSTER.CBL`.
const ENDING_OF_NAME: usize = 3;

/// Words that point at the program in whose source they stand.
const POINTING: &[&str] = &[
    "THIS", "ESTE", "ESTA", "CE", "CETTE", "DIESES", "DIESER", "QUESTO", "QUESTA", "THE", "LE", "EL", "O", "IL", "DAS",
];

/// Words for a program.
const PROGRAMS: &[&str] = &[
    "PROGRAM", "MODULE", "ROUTINE", "SUBROUTINE", "SUBPROGRAM", "SUB-PROGRAM", "SUBMODULE", "UTILITY", "PROGRAMA",
    "PROGRAMME", "PROGRAMM", "PROGRAMMA", "MODUL", "MODULO", "ROTINA", "RUTINA", "UNTERPROGRAMM", "SOUS-PROGRAMME",
    "SUBROTINA", "PGM",
];

/// What sentences about a program say that does not tell its work.
const NOT_ITS_WORK: &[&str] =
    &["FORMS PART", "FORM PART", "PART OF", "A COPY OF", "MUST BE", "SHOULD BE", "HAS BEEN", " WAS ", "PROPERTY OF"];

/// Returns the text behind a label that announces a purpose; empty if the label stands alone.
fn labelled_text<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    if is_label_alone(text, labels) {
        return Some("");
    }
    // A comment entry: `REMARKS. POSTS THE ENTRIES`, also without its period.
    if let Some((first, rest)) = text.split_once(' ') {
        let name = first.trim_end_matches('.');
        let is_entry = first.ends_with('.') || (name == "REMARKS" && rest.split(' ').count() > 2);
        if is_entry && is_label_name(name, labels) {
            return Some(rest.trim_start_matches([':', '-', '.', ' ']));
        }
    }
    label(text).filter(|(label, _)| is_label_name(label, labels)).map(|(_, rest)| rest)
}

/// Whether a line is a label that introduces the purpose, without text: `PURPOSE`, `O B J E T I V O`, `OBJECTIFS DU PROGRAMME`.
fn is_label_alone(text: &str, labels: &[&str]) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    if is_banner(text) {
        return is_label_name(&unspaced(text), labels);
    }
    let is_among = |word: &str, words: &[&str]| words.contains(&word.to_uppercase().as_str());
    let words: Vec<&str> = text.split(' ').collect();
    let is_tail = |word: &&&str| is_among(word, PROGRAMS) || is_among(word, SMALL_WORDS_OF_LABELS);
    let (name, tail) = words.split_at(words.len() - words.iter().rev().take_while(is_tail).count());
    is_label_name(text, labels)
        || (tail.len() > 1
            && tail.iter().any(|word| is_among(word, PROGRAMS))
            && is_label_name(&name.join(" "), labels))
}

/// Words between the label of a purpose and the word for a program.
const SMALL_WORDS_OF_LABELS: &[&str] =
    &["OF", "THE", "THIS", "DU", "DE", "DO", "DEL", "DES", "DELLA", "GENERAL", "GENERAUX", "GÉNÉRAUX"];

/// No label of a table has more characters, even behind a word for a program. Most lines have.
const LONGEST_LABEL: usize = 36;

/// Whether words are a label of a table, in the plural or behind a word for a program too: `OBJECTIFS`, `PROGRAM PURPOSE`.
fn is_label_name(words: &str, labels: &[&str]) -> bool {
    if words.chars().count() > LONGEST_LABEL {
        return false;
    }
    let upper = words.to_uppercase();
    let is_known =
        |name: &str| labels.contains(&name) || name.strip_suffix('S').is_some_and(|one| labels.contains(&one));
    let behind = upper.split_once([' ', '-']).filter(|(first, _)| PROGRAMS.contains(first));
    is_known(&upper) || behind.is_some_and(|(_, name)| is_known(name))
}

/// Whether code is the comment entry REMARKS.
fn is_remarks(code: &str) -> bool {
    code.trim_start().get(..8).is_some_and(|head| head.eq_ignore_ascii_case("REMARKS."))
}

/// The entries of the IDENTIFICATION DIVISION that do not tell the program's work.
const ENTRIES: &[&str] =
    &["PROGRAM-ID", "AUTHOR", "SECURITY", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "DATE-MODIFIED"];

/// Whether a comment is an entry of the IDENTIFICATION DIVISION: `AUTHOR. PABLO`, also with a number in front.
fn is_entry(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let first = text.split(' ').next().unwrap_or_default();
    let name = first.trim_end_matches(['.', ':']).to_uppercase();
    (ENTRIES.contains(&name.as_str()) || name.starts_with("DATE-COMP"))
        && (first.ends_with(['.', ':']) || first.contains('-') || first.len() == text.len())
}

/// Words of the headers of tables: change logs, lists of files.
const COLUMNS: &[&str] = &[
    "DATE", "AUTHOR", "CHANGE", "REQUEST", "PGMR", "PROGRAMMER", "DESCRIPTION", "OF", "VERSION", "EFFECTIVE", "NUMBER",
    "BY", "WHO", "WHEN", "REASON", "REF", "REV", "INITIALS", "COMMENT", "COMMENTS", "MAINTENANCE", "REQUIREMENT",
    "MODIFICATION", "TICKET", "DATA", "AUTOR", "DESCRICAO", "DESCRIÇÃO", "ALTERACAO", "FECHA", "DATUM", "NAME", "ID",
    "DDNAME", "DDNAMES", "I/O", "INCLUDE/BOOK", "INCLUDE", "BOOK", "LRECL", "ARQUIVO", "ARQUIVOS", "FILE", "MODIFIED",
    "CHANGED", "PROGRAMADOR", "ANALISTA", "RESPONSAVEL", "AUTEUR", "NO", "COMMENTAIRE", "COMMENTAIRES",
];

/// Whether a line consists of the headers of a table's columns.
fn is_column_header(text: &str) -> bool {
    let upper = text.to_uppercase();
    let words: Vec<&str> = upper.split([' ', '|']).filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    let is_column = |word: &&&str| COLUMNS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    let columns = words.iter().filter(is_column).count();
    words.len() >= 2 && columns == words.len() && !text.ends_with('.')
}

/// Words before the verb of a tool's stamp.
const BEFORE_STAMPS: &[&str] = &[
    "THIS", "THE", "PROGRAM", "PROGRAMA", "MODULE", "SOURCE", "CODE", "FILE", "COPYBOOK", "WAS", "IS", "HAS", "BEEN",
    "AUTOMATICALLY", "ORIGINALLY", "ORIGINALMENTE", "WRITTEN", "CODED", "CODIFICADO", "IN", "EM", "ASSEMBLER", "ESTE",
    "FOI", "COBOL", "AUTO",
];

/// How stamps of tools go on.
const STAMPS: &[&str] = &[
    "A GENERATED FILE", "CONVERTED BY", "CONVERTED FROM", "CONVERTED TO", "CONVERTED WITH", "CONVERTED USING",
    "CONVERTIDO", "CONVERSION DATE", "GENERATED BY", "GENERATED FROM", "GENERATED WITH", "GENERATED ON", "GERADO POR",
    "GENERE PAR", "GÉNÉRÉ PAR", "GENERIERT", "REVIEWED FOR", "TECTONICS", "VMOD=", "MICRO FOCUS SERVER",
];

/// Whether a line, with the next one, is the stamp of a tool: `PROGRAM CONVERTED BY COBOL CONVERSION AID`.
fn is_stamp(text: &str, next: &str) -> bool {
    let both = format!("{text} {next}").to_uppercase();
    // `POSTER.CBL IS GENERATED BY A TOOL`
    let named = both.split_once(' ').filter(|(_, behind)| behind.starts_with("IS ") || behind.starts_with("WAS "));
    let mut rest = named.map_or(both.as_str(), |(_, behind)| behind);
    loop {
        if STAMPS.iter().any(|stamp| rest.starts_with(stamp)) {
            return true;
        }
        match rest.split_once(' ') {
            Some((first, behind)) if BEFORE_STAMPS.contains(&first.trim_end_matches(',')) => rest = behind,
            _ => return false,
        }
    }
}

/// Words of labels that name a person, a date or the program itself.
const WORDS_OF_FIELDS: &[&str] = &[
    "ANALISTA", "AUTHOR", "AUTOR", "AUTEUR", "PROGRAMADOR", "PROGRAMMER", "DATE", "DATA", "DATUM", "FECHA", "VERSION",
    "ORIGINAL", "CREATED", "WRITTEN", "LAST", "NOM", "NOME", "NOMBRE", "INPUT", "OUTPUT", "FILES", "CALLS", "CALLED",
    "ENTRADA", "SAIDA", "ARQUIVOS",
];

/// Whether a line is a label with its value: `ANALISTA CPM : J. DOE`, `Element : aka5of.cob`.
fn is_field(text: &str) -> bool {
    let Some((label, value)) = label(text) else {
        // `PROGRAMADOR......J. DOE`
        let leader = text.split_once("...");
        return leader.is_some_and(|(name, _)| IGNORED_LABELS.contains(&name.trim().to_uppercase().as_str()));
    };
    let first = label.split(' ').next().unwrap_or_default();
    let is_short = !value.contains(' ') && !value.is_empty();
    IGNORED_LABELS.contains(&label.as_str()) || (text.contains(':') && (WORDS_OF_FIELDS.contains(&first) || is_short))
}

/// Whether a line separates comment blocks: code, or a frame line.
fn is_border(line: &SourceLine<'_>) -> bool {
    let text = line.visible().trim();
    !line.is_comment() || (text.len() >= 20 && !text.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests;
