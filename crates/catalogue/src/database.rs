//! The catalogue: rows of what is documented, kept so that they are found in milliseconds.
//!
//! It stands in a file of its own beside the store, because all of it can be made again from the documents.
//!
//! # What always holds
//! - **A document's rows are all there, or none of them.** They are put in the place of those before them in one change; whoever reads sees one moment.
//! - **The order of rows is that of their numbers:** of folder and source by name, and then of the document. It does not move while others write,
//!   so that a page goes on after a row, and not after so many of them.
//! - **A document that is put between two others that leave no place moves some of its neighbours,** which lack their rows until they are put in again.
//! - **Two catalogues of the same documents have the same version**, in whatever order they were put in.
//! - **What was asked never becomes a statement.** Words and filters go into statements as parameters.
//!
//! # Who runs beside whom
//! Any number of processes read, and each sees the last change that was whole when it began. Those that write wait for each other, for ten seconds at the
//! most. One that makes all of it anew because it is told to does so in one change: it is long, and those that would write meanwhile are told that they cannot.
//! In the place of one that is damaged comes an empty one, which is filled piece by piece: whoever is stopped leaves what is done to the next.
//!
//! # What is accepted to be lost
//! - A power cut may take the last changes, never a part of one (`synchronous=NORMAL`). Whoever writes next holds the catalogue against the store, and puts in
//!   what it lacks.
//! - Rows have no checksums. A flipped bit that SQLite does not notice shows a wrong row until its document changes or the catalogue is made anew.

mod error;
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
use war_rig_store::sqlite::{self, ConnectionMode, StoreFault, StorePath};
use war_rig_store::{OpenErrorKind, durable};
use war_rig_text::ContentHash;

/// The name of the file.
pub const CATALOGUE_FILE: &str = "catalogue.db";

/// How much of the catalogue a connection keeps in memory, in KiB: one that reads, and one that writes, whose rows go to many places of the indexes.
const CACHE: i64 = 16 * 1024;
const WRITING_CACHE: i64 = 48 * 1024;

/// How many pages the log has when it is taken over, some 64 MB: pages that change with every commit are then copied once for many.
const LONGEST_LOG: i64 = 16 * 1024;

/// How many statements a connection keeps: some for each kind.
const STATEMENTS: usize = 128;

/// A catalogue that is written to. Several processes may do so at a time.
#[derive(Debug)]
pub struct Catalogue {
    connection: Mutex<Connection>,
    place: StorePath,
}

/// The rows of a document that is to be found.
#[derive(Debug, Clone)]
pub struct CatalogueEntry {
    /// The folder of documents, by the name that the store knows it by.
    pub docs: String,
    /// The source that it is the document of.
    pub file: String,
    /// The name of the JSON document below the folder; none for a ticket without one.
    pub document: Option<String>,
    /// The hash of the JSON document.
    pub hash: ContentHash,
    /// What is in it.
    pub rows: DocumentRows,
}

/// A document that the catalogue knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedDocument {
    /// The folder of documents.
    pub docs: String,
    /// The source that it is the document of.
    pub file: String,
    /// The hash of the JSON document that its rows are of; none where it has a place and no rows yet.
    pub hash: Option<ContentHash>,
}

impl Catalogue {
    /// Opens the catalogue of a state folder, and makes an empty one where there is none, where it is damaged, and where another version of this program
    /// has made it: what it held is found again in the documents.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is a file that is no catalogue, and when it cannot be written.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        let place = placed(folder)?;
        let opened =
            durable::make_folder(folder).map_err(sqlite::storage_error).map_err(of_open).and_then(|()| {
                match writing(&place) {
                    Err(
                        CatalogueErrorKind::Missing
                        | CatalogueErrorKind::OtherVersion
                        | CatalogueErrorKind::Damaged(_),
                    ) => made_anew(&place),
                    opened => opened,
                }
            });
        match opened {
            Ok(connection) => Ok(Self { connection: Mutex::new(connection), place }),
            Err(kind) => Err(CatalogueError::Catalogue { file: place.named, kind }),
        }
    }

    /// Gives the documents of these sources a place among the others, so that rows come in the order of the sources' names. The more are given at a time,
    /// the better. Where no place is left between two documents, some of their neighbours are moved: [`Catalogue::documents`] has them without a hash then, and
    /// they are to be put in again.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written; [`CatalogueErrorKind::NoRoom`] when it has as many documents as it can hold.
    pub fn reserve_positions(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        self.change(|connection| write::make_room(connection, docs, files))
    }

    /// Puts the rows of documents in the place of those that were there, all of them or none. A document that is there with the same hash stays.
    ///
    /// # Errors
    /// As [`Catalogue::reserve_positions`].
    pub fn put(&self, entries: &[CatalogueEntry]) -> Result<(), CatalogueError> {
        // In the order of their numbers: the tables of words write what they have gathered whenever a number falls.
        let mut entries: Vec<&CatalogueEntry> = entries.iter().collect();
        entries.sort_by(|one, other| (&one.docs, &one.file).cmp(&(&other.docs, &other.file)));
        self.change(|connection| entries.iter().try_for_each(|entry| write::put(connection, entry)))
    }

    /// Forgets the documents of these sources.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written.
    pub fn remove(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        self.change(|connection| {
            Ok(files.iter().try_for_each(|file| write::remove(connection, docs, file))?)
        })
    }

    /// The documents that it knows, in their order.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn documents(&self) -> Result<Vec<IndexedDocument>, CatalogueError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        write::documents(&connection).map_err(|fault| self.failed(fault.into()))
    }

    /// Puts an empty catalogue in the place of one that is damaged.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written.
    pub fn recreate(folder: &Path) -> Result<Self, CatalogueError> {
        let place = placed(folder)?;
        match made_anew(&place) {
            Ok(connection) => Ok(Self { connection: Mutex::new(connection), place }),
            Err(kind) => Err(CatalogueError::Catalogue { file: place.named, kind }),
        }
    }

    /// Makes all of it anew: whoever reads meanwhile sees what was there before. What `fill` puts, is there when it has ended well.
    ///
    /// # Errors
    /// Those of `fill`, and [`CatalogueError`] when it cannot be written; the catalogue is as it was then. One that was damaged is empty.
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
        // Dropped without this, the connection takes all of it back.
        catalogue.with(|connection| Ok(connection.execute_batch("COMMIT")?))?;
        Ok(())
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CatalogueFailure>,
    ) -> Result<T, CatalogueError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&connection).map_err(|error| self.failed(error.0))
    }

    /// Makes a change as a whole, or as a part of the one that is under way.
    fn change<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CatalogueErrorKind>,
    ) -> Result<T, CatalogueError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = match connection.is_autocommit() {
            false => work(&connection),
            true => connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(of_sqlite)
                .and_then(|change| {
                    let done = work(&change)?;
                    change.commit().map_err(of_sqlite)?;
                    Ok(done)
                }),
        };
        changed.map_err(|kind| self.failed(kind))
    }

    fn failed(&self, kind: CatalogueErrorKind) -> CatalogueError {
        CatalogueError::Catalogue { file: self.place.named.clone(), kind }
    }
}

/// A catalogue, and for the tickets the store, that is only looked at, also while others write to it.
#[derive(Debug)]
pub struct CatalogueReader {
    connection: Connection,
    /// The file, as it was named.
    file: PathBuf,
}

impl CatalogueReader {
    /// Opens what is needed to look for rows of a kind.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is none, when it is no catalogue, of another version or damaged, and when it cannot be read.
    pub fn open(folder: &Path, kind: RowKind) -> Result<Self, CatalogueError> {
        if kind == RowKind::Tickets {
            let (connection, file) = tickets::read(folder)?;
            return Ok(Self { connection, file });
        }
        let place = placed(folder)?;
        match reading(&place) {
            Ok(connection) => Ok(Self { connection, file: place.named }),
            Err(kind) => Err(CatalogueError::Catalogue { file: place.named, kind }),
        }
    }

    /// The file that is read.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The folders of documents that it knows.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn folders(&self) -> Result<Vec<String>, CatalogueError> {
        self.look(|connection| {
            let mut statement = connection.prepare("SELECT DISTINCT docs FROM documents ORDER BY docs")?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// What it holds, as one hash.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn version(&self) -> Result<CatalogueVersion, CatalogueError> {
        self.look(read::version)
    }

    /// How many rows a query has.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn count(&self, query: &Query) -> Result<u64, CatalogueError> {
        self.look(|connection| read::count(connection, query))
    }

    /// The rows of a query from a place on, `limit` at the most. They are counted, unless `known` says how many there were in this version.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn page(
        &self,
        query: &Query,
        start: &PageStart,
        limit: u64,
        known: Option<(CatalogueVersion, u64)>,
    ) -> Result<ResultPage, CatalogueError> {
        self.look(|connection| read::page(connection, query, start, limit, known))
    }

    /// Hands over all rows of a query but the first ones, as they were at one moment, and says how many rows it has in all.
    ///
    /// # Errors
    /// Those of `take`, and [`CatalogueError`] when it cannot be read.
    pub fn for_each_row<E: From<CatalogueError>>(
        &self,
        query: &Query,
        offset: u64,
        take: &mut dyn FnMut(FoundRow) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.look(|connection| read::each(connection, query, offset, take))?
    }

    /// Reads all of it as it is at one moment.
    fn look<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, CatalogueError> {
        let looked = || {
            let moment = self.connection.unchecked_transaction()?;
            let read = read(&moment)?;
            moment.commit()?;
            Ok(read)
        };
        looked().map_err(|fault: StoreFault| CatalogueError::Catalogue {
            file: self.file.clone(),
            kind: fault.into(),
        })
    }
}

/// What went wrong, in the words of the catalogue.
struct CatalogueFailure(CatalogueErrorKind);

impl From<rusqlite::Error> for CatalogueFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self(of_sqlite(error))
    }
}

fn of_sqlite(error: rusqlite::Error) -> CatalogueErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => CatalogueErrorKind::Busy,
        _ => StoreFault::from(error).into(),
    }
}

fn of_open(kind: OpenErrorKind) -> CatalogueErrorKind {
    match kind {
        OpenErrorKind::Missing => CatalogueErrorKind::Missing,
        OpenErrorKind::Foreign => CatalogueErrorKind::Foreign,
        OpenErrorKind::Newer { .. } | OpenErrorKind::Older { .. } => CatalogueErrorKind::OtherVersion,
        OpenErrorKind::Damaged(problem) => CatalogueErrorKind::Damaged(problem),
        OpenErrorKind::Locked { .. } => CatalogueErrorKind::Busy,
        OpenErrorKind::Storage(problem) => CatalogueErrorKind::Storage(problem),
    }
}

fn placed(folder: &Path) -> Result<StorePath, CatalogueError> {
    let failed = |kind| CatalogueError::Catalogue { file: folder.join(CATALOGUE_FILE), kind: of_open(kind) };
    StorePath::named(folder, CATALOGUE_FILE).map_err(failed)
}

/// A connection to a catalogue that is there and is of this version.
fn writing(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.check_file().map_err(of_open)?;
    // It is looked at before it is opened to be written to, so that a file of something else is not touched.
    drop(reading(place)?);
    let connection = place.connect(ConnectionMode::Write)?;
    connection.pragma_update(None, "synchronous", "normal").map_err(of_sqlite)?;
    connection.pragma_update(None, "wal_autocheckpoint", LONGEST_LOG).map_err(of_sqlite)?;
    set_up(&connection, WRITING_CACHE)?;
    Ok(connection)
}

fn reading(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    opened_to_read(place).map_err(|kind| match kind {
        CatalogueErrorKind::Storage(problem) => CatalogueErrorKind::Unreadable(problem),
        kind => kind,
    })
}

fn opened_to_read(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.check_file().map_err(of_open)?;
    let opened = |access: ConnectionMode| -> Result<Connection, CatalogueErrorKind> {
        let connection = place.connect(access)?;
        check(&connection)?;
        set_up(&connection, CACHE)?;
        Ok(connection)
    };
    match opened(ConnectionMode::Read) {
        // What readers and writers agree by cannot be made in a folder that is read-only. Without a log there is nothing to agree on.
        Err(CatalogueErrorKind::Storage(_)) if !place.has_wal() => opened(ConnectionMode::Immutable),
        opened => opened,
    }
}

/// Holds a file against what a catalogue of this version looks like.
fn check(connection: &Connection) -> Result<(), CatalogueErrorKind> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let application = match number("application_id") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(CatalogueErrorKind::Foreign);
        }
        read => read.map_err(of_sqlite)?,
    };
    if application != schema::APPLICATION {
        let tables = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], tables);
        return Err(match (application, tables.map_err(of_sqlite)?) {
            // So it looks where whoever made it was killed, or had no room, before there was anything in it.
            (0, 0) => CatalogueErrorKind::Damaged("nothing is in it".to_owned()),
            _ => CatalogueErrorKind::Foreign,
        });
    }
    match number("user_version").map_err(of_sqlite)? {
        version if version == *schema::VERSION => Ok(()),
        _ => Err(CatalogueErrorKind::OtherVersion),
    }
}

fn set_up(connection: &Connection, cache: i64) -> Result<(), CatalogueErrorKind> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", -cache).map_err(of_sqlite)
}

/// Whether all pages hang together.
fn is_sound(connection: &Connection) -> bool {
    let told = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    told.is_ok_and(|told| told == "ok")
}

/// Makes an empty catalogue, in the place of one that is of no use.
fn made_anew(place: &StorePath) -> Result<Connection, CatalogueErrorKind> {
    place.remove().map_err(|error| CatalogueErrorKind::Storage(error.to_string()))?;
    let made = || -> Result<(), StoreFault> {
        let mut connection = place.connect(ConnectionMode::Create)?;
        connection.pragma_update(None, "synchronous", "normal")?;
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have made it meanwhile.
        if check(&change).is_err() {
            schema::make(&change)?;
        }
        change.commit()?;
        Ok(())
    };
    made()?;
    writing(place)
}
