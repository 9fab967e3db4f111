//! Files and batches of the fake.
//!
//! It owns the time: a batch ends when it has been looked at so often as the options say. The requests of a batch are answered as calls are, by the same
//! Scribe and with the same faults.

use super::errors;
use super::reply::FakeReply;
use super::server::FakeServer;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the batches of a fake go.
#[derive(Debug, Clone, Default)]
pub struct BatchScript {
    /// How often a batch is looked at before it ends.
    pub looks: usize,
    /// What goes wrong, in the order in which the batches were created. Batches beyond go well.
    pub faults: Vec<BatchFault>,
    /// How many files are refused as one too many.
    pub too_many: usize,
    /// Whether the key may not use batches.
    pub is_forbidden: bool,
}

/// What goes wrong with a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchFault {
    /// Nothing.
    None,
    /// It expires when so many of its requests are answered.
    Expires(usize),
    /// Somebody else cancels it when so many of its requests are answered.
    CancelledElsewhere(usize),
    /// It fails as a whole, with nothing answered.
    Fails,
    /// There is no room for its tokens.
    NoRoom,
    /// The answers come in the other order, and each line twice.
    TwiceAndReversed,
    /// Every so manieth line is missing.
    Missing(usize),
    /// The file of answers is cut in the middle, the first time that it is fetched.
    CutOnce,
    /// The last line of the file of answers is missing, the first time that it is fetched.
    CutAtLineOnce,
    /// The file of answers is cut in the middle, always.
    CutAlways,
    /// Every request is refused, for one reason.
    Refused,
    /// The connection is closed after the batch was created, before its id is told.
    Unanswered,
}

/// The files and batches of a fake.
#[derive(Debug, Default)]
pub(crate) struct BatchState {
    files: BTreeMap<String, Vec<u8>>,
    fetched: BTreeMap<String, usize>,
    batches: Vec<FakeBatch>,
    refused: usize,
}

#[derive(Debug, Clone)]
struct FakeBatch {
    id: String,
    input: String,
    status: &'static str,
    looks: usize,
    fault: BatchFault,
    metadata: Value,
    files: [Option<String>; 2],
    counts: [usize; 3],
    headers: HeaderMap,
}

/// A batch, as a test sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenBatch {
    /// Its requests, each the file of the answer's call in the log, in order.
    pub requests: usize,
    /// Its status.
    pub status: &'static str,
}

impl BatchState {
    pub(crate) fn seen(&self) -> Vec<SeenBatch> {
        let seen = |batch: &FakeBatch| SeenBatch { requests: self.lines(batch).len(), status: batch.status };
        self.batches.iter().map(seen).collect()
    }

    pub(crate) fn files(&self) -> usize {
        self.files.len()
    }

    fn lines(&self, batch: &FakeBatch) -> Vec<Value> {
        let bytes = self.files.get(&batch.input).map(Vec::as_slice).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).expect("a line of a batch is JSON")).collect()
    }

    fn add_file(&mut self, kind: &str, bytes: Vec<u8>) -> String {
        let id = format!("file-{kind}-{}", self.files.len() + self.fetched.len() + self.batches.len());
        self.files.insert(id.clone(), bytes);
        id
    }
}

impl FakeBatch {
    fn told(&self) -> Value {
        let [total, completed, failed] = self.counts;
        let error = match (self.status, self.fault) {
            ("failed", BatchFault::NoRoom) => {
                json!({"data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}]})
            }
            ("failed", _) => json!({"data": [{"code": "invalid_request", "message": "The file is no good."}]}),
            _ => Value::Null,
        };
        json!({
            "id": self.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": self.input, "status": self.status,
            "output_file_id": self.files[0], "error_file_id": self.files[1], "errors": error, "metadata": self.metadata,
            "request_counts": {"total": total, "completed": completed, "failed": failed}, "completion_window": "24h",
        })
    }
}

fn not_found() -> FakeReply {
    FakeReply::json(404, &errors::openai("No such thing.", "invalid_request_error", None, Some("not_found")))
}

impl FakeServer {
    /// Whether files and batches may be used with this key; else what it is told.
    pub(crate) fn admits_batches(&self, key: Option<&str>) -> Result<(), Box<FakeReply>> {
        if self.options.key.is_some() && self.options.key.as_deref() != key {
            return Err(Box::new(FakeReply::json(401, &errors::unauthorized())));
        }
        match self.options.batches.is_forbidden {
            true => Err(Box::new(FakeReply::json(
                403,
                &errors::openai(
                    "You have insufficient permissions for this operation.",
                    "invalid_request_error",
                    None,
                    None,
                ),
            ))),
            false => Ok(()),
        }
    }

    /// Keeps the file of a multipart body.
    pub(crate) fn upload(&self, headers: &HeaderMap, body: &[u8]) -> FakeReply {
        let mut state = self.state();
        if state.batches.refused < self.options.batches.too_many {
            state.batches.refused += 1;
            return FakeReply::json(
                429,
                &errors::openai("Too many files.", "requests", None, Some("rate_limit_exceeded")),
            );
        }
        let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let Some((_, boundary)) = kind.split_once("boundary=") else {
            return FakeReply::json(400, &errors::openai("no boundary", "invalid_request_error", None, None));
        };
        let mark = format!("\r\n--{boundary}").into_bytes();
        let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|window| window == what);
        let named = find(body, b"filename=").expect("the form has a file");
        let start = named + find(&body[named..], b"\r\n\r\n").expect("the file has a head") + 4;
        let end = start + find(&body[start..], &mark).expect("the file has an end");
        assert!(find(body, b"\r\n\r\nbatch\r\n").is_some(), "the purpose is `batch`");
        let id = state.batches.add_file("in", body[start..end].to_vec());
        FakeReply::json(200, &json!({"id": id, "object": "file", "purpose": "batch", "bytes": end - start}))
    }

    pub(crate) fn content(&self, file: &str) -> FakeReply {
        let mut state = self.state();
        let Some(bytes) = state.batches.files.get(file).cloned() else { return not_found() };
        let fetched = state.batches.fetched.entry(file.to_owned()).or_default();
        *fetched += 1;
        let times = *fetched;
        let of_batch = state.batches.batches.iter().find(|batch| batch.files[0].as_deref() == Some(file));
        let end = match of_batch.map(|batch| batch.fault) {
            Some(BatchFault::CutOnce) if times == 1 => bytes.len() / 2 + 1,
            Some(BatchFault::CutAlways) => bytes.len() / 2 + 1,
            Some(BatchFault::CutAtLineOnce) if times == 1 => {
                let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n');
                last.map_or(0, |before| before + 1)
            }
            _ => bytes.len(),
        };
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        FakeReply { status: Some(200), text, content_type: "application/jsonl", ..FakeReply::default() }
    }

    pub(crate) fn delete_file(&self, file: &str) -> FakeReply {
        match self.state().batches.files.remove(file) {
            Some(_) => FakeReply::json(200, &json!({"id": file, "deleted": true})),
            None => not_found(),
        }
    }

    pub(crate) fn create_batch(&self, headers: HeaderMap, body: &Value) -> FakeReply {
        let mut state = self.state();
        let input = body["input_file_id"].as_str().unwrap_or_default().to_owned();
        if !state.batches.files.contains_key(&input) {
            return not_found();
        }
        let number = state.batches.batches.len();
        let fault = self.options.batches.faults.get(number).copied().unwrap_or(BatchFault::None);
        let batch = FakeBatch {
            id: format!("batch-{number}"),
            input,
            status: "validating",
            looks: 0,
            fault,
            metadata: body["metadata"].clone(),
            files: [None, None],
            counts: [0; 3],
            headers,
        };
        let told = batch.told();
        state.batches.batches.push(batch);
        match fault {
            BatchFault::Unanswered => FakeReply {
                status: Some(502),
                text: "gone".to_owned(),
                content_type: "text/plain",
                ..FakeReply::default()
            },
            _ => FakeReply::json(200, &told),
        }
    }

    pub(crate) fn list_batches(&self) -> FakeReply {
        let state = self.state();
        let all: Vec<Value> = state.batches.batches.iter().rev().map(FakeBatch::told).collect();
        FakeReply::json(200, &json!({"object": "list", "data": all, "has_more": false}))
    }

    pub(crate) async fn look_at_batch(self: &Arc<Self>, id: &str, key: Option<String>) -> FakeReply {
        let is_due = {
            let mut state = self.state();
            let Some(batch) = state.batches.batches.iter_mut().find(|batch| batch.id == id) else { return not_found() };
            batch.looks += 1;
            let is_open = matches!(batch.status, "validating" | "in_progress" | "cancelling");
            if batch.status == "validating" {
                batch.status = "in_progress";
            }
            is_open && (batch.status == "cancelling" || batch.looks > self.options.batches.looks)
        };
        if is_due {
            self.end_batch(id, key).await;
        }
        let state = self.state();
        let batch = state.batches.batches.iter().find(|batch| batch.id == id).expect("it was there before");
        FakeReply::json(200, &batch.told())
    }

    pub(crate) fn cancel_batch(&self, id: &str) -> FakeReply {
        let mut state = self.state();
        let Some(batch) = state.batches.batches.iter_mut().find(|batch| batch.id == id) else { return not_found() };
        batch.status = "cancelling";
        FakeReply::json(200, &batch.told())
    }

    /// Answers the requests of a batch, as far as it comes.
    async fn end_batch(self: &Arc<Self>, id: &str, key: Option<String>) {
        let (lines, fault, is_cancelling, headers) = {
            let state = self.state();
            let batch = state.batches.batches.iter().find(|batch| batch.id == id).expect("it is there");
            (state.batches.lines(batch), batch.fault, batch.status == "cancelling", batch.headers.clone())
        };
        let (most, end) = match fault {
            BatchFault::Fails | BatchFault::NoRoom => (0, "failed"),
            BatchFault::Expires(count) => (count, "expired"),
            BatchFault::CancelledElsewhere(count) => (count, "cancelled"),
            _ if is_cancelling => (1, "cancelled"),
            _ => (usize::MAX, "completed"),
        };
        let (mut answered, mut failed) = (Vec::new(), Vec::new());
        for (number, line) in lines.iter().enumerate() {
            let custom_id = &line["custom_id"];
            let code = match end {
                "expired" => "batch_expired",
                _ => "batch_cancelled",
            };
            if number >= most {
                if end != "failed" {
                    let error = json!({"code": code, "message": "It was not executed."});
                    failed
                        .push(json!({"id": "x", "custom_id": custom_id, "response": null, "error": error}).to_string());
                }
                continue;
            }
            if fault == BatchFault::Refused {
                let body = errors::openai(
                    "This model is not offered in batches.",
                    "invalid_request_error",
                    None,
                    Some("unsupported"),
                );
                failed.push(
                    json!({"custom_id": custom_id, "response": {"status_code": 400, "body": body}, "error": null})
                        .to_string(),
                );
                continue;
            }
            let reply = self.answer_in_batch(headers.clone(), key.clone(), line["body"].clone(), id).await;
            let status = reply.status.unwrap_or(500);
            let body: Value = serde_json::from_str(&reply.text).unwrap_or(Value::Null);
            let told = json!({"id": "x", "custom_id": custom_id, "response": {"status_code": status, "request_id": "", "body": body}, "error": null});
            if status == 200 { answered.push(told.to_string()) } else { failed.push(told.to_string()) }
        }
        let counts = [lines.len(), answered.len(), failed.len()];
        match fault {
            BatchFault::TwiceAndReversed => {
                answered = answered.iter().rev().flat_map(|line| [line.clone(), line.clone()]).collect()
            }
            BatchFault::Missing(every) => {
                let mut number = 0;
                answered.retain(|_| {
                    number += 1;
                    number % every != 0
                });
            }
            _ => {}
        }
        let mut state = self.state();
        let files = [("out", answered), ("err", failed)].map(|(kind, lines)| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            (!lines.is_empty()).then(|| state.batches.add_file(kind, text.into_bytes()))
        });
        let batch = state.batches.batches.iter_mut().find(|batch| batch.id == id).expect("it is there");
        (batch.status, batch.files, batch.counts) = (end, files, counts);
    }
}
