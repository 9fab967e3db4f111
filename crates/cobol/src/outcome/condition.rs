//! What conditions ask of statuses.

use super::values::{Kind, of_words, outcome_of_value, plain};
use super::{Outcome, Statuses};
use crate::code::Code;
use crate::decisions::{Condition, Relation};

/// What one comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// How the operation ended.
    Ended(Outcome),
    /// That it did not end with a certain error: what it did is left open.
    Open,
    /// Something that cannot be told from the text.
    Unknown,
}

impl From<Option<Outcome>> for Says {
    fn from(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Says::Open, Says::Ended)
    }
}

/// What the parts of a condition say.
#[derive(Default)]
struct Parts {
    found: Vec<Says>,
    /// Whether it asks other things as well.
    others: bool,
    /// Whether any of several will do.
    any: bool,
}

/// What a condition says of an operation. One that asks other things as well says nothing, unless failure is one of several things
/// that must all hold.
pub(super) fn outcome(condition: &Condition, statuses: &Statuses) -> Option<Outcome> {
    let mut parts = Parts::default();
    parts.collect(condition, statuses);
    let Parts { found, others, any } = parts;
    if found.contains(&Says::Unknown) {
        return None;
    }
    let ended = found.iter().filter_map(|says| match says {
        Says::Ended(outcome) => Some(*outcome),
        Says::Open | Says::Unknown => None,
    });
    let ended: Vec<Outcome> = ended.collect();
    let all = |wanted: Outcome| ended.iter().all(|outcome| *outcome == wanted);
    match (others, any) {
        _ if ended.is_empty() => None,
        (true, false) => all(Outcome::Failure).then_some(Outcome::Failure),
        (true, true) => None,
        // What is as good as success for the program: `= '00' OR '23'`.
        (false, true) if ended.contains(&Outcome::Success) => Some(Outcome::Success),
        (false, _) if ended.contains(&Outcome::Failure) => Some(Outcome::Failure),
        (false, _) if all(Outcome::EndOfData) => Some(Outcome::EndOfData),
        (false, _) => Some(Outcome::Success),
    }
}

impl Parts {
    fn collect(&mut self, condition: &Condition, statuses: &Statuses) {
        let status = |code: &Code| statuses.of_operand(code);
        let says = match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                self.any |= matches!(condition, Condition::Any(_));
                parts.iter().for_each(|part| self.collect(part, statuses));
                return;
            }
            Condition::Compares { left, relation, right } => match (status(left), status(right)) {
                (Some(kind), _) => Some(compare(kind, *relation, of_words(right.words()))),
                (None, Some(kind)) => Some(compare(kind, turned(*relation), of_words(left.words()))),
                (None, None) => None,
            },
            Condition::Is { item, quality, negated } => {
                status(item).map(|_| match ["POSITIVE", "NEGATIVE"].contains(&quality.as_str()) {
                    true => (!negated).then_some(Outcome::Failure).into(),
                    false => Says::Unknown,
                })
            }
            Condition::Lies { item, .. } => status(item).map(|_| Says::Unknown),
            Condition::Named { name, negated } => statuses
                .of_condition_name(name)
                .map(|(kind, values)| of_condition_name(kind, values, *negated)),
            Condition::Other { words, .. } => {
                let is_status = |name: &str| statuses.test(&name.to_uppercase()).is_some();
                words.words().iter().any(|word| is_status(word.text)).then_some(Says::Unknown)
            }
        };
        match says {
            Some(says) => self.found.push(says),
            None => self.others = true,
        }
    }
}

/// The relation of two operands that have changed sides.
fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::Greater => Relation::Less,
        Relation::AtLeast => Relation::AtMost,
        Relation::AtMost => Relation::AtLeast,
        same => same,
    }
}

fn compare(kind: &Kind, relation: Relation, value: Option<String>) -> Says {
    let Some(value) = value else { return Says::Unknown };
    let is_zero = plain(&value) == "0";
    let of_value = || outcome_of_value(kind, &value);
    let outcome = match relation {
        Relation::Equal => return of_value().map_or(Says::Unknown, Says::Ended),
        Relation::NotEqual => return of_value().map_or(Says::Unknown, |outcome| outcome.negated().into()),
        // Errors of SQL are negative and its warnings positive; other codes grow with what went wrong.
        Relation::AtMost if is_zero && matches!(kind, Kind::Sql) => return Says::Unknown,
        Relation::Less if is_zero => Outcome::Failure,
        Relation::Less | Relation::AtMost => Outcome::Success,
        Relation::AtLeast if is_zero => Outcome::Success,
        Relation::Greater | Relation::AtLeast => Outcome::Failure,
    };
    Says::Ended(outcome)
}

/// A condition name asks for any of its values.
fn of_condition_name(kind: &Kind, values: &[String], negated: bool) -> Says {
    let values = values.iter().filter(|value| !["THRU", "THROUGH"].contains(&value.to_uppercase().as_str()));
    let outcomes: Option<Vec<Outcome>> = values.map(|value| outcome_of_value(kind, value)).collect();
    let Some(outcomes) = outcomes.filter(|outcomes| !outcomes.is_empty()) else { return Says::Unknown };
    let outcome = match () {
        () if outcomes.contains(&Outcome::Success) => Outcome::Success,
        () if outcomes.contains(&Outcome::Failure) => Outcome::Failure,
        () => Outcome::EndOfData,
    };
    if negated { outcome.negated().into() } else { Says::Ended(outcome) }
}
