//! The port to what must outlive the process: tickets, surveys of sources, and which documents are published.
//!
//! Every call returns when its data is on the disk. A store is opened for one output folder; files are the names of sources in it.

use crate::ticket::{Ticket, TicketState, Transition};
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// Keeps tickets after the process ends.
pub trait Store: Send + Sync {
    /// Returns every ticket of the output folder, in file order.
    ///
    /// # Errors
    /// [`StoreError`], as for all methods below.
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError>;

    /// Makes tickets pending, including new ones. Records of their documents remain.
    fn open(&self, tickets: &[OpenTicket]) -> Result<(), StoreError>;

    /// Records that work on a ticket begins: sets its state to `writing` and counts the attempt. Returns the attempts so far, as in
    /// [`StoredTicket::attempts`].
    fn begin(&self, file: &str) -> Result<u32, StoreError>;

    /// Records the results of tickets, all of them or none.
    fn finish(&self, tickets: &[FinishedTicket]) -> Result<(), StoreError>;

    /// Records that these documents agree with the current estate.
    fn confirm_estate(&self, estate: ContentHash, files: &[&str]) -> Result<(), StoreError>;

    /// Deletes tickets with all their records.
    fn forget(&self, files: &[&str]) -> Result<(), StoreError>;

    /// Returns the chunks that a ticket's document was made from, in order; empty if there are none.
    fn chunks(&self, file: &str) -> Result<Vec<StoredChunk>, StoreError>;

    /// Returns the journal position of the last answer; 0 in an empty journal.
    fn last_answer_position(&self) -> Result<u64, StoreError>;

    /// Returns the records of sources, without their surveys, in file order.
    fn sources(&self) -> Result<Vec<StoredSource>, StoreError>;

    /// Passes on the survey of every source that has one, in file order.
    fn surveys(&self, take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError>;

    /// Stores the records of sources, with their surveys as JSON if they have one.
    fn save_sources(&self, sources: &[(StoredSource, Option<String>)]) -> Result<(), StoreError>;

    /// Deletes sources that no longer exist.
    fn forget_sources(&self, files: &[&str]) -> Result<(), StoreError>;
}

/// A ticket as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTicket {
    /// The source file.
    pub file: String,
    /// The base folder of the file's name, relative to the store's folder.
    pub base: String,
    /// Its state.
    pub state: TicketState,
    /// Why it is in this state.
    pub reason: String,
    /// How often work on it was begun without an end or an answer, including the last time.
    pub attempts: u32,
    /// The journal position after which answers count for it.
    pub answers_since: u64,
    /// What its document was made from; `None` if it has no document.
    pub build_record: Option<BuildRecord>,
}

/// What a document was made from, and its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRecord {
    /// The hash of the source, its copybooks, and all settings that change the document.
    pub inputs_hash: ContentHash,
    /// The hash of the source's context in the estate.
    pub context_hash: ContentHash,
    /// The hash of the estate that it was last compared with.
    pub estate_hash: ContentHash,
    /// What each run reports about the ticket at its end, as JSON.
    pub report: String,
    /// The files of the document; empty if the source was skipped.
    pub files: Vec<WrittenFile>,
}

impl BuildRecord {
    /// Creates the record of a document just made: it agrees with no estate before all documents do.
    pub fn unconfirmed(inputs_hash: ContentHash, context_hash: ContentHash, report: String) -> Self {
        Self { inputs_hash, context_hash, estate_hash: ContentHash::of(b""), report, files: Vec::new() }
    }
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its path below the output folder, with `/` between folders.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// When it was last changed, in nanoseconds since 1970 according to the file system.
    pub changed: Option<i64>,
}

/// A ticket to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTicket {
    /// The source file.
    pub file: String,
    /// As in [`StoredTicket::base`].
    pub base: String,
    /// Why to work on it.
    pub reason: String,
    /// The journal position after which answers count from now on; `None` leaves it as it is.
    pub answers_since: Option<u64>,
    /// What happens to the attempts so far.
    pub attempts: AttemptPolicy,
}

/// What happens to the attempts when a ticket is reopened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptPolicy {
    /// They stay counted.
    Keep,
    /// The last one does not count: its worker returned the ticket.
    DropLast,
    /// They are reset to zero.
    Reset,
}

impl AttemptPolicy {
    /// Returns how many of these attempts stay counted.
    pub fn apply(self, attempts: u32) -> u32 {
        match self {
            AttemptPolicy::Keep => attempts,
            AttemptPolicy::DropLast => attempts.saturating_sub(1),
            AttemptPolicy::Reset => 0,
        }
    }
}

/// A ticket whose work has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinishedTicket {
    /// The source file.
    pub file: String,
    /// Its final state: `pending` if it was returned because the run stops or its source has changed.
    pub state: TicketState,
    /// Its transitions to that state.
    pub history: Vec<Transition>,
    /// What its document was made from; `None` leaves the stored record.
    pub build_record: Option<BuildRecord>,
    /// The chunks of its document, in order; `None` leaves the stored ones.
    pub chunks: Option<Vec<StoredChunk>>,
    /// Questions that got no usable answer, so that a later run asks them again.
    pub unusable_questions: Vec<ContentHash>,
    /// Whether it is left alone from now on, so that its attempts stay counted.
    pub is_quarantined: bool,
}

impl FinishedTicket {
    /// Creates the end of a ticket without a document.
    pub fn of(ticket: &Ticket) -> Self {
        let (file, history) = (ticket.file().to_owned(), ticket.history().to_vec());
        Self { file, state: ticket.state(), history, ..Self::default() }
    }
}

/// A chunk that a document was made from. It can be recognized in a changed source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChunk {
    /// The number of its lines.
    pub lines: u32,
    /// The hash of its first line as shown.
    pub first: ContentHash,
    /// The hash of all its lines as shown.
    pub rows: ContentHash,
    /// The hash of all that its prompt contained before the source.
    pub context: ContentHash,
    /// The hash of its context on program, enclosing construct, data and copybooks, which must be the same for its answer to be reusable.
    pub told: ContentHash,
}

/// A source at its last survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSource {
    /// Its name.
    pub file: String,
    /// The hash of its bytes, its kind and the reading options.
    pub hash: ContentHash,
    /// What its COPY statements found.
    pub lookups: Vec<CopybookLookup>,
}

/// What a COPY statement found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CopybookLookup {
    /// The name, in upper case.
    pub name: String,
    /// The library after OF or IN.
    pub library: Option<String>,
    /// The file that was taken and the hash of its bytes; `None` if there is no such copybook.
    pub found: Option<(String, ContentHash)>,
    /// The hash of its contents with secrets masked; other sources determine which ones they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<ContentHash>,
    /// Other files with the same name and different contents.
    pub passed_over: Vec<String>,
    /// Whether the file is a source of the estate, with its own document.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_source: bool,
}

/// Why a store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// Whether the data on the disk is damaged; otherwise, it currently cannot be read or written.
    pub is_damaged: bool,
    /// What failed, with the file.
    pub message: String,
}
