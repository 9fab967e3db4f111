//! Why a store cannot be opened, with what to do about it.

use std::path::PathBuf;

/// A store that cannot be opened. Its file is as it was.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {kind}", file.display())]
pub struct OpenError {
    /// The file that it is about.
    pub file: PathBuf,
    /// What is the matter with it.
    pub kind: OpenErrorKind,
}

/// The kinds of stores that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenErrorKind {
    /// There is none.
    #[error("there is no store")]
    Missing,
    /// It is a file of something else.
    #[error("this is no store of War Rig")]
    Foreign,
    /// A newer War Rig has written it.
    #[error("the store has version {found}, and this War Rig knows versions up to {known}")]
    Newer {
        /// The version that it has.
        found: i64,
        /// The newest version that is known.
        known: i64,
    },
    /// An older War Rig has written it, and it can only be read here.
    #[error("the store has version {found}, and this War Rig reads version {known}")]
    Older {
        /// The version that it has.
        found: i64,
        /// The version that is needed.
        known: i64,
    },
    /// It is not what was put there.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Another process writes to it.
    #[error("locked by {holder}")]
    Locked {
        /// The process in words, with its command.
        holder: String,
    },
    /// It cannot be read or written.
    #[error("the store cannot be used: {0}")]
    Storage(String),
}

impl OpenError {
    /// What to do about it, in one line.
    pub fn advice(&self) -> String {
        // A file without a folder before it, or something that lies in the folder's place, is named itself.
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
