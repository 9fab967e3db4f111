//! Prints the answer, and nothing else, to standard output.

use super::formatting::{excerpt, format_location};
use crate::args::ExtractFormat;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, counted, sanitize_line};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use war_rig_paginate::ExtractionOutcome;
use war_rig_paginate::ValueOrigin;

/// The maximum width of a column that one long cell widens.
const WIDEST: usize = 60;

/// The maximum number of locations printed for an item.
const PLACES: usize = 3;

/// Prints the outcome of a run.
///
/// # Errors
/// As [`Printer::data`].
pub fn print(outcome: &ExtractionOutcome, format: ExtractFormat, printer: &Printer) -> Result<(), CommandError> {
    match format {
        ExtractFormat::Json => printer.json(outcome),
        ExtractFormat::Ndjson => printer.json_lines(lines(outcome)?),
        ExtractFormat::Text => printer.data(&text(outcome)),
    }
}

/// The origins of an answer's values, by JSON pointer.
struct OriginIndex<'a>(HashMap<&'a str, &'a [ValueOrigin]>);

impl<'a> OriginIndex<'a> {
    fn of(outcome: &'a ExtractionOutcome) -> Self {
        Self(outcome.provenance.iter().map(|row| (row.path.as_str(), row.origins.as_slice())).collect())
    }

    fn origins(&self, path: &str) -> &'a [ValueOrigin] {
        self.0.get(path).copied().unwrap_or_default()
    }
}

/// Returns a line for each item of each top-level list, with the list's name and the item's locations, then one line for the rest, whose field is
/// null. An empty list has no lines of its own and stays with the rest, so all lines together restore the whole answer. Lines are created on demand,
/// because all together are several times as large as the answer.
fn lines(outcome: &ExtractionOutcome) -> Result<impl Iterator<Item = Value> + '_, Failure> {
    let (lists, rest) = parted(&outcome.answer);
    let paths: HashSet<String> = lists.iter().map(|(field, _)| path_of(field)).collect();
    let is_of_an_item = |path: &str| {
        path.rsplit_once('/').is_some_and(|(list, index)| index.parse::<usize>().is_ok() && paths.contains(list))
    };
    let rows = outcome.provenance.iter().filter(|row| !is_of_an_item(&row.path));
    let others = outcome.without_answer(rows.cloned().collect());
    let others = serde_json::to_value(&others)
        .map_err(|error| Failure::internal("the answer cannot be printed").with_source(error))?;
    let Value::Object(others) = others else { return Err(Failure::internal("the answer has no fields")) };
    let mut last = Map::from_iter([("field".to_owned(), Value::Null), ("value".to_owned(), rest)]);
    last.extend(others.into_iter().filter(|(name, _)| name != "answer"));
    let places = OriginIndex::of(outcome);
    let items = lists
        .into_iter()
        .flat_map(|(field, list)| list.iter().enumerate().map(move |(index, value)| (field, index, value)));
    let items = items.map(move |(field, index, value)| {
        let origins = places.origins(&format!("{}/{index}", path_of(field)));
        json!({ "field": field, "value": value, "origins": origins })
    });
    Ok(items.chain([Value::Object(last)]))
}

/// Splits an answer into its nonempty top-level lists, by field, and the rest. A merge program may return a list itself, whose field has no name.
fn parted(answer: &Value) -> (Vec<(&str, &[Value])>, Value) {
    match answer {
        Value::Object(fields) => {
            let (mut lists, mut rest) = (Vec::new(), Map::new());
            for (field, value) in fields {
                match value {
                    Value::Array(list) if !list.is_empty() => lists.push((field.as_str(), list.as_slice())),
                    other => drop(rest.insert(field.clone(), other.clone())),
                }
            }
            (lists, Value::Object(rest))
        }
        Value::Array(list) if !list.is_empty() => (vec![("", list.as_slice())], Value::Null),
        other => (Vec::new(), other.clone()),
    }
}

/// Returns the JSON pointer of a top-level field; a field without a name refers to the answer itself.
fn path_of(field: &str) -> String {
    if field.is_empty() { String::new() } else { pointer(field) }
}

/// Returns a field as a step of a JSON pointer.
fn pointer(field: &str) -> String {
    format!("/{}", field.replace('~', "~0").replace('/', "~1"))
}

/// Formats the answer for people: one field after the other, each item of a list on a line with its locations.
fn text(outcome: &ExtractionOutcome) -> String {
    let mut text = String::new();
    let places = OriginIndex::of(outcome);
    match &outcome.answer {
        Value::Object(fields) if fields.is_empty() => text.push_str("nothing was found\n"),
        Value::Object(fields) => {
            for (index, (field, value)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push('\n');
                }
                push_field(&mut text, &sanitize_line(field), &pointer(field), value, &places);
            }
        }
        Value::Array(_) => push_field(&mut text, "answer", "", &outcome.answer, &places),
        other => push_line(&mut text, "", &cell(other)),
    }
    text
}

fn push_field(text: &mut String, heading: &str, path: &str, value: &Value, places: &OriginIndex<'_>) {
    match value {
        Value::Array(items) => {
            let _ = writeln!(text, "{heading}: {}", counted(items.len(), "item"));
            push_items(text, path, items, places);
        }
        Value::Object(fields) => {
            let _ = writeln!(text, "{heading}:");
            for (name, value) in fields {
                let own = format!("{path}{}", pointer(name));
                push_line(
                    text,
                    "  ",
                    &format!("{}: {}{}", sanitize_line(name), cell(value), behind(places.origins(&own))),
                );
            }
        }
        scalar => push_line(text, "", &format!("{heading}: {}{}", cell(scalar), behind(places.origins(path)))),
    }
}

/// Formats items as rows: objects in columns under their field names, everything else unchanged.
fn push_items(text: &mut String, path: &str, items: &[Value], places: &OriginIndex<'_>) {
    let all = items.iter().filter_map(Value::as_object).flat_map(Map::keys).map(String::as_str);
    let mut met = HashSet::new();
    let names: Vec<&str> = all.filter(|name| met.insert(*name)).collect();
    let row = |item: &Value| match item {
        Value::Object(fields) => names.iter().map(|name| fields.get(*name).map(cell).unwrap_or_default()).collect(),
        other => vec![cell(other)],
    };
    let mut rows: Vec<Vec<String>> = items.iter().map(row).collect();
    if !names.is_empty() {
        rows.insert(0, names.iter().map(|name| sanitize_line(name).into_owned()).collect());
    }
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..names.len().max(1)).map(width).collect();
    let first = rows.len() - items.len();
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _ = write!(line, "{gap}{cell:width$}");
        }
        if let Some(index) = index.checked_sub(first) {
            line.truncate(line.trim_end().len());
            line.push_str(&behind(places.origins(&format!("{path}/{index}"))));
        }
        push_line(text, "  ", &line);
    }
}

fn push_line(text: &mut String, indent: &str, line: &str) {
    let _ = writeln!(text, "{indent}{}", line.trim_end());
}

/// Formats a value on one line, escaped for a terminal.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => {
            let text = sanitize_line(text);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Value::Array(_) | Value::Object(_) => excerpt(value, usize::MAX),
        other => other.to_string(),
    }
}

/// Formats the locations of a value in brackets.
fn behind(origins: &[ValueOrigin]) -> String {
    let (located, others): (Vec<&ValueOrigin>, Vec<&ValueOrigin>) = origins.iter().partition(|origin| origin.located);
    let mut met = HashSet::new();
    let located = located.iter().map(|origin| format_location(&origin.place));
    let mut places: Vec<String> = located.filter(|place| met.insert(place.clone())).collect();
    let more = places.len().saturating_sub(PLACES);
    places.truncate(PLACES);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    // A value without an exact match is located by its part; a computed value, such as a sum, by the number of its parts.
    match (&others[..], places.is_empty()) {
        ([one], true) => match format_location(&one.place) {
            place if place.is_empty() => places.push(format!("part {}", one.part)),
            place => places.push(format!("somewhere on {place}")),
        },
        ([_, _, ..], true) => places.push(format!("of {}", counted(others.len(), "part"))),
        _ => {}
    }
    if places.is_empty() { String::new() } else { format!("  [{}]", places.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::extract::samples;

    #[test]
    fn people_read_fields_and_rows_with_their_places() {
        let expected = "\
title: Weekly meeting  [page 1]

items: 3 items
  id     description
  PBI-1  Fix the login  [page 1; page 3]
  PBI-2  Renew the [31mlicence  [somewhere on pages 2-3]
  PBI-3  -

tags: 2 items
  a  [record 7]
  b

counts:
  open: 2
  nested: {\"a\":[1]}
";
        assert_eq!(text(&samples::outcome()), expected);
    }

    #[test]
    fn no_value_and_no_name_steers_the_terminal_or_forges_a_line() {
        let outcome = samples::hostile();
        let text = text(&outcome);
        assert!(text.lines().all(samples::is_harmless), "{text:?}");
        // Two fields of one line, a list of two rows under its names, an object of one field, a plain list of one item.
        assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), 2 + 4 + 2 + 2, "{text}");
        for answer in [json!([samples::HOSTILE, {samples::HOSTILE: 1}]), json!(samples::HOSTILE)] {
            let text = super::text(&ExtractionOutcome { answer, ..samples::hostile() });
            assert!(text.lines().all(samples::is_harmless), "{text:?}");
        }
    }

    #[test]
    fn what_several_parts_say_is_told_by_their_number() {
        let origin =
            |part: u64, located| ValueOrigin { part, place: samples::page(part, part), located, in_overlap: false };
        let told = |origins: Vec<ValueOrigin>| behind(&origins);
        assert_eq!(told(Vec::new()), "");
        assert_eq!(told(vec![origin(1, false), origin(2, false)]), "  [of 2 parts]");
        assert_eq!(told(vec![origin(1, false), origin(2, true)]), "  [page 2]");
        let many = (1..=5).map(|part| origin(part, true)).collect();
        assert_eq!(told(many), "  [page 1; page 2; page 3; 2 more]");
    }

    #[test]
    fn each_item_has_a_line_and_the_rest_has_the_last() {
        let outcome = samples::outcome();
        let lines: Vec<Value> = lines(&outcome).unwrap().collect();
        let fields: Vec<&Value> = lines.iter().map(|line| &line["field"]).collect();
        assert_eq!(
            fields,
            [&json!("items"), &json!("items"), &json!("items"), &json!("tags"), &json!("tags"), &Value::Null]
        );
        assert_eq!(lines[0]["value"]["id"], "PBI-1");
        assert_eq!(lines[0]["origins"].as_array().unwrap().len(), 2);
        assert_eq!(lines[2]["origins"], json!([]));
        let last = &lines[5];
        assert_eq!(last["value"], json!({"title": "Weekly meeting", "counts": {"open": 2, "nested": {"a": [1]}}}));
        assert_eq!((last["status"].as_str(), last.get("answer")), (Some("partial"), None));
        let paths: Vec<&str> =
            last["provenance"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["/title"]);
        assert_eq!(last["conflicts"].as_array().unwrap().len(), 1);
    }

    /// Restores the answer from its lines, as a reader would.
    fn put_together(lines: &[Value]) -> Value {
        let (last, items) = lines.split_last().unwrap();
        assert!(last["field"].is_null());
        let mut answer = last["value"].clone();
        for line in items {
            let list = match line["field"].as_str().unwrap() {
                "" if answer.is_null() => {
                    answer = json!([]);
                    &mut answer
                }
                "" if answer.is_array() => &mut answer,
                field => &mut answer[field],
            };
            if list.is_null() {
                *list = json!([]);
            }
            list.as_array_mut().unwrap().push(line["value"].clone());
        }
        answer
    }

    #[test]
    fn the_answer_can_be_put_together_from_its_lines() {
        for answer in [
            samples::outcome().answer,
            json!({"items": [], "tags": ["a"], "deep": {"none": []}, "count": 0, "nothing": null}),
            json!({"": [1], "items": [[], [1]]}),
            json!({}),
            json!([]),
            json!([[], {"a": []}]),
            json!(3),
            Value::Null,
        ] {
            let outcome = ExtractionOutcome { answer: answer.clone(), ..samples::outcome() };
            assert_eq!(put_together(&lines(&outcome).unwrap().collect::<Vec<_>>()), answer);
        }
    }

    #[test]
    fn an_answer_that_is_a_list_has_lines_as_well() {
        let list = ExtractionOutcome { answer: json!([1, "b"]), provenance: Vec::new(), ..samples::outcome() };
        let made: Vec<Value> = lines(&list).unwrap().collect();
        assert_eq!(made.len(), 3);
        assert_eq!((&made[1]["field"], &made[1]["value"]), (&json!(""), &json!("b")));
        assert_eq!(text(&list), "answer: 2 items\n  1\n  b\n");
        assert_eq!(text(&ExtractionOutcome { answer: json!({}), ..list }), "nothing was found\n");
    }
}
