//! The port to remote workers: tickets go out with all that a worker needs, and drafts come back.
//!
//! Properties: a worker gets the source, its copybooks and nothing else of the estate. It returns words, which are merged and checked against
//! the source here. An attempt is counted before the ticket is handed out. Accepted: a ticket is written twice if its worker was wrongly
//! assumed to be gone; the second worker finds the first one's answers in the journal.

use crate::draft::Draft;
use crate::load::{GENERATED, LoadedSource, ParsedSource, SourceError, SourceId, SourceOptions, Sources, load_bytes};
use crate::store::{StoreError, StoredChunk};
use crate::write::DraftWriter;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use war_rig_cobol::{CopybookLibrary, LexedSource};
use war_rig_estate::SourceKind;
use war_rig_llm::StopError;
use war_rig_scribe::Scribe;
use war_rig_secrets::KnownSecrets;
use war_rig_text::{ContentHash, SourceText};

/// The bytes of sources, with their copybooks, that may be with workers at a time.
pub(crate) const MAX_REMOTE_BYTES: usize = 256 << 20;

/// All that a worker needs to document one COBOL source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteJob {
    /// The source's name.
    pub file: String,
    /// The source's kind.
    pub kind: SourceKind,
    /// The chunks of its last document, in order.
    pub kept: Vec<StoredChunk>,
    /// The journal position after which answers count.
    pub since: u64,
    /// The copybooks that it names, including those that copybooks name; none of them twice.
    pub copybooks: Vec<JobCopybook>,
    /// The secrets that any source of the estate names. The worker that decodes this source finds out which of them it contains.
    #[serde(default)]
    pub secrets: KnownSecrets,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A copybook as a COPY statement finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobCopybook {
    /// The name in the statement, in upper case.
    pub name: String,
    /// The library after OF or IN.
    pub library: Option<String>,
    /// The file's name.
    pub file: String,
    /// Whether it is generated from a map set, and read as such.
    #[serde(default)]
    pub is_generated: bool,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A ticket for a remote worker.
#[derive(Clone)]
pub struct QueuedTicket {
    /// What the worker needs.
    pub job: Arc<WriteJob>,
    /// Whether its worker does nothing else in the meantime, because earlier work on it failed.
    pub runs_alone: bool,
    /// Counts an attempt, which is on the disk on return. Called outside the runtime's threads before the job is handed out.
    pub begin_attempt: Arc<dyn Fn() -> Result<u32, StoreError> + Send + Sync>,
}

impl fmt::Debug for QueuedTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedTicket").field("file", &self.job.file).finish_non_exhaustive()
    }
}

/// The result of a ticket that was handed out.
#[derive(Debug)]
pub enum DispatchOutcome {
    /// The draft was written. Its usage covers all calls for it since the run began.
    Draft(Box<Draft>, Receipt),
    /// The attempt failed, and the ticket may be the cause: its worker was not heard from again, or could not write.
    Failed(String),
    /// The worker returned it, and the ticket is not the cause.
    Returned(String),
    /// No worker writes any more.
    Stopped(StopError),
    /// The store can no longer count attempts.
    StoreFailed(StoreError),
}

/// Confirms to the worker that the result was stored; if dropped, it sends nothing.
pub struct Receipt(Box<dyn FnOnce() + Send>);

impl Receipt {
    /// Creates a receipt that calls `told` when everything is stored.
    pub fn new(told: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(told))
    }

    /// Confirms that the result is on the disk.
    pub(crate) fn confirm(self) {
        (self.0)();
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt")
    }
}

/// Hands tickets to remote workers.
pub trait RemoteQueue: Send + Sync {
    /// Hands a ticket out and waits for the result.
    fn dispatch(&self, ticket: QueuedTicket) -> BoxFuture<'_, DispatchOutcome>;
}

impl WriteJob {
    /// Creates the job of a source as it was read.
    ///
    /// # Errors
    /// If a copybook can no longer be read, or has changed.
    pub(crate) fn of(
        (id, prepared): (&SourceId, &ParsedSource),
        sources: &dyn Sources,
        (kept, since): (Vec<StoredChunk>, u64),
    ) -> io::Result<Self> {
        let mut copybooks = Vec::new();
        for lookup in &prepared.lookups {
            let Some((file, hash)) = &lookup.found else { continue };
            let bytes = sources.copybook(id, &lookup.name, lookup.library.as_deref())?;
            if ContentHash::of(&bytes) != *hash {
                return Err(io::Error::other(format!("copybook `{file}` has changed since the run began")));
            }
            let (name, library, file) = (lookup.name.clone(), lookup.library.clone(), file.clone());
            let is_generated = sources.kind(&SourceId(file.clone())) == SourceKind::Bms;
            copybooks.push(JobCopybook { name, library, file, is_generated, bytes });
        }
        let (file, kind) = (id.0.clone(), sources.kind(id));
        let bytes = prepared.source.bytes().to_vec();
        let secrets = sources.known_secrets().clone();
        Ok(Self { file, kind, kept, since, copybooks, secrets, bytes })
    }

    /// Returns the size of the source and its copybooks in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.copybooks.iter().map(|copybook| copybook.bytes.len()).sum::<usize>()
    }

    /// Writes the draft, on a thread outside the runtime.
    ///
    /// # Errors
    /// [`SourceError`] if the source does not read as it did at the job's origin.
    pub fn execute<S: Scribe>(
        self,
        writer: &DraftWriter<'_, S>,
        options: &SourceOptions,
        runtime: &Handle,
    ) -> Result<Draft, SourceError> {
        let Self { file, kind, kept, since, copybooks, secrets: known, bytes } = self;
        let sources = JobSources { kind, library: JobLibrary::of(copybooks, options, &known), known };
        let source = load_bytes(bytes, &sources, &SourceId(file), options)?;
        let LoadedSource::Cobol(prepared) = source else {
            return Err(SourceError::Unrecognized("not a COBOL source".to_owned()));
        };
        let turns = Semaphore::new(writer.concurrency.max(1) * 2);
        Ok(runtime.block_on(writer.draft(&prepared, &kept, since, &turns)))
    }
}

/// The one source of a job.
struct JobSources {
    kind: SourceKind,
    library: JobLibrary,
    known: KnownSecrets,
}

impl Sources for JobSources {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("a job has no other source: `{}`", source.0)))
    }

    fn copybooks(&self, _source: &SourceId) -> Box<dyn CopybookLibrary + '_> {
        Box::new(&self.library)
    }

    fn known_secrets(&self) -> &KnownSecrets {
        &self.known
    }

    fn kind(&self, _source: &SourceId) -> SourceKind {
        self.kind
    }
}

/// The copybooks of a job, by name and library.
struct JobLibrary(HashMap<(String, Option<String>), Arc<LexedSource>>);

impl JobLibrary {
    fn of(copybooks: Vec<JobCopybook>, options: &SourceOptions, known: &KnownSecrets) -> Self {
        let read = |JobCopybook { name, library, file, is_generated, bytes }: JobCopybook| {
            let read = if is_generated { GENERATED } else { options.read };
            // A copybook that cannot be read was not found at the job's origin either.
            let source = SourceText::read(file, bytes, &read).ok()?;
            Some(((name, library), options.secrets.screen(source, known).lexed))
        };
        Self(copybooks.into_iter().filter_map(read).collect())
    }
}

impl CopybookLibrary for JobLibrary {
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>> {
        self.0.get(&(name.to_owned(), library.map(str::to_owned))).cloned()
    }
}
