//! The server of a fake.

use super::batches::{BatchState, SeenBatch};
use super::connections::{ConnectionHandle, HandleListener};
use super::contract::Contract;
use super::errors;
use super::log::{CallPurpose, FakeCall, FakeLog};
use super::options::FakeOptions;
use super::reply::{FakeReply, ReplyBuilder};
use super::script::{CallFault, ScriptedCall};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{HeaderMap, Response};
use axum::routing::{delete, get, post};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// A running fake. It ends when it is dropped, with whatever it was about to answer.
#[derive(Debug)]
pub struct FakeProvider {
    runtime: Option<Runtime>,
    address: SocketAddr,
    fake: Arc<FakeServer>,
}

#[derive(Debug)]
pub(crate) struct FakeServer {
    pub(crate) options: FakeOptions,
    started: Instant,
    state: Mutex<FakeState>,
    /// How many calls are answered, in the order in which they came. The others are held.
    answered: watch::Sender<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct FakeState {
    pub(crate) batches: BatchState,
    log: FakeLog,
    contract: Contract,
    attempts: HashMap<(String, String), usize>,
    /// The nonces of the log by their words.
    said: HashSet<String>,
    open: usize,
}

impl FakeProvider {
    /// A perfect Scribe without faults.
    ///
    /// # Panics
    /// As [`FakeProvider::start`].
    pub fn perfect() -> Self {
        Self::start(FakeOptions::default())
    }

    /// Starts a server on this machine.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(options: FakeOptions) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build().expect("two threads can be started");
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port));
        let listener = listener.expect("the port is free");
        let address = listener.local_addr().expect("a listener has an address");
        listener.set_nonblocking(true).expect("a listener need not block");
        let answered = watch::Sender::new(if options.is_held { 0 } else { usize::MAX });
        let fake = Arc::new(FakeServer { options, started: Instant::now(), state: Mutex::default(), answered });
        let service = router(Arc::clone(&fake)).into_make_service_with_connect_info::<ConnectionHandle>();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).expect("it is listening and does not block");
            axum::serve(HandleListener(listener), service).await
        });
        Self { runtime: Some(runtime), address, fake }
    }

    /// Where a client finds it: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The same without a path, as Azure's addresses begin.
    pub fn root_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers what is held, and all that comes from now on.
    pub fn release(&self) {
        self.release_first(usize::MAX);
    }

    /// Answers the first so many of all calls, and holds the others. So a run goes on, and yet cannot end.
    pub fn release_first(&self, calls: usize) {
        self.fake.answered.send_replace(calls);
    }

    /// The batches that were created.
    pub fn batches(&self) -> Vec<SeenBatch> {
        self.fake.state().batches.seen()
    }

    /// How many files it has.
    pub fn files(&self) -> usize {
        self.fake.state().batches.files()
    }

    /// What it has seen so far.
    pub fn log(&self) -> FakeLog {
        self.fake.state().log.clone()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn router(fake: Arc<FakeServer>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(completions))
        .route("/openai/deployments/{model}/chat/completions", post(azure))
        .route("/v1/models", get(models))
        .route("/v1/files", post(upload))
        .route("/v1/files/{id}", delete(delete_file))
        .route("/v1/files/{id}/content", get(content))
        .route("/v1/batches", post(create_batch).get(list_batches))
        .route("/v1/batches/{id}", get(look_at_batch))
        .route("/v1/batches/{id}/cancel", post(cancel_batch))
        .layer(DefaultBodyLimit::disable())
        .with_state(fake)
}

async fn models(State(fake): State<Arc<FakeServer>>) -> Response<Body> {
    let named = fake.options.models.iter();
    let models: Vec<Value> = named.map(|id| json!({"id": id, "object": "model", "owned_by": "fake"})).collect();
    FakeReply::json(200, &json!({"object": "list", "data": models})).send(&ConnectionHandle::default()).await
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    let key = headers.get("authorization").and_then(|value| value.to_str().ok());
    key.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned)
}

/// Answers a request for files or batches, if its key may use them.
async fn with_batches(
    fake: &FakeServer,
    headers: &HeaderMap,
    line: &ConnectionHandle,
    reply: impl AsyncFnOnce() -> FakeReply,
) -> Response<Body> {
    let reply = match fake.admits_batches(key_of(headers).as_deref()) {
        Ok(()) => reply().await,
        Err(refusal) => *refusal,
    };
    reply.send(line).await
}

type Asked = (State<Arc<FakeServer>>, ConnectInfo<ConnectionHandle>, HeaderMap);

async fn upload((State(fake), ConnectInfo(line), headers): Asked, body: Bytes) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.upload(&headers, &body)).await
}

async fn content((State(fake), ConnectInfo(line), headers): Asked, Path(id): Path<String>) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.content(&id)).await
}

async fn delete_file((State(fake), ConnectInfo(line), headers): Asked, Path(id): Path<String>) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.delete_file(&id)).await
}

async fn create_batch((State(fake), ConnectInfo(line), headers): Asked, body: Bytes) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    with_batches(&fake, &headers, &line, async || fake.create_batch(headers.clone(), &body)).await
}

async fn list_batches((State(fake), ConnectInfo(line), headers): Asked) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.list_batches()).await
}

async fn look_at_batch((State(fake), ConnectInfo(line), headers): Asked, Path(id): Path<String>) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.look_at_batch(&id, key_of(&headers)).await).await
}

async fn cancel_batch((State(fake), ConnectInfo(line), headers): Asked, Path(id): Path<String>) -> Response<Body> {
    with_batches(&fake, &headers, &line, async || fake.cancel_batch(&id)).await
}

async fn completions(
    State(fake): State<Arc<FakeServer>>,
    ConnectInfo(line): ConnectInfo<ConnectionHandle>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let key = key_of(&headers);
    let body = serde_json::from_slice(&body).map_err(|error| format!("no JSON: {error}"));
    fake.answer(headers, key, body).await.send(&line).await
}

async fn azure(
    State(fake): State<Arc<FakeServer>>,
    ConnectInfo(line): ConnectInfo<ConnectionHandle>,
    Path(model): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let key = headers.get("api-key").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = serde_json::from_slice(&body).map_err(|error| format!("no JSON: {error}"));
    let versioned = query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("api-version=")));
    let body = body.and_then(|mut body: Value| {
        body["model"] = json!(model);
        if versioned { Ok(body) } else { Err("no api-version".to_owned()) }
    });
    fake.answer(headers, key, body).await.send(&line).await
}

/// Counts a call as open while it lives, also when its client goes away.
struct OpenCallGuard(Arc<FakeServer>);

impl OpenCallGuard {
    fn new(fake: &Arc<FakeServer>) -> Self {
        let mut seen = fake.state();
        seen.open += 1;
        seen.log.most_open = seen.log.most_open.max(seen.open);
        drop(seen);
        Self(Arc::clone(fake))
    }
}

impl Drop for OpenCallGuard {
    fn drop(&mut self) {
        self.0.state().open -= 1;
    }
}

impl FakeServer {
    pub(crate) fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    async fn answer(
        self: &Arc<Self>,
        headers: HeaderMap,
        key: Option<String>,
        body: Result<Value, String>,
    ) -> FakeReply {
        self.answer_for(headers, key, body, None).await
    }

    /// Answers a request of a batch.
    pub(crate) async fn answer_in_batch(
        self: &Arc<Self>,
        headers: HeaderMap,
        key: Option<String>,
        body: Value,
        batch: &str,
    ) -> FakeReply {
        self.answer_for(headers, key, Ok(body), Some(batch.to_owned())).await
    }

    async fn answer_for(
        self: &Arc<Self>,
        headers: HeaderMap,
        key: Option<String>,
        body: Result<Value, String>,
        batch: Option<String>,
    ) -> FakeReply {
        let open = OpenCallGuard::new(self);
        let (body, broken) = match body {
            Ok(body) => (body, None),
            Err(error) => (Value::Null, Some(error)),
        };
        let options = &self.options;
        let prompt_tokens = options.tokenizer.map_or(0, |tokenizer| tokenizer.count_request(&body));
        let asked = [&body["max_completion_tokens"], &body["max_tokens"]];
        let max_tokens = asked.into_iter().filter_map(Value::as_u64).min();
        let (order, reply) = {
            let mut seen = self.state();
            let order = seen.log.calls.len();
            seen.log.calls.push(FakeCall {
                purpose: CallPurpose::Unknown,
                file: String::new(),
                chunk: (0, 0),
                block: None,
                prompt_tokens,
                cached_tokens: 0,
                completion_tokens: 0,
                status: None,
                finish_reason: None,
                max_tokens,
                headers: told(&headers),
                had_key: key.is_some(),
                arrived: self.started.elapsed(),
                fault: None,
                body: Arc::new(body.clone()),
                part: None,
                batch,
            });
            (order, self.admit(&mut seen, order, key.as_deref(), &body, broken))
        };
        let reply = match reply {
            Ok((request, fault)) => ReplyBuilder {
                request: &request,
                body: &body,
                tokenizer: options.tokenizer,
                prompt_tokens,
                max_tokens,
                window: options.window,
                by_ids: options.by_ids,
                cached_tokens: options.cached_tokens,
                untruth: options.untruth,
                words: options.words.as_ref(),
                extraction: options.extraction,
            }
            .reply(fault.as_ref()),
            Err(reply) => *reply,
        };
        let delay = options.latency.of(order);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let mut answered = self.answered.subscribe();
        answered.wait_for(|answered| order < *answered).await.expect("the fake holds the sender");
        let mut seen = self.state();
        let call = &mut seen.log.calls[order];
        call.status = reply.status;
        call.finish_reason.clone_from(&reply.finish);
        call.completion_tokens = reply.completion_tokens;
        call.cached_tokens = if reply.completion_tokens > 0 { self.options.cached_tokens } else { 0 };
        for nonce in &reply.nonces {
            if seen.said.insert(nonce.text.clone()) {
                seen.log.nonces.push(nonce.clone());
            }
        }
        drop(seen);
        drop(open);
        reply
    }

    /// Whether a call is answered by the Scribe, and what goes wrong then; else what it is told.
    fn admit(
        &self,
        seen: &mut FakeState,
        order: usize,
        key: Option<&str>,
        body: &Value,
        broken: Option<String>,
    ) -> Result<(super::contract::ContractRequest, Option<CallFault>), Box<FakeReply>> {
        let options = &self.options;
        let refuse = |status: u16, body: &Value| Err(Box::new(FakeReply::json(status, body)));
        let violation = |seen: &mut FakeState, error: String| {
            seen.log.violations.push(format!("call {order}: {error}"));
            let error = errors::openai(&error, "invalid_request_error", None, Some("contract"));
            Err(Box::new(FakeReply::json(400, &error)))
        };
        if options.key.is_some() && options.key.as_deref() != key {
            return refuse(401, &errors::unauthorized());
        }
        if let Some(error) = broken {
            return violation(seen, error);
        }
        let model = body["model"].as_str().unwrap_or_default();
        if !options.models.is_empty() && !options.models.iter().any(|known| known == model) {
            return refuse(404, &errors::unknown_model(model));
        }
        let tokens = seen.log.calls[order].prompt_tokens;
        if let Some(budget) = options.budget.filter(|budget| tokens > *budget) {
            seen.log.over_budget.push(format!("call {order}: {tokens} tokens of {budget}"));
        }
        let request = match seen.contract.read(body, &options.refuses) {
            Ok(request) => request,
            Err(error) => return violation(seen, error),
        };
        let (file, chunk) = (request.file(), request.chunk());
        let call = &mut seen.log.calls[order];
        (call.purpose, call.file, call.chunk) = (request.purpose, file.clone(), chunk);
        call.block = request.block.as_ref().map(|block| block.word.clone());
        if let Some(part) = &request.part {
            (call.block, call.part) = (Some(part.word.clone()), Some(Arc::clone(part)));
        }
        let mut attempt = 0;
        if let Some(block) = &request.block {
            let name = (file.clone(), block.word.clone());
            if let Some(known) = seen.log.blocks.get(&name).filter(|known| known.rows != block.rows) {
                let error = format!("the word `{}` had {} other rows", block.word, known.rows.len());
                return violation(seen, error);
            }
            seen.log.blocks.insert(name.clone(), block.clone());
            let attempts = seen.attempts.entry(name).or_default();
            *attempts += 1;
            attempt = *attempts;
        }
        if matches!(request.purpose, CallPurpose::Overview | CallPurpose::Estate) {
            let attempts = seen.attempts.entry((file.clone(), request.user.clone())).or_default();
            *attempts += 1;
            attempt = *attempts;
        }
        if let Some(part) = &request.part {
            let name = (file.clone(), format!("{} {:?}", part.word, part.place));
            let attempts = seen.attempts.entry(name).or_default();
            *attempts += 1;
            attempt = *attempts;
        }
        if let Some(body) = errors::refusal(body, |refusal| options.refuses.contains(&refusal)) {
            return refuse(400, &body);
        }
        let rows = match &request.part {
            Some(part) => part.text.lines().count(),
            None => request.block.as_ref().map_or(0, |block| block.rows.len()),
        };
        let fault = options.script.fault(&ScriptedCall { order, purpose: request.purpose, file, chunk, attempt, rows });
        seen.log.calls[order].fault = fault.as_ref().map(|fault| format!("{fault:?}"));
        Ok((request, fault))
    }
}

/// The headers of a call, keys hidden.
fn told(headers: &HeaderMap) -> BTreeMap<String, String> {
    let is_secret = |name: &str| matches!(name, "authorization" | "api-key" | "cookie");
    headers
        .iter()
        .map(|(name, value)| {
            let value = if is_secret(name.as_str()) { "hidden" } else { value.to_str().unwrap_or("no text") };
            (name.to_string(), value.to_owned())
        })
        .collect()
}
