//! A model that finds every planted identifier in the part that it is shown, and reads records.
//!
//! An item begins with its identifier and ends with its sentence. One that ends in the part is the part's, wherever it began; one that ends in the overlap was the
//! part's before.

use super::options::Extraction;
use crate::PartBlock;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// What identifiers look like: an end of a line behind the hyphen is none of the text's.
static PLANTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(PBI|CR|FB)-(?:\s*\n\s*)?(\d+)\b").expect("the expression is right"));

/// Where an item ends: with its sentence, its paragraph or its record.
static ENDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\.(?:\s|$)|\n\s*\n|\n\s*\{|\}").expect("the expression is right"));

/// The word that a text of a part is known by when texts have been summed up.
static MARKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bS\d+\b").expect("the expression is right"));

/// An identifier in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedItem {
    /// The identifier, in one piece.
    pub id: String,
    /// What is said of it, on one line; empty where the text ends before that does.
    pub description: String,
    /// Bytes of the text where it ends.
    end: usize,
    is_whole: bool,
}

/// The identifiers of a text, in order.
pub fn planted(text: &str) -> Vec<PlantedItem> {
    let item = |found: regex::Captures<'_>| {
        let whole = found.get_match();
        let rest = &text[whole.end()..];
        let end = ENDS.find(rest);
        let said = &rest[..end.map_or(rest.len(), |end| end.start())];
        PlantedItem {
            id: format!("{}-{}", &found[1], &found[2]),
            description: one_line(said),
            end: whole.end() + end.map_or(rest.len(), |end| end.start()),
            is_whole: end.is_some(),
        }
    };
    PLANTED.captures_iter(text).map(item).collect()
}

/// Blanks, quotes and colons around a text are none of it, nor is a hyphen at the end of a line.
fn one_line(text: &str) -> String {
    let text = text.replace("-\n", "");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// What a part has of what may be asked for.
struct PartContents<'a> {
    block: &'a PartBlock,
    items: Vec<PlantedItem>,
    records: Vec<Value>,
    extraction: Extraction,
}

/// The answer about a part, under the schema that was asked for.
pub(crate) fn answer(block: &PartBlock, schema: &Value, extraction: Extraction) -> Value {
    let found = PartContents { block, items: items(block, extraction), records: records(block), extraction };
    match schema["properties"].as_object() {
        Some(fields) => fields.iter().map(|(name, field)| (name.clone(), found.field(name, field))).collect(),
        // A server without schemas is told it in words, and its model answers with all it has.
        None => json!({ "items": found.listed(None), "count": found.records.len() }),
    }
}

fn items(block: &PartBlock, extraction: Extraction) -> Vec<PlantedItem> {
    let overlap = block.context("overlap");
    let mut items: Vec<PlantedItem> = Vec::new();
    // What goes on without the end of a line in between, and what does not: both read right where a hyphen stands at the end.
    let text = format!("{overlap}{}", block.bare());
    for item in planted(&text) {
        let is_own = item.end > overlap.len() || extraction.disobeys;
        let number: u64 = item.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(1);
        let is_forgotten = extraction.forgets && number.is_multiple_of(10);
        if is_own && !is_forgotten && !items.iter().any(|known| known.id == item.id) {
            items.push(item);
        }
    }
    items
}

/// The records of a part: JSON values that are objects, else rows of columns.
fn records(block: &PartBlock) -> Vec<Value> {
    let text = block.bare();
    let mut records = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                records.push(value);
                rest = &rest[values.byte_offset()..];
            }
            _ => rest = &rest[1..],
        }
    }
    if !records.is_empty() || block.unit != "records" {
        return records;
    }
    let mut rows = block.context("header").lines().chain(text.lines()).filter(|row| !row.trim().is_empty());
    let names: Vec<&str> = rows.next().unwrap_or_default().split(',').collect();
    let value = |text: &str| text.parse::<f64>().map_or_else(|_| json!(text), |number| json!(number));
    rows.map(|row| names.iter().zip(row.split(',')).map(|(name, cell)| ((*name).to_owned(), value(cell))).collect())
        .collect()
}

impl PartContents<'_> {
    fn numbers(&self, name: &str) -> Vec<f64> {
        self.records.iter().filter_map(|record| record[name].as_f64()).collect()
    }

    /// A field by its name, as far as names say what is meant.
    fn field(&self, name: &str, schema: &Value) -> Value {
        let number = |value: f64| if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
        let kinds = kinds(schema);
        let value = match name {
            "count" | "records" | "counted" => json!(self.records.len()),
            "total" | "amount" => number(self.numbers("amount").iter().sum()),
            "score" => match self.numbers("score").as_slice() {
                [] => Value::Null,
                scores => json!(scores.iter().sum::<f64>() / scores.len() as f64),
            },
            "summary" => json!(self.summary()),
            "title" => json!(self.items.first().map(|item| item.id.clone())),
            _ if kinds.contains(&"array") => return self.listed(Some(schema)),
            _ => Value::Null,
        };
        match (value, kinds.as_slice()) {
            (Value::Null, kinds) if kinds.contains(&"null") => Value::Null,
            (Value::Null, ["array", ..]) => json!([]),
            (Value::Null, ["integer" | "number", ..]) => json!(0),
            (Value::Null, ["boolean", ..]) => json!(false),
            (Value::Null, ["object", ..]) => json!({}),
            (Value::Null, _) => json!(""),
            (value, _) => value,
        }
    }

    /// The items as a list: objects where the schema has them, else identifiers.
    fn listed(&self, schema: Option<&Value>) -> Value {
        let of_items = schema.map(|schema| &schema["items"]);
        if of_items.is_some_and(|of| !kinds(of).contains(&"object")) {
            return self.items.iter().map(|item| item.id.clone()).collect();
        }
        let fields = of_items.and_then(|of| of["properties"].as_object());
        let item = |item: &PlantedItem| {
            let mut value = Map::new();
            for (name, field) in fields.into_iter().flatten() {
                value.insert(name.clone(), self.item_field(item, name, field));
            }
            if fields.is_none() {
                value.insert("id".to_owned(), json!(item.id));
                value.insert("description".to_owned(), json!(item.description));
            }
            Value::Object(value)
        };
        self.items.iter().map(item).collect()
    }

    fn item_field(&self, item: &PlantedItem, name: &str, schema: &Value) -> Value {
        let nullable = kinds(schema).contains(&"null");
        match name {
            "id" => json!(item.id),
            "description" | "text" | "title" if !item.is_whole && nullable => Value::Null,
            "description" | "text" | "title" => {
                let said = &item.description;
                match self.extraction.contradicts {
                    true => json!(format!("{said}, says part {}", self.block.part.unwrap_or_default())),
                    false => json!(said),
                }
            }
            _ if nullable => Value::Null,
            _ => match kinds(schema).first() {
                Some(&"array") => json!([]),
                Some(&"integer" | &"number") => json!(0),
                Some(&"boolean") => json!(false),
                _ => json!(""),
            },
        }
    }

    /// A text with a mark of its own, as long as is asked for.
    fn summary(&self) -> String {
        let part = self.block.place.as_ref().map_or(0, |place| *place.start());
        let words = ["and", "so", "it", "goes", "on"];
        let more: Vec<&str> = words.iter().copied().cycle().take(self.extraction.words).collect();
        format!("S{part} has {} items {}", self.items.len(), more.join(" ")).trim_end().to_owned()
    }
}

fn kinds(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => Vec::from_iter(kind.as_str()),
    }
}

/// One text for several: the marks of all of them.
pub(crate) fn summed(user: &str) -> Value {
    let mut marks: Vec<&str> = Vec::new();
    for mark in MARKS.find_iter(user).map(|found| found.as_str()) {
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
    json!({ "text": format!("Together: {}.", marks.join(" ")) })
}

#[cfg(test)]
mod tests;
