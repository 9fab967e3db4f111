//! From a request to what is sent back.

use super::connections::{self, ConnectionHandle};
use super::contract::ContractRequest;
use super::errors;
use super::extract;
use super::listed_rows::listed_rows;
use super::log::{CallPurpose, Nonce};
use super::options::Extraction;
use super::perfect_scribe::{self, FakeAnswer};
use super::script::{CallFault, FalseClaim, Window};
use super::tokenizer::Tokenizer;
use crate::word_bank::WordBank;
use crate::word_lies::WordLie;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// More than a client may take for an answer.
const FLOOD: usize = 9 * 1024 * 1024;

/// What is sent, and what is noted of it.
#[derive(Debug, Default)]
pub(crate) struct FakeReply {
    /// None when the connection is closed, or nothing is ever sent.
    pub(crate) status: Option<u16>,
    pub(crate) retry_after: Option<String>,
    pub(crate) text: String,
    pub(crate) content_type: &'static str,
    pub(crate) way: BodyDelivery,
    pub(crate) finish: Option<String>,
    pub(crate) completion_tokens: u64,
    /// The items of a whole answer.
    pub(crate) nonces: Vec<Nonce>,
}

/// How a body is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum BodyDelivery {
    #[default]
    Whole,
    BrokenByte,
    Drip(usize, Duration),
    Stall,
    Cut,
    Reset,
    Silence,
}

impl FakeReply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, body.to_string(), "application/json")
    }

    fn text(status: u16, text: String, content_type: &'static str) -> Self {
        Self { status: Some(status), text, content_type, ..Self::default() }
    }

    /// Sends it over a line.
    pub(crate) async fn send(self, line: &ConnectionHandle) -> Response<Body> {
        let length = self.text.len();
        let body = match self.way {
            BodyDelivery::Whole => Body::from(self.text),
            BodyDelivery::BrokenByte => Body::from(broken(self.text)),
            BodyDelivery::Drip(bytes, pause) => connections::dripping(self.text, bytes, pause),
            BodyDelivery::Stall => connections::stalled(&self.text),
            BodyDelivery::Cut => connections::cut(&self.text),
            BodyDelivery::Reset => {
                line.close();
                Body::empty()
            }
            BodyDelivery::Silence => std::future::pending().await,
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status.and_then(|s| StatusCode::from_u16(s).ok()).unwrap_or_default();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert("x-request-id", HeaderValue::from_static("req_fake"));
        if matches!(self.way, BodyDelivery::Stall | BodyDelivery::Cut) {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(after) = self.retry_after.and_then(|after| HeaderValue::from_str(&after).ok()) {
            headers.insert(header::RETRY_AFTER, after);
        }
        response
    }
}

/// A completion with one byte that is no UTF-8 in the words of its first summary.
fn broken(text: String) -> Vec<u8> {
    let before = r#"summary\":\""#;
    let words = text.find(before).map(|at| at + before.len()).expect("an answer has a summary");
    let mut bytes = text.into_bytes();
    bytes[words] = 0xff;
    bytes
}

/// What a reply is made of.
pub(crate) struct ReplyBuilder<'a> {
    pub(crate) request: &'a ContractRequest,
    pub(crate) body: &'a Value,
    pub(crate) tokenizer: Option<Tokenizer>,
    pub(crate) prompt_tokens: u64,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) window: Option<Window>,
    pub(crate) by_ids: bool,
    pub(crate) cached_tokens: u64,
    pub(crate) untruth: Option<FalseClaim>,
    pub(crate) words: Option<&'a (Arc<WordBank>, Option<WordLie>)>,
    pub(crate) extraction: Extraction,
}

impl ReplyBuilder<'_> {
    /// The reply to a request that keeps the contract.
    pub(crate) fn reply(&self, fault: Option<&CallFault>) -> FakeReply {
        if let Some(reply) = fault.and_then(|fault| self.instead(fault)) {
            return reply;
        }
        let forced = match fault {
            Some(CallFault::Overflow(shape)) => {
                let window = self.window.map_or(self.prompt_tokens / 3, |window| window.tokens);
                Some(Window { tokens: window, ratio: 1.0, overflow: *shape })
            }
            _ => None,
        };
        let mut seen = self.prompt_tokens;
        let (mut is_blind, mut dropped) = (false, 0);
        if let Some(window) = forced.or(self.window) {
            let counted = (self.prompt_tokens as f64 * window.ratio).ceil() as u64;
            seen = counted.min(window.tokens);
            if counted > window.tokens {
                let answer = self.max_tokens.unwrap_or_default();
                match errors::overflow(window.overflow, counted, window.tokens, answer) {
                    Some((status, body)) => return FakeReply::json(status, &body),
                    None => (is_blind, dropped) = (true, self.rows_dropped(window)),
                }
            }
        }
        let untruth = match fault {
            Some(CallFault::Untrue(untruth)) => Some(*untruth),
            _ => self.untruth,
        };
        let answer = self.answer(untruth, dropped);
        let mut reply = self.dressed(answer, fault, seen);
        if is_blind {
            // Who notices throws the answer away, so nobody may look for its items.
            reply.nonces.clear();
        }
        reply
    }

    /// What comes in place of any answer.
    fn instead(&self, fault: &CallFault) -> Option<FakeReply> {
        let limited = |after: Option<String>| {
            Some(FakeReply { retry_after: after, ..FakeReply::json(429, &errors::rate_limited()) })
        };
        let model = self.body["model"].as_str().unwrap_or_default();
        match fault {
            CallFault::RateLimited(after) => limited(after.clone()),
            CallFault::RateLimitedUntil(seconds) => {
                limited(Some(httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(*seconds))))
            }
            CallFault::Quota => Some(FakeReply::json(429, &errors::quota())),
            CallFault::Unauthorized => Some(FakeReply::json(401, &errors::unauthorized())),
            CallFault::Forbidden => Some(FakeReply::json(403, &errors::forbidden())),
            CallFault::UnknownModel => Some(FakeReply::json(404, &errors::unknown_model(model))),
            CallFault::Status(status) => {
                let (text, content_type) = errors::failure(*status);
                Some(FakeReply::text(*status, text, content_type))
            }
            CallFault::Answer(status, text) => Some(FakeReply::text(*status, text.clone(), "application/json")),
            CallFault::Reset => {
                Some(FakeReply { status: None, way: BodyDelivery::Reset, ..FakeReply::json(200, &Value::Null) })
            }
            CallFault::Silence => {
                Some(FakeReply { status: None, way: BodyDelivery::Silence, ..FakeReply::json(200, &Value::Null) })
            }
            CallFault::Html => Some(FakeReply::text(200, errors::page("Sign in to continue"), "text/html")),
            CallFault::ErrorInside => {
                let inside = errors::openai("Upstream request failed.", "upstream_error", None, Some("502"));
                Some(FakeReply::json(200, &inside))
            }
            _ => None,
        }
    }

    /// How many rows of the block a server does not see that drops the front of a prompt.
    fn rows_dropped(&self, window: Window) -> usize {
        let Some(tokenizer) = self.tokenizer else { return 0 };
        let kept = (window.tokens as f64 / window.ratio) as u64;
        let user = &self.request.user;
        let start = user.find("<<<SOURCE ").or_else(|| user.find("<<<INPUT ")).unwrap_or_default();
        let lines: Vec<&str> = user[start..].split_inclusive('\n').collect();
        let mut left = kept;
        let mut seen = 0;
        for line in lines.iter().rev() {
            let cost = tokenizer.count(line);
            if cost > left {
                break;
            }
            left -= cost;
            seen += 1;
        }
        // The header and the end are lines of the block, and no rows.
        lines.len().saturating_sub(seen + 1)
    }

    fn answer(&self, untruth: Option<FalseClaim>, dropped: usize) -> FakeAnswer {
        let plain = |json: Value| FakeAnswer { json, nonces: Vec::new() };
        if let Some(part) = &self.request.part {
            let schema = &self.body["response_format"]["json_schema"]["schema"];
            let mut rest = crate::PartBlock::clone(part);
            rest.text = part.text.split_inclusive('\n').skip(dropped).collect();
            return plain(extract::answer(&rest, schema, self.extraction));
        }
        if self.request.purpose == CallPurpose::Summary {
            return plain(extract::summed(&self.request.user));
        }
        if self.request.purpose == CallPurpose::Estate {
            return plain(perfect_scribe::estate(&self.request.user));
        }
        let Some(block) = &self.request.block else {
            return plain(perfect_scribe::overview(&self.request.user));
        };
        debug_assert_eq!(self.request.purpose, CallPurpose::Documentation);
        let listed = if self.by_ids { listed_rows(&self.request.user) } else { Vec::new() };
        if let Some((bank, lie)) = self.words {
            let schema = &self.body["response_format"]["json_schema"]["schema"];
            return plain(bank.answer(block, schema, *lie, &listed));
        }
        let file = self.request.file();
        if dropped == 0 {
            return perfect_scribe::answer(block, &file, untruth, &listed);
        }
        let mut rows = block.rows.clone();
        rows.iter_mut().take(dropped).for_each(String::clear);
        let (word, chunk) = (block.word.clone(), block.chunk.clone());
        let rest = crate::SourceBlock { word, file: block.file.clone(), chunk, rows };
        perfect_scribe::answer(&rest, &file, untruth, &listed)
    }

    /// An answer as a completion, with what is wrong about its form.
    fn dressed(&self, mut answer: FakeAnswer, fault: Option<&CallFault>, seen: u64) -> FakeReply {
        match fault {
            Some(CallFault::WrongSchema) => strings_for_objects(&mut answer.json),
            Some(CallFault::BadItem) => with_bad_items(&mut answer.json),
            Some(CallFault::OtherJson(json)) => {
                answer =
                    FakeAnswer { json: serde_json::from_str(json).expect("the test gives JSON"), nonces: Vec::new() };
            }
            _ => {}
        }
        let json = answer.json.to_string();
        let (mut content, mut finish) = (json.clone(), "stop");
        match fault {
            Some(CallFault::Fenced) => content = format!("```json\n{json}\n```"),
            Some(CallFault::Prose) => {
                content =
                    format!("Here is the documentation you asked for:\n\n{json}\n\nTell me if you need {{more}}.");
            }
            Some(CallFault::InvalidJson) => content.truncate(floor(&json, json.len() * 2 / 3)),
            Some(CallFault::EmptyContent | CallFault::ContentFilter | CallFault::Refused) => content.clear(),
            Some(CallFault::UnknownFields) => finish = "eos_token",
            _ => {}
        }
        let mut limit = self.max_tokens;
        let mut tokens = 0;
        if let Some(tokenizer) = self.tokenizer {
            if fault == Some(&CallFault::Truncated) {
                limit = Some(limit.unwrap_or(u64::MAX).min(tokenizer.count(&content) / 3));
            }
            let whole = content.len();
            (content, tokens) = tokenizer.cut(&content, limit.unwrap_or(u64::MAX));
            if content.len() < whole {
                finish = "length";
            }
        } else if fault == Some(&CallFault::Truncated) {
            content.truncate(floor(&content, content.len() / 3));
            finish = "length";
        }
        if fault == Some(&CallFault::ContentFilter) {
            finish = "content_filter";
        }
        let text = json!(content);
        let (content, refusal) = match fault {
            Some(CallFault::Refused) => (Value::Null, json!("I'm sorry, I can't help with that.")),
            Some(CallFault::ContentFilter) => (Value::Null, Value::Null),
            _ => (text, Value::Null),
        };
        let message = json!({"role": "assistant", "content": content, "refusal": refusal});
        let mut body = json!({"id": "chatcmpl-fake", "object": "chat.completion", "created": 1_700_000_000,
            "model": self.body["model"], "choices": [{"index": 0, "message": message, "logprobs": null,
            "finish_reason": finish}], "system_fingerprint": "fp_fake"});
        if self.tokenizer.is_some() {
            body["usage"] = json!({"prompt_tokens": seen, "completion_tokens": tokens, "total_tokens": seen + tokens});
            if self.cached_tokens > 0 {
                body["usage"]["prompt_tokens_details"] = json!({"cached_tokens": self.cached_tokens});
            }
        }
        match fault {
            Some(CallFault::NoChoices) => body["choices"] = json!([]),
            Some(CallFault::UnknownFields) => {
                body["service_tier"] = json!("galactic");
                body["moods"] = json!({"of": ["the", "day"]});
                body["choices"][0]["stop_reason"] = json!(7);
                body["choices"][0]["message"]["reasoning_content"] = json!("Let me see.");
            }
            _ => {}
        }
        let mut reply = FakeReply::json(200, &body);
        match fault {
            Some(CallFault::Drip { bytes, pause }) => reply.way = BodyDelivery::Drip(*bytes, *pause),
            Some(CallFault::BrokenByte) => reply.way = BodyDelivery::BrokenByte,
            Some(CallFault::Stall) => reply.way = BodyDelivery::Stall,
            Some(CallFault::Cut) => reply.way = BodyDelivery::Cut,
            Some(CallFault::Flood) => reply.text.push_str(&" ".repeat(FLOOD)),
            _ => {}
        }
        let spoilt = [
            CallFault::InvalidJson,
            CallFault::WrongSchema,
            CallFault::NoChoices,
            CallFault::Flood,
            CallFault::Cut,
            CallFault::Stall,
        ];
        let is_whole = matches!(finish, "stop" | "eos_token") && !fault.is_some_and(|fault| spoilt.contains(fault));
        let is_empty = body["choices"][0]["message"]["content"].as_str().is_none_or(str::is_empty);
        if is_whole && !is_empty {
            reply.nonces = answer.nonces;
        }
        reply.finish = Some(finish.to_owned());
        reply.completion_tokens = tokens;
        reply
    }
}

/// The greatest index up to `at` where a character ends.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

fn lists(json: &mut Value, change: &mut dyn FnMut(&mut Vec<Value>)) {
    let Some(fields) = json.as_object_mut() else { return };
    for (name, field) in fields {
        match field {
            Value::Array(items) if name != "citations" => change(items),
            Value::Object(_) if name == "data_flow" => lists(field, change),
            _ => {}
        }
    }
}

fn strings_for_objects(json: &mut Value) {
    lists(json, &mut |items| items.iter_mut().for_each(|item| *item = json!(item.to_string())));
    if json.get("purpose").is_some() {
        json["purpose"] = json!("It does what it does.");
    }
}

/// Beside the good items of each list one whose citation is no range of numbers.
fn with_bad_items(json: &mut Value) {
    lists(json, &mut |items| {
        let Some(mut broken) = items.first().cloned() else { return };
        if broken["citations"].is_null() {
            broken["id"] = json!({"no": "identifier"});
            return items.insert(1, broken);
        }
        broken["citations"] = json!([{"start": "the first", "end": -1, "quote": 7}]);
        for text in ["summary", "purpose", "description", "action"] {
            if broken[text].is_string() {
                broken[text] = json!("It is broken.");
            }
        }
        items.insert(1, broken);
    });
}
