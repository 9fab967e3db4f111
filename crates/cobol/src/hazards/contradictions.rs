//! Conditions that no value of an item meets, or that every value does: `A = 1 AND A = 2`, `A NOT = 1 OR A NOT = 2`.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::Condition;

/// The most tests of a condition that are held against each other.
const MOST_TESTS: usize = 40;

/// Finds the first two tests of each condition that contradict each other, or of which one always holds.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let decisions = context.analysis.decisions();
    for (condition, program, lines) in context.conditions() {
        let excludes = |one: &Condition, other: &Condition| decisions.excludes(one, other, program);
        if let Some(kind) = contradiction(&condition, &excludes) {
            found.add(kind, program, lines);
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
    let mut pairs =
        parts.iter().enumerate().flat_map(|(at, one)| parts[at + 1..].iter().map(move |other| (one, other)));
    let opposed = pairs.find(|(one, other)| are_opposed(one, other));
    let told = |(one, other): (&Condition, &Condition)| HazardKind::Contradiction {
        tests: [one.to_string(), other.to_string()],
        always,
    };
    opposed.map(told).or_else(inner)
}
