//! Products that may have more digits than the item that receives them.
//!
//! Sums, differences and quotients are not examined: by their types nearly all of them may carry into one more digit, and nearly none
//! does. Binary items are not examined either, because their pictures say little about their values.

use super::extents::Extent;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::analysis::Analysis;
use crate::code::{CodeText, CodeWord, WordKind};
use crate::decisions::Formula;
use crate::model::{BranchKind, DataItem, Statement};
use crate::operands::{self, Operand, OperandKind, OperandRole};
use crate::verb::Verb;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, .. } = *context;
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        if !matches!(statement.verb, Verb::Compute | Verb::Multiply) || tests_size(analysis, index) {
            continue;
        }
        let Some(formula) = Formula::of(parsed, statement) else { continue };
        let Some(digits) = context.largest_digits(&formula, statement) else { continue };
        for target in &formula.targets_as_written {
            let receiver = target.words().first().and_then(|name| items.find(name.text, statement.program));
            let room = receiver.and_then(|item| room_of(&parsed.data_items[item]));
            if let (Some(room), Some(item)) = (room.filter(|room| *room < digits), target.words().first()) {
                let kind = HazardKind::MayOverflow {
                    expression: formula.expression.text().to_owned(),
                    digits,
                    item: item.text.to_uppercase(),
                    room,
                };
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
}

/// Returns whether a statement has ON SIZE ERROR or NOT ON SIZE ERROR.
pub(super) fn tests_size(analysis: &Analysis, statement: usize) -> bool {
    let parsed = analysis.parsed();
    let branches = analysis.decisions().branches_of(statement).iter().map(|branch| &parsed.branches[*branch]);
    parsed.words(&parsed.statements[statement]).has("SIZE")
        || branches.into_iter().any(|branch| branch.kind == BranchKind::Phrase)
}

/// Returns the digits before the decimal point for which an item has room; none for binary items, which may have room for more than their
/// picture shows.
pub(super) fn room_of(item: &DataItem) -> Option<u64> {
    let is_decimal = matches!(item.usage, None | Some("DISPLAY" | "COMP-3" | "PACKED-DECIMAL"));
    Extent::of_item(item).filter(|extent| extent.is_numeric && is_decimal).map(|extent| extent.size)
}

impl HazardContext<'_> {
    /// Returns the number of digits before the decimal point of the largest result; none if it is unknown, or computed from the receiving
    /// item itself.
    fn largest_digits(&self, formula: &Formula, statement: &Statement) -> Option<u64> {
        let largest = self.largest_result(&formula.expression, &formula.targets, statement)?;
        // Rounding of the calculation itself is no digit.
        let largest = largest * (1.0 - 1e-9);
        (1..=31).rev().find(|digits| largest >= 10f64.powi(digits - 1)).map(|digits| u64::from(digits.unsigned_abs()))
    }

    /// Computes the largest value of an expression, with a stack of operators and one of values.
    fn largest_result(&self, expression: &CodeText, targets: &[String], statement: &Statement) -> Option<f64> {
        let words = expression.words();
        let mut spans = Vec::new();
        operands::find_in_expression(words, OperandRole::Read, &mut spans);
        let mut operands = spans.into_iter().map(|span| Operand::new(span, words)).peekable();
        let (mut values, mut operators): (Vec<f64>, Vec<char>) = (Vec::new(), Vec::new());
        words.position(|word| word.is_sign("*"))?;
        let (mut at, mut is_value_next) = (0, true);
        while let Some(word) = words.get(at) {
            while operands.next_if(|operand| operand.start() < at).is_some() {}
            if let Some(operand) = operands.next_if(|operand| operand.start() == at) {
                if !is_value_next {
                    // A number with its sign: `A -1`.
                    let sign = operand.text().chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
                    push_operator(sign, &mut values, &mut operators)?;
                }
                values.push(self.largest_value(operand, targets, statement)?);
                is_value_next = false;
                at = operand.end();
                continue;
            }
            match word.text {
                "(" => operators.push('('),
                ")" => {
                    while let Some(operator) = operators.pop().filter(|operator| *operator != '(') {
                        apply(operator, &mut values)?;
                    }
                }
                "+" if is_value_next => {}
                "+" | "*" => {
                    push_operator(word.text.chars().next()?, &mut values, &mut operators)?;
                    is_value_next = true;
                }
                _ => return None,
            }
            at += 1;
        }
        while let Some(operator) = operators.pop() {
            apply(operator, &mut values)?;
        }
        values.pop().filter(|_| values.is_empty())
    }

    fn largest_value(&self, operand: Operand<'_>, targets: &[String], statement: &Statement) -> Option<f64> {
        let name = operand.name();
        if operand.is_constant() {
            let word = operand.words().only()?;
            return constant(word);
        }
        let is_part = operand.words().iter().any(|word| word.is_sign(":"));
        let is_target = targets.iter().any(|target| target.eq_ignore_ascii_case(name));
        if operand.kind() != OperandKind::Name || is_part || is_target {
            return None;
        }
        let value = self.analysis.decisions().constant(name, statement.program);
        if let Some(word) = value.map(CodeText::read).as_ref().and_then(|value| value.words().first()) {
            return constant(word);
        }
        let item = self.items.find(name, statement.program).filter(|item| !self.limits.is_limited(*item))?;
        room_of(&self.parsed.data_items[item])?;
        let extent = Extent::of_item(&self.parsed.data_items[item])?;
        let digits = self.limits.digits(self, item, extent);
        let power = |digits: u64| i32::try_from(digits).ok().filter(|digits| *digits <= 31);
        Some(10f64.powi(power(digits)?) - 10f64.powi(-power(extent.decimals)?))
    }
}

fn constant(word: CodeWord<'_>) -> Option<f64> {
    match word.kind {
        WordKind::Number => word.text.replace(',', ".").parse::<f64>().ok().map(f64::abs),
        _ => None,
    }
}

fn push_operator(operator: char, values: &mut Vec<f64>, operators: &mut Vec<char>) -> Option<()> {
    let rank = |operator: char| match operator {
        '*' => 2,
        '+' => 1,
        _ => 0,
    };
    while let Some(before) = operators.pop_if(|before| rank(*before) >= rank(operator)) {
        apply(before, values)?;
    }
    operators.push(operator);
    Some(())
}

/// Applies an operator to the last two values. A sum counts as its larger part, so that a mere carry is no hazard.
fn apply(operator: char, values: &mut Vec<f64>) -> Option<()> {
    let (right, left) = (values.pop()?, values.pop()?);
    values.push(match operator {
        '+' => left.max(right),
        '*' => left * right,
        _ => return None,
    });
    Some(())
}
