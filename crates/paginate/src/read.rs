//! From a model's words to an answer.
//!
//! The schema is what a model was asked for, and not what it must have kept to. Fences and words around the object do no harm. Of an object that is broken, the
//! lists are read item by item as far as they are whole. No word of an answer goes into a reason, since reasons are said to the model again.

use crate::extractor::Extracted;
use crate::schema::AnswerSchema;
use serde_json::{Map, Value};

/// How many braces are tried for the beginning of an answer: words about it have a few.
const STARTS: usize = 500;

/// An answer as far as it could be used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// What could not be used, and why.
    pub(crate) dropped: Vec<String>,
    /// Whether nothing was left out and nothing is missing.
    pub(crate) is_whole: bool,
    /// Values in it that say something: items of lists, and other fields that are not empty.
    pub(crate) items: usize,
}

impl Read {
    pub(crate) fn into_extracted(self) -> Extracted {
        Extracted { value: self.value, dropped: self.dropped, ..Extracted::default() }
    }
}

/// Reads an answer; none when there is nothing in it that was asked for.
pub(crate) fn read(answer: &str, schema: &AnswerSchema) -> Option<Read> {
    let names = schema.fields();
    let (fields, mut dropped) = match whole(answer, &names) {
        Some(fields) => (fields, Vec::new()),
        None => {
            let fields = pieces(answer, &names);
            if fields.is_empty() {
                return None;
            }
            (fields, vec!["the answer is no whole JSON object".to_owned()])
        }
    };
    let salvaged = schema.salvage(Value::Object(fields));
    let is_whole = salvaged.is_whole && dropped.is_empty();
    dropped.extend(salvaged.dropped);
    let items = said(&salvaged.value);
    Some(Read { value: salvaged.value, dropped, is_whole, items })
}

/// The first whole object in a text that has one of these fields; any, where there are none.
pub(crate) fn whole(text: &str, names: &[String]) -> Option<Map<String, Value>> {
    let has_name =
        |fields: &Map<String, Value>| names.is_empty() || names.iter().any(|name| fields.contains_key(name));
    let mut rest = text;
    for _ in 0..STARTS {
        rest = &rest[rest.find('{')?..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(fields))) if has_name(&fields) => return Some(fields),
            Some(Ok(_)) => rest = &rest[values.byte_offset()..],
            // What begins as the answer is the answer though it is broken; else it was a brace among words.
            _ if begins_with(&rest[1..], names) => return None,
            _ => rest = &rest[1..],
        }
    }
    None
}

fn begins_with(text: &str, names: &[String]) -> bool {
    let name = text.trim_start();
    names.iter().any(|known| name.starts_with(&Value::from(known.as_str()).to_string()))
}

/// The lists of a broken object, each as far as its items are whole.
fn pieces(text: &str, names: &[String]) -> Map<String, Value> {
    let mut fields = Map::new();
    for name in names {
        let quoted = Value::from(name.as_str()).to_string();
        let Some(at) = text.find(&quoted) else { continue };
        let Some(list) = text[at + quoted.len()..].trim_start().strip_prefix(':') else { continue };
        let Some(list) = list.trim_start().strip_prefix('[') else { continue };
        let mut items = Vec::new();
        let mut rest = list.trim_start();
        loop {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let Some(Ok(item)) = values.next() else { break };
            items.push(item);
            let Some(next) = rest[values.byte_offset()..].trim_start().strip_prefix(',') else { break };
            rest = next.trim_start();
        }
        if !items.is_empty() {
            fields.insert(name.clone(), Value::Array(items));
        }
    }
    fields
}

fn said(value: &Value) -> usize {
    let Value::Object(fields) = value else { return 0 };
    let of = |value: &Value| match value {
        Value::Null => 0,
        Value::Array(items) => items.len(),
        Value::String(text) => usize::from(!text.is_empty()),
        Value::Object(fields) => fields.len(),
        Value::Bool(_) | Value::Number(_) => 1,
    };
    fields.values().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> AnswerSchema {
        let item =
            json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } });
        let author = json!({
            "type": "object",
            "required": ["items", "summary"],
            "properties": { "items": { "type": "array", "items": item }, "summary": { "type": "string" } },
        });
        AnswerSchema::of_author(&author).unwrap()
    }

    fn check(answer: &str, expected: Option<(Value, usize, bool)>) {
        let read = read(answer, &schema()).map(|read| (read.value, read.items, read.is_whole));
        assert_eq!(read, expected, "{answer}");
    }

    #[test]
    fn an_answer_is_found_among_words() {
        let whole = json!({ "items": [{ "id": "A" }], "summary": "so" });
        for answer in [
            whole.to_string(),
            format!("```json\n{whole}\n```\nThat is {{all}}."),
            format!("{{\"thought\": 1}} I think {{so}}: {whole}"),
        ] {
            check(&answer, Some((whole.clone(), 2, true)));
        }
        check("I cannot do that.", None);
        check("{\"other\": []}", None);
        check("", None);
    }

    #[test]
    fn of_a_broken_answer_the_whole_items_are_kept() {
        let ids = [json!({ "id": "A" }), json!({ "id": "B" })];
        for (answer, count) in [
            ("{\"items\": [{\"id\": \"A\"}, {\"id\": \"B\"}, {\"id\": ", 2),
            ("{\"items\": [{\"id\": \"A\"}, {\"id\": B}], \"summary\": \"so\"}", 1),
        ] {
            let read = read(answer, &schema()).unwrap();
            assert_eq!(read.value["items"], json!(ids[..count]), "{answer}");
            assert!(!read.is_whole && read.dropped[0] == "the answer is no whole JSON object", "{answer}");
        }
        // An item by itself is not taken for the answer.
        check("{\"items\": [{\"summary\": \"x\"}", Some((json!({ "items": [] }), 0, false)));
    }
}
