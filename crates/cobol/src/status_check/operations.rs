//! The operations before each branch of a paragraph whose result the branch can test.
//!
//! An operation owns its status until the next operation on every path to the test. After an IF or EVALUATE, the operations of all
//! branches count, and if a branch has none, also those before the statement; in a loop, those of the round before. Operations are followed into
//! performed paragraphs and out of them, so that a paragraph that checks a status tests what ran before each PERFORM of it.
//!
//! An item that is set from a status is followed in the same way: the statements that set it count like operations, until a test
//! replaces them with the operations of their statuses.

use super::entries::EntryOperations;
use super::result_names::{ResultNames, statuses_in_groups, statuses_of_files};
use super::values::StatusKind;
use super::{OperationStatus, StatusItems, operation_key};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::model::{BranchKind, ParsedCobol, ReferenceKind, Statement};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// The maximum number of operations tracked per test.
pub(super) const FOLLOWED: usize = 8;

/// The maximum depth at which the operations before an IF are remembered.
const DEEPEST: usize = 64;

/// The maximum number of paragraphs examined in a performed range.
const PARAGRAPHS: usize = 20;

/// How often all paragraphs are walked until what comes to each is known.
const ROUNDS: usize = 8;

/// How many paragraphs are looked at that a range with jumps may lead to.
const LED_TO: usize = 200;

/// Stands for whatever set a result before its paragraph began.
const BEFORE_PARAGRAPH: usize = usize::MAX;

/// Stands for something that is not known.
const UNKNOWN: usize = usize::MAX - 1;

/// The last operations on the paths to a position, by the name under which their result is stored. Without an entry, it is what it was before the
/// paragraph began; an empty entry is a result that the program has overwritten.
pub(super) type LastOperations<'a> = HashMap<&'a str, Vec<usize>>;

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
    /// Finds the operations that stand in the paragraph of a test, or in what that performs.
    pub(super) fn within_paragraphs(
        parsed: &ParsedCobol,
        flow: &ControlFlowGraph,
        decisions: Decisions<'_>,
        branches: &[Option<OperationStatus>],
        statuses: &StatusItems,
    ) -> Self {
        Self::of(parsed, flow, decisions, branches, statuses, None)
    }

    /// Adds those that run before the paragraph is performed. What another paragraph copied is still that of one paragraph: each of those that perform it
    /// copies another status.
    pub(super) fn across_paragraphs(
        &self,
        parsed: &ParsedCobol,
        flow: &ControlFlowGraph,
        decisions: Decisions<'_>,
        branches: &[Option<OperationStatus>],
        statuses: &StatusItems,
    ) -> Self {
        Self::of(parsed, flow, decisions, branches, statuses, Some(&self.copied))
    }

    fn of(
        parsed: &ParsedCobol,
        flow: &ControlFlowGraph,
        decisions: Decisions<'_>,
        branches: &[Option<OperationStatus>],
        statuses: &StatusItems,
        within: Option<&HashMap<usize, Vec<usize>>>,
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
        walk.finish(within)
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

/// Returns the operations that may have set a result, as far as they are known.
fn in_paragraph(reaching: Option<&Vec<usize>>) -> Vec<usize> {
    let reaching = reaching.filter(|found| !found.contains(&UNKNOWN));
    reaching.into_iter().flatten().copied().filter(|operation| *operation != BEFORE_PARAGRAPH).collect()
}

/// Returns the statements that may have set an item; none if others may have set it, too.
pub(super) fn known(reaching: Option<&Vec<usize>>) -> Option<&[usize]> {
    let is_known = |found: &&[usize]| found.len() < FOLLOWED && found.iter().all(|operation| *operation < UNKNOWN);
    reaching.map(Vec::as_slice).filter(is_known)
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
    /// The paragraphs that a SORT, MERGE or XML PARSE runs.
    run: HashMap<usize, Vec<(usize, usize)>>,
    /// The statements that perform paragraphs more than once, or not at all.
    repeated: HashSet<usize>,
    /// The paragraph that each GO TO leads to, of several the last, but for those that end the program.
    jumps: HashMap<usize, usize>,
    /// Those that GO TOs in each paragraph lead to.
    jumps_from: Vec<Vec<usize>>,
    /// Whether GO TOs are changed while the program runs.
    is_altered: bool,
    /// Whether each paragraph is a label alone.
    labels: Vec<bool>,
    /// The names of the results that statements of each paragraph set.
    names: Vec<Vec<&'a str>>,
}

impl<'a> PerformedOperations<'a> {
    fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, results: &ResultNames<'a>) -> Self {
        let count = parsed.paragraphs.len();
        // Until it is followed, a paragraph leaves all results as they are: as one does that performs itself.
        let untouched = || ParagraphEnds { end: Some(HashMap::new()), jumped: None };
        let mut performed = Self {
            statements: vec![Vec::new(); count],
            ends: parsed.paragraphs.iter().map(|_| untouched()).collect(),
            spans: HashMap::new(),
            run: HashMap::new(),
            repeated: HashSet::default(),
            jumps: HashMap::new(),
            jumps_from: vec![Vec::new(); count],
            is_altered: false,
            labels: (0..count).map(|paragraph| flow.is_label_only(paragraph)).collect(),
            names: vec![Vec::new(); count],
        };
        for (index, reference) in parsed.references.iter().enumerate() {
            let (Some(statement), Some(span)) = (reference.statement, flow.reference_span(index)) else { continue };
            match reference.kind {
                ReferenceKind::Perform => {
                    performed.spans.insert(statement, span);
                    if reference.is_repeated {
                        performed.repeated.insert(statement);
                    }
                }
                ReferenceKind::GoTo => {
                    let from = parsed.statements[statement].paragraph;
                    if let Some(from) = from.filter(|_| flow.certain_exit(span.0).is_none()) {
                        performed.jumps.insert(statement, span.0);
                        performed.jumps_from[from].push(span.0);
                    }
                }
                ReferenceKind::Sort | ReferenceKind::XmlParse => performed.run.entry(statement).or_default().push(span),
                ReferenceKind::Alter => performed.is_altered = true,
                ReferenceKind::Handle => {}
            }
        }
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            performed.statements[paragraph].push(index);
            let set = results.of(parsed, index).into_iter().chain(results.replaced_by(parsed, index));
            performed.names[paragraph].extend(set.chain(results.set_by(index)));
        }
        performed
    }

    /// Whether control comes to the end of a range without detours: its GO TOs lead to the label at its end.
    fn is_straight(&self, first: usize, end: usize) -> bool {
        first <= end
            && end - first < PARAGRAPHS
            && !self.is_altered
            && self.jumps_from[first..=end].iter().flatten().all(|target| *target == end && self.labels[end])
    }

    /// Leaves the results unknown that a range, or what it leads to, may set.
    fn forget(&self, (first, end): (usize, usize), last: &mut LastOperations<'a>) {
        // With each paragraph, whether control may fall on from it.
        let mut open: Vec<(usize, bool)> = (first.min(end)..=first.max(end)).map(|inside| (inside, false)).collect();
        let mut met: HashSet<(usize, bool)> = open.iter().copied().collect();
        while let Some((paragraph, falls)) = open.pop() {
            last.extend(self.names[paragraph].iter().map(|name| (*name, vec![UNKNOWN])));
            let statements = self.statements[paragraph].iter();
            let run = statements.clone().filter_map(|statement| self.run.get(statement)).flatten();
            let spans = statements.filter_map(|statement| self.spans.get(statement)).chain(run);
            let performed = spans.flat_map(|(first, end)| *first..=*end).map(|inside| (inside, false));
            let next = (falls && paragraph + 1 < self.names.len()).then_some(paragraph + 1);
            let jumped = self.jumps_from[paragraph].iter().copied().chain(next).map(|target| (target, true));
            open.extend(performed.chain(jumped).filter(|next| met.insert(*next)));
            if met.len() > LED_TO {
                last.extend(self.names.iter().flatten().map(|name| (*name, vec![UNKNOWN])));
                return;
            }
        }
    }

    /// Returns the paragraphs, each behind those that it performs.
    fn called_first(&self) -> Vec<usize> {
        postorder(self.ends.len(), |paragraph| self.performed_by(paragraph))
    }

    /// Returns the paragraphs that one performs.
    fn performed_by(&self, paragraph: usize) -> Vec<usize> {
        let spans = self.statements[paragraph].iter().filter_map(|statement| self.spans.get(statement));
        spans.flat_map(|(first, end)| (*first..=*end).take(PARAGRAPHS)).collect()
    }

    /// Adds what a statement's performed range does to the results.
    fn add(&self, statement: usize, last: &mut LastOperations<'a>) {
        for span in self.run.get(&statement).into_iter().flatten() {
            self.forget(*span, last);
        }
        let Some((first, end)) = self.spans.get(&statement).copied() else { return };
        if !self.is_straight(first, end) {
            self.forget((first, end), last);
            return;
        }
        let mut here = Some(LastOperations::new());
        let mut jumped = None;
        for ends in &self.ends[first..=end] {
            let Some(before) = here.take() else { break };
            let behind = |ends: &Option<LastOperations<'a>>| ends.as_ref().map(|ends| follow(before.clone(), ends));
            join(&mut jumped, behind(&ends.jumped));
            here = behind(&ends.end);
        }
        join(&mut jumped, here);
        let mut done = jumped.unwrap_or_default();
        if self.repeated.contains(&statement) {
            // If it does not run, what was before it remains.
            done.values_mut().for_each(|operations| add(operations, vec![BEFORE_PARAGRAPH]));
        }
        *last = follow(std::mem::take(last), &done);
    }
}

/// Returns the nodes of a graph, each behind those that it leads to, circles aside.
pub(super) fn postorder(count: usize, leads_to: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut is_met = vec![false; count];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for start in 0..count {
        if !std::mem::replace(&mut is_met[start], true) {
            open.push((start, leads_to(start)));
        }
        while let Some((node, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if !std::mem::replace(&mut is_met[next], true) => open.push((next, leads_to(next))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    open.pop();
                }
            }
        }
    }
    order
}

/// Returns what comes last behind both: first what is in `before`, then `done`.
fn follow<'a>(mut before: LastOperations<'a>, done: &LastOperations<'a>) -> LastOperations<'a> {
    for (name, operations) in done {
        match operations.contains(&BEFORE_PARAGRAPH) {
            true => {
                let known = before.entry(name).or_insert_with(|| vec![BEFORE_PARAGRAPH]);
                add(known, operations.iter().copied().filter(|operation| *operation != BEFORE_PARAGRAPH).collect());
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
pub(super) fn add(known: &mut Vec<usize>, operations: Vec<usize>) {
    known.extend(operations);
    known.sort_unstable();
    known.dedup();
    let surplus = known.len().saturating_sub(FOLLOWED);
    known.drain(..surplus);
}
