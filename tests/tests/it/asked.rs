//! A run that asks a fake, and what holds of every such run whatever goes wrong.

use crate::programs::{small, wide};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use war_rig_tests::fake::{FakeCall, FakeLog, FakeOptions, FakeProvider, FaultScript, Tokenizer};
use war_rig_tests::oracle::{Verdict, verify_run};
use war_rig_tests::{CommandResult, Sandbox, files_below, json_file};

/// The key of all runs; it may stand nowhere.
pub(crate) const KEY: &str = "sk-planted-key-4711";

/// Answers that come to an end before they are whole, or hold none: what they cost the server nobody else can know.
const LOST: [&str; 7] = ["Cut", "Stall", "Flood", "NoChoices", "Drip", "Html", "ErrorInside"];

/// Dollars for a million tokens of `gpt-4o`, of prompts and of answers.
const PRICES: (f64, f64) = (2.5, 10.0);

/// Dollars for a million tokens of a prompt that `gpt-4o` has in its cache.
const CACHED: f64 = 1.25;

/// Sources, a fake that documents them, and settings.
pub(crate) struct Case {
    pub(crate) place: Sandbox,
    pub(crate) fake: FakeProvider,
    sources: PathBuf,
    settings: BTreeMap<String, String>,
    variables: Vec<(String, String)>,
    options: Vec<String>,
}

/// What a run came to.
pub(crate) struct Outcome {
    pub(crate) ran: CommandResult,
    /// `run.json`.
    pub(crate) report: Value,
    /// The calls of this run alone.
    pub(crate) calls: Vec<FakeCall>,
    /// What the fake has seen since it was started.
    pub(crate) log: FakeLog,
}

impl Case {
    /// Two small programs and a fake of this kind.
    pub(crate) fn new(options: FakeOptions) -> Self {
        Self::of(&[("ONE.cbl", &small("ONE")), ("TWO.cbl", &small("TWO"))], options)
    }

    /// The same with a fake that follows a script.
    pub(crate) fn scripted(script: FaultScript) -> Self {
        Self::new(FakeOptions { script, ..FakeOptions::default() })
    }

    /// So many small programs.
    pub(crate) fn many(count: usize, options: FakeOptions) -> Self {
        let names = (0..count).map(|number| format!("P{number:02}"));
        let programs: Vec<(String, String)> = names.map(|name| (format!("{name}.cbl"), small(&name))).collect();
        let programs: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        Self::of(&programs, options)
    }

    /// Programs by name.
    pub(crate) fn of(programs: &[(&str, &str)], options: FakeOptions) -> Self {
        let place = Sandbox::new();
        for (name, text) in programs {
            place.write(&format!("src/{name}"), text);
        }
        let sources = place.path().join("src");
        Self::with_sources(place, sources, options)
    }

    /// One program of so many paragraphs.
    pub(crate) fn wide(paragraphs: usize, script: FaultScript) -> Self {
        let options = FakeOptions { script, ..FakeOptions::default() };
        Self::of(&[("WIDE.cbl", &wide("WIDE", paragraphs))], options)
    }

    /// What lies in a folder.
    pub(crate) fn in_folder(sources: PathBuf, options: FakeOptions) -> Self {
        Self::with_sources(Sandbox::new(), sources, options)
    }

    fn with_sources(place: Sandbox, sources: PathBuf, options: FakeOptions) -> Self {
        // The tables take a while to load, and no call shall wait for them.
        Tokenizer::O200k.count("loaded");
        let budget = options.budget.unwrap_or(15_000);
        let fake = FakeProvider::start(FakeOptions { budget: Some(budget), ..options });
        let settings = [
            ("base_url", fake.base_url()),
            ("max_prompt_tokens", budget.to_string()),
            ("outage_seconds", "1".to_owned()),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value)).into();
        Self { place, fake, sources, settings, variables: Vec::new(), options: Vec::new() }
    }

    /// With a setting of the Scribe.
    pub(crate) fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.settings.insert(key.to_owned(), value.to_string());
        self
    }

    /// With a variable in the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With more on the command line.
    pub(crate) fn option(mut self, words: &str) -> Self {
        self.options.extend(words.split(' ').map(str::to_owned));
        self
    }

    /// Documents the sources into `out`.
    #[track_caller]
    pub(crate) fn run(&self) -> Outcome {
        self.run_into("out", "")
    }

    /// Documents the sources into a folder, with more on the command line, and asserts what always holds.
    #[track_caller]
    pub(crate) fn run_into(&self, out: &str, more: &str) -> Outcome {
        let outcome = self.run_freely(out, more);
        self.check(out, &outcome);
        outcome
    }

    /// The same without asserting anything.
    #[track_caller]
    pub(crate) fn run_freely(&self, out: &str, more: &str) -> Outcome {
        let before = self.fake.log().calls.len();
        let mut words = vec!["document".to_owned(), self.sources.display().to_string()];
        words.extend(["-o", out].map(str::to_owned));
        if !more.contains("--replay") {
            words.extend(["--scribe", "openai"].map(str::to_owned));
        }
        words.extend(self.options.iter().cloned());
        words.extend(more.split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
        let ran = self.command(&words);
        let log = self.fake.log();
        let report = self.place.path().join(out).join("run.json");
        let report = if report.exists() { json_file(&report) } else { Value::Null };
        Outcome { ran, report, calls: log.calls[before..].to_vec(), log }
    }

    /// Runs any command with the settings of the case.
    pub(crate) fn command(&self, words: &[String]) -> CommandResult {
        let settings =
            self.settings.iter().map(|(key, value)| (format!("WAR_RIG_SCRIBE__{}", key.to_uppercase()), value.clone()));
        let key = ("OPENAI_API_KEY".to_owned(), KEY.to_owned());
        self.place.run_with(settings.chain([key]).chain(self.variables.iter().cloned()), words)
    }

    /// The names of the sources, as `facts` has them.
    pub(crate) fn facts(&self) -> Value {
        let words = ["facts", "--format", "json"].map(str::to_owned);
        let sources = [self.sources.display().to_string()];
        self.command(&[words.as_slice(), &sources].concat()).json()
    }

    /// What stands in the documents of what the parser and the fake know.
    pub(crate) fn verdict(&self, out: &str, log: &FakeLog) -> Verdict {
        verify_run(&self.place.path().join(out), &self.sources, &self.facts(), log)
    }

    /// Asserts that the documents have every fact and every item of the fake, and say nothing that is false.
    #[track_caller]
    pub(crate) fn check_complete(&self, outcome: &Outcome) {
        let verdict = self.verdict("out", &outcome.log);
        let misses: Vec<String> = verdict.misses.iter().map(ToString::to_string).collect();
        assert!(misses.is_empty(), "{}\n{}", misses.join("\n"), outcome.ran.err);
        assert!(verdict.falsehoods.is_empty(), "{:#?}", verdict.falsehoods);
        let (facts, items) = (Verdict::sum(&verdict.facts), Verdict::sum(&verdict.items));
        assert!(facts.total > 0 && items.total > 0, "{facts} {items}");
    }

    /// Asserts that the documents have every fact of the parser.
    #[track_caller]
    pub(crate) fn check_facts(&self, outcome: &Outcome) -> Verdict {
        let verdict = self.verdict("out", &outcome.log);
        let facts = Verdict::sum(&verdict.facts);
        let missed: Vec<String> =
            verdict.misses.iter().filter(|miss| miss.what.starts_with("fact ")).map(ToString::to_string).collect();
        assert!(facts.is_complete() && facts.total > 0 && missed.is_empty(), "{facts}: {missed:#?}");
        verdict
    }

    /// Asserts what holds of every run.
    #[track_caller]
    fn check(&self, out: &str, outcome: &Outcome) {
        let Outcome { ran, report, calls, log } = outcome;
        let said = format!("{}\n{}", ran.err, faults(calls));
        assert!(log.violations.is_empty(), "{:#?}\n{said}", log.violations);
        assert!(log.over_budget.is_empty(), "{:#?}\n{said}", log.over_budget);
        assert!(!ran.err.contains("internal error") && !ran.err.contains("panicked"), "{said}");
        self.check_rows(report, &said);
        let sum = |of: fn(&FakeCall) -> u64| calls.iter().map(of).sum::<u64>();
        let whole = || calls.iter().filter(|call| is_whole(call));
        let answered: u64 = whole().map(|call| call.completion_tokens).sum();
        assert_eq!(report["calls"], calls.len(), "{said}");
        assert_eq!(report["prompt_tokens"], sum(|call| call.prompt_tokens), "{said}");
        assert_eq!(report["completion_tokens"], answered, "{said}");
        assert_eq!(report["cached_tokens"], whole().map(|call| call.cached_tokens).sum::<u64>(), "{said}");
        assert_eq!(report["prompts_over_budget"], 0, "{said}");
        let cost = whole().map(cost).sum::<f64>();
        let told = report["cost_usd"].as_f64().unwrap();
        assert!((told - cost).abs() < 1e-7, "{told} told and {cost} paid\n{said}");
        self.check_files(out, outcome, &said);
    }

    /// Asserts that each source has one row in a report, and that the rows come to its totals.
    #[track_caller]
    fn check_rows(&self, report: &Value, said: &str) {
        let tickets = report["tickets"].as_array().unwrap_or_else(|| panic!("no tickets\n{said}"));
        let rows: Vec<&str> = tickets.iter().map(|row| row["file"].as_str().unwrap()).collect();
        let names: BTreeSet<String> = files_below(&self.sources).into_keys().collect();
        let names: Vec<&String> = names.iter().filter(|name| is_source(name)).collect();
        assert_eq!(rows, names, "{said}");
        for field in ["calls", "prompt_tokens", "cached_tokens", "completion_tokens"] {
            let of_files: u64 = tickets.iter().map(|row| row[field].as_u64().unwrap()).sum();
            let sum = of_files + report["about_estate"][field].as_u64().unwrap_or_default();
            assert_eq!(report[field], sum, "{field}\n{said}");
        }
        let states = [("documented", "done"), ("partial", "partial"), ("skipped", "skipped")];
        for (total, state) in states {
            let count = tickets.iter().filter(|row| row["state"] == state).count();
            assert_eq!(report[total], count, "{total}\n{said}");
        }
    }

    /// Asserts that every file that was written is whole, and that none holds the key.
    #[track_caller]
    fn check_files(&self, out: &str, outcome: &Outcome, said: &str) {
        assert!(!outcome.ran.err.contains(KEY) && !outcome.ran.out.contains(KEY), "{said}");
        for (name, bytes) in files_below(self.place.path()) {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(KEY), "{name} holds the key");
            if !name.starts_with(&format!("{out}/")) {
                continue;
            }
            match name.rsplit_once('.').map(|(_, extension)| extension) {
                Some("json") => drop(serde_json::from_slice::<Value>(&bytes).unwrap()),
                Some("md") => assert!(text.starts_with('#') && text.ends_with('\n'), "{name}: {text}"),
                _ => panic!("{name} is neither a document nor a page\n{said}"),
            }
        }
    }
}

/// Whether a file is a source by the settings that hold when nothing is said.
fn is_source(name: &str) -> bool {
    let extensions = [".cbl", ".cpy", ".bms", ".csd", ".sql", ".jcl", ".prc", ".psb", ".dbd"];
    extensions.iter().any(|extension| name.ends_with(extension))
}

/// Whether a client can have read the answer to a call.
fn is_whole(call: &FakeCall) -> bool {
    let lost = call.fault.as_ref().is_some_and(|fault| LOST.iter().any(|lost| fault.starts_with(lost)));
    call.status == Some(200) && !lost
}

/// The dollars that a call has cost.
pub(crate) fn cost(call: &FakeCall) -> f64 {
    let fresh = call.prompt_tokens - call.cached_tokens;
    (fresh as f64 * PRICES.0 + call.cached_tokens as f64 * CACHED + call.completion_tokens as f64 * PRICES.1) / 1e6
}

fn faults(calls: &[FakeCall]) -> String {
    let told = |call: &FakeCall| {
        let fault = call.fault.as_deref().unwrap_or("no fault");
        let (file, (number, of)) = (&call.file, call.chunk);
        format!("{:?} {file} {number}/{of}: {:?} {fault}", call.arrived, call.status)
    };
    calls.iter().map(told).collect::<Vec<_>>().join("\n")
}

impl Outcome {
    /// Asserts how the run ended and what it said.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.ran.code, Some(code), "{}\n{}", self.ran.err, faults(&self.calls));
        self.ran.assert_stderr(texts);
        self
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

/// Does all of this at the same time, since most of it is waiting.
pub(crate) fn together<T: Send>(cases: Vec<T>, run: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| run(case));
        }
    });
}
