//! What becomes of readers' words on their way to documents.

use crate::fake::{FakeOptions, FakeProvider};
use crate::sandbox::without_ours;
use crate::word_bank::WordBank;
use crate::word_lies::WordLie;
use crate::{Sandbox, files_below};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// What became of the words of a bank in one run.
#[derive(Debug, Default)]
pub struct WordsMeasure {
    /// The texts of the bank about the documented programs.
    pub texts: usize,
    /// Those that are in no document.
    pub lost: Vec<String>,
    /// The citations by status: of all items, and of those that only the reader has.
    pub citations: (BTreeMap<String, u64>, BTreeMap<String, u64>),
    /// Conflicts, as the documents list them.
    pub conflicts: Vec<String>,
    /// Items that were left out.
    pub rejected: Vec<String>,
    /// The tokens of all prompts and answers.
    pub tokens: (u64, u64),
    /// Prompts over the budget.
    pub over_budget: usize,
    /// The reader's items whose first citation is verified, for a look at lies.
    pub verified: Vec<String>,
    /// The reader's items whose first citation is unsupported or contradicted.
    pub refuted: Vec<String>,
    /// Those whose first is unchecked.
    pub unchecked: Vec<String>,
}

impl WordsMeasure {
    /// Documents the sources of a bank with it as the model, which names listed things by their ids if asked to.
    ///
    /// # Errors
    /// What the binary said, when it failed.
    ///
    /// # Panics
    /// When the binary cannot be started, or writes what is no JSON.
    pub fn of(
        binary: &Path,
        bank: &Arc<WordBank>,
        sources: &Path,
        budget: u64,
        lie: Option<WordLie>,
        by_ids: bool,
    ) -> Result<Self, String> {
        let place = Sandbox::new();
        let options = FakeOptions {
            budget: Some(budget),
            words: Some((Arc::clone(bank), lie)),
            by_ids,
            ..FakeOptions::default()
        };
        let fake = FakeProvider::start(options);
        let mut command = Command::new(binary);
        without_ours(&mut command);
        command.current_dir(place.path()).args(["document", "-o", "out", "--progress", "none", "--scribe", "openai"]);
        for file in bank.files() {
            command.args(["--only", &format!("**/{file}")]);
        }
        command.arg(sources).stdin(Stdio::null());
        command.env("WAR_RIG_SCRIBE__BASE_URL", fake.base_url()).env("OPENAI_API_KEY", "test");
        command.env("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", budget.to_string());
        // The words about parts are measured, and an overview would be told in their place.
        command.env("WAR_RIG_SCRIBE__RECONCILE", "false");
        let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let log = fake.log();
        let answered = log.calls.iter().map(|call| call.completion_tokens).sum();
        let mut measure =
            Self { tokens: (log.prompt_tokens(), answered), over_budget: log.over_budget.len(), ..Self::default() };
        for (name, bytes) in files_below(&place.path().join("out")) {
            let Some(file) = bank.files().find(|file| name.ends_with(&format!("{file}.json"))) else { continue };
            let document: Value = serde_json::from_slice(&bytes).expect("a document is JSON");
            measure.count(&document, bank, file);
        }
        Ok(measure)
    }

    fn count(&mut self, document: &Value, bank: &WordBank, file: &str) {
        let mut kept = document.clone();
        (kept["conflicts"], kept["rejected"]) = (Value::Null, Value::Null);
        let mut said = Vec::new();
        texts_of(&kept, &mut said);
        let texts = bank.texts(file);
        self.texts += texts.len();
        self.lost.extend(texts.into_iter().filter(|text| !said.iter().any(|said| said.contains(text.as_str()))));
        let listed = |name: &str| document[name].as_array().into_iter().flatten().map(Value::to_string);
        self.conflicts.extend(listed("conflicts"));
        self.rejected.extend(listed("rejected"));
        self.items(document, "");
    }

    fn items(&mut self, value: &Value, path: &str) {
        if let Some(citations) = value["citations"].as_array() {
            let by_reader = value["origin"] == "model";
            for citation in citations {
                let status = citation["status"].as_str().unwrap_or_default().to_owned();
                *self.citations.0.entry(status.clone()).or_default() += 1;
                if by_reader {
                    *self.citations.1.entry(status).or_default() += 1;
                }
            }
            let first = citations.first().filter(|_| by_reader).and_then(|citation| citation["status"].as_str());
            match first {
                Some("verified") => self.verified.push(format!("{path}: {value}")),
                Some("unchecked") => self.unchecked.push(format!("{path}: {value}")),
                Some("unsupported" | "contradicted") => self.refuted.push(format!("{path}: {value}")),
                _ => {}
            }
        }
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| self.items(value, name)),
            Value::Array(values) => values.iter().for_each(|value| self.items(value, path)),
            _ => {}
        }
    }

    /// The share of the reader's own citations with a status, of a hundred.
    pub fn share(&self, status: &str) -> f64 {
        share(&self.citations.1, status)
    }

    /// The share of all citations with a status, of a hundred.
    pub fn share_of_all(&self, status: &str) -> f64 {
        share(&self.citations.0, status)
    }

    /// The head of a table of runs, in Markdown.
    pub fn head() -> &'static str {
        "| budget | words | texts | lost | all: verified | unchecked | relocated | unsupported | contradicted | reader's: verified | \
         unsupported or contradicted | conflicts | rejected | tokens of prompts / answers | over |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    }

    /// The row of this run.
    pub fn row(&self, budget: u64, what: &str) -> String {
        let statuses = ["verified", "unchecked", "relocated", "unsupported", "contradicted"];
        let shares: Vec<String> = statuses.iter().map(|status| format!("{:.1} %", self.share_of_all(status))).collect();
        format!(
            "| {budget} | {what} | {} | {} | {} | {:.1} % | {:.1} % | {} | {} | {} / {} | {} |",
            self.texts,
            self.lost.len(),
            shares.join(" | "),
            self.share("verified"),
            self.share("unsupported") + self.share("contradicted"),
            self.conflicts.len(),
            self.rejected.len(),
            self.tokens.0,
            self.tokens.1,
            self.over_budget
        )
    }
}

fn share(counts: &BTreeMap<String, u64>, status: &str) -> f64 {
    let all: u64 = counts.values().sum();
    100.0 * counts.get(status).copied().unwrap_or_default() as f64 / all.max(1) as f64
}

fn texts_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts_of(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts_of(value, found)),
        _ => {}
    }
}
