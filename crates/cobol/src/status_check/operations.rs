//! The operations before each branch of a paragraph whose result the branch can test.
//!
//! An operation owns its status until the next operation on every path to the test. After an IF or EVALUATE, the operations of all
//! branches count, and if a branch has none, also those before the statement; in a loop, those of the round before. Operations are followed into
//! performed paragraphs and out of them, so that a paragraph that checks a status tests what ran before each PERFORM of it.
//!
//! An item that is set from a status is followed in the same way: the statements that set it count like operations, until a test
//! replaces them with the operations of their statuses.

use super::entries::EntryOperations;
use super::last_operations::{LastOperations, follow, in_paragraph, join, known};
use super::performed::{ParagraphEnds, PerformedOperations};
use super::result_names::{ResultNames, statuses_in_groups, statuses_of_files};
use super::values::StatusKind;
use super::{OperationStatus, StatusItems, operation_key};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::model::{BranchKind, ParsedCobol, Statement};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt};

/// The maximum depth at which the operations before an IF are remembered.
const DEEPEST: usize = 64;

/// How often all paragraphs are walked until what comes to each is known.
const ROUNDS: usize = 8;

/// A statement with branches, one of which is being processed.
struct OpenStatement<'a> {
    statement: usize,
    branch: Option<usize>,
    /// The number of its branches that contain statements.
    begun: usize,
    /// The operations before it; none where control does not come.
    entry: Option<LastOperations<'a>>,
    /// The operations at the ends of the processed branches.
    ends: Option<LastOperations<'a>>,
}

/// The operations whose results the branches of a source test.
pub(super) struct TestedOperations {
    /// By branch.
    pub(super) by_branch: Vec<Vec<usize>>,
    /// For each statement that copies a status, the operations behind it; empty where they are not known.
    copied: HashMap<usize, Vec<usize>>,
}

impl TestedOperations {
    /// Finds the operations that stand in the paragraph of a test, or in what that performs. Given these, finds also those that run before the paragraph
    /// is performed. What another paragraph copied is still that of one paragraph: each of those that perform it copies another status.
    pub(super) fn of(
        parsed: &ParsedCobol,
        flow: &ControlFlowGraph,
        decisions: Decisions<'_>,
        branches: &[Option<OperationStatus>],
        statuses: &StatusItems,
        within: Option<&Self>,
    ) -> Self {
        let found = Self { by_branch: vec![Vec::new(); parsed.branches.len()], copied: HashMap::new() };
        if branches.iter().all(Option::is_none) {
            return found;
        }
        let copies = statuses.setters.values().flatten().map(String::as_str).collect();
        let status_of = statuses_of_files(parsed);
        let results = ResultNames { status_of, statuses, copies, in_groups: statuses_in_groups(parsed, statuses) };
        let mut walk = OperationsWalk {
            parsed,
            flow,
            decisions,
            branches,
            statuses,
            performed: PerformedOperations::of(parsed, flow, &results),
            results: &results,
            found,
            of_copies: Vec::new(),
            entries: EntryOperations::of(parsed, flow, statuses, within.is_some()),
            rounds: HashMap::new(),
            last: Some(HashMap::new()),
            left: None,
            begun_again: None,
            open: Vec::new(),
        };
        walk.performed.called_first().into_iter().for_each(|paragraph| walk.follow(paragraph));
        let outside = (0..parsed.statements.len()).filter(|index| parsed.statements[*index].paragraph.is_none());
        let outside: Vec<usize> = outside.collect();
        let order = walk.entries.callers_first(&walk.performed.statements);
        for round in 0..=ROUNDS {
            walk.of_copies.clear();
            if round == ROUNDS {
                walk.entries.forget();
            }
            walk.visit_all(&outside, Some(HashMap::new()));
            order.iter().for_each(|paragraph| walk.visit_paragraph(*paragraph));
            if !walk.entries.take_changed() && !walk.entries.enter_others() {
                break;
            }
        }
        walk.finish(within.map(|within| &within.copied))
    }
}

/// A walk over the statements of a source in their order.
struct OperationsWalk<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    decisions: Decisions<'a>,
    branches: &'a [Option<OperationStatus>],
    statuses: &'a StatusItems,
    results: &'a ResultNames<'a>,
    performed: PerformedOperations<'a>,
    found: TestedOperations,
    /// The tests of copies, each with the statements that set these.
    of_copies: Vec<(usize, Option<Vec<usize>>)>,
    entries: EntryOperations<'a>,
    /// What one round of each loop does to the results.
    rounds: HashMap<usize, Option<LastOperations<'a>>>,
    /// None where control does not come.
    last: Option<LastOperations<'a>>,
    /// Those where EXIT PARAGRAPH goes to the end of the paragraph; none if nothing does.
    left: Option<LastOperations<'a>>,
    /// Those where EXIT PERFORM CYCLE goes on with the next round of the loop that is followed; none if nothing does.
    begun_again: Option<LastOperations<'a>>,
    open: Vec<OpenStatement<'a>>,
}

impl<'a> OperationsWalk<'a> {
    /// Follows the operations through a paragraph, for the statements that perform it.
    fn follow(&mut self, paragraph: usize) {
        self.last = Some(HashMap::new());
        let mut jumped = None;
        let own = std::mem::take(&mut self.performed.statements[paragraph]);
        for index in own.iter().copied() {
            let statement = &self.parsed.statements[index];
            self.arrive_in_branch(statement);
            self.pass(index);
            if self.comes_back(index, paragraph) {
                join(&mut jumped, self.last.clone());
            }
            self.depart(index);
        }
        self.close();
        self.performed.statements[paragraph] = own;
        self.performed.ends[paragraph] = ParagraphEnds { end: self.last.take(), jumped };
    }

    /// Follows the operations through one round of a loop to the beginning of the next; none if there is none.
    fn round(&mut self, statement: usize) -> Option<LastOperations<'a>> {
        if let Some(known) = self.rounds.get(&statement) {
            return known.clone();
        }
        let parsed = self.parsed;
        let around = (self.last.replace(HashMap::new()), self.left.take(), std::mem::take(&mut self.open));
        let again_around = self.begun_again.take();
        let depth = parsed.statements[statement].depth;
        let inside = parsed.statements.iter().enumerate().skip(statement + 1);
        for (index, inner) in inside.take_while(|(_, inner)| inner.depth > depth) {
            self.arrive_in_branch(inner);
            self.pass(index);
            self.depart(index);
        }
        // Who leaves the paragraph does not come to another round.
        self.left = None;
        self.close();
        let again = self.begun_again.take();
        join(&mut self.last, again);
        let done = std::mem::replace(&mut self.last, around.0);
        (self.left, self.open, self.begun_again) = (around.1, around.2, again_around);
        self.rounds.insert(statement, done.clone());
        done
    }

    /// Returns whether control may go on from a statement at the end of the performed range: by a GO TO further down that does not end the program.
    fn comes_back(&self, index: usize, paragraph: usize) -> bool {
        match self.parsed.statements[index].verb {
            // Of a range with other GO TOs, nothing is known.
            Verb::Go => self.performed.jumps.get(&index).is_some_and(|target| *target > paragraph),
            Verb::Exit => self.flow.always_leaves(index),
            _ => false,
        }
    }

    fn visit_paragraph(&mut self, paragraph: usize) {
        let own = std::mem::take(&mut self.performed.statements[paragraph]);
        let before = self.entries.arrive(paragraph);
        self.visit_all(&own, before);
        self.entries.fall(paragraph, self.last.as_ref());
        self.performed.statements[paragraph] = own;
    }

    /// Notes what the branches of statements test, which follow one another; `before` is none where control does not come.
    fn visit_all(&mut self, statements: &[usize], before: Option<LastOperations<'a>>) {
        self.last = before;
        let mut file = None;
        for index in statements {
            let statement = &self.parsed.statements[*index];
            let place = Some((statement.program, &statement.file));
            if file.is_some() && file != place {
                let left = self.left.take();
                self.close();
                self.last = Some(HashMap::new());
                self.left = left;
            }
            file = place;
            self.visit(*index);
        }
        self.close();
    }

    fn visit(&mut self, index: usize) {
        self.arrive_in_branch(&self.parsed.statements[index]);
        let own = self.decisions.branches_of(index);
        for branch in own.iter().filter(|branch| self.branches[**branch].is_some()) {
            self.found.by_branch[*branch] = self.operations_of(*branch, index, own[0]);
        }
        let leads = !self.entries.targets(index).is_empty();
        let mut brought = self.last.clone().filter(|_| leads);
        self.pass(index);
        if leads {
            if self.performed.repeated.contains(&index) {
                join(&mut brought, self.last.clone());
            }
            self.entries.depart(index, brought.as_ref());
        }
        self.depart(index);
    }

    /// Notes what a statement itself does to results.
    fn pass(&mut self, index: usize) {
        // Control may come to an ENTRY from outside.
        if self.parsed.statements[index].verb == Verb::Entry {
            self.last = Some(HashMap::new());
        }
        let (parsed, Some(last)) = (self.parsed, &mut self.last) else { return };
        for name in self.results.of(parsed, index) {
            last.insert(name, vec![index]);
        }
        let source = self.statuses.copied.get(&index);
        if let Some((item, kind)) = source.and_then(|source| self.statuses.kinds.get_key_value(source)) {
            let operations = known(last.get(operation_key(item, kind))).map(<[usize]>::to_vec).unwrap_or_default();
            self.found.copied.insert(index, operations);
        }
        for name in self.results.replaced_by(parsed, index) {
            last.insert(name, Vec::new());
        }
        for item in self.results.set_by(index) {
            last.insert(item, vec![index]);
        }
        self.performed.add(index, last);
    }

    /// Goes from a statement to those under it, or behind it.
    fn depart(&mut self, index: usize) {
        if !self.decisions.branches_of(index).is_empty() {
            // Below this depth, earlier operations are forgotten: each level would store them again.
            let entry = if self.open.len() < DEEPEST { self.last.clone() } else { Some(LastOperations::new()) };
            self.open.push(OpenStatement { statement: index, branch: None, begun: 0, entry, ends: None });
        } else if self.exits(index, "PARAGRAPH") {
            join(&mut self.left, self.last.take());
        } else if self.exits(index, "PERFORM") {
            self.leave_loop(index);
        } else if self.flow.always_leaves(index) {
            // Nothing comes from here to the next statement.
            self.last = None;
        }
    }

    /// Comes to a statement: leaves those that ended before it, and enters its branch.
    fn arrive_in_branch(&mut self, statement: &'a Statement) {
        let parsed = self.parsed;
        while let Some(ended) = self.open.pop_if(|open| statement.depth <= parsed.statements[open.statement].depth) {
            self.leave(ended);
        }
        if let Some(around) = self.open.last_mut()
            && let Some(branch) = statement.branch.map(|branch| &parsed.branches[branch])
            && branch.statement == around.statement
            && around.branch != statement.branch
        {
            let before = std::mem::replace(&mut self.last, around.entry.clone());
            if around.branch.is_some() {
                join(&mut around.ends, before);
            }
            around.branch = statement.branch;
            around.begun += 1;
            if branch.kind == BranchKind::Loop {
                // Below this depth, each level would be followed within all around it: another round may bring anything.
                let again = match usize::from(parsed.statements[branch.statement].depth) > DEEPEST {
                    true => Some(LastOperations::new()),
                    false => {
                        let done = self.round(branch.statement);
                        self.last.clone().zip(done).map(|(before, done)| follow(before, &done))
                    }
                };
                join(&mut self.last, again);
            }
        }
    }

    /// Leaves all open statements, and comes to the end of the paragraph.
    fn close(&mut self) {
        while let Some(ended) = self.open.pop() {
            self.leave(ended);
        }
        join(&mut self.last, self.left.take());
    }

    fn exits(&self, index: usize, from: &str) -> bool {
        let statement = &self.parsed.statements[index];
        statement.verb == Verb::Exit && self.parsed.words_after_verb(statement).has(from)
    }

    /// Goes from EXIT PERFORM behind the loop, or from EXIT PERFORM CYCLE to its next round, after which it may end.
    fn leave_loop(&mut self, index: usize) {
        let parsed = self.parsed;
        let is_loop = |open: &&mut OpenStatement<'a>| {
            open.branch.is_some_and(|branch| parsed.branches[branch].kind == BranchKind::Loop)
        };
        let (last, goes_on) = (self.last.take(), self.exits(index, "CYCLE"));
        match self.open.iter_mut().rev().find(is_loop) {
            Some(around) => join(&mut around.ends, last),
            None if goes_on => join(&mut self.begun_again, last),
            None => {}
        }
    }

    fn leave(&mut self, ended: OpenStatement<'a>) {
        self.last = behind(self.parsed, self.decisions, ended, std::mem::take(&mut self.last));
    }

    /// Returns the operations whose result a branch of a statement asks for; of the test of a copy, what is found at the end.
    fn operations_of(&mut self, branch: usize, statement: usize, first: usize) -> Vec<usize> {
        let none = LastOperations::new();
        let last = self.last.as_ref().unwrap_or(&none);
        match (self.parsed.branches[branch].kind, self.statuses.asked(self.parsed, branch, first)) {
            (BranchKind::Phrase, _) => vec![statement],
            (_, Some((item, StatusKind::Derived(_)))) => {
                let test = self.statuses.derived_branch(self.decisions, statement, branch);
                let test = test.filter(|test| test.item == item);
                test.map(|test| test.operations(known(last.get(item)))).unwrap_or_default()
            }
            (_, Some((item, _))) if self.results.copies.contains(item) => {
                self.of_copies.push((branch, known(last.get(item)).map(<[usize]>::to_vec)));
                Vec::new()
            }
            // A failure of one of several files is one of any of their operations.
            (_, Some((_, StatusKind::File))) if self.branches[branch] == Some(OperationStatus::Failure) => {
                let all = self.statuses.all_asked(self.parsed, branch, first);
                let files =
                    all.filter(|(item, kind)| **kind == StatusKind::File && !self.results.copies.contains(item));
                let mut found: Vec<usize> = files.flat_map(|(item, _)| in_paragraph(last.get(item))).collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            (_, Some((item, kind))) => in_paragraph(last.get(operation_key(item, kind))),
            (_, None) => Vec::new(),
        }
    }

    /// Finds the operations behind the tests of copies. `within` has those of each statement that copies a status in its own paragraph, where they are
    /// asked for as well.
    fn finish(mut self, within: Option<&HashMap<usize, Vec<usize>>>) -> TestedOperations {
        let paragraph = |statement: usize| self.parsed.statements[statement].paragraph;
        for (branch, setters) in &self.of_copies {
            let tested_in = paragraph(self.parsed.branches[*branch].statement);
            let copied = |setter: &usize| {
                let of_others = within.filter(|_| paragraph(*setter) != tested_in);
                of_others.unwrap_or(&self.found.copied).get(setter)
            };
            let behind: Vec<&Vec<usize>> = setters.iter().flatten().filter_map(copied).collect();
            let is_known = within.is_none() || behind.iter().all(|operations| !operations.is_empty());
            let mut operations: Vec<usize> = behind.into_iter().filter(|_| is_known).flatten().copied().collect();
            operations.sort_unstable();
            operations.dedup();
            self.found.by_branch[*branch] = operations;
        }
        self.found
    }
}

/// Returns whether control always takes one of the branches of a statement.
fn decides_all(parsed: &ParsedCobol, branches: &[usize]) -> bool {
    branches.iter().any(|branch| {
        let branch = &parsed.branches[*branch];
        branch.kind == BranchKind::Else || parsed.is_when_other(branch)
    })
}

/// Returns the operations after a completed statement; `last` are those at its end.
fn behind<'a>(
    parsed: &ParsedCobol,
    decisions: Decisions<'_>,
    ended: OpenStatement<'a>,
    last: Option<LastOperations<'a>>,
) -> Option<LastOperations<'a>> {
    let own = decisions.branches_of(ended.statement);
    let mut ends = ended.ends;
    join(&mut ends, last);
    // Several WHENs may share their statements, and a branch may have none: then control may skip all branches.
    if !decides_all(parsed, own) || ended.begun < own.len() {
        join(&mut ends, ended.entry);
    }
    ends
}
