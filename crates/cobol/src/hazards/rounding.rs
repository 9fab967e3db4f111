//! Calculations that are cut, where others of the same item are rounded.

use super::extents::Extent;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::WordKind;
use crate::decisions::Formula;
use crate::operands::{self, Operand, OperandRole};
use crate::verb::Verb;
use std::collections::BTreeMap;

/// How many calculations of an item must be rounded, so that one that is not stands out.
const ROUNDED: usize = 2;

/// Finds the only calculation of an item that may lose decimals and is not rounded, where several others are.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, .. } = *context;
    // For each item, how many of its calculations are rounded, and those that are not.
    let mut calculations: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        if !matches!(statement.verb, Verb::Compute | Verb::Multiply | Verb::Divide) {
            continue;
        }
        let Some(formula) = Formula::of(parsed, statement) else { continue };
        let [target] = &formula.targets[..] else { continue };
        let Some(item) = items.find(target, statement.program) else { continue };
        let (rounded, cut) = calculations.entry(item).or_default();
        let decimals = context.decimals(&formula, statement.program);
        let room = Extent::of_item(&parsed.data_items[item]).filter(|extent| extent.is_numeric);
        if formula.is_rounded {
            *rounded += 1;
        } else if room.is_some_and(|room| decimals.is_none_or(|decimals| decimals > room.decimals)) {
            cut.push(index);
        }
    }
    for (item, (rounded, cut)) in calculations {
        let [index] = cut[..] else { continue };
        let statement = &parsed.statements[index];
        if rounded >= ROUNDED && statement.file.is_none() {
            let kind = HazardKind::Unrounded { item: parsed.data_items[item].name.clone(), others: rounded };
            found.add_at(index, kind, statement.program, statement.own_lines());
        }
    }
}

impl HazardContext<'_> {
    /// Returns how many decimals a product may have; none for a quotient, which may have any number of them. Sums and what is not known have none that a
    /// calculation without ROUNDED would be said to cut.
    fn decimals(&self, formula: &Formula, program: Option<usize>) -> Option<u64> {
        let words = formula.expression.words();
        if words.position(|word| word.is_sign("/")).is_some() {
            return None;
        }
        let mut spans = Vec::new();
        operands::find_in_expression(words, OperandRole::Read, &mut spans);
        let is_product = words.iter().all(|word| word.kind != WordKind::Sign || word.is_sign("*"));
        let decimals = |operand: Operand<'_>| match operand.is_constant() {
            true => operand.text().split_once('.').map(|(_, decimals)| decimals.len() as u64),
            false => {
                let item = self.items.find(operand.name(), program)?;
                Extent::of_item(&self.parsed.data_items[item]).map(|extent| extent.decimals)
            }
        };
        let all = spans.into_iter().map(|span| decimals(Operand::new(span, words)).unwrap_or_default());
        Some(if is_product { all.sum() } else { 0 })
    }
}
