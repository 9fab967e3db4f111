//! Agents over inputs of any size: what a run of `war-rig extract` comes to, and what holds of every such run whatever goes wrong.

mod agents;
#[cfg(target_os = "linux")]
mod batches;
#[cfg(target_os = "linux")]
mod ended;
mod faults;
#[cfg(target_os = "linux")]
mod killed;
mod merging;
mod newcomer;
mod pages;
mod random;
mod same;

use crate::asked::{KEY, cost};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use war_rig_tests::fake::{FakeCall, FakeLog, FakeOptions, FakeProvider, Tokenizer};
use war_rig_tests::{CommandResult, Sandbox, files_below, json_file};

/// What a prompt may have where a case says nothing.
const BUDGET: u64 = 4000;

/// Answers that come to an end before they are whole, or hold none: what they cost the server nobody else can know.
const LOST: [&str; 7] = ["Cut", "Stall", "Flood", "NoChoices", "Drip", "Html", "ErrorInside"];

/// An agent that lists planted items, with its own way of dividing.
pub(crate) fn lister(pagination: &str) -> String {
    format!(
        r#"name = "lister"
description = "Lists planted items"
system = "You list the items of minutes."

[pagination]
{pagination}

[[audit]]
name = "PBI"
pattern = '\bPBI-\d+'
path = "/items/*/id"

[[audit]]
name = "CR"
pattern = '\bCR-\d+'
path = "/items/*/id"

[schema]
type = "object"
required = ["items"]
[schema.properties.items]
type = "array"
x-merge = "union"
x-key = "id"
[schema.properties.items.items]
type = "object"
required = ["id"]
[schema.properties.items.items.properties.id]
type = "string"
[schema.properties.items.items.properties.description]
type = ["string", "null"]
"#
    )
}

/// An agent that counts, sums up, scores and lists records, with its own way of dividing.
pub(crate) fn counter(pagination: &str) -> String {
    format!(
        r#"name = "counter"
description = "Counts feedback"
system = "You read feedback."

[pagination]
{pagination}

[schema]
type = "object"
required = ["count", "total", "score", "ids"]
[schema.properties.count]
type = "integer"
x-merge = "sum"
[schema.properties.total]
type = "number"
x-merge = "sum"
[schema.properties.score]
type = "number"
x-merge = "mean"
x-weight = "count"
[schema.properties.ids]
type = "array"
x-merge = "union"
[schema.properties.ids.items]
type = "string"
"#
    )
}

/// An agent that sums up in words.
pub(crate) fn summarizer(pagination: &str) -> String {
    format!(
        r#"name = "summarizer"
description = "Sums up"
system = "You sum up minutes."

[pagination]
{pagination}

[schema]
type = "object"
required = ["summary"]
[schema.properties.summary]
type = "string"
x-merge = "summary"
"#
    )
}

/// So many records of feedback, one on a line.
pub(crate) fn feedback(count: u64) -> String {
    let mut random = fastrand::Rng::with_seed(7);
    let record = |number: u64| {
        let record = json!({"id": format!("FB-{number:05}"), "amount": random.u32(1..500), "score": random.u32(1..6),
            "text": "the counter was open and the queue was short"});
        format!("{record}\n")
    };
    (1..=count).map(record).collect()
}

/// So many lines of minutes, each with an item.
pub(crate) fn minutes(count: u64) -> String {
    let line = |number: u64| format!("PBI-{number:04}: item {number} of these minutes was put off once more.\n");
    (1..=count).map(line).collect()
}

/// An agent, an input, a fake that answers, and settings.
pub(crate) struct Case {
    pub(crate) place: Sandbox,
    pub(crate) fake: FakeProvider,
    agent: PathBuf,
    input: PathBuf,
    settings: BTreeMap<String, String>,
    options: Vec<String>,
}

/// What a run came to.
pub(crate) struct Outcome {
    pub(crate) ran: CommandResult,
    /// What `--report` has written; null where nothing is.
    pub(crate) report: Value,
    /// The calls of this run alone.
    pub(crate) calls: Vec<FakeCall>,
    /// What the fake has seen since it was started.
    pub(crate) log: FakeLog,
}

impl Case {
    /// An agent over an input.
    pub(crate) fn new(agent: &str, (name, bytes): (&str, &[u8]), options: FakeOptions) -> Self {
        let place = Sandbox::new();
        let agent = place.write("agent.toml", agent);
        let input = place.write(name, bytes);
        // The tables take a while to load, and no call shall wait for them.
        Tokenizer::O200k.count("loaded");
        let budget = options.budget.unwrap_or(BUDGET);
        let fake = FakeProvider::start(FakeOptions { budget: Some(budget), ..options });
        let settings = [
            ("base_url", fake.base_url()),
            ("max_prompt_tokens", budget.to_string()),
            ("outage_seconds", "1".to_owned()),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value)).into();
        Self { place, fake, agent, input, settings, options: Vec::new() }
    }

    /// Minutes of so many items in parts of some thirty.
    pub(crate) fn minutes(count: u64, options: FakeOptions) -> Self {
        Self::new(&lister("chunk_size = 800"), ("minutes.txt", minutes(count).as_bytes()), options)
    }

    /// With a setting of the Scribe.
    pub(crate) fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.settings.insert(key.to_owned(), value.to_string());
        self
    }

    /// Asks the fake, and asserts what always holds.
    #[track_caller]
    pub(crate) fn run(&self, more: &str) -> Outcome {
        let outcome = self.run_freely(more);
        self.check(&outcome);
        outcome
    }

    /// The same without asserting anything.
    #[track_caller]
    pub(crate) fn run_freely(&self, more: &str) -> Outcome {
        let before = self.fake.log().calls.len();
        let report = self.place.path().join("report.json");
        std::fs::remove_file(&report).ok();
        let ran = self.command(&self.words(more));
        let log = self.fake.log();
        let report = if report.exists() { json_file(&report) } else { Value::Null };
        Outcome { ran, report, calls: log.calls[before..].to_vec(), log }
    }

    /// The command line of a run.
    pub(crate) fn words(&self, more: &str) -> Vec<String> {
        let path = |path: &PathBuf| path.display().to_string();
        let mut words =
            vec!["extract".to_owned(), path(&self.agent), "List all items".to_owned(), "--input".to_owned()];
        words.push(path(&self.input));
        words.extend(self.options.iter().cloned());
        words.extend(more.split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
        let has = |word: &str| words.iter().any(|known| known == word);
        let (asks, is_plan, has_form) = (!has("--replay") && !has("--scribe"), has("--dry-run"), has("-o"));
        if asks {
            words.extend(["--scribe", "openai"].map(str::to_owned));
        }
        if !is_plan {
            words.extend(["--report", "report.json"].map(str::to_owned));
        }
        if !has_form {
            words.extend(["-o", "json"].map(str::to_owned));
        }
        words
    }

    /// Runs any command with the settings of the case.
    pub(crate) fn command(&self, words: &[String]) -> CommandResult {
        self.place.run_with(self.variables(), words)
    }

    /// The settings of the case in the environment.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let settings =
            self.settings.iter().map(|(key, value)| (format!("WAR_RIG_SCRIBE__{}", key.to_uppercase()), value.clone()));
        settings.chain([("OPENAI_API_KEY".to_owned(), KEY.to_owned())]).collect()
    }

    /// Asserts what holds of every run.
    #[track_caller]
    fn check(&self, outcome: &Outcome) {
        let Outcome { ran, report, calls, log } = outcome;
        let said = format!("{}\n{}", ran.err, faults(calls));
        assert!(log.violations.is_empty(), "{:#?}\n{said}", log.violations);
        assert!(log.over_budget.is_empty(), "{:#?}\n{said}", log.over_budget);
        assert!(!ran.err.contains("internal error") && !ran.err.contains("panicked"), "{said}");
        let whole = || calls.iter().filter(|call| is_whole(call));
        assert_eq!(report["calls"], calls.len(), "{said}");
        assert_eq!(report["prompt_tokens"], calls.iter().map(|call| call.prompt_tokens).sum::<u64>(), "{said}");
        let answered: u64 = whole().map(|call| call.completion_tokens).sum();
        assert_eq!(report["completion_tokens"], answered, "{said}");
        assert_eq!(report["prompts_over_budget"], 0, "{said}");
        let (told, paid) = (report["cost_usd"].as_f64().unwrap(), whole().map(cost).sum::<f64>());
        assert!((told - paid).abs() < 1e-7, "{told} told and {paid} paid\n{said}");
        assert!(!ran.err.contains(KEY) && !ran.out.contains(KEY), "{said}");
        for (name, bytes) in files_below(self.place.path()) {
            assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{name} holds the key");
        }
        // An answer is all of standard output, or there is none.
        let is_empty = ran.out.is_empty();
        assert!(is_empty || ran.out.ends_with('\n'), "{said}");
        assert!(is_empty || serde_json::from_str::<Value>(&ran.out).is_ok(), "{}\n{said}", ran.out);
    }
}

/// Whether a client can have read the answer to a call.
fn is_whole(call: &FakeCall) -> bool {
    let lost = call.fault.as_ref().is_some_and(|fault| LOST.iter().any(|lost| fault.starts_with(lost)));
    call.status == Some(200) && !lost
}

fn faults(calls: &[FakeCall]) -> String {
    calls.iter().fold(String::new(), |mut told, call| {
        let fault = call.fault.as_deref().unwrap_or("no fault");
        let (number, of) = call.chunk;
        let _ = writeln!(told, "{:?} {number}/{of}: {:?} {fault}", call.arrived, call.status);
        told
    })
}

impl Outcome {
    /// Asserts how the run ended and what it said.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.ran.code, Some(code), "{}\n{}", self.ran.err, faults(&self.calls));
        self.ran.assert_stderr(texts);
        self
    }

    /// What stands on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        self.ran.json()
    }

    /// The identifiers of the items, in order.
    #[track_caller]
    pub(crate) fn ids(&self) -> Vec<String> {
        ids(&self.json()["answer"])
    }

    /// Asserts that no request was sent a second time.
    #[track_caller]
    pub(crate) fn never_the_same(&self) -> &Self {
        let bodies: Vec<&Arc<Value>> = self.calls.iter().map(|call| &call.body).collect();
        for (index, body) in bodies.iter().enumerate() {
            assert!(!bodies[..index].contains(body), "call {index} is a repetition\n{}", faults(&self.calls));
        }
        self
    }
}

/// The identifiers of the items of an answer, in order.
#[track_caller]
pub(crate) fn ids(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap_or_else(|| panic!("no items: {answer}"));
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// The identifiers of minutes of so many items.
pub(crate) fn all_of(count: u64) -> Vec<String> {
    (1..=count).map(|number| format!("PBI-{number:04}")).collect()
}
