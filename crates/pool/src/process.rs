//! One ticket, from bytes to a document that is ready to be published.

use crate::build_plan::BuildTask;
use crate::context::{SourceIdentity, calling_context};
use crate::draft::{Draft, DraftedChunk};
use crate::expected::{add_secret_notes, expected_non_cobol_document};
use crate::load::{LoadedSource, NonCobolSource, ParsedSource, SourceError, SourceId, Sources, load_bytes};
use crate::parallel::InternalError;
use crate::ports::DocumentSink;
use crate::publish::{CompletedWork, PendingDocument, affects_all_documents};
use crate::queue::WriteJob;
use crate::report::TicketReport;
use crate::round::{PoolContext, Round};
use crate::store::{BuildRecord, StoreError, StoredChunk};
use crate::ticket::{InvalidTransition, TicketState};
use crate::write::DraftWriter;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use war_rig_merger::{Author, ChunkOutcome, FileContext, merge};
use war_rig_scribe::{ChunkFacts, FileFacts, Scribe, StaticScribe};
use war_rig_template::{Document, DocumentStatus, IndexEntry};
use war_rig_text::ContentHash;

/// Why work on a ticket ends before it has a document.
enum WorkError {
    /// A defect in War Rig.
    Internal(InvalidTransition),
    /// The store cannot read its records.
    Store(StoreError),
}

impl From<InvalidTransition> for WorkError {
    fn from(wrong: InvalidTransition) -> Self {
        WorkError::Internal(wrong)
    }
}

/// The result of work on a ticket.
struct TicketOutput<T> {
    document: Option<PendingDocument<T>>,
    made: Option<BuildRecord>,
    useless: Vec<ContentHash>,
}

impl<T> Default for TicketOutput<T> {
    fn default() -> Self {
        Self { document: None, made: None, useless: Vec::new() }
    }
}

/// The decision before a task is handed out.
pub(crate) enum DispatchDecision<T> {
    /// The task can be handed out.
    Job(Arc<WriteJob>),
    /// The task is not handed out; local work on it reports why.
    Local,
    /// The task has ended.
    Finished(Box<CompletedWork<T>>),
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Works on one task, unless the run stops, and passes it on to the finisher.
    pub(crate) fn run_local(
        &self,
        task: &BuildTask,
        worked: &SyncSender<CompletedWork<D::StagedDocument>>,
    ) -> Result<(), StoreError> {
        let workers = &self.workers;
        let ended = match self.should_skip(task) {
            true => CompletedWork::not_started(task),
            false => {
                let begun = || workers.store.begin(&task.id.0).and_then(|_| self.process_ticket(task, None));
                let ended = self.with_memory(task, begun);
                ended
                    .transpose()
                    .inspect_err(|_| workers.stop.request())?
                    .unwrap_or_else(|| CompletedWork::not_started(task))
            }
        };
        self.submit(ended, worked);
        Ok(())
    }

    /// Passes a ticket whose work has ended on to the finisher.
    pub(crate) fn submit(
        &self,
        ended: CompletedWork<D::StagedDocument>,
        worked: &SyncSender<CompletedWork<D::StagedDocument>>,
    ) {
        let state = ended.document.as_ref().map_or(ended.report.ticket.state(), |ready| ready.state);
        if self.workers.options.fail_fast && matches!(state, TicketState::Failed | TicketState::Partial) {
            self.workers.stop.request();
        }
        // The finisher receives until all workers are gone.
        worked.send(ended).expect("the finisher outlives the workers");
    }

    /// Brings a ticket to its end, except its publication. A draft from elsewhere is used as is, if it belongs to this source.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot read its records, which ends the run.
    pub(crate) fn process_ticket(
        &self,
        task: &BuildTask,
        draft: Option<Draft>,
    ) -> Result<CompletedWork<D::StagedDocument>, StoreError> {
        let mut report = TicketReport::new(&task.id.0);
        // A defect that one file reveals fails only that file.
        let defect = match InternalError::catch_panic(|| self.work(task, draft, &mut report)) {
            Ok(Ok(TicketOutput { document, made, useless })) => {
                return Ok(CompletedWork { document, made, useless, ..CompletedWork::without_document(task, report) });
            }
            Ok(Err(WorkError::Store(error))) => return Err(error),
            Ok(Err(WorkError::Internal(wrong))) => InternalError(wrong.to_string()),
            Err(defect) => defect,
        };
        // A ticket that has ended stays as it is.
        let _ = report.ticket.advance(TicketState::Failed, defect.to_string());
        Ok(CompletedWork::without_document(task, report))
    }

    fn work(
        &self,
        task: &BuildTask,
        draft: Option<Draft>,
        report: &mut TicketReport,
    ) -> Result<TicketOutput<D::StagedDocument>, WorkError> {
        let source = match self.source(task) {
            Ok(Some(source)) => source,
            Ok(None) => {
                report.ticket.advance(TicketState::Planned, "it was read")?;
                return self.give_back(report, "its source has changed since the run began", true);
            }
            Err(error @ SourceError::Unrecognized(_)) => {
                report.ticket.advance(TicketState::Skipped, error.to_string())?;
                let nothing = ContentHash::of(b"");
                let made =
                    task.inputs_hash.map(|inputs| BuildRecord::unconfirmed(inputs, nothing, report.to_stored_json()));
                return Ok(TicketOutput { made, ..TicketOutput::default() });
            }
            Err(error) => {
                report.ticket.advance(TicketState::Failed, error.to_string())?;
                return Ok(TicketOutput::default());
            }
        };
        report.secrets = source.secret_lines();
        match source {
            LoadedSource::Cobol(prepared) => match draft.as_ref().map(|draft| draft.check_source(&prepared.source)) {
                Some(Err(wrong)) => {
                    report.ticket.advance(TicketState::Failed, wrong.to_string())?;
                    Ok(TicketOutput::default())
                }
                Some(Ok(())) | None => self.document(task, *prepared, draft, report),
            },
            LoadedSource::NonCobol(surrounding) => self.describe(task, *surrounding, report),
        }
    }

    /// Returns the source as it was in the snapshot; `None` if it has changed.
    fn source(&self, task: &BuildTask) -> Result<Option<LoadedSource>, SourceError> {
        if let Some(parsed) = self.stock.take_parsed(&task.id) {
            return Ok(Some(parsed));
        }
        let sources = self.workers.sources.as_ref();
        let bytes = sources.read(&task.id).map_err(SourceError::Io)?;
        if Some(ContentHash::of(&bytes)) != task.bytes_hash {
            return Ok(None);
        }
        load_bytes(bytes, sources, &task.id, &self.workers.options.source).map(Some)
    }

    /// Whether the source is still the one that the document was made from.
    fn is_unchanged(&self, task: &BuildTask) -> bool {
        self.workers.sources.read(&task.id).ok().map(|bytes| ContentHash::of(&bytes)) == task.bytes_hash
    }

    /// Returns a ticket to be worked on again.
    fn give_back(
        &self,
        report: &mut TicketReport,
        reason: &str,
        has_changed: bool,
    ) -> Result<TicketOutput<D::StagedDocument>, WorkError> {
        report.ticket.advance(TicketState::Pending, reason)?;
        report.has_changed = has_changed;
        Ok(TicketOutput::default())
    }

    /// Returns the chunks of the last document, if the Scribe uses a model.
    fn kept(&self, task: &BuildTask) -> Result<Vec<StoredChunk>, StoreError> {
        match self.workers.scribe.is_parser_only() {
            true => Ok(Vec::new()),
            false => self.workers.store.chunks(&task.id.0),
        }
    }

    /// Prepares what another machine needs to write a task's document.
    ///
    /// # Errors
    /// As [`Round::process_ticket`].
    pub(crate) fn prepare_job(&self, task: &BuildTask) -> Result<DispatchDecision<D::StagedDocument>, StoreError> {
        let kept = self.kept(task)?;
        let Ok(Ok(Some(LoadedSource::Cobol(prepared)))) = InternalError::catch_panic(|| self.source(task)) else {
            return Ok(DispatchDecision::Local);
        };
        let sources = self.workers.sources.as_ref();
        match WriteJob::of((&task.id, &prepared), sources, (kept, task.answers_since)) {
            Ok(job) => Ok(DispatchDecision::Job(Arc::new(job))),
            Err(error) => {
                Ok(DispatchDecision::Finished(Box::new(CompletedWork::returned(task, &error.to_string(), false))))
            }
        }
    }

    /// Documents a COBOL source with the given draft, or with what the Scribe writes now.
    fn document(
        &self,
        task: &BuildTask,
        prepared: ParsedSource,
        draft: Option<Draft>,
        report: &mut TicketReport,
    ) -> Result<TicketOutput<D::StagedDocument>, WorkError> {
        let workers = &self.workers;
        let mut draft = match draft {
            Some(draft) => draft,
            None => {
                let kept = self.kept(task).map_err(WorkError::Store)?;
                let PoolContext { planner, scribe, options, .. } = workers.as_ref();
                let writer = DraftWriter { planner, scribe: scribe.as_ref(), concurrency: options.concurrency };
                self.runtime.block_on(writer.draft(&prepared, &kept, task.answers_since, &self.chunk_permits))
            }
        };
        report.usage += draft.bill;
        report.notes.append(&mut draft.notes);
        report.ticket.advance(TicketState::Planned, draft.route.clone())?;
        report.ticket.advance(TicketState::Writing, format!("{} calls", draft.calls))?;
        let (problems, useless) = (draft.problems.join("; "), std::mem::take(&mut draft.useless));
        report.was_stopped = draft.was_interrupted();
        if draft.is_unfinished {
            return self.give_back(report, &problems, false);
        }
        if draft.was_stopped && (draft.is_empty() || workers.sink.has_document(&task.id)) {
            // An older document may be complete, and this one would not be.
            return self.give_back(report, &problems, false);
        }
        if !draft.chunks.is_empty() && draft.is_empty() {
            report.ticket.advance(TicketState::Failed, problems)?;
            return Ok(TicketOutput { useless, ..TicketOutput::default() });
        }
        report.ticket.advance(TicketState::Merged, format!("{} chunks", draft.chunks.len()))?;
        let known = SourceIdentity::from_parsed(prepared.source.name(), prepared.analysis.parsed());
        let kept = std::mem::take(&mut draft.kept);
        let mut document = self.merge(&prepared, draft);
        // The document repeats all of it, so a large source need not stay in memory until the document is on the disk.
        drop(prepared);
        let context = known.context_hash(&self.graph);
        let output = self.hand_in(task, &mut document, &problems, context, report)?;
        let document = output.document.map(|ready| PendingDocument { chunks: kept, ..ready });
        Ok(TicketOutput { document, useless, ..output })
    }

    /// Merges the parser's facts and a draft into a document.
    fn merge(&self, prepared: &ParsedSource, draft: Draft) -> Document {
        let PoolContext { scribe, sources, options, .. } = self.workers.as_ref();
        let author = Author { produced_by: scribe.produced_by(), is_parser_only: scribe.is_parser_only() };
        let facts = FileFacts::new(&prepared.source, &prepared.analysis);
        let outcome = |DraftedChunk { chunk_id, lines, partial, notes, kept }: DraftedChunk| {
            let known = || StaticScribe.parser_template(&ChunkFacts::new(&facts, lines));
            let known = (!author.is_parser_only).then(known);
            ChunkOutcome { chunk_id, lines, partial, parser_template: known, notes, usable_share: kept }
        };
        let outcomes: Vec<ChunkOutcome> = draft.chunks.into_iter().map(outcome).collect();
        let context = calling_context(
            &self.graph,
            &SourceIdentity::from_parsed(prepared.source.name(), prepared.analysis.parsed()),
        );
        let estate = FileContext {
            context,
            overview: draft.overview,
            documented: prepared
                .documented_copybooks(&*sources.copybooks(&SourceId(prepared.source.name().to_owned()))),
        };
        let mut document = merge(&prepared.source, &prepared.analysis, &outcomes, author, &estate);
        add_secret_notes(&mut document, &prepared.secrets, options.source.secrets.policy);
        document
    }

    /// Documents a source that is not COBOL; its reader alone does that.
    fn describe(
        &self,
        task: &BuildTask,
        surrounding: NonCobolSource,
        report: &mut TicketReport,
    ) -> Result<TicketOutput<D::StagedDocument>, WorkError> {
        let kind = surrounding.found.kind().in_words();
        report.ticket.advance(TicketState::Planned, format!("{kind} is documented without a Scribe"))?;
        report.ticket.advance(TicketState::Writing, "0 calls")?;
        let policy = self.workers.options.source.secrets.policy;
        let mut document = expected_non_cobol_document(&surrounding, policy, &self.graph);
        report.ticket.advance(TicketState::Merged, "1 part")?;
        drop(surrounding);
        let context = document_hash(&document);
        self.hand_in(task, &mut document, "", context, report)
    }

    /// Stages a document and reports its contents.
    fn hand_in(
        &self,
        task: &BuildTask,
        document: &mut Document,
        problems: &str,
        context: ContentHash,
        report: &mut TicketReport,
    ) -> Result<TicketOutput<D::StagedDocument>, WorkError> {
        if !self.is_unchanged(task) {
            return self.give_back(report, "its source has changed while it was in work", true);
        }
        document.header.made_from = task.made_from;
        let staged = match self.workers.sink.stage(document) {
            Ok(staged) => staged,
            Err(error) => {
                if affects_all_documents(&error) {
                    self.workers.stop.request();
                }
                let reason = format!("its document cannot be written: {error}");
                report.ticket.advance(TicketState::Failed, reason)?;
                return Ok(TicketOutput::default());
            }
        };
        report.citations = document.citation_totals();
        report.rejected = document.rejected.len() as u64;
        report.index_entry = Some(IndexEntry::of(document));
        let (state, reason) = match document.header.status {
            DocumentStatus::Complete => (TicketState::Done, "written"),
            DocumentStatus::Partial | DocumentStatus::Failed => (TicketState::Partial, problems),
        };
        let ready = PendingDocument { staged, state, reason: reason.to_owned(), chunks: Vec::new() };
        let made = task.inputs_hash.map(|inputs| BuildRecord::unconfirmed(inputs, context, report.to_stored_json()));
        Ok(TicketOutput { document: Some(ready), made, useless: Vec::new() })
    }
}

/// Returns the hash of a whole document.
pub(crate) fn document_hash(document: &Document) -> ContentHash {
    ContentHash::of(document.to_json().as_bytes())
}
