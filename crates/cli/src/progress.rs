//! How a run goes, on standard error while it runs.

use crate::args::Progress as How;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use serde_json::json;
use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;
use war_rig_llm::Meter;
use war_rig_pool::{Outlook, Progress, RunReport, TicketReport, TicketState};

/// How often the line on a terminal is drawn again: calls take seconds.
const REDRAWN: Duration = Duration::from_millis(200);

/// Where the calls of a run are read off; nothing where no model is asked.
pub type ReadMeter = Arc<dyn Fn() -> Meter + Send + Sync>;

/// Progress in the form that was asked for.
pub struct Shown {
    how: How,
    printer: Printer,
    line: Option<ProgressBar>,
}

impl Shown {
    /// Progress over so many files.
    pub fn new(how: How, files: usize, meter: Option<ReadMeter>, printer: Printer) -> Self {
        let on_terminal = how == How::Auto && std::io::stderr().is_terminal();
        let line = on_terminal.then(|| {
            let line = ProgressBar::new(files as u64);
            let calls = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                // A line that cannot be drawn is drawn again soon.
                let _ = out.write_str(&meter.as_ref().map(|meter| in_words(meter())).unwrap_or_default());
            };
            let style = ProgressStyle::with_template("{spinner} {pos} of {len} files{calls}");
            line.set_style(style.expect("our own template is one").with_key("calls", calls));
            line.enable_steady_tick(REDRAWN);
            line
        });
        Self { how, printer, line }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

impl Shown {
    /// Says how the run has ended, where events are asked for: the last of them.
    pub fn ended(&self, status: ExitStatus, totals: &RunReport) {
        if self.how == How::Json {
            let event = json!({
                "event": "ended",
                "exit": status.code(),
                "reason": status.meaning(),
                "files": totals.files,
                "documented": totals.documented,
                "partial": totals.partial,
                "failed": totals.failed,
                "skipped": totals.skipped,
                "calls": totals.calls,
                "prompt_tokens": totals.prompt_tokens,
                "completion_tokens": totals.completion_tokens,
                "cost_usd": totals.cost_usd,
            });
            self.printer.note(&event.to_string());
        }
    }
}

fn in_words(meter: Meter) -> String {
    let Meter { bill, in_flight, pause } = meter;
    let pause = pause
        .map(|pause| format!("; the provider asks to wait {} s", pause.as_secs() + 1))
        .unwrap_or_default();
    let again = if bill.retries > 0 { format!(", {} again", bill.retries) } else { String::new() };
    let replayed =
        if bill.replayed > 0 { format!(", {} from the record", bill.replayed) } else { String::new() };
    format!(
        "; {} calls ({in_flight} in flight{again}{replayed}), {} tokens sent, {} received, {} USD{pause}",
        bill.calls, bill.prompt_tokens, bill.completion_tokens, bill.cost
    )
}

impl Progress for Shown {
    fn begins(&self, outlook: &Outlook) {
        let Outlook { up_to_date, reclaimed, pending, .. } = outlook;
        if outlook.is_resumed && self.how != How::Json {
            self.printer
                .note(&format!("resumed: {up_to_date} done, {reclaimed} reclaimed, {pending} pending"));
        }
    }

    fn finished(&self, report: &TicketReport) {
        if let Some(line) = &self.line {
            line.inc(1);
            return;
        }
        let (ticket, bill) = (&report.ticket, &report.bill);
        match self.how {
            How::None | How::Auto => {}
            How::Plain => self.printer.note(&format!(
                "{}: {} ({} calls, {} prompt tokens, {} answer tokens, {} USD)",
                ticket.file(),
                ticket.state(),
                bill.calls,
                bill.prompt_tokens,
                bill.completion_tokens,
                bill.cost
            )),
            How::Json => self.printer.note(
                &json!({
                    "event": "finished",
                    "file": ticket.file(),
                    "state": ticket.state(),
                    "reason": if ticket.state() == TicketState::Pending { "not begun" } else { ticket.reason() },
                    "calls": bill.calls,
                    "prompt_tokens": bill.prompt_tokens,
                    "completion_tokens": bill.completion_tokens,
                    "cost_usd": bill.cost,
                })
                .to_string(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_estimator::Money;

    #[test]
    fn the_line_says_what_calls_took() {
        let mut meter = Meter { in_flight: 3, ..Meter::default() };
        (meter.bill.calls, meter.bill.prompt_tokens) = (7, 90);
        meter.bill.cost = Money::from_usd(0.125);
        assert_eq!(in_words(meter), "; 7 calls (3 in flight), 90 tokens sent, 0 received, 0.125 USD");
        (meter.bill.retries, meter.bill.replayed) = (1, 2);
        assert!(in_words(meter).contains("(3 in flight, 1 again, 2 from the record)"));
        meter.pause = Some(Duration::from_millis(4200));
        assert!(in_words(meter).ends_with("; the provider asks to wait 5 s"));
    }
}
