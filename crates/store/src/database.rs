//! A store that this process holds.

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

/// A store that is open to be written to. It, its clones and what it has handed out hold the lock together.
#[derive(Clone)]
pub struct Database {
    open: Arc<OpenStore>,
    clock: Clock,
}

/// What an open store consists of. The fields are dropped in their order: the lock is free when nothing is written any more.
#[derive(Debug)]
pub(crate) struct OpenStore {
    pub(crate) readers: ReaderPool,
    pub(crate) writer: StoreWriter,
    pub(crate) place: StorePath,
    _lock: StoreLock,
}

impl OpenStore {
    /// A fault in the words of the pool's port.
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
    /// Opens the store of a folder. Where there is none, folder and store are made; where it is an older one, it is brought up to date.
    ///
    /// # Errors
    /// [`OpenError`] when another process holds it, when it is foreign, newer or damaged, which leaves it as it is, and when it cannot be
    /// written.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, OpenError> {
        Self::open_with(folder, clock, MIGRATIONS)
    }

    pub(crate) fn open_with(folder: &Path, clock: Clock, migrations: &[&str]) -> Result<Self, OpenError> {
        let of_folder = |kind| OpenError { file: folder.to_owned(), kind };
        durable::make_folder(folder).map_err(store_path::storage_error).map_err(of_folder)?;
        let place = StorePath::of(folder).map_err(of_folder)?;
        let lock =
            StoreLock::take(&place.lock(), &clock).map_err(|kind| OpenError { file: place.lock(), kind })?;
        let opened = opened(&place, migrations).and_then(|connection| {
            StoreWriter::begin(connection).map_err(|error| OpenErrorKind::Storage(error.to_string()))
        });
        let writer = opened.map_err(|kind| OpenError { file: place.named.clone(), kind })?;
        let readers = ReaderPool::of(place.clone());
        Ok(Self { open: Arc::new(OpenStore { readers, writer, place, _lock: lock }), clock })
    }

    /// Notes that a run begins. Runs of its output folder that have no end were killed: nobody else can have the store open.
    ///
    /// # Errors
    /// [`StoreError`] when the store is damaged or cannot be written, as for all that follows.
    pub fn begin_run(&self, run: NewRun) -> Result<RunStart, StoreError> {
        let now = (self.clock)();
        self.write(move |connection| runs::begin(connection, &run, now))
    }

    /// Notes what a run has learned, for the run that takes it up where it is broken off.
    ///
    /// # Errors
    /// As [`Database::begin_run`].
    pub fn save_window_estimate(&self, run: u64, text: &str) -> Result<(), StoreError> {
        let text = text.to_owned();
        self.write(move |connection| runs::note_learned(connection, kept(run), &text))
    }

    /// Notes that a run has ended, with its exit code and its totals as JSON.
    ///
    /// # Errors
    /// As [`Database::begin_run`].
    pub fn end_run(&self, run: u64, exit: u8, totals: &str) -> Result<(), StoreError> {
        let (totals, now) = (totals.to_owned(), (self.clock)());
        self.write(move |connection| runs::end(connection, run, exit, &totals, now))
    }

    /// The store for one output folder, written on behalf of this run. The name is the same in every run.
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

/// A connection to the store that is there, or to a new one. The lock is held.
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
