//! The operations before each branch of a paragraph whose result the branch can test.
//!
//! An operation owns its status until the next operation on every path to the test. After an IF or EVALUATE, the operations of all
//! branches count, and if a branch has none, also those before the statement. Into a paragraph that only earlier GO TOs lead to, operations
//! are followed.
//!
//! An item that is set from a status is followed in the same way: the statements that set it count like operations, until a test
//! replaces them with the operations of their statuses.

use super::result_names::{ResultNames, statuses_in_groups, statuses_of_files};
use super::values::StatusKind;
use super::{OperationStatus, StatusItems, operation_key};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::model::{BranchKind, ParsedCobol, ReferenceKind, Statement};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// The maximum number of operations tracked per test.
const FOLLOWED: usize = 8;

/// The maximum depth at which the operations before an IF are remembered.
const DEEPEST: usize = 64;

/// The maximum number of paragraphs examined in a performed range.
const PARAGRAPHS: usize = 20;

/// Stands for whatever set a result before its paragraph began.
const BEFORE_PARAGRAPH: usize = usize::MAX;

/// The last operations on the paths to a position, by the name under which their result is stored. Without an entry, it is what it was before the
/// paragraph began; an empty entry is a result that the program has overwritten.
type LastOperations<'a> = HashMap<&'a str, Vec<usize>>;

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

pub(super) fn operations_by_branch(
    parsed: &ParsedCobol,
    flow: &ControlFlowGraph,
    decisions: Decisions<'_>,
    branches: &[Option<OperationStatus>],
    statuses: &StatusItems,
) -> Vec<Vec<usize>> {
    if branches.iter().all(Option::is_none) {
        return vec![Vec::new(); parsed.branches.len()];
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
        found: vec![Vec::new(); parsed.branches.len()],
        copied: HashMap::new(),
        of_copies: Vec::new(),
        jumps: JumpedOperations::of(parsed, flow),
        place: None,
        last: Some(HashMap::new()),
        left: None,
        open: Vec::new(),
    };
    walk.performed.called_first().into_iter().for_each(|paragraph| walk.follow(paragraph));
    (0..parsed.statements.len()).for_each(|statement| walk.visit(statement));
    walk.finish()
}

/// The program, the paragraph and the copybook of a statement.
type StatementPlace<'a> = (Option<usize>, Option<usize>, &'a Option<String>);

/// A walk over the statements of a source in their order.
struct OperationsWalk<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    decisions: Decisions<'a>,
    branches: &'a [Option<OperationStatus>],
    statuses: &'a StatusItems,
    results: &'a ResultNames<'a>,
    performed: PerformedOperations<'a>,
    found: Vec<Vec<usize>>,
    /// For each statement that copies a status, the operations behind it.
    copied: HashMap<usize, Vec<usize>>,
    /// The tests of copies, each with the statements that set these.
    of_copies: Vec<(usize, Option<Vec<usize>>)>,
    jumps: JumpedOperations<'a>,
    place: Option<StatementPlace<'a>>,
    /// None where control does not come.
    last: Option<LastOperations<'a>>,
    /// Those where EXIT PARAGRAPH goes to the end of the paragraph; none if nothing does.
    left: Option<LastOperations<'a>>,
    open: Vec<OpenStatement<'a>>,
}

impl<'a> OperationsWalk<'a> {
    /// Follows the operations through a paragraph, for the statements that perform it.
    fn follow(&mut self, paragraph: usize) {
        self.last = Some(HashMap::new());
        let mut jumped = None;
        for index in std::mem::take(&mut self.performed.statements[paragraph]) {
            let statement = &self.parsed.statements[index];
            self.arrive_in_branch(statement);
            self.pass(index);
            if self.comes_back(index, paragraph) {
                join(&mut jumped, self.last.clone());
            }
            self.depart(index);
        }
        self.close();
        self.performed.ends[paragraph] = ParagraphEnds { end: self.last.take(), jumped };
    }

    /// Returns whether control may go on from a statement at the end of the performed range: by a GO TO further down that does not end the program.
    fn comes_back(&self, index: usize, paragraph: usize) -> bool {
        let is_on = |target: &usize| *target > paragraph && self.flow.certain_exit(*target).is_none();
        match self.parsed.statements[index].verb {
            Verb::Go => self.jumps.targets.get(&index).is_some_and(is_on),
            Verb::Exit => self.flow.always_leaves(index),
            _ => false,
        }
    }

    fn visit(&mut self, index: usize) {
        let statement = &self.parsed.statements[index];
        self.arrive(statement);
        let own = self.decisions.branches_of(index);
        for branch in own.iter().filter(|branch| self.branches[**branch].is_some()) {
            self.found[*branch] = self.operations_of(*branch, index, own[0]);
        }
        self.pass(index);
        if let Some(last) = &self.last {
            self.jumps.depart(index, last);
        }
        self.depart(index);
    }

    /// Notes what a statement itself does to results.
    fn pass(&mut self, index: usize) {
        let (parsed, Some(last)) = (self.parsed, &mut self.last) else { return };
        for name in self.results.of(parsed, index) {
            last.insert(name, vec![index]);
        }
        let source = self.statuses.copied.get(&index);
        if let Some((item, kind)) = source.and_then(|source| self.statuses.kinds.get_key_value(source)) {
            self.copied.insert(index, in_paragraph(last.get(operation_key(item, kind))));
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
        } else if self.is_exit_paragraph(index) {
            join(&mut self.left, self.last.take());
        } else if self.flow.always_leaves(index) {
            // Nothing comes from here to the next statement.
            self.last = None;
        }
    }

    /// Comes to a statement: leaves those that ended before it, and enters its paragraph and its branch.
    fn arrive(&mut self, statement: &'a Statement) {
        let here = (statement.program, statement.paragraph, &statement.file);
        if self.place != Some(here) {
            // What is open at the end of a paragraph ends with it.
            self.close();
            let last = self.last.take();
            let before = self.place.and_then(|(_, paragraph, _)| paragraph).zip(last);
            let arrive = |paragraph| self.jumps.arrive(self.flow, paragraph, before);
            self.last = Some(statement.paragraph.map(arrive).unwrap_or_default());
            self.place = Some(here);
        }
        self.arrive_in_branch(statement);
    }

    fn arrive_in_branch(&mut self, statement: &'a Statement) {
        let parsed = self.parsed;
        while let Some(ended) = self.open.pop_if(|open| statement.depth <= parsed.statements[open.statement].depth) {
            self.leave(ended);
        }
        if let Some(around) = self.open.last_mut()
            && statement.branch.is_some_and(|branch| parsed.branches[branch].statement == around.statement)
            && around.branch != statement.branch
        {
            let before = std::mem::replace(&mut self.last, around.entry.clone());
            if around.branch.is_some() {
                join(&mut around.ends, before);
            }
            around.branch = statement.branch;
            around.begun += 1;
        }
    }

    /// Leaves all open statements, and comes to the end of the paragraph.
    fn close(&mut self) {
        while let Some(ended) = self.open.pop() {
            self.leave(ended);
        }
        join(&mut self.last, self.left.take());
    }

    fn is_exit_paragraph(&self, index: usize) -> bool {
        let statement = &self.parsed.statements[index];
        statement.verb == Verb::Exit && self.parsed.words_after_verb(statement).has("PARAGRAPH")
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
            (_, Some((item, kind))) => in_paragraph(last.get(operation_key(item, kind))),
            (_, None) => Vec::new(),
        }
    }

    fn finish(mut self) -> Vec<Vec<usize>> {
        for (branch, setters) in self.of_copies {
            let operations = setters.into_iter().flatten().filter_map(|setter| self.copied.get(&setter)).flatten();
            let mut operations: Vec<usize> = operations.copied().collect();
            operations.sort_unstable();
            operations.dedup();
            self.found[branch] = operations;
        }
        self.found
    }
}

/// Returns the operations that stand in the paragraph, or in what it performs.
fn in_paragraph(reaching: Option<&Vec<usize>>) -> Vec<usize> {
    reaching.into_iter().flatten().copied().filter(|operation| *operation != BEFORE_PARAGRAPH).collect()
}

/// Returns the statements that may have set an item; none if others may have set it, too.
fn known(reaching: Option<&Vec<usize>>) -> Option<&[usize]> {
    reaching.map(Vec::as_slice).filter(|found| found.len() < FOLLOWED && !found.contains(&BEFORE_PARAGRAPH))
}

/// The operations that GO TOs bring to paragraphs that nothing else leads to.
struct JumpedOperations<'a> {
    /// The target of each GO TO with one.
    targets: HashMap<usize, usize>,
    /// For each paragraph the number of GO TOs to it that were not met yet; none if a PERFORM or a handler leads there, too.
    open: Vec<Option<usize>>,
    /// What the GO TOs that were met bring.
    brought: HashMap<usize, LastOperations<'a>>,
}

impl<'a> JumpedOperations<'a> {
    fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph) -> Self {
        let mut targets = HashMap::new();
        let mut open = vec![Some(0); parsed.paragraphs.len()];
        for (index, reference) in parsed.references.iter().enumerate() {
            let Some((first, _)) = flow.reference_span(index) else { continue };
            match (reference.kind, reference.statement) {
                (ReferenceKind::GoTo, Some(statement)) => {
                    // A GO TO DEPENDING ON has several targets.
                    let is_only = targets.insert(statement, first).is_none();
                    open[first] = open[first].map(|count| count + 1).filter(|_| is_only);
                }
                _ => open[first] = None,
            }
        }
        Self { targets, open, brought: HashMap::new() }
    }

    /// Notes the operations at a GO TO.
    fn depart(&mut self, statement: usize, last: &LastOperations<'a>) {
        let Some(target) = self.targets.get(&statement).copied() else { return };
        if let Some(count) = &mut self.open[target] {
            *count = count.saturating_sub(1);
            match self.brought.get_mut(&target) {
                Some(known) => meet(known, last.clone()),
                None => {
                    self.brought.insert(target, last.clone());
                }
            }
        }
    }

    /// Returns the operations before a paragraph, given those at the end of the one in front of it.
    fn arrive(
        &mut self,
        flow: &ControlFlowGraph,
        paragraph: usize,
        before: Option<(usize, LastOperations<'a>)>,
    ) -> LastOperations<'a> {
        let brought = self.brought.remove(&paragraph);
        let Some(mut last) = brought.filter(|_| self.open[paragraph] == Some(0)) else { return HashMap::new() };
        let fallen = before.filter(|(before, _)| *before + 1 == paragraph && flow.falls_through(*before));
        if let Some((_, operations)) = fallen {
            meet(&mut last, operations);
        }
        last
    }
}

/// Joins what two ways bring. What only one of them brings is not known.
fn meet<'a>(known: &mut LastOperations<'a>, mut other: LastOperations<'a>) {
    known.retain(|name, _| other.contains_key(name));
    other.retain(|name, _| known.contains_key(name));
    for (name, operations) in other {
        add(known.entry(name).or_default(), operations);
    }
}

/// The last operations at the ends of a paragraph.
#[derive(Debug, Default)]
struct ParagraphEnds<'a> {
    /// Where control falls out of it; none if it does not.
    end: Option<LastOperations<'a>>,
    /// Where control goes on to the end of the performed range.
    jumped: Option<LastOperations<'a>>,
}

/// The last operations in performed ranges, by the names under which their results are stored.
struct PerformedOperations<'a> {
    /// The statements of each paragraph.
    statements: Vec<Vec<usize>>,
    /// What each paragraph does to the results.
    ends: Vec<ParagraphEnds<'a>>,
    /// The paragraphs that a statement performs.
    spans: HashMap<usize, (usize, usize)>,
    /// The statements that perform paragraphs more than once, or not at all.
    repeated: HashSet<usize>,
    /// All names of results, if a range ends before its start.
    names: Vec<&'a str>,
}

impl<'a> PerformedOperations<'a> {
    fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, results: &ResultNames<'a>) -> Self {
        let performs =
            || parsed.references.iter().enumerate().filter(|(_, found)| found.kind == ReferenceKind::Perform);
        let spans: HashMap<usize, (usize, usize)> =
            performs().filter_map(|(index, found)| Some((found.statement?, flow.reference_span(index)?))).collect();
        let repeated = performs().filter(|(_, found)| found.is_repeated).filter_map(|(_, found)| found.statement);
        let mut statements = vec![Vec::new(); parsed.paragraphs.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            if let Some(paragraph) = statement.paragraph {
                statements[paragraph].push(index);
            }
        }
        // Until it is followed, a paragraph leaves all results as they are: as one does that performs itself.
        let untouched = || ParagraphEnds { end: Some(HashMap::new()), jumped: None };
        let ends = parsed.paragraphs.iter().map(|_| untouched()).collect();
        let is_backward = spans.values().any(|(first, end)| end < first);
        let operations = if is_backward { 0..parsed.statements.len() } else { 0..0 };
        let mut names: Vec<&str> = operations.flat_map(|index| results.of(parsed, index)).collect();
        names.sort_unstable();
        names.dedup();
        Self { statements, ends, repeated: repeated.collect(), spans, names }
    }

    /// Returns the paragraphs, each behind those that it performs.
    fn called_first(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.ends.len());
        let mut is_met = vec![false; self.ends.len()];
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        for start in 0..self.ends.len() {
            if !std::mem::replace(&mut is_met[start], true) {
                open.push((start, self.performed_by(start)));
            }
            while let Some((paragraph, performed)) = open.last_mut() {
                match performed.pop() {
                    Some(next) if !std::mem::replace(&mut is_met[next], true) => {
                        open.push((next, self.performed_by(next)));
                    }
                    Some(_) => {}
                    None => {
                        order.push(*paragraph);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    /// Returns the paragraphs that one performs.
    fn performed_by(&self, paragraph: usize) -> Vec<usize> {
        let spans = self.statements[paragraph].iter().filter_map(|statement| self.spans.get(statement));
        spans.flat_map(|(first, end)| (*first..=*end).take(PARAGRAPHS)).collect()
    }

    /// Adds what a statement's performed range does to the results.
    fn add(&self, statement: usize, last: &mut LastOperations<'a>) {
        let Some((first, end)) = self.spans.get(&statement).copied() else { return };
        if end < first {
            // Control comes to the end of such a range by GO TOs, in whatever way: what it does to the results is not known.
            last.extend(self.names.iter().map(|name| (*name, Vec::new())));
            return;
        }
        let mut here = Some(LastOperations::new());
        let mut jumped = None;
        for ends in self.ends.iter().take(end + 1).skip(first).take(PARAGRAPHS) {
            let Some(before) = here.take() else { break };
            let behind = |ends: &Option<LastOperations<'a>>| ends.as_ref().map(|ends| follow(before.clone(), ends));
            join(&mut jumped, behind(&ends.jumped));
            here = behind(&ends.end);
        }
        join(&mut jumped, here);
        // Paragraphs that were not examined may do anything.
        if end - first >= PARAGRAPHS {
            join(&mut jumped, Some(LastOperations::new()));
        }
        let mut done = jumped.unwrap_or_default();
        if self.repeated.contains(&statement) {
            // Of a loop that does not run, what was before it remains.
            done.retain(|_, operations| operations.iter().any(|operation| *operation != BEFORE_PARAGRAPH));
        }
        *last = follow(std::mem::take(last), &done);
    }
}

/// Returns what comes last behind both: first what is in `before`, then `done`.
fn follow<'a>(mut before: LastOperations<'a>, done: &LastOperations<'a>) -> LastOperations<'a> {
    for (name, operations) in done {
        match operations.contains(&BEFORE_PARAGRAPH) {
            true => {
                let known = before.entry(name).or_insert_with(|| vec![BEFORE_PARAGRAPH]);
                add(known, in_paragraph(Some(operations)));
            }
            false => {
                before.insert(name, operations.clone());
            }
        }
    }
    before
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

/// Joins what two ways bring to one place.
fn join<'a>(to: &mut Option<LastOperations<'a>>, from: Option<LastOperations<'a>>) {
    let Some(from) = from else { return };
    let Some(known) = to else {
        *to = Some(from);
        return;
    };
    for (_, operations) in known.iter_mut().filter(|(name, _)| !from.contains_key(**name)) {
        add(operations, vec![BEFORE_PARAGRAPH]);
    }
    for (name, operations) in from {
        add(known.entry(name).or_insert_with(|| vec![BEFORE_PARAGRAPH]), operations);
    }
}

/// Adds operations to others of one name.
fn add(known: &mut Vec<usize>, operations: Vec<usize>) {
    known.extend(operations);
    known.sort_unstable();
    known.dedup();
    let surplus = known.len().saturating_sub(FOLLOWED);
    known.drain(..surplus);
}
