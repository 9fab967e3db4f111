//! One remote ticket, from its bytes to a draft that is merged here.
//!
//! A failed ticket is handed out again: the attempt was counted before, and the store returns how many there were. After the last attempt, the
//! ticket is left alone. From the second attempt on, its worker does nothing else, so a ticket that kills its worker affects no other.

use crate::build_plan::{BuildTask, MAX_ATTEMPTS};
use crate::draft::Draft;
use crate::load::Sources;
use crate::ports::DocumentSink;
use crate::process::DispatchDecision;
use crate::publish::CompletedWork;
use crate::queue::{DispatchOutcome, MAX_REMOTE_BYTES, QueuedTicket, RemoteQueue, WriteJob};
use crate::round::{Round, blocking};
use crate::store::{AttemptPolicy, OpenTicket, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use tokio::sync::SemaphorePermit;
use war_rig_scribe::Scribe;

/// The number of tickets that may be with workers, or wait to be. It exceeds the number that all workers take at once, but keeps a large
/// estate from being in memory as a whole.
pub(crate) const MAX_REMOTE_TICKETS: usize = 512;

/// Hands one task to remote workers until there is a result, unless the run stops, and passes the result on for publication.
pub(crate) async fn run_remote<S, P, D>(
    round: Arc<Round<S, P, D>>,
    task: BuildTask,
    worked: SyncSender<CompletedWork<D::StagedDocument>>,
    queue: &dyn RemoteQueue,
) -> Result<(), StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let remote = RemoteTask { round, task: Arc::new(task), attempts: Arc::default() };
    let (decision, room) = remote.decide_with_room().await?;
    let ended = match decision {
        DispatchDecision::Job(job) => remote.hand_out(job, queue).await?,
        DispatchDecision::Finished(ended) => *ended,
        DispatchDecision::Local => {
            return remote.blocking(move |round, task| round.run_local(task, &worked)).await;
        }
    };
    drop(room);
    remote
        .blocking(move |round, _| {
            round.submit(ended, &worked);
            Ok(())
        })
        .await
}

/// A task that remote workers may do.
struct RemoteTask<S, P, D> {
    round: Arc<Round<S, P, D>>,
    task: Arc<BuildTask>,
    /// How often work on it was begun.
    attempts: Arc<AtomicU32>,
}

impl<S, P, D> RemoteTask<S, P, D>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    /// Does work outside the runtime's threads. An error of the store stops the run.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Round<S, P, D>, &BuildTask) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (round, task) = (Arc::clone(&self.round), Arc::clone(&self.task));
        blocking(move || work(&round, &task)).await.inspect_err(|_| self.round.workers.stop.request())
    }

    /// Decides whether the task is handed out. A job comes with its room among those that are with workers.
    async fn decide_with_room(
        &self,
    ) -> Result<(DispatchDecision<D::StagedDocument>, Option<SemaphorePermit<'_>>), StoreError> {
        let mut room = None;
        loop {
            let decision = self.blocking(|round, task| round.decide(task)).await?;
            let DispatchDecision::Job(job) = &decision else { return Ok((decision, room)) };
            let size = job.size().min(MAX_REMOTE_BYTES).div_ceil(1 << 10).max(1) as u32;
            room = room.or_else(|| self.round.remote_permits.try_acquire_many(size).ok());
            if room.is_some() {
                return Ok((decision, room));
            }
            // A job that waits for room is dropped, and read again later.
            drop(decision);
            room = Some(self.round.remote_permits.acquire_many(size).await.expect("the room is never closed"));
        }
    }

    /// Hands a job to workers until one of them has done it, or it is to be left alone.
    async fn hand_out(
        &self,
        job: Arc<WriteJob>,
        queue: &dyn RemoteQueue,
    ) -> Result<CompletedWork<D::StagedDocument>, StoreError> {
        let task = &self.task;
        let mut ticket = self.ticket(job);
        loop {
            if self.round.should_skip(task) {
                return Ok(CompletedWork::not_started(task));
            }
            match queue.dispatch(ticket.clone()).await {
                DispatchOutcome::Draft(draft, receipt) => {
                    let ended = self.blocking(move |round, task| round.process_draft(task, *draft)).await?;
                    return Ok(CompletedWork { receipt: Some(receipt), ..ended });
                }
                DispatchOutcome::Failed(why) => {
                    let counted = self.blocking(|round, task| round.attempts(task)).await?;
                    let attempts = counted.unwrap_or_else(|| self.attempts.load(Ordering::Acquire));
                    tracing::warn!(file = task.id.0, attempts, %why, "work on it elsewhere was in vain");
                    if attempts >= MAX_ATTEMPTS {
                        return Ok(CompletedWork::quarantined(task, attempts, &why));
                    }
                    ticket.runs_alone = true;
                }
                DispatchOutcome::Returned(why) => {
                    tracing::info!(file = task.id.0, %why, "given back");
                    self.blocking(move |round, task| round.workers.store.open(&[round.opened_again(task, why)]))
                        .await?;
                }
                DispatchOutcome::Stopped(stopped) => {
                    let has_begun = self.attempts.load(Ordering::Acquire) > 0;
                    return Ok(match has_begun {
                        true => CompletedWork::returned(task, &stopped.to_string(), true),
                        false => CompletedWork::not_started(task),
                    });
                }
                DispatchOutcome::StoreFailed(error) => {
                    self.round.workers.stop.request();
                    return Err(error);
                }
            }
        }
    }

    /// Returns the ticket of a job, which counts the attempts.
    fn ticket(&self, job: Arc<WriteJob>) -> QueuedTicket {
        let (round, task, attempts) = (Arc::clone(&self.round), Arc::clone(&self.task), Arc::clone(&self.attempts));
        let begin = move || {
            let begun = round.workers.store.begin(&task.id.0)?;
            attempts.store(begun, Ordering::Release);
            Ok(begun)
        };
        QueuedTicket { job, runs_alone: self.task.runs_alone, begin_attempt: Arc::new(begin) }
    }
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Decides whether a task is handed out, which takes the memory for its source.
    fn decide(&self, task: &BuildTask) -> Result<DispatchDecision<D::StagedDocument>, StoreError> {
        if self.should_skip(task) {
            return Ok(DispatchDecision::Finished(Box::new(CompletedWork::not_started(task))));
        }
        self.with_memory(task, || self.prepare_job(task)).unwrap_or(Ok(DispatchDecision::Local))
    }

    /// Makes a document from a draft, which takes the memory for its source.
    fn process_draft(&self, task: &BuildTask, draft: Draft) -> Result<CompletedWork<D::StagedDocument>, StoreError> {
        let _room = self.acquire_memory(task);
        self.process_ticket(task, Some(draft))
    }

    /// Returns how often work on a task was begun, as counted by the store: an answer that was kept in the meantime restarts the count.
    fn attempts(&self, task: &BuildTask) -> Result<Option<u32>, StoreError> {
        let tickets = self.workers.store.tickets()?;
        Ok(tickets.iter().find(|ticket| ticket.file == task.id.0).map(|ticket| ticket.attempts))
    }

    /// Returns how to reopen a task without blaming it.
    fn opened_again(&self, task: &BuildTask, reason: String) -> OpenTicket {
        let (file, base) = (task.id.0.clone(), self.workers.options.build_plan.base.clone());
        OpenTicket { file, base, reason, answers_since: None, attempts: AttemptPolicy::DropLast }
    }
}
