//! The progress of a run, without a clock or a terminal.

use crate::progress::rates::{ProgressSample, Rates};
use serde_json::{Value, json};
use std::time::Duration;
use war_rig_llm::CallProgress;
use war_rig_pool::PlanSummary;

/// The work that a run has done and has left to do.
#[derive(Debug, Default)]
pub struct RunTally {
    /// All files, and how many were up to date before it began.
    files: u64,
    up_to_date: u64,
    /// The work done on the others.
    done: u64,
    bytes_done: u64,
    bytes: u64,
    rates: Rates,
    asks: bool,
}

impl RunTally {
    /// Creates the tally of a run with this work ahead; `asks` says whether it calls a model.
    pub fn new(outlook: &PlanSummary, asks: bool) -> Self {
        let (files, up_to_date) = (outlook.files as u64, outlook.up_to_date as u64);
        Self { files, up_to_date, bytes: outlook.bytes, asks, ..Self::default() }
    }

    /// Returns the number of finished files, including those that were up to date.
    pub fn done(&self) -> u64 {
        self.up_to_date + self.done
    }

    /// Returns the number of all files.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Whether there is nothing to do.
    pub fn is_idle(&self) -> bool {
        self.files == self.up_to_date
    }

    /// Records a finished file of this size in bytes.
    pub fn finished(&mut self, bytes: u64) {
        self.done += 1;
        self.bytes_done += bytes;
    }

    /// Samples the work done so far.
    pub fn sample(&mut self, now: Duration, meter: &CallProgress) {
        let bill = &meter.usage;
        let tokens = bill.prompt_tokens + bill.completion_tokens;
        let sample = ProgressSample { files: self.done, bytes: self.bytes_done, calls: bill.calls, tokens };
        self.rates.note(now, sample);
    }

    /// Estimates the remaining time; `None` while it is unknown.
    fn left(&self) -> Option<Duration> {
        self.rates.estimated_time(self.bytes.saturating_sub(self.bytes_done), |sample| sample.bytes)
    }

    fn percent(&self) -> u64 {
        (self.done() * 100).checked_div(self.files).unwrap_or(100)
    }

    /// Formats the progress of the files: `120 of 500 files (24 %), 90 a minute, 4 min left`.
    pub fn files_in_words(&self) -> String {
        let mut words = format!("{} of {} files ({} %)", self.done(), self.files, self.percent());
        if let Some(rate) = self.rates.per_minute(|sample| sample.files).filter(|rate| *rate > 0.0) {
            words.push_str(&format!(", {rate:.0} a minute"));
        }
        if let Some(left) = self.left().filter(|_| self.done() < self.files) {
            words.push_str(&format!(", {} left", in_words(left)));
        }
        words
    }

    /// Formats the usage and the rate of the calls; empty when no model is called.
    pub fn calls_in_words(&self, meter: &CallProgress) -> String {
        if !self.asks {
            return String::new();
        }
        let mut words = usage_text(meter);
        let calls = self.rates.per_minute(|sample| sample.calls);
        let tokens = self.rates.per_minute(|sample| sample.tokens);
        if let Some((calls, tokens)) = calls.zip(tokens) {
            words.push_str(&format!(", {calls:.0} calls and {tokens:.0} tokens a minute"));
        }
        words.push_str(&pause_text(meter));
        words
    }

    /// Formats the whole progress on one line.
    pub fn in_words(&self, meter: &CallProgress) -> String {
        match self.calls_in_words(meter) {
            calls if calls.is_empty() => self.files_in_words(),
            calls => format!("{}; {calls}", self.files_in_words()),
        }
    }

    /// Returns the event `progress`.
    pub fn event(&self, meter: &CallProgress) -> Value {
        let bill = &meter.usage;
        let rate = |of: fn(&ProgressSample) -> u64| self.rates.per_minute(of).map(|rate| (rate * 10.0).round() / 10.0);
        json!({
            "event": "progress",
            "done": self.done(),
            "files": self.files,
            "up_to_date": self.up_to_date,
            "calls": bill.calls,
            "in_flight": meter.in_flight,
            "prompt_tokens": bill.prompt_tokens,
            "completion_tokens": bill.completion_tokens,
            "cost_usd": bill.cost,
            "files_per_minute": rate(|sample| sample.files),
            "calls_per_minute": rate(|sample| sample.calls),
            "tokens_per_minute": rate(|sample| sample.tokens),
            "eta_seconds": self.left().map(|left| left.as_secs()),
        })
    }
}

/// Formats the usage of calls.
pub fn usage_text(meter: &CallProgress) -> String {
    let CallProgress { usage: bill, in_flight, .. } = meter;
    let again = if bill.retries > 0 { format!(", {} again", bill.retries) } else { String::new() };
    let replayed = if bill.replayed > 0 { format!(", {} from the record", bill.replayed) } else { String::new() };
    format!(
        "{} calls ({in_flight} in flight{again}{replayed}), {} tokens sent, {} received, {} USD",
        bill.calls, bill.prompt_tokens, bill.completion_tokens, bill.cost
    )
}

/// Formats the provider's request to wait, if there is one.
pub fn pause_text(meter: &CallProgress) -> String {
    meter.pause.map(|pause| format!("; the provider asks to wait {} s", pause.as_secs() + 1)).unwrap_or_default()
}

/// Formats a time, with two units at most.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{} s", seconds.max(1)),
        (0, minutes @ ..5) => format!("{minutes} min {} s", seconds % 60),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_llm::Money;

    fn at(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    fn course(files: usize, up_to_date: usize, bytes: u64, asks: bool) -> RunTally {
        RunTally::new(&PlanSummary { files, up_to_date, bytes, ..PlanSummary::default() }, asks)
    }

    #[test]
    fn what_was_up_to_date_counts_as_done_and_makes_the_run_no_faster() {
        let mut course = course(100, 96, 400, false);
        let meter = CallProgress::default();
        course.sample(at(0), &meter);
        assert_eq!(course.files_in_words(), "96 of 100 files (96 %)");
        course.finished(100);
        course.sample(at(10), &meter);
        assert_eq!(course.files_in_words(), "97 of 100 files (97 %), 6 a minute, 30 s left");
    }

    #[test]
    fn the_rest_is_reckoned_by_size() {
        // The large files come first, so a count of files would give ten times as much.
        let mut course = course(10, 0, 1000, false);
        course.sample(at(0), &CallProgress::default());
        course.finished(900);
        course.sample(at(90), &CallProgress::default());
        assert_eq!(course.left(), Some(at(10)));
        for bytes in [10, 10, 10, 10, 10, 10, 10, 10, 20] {
            course.finished(bytes);
        }
        course.sample(at(100), &CallProgress::default());
        assert_eq!(course.files_in_words(), "10 of 10 files (100 %), 54 a minute");
    }

    #[test]
    fn the_line_says_what_calls_took() {
        let course = course(1, 0, 1, true);
        let mut meter = CallProgress { in_flight: 3, ..CallProgress::default() };
        (meter.usage.calls, meter.usage.prompt_tokens) = (7, 90);
        meter.usage.cost = Money::from_usd(0.125);
        assert_eq!(
            course.in_words(&meter),
            "0 of 1 files (0 %); 7 calls (3 in flight), 90 tokens sent, 0 received, 0.125 USD"
        );
        (meter.usage.retries, meter.usage.replayed) = (1, 2);
        assert!(course.calls_in_words(&meter).contains("(3 in flight, 1 again, 2 from the record)"));
        meter.pause = Some(Duration::from_millis(4200));
        assert!(course.calls_in_words(&meter).ends_with("; the provider asks to wait 5 s"));
    }

    #[test]
    fn an_event_has_the_same_figures() {
        let mut course = course(3, 1, 200, true);
        let mut meter = CallProgress::default();
        course.sample(at(0), &meter);
        assert_eq!(course.event(&meter)["eta_seconds"], Value::Null);
        course.finished(50);
        meter.in_flight = 2;
        (meter.usage.calls, meter.usage.prompt_tokens, meter.usage.completion_tokens) = (30, 900, 100);
        course.sample(at(20), &meter);
        let event = course.event(&meter);
        for (key, expected) in [
            ("done", json!(2)),
            ("files", json!(3)),
            ("up_to_date", json!(1)),
            ("in_flight", json!(2)),
            ("calls_per_minute", json!(90.0)),
            ("tokens_per_minute", json!(3000.0)),
            ("files_per_minute", json!(3.0)),
            ("eta_seconds", json!(60)),
        ] {
            assert_eq!(event[key], expected, "{key}");
        }
    }

    #[test]
    fn times_are_told_in_two_units_at_most() {
        let words = [0, 59, 60, 299, 300, 3599, 3600, 90_061].map(|seconds| in_words(at(seconds)));
        assert_eq!(words, ["1 s", "59 s", "1 min 0 s", "4 min 59 s", "5 min", "59 min", "1 h 0 min", "25 h 1 min"]);
    }
}
