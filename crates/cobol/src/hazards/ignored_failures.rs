//! Failures of operations that are tested, and about which nothing is done.

use super::error_paths::{BranchResults, reached_without_failure};
use super::statuses::in_words;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::access::CicsResponse;
use crate::code::WordSlice;
use crate::control_flow::ProgramExit;
use crate::decisions::{Condition, RelationalOperator};
use crate::embedded_sql::SqlCondition;
use crate::idle_branches::is_idle;
use crate::model::{BranchKind, ExecBlock, ExecKind};
use crate::status_check::{OperationStatus, SoughtStatus};
use crate::verb::Verb;
use foldhash::HashSet;
use std::cell::LazyCell;
use war_rig_text::LineRange;

/// Finds the branches of IF and EVALUATE for a failure that do nothing, where those for a success do nothing either, and those for a success that do
/// nothing where none is for a failure. A test for single codes tolerates
/// these, and what another branch does about the same operation is enough. Statements that are missing may do something.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let (checks, decisions) = (analysis.status_checks(), analysis.decisions());
    // The operations that a branch tests, each with the files whose statuses it asks for.
    let tested = |branch: usize| {
        let operations = checks.checked_operations(branch).iter();
        operations.flat_map(move |operation| {
            let files: Vec<_> = reads.tested_files(*operation, branch).into_iter().map(|file| &*file.name).collect();
            let files = if files.is_empty() { vec![""] } else { files };
            files.into_iter().map(|file| (*operation, file)).collect::<Vec<_>>()
        })
    };
    let handles = |branch: &usize| {
        let is_phrase = parsed.branches[*branch].kind == BranchKind::Phrase;
        !is_phrase
            && checks.of_branch(*branch) != Some(OperationStatus::EndOfData)
            && !is_idle(parsed, decisions, *branch)
    };
    // A statement that tests a status and does something then.
    let acts = |statement: usize| decisions.branches_of(statement).iter().any(handles);
    let handled: HashSet<(usize, &str)> = (0..parsed.branches.len()).filter(handles).flat_map(tested).collect();
    let paths = LazyCell::new(|| FailurePaths::of(context));
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        let is_for_nothing = (tests_failure(context, index) && !asks_for_single_codes(context, index))
            || tests_only_success(context, index);
        if statement.file.is_some() || !is_for_nothing {
            continue;
        }
        let [operation] = checks.checked_operations(index) else { continue };
        if parsed.statements[*operation].exec.is_some_and(|exec| sets_handlers(&parsed.execs[exec])) {
            continue;
        }
        let is_ignored = |(operation, file): &(usize, &str)| {
            let is_handled = handled.contains(&(*operation, *file)) || is_handled_by_program(context, *operation, file);
            let status = || sought_status(context, *operation, index, file);
            !is_handled && status().is_none_or(|sought| !reads.follow_test(*operation, branch.statement, sought, &acts))
        };
        let ignored: Vec<&str> = tested(index).filter(is_ignored).map(|(_, file)| file).collect();
        if ignored.is_empty() {
            continue;
        }
        let operation = match (parsed.statements[*operation].exec, &*ignored.join(", ")) {
            (Some(exec), _) => in_words(&parsed.execs[exec]),
            (None, "") => continue,
            (None, files) => format!("{} of {files}", parsed.statements[*operation].verb),
        };
        let kind = match paths.contain(context, branch.statement) {
            true => HazardKind::IgnoredAfterFailure { operation },
            false => HazardKind::IgnoredFailure { operation },
        };
        let is_only = decisions.branches_of(branch.statement).len() == 1;
        let lines = if is_only { statement.own_lines() } else { LineRange::single(branch.lines.start()) };
        found.add_at(branch.statement, kind, statement.program, lines);
    }
}

/// Whether a command only says what happens from then on: what fails later counts.
fn sets_handlers(exec: &ExecBlock) -> bool {
    exec.kind == ExecKind::Cics && (exec.command.starts_with("HANDLE ") || exec.command.starts_with("IGNORE "))
}

/// Whether something that the program states apart from tests is done about the failures of an operation: by a procedure of DECLARATIVES, WHENEVER, or HANDLE
/// CONDITION.
fn is_handled_by_program(context: &HazardContext<'_>, operation: usize, file: &str) -> bool {
    let HazardContext { analysis, parsed, .. } = *context;
    let Some(exec) = parsed.statements[operation].exec else {
        let is_for_file = |words: WordSlice<'_>| {
            let has = |any: &[&str]| any.iter().any(|word| words.has(word));
            has(&["ERROR", "EXCEPTION"]) && has(&[file, "INPUT", "OUTPUT", "I-O", "EXTEND"])
        };
        let mut uses = parsed.statements.iter().filter(|statement| statement.verb == Verb::Use);
        return uses.any(|statement| is_for_file(parsed.words(statement)));
    };
    let block = &parsed.execs[exec];
    let handlers = block.sql.iter().flat_map(|sql| &sql.handlers);
    let mut conditions = handlers.map(|handler| handler.condition);
    let is_labelled = |response: &CicsResponse| response.handlers.iter().any(|handler| handler.label.is_some());
    conditions.any(|condition| matches!(condition, SqlCondition::SqlError | SqlCondition::NotFound))
        || analysis.responses().of_exec(exec).is_some_and(is_labelled)
}

/// Returns the status of an operation on a file or of a command that a branch tests.
fn sought_status<'a>(
    context: &HazardContext<'a>,
    operation: usize,
    branch: usize,
    file: &str,
) -> Option<SoughtStatus<'a>> {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let Some(exec) = parsed.statements[operation].exec else {
        let tested = reads.tested_files(operation, branch).into_iter().find(|tested| tested.name == file)?;
        return tested.status.as_deref().map(SoughtStatus::Item);
    };
    match parsed.execs[exec].kind {
        ExecKind::Sql => Some(SoughtStatus::OfSql),
        ExecKind::Cics => {
            let item = analysis.responses().of_exec(exec).and_then(|response| response.item.as_deref());
            Some(SoughtStatus::Item(item.unwrap_or("EIBRESP")))
        }
        _ => None,
    }
}

/// Whether a branch of an IF or an EVALUATE is for a failure, which skips nothing that the others do but for the end of the data. One for all that is left is
/// for failures alone if another is for a success.
fn tests_failure(context: &HazardContext<'_>, branch: usize) -> bool {
    let (parsed, checks) = (context.parsed, context.analysis.status_checks());
    let found = &parsed.branches[branch];
    let siblings = || context.analysis.decisions().branches_of(found.statement).iter();
    let is_rest = found.kind == BranchKind::Else || parsed.is_when_other(found);
    let has_success = || siblings().any(|other| checks.of_branch(*other) == Some(OperationStatus::Success));
    matches!(parsed.statements[found.statement].verb, Verb::If | Verb::Evaluate)
        && checks.of_branch(branch) == Some(OperationStatus::Failure)
        && (!is_rest || has_success())
        && siblings().all(|other| {
            checks.of_branch(*other) == Some(OperationStatus::EndOfData)
                || is_idle(parsed, context.analysis.decisions(), *other)
        })
}

/// Whether a branch is the only one of an IF, and does nothing where an operation succeeded: a failure is not even skipped.
fn tests_only_success(context: &HazardContext<'_>, branch: usize) -> bool {
    let (parsed, decisions) = (context.parsed, context.analysis.decisions());
    let found = &parsed.branches[branch];
    found.kind == BranchKind::If
        && context.analysis.status_checks().of_branch(branch) == Some(OperationStatus::Success)
        && decisions.branches_of(found.statement) == [branch]
        && is_idle(parsed, decisions, branch)
}

/// The paths that control takes only after failures.
struct FailurePaths<'a> {
    results: BranchResults<'a>,
    /// For each paragraph, whether control reaches it without a failure.
    is_reached: Vec<bool>,
}

impl<'a> FailurePaths<'a> {
    fn of(context: &HazardContext<'a>) -> Self {
        let results = BranchResults::of(context.analysis);
        let is_reached = reached_without_failure(context.analysis, &results);
        Self { results, is_reached }
    }

    /// Whether a statement runs only after a failure, or before an abend that ends its paragraph.
    fn contain(&self, context: &HazardContext<'_>, statement: usize) -> bool {
        let (parsed, flow) = (context.parsed, context.analysis.control_flow());
        let Some(paragraph) = parsed.statements[statement].paragraph else { return false };
        let spans = parsed.references.iter().enumerate();
        let spans = spans.filter_map(|(index, reference)| Some((reference, flow.reference_span(index)?)));
        let mut leading =
            spans.filter(|(_, (first, last))| (*first..=*last.max(first)).contains(&paragraph)).peekable();
        let is_led_to = leading.peek().is_some();
        let are_after_failures = leading.all(|(reference, _)| {
            let is_from_failure = reference.statement.is_some_and(|from| self.results.is_on_failure(from));
            is_from_failure || reference.paragraph.is_some_and(|from| !self.is_reached[from])
        });
        self.results.is_on_failure(statement)
            || !self.is_reached[paragraph] && is_led_to && are_after_failures
            || flow.program_exit(paragraph) == Some(ProgramExit::Abends)
    }
}

/// Whether a condition holds for single values alone that it names, itself or by condition names.
fn asks_for_single_codes(context: &HazardContext<'_>, branch: usize) -> bool {
    let (parsed, decisions) = (context.parsed, context.analysis.decisions());
    let program = parsed.statements[parsed.branches[branch].statement].program;
    let is_value = |leaf: &Condition| matches!(leaf, Condition::Comparison { relation: RelationalOperator::Equal, .. });
    let mut leaves = decisions.condition(branch).into_iter().flat_map(Condition::leaves);
    leaves.any(|leaf| decisions.expand_condition_name(leaf, program).leaves().any(is_value))
}
