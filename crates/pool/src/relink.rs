//! The sources that a run does not select: their entries in the estate's pages, and what their documents report about the estate.
//!
//! Their documents are in the output folder. They are read from there unless the store has the same information, so a run with a store and one
//! without give the same result. Changes in the selected sources may change what another document reports about the estate. Then only that part
//! of the document is replaced, so no model is asked. A document is left alone if it is incomplete, if it is not byte for byte what this
//! version writes, or if its source has changed.

use crate::build_plan::{BuildPlanOptions, build_hash};
use crate::context::{SourceIdentity, calling_context};
use crate::expected::expected_non_cobol_document;
use crate::load::{LoadedSource, SourceError, SourceId, Sources, load_source};
use crate::parallel::for_each_ordered;
use crate::ports::DocumentSink;
use crate::process::document_hash;
use crate::publish::PUBLISH_BATCH;
use crate::report::TicketReport;
use crate::round::PoolContext;
use crate::snapshot::{SnapshotEntry, SourceSnapshot};
use crate::store::{BuildRecord, FinishedTicket, StoreError, StoredTicket};
use crate::ticket::{Ticket, TicketState};
use std::collections::{HashMap, HashSet};
use war_rig_estate::{ChangedFiles, EstateGraph};
use war_rig_scribe::Scribe;
use war_rig_template::{CallingContext, Document, DocumentStatus, IndexEntry};
use war_rig_text::ContentHash;

/// The result for the sources that were not selected.
#[derive(Debug, Default)]
pub struct RelinkReport {
    /// The report of each, in order.
    pub reports: Vec<TicketReport>,
    /// Those whose documents are known to agree with the estate.
    pub consistent: Vec<String>,
    /// How many documents were rewritten because the estate's information about their sources changed.
    pub relinked: usize,
    /// How many documents reflect an earlier state of their sources and were left alone.
    pub outdated: usize,
    /// The documents that could not be written, with the reasons.
    pub failed: Vec<(String, String)>,
}

/// A source that was not selected.
#[derive(Debug, Clone)]
pub(crate) struct UnpickedSource {
    pub(crate) id: SourceId,
    /// The hash of its bytes; `None` if it cannot be read.
    pub(crate) bytes_hash: Option<ContentHash>,
    /// The hash of all that its document would be made from, except the estate.
    pub(crate) inputs_hash: Option<ContentHash>,
    /// The same without the Scribe's settings; the document contains this hash.
    pub(crate) made_from: Option<ContentHash>,
    /// Whether it could be read as its kind.
    pub(crate) is_readable: bool,
    /// How the estate identifies it, if it is COBOL.
    pub(crate) identity: Option<SourceIdentity>,
    pub(crate) ticket: Option<StoredTicket>,
}

/// Returns the sources that were not selected, with their tickets, which nothing else requests.
pub(crate) fn unpicked_sources(
    picked: &[SourceId],
    stock: &SourceSnapshot,
    tickets: &mut HashMap<String, StoredTicket>,
    options: &BuildPlanOptions,
) -> Vec<UnpickedSource> {
    if picked.len() == stock.sources.len() {
        return Vec::new();
    }
    let picked: HashSet<&SourceId> = picked.iter().collect();
    let others = stock.sources.iter().filter(|stocked| !picked.contains(&stocked.id));
    let mut other = |stocked: &SnapshotEntry| UnpickedSource {
        id: stocked.id.clone(),
        bytes_hash: stocked.bytes_hash,
        inputs_hash: stocked.inputs.map(|inputs| build_hash(inputs, options.settings_hash)),
        made_from: stocked.inputs,
        is_readable: false,
        identity: None,
        ticket: tickets.remove(&stocked.id.0),
    };
    others.map(&mut other).collect()
}

/// Returns deleted files that still have documents, whether or not the store knows them.
pub(crate) fn orphaned_documents(changes: &ChangedFiles, sink: &impl DocumentSink) -> Vec<SourceId> {
    let gone = changes.deleted_files().map(|file| SourceId(file.name.clone()));
    let is_of = |id: &SourceId| sink.read_document(id).is_some_and(|held| held.document.header.file_name == id.0);
    gone.filter(|id| sink.has_document(id) && is_of(id)).collect()
}

/// The result of checking one of them.
struct RelinkCheck<T> {
    report: TicketReport,
    agrees: bool,
    is_outdated: bool,
    written: Option<RelinkedDocument<T>>,
}

/// A document that waits for publication.
struct RelinkedDocument<T> {
    staged: Result<T, String>,
    file: String,
    /// What to store for it, without the files.
    kept: Option<(TicketState, BuildRecord)>,
}

impl<T> RelinkCheck<T> {
    fn told(report: TicketReport, agrees: bool) -> Self {
        Self { report, agrees, is_outdated: false, written: None }
    }
}

impl<S: Scribe, P: Sources, D: DocumentSink> PoolContext<S, P, D> {
    /// Reports the sources that were not selected, and updates their documents to match the estate.
    ///
    /// # Errors
    /// [`StoreError`] if the results cannot be stored; published documents remain.
    pub(crate) fn relink(
        &self,
        others: &[UnpickedSource],
        graph: &EstateGraph,
        estate: ContentHash,
    ) -> Result<RelinkReport, StoreError> {
        let mut done = RelinkReport::default();
        let mut waiting = Vec::new();
        let mut first_error = None;
        let look = |other: &UnpickedSource| self.look(other, graph, estate);
        for_each_ordered(others, self.options.readers, look, |other, looked| {
            let RelinkCheck { report, agrees, is_outdated, written } = looked.unwrap_or_else(|defect| {
                RelinkCheck::told(ended(&other.id.0, TicketState::Failed, defect.to_string()), false)
            });
            if agrees && written.is_none() {
                done.consistent.push(other.id.0.clone());
            }
            done.outdated += usize::from(is_outdated);
            done.reports.push(report);
            waiting.extend(written);
            if waiting.len() >= PUBLISH_BATCH && first_error.is_none() {
                first_error = self.publish_others(std::mem::take(&mut waiting), &mut done).err();
            }
        });
        match first_error {
            Some(error) => Err(error),
            None => self.publish_others(waiting, &mut done).map(|()| done),
        }
    }

    fn look(&self, other: &UnpickedSource, graph: &EstateGraph, estate: ContentHash) -> RelinkCheck<D::StagedDocument> {
        let is_cobol = self.sources.kind(&other.id).is_cobol();
        let now = other.identity.as_ref().map(|known| known.context_hash(graph));
        let made = other.ticket.as_ref().and_then(|ticket| Some((ticket, ticket.build_record.as_ref()?)));
        let made = made.filter(|(_, made)| made.files.iter().all(|file| self.sink.is_current(file)));
        // The store's record can replace reading the document that it describes.
        if let Some((ticket, made)) = made
            && matches!(ticket.state, TicketState::Done | TicketState::Skipped)
            && Some(made.inputs_hash) == other.inputs_hash
            && (made.estate_hash == estate || (is_cobol && Some(made.context_hash) == now))
            && let Some(report) = TicketReport::from_stored(ticket, &made.report)
        {
            return RelinkCheck::told(report, true);
        }
        let held = self.sink.read_document(&other.id).filter(|held| held.document.header.file_name == other.id.0);
        let Some(held) = held else { return RelinkCheck::told(self.undocumented(other), false) };
        let mut document = held.document;
        let is_outdated = Some(document.header.source_hash) != other.bytes_hash;
        let is_whole = held.is_canonical && document.header.status == DocumentStatus::Complete;
        let is_left_alone = is_outdated || !is_whole || self.stop.is_requested();
        if is_left_alone || !self.bring_to_now(other, &mut document, graph) {
            return RelinkCheck { is_outdated, ..RelinkCheck::told(TicketReport::of_document(&document), false) };
        }
        let said = (!is_cobol).then(|| document_hash(&document));
        if !is_cobol {
            document.header.made_from = other.made_from;
        }
        let mut report = TicketReport::of_document(&document);
        if self.sink.is_document_current(&document) {
            return RelinkCheck::told(
                report,
                made.is_some_and(|(_, made)| Some(made.inputs_hash) == other.inputs_hash),
            );
        }
        // A document that was edited by hand since it was recorded stays unknown to the store.
        let kept = made.and_then(|(ticket, made)| {
            let told = TicketReport::from_stored(ticket, &made.report)?;
            report = TicketReport { citations: report.citations, index_entry: report.index_entry.take(), ..told };
            let context = said.or(now)?;
            Some((ticket.state, BuildRecord::unconfirmed(made.inputs_hash, context, report.to_stored_json())))
        });
        let staged = self.sink.stage(&document).map_err(|error| error.to_string());
        let agrees = kept.is_some();
        let file = other.id.0.clone();
        RelinkCheck { report, agrees, is_outdated, written: Some(RelinkedDocument { staged, file, kept }) }
    }

    /// Updates a document's view of the estate, if the current one is known.
    fn bring_to_now(&self, other: &UnpickedSource, document: &mut Document, graph: &EstateGraph) -> bool {
        if self.sources.kind(&other.id).is_cobol() {
            let Some(known) = &other.identity else { return false };
            let before = std::mem::take(&mut document.calling_context);
            // What the source itself defines about how it is reached has not changed.
            document.calling_context = CallingContext {
                entry_points: before.entry_points,
                linkage_section: before.linkage_section,
                ..calling_context(graph, known)
            };
            return true;
        }
        match load_source(self.sources.as_ref(), &other.id, &self.options.source) {
            Ok(LoadedSource::NonCobol(surrounding)) => {
                *document = expected_non_cobol_document(&surrounding, self.options.source.secrets.policy, graph);
                true
            }
            Ok(LoadedSource::Cobol(_)) | Err(_) => false,
        }
    }

    /// Returns the report of a source without a document: why there can be none, or that there is none yet.
    fn undocumented(&self, other: &UnpickedSource) -> TicketReport {
        let file = &other.id.0;
        if !other.is_readable {
            match load_source(self.sources.as_ref(), &other.id, &self.options.source).err() {
                Some(error @ SourceError::Unrecognized(_)) => {
                    return ended(file, TicketState::Skipped, error.to_string());
                }
                Some(error) => return ended(file, TicketState::Failed, error.to_string()),
                None => {}
            }
        }
        ended(file, TicketState::Pending, "not documented yet".to_owned())
    }

    /// Publishes documents, and then records them in the store.
    fn publish_others(
        &self,
        written: Vec<RelinkedDocument<D::StagedDocument>>,
        ended: &mut RelinkReport,
    ) -> Result<(), StoreError> {
        let (mut staged, mut rest) = (Vec::with_capacity(written.len()), Vec::with_capacity(written.len()));
        for RelinkedDocument { staged: document, file, kept } in written {
            match document {
                Ok(document) => {
                    staged.push(document);
                    rest.push((file, kept));
                }
                Err(reason) => ended.failed.push((file, reason)),
            }
        }
        let mut finished = Vec::new();
        for ((file, kept), files) in rest.into_iter().zip(self.sink.publish(staged)) {
            let files = match files {
                Ok(files) => files,
                Err(error) => {
                    ended.failed.push((file, error.to_string()));
                    continue;
                }
            };
            ended.relinked += 1;
            let Some((state, made)) = kept else { continue };
            ended.consistent.push(file.clone());
            finished.push(FinishedTicket {
                file,
                state,
                build_record: Some(BuildRecord { files, ..made }),
                // Its attempts stay counted, because no work was done on it.
                is_quarantined: true,
                ..FinishedTicket::default()
            });
        }
        if finished.is_empty() { Ok(()) } else { self.store.finish(&finished) }
    }
}

impl TicketReport {
    /// Creates the report of a source from its published document.
    fn of_document(document: &Document) -> Self {
        let state = match document.header.status {
            DocumentStatus::Complete => TicketState::Done,
            DocumentStatus::Partial | DocumentStatus::Failed => TicketState::Partial,
        };
        let file = &document.header.file_name;
        Self {
            ticket: Ticket::restored(file, state, "documented before"),
            citations: document.citation_totals(),
            rejected: document.rejected.len() as u64,
            index_entry: Some(IndexEntry::of(document)),
            ..Self::new(file)
        }
    }
}

/// Creates the report of a source whose ticket ended in this state.
fn ended(file: &str, state: TicketState, reason: String) -> TicketReport {
    TicketReport { ticket: Ticket::restored(file, state, reason), ..TicketReport::new(file) }
}
