//! What a run does when all tickets have ended: its own pages, what the store knows of the estate, the catalogue.

use super::DocumentJob;
use super::estate_words::WrittenWords;
use crate::catalogue::{follow_documents, run_interruptible};
use crate::commands::index::warn_of_unread;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::{OutputFolder, PageHashes};
use crate::signals::RunResult;
use crate::store_failures::{catalogue_failure, list_names, not_written, store_failure};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::runtime::Runtime;
use war_rig_catalogue::{CatalogueUpdater, SyncError, sync_catalogue};
use war_rig_pool::{RunOutcome, RunReport, SourceId, Store, TicketReport, TicketState};
use war_rig_scribe::Overview;

/// The program and its version, by which a later run recognizes its files as its own.
const WRITTEN_BY: &str = concat!("war-rig ", env!("CARGO_PKG_VERSION"));

/// What came of writing the run's own pages.
#[derive(Default)]
pub(super) struct OwnPages {
    /// The pages that a newcomer opens first, with what they tell.
    pub(super) first_pages: Vec<(String, &'static str)>,
    /// The signal that came meanwhile.
    pub(super) signal: Option<ExitStatus>,
}

/// `run.json`.
#[derive(Serialize)]
struct RunJsonReport<'a> {
    #[serde(flatten)]
    totals: &'a RunReport,
    /// The producer: `static`, or the model's name.
    scribe: &'a str,
    /// The program and its version, by which a later run recognizes the report as its own.
    written_by: &'static str,
    /// Request features that the server rejects or silently ignores.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    server: &'a [String],
    /// The documented paths, relative to the output folder, so that a check of a subset finds the other sources.
    documents_of: Vec<String>,
    #[serde(flatten)]
    stand: PageHashes,
}

impl DocumentJob<'_> {
    /// Writes the run's own pages about all documents. `write_words` writes about the functions, if a model does that.
    pub(super) fn write_own(
        &self,
        output: &OutputFolder,
        ended: &RunOutcome,
        totals: &mut RunReport,
        (scribe, notes): (&str, &dyn Fn() -> Vec<String>),
        write_words: impl FnOnce(&Overview<'_>) -> Result<WrittenWords, Failure>,
    ) -> Result<OwnPages, Failure> {
        let mut own = OwnPages::default();
        let mut is_incomplete = false;
        let mut stand = match &ended.graph {
            Some(graph) => {
                let listed = ended.all().into_iter().map(TicketReport::listed).collect();
                let overview = Overview::new(listed, graph, &self.settings.output.functions, &output.source_folder());
                let written = write_words(&overview)?;
                totals.add_about_estate(written.usage);
                (own.signal, is_incomplete) = (written.signal, written.is_incomplete);
                let overview = overview.with_words(written.words);
                own.first_pages = overview.where_to_begin();
                output.write_estate_pages(overview.pages(), &overview.for_programs(WRITTEN_BY))?
            }
            None => output.reported_pages(),
        };
        // The next run makes the pages again as long as somebody has not said what they should tell.
        stand.pages_of = Some(ended.pages).filter(|_| !is_incomplete);
        let documents_of = output.documented_paths();
        // What the server does not take may show with the last calls.
        let server = &notes();
        let report = RunJsonReport { totals, scribe, written_by: WRITTEN_BY, server, documents_of, stand };
        let report = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::internal("the report cannot be written").with_source(error))?;
        output.write_report(&format!("{report}\n"))?;
        Ok(own)
    }

    /// Records that all documents agree with the estate, and reports or removes the documents of deleted sources.
    pub(super) fn settle(&self, ended: &RunOutcome, output: &OutputFolder) -> Result<(), Failure> {
        let store = &self.state.store;
        let whole = ended.reports.iter().filter(|report| {
            matches!(report.ticket.state(), TicketState::Done | TicketState::Partial | TicketState::Skipped)
        });
        let others = ended.others.consistent.iter().map(String::as_str);
        let files: Vec<&str> = whole.map(|report| report.ticket.file()).chain(others).collect();
        store.confirm_estate(ended.estate, &files).map_err(store_failure)?;
        if ended.stale.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = ended.stale.iter().map(|id| id.0.as_str()).collect();
        if !self.args.prune {
            self.printer.warn(&format!(
                "{} of sources that are gone: {}; --prune removes them",
                if names.len() == 1 { "a document".to_owned() } else { format!("{} documents", names.len()) },
                list_names(&names)
            ));
            return Ok(());
        }
        let mut gone = Vec::with_capacity(names.len());
        for (id, removed) in output.remove(&ended.stale) {
            match removed {
                Ok(_) => gone.push(id),
                Err(error) => self.printer.warn(&format!("the document of {} is not removed: {error}", id.0)),
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = gone.iter().map(|id: &SourceId| id.0.as_str()).collect();
        store.forget(&names).map_err(store_failure)?;
        self.printer.note(&format!("removed what there was of sources that are gone: {}", list_names(&names)));
        Ok(())
    }

    /// Updates the catalogue from the documents. A failure is reported but does not fail the run: the documents are complete without it. After a
    /// signal, only published documents are waited for; the next run does the rest.
    pub(super) fn index(
        &self,
        runtime: &Runtime,
        output: &Arc<OutputFolder>,
        signal: Option<ExitStatus>,
    ) -> Result<Option<ExitStatus>, Failure> {
        if self.args.no_index {
            self.printer.note("the catalogue is left as it was; `war-rig index` brings it up to date");
            return Ok(signal);
        }
        let (output, state, printer) = (Arc::clone(output), self.args.state_dir.clone(), self.printer);
        let own = printer.clone();
        let work = move |stop: &AtomicBool| -> Result<(), SyncError> {
            let kept = output.updater().map_or(Ok(()), CatalogueUpdater::end);
            if signal.is_some() {
                return kept;
            }
            // Writes what the run could not write.
            let brought = follow_documents(sync_catalogue, &state, true, stop, &own)?;
            warn_of_unread(&brought.unread, &own);
            Ok(())
        };
        let (indexed, interrupted) = match runtime.block_on(run_interruptible(work, printer))? {
            RunResult::Ended(indexed, interrupted) => (indexed, interrupted),
            RunResult::CutOff(status) => (Err(SyncError::Interrupted), Some(status)),
        };
        let behind = match indexed {
            Ok(()) => None,
            Err(SyncError::Interrupted) => {
                printer.warn("the catalogue is behind the documents: it was told to stop; `war-rig index` goes on");
                None
            }
            Err(SyncError::Catalogue(error)) => Some(catalogue_failure(error)),
            Err(SyncError::Internal) => Some(not_written()),
        };
        // Searches return too little from now on, or nothing, so this is printed even in quiet mode.
        if let Some(why) = behind {
            let behind = format!("the catalogue is behind the documents: {}", why.line());
            let advice = why.hint().unwrap_or("`war-rig index` brings it up to date");
            printer.error(&Failure::new(why.status(), behind).with_hint(advice));
        }
        Ok(signal.or(interrupted))
    }
}
