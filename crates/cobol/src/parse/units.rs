//! Programs, divisions and sections: their first and last lines.

use super::grammar::unquoted;
use super::{Parser, ParserContext, UnitHeader, UnitLevel, is_end_program, reserved_words};
use crate::lex::token::TokenKind;
use crate::model::{Division, Program, Section};
use crate::stream::Token;
use war_rig_text::{LineNumber, LineRange};

impl<'s> Parser<'_, 's> {
    pub(super) fn division_header(&mut self) -> bool {
        let Some(token) = self.peek(0) else { return false };
        let Some(name) = reserved_words::division(token.text).filter(|_| self.is_division_header(self.at)) else {
            return false;
        };
        if name == "IDENTIFICATION" {
            self.begin_program(token);
        }
        self.out.divisions.push(Division {
            name,
            lines: LineRange::single(token.line),
            program: self.place.program,
            file: self.stream.file_name(token.file),
        });
        self.header(token, UnitLevel::Division, self.out.divisions.len() - 1);
        let (program, header) = (self.place.program, Some(self.at));
        self.place = ParserContext { program, division: Some(name), header, ..ParserContext::default() };
        self.data.begin_division();
        self.at += 2;
        if name == "PROCEDURE" {
            self.procedure_parameters();
        }
        self.skip_period();
        true
    }

    /// Begins a new program: nested in the open one if the END PROGRAM of that one is still to come, otherwise after it.
    pub(super) fn begin_program(&mut self, token: Token<'s>) {
        while let Some(open) = self.open_programs.last().copied() {
            let name = &self.out.programs[open].name;
            if self.program_ends.get(name).is_some_and(|ends| ends.first().is_some_and(|end| *end > self.at)) {
                break;
            }
            self.close_program();
        }
        let index = self.out.programs.len();
        let token = self.in_own_file(token);
        self.out.programs.push(Program {
            name: String::new(),
            is_named: true,
            lines: LineRange::single(token.line),
            nested_in: self.open_programs.last().copied(),
            parameters: Vec::new(),
            entry_lines: None,
            entries: Vec::new(),
            after_declaratives: None,
            ending_macro: None,
            is_called: true,
            is_initial: false,
            is_recursive: false,
        });
        self.header(token, UnitLevel::Program, index);
        self.open_programs.push(index);
        self.program_starts.push((self.at, index));
        self.place = ParserContext { program: Some(index), ..ParserContext::default() };
        self.data.begin_program(self.out.data_items.len());
    }

    /// Parses `PROGRAM-ID. X` with or without periods, also if the IDENTIFICATION DIVISION header is missing.
    pub(super) fn unit_header(&mut self) -> bool {
        let Some(token) = self.peek(0) else { return false };
        if token.kind != TokenKind::Word || !reserved_words::is_unit_keyword(token.text) || !token.may_be_header() {
            return false;
        }
        let in_unit = self.place.division == Some("IDENTIFICATION")
            && self.place.program.is_some_and(|program| self.out.programs[program].name.is_empty());
        if !in_unit {
            if !(token.first || self.place.division == Some("IDENTIFICATION")) {
                return false;
            }
            self.begin_program(token);
            self.place.division = Some("IDENTIFICATION");
        }
        self.at += 1;
        self.skip_period();
        let name = self
            .peek(0)
            .filter(|name| matches!(name.kind, TokenKind::Word | TokenKind::Literal) && !self.is_header(self.at));
        if let Some((name, program)) = name.zip(self.place.program) {
            self.out.programs[program].name = unquoted(name.text).to_uppercase();
            self.out.programs[program].is_called = token.is("PROGRAM-ID");
            if let Some(place) = self.open_programs.len().checked_sub(1) {
                let name = self.out.programs[program].name.clone();
                self.open_names.entry(name).or_default().push(place);
            }
            self.at += 1;
            // IS INITIAL, COMMON, RECURSIVE and the period; without a period the next header ends the paragraph.
            while let Some(token) = self.peek(0) {
                if self.is_header(self.at) {
                    break;
                }
                let more = token.is_any(&["IS", "INITIAL", "COMMON", "RECURSIVE", "PROGRAM", "AS"]);
                if token.kind == TokenKind::Period || !(more || token.kind == TokenKind::Literal) {
                    self.skip_period();
                    break;
                }
                self.out.programs[program].is_initial |= token.is("INITIAL");
                self.out.programs[program].is_recursive |= token.is("RECURSIVE");
                self.at += 1;
            }
        }
        true
    }

    pub(super) fn end_program(&mut self) -> bool {
        if !is_end_program(self.tokens, self.at) {
            return false;
        }
        let last = self.tokens.get(self.at + 2).or_else(|| self.tokens.get(self.at + 1));
        let name = last.map(|name| unquoted(name.text).to_uppercase()).unwrap_or_default();
        let line = |token: Option<&Token<'s>>| token.map_or(LineNumber::FIRST, |token| self.in_own_file(*token).line);
        let lines = LineRange::spanning(line(self.tokens.get(self.at)), line(last));
        if let Some(ends) = self.program_ends.get_mut(&name) {
            while ends.pop_if(|end| *end <= self.at).is_some() {}
        }
        let closes = self.open_names.get(&name).and_then(|places| places.last()).copied();
        let from = closes.unwrap_or(self.open_programs.len().saturating_sub(1));
        while self.open_programs.len() > from
            && let Some(program) = self.close_program()
        {
            self.ended.insert(program, lines);
        }
        self.at += 3;
        self.skip_period();
        let program = self.open_programs.last().copied();
        self.place = ParserContext { program, ..ParserContext::default() };
        true
    }

    /// Removes the innermost open program.
    pub(super) fn close_program(&mut self) -> Option<usize> {
        let program = self.open_programs.pop()?;
        let place = self.open_programs.len();
        if let Some(places) = self.open_names.get_mut(&self.out.programs[program].name) {
            places.pop_if(|last| *last == place);
        }
        Some(program)
    }

    /// Parses a section header of the ENVIRONMENT or DATA DIVISION: `NAME SECTION .`
    pub(super) fn plain_section(&mut self) -> bool {
        let (Some(token), Some(next)) = (self.peek(0), self.peek(1)) else { return false };
        if token.kind != TokenKind::Word || !next.is("SECTION") || !(token.may_be_header() && next.may_be_header()) {
            return false;
        }
        self.begin_section(token);
        self.at += 2;
        self.skip_period();
        true
    }

    pub(super) fn begin_section(&mut self, token: Token<'s>) {
        let section = Section {
            name: token.upper(),
            lines: LineRange::single(token.line),
            division: self.place.division.unwrap_or("PROCEDURE"),
            program: self.place.program,
            file: self.stream.file_name(token.file),
        };
        self.out.sections.push(section);
        let index = self.out.sections.len() - 1;
        self.header(token, UnitLevel::Section, index);
        let place = self.place;
        self.place = ParserContext { section: Some(index), paragraph: None, header: Some(self.at), ..place };
    }

    /// Records the beginning of a unit of the file.
    pub(super) fn begins_unit(&mut self, token: Token<'s>, level: UnitLevel, index: usize) {
        if token.file == 0 {
            self.unit_headers.push(UnitHeader { line: token.line, opens: token.first, level, index });
        }
    }

    pub(super) fn header(&mut self, token: Token<'s>, level: UnitLevel, index: usize) {
        if token.file != 0 {
            return;
        }
        self.begins_unit(token, level, index);
        self.marks.mark(
            &token,
            match level {
                UnitLevel::Program => crate::BoundaryLevel::Program,
                UnitLevel::Division => crate::BoundaryLevel::Division,
                UnitLevel::Section => crate::BoundaryLevel::Section,
                UnitLevel::Paragraph => crate::BoundaryLevel::Paragraph,
            },
        );
    }
}
