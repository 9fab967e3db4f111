//! What is known of items behind a statement: the constants that the statements beside it assign, and the conditions around it.

use crate::code::CodeText;
use crate::decisions::{Condition, ConstantRelation, Decisions, RelationalOperator, names_in};
use std::cmp::Ordering;

/// The maximum number of conditions that are known at once: one for each bit of a [`Known`].
const MOST: usize = 32;

/// Which of the conditions are known to hold, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Known(u32);

/// Conditions that may hold while control goes on from a statement.
#[derive(Debug, Default)]
pub(super) struct KnownConditions {
    conditions: Vec<(Condition, Vec<String>)>,
}

impl KnownConditions {
    /// Adds a condition without condition names, and returns the bit that stands for it; nothing if there are too many.
    pub(super) fn add(&mut self, condition: Condition) -> Known {
        let known = self.conditions.iter().position(|(known, _)| *known == condition);
        if known.is_none() && self.conditions.len() == MOST {
            return Known::default();
        }
        let bit = known.unwrap_or_else(|| {
            let items = items_of(&condition);
            self.conditions.push((condition, items));
            self.conditions.len() - 1
        });
        Known(1 << bit)
    }

    /// Adds that an item has a constant value.
    pub(super) fn add_value(&mut self, item: &str, value: &str) -> Known {
        self.add(Condition::Comparison {
            left: CodeText::read(item),
            relation: RelationalOperator::Equal,
            right: CodeText::read(value),
        })
    }

    /// Returns what is still known when an item is set.
    pub(super) fn without(&self, known: Known, item: &str) -> Known {
        let about = self.conditions.iter().enumerate().filter(|(_, (_, items))| items.iter().any(|name| name == item));
        about.fold(known, |known, (bit, _)| Known(known.0 & !(1 << bit)))
    }

    /// Returns whether a condition is true or false, as far as it is known. Its condition names are replaced by their values.
    pub(super) fn decide(
        &self,
        condition: &Condition,
        known: Known,
        decisions: Decisions<'_>,
        program: Option<usize>,
    ) -> Option<bool> {
        let decide = |part: &Condition| self.decide(part, known, decisions, program);
        match condition {
            Condition::All(parts) => {
                let all = parts.iter().map(decide).collect::<Vec<_>>();
                (all.iter().all(Option::is_some) || all.contains(&Some(false))).then(|| !all.contains(&Some(false)))
            }
            Condition::Any(parts) => {
                let all = parts.iter().map(decide).collect::<Vec<_>>();
                (all.iter().all(Option::is_some) || all.contains(&Some(true))).then(|| all.contains(&Some(true)))
            }
            leaf => {
                let held = self.conditions.iter().enumerate().filter(|(bit, _)| known.0 & (1 << bit) != 0);
                held.into_iter().find_map(|(_, (held, _))| implied(held, leaf, decisions, program))
            }
        }
    }
}

impl Known {
    pub(super) fn and(self, other: Known) -> Known {
        Known(self.0 | other.0)
    }
}

/// Returns the items that a condition names.
pub(super) fn items_of(condition: &Condition) -> Vec<String> {
    condition.operands().into_iter().flat_map(names_in).collect()
}

/// Replaces condition names by comparisons with their values.
pub(super) fn by_value(condition: &Condition, decisions: Decisions<'_>, program: Option<usize>) -> Condition {
    let all = |parts: &[Condition]| parts.iter().map(|part| by_value(part, decisions, program)).collect();
    match condition {
        Condition::All(parts) => Condition::all(all(parts)),
        Condition::Any(parts) => Condition::any(all(parts)),
        Condition::ConditionName { name, negated } => {
            let positive = Condition::ConditionName { name: name.clone(), negated: false };
            let found = decisions.expand_condition_name(&positive, program);
            if *negated { found.negated() } else { found }
        }
        other => other.clone(),
    }
}

/// Returns whether a condition that holds makes another one true or false; none if it does not decide it.
fn implied(held: &Condition, asked: &Condition, decisions: Decisions<'_>, program: Option<usize>) -> Option<bool> {
    let implied = |held: &Condition| implied(held, asked, decisions, program);
    if held == asked {
        return Some(true);
    }
    if *held == asked.clone().negated() {
        return Some(false);
    }
    if let Condition::Any(parts) = held {
        let first = implied(parts.first()?)?;
        return parts.iter().all(|part| implied(part) == Some(first)).then_some(first);
    }
    if let Condition::All(parts) = held {
        return parts.iter().find_map(implied);
    }
    let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = held else { return None };
    let holds = |relation: RelationalOperator, value: &CodeText| match decisions.relate(left, right, value, program) {
        ConstantRelation::Equal => Some(relation.holds(Ordering::Equal)),
        ConstantRelation::Ordered(order) => Some(relation.holds(order)),
        ConstantRelation::Different if !relation.is_order() => Some(relation == RelationalOperator::NotEqual),
        ConstantRelation::Different | ConstantRelation::Unknown => None,
    };
    match asked {
        Condition::Comparison { left: item, relation, right: value } if is_same_operand(left, item) => {
            holds(*relation, value)
        }
        Condition::Range { item, from, to, negated } if is_same_operand(left, item) => {
            let is_within = holds(RelationalOperator::AtLeast, from)? && holds(RelationalOperator::AtMost, to)?;
            Some(is_within != *negated)
        }
        _ => None,
    }
}

fn is_same_operand(one: &CodeText, other: &CodeText) -> bool {
    one.text().eq_ignore_ascii_case(other.text())
}
