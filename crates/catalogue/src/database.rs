//! The catalogue: rows of all documents, stored so that they are found in milliseconds.
//!
//! It has its own file next to the store, because all of it can be rebuilt from the documents.
//!
//! # What always holds
//! - **A document's rows are all there, or none of them.** They replace the old ones in one change; every reader sees one moment.
//! - **The order of rows is that of their numbers:** by name of folder and source, and then by the order in the document. It does not change while
//!   others write, so that a page continues after a row, and not after a number of rows.
//! - **If a new document finds no room between two others, some of its neighbors are moved.** They have no rows until they are added again.
//! - **Two catalogues of the same documents have the same version**, in whatever order they were added.
//! - **User input never becomes part of a statement.** Words and filters go into statements as parameters.
//!
//! # Who runs concurrently
//! Any number of processes read, and each sees the last change that was complete when it began. Writers wait for each other, for at most ten
//! seconds. A requested rebuild is one long change, and other writers get an error in the meantime.
//! A damaged catalogue is replaced with an empty one, which is filled in parts: if the process is stopped, the next one continues.
//!
//! # Accepted losses
//! - A power failure may lose the last changes, never a part of one (`synchronous=NORMAL`). The next writer compares the catalogue with the store,
//!   and adds what is missing.
//! - Rows have no checksums. A flipped bit that SQLite does not detect shows a wrong row until its document changes or the catalogue is rebuilt.

mod error;
mod estate;
mod in_memory;
mod positions;
mod read;
mod results;
mod schema;
mod sql;
#[cfg(test)]
mod tests;
mod tickets;
mod values;
mod write;

pub use error::{CatalogueError, CatalogueErrorKind};
pub use results::{CatalogueVersion, FoundRow, PageStart, ResultPage, RowPosition};

use crate::{DocumentRows, Query, RowKind};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use war_rig_store::durable;
use war_rig_store::sqlite::{self, ConnectionMode, StoreFault, StorePath};
use war_rig_text::ContentHash;
use write::VersionChange;

/// The name of the file.
pub const CATALOGUE_FILE: &str = "catalogue.db";

/// The cache of a connection, in KiB.
const CACHE: i64 = 16 * 1024;

/// The cache, in KiB, while indexes are created: as much is sorted in memory at a time, and several times as much is taken for that.
const SORTING_CACHE: i64 = 8 * 1024;

/// The number of log pages at which a checkpoint starts, some 64 MB: pages that change with every commit are then copied once for many commits.
const LONGEST_LOG: i64 = 16 * 1024;

/// How many statements a connection caches: several for each kind.
const STATEMENTS: usize = 128;

/// A catalogue that is open for writing. Several processes may have it open at a time.
#[derive(Debug)]
pub struct Catalogue {
    connection: Mutex<Connection>,
    place: StorePath,
}

/// The rows of a document to add.
#[derive(Debug, Clone)]
pub struct CatalogueEntry {
    /// The folder of documents, by its name in the store.
    pub docs: String,
    /// The document's source.
    pub file: String,
    /// The name of the JSON document below the folder; `None` for a ticket without one.
    pub document: Option<String>,
    /// The hash of the JSON document.
    pub hash: ContentHash,
    /// Its rows.
    pub rows: DocumentRows,
}

/// A document in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedDocument {
    /// The folder of documents.
    pub docs: String,
    /// The document's source.
    pub file: String,
    /// The hash of the JSON document that its rows are from; `None` if it has a position but no rows yet.
    pub hash: Option<ContentHash>,
}

impl Catalogue {
    /// Opens the catalogue of a state folder. Creates an empty one if it is missing or damaged, or if another version of this program created it: its
    /// contents can be restored from the documents.
    ///
    /// # Errors
    /// [`CatalogueError`] if the file is not a catalogue, or if it cannot be written.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        let place = placed(folder)?;
        let opened = || {
            durable::make_folder(folder).map_err(sqlite::storage_error)?;
            match writing(&place) {
                Err(
                    CatalogueErrorKind::Missing | CatalogueErrorKind::OtherVersion | CatalogueErrorKind::Damaged(_),
                ) => made_anew(&place),
                opened => opened,
            }
        };
        let connection = opened().map_err(|kind| kind.in_file(&place.named))?;
        Ok(Self { connection: Mutex::new(connection), place })
    }

    /// Reserves positions for the documents of these sources, so that rows come in the order of the sources' names. The more sources in one call, the
    /// better. If there is no room between two documents, some of their neighbors are moved: [`Catalogue::documents`] then returns them without a
    /// hash, and they must be added again.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be written; [`CatalogueErrorKind::NoRoom`] if it has as many documents as it can contain.
    pub fn reserve_positions(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        self.change(|connection, version| write::make_room(connection, version, docs, files))
    }

    /// Replaces the rows of documents, all of them or none. A document with the same hash is left alone.
    ///
    /// # Errors
    /// As [`Catalogue::reserve_positions`].
    pub fn put(&self, entries: &[CatalogueEntry]) -> Result<(), CatalogueError> {
        // In the order of their numbers: the word tables flush their buffers whenever a number decreases.
        let mut entries: Vec<&CatalogueEntry> = entries.iter().collect();
        entries.sort_by(|one, other| (&one.docs, &one.file).cmp(&(&other.docs, &other.file)));
        self.change(|connection, version| entries.iter().try_for_each(|entry| write::put(connection, version, entry)))
    }

    /// Creates the indexes that a new catalogue lacks until its first documents are all there.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be written.
    pub fn create_indexes(&self) -> Result<(), CatalogueError> {
        if self.with(|connection| Ok(schema::has_indexes(connection)?))? {
            return Ok(());
        }
        self.with(|connection| {
            connection.pragma_update(None, "cache_size", -SORTING_CACHE)?;
            let created = schema::create_indexes(connection);
            connection.pragma_update(None, "cache_size", -CACHE)?;
            Ok(created?)
        })
    }

    /// Removes the documents of these sources.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be written.
    pub fn remove(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        self.change(|connection, version| {
            Ok(files.iter().try_for_each(|file| write::remove(connection, version, docs, file))?)
        })
    }

    /// Returns the documents that it contains, in order.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be read.
    pub fn documents(&self) -> Result<Vec<IndexedDocument>, CatalogueError> {
        self.with(|connection| Ok(write::documents(connection)?))
    }

    /// Replaces a damaged catalogue with an empty one.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be written.
    pub fn recreate(folder: &Path) -> Result<Self, CatalogueError> {
        let place = placed(folder)?;
        let connection = made_anew(&place).map_err(|kind| kind.in_file(&place.named))?;
        Ok(Self { connection: Mutex::new(connection), place })
    }

    /// Rebuilds all of it: readers see the old contents in the meantime. The rows that `fill` adds are there after success.
    ///
    /// # Errors
    /// Those of `fill`, and [`CatalogueError`] if it cannot be written; then the catalogue is as it was. A damaged one is empty.
    pub fn rebuild<E: From<CatalogueError>>(
        folder: &Path,
        fill: impl FnOnce(&Catalogue) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut catalogue = Self::open(folder)?;
        if !catalogue.with(|connection| Ok(is_sound(connection)))? {
            drop(catalogue);
            catalogue = Self::recreate(folder)?;
        }
        let begin = |connection: &Connection| {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            schema::clear(connection)?;
            schema::make(connection)
        };
        catalogue.with(|connection| Ok(begin(connection)?))?;
        fill(&catalogue)?;
        // If the connection is dropped without this, everything is rolled back.
        catalogue.with(|connection| Ok(connection.execute_batch("COMMIT")?))?;
        Ok(())
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, CatalogueErrorKind>) -> Result<T, CatalogueError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&connection).map_err(|kind| kind.in_file(&self.place.named))
    }

    /// Makes a change as a whole, or as part of the current transaction.
    fn change(
        &self,
        work: impl FnOnce(&Connection, &mut VersionChange) -> Result<(), CatalogueErrorKind>,
    ) -> Result<(), CatalogueError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = match connection.is_autocommit() {
            false => make_change(&connection, work),
            true => connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(CatalogueErrorKind::from)
                .and_then(|change| {
                    make_change(&change, work)?;
                    Ok(change.commit()?)
                }),
        };
        changed.map_err(|kind| kind.in_file(&self.place.named))
    }
}

/// Makes a change within a transaction, and keeps the hash of the contents with it.
fn make_change(
    connection: &Connection,
    work: impl FnOnce(&Connection, &mut VersionChange) -> Result<(), CatalogueErrorKind>,
) -> Result<(), CatalogueErrorKind> {
    let mut version = VersionChange::default();
    work(connection, &mut version)?;
    Ok(version.write(connection)?)
}

/// A catalogue (and the store, for tickets) that is only read, even while others write to it.
#[derive(Debug)]
pub struct CatalogueReader {
    connection: Connection,
    /// The file as given.
    file: PathBuf,
}

impl CatalogueReader {
    /// Opens what is needed to search for rows of a kind.
    ///
    /// # Errors
    /// [`CatalogueError`] if it is missing, not a catalogue, of another version or damaged, and if it cannot be read.
    pub fn open(folder: &Path, kind: RowKind) -> Result<Self, CatalogueError> {
        if kind == RowKind::Tickets {
            let (connection, file) = tickets::read(folder)?;
            return Ok(Self { connection, file });
        }
        let place = placed(folder)?;
        let connection = reading(&place).map_err(|kind| kind.in_file(&place.named))?;
        Ok(Self { connection, file: place.named })
    }

    /// Opens what is needed to search for functions and entry points. `folder_of` returns the path of an output folder from its name in the store.
    ///
    /// # Errors
    /// [`CatalogueError`] if the store cannot be read.
    pub fn open_estate(folder: &Path, folder_of: &dyn Fn(&str) -> PathBuf) -> Result<Self, CatalogueError> {
        let (connection, file) = estate::read(folder, folder_of)?;
        Ok(Self { connection, file })
    }

    /// Returns the file's path.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns its folders of documents.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be read.
    pub fn folders(&self) -> Result<Vec<String>, CatalogueError> {
        self.look(|connection| {
            let mut statement = connection.prepare("SELECT DISTINCT docs FROM documents ORDER BY docs")?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// Returns its version: one hash of its contents.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be read.
    pub fn version(&self) -> Result<CatalogueVersion, CatalogueError> {
        self.look(read::version)
    }

    /// Returns the number of rows of a query.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be read.
    pub fn count(&self, query: &Query) -> Result<u64, CatalogueError> {
        self.look(|connection| read::count(connection, query))
    }

    /// Returns the rows of a query from a position on, at most `limit`. They are counted unless `known` has their number in this version.
    ///
    /// # Errors
    /// [`CatalogueError`] if it cannot be read.
    pub fn page(
        &self,
        query: &Query,
        start: &PageStart,
        limit: u64,
        known: Option<(CatalogueVersion, u64)>,
    ) -> Result<ResultPage, CatalogueError> {
        self.look(|connection| read::page(connection, query, start, limit, known))
    }

    /// Passes on all rows of a query except the first ones, from one moment, and returns the total number of rows.
    ///
    /// # Errors
    /// Those of `take`, and [`CatalogueError`] if it cannot be read.
    pub fn for_each_row<E: From<CatalogueError>>(
        &self,
        query: &Query,
        offset: u64,
        take: &mut dyn FnMut(FoundRow) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.look(|connection| read::each(connection, query, offset, take))?
    }

    /// Reads all data from one moment.
    fn look<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, CatalogueError> {
        let looked = || {
            let moment = self.connection.unchecked_transaction()?;
            let read = read(&moment)?;
            moment.commit()?;
            Ok(read)
        };
        looked().map_err(|fault: StoreFault| CatalogueErrorKind::from(fault).in_file(&self.file))
    }
}

fn placed(folder: &Path) -> Result<StorePath, CatalogueError> {
    let failed = |kind| CatalogueErrorKind::from(kind).in_file(&folder.join(CATALOGUE_FILE));
    StorePath::named(folder, CATALOGUE_FILE).map_err(failed)
}

/// Opens a connection to an existing catalogue of this version.
fn writing(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.check_file()?;
    // Check it before opening it for writing, so that a file of something else is not touched.
    drop(reading(place)?);
    let connection = place.connect(ConnectionMode::Write)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", LONGEST_LOG)?;
    set_up(&connection)?;
    Ok(connection)
}

fn reading(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    opened_to_read(place).map_err(|kind| match kind {
        CatalogueErrorKind::Storage(problem) => CatalogueErrorKind::Unreadable(problem),
        kind => kind,
    })
}

fn opened_to_read(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.check_file()?;
    let opened = |access: ConnectionMode| -> Result<Connection, CatalogueErrorKind> {
        let connection = place.connect(access)?;
        check(&connection)?;
        set_up(&connection)?;
        Ok(connection)
    };
    match opened(ConnectionMode::Read) {
        // Readers and writers coordinate through files that cannot be created in a read-only folder. Without a log, there is nothing to coordinate.
        Err(CatalogueErrorKind::Storage(_)) if !place.has_wal() => opened(ConnectionMode::Immutable),
        opened => opened,
    }
}

/// Checks that a file is a catalogue of this version.
fn check(connection: &Connection) -> Result<(), CatalogueErrorKind> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let application = match number("application_id") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(CatalogueErrorKind::Foreign);
        }
        read => read?,
    };
    if application != schema::APPLICATION {
        let tables = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], tables);
        return Err(match (application, tables?) {
            // The process that created it was killed, or had no room, before there was anything in it.
            (0, 0) => CatalogueErrorKind::Damaged("nothing is in it".to_owned()),
            _ => CatalogueErrorKind::Foreign,
        });
    }
    match number("user_version")? {
        version if version == *schema::VERSION => Ok(()),
        _ => Err(CatalogueErrorKind::OtherVersion),
    }
}

fn set_up(connection: &Connection) -> Result<(), CatalogueErrorKind> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection.pragma_update(None, "cache_size", -CACHE)?)
}

/// Whether all pages are consistent.
fn is_sound(connection: &Connection) -> bool {
    let told = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    told.is_ok_and(|told| told == "ok")
}

/// Creates an empty catalogue, in place of one that is unusable.
fn made_anew(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.remove().map_err(|error| CatalogueErrorKind::Storage(error.to_string()))?;
    let made = || -> Result<(), StoreFault> {
        let mut connection = place.connect(ConnectionMode::Create)?;
        connection.pragma_update(None, "synchronous", "normal")?;
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created it in the meantime.
        if check(&change).is_err() {
            schema::make(&change)?;
        }
        change.commit()?;
        Ok(())
    };
    made()?;
    writing(place)
}
