//! Directions: what cited statements read and set.

use super::wording::{self, Anchors, WordsOf};
use super::{EvidenceIndex, ItemSense, Statement};
use war_rig_cobol::{ItemUse, Resource};
use war_rig_text::LineRange;

/// Which way data goes, seen from the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Read from.
    Read,
    /// Written to.
    Write,
}

impl Direction {
    /// Returns the direction of an operation on a resource; none for OPEN and others that move no data.
    fn of(operation: &str) -> Option<Self> {
        match operation.split(' ').next()? {
            "READ" | "READNEXT" | "READPREV" | "RETURN" | "RECEIVE" | "FETCH" | "SELECT" | "READQ" | "GET"
            | "ACCEPT" => Some(Direction::Read),
            "WRITE" | "REWRITE" | "DELETE" | "SEND" | "INSERT" | "UPDATE" | "RELEASE" | "WRITEQ" | "DELETEQ"
            | "PUT" | "DISPLAY" | "ISRT" | "REPL" | "DLET" => Some(Direction::Write),
            _ => None,
        }
    }
}

impl EvidenceIndex<'_> {
    /// Whether an item says that things are read from or written to, and the parser knows better of all of them.
    pub(super) fn is_turned(&self, statement: &Statement<'_>, cited: &[LineRange]) -> bool {
        let direction = match statement.sense {
            ItemSense::Read => Direction::Read,
            ItemSense::Write => Direction::Write,
            ItemSense::Statement | ItemSense::Question | ItemSense::Overview => return false,
        };
        let names = Anchors::of(&[statement.name], &self.names).names;
        !names.is_empty() && names.iter().all(|name| self.goes_other_way(name, direction, cited))
    }

    /// Whether the parser knows that data goes the other way: a resource that is never used like that, or cited statements that use
    /// the thing only in the other direction.
    fn goes_other_way(&self, upper: &str, direction: Direction, cited: &[LineRange]) -> bool {
        let is_it = |resource: &&Resource| {
            let names = resource.aliases.iter().chain(&resource.estate_names).chain([&resource.name]);
            names.into_iter().any(|name| name.eq_ignore_ascii_case(upper))
        };
        let resources: Vec<&Resource> = self.analysis.resources().iter().filter(is_it).collect();
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let used = resources.iter().flat_map(|resource| &resource.operations).filter(|(_, lines)| is_cited(*lines));
        let ways: Vec<Direction> = used.filter_map(|(operation, _)| Direction::of(operation)).collect();
        if !ways.is_empty() {
            return !ways.contains(&direction);
        }
        if !resources.is_empty() {
            return match direction {
                Direction::Read => !resources.iter().any(|resource| resource.is_read),
                Direction::Write => !resources.iter().any(|resource| resource.is_written),
            };
        }
        let (mut read, mut set) = (false, false);
        for statement in self.statements_in(cited) {
            // An undeclared name is no item.
            for operand in self.parsed().operands(&self.parsed().statements[statement]) {
                if operand.name().eq_ignore_ascii_case(upper) {
                    read |= !operand.role().is_set();
                    set |= operand.role().is_set();
                }
            }
            for used in self.analysis.def_use().of_statement(statement) {
                if self.is_part_of(used.item(), upper) {
                    read |= used.is_read() || used.is_passed();
                    set |= used.is_set() || used.is_passed();
                }
            }
        }
        match direction {
            Direction::Read => set && !read,
            Direction::Write => read && !set,
        }
    }

    /// Whether an item has this name, or is in a group that has it.
    fn is_part_of(&self, item: usize, name: &str) -> bool {
        let items = &self.parsed().data_items;
        let mut at = Some(item);
        while let Some(item) = at.map(|index| &items[index]) {
            if item.name.eq_ignore_ascii_case(name) {
                return true;
            }
            at = item.parent;
        }
        false
    }

    /// Whether a text has data go from one item to another, and cited statements only have it go back.
    pub(super) fn reverses_a_move(&self, text: &str, cited: &[LineRange]) -> bool {
        let words: Vec<&str> = WordsOf::new(text).collect();
        let is_item = |word: &str| {
            let upper = word.to_uppercase();
            self.names.is_item(&upper) && wording::is_name(word, &upper, &self.names)
        };
        words.windows(3).any(|three| {
            let [from, between, to] = three else { return false };
            let goes = between.eq_ignore_ascii_case("to") || between.eq_ignore_ascii_case("into");
            goes && is_item(from) && is_item(to) && self.moves_only_back(from, to, cited)
        })
    }

    fn moves_only_back(&self, from: &str, to: &str, cited: &[LineRange]) -> bool {
        let (mut forth, mut back) = (false, false);
        for statement in self.statements_in(cited) {
            let uses = self.analysis.def_use().of_statement(statement);
            let does = |name: &str, is: fn(&ItemUse) -> bool| {
                uses.iter().any(|used| is(used) && self.is_part_of(used.item(), name))
            };
            forth |= does(from, |used| used.is_read()) && does(to, |used| used.is_set());
            back |= does(to, |used| used.is_read()) && does(from, |used| used.is_set());
        }
        back && !forth
    }
}
