//! A walk through the rows of a query, page by page, of which a file says how far it has come.
//!
//! Files stand in the folder `state` of a state folder, under names such as `20261122T101500Z-rules-3fa9c1d2e4b7.json`.
//!
//! # What always holds
//! - **A walk is gone on with by one process at a time.** The file is locked from when it is opened to when its walk is dropped. A file that takes
//!   its place is locked before it has its name, so that there is no instant in between. The system frees the lock when its holder ends, however it
//!   ends.
//! - **A page is noted whole or not at all.** The file is replaced, and on the disk before [`SearchCursor::record_page`] returns. What a page was noted for was
//!   printed before: whoever is killed in between prints a page again whose end nobody has seen, and leaves none out.
//! - **Nothing is believed that was not written.** A file that was changed by a byte is refused, and stays as it is.
//! - **Nothing else is touched.** What has no name of a state file, stands elsewhere, or is a link, a folder or a pipe is neither opened nor removed.
//!
//! # Who removes files
//! Whoever closes a walk, and whoever sweeps: files that were not used for a day go, and what dead processes have left. Both hold the lock while they
//! remove a file, and whoever opens one looks whether it is still there once it has the lock. Files that cannot be read stay: what they are is for
//! their user to say.

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

/// The folder of a state folder that holds the files.
pub const CURSOR_FOLDER: &str = "state";

/// After how many seconds of disuse a file is removed.
pub const MAX_IDLE_SECONDS: i64 = 24 * 60 * 60;

/// A walk whose file this process holds.
#[derive(Debug)]
pub struct SearchCursor {
    /// The file as it was named.
    file: PathBuf,
    /// The file, without links in its path.
    place: PathBuf,
    state: CursorState,
    /// The open file, with its lock.
    held: File,
}

/// How far a walk has come.
#[derive(Debug, Clone, PartialEq)]
pub struct CursorPosition {
    /// How many rows were printed.
    pub offset: u64,
    /// Where it goes on.
    pub start: PageStart,
    /// What the catalogue held when rows were printed or counted last, with how many there were; none before that.
    pub known: Option<(CatalogueVersion, u64)>,
    /// Whether the last page said that there are more; none before the first.
    pub has_more: Option<bool>,
}

/// What a walk is begun for.
#[derive(Debug, Clone, Copy)]
pub enum CursorScope<'a> {
    /// For the first query that comes.
    Any,
    /// For the rows that a query counts, with whatever fields and order they are printed first.
    Counted(&'a Query, u64, CatalogueVersion),
    /// For this query.
    Query(&'a Query),
}

/// A page that was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedPage {
    /// How many rows it had.
    pub rows: u64,
    /// Where the last of them stands; none without rows.
    pub last: Option<RowPosition>,
    /// Whether there are more.
    pub has_more: bool,
    /// How many rows there are in all.
    pub total: u64,
    /// What the catalogue held.
    pub version: CatalogueVersion,
}

impl SearchCursor {
    /// Makes a file for a new walk, which is on the disk once this returns.
    ///
    /// # Errors
    /// [`CursorError`] when it cannot be written.
    pub fn create(folder: &Path, of: CursorScope<'_>, clock: &Clock) -> Result<Self, CursorError> {
        let now = Timestamp::at(clock());
        let mut state = CursorState::begun(now);
        if let CursorScope::Counted(query, ..) | CursorScope::Query(query) = of {
            state.source = Some(KindName(query.kind()));
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
                // A walk that was never told of is no use to anybody.
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

    /// Takes up a walk. Nobody else can until this is dropped.
    ///
    /// # Errors
    /// [`CursorError`] when the file is not one of this folder, or not as it was written, or in use.
    pub fn open(folder: &Path, file: &Path) -> Result<Self, CursorError> {
        let opened = || {
            let place = files::located(&folder.join(CURSOR_FOLDER), file)?;
            let held = files::hold(&place)?;
            let state = CursorState::read(&files::read(&held)?)?;
            Ok(Self { file: file.to_owned(), place, state, held })
        };
        opened().map_err(|kind| CursorError { file: file.to_owned(), kind })
    }

    /// The file, as it is to be named on a command line.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// How far it has come, if it is one of this query.
    ///
    /// # Errors
    /// [`CursorErrorKind::OtherQuery`] when it is not.
    pub fn position(&self, query: &Query) -> Result<CursorPosition, CursorError> {
        self.check(query)?;
        let CursorState { offset, total, has_more, catalogue, after, .. } = &self.state;
        let start = after.clone().map_or(PageStart::Offset(*offset), PageStart::After);
        Ok(CursorPosition { offset: *offset, start, known: catalogue.zip(*total), has_more: *has_more })
    }

    /// Notes that a page was printed. To be called when whoever reads has it.
    ///
    /// # Errors
    /// [`CursorError`] when it cannot be written; the file says what it said before.
    pub fn record_page(
        &mut self,
        query: &Query,
        printed: PrintedPage,
        clock: &Clock,
    ) -> Result<(), CursorError> {
        self.check(query)?;
        let mut state = self.state.clone();
        state.last_used_at = Timestamp::at(clock());
        state.source = Some(KindName(query.kind()));
        state.offset = state.offset.saturating_add(printed.rows);
        state.total = Some(printed.total);
        state.has_more = Some(printed.has_more);
        state.query_hash = Some(query.hash());
        state.rows_hash = Some(query.rows_hash());
        state.catalogue = Some(printed.version);
        // A page without rows ends where the one before it did.
        state.after = printed.last.or(state.after);
        self.replace(state).map_err(|kind| match kind {
            CursorErrorKind::Storage(problem) => self.error(CursorErrorKind::NotRecorded(problem)),
            kind => self.error(kind),
        })
    }

    /// Removes the file of a walk, also one that is damaged.
    ///
    /// # Errors
    /// [`CursorError`] when it is no state file of this folder, or in use; it is left as it is then.
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

    /// Removes the files that nobody has used for [`MAX_IDLE_SECONDS`] seconds, and says how many there were. What dead processes have left goes as well; what
    /// cannot be read stays. A clock that was set back removes nothing. Files that are younger than that by their names are not opened, so that a
    /// page takes no longer because many walks are under way.
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

    /// Puts a file in the place of the one that is held.
    fn replace(&mut self, state: CursorState) -> Result<(), CursorErrorKind> {
        let mut next = staged(&self.place, &state)?;
        if !is_file_at(&self.held, &self.place) {
            let problem = "it was removed or replaced while it was in use";
            return Err(CursorErrorKind::Storage(problem.to_owned()));
        }
        next.publish().map_err(storage)?;
        if let Err(error) = sync_folder(parent_folder(&self.place)) {
            // Whoever is told that a page was not noted must find it so.
            match staged(&self.place, &self.state).and_then(|mut old| {
                old.publish().map_err(storage)?;
                Ok(old.into_file())
            }) {
                Ok(old) => self.held = old,
                Err(_) => (self.state, self.held) = (state, next.into_file()),
            }
            return Err(storage(error));
        }
        // The lock of the file before is let go only now, when the next one has its name.
        (self.state, self.held) = (state, next.into_file());
        Ok(())
    }

    /// Whether the walk is one of this query.
    fn check(&self, query: &Query) -> Result<(), CursorError> {
        let CursorState { source, query_hash, rows_hash, .. } = self.state;
        let other = |problem| Err(self.error(CursorErrorKind::OtherQuery(problem)));
        let Some((KindName(kind), rows_hash)) = source.zip(rows_hash) else {
            return Ok(());
        };
        if kind != query.kind() {
            return other(format!("its rows are `{kind}`, and not `{}`", query.kind()));
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

/// A file beside its place, on the disk and locked.
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

/// Whether a file of this name can be a state file that nobody has used for long. Where the clock was set back, one may have been used before it was
/// made, and goes a day after that.
fn may_be_disused(name: &str, now: Timestamp) -> bool {
    let is_young = || files::made_at(name).is_some_and(|made| made.before(now) <= MAX_IDLE_SECONDS);
    files::is_name(name) && !is_young()
}

/// Removes a file that nobody has used for long, and says whether it did.
fn remove_disused(path: &Path, now: Timestamp) -> bool {
    let is_disused = |file: &File| {
        let state = files::read(file).and_then(|bytes| CursorState::read(&bytes));
        state.is_ok_and(|state| state.last_used_at.before(now) > MAX_IDLE_SECONDS)
    };
    // It is looked at first, so that no file is locked that somebody may want.
    let looks_disused = File::open(path).is_ok_and(|file| is_disused(&file));
    if !looks_disused {
        return false;
    }
    match files::hold_at_once(path) {
        Ok(Some(held)) => is_disused(&held) && std::fs::remove_file(path).is_ok(),
        Ok(None) | Err(_) => false,
    }
}
