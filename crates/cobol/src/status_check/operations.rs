//! The operations before each branch of a paragraph whose outcome it can tell.
//!
//! An operation stands for its status until the next one on every way to the test. Behind an IF or EVALUATE those of all its
//! branches do, and what stood before it where a branch has none.

use super::{OperationStatus, StatusItems};
use crate::control_flow::ControlFlowGraph;
use crate::model::{BranchKind, ExecKind, ParsedCobol, ReferenceKind, Statement};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use std::collections::HashMap;

/// How many operations one test is followed to.
const FOLLOWED: usize = 8;

/// How deep what stands before an IF is kept in mind.
const DEEPEST: usize = 64;

/// How many paragraphs of a performed range are looked at.
const PARAGRAPHS: usize = 20;

/// The last operations on the ways to a place, by the name under which their outcome is kept.
type LastOperations<'a> = HashMap<&'a str, Vec<usize>>;

/// A statement with branches, of which one is gone through.
struct OpenStatement<'a> {
    statement: usize,
    branch: Option<usize>,
    /// How many of its branches hold statements.
    begun: usize,
    /// What stands before it.
    entry: LastOperations<'a>,
    /// What stands at the ends of the branches that were gone through.
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
        // What has ended before this statement.
        while let Some(ended) = open.pop_if(|open| statement.depth <= parsed.statements[open.statement].depth)
        {
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
            // Deeper, what stood before is not known any more: each level would keep it once more.
            let entry = if open.len() < DEEPEST { last.clone() } else { LastOperations::new() };
            open.push(OpenStatement {
                statement: index,
                branch: None,
                begun: 0,
                entry,
                ends: HashMap::new(),
            });
        }
    }
    found
}

/// The last operations of what PERFORMs lead to, by the names under which their outcomes are kept.
struct PerformedOperations<'a> {
    /// For each paragraph its own last operations.
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
        let performs =
            parsed.references.iter().enumerate().filter(|(_, found)| found.kind == ReferenceKind::Perform);
        let spans = performs
            .filter_map(|(index, found)| Some((found.statement?, flow.reference_span(index)?)))
            .collect();
        Self { of_paragraph, spans }
    }

    /// What a statement performs: of each name the last operation, of so many paragraphs.
    fn by(&self, statement: usize) -> HashMap<&'a str, usize> {
        let mut found = HashMap::new();
        if let Some((first, last)) = self.spans.get(&statement) {
            let range = self.of_paragraph.iter().take(last + 1).skip(*first).take(PARAGRAPHS);
            range.for_each(|own| found.extend(own.iter().map(|(name, operation)| (*name, *operation))));
        }
        found
    }
}

/// What stands behind a statement that has ended, `last` being what stands at its end.
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
    // Several WHENs may share their statements, and a branch may have none: then control may pass by.
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

/// The status items of files by the names of the files and of their records, which WRITE and REWRITE name.
fn statuses_of_files(parsed: &ParsedCobol) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    for file in &parsed.files {
        let status = file.status.as_deref().unwrap_or_default();
        found.insert(file.name.as_str(), status);
        found.extend(file.records.iter().map(|record| (record.as_str(), status)));
    }
    found
}

/// The names under which the outcome of a statement is kept; none of what is no operation.
fn kept_under<'a>(
    parsed: &ParsedCobol,
    statement: &Statement,
    status_of: &HashMap<&'a str, &'a str>,
) -> Vec<&'a str> {
    match statement.verb {
        Verb::Open | Verb::Read | Verb::Write | Verb::Rewrite | Verb::Delete | Verb::Start | Verb::Close => {
            let is_file = |operand: &Operand<'_>| {
                operand.role() == OperandRole::File
                    || operand.phrase() == OperandPhrase::First && !operand.is_inner()
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
