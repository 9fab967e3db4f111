//! Request bodies, and the relevant fields of responses.

use crate::answer::{FinishReason, ModelAnswer, TokenUsage};
use crate::classify::{MOST_TOKENS, classify_embedded};
use crate::error::{CallError, CallErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::SystemTime;

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    pub(super) messages: [ChatMessage<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_format: Option<ResponseFormatField<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct ChatMessage<'a> {
    pub(super) role: &'a str,
    pub(super) content: &'a str,
}

#[derive(Serialize)]
pub(super) struct ResponseFormatField<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) json_schema: Option<NamedSchema<'a>>,
}

#[derive(Serialize)]
pub(super) struct NamedSchema<'a> {
    pub(super) name: &'a str,
    pub(super) strict: bool,
    pub(super) schema: &'a RawValue,
}

/// The relevant fields of a completion; all others are ignored.
#[derive(Deserialize)]
pub(super) struct ChatCompletion {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    service_tier: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    message: Option<ChoiceMessage>,
}

#[derive(Deserialize)]
struct ChoiceMessage {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    refusal: Option<String>,
    /// The field in which LiteLLM puts unknown fields.
    #[serde(default)]
    provider_specific_fields: Option<Value>,
}

impl ChoiceMessage {
    fn refusal(&self) -> Option<String> {
        let passed_on = || Some(self.provider_specific_fields.as_ref()?.get("refusal")?.as_str()?.to_owned());
        self.refusal.clone().or_else(passed_on).filter(|said| !said.is_empty())
    }
}

impl ChatCompletion {
    pub(super) fn answer(self) -> Result<ModelAnswer, CallError> {
        if let Some(error) = self.error.filter(|error| !error.is_null()) {
            return Err(classify_embedded(&error, SystemTime::now()));
        }
        let Some(choice) = self.choices.into_iter().next() else {
            return Err(CallError::new(CallErrorKind::BrokenAnswer, "the answer has no choices"));
        };
        let finish = match choice.finish_reason.as_deref() {
            Some("stop" | "eos" | "end_turn") | None => FinishReason::Stop,
            Some("length" | "max_tokens") => FinishReason::Length,
            Some("content_filter") => FinishReason::ContentFilter,
            Some(_) => FinishReason::Other,
        };
        let refusal = choice.message.as_ref().and_then(ChoiceMessage::refusal);
        let content = choice.message.and_then(|said| said.content);
        let text = content.map(text_of).unwrap_or_default();
        let service_tier = self.service_tier.and_then(|tier| Some(tier.as_str()?.to_owned()));
        Ok(ModelAnswer { text, finish, refusal, service_tier, usage: self.usage.as_ref().and_then(usage) })
    }
}

/// Returns the text of a content field: a string, or a list of parts with text.
fn text_of(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        _ => String::new(),
    }
}

/// Returns the usage; none when the server counted nothing.
fn usage(usage: &Value) -> Option<TokenUsage> {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    let number = |value: &Value, key: &str| number(value, key).map(|tokens| tokens.min(MOST_TOKENS));
    let prompt_tokens = number(usage, "prompt_tokens").filter(|tokens| *tokens > 0)?;
    let cached = usage.get("prompt_tokens_details").and_then(|details| number(details, "cached_tokens"));
    Some(TokenUsage {
        prompt_tokens,
        completion_tokens: number(usage, "completion_tokens").unwrap_or_default(),
        cached_tokens: cached.unwrap_or_default().min(prompt_tokens),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Result<ModelAnswer, CallError> {
        serde_json::from_str::<ChatCompletion>(text).unwrap().answer()
    }

    #[test]
    fn a_completion_may_hold_what_nobody_has_heard_of() {
        let whole = answer(
            r#"{"id": 7, "service_tier": "golden", "choices": [{"finish_reason": "stopped", "message": {"role": "x", "content": "{}", "more": []}}], "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}}"#,
        )
        .unwrap();
        assert_eq!((whole.text.as_str(), whole.finish), ("{}", FinishReason::Other));
        assert_eq!(whole.usage, Some(TokenUsage { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 4 }));
        let parts =
            answer(r#"{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]}"#);
        assert_eq!(parts.unwrap().text, "ab");
        assert_eq!(answer(r#"{"choices": []}"#).unwrap_err().kind, CallErrorKind::BrokenAnswer);
        let refused =
            answer(r#"{"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "No."}}]}"#);
        assert_eq!(refused.unwrap().refusal.as_deref(), Some("No."));
    }
}
