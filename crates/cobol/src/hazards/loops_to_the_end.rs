//! Loops that only the end of the data ends, whatever else their operation reports.

use super::loop_bodies::{LoopBodies, LoopBody};
use super::loops::{ending_value, hides_flow};
use super::statuses::in_words;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::model::ExecKind;
use crate::status_check::{OperationStatus, normalize_constant};
use crate::verb::Verb;
use foldhash::HashSet;

/// Finds the loops until a status says that the data is at its end, in which nothing tests for another failure and nothing leaves.
pub(super) fn find(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    if hides_flow(parsed) || parsed.execs.iter().any(|exec| exec.command == "WHENEVER") {
        return;
    }
    let performs = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.verb == Verb::Perform);
    for (index, statement) in performs.filter(|(_, statement)| statement.file.is_none()) {
        let [(_, Some(condition))] = &context.loops(index)[..] else { continue };
        // Of more tests, one may be about the failures.
        let Some((status, value)) = ending_value(context, condition, statement.program) else { continue };
        if !is_end(&status, &value) {
            continue;
        }
        let Some(body) = bodies.of_perform(index).filter(|body| !body.leaves) else { continue };
        let mut operations = body.statements().filter_map(|at| operation(context, at, &status));
        let Some(operation) = operations.next().filter(|_| operations.next().is_none()) else { continue };
        if !is_used(context, &body, &status) {
            let kind = HazardKind::EndsOnlyAtEnd { until: condition.to_string(), operation };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Returns whether a value of a status says that there is no more data: 10 of a file, 100 of SQL.
fn is_end(status: &str, value: &str) -> bool {
    normalize_constant(value) == if status == "SQLCODE" { "100" } else { "10" }
}

/// Names the operation of a statement that sets a status: a READ, or any statement of SQL.
fn operation(context: &HazardContext<'_>, statement: usize, status: &str) -> Option<String> {
    let found = &context.parsed.statements[statement];
    match found.exec.map(|exec| &context.parsed.execs[exec]) {
        Some(exec) => (exec.kind == ExecKind::Sql && status == "SQLCODE").then(|| in_words(exec)),
        None => {
            let mut files = context.reads.files_of(found).into_iter();
            let file = files.find(|file| file.status.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(status)))?;
            Some(format!("{} of {}", found.verb, file.name))
        }
    }
}

/// Returns whether a loop runs what may leave out of sight, or names a status, but to show it or to test for success and for the end.
fn is_used(context: &HazardContext<'_>, body: &LoopBody, status: &str) -> bool {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let names: HashSet<&str> = reads.names_about(status).chain([status]).collect();
    let is_named = |word: &str| {
        let name = word.to_uppercase();
        names.contains(name.as_str()) || status == "SQLCODE" && name.starts_with("SQL")
    };
    body.statements().any(|index| {
        let statement = &parsed.statements[index];
        let exec = statement.exec.map(|exec| parsed.execs[exec].kind);
        // A program that is called may end the run, and see a status that is shared.
        let may_leave = matches!(statement.verb, Verb::Call | Verb::Invoke | Verb::Macro)
            || exec.is_some_and(|kind| kind != ExecKind::Sql);
        let is_about_failures = |branch: &usize| {
            let is_named = parsed.condition(&parsed.branches[*branch]).iter().any(|word| is_named(word.text));
            let status = analysis.status_checks().of_branch(*branch);
            is_named && !matches!(status, Some(OperationStatus::Success | OperationStatus::EndOfData))
                || status == Some(OperationStatus::Failure)
        };
        let is_in_words = statement.exec.is_none()
            && !matches!(statement.verb, Verb::Display | Verb::If)
            && parsed.words(statement).iter().any(|word| is_named(word.text));
        may_leave || is_in_words || analysis.decisions().branches_of(index).iter().any(is_about_failures)
    })
}
