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
            let kind = HazardKind::ExcludedTest { test: tested.to_string(), check: line };
            found.add_at(branch.statement, kind, statement.program, LineRange::single(branch.lines.start()));
        }
        if flow.branch_leaves(index) {
            before.push(index);
        }
    }
}

/// Whether no statement between a check and a test sets what they test, or may do so out of sight.
fn is_as_before(context: &HazardContext<'_>, check: usize, test: usize) -> bool {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let uses = analysis.def_use();
    let tested: HashSet<usize> =
        [check, test].into_iter().flat_map(|branch| uses.of_branch(branch)).map(|used| used.item()).collect();
    let first = parsed.branches[check].statement + 1;
    let between = first..parsed.branches[test].statement;
    let is_in_sight = |index: usize| {
        let found = &parsed.statements[index];
        // What stands under the check leaves with it.
        let is_under =
            std::iter::successors(found.branch, |branch| parsed.statements[parsed.branches[*branch].statement].branch)
                .any(|branch| branch == check);
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
        let mut sets = uses.of_statement(index).iter().filter(|used| used.is_set());
        is_under
            || (is_plain
                && found.file.is_none()
                && !sets.any(|used| tested.iter().any(|item| storage.overlap(used.item(), *item))))
    };
    !tested.is_empty() && between.len() <= BETWEEN && between.into_iter().all(is_in_sight)
}
