//! Progress of a run, on standard error.
//!
//! A separate thread samples the run once a second, so that progress appears even while every file waits for calls.

mod rates;
mod run_tally;

use crate::args::ProgressMode as How;
use crate::exit::ExitStatus;
use crate::printer::Printer;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use parking_lot::{Mutex, MutexGuard};
use run_tally::RunTally;
pub use run_tally::{pause_text, usage_text};
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use war_rig_llm::CallProgress;
use war_rig_pool::{PlanSummary, RunProgress, RunReport, TicketReport, TicketState};

/// How often the lines on a terminal are redrawn: calls take seconds.
pub const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// How often progress is sampled.
pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// Reads the progress of the calls; absent when no model is called.
pub type ReadMeter = Arc<dyn Fn() -> CallProgress + Send + Sync>;

/// Returns the size of a source in bytes.
pub type SourceSizeFn = Box<dyn Fn(&str) -> u64 + Send + Sync>;

/// Progress in the requested form.
pub struct RunProgressDisplay {
    how: How,
    printer: Printer,
    bar: Option<ProgressBar>,
    /// The size of a file in bytes.
    size: SourceSizeFn,
    watched: Arc<WatchedRun>,
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// The state that the sampling thread shares with the run.
struct WatchedRun {
    meter: Option<ReadMeter>,
    began: Instant,
    course: Mutex<RunTally>,
}

impl WatchedRun {
    fn course(&self) -> MutexGuard<'_, RunTally> {
        self.course.lock()
    }

    fn meter(&self) -> CallProgress {
        self.meter.as_ref().map(|meter| meter()).unwrap_or_default()
    }
}

impl RunProgressDisplay {
    /// Creates the progress of a run that first reads its sources. The clock starts now.
    pub fn new(how: How, size: SourceSizeFn, meter: Option<ReadMeter>, printer: &Printer) -> Self {
        let on_terminal = how == How::Auto && printer.shows_on_terminal();
        let bar = on_terminal.then(|| {
            let bar = ProgressBar::new_spinner().with_message("reading the sources");
            bar.enable_steady_tick(REDRAW_INTERVAL);
            bar
        });
        let watched = WatchedRun { meter, began: Instant::now(), course: Mutex::default() };
        Self { how, printer: printer.clone(), bar, size, watched: Arc::new(watched), thread: Mutex::default() }
    }

    /// Shows the work ahead.
    fn start(&self, outlook: &PlanSummary) {
        let mut course = self.watched.course();
        *course = RunTally::new(outlook, self.watched.meter.is_some());
        course.sample(self.watched.began.elapsed(), &self.watched.meter());
        let (idle, files, done) = (course.is_idle(), course.files(), course.done());
        // Drawing the bar locks the course.
        drop(course);
        match &self.bar {
            Some(bar) if idle => bar.finish_and_clear(),
            Some(bar) => {
                bar.set_length(files);
                bar.set_position(done);
                bar.set_style(self.style());
            }
            None => {}
        }
        if !idle && self.how != How::None {
            self.watch();
        }
    }

    fn style(&self) -> ProgressStyle {
        // A line that cannot be drawn is drawn again soon.
        let watched = Arc::clone(&self.watched);
        let files = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(&watched.course().files_in_words());
        };
        let watched = Arc::clone(&self.watched);
        let calls = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(&watched.course().calls_in_words(&watched.meter()));
        };
        let template = match self.watched.meter {
            Some(_) => "{spinner} [{bar:20}] {files}\n  {calls}",
            None => "{spinner} [{bar:20}] {files}",
        };
        let style = ProgressStyle::with_template(template).expect("our own template is one");
        style.with_key("files", files).with_key("calls", calls).progress_chars("=> ")
    }

    /// Samples the run until it ends.
    fn watch(&self) {
        let (stop, stopped) = channel();
        let (watched, how, printer) = (Arc::clone(&self.watched), self.how, self.printer.clone());
        let on_terminal = self.bar.is_some();
        let work = move || {
            let mut pace = ReportPace::of(how, on_terminal, watched.began.elapsed());
            while stopped.recv_timeout(SAMPLE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let (now, meter) = (watched.began.elapsed(), watched.meter());
                let mut course = watched.course();
                course.sample(now, &meter);
                if pace.is_due(now) {
                    let text = match how {
                        How::Json => course.event(&meter).to_string(),
                        How::Auto | How::Plain | How::None => course.in_words(&meter),
                    };
                    drop(course);
                    printer.note(&text);
                }
            }
        };
        // A run without a progress thread is still a run.
        if let Ok(thread) = std::thread::Builder::new().name("progress".into()).spawn(work) {
            *self.thread.lock() = Some((stop, thread));
        }
    }

    /// Removes the bar. No more progress is shown.
    pub fn end(&self) {
        if let Some((stop, thread)) = self.thread.lock().take() {
            drop(stop);
            // The thread only shows progress, which is no longer shown.
            let _ = thread.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for RunProgressDisplay {
    fn drop(&mut self) {
        self.end();
    }
}

/// When lines about the whole run are due.
pub struct ReportPace {
    every: Option<Duration>,
    last: Duration,
}

impl ReportPace {
    /// Creates the pace for a run of this age, in this output form.
    pub fn of(how: How, on_terminal: bool, now: Duration) -> Self {
        let seconds = match how {
            How::Auto if on_terminal => None,
            How::Auto => Some(10),
            How::Plain => Some(30),
            How::Json => Some(5),
            How::None => None,
        };
        Self { every: seconds.map(Duration::from_secs), last: now }
    }

    /// Whether a line is due now.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let due = self.every.is_some_and(|every| now >= self.last + every);
        if due {
            self.last = now;
        }
        due
    }
}

impl RunProgressDisplay {
    /// Writes the last event, when events are requested: how the run ended.
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

impl RunProgress for RunProgressDisplay {
    fn on_start(&self, outlook: &PlanSummary) {
        let PlanSummary { files, up_to_date, reclaimed, pending, is_resumed, .. } = *outlook;
        let say = || match self.how {
            How::Json => self.printer.note(
                &json!({
                    "event": "started",
                    "files": files,
                    "to_do": files - up_to_date,
                    "up_to_date": up_to_date,
                    "reclaimed": reclaimed,
                })
                .to_string(),
            ),
            _ if is_resumed => {
                self.printer.note(&format!("resumed: {up_to_date} done, {reclaimed} reclaimed, {pending} pending"))
            }
            _ => {}
        };
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
        self.start(outlook);
    }

    fn on_ticket_finished(&self, report: &TicketReport) {
        let (ticket, bill) = (&report.ticket, &report.usage);
        let size = (self.size)(ticket.file());
        let mut course = self.watched.course();
        course.finished(size);
        let done = course.done();
        drop(course);
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            return;
        }
        match self.how {
            How::None | How::Auto => {}
            // No answer has no tokens: the static Scribe asks nobody.
            How::Plain if ticket.state() == TicketState::Done && bill.completion_tokens == 0 => {
                self.printer.note(&format!(
                    "{}: {} (a model would take {} calls, {} prompt tokens)",
                    ticket.file(),
                    ticket.state(),
                    bill.calls,
                    bill.prompt_tokens,
                ))
            }
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

    #[test]
    fn lines_come_at_the_pace_of_who_reads_them() {
        let after = |how, on_terminal, seconds: u64| {
            let mut pace = ReportPace::of(how, on_terminal, Duration::from_secs(3));
            (3..=seconds + 3).filter(|second| pace.is_due(Duration::from_secs(*second))).count()
        };
        assert_eq!(after(How::Auto, false, 9), 0);
        assert_eq!(after(How::Auto, false, 35), 3);
        assert_eq!(after(How::Auto, true, 100), 0);
        assert_eq!(after(How::Plain, false, 61), 2);
        assert_eq!(after(How::Json, false, 12), 2);
        assert_eq!(after(How::None, false, 100), 0);
    }
}
