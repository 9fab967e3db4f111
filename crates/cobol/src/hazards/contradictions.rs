//! Conditions that no value of an item meets, or that every value does: `A = 1 AND A = 2`, `A NOT = 1 OR A NOT = 2`.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::Condition;
use crate::model::BranchKind;
use crate::verb::Verb;
use war_rig_text::LineRange;

/// The most tests of a condition that are held against each other.
const MOST_TESTS: usize = 40;

/// Finds the first two tests of each condition that contradict each other, or of which one always holds.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let decisions = analysis.decisions();
    for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| branch.kind != BranchKind::Else) {
        let statement = &parsed.statements[branch.statement];
        let condition = decisions.condition(index).filter(|_| statement.file.is_none());
        let excludes = |one: &Condition, other: &Condition| decisions.excludes(one, other, statement.program);
        if let Some(kind) = condition.and_then(|condition| contradiction(condition, &excludes)) {
            found.add(kind, statement.program, LineRange::single(branch.lines.start()));
        }
    }
    // Loops that perform paragraphs have no branch.
    for (index, statement) in parsed.statements.iter().enumerate() {
        if statement.file.is_some() || statement.verb != Verb::Perform || context.loop_branch(index).is_some() {
            continue;
        }
        let excludes = |one: &Condition, other: &Condition| decisions.excludes(one, other, statement.program);
        for condition in context.loops(index).into_iter().filter_map(|(_, condition)| condition) {
            if let Some(kind) = contradiction(&condition, &excludes) {
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
}

/// Returns the first two tests of a condition, or of a part of it, that contradict each other, or of which one always holds.
fn contradiction(condition: &Condition, excludes: &dyn Fn(&Condition, &Condition) -> bool) -> Option<HazardKind> {
    let (parts, always) = match condition {
        Condition::All(parts) => (parts, false),
        Condition::Any(parts) => (parts, true),
        _ => return None,
    };
    let parts = &parts[..parts.len().min(MOST_TESTS)];
    let inner = || parts.iter().find_map(|part| contradiction(part, excludes));
    let are_opposed = |one: &Condition, other: &Condition| {
        if always { excludes(&one.clone().negated(), &other.clone().negated()) } else { excludes(one, other) }
    };
    let pairs = parts.iter().enumerate().flat_map(|(at, one)| parts[at + 1..].iter().map(move |other| (one, other)));
    let opposed = pairs.into_iter().find(|(one, other)| are_opposed(one, other));
    let told = |(one, other): (&Condition, &Condition)| HazardKind::Contradiction {
        tests: [one.to_string(), other.to_string()],
        always,
    };
    opposed.map(told).or_else(inner)
}
