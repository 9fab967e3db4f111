//! What a run used, kept, merged and lost: the report for programs, and the same as text on standard error.

use super::formatting::{excerpt, format_location};
use crate::printer::{Printer, counted};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use war_rig_llm::{Money, UsageTotals};
use war_rig_paginate::{ExtractionOutcome, OutcomeStatus};
use war_rig_paginate::{JoinReason, JoinedItem};

/// The number of examples printed for each kind of loss.
const TOLD: usize = 3;

/// The maximum length of a printed value, in characters.
const EXCERPT: usize = 60;

/// The file that `--report` names, and the totals of a run in the store. Token counts are those of the encoding for prompts, and the provider's own
/// for answers.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ExtractReport {
    /// The agent's name.
    pub agent: String,
    /// The input's name.
    pub input: String,
    /// The producer: a model's name, or `static`.
    pub produced_by: String,
    /// `complete`, `partial`, `waiting` when answers come later in a batch, or `failed` when there is no answer.
    pub status: &'static str,
    /// Why there is no answer, or why no further call was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Requests that this run sent.
    pub calls: u64,
    /// Requests that repeated an earlier one.
    pub retries: u64,
    /// Answers from the store or a record.
    pub replayed: u64,
    /// The tokens of the prompts that were sent.
    pub prompt_tokens: u64,
    /// The tokens of the received answers.
    pub completion_tokens: u64,
    /// Their cost.
    pub cost_usd: Money,
    /// The largest prompt, whether it was sent now or answered from a record.
    pub largest_prompt_tokens: u64,
    /// The maximum for a prompt.
    pub max_prompt_tokens: u64,
    /// Prompts above the maximum: always 0.
    pub prompts_over_budget: u64,
    /// Parts of the input.
    pub parts: u64,
    /// Parts with an answer.
    pub answered: u64,
    /// Records or pages of the input; 0 for text.
    pub units: u64,
    /// Parts without an answer.
    pub failed: u64,
    /// Values on which parts disagree.
    pub conflicts: u64,
    /// Items that were merged into another.
    pub joined: u64,
    /// Answers and fields that the strategy omitted.
    pub discarded: u64,
    /// Elements of answers that could not be used.
    pub dropped: u64,
    /// Places where the answer violates the schema.
    pub violations: u64,
    /// Texts of the input that are missing in the answer; `None` when the agent has no patterns for that.
    pub missed: Option<u64>,
    /// Request features that the server rejects or silently ignores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub server: Vec<String>,
}

/// The subject of a run, which is known even when it fails.
#[derive(Debug, Clone)]
pub struct ReportSubject {
    /// The agent's name.
    pub agent: String,
    /// The input's name.
    pub input: String,
    /// The producer.
    pub produced_by: String,
    /// The maximum for a prompt.
    pub max_prompt_tokens: u64,
}

impl ExtractReport {
    /// Creates the report of a run with an answer.
    pub fn of(about: &ReportSubject, outcome: &ExtractionOutcome, server: Vec<String>) -> Self {
        let count = |length: usize| length as u64;
        let parts = &outcome.parts;
        Self {
            status: match outcome.status {
                OutcomeStatus::Complete => "complete",
                OutcomeStatus::Partial => "partial",
            },
            error: outcome.stopped.as_ref().map(|stopped| stopped.message.clone()),
            largest_prompt_tokens: parts.largest_prompt_tokens.max(outcome.bill.largest_prompt),
            prompts_over_budget: parts.prompts_over_budget,
            parts: parts.parts,
            answered: parts.answered,
            units: parts.units,
            failed: count(outcome.failed.len()),
            conflicts: count(outcome.conflicts.len()),
            joined: count(outcome.joined.len()),
            discarded: count(outcome.discarded.len()),
            dropped: count(outcome.dropped.len()),
            violations: count(outcome.violations.len()),
            missed: outcome.audit.as_ref().map(|audit| count(audit.missed.len())),
            ..Self::without_answer(about, &outcome.bill, (parts.parts, parts.answered), server)
        }
    }

    /// Creates the report of a run that failed or is still running: parts cut and parts answered.
    pub fn without_answer(
        about: &ReportSubject,
        bill: &UsageTotals,
        (parts, answered): (u64, u64),
        server: Vec<String>,
    ) -> Self {
        Self {
            agent: about.agent.clone(),
            input: about.input.clone(),
            produced_by: about.produced_by.clone(),
            status: "failed",
            calls: bill.calls,
            retries: bill.retries,
            replayed: bill.replayed,
            prompt_tokens: bill.prompt_tokens,
            completion_tokens: bill.completion_tokens,
            cost_usd: bill.cost,
            largest_prompt_tokens: bill.largest_prompt,
            max_prompt_tokens: about.max_prompt_tokens,
            parts,
            answered,
            server,
            ..Self::default()
        }
    }

    /// Summarizes the run in one line, with every count that is not 0. Without an answer, it gives only the usage, if any.
    pub fn in_words(&self) -> Option<String> {
        if matches!(self.status, "failed" | "waiting") || (self.answered == 0 && self.parts > 0) {
            return self.spent_in_words();
        }
        let mut line = format!(
            "{}: {}: {} in {}",
            self.agent,
            self.input,
            counted(self.parts, "part"),
            counted(self.calls, "call")
        );
        if self.replayed > 0 {
            line.push_str(&format!(" and {} from the record", counted(self.replayed, "answer")));
        }
        line.push_str(&format!(", largest prompt {} of {} tokens", self.largest_prompt_tokens, self.max_prompt_tokens));
        self.push_cost(&mut line);
        let of = |count: u64, what: &str| (count > 0).then(|| counted(count, what));
        let plain = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        for words in [
            of(self.conflicts, "conflict"),
            plain(self.joined, "joined"),
            plain(self.discarded, "discarded"),
            plain(self.dropped, "dropped"),
            plain(self.failed, "failed"),
            of(self.violations, "violation"),
            plain(self.missed.unwrap_or_default(), "missed"),
        ]
        .into_iter()
        .flatten()
        {
            line.push_str(&format!("; {words}"));
        }
        Some(line)
    }

    /// Formats the usage of a run without an answer; `None` when it used nothing.
    fn spent_in_words(&self) -> Option<String> {
        if self.calls == 0 && self.answered == 0 {
            return None;
        }
        let mut line = format!("{}: {}: no answer", self.agent, self.input);
        if self.answered > 0 {
            line.push_str(&format!("; {} of {} answered", self.answered, counted(self.parts, "part")));
        }
        if self.calls > 0 {
            line.push_str(&format!("; {}", counted(self.calls, "call")));
        }
        self.push_cost(&mut line);
        Some(line)
    }

    fn push_cost(&self, line: &mut String) {
        if self.calls > 0 {
            line.push_str(&format!("; {} prompt and {} answer tokens", self.prompt_tokens, self.completion_tokens));
        }
        if self.cost_usd > Money::ZERO {
            line.push_str(&format!("; {} USD", self.cost_usd));
        }
    }
}

/// Prints the losses, conflicts and merged items, with the first examples of each.
pub fn print_losses(outcome: &ExtractionOutcome, printer: &Printer) {
    tell(outcome, "; -o json and ndjson have all", &|line| printer.warn(line), &|line| printer.note(line));
}

/// Prints the same when no other output contains the full list.
pub fn print_some_losses(outcome: &ExtractionOutcome, printer: &Printer) {
    tell(outcome, "", &|line| printer.warn(line), &|line| printer.note(line));
}

/// Returns the same as lines, for output by the caller.
pub fn loss_lines(outcome: &ExtractionOutcome) -> Vec<String> {
    let lines = RefCell::new(Vec::new());
    let push = |line: &str| lines.borrow_mut().push(line.to_owned());
    tell(outcome, "", &push, &push);
    lines.into_inner()
}

/// `rest` says where the full list is.
fn tell(outcome: &ExtractionOutcome, rest: &str, warn: &dyn Fn(&str), note: &dyn Fn(&str)) {
    let examples = ExampleList { rest };
    let text = |value: &Value| excerpt(value, EXCERPT);
    for known in &outcome.notes {
        warn(&format!("{}: {known}", outcome.input));
    }
    examples.tell(
        &outcome.failed,
        ("part", "without an answer"),
        |part| format!("part {}{}: {}", part.part, in_brackets(&format_location(&part.place)), part.reason),
        warn,
    );
    examples.tell(
        &outcome.violations,
        ("place", "not as the schema says"),
        |violation| match violation.path.as_str() {
            "" => format!("the answer {}", violation.message),
            path => format!("the answer at {path}: {}", violation.message),
        },
        warn,
    );
    if let Some(audit) = &outcome.audit {
        examples.tell(
            &audit.missed,
            ("text", "of the input missed in the answer"),
            |missed| {
                let place = format_location(&missed.place);
                format!("the answer misses {} `{}`{}", missed.pattern, missed.text, in_brackets(&place))
            },
            warn,
        );
    }
    examples.tell(
        &outcome.dropped,
        ("thing", "in answers without use"),
        |dropped| format!("part {}: left out of its answer: {}", dropped.part, dropped.note),
        warn,
    );
    examples.tell(
        &outcome.conflicts,
        ("conflict", "between parts"),
        |conflict| {
            format!(
                "{}: `{}` of part {} stands, `{}` of part {} does not",
                shown(&conflict.path),
                text(&conflict.kept),
                conflict.kept_part,
                text(&conflict.dropped),
                conflict.dropped_part
            )
        },
        note,
    );
    examples.tell(
        &outcome.discarded,
        ("answer or field", "discarded"),
        |discarded| {
            format!("{} of part {} discarded: `{}`", shown(&discarded.path), discarded.part, text(&discarded.value))
        },
        note,
    );
    // Duplicates with the same key or in an overlap are expected: that is what keys and overlaps are for.
    let guessed: Vec<&JoinedItem> =
        outcome.joined.iter().filter(|joined| joined.by == JoinReason::Similarity).collect();
    examples.tell(
        &guessed,
        ("item", "taken for another because they are alike"),
        |joined| {
            format!(
                "{} of part {} and `{}` of part {} are taken for one",
                shown(&joined.path),
                joined.kept_part,
                text(&joined.dropped),
                joined.dropped_part
            )
        },
        note,
    );
}

/// Prints the first examples of a kind.
struct ExampleList<'a> {
    /// The text after their number.
    rest: &'a str,
}

impl ExampleList<'_> {
    /// Prints the first examples, and the total if there are more.
    fn tell<T>(&self, all: &[T], (what, of): (&str, &str), words: impl Fn(&T) -> String, tell: impl Fn(&str)) {
        all.iter().take(TOLD).for_each(|one| tell(&words(one)));
        if all.len() > TOLD {
            let count = counted(all.len(), what);
            tell(&format!("{count} {of}, of which these are the first {TOLD}{}", self.rest));
        }
    }
}

fn in_brackets(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" ({place})") }
}

/// Formats a JSON pointer; the root pointer is empty.
fn shown(path: &str) -> &str {
    if path.is_empty() { "the answer" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::extract::samples;
    use crate::printer::message;

    fn about() -> ReportSubject {
        ReportSubject {
            agent: "action-items".to_owned(),
            input: "notes.pdf".to_owned(),
            produced_by: "gpt-4o".to_owned(),
            max_prompt_tokens: 2000,
        }
    }

    #[test]
    fn the_line_has_each_number_that_is_not_0() {
        let report = ExtractReport::of(&about(), &samples::outcome(), Vec::new());
        assert_eq!(
            report.in_words().unwrap(),
            "action-items: notes.pdf: 4 parts in 5 calls, largest prompt 1100 of 2000 tokens; 5000 prompt and 300 answer tokens; 1 conflict; 1 joined; 1 discarded; 1 dropped; 1 failed; 1 violation; 1 missed"
        );
        let bill = UsageTotals { replayed: 2, largest_prompt: 7, ..UsageTotals::default() };
        let replayed = ExtractReport {
            status: "complete",
            answered: 1,
            ..ExtractReport::without_answer(&about(), &bill, (1, 1), Vec::new())
        };
        assert_eq!(
            replayed.in_words().unwrap(),
            "action-items: notes.pdf: 1 part in 0 calls and 2 answers from the record, largest prompt 7 of 2000 tokens"
        );
    }

    #[test]
    fn a_run_without_an_answer_is_not_summed_up_like_one_with_an_answer() {
        let of = |bill: &UsageTotals, parts| ExtractReport::without_answer(&about(), bill, parts, Vec::new());
        assert_eq!(of(&UsageTotals::default(), (1, 0)).in_words(), None);
        let spent = UsageTotals { calls: 2, prompt_tokens: 900, completion_tokens: 7, ..UsageTotals::default() };
        assert_eq!(
            of(&spent, (1, 0)).in_words().unwrap(),
            "action-items: notes.pdf: no answer; 2 calls; 900 prompt and 7 answer tokens"
        );
        assert_eq!(
            of(&UsageTotals::default(), (4, 3)).in_words().unwrap(),
            "action-items: notes.pdf: no answer; 3 of 4 parts answered"
        );
        // Every part has failed, and the answer is empty.
        let mut lost = samples::outcome();
        (lost.parts.answered, lost.bill) = (0, UsageTotals::default());
        assert_eq!(ExtractReport::of(&about(), &lost, Vec::new()).in_words(), None);
    }

    #[test]
    fn the_report_has_the_names_that_programs_read() {
        let report = serde_json::to_value(ExtractReport::of(&about(), &samples::outcome(), Vec::new())).unwrap();
        for (name, expected) in [
            ("calls", 5),
            ("retries", 1),
            ("replayed", 0),
            ("prompt_tokens", 5000),
            ("completion_tokens", 300),
            ("largest_prompt_tokens", 1100),
            ("prompts_over_budget", 0),
            ("parts", 4),
            ("failed", 1),
            ("conflicts", 1),
            ("joined", 1),
            ("discarded", 1),
            ("dropped", 1),
            ("missed", 1),
        ] {
            assert_eq!(report[name], expected, "{name}");
        }
        assert_eq!(report["status"], "partial");
        assert!(report.get("cost_usd").is_some() && report.get("error").is_none());
    }

    #[test]
    fn nothing_that_a_model_says_steers_the_terminal() {
        let outcome = samples::hostile();
        let lines = RefCell::new(Vec::new());
        let keep = |line: &str| lines.borrow_mut().push(message("", line));
        tell(&outcome, "; -o json and ndjson have all", &keep, &keep);
        let report = ExtractReport {
            error: Some(samples::HOSTILE.to_owned()),
            ..ExtractReport::of(
                &ReportSubject { agent: samples::HOSTILE.to_owned(), ..about() },
                &outcome,
                vec![samples::HOSTILE.to_owned()],
            )
        };
        keep(&report.in_words().unwrap());
        report.server.iter().for_each(|line| keep(line));
        keep(&serde_json::to_string(&report).unwrap());
        let lines = lines.into_inner();
        // A note, a failed part, a violation, a miss, a dropped element, a conflict, a discarded answer, a joined item; then the report's lines.
        assert_eq!(lines.len(), 8 + 3);
        for line in &lines {
            assert!(samples::is_harmless(line) && line.contains("[2J"), "{line:?}");
        }
    }

    #[test]
    fn of_many_the_first_are_told_and_their_number() {
        let told = RefCell::new(Vec::new());
        let tell = |line: &str| told.borrow_mut().push(line.to_owned());
        let examples = ExampleList { rest: "; -o json and ndjson have all" };
        examples.tell(&[1, 2, 3], ("thing", "lost"), |n| format!("thing {n}"), tell);
        assert_eq!(told.borrow_mut().drain(..).count(), 3);
        examples.tell(&[1, 2, 3, 4], ("thing", "lost"), |n| format!("thing {n}"), tell);
        assert_eq!(told.borrow()[3], "4 things lost, of which these are the first 3; -o json and ndjson have all");
    }
}
