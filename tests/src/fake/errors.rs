//! The errors of real servers, in their shapes.

use super::script::{OverflowStyle, Refusal};
use serde_json::{Value, json};

/// An error as OpenAI says it.
pub(crate) fn openai(message: &str, kind: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

fn invalid(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    openai(message, "invalid_request_error", param, code)
}

/// 429 of too many requests.
pub(crate) fn rate_limited() -> Value {
    let message = "Rate limit reached for gpt-4o in organization org-fake on tokens per min (TPM): Limit 30000, Used 29000, \
        Requested 4000. Please try again in 6s.";
    openai(message, "tokens", None, Some("rate_limit_exceeded"))
}

/// 429 of a quota that is used up.
pub(crate) fn quota() -> Value {
    let message = "You exceeded your current quota, please check your plan and billing details.";
    openai(message, "insufficient_quota", None, Some("insufficient_quota"))
}

/// 401.
pub(crate) fn unauthorized() -> Value {
    invalid("Incorrect API key provided: te**.", None, Some("invalid_api_key"))
}

/// 403.
pub(crate) fn forbidden() -> Value {
    let message = "Country, region, or territory not supported";
    openai(message, "request_forbidden", None, Some("unsupported_country_region_territory"))
}

/// 404 of a model.
pub(crate) fn unknown_model(model: &str) -> Value {
    let message = format!("The model `{model}` does not exist or you do not have access to it.");
    invalid(&message, None, Some("model_not_found"))
}

/// A failure of the server, as text with its content type.
pub(crate) fn failure(status: u16) -> (String, &'static str) {
    let json = |value: Value| (value.to_string(), "application/json");
    match status {
        502 | 504 => (page(&format!("{status} Bad Gateway")), "text/html"),
        503 => json(openai("The engine is currently overloaded, please try again later", "server_error", None, None)),
        529 => json(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})),
        408 => json(openai("Request timed out.", "timeout", None, Some("request_timeout"))),
        _ => json(openai("The server had an error while processing your request.", "server_error", None, None)),
    }
}

/// A page that a proxy may show in place of an answer.
pub(crate) fn page(title: &str) -> String {
    format!(
        "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n</body>\r\n</html>\r\n"
    )
}

/// The status and body of a prompt that is too long; none where the server says nothing.
pub(crate) fn overflow(shape: OverflowStyle, counted: u64, window: u64, answer: u64) -> Option<(u16, Value)> {
    let length = format!("This model's maximum context length is {window} tokens. However, ");
    Some(match shape {
        OverflowStyle::OpenAi => {
            let message = format!(
                "{length}your messages resulted in {counted} tokens. Please reduce the length of the messages."
            );
            (400, invalid(&message, Some("messages"), Some("context_length_exceeded")))
        }
        OverflowStyle::Anthropic => {
            let message = format!("prompt is too long: {counted} tokens > {window} maximum");
            let error = json!({"type": "invalid_request_error", "message": message});
            (400, json!({"type": "error", "error": error, "request_id": "req_fake"}))
        }
        OverflowStyle::AnthropicTooLarge => {
            let error = json!({"type": "request_too_large", "message": "Request exceeds the maximum size"});
            (413, json!({"type": "error", "error": error, "request_id": "req_fake"}))
        }
        OverflowStyle::VllmFlat => {
            let message = format!(
                "{length}you requested {} tokens ({counted} in the messages, {answer} in the completion). Please reduce the length \
                 of the messages or completion.",
                counted + answer
            );
            let kind = "BadRequestError";
            (400, json!({"object": "error", "message": message, "type": kind, "param": null, "code": 400}))
        }
        OverflowStyle::Vllm => {
            let message = format!(
                "{length}your request has {counted} input tokens. Please reduce the length of the input messages."
            );
            let error = json!({"message": message, "type": "BadRequestError", "param": null, "code": 400});
            (400, json!({"error": error}))
        }
        OverflowStyle::LlamaCpp => {
            let message = "the request exceeds the available context size, try increasing it";
            let error = json!({"code": 400, "message": message, "type": "exceed_context_size_error",
                "n_prompt_tokens": counted, "n_ctx": window});
            (400, json!({"error": error}))
        }
        OverflowStyle::Silent => return None,
    })
}

/// What of a request is refused, as the body of a 400.
pub(crate) fn refusal(body: &Value, refused: impl Fn(Refusal) -> bool) -> Option<Value> {
    let format = body["response_format"]["type"].as_str().unwrap_or_default();
    let formats = [("json_schema", Refusal::JsonSchema), ("json_object", Refusal::JsonObject)];
    if formats.iter().any(|(name, refusal)| format == *name && refused(*refusal)) {
        let message =
            format!("Invalid parameter: 'response_format' of type '{format}' is not supported with this model.");
        return Some(invalid(&message, Some("response_format"), None));
    }
    if !body["max_tokens"].is_null() && refused(Refusal::MaxTokens) {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        return Some(invalid(message, Some("max_tokens"), Some("unsupported_parameter")));
    }
    if !body["max_completion_tokens"].is_null() && refused(Refusal::MaxCompletionTokens) {
        return Some(invalid("Unrecognized request argument supplied: max_completion_tokens", None, None));
    }
    if !body["temperature"].is_null() && refused(Refusal::Temperature) {
        let message = format!(
            "Unsupported value: 'temperature' does not support {} with this model. Only the default (1) value is supported.",
            body["temperature"]
        );
        return Some(invalid(&message, Some("temperature"), Some("unsupported_value")));
    }
    if !body["service_tier"].is_null() && refused(Refusal::ServiceTier) {
        let message = format!("Invalid service_tier argument: {}", body["service_tier"]);
        return Some(invalid(&message, Some("service_tier"), None));
    }
    if !body["reasoning_effort"].is_null() && refused(Refusal::ReasoningEffort) {
        return Some(invalid("Unrecognized request argument supplied: reasoning_effort", None, None));
    }
    None
}
