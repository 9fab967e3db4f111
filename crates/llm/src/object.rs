//! The JSON object in a model's words.
//!
//! The schema is what a model was asked for, and not what it must have kept to. Fences and words around the object do no harm, nor do other objects before it.
//! No word of an answer goes into a reason, since reasons are said to the model again.

use serde_json::{Deserializer, Map, Value};

/// How many braces are tried for the beginning of an answer: words about it have a few.
const STARTS: usize = 500;

/// Why a text holds no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerParseError {
    /// The text ends before its object does, whatever whoever sent it says of its end.
    #[error("it ends before its JSON object does")]
    CutOff,
    /// There is an object, and what is in it is no JSON.
    #[error("its JSON object is broken")]
    Broken,
    /// There are objects, and none has a field that was asked for.
    #[error("its JSON object has none of the schema's fields")]
    OtherFields,
    /// There is no object.
    #[error("it is no JSON object")]
    Nothing,
}

/// The first object in a text with a field that was asked for.
///
/// # Errors
/// [`AnswerParseError`] where there is none. An object that does not end, or is broken, is none, however much of it could be read.
pub fn answer_object(
    text: &str,
    is_asked: impl Fn(&str) -> bool,
) -> Result<Map<String, Value>, AnswerParseError> {
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
            // What stands inside of such an object is not the answer, though it may have a field of the same name.
            _ if begins_an_object(rest) => {
                none = AnswerParseError::Broken;
                rest = behind_braces(rest);
            }
            _ => rest = &rest[1..],
        }
    }
    Err(none)
}

/// The text behind the brace that closes the first one; empty where none does.
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

/// Whether what stands behind a brace is the name of a field, and not a word of a text.
fn begins_an_object(text: &str) -> bool {
    let inside = text[1..].trim_start();
    let mut names = Deserializer::from_str(inside).into_iter::<String>();
    let name = names.next();
    matches!(name, Some(Ok(_))) && inside[names.byte_offset()..].trim_start().starts_with(':')
}
