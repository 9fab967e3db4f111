//! Why a store cannot be opened, and what to do about it.

use std::path::PathBuf;

/// The error for a store that cannot be opened. Its file is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {kind}", file.display())]
pub struct OpenError {
    /// The file.
    pub file: PathBuf,
    /// The reason.
    pub kind: OpenErrorKind,
}

/// The reasons why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenErrorKind {
    /// There is no store.
    #[error("there is no store")]
    Missing,
    /// The file belongs to something else.
    #[error("this is no store of War Rig")]
    Foreign,
    /// A newer War Rig wrote it.
    #[error("the store has version {found}, and this War Rig knows versions up to {known}")]
    Newer {
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// An older War Rig wrote it, and here it can only be read.
    #[error("the store has version {found}, and this War Rig reads version {known}")]
    Older {
        /// Its version.
        found: i64,
        /// The required version.
        known: i64,
    },
    /// The data is not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Another process writes to it.
    #[error("locked by {holder}")]
    Locked {
        /// The process, with its command, as text.
        holder: String,
    },
    /// It cannot be read or written.
    #[error("the store cannot be used: {0}")]
    Storage(String),
}

impl OpenError {
    /// Returns what to do about it, in one line.
    pub fn advice(&self) -> String {
        // A file without a folder before it, or something in the folder's place, is named itself.
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(&self.file).display();
        match &self.kind {
            OpenErrorKind::Missing => {
                "`war-rig document` makes it; name its folder with --state-dir DIR where it lies elsewhere".to_owned()
            }
            OpenErrorKind::Foreign => {
                "the file is left as it is; name another folder with --state-dir DIR, or move the file away".to_owned()
            }
            OpenErrorKind::Newer { .. } => {
                "the store is left as it is; take the newer War Rig that wrote it, or another folder with --state-dir DIR"
                    .to_owned()
            }
            OpenErrorKind::Older { .. } => {
                "the next `war-rig document` brings the store up to date, and keeps all that it holds".to_owned()
            }
            OpenErrorKind::Damaged(_) => format!(
                "the store is left as it is, and the documents are safe; put a copy of `{folder}` back, or move it away: a new one \
                 makes all documents anew and asks for every answer again"
            ),
            OpenErrorKind::Locked { .. } => {
                "wait until that process has ended, or end it; `war-rig status` shows how far it has come".to_owned()
            }
            OpenErrorKind::Storage(_) => format!(
                "what the store holds is safe; see that there is room and that `{folder}` may be written, then run the command again"
            ),
        }
    }
}
