//! A walk through the rows of a query, page by page, of which a file says how far it has come.
//!
//! Files stand in the folder `state` of a state folder, under names such as `20261122T101500Z-rules-3fa9c1d2.json`.

use crate::catalogue::{CatalogueVersion, RowPlace, Start};
use crate::time::Clock;
use std::path::{Path, PathBuf};
use war_rig_catalogue::{Kind, Query};

/// The folder of a state folder that holds the files.
pub const WALKS: &str = "state";

/// After how many seconds of disuse a file is removed.
pub const DISUSED: i64 = 24 * 60 * 60;

/// A walk whose file this process holds.
#[derive(Debug)]
pub struct Walk {}

/// How far a walk has come.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkPosition {
    /// How many rows were printed.
    pub offset: u64,
    /// Where it goes on.
    pub start: Start,
    /// What the catalogue held when the last page was printed, with how many rows there were; none before the first.
    pub known: Option<(CatalogueVersion, u64)>,
    /// Whether the last page said that there are more; none before the first.
    pub has_more: Option<bool>,
}

/// What a walk is begun for.
#[derive(Debug, Clone, Copy)]
pub enum WalkOf<'a> {
    /// For the first query that comes.
    Any,
    /// For the rows that a query counts, with whatever fields and order they are printed first.
    Counted(&'a Query, u64, CatalogueVersion),
    /// For this query.
    Query(&'a Query),
}

/// A page that was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// How many rows it had.
    pub rows: u64,
    /// Where the last of them stands; none without rows.
    pub last: Option<RowPlace>,
    /// Whether there are more.
    pub has_more: bool,
    /// How many rows there are in all.
    pub total: u64,
    /// What the catalogue held.
    pub version: CatalogueVersion,
}

/// Why a walk cannot be gone on with. Its file is as it was.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {kind}", file.display())]
pub struct WalkError {
    /// The file that it is about.
    pub file: PathBuf,
    /// What is the matter.
    pub kind: WalkErrorKind,
}

/// The kinds of walks that cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum WalkErrorKind {
    /// There is no such file.
    #[error("there is no such state file")]
    Missing,
    /// It stands elsewhere than in the folder of state files, or is no regular file.
    #[error("this is no state file of this state folder")]
    Elsewhere,
    /// It is a file of something else.
    #[error("this is no state file of War Rig")]
    Foreign,
    /// A newer War Rig has written it.
    #[error("the state file has version {found}, and this War Rig knows version {known}")]
    Newer {
        /// The version that it has.
        found: u64,
        /// The version that is known.
        known: u64,
    },
    /// It is not what was written.
    #[error("the state file is damaged: {0}")]
    Damaged(String),
    /// Another process uses it.
    #[error("another process uses the state file")]
    InUse,
    /// It belongs to another query.
    #[error("the state file belongs to another query: {0}")]
    OtherQuery(String),
    /// It cannot be read or written.
    #[error("the state file cannot be used: {0}")]
    Storage(String),
}

impl WalkError {
    /// What to do about it, in one line.
    pub fn advice(&self) -> String {
        todo!()
    }
}

impl Walk {
    /// Makes a file for a new walk, which is on the disk once this returns.
    ///
    /// # Errors
    /// [`WalkError`] when it cannot be written.
    pub fn begin(folder: &Path, of: WalkOf<'_>, clock: &Clock) -> Result<Self, WalkError> {
        let _ = (folder, of, clock);
        todo!()
    }

    /// Takes up a walk. Nobody else can until this is dropped.
    ///
    /// # Errors
    /// [`WalkError`] when the file is not one of this folder, or not as it was written, or in use.
    pub fn open(folder: &Path, file: &Path) -> Result<Self, WalkError> {
        let _ = (folder, file);
        todo!()
    }

    /// The file, as it is to be named on a command line.
    pub fn file(&self) -> &Path {
        todo!()
    }

    /// How far it has come, if it is one of this query.
    ///
    /// # Errors
    /// [`WalkErrorKind::OtherQuery`] when it is not.
    pub fn position(&self, query: &Query) -> Result<WalkPosition, WalkError> {
        let _ = query;
        todo!()
    }

    /// Notes that a page was printed. To be called when whoever reads has it.
    ///
    /// # Errors
    /// [`WalkError`] when it cannot be written; the file says what it said before.
    pub fn note(&mut self, query: &Query, printed: Printed, clock: &Clock) -> Result<(), WalkError> {
        let _ = (query, printed, clock);
        todo!()
    }

    /// Removes the file of a walk.
    ///
    /// # Errors
    /// [`WalkError`] when it is no state file of this folder, or in use; it is left as it is then.
    pub fn close(folder: &Path, file: &Path) -> Result<(), WalkError> {
        let _ = (folder, file);
        todo!()
    }

    /// Removes the files that nobody has used for [`DISUSED`] seconds, and says how many there were.
    pub fn sweep(folder: &Path, clock: &Clock) -> usize {
        let _ = (folder, clock);
        todo!()
    }
}

/// The kind that stands in the name of a state file.
#[expect(dead_code, reason = "the names of files are not made yet")]
fn named(kind: Option<Kind>) -> &'static str {
    kind.map_or("virgin", Kind::name)
}
