//! Branches of an IF that are never taken, because the loop or the condition around it leaves nothing else.

use super::excluded_tests::{leaves_as_they_are, tested_items};
use super::values::ConstantSets;
use super::{FoundHazards, HazardContext, HazardKind, tests_after};
use crate::code::CodeText;
use crate::decisions::{Condition, RelationalOperator};
use crate::model::BranchKind;
use crate::verb::Verb;
use foldhash::HashSet;
use war_rig_text::LineRange;

/// How many conditions and loops around a test are looked at.
const AROUND: usize = 3;

/// How many statements may stand between what is around a test and the test.
const BETWEEN: usize = 40;

/// A branch of an IF that does something, and what holds where the IF stands.
struct EnclosedTest<'a> {
    branch: usize,
    /// The condition of the IF, which an ELSE needs not to hold.
    condition: &'a Condition,
    known: Condition,
    /// The branch around it.
    around: usize,
    /// The only item that both test, if only the program sets it.
    item: Option<usize>,
}

/// Finds the branches with statements that are never taken: what is around them, which nothing between changes, holds only where the condition of their IF
/// does, or only where it does not.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    let tests: Vec<EnclosedTest<'_>> =
        (0..parsed.branches.len()).flat_map(|branch| enclosed_tests(context, branch)).collect();
    let wanted: HashSet<usize> = tests.iter().filter_map(|found| found.item).collect();
    let sets = (!wanted.is_empty()).then(|| ConstantSets::of(context, &wanted));
    let mut told: HashSet<usize> = HashSet::default();
    for asked in tests {
        let values = asked.item.and_then(|item| sets.as_ref()?.values_of(context, item));
        if told.contains(&asked.branch) || !is_never_taken(context, &asked, values) {
            continue;
        }
        told.insert(asked.branch);
        let branch = &parsed.branches[asked.branch];
        let owner = &parsed.statements[branch.statement];
        let (test, around) = (asked.condition.to_string(), parsed.branches[asked.around].lines.start());
        let kind = match branch.kind {
            BranchKind::Else => HazardKind::DeadElse { test, around },
            _ => HazardKind::DeadBranch { test, around },
        };
        found.add_at(branch.statement, kind, owner.program, LineRange::single(owner.lines.start()));
    }
}

/// Returns what is known where the IF of a branch with statements stands, from the inside out.
fn enclosed_tests<'a>(context: &HazardContext<'a>, branch: usize) -> Vec<EnclosedTest<'a>> {
    let HazardContext { analysis, parsed, .. } = *context;
    let decisions = analysis.decisions();
    let mut found = Vec::new();
    let owner = parsed.branches[branch].statement;
    let does = |statement: &usize| !matches!(parsed.statements[*statement].verb, Verb::Continue | Verb::Exit);
    let is_of_if = matches!(parsed.branches[branch].kind, BranchKind::If | BranchKind::Else);
    let does_something = is_of_if && decisions.statements_under(branch).iter().any(does);
    let Some(test) = decisions.branches_of(owner).first().copied().filter(|_| does_something) else { return found };
    let Some(condition) = decisions.condition(test).filter(|_| parsed.statements[owner].file.is_none()) else {
        return found;
    };
    for around in decisions.enclosing_branches(owner).take(AROUND) {
        let (kind, first) = (parsed.branches[around].kind, parsed.branches[around].statement);
        let tested = tested_items(context, [around, test]);
        // Of a choice, what stands in other branches is not between.
        let from = decisions.statements_under(around).first().copied().unwrap_or(owner);
        if owner - from > BETWEEN || !(from..owner).all(|index| leaves_as_they_are(context, index, &tested)) {
            break;
        }
        let is_loop = kind == BranchKind::Loop && parsed.statements[first].verb == Verb::Perform;
        let known = decisions.condition(around).cloned();
        let known = match kind {
            // WITH TEST AFTER asks first behind the body.
            BranchKind::Loop => known
                .filter(|_| is_loop && !tests_after(parsed.condition(&parsed.branches[around])))
                .map(Condition::negated),
            BranchKind::If | BranchKind::Else => known,
            BranchKind::When | BranchKind::Phrase => None,
        };
        // What is not declared here may be anything.
        let program = parsed.statements[owner].program;
        let is_declared =
            |condition: &Condition| condition.leaves().all(|leaf| compares_an_item(context, leaf, program));
        let Some(known) = known.filter(|known| is_declared(known) && is_declared(condition)) else { continue };
        found.push(EnclosedTest { branch, condition, known, around, item: only_item(context, &tested) });
    }
    found
}

/// Whether a part of a condition compares an item of the source with a constant or another such item.
fn compares_an_item(context: &HazardContext<'_>, leaf: &Condition, program: Option<usize>) -> bool {
    let is_item = |text: &CodeText| text.words().len() == 1 && context.items.find(text.text(), program).is_some();
    match leaf {
        Condition::Comparison { left, right, .. } => {
            is_item(left) && (is_item(right) || right.words().first().is_some_and(|word| word.is_constant()))
        }
        Condition::ConditionName { name, .. } => {
            context.analysis.decisions().plain_condition_name(name.words(), program).is_some()
        }
        _ => false,
    }
}

/// Returns the only one of these items, if nobody but the program sets it.
fn only_item(context: &HazardContext<'_>, tested: &HashSet<usize>) -> Option<usize> {
    let parsed = context.parsed;
    let item = tested.iter().copied().find(|item| parsed.data_items[*item].level != 88)?;
    let is_only = tested.iter().all(|other| *other == item || parsed.data_items[*other].parent == Some(item));
    let own = &parsed.data_items[item];
    let is_own = own.is_private() && !parsed.is_shared(item);
    let is_status = context.analysis.status_checks().is_status_item(&own.name);
    (is_only && is_own && !is_status).then_some(item)
}

/// Whether what a branch needs never holds where its IF stands. `values` are all values of the item that both test, if they are known.
fn is_never_taken(context: &HazardContext<'_>, asked: &EnclosedTest<'_>, values: Option<HashSet<String>>) -> bool {
    let decisions = context.analysis.decisions();
    let branch = &context.parsed.branches[asked.branch];
    let program = context.parsed.statements[branch.statement].program;
    let holds = asked.condition.clone();
    let needed = if branch.kind == BranchKind::Else { holds.negated() } else { holds };
    if decisions.excludes(&asked.known, &needed, program) {
        return true;
    }
    // A value that the item never has anywhere is none that only what is around the IF excludes. Nobody knows what an item without a VALUE has first.
    let values = values.filter(|_| branch.kind == BranchKind::Else);
    let has_value = |item: &usize| context.parsed.data_items[*item].value.is_some();
    let Some((item, values)) = asked.item.filter(has_value).zip(values) else { return false };
    let name = &context.parsed.data_items[item].name;
    let has = |value: &String| equals(name, value);
    let mut left = values.iter().map(has).filter(|has| !decisions.excludes(has, &asked.known, program)).peekable();
    left.peek().is_some() && left.all(|has| decisions.excludes(&has, &needed, program))
}

/// Returns the condition that an item has a value, which is normalized.
fn equals(item: &str, value: &str) -> Condition {
    let is_figurative = value.ends_with("-VALUES");
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let constant = match value {
        "" => "SPACES".to_owned(),
        _ if is_figurative || is_number => value.to_owned(),
        _ => format!("'{value}'"),
    };
    Condition::Comparison {
        left: CodeText::read(item),
        relation: RelationalOperator::Equal,
        right: CodeText::read(&constant),
    }
}
