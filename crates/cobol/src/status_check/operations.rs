//! The operations before each branch of a paragraph whose result the branch can test.
//!
//! An operation owns its status until the next operation on every path to the test. After an IF or EVALUATE, the operations of all
//! branches count, and if a branch has none, also those before the statement.

use super::{OperationStatus, StatusItems};
use crate::control_flow::ControlFlowGraph;
use crate::model::{BranchKind, ExecKind, ParsedCobol, ReferenceKind, Statement};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use std::collections::HashMap;

/// The maximum number of operations tracked per test.
const FOLLOWED: usize = 8;

/// The maximum depth at which the operations before an IF are remembered.
const DEEPEST: usize = 64;

/// The maximum number of paragraphs examined in a performed range.
const PARAGRAPHS: usize = 20;

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
    branches: &[Option<OperationStatus>],
    statuses: &StatusItems,
) -> Vec<Vec<usize>> {
    let mut of_statement: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, branch) in parsed.branches.iter().enumerate() {
        of_statement.entry(branch.statement).or_default().push(index);
    }
    let status_of = statuses_of_files(parsed);
    let performed = PerformedOperations::of(parsed, flow, &status_of);
    let mut found = vec![Vec::new(); parsed.branches.len()];
    let mut place = None;
    let mut last: LastOperations<'_> = HashMap::new();
    let mut open: Vec<OpenStatement<'_>> = Vec::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        let here = (statement.program, statement.paragraph, &statement.file);
        if place != Some(here) {
            place = Some(here);
            last.clear();
            open.clear();
        }
        // Statements that ended before this one.
        while let Some(ended) = open.pop_if(|open| statement.depth <= parsed.statements[open.statement].depth) {
            last = behind(parsed, &of_statement, ended, last);
        }
        if let Some(around) = open.last_mut()
            && statement.branch.is_some_and(|branch| parsed.branches[branch].statement == around.statement)
            && around.branch != statement.branch
        {
            let before = std::mem::replace(&mut last, around.entry.clone());
            if around.branch.is_some() {
                add(&mut around.ends, before);
            }
            around.branch = statement.branch;
            around.begun += 1;
        }
        let own = of_statement.get(&index).map(Vec::as_slice).unwrap_or_default();
        for branch in own.iter().filter(|branch| branches[**branch].is_some()) {
            found[*branch] = match parsed.branches[*branch].kind {
                BranchKind::Phrase => vec![index],
                _ => {
                    let asked = statuses.asked(parsed, *branch, own[0]);
                    asked.and_then(|asked| last.get(asked)).cloned().unwrap_or_default()
                }
            };
        }
        for name in kept_under(parsed, statement, &status_of) {
            last.insert(name, vec![index]);
        }
        for (name, operation) in performed.by(index) {
            last.insert(name, vec![operation]);
        }
        if !own.is_empty() {
            // Below this depth, earlier operations are forgotten: each level would store them again.
            let entry = if open.len() < DEEPEST { last.clone() } else { LastOperations::new() };
            open.push(OpenStatement { statement: index, branch: None, begun: 0, entry, ends: HashMap::new() });
        }
    }
    found
}

/// The last operations in performed ranges, by the names under which their results are stored.
struct PerformedOperations<'a> {
    /// For each paragraph, its own last operations.
    of_paragraph: Vec<HashMap<&'a str, usize>>,
    /// The paragraphs that a statement performs.
    spans: HashMap<usize, (usize, usize)>,
}

impl<'a> PerformedOperations<'a> {
    fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, status_of: &HashMap<&'a str, &'a str>) -> Self {
        let mut of_paragraph = vec![HashMap::new(); parsed.paragraphs.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            for name in kept_under(parsed, statement, status_of) {
                of_paragraph[paragraph].insert(name, index);
            }
        }
        let performs = parsed.references.iter().enumerate().filter(|(_, found)| found.kind == ReferenceKind::Perform);
        let spans =
            performs.filter_map(|(index, found)| Some((found.statement?, flow.reference_span(index)?))).collect();
        Self { of_paragraph, spans }
    }

    /// Returns the last operations of a statement's performed range, one per name, from a limited number of paragraphs.
    fn by(&self, statement: usize) -> HashMap<&'a str, usize> {
        let mut found = HashMap::new();
        if let Some((first, last)) = self.spans.get(&statement) {
            let range = self.of_paragraph.iter().take(last + 1).skip(*first).take(PARAGRAPHS);
            range.for_each(|own| found.extend(own.iter().map(|(name, operation)| (*name, *operation))));
        }
        found
    }
}

/// Returns the operations after a completed statement; `last` are those at its end.
fn behind<'a>(
    parsed: &ParsedCobol,
    of_statement: &HashMap<usize, Vec<usize>>,
    ended: OpenStatement<'a>,
    last: LastOperations<'a>,
) -> LastOperations<'a> {
    let own = of_statement.get(&ended.statement).map(Vec::as_slice).unwrap_or_default();
    let decides_all = own.iter().any(|branch| {
        let branch = &parsed.branches[*branch];
        branch.kind == BranchKind::Else || parsed.is_when_other(branch)
    });
    let mut ends = ended.ends;
    add(&mut ends, last);
    // Several WHENs may share their statements, and a branch may have none: then control may skip all branches.
    if !decides_all || ended.begun < own.len() {
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

/// Returns the names under which the result of a statement is stored; none if it is not an operation.
fn kept_under<'a>(parsed: &ParsedCobol, statement: &Statement, status_of: &HashMap<&'a str, &'a str>) -> Vec<&'a str> {
    match statement.verb {
        Verb::Open | Verb::Read | Verb::Write | Verb::Rewrite | Verb::Delete | Verb::Start | Verb::Close => {
            let is_file = |operand: &Operand<'_>| {
                operand.role() == OperandRole::File || operand.phrase() == OperandPhrase::First && !operand.is_inner()
            };
            let files = parsed.operands(statement).filter(is_file);
            let named = files.filter_map(|file| status_of.get(file.name().to_uppercase().as_str()));
            std::iter::once("").chain(named.copied().filter(|status| !status.is_empty())).collect()
        }
        Verb::Call => vec!["", "RETURN-CODE"],
        Verb::Sort | Verb::Merge => vec!["SORT-RETURN"],
        Verb::Exec => {
            let kind = statement.exec.map(|exec| parsed.execs[exec].kind);
            vec!["", if kind == Some(ExecKind::Sql) { "SQL" } else { "CICS" }]
        }
        _ => Vec::new(),
    }
}
