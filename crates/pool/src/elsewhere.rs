//! One ticket that is written of elsewhere, from its bytes to a draft that is merged here.
//!
//! What is in vain is handed out again: the attempt was counted before, and the store says how many there were. After the last one the ticket is
//! left alone. Whoever takes a ticket for the second time does nothing else meanwhile, so that one which kills its worker takes no other with it.

use crate::agenda::{ATTEMPTS, Task};
use crate::finish::Worked;
use crate::ports::DocumentSink;
use crate::queue::{Brought, Queue, QueuedTicket};
use crate::read::Sources;
use crate::run::{Round, blocking, one};
use crate::store::{Attempts, OpenTicket, StoreError};
use crate::work::Before;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use war_rig_scribe::Scribe;

/// Tickets that may be elsewhere, or wait to be, at a time: more than any number of workers takes at once, and not so many that all of a large
/// estate lies in memory.
pub(crate) const ELSEWHERE: usize = 512;

/// The bytes of sources, with their copybooks, that may be elsewhere at a time.
pub(crate) const BYTES_ELSEWHERE: usize = 256 << 20;

/// Has one task written of elsewhere, if the run goes on, until something comes of it, and hands that to whoever finishes it.
pub(crate) async fn elsewhere<S, P, D>(
    round: Arc<Round<S, P, D>>,
    task: Task,
    worked: SyncSender<Worked<D::Staged>>,
    queue: &dyn Queue,
) -> Result<(), StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let task = Arc::new(task);
    let stop = |_: &StoreError| round.workers.stop.ask();
    let mut room = None;
    let job = loop {
        let before = {
            let (round, task) = (Arc::clone(&round), Arc::clone(&task));
            blocking(move || match round.is_over(&task) {
                true => Ok(Before::Ended(Box::new(Worked::not_begun(&task)))),
                false => round.in_its_room(&task, || round.job(&task)).unwrap_or(Ok(Before::Here)),
            })
            .await
        };
        let job = match before.inspect_err(stop)? {
            Before::Job(job) => job,
            Before::Ended(ended) => {
                let round = Arc::clone(&round);
                blocking(move || round.ended(*ended, &worked)).await;
                return Ok(());
            }
            Before::Here => {
                let round = Arc::clone(&round);
                return blocking(move || one(&round, &task, &worked)).await;
            }
        };
        let size = job.size().min(BYTES_ELSEWHERE).div_ceil(1 << 10).max(1) as u32;
        room = room.or_else(|| round.room_elsewhere.try_acquire_many(size).ok());
        if room.is_some() {
            break job;
        }
        // What waits for room takes none meanwhile, and is read again.
        drop(job);
        room = Some(round.room_elsewhere.acquire_many(size).await.expect("the room is never closed"));
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
    let mut ticket = QueuedTicket { job, is_alone: task.is_alone, begin: Arc::new(begin) };
    let ended = loop {
        if round.is_over(&task) {
            break Worked::not_begun(&task);
        }
        match queue.bring(ticket.clone()).await {
            Brought::Draft(draft, receipt) => {
                let merge = {
                    let (round, task) = (Arc::clone(&round), Arc::clone(&task));
                    move || {
                        let room = round.room_for(&task);
                        let ended = round.ticket(&task, Some(*draft));
                        drop(room);
                        ended
                    }
                };
                let ended = blocking(merge).await.inspect_err(stop)?;
                break Worked { receipt: Some(receipt), ..ended };
            }
            Brought::InVain(why) => {
                let counted = {
                    let (round, task) = (Arc::clone(&round), Arc::clone(&task));
                    blocking(move || round.attempts(&task)).await.inspect_err(stop)?
                };
                let attempts = counted.unwrap_or_else(|| attempts.load(Ordering::Acquire));
                tracing::warn!(file = task.id.0, attempts, %why, "work on it elsewhere was in vain");
                if attempts >= ATTEMPTS {
                    break Worked::quarantined(&task, attempts, &why);
                }
                ticket.is_alone = true;
            }
            Brought::GivenBack(why) => {
                tracing::info!(file = task.id.0, %why, "given back");
                let (store, open) = (Arc::clone(&round.workers.store), round.opened_again(&task, why));
                blocking(move || store.open(&[open])).await.inspect_err(stop)?;
            }
            Brought::Stopped(stopped) => {
                let has_begun = attempts.load(Ordering::Acquire) > 0;
                break match has_begun {
                    true => Worked::given_back(&task, &stopped.to_string(), true),
                    false => Worked::not_begun(&task),
                };
            }
            Brought::Store(error) => {
                stop(&error);
                return Err(error);
            }
        }
    };
    drop(room);
    let round = Arc::clone(&round);
    blocking(move || round.ended(ended, &worked)).await;
    Ok(())
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// How often work on a task was begun, as the store counts: an answer that was kept meanwhile counts as a new beginning.
    fn attempts(&self, task: &Task) -> Result<Option<u32>, StoreError> {
        let tickets = self.workers.store.tickets()?;
        Ok(tickets.iter().find(|ticket| ticket.file == task.id.0).map(|ticket| ticket.attempts))
    }

    /// How a task is opened again without blame.
    fn opened_again(&self, task: &Task, reason: String) -> OpenTicket {
        let (file, base) = (task.id.0.clone(), self.workers.options.agenda.base.clone());
        OpenTicket { file, base, reason, since: None, attempts: Attempts::WithoutTheLast }
    }
}
