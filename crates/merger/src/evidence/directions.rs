//! Directions: what cited statements read and set.

use super::wording::{self, Anchors, is_one};
use super::{Agreement, EvidenceIndex, ItemSense, Statement};
use crate::anchors::words;
use foldhash::HashSet;
use std::cell::LazyCell;
use war_rig_cobol::{ExecKind, ItemUse, Resource, ResourceKind, Verb};
use war_rig_text::LineRange;

/// The verbs of a text that has data go from one item to another.
const TRANSFERS: [&str; 12] = [
    "move", "moves", "moved", "copy", "copies", "copied", "transfer", "transfers", "transferred", "add", "adds",
    "added",
];

/// How many words before `to` are looked at.
const REACH: usize = 5;

/// How a whole program uses an item, without what only goes out or comes in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ItemTraffic {
    is_read: bool,
    is_set: bool,
    /// Whether other items have the same storage, or what is outside the program may use it unseen.
    is_shared: bool,
}

/// Which way data goes, seen from the program; an index into pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Read from.
    Read,
    /// Written to.
    Write,
}

/// How lines use a thing.
#[derive(Debug, Clone, Copy, Default)]
struct Ways {
    /// Whether they read it, and whether they write it.
    used: [bool; 2],
    /// Whether they may be said to use it in either way, although they are seen to use it in one: what is passed to another program is read by
    /// the statement, and what is received is changed.
    is_either: bool,
    /// Whether CICS brings it into the program, and whether it takes it out.
    crossed: [bool; 2],
    /// Whether it is a resource that the program never reads, and whether one that it never writes.
    unused: [bool; 2],
}

impl Ways {
    fn add(&mut self, direction: Direction) {
        self.used[direction as usize] = true;
    }

    /// Whether it crosses the border of the program the other way only, whatever else the lines do with it.
    fn crosses_against(self, direction: Direction) -> bool {
        self.crossed == direction.opposite_only()
    }

    /// Whether the lines have data go the other way only.
    fn exclude(self, direction: Direction) -> bool {
        self.unused[direction as usize] || (self.used == direction.opposite_only() && !self.is_either)
    }
}

impl Direction {
    /// Returns what is so of the other direction and not of this one.
    pub(super) fn opposite_only(self) -> [bool; 2] {
        [self == Direction::Write, self == Direction::Read]
    }

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

    /// Returns the direction of a CICS command, seen from the program: what it hands to another program or task goes out.
    pub(super) fn of_command(command: &str) -> Option<Self> {
        // What is sent or asked for by HTTP is said by the second word.
        let command = command.strip_prefix("WEB ").unwrap_or(command);
        match command.split(' ').next()? {
            // In SQL and COBOL it takes a record.
            "RETURN" | "XCTL" | "START" => Some(Direction::Write),
            "ASKTIME" | "FORMATTIME" | "RETRIEVE" | "ASSIGN" | "INQUIRE" => Some(Direction::Read),
            other => Self::of(other),
        }
    }
}

impl EvidenceIndex<'_> {
    /// Compares what an item says is read or written with what the cited lines do: refuted if all that it names goes the other way
    /// there, open if none of it is seen to go this way.
    pub(super) fn direction(&self, statement: &Statement<'_>, cited: &[LineRange]) -> Agreement {
        let direction = match statement.sense {
            ItemSense::Read | ItemSense::Input => Direction::Read,
            ItemSense::Write | ItemSense::Output => Direction::Write,
            ItemSense::Statement | ItemSense::Transform | ItemSense::Question | ItemSense::Overview => {
                return Agreement::Possible;
            }
        };
        let is_by_name = statement.given.is_empty();
        if is_by_name
            && (self.flows_through_a_label(statement.name)
                || self.misuses_registers(statement.name, direction)
                || self.denies_its_direction(statement, direction))
        {
            return Agreement::Refuted;
        }
        let mut names = Anchors::of(&[statement.name], &self.names).names;
        if !self.resources_named(statement.name).is_empty() {
            names = vec![statement.name.to_owned()];
        }
        if names.is_empty() {
            return self.direction_of_operations(direction, cited);
        }
        let is_interface = matches!(statement.sense, ItemSense::Input | ItemSense::Output);
        let is_against = || {
            names.iter().all(|name| self.is_never_used_so(name, direction))
                || (is_interface && self.crosses_only_against(&names, direction, cited))
        };
        if is_by_name && is_against() {
            return Agreement::Refuted;
        }
        let ways: Vec<Ways> = names.iter().map(|name| self.ways(name, cited)).collect();
        let performed = LazyCell::new(|| self.performed(cited));
        let below: LazyCell<Vec<Ways>, _> =
            LazyCell::new(|| names.iter().map(|name| self.ways(name, &performed)).collect());
        let is_seen = |ways: &[Ways]| ways.iter().any(|ways| ways.used[direction as usize]);
        // The rows of an id are those of one chunk, and its words may be about others.
        let is_excluded = |ways: &[Ways]| match is_by_name {
            true => ways.iter().all(|ways| ways.exclude(direction)),
            false => ways.iter().all(|ways| ways.unused[direction as usize]),
        };
        let crosses = || names.iter().any(|name| self.crossings(name, cited)[direction as usize]);
        let is_beside = || ways.iter().all(|ways| ways.crosses_against(direction)) && !crosses();
        let are_parts_against = is_by_name && self.parts_go_against(&names, statement, direction, cited);
        match is_seen(&ways) || is_seen(&below) {
            true if are_parts_against && is_beside() => Agreement::Refuted,
            true if are_parts_against || is_beside() => Agreement::Open,
            true => Agreement::Possible,
            false if is_excluded(&ways) || is_excluded(&below) => Agreement::Refuted,
            false => Agreement::Open,
        }
    }

    /// Whether a name is an item of the program's own storage that the program never reads, or never sets, but only hands over or receives.
    fn is_never_used_so(&self, name: &str, direction: Direction) -> bool {
        if !self.resources_with_records(name).is_empty() {
            return false;
        }
        let traffic = self.item_uses.get_or_init(|| self.traffic());
        let items = 0..self.parsed().data_items.len();
        let mut parts = items.filter(|item| self.is_part_of(*item, name)).map(|item| traffic[item]).peekable();
        parts.peek().is_some()
            && parts.all(|part| {
                let is_used = if direction == Direction::Read { part.is_read } else { part.is_set };
                !part.is_shared && !is_used
            })
    }

    /// Finds how the program uses each item: what uses a group uses all items in it.
    fn traffic(&self) -> Vec<ItemTraffic> {
        let (parsed, def_use) = (self.parsed(), self.analysis.def_use());
        let items = &parsed.data_items;
        let mut traffic = vec![ItemTraffic::default(); items.len()];
        for statement in 0..parsed.statements.len() {
            let goes = self.crosses_the_border(statement);
            for used in def_use.of_statement(statement) {
                let of_item = &mut traffic[used.item()];
                of_item.is_read |= used.is_read() && goes != Some(Direction::Write);
                // What another program does with an item that is passed to it is not seen.
                of_item.is_set |= used.is_passed() || (used.is_set() && goes != Some(Direction::Read));
                of_item.is_shared |= used.is_ambiguous();
            }
        }
        for branch in 0..parsed.branches.len() {
            def_use.of_branch(branch).iter().for_each(|used| traffic[used.item()].is_read = true);
        }
        let redefined: HashSet<&str> = items.iter().filter_map(|item| item.redefines.as_deref()).collect();
        for (index, item) in items.iter().enumerate() {
            let is_own = item.section.as_deref().is_some_and(|section| section.ends_with("-STORAGE"));
            traffic[index].is_shared |= !is_own || item.redefines.is_some() || redefined.contains(item.name.as_str());
            // A group comes before its items.
            if let Some(group) = item.parent.map(|parent| traffic[parent]) {
                let own = &mut traffic[index];
                own.is_read |= group.is_read;
                own.is_set |= group.is_set;
                own.is_shared |= group.is_shared;
            }
        }
        traffic
    }

    /// Compares what an item without a name of the source says with the operations on the cited lines: refuted if all go the other way.
    fn direction_of_operations(&self, direction: Direction, cited: &[LineRange]) -> Agreement {
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let resources = self.analysis.resources().iter().flat_map(|resource| &resource.operations);
        let used = resources.filter(|(_, lines)| is_cited(*lines));
        let used = used.filter_map(|(operation, _)| Direction::of(operation));
        let execs = self.parsed().execs.iter().filter(|exec| exec.file.is_none() && is_cited(exec.lines));
        let execs = execs.filter(|exec| exec.kind == ExecKind::Cics);
        let commands = execs.filter_map(|exec| Direction::of_command(&exec.command));
        let found: Vec<Direction> = used.chain(commands).collect();
        // What a called program does is not seen.
        let calls = self.statements_in(cited).any(|statement| self.parsed().statements[statement].verb == Verb::Call);
        match found.contains(&direction) {
            true => Agreement::Possible,
            false if found.is_empty() => Agreement::Possible,
            false if calls => Agreement::Open,
            false => Agreement::Refuted,
        }
    }

    /// Returns the lines of the paragraphs that cited statements perform.
    pub(super) fn performed(&self, cited: &[LineRange]) -> Vec<LineRange> {
        let (parsed, flow) = (self.parsed(), self.analysis.control_flow());
        let is_cited = |line| cited.iter().any(|range| range.contains(line));
        let all = parsed.references.iter().enumerate();
        let all = all.filter(|(_, reference)| reference.file.is_none() && is_cited(reference.line));
        let spans = all.filter_map(|(index, _)| flow.reference_span(index));
        let units = spans.flat_map(|(first, last)| &parsed.paragraphs[first..=last.max(first)]);
        let mut lines: Vec<LineRange> = units.filter(|unit| unit.file.is_none()).map(|unit| unit.lines).collect();
        lines.sort_unstable();
        // Neighbors are one range, so that a long range of paragraphs is looked through once.
        lines.dedup_by(|next, last| {
            let meets = next.start() <= last.end().saturating_add(1);
            if meets {
                *last = LineRange::spanning(last.start(), last.end().max(next.end()));
            }
            meets
        });
        lines
    }

    /// Returns cited lines with those of the paragraphs that they perform.
    pub(super) fn with_performed(&self, cited: &[LineRange]) -> Vec<LineRange> {
        [cited, &self.performed(cited)].concat()
    }

    /// Returns the resources that a program or the estate calls by a name.
    pub(super) fn resources_named(&self, name: &str) -> Vec<&Resource> {
        let is_it = |resource: &&Resource| {
            let names = resource.aliases.iter().chain(&resource.estate_names).chain([&resource.name]);
            names.into_iter().any(|own| own.eq_ignore_ascii_case(name))
        };
        self.analysis.resources().iter().filter(is_it).collect()
    }

    /// The same without streams that an item is read from or displayed on: other statements use the item as well.
    fn resources_with_records(&self, name: &str) -> Vec<&Resource> {
        let mut resources = self.resources_named(name);
        resources.retain(|resource| {
            let is_stream = matches!(resource.kind, ResourceKind::SystemInput | ResourceKind::SystemOutput);
            !is_stream || resource.name.eq_ignore_ascii_case(name)
        });
        resources
    }

    /// Returns how lines use a thing; for a resource that they do not use, how the program does.
    fn ways(&self, name: &str, lines: &[LineRange]) -> Ways {
        let resources = self.resources_with_records(name);
        let is_there = |own: LineRange| lines.iter().any(|range| range.intersection(own).is_some());
        let mut ways = Ways::default();
        for resource in &resources {
            if resource.kind == ResourceKind::Table {
                self.add_accesses(resource, lines, &mut ways);
                continue;
            }
            let used = resource.operations.iter().filter(|(_, own)| is_there(*own));
            used.filter_map(|(operation, _)| Direction::of(operation)).for_each(|direction| ways.add(direction));
        }
        if ways.used.contains(&true) {
            return ways;
        }
        if !resources.is_empty() {
            ways.unused = [
                !resources.iter().any(|resource| resource.is_read),
                !resources.iter().any(|resource| resource.is_written),
            ];
        }
        // An undeclared name is no item.
        let is_undeclared = resources.is_empty() && !self.names.is_data(name);
        for statement in self.statements_in(lines) {
            for operand in self.parsed().operands(&self.parsed().statements[statement]) {
                if is_undeclared && operand.name().eq_ignore_ascii_case(name) {
                    ways.add(if operand.role().is_set() { Direction::Write } else { Direction::Read });
                }
            }
            let goes = self.crosses_the_border(statement);
            let uses = self.analysis.def_use().of_statement(statement);
            let is_it = |used: &ItemUse| self.is_part_of(used.item(), name);
            if let Some(direction) = goes.filter(|_| self.parsed().statements[statement].exec.is_some()) {
                ways.crossed[direction as usize] |= uses.iter().any(is_it);
            }
            self.add_uses(uses, goes, name, &mut ways);
        }
        for branch in self.branches_around(lines) {
            if is_there(LineRange::single(self.parsed().branches[branch].lines.start())) {
                self.add_uses(self.analysis.def_use().of_branch(branch), None, name, &mut ways);
                let mut tested = self.parsed().condition_operands(&self.parsed().branches[branch]);
                if is_undeclared && tested.any(|operand| operand.name().eq_ignore_ascii_case(name)) {
                    ways.add(Direction::Read);
                }
            }
        }
        ways
    }

    /// Adds what SQL statements do to a table: one statement may read one and write another.
    fn add_accesses(&self, table: &Resource, lines: &[LineRange], ways: &mut Ways) {
        let is_there = |own: LineRange| lines.iter().any(|range| range.intersection(own).is_some());
        let execs = self.parsed().execs.iter().filter(|exec| exec.file.is_none() && is_there(exec.lines));
        let tables = execs.filter_map(|exec| exec.sql.as_ref()).flat_map(|sql| &sql.tables);
        for used in tables.filter(|used| used.name.eq_ignore_ascii_case(&table.name)) {
            let done = used.accesses;
            ways.used[Direction::Read as usize] |= done.read;
            ways.used[Direction::Write as usize] |= done.create || done.update || done.delete;
        }
    }

    /// Returns which way a statement has data go between the program and what is outside.
    pub(super) fn crosses_the_border(&self, statement: usize) -> Option<Direction> {
        let statement = &self.parsed().statements[statement];
        match statement.verb {
            Verb::Display => Some(Direction::Write),
            Verb::Accept => Some(Direction::Read),
            _ => {
                let exec = &self.parsed().execs[statement.exec?];
                (exec.kind == ExecKind::Cics).then(|| Direction::of_command(&exec.command)).flatten()
            }
        }
    }

    fn add_uses(&self, uses: &[ItemUse], goes: Option<Direction>, name: &str, ways: &mut Ways) {
        for used in uses.iter().filter(|used| self.is_part_of(used.item(), name)) {
            // What goes out is read, and what comes in is set.
            let crosses =
                |direction: &Direction| if *direction == Direction::Write { used.is_read() } else { used.is_set() };
            match goes.filter(crosses) {
                Some(direction) => {
                    ways.add(direction);
                    ways.is_either = true;
                }
                None => {
                    ways.used[Direction::Read as usize] |= used.is_read();
                    ways.used[Direction::Write as usize] |= used.is_set();
                }
            }
        }
    }

    /// Whether an item has this name, or is in a group that has it; or shares its storage with one of these.
    pub(super) fn is_part_of(&self, item: usize, name: &str) -> bool {
        let items = &self.parsed().data_items;
        let (sharing, storage) = &self.shared_storage;
        let mut at = Some(item);
        while let Some(item) = at {
            let others = storage.get(&item).and_then(|storage| sharing.get(storage)).map(Vec::as_slice);
            let mut same = [item].into_iter().chain(others.unwrap_or_default().iter().copied());
            if same.any(|item| items[item].name.eq_ignore_ascii_case(name)) {
                return true;
            }
            at = items[item].parent;
        }
        false
    }

    /// Whether a text has data go from one item to another, and cited statements only have it go back.
    pub(super) fn reverses_a_move(&self, text: &str, cited: &[LineRange]) -> bool {
        let words: Vec<&str> = words(text).collect();
        let is_item = |word: &str| {
            let upper = word.to_uppercase();
            self.names.is_item(&upper) && wording::is_name(word, &upper, &self.names)
        };
        (1..words.len().saturating_sub(1)).any(|at| {
            let before = &words[at.saturating_sub(REACH)..at];
            let from = before.iter().rfind(|word| is_item(word));
            // Only such verbs say that data goes from one to the other: an item is also set to another, or compared to it.
            let goes = is_one(words[at], &["to", "into"]) && before.iter().any(|word| is_one(word, &TRANSFERS));
            let to = words[at + 1];
            goes && is_item(to)
                && (from.is_some_and(|from| self.moves_only_back(from, to, cited))
                    || self.all_move_back(
                        &listed(words[..at].iter().rev(), &is_item),
                        &listed(words[at + 1..].iter(), &is_item),
                        cited,
                    ))
        })
    }

    /// Whether of as many items that are said to be moved, the last first, as there are targets, each is only moved back.
    fn all_move_back(&self, from: &[&str], to: &[&str], cited: &[LineRange]) -> bool {
        from.len() > 1
            && from.len() == to.len()
            && from.iter().rev().zip(to).all(|(from, to)| self.moves_only_back(from, to, cited))
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

/// Returns the items of a list, `A, B and C`, up to the first word that belongs to none; forms of `to be` and the verb come between it and `to`.
fn listed<'w>(words: impl Iterator<Item = &'w &'w str>, is_item: &impl Fn(&str) -> bool) -> Vec<&'w str> {
    let is_between = |word: &str| is_one(word, &["and", "are", "is", "all", "each"]) || is_one(word, &TRANSFERS);
    words.take_while(|word| is_item(word) || is_between(word)).filter(|word| is_item(word)).copied().collect()
}
