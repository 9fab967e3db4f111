//! The ports of a run: where its documents go, and who is told how it goes.

use crate::load::SourceId;
use crate::report::TicketReport;
use crate::store::WrittenFile;
use std::io;
use war_rig_template::Document;

/// The port that takes finished documents.
pub trait DocumentSink: Send + Sync + 'static {
    /// A document that is written but does not stand at its place yet; dropped, nothing is left of it.
    type StagedDocument: Send;

    /// Writes a document beside its place.
    ///
    /// # Errors
    /// Whatever keeps it from being written.
    fn stage(&self, document: &Document) -> io::Result<Self::StagedDocument>;

    /// Puts documents at their places, each whole or not at all, and says of each what stands there. Once it returns, they are on the disk.
    fn publish(&self, staged: Vec<Self::StagedDocument>) -> Vec<io::Result<Vec<WrittenFile>>>;

    /// Whether a file stands there as it was written.
    fn is_current(&self, file: &WrittenFile) -> bool;

    /// Whether a document of this source is there already.
    fn has_document(&self, source: &SourceId) -> bool;

    /// The document that stands at the place of this source's; none when there is none that can be read.
    fn read_document(&self, _source: &SourceId) -> Option<PublishedDocument> {
        None
    }

    /// Whether this document stands at its place byte for byte as it would be written, in all its forms.
    fn is_document_current(&self, _document: &Document) -> bool {
        false
    }
}

/// A document that was read where it stands.
#[derive(Debug, Clone)]
pub struct PublishedDocument {
    /// The document.
    pub document: Document,
    /// Whether it would be written byte for byte as it stands, so that nothing is lost where it is written again.
    pub is_canonical: bool,
}

/// The port that is told how the run goes.
pub trait RunProgress: Send + Sync {
    /// What there is to do is known.
    fn on_start(&self, outlook: &PlanSummary);

    /// A ticket has reached its end.
    fn on_ticket_finished(&self, report: &TicketReport);
}

/// What a run has before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanSummary {
    /// Sources that were picked.
    pub files: usize,
    /// Those among them on which nothing has to be done.
    pub up_to_date: usize,
    /// Those that were in work when the process died.
    pub reclaimed: usize,
    /// All others.
    pub pending: usize,
    /// The size of what is to be done, in bytes.
    pub bytes: u64,
    /// Whether an earlier run has left anything.
    pub is_resumed: bool,
}
