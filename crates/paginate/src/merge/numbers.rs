//! Merging numbers.

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Returns the sum of numbers. Integers are added exactly; floats are added to that in order, with compensated rounding errors. If the sum of
/// integers exceeds 64 bits, it is the nearest float. Returns none if the result cannot be represented.
pub(super) fn sum<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let (mut whole, mut floats) = (0_i128, Vec::new());
    for value in values {
        match integer(value) {
            // Memory cannot contain enough 64-bit integers to overflow this.
            Some(value) => whole = whole.checked_add(value)?,
            None => floats.push(value.as_f64()?),
        }
    }
    if floats.is_empty() {
        return Number::from_i128(whole).or_else(|| Number::from_f64(whole as f64)).map(Value::Number);
    }
    let (mut sum, mut lost) = (whole as f64, 0.0);
    for float in floats {
        let next = sum + float;
        lost += if sum.abs() >= float.abs() { (sum - next) + float } else { (float - next) + sum };
        sum = next;
    }
    Number::from_f64(sum + lost).map(Value::Number)
}

/// Returns the weighted mean; unweighted if all weights are 0. Equal numbers are their own mean. Returns none if the result cannot be represented.
pub(super) fn mean(values: &[(&Value, f64)]) -> Option<Value> {
    let (first, _) = values.first()?;
    if values.iter().all(|(value, _)| super::equality::is_same(value, first)) {
        return Some((*first).clone());
    }
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let is_weighed = total > 0.0 && total.is_finite();
    let total = if is_weighed { total } else { values.len() as f64 };
    let weighed =
        || values.iter().map(|(value, weight)| Some((value.as_f64()?, if is_weighed { *weight } else { 1.0 })));
    let sum: Option<f64> = weighed().map(|pair| pair.map(|(value, weight)| value * weight)).sum();
    let mean = sum? / total;
    if mean.is_finite() {
        return Number::from_f64(mean).map(Value::Number);
    }
    // The sum may overflow although the mean does not: each number is divided first.
    let shares: Option<f64> = weighed().map(|pair| pair.map(|(value, weight)| value * (weight / total))).sum();
    Number::from_f64(shares?).map(Value::Number)
}

/// Compares two numbers or two strings.
pub(super) fn order(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.cmp(other),
        _ => match (integer(one), integer(other)) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
        },
    }
}

fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sums() {
        let check = |values: Value, expected: Value| {
            let values = values.as_array().cloned().unwrap_or_default();
            assert_eq!(sum(values.iter()), Some(expected), "{values:?}");
        };
        check(json!([]), json!(0));
        check(json!([1, 2, -4]), json!(-1));
        check(json!([u64::MAX, 1, -1]), json!(u64::MAX));
        check(json!([9_007_199_254_740_993_i64, 1]), json!(9_007_199_254_740_994_i64));
        check(json!([u64::MAX, u64::MAX]), json!(36_893_488_147_419_103_230.0));
        check(json!([i64::MIN, i64::MIN, u64::MAX]), json!(-1));
        check(json!([0.1, 0.2, 0.3]), json!(0.6));
        check(json!([1e100, 1, -1e100]), json!(1.0));
        assert_eq!(sum([json!(f64::MAX), json!(f64::MAX)].iter()), None);
    }

    #[test]
    fn means() {
        let check = |values: &[(Value, f64)], expected: Value| {
            let values: Vec<(&Value, f64)> = values.iter().map(|(value, weight)| (value, *weight)).collect();
            assert_eq!(mean(&values), Some(expected), "{values:?}");
        };
        check(&[(json!(1), 1.0), (json!(4), 2.0)], json!(3.0));
        check(&[(json!(0.1), 3.0), (json!(0.1), 7.0)], json!(0.1));
        check(&[(json!(1), 0.0), (json!(2), 0.0)], json!(1.5));
        check(&[(json!(1), 0.0), (json!(2), 1.0)], json!(2.0));
        check(&[(json!(f64::MAX), 2.0), (json!(f64::MAX / 2.0), 2.0)], json!(f64::MAX / 4.0 * 3.0));
    }

    #[test]
    fn which_comes_first() {
        assert_eq!(order(&json!(u64::MAX), &json!(u64::MAX - 1)), Ordering::Greater);
        assert_eq!(order(&json!(2), &json!(10.5)), Ordering::Less);
        assert_eq!(order(&json!("10"), &json!("2")), Ordering::Less);
    }
}
