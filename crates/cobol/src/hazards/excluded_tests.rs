//! Tests that a check before them leaves no way to.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::model::BranchKind;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_text::LineRange;

/// How many checks before a test are looked at.
const CHECKS: usize = 16;

/// How many statements may stand between a check and a test.
const BETWEEN: usize = 200;

/// Finds the IFs whose condition excludes that they are reached: an earlier IF of the same list leaves wherever it holds, and nothing between sets what
/// either tests.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let (flow, decisions) = (analysis.control_flow(), analysis.decisions());
    // The checks of each list of statements that leave, by the branch or the paragraph around it.
    let mut checks: HashMap<(Option<usize>, Option<usize>), Vec<usize>> = HashMap::new();
    for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| branch.kind == BranchKind::If) {
        let statement = &parsed.statements[branch.statement];
        let Some(tested) = decisions.condition(index).filter(|_| statement.file.is_none()) else { continue };
        let before = checks.entry((statement.branch, statement.paragraph)).or_default();
        let excludes = |check: &usize| {
            let denied = decisions.condition(*check);
            let denied =
                denied.map(|condition| decisions.expand_condition_name(condition, statement.program).negated());
            denied.is_some_and(|denied| decisions.excludes(&denied, tested, statement.program))
        };
        let check = before.iter().rev().take(CHECKS).find(|check| excludes(check));
        if let Some(check) = check.filter(|check| is_as_before(context, **check, index)) {
            let line = parsed.branches[*check].lines.start();
            let kind = HazardKind::ExcludedTest { tests: vec![tested.to_string()], check: line };
            found.add_at(branch.statement, kind, statement.program, LineRange::single(branch.lines.start()));
        }
        if flow.branch_leaves(index) {
            before.push(index);
        }
    }
}

/// Whether no statement between a check and a test sets what they test, or may do so out of sight.
fn is_as_before(context: &HazardContext<'_>, check: usize, test: usize) -> bool {
    let parsed = context.parsed;
    let tested = tested_items(context, [check, test]);
    // What stands under the check, or under another branch between the two that leaves, leaves with it.
    let around = parsed.statements[parsed.branches[check].statement].branch;
    let is_under = |index: usize| {
        let branches = context.analysis.decisions().enclosing_branches(index);
        branches
            .take_while(|branch| Some(*branch) != around)
            .any(|branch| branch == check || context.analysis.control_flow().branch_leaves(branch))
    };
    let between = parsed.branches[check].statement + 1..parsed.branches[test].statement;
    !tested.is_empty()
        && between.len() <= BETWEEN
        && between.into_iter().all(|index| is_under(index) || leaves_as_they_are(context, index, &tested))
}

/// Returns the items that the conditions of branches name.
pub(super) fn tested_items(context: &HazardContext<'_>, branches: [usize; 2]) -> HashSet<usize> {
    let uses = context.analysis.def_use();
    branches.into_iter().flat_map(|branch| uses.of_branch(branch)).map(|used| used.item()).collect()
}

/// Whether a statement sets none of these items, and nothing out of sight may.
pub(super) fn leaves_as_they_are(context: &HazardContext<'_>, statement: usize, items: &HashSet<usize>) -> bool {
    let found = &context.parsed.statements[statement];
    let is_plain = matches!(
        found.verb,
        Verb::Move
            | Verb::Compute
            | Verb::Add
            | Verb::Subtract
            | Verb::If
            | Verb::Evaluate
            | Verb::Display
            | Verb::Continue
            | Verb::Set
    );
    let uses = context.analysis.def_use().of_statement(statement);
    let mut sets = uses.iter().filter(|used| used.is_set());
    is_plain
        && found.file.is_none()
        && !sets.any(|used| items.iter().any(|item| context.storage.overlap(used.item(), *item)))
}
