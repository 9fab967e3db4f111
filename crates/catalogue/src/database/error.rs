//! Why a catalogue cannot be used, and what to do about it.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use war_rig_pool::StoreError;
use war_rig_store::sqlite::{StoreFault, StoreFaultKind};
use war_rig_store::{OpenError, OpenErrorKind};

/// The error for a catalogue that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The catalogue itself.
    #[error("`{}`: {kind}", file.display())]
    Catalogue {
        /// Its file.
        file: PathBuf,
        /// The reason.
        kind: CatalogueErrorKind,
    },
    /// The store, which contains the tickets.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store failed while it was read.
    #[error(transparent)]
    Tickets(#[from] StoreError),
}

/// The reasons why a catalogue cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueErrorKind {
    /// There is no catalogue.
    #[error("there is no catalogue")]
    Missing,
    /// The file belongs to something else.
    #[error("this is no catalogue of War Rig")]
    Foreign,
    /// Another version of this program created it, with other fields.
    #[error("another version of War Rig has made the catalogue")]
    OtherVersion,
    /// The data is not what was written.
    #[error("the catalogue is damaged: {0}")]
    Damaged(String),
    /// Another process writes to it for longer than the timeout.
    #[error("another process writes to the catalogue")]
    Busy,
    /// It cannot be opened for reading, but may be intact.
    #[error("the catalogue cannot be read: {0}")]
    Unreadable(String),
    /// It cannot be read or written.
    #[error("the catalogue cannot be used: {0}")]
    Storage(String),
    /// There is no room left between two documents, or a document has more rows of a kind than can be numbered.
    #[error("the catalogue has no room: {0}")]
    NoRoom(String),
}

impl CatalogueErrorKind {
    /// Returns the error of the catalogue in this file.
    pub(super) fn in_file(self, file: &Path) -> CatalogueError {
        CatalogueError::Catalogue { file: file.to_owned(), kind: self }
    }

    /// Returns what to do about it, in one line.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Missing => {
                "`war-rig document` makes it, without a call for what is recorded, and `war-rig index` does where the store `war_rig.db` is there; name its folder with --state-dir DIR where it lies elsewhere"
            }
            Self::Foreign => {
                "the file is left as it is; move it away, then run `war-rig index --rebuild`, or name another folder with --state-dir DIR"
            }
            Self::OtherVersion | Self::Damaged(_) | Self::NoRoom(_) => {
                "the documents are safe; `war-rig index --rebuild` makes the catalogue anew from them"
            }
            Self::Busy => {
                "run the command again once that process has ended; `war-rig index` brings the catalogue up to date"
            }
            Self::Unreadable(_) => {
                "the file is left as it is, and the documents are safe; see that the file, those beside it that begin with its name, and its folder may be read and that there is room, then run the command again"
            }
            Self::Storage(_) => {
                "the documents are safe; see that there is room and that the folder may be written, then run the command again"
            }
        }
    }
}

impl From<rusqlite::Error> for CatalogueErrorKind {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => StoreFault::from(error).into(),
        }
    }
}

impl From<OpenErrorKind> for CatalogueErrorKind {
    fn from(kind: OpenErrorKind) -> Self {
        match kind {
            OpenErrorKind::Missing => Self::Missing,
            OpenErrorKind::Foreign => Self::Foreign,
            OpenErrorKind::Newer { .. } | OpenErrorKind::Older { .. } => Self::OtherVersion,
            OpenErrorKind::Damaged(problem) => Self::Damaged(problem),
            OpenErrorKind::Locked { .. } => Self::Busy,
            OpenErrorKind::Storage(problem) => Self::Storage(problem),
        }
    }
}

impl From<StoreFault> for CatalogueErrorKind {
    fn from(fault: StoreFault) -> Self {
        match fault.kind {
            StoreFaultKind::Damaged => Self::Damaged(fault.message),
            StoreFaultKind::Storage | StoreFaultKind::SyncLost | StoreFaultKind::Refused => {
                Self::Storage(fault.message)
            }
        }
    }
}
