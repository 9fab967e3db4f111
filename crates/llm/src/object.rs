//! Finding the JSON object in a model's text.
//!
//! The request includes the schema, but the model may not have followed it. Fences and text around the object do no harm, nor do other objects before
//! it. Error reasons quote nothing from the answer, because they are sent back to the model.

use serde_json::{Deserializer, Map, Value};

/// The maximum braces that are tried as the start of the answer: text around it has a few.
const STARTS: usize = 500;

/// Why a text contains no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerParseError {
    /// The text ends before its object does, whatever the finish reason says.
    #[error("it ends before its JSON object does")]
    CutOff,
    /// The text has an object that is not valid JSON.
    #[error("its JSON object is broken")]
    Broken,
    /// No object has a field of the schema.
    #[error("its JSON object has none of the schema's fields")]
    OtherFields,
    /// The text has no object.
    #[error("it is no JSON object")]
    Nothing,
}

/// Returns the first object in a text that has a field of the schema.
///
/// # Errors
/// [`AnswerParseError`] if there is none. A truncated or broken object does not count, however much of it is readable.
pub fn answer_object(text: &str, is_asked: impl Fn(&str) -> bool) -> Result<Map<String, Value>, AnswerParseError> {
    let mut none = AnswerParseError::Nothing;
    let mut rest = text;
    for _ in 0..STARTS {
        let Some(brace) = rest.find('{') else { break };
        rest = &rest[brace..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(fields))) if fields.keys().any(|name| is_asked(name)) => return Ok(fields),
            Some(Ok(_)) => {
                none = if none == AnswerParseError::Broken { none } else { AnswerParseError::OtherFields };
                rest = &rest[values.byte_offset()..];
            }
            Some(Err(error)) if error.is_eof() => return Err(AnswerParseError::CutOff),
            // An object inside it is not the answer, though it may have a field of the same name.
            _ if begins_an_object(rest) => {
                none = AnswerParseError::Broken;
                rest = behind_braces(rest);
            }
            _ => rest = &rest[1..],
        }
    }
    Err(none)
}

/// Returns the text after the brace that closes the first one; empty if none does.
fn behind_braces(text: &str) -> &str {
    let mut depth = 0_usize;
    let closes = |(_, c): &(usize, char)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    };
    text.char_indices().find(closes).map_or("", |(at, _)| &text[at + 1..])
}

/// Whether the text after a brace begins with a field name, not with prose.
fn begins_an_object(text: &str) -> bool {
    let inside = text[1..].trim_start();
    let mut names = Deserializer::from_str(inside).into_iter::<String>();
    let name = names.next();
    matches!(name, Some(Ok(_))) && inside[names.byte_offset()..].trim_start().starts_with(':')
}
