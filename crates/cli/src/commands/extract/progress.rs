//! Progress of a run over an input, on standard error.

use super::report::ExtractReport;
use crate::args::ProgressMode as How;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use crate::progress::{REDRAW_INTERVAL, ReportPace, pause_text, usage_text};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::time::Instant;
use war_rig_llm::CallProgress;
use war_rig_paginate::ExtractionEvent;

/// Progress in the requested form.
pub struct ExtractProgress {
    how: How,
    printer: Printer,
    bar: Option<ProgressBar>,
    began: Instant,
    pace: ReportPace,
    course: ExtractTally,
}

/// The progress of a run, without a clock or a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExtractTally {
    /// Parts cut so far; when one is divided, both halves count.
    pub cut: u64,
    /// All parts, counted in the same way, once the number is known.
    pub total: Option<u64>,
    /// The number of parts that were divided in two.
    divided: u64,
    /// Parts with an answer.
    pub answered: u64,
    /// Parts that have no answer and will get none.
    pub failed: u64,
    /// Bytes of the input read so far.
    bytes: u64,
    /// All bytes, if known.
    size: Option<u64>,
    /// Whether a model is called.
    asks: bool,
}

impl ExtractTally {
    fn take(&mut self, event: &ExtractionEvent) {
        match event {
            ExtractionEvent::Cut { parts, total, bytes } => {
                (self.cut, self.bytes) = (self.cut.max(parts + self.divided), *bytes);
                self.total = total.map(|total| total + self.divided).or(self.total);
            }
            ExtractionEvent::Answered { answered, .. } => self.answered = *answered,
            ExtractionEvent::Failed { .. } => self.failed += 1,
            ExtractionEvent::Split { .. } => {
                self.divided += 1;
                self.cut += 1;
                self.total = self.total.map(|total| total + 1);
            }
            ExtractionEvent::Summarizing { .. } => {}
        }
    }

    /// Formats the progress of the parts: `3 of 12 parts`, or `3 of 5 parts so far, 40 % read`.
    fn parts_in_words(&self) -> String {
        let mut words = match self.total {
            Some(total) => format!("{} of {total} parts", self.answered),
            None => format!("{} of {} parts so far", self.answered, self.cut),
        };
        let share = self.size.filter(|size| *size > 0).map(|size| self.bytes.saturating_mul(100) / size);
        if let (None, Some(share)) = (self.total, share) {
            words.push_str(&format!(", {} % read", share.min(100)));
        }
        if self.failed > 0 {
            words.push_str(&format!(", {} failed", self.failed));
        }
        words
    }

    fn in_words(&self, meter: &CallProgress) -> String {
        let parts = self.parts_in_words();
        if self.asks { format!("{parts}; {}{}", usage_text(meter), pause_text(meter)) } else { parts }
    }

    fn event(&self, meter: &CallProgress) -> Value {
        let bill = &meter.usage;
        json!({
            "event": "progress",
            "answered": self.answered,
            "failed": self.failed,
            "cut": self.cut,
            "parts": self.total,
            "bytes": self.bytes,
            "size": self.size,
            "calls": bill.calls,
            "in_flight": meter.in_flight,
            "prompt_tokens": bill.prompt_tokens,
            "completion_tokens": bill.completion_tokens,
            "cost_usd": bill.cost,
        })
    }
}

impl ExtractProgress {
    /// Creates the progress of a run over an input of this size, if known; `asks` says whether it calls a model. The clock starts now.
    pub fn new(how: How, size: Option<u64>, asks: bool, printer: &Printer) -> Self {
        let on_terminal = how == How::Auto && printer.shows_on_terminal();
        let bar = on_terminal.then(|| {
            let bar = ProgressBar::new_spinner().with_message("reading the input");
            bar.enable_steady_tick(REDRAW_INTERVAL);
            bar
        });
        let began = Instant::now();
        let pace = ReportPace::of(how, on_terminal, began.elapsed());
        Self {
            how,
            printer: printer.clone(),
            bar,
            began,
            pace,
            course: ExtractTally { size, asks, ..ExtractTally::default() },
        }
    }

    /// Returns the progress.
    pub fn tally(&self) -> ExtractTally {
        self.course
    }

    /// Shows an event.
    pub fn event(&mut self, event: &ExtractionEvent, meter: &CallProgress) {
        let total_was_known = self.course.total.is_some();
        self.course.take(event);
        if let Some(bar) = &self.bar {
            self.course.total.into_iter().for_each(|total| bar.set_length(total));
            if self.course.total.is_some() && !total_was_known {
                let style =
                    ProgressStyle::with_template("{spinner} [{bar:20}] {msg}").expect("our own template is one");
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_position(self.course.answered + self.course.failed);
            bar.set_message(self.course.in_words(meter));
        }
        match self.how {
            How::None | How::Auto => {}
            How::Plain => self.note(plain(event, &self.course)),
            How::Json => self.note(in_json(event).map(|event| event.to_string())),
        }
    }

    /// Shows the progress when it is due.
    pub fn tick(&mut self, meter: &CallProgress) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.course.in_words(meter));
        }
        if self.pace.is_due(self.began.elapsed()) {
            self.note(Some(match self.how {
                How::Json => self.course.event(meter).to_string(),
                How::Auto | How::Plain | How::None => self.course.in_words(meter),
            }));
        }
    }

    fn note(&self, line: Option<String>) {
        if let Some(line) = line {
            self.printer.note(&line);
        }
    }

    /// Removes the bar. No more progress is shown.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Writes the last event, when events are requested: how the run ended.
    pub fn ended(&self, status: ExitStatus, report: &ExtractReport) {
        if self.how == How::Json {
            let mut event = json!({ "event": "ended", "exit": status.code(), "reason": status.meaning() });
            if let (Value::Object(event), Ok(Value::Object(report))) = (&mut event, serde_json::to_value(report)) {
                event.extend(report);
            }
            self.printer.note(&event.to_string());
        }
    }
}

impl Drop for ExtractProgress {
    fn drop(&mut self) {
        self.end();
    }
}

fn plain(event: &ExtractionEvent, course: &ExtractTally) -> Option<String> {
    match event {
        // A part is cut long before it is processed.
        ExtractionEvent::Cut { .. } => None,
        ExtractionEvent::Answered { part, .. } => Some(format!("part {part}: answered ({})", course.parts_in_words())),
        ExtractionEvent::Failed { part, reason } => Some(format!("part {part}: failed: {reason}")),
        ExtractionEvent::Split { part } => Some(format!("part {part}: too long, and asked about in two halves")),
        ExtractionEvent::Summarizing { texts } => Some(format!("{texts} texts are summed up")),
    }
}

fn in_json(event: &ExtractionEvent) -> Option<Value> {
    match event {
        ExtractionEvent::Cut { .. } => None,
        ExtractionEvent::Answered { part, answered } => {
            Some(json!({ "event": "answered", "part": part, "answered": answered }))
        }
        ExtractionEvent::Failed { part, reason } => Some(json!({ "event": "failed", "part": part, "reason": reason })),
        ExtractionEvent::Split { part } => Some(json!({ "event": "split", "part": part })),
        ExtractionEvent::Summarizing { texts } => Some(json!({ "event": "summing", "texts": texts })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::extract::samples;
    use crate::printer::message;

    #[test]
    fn a_course_is_told_by_its_parts_and_before_that_by_its_bytes() {
        let mut course = ExtractTally { size: Some(1000), ..ExtractTally::default() };
        course.take(&ExtractionEvent::Cut { parts: 2, total: None, bytes: 400 });
        course.take(&ExtractionEvent::Answered { part: 1, answered: 1 });
        assert_eq!(course.parts_in_words(), "1 of 2 parts so far, 40 % read");
        course.take(&ExtractionEvent::Cut { parts: 5, total: Some(5), bytes: 1000 });
        course.take(&ExtractionEvent::Failed { part: 2, reason: "no".to_owned() });
        course.take(&ExtractionEvent::Cut { parts: 5, total: None, bytes: 1000 });
        assert_eq!(course.parts_in_words(), "1 of 5 parts, 1 failed");
        assert_eq!(course.in_words(&CallProgress::default()), "1 of 5 parts, 1 failed");
        let asks = ExtractTally { asks: true, ..course };
        assert_eq!(
            asks.in_words(&CallProgress::default()),
            "1 of 5 parts, 1 failed; 0 calls (0 in flight), 0 tokens sent, 0 received, 0.00 USD"
        );
        assert_eq!(course.event(&CallProgress::default())["parts"], 5);
    }

    #[test]
    fn a_part_that_is_divided_counts_as_two() {
        for total in [None, Some(2)] {
            let mut course = ExtractTally::default();
            course.take(&ExtractionEvent::Cut { parts: 1, total, bytes: 10 });
            course.take(&ExtractionEvent::Split { part: 1 });
            course.take(&ExtractionEvent::Split { part: 1 });
            course.take(&ExtractionEvent::Cut { parts: 2, total, bytes: 20 });
            course.take(&ExtractionEvent::Answered { part: 2, answered: 4 });
            let so_far = if total.is_some() { "" } else { " so far" };
            assert_eq!(course.parts_in_words(), format!("4 of 4 parts{so_far}"));
            assert_eq!((course.cut, course.total), (4, total.map(|total| total + 2)));
        }
    }

    #[test]
    fn why_a_part_failed_does_not_steer_the_terminal() {
        let failed = ExtractionEvent::Failed { part: 1, reason: samples::HOSTILE.to_owned() };
        let line = message("", &plain(&failed, &ExtractTally::default()).unwrap());
        assert!(samples::is_harmless(&line) && line.contains("[2J"), "{line:?}");
        let event = message("", &in_json(&failed).unwrap().to_string());
        assert!(samples::is_harmless(&event), "{event:?}");
        assert_eq!(serde_json::from_str::<Value>(&event).unwrap()["event"], "failed");
    }

    #[test]
    fn each_event_has_its_line() {
        let course = ExtractTally { cut: 3, total: Some(3), answered: 2, ..ExtractTally::default() };
        let told =
            |event: &ExtractionEvent| (plain(event, &course), in_json(event).map(|event| event["event"].clone()));
        assert_eq!(told(&ExtractionEvent::Cut { parts: 1, total: None, bytes: 1 }), (None, None));
        let (line, event) = told(&ExtractionEvent::Answered { part: 2, answered: 2 });
        assert_eq!((line.as_deref(), event), (Some("part 2: answered (2 of 3 parts)"), Some(json!("answered"))));
        let (line, event) = told(&ExtractionEvent::Failed { part: 3, reason: "no".to_owned() });
        assert_eq!((line.as_deref(), event), (Some("part 3: failed: no"), Some(json!("failed"))));
        assert_eq!(told(&ExtractionEvent::Split { part: 3 }).1, Some(json!("split")));
        assert_eq!(told(&ExtractionEvent::Summarizing { texts: 3 }).1, Some(json!("summing")));
    }
}
