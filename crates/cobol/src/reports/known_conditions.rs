//! What is known of items behind a statement: the constants that the statements beside it assign, and the conditions around it.

use crate::code::CodeText;
use crate::decisions::{Condition, Decisions, RelationalOperator, names_in};
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
    pub(super) fn decide(&self, condition: &Condition, known: Known) -> Option<bool> {
        let decide = |part: &Condition| self.decide(part, known);
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
                held.into_iter().find_map(|(_, (held, _))| implied(held, leaf))
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
fn implied(held: &Condition, asked: &Condition) -> Option<bool> {
    use RelationalOperator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    if held == asked {
        return Some(true);
    }
    if *held == asked.clone().negated() {
        return Some(false);
    }
    if let Condition::Any(parts) = held {
        let first = implied(parts.first()?, asked)?;
        return parts.iter().all(|part| implied(part, asked) == Some(first)).then_some(first);
    }
    if let Condition::All(parts) = held {
        return parts.iter().find_map(|part| implied(part, asked));
    }
    let Condition::Comparison { left, relation: Equal, right } = held else { return None };
    match asked {
        Condition::Comparison { left: item, relation, right: value } => {
            if !left.text().eq_ignore_ascii_case(item.text()) {
                return None;
            }
            let (order, is_order) = compare(right, value)?;
            match relation {
                Equal => Some(order == Ordering::Equal),
                NotEqual => Some(order != Ordering::Equal),
                Less => is_order.then_some(order == Ordering::Less),
                AtMost => is_order.then_some(order != Ordering::Greater),
                Greater => is_order.then_some(order == Ordering::Greater),
                AtLeast => is_order.then_some(order != Ordering::Less),
            }
        }
        Condition::Range { item, from, to, negated } if left.text().eq_ignore_ascii_case(item.text()) => {
            let ((above, true), (below, true)) = (compare(right, from)?, compare(right, to)?) else { return None };
            Some((above != Ordering::Less && below != Ordering::Greater) != *negated)
        }
        _ => None,
    }
}

/// Compares two constants; also returns whether they are numbers, so that one is known to be greater. None if one is no constant, or if only one
/// has a name of CICS, whose value is not known here.
fn compare(one: &CodeText, other: &CodeText) -> Option<(Ordering, bool)> {
    let ((one, is_named), (other, is_other_named)) = (plain(one)?, plain(other)?);
    match (one.parse::<i64>(), other.parse::<i64>()) {
        _ if is_named != is_other_named => None,
        (Ok(one), Ok(other)) => Some((one.cmp(&other), true)),
        _ => Some((one.cmp(&other), false)),
    }
}

/// Returns a constant in one spelling, and whether it has a name of CICS: DFHRESP(NOTFND), DFHPF3. None if it is something else.
fn plain(code: &CodeText) -> Option<(String, bool)> {
    let words = code.words();
    let first = words.first()?;
    if first.text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("DFH")) {
        return Some((code.text().to_uppercase(), true));
    }
    if words.len() != 1 || !first.is_constant() {
        return None;
    }
    let text = first.text;
    let figurative = [("ZERO", "0"), ("ZEROS", "0"), ("ZEROES", "0"), ("SPACE", ""), ("SPACES", "")];
    if let Some((_, value)) = figurative.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)) {
        return Some(((*value).to_owned(), false));
    }
    Some((text.trim_matches(['\'', '"']).trim_end().trim_start_matches('+').to_owned(), false))
}
