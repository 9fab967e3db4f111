//! From a model's words to an answer.
//!
//! The schema is what a model was asked for, and not what it must have kept to. Fences and words around the object do no harm. An object that does not end, or is
//! broken, is no answer, however much of it could be read: what it does not have would be missing without a word. No word of an answer goes into a reason, since
//! reasons are said to the model again.

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

/// Why a text is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// The text ends before its object does, whatever whoever sent it says of its end.
    #[error("it ends before its JSON object does")]
    CutOff,
    /// There is an object, and what is in it is no JSON.
    #[error("its JSON object is broken")]
    Broken,
    /// There is no object with anything that was asked for.
    #[error("it is no JSON object")]
    NoObject,
}

impl Read {
    pub(crate) fn into_extracted(self) -> Extracted {
        Extracted { value: self.value, dropped: self.dropped, ..Extracted::default() }
    }
}

/// Reads an answer.
pub(crate) fn read(answer: &str, schema: &AnswerSchema) -> Result<Read, NoAnswer> {
    let fields = whole(answer, &schema.fields())?;
    let salvaged = schema.salvage(Value::Object(fields));
    let items = said(&salvaged.value);
    Ok(Read { value: salvaged.value, dropped: salvaged.dropped, is_whole: salvaged.is_whole, items })
}

/// The first object in a text that has one of these fields; any, where there are none.
pub(crate) fn whole(text: &str, names: &[String]) -> Result<Map<String, Value>, NoAnswer> {
    let has_name =
        |fields: &Map<String, Value>| names.is_empty() || names.iter().any(|name| fields.contains_key(name));
    let mut rest = text;
    for _ in 0..STARTS {
        let Some(brace) = rest.find('{') else { break };
        rest = &rest[brace..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(fields))) if has_name(&fields) => return Ok(fields),
            Some(Ok(_)) => rest = &rest[values.byte_offset()..],
            // What stands inside of such an object is not the answer, though it may have a field of the same name.
            Some(Err(error)) if error.is_eof() => return Err(NoAnswer::CutOff),
            _ if begins_an_object(rest) => return Err(NoAnswer::Broken),
            _ => rest = &rest[1..],
        }
    }
    Err(NoAnswer::NoObject)
}

/// Whether what stands behind a brace is the name of a field, and not a word of a text.
fn begins_an_object(text: &str) -> bool {
    let mut names = serde_json::Deserializer::from_str(text[1..].trim_start()).into_iter::<String>();
    let name = names.next();
    matches!(name, Some(Ok(_))) && text[1..].trim_start()[names.byte_offset()..].trim_start().starts_with(':')
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

    fn check(answer: &str, expected: Result<(Value, usize, bool), NoAnswer>) {
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
            check(&answer, Ok((whole.clone(), 2, true)));
        }
        check("I cannot do that.", Err(NoAnswer::NoObject));
        check("{\"other\": []}", Err(NoAnswer::NoObject));
        check("", Err(NoAnswer::NoObject));
    }

    #[test]
    fn an_object_that_does_not_end_is_no_answer_wherever_it_is_cut() {
        let whole = json!({ "thought": "{", "items": [{ "id": "A", "summary": "x" }, { "id": "B" }], "summary": "so" });
        for whole in [whole.to_string(), serde_json::to_string_pretty(&whole).unwrap()] {
            for end in 1..whole.len() {
                check(&whole[..end], Err(NoAnswer::CutOff));
                check(&format!("So:\n```json\n{}", &whole[..end]), Err(NoAnswer::CutOff));
            }
        }
    }

    #[test]
    fn a_broken_object_is_no_answer() {
        for answer in [
            "{\"items\": [{\"id\": \"A\"}, {\"id\": B}], \"summary\": \"so\"}",
            "{ \"thought\" : it is so, \"items\": [{\"id\": \"A\", \"summary\": \"x\"}]}",
        ] {
            check(answer, Err(NoAnswer::Broken));
        }
    }
}
