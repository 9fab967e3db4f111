//! Where a store is located, how it is checked before it is trusted, and how a new one is created.
//!
//! A new store is created in another file, with all its tables, and gets its name when it is on the disk. So we never create an empty or truncated
//! file with that name: like all other damage, it is refused and never recreated.

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

/// The name of a store during its creation.
const UNFINISHED: &str = ".war_rig.db.new";

/// The number of bytes in an SQLite file's header.
const HEAD: u64 = 100;

/// The largest store that is checked as a whole when it is opened. A larger one would take too long; its rows still have seals.
const CHECKED: u64 = 128 * 1024 * 1024;

/// How long a statement waits for another process, such as one that reads during a checkpoint.
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest size of the log that is kept after a complete checkpoint.
const LONGEST_LOG: i64 = 16 * 1024 * 1024;

/// The paths of a store.
#[derive(Debug, Clone)]
pub struct StorePath {
    /// The folder as given, for messages.
    pub folder: PathBuf,
    /// The file as given, for messages.
    pub named: PathBuf,
    /// The absolute path of the file: what SQLite opens must not depend on the current folder, nor look like a URI.
    file: PathBuf,
}

/// How to open a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionMode {
    /// For writing.
    Write,
    /// For writing, when the file may not exist yet.
    Create,
    /// For reading, while another process writes.
    Read,
    /// For reading, when nobody writes: creates neither locks nor files.
    Immutable,
}

impl StorePath {
    pub(crate) fn of(folder: &Path) -> Result<Self, OpenErrorKind> {
        Self::named(folder, STORE_FILE)
    }

    /// Returns the paths of a file with this name.
    ///
    /// # Errors
    /// [`OpenErrorKind::Storage`] if the folder has no absolute path.
    pub fn named(folder: &Path, name: &str) -> Result<Self, OpenErrorKind> {
        let from_root = std::path::absolute(folder).map_err(storage_error)?;
        Ok(Self { folder: folder.to_owned(), named: folder.join(name), file: from_root.join(name) })
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(lock::NAME)
    }

    /// Returns the path of the file next to the store with this suffix.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    /// Whether there is a log that may contain data not yet in the store.
    pub fn has_wal(&self) -> bool {
        self.beside("-wal").metadata().is_ok_and(|log| log.len() > 0)
    }

    /// Whether there is an interrupted change that SQLite would roll back on the next access. We never change a store in its final place in
    /// that way.
    fn has_journal(&self) -> bool {
        self.beside("-journal").metadata().is_ok_and(|journal| journal.len() > 0)
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// A [`StoreFault`] if it cannot be opened.
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
        // Do not run anything from the schema, and check each page before use.
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

    /// Returns the fault with the system's error if the system does not open the file: SQLite only reports that it cannot.
    fn in_words_of_system(&self, fault: StoreFault) -> StoreFault {
        match File::open(&self.file) {
            // It stays open: closing it would free the locks that SQLite has on it for this process.
            Ok(file) => {
                std::mem::forget(file);
                fault
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => fault,
            Err(error) => StoreFault { message: error.to_string(), ..fault },
        }
    }

    /// Returns the file as a URI that declares it immutable.
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

    /// Checks whether the file can be a store. SQLite would take an empty file for a new store, and a folder for a missing one.
    ///
    /// This does not open the file: closing it would free the locks that SQLite has on it for this process.
    ///
    /// # Errors
    /// An [`OpenErrorKind`] if there is no file, or one that cannot be a store.
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

    /// Removes the file and everything next to it. Only for data that can be recreated.
    ///
    /// # Errors
    /// If the system does not remove one.
    pub fn remove(&self) -> io::Result<()> {
        for ending in ["", "-journal", "-wal", "-shm"] {
            match std::fs::remove_file(self.beside(ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks a store with SQLite, still without changing it. The caller must have the lock.
    pub(crate) fn inspect(&self, migrations: &[&str]) -> Result<(), OpenErrorKind> {
        let access = if self.has_wal() { ConnectionMode::Read } else { ConnectionMode::Immutable };
        let connection = self.connect(access).map_err(schema::told)?;
        schema::check(&connection, migrations)?;
        if self.file.metadata().is_ok_and(|file| file.len() <= CHECKED) {
            check_whole(&connection)?;
        }
        Ok(())
    }

    /// Creates a new store in its place. The caller must have the lock.
    pub(crate) fn make(&self, migrations: &[&str]) -> Result<(), OpenErrorKind> {
        let unfinished = self.file.with_file_name(UNFINISHED);
        Self { file: unfinished.clone(), ..self.clone() }.remove().map_err(storage_error)?;
        let made = || -> Result<(), StoreFault> {
            let mut connection = Connection::open(&unfinished)?;
            connection.pragma_update(None, "synchronous", "full")?;
            schema::migrate(&mut connection, migrations)?;
            // The header states how a store is written to, so this comes before the rename: the store is never changed in another way.
            keep_log(&connection)?;
            connection.close().map_err(|(_, error)| error.into())
        };
        made().map_err(schema::told)?;
        File::open(&unfinished).and_then(|file| file.sync_all()).map_err(storage_error)?;
        std::fs::rename(&unfinished, &self.file).map_err(storage_error)?;
        sync_folder(self.file.parent().unwrap_or(Path::new("/"))).map_err(storage_error)
    }
}

/// Writes changes to a log next to the store, so that other processes can read in the meantime.
fn keep_log(connection: &Connection) -> Result<(), StoreFault> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    match mode.as_str() {
        "wal" => Ok(()),
        _ => Err(StoreFault::refused(
            "the file system has no memory that processes can share, as a folder on this machine has",
        )),
    }
}

/// Checks a whole store, as every writer does first.
pub(crate) fn check_whole(connection: &Connection) -> Result<(), OpenErrorKind> {
    let first = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
    match first.map_err(|error| schema::told(error.into()))?.as_str() {
        "ok" => Ok(()),
        problem => Err(OpenErrorKind::Damaged(problem.replace('\n', " "))),
    }
}

/// Converts the system's error into the reason why a store cannot be used.
pub fn storage_error(error: io::Error) -> OpenErrorKind {
    OpenErrorKind::Storage(error.to_string())
}
