//! The PROCEDURE DIVISION: headers, sentences, and the scopes of the statements in them.
//!
//! ```text
//! header    = name "SECTION" [ segment ] "." | name "."
//! sentence  = { statement } "."
//! statement = verb { operand } { branch }
//! branch    = condition { statement }
//! ```

use super::grammar::{Tokens, identifier, parse_clause, unquoted};
use super::macros::has_macro_sign;
use super::scopes::ScopeStack;
use super::{Parser, ParserContext, UnitLevel, exec};
use crate::code::WordSpan;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lex::token::TokenKind;
use crate::model::{
    BoundaryLevel, BranchKind, FileControl, FileUse, MAIN_LINE, Paragraph, ParagraphHead, ParsedCobol, Statement,
    UNKNOWN_ORGANIZATION,
};
use crate::operands::{self, OperandRole};
use crate::reserved_words;
use crate::stream::Token;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeSet;
use war_rig_text::LineRange;

impl<'t, 's> Parser<'t, 's> {
    /// Parses `PROCEDURE DIVISION USING A B.` from its first word to its period.
    pub(super) fn procedure_parameters(&mut self) {
        let mut parameters = Vec::new();
        let mut using = false;
        let (header, division) = (self.back(2), self.back(1));
        let (Some(header), Some(division)) = (header, division) else { return };
        let mut end = division.end_line;
        while let Some(token) = self.peek(0) {
            let over =
                token.kind == TokenKind::Period || self.is_header(self.at) || reserved_words::is_verb(token.text);
            if over || token.kind == TokenKind::Exec {
                break;
            }
            // A label: the header has no period, or the copybook with its parameters has none.
            let expects_name = using && self.back(1).is_some_and(|before| before.file == token.file);
            if token.in_area_a() && self.is_label(self.at) && !expects_name {
                break;
            }
            // After a missing copybook it is unknown whether the header has ended.
            if token.kind == TokenKind::MissingCopy {
                self.at += 1;
                break;
            }
            if token.is("USING") {
                using = true;
            } else if token.is_any(&["RETURNING", "GIVING"]) {
                using = false;
            } else if using && token.kind == TokenKind::Word && !token.is_any(&["BY", "REFERENCE", "VALUE", "OPTIONAL"])
            {
                parameters.push(token.upper());
            }
            if token.file == header.file {
                end = token.end_line;
            }
            self.at += 1;
        }
        if let Some(program) = self.place.program {
            self.out.programs[program].parameters = parameters;
            self.out.programs[program].entry_lines = (header.file == 0).then(|| LineRange::spanning(header.line, end));
        }
    }

    /// Parses one entry of the PROCEDURE DIVISION: a header or a sentence.
    pub(super) fn procedure_entry(&mut self) {
        let (Some(token), next) = (self.peek(0), self.peek(1)) else { return };
        if token.kind == TokenKind::Period || token.kind == TokenKind::MissingCopy {
            self.at += 1;
        } else if token.first && token.text.starts_with('*') {
            self.misplaced_comment(token);
        } else if token.is("DECLARATIVES") || (token.is("END") && next.is_some_and(|next| next.is("DECLARATIVES"))) {
            let begins = self.at;
            self.at += if token.is("END") { 2 } else { 1 };
            if let Some(program) = self.place.program.filter(|_| token.is("END")) {
                self.out.programs[program].after_declaratives = Some(self.out.paragraphs.len());
                let place = self.place;
                self.place = ParserContext { section: None, paragraph: None, header: Some(begins), ..place };
            }
            self.skip_period();
        } else if self.is_section_header(self.at) {
            self.begin_section(token);
            self.at += 2;
            while self.peek(0).is_some_and(|token| token.text.bytes().all(|b| b.is_ascii_digit())) {
                self.at += 1;
            }
            self.skip_period();
        } else if self.is_label(self.at) {
            self.begin_paragraph(token);
            self.at += 2;
        } else {
            self.sentence(token);
        }
    }

    /// Skips a line that begins with an asterisk where a sentence begins: it was meant as a comment, and what follows it is code.
    fn misplaced_comment(&mut self, token: Token<'s>) {
        let is_on_line = |next: &Token<'s>| next.line == token.line && next.file == token.file;
        while self.peek(0).is_some_and(|next| is_on_line(&next)) {
            self.at += 1;
        }
        let message = "a line begins with an asterisk where a compiler expects a statement; it is taken as a comment";
        let line = self.in_own_file(token).line;
        self.out.diagnostics.push(Diagnostic::warning("misplaced-comment", line, message));
    }

    /// Matches `NAME SECTION.` or `NAME SECTION 50.`
    fn is_section_header(&self, at: usize) -> bool {
        let kind_of = |ahead: usize| self.tokens.get(at + ahead).map(|token| token.kind);
        let numbered = || self.tokens.get(at + 2).is_some_and(|token| token.text.bytes().all(|b| b.is_ascii_digit()));
        let ends = match kind_of(2) {
            Some(TokenKind::Period) => true,
            Some(TokenKind::Word) => numbered() && kind_of(3) == Some(TokenKind::Period),
            _ => false,
        };
        ends && self.can_be_label(at)
            && self.tokens.get(at + 1).is_some_and(|next| next.is("SECTION") && next.may_be_header())
    }

    fn can_be_label(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            let is_macro = || !(self.source.is_fixed && token.in_area_a() || self.is_marked_name(*token));
            token.kind == TokenKind::Word
                && token.may_be_header()
                && reserved_words::can_be_label(token.text)
                && !(has_macro_sign(token.text) && is_macro())
        })
    }

    fn is_label(&self, at: usize) -> bool {
        self.can_be_label(at) && self.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Period)
    }

    /// Returns whether a header is here although the sentence before it has no period: after a block or copybook whose end is
    /// unknown, a label in area A that begins its line; also any section header that begins its line, and a label that statements lead to and no item
    /// has, where no operand is awaited.
    fn is_header_in_sentence(&self, at: usize) -> bool {
        let (Some(token), Some(before)) = (self.tokens.get(at), self.tokens.before(at)) else { return false };
        if !token.in_area_a() || token.kind != TokenKind::Word {
            return false;
        }
        let closed = matches!(before.kind, TokenKind::Exec | TokenKind::MissingCopy)
            || reserved_words::scope_end(before.text).is_some()
            || before.is_any(&["EXIT", "GOBACK", "CONTINUE"]);
        self.is_section_header(at) || (self.is_label(at) && (closed || self.is_known_label(*token, *before)))
    }

    /// Whether a word in area A that a period follows can only be a label.
    fn is_known_label(&self, token: Token<'s>, before: Token<'s>) -> bool {
        let ends_an_operand = match before.kind {
            TokenKind::Word => reserved_words::may_end_statement(before.text),
            TokenKind::Symbol => before.is_symbol(")"),
            kind => kind == TokenKind::Literal,
        };
        let name = token.upper();
        self.source.is_fixed
            && ends_an_operand
            && self.named_labels.get_or_init(|| named_labels(self.tokens)).contains(&name)
            && !self.out.data_items.iter().any(|item| item.name == name)
    }

    fn begin_paragraph(&mut self, token: Token<'s>) {
        self.sentences.all += 1;
        let index = self.add_paragraph(ParagraphHead::Label, token.upper(), token);
        self.header(token, UnitLevel::Paragraph, index);
    }

    fn add_paragraph(&mut self, head: ParagraphHead, name: String, token: Token<'s>) -> usize {
        let section = self.section_here();
        self.out.paragraphs.push(Paragraph {
            head,
            name,
            lines: LineRange::single(token.line),
            section,
            program: self.place.program,
            file: self.stream.file_name(token.file),
        });
        let index = self.out.paragraphs.len() - 1;
        self.place.paragraph = Some(index);
        index
    }

    /// Returns the section of the PROCEDURE DIVISION at the cursor.
    fn section_here(&self) -> Option<usize> {
        self.place.section.filter(|section| self.out.sections[*section].division == "PROCEDURE")
    }

    /// Begins the paragraph of statements without a label, with the header above them; ENTRY begins another one. USE
    /// belongs to the header.
    fn begin_unlabelled(&mut self, token: Token<'s>, verb: Verb) {
        let current = self.place.paragraph.map(|paragraph| self.out.paragraphs[paragraph].head);
        let (head, header, name) = match (current, verb) {
            (Some(ParagraphHead::Label), _) | (None, Verb::Use) => return,
            (_, Verb::Entry) => {
                let name = self.peek(1).map(|name| unquoted(name.text).to_uppercase());
                (ParagraphHead::Entry, token, name.unwrap_or_default())
            }
            (Some(_), _) => return,
            (None, _) => {
                let header = self.place.header.and_then(|at| self.tokens.get(at).copied()).unwrap_or(token);
                match self.section_here() {
                    Some(section) => (ParagraphHead::Section, header, self.out.sections[section].name.clone()),
                    None => (ParagraphHead::Division, header, MAIN_LINE.to_owned()),
                }
            }
        };
        let index = self.add_paragraph(head, name, header);
        self.begins_unit(header, UnitLevel::Paragraph, index);
    }

    fn sentence(&mut self, first: Token<'s>) {
        self.marks.mark(&first, BoundaryLevel::Sentence);
        self.sentences.all += 1;
        if first.is("NOTE") && self.begins_statement(first) {
            self.note();
            return;
        }
        let begins = first.kind == TokenKind::Exec
            || reserved_words::is_verb(first.text)
            || reserved_words::scope_end(first.text).is_some()
            || self.begins_macro(first)
            || self.service_length(first).is_some();
        self.sentences.without_verb += usize::from(!begins);
        let goes_on =
            self.back(1).is_none_or(|before| before.kind == TokenKind::MissingCopy || before.file != first.file);
        // Ends of units without PROGRAM-ID, notes of old compilers, and directives.
        let is_no_sentence = first.is_any(&["END", "ENTER", "CBL", "PROCESS", "BASIS"]);
        if !begins && !goes_on && !is_no_sentence && first.file == 0 && self.place.program.is_some() {
            let message =
                "a sentence begins with no statement that is known: what stands before its first statement is left out";
            self.diagnose(first, Severity::Warning, "no-statement", message);
        }
        // The stacks of the last sentence are reused, so that not every sentence allocates memory.
        let mut scopes = std::mem::take(&mut self.scopes);
        let start = self.at;
        while let Some(token) = self.peek(0) {
            if token.kind == TokenKind::Period {
                self.at += 1;
                break;
            }
            if self.is_header(self.at) || (self.at > start && self.is_header_in_sentence(self.at)) {
                self.diagnose(
                    token,
                    Severity::Warning,
                    "missing-period",
                    "a header stands behind a sentence that has no period",
                );
                break;
            }
            self.sentence_token(token, &mut scopes);
            self.extend_fragment_paragraph(token);
        }
        let last = self.back(1).unwrap_or(first);
        self.close_above(&mut scopes, 0, last);
        scopes.clear();
        self.scopes = scopes;
    }

    /// Passes over NOTE, a comment of COBOL-68: its sentence or, as the first of a paragraph, all of the paragraph.
    fn note(&mut self) {
        let last = self.out.statements.last().and_then(|statement| statement.paragraph);
        let is_whole = self.place.paragraph.is_some_and(|paragraph| last != Some(paragraph));
        let ends = |this: &Self| {
            let is_end = this.peek(0).is_none_or(|token| token.is("END"));
            this.is_header(this.at) || (is_end && this.peek(1).is_none_or(|next| next.is("DECLARATIVES")))
        };
        loop {
            while let Some(token) = self.peek(0).filter(|_| !ends(self)) {
                self.extend_fragment_paragraph(token);
                self.at += 1;
                if token.kind == TokenKind::Period {
                    break;
                }
            }
            let begins = self.is_label(self.at) || self.is_section_header(self.at);
            if !is_whole || begins || self.peek(0).is_none() || ends(self) {
                return;
            }
        }
    }

    /// Whether a word is the ELSE of COBOL-68, and no name or value.
    fn is_otherwise(&self, token: Token<'s>, scopes: &ScopeStack) -> bool {
        token.is("OTHERWISE")
            && scopes.into_branch.is_none()
            && scopes.awaits_else()
            && self.peek(1).is_some_and(|next| next.kind == TokenKind::Exec || reserved_words::is_verb(next.text))
    }

    /// Extends a paragraph in a copybook to the last of its words there.
    fn extend_fragment_paragraph(&mut self, token: Token<'s>) {
        if token.file == 0 {
            return;
        }
        if let Some(paragraph) = self.place.paragraph {
            let paragraph = &mut self.out.paragraphs[paragraph];
            if paragraph.file.as_deref() == self.stream.name(token.file) && paragraph.lines.start() <= token.end_line {
                paragraph.lines =
                    LineRange::spanning(paragraph.lines.start(), token.end_line.max(paragraph.lines.end()));
            }
        }
    }

    fn sentence_token(&mut self, token: Token<'s>, scopes: &mut ScopeStack) {
        if token.kind == TokenKind::Exec && !exec::is_no_operation(token.text) {
            let statement = self.begin_statement(token, Verb::Exec, scopes);
            self.exec_block(token, Some(statement));
            self.close_current(scopes, token);
        } else if token.kind != TokenKind::Word {
            if !matches!(token.kind, TokenKind::MissingCopy | TokenKind::Exec) {
                self.operand(token, scopes);
            }
        } else if let Some(verb) = reserved_words::scope_end(token.text) {
            self.close_scope(verb, token, scopes);
        } else if token.is("ELSE") || self.is_otherwise(token, scopes) {
            self.else_branch(token, scopes);
        } else if token.is("WHEN") && scopes.nearest_with_when().is_some() {
            self.when_branch(token, scopes);
        } else if token.is("THEN") && scopes.into_branch.is_some() {
            scopes.into_branch = None;
        } else if let Some(length) = self.service_length(token) {
            self.at += length - 1;
        } else if self.begins_macro(token) {
            self.begin_statement(token, Verb::Macro, scopes);
        } else if self.is_macro_operand(token, scopes) {
            self.operand(token, scopes);
        } else if let Some(phrase) = self.phrase(scopes) {
            self.phrase_branch(token, &phrase, scopes);
            self.at += phrase.length - 1;
        } else if let Some(verb) = Verb::of(token.text).filter(|_| self.begins_statement(token)) {
            self.verb(verb, token, scopes);
        } else {
            self.operand(token, scopes);
        }
        self.at += 1;
    }

    /// Returns the number of tokens in a SERVICE statement, a compiler directive without effect: `SERVICE LABEL`, `SERVICE RELOAD X`.
    fn service_length(&self, token: Token<'s>) -> Option<usize> {
        let next = self.peek(1).filter(|_| token.is("SERVICE"))?;
        if next.is("LABEL") {
            Some(2)
        } else if next.is("RELOAD") {
            // In a truncated source, or with a period in its place, the item is missing.
            let item = self.peek(2).filter(|item| item.kind == TokenKind::Word);
            Some(2 + usize::from(item.is_some()))
        } else {
            None
        }
    }

    /// Returns whether a verb at the cursor begins a statement, or is an operand that only looks like one.
    fn begins_statement(&self, token: Token<'s>) -> bool {
        let before = self.back(1);
        let after = |words: &[&str]| before.is_some_and(|before| before.is_any(words));
        let next = self.peek(1);
        // DFHVALUE(DELETE): no statement begins in parentheses.
        if before.is_some_and(|before| before.text == "(") {
            return false;
        }
        if token.is("NEXT") {
            return next.is_some_and(|next| next.is("SENTENCE"));
        }
        if token.is("ENTRY") {
            return !after(&["TO"]) && next.is_some_and(|next| next.kind == TokenKind::Literal);
        }
        if token.is("EXIT") || token.is("PERFORM") {
            // EXIT PERFORM may be on two lines: a PERFORM would name its procedure.
            let performs = next.is_some_and(|next| {
                next.kind != TokenKind::Period
                    && !next.is_any(&["CYCLE", "ELSE", "WHEN"])
                    && self.phrase_words(1).is_none()
                    && !reserved_words::is_verb(next.text)
                    && reserved_words::scope_end(next.text).is_none()
            });
            return !after(&["EXIT", "UNTIL"]) || token.first && (token.is("EXIT") || performs);
        }
        if token.is("GENERATE") {
            return !after(&["XML", "JSON"]);
        }
        // Reserved in some dialects only: a statement if it begins its line or its sentence, otherwise a name. XML and JSON are known by
        // the word behind them; a SUPPRESS with operands is a phrase of theirs.
        const SOFT: &[&str] = &[
            "ALLOCATE", "DISABLE", "ENABLE", "EXAMINE", "EXHIBIT", "FREE", "INITIATE", "JSON", "NOTE", "PURGE",
            "RAISE", "READY", "RECEIVE", "RESET", "SEND", "SUPPRESS", "TERMINATE", "TRANSFORM", "UNLOCK", "USE", "XML",
        ];
        let is_phrase = |next: Token<'s>| !next.is("PRINTING") && next.kind != TokenKind::Period;
        if token.is("SUPPRESS") && next.is_some_and(is_phrase) {
            return false;
        }
        let opens = match token.is_any(&["XML", "JSON"]) {
            true => next.is_some_and(|next| next.is_any(&["GENERATE", "PARSE"])),
            false => token.first || after(&["THEN", "ELSE"]) || before.is_some_and(|b| b.kind == TokenKind::Period),
        };
        !token.is_any(SOFT) || opens && !after(&["TO", "FROM", "BY", "GIVING", "INTO", "OF", "IN", "USING", "MOVE"])
    }

    fn verb(&mut self, verb: Verb, token: Token<'s>, scopes: &mut ScopeStack) {
        let statement = self.begin_statement(token, verb, scopes);
        let inline_perform = verb == Verb::Perform && self.is_inline_perform();
        if verb.is_compound() || inline_perform {
            let branch = match verb {
                Verb::If => Some(self.begin_branch(BranchKind::If, token, statement)),
                Verb::Perform => Some(self.begin_branch(BranchKind::Loop, token, statement)),
                _ => None,
            };
            scopes.push(statement, verb, branch);
            scopes.into_branch = branch;
            if branch.is_some() {
                scopes.current = None;
            }
        }
    }

    /// Matches an inline PERFORM, which names no procedure: `PERFORM UNTIL ...`, `PERFORM 5 TIMES`, or a statement directly after it.
    fn is_inline_perform(&self) -> bool {
        let Some(next) = self.peek(1) else { return false };
        next.is_any(&["UNTIL", "VARYING", "WITH", "TEST", "FOREVER"])
            || next.kind == TokenKind::Exec
            || reserved_words::is_verb(next.text)
            || parse_clause(identifier, self.tokens.from(self.at + 1))
                .is_some_and(|(_, taken)| self.peek(1 + taken).is_some_and(|behind| behind.is("TIMES")))
    }

    fn begin_statement(&mut self, token: Token<'s>, verb: Verb, scopes: &mut ScopeStack) -> usize {
        let before = self.back(1).unwrap_or(token);
        self.close_current(scopes, before);
        scopes.into_branch = None;
        // A precompiler directive does nothing at its position.
        if scopes.open.is_empty() && !exec::is_declaration(token.text) {
            self.begin_unlabelled(token, verb);
        }
        let depth = u16::try_from(scopes.open.len()).unwrap_or(u16::MAX);
        self.marks.mark(&token, BoundaryLevel::Nested { depth, is_statement: true });
        let mut words = WordSpan::default();
        let first = if verb == Verb::Macro { token.text } else { verb.as_str() };
        self.out.code.extend(&mut words, TokenKind::Word, first, false);
        self.out.statements.push(Statement {
            words,
            operands: 0..0,
            verb,
            lines: LineRange::spanning(token.line, token.end_line),
            last_word_line: token.end_line,
            depth,
            parent: scopes.open.last().map(|open| open.statement),
            exec: None,
            branch: scopes.open.last().and_then(|open| open.branch),
            paragraph: self.place.paragraph,
            program: self.place.program,
            file: self.stream.file_name(token.file),
        });
        let index = self.out.statements.len() - 1;
        scopes.current = Some(index);
        index
    }

    fn operand(&mut self, token: Token<'s>, scopes: &ScopeStack) {
        // A subscript follows its name without a blank, a condition in parentheses does not.
        let before = self.back(1).unwrap_or(token);
        let end_of_before = u32::from(before.column) + before.text.chars().count() as u32;
        let adjacent = before.line == token.line && end_of_before == u32::from(token.column);
        let span = match (scopes.into_branch, scopes.current) {
            (Some(branch), _) => &mut self.out.branches[branch].condition,
            (None, Some(statement)) => {
                self.reaches(statement, token);
                &mut self.out.statements[statement].words
            }
            (None, None) => return,
        };
        self.out.code.extend(span, token.kind, token.text, adjacent);
    }

    /// Extends a statement's own words to a token.
    pub(super) fn reaches(&mut self, statement: usize, token: Token<'s>) {
        let statement = &mut self.out.statements[statement];
        if statement.file.as_deref() == self.stream.name(token.file) {
            statement.last_word_line = statement.last_word_line.max(token.end_line);
        }
    }
}

/// Finds the operands of all statements and conditions.
pub(super) fn find_operands(out: &mut ParsedCobol) {
    let mut found = Vec::new();
    let compact = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    for statement in out.statements.iter_mut().filter(|statement| statement.exec.is_none()) {
        let start = compact(found.len());
        operands::find_in_statement(statement.verb, out.code.of(statement.words), &mut found);
        statement.operands = start..compact(found.len());
    }
    for branch in &mut out.branches {
        let start = compact(found.len());
        let words = out.code.of(branch.condition);
        match branch.kind {
            BranchKind::If | BranchKind::When => operands::find_in_expression(words, OperandRole::Read, &mut found),
            BranchKind::Loop => operands::find_in_loop(words, &mut found),
            // AT END and ELSE contain no names.
            BranchKind::Else | BranchKind::Phrase => {}
        }
        branch.operands = start..compact(found.len());
    }
    found.shrink_to_fit();
    out.operands = found;
    out.code.shrink_to_fit();
}

/// Declares the files that statements name and nothing describes: their SELECTs and FDs are in missing copybooks.
pub(super) fn declare_used_files(out: &mut ParsedCobol, missing_copybooks: &[String]) {
    let names_file = |used: &&FileUse| {
        let verb = used.operation.split(' ').next().unwrap_or_default();
        matches!(verb, "OPEN" | "CLOSE" | "READ" | "START" | "DELETE" | "RETURN")
    };
    let used = out.file_uses.iter().chain(&out.copied_file_uses).filter(names_file);
    let used: BTreeSet<(Option<usize>, &str)> = used.map(|used| (used.program, used.file.as_str())).collect();
    let is_declared = |name: &str| {
        out.files.iter().any(|file| file.name == name) || out.data_items.iter().any(|item| item.name == name)
    };
    let declared = used.into_iter().filter(|(_, name)| !is_declared(name)).map(|(program, name)| FileControl {
        name: name.to_owned(),
        organization: UNKNOWN_ORGANIZATION.to_owned(),
        missing_copybooks: missing_copybooks.to_vec(),
        program,
        ..FileControl::default()
    });
    let declared: Vec<FileControl> = declared.collect();
    out.files.extend(declared);
}

/// Replaces the record names of WRITE and REWRITE by the names of their files.
pub(super) fn resolve_file_uses(out: &mut ParsedCobol) {
    add_missing_records(out);
    let mut by_record: HashMap<(Option<usize>, &str), &str> = HashMap::new();
    for file in &out.files {
        for record in &file.records {
            by_record.insert((file.program, record), &file.name);
        }
    }
    for used in out.file_uses.iter_mut().chain(&mut out.copied_file_uses) {
        if let Some(file) = by_record.get(&(used.program, used.file.as_str())) {
            used.file = (*file).to_owned();
        }
    }
}

/// Gives the records that are written and that nothing declares to the files whose records are in missing copybooks: to the only one, or to that
/// whose copybook has a name that the record's name begins with.
fn add_missing_records(out: &mut ParsedCobol) {
    let without_record = |file: &FileControl| file.records.is_empty() && !file.missing_copybooks.is_empty();
    let missing: Vec<usize> = (0..out.files.len()).filter(|file| without_record(&out.files[*file])).collect();
    if missing.is_empty() {
        return;
    }
    let is_known = |name: &str| {
        let is_file = |file: &FileControl| file.name == name || file.records.iter().any(|own| own == name);
        out.files.iter().any(is_file) || out.data_items.iter().any(|item| item.name == name)
    };
    let file_of = |program: Option<usize>, record: &str| {
        let own: Vec<usize> = missing.iter().copied().filter(|file| out.files[*file].program == program).collect();
        let is_named =
            |file: &usize| out.files[*file].missing_copybooks.iter().any(|name| record.starts_with(name.as_str()));
        let named: Vec<usize> = own.iter().copied().filter(is_named).collect();
        match (named.as_slice(), own.as_slice()) {
            ([file], _) | ([], [file]) => Some(*file),
            _ => None,
        }
    };
    let uses = out.file_uses.iter().chain(&out.copied_file_uses);
    let written = uses.filter(|used| matches!(used.operation.as_str(), "WRITE" | "REWRITE"));
    let written: BTreeSet<(Option<usize>, &str)> = written.map(|used| (used.program, used.file.as_str())).collect();
    let written = written.into_iter().filter(|(_, record)| !is_known(record));
    let found: Vec<(usize, String)> =
        written.filter_map(|(program, record)| Some((file_of(program, record)?, record.to_owned()))).collect();
    for (file, record) in found {
        out.files[file].records.push(record);
    }
}
/// Returns the labels that PERFORM, GO TO and ALTER name.
fn named_labels(tokens: Tokens<'_, '_>) -> HashSet<String> {
    let leads = |at: usize| {
        let is =
            |at: Option<usize>, words: &[&str]| at.and_then(|at| tokens.get(at)).is_some_and(|word| word.is_any(words));
        let before = at.checked_sub(1);
        is(before, &["PERFORM", "THRU", "THROUGH", "GO", "ALTER", "PROCEED"])
            || is(before, &["TO"]) && is(at.checked_sub(2), &["GO", "PROCEED"])
    };
    let named = (0..tokens.len()).filter(|at| leads(*at)).filter_map(|at| tokens.get(at));
    named.filter(|token| token.kind == TokenKind::Word).map(|token| token.upper()).collect()
}
