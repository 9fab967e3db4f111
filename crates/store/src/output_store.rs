//! A store as one run of one output folder sees it: the ports of the pool and of model calls.

use crate::column_values::{output, output_made};
use crate::database::OpenStore;
use crate::fault::StoreFault;
use crate::{answers, sources, tickets};
use rusqlite::Connection;
use std::future::ready;
use std::sync::Arc;
use war_rig_llm::{AnswerKey, CallLog, CallLogError, CallLogFuture, CallOutcome, FinishedCall, NewCall};
use war_rig_pool::{FinishedTicket, OpenTicket, Store, StoreError, StoredChunk, StoredSource, StoredTicket};
use war_rig_text::ContentHash;

/// The store of one output folder, written on behalf of one run.
#[derive(Debug)]
pub struct OutputStore {
    open: Arc<OpenStore>,
    name: Arc<str>,
    run: i64,
}

impl OutputStore {
    pub(crate) fn of(open: Arc<OpenStore>, name: &str, run: i64) -> Self {
        Self { open, name: name.into(), run }
    }

    /// Reads from this output folder; returns the default if the store does not contain it.
    fn read<T: Default>(&self, read: impl FnOnce(&Connection, i64) -> Result<T, StoreFault>) -> Result<T, StoreError> {
        let of_output = |connection: &Connection| match output(connection, &self.name)? {
            Some(output) => read(connection, output),
            None => Ok(T::default()),
        };
        self.open.readers.read(of_output).map_err(|fault| self.open.failed(fault))
    }

    fn write<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&Connection, i64) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let name = self.name.clone();
        let work = move |connection: &Connection| {
            let output = output_made(connection, &name)?;
            work(connection, output)
        };
        self.open.writer.write(work).map_err(|fault| self.open.failed(fault))
    }

    async fn record<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, CallLogError> {
        let ended = self.open.writer.write_from_task(work).await;
        ended.map_err(|fault| fault.of_journal(&self.open.place.named))
    }
}

fn owned(files: &[&str]) -> Vec<String> {
    files.iter().map(|file| (*file).to_owned()).collect()
}

impl Store for OutputStore {
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError> {
        self.read(tickets::all)
    }

    fn open(&self, opened: &[OpenTicket]) -> Result<(), StoreError> {
        let opened = opened.to_vec();
        self.write(move |connection, output| tickets::open(connection, output, &opened))
    }

    fn begin(&self, file: &str) -> Result<u32, StoreError> {
        let file = file.to_owned();
        self.write(move |connection, output| tickets::begin(connection, output, &file))
    }

    fn finish(&self, finished: &[FinishedTicket]) -> Result<(), StoreError> {
        let (finished, run) = (finished.to_vec(), self.run);
        self.write(move |connection, output| tickets::finish(connection, output, run, &finished))
    }

    fn confirm_estate(&self, estate: ContentHash, files: &[&str]) -> Result<(), StoreError> {
        let files = owned(files);
        self.write(move |connection, output| tickets::settle(connection, output, &estate, &files))
    }

    fn forget(&self, files: &[&str]) -> Result<(), StoreError> {
        let files = owned(files);
        self.write(move |connection, output| tickets::forget(connection, output, &files))
    }

    fn chunks(&self, file: &str) -> Result<Vec<StoredChunk>, StoreError> {
        self.read(|connection, output| tickets::chunks(connection, output, file))
    }

    fn last_answer_position(&self) -> Result<u64, StoreError> {
        self.open.readers.read(answers::last).map_err(|fault| self.open.failed(fault))
    }

    fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        self.read(sources::all)
    }

    fn surveys(&self, take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError> {
        self.read(|connection, output| sources::surveys(connection, output, take))
    }

    fn save_sources(&self, kept: &[(StoredSource, Option<String>)]) -> Result<(), StoreError> {
        let kept = kept.to_vec();
        self.write(move |connection, output| sources::keep(connection, output, &kept))
    }

    fn forget_sources(&self, files: &[&str]) -> Result<(), StoreError> {
        let files = owned(files);
        self.write(move |connection, output| sources::forget(connection, output, &files))
    }
}

impl CallLog for OutputStore {
    fn find_answer(&self, key: AnswerKey, since: u64) -> CallLogFuture<'_, Option<CallOutcome>> {
        let found = self.open.readers.read(|connection| answers::find(connection, &key, since));
        let found = found.map_err(|fault| fault.of_journal(&self.open.place.named));
        Box::pin(ready(found.map(|found| found.map(|(_, outcome)| outcome))))
    }

    fn record_call(&self, call: NewCall) -> CallLogFuture<'_, u64> {
        let run = self.run;
        Box::pin(self.record(move |connection| answers::sending(connection, run, &call)))
    }

    fn record_outcome(&self, call: u64, ended: FinishedCall, since: u64) -> CallLogFuture<'_, Option<CallOutcome>> {
        let (run, name) = (self.run, self.name.clone());
        Box::pin(self.record(move |connection| {
            let output = output_made(connection, &name)?;
            answers::ended(connection, output, run, call, &ended, since)
        }))
    }
}
