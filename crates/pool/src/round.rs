//! What the tickets of a run share: its options, its ports, and the room for what is in work at a time.

use crate::build_plan::{BuildPlanOptions, BuildTask};
use crate::load::{SourceOptions, Sources};
use crate::plan::Planner;
use crate::ports::DocumentSink;
use crate::queue::{MAX_REMOTE_BYTES, RemoteQueue};
use crate::snapshot::SourceSnapshot;
use crate::store::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use war_rig_estate::{ChangedFiles, EstateGraph};
use war_rig_scribe::Scribe;
use war_rig_text::ContentHash;

/// The options of a run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Tickets in progress at a time; at least 1.
    pub jobs: usize,
    /// Threads that read and parse before the tickets begin; at least 1.
    pub readers: usize,
    /// Calls in flight within one ticket; at least 1.
    pub concurrency: usize,
    /// How sources are read and parsed.
    pub source: SourceOptions,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// What counts as up to date.
    pub build_plan: BuildPlanOptions,
    /// The hash of the content of the run's own pages, if they are as written. If the content has changed, the run needs the graph.
    pub pages: Option<ContentHash>,
    /// The hash of the settings that affect only those pages.
    pub pages_settings: ContentHash,
    /// The changed files. The run documents only those selected sources that are among them or use one of them; `None` documents all selected.
    pub changes: Option<ChangedFiles>,
}

/// By default, one ticket at a time.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            jobs: 1,
            readers: 1,
            concurrency: 1,
            source: SourceOptions::default(),
            fail_fast: false,
            build_plan: BuildPlanOptions::default(),
            pages: None,
            pages_settings: ContentHash::of(b""),
            changes: None,
        }
    }
}

/// A request to stop the run.
#[derive(Debug, Default)]
pub struct StopRequest(AtomicBool);

impl StopRequest {
    /// Lets no further ticket begin.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What the workers of a run share.
pub struct PoolContext<S, P, D> {
    /// Routes and cuts.
    pub planner: Arc<Planner>,
    /// Writes.
    pub scribe: Arc<S>,
    /// Where sources come from.
    pub sources: Arc<P>,
    /// Where documents go.
    pub sink: Arc<D>,
    /// What outlives the process.
    pub store: Arc<dyn Store>,
    /// The request to stop the run.
    pub stop: Arc<StopRequest>,
    /// The remote workers; `None` if all documents are written here. Parser-only documents are always written here: their words are facts,
    /// and words from elsewhere are not.
    pub queue: Option<Arc<dyn RemoteQueue>>,
    /// The options of the run.
    pub options: RunOptions,
}

/// The bytes of sources in progress at a time. Parsed, with chunks and a document, they take some ten to twenty times as much memory.
const BYTES_IN_WORK: u64 = 4 << 20;

/// Prompts that are prepared before a call is free, so that a free call never waits for a prompt.
const AHEAD: usize = 16;

/// What a round of a run shares with its tickets.
pub(crate) struct Round<S, P, D> {
    pub(crate) workers: Arc<PoolContext<S, P, D>>,
    pub(crate) stock: SourceSnapshot,
    pub(crate) graph: Arc<EstateGraph>,
    pub(crate) runtime: Handle,
    /// Chunks of all files that may be at the Scribe, or soon will be.
    pub(crate) chunk_permits: Semaphore,
    /// The memory for sources in progress, in units of 1,024 bytes.
    pub(crate) memory_permits: Semaphore,
    /// The memory for sources at remote workers, in units of 1,024 bytes.
    pub(crate) remote_permits: Semaphore,
}

impl<S, P, D> Round<S, P, D> {
    /// Begins a round with its memory free. Needs the runtime that the tickets' calls run on.
    pub(crate) fn of(workers: &Arc<PoolContext<S, P, D>>, stock: SourceSnapshot, graph: Arc<EstateGraph>) -> Self {
        Self {
            chunk_permits: Semaphore::new(workers.options.concurrency.max(1) + AHEAD),
            memory_permits: Semaphore::new((BYTES_IN_WORK >> 10) as usize),
            remote_permits: Semaphore::new(MAX_REMOTE_BYTES >> 10),
            runtime: Handle::current(),
            workers: Arc::clone(workers),
            graph,
            stock,
        }
    }
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Whether a task must not begin. Sources that are not COBOL need no Scribe, and are documented even after the Scribe stops.
    pub(crate) fn should_skip(&self, task: &BuildTask) -> bool {
        let has_stopped = || self.workers.scribe.stopped().is_some();
        self.workers.stop.is_requested() || (self.workers.sources.kind(&task.id).is_cobol() && has_stopped())
    }

    /// Waits for the memory for a source in progress, outside the runtime's threads.
    pub(crate) fn acquire_memory(&self, task: &BuildTask) -> SemaphorePermit<'_> {
        let room = task.size.min(BYTES_IN_WORK).div_ceil(1 << 10).max(1) as u32;
        self.runtime.block_on(self.memory_permits.acquire_many(room)).expect("the room is never closed")
    }

    /// Calls `work` when there is memory for a source; returns `None` if the run stops before that.
    pub(crate) fn with_memory<T>(&self, task: &BuildTask, work: impl FnOnce() -> T) -> Option<T> {
        let _room = self.acquire_memory(task);
        (!self.workers.stop.is_requested()).then(work)
    }
}

/// Does work outside the runtime's threads.
///
/// # Panics
/// With the panic of the work.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
