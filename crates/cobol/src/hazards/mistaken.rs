//! What is written for something else: the status of another file, an SQLCODE without its sign, an item
//! of another length, an item that is moved to itself, an AND that does not reach what OR joins, NOT INVALID KEY of the statement before, a GO TO that
//! another statement changes, one that misses the end of its PERFORM.

use super::loops::hides_flow;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeWord, WordSlice};
use crate::control_flow::JumpTarget;
use crate::decisions::{Condition, RelationalOperator, move_operands};
use crate::model::{Branch, BranchKind, ExecKind};
use crate::operands::OperandKind;
use crate::status_check::OperationStatus;
use crate::verb::{ConditionalPhrase, Verb};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeMap;
use war_rig_text::LineRange;

/// SQLCODEs that exist only as errors, which are negative. Source: Db2 for z/OS, SQL error codes and SQL warning codes.
const ERRORS: [u32; 24] = [
    301, 302, 303, 305, 311, 407, 501, 502, 504, 507, 508, 530, 531, 532, 803, 805, 811, 818, 904, 911, 913, 922, 923,
    924,
];

/// The length in bytes of the time that ASKTIME gives. Source: CICS Transaction Server, API commands. (A program moves responses itself, as translated.)
const ABSTIME: u64 = 8;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    itself(context, found);
    lengths(context, found);
    other_statuses(context, found);
    other_tests(context, found);
    signs(context, found);
    or_beside_and(context, found);
    nested_phrases(context, found);
    altered(context, found);
    leaves_perform(context, found);
}

/// Finds the handling of failures that shows the status of another file, and not that of its own.
fn other_statuses(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let checks = analysis.status_checks();
    let mut statuses: HashMap<(Option<usize>, String), &str> = HashMap::new();
    for file in &parsed.files {
        if let Some(status) = &file.status {
            statuses.insert((file.program, status.to_uppercase()), &file.name);
        }
    }
    let mut under: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        if let Some(branch) = statement.branch.filter(|_| matches!(statement.verb, Verb::Move | Verb::Display)) {
            under.entry(branch).or_default().push(index);
        }
    }
    for (branch, shown) in under {
        let [operation] = checks.checked_operations(branch) else { continue };
        let operation = &parsed.statements[*operation];
        let files = reads.files_of(operation);
        let own: HashSet<String> =
            files.iter().filter_map(|file| file.status.as_ref()).map(|item| item.to_uppercase()).collect();
        if checks.of_branch(branch) != Some(OperationStatus::Failure) || own.is_empty() {
            continue;
        }
        let names = |index: &usize| {
            let uses = analysis.def_use().of_statement(*index).iter().filter(|used| used.is_read());
            uses.map(|used| parsed.data_items[used.item()].name.to_uppercase()).collect::<Vec<_>>()
        };
        if shown.iter().flat_map(names).any(|name| own.contains(&name)) {
            continue;
        }
        for index in &shown {
            let statement = &parsed.statements[*index];
            for item in
                names(index).into_iter().filter(|name| statuses.contains_key(&(statement.program, name.clone())))
            {
                let operation = format!("{} of {}", operation.verb, files[0].name);
                let own = own.iter().min().cloned().unwrap_or_default();
                let kind = HazardKind::OtherStatus { operation, item, tested: false, own };
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
}

/// Finds the tests that ask again for the status of a file where the operation of another file, which nothing tests, stands just before them.
fn other_tests(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let checks = analysis.status_checks();
    let first_tests = (0..parsed.branches.len()).filter(|branch| parsed.branches[*branch].kind == BranchKind::If);
    for branch in first_tests.filter(|branch| checks.of_branch(*branch).is_some()) {
        let test = parsed.branches[branch].statement;
        let ([tested], Some(before)) = (checks.checked_operations(branch), test.checked_sub(1)) else { continue };
        let (test, operation) = (&parsed.statements[test], &parsed.statements[before]);
        let is_beside = operation.branch == test.branch && operation.paragraph == test.paragraph;
        let is_untested = *tested < before && checks.tests_of(before).is_empty() && test.file.is_none();
        let is_again = checks.tests_of(*tested).iter().any(|other| parsed.branches[*other].statement < before);
        let own = reads.files_of(operation);
        let [own] = own.as_slice() else { continue };
        let names = analysis.def_use().of_branch(branch).iter().map(|used| &parsed.data_items[used.item()].name);
        let [file] = reads.files_of(&parsed.statements[*tested])[..] else { continue };
        let is_status = |name: &&String| file.status.as_ref().is_some_and(|status| status.eq_ignore_ascii_case(name));
        let (Some(status), Some(item)) = (&own.status, names.into_iter().find(is_status)) else { continue };
        if is_beside && is_untested && is_again && !status.eq_ignore_ascii_case(item) {
            let operation = format!("{} of {}", operation.verb, own.name);
            let kind =
                HazardKind::OtherStatus { operation, item: item.clone(), tested: true, own: status.to_uppercase() };
            found.add(kind, test.program, LineRange::single(parsed.branches[branch].lines.start()));
        }
    }
}

/// Finds the MOVEs of an item to itself.
fn itself(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, .. } = *context;
    for statement in parsed.statements.iter().filter(|statement| statement.file.is_none()) {
        let Some(moved) = move_operands(parsed, statement).filter(|moved| moved.from.kind() == OperandKind::Name)
        else {
            continue;
        };
        let from = moved.from.text().to_uppercase();
        // An edited item is edited again.
        let picture = items
            .find(moved.from.name(), statement.program)
            .and_then(|item| parsed.data_items[item].picture.as_deref());
        let is_edited =
            |picture: &str| !picture.to_uppercase().chars().all(|c| "XA9SV()".contains(c) || c.is_ascii_digit());
        if picture.is_some_and(is_edited) {
            continue;
        }
        if !moved.corresponds && moved.to.iter().any(|to| to.text().to_uppercase() == from) {
            let kind = HazardKind::MovedToItself { item: moved.from.text().to_owned() };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Finds the items to which CICS commands give the time, which has another length.
fn lengths(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, .. } = *context;
    let own = parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Cics && exec.file.is_none());
    // FORMATTIME takes the time that ASKTIME gave.
    for exec in own.filter(|exec| exec.command == "ASKTIME") {
        let item = exec.option("ABSTIME").and_then(|name| items.find(name, exec.program));
        let Some(item) = item.map(|item| &parsed.data_items[item]).filter(|item| item.picture.is_some()) else {
            continue;
        };
        if let Some(length) = item.length.filter(|length| *length != ABSTIME) {
            let kind = HazardKind::OtherLength { option: "ABSTIME", item: item.name.clone(), length, written: ABSTIME };
            found.add(kind, exec.program, exec.lines);
        }
    }
}

/// Returns the single tests of all conditions of the source itself, each with its branch.
fn tests<'a>(context: &HazardContext<'a>) -> impl Iterator<Item = (&'a Branch, &'a Condition)> {
    let HazardContext { analysis, parsed, .. } = *context;
    let own = parsed.branches.iter().enumerate();
    let own = own.filter(|(_, branch)| parsed.statements[branch.statement].file.is_none());
    own.flat_map(|(index, branch)| {
        let leaves = analysis.decisions().condition(index).into_iter().flat_map(Condition::leaves);
        leaves.map(move |leaf| (branch, leaf))
    })
}

/// Finds comparisons of SQLCODE with the number of an error without its sign.
fn signs(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    for (branch, leaf) in tests(context) {
        let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = leaf else { continue };
        let code = right.text().trim_start_matches('+').parse().ok().filter(|code| ERRORS.contains(code));
        // Who asks for both signs knows them.
        let cases = || analysis.decisions().branches_of(branch.statement).iter();
        let is_negative = |code: u32| {
            let negative = format!("-{code}");
            let is_it = |word: CodeWord<'_>| word.text == negative;
            cases().any(|case| parsed.condition(&parsed.branches[*case]).iter().any(is_it))
        };
        let code = code.filter(|_| left.text().eq_ignore_ascii_case("SQLCODE"));
        if let Some(code) = code.filter(|code| !is_negative(*code)) {
            let program = parsed.statements[branch.statement].program;
            found.add(HazardKind::SqlCodeSign { code }, program, LineRange::single(branch.lines.start()));
        }
    }
}

/// Finds values behind OR beside an AND, as in `A = 1 AND B = 2 OR 3` and in `B = 3 OR 2 AND A = 1`: B = 3 is enough there.
fn or_beside_and(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        let Some(Condition::Any(parts)) = analysis.decisions().condition(index).filter(|_| statement.file.is_none())
        else {
            continue;
        };
        let words = parsed.condition(branch);
        for two in parts.windows(2) {
            // The test that is enough, and the one beside it about the same item with what applies to that alone.
            let (test, parted, is_first) = match two {
                [Condition::All(tests), test] => (test, tests.split_last(), false),
                [test, Condition::All(tests)] => (test, tests.split_first(), true),
                _ => continue,
            };
            let Some((beside, others)) = parted else { continue };
            let is_about_the_same = match (test, beside) {
                (
                    Condition::Comparison { left, relation, .. },
                    Condition::Comparison { left: other, relation: as_other, .. },
                ) => left == other && relation == as_other,
                _ => false,
            };
            // Who writes the second one whole knows where it belongs.
            if is_about_the_same && is_shortened(words, if is_first { beside } else { test }) {
                let others = Condition::all(others.to_vec()).to_string();
                let kind = HazardKind::OrBesideAnd { test: test.to_string(), others };
                found.add(kind, statement.program, LineRange::single(branch.lines.start()));
            }
        }
    }
}

/// Whether a comparison of an item is written without the item: `OR 3` behind `B = 2`.
fn is_shortened(words: WordSlice<'_>, test: &Condition) -> bool {
    let Condition::Comparison { left, right, .. } = test else { return false };
    let (Some(item), Some(value)) = (left.words().only(), right.words().get(0)) else { return false };
    let is_relation = |word: &CodeWord<'_>| {
        let relations = ["IS", "NOT", "EQUAL", "EQUALS", "TO", "GREATER", "LESS", "THAN"];
        ["=", "<", ">", ">=", "<="].contains(&word.text) || word.is_any(&relations)
    };
    let places = words.iter().enumerate().filter(|(_, word)| word.text == item.text);
    let mut compared = places.filter_map(|(at, _)| words.iter().skip(at + 1).find(|word| !is_relation(word)));
    !compared.any(|with| with.text == value.text)
}

/// Finds the phrases for a success that belong to the last statement of the phrase for a failure, as nothing ends that statement before them:
/// `READ F INVALID KEY WRITE R NOT INVALID KEY PERFORM A END-READ`.
fn nested_phrases(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let phrase = |index: usize| {
        let branch = &parsed.branches[index];
        let words = parsed.condition(branch);
        let phrase = ConditionalPhrase::of(words).filter(|_| branch.kind == BranchKind::Phrase)?;
        Some((phrase, words.has("NOT")))
    };
    // The last statement of each branch.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        last.extend(statement.branch.map(|branch| (branch, index)));
    }
    let branches_of = |statement: usize| analysis.decisions().branches_of(statement);
    for (failure, inner) in last {
        let statement = &parsed.statements[inner];
        let (Some((tested, false)), [own], None) = (phrase(failure), branches_of(inner), &statement.file) else {
            continue;
        };
        let around = parsed.branches[failure].statement;
        if phrase(*own) == Some((tested, true)) && branches_of(around) == [failure] {
            let lines = LineRange::spanning(statement.lines.start(), parsed.branches[*own].lines.start());
            let (verb, around) = (statement.verb, parsed.statements[around].verb);
            let kind = HazardKind::NestedPhrase { phrase: format!("NOT {}", tested.words().join(" ")), verb, around };
            found.add(kind, statement.program, lines);
        }
    }
}

/// Finds the paragraphs whose GO TO an ALTER changes.
fn altered(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    for (paragraph, _) in parsed.altered() {
        let reference = &parsed.references[paragraph];
        let Some(statement) = reference.statement.map(|at| &parsed.statements[at]).filter(|found| found.file.is_none())
        else {
            continue;
        };
        let kind = HazardKind::Altered { paragraphs: vec![reference.target.clone()] };
        found.add(kind, statement.program, statement.own_lines());
    }
}

/// Finds the GO TOs that jump behind the end of what is performed, to a label that does nothing, from where control does not come back.
fn leaves_perform(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    if hides_flow(parsed) {
        return;
    }
    for (index, label, JumpTarget { into, left, .. }) in flow.jump_targets() {
        let statement = &parsed.statements[index];
        let Some(left) = left.filter(|_| statement.file.is_none() && flow.is_label_only(label)) else { continue };
        // Who goes to the end of the program means not to come back.
        if flow.program_exit(into).is_some() || flow.never_runs(index) {
            continue;
        }
        let name = |paragraph: usize| parsed.paragraphs[paragraph].name.clone();
        let kind = HazardKind::LeavesPerform { label: name(label), performed: name(left), into: name(into) };
        found.add(kind, statement.program, statement.own_lines());
    }
}
