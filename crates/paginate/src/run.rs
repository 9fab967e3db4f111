//! A run: parts are asked about, their answers gathered, and one answer is made of them.
//!
//! Properties: no more than a few parts are in memory, however large the input. Answers are gathered by the number of their part, so that the order in which they
//! come does not show. What was asked is brought to its end, also where the run is to stop, because it is paid for. Races: which parts are still asked about
//! after another has failed depends on how soon that is known. Accepted: a run that is dropped loses what is in flight, and nothing that a journal holds.

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
use tokio::task::{JoinHandle, spawn_blocking};

/// How many events wait to be looked at; a run waits for whoever looks at them.
const EVENTS: usize = 64;

/// A run under way. Dropping it ends it.
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
        let task =
            tokio::spawn(async move { RunDriver::run(agent, extractor, options, input, sender).await });
        Self { events, task: Some(task) }
    }

    /// What happened next; none when all is done.
    pub async fn next_event(&mut self) -> Option<ExtractionEvent> {
        self.events.recv().await
    }

    /// What the run came to. Waits for its end.
    ///
    /// # Errors
    /// [`PaginateError`].
    ///
    /// # Panics
    /// When the run has, with its panic.
    pub async fn outcome(mut self) -> Result<ExtractionOutcome, PaginateError> {
        while self.next_event().await.is_some() {}
        let task = self.task.take().expect("only this takes the task");
        match task.await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for ExtractionRun {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Has work done that takes the processor for a while, beside the tasks that wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        // Such work ends by itself or by a panic, which goes on here.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
