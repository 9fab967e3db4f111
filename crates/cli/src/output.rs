//! The output folder: one document per source, the index, and the run's report.
//!
//! Documents are staged first, each as two temporary files, and then published in batches: all files are synced to disk, all are renamed, and then
//! each folder is synced once. Nothing outside the folder is ever written or removed.

mod document_page;
mod estate_pages;
mod ownership;

pub use document_page::{SourceBrowser, render_page};
pub use estate_pages::PageHashes;
pub use ownership::{FileOwner, Ownership, estate_pages, is_unedited, mark_page};

use crate::exit::ExitStatus;
use crate::failure::Failure;
use ownership::{FileState, file_state, sidecar_path};
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_catalogue::{CatalogueUpdater, StagedRows};
use war_rig_pool::{DocumentSink, PublishedDocument, SourceId, WrittenFile};
use war_rig_scribe::SourceFolder;
use war_rig_store::durable::{self, StagedFile, parent_folder, sync_folder};
use war_rig_template::{Document, ESTATE_JSON, SealedDocument, document_name};
use war_rig_text::ContentHash;

use crate::settings::EditedPagePolicy;
use crate::sources::{Inventory, normalize_path};
use crate::store_failures::list_names;

/// The report of a run.
const REPORT: &str = "run.json";

/// The suffixes of a document's two files, after the name of its source.
const SUFFIXES: [&str; 2] = ["json", "md"];

/// The output folder of a run.
pub struct OutputFolder {
    root: PathBuf,
    sources: Arc<Inventory>,
    /// Where the sources are published on the web, if pages link there.
    web: Option<SourceBrowser>,
    storage_failed: AtomicBool,
    /// The folders below the root that are known to exist and to be synced to disk.
    folders: Mutex<HashSet<PathBuf>>,
    /// Updates the catalogue, if there is one.
    keeper: Option<CatalogueUpdater>,
    /// The owners of existing files.
    ownership: Ownership,
    /// The policy for edited pages, and the pages found to be edited.
    edited: EditedPagePolicy,
    found_edited: Mutex<BTreeSet<String>>,
}

/// The header of a document's JSON.
#[derive(Deserialize)]
struct DocumentHead {
    header: DocumentHeadHeader,
}

#[derive(Deserialize)]
struct DocumentHeadHeader {
    file_name: String,
    // A document has these fields; other JSON rarely has both.
    #[serde(rename = "source_hash")]
    _source_hash: String,
}

/// Returns the source that a JSON document describes; `None` when the JSON is not a document.
pub fn documented_source(json: &[u8]) -> Option<String> {
    serde_json::from_slice::<DocumentHead>(json).ok().map(|head| head.header.file_name)
}

/// A document that is written but not yet at its final path. Dropping it removes its files.
#[derive(Debug)]
pub struct StagedFiles {
    source: SourceId,
    files: Vec<StagedFile>,
    /// Its rows for the catalogue; `None` when they are not available in memory.
    rows: Option<StagedRows>,
}

impl OutputFolder {
    /// Returns its path as seen from a folder that contains it, otherwise whole.
    pub fn path_from(&self, folder: &Path) -> &Path {
        self.root.strip_prefix(folder).unwrap_or(&self.root)
    }

    /// Creates the folder and tests that it is writable, so that a full or read-only one is found before the work starts. Removes temporary files
    /// that earlier runs have left there.
    ///
    /// # Errors
    /// A usage failure, before anything is written, when foreign files occupy our paths or edited pages must stop the run; a storage failure when the
    /// folder cannot be created or written.
    pub fn open(
        root: &Path,
        sources: Arc<Inventory>,
        web: Option<SourceBrowser>,
        ownership: Ownership,
        edited: EditedPagePolicy,
    ) -> Result<Self, Failure> {
        let fail = |error| {
            Failure::cannot_write(root, error).with_hint("name a folder that can be written with -o; nothing was done")
        };
        // Links are computed from paths without `..`, as the sources' are.
        let folder = Self {
            root: normalize_path(&std::path::absolute(root).map_err(fail)?),
            sources,
            web,
            storage_failed: AtomicBool::new(false),
            folders: Mutex::new(HashSet::new()),
            keeper: None,
            ownership,
            edited,
            found_edited: Mutex::default(),
        };
        let cannot = |why: &str| {
            Failure::new(ExitStatus::Storage, format!("cannot write `{}`: {why}", root.display()))
                .with_hint("name a folder that can be written with -o; nothing was done")
        };
        if root.is_file() {
            return Err(cannot("it is a file, not a folder"));
        }
        // What cannot be listed would look like files of somebody else.
        if root.is_dir() && std::fs::read_dir(root).is_err() {
            return Err(cannot("it cannot be listed"));
        }
        folder.refuse()?;
        durable::make_folder(&folder.root).map_err(fail)?;
        durable::remove_leftovers(&folder.root);
        StagedFile::write(&folder.root.join("index.md"), |file| file.write_all(b"\n")).map_err(fail)?;
        Ok(folder)
    }

    /// Refuses to start when a run would overwrite foreign files or protected pages.
    fn refuse(&self) -> Result<(), Failure> {
        // A folder that is not there has nothing to lose.
        if !self.root.is_dir() {
            return Ok(());
        }
        let (mut foreign, mut edited) = (Vec::new(), Vec::new());
        let mut note = |place: &Path, owner: FileOwner| match owner {
            FileOwner::Foreign => foreign.push(relative_path(&self.root, place)),
            FileOwner::Edited => edited.push(relative_path(&self.root, place)),
            FileOwner::Nobody | FileOwner::Ours => {}
        };
        for source in &self.sources.picked {
            // Only a page's bytes, which are many, show whether it was edited.
            let owners = match self.edited {
                EditedPagePolicy::Stop => self.ownership.document_owners(&self.root, source),
                EditedPagePolicy::Keep | EditedPagePolicy::Beside => {
                    let foreign = self.ownership.foreign_files(&self.root, source);
                    foreign.map(|foreign| if foreign { FileOwner::Foreign } else { FileOwner::Nobody })
                }
            };
            self.places(source).iter().zip(owners).for_each(|(place, owner)| note(place, owner));
        }
        let reported = self.reported_pages();
        for name in estate_pages(&self.root) {
            // Below the top, a file of somebody else is in the way only if a page gets its name.
            let owner = self.ownership.after_overwrite(self.owner_of_page(&name, &reported));
            if owner != FileOwner::Foreign || !name.contains('/') {
                note(&self.root.join(name), owner);
            }
        }
        for name in [REPORT, ESTATE_JSON] {
            note(&self.root.join(name), self.ownership.report_owner(&self.root, name));
        }
        let named = |names: &[String]| list_names(&names.iter().map(String::as_str).collect::<Vec<_>>());
        if !foreign.is_empty() {
            return Err(Failure::usage(format!(
                "files stand in `{}` that this program has not written, where documents belong: {}",
                self.root.display(),
                named(&foreign)
            ))
            .with_hint("name another folder with -o, or overwrite them with --overwrite-foreign; nothing was done"));
        }
        if self.edited == EditedPagePolicy::Stop && !edited.is_empty() {
            return Err(Failure::usage(format!(
                "pages in `{}` were changed since they were written: {}",
                self.root.display(),
                named(&edited)
            ))
            .with_hint(
                "move what was added to another file, or set `output.edited` to keep or beside; nothing was done",
            ));
        }
        Ok(())
    }

    /// Returns where a new page goes: to its own path or beside the edited one; `None` when the edited page stays alone.
    fn place_of(&self, page: PathBuf, owner: FileOwner) -> io::Result<Option<PathBuf>> {
        match owner {
            FileOwner::Nobody | FileOwner::Ours => return Ok(Some(page)),
            FileOwner::Foreign => return Err(not_ours(&page)),
            FileOwner::Edited => {}
        }
        let mut found = self.found_edited.lock();
        found.insert(relative_path(&self.root, &page));
        Ok((self.edited != EditedPagePolicy::Keep).then(|| sidecar_path(&page)))
    }

    /// Returns the names of the pages that a person has edited.
    pub fn edited_pages(&self) -> Vec<String> {
        self.found_edited.lock().iter().cloned().collect()
    }

    /// Returns the same folder with a catalogue updater.
    #[must_use]
    pub fn with_updater(self, keeper: CatalogueUpdater) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Returns the catalogue updater, if there is one.
    pub fn updater(&self) -> Option<&CatalogueUpdater> {
        self.keeper.as_ref()
    }

    /// Whether any document could not be written.
    pub fn storage_failed(&self) -> bool {
        self.storage_failed.load(Ordering::Acquire)
    }

    /// Writes the report of the run.
    ///
    /// # Errors
    /// A storage failure.
    pub fn write_report(&self, text: &str) -> Result<(), Failure> {
        self.write(&self.root.join(REPORT), text)
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let written = match durable::matches_content(path, text.len() as u64, ContentHash::of(text.as_bytes())) {
            true => Ok(()),
            false => durable::replace_file(path, text.as_bytes()),
        };
        written.map_err(|error| {
            Failure::cannot_write(path, error)
                .with_hint("the documents written so far are whole; run again once there is room")
        })
    }

    /// Returns how pages link to the sources: by the path from here, or from the top of their repository.
    pub fn source_link_base(&self) -> String {
        match &self.web {
            Some(web) => web.folder.clone(),
            None => relative_path(&self.root, &self.sources.base),
        }
    }

    /// Returns where the pages about the estate find the sources.
    pub fn source_folder(&self) -> SourceFolder {
        SourceBrowser::source_folder(self.web.as_ref(), &self.root, &self.sources)
    }

    /// Returns the documented paths, relative to this folder.
    pub fn documented_paths(&self) -> Vec<String> {
        self.sources.roots.iter().map(|path| relative_path(&self.root, path)).collect()
    }

    /// Reads a file of the run itself, if it exists.
    pub fn read_run_file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.below(name)?).ok()
    }

    /// Reads the report of an earlier run, if it exists.
    pub fn report(&self) -> Option<String> {
        self.read_run_file(REPORT)
    }

    /// Returns the path of a source's document below the folder, without our extension.
    pub fn document_name(file: &str) -> PathBuf {
        document_name(file).split('/').collect()
    }

    fn written(&self, file: &StagedFile) -> WrittenFile {
        let below = file.target().strip_prefix(&self.root).unwrap_or(file.target());
        let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        WrittenFile {
            name: parts.join("/"),
            size: file.size,
            hash: file.hash,
            changed: durable::modified_ns(file.target()),
        }
    }

    /// Removes the documents of deleted sources, given the sources' names, and then the folders that become empty. Returns whether each document
    /// existed. Links are neither followed nor removed, and edited pages stay.
    pub fn remove(&self, sources: &[SourceId]) -> Vec<(SourceId, io::Result<bool>)> {
        let mut touched = BTreeSet::new();
        let removed = sources.iter().map(|source| {
            let owners = self.ownership.document_owners(&self.root, source);
            let removed = self.places(source).into_iter().zip(owners).try_fold(false, |removed, (place, owner)| {
                match owner {
                    FileOwner::Edited => return self.place_of(place, owner).map(|_| removed),
                    FileOwner::Foreign => return Err(not_ours(&place)),
                    FileOwner::Nobody | FileOwner::Ours => {}
                }
                let there = self.remove_file(&place)?;
                if there {
                    touched.insert(parent_folder(&place).to_owned());
                }
                Ok(removed || there)
            });
            (source.clone(), removed)
        });
        let mut removed: Vec<(SourceId, io::Result<bool>)> = removed.collect();
        let mut left = BTreeSet::new();
        for folder in touched {
            // Removing a folder that is not empty fails, which ends the loop.
            let gone = |folder: &&Path| *folder != self.root && std::fs::remove_dir(folder).is_ok();
            let kept = folder.ancestors().find(|folder| !gone(folder));
            left.extend(kept.map(Path::to_owned));
        }
        // The removed folders may be created again in this run.
        self.folders.lock().clear();
        for folder in left.into_iter().filter(|folder| folder.exists()) {
            if let Err(error) = sync_folder(&folder) {
                let below = |source: &SourceId| self.places(source)[0].starts_with(&folder);
                for (_, removed) in removed.iter_mut().filter(|(source, _)| below(source)) {
                    *removed = Err(io::Error::new(error.kind(), error.to_string()));
                }
            }
        }
        removed
    }

    /// Removes a file of ours and returns whether it existed.
    fn remove_file(&self, place: &Path) -> io::Result<bool> {
        match file_state(&self.root, place) {
            FileState::Nothing => Ok(false),
            FileState::File => std::fs::remove_file(place).map(|()| true),
            FileState::Other => Err(not_ours(place)),
        }
    }

    /// Returns the paths of a source's document.
    fn places(&self, source: &SourceId) -> [PathBuf; 2] {
        document_paths(&self.root, source)
    }

    /// Returns the path of a name below the folder; `None` for a name that leads out of it.
    fn below(&self, name: &str) -> Option<PathBuf> {
        let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        (stays && !name.is_empty()).then(|| self.root.join(name))
    }

    /// Creates a folder below the root. An existing folder is synced once, too: a killed run may have created it.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        let mut known = self.folders.lock();
        let unknown = folder.ancestors().take_while(|folder| *folder != self.root && !known.contains(*folder));
        let unknown: Vec<&Path> = unknown.collect();
        for folder in unknown.into_iter().rev() {
            match std::fs::create_dir(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                // A link may lead out of the folder.
                Err(_) if !std::fs::symlink_metadata(folder)?.is_dir() => {
                    let message = format!("`{}` is no folder", folder.display());
                    return Err(io::Error::new(io::ErrorKind::NotADirectory, message));
                }
                Ok(()) | Err(_) => {}
            }
            sync_folder(parent_folder(folder))?;
            known.insert(folder.to_owned());
        }
        Ok(())
    }

    fn noting_failure<T>(&self, write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        // An obstacle to one document says nothing about the others.
        let is_in_the_way = |error: &io::Error| {
            use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, IsADirectory, NotADirectory};
            matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | IsADirectory | NotADirectory)
        };
        write().inspect_err(|error| {
            self.storage_failed.fetch_or(!is_in_the_way(error), Ordering::AcqRel);
        })
    }
}

impl DocumentSink for OutputFolder {
    type StagedDocument = StagedFiles;

    fn has_document(&self, source: &SourceId) -> bool {
        self.places(source)[0].exists()
    }

    fn read_document(&self, source: &SourceId) -> Option<PublishedDocument> {
        let bytes = std::fs::read(&self.places(source)[0]).ok()?;
        let document: Document = serde_json::from_slice(&bytes).ok()?;
        let is_as_written = SealedDocument::of(&bytes).is_some_and(|sealed| sealed.is_intact());
        Some(PublishedDocument { document, is_canonical: is_as_written })
    }

    fn is_document_current(&self, document: &Document) -> bool {
        let [json, page] = self.places(&SourceId(document.header.file_name.clone()));
        let holds =
            |place: &Path, bytes: &[u8]| durable::matches_content(place, bytes.len() as u64, ContentHash::of(bytes));
        let text = render_page(document, &page, &self.sources, self.web.as_ref());
        let mut sealed = Vec::new();
        document.write_sealed(&text, &mut sealed).expect("a vector takes every write");
        if !holds(&json, &sealed) {
            return false;
        }
        let source = SourceId(document.header.file_name.clone());
        let owner = self.ownership.document_owners(&self.root, &source)[1];
        match self.place_of(page, owner) {
            Ok(Some(page)) => holds(&page, text.as_bytes()),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    // The file is read only when its time says that it may have changed.
    fn is_current(&self, recorded: &WrittenFile) -> bool {
        let Some(path) = self.below(&recorded.name) else { return false };
        // The page of a document is not recorded when a person has edited it. If the page is missing, it must be written again.
        let page = recorded.name.strip_suffix(".json").map(|name| self.root.join(format!("{name}.md")));
        if page.is_some_and(|page| std::fs::symlink_metadata(page).is_err()) {
            return false;
        }
        let same_length =
            std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_file() && data.len() == recorded.size);
        let same_time = || recorded.changed.is_some() && durable::modified_ns(&path) == recorded.changed;
        same_length && (same_time() || durable::matches_content(&path, recorded.size, recorded.hash))
    }

    fn stage(&self, document: &Document) -> io::Result<StagedFiles> {
        self.noting_failure(|| {
            let source = SourceId(document.header.file_name.clone());
            let [json, page] = self.places(&source);
            let text = render_page(document, &page, &self.sources, self.web.as_ref());
            self.make_folder(parent_folder(&json))?;
            let [of_json, of_page] = self.ownership.document_owners(&self.root, &source);
            if of_json == FileOwner::Foreign {
                return Err(not_ours(&json));
            }
            let page = self.place_of(page, of_page)?;
            let mut files = vec![StagedFile::write(&json, |file| document.write_sealed(&text, file))?];
            if let Some(page) = page {
                files.push(StagedFile::write(&page, |file| file.write_all(text.as_bytes()))?);
            }
            let rows = self.keeper.as_ref().and_then(|keeper| keeper.stage_rows(document));
            Ok(StagedFiles { source, files, rows })
        })
    }

    fn publish(&self, mut staged: Vec<StagedFiles>) -> Vec<io::Result<Vec<WrittenFile>>> {
        let told: Vec<(SourceId, Option<StagedRows>)> =
            staged.iter_mut().map(|staged| (staged.source.clone(), staged.rows.take())).collect();
        // Each file, and whether to rename it: an identical file stays.
        let ready = durable::parallel_map(&staged, |StagedFiles { files, .. }| {
            let is_new = |file: &StagedFile| if file.is_unchanged() { Ok(false) } else { file.sync().map(|()| true) };
            files.iter().map(is_new).collect::<io::Result<Vec<bool>>>()
        });
        let mut renamed = Vec::with_capacity(ready.len());
        let mut folders = BTreeSet::new();
        for (StagedFiles { mut files, .. }, is_new) in staged.into_iter().zip(ready) {
            let files = is_new.and_then(|is_new| {
                let mut new = files.iter_mut().zip(is_new).filter(|(_, is_new)| *is_new);
                new.try_for_each(|(file, _)| file.publish())?;
                // An existing file may have been renamed by a run that died before it synced the folder.
                folders.extend(files.iter().map(|file| parent_folder(file.target()).to_owned()));
                Ok(files)
            });
            renamed.push(files);
        }
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let synced = durable::parallel_map(&folders, |folder| sync_folder(folder));
        let unsynced: Vec<(PathBuf, io::Error)> =
            folders.into_iter().zip(synced).filter_map(|(folder, synced)| Some((folder, synced.err()?))).collect();
        let published = renamed.into_iter().map(|files| {
            self.noting_failure(|| {
                let files = files?;
                let failed =
                    |file: &StagedFile| unsynced.iter().find(|(folder, _)| folder == parent_folder(file.target()));
                if let Some((_, error)) = files.iter().find_map(failed) {
                    return Err(io::Error::new(error.kind(), error.to_string()));
                }
                Ok(files.iter().map(|file| self.written(file)).collect())
            })
        });
        let published: Vec<io::Result<Vec<WrittenFile>>> = published.collect();
        if let Some(keeper) = &self.keeper {
            for ((source, rows), files) in told.into_iter().zip(&published) {
                if let Some(json) = files.as_ref().ok().and_then(|files| files.first()) {
                    keeper.on_published(&source.0, json, rows);
                }
            }
        }
        published
    }
}

fn not_ours(place: &Path) -> io::Error {
    let message = format!("`{}` is not what this program writes", place.display());
    io::Error::new(io::ErrorKind::AlreadyExists, message)
}

/// Returns the paths of the JSON and the page of a source's document below a folder.
pub fn document_paths(root: &Path, source: &SourceId) -> [PathBuf; 2] {
    let name = root.join(OutputFolder::document_name(&source.0));
    SUFFIXES.map(|suffix| with_suffix(&name, suffix))
}

/// Returns the paths that the documents in a folder were made from, as far as the folder records them.
pub fn documented_roots(root: &Path) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct RunJson {
        #[serde(default)]
        documents_of: Vec<String>,
    }
    let run = std::fs::read(root.join(REPORT)).ok();
    let run = run.and_then(|bytes| serde_json::from_slice::<RunJson>(&bytes).ok());
    let paths = run.map(|run| run.documents_of).unwrap_or_default();
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    paths.iter().map(|path| normalize_path(&root.join(path))).collect()
}

fn with_suffix(name: &Path, suffix: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the path from a folder to a file, with `/` between folders.
pub fn relative_path(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
