//! One ticket, from bytes to a document that is ready to be published.

use crate::agenda::Task;
use crate::context::KnownBy;
use crate::expected::expected_of_surrounding;
use crate::finish::{Ready, Worked, is_for_all};
use crate::plan::SourcePlan;
use crate::read::{Prepared, Source, Sources, Surrounding, Unreadable, read_bytes};
use crate::report::{DocumentedAs, TicketReport};
use crate::run::{DocumentSink, Round};
use crate::store::{KeptChunk, Made, StoreError};
use crate::ticket::{TicketState, WrongArrow};
use crate::write::{Work, Wrote};
use std::any::Any;
use std::panic::AssertUnwindSafe;
use war_rig_scribe::Scribe;
use war_rig_template::{Document, Status};
use war_rig_text::{ContentHash, LineRange};

/// Why work on a ticket ends before it has a document.
enum Ends {
    /// A defect of ours.
    Defect(WrongArrow),
    /// The store cannot say what it knows of it.
    Store(StoreError),
}

impl From<WrongArrow> for Ends {
    fn from(wrong: WrongArrow) -> Self {
        Ends::Defect(wrong)
    }
}

/// What work on a ticket gave.
struct Output<T> {
    document: Option<Ready<T>>,
    made: Option<Made>,
    useless: Vec<ContentHash>,
}

impl<T> Default for Output<T> {
    fn default() -> Self {
        Self { document: None, made: None, useless: Vec::new() }
    }
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Brings a ticket to its end, its publication aside.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot say what it knows of it, which ends the run.
    pub(crate) fn ticket(&self, task: &Task) -> Result<Worked<D::Staged>, StoreError> {
        let mut report = TicketReport::new(&task.id.0);
        // A defect that one file brings to light is that file's failure, and stops no other.
        let ended = std::panic::catch_unwind(AssertUnwindSafe(|| self.work(task, &mut report)));
        let defect = match ended {
            Ok(Ok(Output { document, made, useless })) => {
                return Ok(Worked { index: task.index, report, document, made, useless });
            }
            Ok(Err(Ends::Store(error))) => return Err(error),
            Ok(Err(Ends::Defect(wrong))) => wrong.to_string(),
            Err(panic) => words_of(panic.as_ref()),
        };
        // A ticket that has reached its end stays as it is.
        let _ = report.ticket.advance(TicketState::Failed, format!("internal error: {defect}"));
        Ok(Worked::without_document(task, report))
    }

    fn work(&self, task: &Task, report: &mut TicketReport) -> Result<Output<D::Staged>, Ends> {
        let source = match self.source(task) {
            Ok(Some(source)) => source,
            Ok(None) => {
                report.ticket.advance(TicketState::Planned, "it was read")?;
                return self.give_back(report, "its source has changed since the run began", true);
            }
            Err(error @ Unreadable::Foreign(_)) => {
                report.ticket.advance(TicketState::Skipped, error.to_string())?;
                let nothing = ContentHash::of(b"");
                let made = task.inputs.map(|inputs| Made::unsettled(inputs, nothing, report.told()));
                return Ok(Output { made, ..Output::default() });
            }
            Err(error) => {
                report.ticket.advance(TicketState::Failed, error.to_string())?;
                return Ok(Output::default());
            }
        };
        report.secrets = source.secret_lines();
        match source {
            Source::Cobol(prepared) => self.document(task, *prepared, report),
            Source::Around(surrounding) => self.describe(task, *surrounding, report),
        }
    }

    /// The source as it was when stock was taken; none when it is not the same any more.
    fn source(&self, task: &Task) -> Result<Option<Source>, Unreadable> {
        if let Some(parsed) = self.stock.parsed(&task.id) {
            return Ok(Some(parsed));
        }
        let sources = self.workers.sources.as_ref();
        let bytes = sources.read(&task.id).map_err(Unreadable::Io)?;
        if Some(ContentHash::of(&bytes)) != task.bytes {
            return Ok(None);
        }
        read_bytes(bytes, sources, &task.id, &self.workers.options.source).map(Some)
    }

    /// Whether the source is still the one that the document was made from.
    fn is_unchanged(&self, task: &Task) -> bool {
        self.workers.sources.read(&task.id).ok().map(|bytes| ContentHash::of(&bytes)) == task.bytes
    }

    /// Gives a ticket back, to be worked on again.
    fn give_back(
        &self,
        report: &mut TicketReport,
        reason: &str,
        has_changed: bool,
    ) -> Result<Output<D::Staged>, Ends> {
        report.ticket.advance(TicketState::Pending, reason)?;
        report.has_changed = has_changed;
        Ok(Output::default())
    }

    /// Documents a COBOL source by the Scribe.
    fn document(
        &self,
        task: &Task,
        prepared: Prepared,
        report: &mut TicketReport,
    ) -> Result<Output<D::Staged>, Ends> {
        let workers = &self.workers;
        let asks = !workers.scribe.speaks_for_the_parser();
        let kept = match asks {
            true => workers.store.chunks(&task.id.0).map_err(Ends::Store)?,
            false => Vec::new(),
        };
        let plan = self.plan(&prepared, &kept, task.since);
        report.ticket.advance(TicketState::Planned, plan.reason.clone())?;
        report.ticket.advance(TicketState::Writing, format!("{} calls", plan.calls()))?;
        let wrote = {
            let work = Work::new(&prepared, &plan, &kept, task.since, &self.turns);
            self.runtime.block_on(workers.write(&work, report))
        };
        let Wrote { outcomes, problems, purpose, was_stopped, is_unfinished, kept, useless } = wrote;
        report.was_stopped = was_stopped || is_unfinished;
        if is_unfinished {
            return self.give_back(report, &problems.join("; "), false);
        }
        if was_stopped
            && (outcomes.iter().all(|outcome| outcome.partial.is_none()) || workers.sink.holds(&task.id))
        {
            // An older document may be whole, and this one would not be.
            return self.give_back(report, &problems.join("; "), false);
        }
        if !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.partial.is_none()) {
            report.ticket.advance(TicketState::Failed, problems.join("; "))?;
            return Ok(Output { useless, ..Output::default() });
        }
        report.ticket.advance(TicketState::Merged, format!("{} chunks", outcomes.len()))?;
        let known = KnownBy::of_parsed(prepared.source.name(), &prepared.parsed);
        let mut document = workers.merge(&self.graph, &prepared, &outcomes, purpose);
        // The document says all of it again; a large one need not wait for the disk beside what it was made of.
        drop((prepared, plan, outcomes));
        let context = known.hash(&self.graph);
        let output = self.hand_in(task, &mut document, &problems.join("; "), context, report)?;
        let document = output.document.map(|ready| Ready { chunks: kept, ..ready });
        Ok(Output { document, useless, ..output })
    }

    /// The plan of a file: the one that is best in itself, or one along the borders of its last document where that costs fewer calls.
    fn plan(&self, prepared: &Prepared, kept: &[KeptChunk], since: u64) -> SourcePlan {
        let planner = &self.workers.planner;
        let plan = planner.plan(prepared);
        let found = if kept.is_empty() { Vec::new() } else { found_again(prepared, kept) };
        if found.is_empty() {
            return plan;
        }
        let along = planner.plan_along(prepared, &found);
        let calls = |plan: &SourcePlan| {
            let work = Work::new(prepared, plan, kept, since, &self.turns);
            plan.chunks.iter().filter(|planned| !self.workers.has_answer(&work, planned)).count()
        };
        // What is answered later takes as much off the one as off the other, so that a run that is resumed decides alike.
        if calls(&along) < calls(&plan) { along } else { plan }
    }

    /// Documents what is no COBOL, which its reader alone does.
    fn describe(
        &self,
        task: &Task,
        surrounding: Surrounding,
        report: &mut TicketReport,
    ) -> Result<Output<D::Staged>, Ends> {
        let kind = surrounding.found.kind().in_words();
        report.ticket.advance(TicketState::Planned, format!("{kind} is documented without a Scribe"))?;
        report.ticket.advance(TicketState::Writing, "0 calls")?;
        let policy = self.workers.options.source.secrets;
        let mut document = expected_of_surrounding(&surrounding, policy, &self.graph);
        report.ticket.advance(TicketState::Merged, "1 part")?;
        drop(surrounding);
        let context = hash_of(&document);
        self.hand_in(task, &mut document, "", context, report)
    }

    /// Stages a document, and says in the report what it holds.
    fn hand_in(
        &self,
        task: &Task,
        document: &mut Document,
        problems: &str,
        context: ContentHash,
        report: &mut TicketReport,
    ) -> Result<Output<D::Staged>, Ends> {
        if !self.is_unchanged(task) {
            return self.give_back(report, "its source has changed while it was in work", true);
        }
        document.header.made_from = task.made_from;
        let staged = match self.workers.sink.stage(document) {
            Ok(staged) => staged,
            Err(error) => {
                if is_for_all(&error) {
                    self.workers.stop.ask();
                }
                let reason = format!("its document cannot be written: {error}");
                report.ticket.advance(TicketState::Failed, reason)?;
                return Ok(Output::default());
            }
        };
        report.citations = document.citation_totals();
        report.rejected = document.rejected.len() as u64;
        report.documented = Some(DocumentedAs::of(document));
        let (state, reason) = match document.header.status {
            Status::Complete => (TicketState::Done, "written"),
            Status::Partial | Status::Failed => (TicketState::Partial, problems),
        };
        let ready = Ready { staged, state, reason: reason.to_owned(), chunks: Vec::new() };
        let made = task.inputs.map(|inputs| Made::unsettled(inputs, context, report.told()));
        Ok(Output { document: Some(ready), made, useless: Vec::new() })
    }
}

/// The hash of a whole document.
pub(crate) fn hash_of(document: &Document) -> ContentHash {
    ContentHash::of(document.to_json().as_bytes())
}

/// How often each line of a file may be looked at for it, on average.
const LOOKED_AT: usize = 16;

/// Where the chunks of an earlier document stand now, as far as they are the same: in order, each behind the one before it.
fn found_again(prepared: &Prepared, kept: &[KeptChunk]) -> Vec<LineRange> {
    let source = &prepared.source;
    let Some(all) = source.all_lines() else { return Vec::new() };
    let hashes: Vec<ContentHash> = all
        .indices()
        .filter_map(|index| LineRange::from_indices(index..index + 1))
        .map(|line| source.hash_of(line))
        .collect();
    let mut found: Vec<LineRange> = Vec::new();
    let mut next = 0;
    // Where many lines are alike, looking for a chunk that is gone would take as long as the file is, times the chunk. What is not found for
    // want of time is asked anew.
    let mut time = LOOKED_AT * hashes.len();
    for chunk in kept {
        let count = chunk.lines as usize;
        let begins = |start: &usize| hashes[*start] == chunk.first;
        let here = (next..(hashes.len() + 1).saturating_sub(count)).filter(begins).find_map(|start| {
            time = time.checked_sub(count)?;
            let lines = LineRange::from_indices(start..start + count)?;
            (source.hash_of(lines) == chunk.rows).then_some(lines)
        });
        if let Some(lines) = here {
            next = lines.end().index() + 1;
            found.push(lines);
        }
    }
    found
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}
