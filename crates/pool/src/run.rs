//! The worker pool.
//!
//! Each ticket is worked on by one thread outside the runtime's own, at most `jobs` at a time, because decoding, parsing and
//! counting keep a processor busy; the Scribe's calls inside a ticket are awaited from there. Nothing is shared between tickets but
//! what is read, so that neither their number nor their order shows in a document. The reports come back in the order of the sources.
//! When the run is to stop at the first failure, tickets already begun are finished and the others stay pending.

use crate::plan::Planner;
use crate::read::{Source, SourceId, SourceOptions, Sources, Surrounding, Unreadable, read};
use crate::report::{DocumentedAs, TicketReport};
use crate::ticket::{TicketState, WrongArrow};
use crate::write::Wrote;
use futures::StreamExt;
use std::any::Any;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use war_rig_estate::{EstateGraph, Survey};
use war_rig_scribe::{Scribe, describe};
use war_rig_template::{Document, Status};

/// The port that takes finished documents.
pub trait DocumentSink: Send + Sync {
    /// Writes a document, whole or not at all.
    ///
    /// # Errors
    /// Whatever keeps it from being written.
    fn write(&self, document: &Document) -> io::Result<()>;

    /// Whether a document of this source is there already.
    fn holds(&self, _source: &SourceId) -> bool {
        false
    }
}

/// The port that is told how the run goes.
pub trait Progress: Send + Sync {
    /// A ticket has reached its end.
    fn finished(&self, report: &TicketReport);
}

/// How a run works.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Tickets in work at a time; at least 1.
    pub jobs: usize,
    /// Calls in flight within one ticket; at least 1.
    pub concurrency: usize,
    /// How sources are read and parsed.
    pub source: SourceOptions,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
}

/// Surveys all sources, at most `jobs` at a time. What cannot be read says nothing of the estate; its own ticket tells why.
///
/// # Panics
/// When a worker panics, with that panic.
pub async fn survey<P: Sources + 'static>(
    sources: &[SourceId],
    port: &Arc<P>,
    options: &RunOptions,
) -> Vec<Survey> {
    let work = sources.iter().cloned().map(|id| {
        let (port, source) = (Arc::clone(port), options.source);
        // What panics here panics again when the file is documented, and fails there.
        let survey = move || {
            let found = read(port.as_ref(), &id, &source).ok()?;
            Some(found.survey(port.kind(&id)))
        };
        blocking(move || std::panic::catch_unwind(AssertUnwindSafe(survey)).ok().flatten())
    });
    let surveys: Vec<_> = futures::stream::iter(work).buffered(options.jobs.max(1)).collect().await;
    surveys.into_iter().flatten().collect()
}

/// What the workers of a run share.
pub struct Workers<S, P, D> {
    /// What the sources say of each other.
    pub graph: Arc<EstateGraph>,
    /// Routes and cuts.
    pub planner: Arc<Planner>,
    /// Writes.
    pub scribe: Arc<S>,
    /// Where sources come from.
    pub sources: Arc<P>,
    /// Where documents go.
    pub sink: Arc<D>,
    /// How the run works.
    pub options: RunOptions,
}

/// Prompts that are made before there is a place in flight for them, so that none waits to be made when there is.
const AHEAD: usize = 16;

/// Documents the sources, and gives their reports in the same order.
///
/// # Panics
/// When a worker panics, with that panic.
pub async fn run<S, P, D>(
    ids: &[SourceId],
    workers: Workers<S, P, D>,
    progress: &dyn Progress,
) -> Vec<TicketReport>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink + 'static,
{
    let jobs = workers.options.jobs.max(1);
    let turns = Semaphore::new(workers.options.concurrency.max(1) + AHEAD);
    let shared = Arc::new((workers, Handle::current(), AtomicBool::new(false), turns));
    let work = ids.iter().cloned().enumerate().map(|(index, id)| {
        let shared = Arc::clone(&shared);
        blocking(move || {
            let (workers, runtime, stopped, turns) = shared.as_ref();
            let mut report = TicketReport::new(&id.0);
            // What is no COBOL asks no Scribe, and is documented also when that one has stopped.
            let can_be_written =
                || workers.scribe.stopped().is_none() || !workers.sources.kind(&id).is_cobol();
            if !stopped.load(Ordering::Acquire) && can_be_written() {
                // A defect that one file brings to light is that file's failure, and stops no other.
                let work = AssertUnwindSafe(|| workers.work(&id, &mut report, runtime, turns));
                let ended = std::panic::catch_unwind(work);
                let defect = match ended {
                    Ok(Ok(())) => None,
                    Ok(Err(wrong)) => Some(wrong.to_string()),
                    Err(panic) => Some(words_of(panic.as_ref())),
                };
                if let Some(defect) = defect {
                    // A ticket that has reached its end already has its document and stays as it is.
                    let _ = report.ticket.advance(TicketState::Failed, format!("internal error: {defect}"));
                }
            }
            if workers.options.fail_fast
                && matches!(report.ticket.state(), TicketState::Failed | TicketState::Partial)
            {
                stopped.store(true, Ordering::Release);
            }
            (index, report)
        })
    });
    let mut finished = futures::stream::iter(work).buffer_unordered(jobs);
    let mut reports = Vec::with_capacity(ids.len());
    while let Some((index, report)) = finished.next().await {
        progress.finished(&report);
        reports.push((index, report));
    }
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// A text up to its first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

impl<S: Scribe, P: Sources, D: DocumentSink> Workers<S, P, D> {
    /// Brings a ticket to its end.
    fn work(
        &self,
        id: &SourceId,
        report: &mut TicketReport,
        runtime: &Handle,
        turns: &Semaphore,
    ) -> Result<(), WrongArrow> {
        let source = match read(self.sources.as_ref(), id, &self.options.source) {
            Ok(source) => source,
            Err(error @ Unreadable::Foreign(_)) => {
                return report.ticket.advance(TicketState::Skipped, error.to_string());
            }
            Err(error) => return report.ticket.advance(TicketState::Failed, error.to_string()),
        };
        report.secrets = source.secret_lines();
        let prepared = match source {
            Source::Cobol(prepared) => prepared,
            Source::Around(surrounding) => return self.describe(*surrounding, report),
        };
        let plan = self.planner.plan(&prepared);
        report.ticket.advance(TicketState::Planned, plan.reason.clone())?;
        report.ticket.advance(TicketState::Writing, format!("{} calls", plan.calls()))?;
        let Wrote { outcomes, problems, purpose, was_stopped } =
            runtime.block_on(self.write(&prepared, &plan, turns, report));
        report.was_stopped = was_stopped;
        if !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.partial.is_none()) {
            return report.ticket.advance(TicketState::Failed, problems.join("; "));
        }
        if was_stopped && self.sink.holds(id) {
            // An older document may be whole, and this one would not be.
            let reason = format!("{}; the document that is there stays", problems.join("; "));
            return report.ticket.advance(TicketState::Failed, reason);
        }
        report.ticket.advance(TicketState::Merged, format!("{} chunks", outcomes.len()))?;
        let document = self.merge(&prepared, &outcomes, purpose);
        // The document says all of it again; a large one need not wait for the disk beside what it was made of.
        drop((prepared, plan, outcomes));
        self.hand_in(&document, &problems.join("; "), report)
    }

    /// Documents what is no COBOL, which its reader alone does.
    fn describe(&self, surrounding: Surrounding, report: &mut TicketReport) -> Result<(), WrongArrow> {
        let kind = surrounding.found.kind().in_words();
        report.ticket.advance(TicketState::Planned, format!("{kind} is documented without a Scribe"))?;
        report.ticket.advance(TicketState::Writing, "0 calls")?;
        let mut document = describe(&surrounding.source, &surrounding.found, &self.graph);
        self.note_secrets(&mut document, &surrounding.secrets);
        report.ticket.advance(TicketState::Merged, "1 part")?;
        drop(surrounding);
        self.hand_in(&document, "", report)
    }

    /// Hands a document to the sink, and says in the report what it holds.
    fn hand_in(
        &self,
        document: &Document,
        problems: &str,
        report: &mut TicketReport,
    ) -> Result<(), WrongArrow> {
        if let Err(error) = self.sink.write(document) {
            return report
                .ticket
                .advance(TicketState::Failed, format!("its document cannot be written: {error}"));
        }
        report.citations = document.citation_totals();
        report.rejected = document.rejected.len() as u64;
        report.documented = Some(DocumentedAs {
            programs: document.programs.iter().map(|program| program.program_id.clone()).collect(),
            program_type: document.purpose.program_type.clone(),
            purpose: first_sentence(&document.purpose.summary).to_owned(),
            lines: document.coverage.lines,
            cited: document.coverage.cited,
            called_by: document.calling_context.called_by.clone(),
            file_type: document.header.file_type.clone(),
        });
        match document.header.status {
            Status::Complete => report.ticket.advance(TicketState::Done, "written"),
            Status::Partial | Status::Failed => report.ticket.advance(TicketState::Partial, problems),
        }
    }
}
