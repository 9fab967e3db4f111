//! What a test of SQLCODE means behind one that has left: where every code but zero and 100 ends the program, what is not zero is 100.

use super::values::StatusKind;
use super::{OperationStatus, StatusItems};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{Condition, Decisions, RelationalOperator};
use crate::model::{BranchKind, ParsedCobol};
use foldhash::{HashMap, HashMapExt};

/// The codes of an operation that succeeds and of one that finds no row.
const NO_ERRORS: [&str; 2] = ["0", "100"];

/// Lets the failures that an earlier test of the same operation has left but for "no row" be the end of the data.
pub(super) fn narrow(
    parsed: &ParsedCobol,
    flow: &ControlFlowGraph,
    decisions: Decisions<'_>,
    statuses: &StatusItems,
    operations: &[Vec<usize>],
    branches: &mut [Option<OperationStatus>],
) {
    // By the operation and the place of the tests: the first branch that leaves for all codes but these two.
    let mut passed: HashMap<(usize, Option<usize>, Option<usize>), usize> = HashMap::new();
    for (index, branch) in parsed.branches.iter().enumerate() {
        if branches[index] != Some(OperationStatus::Failure) {
            continue;
        }
        let [operation] = operations[index][..] else { continue };
        let (at, owner) = (branch.statement, &parsed.statements[branch.statement]);
        let excluded = asked(parsed, decisions, index).and_then(|condition| excluded(condition, statuses));
        match excluded.as_deref() {
            Some([only]) if only == NO_ERRORS[0] => {
                if passed.is_empty() {
                    continue;
                }
                let around: Vec<usize> = decisions.enclosing_branches(at).collect();
                // A test inside the branch that leaves is about the codes for which it leaves.
                let is_passed = |place| {
                    let test = passed.get(&(operation, owner.paragraph, place));
                    test.is_some_and(|test| parsed.branches[*test].statement < at && !around.contains(test))
                };
                if is_passed(None) || around.iter().any(|branch| is_passed(Some(*branch))) {
                    branches[index] = Some(OperationStatus::EndOfData);
                }
            }
            Some(codes) if flow.branch_leaves(index) && is_all_but_no_row(codes) => {
                passed.entry((operation, owner.paragraph, owner.branch)).or_insert(index);
            }
            _ => {}
        }
    }
}

/// Whether these are the codes of success and of no row, and no others.
fn is_all_but_no_row(codes: &[String]) -> bool {
    NO_ERRORS.iter().all(|code| codes.iter().any(|other| other == code))
        && codes.iter().all(|code| NO_ERRORS.contains(&code.as_str()))
}

/// Returns the condition under which a branch fails: its own, or the one that is false in an ELSE.
fn asked<'a>(parsed: &ParsedCobol, decisions: Decisions<'a>, branch: usize) -> Option<&'a Condition> {
    match parsed.branches[branch].kind {
        BranchKind::If | BranchKind::Else => decisions.condition(branch),
        _ => None,
    }
}

/// Returns the values of SQLCODE that a condition excludes; one that also holds for other reasons excludes them too. None for other conditions.
fn excluded(condition: &Condition, statuses: &StatusItems) -> Option<Vec<String>> {
    match condition {
        Condition::Comparison { left, relation: RelationalOperator::NotEqual, right } => {
            let is_code = statuses.of_operand(left).is_some_and(|kind| matches!(kind, StatusKind::Sql));
            Some(vec![statuses.value(right).filter(|_| is_code)?])
        }
        Condition::All(parts) => {
            let excluded: Option<Vec<Vec<String>>> = parts.iter().map(|part| excluded(part, statuses)).collect();
            Some(excluded?.concat())
        }
        Condition::Any(parts) => parts.iter().find_map(|part| excluded(part, statuses)).filter(|codes| codes.len() > 1),
        _ => None,
    }
}
