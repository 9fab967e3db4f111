//! A store that this process has open for writing.

use crate::answers;
use crate::column_values::kept;
use crate::durable;
use crate::fault::StoreFault;
use crate::lock::StoreLock;
use crate::open_error::{OpenError, OpenErrorKind};
use crate::output_store::OutputStore;
use crate::reader_pool::ReaderPool;
use crate::runs::{self, NewRun, RunStart};
use crate::schema::{self, MIGRATIONS};
use crate::store_path::{self, ConnectionMode, StorePath};
use crate::time::Clock;
use crate::writer::StoreWriter;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use war_rig_pool::StoreError;

/// A store that is open for writing. It, its clones and its output stores share the lock.
#[derive(Clone)]
pub struct Database {
    open: Arc<OpenStore>,
    clock: Clock,
}

/// The parts of an open store. The fields are dropped in order, so the lock is freed after the last write.
#[derive(Debug)]
pub(crate) struct OpenStore {
    pub(crate) readers: ReaderPool,
    pub(crate) writer: StoreWriter,
    pub(crate) place: StorePath,
    _lock: StoreLock,
}

impl OpenStore {
    /// Converts a fault into the error of the pool's port.
    pub(crate) fn failed(&self, fault: StoreFault) -> StoreError {
        fault.into_store_error(&self.place.named)
    }
}

impl Drop for OpenStore {
    fn drop(&mut self) {
        self.readers.close();
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the store of a folder. Creates folder and store if they are missing, and migrates an older store.
    ///
    /// # Errors
    /// [`OpenError`] if another process has the store open, if it is foreign, newer or damaged (it stays as it is), or if it cannot be
    /// written.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, OpenError> {
        Self::open_with(folder, clock, MIGRATIONS)
    }

    pub(crate) fn open_with(folder: &Path, clock: Clock, migrations: &[&str]) -> Result<Self, OpenError> {
        let of_folder = |kind| OpenError { file: folder.to_owned(), kind };
        durable::make_folder(folder).map_err(store_path::storage_error).map_err(of_folder)?;
        let place = StorePath::of(folder).map_err(of_folder)?;
        let lock = StoreLock::take(&place.lock(), &clock).map_err(|kind| OpenError { file: place.lock(), kind })?;
        let opened = opened(&place, migrations).and_then(|connection| {
            StoreWriter::begin(connection).map_err(|error| OpenErrorKind::Storage(error.to_string()))
        });
        let writer = opened.map_err(|kind| OpenError { file: place.named.clone(), kind })?;
        let readers = ReaderPool::of(place.clone());
        Ok(Self { open: Arc::new(OpenStore { readers, writer, place, _lock: lock }), clock })
    }

    /// Records the start of a run. Unfinished runs of its output folder were killed, because no other process can have the store open.
    ///
    /// # Errors
    /// [`StoreError`] if the store is damaged or cannot be written, as for all methods below.
    pub fn begin_run(&self, run: NewRun) -> Result<RunStart, StoreError> {
        let now = (self.clock)();
        self.write(move |connection| runs::begin(connection, &run, now))
    }

    /// Records what a run has learned, for the run that continues it after an interruption.
    ///
    /// # Errors
    /// As [`Database::begin_run`].
    pub fn save_window_estimate(&self, run: u64, text: &str) -> Result<(), StoreError> {
        let text = text.to_owned();
        self.write(move |connection| runs::note_learned(connection, kept(run), &text))
    }

    /// Records the end of a run, with its exit code and its totals as JSON.
    ///
    /// # Errors
    /// As [`Database::begin_run`].
    pub fn end_run(&self, run: u64, exit: u8, totals: &str) -> Result<(), StoreError> {
        let (totals, now) = (totals.to_owned(), (self.clock)());
        self.write(move |connection| runs::end(connection, run, exit, &totals, now))
    }

    /// Returns the store for one output folder, written on behalf of this run. The name is the same in every run.
    pub fn for_output(&self, output: &str, run: u64) -> Arc<OutputStore> {
        Arc::new(OutputStore::of(self.open.clone(), output, kept(run)))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&rusqlite::Connection) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.open.writer.write(work).map_err(|fault| self.open.failed(fault))
    }
}

/// Connects to the existing store, or to a new one. The caller has the lock.
fn opened(place: &StorePath, migrations: &[&str]) -> Result<rusqlite::Connection, OpenErrorKind> {
    match place.check_file() {
        Ok(()) => place.inspect(migrations)?,
        Err(OpenErrorKind::Missing) => place.make(migrations)?,
        Err(refused) => return Err(refused),
    }
    let mut connection = place.connect(ConnectionMode::Write).map_err(schema::told)?;
    schema::check(&connection, migrations)?;
    schema::migrate(&mut connection, migrations).map_err(schema::told)?;
    answers::check_marks(&connection).map_err(schema::told)?;
    Ok(connection)
}
