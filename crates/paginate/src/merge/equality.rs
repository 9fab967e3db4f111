//! Equality of values.

use serde_json::{Number, Value};
use std::fmt::Write;

/// Returns a text that is the same for equal values only: the order of fields does not count, a null field is absent, and `1.0` is `1`.
pub(super) fn fingerprint(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Whether two values are equal.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one == other,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Number(one), Value::Number(other)) => one == other || number(one) == number(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(_), Value::Object(_)) => fingerprint(one) == fingerprint(other),
        (one, other) => one.is_null() && other.is_null(),
    }
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push('n'),
        Value::Bool(value) => text.push(if *value { 't' } else { 'f' }),
        Value::Number(value) => {
            text.push_str(&number(value));
            text.push(';');
        }
        Value::String(value) => write_text(value, text),
        Value::Array(items) => {
            text.push('[');
            items.iter().for_each(|item| write(item, text));
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (name, value) in fields {
                write_text(name, text);
                write(value, text);
            }
            text.push('}');
        }
    }
}

/// Writes a text with its length before it, so that its content cannot imitate our markers.
fn write_text(value: &str, text: &mut String) {
    _ = write!(text, "\"{}:{value}", value.len());
}

/// Formats a number; equal numbers have the same text.
fn number(value: &Number) -> String {
    /// Below this, a float without a fraction is an exact integer.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        Some(float) if value.is_f64() && float.fract() == 0.0 && float.abs() < WHOLE => {
            // A float zero has a sign, but the number has none.
            format!("{}", float as i64)
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_the_same() {
        let check = |one: Value, other: Value, expected: bool| {
            assert_eq!(is_same(&one, &other), expected, "{one} {other}");
            assert_eq!(fingerprint(&one) == fingerprint(&other), expected, "{one} {other}");
        };
        check(json!(1), json!(1.0), true);
        check(json!(0), json!(-0.0), true);
        check(json!(1), json!("1"), false);
        check(json!(true), json!(1), false);
        check(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), false);
        check(json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1, "c": null}), true);
        check(json!({"a": 1}), json!({"a": 2}), false);
        check(json!(["a", "b"]), json!(["b", "a"]), false);
        check(json!(["a", "b"]), json!(["a:b"]), false);
        check(json!([[], 1]), json!([[1]]), false);
        check(json!([1, 2]), json!([12]), false);
        check(json!(null), json!({}), false);
    }
}
