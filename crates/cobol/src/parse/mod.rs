//! Structure: units, divisions, sections, and the dispatch to the parsers of their contents.
//!
//! The recovery contract: the parser reads any input to its end. It recognizes a header everywhere, also after a sentence
//! without a period, so that an error costs at most its own sentence. Text outside every division (a
//! copybook, a fragment) is parsed by the form of each entry.

mod blocks;
mod boundaries;
mod branches;
mod candidates;
mod clauses;
mod cursors;
mod data;
mod environment;
mod exec;
pub(crate) mod grammar;
mod incomplete;
mod layout;
mod macros;
mod picture;
mod procedure;
mod redefinitions;
mod scopes;
mod screen_fields;
mod sql;
mod statement_uses;
mod units;
mod usage;

use crate::control_flow;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lex::token::TokenKind;
use crate::model::{CopybookReference, ParseOptions, ParsedCobol};
use crate::stream::{CopybookLibrary, ExpandedCopy, Token, TokenStream};
use crate::{LexedSource, reserved_words, tested_literals};
use foldhash::{HashMap, HashMapExt, HashSet};
use grammar::{Tokens, unquoted};
use std::cell::OnceCell;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// Parses a source with copybooks from the library, with the default options.
pub fn parse(source: &Arc<LexedSource>, library: &dyn CopybookLibrary) -> ParsedCobol {
    parse_with(source, library, &ParseOptions::default())
}

/// Parses a source with copybooks from the library.
pub fn parse_with(source: &Arc<LexedSource>, library: &dyn CopybookLibrary, options: &ParseOptions) -> ParsedCobol {
    parse_once(Arc::clone(source), library, options)
}

/// Parses a source that the caller no longer needs: its tokens are freed before the largest results are built.
pub fn parse_once(source: Arc<LexedSource>, library: &dyn CopybookLibrary, options: &ParseOptions) -> ParsedCobol {
    let mut stream = TokenStream::of(source, library);
    let (texts, words) = (stream.texts(), std::mem::take(&mut stream.words));
    let tokens = stream.tokens(&texts, &words);
    stream.release();
    let source = stream.main();
    let mut parser = Parser::new(&source, &stream, Tokens::of(&tokens));
    parser.run();
    let programs = parser.programs_of_copies();
    let (mut out, mut data) = parser.finish();
    // The layout needs no words.
    drop(tokens);
    drop((texts, words));
    layout::compute_layout(&mut out.data_items, &mut data.shapes, &data.renames, options.pointer_bytes);
    data::set_record_lengths(&mut out.files, &out.data_items);
    data::keep_declared_paths(&mut out.files, &out.data_items);
    // Diagnostics of copybook expansion are moved, not copied: a source may name thousands of copybooks.
    let of_parser = std::mem::replace(&mut out.diagnostics, stream.diagnostics);
    out.diagnostics.extend(of_parser);
    let copies = stream.copies.into_iter().zip(programs);
    out.copies = copies.map(|(found, program)| CopybookReference { program, ..found.copy }).collect();
    control_flow::find_ending_macros(&mut out);
    let unreached = control_flow::diagnostics(&out);
    out.diagnostics.extend(unreached);
    let incomplete = incomplete::diagnostics(&out);
    out.diagnostics.extend(incomplete);
    out.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    candidates::add_initial_values(&mut out);
    candidates::keep_reaching(&mut out);
    tested_literals::keep_tested(&mut out);
    out
}

/// The state of the parser.
struct Parser<'t, 's> {
    source: &'t LexedSource,
    stream: &'t TokenStream,
    tokens: Tokens<'t, 's>,
    at: usize,
    out: ParsedCobol,
    place: ParserContext,
    /// Programs that have begun and not ended, innermost last.
    open_programs: Vec<usize>,
    /// The positions of the open programs with each name in that list, innermost last.
    open_names: HashMap<String, Vec<usize>>,
    /// The tokens of `END PROGRAM` for each program name, last first.
    program_ends: HashMap<String, Vec<usize>>,
    /// The lines of END PROGRAM for each unit that it ended.
    ended: HashMap<usize, LineRange>,
    unit_headers: Vec<UnitHeader>,
    marks: boundaries::BoundaryMap,
    data: data::DataDivisionState,
    /// The files of the source by program and name.
    files: HashMap<(Option<usize>, String), usize>,
    /// The scopes of the current sentence.
    scopes: scopes::ScopeStack,
    /// The stream position at which each program begins, to assign copies to programs.
    program_starts: Vec<(usize, usize)>,
    sentences: SentenceStats,
    /// The labels that statements anywhere in the source lead to, once they are asked for.
    named_labels: OnceCell<HashSet<String>>,
    /// The number of the stream's copies that begin before the cursor.
    passed_copies: usize,
    /// Whether the fragment begins in the middle of a sentence.
    begins_in_sentence: bool,
}

/// Sentence counts, which distinguish prose from COBOL: a COBOL sentence begins with a verb.
#[derive(Debug, Clone, Copy, Default)]
struct SentenceStats {
    all: usize,
    without_verb: usize,
}

impl SentenceStats {
    /// Returns whether most sentences cannot be COBOL. A copybook's first sentence may begin in the middle.
    fn are_prose(self) -> bool {
        self.without_verb > 1 && self.without_verb * 2 > self.all
    }
}

/// The context of the next entry.
#[derive(Debug, Clone, Copy, Default)]
struct ParserContext {
    program: Option<usize>,
    division: Option<&'static str>,
    section: Option<usize>,
    paragraph: Option<usize>,
    /// The token of the header of the division or section.
    header: Option<usize>,
}

/// A header in the file itself; the units before it end there.
#[derive(Debug, Clone, Copy)]
struct UnitHeader {
    line: LineNumber,
    /// Whether it begins its line; otherwise the units before it extend onto that line.
    opens: bool,
    level: UnitLevel,
    index: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnitLevel {
    Program,
    Division,
    Section,
    Paragraph,
}

impl<'t, 's> Parser<'t, 's> {
    fn new(source: &'t LexedSource, stream: &'t TokenStream, tokens: Tokens<'t, 's>) -> Self {
        let mut program_ends: HashMap<String, Vec<usize>> = HashMap::new();
        for at in (0..tokens.len()).rev() {
            if is_end_program(tokens, at)
                && let Some(name) = tokens.get(at + 2)
            {
                program_ends.entry(unquoted(name.text).to_uppercase()).or_default().push(at);
            }
        }
        Self {
            source,
            stream,
            tokens,
            at: 0,
            out: ParsedCobol::default(),
            place: ParserContext::default(),
            open_programs: Vec::new(),
            open_names: HashMap::new(),
            program_ends,
            ended: HashMap::new(),
            unit_headers: Vec::new(),
            marks: boundaries::BoundaryMap::new(source.line_count),
            data: data::DataDivisionState::default(),
            files: HashMap::new(),
            scopes: scopes::ScopeStack::default(),
            program_starts: Vec::new(),
            sentences: SentenceStats::default(),
            named_labels: OnceCell::new(),
            passed_copies: 0,
            begins_in_sentence: false,
        }
    }

    fn run(&mut self) {
        self.skip_to_first_program();
        while let Some(token) = self.peek(0) {
            let before = self.at;
            self.mark_copies();
            if self.division_header() || self.unit_header() || self.end_program() {
                continue;
            }
            match self.place.division {
                Some("PROCEDURE") => self.procedure_entry(),
                Some("DATA") => self.data_entry(),
                Some("ENVIRONMENT") => self.environment_entry(),
                Some(_) => self.at += 1,
                None => self.fragment_entry(token),
            }
            debug_assert!(self.at > before, "every entry takes a token");
        }
    }

    /// Skips what comes before the IDENTIFICATION DIVISION of the first program: no compiler reads statements there. A source whose first header is
    /// another begins with the rest of a program.
    fn skip_to_first_program(&mut self) {
        let Some(first) = (0..self.tokens.len()).find(|at| self.is_header(*at)).filter(|first| *first > 0) else {
            return;
        };
        let Some(token) = self.tokens.get(first) else { return };
        let is_program = reserved_words::is_unit_keyword(token.text)
            || reserved_words::division(token.text) == Some("IDENTIFICATION");
        if !is_program {
            return;
        }
        let before =
            self.tokens.iter().take(first).find(|token| token.file == 0 && token.kind != TokenKind::MissingCopy);
        if let Some(before) = before.copied() {
            let message = "what comes before the IDENTIFICATION DIVISION is no code and is not read";
            self.diagnose(before, Severity::Note, "before-program", message);
        }
        self.at = first;
    }

    /// Records the COPY statements of the file between entries: a file can be cut before each.
    fn mark_copies(&mut self) {
        while let Some(found) = self.stream.copies.get(self.passed_copies).filter(|found| found.at <= self.at) {
            self.passed_copies += 1;
            let opens_line = found.copy.file.is_none() && found.first;
            if found.at == self.at && opens_line {
                let in_procedure = self.place.division == Some("PROCEDURE");
                let seam = if in_procedure { crate::BoundaryLevel::Sentence } else { crate::BoundaryLevel::Paragraph };
                self.marks.mark_line(found.copy.lines.start(), seam);
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + ahead).copied()
    }

    /// Returns a token before the cursor.
    fn back(&self, by: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at.checked_sub(by)?).copied()
    }

    /// Returns whether a division, unit or END PROGRAM header begins at this token: no sentence extends past it.
    fn is_header(&self, at: usize) -> bool {
        let is_word = |token: &&Token<'_>| token.kind == TokenKind::Word && token.may_be_header();
        let Some(token) = self.tokens.get(at).filter(is_word) else { return false };
        let next = self.tokens.get(at + 1);
        self.is_division_header(at)
            || (token.first
                && reserved_words::is_unit_keyword(token.text)
                && next.is_some_and(|next| next.kind != TokenKind::Symbol))
            || is_end_program(self.tokens, at)
    }

    /// Matches `DATA DIVISION` followed by a period, a phrase of the header, another header, or a new line; prose would continue on the same line.
    fn is_division_header(&self, at: usize) -> bool {
        let (Some(token), Some(next)) = (self.tokens.get(at), self.tokens.get(at + 1)) else { return false };
        if token.kind != TokenKind::Word || !next.is("DIVISION") || reserved_words::division(token.text).is_none() {
            return false;
        }
        if !(token.may_be_header() && next.may_be_header()) {
            return false;
        }
        let Some(behind) = self.tokens.get(at + 2) else { return true };
        behind.kind != TokenKind::Word
            || behind.first
            || behind.file != next.file
            || behind.is_any(&["USING", "CHAINING", "RETURNING", "GIVING"])
            || reserved_words::is_unit_keyword(behind.text)
            || self.tokens.get(at + 3).is_some_and(|word| word.is_any(&["SECTION", "DIVISION"]))
    }

    /// Returns the token or, if a copybook contains it, the COPY in the file itself: programs belong to the file.
    fn in_own_file(&self, token: Token<'s>) -> Token<'s> {
        match self.outermost_copy().filter(|_| token.file != 0) {
            Some(found) => {
                let lines = found.copy.lines;
                Token { file: 0, line: lines.start(), end_line: lines.end(), ..token }
            }
            None => token,
        }
    }

    /// Returns the file's own COPY that leads to the token at the cursor, if there is one.
    fn outermost_copy(&self) -> Option<&'t ExpandedCopy> {
        let copies = &self.stream.copies;
        let last = copies.partition_point(|found| found.at <= self.at).checked_sub(1)?;
        Some(&copies[copies[last].outermost])
    }

    /// Parses an entry outside every division by its first word.
    fn fragment_entry(&mut self, token: Token<'s>) {
        let next_is = |word: &str| self.peek(1).is_some_and(|next| next.is(word));
        let ends = self.peek(1).is_some_and(|next| next.kind == TokenKind::Period);
        let level = data::parse_level(&token).is_some() && !ends;
        let heads = reserved_words::division_of_section(token.text).filter(|_| next_is("SECTION"));
        let heads =
            heads.or(Some("ENVIRONMENT").filter(|_| ends && reserved_words::is_environment_paragraph(token.text)));
        if level || token.is_any(&["FD", "SD", "RD"]) || self.data.in_entry_of_fragment(&token) {
            self.data_entry();
        } else if token.is("SELECT") {
            self.environment_entry();
        } else if let Some(division) = heads {
            // The following entries are parsed as if the division header were present.
            self.place.division = Some(division);
            if division == "DATA" { self.data_entry() } else { self.environment_entry() }
        } else if self.ends_foreign_sentence(&token) {
            self.begins_in_sentence = true;
            self.at += 2;
        } else {
            self.procedure_entry();
        }
    }

    /// Returns whether a fragment begins with the last word of a sentence in the program that copies it: `PROCEDURE DIVISION USING COPY
    /// X.` A label looks the same, but labels begin in area A, or the statements below do not begin left of it.
    fn ends_foreign_sentence(&self, token: &Token<'s>) -> bool {
        let ends = self.peek(1).is_some_and(|next| next.kind == TokenKind::Period);
        let is_under = |next: Token<'s>| next.first && next.column >= token.column;
        let in_area_b = self.source.is_fixed && token.column > 11;
        self.at == 0
            && ends
            && in_area_b
            && token.kind == TokenKind::Word
            && !self.peek(2).is_some_and(is_under)
            && !reserved_words::is_verb(token.text)
            && token.file == 0
    }

    fn skip_period(&mut self) {
        if self.peek(0).is_some_and(|token| token.kind == TokenKind::Period) {
            self.at += 1;
        }
    }

    fn diagnose(&mut self, token: Token<'s>, severity: Severity, code: &'static str, message: &str) {
        let line = (token.file == 0).then_some(token.line);
        self.out.diagnostics.push(Diagnostic { severity, code, line, message: message.to_owned() });
    }

    /// Returns the results, and the state needed to place the data items.
    fn finish(mut self) -> (ParsedCobol, data::DataDivisionState) {
        self.name_programs();
        self.close_units();
        procedure::find_operands(&mut self.out);
        statement_uses::collect_uses(&mut self.out);
        // A copybook among the data of the program declares no file.
        let declares_files = |found: &&ExpandedCopy| {
            let mut sections = self.out.sections.iter().filter(|section| section.file.is_none());
            sections.any(|section| {
                matches!(section.name.as_str(), "INPUT-OUTPUT" | "FILE") && section.lines.covers(found.copy.lines)
            })
        };
        let missing =
            self.stream.copies.iter().filter(|found| found.copy.resolved.is_none() && found.copy.file.is_none());
        let missing = missing.filter(declares_files);
        let missing: Vec<String> = missing.map(|found| found.copy.name.clone()).collect();
        if !missing.is_empty() {
            procedure::declare_used_files(&mut self.out, &missing);
        }
        procedure::resolve_file_uses(&mut self.out);
        cursors::resolve_cursors(&mut self.out);
        cursors::add_handlers(&mut self.out);
        candidates::resolve_candidates(&mut self.out);
        self.judge();
        self.out.boundaries = self.marks.into_boundaries(&self.source.comment_lines);
        (self.out, self.data)
    }

    /// Adds a diagnostic about the kind of source if it is not a complete program.
    fn judge(&mut self) {
        let out = &self.out;
        let nothing = out.data_items.is_empty()
            && out.paragraphs.is_empty()
            && out.statements.is_empty()
            && out.files.is_empty()
            && self.place.division.is_none();
        let (code, message) = if self.sentences.are_prose() {
            ("not-cobol", "it does not read as COBOL")
        } else if nothing && !self.begins_in_sentence && out.programs.is_empty() && self.stream.copies.is_empty() {
            let message = match self.tokens.get(0) {
                None => "it has no code, only comments",
                Some(_) => "no statement, item or header was recognised",
            };
            ("no-structure", message)
        } else if out.programs.is_empty() && out.divisions.is_empty() {
            ("fragment", "no program: read as a copybook")
        } else {
            return;
        };
        if self.source.line_count > 0 {
            self.out.diagnostics.push(Diagnostic::note(code, LineNumber::FIRST, message));
        }
    }

    fn name_programs(&mut self) {
        let stem = self.source.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default().to_uppercase();
        for program in self.out.programs.iter_mut().filter(|program| program.name.is_empty()) {
            program.name.clone_from(&stem);
            program.is_named = false;
            let message = format!("a program without PROGRAM-ID is called `{stem}` after its file");
            self.out.diagnostics.push(Diagnostic::warning("no-program-name", program.lines.start(), message));
        }
    }

    /// Ends the units: each extends to the line before the next header of its own or a higher level, or before that header's comment
    /// banner, or to that header's own line if the unit still has words on it.
    fn close_units(&mut self) {
        let Some(all) = LineRange::from_indices(0..self.source.line_count) else { return };
        let comments = &self.source.comment_lines;
        let headers = std::mem::take(&mut self.unit_headers);
        let mut next = [None::<LineNumber>; 4];
        let mut above = None;
        let mut order: Vec<&UnitHeader> = headers.iter().collect();
        order.sort_by_key(|header| (header.line, header.level));
        for header in order.into_iter().rev() {
            let limit = next[..=header.level as usize].iter().flatten().min().copied();
            let mut end = limit.unwrap_or(all.end());
            let ended = match header.level {
                UnitLevel::Program => self.ended.get(&header.index),
                UnitLevel::Division => self.out.divisions[header.index].program.and_then(|p| self.ended.get(&p)),
                UnitLevel::Section => self.out.sections[header.index].program.and_then(|p| self.ended.get(&p)),
                UnitLevel::Paragraph => self.out.paragraphs[header.index].program.and_then(|p| self.ended.get(&p)),
            };
            if let Some(ended) = ended {
                // A program's parts end before its END PROGRAM; the program ends with it.
                let before = ended.start().previous().unwrap_or(ended.start());
                end = if header.level == UnitLevel::Program { ended.end() } else { end.min(before) };
            }
            let lines = LineRange::spanning(header.line, end.max(header.line));
            match header.level {
                UnitLevel::Program => self.out.programs[header.index].lines = lines,
                UnitLevel::Division => self.out.divisions[header.index].lines = lines,
                UnitLevel::Section => self.out.sections[header.index].lines = lines,
                UnitLevel::Paragraph => self.out.paragraphs[header.index].lines = lines,
            }
            // Many headers may be on one line, below one long banner.
            let before = match above {
                Some((line, before)) if line == header.line => before,
                _ => boundaries::banner(header.line, comments).previous().unwrap_or(header.line),
            };
            above = Some((header.line, before));
            next[header.level as usize] = Some(if header.opens { before } else { header.line });
        }
        self.begin_programs_at_their_banners(all);
    }

    /// The first program begins with the file; any other with the comments and cards before its header.
    fn begin_programs_at_their_banners(&mut self, all: LineRange) {
        let comments = &self.source.comment_lines;
        for (index, program) in self.out.programs.iter_mut().enumerate() {
            let start = if index == 0 { all.start() } else { boundaries::banner(program.lines.start(), comments) };
            program.lines = LineRange::spanning(start, program.lines.end());
        }
    }

    /// Returns the program that contains each COPY.
    fn programs_of_copies(&self) -> Vec<Option<usize>> {
        let program = |found: &ExpandedCopy| {
            let begun = self.program_starts.partition_point(|(at, _)| *at <= found.at);
            begun.checked_sub(1).map(|last| self.program_starts[last].1)
        };
        self.stream.copies.iter().map(program).collect()
    }
}

pub(crate) fn is_end_program(tokens: Tokens<'_, '_>, at: usize) -> bool {
    let is = |ahead: usize, words: &[&str]| tokens.get(at + ahead).is_some_and(|token| token.is_any(words));
    tokens.get(at).is_some_and(|token| token.is("END") && token.may_be_header())
        && is(1, &reserved_words::UNITS)
        && tokens.get(at + 2).is_some_and(|name| matches!(name.kind, TokenKind::Word | TokenKind::Literal))
}
