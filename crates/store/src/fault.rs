//! What can go wrong with a store that is open.

use rusqlite::ErrorCode;
use rusqlite::ffi;
use std::path::Path;
use war_rig_llm::{CallLogError, CallLogErrorKind};
use war_rig_pool::StoreError;

/// Why something could not be read or written. The file is named where the fault leaves the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFault {
    /// What follows from it.
    pub kind: StoreFaultKind,
    /// What is said of it.
    pub message: String,
}

/// The kinds of faults, by what follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFaultKind {
    /// What is on the disk is not what was put there.
    Damaged,
    /// It cannot be read or written just now: full, read-only, or failing.
    Storage,
    /// What was written may not be on the disk although the system took it: nothing that is written later can be relied upon.
    SyncLost,
    /// What was asked for cannot be.
    Refused,
}

impl StoreFault {
    /// What is on the disk is not what was put there.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self { kind: StoreFaultKind::Damaged, message: message.into() }
    }

    /// What was asked for cannot be.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { kind: StoreFaultKind::Refused, message: message.into() }
    }

    /// The thread that writes is gone, which only a defect of ours can bring about.
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

    /// The same of this file, as the pool is told it.
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
            // Our statements never change, so one that cannot be made finds other tables than ours.
            ErrorCode::Unknown if failure.extended_code == ffi::SQLITE_ERROR => StoreFaultKind::Damaged,
            ErrorCode::SystemIoFailure => match failure.extended_code {
                ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => StoreFaultKind::SyncLost,
                // The file is shorter than it says.
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
            // Whatever else it is, nothing was kept. What cannot be asked for is refused by us, before SQLite sees it.
            _ => StoreFaultKind::Storage,
        },
        Error::SqlInputError { .. } => StoreFaultKind::Damaged,
        // The tables are strict, so that a value of another type or form was not put there by us.
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => StoreFaultKind::Damaged,
        _ => StoreFaultKind::Storage,
    }
}
