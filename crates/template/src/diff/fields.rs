//! Compares the contents of items field by field: normalizes them to their meaning, compares them, and words the differences.

use super::change::ChangeValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Fields without a meaning of their own: the place of an item, a model's confidence, the writer, the chunk, and what the words of a step or a rule say
/// too.
const NOISE: [&str; 20] = [
    "asks", "brings", "chunk_id", "chunks", "citations", "confidence", "declared_at", "end_line", "ends",
    "is_reported", "items_read", "items_set", "key_action", "line", "lines", "origin", "outcome_line", "program_end",
    "repeated", "start_line",
];

/// Lists whose order has a meaning: arguments, concatenations, top to bottom on a screen, or search order.
const ORDERED: [&str; 9] =
    ["columns", "data", "first_lines", "libraries", "parameters", "procedures", "programs", "screen", "segments"];

/// Fields whose value needs no label.
const PLAIN: [&str; 8] = ["file_name", "kind", "meaning", "name", "program_name", "type", "value", "written"];

/// One difference: the field, its old value, its new value.
pub type FieldDifference = (String, Option<ChangeValue>, Option<ChangeValue>);

/// Returns the content of an item: its fields without those that are empty or have no meaning.
pub fn significant_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let mut facets = Map::new();
    for (name, value) in fields {
        // Some users are named, the rest are counted.
        if let Value::Object(users) = &value
            && let Some(named) = users.get("named")
        {
            let more = users.get("more").filter(|more| more.as_u64() != Some(0)).cloned();
            facets.extend(meant(named.clone()).map(|named| (name.clone(), named)));
            facets.extend(more.map(|more| (format!("more_{name}"), more)));
            continue;
        }
        // The program that an item belongs to is part of its identity, not of its content.
        if NOISE.contains(&name.as_str()) || (name == "program" && !value.is_object()) {
            continue;
        }
        let value = match value {
            Value::Object(sources) if name == "defined_in" => Value::Array(
                sources
                    .into_iter()
                    .map(|(name, source)| Value::String(format!("{name} in {}", format_value(&source))))
                    .collect(),
            ),
            value => value,
        };
        facets.extend(meant(value).map(|value| (name, value)));
    }
    facets
}

/// Returns the value without parts that have no meaning; `None` if nothing remains.
fn meant(value: Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(parts) if parts.is_empty() => None,
        Value::Array(parts) => {
            Some(Value::Array(parts.into_iter().map(|part| meant(part).unwrap_or_default()).collect()))
        }
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(name, _)| !NOISE.contains(&name.as_str()));
            let fields: Map<String, Value> = fields.filter_map(|(name, value)| Some((name, meant(value)?))).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        value => Some(value),
    }
}

/// Returns the fields in a normal form: the same text for the same meaning.
pub fn normalized_text(facets: &Map<String, Value>) -> String {
    let mut parts: Vec<String> = facets.iter().map(|(name, value)| format!("{name}={}", normal(name, value))).collect();
    parts.sort_unstable();
    parts.join("\n")
}

/// Returns the value without line numbers, and sorts lists whose order has no meaning.
fn normal(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(strip_line_numbers(text).into_owned()),
        Value::Array(parts) => {
            let mut parts: Vec<Value> = parts.iter().map(|part| normal("", part)).collect();
            if !ORDERED.contains(&name) {
                parts.sort_by(order);
            }
            Value::Array(parts)
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            let normal = |name: &String| (name.clone(), normal(name, &fields[name]));
            Value::Object(names.into_iter().map(normal).collect())
        }
        value => value.clone(),
    }
}

fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left.cmp(right),
        _ => left.to_string().cmp(&right.to_string()),
    }
}

/// Returns the differences between the fields of two matched items.
pub fn differences(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<FieldDifference> {
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    names.filter_map(|name| difference(name, old.get(name), new.get(name))).collect()
}

fn difference(name: &str, old: Option<&Value>, new: Option<&Value>) -> Option<FieldDifference> {
    let (was, is) = (old.map(|value| normal(name, value)), new.map(|value| normal(name, value)));
    if was == is {
        return None;
    }
    let is_list = |value: Option<&Value>| value.is_none_or(Value::is_array);
    let (before, after) = if is_list(old) && is_list(new) {
        let (before, after) = (parts(old), parts(new));
        let (gone, added) = (without(&before, &after), without(&after, &before));
        // If only the order of the parts differs, the change reports the order.
        if gone.is_empty() && added.is_empty() {
            (Some(ChangeValue::List(before)), Some(ChangeValue::List(after)))
        } else {
            (Some(ChangeValue::List(gone)), Some(ChangeValue::List(added)))
        }
    } else {
        (
            old.map(|value| ChangeValue::Text(format_value(value))),
            new.map(|value| ChangeValue::Text(format_value(value))),
        )
    };
    let told = |told: Option<ChangeValue>| told.filter(|told| !told.is_empty());
    Some((name.to_owned(), told(before), told(after)))
}

fn parts(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().map(format_value).collect()
}

/// Returns the parts that one list has more often than the other.
fn without(parts: &[String], others: &[String]) -> Vec<String> {
    let mut others: Vec<Cow<'_, str>> = others.iter().map(|other| strip_line_numbers(other)).collect();
    let is_alone = |part: &&String| {
        let part = strip_line_numbers(part);
        match others.iter().position(|other| *other == part) {
            Some(at) => {
                others.swap_remove(at);
                false
            }
            None => true,
        }
    };
    parts.iter().filter(is_alone).cloned().collect()
}

/// Returns a value in words.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(format_value).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let mut text = String::new();
            for (name, value) in fields {
                let is_plain = PLAIN.contains(&name.as_str());
                if !text.is_empty() {
                    text.push_str(if is_plain { " " } else { ", " });
                }
                if !is_plain {
                    text.push_str(&name.replace('_', " "));
                    text.push(' ');
                }
                text.push_str(&format_value(value));
            }
            text
        }
    }
}

/// Returns the text without line numbers, in the forms `line 12` and `lines 3-5, 7 and 9`: a place has no meaning.
pub fn strip_line_numbers(text: &str) -> Cow<'_, str> {
    if !text.contains("line") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("line") {
        let is_word = rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let word = at + "line".len();
        let word = if rest[word..].starts_with('s') { word + 1 } else { word };
        out.push_str(&rest[..word]);
        rest = &rest[word..];
        if !is_word {
            continue;
        }
        if let Some(numbers) = rest.strip_prefix(' ') {
            let end = numbers_end(numbers);
            if end > 0 {
                out.push_str(" #");
                rest = &numbers[end..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the length of the numbers at the start of the text: `3-5, 7 and 9`.
fn numbers_end(text: &str) -> usize {
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if end == 0 {
        return 0;
    }
    while let Some(joint) = ["-", ", ", " and "].iter().find(|joint| text[end..].starts_with(**joint)) {
        match digits(end + joint.len()) {
            0 => break,
            count => end += joint.len() + count,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_have_no_meaning_and_other_numbers_do() {
        for (text, expected) in [
            ("moved on line 352 to 7 items", "moved on line # to 7 items"),
            ("(lines 3-5, 7 and 9), and 4 more", "(lines #), and 4 more"),
            ("line 3, WS-A", "line #, WS-A"),
            ("deadline 12 of the outline", "deadline 12 of the outline"),
            ("a line", "a line"),
            ("lines", "lines"),
            ("line 1 line 2", "line # line #"),
        ] {
            assert_eq!(strip_line_numbers(text), expected);
        }
    }

    #[test]
    fn lists_are_compared_by_their_parts() {
        let facets = |json: &str| significant_fields(serde_json::from_str(json).expect("JSON"));
        let check = |old: &str, new: &str, expected: Option<(&[&str], &[&str])>| {
            let told = differences(&facets(old), &facets(new));
            let list = |parts: &[&str]| {
                let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
                Some(ChangeValue::List(parts)).filter(|told| !told.is_empty())
            };
            let expected = expected.map(|(before, after)| (list(before), list(after)));
            assert_eq!(told.into_iter().next().map(|(_, before, after)| (before, after)), expected, "{new}");
        };
        check(r#"{"calls": ["A", "B"]}"#, r#"{"calls": ["B", "A"]}"#, None);
        check(r#"{"calls": ["A", "B", "B"]}"#, r#"{"calls": ["B", "C"]}"#, Some((&["A", "B"], &["C"])));
        check(r#"{"parameters": ["A", "B"]}"#, r#"{"parameters": ["B", "A"]}"#, Some((&["A", "B"], &["B", "A"])));
        check(r#"{"calls": []}"#, "{}", None);
        check(
            r#"{"used_by": {"named": [{"kind": "program", "name": "A", "line": 4}], "more": 0}}"#,
            r#"{"used_by": {"named": [{"kind": "program", "name": "A", "line": 5}], "more": 0}}"#,
            None,
        );
    }
}
