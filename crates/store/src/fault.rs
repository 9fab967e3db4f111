//! What can go wrong with an open store.

use rusqlite::ErrorCode;
use rusqlite::ffi;
use std::path::Path;
use war_rig_llm::{CallLogError, CallLogErrorKind};
use war_rig_pool::StoreError;

/// Why something could not be read or written. The file name is added where the fault leaves the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFault {
    /// The consequence.
    pub kind: StoreFaultKind,
    /// The description.
    pub message: String,
}

/// The kinds of faults, by their consequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFaultKind {
    /// The data on the disk is not what was written.
    Damaged,
    /// It currently cannot be read or written: full, read-only, or failing.
    Storage,
    /// The system accepted the data, but it may not be on the disk: later writes are not reliable.
    SyncLost,
    /// The request cannot be fulfilled.
    Refused,
}

impl StoreFault {
    /// Creates a fault for data on the disk that is not what was written.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self { kind: StoreFaultKind::Damaged, message: message.into() }
    }

    /// Creates a fault for a request that cannot be fulfilled.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { kind: StoreFaultKind::Refused, message: message.into() }
    }

    /// Creates a fault for a writer thread that is gone, which only a defect in War Rig can cause.
    pub(crate) fn writer_gone() -> Self {
        let message = "nothing is written any more, because the writer has ended".to_owned();
        Self { kind: StoreFaultKind::Storage, message }
    }

    fn is_damaged(&self) -> bool {
        self.kind == StoreFaultKind::Damaged
    }

    fn in_words(self, file: &Path) -> String {
        format!("`{}`: {}", file.display(), self.message)
    }

    /// Converts the fault, for this file, into the pool's error.
    pub fn into_store_error(self, file: &Path) -> StoreError {
        StoreError { is_damaged: self.is_damaged(), message: self.in_words(file) }
    }

    pub(crate) fn of_journal(self, file: &Path) -> CallLogError {
        let kind = match self.kind {
            StoreFaultKind::Damaged => CallLogErrorKind::Damaged,
            StoreFaultKind::Storage | StoreFaultKind::SyncLost => CallLogErrorKind::Unwritable,
            StoreFaultKind::Refused => CallLogErrorKind::Refused,
        };
        CallLogError { kind, message: self.in_words(file) }
    }
}

impl From<rusqlite::Error> for StoreFault {
    fn from(error: rusqlite::Error) -> Self {
        let message = error.to_string();
        Self { kind: kind_of(&error), message }
    }
}

impl From<serde_json::Error> for StoreFault {
    fn from(error: serde_json::Error) -> Self {
        Self::damaged(format!("a value is no JSON of ours: {error}"))
    }
}

fn kind_of(error: &rusqlite::Error) -> StoreFaultKind {
    use rusqlite::Error;
    match error {
        Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreFaultKind::Damaged,
            // Our statements never change, so if one cannot be prepared, the tables are not ours.
            ErrorCode::Unknown if failure.extended_code == ffi::SQLITE_ERROR => StoreFaultKind::Damaged,
            ErrorCode::SystemIoFailure => match failure.extended_code {
                ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => StoreFaultKind::SyncLost,
                // The file is shorter than its header states.
                ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS => StoreFaultKind::Damaged,
                _ => StoreFaultKind::Storage,
            },
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::OutOfMemory
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed => StoreFaultKind::Storage,
            // In all other cases, nothing was stored. We refuse impossible requests before SQLite sees them.
            _ => StoreFaultKind::Storage,
        },
        Error::SqlInputError { .. } => StoreFaultKind::Damaged,
        // The tables are strict, so we did not write a value of another type or form.
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => StoreFaultKind::Damaged,
        _ => StoreFaultKind::Storage,
    }
}
