//! Somebody who answers, and the way to ask.

use regex::Regex;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{BudgetedPrompt, UsageTotals};
use war_rig_paginate::Slice;
use war_rig_paginate::{
    Agent, ExtractError, ExtractedAnswer, ExtractionOutcome, Extractor, Input, InputKind, PaginateError,
    PaginateOptions, Pagination, Paginator,
};

/// The least that a prompt of these tests may have is some more than its rules.
pub const LIMIT: u64 = 1200;

/// An agent that lists identifiers, counts records and sums up.
pub fn agent(pagination: &str) -> Arc<Agent> {
    let text = format!(
        r#"
name = "ids"
description = "Identifiers"
system = "You list identifiers."
[pagination]
{pagination}
[[audit]]
name = "ID"
pattern = 'ID-\d+'
[schema]
type = "object"
required = ["items", "count", "summary"]
[schema.properties.items]
type = "array"
x-merge = "union"
x-key = "id"
[schema.properties.items.items]
type = "object"
required = ["id"]
[schema.properties.items.items.properties.id]
type = "string"
[schema.properties.count]
type = "integer"
x-merge = "sum"
[schema.properties.summary]
type = "string"
x-merge = "summary"
"#
    );
    Arc::new(Agent::from_toml(&text).unwrap())
}

type Answer = dyn Fn(&Slice) -> Result<Value, ExtractError> + Send + Sync;

/// Answers at once or later, and remembers what was asked.
pub struct Fake {
    answer: Box<Answer>,
    pub prompts: Mutex<Vec<(String, u64)>>,
    pub summed: AtomicUsize,
}

impl Fake {
    pub fn new(answer: impl Fn(&Slice) -> Result<Value, ExtractError> + Send + Sync + 'static) -> Arc<Self> {
        let (prompts, summed) = (Mutex::default(), AtomicUsize::new(0));
        Arc::new(Self { answer: Box::new(answer), prompts, summed })
    }

    /// One that finds all there is.
    pub fn perfect() -> Arc<Self> {
        Self::new(|slice| Ok(found(slice)))
    }

    pub fn asked(&self) -> Vec<String> {
        self.prompts.lock().unwrap().iter().map(|(text, _)| text.clone()).collect()
    }
}

/// What is in a slice.
pub fn found(slice: &Slice) -> Value {
    let ids = Regex::new(r"ID-\d+").unwrap();
    let items: Vec<Value> = ids.find_iter(&slice.text).map(|id| json!({ "id": id.as_str() })).collect();
    let summary = items.first().map_or(String::new(), |item| format!("It begins with {}.", item["id"]));
    json!({ "count": items.len(), "items": items, "summary": summary })
}

impl Extractor for Fake {
    fn produced_by(&self) -> &str {
        "fake"
    }

    async fn extract(
        &self,
        prompt: &BudgetedPrompt,
        part: &Slice,
        bill: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        bill.calls += 1;
        self.prompts.lock().unwrap().push((prompt.user().to_owned(), prompt.tokens().get()));
        // Some answers take longer than others, so that they do not come in order.
        for _ in 0..part.text.len() % 7 {
            tokio::task::yield_now().await;
        }
        (self.answer)(part).map(|value| ExtractedAnswer { value, ..ExtractedAnswer::default() })
    }

    async fn summarize(&self, prompt: &BudgetedPrompt, _: &mut UsageTotals) -> Result<Option<String>, ExtractError> {
        self.summed.fetch_add(1, Ordering::Relaxed);
        self.prompts.lock().unwrap().push((prompt.user().to_owned(), prompt.tokens().get()));
        let ids = Regex::new(r"ID-\d+").unwrap();
        let ids: Vec<_> = ids.find_iter(prompt.user()).map(|id| id.as_str()).collect();
        Ok(Some(format!("From {} to {}.", ids[0], ids[ids.len() - 1])))
    }
}

pub fn options(pagination: &Pagination) -> PaginateOptions {
    PaginateOptions {
        prompt: "List all identifiers".to_owned(),
        pagination: pagination.clone(),
        max_prompt: TokenCount::new(LIMIT),
        max_part: TokenCount::new(LIMIT),
        counter: TokenCounter::new(TokenizerEncoding::O200kBase),
        concurrency: 4,
        since: 0,
        custom: None,
    }
}

/// So many lines of text, each with an identifier.
pub fn lines(count: u64) -> String {
    (1..=count).map(|number| format!("Line {number} speaks of ID-{number} and of nothing else.\n")).collect()
}

/// So many records.
pub fn records(count: u64) -> String {
    (1..=count).map(|number| format!("{{\"record\": \"ID-{number}\", \"text\": \"as it is\"}}\n")).collect()
}

pub fn input(kind: InputKind, text: &str) -> Input {
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    Input::from_reader("notes", bytes, Some(kind), None).unwrap()
}

pub fn asking(agent: &Arc<Agent>, fake: &Arc<Fake>, options: PaginateOptions) -> Paginator<Fake> {
    Paginator::new(Arc::clone(agent), Arc::clone(fake), options)
}

pub async fn run(
    agent: &Arc<Agent>,
    fake: &Arc<Fake>,
    kind: InputKind,
    text: &str,
) -> Result<ExtractionOutcome, PaginateError> {
    asking(agent, fake, options(&agent.pagination)).run(input(kind, text)).outcome().await
}

/// The identifiers of an answer, as numbers.
pub fn ids(outcome: &ExtractionOutcome) -> Vec<u64> {
    let items = outcome.answer["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap()[3..].parse().unwrap()).collect()
}
