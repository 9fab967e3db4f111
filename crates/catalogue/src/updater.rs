//! Updates the catalogue during a run: the rows of a document are written when its files are published.
//!
//! The code that stages a document makes its rows, because it has the document in memory. One thread writes them, several documents per commit.
//!
//! Properties: the catalogue never makes a run fail, and never describes a document that is not published. Races: a killed run leaves it behind its
//! documents, and so does a run that cannot write it. Accepted losses: these rows, until the next run or
//! `war-rig index` compares the catalogue with the documents and reads the missing ones.

use crate::database::{Catalogue, CatalogueEntry, CatalogueError};
use crate::row::DocumentRows;
use crate::rows::document_rows;
use crate::sync::SyncError;
use foldhash::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use war_rig_pool::{InternalError, WrittenFile};
use war_rig_template::Document;
use war_rig_text::ContentHash;

/// How many published documents may wait for the thread: two groups of the publisher, so that it seldom waits and never runs far ahead.
const WAITING: usize = 64;

/// How many documents are written per commit: at this number, the commit costs little compared with the rows.
pub(crate) const TOGETHER: usize = 32;

/// How many rows are written per commit, unless one document alone has more, so that memory stays flat.
pub(crate) const ROWS_TOGETHER: usize = 10_000;

/// How long a published document waits for others, so that a search finds it soon.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How many rows of staged and waiting documents are in memory, which is some 50 MB. Beyond that, the rows of another document are dropped, and the
/// document is read again later.
const ROWS_IN_MEMORY: usize = 50_000;

/// Updates the catalogue with what a run publishes in one folder.
#[derive(Debug)]
pub struct CatalogueUpdater {
    /// The folder of documents, by its name in the store.
    docs: String,
    waiting: Mutex<Option<SyncSender<PublishedRows>>>,
    thread: Mutex<Option<JoinHandle<Result<(), CatalogueError>>>>,
    /// How many rows are in memory.
    rows: Arc<AtomicUsize>,
    /// Whether nothing more is written.
    is_over: Arc<AtomicBool>,
}

/// The rows of a document, counted while they are in memory.
#[derive(Debug)]
pub struct StagedRows {
    rows: DocumentRows,
    count: usize,
    all: Arc<AtomicUsize>,
}

impl Drop for StagedRows {
    fn drop(&mut self) {
        self.all.fetch_sub(self.count, Ordering::AcqRel);
    }
}

/// A document whose files are published, with the count of its rows.
type PublishedRows = (CatalogueEntry, StagedRows);

impl CatalogueUpdater {
    /// Starts the thread, which first reserves positions in the catalogue for the documents of all these sources.
    pub fn begin(state: &Path, docs: String, files: Vec<String>) -> Self {
        let (waiting, published) = sync_channel(WAITING);
        let is_over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::Builder::new().name("catalogue".to_owned()).spawn({
            let (state, docs, is_over) = (state.to_owned(), docs.clone(), Arc::clone(&is_over));
            move || {
                let kept = keep(&state, &docs, files, &published, &is_over);
                // Without the thread, no rows are made; everything is left to the end of the run.
                is_over.fetch_or(kept.is_err(), Ordering::AcqRel);
                published.iter().for_each(drop);
                kept
            }
        });
        // If the thread cannot start, everything is left to the end of the run.
        is_over.fetch_or(thread.is_err(), Ordering::AcqRel);
        let (waiting, thread) = (Mutex::new(Some(waiting)), Mutex::new(thread.ok()));
        Self { docs, waiting, thread, rows: Arc::default(), is_over }
    }

    /// Returns the rows of a staged document; `None` if there are too many in memory already.
    pub fn stage_rows(&self, document: &Document) -> Option<StagedRows> {
        if self.is_over.load(Ordering::Acquire) || self.rows.load(Ordering::Acquire) >= ROWS_IN_MEMORY {
            return None;
        }
        // A failure is reported when it is tried again.
        let rows = rows_in(document).ok()?;
        let count = rows.values().map(Vec::len).sum();
        self.rows.fetch_add(count, Ordering::AcqRel);
        Some(StagedRows { rows, count, all: Arc::clone(&self.rows) })
    }

    /// Reports that a document's files are published. Blocks while too many documents wait. Without rows, the document is left to the end of the
    /// run, when several threads read.
    pub fn on_published(&self, file: &str, json: &WrittenFile, rows: Option<StagedRows>) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(waiting), Some(mut staged)) = (waiting, rows) {
            let (docs, file, document) = (self.docs.clone(), file.to_owned(), Some(json.name.clone()));
            let rows = std::mem::take(&mut staged.rows);
            // The thread receives as long as it lives.
            let _ = waiting.send((CatalogueEntry { docs, file, document, hash: json.hash, rows }, staged));
        }
    }

    /// Waits until everything published is written.
    ///
    /// # Errors
    /// Why it was not written.
    pub fn end(&self) -> Result<(), SyncError> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(kept)) => Ok(kept?),
            Some(Err(_)) => Err(SyncError::Internal),
        }
    }

    /// Stops all further writes, because the process ends.
    pub fn abandon(&self) {
        self.is_over.store(true, Ordering::Release);
    }
}

impl Drop for CatalogueUpdater {
    fn drop(&mut self) {
        self.abandon();
        // Nobody needs the reason of a failure.
        let _ = self.end();
    }
}

/// Writes published documents until no more come.
fn keep(
    state: &Path,
    docs: &str,
    mut files: Vec<String>,
    published: &Receiver<PublishedRows>,
    is_over: &AtomicBool,
) -> Result<(), CatalogueError> {
    let catalogue = Catalogue::open(state)?;
    files.sort();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    catalogue.reserve_positions(docs, &files)?;
    let indexed = catalogue.documents()?;
    let indexed = indexed.into_iter().filter(|indexed| indexed.docs == docs);
    let mut known: HashMap<String, ContentHash> =
        indexed.filter_map(|indexed| Some((indexed.file, indexed.hash?))).collect();
    while let Some(mut group) = next_group(published) {
        group.retain(|(entry, _)| known.get(&entry.file) != Some(&entry.hash));
        if is_over.load(Ordering::Acquire) {
            return Ok(());
        }
        let (entries, _counted): (Vec<CatalogueEntry>, Vec<StagedRows>) = group.into_iter().unzip();
        if entries.is_empty() {
            continue;
        }
        catalogue.put(&entries)?;
        known.extend(entries.into_iter().map(|entry| (entry.file, entry.hash)));
    }
    Ok(())
}

/// Returns the documents of the next commit; `None` when no more are published.
fn next_group(published: &Receiver<PublishedRows>) -> Option<Vec<PublishedRows>> {
    let first = published.recv().ok()?;
    let begun = Instant::now();
    let mut rows = first.1.count;
    let mut group = vec![first];
    while group.len() < TOGETHER && rows < ROWS_TOGETHER {
        let Ok(next) = published.recv_timeout(LONGEST_WAIT.saturating_sub(begun.elapsed())) else { break };
        rows += next.1.count;
        group.push(next);
    }
    Some(group)
}

/// Returns the rows of a document.
///
/// # Errors
/// The message of an internal error.
pub(crate) fn rows_in(document: &Document) -> Result<DocumentRows, String> {
    // A defect that one document reveals only keeps its rows out of the catalogue.
    InternalError::catch_panic(|| document_rows(document)).map_err(|defect| defect.to_string())
}

#[cfg(test)]
mod tests;
