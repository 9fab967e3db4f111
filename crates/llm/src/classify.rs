//! Classification of a server's error response.
//!
//! Servers agree on little: OpenAI and llama.cpp wrap errors in `error`, vLLM leaves the wrapper out, Anthropic has types instead of codes, and
//! proxies pass on the message of their upstream. So besides status and code, the code searches the message in lower case.

use crate::dialect::RequestFeature;
use crate::error::{CallError, CallErrorKind, ContextOverflow};
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// The maximum length of a server's message that is passed on, in characters.
const LONGEST: usize = 300;

/// Phrases that servers and proxies use for an unknown model.
const UNKNOWN_MODEL: &[&str] = &[
    "model_not_found", "model not found", "does not exist", "no such model", "invalid model name", "not a valid model",
    "unknown model",
];

/// The largest token count accepted from a server, far above every window.
pub(crate) const MOST_TOKENS: u64 = 100_000_000;

/// Returns the error for an unsuccessful status. `retry_after` is the value of that header; `now` is the time that a date in it is compared with.
pub(crate) fn classify(status: u16, retry_after: Option<&str>, body: &[u8], now: SystemTime) -> CallError {
    let said = ErrorBody::of(body);
    let wait = retry_after.and_then(|header| parse_retry_after(header, now));
    let words = said.all();
    let has = |texts: &[&str]| texts.iter().any(|text| words.contains(text));
    let out_of_quota = has(&["insufficient_quota", "billing", "exceeded your current quota", "credit balance"]);
    let kind = match status {
        401 | 403 => CallErrorKind::Authentication,
        // LiteLLM without a database reports a wrong key like this.
        400 if has(&["no_db_connection"]) => CallErrorKind::Authentication,
        402 => CallErrorKind::Quota,
        429 if out_of_quota => CallErrorKind::Quota,
        429 => CallErrorKind::RateLimited { retry_after: wait },
        408 | 500..=599 if !said.overflows() => {
            // A gateway timeout does not show whether the model behind it has given up.
            CallErrorKind::ServerFailed { retry_after: wait, has_begun: matches!(status, 408 | 504) }
        }
        // Redirects are not followed, because the request would carry the key along.
        300..=399 => CallErrorKind::UnknownModel,
        413 => CallErrorKind::ContextOverflow(said.overflow()),
        400 | 404 | 405 if has(UNKNOWN_MODEL) => CallErrorKind::UnknownModel,
        404 | 405 => CallErrorKind::UnknownModel,
        400 if has(&["content_filter", "content_policy", "content management policy"]) => CallErrorKind::Filtered,
        _ if said.overflows() => CallErrorKind::ContextOverflow(said.overflow()),
        400 | 422 => said.refused().map_or(CallErrorKind::Rejected, CallErrorKind::NotSupported),
        _ => CallErrorKind::Rejected,
    };
    CallError::new(kind, format!("HTTP {status}: {}", said.short()))
}

/// Returns the error that a server put into an answer with status 200.
pub(crate) fn classify_embedded(error: &Value, now: SystemTime) -> CallError {
    let body = serde_json::json!({ "error": error }).to_string();
    let code = error.get("code").and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let status = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    let mut found = classify(status.unwrap_or(500), None, body.as_bytes(), now);
    if status.is_none() {
        found.message = found.message.replacen("HTTP 500", "an error inside an answer", 1);
    }
    found
}

/// Parses a `Retry-After` header: seconds, with or without decimals, or a date. Returns none for anything else.
pub(crate) fn parse_retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The body of an error response.
#[derive(Default)]
struct ErrorBody {
    message: String,
    /// Code, type and parameter, in lower case.
    marks: String,
    parameter: String,
    window: Option<u64>,
    counted: Option<u64>,
}

impl ErrorBody {
    fn of(body: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            let message = String::from_utf8_lossy(&body[..body.len().min(4 * LONGEST)]).into_owned();
            return Self { message, ..Self::default() };
        };
        let error = match value.get("error") {
            Some(inner @ Value::Object(_)) => inner,
            _ => &value,
        };
        let text = |key: &str| match error.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = match (error.get("message"), value.get("error"), value.get("detail")) {
            (Some(Value::String(message)), _, _)
            | (_, Some(Value::String(message)), _)
            | (_, _, Some(Value::String(message))) => message.clone(),
            (_, _, Some(detail)) => detail.to_string(),
            _ => value.to_string(),
        };
        let number = |key: &str| error.get(key).and_then(Value::as_u64).filter(is_likely);
        Self {
            message,
            marks: format!("{} {} {}", text("code"), text("type"), text("param")).to_lowercase(),
            parameter: text("param").to_lowercase(),
            window: number("n_ctx"),
            counted: number("n_prompt_tokens"),
        }
    }

    fn all(&self) -> String {
        format!("{} {}", self.marks, self.message.to_lowercase())
    }

    fn overflows(&self) -> bool {
        let words = self.all();
        [
            "context_length_exceeded",
            "exceed_context_size",
            "request_too_large",
            "contextwindowexceeded",
            "maximum context length",
            "context window",
            "context size",
            "context length",
            "prompt is too long",
            "input is too long",
            "input token count",
        ]
        .iter()
        .any(|text| words.contains(text))
    }

    /// Returns the numbers of an overflow, from separate fields or from the message.
    fn overflow(&self) -> ContextOverflow {
        let words = self.message.to_lowercase();
        let behind = |marks: &[&str]| marks.iter().find_map(|mark| number_behind(&words, mark));
        let before = |marks: &[&str]| marks.iter().find_map(|mark| number_before(&words, mark));
        let window = self
            .window
            .or_else(|| behind(&["maximum context length is", "context window of", "tokens allowed (", "tokens >"]))
            .or_else(|| before(&[" maximum"]));
        let counted = self
            .counted
            .or_else(|| before(&[" in the messages", " in your prompt", " of text input"]))
            .or_else(|| behind(&["resulted in", "prompt is too long:", "input token count (", "your request has"]));
        ContextOverflow { window, counted }
    }

    /// Returns the part of the request that the server does not accept.
    fn refused(&self) -> Option<RequestFeature> {
        let words = self.all();
        let about = |names: &[&str]| names.iter().any(|name| self.parameter.starts_with(name) || words.contains(name));
        let unsupported = [
            "unsupported", "not support", "unrecognized", "unknown", "extra", "not permitted", "invalid",
            "not allowed", "only the default",
        ]
        .iter()
        .any(|word| words.contains(word));
        if about(&["response_format", "json_schema", "json_object", "structured output", "guided decoding", "grammar"])
        {
            return Some(RequestFeature::AnswerFormat);
        }
        if !unsupported {
            return None;
        }
        if about(&["max_tokens", "max_completion_tokens"]) && !words.contains("too large") {
            return Some(RequestFeature::AnswerLimit);
        }
        if about(&["service_tier"]) {
            return Some(RequestFeature::ServiceTier);
        }
        if about(&["reasoning_effort", "reasoning.effort"]) {
            return Some(RequestFeature::ReasoningEffort);
        }
        about(&["temperature"]).then_some(RequestFeature::Temperature)
    }

    /// Returns the message on one line, truncated if long.
    fn short(&self) -> String {
        let line = self.message.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{} ...", &line[..at]),
            None => line,
        }
    }
}

fn number_behind(text: &str, mark: &str) -> Option<u64> {
    let at = text.find(mark)? + mark.len();
    number(text[at..].trim_start())
}

fn number_before(text: &str, mark: &str) -> Option<u64> {
    let before = text[..text.find(mark)?].trim_end().trim_end_matches(" tokens");
    let is_other = |c: char| !(c.is_ascii_digit() || c == ',');
    number(before.rsplit(is_other).next().unwrap_or_default())
}

fn number(text: &str) -> Option<u64> {
    let digits: String =
        text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(is_likely)
}

/// Whether a token count is plausible; other numbers from a server are ignored.
fn is_likely(tokens: &u64) -> bool {
    (1..=MOST_TOKENS).contains(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str, expected: CallErrorKind) {
        let found = classify(status, None, body.as_bytes(), SystemTime::UNIX_EPOCH);
        assert_eq!(found.kind, expected, "{status} {body}");
    }

    fn overflow(window: u64, counted: Option<u64>) -> CallErrorKind {
        CallErrorKind::ContextOverflow(ContextOverflow { window: Some(window), counted })
    }

    #[test]
    fn an_overflow_is_known_in_the_shapes_of_four_servers() {
        check(
            400,
            r#"{"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 10021 tokens. Please reduce the length of the messages.", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}"#,
            overflow(8192, Some(10_021)),
        );
        check(
            400,
            r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 213462 tokens > 200000 maximum"}}"#,
            overflow(200_000, Some(213_462)),
        );
        check(
            400,
            r#"{"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.", "type": "BadRequestError", "param": null, "code": 400}"#,
            overflow(4096, Some(4000)),
        );
        check(
            400,
            r#"{"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 1234, "n_ctx": 512}}"#,
            overflow(512, Some(1234)),
        );
        check(
            413,
            "<html><body>413 Request Entity Too Large</body></html>",
            CallErrorKind::ContextOverflow(ContextOverflow::default()),
        );
    }

    #[test]
    fn numbers_that_cannot_be_are_not_believed_and_any_letters_may_stand_before_them() {
        check(
            400,
            r#"{"error": {"message": "context length exceeded \u2014 maximum 8192"}}"#,
            CallErrorKind::ContextOverflow(ContextOverflow::default()),
        );
        check(
            400,
            r#"{"error": {"type": "exceed_context_size_error", "message": "x", "n_prompt_tokens": 0, "n_ctx": 18446744073709551615}}"#,
            CallErrorKind::ContextOverflow(ContextOverflow::default()),
        );
        check(
            400,
            r#"{"message": "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'."}"#,
            overflow(2048, Some(8)),
        );
    }

    #[test]
    fn what_ends_a_run_is_told_from_what_passes() {
        let limited = CallErrorKind::RateLimited { retry_after: None };
        check(429, r#"{"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}"#, limited);
        check(
            429,
            r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#,
            CallErrorKind::Quota,
        );
        check(401, "{}", CallErrorKind::Authentication);
        check(403, "", CallErrorKind::Authentication);
        check(
            404,
            r#"{"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}"#,
            CallErrorKind::UnknownModel,
        );
        for status in [408, 500, 502, 503, 504, 529] {
            check(
                status,
                "oops",
                CallErrorKind::ServerFailed { retry_after: None, has_begun: matches!(status, 408 | 504) },
            );
        }
        check(308, "", CallErrorKind::UnknownModel);
        check(
            400,
            r#"{"error": {"message": "Invalid model name passed in model=X. Call `/v1/models` to view available models.", "code": "400"}}"#,
            CallErrorKind::UnknownModel,
        );
        check(400, r#"{"error": {"message": "bad"}}"#, CallErrorKind::Rejected);
    }

    #[test]
    fn what_a_server_does_not_take_is_known_by_its_name() {
        check(
            400,
            r#"{"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "code": "unsupported_parameter", "param": "max_tokens"}}"#,
            CallErrorKind::NotSupported(RequestFeature::AnswerLimit),
        );
        check(
            400,
            r#"{"error": {"message": "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.", "param": "temperature", "code": "unsupported_value"}}"#,
            CallErrorKind::NotSupported(RequestFeature::Temperature),
        );
        check(
            400,
            r#"{"error": {"message": "Invalid service_tier argument", "type": "invalid_request_error", "param": "service_tier", "code": null}}"#,
            CallErrorKind::NotSupported(RequestFeature::ServiceTier),
        );
        check(
            400,
            r#"{"error": {"message": "Unsupported parameter: 'reasoning_effort' is not supported with this model.", "param": "reasoning_effort", "code": "unsupported_parameter"}}"#,
            CallErrorKind::NotSupported(RequestFeature::ReasoningEffort),
        );
        check(
            400,
            r#"{"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "param": "response_format"}}"#,
            CallErrorKind::NotSupported(RequestFeature::AnswerFormat),
        );
        check(
            422,
            r#"{"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}"#,
            CallErrorKind::NotSupported(RequestFeature::AnswerFormat),
        );
        check(
            400,
            r#"{"error": {"message": "max_tokens is too large: 16000. This model supports at most 4096 completion tokens.", "param": "max_tokens", "code": "invalid_value"}}"#,
            CallErrorKind::Rejected,
        );
    }

    #[test]
    fn a_wait_is_seconds_or_a_date_and_else_nothing() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let check = |header: &str, expected: Option<u64>| {
            assert_eq!(parse_retry_after(header, now).map(|wait| wait.as_millis() as u64), expected, "{header}");
        };
        check("7", Some(7000));
        check(" 0.25 ", Some(250));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(7000));
        check("Sun, 06 Nov 1994 08:49:00 GMT", Some(0));
        check("3600", Some(3_600_000));
        for garbage in ["soon", "", "-3", "NaN", "inf", "1e300"] {
            check(garbage, None);
        }
    }

    #[test]
    fn an_error_inside_an_answer_is_one_all_the_same() {
        let inside = |text: &str| classify_embedded(&serde_json::from_str(text).unwrap(), SystemTime::UNIX_EPOCH);
        assert_eq!(inside(r#"{"message": "x", "code": 429}"#).kind, CallErrorKind::RateLimited { retry_after: None });
        let other = inside(r#"{"message": "upstream is gone"}"#);
        assert_eq!(other.kind, CallErrorKind::ServerFailed { retry_after: None, has_begun: false });
        assert_eq!(other.message, "an error inside an answer: upstream is gone");
    }
}
