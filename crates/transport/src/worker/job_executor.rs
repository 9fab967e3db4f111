//! What a worker asks of whoever writes its drafts, and what it learns from them.

use crate::subjects::EstateId;
use futures::future::BoxFuture;
use std::sync::Arc;
use war_rig_llm::{CallLog, StopError, WindowEstimate};
use war_rig_pool::{Draft, WriteJob};

/// Executes jobs: applies a job's settings on this machine.
pub trait JobExecutor: Send + Sync + 'static {
    /// Writes the draft of a job. Every call is recorded in the journal.
    fn write(&self, assignment: JobAssignment) -> BoxFuture<'static, JobOutcome>;

    /// Makes no further calls; calls in flight are finished.
    fn stop(&self);
}

/// A job with everything that belongs to it.
#[derive(Debug)]
pub struct JobAssignment {
    /// Its estate.
    pub estate: EstateId,
    /// The coordinator process.
    pub epoch: String,
    /// Its settings, as the text of a settings file.
    pub settings: String,
    /// The job.
    pub job: WriteJob,
    /// Where its calls are recorded.
    pub journal: Arc<dyn CallLog>,
}

/// The result of a job.
#[derive(Debug)]
pub enum JobOutcome {
    /// The draft was written.
    Draft {
        /// The draft.
        draft: Box<Draft>,
        /// What was learned about the model's window.
        learned: Option<WindowEstimate>,
        /// What the user should know about the server.
        notes: Vec<String>,
        /// Why this worker makes no further calls, if the reason is its own.
        stopped: Option<StopError>,
    },
    /// The settings cannot be used on this machine, so no job with them can be done here.
    Unusable(String),
    /// This job has failed, as it may on other workers.
    Failed(String),
}
