//! The ports of a run: where documents go, and who receives progress reports.

use crate::load::SourceId;
use crate::report::TicketReport;
use crate::store::WrittenFile;
use std::io;
use war_rig_template::Document;

/// The port that takes finished documents.
pub trait DocumentSink: Send + Sync + 'static {
    /// A document that is written but not yet at its final path; if dropped, nothing of it remains.
    type StagedDocument: Send;

    /// Writes a document next to its final path.
    ///
    /// # Errors
    /// Any error that prevents writing it.
    fn stage(&self, document: &Document) -> io::Result<Self::StagedDocument>;

    /// Moves documents to their final paths, each completely or not at all, and returns the files of each. On return, they are on the disk.
    fn publish(&self, staged: Vec<Self::StagedDocument>) -> Vec<io::Result<Vec<WrittenFile>>>;

    /// Whether a file is still as it was written.
    fn is_current(&self, file: &WrittenFile) -> bool;

    /// Whether a document of this source already exists.
    fn has_document(&self, source: &SourceId) -> bool;

    /// Returns this source's published document; `None` if there is none that can be read.
    fn read_document(&self, _source: &SourceId) -> Option<PublishedDocument> {
        None
    }

    /// Whether this document's files, in all its forms, match byte for byte what would be written.
    fn is_document_current(&self, _document: &Document) -> bool {
        false
    }
}

/// A document that was read from the output folder.
#[derive(Debug, Clone)]
pub struct PublishedDocument {
    /// The document.
    pub document: Document,
    /// Whether writing it again would give the same bytes, so that nothing is lost.
    pub is_canonical: bool,
}

/// The port that receives the progress of the run.
pub trait RunProgress: Send + Sync {
    /// Called when the work of the run is known.
    fn on_start(&self, outlook: &PlanSummary);

    /// Called when a ticket has ended.
    fn on_ticket_finished(&self, report: &TicketReport);
}

/// The work of a run, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanSummary {
    /// Selected sources.
    pub files: usize,
    /// Those that need no work.
    pub up_to_date: usize,
    /// Those that were in progress when the process died.
    pub reclaimed: usize,
    /// All others.
    pub pending: usize,
    /// The size of the sources to work on, in bytes.
    pub bytes: u64,
    /// Whether an earlier run left any records.
    pub is_resumed: bool,
}
