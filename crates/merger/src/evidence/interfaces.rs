//! What comes into a program and what leaves it: by statements that cross its border, by registers, and by an item's own words.

use super::directions::Direction;
use super::wording::{Anchors, is_one};
use super::{EvidenceIndex, Statement};
use crate::anchors::words;
use war_rig_cobol::{ExecKind, ItemUse, OperandRole, Verb};
use war_rig_text::LineRange;

/// Registers that are data without being declared, besides those of CICS.
const REGISTERS: [&str; 2] = ["RETURN-CODE", "SORT-RETURN"];

/// What the fields begin with that CICS sets for a program.
const CICS_REGISTERS: &str = "EIB";

/// Words before `to` and the name of a program that gets data.
const HANDED: [&str; 8] = ["passed", "handed", "given", "sent", "supplied", "parameter", "parameters", "input"];

/// Words before `by` or `from` and the name of a program that data comes from.
const RETURNED: [&str; 5] = ["returned", "received", "back", "given", "supplied"];

/// What data is `as` it came in, and what it is `as` it went out.
const COME: [&str; 6] = ["received", "read", "keyed", "entered", "fetched", "accepted"];
const GONE: [&str; 5] = ["sent", "written", "displayed", "printed", "returned"];

/// What is sent to somebody.
const MESSAGES: [&str; 6] = ["message", "messages", "report", "reply", "response", "answer"];

/// Words behind the name of a program that data comes from.
const RETURNS: [&str; 4] = ["returns", "gives", "returned", "gave"];

impl EvidenceIndex<'_> {
    /// Whether all these items of the program's own storage only cross its border the other way, on cited lines and below.
    pub(super) fn crosses_only_against(&self, names: &[String], direction: Direction, cited: &[LineRange]) -> bool {
        let crosses_against = |name: &String| {
            self.is_in_storage(name)
                && (direction == Direction::Write || !self.is_constant(name))
                && self.crossings(name, cited) == direction.opposite_only()
                && !self.crossings(name, &self.performed(cited))[direction as usize]
        };
        names.iter().all(crosses_against)
    }

    /// Whether no statement sets an item, so that its value comes with the program.
    fn is_constant(&self, name: &str) -> bool {
        let all = self.analysis.def_use().all();
        !all.iter().any(|used| used.is_set() && self.is_part_of(used.item(), name))
    }

    fn is_in_storage(&self, name: &str) -> bool {
        let mut named = self.parsed().data_items.iter().filter(|item| item.name.eq_ignore_ascii_case(name)).peekable();
        named.peek().is_some()
            && named.all(|item| item.section.as_deref().is_some_and(|section| section.ends_with("-STORAGE")))
    }

    /// Returns whether lines bring an item into the program, and whether they take it out.
    pub(super) fn crossings(&self, name: &str, lines: &[LineRange]) -> [bool; 2] {
        let mut crossed = [false; 2];
        for statement in self.statements_in(lines) {
            let uses = self.analysis.def_use().of_statement(statement);
            let own = uses.iter().filter(|used| self.is_part_of(used.item(), name));
            for used in own {
                let comes = used.is_set() && self.brings_in(statement, uses);
                let goes = used.is_read() && self.takes_out(statement, uses);
                crossed[Direction::Read as usize] |= comes || used.is_passed();
                crossed[Direction::Write as usize] |= goes || used.is_passed();
            }
        }
        crossed
    }

    fn brings_in(&self, statement: usize, uses: &[ItemUse]) -> bool {
        match self.border_of(statement) {
            Some(direction) => direction == Direction::Read,
            None => uses.iter().any(|used| used.is_read() && self.is_outside(used.item())) || self.is_sql(statement),
        }
    }

    fn takes_out(&self, statement: usize, uses: &[ItemUse]) -> bool {
        match self.border_of(statement) {
            Some(direction) => direction == Direction::Write,
            None => uses.iter().any(|used| used.is_set() && self.is_outside(used.item())) || self.is_sql(statement),
        }
    }

    /// Returns which way a statement has data cross the border of the program. What is displayed is often looked at on its way.
    fn border_of(&self, statement: usize) -> Option<Direction> {
        match self.parsed().statements[statement].verb {
            Verb::Display => None,
            Verb::Read | Verb::Return => Some(Direction::Read),
            Verb::Write | Verb::Rewrite | Verb::Release => Some(Direction::Write),
            _ => self.crosses_the_border(statement),
        }
    }

    fn is_sql(&self, statement: usize) -> bool {
        let exec = self.parsed().statements[statement].exec;
        exec.is_some_and(|exec| self.parsed().execs[exec].kind == ExecKind::Sql)
    }

    /// Whether an item is a record of a file, or storage of the caller.
    fn is_outside(&self, item: usize) -> bool {
        let section = self.parsed().data_items[item].section.as_deref();
        section.is_some_and(|section| !section.ends_with("-STORAGE"))
    }

    /// Whether an item is about registers alone, and the program never uses them so.
    pub(super) fn misuses_registers(&self, name: &str, direction: Direction) -> bool {
        let registers = self.registers(name);
        !registers.is_empty() && registers.iter().all(|register| self.is_register_unused_so(register, direction))
    }

    /// Returns the registers that an item is called after.
    fn registers(&self, name: &str) -> Vec<String> {
        let whole = name.split_whitespace().collect::<Vec<_>>().join("-").to_uppercase();
        if REGISTERS.contains(&whole.as_str()) {
            return vec![whole];
        }
        let of_cics = |word: &&str| {
            word.len() > CICS_REGISTERS.len() && word.starts_with(CICS_REGISTERS) && !self.names.is_data(word)
        };
        words(name).filter(of_cics).map(str::to_owned).collect()
    }

    fn is_register_unused_so(&self, register: &str, direction: Direction) -> bool {
        let parsed = self.parsed();
        let roles = parsed.statements.iter().flat_map(|statement| parsed.operands(statement));
        let tested = parsed.branches.iter().flat_map(|branch| parsed.condition_operands(branch));
        let roles: Vec<OperandRole> = roles
            .chain(tested)
            .filter(|operand| operand.name().eq_ignore_ascii_case(register))
            .map(|operand| operand.role())
            .collect();
        let is_used = match direction {
            Direction::Read => roles.iter().any(|role| *role != OperandRole::Set),
            Direction::Write => roles.iter().any(|role| role.is_set()),
        };
        !roles.is_empty() && !is_used
    }

    /// Whether an item's own words have its data go the other way: to a program that the source calls, or from it.
    pub(super) fn denies_its_direction(&self, statement: &Statement<'_>, direction: Direction) -> bool {
        let mut told = [false; 2];
        for word in statement.kind.into_iter().flat_map(words) {
            told[Direction::Read as usize] |= is_one(word, &["input"]);
            told[Direction::Write as usize] |= is_one(word, &["output"]);
        }
        let kind: Vec<&str> = statement.kind.into_iter().flat_map(words).collect();
        let is_addressed = |pair: &[&str]| is_one(pair[0], &MESSAGES) && is_one(pair[1], &["to"]);
        told[Direction::Write as usize] |= kind.windows(2).any(is_addressed);
        for text in [statement.name].into_iter().chain(statement.texts.iter().copied()).chain(statement.kind) {
            let words: Vec<&str> = words(text).collect();
            let by = words.windows(2).filter(|pair| is_one(pair[0], &["by"]));
            by.filter_map(|pair| Direction::of_command(pair[1])).for_each(|way| told[way as usize] = true);
            let is_as = |pair: &[&str], of: &[&str]| is_one(pair[0], &["as"]) && is_one(pair[1], of);
            told[Direction::Read as usize] |= words.windows(2).any(|pair| is_as(pair, &COME));
            told[Direction::Write as usize] |= words.windows(2).any(|pair| is_as(pair, &GONE));
            for at in (0..words.len()).filter(|at| self.is_called(words[*at])) {
                let before = |count: usize| at.checked_sub(count).map_or("", |before| words[before]);
                let behind = words.get(at + 1).copied().unwrap_or_default();
                told[Direction::Write as usize] |= is_one(before(1), &["to"]) && is_one(before(2), &HANDED);
                let is_from = is_one(before(1), &["by", "from"]) && is_one(before(2), &RETURNED);
                told[Direction::Read as usize] |= is_from || is_one(behind, &RETURNS);
            }
        }
        told == direction.opposite_only()
    }

    /// Whether an item's words name parts of it that cited lines only use in the other way.
    pub(super) fn parts_go_against(
        &self,
        names: &[String],
        statement: &Statement<'_>,
        direction: Direction,
        cited: &[LineRange],
    ) -> bool {
        let is_part = |part: &String| {
            let named =
                (0..self.parsed().data_items.len()).filter(|item| self.parsed().data_items[*item].name == *part);
            let is_below = |item: usize| names.iter().any(|name| name != part && self.is_part_of(item, name));
            self.names.is_data(part) && named.into_iter().any(is_below)
        };
        let told = Anchors::of(statement.texts, &self.names).names;
        let mut parts = told.iter().filter(|part| is_part(part)).peekable();
        parts.peek().is_some() && parts.all(|part| self.own_uses(part, cited) == direction.opposite_only())
    }

    /// Returns whether lines read an item and whether they set it, besides where it crosses the border or is passed on.
    fn own_uses(&self, name: &str, lines: &[LineRange]) -> [bool; 2] {
        let def_use = self.analysis.def_use();
        let statements = self.statements_in(lines).filter(|statement| self.crosses_the_border(*statement).is_none());
        let is_tested =
            |branch: &usize| lines.iter().any(|range| range.contains(self.parsed().branches[*branch].lines.start()));
        let tests = self.branches_around(lines).into_iter().filter(is_tested).map(|branch| def_use.of_branch(branch));
        let uses = statements.map(|statement| def_use.of_statement(statement)).chain(tests).flatten();
        let own = uses.filter(|used| self.is_part_of(used.item(), name) && !used.is_passed());
        own.fold([false; 2], |[read, set], used| [read || used.is_read(), set || used.is_set()])
    }

    fn is_called(&self, name: &str) -> bool {
        let is_it = |other: &str| other.eq_ignore_ascii_case(name);
        let mut calls = self.parsed().calls.iter();
        calls.any(|call| is_it(&call.target) || call.candidates.iter().any(|(program, _)| is_it(program)))
    }
}
