//! One remote ticket, from its bytes to a draft that is merged here.
//!
//! A failed ticket is handed out again: the attempt was counted before, and the store returns how many there were. After the last attempt, the
//! ticket is left alone. From the second attempt on, its worker does nothing else, so a ticket that kills its worker affects no other.

use crate::build_plan::{BuildTask, MAX_ATTEMPTS};
use crate::load::Sources;
use crate::ports::DocumentSink;
use crate::process::DispatchDecision;
use crate::publish::CompletedWork;
use crate::queue::{DispatchOutcome, QueuedTicket, RemoteQueue};
use crate::run::{Round, blocking, run_local};
use crate::store::{AttemptPolicy, OpenTicket, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use war_rig_scribe::Scribe;

/// The number of tickets that may be with workers, or wait to be. It exceeds the number that all workers take at once, but keeps a large
/// estate from being in memory as a whole.
pub(crate) const MAX_REMOTE_TICKETS: usize = 512;

/// The bytes of sources, with their copybooks, that may be with workers at a time.
pub(crate) const MAX_REMOTE_BYTES: usize = 256 << 20;

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
    let task = Arc::new(task);
    let stop = |_: &StoreError| round.workers.stop.request();
    let mut room = None;
    let job = loop {
        let before = {
            let (round, task) = (Arc::clone(&round), Arc::clone(&task));
            blocking(move || match round.should_skip(&task) {
                true => Ok(DispatchDecision::Finished(Box::new(CompletedWork::not_started(&task)))),
                false => round.with_memory(&task, || round.prepare_job(&task)).unwrap_or(Ok(DispatchDecision::Local)),
            })
            .await
        };
        let job = match before.inspect_err(stop)? {
            DispatchDecision::Job(job) => job,
            DispatchDecision::Finished(ended) => {
                let round = Arc::clone(&round);
                blocking(move || round.submit(*ended, &worked)).await;
                return Ok(());
            }
            DispatchDecision::Local => {
                let round = Arc::clone(&round);
                return blocking(move || run_local(&round, &task, &worked)).await;
            }
        };
        let size = job.size().min(MAX_REMOTE_BYTES).div_ceil(1 << 10).max(1) as u32;
        room = room.or_else(|| round.remote_permits.try_acquire_many(size).ok());
        if room.is_some() {
            break job;
        }
        // A job that waits for room is dropped, and read again later.
        drop(job);
        room = Some(round.remote_permits.acquire_many(size).await.expect("the room is never closed"));
    };
    let attempts = Arc::new(AtomicU32::new(0));
    let begin = {
        let (round, task, attempts) = (Arc::clone(&round), Arc::clone(&task), Arc::clone(&attempts));
        move || {
            let begun = round.workers.store.begin(&task.id.0)?;
            attempts.store(begun, Ordering::Release);
            Ok(begun)
        }
    };
    let mut ticket = QueuedTicket { job, runs_alone: task.runs_alone, begin_attempt: Arc::new(begin) };
    let ended = loop {
        if round.should_skip(&task) {
            break CompletedWork::not_started(&task);
        }
        match queue.dispatch(ticket.clone()).await {
            DispatchOutcome::Draft(draft, receipt) => {
                let merge = {
                    let (round, task) = (Arc::clone(&round), Arc::clone(&task));
                    move || {
                        let room = round.acquire_memory(&task);
                        let ended = round.process_ticket(&task, Some(*draft));
                        drop(room);
                        ended
                    }
                };
                let ended = blocking(merge).await.inspect_err(stop)?;
                break CompletedWork { receipt: Some(receipt), ..ended };
            }
            DispatchOutcome::Failed(why) => {
                let counted = {
                    let (round, task) = (Arc::clone(&round), Arc::clone(&task));
                    blocking(move || round.attempts(&task)).await.inspect_err(stop)?
                };
                let attempts = counted.unwrap_or_else(|| attempts.load(Ordering::Acquire));
                tracing::warn!(file = task.id.0, attempts, %why, "work on it elsewhere was in vain");
                if attempts >= MAX_ATTEMPTS {
                    break CompletedWork::quarantined(&task, attempts, &why);
                }
                ticket.runs_alone = true;
            }
            DispatchOutcome::Returned(why) => {
                tracing::info!(file = task.id.0, %why, "given back");
                let (store, open) = (Arc::clone(&round.workers.store), round.opened_again(&task, why));
                blocking(move || store.open(&[open])).await.inspect_err(stop)?;
            }
            DispatchOutcome::Stopped(stopped) => {
                let has_begun = attempts.load(Ordering::Acquire) > 0;
                break match has_begun {
                    true => CompletedWork::returned(&task, &stopped.to_string(), true),
                    false => CompletedWork::not_started(&task),
                };
            }
            DispatchOutcome::StoreFailed(error) => {
                stop(&error);
                return Err(error);
            }
        }
    };
    drop(room);
    let round = Arc::clone(&round);
    blocking(move || round.submit(ended, &worked)).await;
    Ok(())
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
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
