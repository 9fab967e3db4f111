//! The port to what must outlive the process: tickets, what sources were found to say, and which documents stand where.
//!
//! Every call returns when what it was given is on the disk. A store is opened for one output folder; files are the names of sources in it.

use crate::ticket::{TicketState, Transition};
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// Keeps tickets over the end of a process.
pub trait Store: Send + Sync {
    /// Every ticket of the output folder, in the order of the files.
    ///
    /// # Errors
    /// [`StoreError`], as for all that follows.
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError>;

    /// Makes tickets pending, new ones among them. What is known of their documents stays.
    fn open(&self, tickets: &[OpenTicket]) -> Result<(), StoreError>;

    /// Says that work on a ticket begins: its state is `writing`, and the attempt is counted. Gives the attempts so far, as in
    /// [`StoredTicket::attempts`].
    fn begin(&self, file: &str) -> Result<u32, StoreError>;

    /// Says what became of tickets, all of them or none.
    fn finish(&self, tickets: &[FinishedTicket]) -> Result<(), StoreError>;

    /// Says that these documents agree with the estate as it is now.
    fn confirm_estate(&self, estate: ContentHash, files: &[&str]) -> Result<(), StoreError>;

    /// Forgets tickets with all that is known of them.
    fn forget(&self, files: &[&str]) -> Result<(), StoreError>;

    /// The chunks that a ticket's document was made from, in order; empty when there are none.
    fn chunks(&self, file: &str) -> Result<Vec<StoredChunk>, StoreError>;

    /// The place of the last answer in the journal; 0 in an empty one.
    fn last_answer_position(&self) -> Result<u64, StoreError>;

    /// What is known of sources, without their surveys, in the order of the files.
    fn sources(&self) -> Result<Vec<StoredSource>, StoreError>;

    /// Hands on the survey of every source that has one, in the order of the files.
    fn surveys(&self, take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError>;

    /// Keeps what is known of sources, with their surveys as JSON where they have one.
    fn save_sources(&self, sources: &[(StoredSource, Option<String>)]) -> Result<(), StoreError>;

    /// Forgets sources that are no more.
    fn forget_sources(&self, files: &[&str]) -> Result<(), StoreError>;
}

/// A ticket as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTicket {
    /// The source file.
    pub file: String,
    /// The folder that the file's name is below, seen from the folder that holds the store's.
    pub base: String,
    /// How far it has come.
    pub state: TicketState,
    /// Why.
    pub reason: String,
    /// How often work on it was begun without coming to an end or bringing an answer, the last time included.
    pub attempts: u32,
    /// The place in the journal behind which answers count for it.
    pub answers_since: u64,
    /// What its document was made from; none while it has none.
    pub build_record: Option<BuildRecord>,
}

/// What a document was made from, and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRecord {
    /// The hash of the source, its copybooks, and all settings that change the document.
    pub inputs_hash: ContentHash,
    /// The hash of what the estate says of the source.
    pub context_hash: ContentHash,
    /// The hash of the estate that it was last held against.
    pub estate_hash: ContentHash,
    /// What is told of the ticket at the end of each run, as JSON.
    pub report: String,
    /// The files of the document; none when the source was skipped.
    pub files: Vec<WrittenFile>,
}

impl BuildRecord {
    /// What a document was just made from: it agrees with no estate before all documents do.
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
    /// When it was last changed, in nanoseconds since 1970 as the file system says.
    pub changed: Option<i64>,
}

/// A ticket that is to be worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTicket {
    /// The source file.
    pub file: String,
    /// As in [`StoredTicket::base`].
    pub base: String,
    /// Why it is to be worked on.
    pub reason: String,
    /// The place in the journal behind which answers count from now on; none leaves it as it is.
    pub answers_since: Option<u64>,
    /// What becomes of the attempts so far.
    pub attempts: AttemptPolicy,
}

/// What becomes of the attempts at a ticket that is opened again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptPolicy {
    /// They count on.
    Keep,
    /// The last one is none: whoever made it has given the ticket back.
    DropLast,
    /// They are forgotten.
    Reset,
}

impl AttemptPolicy {
    /// How many of so many count on.
    pub fn apply(self, attempts: u32) -> u32 {
        match self {
            AttemptPolicy::Keep => attempts,
            AttemptPolicy::DropLast => attempts.saturating_sub(1),
            AttemptPolicy::Reset => 0,
        }
    }
}

/// A ticket that work on has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTicket {
    /// The source file.
    pub file: String,
    /// What became of it: `pending` when it was given back, because the run stops or its source has changed.
    pub state: TicketState,
    /// How it came there.
    pub history: Vec<Transition>,
    /// What its document was made from; none leaves what was there.
    pub build_record: Option<BuildRecord>,
    /// The chunks of its document, in order; none leaves what was there.
    pub chunks: Option<Vec<StoredChunk>>,
    /// Questions of which no answer was of use, so that a later run asks them again.
    pub unusable_questions: Vec<ContentHash>,
    /// Whether it is left alone from now on, so that its attempts stay counted.
    pub is_quarantined: bool,
}

/// A chunk that a document was made from, by which it is found again in a source that has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChunk {
    /// How many lines it has.
    pub lines: u32,
    /// The hash of its first line as shown.
    pub first: ContentHash,
    /// The hash of all its lines as shown.
    pub rows: ContentHash,
    /// The hash of all that its prompt said before the source.
    pub context: ContentHash,
    /// The hash of what it was told of its program, of what holds it, of data and copybooks: what has to be the same for its answer to do.
    pub told: ContentHash,
}

/// A source as it was when it was last surveyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSource {
    /// Its name.
    pub file: String,
    /// The hash of its bytes, of what it was taken for and of how it is read.
    pub hash: ContentHash,
    /// What its COPY statements have found.
    pub lookups: Vec<CopybookLookup>,
}

/// What a COPY statement has found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CopybookLookup {
    /// The name, in upper case.
    pub name: String,
    /// The library after OF or IN.
    pub library: Option<String>,
    /// The file that was taken and the hash of its bytes; none when there is no such copybook.
    pub found: Option<(String, ContentHash)>,
    /// The hash of what is shown of it, where secrets in it are masked: which they are, other sources say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<ContentHash>,
    /// Other files of the name with other contents.
    pub passed_over: Vec<String>,
    /// Whether the file that was taken is a source of the estate, which has a document of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_source: bool,
}

/// Why a store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// Whether what is on the disk is damaged; else it cannot be read or written just now.
    pub is_damaged: bool,
    /// What failed, with the file.
    pub message: String,
}

/// A store that knows nothing and keeps nothing: every run does everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullStore;

impl Store for NullStore {
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError> {
        Ok(Vec::new())
    }

    fn open(&self, _tickets: &[OpenTicket]) -> Result<(), StoreError> {
        Ok(())
    }

    fn begin(&self, _file: &str) -> Result<u32, StoreError> {
        Ok(1)
    }

    fn finish(&self, _tickets: &[FinishedTicket]) -> Result<(), StoreError> {
        Ok(())
    }

    fn confirm_estate(&self, _estate: ContentHash, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }

    fn forget(&self, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }

    fn chunks(&self, _file: &str) -> Result<Vec<StoredChunk>, StoreError> {
        Ok(Vec::new())
    }

    fn last_answer_position(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        Ok(Vec::new())
    }

    fn surveys(&self, _take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError> {
        Ok(())
    }

    fn save_sources(&self, _sources: &[(StoredSource, Option<String>)]) -> Result<(), StoreError> {
        Ok(())
    }

    fn forget_sources(&self, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }
}
