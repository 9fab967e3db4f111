//! The port to those who write elsewhere: tickets go out with all that is needed to write of them, and drafts come back.
//!
//! Properties: whoever writes gets the source, the copybooks that it names and nothing else of the estate; what comes back is words, which
//! are merged and held against the source here. Work on a ticket is counted before it is handed out. Accepted: that a ticket is written
//! twice where whoever had it was taken for gone; the second finds the answers of the first in the journal.

use crate::draft::Draft;
use crate::load::{LoadedSource, ParsedSource, SourceError, SourceId, SourceOptions, Sources, load_bytes};
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

/// All that is needed to write of one COBOL source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteJob {
    /// The source's name.
    pub file: String,
    /// What it is.
    pub kind: SourceKind,
    /// The chunks of its last document, in order.
    pub kept: Vec<StoredChunk>,
    /// The place in the journal behind which answers count.
    pub since: u64,
    /// The copybooks that it names, those that copybooks name included; none of them twice.
    pub copybooks: Vec<JobCopybook>,
    /// The secrets that any source of the estate names. Which of them stand in this one, whoever decodes it finds out.
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
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A ticket that is to be written of elsewhere.
#[derive(Clone)]
pub struct QueuedTicket {
    /// What is to be written of.
    pub job: Arc<WriteJob>,
    /// Whether whoever takes it does nothing else meanwhile, because work on it has come to nothing before.
    pub runs_alone: bool,
    /// Counts an attempt, on the disk when it returns; called, outside of the runtime's threads, before the job is given to anybody.
    pub begin_attempt: Arc<dyn Fn() -> Result<u32, StoreError> + Send + Sync>,
}

impl fmt::Debug for QueuedTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedTicket").field("file", &self.job.file).finish_non_exhaustive()
    }
}

/// What came of a ticket.
#[derive(Debug)]
pub enum DispatchOutcome {
    /// It was written of. The bill is that of all calls made for it since the run began.
    Draft(Box<Draft>, Receipt),
    /// The attempt has come to nothing, and the ticket may be to blame: whoever had it was not heard of any more, or could not write of it.
    Failed(String),
    /// Whoever had it has given it back, and is to blame for nothing.
    Returned(String),
    /// Nobody writes any more.
    Stopped(StopError),
    /// The store does not count attempts any more.
    StoreFailed(StoreError),
}

/// Says to whoever has written that what came of it is kept; dropped without that, nothing is said.
pub struct Receipt(Box<dyn FnOnce() + Send>);

impl Receipt {
    /// A receipt that does this when all is kept.
    pub fn new(told: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(told))
    }

    /// What came of it is on the disk.
    pub(crate) fn confirm(self) {
        (self.0)();
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt")
    }
}

/// Has tickets written of elsewhere.
pub trait RemoteQueue: Send + Sync {
    /// Hands a ticket out, and waits for what comes of it.
    fn dispatch(&self, ticket: QueuedTicket) -> BoxFuture<'_, DispatchOutcome>;
}

impl WriteJob {
    /// The job of a source as it was read.
    ///
    /// # Errors
    /// When a copybook cannot be read any more, or is another by now.
    pub(crate) fn of(
        (id, prepared): (&SourceId, &ParsedSource),
        sources: &dyn Sources,
        (kept, since): (Vec<StoredChunk>, u64),
    ) -> io::Result<Self> {
        let mut copybooks = Vec::new();
        for lookup in &prepared.lookups {
            let Some((file, hash)) = &lookup.found else { continue };
            let bytes = sources.copybook(&lookup.name, lookup.library.as_deref())?;
            if ContentHash::of(&bytes) != *hash {
                return Err(io::Error::other(format!("copybook `{file}` has changed since the run began")));
            }
            let (name, library, file) = (lookup.name.clone(), lookup.library.clone(), file.clone());
            copybooks.push(JobCopybook { name, library, file, bytes });
        }
        let (file, kind) = (id.0.clone(), sources.kind(id));
        let bytes = prepared.source.bytes().to_vec();
        let secrets = sources.known_secrets().clone();
        Ok(Self { file, kind, kept, since, copybooks, secrets, bytes })
    }

    /// The bytes of the source and of its copybooks.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.copybooks.iter().map(|copybook| copybook.bytes.len()).sum::<usize>()
    }

    /// Writes of it, on a thread outside of the runtime's own.
    ///
    /// # Errors
    /// [`SourceError`] when the source does not read as it did where the job comes from.
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

    fn copybooks(&self) -> &dyn CopybookLibrary {
        &self.library
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
        let read = |JobCopybook { name, library, file, bytes }: JobCopybook| {
            // One that cannot be read was not found where the job comes from either.
            let source = SourceText::read(file, bytes, &options.read).ok()?;
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
