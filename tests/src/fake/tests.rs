//! What comes over the wire, fault by fault.

use super::contract::tests::{message, request};
use super::*;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const ROWS: [&str; 4] = [" 0000-MAIN.", "     CALL 'SUB1'.", "     IF WS-STATUS = '00'", "         READ A-FILE."];

struct Got {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn content(&self) -> String {
        self.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
    }

    fn finish(&self) -> String {
        self.json()["choices"][0]["finish_reason"].as_str().unwrap_or_default().to_owned()
    }
}

fn client() -> reqwest::ClientBuilder {
    war_rig_llm::install_encryption();
    reqwest::Client::builder()
}

async fn send(url: &str, body: &Value) -> Result<Got, reqwest::Error> {
    let client = client().no_proxy().read_timeout(Duration::from_secs(2)).build()?;
    let answer = client.post(url).bearer_auth("test").json(body).send().await?;
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Ok(Got { status, headers, text: answer.text().await? })
}

fn good() -> Value {
    request(&message("cbl/X.cbl", "1/1", &ROWS))
}

async fn ask(fake: &FakeProvider) -> Result<Got, reqwest::Error> {
    send(&format!("{}/chat/completions", fake.base_url()), &good()).await
}

fn with(script: FaultScript) -> FakeProvider {
    FakeProvider::start(FakeOptions { script, ..FakeOptions::default() })
}

/// What a fault brings over the wire.
async fn got(fault: CallFault) -> Got {
    let fake = with(FaultScript::always(fault.clone()));
    ask(&fake).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"))
}

#[tokio::test]
async fn a_good_call_is_answered_counted_and_logged() {
    let fake = FakeProvider::perfect();
    let got = ask(&fake).await.unwrap();
    let (answer, usage) = (got.json(), got.json()["usage"].clone());
    assert_eq!((got.status, got.finish().as_str()), (200, "stop"));
    assert_eq!(usage["prompt_tokens"], Tokenizer::O200k.count_request(&good()));
    assert_eq!(usage["completion_tokens"], Tokenizer::O200k.count(&got.content()));
    assert_eq!(answer["model"], "gpt-4o");
    let log = fake.log();
    let call = &log.calls[0];
    assert_eq!((call.status, call.purpose, call.max_tokens), (Some(200), CallPurpose::Documentation, Some(4000)));
    assert_eq!((call.file.as_str(), call.chunk, call.had_key), ("cbl/X.cbl", (1, 1), true));
    assert_eq!((call.headers["authorization"].as_str(), log.most_open), ("hidden", 1));
    let kinds: Vec<AnswerItemKind> = log.nonces.iter().map(|nonce| nonce.kind).collect();
    assert_eq!(
        kinds,
        [
            AnswerItemKind::Paragraph,
            AnswerItemKind::Call,
            AnswerItemKind::Rule,
            AnswerItemKind::Error,
            AnswerItemKind::Read
        ]
    );
    assert!(log.violations.is_empty() && log.over_budget.is_empty());
    assert_eq!((log.prompt_tokens(), log.blocks.len()), (usage["prompt_tokens"].as_u64().unwrap(), 1));
}

#[tokio::test]
async fn what_breaks_the_contract_or_the_budget_is_on_record() {
    let budget = Some(Tokenizer::O200k.count_request(&good()) - 1);
    let fake = FakeProvider::start(FakeOptions { budget, ..FakeOptions::default() });
    assert_eq!(ask(&fake).await.unwrap().status, 200);
    let url = format!("{}/chat/completions", fake.base_url());
    assert_eq!(send(&url, &request("Say.")).await.unwrap().status, 400);
    assert_eq!(send(&url, &json!("no request")).await.unwrap().status, 400);
    let log = fake.log();
    assert_eq!((log.violations.len(), log.over_budget.len()), (2, 1));
    assert_eq!(log.nonces.len(), 5);
}

#[tokio::test]
async fn keys_models_and_azures_address_are_checked() {
    let options = |key: &str| FakeOptions {
        key: Some(key.to_owned()),
        models: vec!["gpt-4o".to_owned()],
        ..FakeOptions::default()
    };
    let fake = FakeProvider::start(options("other"));
    assert_eq!(ask(&fake).await.unwrap().status, 401);
    let fake = FakeProvider::start(options("test"));
    assert_eq!(ask(&fake).await.unwrap().status, 200);
    let mut body = good();
    body["model"] = json!("gpt-9");
    let got = send(&format!("{}/chat/completions", fake.base_url()), &body).await.unwrap();
    assert_eq!((got.status, &got.json()["error"]["code"]), (404, &json!("model_not_found")));
    let client = client().no_proxy().build().unwrap();
    let url = format!("{}/openai/deployments/gpt-4o/chat/completions", fake.root_url());
    for (query, header, expected) in
        [("?api-version=2024-10-21", "api-key", 200), ("", "api-key", 400), ("?api-version=1", "x", 401)]
    {
        let call = client.post(format!("{url}{query}")).header(header, "test").json(&good());
        assert_eq!(call.send().await.unwrap().status().as_u16(), expected, "{query} {header}");
    }
    let listed = client.get(format!("{}/models", fake.base_url())).send().await.unwrap();
    let listed: Value = listed.json().await.unwrap();
    assert_eq!(listed["data"][0]["id"], "gpt-4o");
}

#[tokio::test]
async fn the_limit_of_an_answer_is_enforced_under_both_names() {
    let fake = FakeProvider::perfect();
    let url = format!("{}/chat/completions", fake.base_url());
    for name in ["max_tokens", "max_completion_tokens"] {
        let mut body = good();
        body.as_object_mut().unwrap().remove("max_tokens");
        body[name] = json!(25);
        let got = send(&url, &body).await.unwrap();
        assert_eq!((got.finish().as_str(), &got.json()["usage"]["completion_tokens"]), ("length", &json!(25)));
        assert!(serde_json::from_str::<Value>(&got.content()).is_err());
    }
    let log = fake.log();
    assert_eq!((log.nonces.len(), log.calls[1].finish_reason.as_deref()), (0, Some("length")));
}

#[tokio::test]
async fn waiting_is_asked_for_in_many_ways() {
    for after in ["2", "1.5", "soon", "3600"] {
        let got = got(CallFault::RateLimited(Some(after.to_owned()))).await;
        assert_eq!((got.status, got.headers["retry-after"].to_str().unwrap()), (429, after));
        assert_eq!(got.json()["error"]["code"], "rate_limit_exceeded");
    }
    assert!(!got(CallFault::RateLimited(None)).await.headers.contains_key("retry-after"));
    let dated = got(CallFault::RateLimitedUntil(30)).await;
    assert!(dated.headers["retry-after"].to_str().unwrap().ends_with(" GMT"));
}

#[tokio::test]
async fn errors_have_the_shapes_of_real_servers() {
    for (fault, status, pointer, expected) in [
        (CallFault::Quota, 429, "/error/code", json!("insufficient_quota")),
        (CallFault::Unauthorized, 401, "/error/code", json!("invalid_api_key")),
        (CallFault::Forbidden, 403, "/error/type", json!("request_forbidden")),
        (CallFault::UnknownModel, 404, "/error/code", json!("model_not_found")),
        (CallFault::Status(500), 500, "/error/type", json!("server_error")),
        (CallFault::Status(503), 503, "/error/type", json!("server_error")),
        (CallFault::Status(408), 408, "/error/code", json!("request_timeout")),
        (CallFault::Status(529), 529, "/error/type", json!("overloaded_error")),
        (CallFault::Answer(418, json!({"a": 1}).to_string()), 418, "/a", json!(1)),
        (CallFault::ErrorInside, 200, "/error/type", json!("upstream_error")),
        (CallFault::Overflow(OverflowStyle::OpenAi), 400, "/error/code", json!("context_length_exceeded")),
        (CallFault::Overflow(OverflowStyle::Anthropic), 400, "/error/type", json!("invalid_request_error")),
        (CallFault::Overflow(OverflowStyle::AnthropicTooLarge), 413, "/error/type", json!("request_too_large")),
        (CallFault::Overflow(OverflowStyle::VllmFlat), 400, "/object", json!("error")),
        (CallFault::Overflow(OverflowStyle::Vllm), 400, "/error/type", json!("BadRequestError")),
        (CallFault::Overflow(OverflowStyle::LlamaCpp), 400, "/error/type", json!("exceed_context_size_error")),
    ] {
        let got = got(fault.clone()).await;
        assert_eq!((got.status, got.json().pointer(pointer)), (status, Some(&expected)), "{fault:?}");
    }
    for fault in [CallFault::Status(502), CallFault::Status(504), CallFault::Html] {
        let got = got(fault).await;
        assert!(got.text.starts_with("<html>") && got.headers["content-type"] == "text/html");
    }
}

#[tokio::test]
async fn connections_end_drip_and_stall() {
    let reset = with(FaultScript::first(1, CallFault::Reset));
    let error = ask(&reset).await.err().unwrap();
    assert!(error.is_request() && !error.is_timeout(), "{error:?}");
    assert_eq!(ask(&reset).await.unwrap().status, 200);
    assert_eq!(reset.log().calls[0].status, None);
    for (fault, is_timeout) in [(CallFault::Cut, false), (CallFault::Stall, true), (CallFault::Silence, true)] {
        let fake = with(FaultScript::always(fault.clone()));
        let error = ask(&fake).await.err().unwrap_or_else(|| panic!("{fault:?}"));
        assert_eq!(error.is_timeout(), is_timeout, "{fault:?}: {error:?}");
        // Only silence keeps even the headers back.
        assert_eq!(error.is_request(), fault == CallFault::Silence, "{fault:?}: {error:?}");
        assert!(fake.log().nonces.is_empty());
    }
    let start = Instant::now();
    let dripped = got(CallFault::Drip { bytes: 400, pause: Duration::from_millis(20) }).await;
    assert!(start.elapsed() > Duration::from_millis(40) && dripped.finish() == "stop");
    let flood = got(CallFault::Flood).await;
    assert!(flood.text.len() > 8 * 1024 * 1024 && flood.finish() == "stop");
}

#[tokio::test]
async fn answers_are_broken_in_their_form() {
    let whole = got(CallFault::Drip { bytes: 1 << 20, pause: Duration::ZERO }).await.content();
    let truncated = got(CallFault::Truncated).await;
    assert_eq!(truncated.finish(), "length");
    assert!(whole.starts_with(&truncated.content()) && truncated.content().len() < whole.len() / 2);
    let invalid = got(CallFault::InvalidJson).await;
    assert_eq!(invalid.finish(), "stop");
    assert!(whole.starts_with(&invalid.content()) && invalid.content().len() < whole.len());
    assert_eq!(got(CallFault::Fenced).await.content(), format!("```json\n{whole}\n```"));
    let prose = got(CallFault::Prose).await.content();
    assert!(prose.contains(&whole) && prose.starts_with("Here"));
    let inner = |got: Got| serde_json::from_str::<Value>(&got.content()).unwrap();
    let strings = inner(got(CallFault::WrongSchema).await);
    assert!(strings["paragraphs"][0].is_string() && strings["data_flow"]["reads_from"][0].is_string());
    let bad = inner(got(CallFault::BadItem).await);
    let paragraphs = bad["paragraphs"].as_array().unwrap();
    assert_eq!((paragraphs.len(), &paragraphs[1]["citations"][0]["start"]), (2, &json!("the first")));
    assert!(!paragraphs[1].to_string().contains("n_cbl"));
    let unknown = got(CallFault::UnknownFields).await;
    assert_eq!((unknown.finish().as_str(), unknown.content()), ("eos_token", whole));
    assert_eq!(got(CallFault::ContentFilter).await.finish(), "content_filter");
    let refused = got(CallFault::Refused).await.json()["choices"][0]["message"].clone();
    assert!(refused["content"].is_null() && refused["refusal"].is_string());
    assert_eq!(got(CallFault::EmptyContent).await.content(), "");
    assert_eq!(got(CallFault::NoChoices).await.json()["choices"], json!([]));
}

#[tokio::test]
async fn a_window_is_counted_in_tokens_of_its_own() {
    let tokens = Tokenizer::O200k.count_request(&good());
    let of = |tokens: u64, ratio: f64, overflow: OverflowStyle| {
        FakeProvider::start(FakeOptions { window: Some(Window { tokens, ratio, overflow }), ..Default::default() })
    };
    assert_eq!(ask(&of(tokens, 1.0, OverflowStyle::OpenAi)).await.unwrap().status, 200);
    let over = ask(&of(tokens, 1.2, OverflowStyle::LlamaCpp)).await.unwrap();
    let counted = (tokens as f64 * 1.2).ceil() as u64;
    assert_eq!((over.status, over.json()["error"]["n_prompt_tokens"].as_u64()), (400, Some(counted)));
    let within = ask(&of(tokens * 2, 1.5, OverflowStyle::OpenAi)).await.unwrap();
    assert_eq!(within.json()["usage"]["prompt_tokens"], (tokens as f64 * 1.5).ceil() as u64);
    let silent = of(24, 1.0, OverflowStyle::Silent);
    let got = ask(&silent).await.unwrap();
    assert_eq!((got.status, &got.json()["usage"]["prompt_tokens"]), (200, &json!(24)));
    let content: Value = serde_json::from_str(&got.content()).unwrap();
    assert_eq!(
        (&content["paragraphs"], content["data_flow"]["reads_from"].as_array().map(Vec::len)),
        (&json!([]), Some(1))
    );
}

#[tokio::test]
async fn what_a_server_does_not_take_it_refuses() {
    let refusals = [
        Refusal::JsonSchema,
        Refusal::JsonObject,
        Refusal::MaxTokens,
        Refusal::MaxCompletionTokens,
        Refusal::Temperature,
    ];
    let refuses = BTreeSet::from(refusals);
    let fake = FakeProvider::start(FakeOptions { refuses, ..Default::default() });
    let url = format!("{}/chat/completions", fake.base_url());
    let mut body = good();
    let mut refused = async |change: fn(&mut Value)| {
        let got = send(&url, &body).await.unwrap();
        change(&mut body);
        (got.status, got.json()["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    let schema = refused(|body| body["response_format"] = json!({"type": "json_object"})).await;
    assert!(schema.0 == 400 && schema.1.contains("'response_format' of type 'json_schema'"), "{schema:?}");
    let object = refused(|body| body["response_format"] = Value::Null).await;
    assert!(object.0 == 400 && object.1.contains("'response_format' of type 'json_object'"), "{object:?}");
    let limit = refused(|body| {
        body["max_tokens"] = Value::Null;
        body["max_completion_tokens"] = json!(5000);
    })
    .await;
    assert!(limit.0 == 400 && limit.1.contains("Use 'max_completion_tokens' instead"), "{limit:?}");
    let limit = refused(|body| body["max_completion_tokens"] = Value::Null).await;
    assert!(limit.0 == 400 && limit.1.contains("max_completion_tokens"), "{limit:?}");
    let temperature = refused(|body| body["temperature"] = Value::Null).await;
    assert!(temperature.0 == 400 && temperature.1.contains("'temperature'"), "{temperature:?}");
    assert_eq!(refused(|_| {}).await.0, 200);
    assert!(fake.log().violations.is_empty(), "{:?}", fake.log().violations);
}

#[tokio::test]
async fn scripts_choose_their_calls_and_delays_are_the_same_in_every_run() {
    let fake = with(FaultScript::at([(1, CallFault::Status(500))]));
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(ask(&fake).await.unwrap().status);
    }
    assert_eq!(statuses, [200, 500, 200]);
    let fake = with(FaultScript::each(1, CallFault::Status(503)));
    assert_eq!([ask(&fake).await.unwrap().status, ask(&fake).await.unwrap().status], [503, 200]);
    let fake =
        with(FaultScript::when(|asked| (asked.rows > 3 && asked.file == "cbl/X.cbl").then_some(CallFault::Quota)));
    assert_eq!(ask(&fake).await.unwrap().status, 429);
    assert!(fake.log().calls[0].fault.as_deref() == Some("Quota"));
    let latency = Latency::Random { least: Duration::from_millis(5), most: Duration::from_millis(9), seed: 3 };
    assert!((0..100).all(|order| latency.of(order) == latency.of(order) && latency.of(order).as_millis() >= 5));
    let fake =
        FakeProvider::start(FakeOptions { latency: Latency::Fixed(Duration::from_millis(60)), ..Default::default() });
    let start = Instant::now();
    assert!(ask(&fake).await.is_ok() && start.elapsed() >= Duration::from_millis(60));
}

#[tokio::test]
async fn a_server_that_counts_nothing_reports_no_usage() {
    let fake = FakeProvider::start(FakeOptions { tokenizer: None, ..Default::default() });
    assert!(ask(&fake).await.unwrap().json()["usage"].is_null());
    drop(fake);
}

#[tokio::test]
async fn a_fake_that_is_held_answers_as_many_as_it_is_told() {
    let fake = FakeProvider::start(FakeOptions { is_held: true, ..Default::default() });
    // However long it holds them, nobody gives up.
    let client = client().no_proxy().build().unwrap();
    let ask = || client.post(format!("{}/chat/completions", fake.base_url())).json(&good()).send();
    let calls = async { tokio::join!(ask(), ask(), ask()) };
    let told = async {
        while fake.log().calls.len() < 3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert_eq!(fake.log().answered().count(), 0);
        fake.release_first(2);
        while fake.log().answered().count() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert!(fake.log().calls[2].status.is_none());
        fake.release();
    };
    let ((first, second, third), ()) = tokio::join!(calls, told);
    assert!([first, second, third].into_iter().all(|told| told.unwrap().status().is_success()));
}
