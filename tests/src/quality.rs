//! How good a run is that a perfect Scribe writes for: what it loses, and what it costs.

use crate::Sandbox;
use crate::fake::{AnswerItemKind, CallPurpose, FakeCall, FakeOptions, FakeProvider};
use crate::oracle::{Tally, Verdict, verify_run};
use crate::sandbox::without_ours;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A run with one budget.
#[derive(Debug)]
pub struct Quality {
    /// The most tokens that a prompt may have.
    pub budget: u64,
    /// The files of the plan.
    pub files: u64,
    /// The calls of the plan about chunks, and those that the fake has answered.
    pub calls: (u64, u64),
    /// The calls of the plan for overviews, and those that the fake has answered.
    pub overviews: (u64, u64),
    /// The calls about business functions and the system: planned, and made.
    about_estate: (u64, u64),
    /// The least calls that would do, by the plan.
    pub ideal_calls: u64,
    /// Files with twice the calls that would do, or more.
    pub spread: Vec<String>,
    /// The prompt tokens of the plan for chunks, and those that the fake has counted.
    pub prompt_tokens: (u64, u64),
    /// The most prompt tokens of the plan for overviews, and those that the fake has counted.
    pub overview_tokens: (u64, u64),
    /// Prompts over the budget by the fake's count.
    pub over_budget: Vec<String>,
    /// What broke the contract.
    pub violations: Vec<String>,
    /// What stands in the documents.
    pub verdict: Verdict,
}

impl Quality {
    /// Plans and documents a folder with the binary, a perfect fake writing for it.
    ///
    /// # Errors
    /// As [`Quality::measure_with`].
    ///
    /// # Panics
    /// As [`Quality::measure_with`].
    pub fn measure(binary: &Path, folder: &Path, budget: u64) -> Result<Self, String> {
        Self::measure_with(binary, folder, budget, FakeOptions::default())
    }

    /// The same with a fake that may be less than perfect.
    ///
    /// # Errors
    /// What the binary said, when it failed.
    ///
    /// # Panics
    /// When the binary cannot be started, or writes what is no JSON.
    pub fn measure_with(binary: &Path, folder: &Path, budget: u64, options: FakeOptions) -> Result<Self, String> {
        let place = Sandbox::new();
        let fake = FakeProvider::start(FakeOptions { budget: Some(budget), ..options });
        let run = |arguments: &[&str]| -> Result<String, String> {
            let mut command = Command::new(binary);
            without_ours(&mut command);
            command.current_dir(place.path()).args(arguments).arg(folder).stdin(Stdio::null());
            command.env("WAR_RIG_SCRIBE__PROVIDER", "openai").env("WAR_RIG_SCRIBE__BASE_URL", fake.base_url());
            command.env("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", budget.to_string()).env("OPENAI_API_KEY", "test");
            let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
            said(arguments, &output)
        };
        let json = |text: &str| -> Value {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("no JSON ({error}): {text}"))
        };
        let facts = json(&run(&["facts", "--format", "json"])?);
        let plan = json(&run(&["plan", "--format", "json"])?);
        run(&["document", "-o", "out", "--progress", "none"])?;
        let log = fake.log();
        let files = plan["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |file: &Value, name: &str| file[name].as_u64().unwrap_or_default();
        let spread = |file: &&Value| of(file, "calls") - of(file, "overview_calls") >= of(file, "ideal_calls") * 2;
        let number = |name: &str| of(&plan["totals"], name);
        let of_purpose = |purpose: CallPurpose| log.calls.iter().filter(move |call| call.purpose == purpose);
        let overviews: Vec<_> = of_purpose(CallPurpose::Overview).collect();
        let chunks: Vec<_> = of_purpose(CallPurpose::Documentation).collect();
        let tokens = |calls: &[&FakeCall]| {
            calls.iter().filter(|call| call.status == Some(200)).map(|call| call.prompt_tokens).sum::<u64>()
        };
        Ok(Self {
            budget,
            files: files.len() as u64,
            calls: (number("calls") - number("overview_calls") - number("estate_calls"), chunks.len() as u64),
            about_estate: (number("estate_calls"), of_purpose(CallPurpose::Estate).count() as u64),
            overviews: (number("overview_calls"), overviews.len() as u64),
            ideal_calls: files.iter().filter_map(|file| file["ideal_calls"].as_u64()).sum(),
            spread: files.iter().filter(spread).map(|file| file["file"].to_string()).collect(),
            prompt_tokens: (number("prompt_tokens"), tokens(&chunks)),
            overview_tokens: (number("max_overview_prompt_tokens"), tokens(&overviews)),
            verdict: verify_run(&place.path().join("out"), folder, &facts, &log),
            over_budget: log.over_budget,
            violations: log.violations,
        })
    }

    /// What is wrong, in words; nothing when all is as it should be.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut hold = |holds: bool, fault: String| {
            if !holds {
                faults.push(fault);
            }
        };
        let (calls, tokens) = (self.calls, self.prompt_tokens);
        hold(calls.0 == calls.1, format!("{} calls were planned and {} made", calls.0, calls.1));
        hold(tokens.0 == tokens.1, format!("{} prompt tokens were planned and {} sent", tokens.0, tokens.1));
        let estate = self.about_estate;
        hold(estate.0 == estate.1, format!("{} calls about the estate were planned and {} made", estate.0, estate.1));
        let overviews = self.overviews;
        hold(overviews.0 == overviews.1, format!("{} overviews were planned and {} made", overviews.0, overviews.1));
        let most = self.overview_tokens;
        hold(most.1 <= most.0, format!("{} tokens at most were planned for overviews and {} sent", most.0, most.1));
        let ideal = self.ideal_calls;
        hold(calls.0 * 100 <= ideal * 115, format!("{} calls where {ideal} would do", calls.0));
        self.spread.iter().for_each(|file| hold(false, format!("{file} takes twice the calls that would do")));
        self.over_budget.iter().for_each(|prompt| hold(false, format!("over the budget: {prompt}")));
        self.violations.iter().for_each(|said| hold(false, format!("breaks the contract: {said}")));
        let total = Verdict::sum(&self.verdict.facts).total.min(Verdict::sum(&self.verdict.items).total);
        hold(total > 0, "there is nothing to be found".to_owned());
        let told = self.verdict.misses.iter().chain(&self.verdict.falsehoods);
        faults.extend(told.map(ToString::to_string));
        faults
    }

    /// The head of a table of runs, in Markdown.
    pub fn head() -> String {
        let mut head = "| budget | files | calls planned / made / ideal | overviews | over | prompt tokens planned / counted | facts | items |".to_owned();
        AnswerItemKind::ALL.iter().for_each(|kind| write!(head, " {kind} |").expect("a string takes every write"));
        let columns = head.matches('|').count() - 1;
        format!("{head}\n|{}", "---|".repeat(columns))
    }

    /// The row of this run. Of each kind it tells the facts, where the parser knows any, before the items.
    pub fn row(&self) -> String {
        let (calls, tokens) = (self.calls, self.prompt_tokens);
        let mut row = format!(
            "| {} | {} | {} / {} / {} | {} | {} | {} / {} | {} | {} |",
            self.budget,
            self.files,
            calls.0,
            calls.1,
            self.ideal_calls,
            self.overviews.1,
            self.over_budget.len(),
            tokens.0,
            tokens.1,
            Verdict::sum(&self.verdict.facts),
            Verdict::sum(&self.verdict.items),
        );
        let of = |tallies: &BTreeMap<AnswerItemKind, Tally>, kind| tallies.get(&kind).copied().unwrap_or_default();
        for kind in AnswerItemKind::ALL {
            let facts = if kind.is_framed() { format!("{}, ", of(&self.verdict.facts, kind)) } else { String::new() };
            write!(row, " {facts}{} |", of(&self.verdict.items, kind)).expect("a string takes every write");
        }
        row
    }
}

fn said(arguments: &[&str], output: &Output) -> Result<String, String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("war-rig {} ended with {}:\n{error}", arguments.join(" "), output.status))
}
