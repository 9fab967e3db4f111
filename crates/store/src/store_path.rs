//! Where a store lies, how it is looked at before it is trusted, and how a new one comes to be.
//!
//! A new store is made in another file, with all its tables, and gets its name when it is on the disk. So a file of that name that is empty or
//! cut off was never made by us: it is refused like every other damage, and never made anew.

use crate::durable::sync_folder;
use crate::fault::StoreFault;
use crate::lock;
use crate::open_error::OpenErrorKind;
use crate::schema;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file.
pub const STORE_FILE: &str = "war_rig.db";

/// The name that a store has while it is made.
const UNFINISHED: &str = ".war_rig.db.new";

/// How many bytes the head of SQLite's files has.
const HEAD: u64 = 100;

/// The largest store that is checked as a whole when it is opened. A larger one would keep its user waiting; its rows have seals all the same.
const CHECKED: u64 = 128 * 1024 * 1024;

/// How long a statement waits for another process, such as one that reads while the log is taken over.
const PATIENCE: Duration = Duration::from_secs(10);

/// How far the log may grow before it is cut, once all of it was taken over.
const LONGEST_LOG: i64 = 16 * 1024 * 1024;

/// The paths of a store.
#[derive(Debug, Clone)]
pub struct StorePath {
    /// The folder as it was named, for words.
    pub folder: PathBuf,
    /// The file as it was named, for words.
    pub named: PathBuf,
    /// The file, from the root: what SQLite opens must not change with the current folder, nor look like an address.
    file: PathBuf,
}

/// How a connection is to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionMode {
    /// To write.
    Write,
    /// To write, where there may be no file yet.
    Create,
    /// To read, beside somebody who writes.
    Read,
    /// To read, where nobody writes: neither locks nor files are made.
    Immutable,
}

impl StorePath {
    pub(crate) fn of(folder: &Path) -> Result<Self, OpenErrorKind> {
        Self::named(folder, STORE_FILE)
    }

    /// The paths of a file of this name.
    ///
    /// # Errors
    /// [`OpenErrorKind::Storage`] when the folder has no path from the root.
    pub fn named(folder: &Path, name: &str) -> Result<Self, OpenErrorKind> {
        let from_root = std::path::absolute(folder).map_err(storage_error)?;
        Ok(Self { folder: folder.to_owned(), named: folder.join(name), file: from_root.join(name) })
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(lock::NAME)
    }

    /// The file beside the store with this at the end of its name.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    /// Whether there is a log that may hold what the store does not hold yet.
    pub fn has_wal(&self) -> bool {
        self.beside("-wal").metadata().is_ok_and(|log| log.len() > 0)
    }

    /// Whether a change was broken off that SQLite would take back as soon as it is asked anything. A store in its place is never changed in
    /// that way by us.
    fn has_journal(&self) -> bool {
        self.beside("-journal").metadata().is_ok_and(|journal| journal.len() > 0)
    }

    /// A connection.
    ///
    /// # Errors
    /// A [`StoreFault`] when it cannot be had.
    pub fn connect(&self, access: ConnectionMode) -> Result<Connection, StoreFault> {
        let (path, flags) = match access {
            ConnectionMode::Write => (self.file.clone(), OpenFlags::SQLITE_OPEN_READ_WRITE),
            ConnectionMode::Create => {
                (self.file.clone(), OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
            }
            ConnectionMode::Read => (self.file.clone(), OpenFlags::SQLITE_OPEN_READ_ONLY),
            ConnectionMode::Immutable => {
                (self.address().into(), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
            }
        };
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|error| self.in_words_of_system(error.into()))?;
        connection.busy_timeout(PATIENCE)?;
        // Nothing that a store says is run, and a page is looked at before it is believed.
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        if matches!(access, ConnectionMode::Write | ConnectionMode::Create) {
            keep_log(&connection)?;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.query_row(&format!("PRAGMA journal_size_limit = {LONGEST_LOG}"), [], |_| Ok(()))?;
        }
        Ok(connection)
    }

    /// The same fault in the words of the system where it is the system that does not open the file: SQLite says no more than that it cannot.
    fn in_words_of_system(&self, fault: StoreFault) -> StoreFault {
        match File::open(&self.file) {
            // It stays open: to close it would free the locks that SQLite holds on it for this process.
            Ok(file) => {
                std::mem::forget(file);
                fault
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => fault,
            Err(error) => StoreFault { message: error.to_string(), ..fault },
        }
    }

    /// The file as an address that says that nobody changes it.
    fn address(&self) -> String {
        let mut address = String::from("file:");
        for byte in self.file.as_os_str().as_encoded_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    address.push(char::from(*byte));
                }
                _ => address.push_str(&format!("%{byte:02X}")),
            }
        }
        address + "?immutable=1"
    }

    /// Looks whether there is a file that can be a store. SQLite would take an empty one for a new store, and one of a folder's name for none.
    ///
    /// The file is not opened for that: to close it would free the locks that SQLite holds on it for this process.
    ///
    /// # Errors
    /// An [`OpenErrorKind`] when there is none, or none that can be a store.
    pub fn check_file(&self) -> Result<(), OpenErrorKind> {
        let file = match self.file.metadata() {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(),
            Err(error) => return Err(storage_error(error)),
        };
        if !file.is_file() {
            return Err(OpenErrorKind::Foreign);
        }
        if file.len() < HEAD {
            let bytes = file.len();
            return Err(OpenErrorKind::Damaged(format!("it has {bytes} bytes, and a head has {HEAD}")));
        }
        if self.has_journal() {
            let problem = "another program has changed it, and was broken off";
            return Err(OpenErrorKind::Damaged(problem.to_owned()));
        }
        Ok(())
    }

    fn missing(&self) -> Result<(), OpenErrorKind> {
        if self.beside("-wal").exists() || self.beside("-journal").exists() {
            return Err(OpenErrorKind::Damaged("its log is there, and the store itself is gone".to_owned()));
        }
        Err(OpenErrorKind::Missing)
    }

    /// Removes the file with all that stands beside it. Only for what can be made again.
    ///
    /// # Errors
    /// When the system does not remove one.
    pub fn remove(&self) -> io::Result<()> {
        for ending in ["", "-journal", "-wal", "-shm"] {
            match std::fs::remove_file(self.beside(ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Looks at a store with SQLite, still without a change to it. Only for who holds the lock.
    pub(crate) fn inspect(&self, migrations: &[&str]) -> Result<(), OpenErrorKind> {
        let access = if self.has_wal() { ConnectionMode::Read } else { ConnectionMode::Immutable };
        let connection = self.connect(access).map_err(schema::told)?;
        schema::check(&connection, migrations)?;
        if self.file.metadata().is_ok_and(|file| file.len() <= CHECKED) {
            check_whole(&connection)?;
        }
        Ok(())
    }

    /// Makes a new store in its place. Only for who holds the lock.
    pub(crate) fn make(&self, migrations: &[&str]) -> Result<(), OpenErrorKind> {
        let unfinished = self.file.with_file_name(UNFINISHED);
        for ending in ["", "-journal", "-wal", "-shm"] {
            let mut name = unfinished.clone().into_os_string();
            name.push(ending);
            match std::fs::remove_file(&name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(storage_error(error)),
                _ => {}
            }
        }
        let made = || -> Result<(), StoreFault> {
            let mut connection = Connection::open(&unfinished)?;
            connection.pragma_update(None, "synchronous", "full")?;
            schema::migrate(&mut connection, migrations)?;
            // The head says how a store is written to, so this is done before it has its name: no change is ever made to it in another way.
            keep_log(&connection)?;
            connection.close().map_err(|(_, error)| error.into())
        };
        made().map_err(schema::told)?;
        File::open(&unfinished).and_then(|file| file.sync_all()).map_err(storage_error)?;
        std::fs::rename(&unfinished, &self.file).map_err(storage_error)?;
        sync_folder(self.file.parent().unwrap_or(Path::new("/"))).map_err(storage_error)
    }
}

/// Has changes written to a log beside the store, so that others can read meanwhile.
fn keep_log(connection: &Connection) -> Result<(), StoreFault> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    match mode.as_str() {
        "wal" => Ok(()),
        _ => Err(StoreFault::refused(
            "the file system has no memory that processes can share, as a folder on this machine has",
        )),
    }
}

/// Looks at all of a store, as whoever writes to it does first.
pub(crate) fn check_whole(connection: &Connection) -> Result<(), OpenErrorKind> {
    let first = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
    match first.map_err(|error| schema::told(error.into()))?.as_str() {
        "ok" => Ok(()),
        problem => Err(OpenErrorKind::Damaged(problem.replace('\n', " "))),
    }
}

/// The system's error as a store that cannot be used.
pub fn storage_error(error: io::Error) -> OpenErrorKind {
    OpenErrorKind::Storage(error.to_string())
}
