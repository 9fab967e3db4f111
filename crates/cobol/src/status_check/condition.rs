//! What conditions ask of statuses.

use super::values::{StatusKind, normalize_constant, status_of_value, value_of_words};
use super::{OperationStatus, StatusItems};
use crate::code::CodeText;
use crate::decisions::{Condition, RelationalOperator};

/// What one comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestResult {
    /// How the operation ended.
    Status(OperationStatus),
    /// That it did not end with a certain error: what it did is left open.
    NotThatError,
    /// Something that cannot be told from the text.
    Unknown,
}

impl From<Option<OperationStatus>> for TestResult {
    fn from(outcome: Option<OperationStatus>) -> Self {
        outcome.map_or(TestResult::NotThatError, TestResult::Status)
    }
}

/// What the parts of a condition say.
#[derive(Default)]
struct ConditionParts {
    found: Vec<TestResult>,
    /// Whether it asks other things as well.
    others: bool,
    /// Whether any of several will do.
    any: bool,
}

/// What a condition says of an operation. One that asks other things as well says nothing, unless failure is one of several things
/// that must all hold.
pub(super) fn condition_status(condition: &Condition, statuses: &StatusItems) -> Option<OperationStatus> {
    let mut parts = ConditionParts::default();
    parts.collect(condition, statuses);
    let ConditionParts { found, others, any } = parts;
    if found.contains(&TestResult::Unknown) {
        return None;
    }
    let ended = found.iter().filter_map(|says| match says {
        TestResult::Status(outcome) => Some(*outcome),
        TestResult::NotThatError | TestResult::Unknown => None,
    });
    let ended: Vec<OperationStatus> = ended.collect();
    let all = |wanted: OperationStatus| ended.iter().all(|outcome| *outcome == wanted);
    match (others, any) {
        _ if ended.is_empty() => None,
        (true, false) => all(OperationStatus::Failure).then_some(OperationStatus::Failure),
        (true, true) => None,
        // What is as good as success for the program: `= '00' OR '23'`.
        (false, true) if ended.contains(&OperationStatus::Success) => Some(OperationStatus::Success),
        (false, _) if ended.contains(&OperationStatus::Failure) => Some(OperationStatus::Failure),
        (false, _) if all(OperationStatus::EndOfData) => Some(OperationStatus::EndOfData),
        (false, _) => Some(OperationStatus::Success),
    }
}

impl ConditionParts {
    fn collect(&mut self, condition: &Condition, statuses: &StatusItems) {
        let status = |code: &CodeText| statuses.of_operand(code);
        let says = match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                self.any |= matches!(condition, Condition::Any(_));
                parts.iter().for_each(|part| self.collect(part, statuses));
                return;
            }
            Condition::Comparison { left, relation, right } => match (status(left), status(right)) {
                (Some(kind), _) => Some(compare(kind, *relation, value_of_words(right.words()))),
                (None, Some(kind)) => Some(compare(kind, turned(*relation), value_of_words(left.words()))),
                (None, None) => None,
            },
            Condition::ClassTest { item, quality, negated } => {
                status(item).map(|_| match ["POSITIVE", "NEGATIVE"].contains(&quality.as_str()) {
                    true => (!negated).then_some(OperationStatus::Failure).into(),
                    false => TestResult::Unknown,
                })
            }
            Condition::Range { item, .. } => status(item).map(|_| TestResult::Unknown),
            Condition::ConditionName { name, negated } => statuses
                .of_condition_name(name)
                .map(|(kind, values)| of_condition_name(kind, values, *negated)),
            Condition::Unparsed { words, .. } => {
                let is_status = |name: &str| statuses.test(&name.to_uppercase()).is_some();
                words.words().iter().any(|word| is_status(word.text)).then_some(TestResult::Unknown)
            }
        };
        match says {
            Some(says) => self.found.push(says),
            None => self.others = true,
        }
    }
}

/// The relation of two operands that have changed sides.
fn turned(relation: RelationalOperator) -> RelationalOperator {
    match relation {
        RelationalOperator::Less => RelationalOperator::Greater,
        RelationalOperator::Greater => RelationalOperator::Less,
        RelationalOperator::AtLeast => RelationalOperator::AtMost,
        RelationalOperator::AtMost => RelationalOperator::AtLeast,
        same => same,
    }
}

fn compare(kind: &StatusKind, relation: RelationalOperator, value: Option<String>) -> TestResult {
    let Some(value) = value else { return TestResult::Unknown };
    let is_zero = normalize_constant(&value) == "0";
    let of_value = || status_of_value(kind, &value);
    let outcome = match relation {
        RelationalOperator::Equal => return of_value().map_or(TestResult::Unknown, TestResult::Status),
        RelationalOperator::NotEqual => {
            return of_value().map_or(TestResult::Unknown, |outcome| outcome.negated().into());
        }
        // Errors of SQL are negative and its warnings positive; other codes grow with what went wrong.
        RelationalOperator::AtMost if is_zero && matches!(kind, StatusKind::Sql) => {
            return TestResult::Unknown;
        }
        RelationalOperator::Less if is_zero => OperationStatus::Failure,
        RelationalOperator::Less | RelationalOperator::AtMost => OperationStatus::Success,
        RelationalOperator::AtLeast if is_zero => OperationStatus::Success,
        RelationalOperator::Greater | RelationalOperator::AtLeast => OperationStatus::Failure,
    };
    TestResult::Status(outcome)
}

/// A condition name asks for any of its values.
fn of_condition_name(kind: &StatusKind, values: &[String], negated: bool) -> TestResult {
    let values = values.iter().filter(|value| !["THRU", "THROUGH"].contains(&value.to_uppercase().as_str()));
    let outcomes: Option<Vec<OperationStatus>> = values.map(|value| status_of_value(kind, value)).collect();
    let Some(outcomes) = outcomes.filter(|outcomes| !outcomes.is_empty()) else { return TestResult::Unknown };
    let outcome = match () {
        () if outcomes.contains(&OperationStatus::Success) => OperationStatus::Success,
        () if outcomes.contains(&OperationStatus::Failure) => OperationStatus::Failure,
        () => OperationStatus::EndOfData,
    };
    if negated { outcome.negated().into() } else { TestResult::Status(outcome) }
}
