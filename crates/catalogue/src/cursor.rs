//! A walk through the rows of a query, page by page, whose progress is in a file.
//!
//! The files are in the subfolder `state` of a state folder, with names such as `20261122T101500Z-rules-3fa9c1d2e4b7.json`.
//!
//! # What always holds
//! - **One process at a time continues a walk.** The file is locked from its opening until its walk is dropped. A replacement file is locked before
//!   it gets its name, so that there is no gap in between. The system frees the lock when its process
//!   ends for any reason.
//! - **A page is recorded completely or not at all.** The new file is on the disk before [`SearchCursor::record_page`] returns. The page was printed
//!   before: if the process is killed in between, the page is printed again, because nobody has seen its end, and none is skipped.
//! - **Only unmodified files are accepted.** A file with a single changed byte is refused, and stays as it is.
//! - **Nothing else is touched.** Files without a state file's name or in another folder, links, folders and pipes are neither opened nor removed.
//!
//! # Who removes files
//! A caller that closes a walk removes its file. A cleanup removes files unused for a day and leftovers of dead processes. Both have the lock while
//! they remove a file, and an opener checks that the file still exists after it gets the lock. Unreadable files remain: their user decides about
//! them.

mod error;
mod files;
mod state;
#[cfg(test)]
mod tests;

pub use error::{CursorError, CursorErrorKind};

use crate::Query;
use crate::database::{CatalogueVersion, PageStart, RowPosition};
use error::storage;
use state::{CursorState, KindName, LONGEST};
use std::fs::File;
use std::path::{Path, PathBuf};
use war_rig_store::Clock;
use war_rig_store::durable::{self, StagedFile, is_file_at, parent_folder, sync_folder};
use war_rig_store::time::Timestamp;

/// The subfolder of a state folder that contains the files.
pub const CURSOR_FOLDER: &str = "state";

/// The number of seconds after which an unused file is removed.
pub const MAX_IDLE_SECONDS: i64 = 24 * 60 * 60;

/// A walk whose file this process has locked.
#[derive(Debug)]
pub struct SearchCursor {
    /// The file as given.
    file: PathBuf,
    /// The file, without links in its path.
    place: PathBuf,
    state: CursorState,
    /// The open file, with its lock.
    held: File,
}

/// The progress of a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct CursorPosition {
    /// The number of printed rows.
    pub offset: u64,
    /// Where it continues.
    pub start: PageStart,
    /// The catalogue's version when rows were last printed or counted, with their number; `None` before that.
    pub known: Option<(CatalogueVersion, u64)>,
    /// Whether the last page reported more rows; `None` before the first page.
    pub has_more: Option<bool>,
}

/// The scope of a new walk.
#[derive(Debug, Clone, Copy)]
pub enum CursorScope<'a> {
    /// The first query that is used with it.
    Any,
    /// The rows that were counted for a query, with any fields and order.
    Counted(&'a Query, u64, CatalogueVersion),
    /// This query.
    Query(&'a Query),
}

/// A page that was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedPage {
    /// The number of its rows.
    pub rows: u64,
    /// The position of the last one; `None` without rows.
    pub last: Option<RowPosition>,
    /// Whether there are more rows.
    pub has_more: bool,
    /// The total number of rows.
    pub total: u64,
    /// The version of the catalogue.
    pub version: CatalogueVersion,
}

impl SearchCursor {
    /// Creates a file for a new walk; on return, it is on the disk.
    ///
    /// # Errors
    /// [`CursorError`] if it cannot be written.
    pub fn create(folder: &Path, of: CursorScope<'_>, clock: &Clock) -> Result<Self, CursorError> {
        let now = Timestamp::at(clock());
        let mut state = CursorState::begun(now);
        if let CursorScope::Counted(query, ..) | CursorScope::Query(query) = of {
            state.source = Some(KindName(query.kind));
            state.rows_hash = Some(query.rows_hash());
        }
        match of {
            CursorScope::Any => {}
            CursorScope::Counted(_, total, version) => {
                (state.total, state.catalogue) = (Some(total), Some(version));
            }
            CursorScope::Query(query) => state.query_hash = Some(query.hash()),
        }
        let walks = folder.join(CURSOR_FOLDER);
        let file = files::unused(&walks, state.source.map(|KindName(kind)| kind), now);
        let made = || {
            durable::make_folder(&walks).map_err(storage)?;
            let place = walks.canonicalize().map_err(storage)?.join(file.file_name().unwrap_or_default());
            let mut staged = staged(&place, &state)?;
            staged.publish().map_err(storage)?;
            if let Err(error) = sync_folder(parent_folder(&place)) {
                // A walk whose file name was never reported is useless.
                let _ = std::fs::remove_file(&place);
                return Err(storage(error));
            }
            Ok((place, staged.into_file()))
        };
        match made() {
            Ok((place, held)) => Ok(Self { file, place, state, held }),
            Err(CursorErrorKind::Storage(problem)) => {
                Err(CursorError { file, kind: CursorErrorKind::NotCreated(problem) })
            }
            Err(kind) => Err(CursorError { file, kind }),
        }
    }

    /// Opens a walk. No other process can open it until this is dropped.
    ///
    /// # Errors
    /// [`CursorError`] if the file is not in this folder, was modified, or is in use.
    pub fn open(folder: &Path, file: &Path) -> Result<Self, CursorError> {
        let opened = || {
            let place = files::located(&folder.join(CURSOR_FOLDER), file)?;
            let held = files::hold(&place)?;
            let state = CursorState::read(&files::read(&held)?)?;
            Ok(Self { file: file.to_owned(), place, state, held })
        };
        opened().map_err(|kind| CursorError { file: file.to_owned(), kind })
    }

    /// Returns the file's name for a command line.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the progress, if the walk belongs to this query.
    ///
    /// # Errors
    /// [`CursorErrorKind::OtherQuery`] if it does not.
    pub fn position(&self, query: &Query) -> Result<CursorPosition, CursorError> {
        self.check(query)?;
        let CursorState { offset, total, has_more, catalogue, after, .. } = &self.state;
        let start = after.clone().map_or(PageStart::Offset(*offset), PageStart::After);
        Ok(CursorPosition { offset: *offset, start, known: catalogue.zip(*total), has_more: *has_more })
    }

    /// Records that a page was printed. Call it when the reader has the page.
    ///
    /// # Errors
    /// [`CursorError`] if it cannot be written; the file remains unchanged.
    pub fn record_page(&mut self, query: &Query, printed: PrintedPage, clock: &Clock) -> Result<(), CursorError> {
        self.check(query)?;
        let mut state = self.state.clone();
        state.last_used_at = Timestamp::at(clock());
        state.source = Some(KindName(query.kind));
        state.offset = state.offset.saturating_add(printed.rows);
        state.total = Some(printed.total);
        state.has_more = Some(printed.has_more);
        state.query_hash = Some(query.hash());
        state.rows_hash = Some(query.rows_hash());
        state.catalogue = Some(printed.version);
        // A page without rows ends where the page before it did.
        state.after = printed.last.or(state.after);
        self.replace(state).map_err(|kind| match kind {
            CursorErrorKind::Storage(problem) => self.error(CursorErrorKind::NotRecorded(problem)),
            kind => self.error(kind),
        })
    }

    /// Removes the file of a walk, even if it is damaged.
    ///
    /// # Errors
    /// [`CursorError`] if it is not a state file of this folder, or is in use; then it remains.
    pub fn close(folder: &Path, file: &Path) -> Result<(), CursorError> {
        let closed = || {
            let place = files::located(&folder.join(CURSOR_FOLDER), file)?;
            let held = files::hold(&place)?;
            match CursorState::read(&files::read(&held)?) {
                Ok(_) | Err(CursorErrorKind::Damaged(_)) => {}
                Err(kind) => return Err(kind),
            }
            let removed = std::fs::remove_file(&place).and_then(|()| sync_folder(parent_folder(&place)));
            removed.map_err(|error| CursorErrorKind::NotRemoved(error.to_string()))
        };
        closed().map_err(|kind| CursorError { file: file.to_owned(), kind })
    }

    /// Removes the files that were unused for [`MAX_IDLE_SECONDS`] seconds, and leftovers of dead processes; returns the number of files. Unreadable
    /// files remain. A clock that was set back removes nothing. Files that are younger according to their names are not opened, so that many active
    /// walks do not slow down a page.
    pub fn remove_expired(folder: &Path, clock: &Clock) -> usize {
        let (walks, now) = (folder.join(CURSOR_FOLDER), Timestamp::at(clock()));
        durable::remove_leftovers(&walks);
        let Ok(entries) = std::fs::read_dir(&walks) else {
            return 0;
        };
        let named = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_str().is_some_and(|name| may_be_disused(name, now)))
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        named.filter(|entry| remove_disused(&entry.path(), now)).count()
    }

    /// Replaces the locked file.
    fn replace(&mut self, state: CursorState) -> Result<(), CursorErrorKind> {
        let mut next = staged(&self.place, &state)?;
        if !is_file_at(&self.held, &self.place) {
            let problem = "it was removed or replaced while it was in use";
            return Err(CursorErrorKind::Storage(problem.to_owned()));
        }
        next.publish().map_err(storage)?;
        if let Err(error) = sync_folder(parent_folder(&self.place)) {
            // If the caller gets an error, the old state must be in the file.
            match staged(&self.place, &self.state).and_then(|mut old| {
                old.publish().map_err(storage)?;
                Ok(old.into_file())
            }) {
                Ok(old) => self.held = old,
                Err(_) => (self.state, self.held) = (state, next.into_file()),
            }
            return Err(storage(error));
        }
        // The old file's lock is freed only now, when the new file has its name.
        (self.state, self.held) = (state, next.into_file());
        Ok(())
    }

    /// Checks that the walk belongs to this query.
    fn check(&self, query: &Query) -> Result<(), CursorError> {
        let CursorState { source, query_hash, rows_hash, .. } = self.state;
        let other = |problem| Err(self.error(CursorErrorKind::OtherQuery(problem)));
        let Some((KindName(kind), rows_hash)) = source.zip(rows_hash) else {
            return Ok(());
        };
        if kind != query.kind {
            return other(format!("its rows are `{kind}`, and not `{}`", query.kind));
        }
        if rows_hash != query.rows_hash() {
            return other(format!("its `{kind}` were found by another TEXT, --filter or --docs"));
        }
        if query_hash.is_some_and(|hash| hash != query.hash()) {
            return other(format!("its `{kind}` have other --fields or another --sort"));
        }
        Ok(())
    }

    fn error(&self, kind: CursorErrorKind) -> CursorError {
        CursorError { file: self.file.clone(), kind }
    }
}

/// Writes a file next to its final path, synced and locked.
fn staged(place: &Path, state: &CursorState) -> Result<StagedFile, CursorErrorKind> {
    let bytes = state.written();
    if bytes.len() as u64 > LONGEST {
        let (length, most) = (bytes.len(), LONGEST);
        return Err(CursorErrorKind::Storage(format!(
            "where the last row stands takes {length} bytes with all else, and a state file has {most} at the most"
        )));
    }
    let staged = StagedFile::write(place, |file| file.write_all(&bytes)).map_err(storage)?;
    if !staged.is_locked() {
        let problem = "the file system cannot lock files, so two processes could use it at a time";
        return Err(CursorErrorKind::Storage(problem.to_owned()));
    }
    staged.sync().map_err(storage)?;
    Ok(staged)
}

/// Whether a file of this name may be a state file that was unused for long. If the clock was set back, a file may have been used before its
/// creation time; it is removed a day later.
fn may_be_disused(name: &str, now: Timestamp) -> bool {
    let is_young = || files::made_at(name).is_some_and(|made| made.before(now) <= MAX_IDLE_SECONDS);
    files::is_name(name) && !is_young()
}

/// Removes a file that was unused for long, and returns whether it did.
fn remove_disused(path: &Path, now: Timestamp) -> bool {
    let is_disused = |file: &File| {
        let state = files::read(file).and_then(|bytes| CursorState::read(&bytes));
        state.is_ok_and(|state| state.last_used_at.before(now) > MAX_IDLE_SECONDS)
    };
    // Check first, so that no file is locked that a process may need.
    let looks_disused = File::open(path).is_ok_and(|file| is_disused(&file));
    if !looks_disused {
        return false;
    }
    match files::hold_at_once(path) {
        Ok(Some(held)) => is_disused(&held) && std::fs::remove_file(path).is_ok(),
        Ok(None) | Err(_) => false,
    }
}
