//! One ticket, from bytes to a document that is ready to be published.

use crate::agenda::Task;
use crate::context::KnownBy;
use crate::draft::Draft;
use crate::each::Defect;
use crate::expected::expected_of_surrounding;
use crate::finish::{Ready, Worked, is_for_all};
use crate::ports::DocumentSink;
use crate::queue::Job;
use crate::read::{Prepared, Source, Sources, Surrounding, Unreadable, read_bytes};
use crate::report::TicketReport;
use crate::run::Round;
use crate::store::{KeptChunk, Made, StoreError};
use crate::ticket::{TicketState, WrongArrow};
use std::sync::Arc;
use war_rig_scribe::Scribe;
use war_rig_template::{Document, DocumentedAs, Status};
use war_rig_text::ContentHash;

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

/// What comes before a task is handed out.
pub(crate) enum Before<T> {
    /// It can be.
    Job(Arc<Job>),
    /// Nobody is asked about it, as work on it here will say.
    Here,
    /// It is over.
    Ended(Box<Worked<T>>),
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Brings a ticket to its end, its publication aside. What was written of it elsewhere is taken as it is, if it is of this source.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot say what it knows of it, which ends the run.
    pub(crate) fn ticket(&self, task: &Task, draft: Option<Draft>) -> Result<Worked<D::Staged>, StoreError> {
        let mut report = TicketReport::new(&task.id.0);
        // A defect that one file brings to light is that file's failure, and stops no other.
        let defect = match Defect::contained(|| self.work(task, draft, &mut report)) {
            Ok(Ok(Output { document, made, useless })) => {
                return Ok(Worked { document, made, useless, ..Worked::without_document(task, report) });
            }
            Ok(Err(Ends::Store(error))) => return Err(error),
            Ok(Err(Ends::Defect(wrong))) => Defect(wrong.to_string()),
            Err(defect) => defect,
        };
        // A ticket that has reached its end stays as it is.
        let _ = report.ticket.advance(TicketState::Failed, defect.to_string());
        Ok(Worked::without_document(task, report))
    }

    fn work(
        &self,
        task: &Task,
        draft: Option<Draft>,
        report: &mut TicketReport,
    ) -> Result<Output<D::Staged>, Ends> {
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
            Source::Cobol(prepared) => match draft.as_ref().map(|draft| draft.is_of(&prepared.source)) {
                Some(Err(wrong)) => {
                    report.ticket.advance(TicketState::Failed, wrong.to_string())?;
                    Ok(Output::default())
                }
                Some(Ok(())) | None => self.document(task, *prepared, draft, report),
            },
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

    /// The chunks of the last document, where a Scribe is asked about them.
    fn kept(&self, task: &Task) -> Result<Vec<KeptChunk>, StoreError> {
        match self.workers.scribe.speaks_for_the_parser() {
            true => Ok(Vec::new()),
            false => self.workers.store.chunks(&task.id.0),
        }
    }

    /// What is needed to write of a task elsewhere.
    ///
    /// # Errors
    /// As [`Round::ticket`].
    pub(crate) fn job(&self, task: &Task) -> Result<Before<D::Staged>, StoreError> {
        let kept = self.kept(task)?;
        let Ok(Ok(Some(Source::Cobol(prepared)))) = Defect::contained(|| self.source(task)) else {
            return Ok(Before::Here);
        };
        let sources = self.workers.sources.as_ref();
        match Job::of((&task.id, &prepared), sources, (kept, task.since)) {
            Ok(job) => Ok(Before::Job(Arc::new(job))),
            Err(error) => Ok(Before::Ended(Box::new(Worked::given_back(task, &error.to_string(), false)))),
        }
    }

    /// Documents a COBOL source by what was written of it, or by what the Scribe writes now.
    fn document(
        &self,
        task: &Task,
        prepared: Prepared,
        draft: Option<Draft>,
        report: &mut TicketReport,
    ) -> Result<Output<D::Staged>, Ends> {
        let workers = &self.workers;
        let mut draft = match draft {
            Some(draft) => draft,
            None => {
                let (kept, writer) = (self.kept(task).map_err(Ends::Store)?, workers.writer());
                self.runtime.block_on(writer.draft(&prepared, &kept, task.since, &self.turns))
            }
        };
        report.bill += draft.bill;
        report.notes.append(&mut draft.notes);
        report.ticket.advance(TicketState::Planned, draft.route.clone())?;
        report.ticket.advance(TicketState::Writing, format!("{} calls", draft.calls))?;
        let (problems, useless) = (draft.problems.join("; "), std::mem::take(&mut draft.useless));
        report.was_stopped = draft.is_broken_off();
        if draft.is_unfinished {
            return self.give_back(report, &problems, false);
        }
        if draft.was_stopped && (draft.is_empty() || workers.sink.holds(&task.id)) {
            // An older document may be whole, and this one would not be.
            return self.give_back(report, &problems, false);
        }
        if !draft.chunks.is_empty() && draft.is_empty() {
            report.ticket.advance(TicketState::Failed, problems)?;
            return Ok(Output { useless, ..Output::default() });
        }
        report.ticket.advance(TicketState::Merged, format!("{} chunks", draft.chunks.len()))?;
        let known = KnownBy::of_parsed(prepared.source.name(), prepared.analysis.parsed());
        let kept = std::mem::take(&mut draft.kept);
        let mut document = workers.merge(&self.graph, &prepared, draft);
        // The document says all of it again; a large one need not wait for the disk beside what it was made of.
        drop(prepared);
        let context = known.hash(&self.graph);
        let output = self.hand_in(task, &mut document, &problems, context, report)?;
        let document = output.document.map(|ready| Ready { chunks: kept, ..ready });
        Ok(Output { document, useless, ..output })
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
        let policy = self.workers.options.source.secrets.policy;
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
