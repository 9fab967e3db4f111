//! The one thread that writes.
//!
//! It takes all waiting commands, applies them in one transaction, commits, and only then answers each. A commit waits for the disk, so a heavier
//! load means more commands for each commit. A failing command is rolled back alone, by its savepoint. Some faults (a full disk is one) make
//! SQLite roll back the whole transaction: the other commands are then applied again, without the one that failed.

use crate::fault::{StoreFault, StoreFaultKind};
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use tokio::sync::{Semaphore, oneshot};

/// How many commands may wait. Each caller waits for its answer, so there are never more commands than callers: this is far above them.
const WAITING: usize = 2048;

/// How many of them may come from tasks, which must not be blocked by a full queue: the rest is for threads.
const FROM_TASKS: usize = 1024;

/// The most commands in one transaction, so that the first does not wait long for its answer.
const GROUP: usize = 256;

/// A command with its waiting caller.
trait WriteCommand: Send {
    /// Applies it; after a rollback, it may be applied again.
    fn apply(&mut self, connection: &Connection) -> Result<(), StoreFault>;

    /// Reports how it ended.
    fn answer(self: Box<Self>, ended: Result<(), StoreFault>);
}

struct PendingWrite<T, W, R> {
    work: W,
    reached: Option<T>,
    reply: R,
}

impl<T, W, R> WriteCommand for PendingWrite<T, W, R>
where
    T: Send,
    W: FnMut(&Connection) -> Result<T, StoreFault> + Send,
    R: FnOnce(Result<T, StoreFault>) + Send,
{
    fn apply(&mut self, connection: &Connection) -> Result<(), StoreFault> {
        self.reached = Some((self.work)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, ended: Result<(), StoreFault>) {
        let reached = self.reached;
        (self.reply)(ended.and_then(|()| reached.ok_or_else(StoreFault::writer_gone)));
    }
}

/// Passes commands to the thread, and waits for the thread when it is dropped.
#[derive(Debug)]
pub(crate) struct StoreWriter {
    commands: Option<SyncSender<Box<dyn WriteCommand>>>,
    from_tasks: Semaphore,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    /// Starts the thread.
    pub(crate) fn begin(connection: Connection) -> std::io::Result<Self> {
        let (commands, waiting) = sync_channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || WriterThread { connection, broken: None }.run(&waiting))?;
        Ok(Self { commands: Some(commands), from_tasks: Semaphore::new(FROM_TASKS), thread: Some(thread) })
    }

    /// Writes something, and waits until it is on the disk.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let (reply, answer) = sync_channel(1);
        // A caller that no longer waits needs no answer.
        self.give(work, move |ended| drop(reply.send(ended)))?;
        answer.recv().unwrap_or_else(|_| Err(StoreFault::writer_gone()))
    }

    /// The same for a task. The command is written even if nobody waits for it any more.
    pub(crate) async fn write_from_task<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let _room = self.from_tasks.acquire().await.map_err(|_| StoreFault::writer_gone())?;
        let (reply, answer) = oneshot::channel();
        self.give(work, move |ended| drop(reply.send(ended)))?;
        answer.await.unwrap_or_else(|_| Err(StoreFault::writer_gone()))
    }

    fn give<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreFault> + Send + 'static,
        reply: impl FnOnce(Result<T, StoreFault>) + Send + 'static,
    ) -> Result<(), StoreFault> {
        let commands = self.commands.as_ref().ok_or_else(StoreFault::writer_gone)?;
        commands.send(Box::new(PendingWrite { work, reached: None, reply })).map_err(|_| StoreFault::writer_gone())
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // If it panicked, its callers already know.
            let _ = thread.join();
        }
    }
}

/// The connection that the thread owns.
struct WriterThread {
    connection: Connection,
    /// Why nothing is written any more.
    broken: Option<StoreFault>,
}

/// How a transaction ended.
enum CommitResult {
    Committed,
    /// Rolled back as a whole because of a command, which has been removed.
    RolledBack,
    Failed(StoreFault),
}

impl WriterThread {
    fn run(mut self, waiting: &Receiver<Box<dyn WriteCommand>>) {
        while let Ok(first) = waiting.recv() {
            let mut group = vec![first];
            group.extend(waiting.try_iter().take(GROUP - 1));
            self.commit(group);
        }
        // Checkpoint the log, so that an unused store is one file. If this fails, the next process to open it does it.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Answers every command of the group. Each round that does not finish removes one command.
    fn commit(&mut self, mut group: Vec<Box<dyn WriteCommand>>) {
        while !group.is_empty() {
            let ended = match &self.broken {
                Some(fault) => CommitResult::Failed(fault.clone()),
                None => self.attempt(&mut group),
            };
            match ended {
                CommitResult::Committed => group.drain(..).for_each(|command| command.answer(Ok(()))),
                CommitResult::RolledBack => {}
                CommitResult::Failed(fault) => {
                    if fault.kind == StoreFaultKind::SyncLost {
                        self.broken = Some(fault.clone());
                    }
                    group.drain(..).for_each(|command| command.answer(Err(fault.clone())));
                }
            }
        }
    }

    /// Tries to commit the group. Failed commands are answered and removed from it.
    fn attempt(&self, group: &mut Vec<Box<dyn WriteCommand>>) -> CommitResult {
        if let Err(error) = self.connection.execute_batch("BEGIN IMMEDIATE") {
            return CommitResult::Failed(error.into());
        }
        let mut at = 0;
        while let Some(command) = group.get_mut(at) {
            match self.apply(command.as_mut()) {
                Ok(()) => at += 1,
                Err(fault) => {
                    let is_lost = self.connection.is_autocommit();
                    group.remove(at).answer(Err(fault));
                    if is_lost {
                        return CommitResult::RolledBack;
                    }
                }
            }
        }
        match self.connection.execute_batch("COMMIT") {
            Ok(()) => CommitResult::Committed,
            Err(error) => {
                self.take_back();
                CommitResult::Failed(error.into())
            }
        }
    }

    fn apply(&self, command: &mut dyn WriteCommand) -> Result<(), StoreFault> {
        self.connection.execute_batch("SAVEPOINT command")?;
        let ended =
            command.apply(&self.connection).and_then(|()| Ok(self.connection.execute_batch("RELEASE command")?));
        if ended.is_err() && !self.connection.is_autocommit() {
            let back = self.connection.execute_batch("ROLLBACK TO command; RELEASE command");
            if back.is_err() {
                self.take_back();
            }
        }
        ended
    }

    fn take_back(&self) {
        if !self.connection.is_autocommit() {
            // It fails only if there is nothing to roll back.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

#[cfg(test)]
mod tests;
