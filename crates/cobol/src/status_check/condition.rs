//! Interprets conditions on statuses.

use super::derived::{DerivedTest, is_through};
use super::values::{StatusKind, normalize_constant, status_of_value};
use super::{OperationStatus, StatusItems};
use crate::code::CodeText;
use crate::decisions::{Condition, RelationalOperator};

/// The meaning of one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestResult {
    /// The result of the operation.
    Status(OperationStatus),
    /// The operation did not end with a certain error: its result is open.
    NotThatError,
    /// The text does not show a meaning.
    Unknown,
}

impl From<Option<OperationStatus>> for TestResult {
    fn from(outcome: Option<OperationStatus>) -> Self {
        outcome.map_or(TestResult::NotThatError, TestResult::Status)
    }
}

impl From<DerivedTest<'_>> for TestResult {
    fn from(test: DerivedTest<'_>) -> Self {
        match test.status() {
            Some(status) => TestResult::Status(status),
            None if test.names_values || test.values.is_empty() => TestResult::Unknown,
            None => TestResult::NotThatError,
        }
    }
}

/// The meanings of the parts of a condition.
#[derive(Default)]
struct ConditionParts {
    found: Vec<TestResult>,
    /// Whether it also tests other things.
    others: bool,
    /// Whether one true part is enough.
    any: bool,
}

/// Returns what a condition says about an operation. A condition that also tests other things says nothing, unless failure is one
/// of several parts that must all be true.
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
        // Errors that the program accepts like success: `= '00' OR '23'`.
        (false, true) if ended.contains(&OperationStatus::Success) => Some(OperationStatus::Success),
        (false, _) if ended.contains(&OperationStatus::Failure) => Some(OperationStatus::Failure),
        (false, _) if all(OperationStatus::EndOfData) => Some(OperationStatus::EndOfData),
        (false, _) => Some(OperationStatus::Success),
    }
}

impl ConditionParts {
    fn collect(&mut self, condition: &Condition, statuses: &StatusItems) {
        let status = |code: &CodeText| statuses.of_operand(code);
        let derived = || statuses.derived_test(condition).map(TestResult::from);
        let says = match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                self.any |= matches!(condition, Condition::Any(_));
                parts.iter().for_each(|part| self.collect(part, statuses));
                return;
            }
            Condition::Comparison { left, relation, right } => match (status(left), status(right)) {
                (Some(StatusKind::Derived(_)), _) => derived().or(Some(TestResult::Unknown)),
                (Some(kind), _) => Some(compare(kind, *relation, statuses.value(right))),
                (None, Some(kind)) => Some(compare(kind, turned(*relation), statuses.value(left))),
                (None, None) => None,
            },
            Condition::ClassTest { item, quality, negated } => {
                status(item).map(|_| match ["POSITIVE", "NEGATIVE"].contains(&quality.as_str()) {
                    true => (!negated).then_some(OperationStatus::Failure).into(),
                    false => TestResult::Unknown,
                })
            }
            Condition::Range { item, .. } => status(item).map(|_| TestResult::Unknown),
            Condition::ConditionName { name, negated } => {
                statuses.of_condition_name(name).map(|(kind, values)| match kind {
                    StatusKind::Derived(_) => derived().unwrap_or(TestResult::Unknown),
                    _ => of_condition_name(kind, values, *negated),
                })
            }
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

/// Returns the relation of two swapped operands.
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
    // A warning comes with success as well; beside a test of SQLCODE it adds nothing.
    if *kind == StatusKind::SqlWarning && !normalize_constant(&value).is_empty() {
        return TestResult::NotThatError;
    }
    let is_zero = normalize_constant(&value) == "0";
    let of_value = || status_of_value(kind, &value);
    let outcome = match relation {
        RelationalOperator::Equal => return of_value().map_or(TestResult::Unknown, TestResult::Status),
        RelationalOperator::NotEqual => {
            return of_value().map_or(TestResult::Unknown, |outcome| outcome.negated().into());
        }
        // SQL errors are negative and warnings positive; other codes increase with severity.
        RelationalOperator::AtMost if is_zero && matches!(kind, StatusKind::Sql) => {
            return TestResult::Unknown;
        }
        // Below an error there are others, above it success as well.
        RelationalOperator::Less | RelationalOperator::AtMost if value.starts_with('-') => OperationStatus::Failure,
        RelationalOperator::Greater | RelationalOperator::AtLeast if value.starts_with('-') => {
            return TestResult::Unknown;
        }
        RelationalOperator::Less if is_zero => OperationStatus::Failure,
        RelationalOperator::Less | RelationalOperator::AtMost => OperationStatus::Success,
        RelationalOperator::AtLeast if is_zero => OperationStatus::Success,
        RelationalOperator::Greater | RelationalOperator::AtLeast => OperationStatus::Failure,
    };
    TestResult::Status(outcome)
}

/// A condition name is true for any of its values.
fn of_condition_name(kind: &StatusKind, values: &[String], negated: bool) -> TestResult {
    let values = values.iter().filter(|value| !is_through(value));
    let outcomes: Option<Vec<OperationStatus>> = values.map(|value| status_of_value(kind, value)).collect();
    let Some(outcomes) = outcomes.filter(|outcomes| !outcomes.is_empty()) else { return TestResult::Unknown };
    let outcome = match () {
        () if outcomes.contains(&OperationStatus::Success) => OperationStatus::Success,
        () if outcomes.contains(&OperationStatus::Failure) => OperationStatus::Failure,
        () => OperationStatus::EndOfData,
    };
    if negated { outcome.negated().into() } else { TestResult::Status(outcome) }
}
