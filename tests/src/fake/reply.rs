//! From a request to what is sent back.

use super::contract::Request;
use super::count::Tokenizer;
use super::errors;
use super::extract;
use super::log::{Nonce, Purpose};
use super::options::Extraction;
use super::perfect::{self, Answer};
use super::script::{Fault, Untruth, Window};
use super::wire::{self, Line};
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// More than a client may take for an answer.
const FLOOD: usize = 9 * 1024 * 1024;

/// What is sent, and what is noted of it.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// None when the connection is closed, or nothing is ever sent.
    pub(crate) status: Option<u16>,
    pub(crate) retry_after: Option<String>,
    pub(crate) text: String,
    pub(crate) content_type: &'static str,
    pub(crate) way: Way,
    pub(crate) finish: Option<String>,
    pub(crate) completion_tokens: u64,
    /// The items of a whole answer.
    pub(crate) nonces: Vec<Nonce>,
}

/// How a body is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Way {
    #[default]
    Whole,
    BrokenByte,
    Drip(usize, Duration),
    Stall,
    Cut,
    Reset,
    Silence,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, body.to_string(), "application/json")
    }

    fn text(status: u16, text: String, content_type: &'static str) -> Self {
        Self { status: Some(status), text, content_type, ..Self::default() }
    }

    /// Sends it over a line.
    pub(crate) async fn send(self, line: &Line) -> Response<Body> {
        let length = self.text.len();
        let body = match self.way {
            Way::Whole => Body::from(self.text),
            Way::BrokenByte => Body::from(broken(self.text)),
            Way::Drip(bytes, pause) => wire::dripping(self.text, bytes, pause),
            Way::Stall => wire::stalled(&self.text),
            Way::Cut => wire::cut(&self.text),
            Way::Reset => {
                line.close();
                Body::empty()
            }
            Way::Silence => std::future::pending().await,
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status.and_then(|s| StatusCode::from_u16(s).ok()).unwrap_or_default();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert("x-request-id", HeaderValue::from_static("req_fake"));
        if matches!(self.way, Way::Stall | Way::Cut) {
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
pub(crate) struct Maker<'a> {
    pub(crate) request: &'a Request,
    pub(crate) body: &'a Value,
    pub(crate) tokenizer: Option<Tokenizer>,
    pub(crate) prompt_tokens: u64,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) window: Option<Window>,
    pub(crate) untruth: Option<Untruth>,
    pub(crate) extraction: Extraction,
}

impl Maker<'_> {
    /// The reply to a request that keeps the contract.
    pub(crate) fn reply(&self, fault: Option<&Fault>) -> Reply {
        if let Some(reply) = fault.and_then(|fault| self.instead(fault)) {
            return reply;
        }
        let forced = match fault {
            Some(Fault::Overflow(shape)) => {
                let window = self.window.map_or(self.prompt_tokens / 2, |window| window.tokens);
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
                    Some((status, body)) => return Reply::json(status, &body),
                    None => (is_blind, dropped) = (true, self.rows_dropped(window)),
                }
            }
        }
        let untruth = match fault {
            Some(Fault::Untrue(untruth)) => Some(*untruth),
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
    fn instead(&self, fault: &Fault) -> Option<Reply> {
        let limited = |after: Option<String>| {
            Some(Reply { retry_after: after, ..Reply::json(429, &errors::rate_limited()) })
        };
        let model = self.body["model"].as_str().unwrap_or_default();
        match fault {
            Fault::RateLimited(after) => limited(after.clone()),
            Fault::RateLimitedUntil(seconds) => {
                limited(Some(httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(*seconds))))
            }
            Fault::Quota => Some(Reply::json(429, &errors::quota())),
            Fault::Unauthorized => Some(Reply::json(401, &errors::unauthorized())),
            Fault::Forbidden => Some(Reply::json(403, &errors::forbidden())),
            Fault::UnknownModel => Some(Reply::json(404, &errors::unknown_model(model))),
            Fault::Status(status) => {
                let (text, content_type) = errors::failure(*status);
                Some(Reply::text(*status, text, content_type))
            }
            Fault::Answer(status, text) => Some(Reply::text(*status, text.clone(), "application/json")),
            Fault::Reset => Some(Reply { status: None, way: Way::Reset, ..Reply::json(200, &Value::Null) }),
            Fault::Silence => {
                Some(Reply { status: None, way: Way::Silence, ..Reply::json(200, &Value::Null) })
            }
            Fault::Html => Some(Reply::text(200, errors::page("Sign in to continue"), "text/html")),
            Fault::ErrorInside => {
                let inside = errors::openai("Upstream request failed.", "upstream_error", None, Some("502"));
                Some(Reply::json(200, &inside))
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

    fn answer(&self, untruth: Option<Untruth>, dropped: usize) -> Answer {
        let plain = |json: Value| Answer { json, nonces: Vec::new() };
        if let Some(part) = &self.request.part {
            let schema = &self.body["response_format"]["json_schema"]["schema"];
            let mut rest = crate::PartBlock::clone(part);
            rest.text = part.text.split_inclusive('\n').skip(dropped).collect();
            return plain(extract::answer(&rest, schema, self.extraction));
        }
        if self.request.purpose == Purpose::Summary {
            return plain(extract::summed(&self.request.user));
        }
        let Some(block) = &self.request.block else {
            let schema = &self.body["response_format"]["json_schema"]["schema"];
            return plain(perfect::reconciled(schema));
        };
        debug_assert_eq!(self.request.purpose, Purpose::Documentation);
        let file = self.request.file();
        if dropped == 0 {
            return perfect::answer(block, &file, untruth);
        }
        let mut rows = block.rows.clone();
        rows.iter_mut().take(dropped).for_each(String::clear);
        let (word, chunk) = (block.word.clone(), block.chunk.clone());
        let rest = crate::SourceBlock { word, file: block.file.clone(), chunk, rows };
        perfect::answer(&rest, &file, untruth)
    }

    /// An answer as a completion, with what is wrong about its form.
    fn dressed(&self, mut answer: Answer, fault: Option<&Fault>, seen: u64) -> Reply {
        match fault {
            Some(Fault::WrongSchema) => strings_for_objects(&mut answer.json),
            Some(Fault::BadItem) => with_bad_items(&mut answer.json),
            _ => {}
        }
        let json = answer.json.to_string();
        let (mut content, mut finish) = (json.clone(), "stop");
        match fault {
            Some(Fault::Fenced) => content = format!("```json\n{json}\n```"),
            Some(Fault::Prose) => {
                content = format!(
                    "Here is the documentation you asked for:\n\n{json}\n\nTell me if you need {{more}}."
                );
            }
            Some(Fault::InvalidJson) => content.truncate(floor(&json, json.len() * 2 / 3)),
            Some(Fault::EmptyContent | Fault::ContentFilter | Fault::Refused) => content.clear(),
            Some(Fault::UnknownFields) => finish = "eos_token",
            _ => {}
        }
        let mut limit = self.max_tokens;
        let mut tokens = 0;
        if let Some(tokenizer) = self.tokenizer {
            if fault == Some(&Fault::Truncated) {
                limit = Some(limit.unwrap_or(u64::MAX).min(tokenizer.count(&content) / 3));
            }
            let whole = content.len();
            (content, tokens) = tokenizer.cut(&content, limit.unwrap_or(u64::MAX));
            if content.len() < whole {
                finish = "length";
            }
        } else if fault == Some(&Fault::Truncated) {
            content.truncate(floor(&content, content.len() / 3));
            finish = "length";
        }
        if fault == Some(&Fault::ContentFilter) {
            finish = "content_filter";
        }
        let text = json!(content);
        let (content, refusal) = match fault {
            Some(Fault::Refused) => (Value::Null, json!("I'm sorry, I can't help with that.")),
            Some(Fault::ContentFilter) => (Value::Null, Value::Null),
            _ => (text, Value::Null),
        };
        let message = json!({"role": "assistant", "content": content, "refusal": refusal});
        let mut body = json!({"id": "chatcmpl-fake", "object": "chat.completion", "created": 1_700_000_000,
            "model": self.body["model"], "choices": [{"index": 0, "message": message, "logprobs": null,
            "finish_reason": finish}], "system_fingerprint": "fp_fake"});
        if self.tokenizer.is_some() {
            body["usage"] =
                json!({"prompt_tokens": seen, "completion_tokens": tokens, "total_tokens": seen + tokens});
        }
        match fault {
            Some(Fault::NoChoices) => body["choices"] = json!([]),
            Some(Fault::UnknownFields) => {
                body["service_tier"] = json!("galactic");
                body["moods"] = json!({"of": ["the", "day"]});
                body["choices"][0]["stop_reason"] = json!(7);
                body["choices"][0]["message"]["reasoning_content"] = json!("Let me see.");
            }
            _ => {}
        }
        let mut reply = Reply::json(200, &body);
        match fault {
            Some(Fault::Drip { bytes, pause }) => reply.way = Way::Drip(*bytes, *pause),
            Some(Fault::BrokenByte) => reply.way = Way::BrokenByte,
            Some(Fault::Stall) => reply.way = Way::Stall,
            Some(Fault::Cut) => reply.way = Way::Cut,
            Some(Fault::Flood) => reply.text.push_str(&" ".repeat(FLOOD)),
            _ => {}
        }
        let spoilt = [
            Fault::InvalidJson,
            Fault::WrongSchema,
            Fault::NoChoices,
            Fault::Flood,
            Fault::Cut,
            Fault::Stall,
        ];
        let is_whole =
            matches!(finish, "stop" | "eos_token") && !fault.is_some_and(|fault| spoilt.contains(fault));
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
