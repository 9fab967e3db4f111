//! A run: it processes the parts, gathers their answers, and merges them.
//!
//! Properties: only a few parts are in memory, however large the input. Answers are gathered by part number, so the order in which they come has no
//! effect. Calls in flight run to completion, even if the run is to stop, because they are paid for. Races: which parts are still processed after
//! another has failed depends on how soon the failure is known. Accepted: a dropped run loses calls in flight, but nothing in the call log.

mod driver;
mod finish;
mod part_asker;

use crate::agent::Agent;
use crate::extractor::Extractor;
use crate::input::Input;
use crate::outcome::ExtractionOutcome;
use crate::paginator::{ExtractionEvent, PaginateError, PaginateOptions};
use driver::RunDriver;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// The maximum number of pending events; the run waits for the consumer.
const EVENTS: usize = 64;

/// A run in progress. Dropping it aborts it.
pub struct ExtractionRun {
    events: mpsc::Receiver<ExtractionEvent>,
    task: Option<JoinHandle<Result<ExtractionOutcome, PaginateError>>>,
}

impl ExtractionRun {
    pub(crate) fn begin<E: Extractor + 'static>(
        agent: Arc<Agent>,
        extractor: Arc<E>,
        options: PaginateOptions,
        input: Input,
    ) -> Self {
        let (sender, events) = mpsc::channel(EVENTS);
        let task = tokio::spawn(async move { RunDriver::run(agent, extractor, options, input, sender).await });
        Self { events, task: Some(task) }
    }

    /// Returns the next event; none after the end.
    pub async fn next_event(&mut self) -> Option<ExtractionEvent> {
        self.events.recv().await
    }

    /// Waits for the end of the run, and returns its outcome.
    ///
    /// # Errors
    /// [`PaginateError`].
    ///
    /// # Panics
    /// If the run has panicked, with its panic.
    pub async fn outcome(mut self) -> Result<ExtractionOutcome, PaginateError> {
        while self.next_event().await.is_some() {}
        finished(self.task.take().expect("only this takes the task").await)
    }
}

impl Drop for ExtractionRun {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Runs CPU-bound work outside of the async tasks.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    finished(spawn_blocking(work).await)
}

/// Returns the result of a task that nothing aborts: it ends normally or with a panic, which is resumed here.
fn finished<T>(task: Result<T, JoinError>) -> T {
    task.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
