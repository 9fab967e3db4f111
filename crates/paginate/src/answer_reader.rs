//! Parsing a model's text into an answer.
//!
//! The request includes the schema, but the model may not have followed it. Fences and text around the object do no harm. A truncated or broken
//! object is not an answer, however much of it is readable: its missing part would be lost silently. Error reasons quote nothing from the answer,
//! because they are sent back to the model.

use crate::schema::{AnswerSchema, SalvagedAnswer};
use serde_json::Value;
use war_rig_llm::{AnswerParseError, answer_object};

/// Parses an answer, and returns its usable part.
pub(crate) fn read(answer: &str, schema: &AnswerSchema) -> Result<SalvagedAnswer, AnswerParseError> {
    let names = schema.fields();
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|field| field == name);
    let fields = answer_object(answer, is_asked)?;
    Ok(schema.salvage(Value::Object(fields)))
}

/// Returns the number of values with content: items of lists, and other non-empty fields.
pub(crate) fn count_items(answer: &SalvagedAnswer) -> usize {
    let Value::Object(fields) = &answer.value else { return 0 };
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
        let item = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } });
        let author = json!({
            "type": "object",
            "required": ["items", "summary"],
            "properties": { "items": { "type": "array", "items": item }, "summary": { "type": "string" } },
        });
        AnswerSchema::from_author(&author).unwrap()
    }

    fn check(answer: &str, expected: Result<(Value, usize, bool), AnswerParseError>) {
        let read = read(answer, &schema()).map(|read| (read.value.clone(), count_items(&read), read.is_whole));
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
        check("I cannot do that.", Err(AnswerParseError::Nothing));
        check("{\"other\": []}", Err(AnswerParseError::OtherFields));
        check("", Err(AnswerParseError::Nothing));
    }

    #[test]
    fn an_object_that_does_not_end_is_no_answer_wherever_it_is_cut() {
        let whole = json!({ "thought": "{", "items": [{ "id": "A", "summary": "x" }, { "id": "B" }], "summary": "so" });
        for whole in [whole.to_string(), serde_json::to_string_pretty(&whole).unwrap()] {
            for end in 1..whole.len() {
                check(&whole[..end], Err(AnswerParseError::CutOff));
                check(&format!("So:\n```json\n{}", &whole[..end]), Err(AnswerParseError::CutOff));
            }
        }
    }

    #[test]
    fn a_broken_object_is_no_answer() {
        for answer in [
            "{\"items\": [{\"id\": \"A\"}, {\"id\": B}], \"summary\": \"so\"}",
            "{ \"thought\" : it is so, \"items\": [{\"id\": \"A\", \"summary\": \"x\"}]}",
        ] {
            check(answer, Err(AnswerParseError::Broken));
        }
    }
}
