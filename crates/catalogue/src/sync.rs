//! Compares the catalogue with the documents: reads those that are missing, and removes those that are gone.
//!
//! A document whose file is as the store recorded it is recognized by its size and time, and is not opened if the catalogue has its hash. A document
//! that was changed since is hashed, and read if the catalogue does not have that hash: the search finds what is on the disk.
//!
//! If a whole folder of documents is missing or empty, it is more likely unreachable than deleted: its rows remain until the catalogue
//! is rebuilt.

use crate::database::{Catalogue, CatalogueEntry, CatalogueError, CatalogueErrorKind, IndexedDocument};
use crate::row::DocumentRows;
use crate::updater::{ROWS_TOGETHER, TOGETHER, rows_in};
use foldhash::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_pool::for_each_ordered;
use war_rig_store::{LockStatus, RecordedDocument, StoreReader, durable};
use war_rig_template::{Document, document_name};
use war_rig_text::ContentHash;

/// How many bytes of documents are read before all of them are processed, unless one alone has more: their rows take four times as much memory.
const BYTES_AHEAD: u64 = 32 << 20;

/// How many documents are read before the user is told that it takes a while.
const MANY: usize = 500;

/// The result of a sync.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// How many documents the catalogue now has.
    pub documents: usize,
    /// How many of them were new or changed.
    pub changed: usize,
    /// How many deleted documents were removed.
    pub removed: usize,
    /// Documents that the store knows but that do not exist.
    pub missing: Vec<String>,
    /// Documents that cannot be read, with the reasons.
    pub unread: Vec<(String, String)>,
    /// Folders of documents that are missing or empty.
    pub gone: BTreeMap<String, MissingFolder>,
}

/// The documents of a missing folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MissingFolder {
    /// How many the store knows.
    pub documents: usize,
    /// How many of them remain in the catalogue, unchanged.
    pub kept: usize,
}

/// Why a sync failed.
#[derive(Debug)]
pub enum SyncError {
    /// It was told to stop.
    Interrupted,
    /// The catalogue or the store cannot be used.
    Catalogue(CatalogueError),
    /// A defect has ended the writing thread.
    Internal,
}

impl From<CatalogueError> for SyncError {
    fn from(error: CatalogueError) -> Self {
        SyncError::Catalogue(error)
    }
}

impl SyncError {
    fn is_damage(&self) -> bool {
        matches!(self, SyncError::Catalogue(CatalogueError::Catalogue { kind: CatalogueErrorKind::Damaged(_), .. }))
    }
}

/// The result of checking a document.
enum DocumentCheck {
    /// The catalogue has it in this state.
    Known,
    Changed(CatalogueEntry),
    Missing,
    /// Its whole folder of documents is missing or empty.
    FolderGone,
    Unread(String),
    /// It was not checked any more.
    Left,
}

/// Which catalogue to sync, and the required information.
pub struct SyncOptions<'a> {
    /// The state folder, which contains the store and the catalogue.
    pub state: &'a Path,
    /// Whether this process is the one that writes to the store.
    pub is_own: bool,
    /// Set to stop the sync.
    pub stop: &'a AtomicBool,
    /// Returns the path of a documents folder from its name in the store.
    pub folder_of: &'a (dyn Fn(&str) -> PathBuf + Sync),
    /// Receives messages for the user.
    pub note: &'a (dyn Fn(&str) + Sync),
}

/// Syncs a folder's catalogue with all documents that its store knows. Replaces a damaged catalogue with an empty one first.
///
/// # Errors
/// [`SyncError`] if the store or the catalogue fails, or if it is told to stop; what was written by then remains.
pub fn sync_catalogue(options: &SyncOptions<'_>) -> Result<SyncReport, SyncError> {
    let catalogue = Catalogue::open(options.state)?;
    match bring_up(options, &catalogue) {
        Err(ends) if ends.is_damage() => {
            drop(catalogue);
            bring_up(options, &Catalogue::recreate(options.state)?)
        }
        brought => brought,
    }
}

/// Rebuilds the catalogue of a folder; readers see the old one until that is done.
///
/// # Errors
/// As [`sync_catalogue`]; then the catalogue is as it was before.
pub fn rebuild_catalogue(options: &SyncOptions<'_>) -> Result<SyncReport, SyncError> {
    let mut brought = SyncReport::default();
    Catalogue::rebuild(options.state, |catalogue| {
        brought = bring_up(options, catalogue)?;
        Ok::<(), SyncError>(())
    })?;
    Ok(brought)
}

fn bring_up(options: &SyncOptions<'_>, catalogue: &Catalogue) -> Result<SyncReport, SyncError> {
    // Every document that the catalogue lists here has its ticket in the store by then, unless a run is active or the document is gone.
    let before = catalogue.documents()?;
    let store = StoreReader::open(options.state).map_err(CatalogueError::from)?;
    let documents = store.documents().map_err(CatalogueError::from)?;
    let is_written_to = !options.is_own && store.lock_status().map_err(CatalogueError::from)? != LockStatus::Free;
    // Reserve positions so that new documents do not come after all others. Documents moved for them have no rows afterwards.
    let placed = known(&before);
    let is_placed =
        |document: &RecordedDocument| placed.contains_key(&(document.output.as_str(), document.file.as_str()));
    let folders = documents.chunk_by(|one, next| one.output == next.output);
    let new: Vec<_> = folders.filter(|folder| !folder.iter().all(is_placed)).collect();
    for folder in &new {
        let files: Vec<&str> = folder.iter().map(|document| document.file.as_str()).collect();
        catalogue.reserve_positions(&folder[0].output, &files)?;
    }
    let moved = if new.is_empty() { None } else { Some(catalogue.documents()?) };
    let indexed = moved.as_ref().unwrap_or(&before);
    let update = CatalogueSync { options, catalogue, known: known(indexed), is_written_to };
    let is_lacking = |document: &&RecordedDocument| update.hash_of(document) != Some(document.json.hash);
    let lacking = documents.iter().filter(is_lacking).count();
    if lacking > MANY {
        (options.note)(&format!("the catalogue lacks {lacking} documents, which are read now"));
    }
    update.run(&documents, &before)
}

type Unchanged<'a> = HashMap<(&'a str, &'a str), &'a IndexedDocument>;

fn known(indexed: &[IndexedDocument]) -> Unchanged<'_> {
    indexed.iter().map(|indexed| ((indexed.docs.as_str(), indexed.file.as_str()), indexed)).collect()
}

struct CatalogueSync<'a> {
    options: &'a SyncOptions<'a>,
    catalogue: &'a Catalogue,
    known: Unchanged<'a>,
    /// Whether another run is active, whose documents may be published before its tickets are updated.
    is_written_to: bool,
}

impl CatalogueSync<'_> {
    fn hash_of(&self, document: &RecordedDocument) -> Option<ContentHash> {
        self.known.get(&(document.output.as_str(), document.file.as_str()))?.hash
    }

    fn run(&self, documents: &[RecordedDocument], before: &[IndexedDocument]) -> Result<SyncReport, SyncError> {
        let documents: Vec<&RecordedDocument> = documents.iter().collect();
        let names: BTreeSet<&str> = documents.iter().map(|document| document.output.as_str()).collect();
        let folder = |docs: &str| Some((self.options.folder_of)(docs)).filter(|folder| has_any(folder));
        let folders: HashMap<&str, Option<PathBuf>> = names.into_iter().map(|docs| (docs, folder(docs))).collect();
        // After a failure, nothing more is read.
        let is_over = AtomicBool::new(false);
        let look = |document: &&RecordedDocument| match &folders[document.output.as_str()] {
            _ if self.options.stop.load(Ordering::Acquire) || is_over.load(Ordering::Acquire) => DocumentCheck::Left,
            Some(folder) => look(folder, document, self.hash_of(document)),
            None => DocumentCheck::FolderGone,
        };
        let mut taken = SyncBatch::of(self.catalogue);
        let mut failed = None;
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        for group in groups(&documents) {
            for_each_ordered(group, threads, look, |document, looked| {
                let looked = looked.unwrap_or_else(|defect| DocumentCheck::Unread(defect.to_string()));
                if failed.is_none() {
                    failed = taken.take(document, looked, self.hash_of(document).is_some()).err();
                    is_over.store(failed.is_some(), Ordering::Release);
                }
            });
        }
        failed.map_or(Ok(()), Err)?;
        taken.write()?;
        if self.options.stop.load(Ordering::Acquire) {
            return Err(SyncError::Interrupted);
        }
        let now: BTreeSet<(&str, &str)> =
            documents.iter().map(|document| (document.output.as_str(), document.file.as_str())).collect();
        let left = before
            .iter()
            .filter(|indexed| indexed.hash.is_some() && !now.contains(&(indexed.docs.as_str(), indexed.file.as_str())));
        for indexed in left.filter(|indexed| !(self.is_written_to && self.stands(indexed))) {
            taken.gone.entry(&indexed.docs).or_default().push(&indexed.file);
        }
        taken.remove()?;
        self.catalogue.create_indexes()?;
        Ok(taken.brought)
    }

    fn stands(&self, indexed: &IndexedDocument) -> bool {
        let folder = (self.options.folder_of)(&indexed.docs);
        folder.join(format!("{}.json", document_name(&indexed.file))).exists()
    }
}

/// Results on their way to the catalogue.
struct SyncBatch<'a> {
    catalogue: &'a Catalogue,
    brought: SyncReport,
    /// Documents in the catalogue that can no longer be found, by folder.
    gone: BTreeMap<&'a str, Vec<&'a str>>,
    /// Entries to write in one commit, with the number of their rows.
    waiting: Vec<CatalogueEntry>,
    rows: usize,
}

impl<'a> SyncBatch<'a> {
    fn of(catalogue: &'a Catalogue) -> Self {
        Self { catalogue, brought: SyncReport::default(), gone: BTreeMap::new(), waiting: Vec::new(), rows: 0 }
    }

    fn take(
        &mut self,
        document: &'a RecordedDocument,
        looked: DocumentCheck,
        is_indexed: bool,
    ) -> Result<(), CatalogueError> {
        let brought = &mut self.brought;
        match looked {
            DocumentCheck::Left => return Ok(()),
            DocumentCheck::Known => {
                brought.documents += 1;
                return Ok(());
            }
            DocumentCheck::Changed(entry) => {
                brought.documents += 1;
                brought.changed += 1;
                self.rows += entry.rows.values().map(Vec::len).sum::<usize>();
                self.waiting.push(entry);
                let is_enough = self.rows >= ROWS_TOGETHER || self.waiting.len() >= TOGETHER;
                return if is_enough { self.write() } else { Ok(()) };
            }
            DocumentCheck::FolderGone => {
                let gone = brought.gone.entry(document.output.clone()).or_default();
                gone.documents += 1;
                gone.kept += usize::from(is_indexed);
                brought.documents += usize::from(is_indexed);
                return Ok(());
            }
            DocumentCheck::Missing => brought.missing.push(named(document)),
            DocumentCheck::Unread(reason) => brought.unread.push((named(document), reason)),
        }
        if is_indexed {
            self.gone.entry(&document.output).or_default().push(&document.file);
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), CatalogueError> {
        self.rows = 0;
        let entries = std::mem::take(&mut self.waiting);
        if entries.is_empty() { Ok(()) } else { self.catalogue.put(&entries) }
    }

    fn remove(&mut self) -> Result<(), CatalogueError> {
        for (docs, files) in std::mem::take(&mut self.gone) {
            self.catalogue.remove(docs, &files)?;
            self.brought.removed += files.len();
        }
        Ok(())
    }
}

/// Groups documents in order, as many together as may be read ahead.
fn groups<'a, 'b>(documents: &'a [&'b RecordedDocument]) -> impl Iterator<Item = &'a [&'b RecordedDocument]> {
    let mut left = documents;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let is_more = |document: &&RecordedDocument| {
            bytes += document.json.size;
            bytes > BYTES_AHEAD
        };
        let end = left.iter().position(is_more).unwrap_or(left.len()).max(1);
        let (group, rest) = left.split_at_checked(end)?;
        left = rest;
        Some(group)
    })
}

/// Whether there is such a folder with anything in it. The mount point of a missing disk is an empty folder.
fn has_any(folder: &Path) -> bool {
    // A folder whose names cannot be read may contain documents that can.
    folder.is_dir() && std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_some())
}

/// Checks a document for which the catalogue has this hash.
fn look(folder: &Path, known: &RecordedDocument, indexed: Option<ContentHash>) -> DocumentCheck {
    let name = Path::new(&known.json.name);
    if !name.components().all(|part| matches!(part, Component::Normal(_))) {
        return DocumentCheck::Unread("its name leads out of its folder".to_owned());
    }
    let path = folder.join(name);
    let data = match std::fs::symlink_metadata(&path) {
        Ok(data) => data,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return DocumentCheck::Missing;
        }
        Err(error) => return DocumentCheck::Unread(error.to_string()),
    };
    if !data.is_file() {
        return DocumentCheck::Unread("it is no regular file".to_owned());
    }
    let is_as_written = data.len() == known.json.size
        && known.json.changed.is_some()
        && durable::modified_ns(&path) == known.json.changed;
    if is_as_written && indexed == Some(known.json.hash) {
        return DocumentCheck::Known;
    }
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return DocumentCheck::Missing,
        Err(error) => return DocumentCheck::Unread(error.to_string()),
    };
    let hash = ContentHash::of(&bytes);
    if indexed == Some(hash) {
        return DocumentCheck::Known;
    }
    match read(&bytes, &known.file) {
        Ok(rows) => DocumentCheck::Changed(CatalogueEntry {
            docs: known.output.clone(),
            file: known.file.clone(),
            document: Some(known.json.name.clone()),
            hash,
            rows,
        }),
        Err(reason) => DocumentCheck::Unread(reason),
    }
}

/// Returns the rows of this source's document.
fn read(bytes: &[u8], file: &str) -> Result<DocumentRows, String> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| format!("it is no document: {error}"))?;
    match document.header.file_name == file {
        true => rows_in(&document),
        false => Err(format!("it is the document of `{}`", document.header.file_name)),
    }
}

/// Returns a document's name for messages.
fn named(document: &RecordedDocument) -> String {
    match document.output.as_str() {
        "" => document.json.name.clone(),
        docs => format!("{docs}/{}", document.json.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_pool::WrittenFile;

    #[test]
    fn no_more_is_read_ahead_than_memory_is_meant_to_hold() {
        let sizes = [1, BYTES_AHEAD, BYTES_AHEAD + 7, 5, 5, BYTES_AHEAD - 10, 1, 2];
        let document = |size: &u64| RecordedDocument {
            output: String::new(),
            file: String::new(),
            json: WrittenFile { name: String::new(), size: *size, hash: ContentHash::of(b""), changed: None },
        };
        let documents: Vec<RecordedDocument> = sizes.iter().map(document).collect();
        let documents: Vec<&RecordedDocument> = documents.iter().collect();
        let counts: Vec<usize> = groups(&documents).map(<[_]>::len).collect();
        assert_eq!(counts, [1, 1, 1, 3, 2]);
        assert_eq!(groups(&[]).count(), 0);
    }
}
