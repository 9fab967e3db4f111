//! Numbers that what sets them bounds: counters of loops with a limit, numbers of entries, remainders and constants.

use super::HazardContext;
use crate::code::{WordKind, ZEROS};
use crate::decisions::{Condition, move_operands};
use crate::model::{BranchKind, Statement};
use crate::operands::Operand;
use crate::storage::StorageSet;
use crate::verb::Verb;
use foldhash::HashMap;

/// The most digits that items get from what bounds them.
#[derive(Default)]
pub(super) struct BoundedItems {
    digits: HashMap<usize, u64>,
    /// What statements may set to any number.
    unbounded: StorageSet,
}

impl BoundedItems {
    pub(super) fn of(context: &HazardContext<'_>) -> Self {
        let HazardContext { analysis, parsed, .. } = *context;
        let uses = analysis.def_use();
        let entries = parsed.data_items.iter().filter_map(|item| item.occurs).max().unwrap_or_default();
        let mut found = Self::default();
        for (index, statement) in parsed.statements.iter().enumerate() {
            for used in uses.of_statement(index).iter().filter(|used| used.is_set()) {
                let digits = match statement.verb {
                    // SET takes the number of an entry from an index.
                    Verb::Set => Some(digits_of(u64::from(entries))),
                    Verb::Move => move_operands(parsed, statement).and_then(|moved| digits_of_constant(moved.from)),
                    Verb::Divide => remainder(context, statement, used.item()),
                    Verb::Perform => {
                        let until = analysis.decisions().until_decision(index).and_then(|until| until.condition);
                        until.and_then(|until| limit(context, &until, statement, used.item()))
                    }
                    _ => None,
                };
                found.add(context, used.item(), digits);
            }
        }
        for (index, branch) in parsed.branches.iter().enumerate() {
            let statement = &parsed.statements[branch.statement];
            for used in uses.of_branch(index).iter().filter(|used| used.is_set()) {
                let condition = analysis.decisions().condition(index).filter(|_| branch.kind == BranchKind::Loop);
                let digits = condition.and_then(|until| limit(context, until, statement, used.item()));
                found.add(context, used.item(), digits);
            }
        }
        found.unbounded.sort();
        found
    }

    /// Returns the most digits that an item gets, if all that sets it bounds it.
    pub(super) fn digits(&self, context: &HazardContext<'_>, item: usize) -> Option<u64> {
        let digits = self.digits.get(&item).filter(|_| !self.unbounded.meets(context.storage.place(item)));
        digits.copied()
    }

    fn add(&mut self, context: &HazardContext<'_>, item: usize, digits: Option<u64>) {
        let Some(digits) = digits else { return self.unbounded.add(context.storage.place(item)) };
        let known = self.digits.entry(item).or_default();
        *known = digits.max(*known);
    }
}

fn digits_of(number: u64) -> u64 {
    number.to_string().len() as u64
}

fn digits_of_constant(operand: Operand<'_>) -> Option<u64> {
    let word = operand.words().only().filter(|_| operand.is_constant())?;
    let number = if word.is_any(ZEROS) { "0" } else { word.text };
    number.parse().ok().map(digits_of)
}

/// Returns the digits of a remainder: it is less than the divisor.
fn remainder(context: &HazardContext<'_>, statement: &Statement, item: usize) -> Option<u64> {
    let parsed = context.parsed;
    let words = parsed.words(statement);
    let last = parsed.operands(statement).last().filter(|_| words.has("REMAINDER"))?;
    let is_it = context.items.find(last.name(), statement.program) == Some(item);
    let mut numbers = words.iter().filter(|word| word.kind == WordKind::Number && is_it);
    let divisor: u64 = numbers.next()?.text.parse().ok()?;
    Some(digits_of(divisor.checked_sub(1)?))
}

/// Returns the digits of the constant up to which a loop counts an item.
fn limit(context: &HazardContext<'_>, until: &Condition, statement: &Statement, item: usize) -> Option<u64> {
    let limits = until.leaves().filter_map(|leaf| match leaf {
        Condition::Comparison { left, relation, right } if relation.is_order() => {
            let is_it = context.items.find(left.text(), statement.program) == Some(item);
            right.text().parse::<u64>().ok().filter(|_| is_it)
        }
        _ => None,
    });
    limits.max().map(digits_of)
}
