//! Failures that a called program reports in what it is handed: a code that is tested behind the call, under which the program ends or reports an error itself.

use super::StaticWriter;
use super::conditions::{CONDITION, ENCLOSING_TOLD};
use crate::phrases::sentence;
use war_rig_cobol::{BranchKind, Condition, ItemUse, OperationStatus, RelationalOperator, Verb};
use war_rig_template::{ErrorHandling, PartialItem};

/// How many statements before a test are searched for the call.
const STATEMENTS_LOOKED_AT: usize = 8;

/// How many statements of what is performed are searched for the call.
const PERFORMED_LOOKED_AT: usize = 60;

impl<'a> StaticWriter<'_, 'a> {
    /// Describes a branch that is taken where a called program reports an error; none if that is not certain. A failure that is known to be one need
    /// neither end the program nor be reported by it.
    pub(super) fn reported_error(&self, index: usize) -> Option<PartialItem<ErrorHandling>> {
        let parsed = self.reading.parsed;
        let branch = &parsed.branches[index];
        let is_failure = self.reading.outcomes.of_branch(index) == Some(OperationStatus::Failure);
        let is_alone = branch.kind == BranchKind::If && self.reading.branches_of(branch.statement) == [index];
        let is_of_codes = |condition: &Condition| {
            condition.leaves().all(excludes_constant) && condition.leaves().any(excludes_success)
        };
        let is_error = || is_alone && self.reading.decisions.condition(index).is_some_and(is_of_codes);
        if branch.kind != BranchKind::If || !(is_failure || is_error()) {
            return None;
        }
        let program = self.reporting_program(index)?;
        let outcome = self.outcome_of_failure(index);
        let ends = |statement: &usize| match parsed.statements[*statement].verb {
            Verb::Perform => self.performed_exit(*statement).is_some(),
            _ => self.reading.flow.always_leaves(*statement),
        };
        if !is_failure && outcome.is_none() && !self.reading.under(index).iter().any(ends) {
            return None;
        }
        let citations = self.cite_decision(self.lines_of_branch(index));
        let effects = self.effects(index).filter(|_| !citations.is_empty())?;
        let condition = self.with_around(branch, self.condition(branch, CONDITION), ENCLOSING_TOLD);
        let body = ErrorHandling {
            condition: sentence(&format!("{program} reports an error: {condition}")),
            action: sentence(&self.with_replaced(index, effects.words)),
            ends: effects.ends.filter(|_| outcome.is_none()),
            runs: outcome.as_ref().and_then(|_| self.when_run(branch.statement)),
            outcome,
        };
        Some(PartialItem::new(body, citations))
    }

    /// Returns the statements of the paragraphs that a statement performs.
    fn performed_by(&self, statement: usize) -> impl Iterator<Item = usize> {
        let parsed = self.reading.parsed;
        let is_perform = parsed.statements[statement].verb == Verb::Perform;
        let span = self.reading.led_to.get(&statement).filter(|_| is_perform).copied();
        let all = span.map(|(first, last)| {
            let begin = (first..=last).find_map(|paragraph| self.reading.of_paragraph[paragraph].first());
            let is_performed =
                move |other: &usize| parsed.statements[*other].paragraph.is_some_and(|at| (first..=last).contains(&at));
            (begin.copied().unwrap_or(parsed.statements.len())..parsed.statements.len()).take_while(is_performed)
        });
        all.into_iter().flatten()
    }

    /// Returns the program whose answer a branch tests: the only one that the statements before it hand the record to that the tested items are in, if
    /// nothing sets these since.
    fn reporting_program(&self, index: usize) -> Option<String> {
        let (parsed, effects) = (self.reading.parsed, self.reading.effects);
        let read = effects.of_branch(index).iter().filter(|used| used.is_read());
        let tested: Vec<usize> = read.map(|used| used.item()).collect();
        let record = self.record_around(*tested.first()?);
        if tested.iter().any(|item| self.record_around(*item) != record) {
            return None;
        }
        let test = parsed.branches[index].statement;
        let list = self.list_before(test);
        let mut until = test;
        for statement in list.iter().rev().take(STATEMENTS_LOOKED_AT) {
            // With what stands under it.
            let mut own: Vec<usize> = (*statement..until).collect();
            let mut looked_at = 0;
            while let Some(other) = own.get(looked_at).copied().filter(|_| own.len() < PERFORMED_LOOKED_AT) {
                let performed = self.performed_by(other).take(PERFORMED_LOOKED_AT);
                own.extend(performed.filter(|performed| !own.contains(performed)).collect::<Vec<_>>());
                looked_at += 1;
            }
            let is_handed = |used: &ItemUse| used.is_passed() && self.record_around(used.item()) == record;
            let hands = |statement: &usize| effects.of_statement(*statement).iter().any(is_handed);
            let mut programs: Vec<Option<String>> =
                own.iter().filter(|other| hands(other)).map(|other| self.program_called(*other)).collect();
            programs.dedup();
            match programs.as_slice() {
                [only] => return only.clone(),
                [] => {}
                _ => return None,
            }
            let sets = |used: &ItemUse| used.is_set() && tested.contains(&used.item());
            if own.iter().any(|other| effects.of_statement(*other).iter().any(sets)) {
                return None;
            }
            until = *statement;
        }
        None
    }

    /// Returns the record that an item is in, or the item.
    fn record_around(&self, item: usize) -> usize {
        let items = &self.reading.parsed.data_items;
        std::iter::successors(Some(item), |inner| items[*inner].parent).last().unwrap_or(item)
    }

    /// Returns the program that a statement calls or links to, if the source names it.
    fn program_called(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        if let Some(exec) = parsed.statements[statement].exec.map(|exec| &parsed.execs[exec]) {
            let is_literal = exec.option("PROGRAM").is_some_and(|program| program.trim().starts_with(['\'', '"']));
            return exec.resource.clone().filter(|_| exec.command == "LINK" && is_literal);
        }
        let call = parsed.calls.iter().find(|call| call.statement == Some(statement))?;
        match (call.is_literal, &*call.candidates) {
            (true, _) => Some(call.spelling.as_ref().unwrap_or(&call.target).clone()),
            (false, [(only, _)]) if call.is_certain => Some(only.clone()),
            (false, _) => None,
        }
    }
}

/// Whether a condition says that an item does not have a constant value.
fn excludes_constant(condition: &Condition) -> bool {
    let Condition::Comparison { relation: RelationalOperator::NotEqual, right, .. } = condition else { return false };
    right.words().only().is_some_and(|word| !word.is_name())
}

/// Whether that is the value of success: zero or blanks.
fn excludes_success(condition: &Condition) -> bool {
    let Condition::Comparison { right, .. } = condition else { return false };
    let text = right.text().trim_matches(['\'', '"']).to_uppercase();
    let is_named = ["ZERO", "ZEROS", "ZEROES", "SPACE", "SPACES"].contains(&text.as_str());
    is_named || text.chars().all(|sign| sign == '0' || sign == ' ')
}
