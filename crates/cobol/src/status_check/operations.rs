//! The operations before each branch of a paragraph whose result the branch can test.
//!
//! An operation owns its status until the next operation on every path to the test. After an IF or EVALUATE, the operations of all
//! branches count, and if a branch has none, also those before the statement. Into a paragraph that only earlier GO TOs lead to, operations
//! are followed.
//!
//! An item that is set from a status is followed in the same way: the statements that set it count like operations, until a test
//! replaces them with the operations of their statuses.

use super::values::StatusKind;
use super::{OperationStatus, StatusItems, operation_key};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{Decisions, assigned_items};
use crate::model::{BranchKind, ExecKind, ParsedCobol, ReferenceKind, Statement};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The maximum number of operations tracked per test.
const FOLLOWED: usize = 8;

/// The maximum depth at which the operations before an IF are remembered.
const DEEPEST: usize = 64;

/// The maximum number of paragraphs examined in a performed range.
const PARAGRAPHS: usize = 20;

/// Stands for whatever set an item before its paragraph began.
const BEFORE_PARAGRAPH: usize = usize::MAX;

/// The last operations on the paths to a position, by the name under which their result is stored.
type LastOperations<'a> = HashMap<&'a str, Vec<usize>>;

/// A statement with branches, one of which is being processed.
struct OpenStatement<'a> {
    statement: usize,
    branch: Option<usize>,
    /// The number of its branches that contain statements.
    begun: usize,
    /// The operations before it.
    entry: LastOperations<'a>,
    /// The operations at the ends of the processed branches.
    ends: LastOperations<'a>,
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
    let results = ResultNames { status_of: statuses_of_files(parsed), statuses, copies };
    let mut walk = OperationsWalk {
        parsed,
        flow,
        decisions,
        branches,
        statuses,
        performed: PerformedOperations::of(parsed, flow, decisions, &results),
        results: &results,
        found: vec![Vec::new(); parsed.branches.len()],
        copied: HashMap::new(),
        of_copies: Vec::new(),
        jumps: JumpedOperations::of(parsed, flow),
        place: None,
        last: HashMap::new(),
        open: Vec::new(),
    };
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
    last: LastOperations<'a>,
    open: Vec<OpenStatement<'a>>,
}

impl<'a> OperationsWalk<'a> {
    fn visit(&mut self, index: usize) {
        let (parsed, statement) = (self.parsed, &self.parsed.statements[index]);
        self.arrive(statement);
        let own = self.decisions.branches_of(index);
        for branch in own.iter().filter(|branch| self.branches[**branch].is_some()) {
            self.found[*branch] = self.operations_of(*branch, index, own[0]);
        }
        for name in self.results.of(parsed, index) {
            self.last.insert(name, vec![index]);
        }
        let source = self.statuses.copied.get(&index);
        if let Some((item, kind)) = source.and_then(|source| self.statuses.kinds.get_key_value(source)) {
            self.copied.insert(index, self.last.get(operation_key(item, kind)).cloned().unwrap_or_default());
        }
        for name in self.results.replaced_by(parsed, index) {
            self.last.remove(name);
        }
        for item in self.results.set_by(index) {
            self.last.insert(item, vec![index]);
        }
        self.performed.add(index, &mut self.last);
        self.jumps.depart(index, &self.last);
        // Nothing comes from here to the next statement.
        if self.flow.always_leaves(index) {
            self.last.clear();
        }
        if !own.is_empty() {
            // Below this depth, earlier operations are forgotten: each level would store them again.
            let entry = if self.open.len() < DEEPEST { self.last.clone() } else { LastOperations::new() };
            self.open.push(OpenStatement { statement: index, branch: None, begun: 0, entry, ends: HashMap::new() });
        }
    }

    /// Comes to a statement: leaves those that ended before it, and enters its paragraph and its branch.
    fn arrive(&mut self, statement: &'a Statement) {
        let parsed = self.parsed;
        let here = (statement.program, statement.paragraph, &statement.file);
        if self.place != Some(here) {
            // What is open at the end of a paragraph ends with it.
            while let Some(ended) = self.open.pop() {
                self.leave(ended);
            }
            let last = std::mem::take(&mut self.last);
            let before = self.place.and_then(|(_, paragraph, _)| paragraph).map(|paragraph| (paragraph, last));
            let arrive = |paragraph| self.jumps.arrive(self.flow, paragraph, before);
            self.last = statement.paragraph.map(arrive).unwrap_or_default();
            self.place = Some(here);
            for item in &self.performed.followed {
                self.last.entry(item).or_insert_with(|| vec![BEFORE_PARAGRAPH]);
            }
        }
        while let Some(ended) = self.open.pop_if(|open| statement.depth <= parsed.statements[open.statement].depth) {
            self.leave(ended);
        }
        if let Some(around) = self.open.last_mut()
            && statement.branch.is_some_and(|branch| parsed.branches[branch].statement == around.statement)
            && around.branch != statement.branch
        {
            let before = std::mem::replace(&mut self.last, around.entry.clone());
            if around.branch.is_some() {
                add(&mut around.ends, before);
            }
            around.branch = statement.branch;
            around.begun += 1;
        }
    }

    fn leave(&mut self, ended: OpenStatement<'a>) {
        self.last = behind(self.parsed, self.decisions, ended, std::mem::take(&mut self.last));
    }

    /// Returns the operations whose result a branch of a statement asks for; of the test of a copy, what is found at the end.
    fn operations_of(&mut self, branch: usize, statement: usize, first: usize) -> Vec<usize> {
        let last = &self.last;
        match (self.parsed.branches[branch].kind, self.statuses.asked(self.parsed, branch, first)) {
            (BranchKind::Phrase, _) => vec![statement],
            (_, Some((item, StatusKind::Derived(_)))) => {
                let test = self.statuses.derived_branch(self.decisions, statement, branch);
                let test = test.filter(|test| test.item == item);
                test.map(|test| test.operations(known(last.get(item)))).unwrap_or_default()
            }
            (_, Some((item, _))) if self.performed.followed.contains(item) => {
                self.of_copies.push((branch, known(last.get(item)).map(<[usize]>::to_vec)));
                Vec::new()
            }
            (_, Some((item, kind))) => last.get(operation_key(item, kind)).cloned().unwrap_or_default(),
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
    add(known, other);
}

/// The last operations in performed ranges, by the names under which their results are stored.
struct PerformedOperations<'a> {
    /// For each paragraph, its own last operations; none for one whose result the paragraph always replaces.
    of_paragraph: Vec<HashMap<&'a str, Option<usize>>>,
    /// For each paragraph, the statements that set items from statuses.
    setters: Vec<Vec<(&'a str, usize)>>,
    /// For each paragraph, the items that it sets on all paths.
    surely_set: Vec<HashSet<&'a str>>,
    /// For each paragraph, the statements that perform others.
    performs: Vec<Vec<usize>>,
    /// The paragraphs that a statement performs.
    spans: HashMap<usize, (usize, usize)>,
    /// The statements that perform paragraphs more than once, or not at all.
    repeated: HashSet<usize>,
    /// All items that are set from statuses.
    followed: HashSet<&'a str>,
}

impl<'a> PerformedOperations<'a> {
    fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, decisions: Decisions<'_>, results: &ResultNames<'a>) -> Self {
        let count = parsed.paragraphs.len();
        let performs =
            || parsed.references.iter().enumerate().filter(|(_, found)| found.kind == ReferenceKind::Perform);
        let spans: HashMap<usize, (usize, usize)> =
            performs().filter_map(|(index, found)| Some((found.statement?, flow.reference_span(index)?))).collect();
        let repeated = performs().filter(|(_, found)| found.is_repeated).filter_map(|(_, found)| found.statement);
        let mut found = Self {
            of_paragraph: vec![HashMap::new(); count],
            setters: vec![Vec::new(); count],
            surely_set: vec![HashSet::new(); count],
            performs: vec![Vec::new(); count],
            spans,
            repeated: repeated.collect(),
            followed: results.copies.clone(),
        };
        let mut setters: HashMap<(usize, &str), usize> = HashMap::new();
        let mut left: HashSet<usize> = HashSet::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            for name in results.of(parsed, index) {
                found.of_paragraph[paragraph].insert(name, Some(index));
            }
            // Behind a statement that may leave, it is not always replaced.
            let is_certain = statement.branch.is_none() && !left.contains(&paragraph);
            for name in results.replaced_by(parsed, index).into_iter().filter(|_| is_certain) {
                found.of_paragraph[paragraph].insert(name, None);
            }
            if flow.may_leave(index) {
                left.insert(paragraph);
            }
            for item in results.set_by(index) {
                // More than that are not told apart anyway.
                let count = setters.entry((paragraph, item)).or_insert(0);
                if *count < FOLLOWED {
                    *count += 1;
                    found.setters[paragraph].push((item, index));
                }
            }
            if found.spans.contains_key(&index) {
                found.performs[paragraph].push(index);
            }
        }
        for (paragraph, item) in surely_set(parsed, decisions, results) {
            found.surely_set[paragraph].insert(item);
        }
        found
    }

    /// Adds the last operations of a statement's performed range, one per name, and everything that sets items from statuses there and in
    /// what it performs in turn, each from a limited number of paragraphs.
    fn add(&self, statement: usize, last: &mut LastOperations<'a>) {
        let Some((first, end)) = self.spans.get(&statement).copied() else { return };
        for own in self.of_paragraph.iter().take(end + 1).skip(first).take(PARAGRAPHS) {
            for (name, operation) in own {
                match operation {
                    Some(operation) => {
                        last.insert(name, vec![*operation]);
                    }
                    // Of a loop that does not run, what was before it remains.
                    None if self.repeated.contains(&statement) => {}
                    None => {
                        last.remove(name);
                    }
                }
            }
        }
        let mut set: LastOperations<'a> = HashMap::new();
        let mut paragraphs: Vec<usize> = (first..=end).take(PARAGRAPHS).collect();
        for item in paragraphs.iter().flat_map(|paragraph| &self.surely_set[*paragraph]) {
            last.remove(item);
        }
        let mut at = 0;
        while let Some(paragraph) = paragraphs.get(at).copied() {
            at += 1;
            for (item, setter) in &self.setters[paragraph] {
                set.entry(item).or_default().push(*setter);
            }
            for (first, end) in self.performs[paragraph].iter().map(|perform| self.spans[perform]) {
                let room = PARAGRAPHS.saturating_sub(paragraphs.len());
                let new: Vec<usize> = (first..=end).filter(|next| !paragraphs.contains(next)).take(room).collect();
                paragraphs.extend(new);
            }
        }
        // Paragraphs that were not examined may set any item.
        if paragraphs.len() >= PARAGRAPHS {
            last.extend(self.followed.iter().map(|item| (*item, vec![BEFORE_PARAGRAPH])));
        }
        add(last, set);
    }
}

/// Returns paragraphs with the items that they set on all paths; GO TO is not followed.
fn surely_set<'a>(parsed: &ParsedCobol, decisions: Decisions<'_>, results: &ResultNames<'a>) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut in_branches: HashSet<(usize, &str)> = HashSet::new();
    // For each statement and item, how many branches set it.
    let mut counts: HashMap<(usize, &str), usize> = HashMap::new();
    for index in 0..parsed.statements.len() {
        for item in results.set_by(index) {
            let mut at = index;
            while let Some(branch) = parsed.statements[at].branch {
                let owner = parsed.branches[branch].statement;
                if !in_branches.insert((branch, item)) {
                    break;
                }
                let count = counts.entry((owner, item)).or_default();
                *count += 1;
                let own = decisions.branches_of(owner);
                if *count < own.len() || !decides_all(parsed, own) {
                    break;
                }
                at = owner;
            }
            if parsed.statements[at].branch.is_none() {
                found.extend(parsed.statements[at].paragraph.map(|paragraph| (paragraph, item)));
            }
        }
    }
    found
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
    last: LastOperations<'a>,
) -> LastOperations<'a> {
    let own = decisions.branches_of(ended.statement);
    let mut ends = ended.ends;
    add(&mut ends, last);
    // Several WHENs may share their statements, and a branch may have none: then control may skip all branches.
    if !decides_all(parsed, own) || ended.begun < own.len() {
        add(&mut ends, ended.entry);
    }
    ends
}

fn add<'a>(to: &mut LastOperations<'a>, from: LastOperations<'a>) {
    for (name, statements) in from {
        let known = to.entry(name).or_default();
        known.extend(statements);
        known.sort_unstable();
        known.dedup();
        let surplus = known.len().saturating_sub(FOLLOWED);
        known.drain(..surplus);
    }
}

/// Returns the status items of files, by the names of the files and of their records, which WRITE and REWRITE use.
fn statuses_of_files(parsed: &ParsedCobol) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    for file in &parsed.files {
        let status = file.status.as_deref().unwrap_or_default();
        found.insert(file.name.as_str(), status);
        found.extend(file.records.iter().map(|record| (record.as_str(), status)));
    }
    found
}

/// The names under which results of operations are stored.
struct ResultNames<'a> {
    /// The status items by file and record.
    status_of: HashMap<&'a str, &'a str>,
    statuses: &'a StatusItems,
    /// The items that statements set from statuses.
    copies: HashSet<&'a str>,
}

impl<'a> ResultNames<'a> {
    /// Returns the names under which the result of a statement is stored; none if it is not an operation.
    fn of(&self, parsed: &ParsedCobol, index: usize) -> Vec<&'a str> {
        let statement = &parsed.statements[index];
        match statement.verb {
            Verb::Open | Verb::Read | Verb::Write | Verb::Rewrite | Verb::Delete | Verb::Start | Verb::Close => {
                let is_file = |operand: &Operand<'_>| {
                    let is_first = operand.phrase() == OperandPhrase::First && !operand.is_inner();
                    operand.role() == OperandRole::File || is_first
                };
                let files = parsed.operands(statement).filter(is_file);
                let status = |file: Operand<'_>| file.file_names().find_map(|name| self.status_of.get(name.as_str()));
                files.filter_map(status).copied().filter(|status| !status.is_empty()).collect()
            }
            Verb::Call => {
                let set = self.statuses.set_by_calls.get(&index).into_iter().flatten().map(String::as_str);
                set.chain(["RETURN-CODE"]).collect()
            }
            Verb::Sort | Verb::Merge => vec!["SORT-RETURN"],
            Verb::Exec => match statement.exec.map(|exec| &parsed.execs[exec]) {
                Some(exec) if exec.kind == ExecKind::Sql => vec!["SQL"],
                Some(exec) if exec.kind == ExecKind::Dli => vec!["DIBSTAT"],
                // Each command sets EIBRESP, and its own item if it has RESP.
                Some(exec) => {
                    let item = exec.option("RESP").map(|item| item.trim().to_uppercase());
                    let item = item.and_then(|item| self.statuses.kinds.get_key_value(&item));
                    item.map(|(item, _)| item.as_str()).into_iter().chain(["EIBRESP"]).collect()
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the names of results that a statement replaces with a value of the program's own, or hands to a program that may do so.
    fn replaced_by(&self, parsed: &ParsedCobol, index: usize) -> Vec<&'a str> {
        let statement = &parsed.statements[index];
        let items = match statement.verb {
            Verb::Call if !self.statuses.set_by_calls.contains_key(&index) => {
                let handed = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::Using);
                handed.map(|operand| operand.name().to_uppercase()).collect()
            }
            _ => assigned_items(parsed, statement),
        };
        let statuses = items.iter().filter_map(|item| self.statuses.kinds.get_key_value(item));
        let own = statuses
            .filter(|(item, kind)| !self.copies.contains(item.as_str()) && !matches!(kind, StatusKind::Derived(_)));
        own.map(|(item, kind)| operation_key(item, kind)).collect()
    }

    /// Returns the items that a statement sets from statuses.
    fn set_by(&self, statement: usize) -> impl Iterator<Item = &'a str> {
        self.statuses.setters.get(&statement).into_iter().flatten().map(String::as_str)
    }
}
