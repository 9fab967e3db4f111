//! Why a walk cannot continue, and what to do about it.

use std::io;
use std::path::PathBuf;

/// The error for a walk that cannot continue. Its file is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {kind}", file.display())]
pub struct CursorError {
    /// The file.
    pub file: PathBuf,
    /// The reason.
    pub kind: CursorErrorKind,
}

/// The reasons why a walk cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum CursorErrorKind {
    /// There is no such file.
    #[error("there is no such state file")]
    Missing,
    /// It is not in the folder of state files, does not have a state file's name, or is not a regular file.
    #[error("this is no state file of this state folder")]
    OutsideFolder,
    /// It belongs to something else.
    #[error("this is no state file of War Rig")]
    Foreign,
    /// A newer War Rig wrote it.
    #[error("the state file has version {found}, and this War Rig knows version {known}")]
    Newer {
        /// Its version.
        found: u64,
        /// The known version.
        known: u64,
    },
    /// It is not as it was written.
    #[error("the state file is damaged: {0}")]
    Damaged(String),
    /// Another process uses it.
    #[error("another process uses the state file")]
    InUse,
    /// It belongs to another query.
    #[error("the state file belongs to another query: {0}")]
    OtherQuery(String),
    /// It cannot be read.
    #[error("the state file cannot be used: {0}")]
    Storage(String),
    /// It cannot be created.
    #[error("the state file cannot be made: {0}")]
    NotCreated(String),
    /// It cannot be written after a page.
    #[error("the state file cannot be written: {0}")]
    NotRecorded(String),
    /// It cannot be removed.
    #[error("the state file cannot be removed: {0}")]
    NotRemoved(String),
}

impl CursorError {
    /// Returns what to do about it, in one line.
    pub fn advice(&self) -> String {
        let file = self.file.display();
        match &self.kind {
            CursorErrorKind::Missing => {
                "begin anew without --state; a state file goes when it is closed, and after 24 hours in which nobody used it".to_owned()
            }
            CursorErrorKind::OutsideFolder => {
                "the file is left as it is; name a state file as it was printed, and the folder that it belongs to with --state-dir DIR"
                    .to_owned()
            }
            CursorErrorKind::Foreign => {
                "the file is left as it is; name a state file as it was printed, or begin anew without --state".to_owned()
            }
            CursorErrorKind::Newer { .. } => {
                "the file is left as it is; go on with the newer War Rig that wrote it, or begin anew without --state".to_owned()
            }
            CursorErrorKind::Damaged(_) => format!(
                "the file is left as it is; begin anew without --state, and remove it with `war-rig search --close={file}`"
            ),
            CursorErrorKind::InUse => {
                "wait until that process has ended, or begin a walk of its own with `war-rig search --init`".to_owned()
            }
            CursorErrorKind::OtherQuery(_) => {
                "repeat KIND, TEXT, --filter, --fields, --sort and --docs as they were (--limit and -o may change), or begin anew \
                 without --state"
                    .to_owned()
            }
            CursorErrorKind::Storage(_) => {
                "the file is left as it is; see that it and its folder may be read and written, then run the command again".to_owned()
            }
            CursorErrorKind::NotCreated(_) => {
                "no walk was begun; see that there is room and that the folder may be written, then run the command again, or print all rows \
                 with --all, which needs no state file"
                    .to_owned()
            }
            CursorErrorKind::NotRemoved(_) => {
                "see that its folder may be written, then run the command again; a state file goes by itself after 24 hours in which nobody used it"
                    .to_owned()
            }
            CursorErrorKind::NotRecorded(_) => {
                "the file says what it said before, so a page that was printed now comes again; see that there is room and that its folder may be \
                 written, then run the command again"
                    .to_owned()
            }
        }
    }
}

pub(super) fn storage(error: io::Error) -> CursorErrorKind {
    CursorErrorKind::Storage(error.to_string())
}
