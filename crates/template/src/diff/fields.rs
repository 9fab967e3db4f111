//! What an item says, field by field: brought into a form in which only its meaning counts, compared, and put in words.

use super::change::ChangeValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Fields that have no meaning of their own: where something stands, how sure a model was, who wrote it, and what chunk it came from.
const NOISE: [&str; 10] = [
    "chunk_id",
    "chunks",
    "citations",
    "confidence",
    "declared_at",
    "end_line",
    "line",
    "lines",
    "origin",
    "start_line",
];

/// Lists whose order says something: what is handed over, concatenated, shown from top to bottom, or found first.
const ORDERED: [&str; 9] = [
    "columns",
    "data",
    "first_lines",
    "libraries",
    "parameters",
    "procedures",
    "programs",
    "screen",
    "segments",
];

/// Fields whose value needs no word before it.
const PLAIN: [&str; 8] = ["file_name", "kind", "meaning", "name", "program_name", "type", "value", "written"];

/// One difference: which field, what it said, what it says.
pub type FieldDifference = (String, Option<ChangeValue>, Option<ChangeValue>);

/// What an item says: its fields without those that say nothing, or have no meaning.
pub fn significant_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let mut facets = Map::new();
    for (name, value) in fields {
        // Users are named in part and counted for the rest.
        if let Value::Object(users) = &value
            && let Some(named) = users.get("named")
        {
            let more = users.get("more").filter(|more| more.as_u64() != Some(0)).cloned();
            facets.extend(meant(named.clone()).map(|named| (name.clone(), named)));
            facets.extend(more.map(|more| (format!("more_{name}"), more)));
            continue;
        }
        // The program that an item belongs to is a part of what it is, and not of what it says.
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

/// The value without what has no meaning; none where nothing is left.
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
            let fields: Map<String, Value> =
                fields.filter_map(|(name, value)| Some((name, meant(value)?))).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        value => Some(value),
    }
}

/// The facets in a form in which two that mean the same are the same text.
pub fn normalized_text(facets: &Map<String, Value>) -> String {
    let mut parts: Vec<String> =
        facets.iter().map(|(name, value)| format!("{name}={}", normal(name, value))).collect();
    parts.sort_unstable();
    parts.join("\n")
}

/// The value without numbers of lines, its lists in one order where their order says nothing.
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

/// What differs between the facets of two items that are the same thing.
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
        // Where the same parts come in another order, that order is what is told.
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

/// The parts of a list that another does not have, as often as it has them more.
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

/// A value in words.
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

/// The text with numbers of lines taken out, `line 12` and `lines 3-5, 7 and 9` alike: where something stands is no meaning.
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

/// How far numbers go from the begin of the text: `3-5, 7 and 9`.
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
        check(
            r#"{"parameters": ["A", "B"]}"#,
            r#"{"parameters": ["B", "A"]}"#,
            Some((&["A", "B"], &["B", "A"])),
        );
        check(r#"{"calls": []}"#, "{}", None);
        check(
            r#"{"used_by": {"named": [{"kind": "program", "name": "A", "line": 4}], "more": 0}}"#,
            r#"{"used_by": {"named": [{"kind": "program", "name": "A", "line": 5}], "more": 0}}"#,
            None,
        );
    }
}
