//! The meaning of a filter: whether it is true for a row. The catalogue evaluates filters in SQL, and its tests compare the results with this.

use crate::{CatalogueRow, FieldComparison, FieldCondition, Filter, FilterLiteral, Value};
use std::cmp::Ordering;

impl Filter {
    /// Whether the filter selects a row of the kind that it was parsed for.
    pub(crate) fn matches(&self, row: &CatalogueRow) -> bool {
        match self {
            Filter::And(parts) => parts.iter().all(|part| part.matches(row)),
            Filter::Or(parts) => parts.iter().any(|part| part.matches(row)),
            Filter::Not(negated) => !negated.matches(row),
            Filter::Is(FieldCondition { field, comparison }) => comparison.holds(&row.values()[*field]),
        }
    }
}

impl FieldComparison {
    fn holds(&self, value: &Value) -> bool {
        let order = |literal| order(value, literal);
        match self {
            FieldComparison::Equal(literal) => equals(value, literal),
            FieldComparison::Less(literal) => order(literal).is_some_and(Ordering::is_lt),
            FieldComparison::LessOrEqual(literal) => order(literal).is_some_and(Ordering::is_le),
            FieldComparison::Greater(literal) => order(literal).is_some_and(Ordering::is_gt),
            FieldComparison::GreaterOrEqual(literal) => order(literal).is_some_and(Ordering::is_ge),
            FieldComparison::Contains(wanted) => match value {
                Value::Text(text) => text.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase()),
                Value::List(texts) => texts.iter().any(|text| text.eq_ignore_ascii_case(wanted)),
                _ => false,
            },
            FieldComparison::In(literals) => literals.iter().any(|literal| equals(value, literal)),
        }
    }
}

fn equals(value: &Value, literal: &FilterLiteral) -> bool {
    match (value, literal) {
        (Value::Absent, FilterLiteral::Null) => true,
        (Value::List(texts), FilterLiteral::Null) => texts.is_empty(),
        (Value::Boolean(value), FilterLiteral::Boolean(literal)) => value == literal,
        _ => order(value, literal).is_some_and(Ordering::is_eq),
    }
}

/// Compares a value with a literal; `None` if the value is absent or of another type.
fn order(value: &Value, literal: &FilterLiteral) -> Option<Ordering> {
    match (value, literal) {
        (Value::Text(value), FilterLiteral::Text(literal)) => {
            let folded = |text: &'_ str| text.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<u8>>();
            Some(folded(value).cmp(&folded(literal)))
        }
        (Value::Number(value), FilterLiteral::Number(literal)) => Some(value.cmp(literal)),
        (Value::Number(value), FilterLiteral::Decimal(literal)) => order_mixed(*value, *literal),
        (Value::Decimal(value), FilterLiteral::Number(literal)) => order_mixed(*literal, *value).map(Ordering::reverse),
        (Value::Decimal(value), FilterLiteral::Decimal(literal)) => value.partial_cmp(literal),
        _ => None,
    }
}

/// Exact even if the whole number has more digits than a float can represent.
fn order_mixed(whole: i64, decimal: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if decimal.is_nan() {
        None
    } else if decimal >= BEYOND {
        Some(Ordering::Less)
    } else if decimal < -BEYOND {
        Some(Ordering::Greater)
    } else {
        // Toward zero, and within the range that was just checked.
        let cut = decimal.trunc() as i64;
        Some(whole.cmp(&cut).then(0.0f64.partial_cmp(&decimal.fract())?))
    }
}
