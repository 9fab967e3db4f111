//! The catalogue beside a run: the rows of a document are written when its files stand.
//!
//! Rows are made by whoever stages the document, where it is in memory anyway. One thread writes them, several documents with one commit.
//!
//! What holds: the catalogue never makes a run fail, and never says of a document what does not stand. What races: a run that is killed leaves it
//! behind its documents, and so does one whose catalogue cannot be written. What is accepted to be lost: that much, until the next run or
//! `war-rig index` holds the catalogue against the documents and reads those that it lacks.

use crate::database::{Catalogue, CatalogueEntry, CatalogueError};
use crate::row::DocumentRows;
use crate::rows::document_rows;
use crate::sync::SyncError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use war_rig_pool::{InternalError, WrittenFile};
use war_rig_template::Document;
use war_rig_text::ContentHash;

/// How many published documents may wait for the thread: two groups of the publisher, so that it seldom waits and never runs far ahead.
const WAITING: usize = 64;

/// How many documents are written with one commit: by then, the commit costs little beside the rows.
pub(crate) const TOGETHER: usize = 32;

/// How many rows of staged and waiting documents are in memory, which is some 50 MB. A document that comes when there are as many is read again when
/// it is its turn.
const ROWS_IN_MEMORY: usize = 50_000;

/// Keeps the catalogue up to date with what a run publishes in one folder.
#[derive(Debug)]
pub struct CatalogueUpdater {
    waiting: Mutex<Option<SyncSender<PublishedRows>>>,
    thread: Mutex<Option<JoinHandle<Result<(), CatalogueError>>>>,
    /// How many rows are in memory.
    rows: Arc<AtomicUsize>,
    /// Whether nothing more is written.
    is_over: Arc<AtomicBool>,
}

/// The rows of a document, counted for as long as they are in memory.
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

/// A document whose files stand.
#[derive(Debug)]
struct PublishedRows {
    file: String,
    document: String,
    hash: ContentHash,
    /// None where there were too many in memory.
    rows: Option<StagedRows>,
}

/// Where a run publishes.
struct PublishTarget {
    state: PathBuf,
    /// The folder of documents, as the store knows it.
    docs: String,
}

impl CatalogueUpdater {
    /// Begins the thread, which first gives the documents of all these sources their places in the catalogue.
    pub fn begin(state: &Path, docs: String, files: Vec<String>) -> Self {
        let (waiting, published) = sync_channel(WAITING);
        let is_over = Arc::new(AtomicBool::new(false));
        let place = PublishTarget { state: state.to_owned(), docs };
        let thread = std::thread::Builder::new().name("catalogue".to_owned()).spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                let kept = keep(&place, files, &published, &is_over);
                // Nobody makes rows for what nobody writes; what comes all the same is left to the end of the run.
                is_over.fetch_or(kept.is_err(), Ordering::AcqRel);
                published.iter().for_each(drop);
                kept
            }
        });
        // A thread that cannot be had leaves all of it to the end of the run.
        is_over.fetch_or(thread.is_err(), Ordering::AcqRel);
        Self {
            waiting: Mutex::new(Some(waiting)),
            thread: Mutex::new(thread.ok()),
            rows: Arc::default(),
            is_over,
        }
    }

    /// The rows of a document that is staged; none where there are too many in memory already.
    pub fn stage_rows(&self, document: &Document) -> Option<StagedRows> {
        if self.is_over.load(Ordering::Acquire) || self.rows.load(Ordering::Acquire) >= ROWS_IN_MEMORY {
            return None;
        }
        // What cannot be made is told when it is tried again.
        let rows = rows_in(document).ok()?;
        let count = rows.values().map(Vec::len).sum();
        self.rows.fetch_add(count, Ordering::AcqRel);
        Some(StagedRows { rows, count, all: Arc::clone(&self.rows) })
    }

    /// Says that a document's files stand. Waits while too many documents wait already.
    pub fn on_published(&self, file: &str, json: &WrittenFile, rows: Option<StagedRows>) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let published =
            PublishedRows { file: file.to_owned(), document: json.name.clone(), hash: json.hash, rows };
        if let Some(waiting) = waiting {
            // The thread takes what comes for as long as it lives.
            let _ = waiting.send(published);
        }
    }

    /// Waits until what was published is written.
    ///
    /// # Errors
    /// Why it is not.
    pub fn end(&self) -> Result<(), SyncError> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(kept)) => Ok(kept?),
            Some(Err(_)) => Err(SyncError::Internal),
        }
    }

    /// Has the thread write nothing more, because the process ends.
    pub fn abandon(&self) {
        self.is_over.store(true, Ordering::Release);
    }
}

impl Drop for CatalogueUpdater {
    fn drop(&mut self) {
        self.abandon();
        // Why it failed, nobody asks.
        let _ = self.end();
    }
}

/// Writes what is published until nobody publishes any more.
fn keep(
    place: &PublishTarget,
    mut files: Vec<String>,
    published: &Receiver<PublishedRows>,
    is_over: &AtomicBool,
) -> Result<(), CatalogueError> {
    let catalogue = Catalogue::open(&place.state)?;
    files.sort();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    catalogue.reserve_positions(&place.docs, &files)?;
    let indexed = catalogue.documents()?;
    let indexed = indexed.into_iter().filter(|indexed| indexed.docs == place.docs);
    let mut known: HashMap<String, ContentHash> =
        indexed.filter_map(|indexed| Some((indexed.file, indexed.hash?))).collect();
    while let Ok(first) = published.recv() {
        let mut group = vec![first];
        group.extend(published.try_iter().take(TOGETHER - 1));
        group.retain(|published| known.get(&published.file) != Some(&published.hash));
        if is_over.load(Ordering::Acquire) {
            return Ok(());
        }
        let (entries, _counted): (Vec<CatalogueEntry>, Vec<StagedRows>) =
            group.into_iter().filter_map(|published| entry(place, published)).unzip();
        if entries.is_empty() {
            continue;
        }
        catalogue.put(&entries)?;
        known.extend(entries.into_iter().map(|entry| (entry.file, entry.hash)));
    }
    Ok(())
}

/// What is written of a document. One that is to be read again is left to the end of the run, where several threads read.
fn entry(place: &PublishTarget, published: PublishedRows) -> Option<(CatalogueEntry, StagedRows)> {
    let PublishedRows { file, document, hash, rows } = published;
    let mut held = rows?;
    let rows = std::mem::take(&mut held.rows);
    Some((CatalogueEntry { docs: place.docs.clone(), file, document: Some(document), hash, rows }, held))
}

/// The rows of a document.
///
/// # Errors
/// What a defect of ours has said.
pub(crate) fn rows_in(document: &Document) -> Result<DocumentRows, String> {
    // A defect that one document brings to light keeps its rows out of the catalogue, and spoils nothing else.
    InternalError::catch_panic(|| document_rows(document)).map_err(|defect| defect.to_string())
}

#[cfg(test)]
mod tests;
