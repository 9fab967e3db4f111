//! How large the numbers are that items receive.

use super::HazardContext;
use super::extents::{Extent, is_whole};
use super::moves::modified_length;
use crate::analysis::Analysis;
use crate::code::{WordKind, ZEROS};
use crate::decisions::{Condition, move_operands};
use crate::model::{ParsedCobol, Statement};
use crate::operands::Operand;
use crate::storage::{Storage, StorageSet};
use crate::unique_items::UniqueItems;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// What limits the numbers in the items of a source.
pub(super) struct NumberLimits {
    /// The items that a condition compares with a limit, or that count the passes of a loop or the entries of a table.
    limited: HashSet<usize>,
    /// The most digits before the decimal point of what MOVEs bring into each item.
    moved: HashMap<usize, u64>,
    /// What is set in other ways.
    set_otherwise: StorageSet,
}

impl NumberLimits {
    pub(super) fn of(analysis: &Analysis, items: &UniqueItems<'_>, storage: &Storage) -> Self {
        let (parsed, uses, decisions) = (analysis.parsed(), analysis.def_use(), analysis.decisions());
        let mut limits = Self { limited: HashSet::new(), moved: HashMap::new(), set_otherwise: StorageSet::default() };
        for (index, statement) in parsed.statements.iter().enumerate() {
            let program = statement.program;
            if statement.verb == Verb::Move && limits.add_move(parsed, statement, items) {
                continue;
            }
            for used in uses.of_statement(index).iter().filter(|used| used.is_set()) {
                limits.set_otherwise.add(storage.place(used.item()));
                if matches!(statement.verb, Verb::Set | Verb::Perform) {
                    limits.limited.insert(used.item());
                }
            }
            let of_loop = decisions.until_decision(index).and_then(|decision| decision.condition);
            limits.limited.extend(of_loop.iter().flat_map(limited_names).filter_map(|name| items.find(&name, program)));
        }
        for (index, branch) in parsed.branches.iter().enumerate() {
            let program = parsed.statements[branch.statement].program;
            let set = uses.of_branch(index).iter().filter(|used| used.is_set());
            limits.limited.extend(set.map(|used| used.item()));
            let names = decisions.condition(index).map(limited_names).unwrap_or_default();
            limits.limited.extend(names.iter().filter_map(|name| items.find(name, program)));
        }
        limits.set_otherwise.sort();
        limits
    }

    /// Returns whether something limits the numbers of an item.
    pub(super) fn is_limited(&self, item: usize) -> bool {
        self.limited.contains(&item)
    }

    /// Returns the most digits before the decimal point that an item ever receives, at most those of its picture.
    pub(super) fn digits(&self, context: &HazardContext<'_>, item: usize, extent: Extent) -> u64 {
        let is_own = context.parsed.data_items[item].is_private();
        let moved = self.moved.get(&item).filter(|_| is_own && !self.set_otherwise.meets(context.storage.place(item)));
        moved.map_or(extent.size, |digits| extent.size.min(*digits))
    }

    /// Adds a MOVE; returns false if the digits of the sender are unknown, or if a receiver is no plain number.
    fn add_move(&mut self, parsed: &ParsedCobol, statement: &Statement, items: &UniqueItems<'_>) -> bool {
        let Some(moved) = move_operands(parsed, statement).filter(|moved| !moved.corresponds) else { return false };
        let Some(digits) = sent_digits(moved.from, items, statement) else { return false };
        let receiver = |to: &Operand<'_>| {
            let item = items.find(to.name(), statement.program).filter(|_| is_whole(*to))?;
            Extent::of_item(&parsed.data_items[item]).filter(|extent| extent.is_numeric).map(|_| item)
        };
        let Some(receivers) = moved.to.iter().map(receiver).collect::<Option<Vec<usize>>>() else { return false };
        for item in receivers {
            let known = self.moved.entry(item).or_default();
            *known = digits.max(*known);
        }
        true
    }
}

/// Returns the digits before the decimal point of what a MOVE sends: a number, an item, or a part of a text.
fn sent_digits(from: Operand<'_>, items: &UniqueItems<'_>, statement: &Statement) -> Option<u64> {
    let words = from.words();
    if from.is_constant() {
        let word = words.only()?;
        let is_zero = word.is_any(ZEROS);
        let whole = word.text.trim_start_matches(['+', '-']).split(['.', ',']).next().unwrap_or_default();
        return (is_zero || word.kind == WordKind::Number).then_some(if is_zero { 1 } else { whole.len() as u64 });
    }
    if words.position(|word| word.is_sign(":")).is_some() {
        return modified_length(from);
    }
    let item = items.find(from.name(), statement.program)?;
    Extent::of_item(&items.parsed.data_items[item]).map(|extent| extent.size)
}

/// Returns the names that a condition compares with a limit.
fn limited_names(condition: &Condition) -> Vec<String> {
    let limited = condition.leaves().flat_map(|leaf| match leaf {
        Condition::Comparison { left, relation, right } if relation.is_order() => vec![left, right],
        Condition::Range { item, .. } => vec![item],
        _ => vec![],
    });
    limited.filter_map(|text| text.words().first()).map(|word| word.text.to_owned()).collect()
}
