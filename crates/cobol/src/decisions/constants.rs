//! The constants that statements assign.

use super::Decisions;
use super::assignments::{ArithmeticCopy, move_operands};
use crate::code::CodeText;
use crate::model::{ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind, OperandPhrase};
use crate::verb::Verb;

/// An item that a statement sets to a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignedConstant<'p> {
    /// The item, in upper case.
    pub item: String,
    /// The outermost record that qualifies it, in upper case; none without a qualifier.
    pub record: Option<String>,
    /// The constant as written.
    pub value: String,
    /// The condition name, if SET makes it true.
    pub condition_name: Option<&'p str>,
}

/// Returns the outermost record that qualifies an operand, in upper case.
pub(crate) fn record_of(operand: Operand<'_>) -> Option<String> {
    operand.qualifiers().last().map(str::to_uppercase)
}

impl<'p> Decisions<'p> {
    /// Returns the whole items that a MOVE, arithmetic that only copies, or a SET to TRUE sets to constants, and the return code that STOP RUN or GOBACK
    /// gives. An item that never changes its VALUE counts as its constant.
    pub fn assigned_constants(&self, statement: &Statement) -> Vec<AssignedConstant<'p>> {
        let program = statement.program;
        let gives = |value: &str, to: Vec<Operand<'p>>| {
            let targets = to.into_iter().filter(|to| is_whole_item(*to));
            let set = targets.map(|to| AssignedConstant {
                item: to.name().to_uppercase(),
                record: record_of(to),
                value: value.to_owned(),
                condition_name: None,
            });
            set.collect()
        };
        match statement.verb {
            Verb::Move => {
                let Some(moved) = move_operands(self.parsed, statement) else { return Vec::new() };
                let constant = match moved.from.is_constant() {
                    true => Some(moved.from.text()),
                    false if is_whole_item(moved.from) => self.constant(moved.from.name(), program),
                    false => None,
                };
                constant.map(|value| gives(value, moved.to)).unwrap_or_default()
            }
            Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide => {
                let copy = ArithmeticCopy::of(self.parsed, statement);
                copy.and_then(|copy| Some(gives(copy.constant()?, copy.to))).unwrap_or_default()
            }
            Verb::Set => {
                let Some(is_true) = truth_set(self.parsed, statement) else { return Vec::new() };
                let set = self.parsed.operands(statement).filter(|operand| operand.role().is_set());
                let set = set.filter_map(|operand| {
                    let name = self.named_item(operand.words(), program).filter(|item| item.level == 88)?;
                    let value = if is_true { name.value.as_deref() } else { name.false_value.as_deref() };
                    let value = CodeText::read(value?).words().first()?.text.to_owned();
                    let item = self.condition_item(name)?.name.clone();
                    let record = record_of(operand).filter(|record| *record != item);
                    Some(AssignedConstant { item, record, value, condition_name: is_true.then_some(&name.name) })
                });
                set.collect()
            }
            Verb::Stop | Verb::Goback => {
                let words = self.parsed.words_after_verb(statement);
                let giving = words.position(|word| word.is_any(&["GIVING", "RETURNING"]));
                let code = giving.and_then(|at| words.get(at + 1)).filter(|code| code.is_constant());
                let item = || "RETURN-CODE".to_owned();
                let given =
                    |value: String| AssignedConstant { item: item(), record: None, value, condition_name: None };
                code.map(|code| given(code.text.to_owned())).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns whether a SET gives condition names the value TRUE or FALSE; none if it gives something else.
pub fn truth_set(parsed: &ParsedCobol, statement: &Statement) -> Option<bool> {
    let mut given = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::To);
    let first = given.next().filter(|_| statement.verb == Verb::Set)?;
    let truth = [("TRUE", true), ("FALSE", false)];
    let (word, is_true) = truth.into_iter().find(|(word, _)| first.text().eq_ignore_ascii_case(word))?;
    given.all(|value| value.text().eq_ignore_ascii_case(word)).then_some(is_true)
}

/// Returns whether an operand is an item, not a part of one.
pub(crate) fn is_whole_item(operand: Operand<'_>) -> bool {
    operand.kind() == OperandKind::Name && !operand.words().iter().any(|word| word.is_sign(":"))
}
