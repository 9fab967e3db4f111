//! The output folder: a document a source, the index, and the run's report.
//!
//! Documents are staged first, each as two temporary files, and then published many at a time: all files are brought to the disk, all
//! renamed, and then each folder is brought to the disk once. Nothing outside the folder is ever written or removed.

mod document_page;
mod ownership;

pub use document_page::{SourceBrowser, render_page};
pub use ownership::{EditedPagePolicy, FileOwner, Ownership, RUN_PAGES, is_unedited, mark_page};

use crate::failure::Failure;
use ownership::{FileState, file_state, sidecar_path};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use war_rig_catalogue::{CatalogueUpdater, StagedRows};
use war_rig_pool::{DocumentSink, PublishedDocument, SourceId, WrittenFile};
use war_rig_store::durable::{self, StagedFile, parent_folder, sync_folder};
use war_rig_template::{Document, SealedDocument, document_name};
use war_rig_text::ContentHash;

use crate::sources::{Inventory, normalize_path};
use crate::store_failures::list_names;

/// The report of a run.
const REPORT: &str = "run.json";

/// What a document's two files end with, beside the name of its source.
const SUFFIXES: [&str; 2] = ["json", "md"];

/// The folder that documents are written to.
pub struct OutputFolder {
    root: PathBuf,
    sources: Arc<Inventory>,
    /// Where the sources are shown on the web, if pages link there.
    web: Option<SourceBrowser>,
    storage_failed: AtomicBool,
    /// The folders below the root that are known to be there and on the disk.
    folders: Mutex<HashSet<PathBuf>>,
    /// What keeps the catalogue, where there is one.
    keeper: Option<CatalogueUpdater>,
    /// Whose the files are that stand there.
    ownership: Ownership,
    /// What becomes of a page that a person has changed, and the pages of which that was found.
    edited: EditedPagePolicy,
    found_edited: Mutex<BTreeSet<String>>,
}

/// What a document's JSON says of itself.
#[derive(Deserialize)]
struct DocumentHead {
    header: DocumentHeadHeader,
}

#[derive(Deserialize)]
struct DocumentHeadHeader {
    file_name: String,
    // A document has these; other JSON seldom has both.
    #[serde(rename = "source_hash")]
    _source_hash: String,
}

/// The source that a JSON is the document of; none where it is no document.
pub fn documented_source(json: &[u8]) -> Option<String> {
    serde_json::from_slice::<DocumentHead>(json).ok().map(|head| head.header.file_name)
}

/// What `run.json` says of the pages beside it.
#[derive(Deserialize)]
struct RunJsonPages {
    #[serde(default)]
    pages: BTreeMap<String, ContentHash>,
}

/// A document that is written but does not stand at its place yet. Dropped, nothing is left of it.
#[derive(Debug)]
pub struct StagedFiles {
    source: SourceId,
    files: Vec<StagedFile>,
    /// Its rows for the catalogue; none where they are not to be had in memory.
    rows: Option<StagedRows>,
}

impl OutputFolder {
    /// Makes the folder and tries whether it can be written, so that a full or read-only one is found before the work. What dead runs
    /// have left there of files that they were writing is removed.
    ///
    /// # Errors
    /// A usage failure, before anything is written, when files that are not ours stand in the place of ours, or edited pages that are to
    /// stop the run; a storage failure when it cannot be made or written.
    pub fn open(
        root: &Path,
        sources: Arc<Inventory>,
        web: Option<SourceBrowser>,
        ownership: Ownership,
        edited: EditedPagePolicy,
    ) -> Result<Self, Failure> {
        let fail = |error| {
            Failure::cannot_write(root, error)
                .with_hint("name a folder that can be written with -o; nothing was done")
        };
        // Links are reckoned from names without `..`, as those of the sources are.
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
        folder.refuse()?;
        durable::make_folder(&folder.root).map_err(fail)?;
        durable::remove_leftovers(&folder.root);
        StagedFile::write(&folder.root.join("index.md"), |file| file.write_all(b"\n")).map_err(fail)?;
        Ok(folder)
    }

    /// Refuses to begin where something would be overwritten that is not ours, or not to be overwritten.
    fn refuse(&self) -> Result<(), Failure> {
        // What is no folder has nothing to lose, and is told of where it cannot be written.
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
            // Whether a page was changed, its bytes alone say, which are many.
            let owners = match self.edited {
                EditedPagePolicy::Stop => self.ownership.document_owners(&self.root, source),
                EditedPagePolicy::Keep | EditedPagePolicy::Beside => {
                    let foreign = self.ownership.foreign_files(&self.root, source);
                    foreign.map(|foreign| if foreign { FileOwner::Foreign } else { FileOwner::Nobody })
                }
            };
            self.places(source).iter().zip(owners).for_each(|(place, owner)| note(place, owner));
        }
        for name in RUN_PAGES {
            note(&self.root.join(name), self.ownership.after_overwrite(self.owner_of_page(name)));
        }
        note(&self.root.join(REPORT), self.ownership.report_owner(&self.root, REPORT));
        let named = |names: &[String]| list_names(&names.iter().map(String::as_str).collect::<Vec<_>>());
        if !foreign.is_empty() {
            return Err(Failure::usage(format!(
                "files stand in `{}` that this program has not written, where documents belong: {}",
                self.root.display(),
                named(&foreign)
            ))
            .with_hint(
                "name another folder with -o, or overwrite them with --overwrite-foreign; nothing was done",
            ));
        }
        if self.edited == EditedPagePolicy::Stop && !edited.is_empty() {
            return Err(Failure::usage(format!(
                "pages in `{}` were changed since they were written: {}",
                self.root.display(),
                named(&edited)
            ))
            .with_hint("move what was added to another file, or set `output.edited` to keep or beside; nothing was done"));
        }
        Ok(())
    }

    /// Whose a page of the run itself is.
    fn owner_of_page(&self, name: &str) -> FileOwner {
        let report =
            self.read_run_file(REPORT).and_then(|text| serde_json::from_str::<RunJsonPages>(&text).ok());
        let reported = report.and_then(|report| report.pages.get(name).copied());
        let is_ours =
            |source: &SourceId| self.ownership.document_owners(&self.root, source)[0] == FileOwner::Ours;
        let vouched = || self.sources.all_sources().iter().any(is_ours);
        self.ownership.run_page_owner(&self.root, name, reported, vouched)
    }

    /// Where a new page goes: to its place, or beside the one that a person has changed; none where that one stays alone.
    fn place_of(&self, page: PathBuf, owner: FileOwner) -> io::Result<Option<PathBuf>> {
        match owner {
            FileOwner::Nobody | FileOwner::Ours => return Ok(Some(page)),
            FileOwner::Foreign => return Err(not_ours(&page)),
            FileOwner::Edited => {}
        }
        let mut found = self.found_edited.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(relative_path(&self.root, &page));
        Ok((self.edited != EditedPagePolicy::Keep).then(|| sidecar_path(&page)))
    }

    /// The pages that were found to be changed by a person, by name.
    pub fn edited_pages(&self) -> Vec<String> {
        self.found_edited.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The same folder, of which a catalogue is kept.
    #[must_use]
    pub fn with_updater(self, keeper: CatalogueUpdater) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// What keeps the catalogue, where there is one.
    pub fn updater(&self) -> Option<&CatalogueUpdater> {
        self.keeper.as_ref()
    }

    /// Whether some document could not be written.
    pub fn storage_failed(&self) -> bool {
        self.storage_failed.load(Ordering::Acquire)
    }

    /// Writes a page of the run itself, and gives its hash; none where one stays that a person has changed.
    ///
    /// # Errors
    /// A storage failure.
    pub fn write_page(&self, name: &str, page: &str) -> Result<Option<ContentHash>, Failure> {
        let path = self.root.join(name);
        let text = mark_page(page);
        // One of an earlier version has no mark, and may be the same but for that.
        let is_same = || self.read_run_file(name).is_some_and(|stands| stands == page || stands == text);
        let owner = match self.owner_of_page(name) {
            FileOwner::Edited if is_same() => FileOwner::Ours,
            owner => self.ownership.after_overwrite(owner),
        };
        let place =
            self.place_of(path.clone(), owner).map_err(|error| Failure::cannot_write(&path, error))?;
        let Some(place) = place else { return Ok(None) };
        self.write(&place, &text)?;
        Ok((place == path).then(|| ContentHash::of(text.as_bytes())))
    }

    /// Writes the report of the run.
    ///
    /// # Errors
    /// A storage failure.
    pub fn write_report(&self, text: &str) -> Result<(), Failure> {
        self.write(&self.root.join(REPORT), text)
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let written =
            match durable::matches_content(path, text.len() as u64, ContentHash::of(text.as_bytes())) {
                true => Ok(()),
                false => durable::replace_file(path, text.as_bytes()),
            };
        written.map_err(|error| {
            Failure::cannot_write(path, error)
                .with_hint("the documents written so far are whole; run again once there is room")
        })
    }

    /// How pages lead to the sources: by the path from here, or from the top of their repository.
    pub fn source_link_base(&self) -> String {
        match &self.web {
            Some(web) => web.folder.clone(),
            None => relative_path(&self.root, &self.sources.base),
        }
    }

    /// The paths that were documented, from here on.
    pub fn documented_paths(&self) -> Vec<String> {
        self.sources.roots.iter().map(|path| relative_path(&self.root, path)).collect()
    }

    /// A file of the run itself, if it is there.
    pub fn read_run_file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.below(name)?).ok()
    }

    /// The report of an earlier run, if it is there.
    pub fn report(&self) -> Option<String> {
        self.read_run_file(REPORT)
    }

    /// Removes a page of an earlier run which this one has nothing to put in, unless a person has changed it.
    ///
    /// # Errors
    /// A storage failure.
    pub fn remove_page(&self, name: &str) -> Result<(), Failure> {
        let path = self.root.join(name);
        match self.owner_of_page(name) {
            FileOwner::Ours => self.remove_file(&path).map(|_| ()),
            FileOwner::Edited => self.place_of(path.clone(), FileOwner::Edited).map(|_| ()),
            FileOwner::Nobody | FileOwner::Foreign => Ok(()),
        }
        .map_err(|error| Failure::cannot_write(&path, error))
    }

    /// The path of a source's document below the folder, without extension of ours.
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

    /// Removes the documents of sources that are gone, by the names of those sources, and then the folders that are empty without
    /// them. Says of each whether there was one. Links are neither followed nor removed, and a page that a person has changed stays.
    pub fn remove(&self, sources: &[SourceId]) -> Vec<(SourceId, io::Result<bool>)> {
        let mut touched = BTreeSet::new();
        let removed = sources.iter().map(|source| {
            let owners = self.ownership.document_owners(&self.root, source);
            let removed =
                self.places(source).into_iter().zip(owners).try_fold(false, |removed, (place, owner)| {
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
            // A folder that is not empty is not removed, which is what ends this.
            let gone = |folder: &&Path| *folder != self.root && std::fs::remove_dir(folder).is_ok();
            let kept = folder.ancestors().find(|folder| !gone(folder));
            left.extend(kept.map(Path::to_owned));
        }
        // Those that were removed may be made again in this run.
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).clear();
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

    /// Removes a file of ours, and says whether it was there.
    fn remove_file(&self, place: &Path) -> io::Result<bool> {
        match file_state(&self.root, place) {
            FileState::Nothing => Ok(false),
            FileState::File => std::fs::remove_file(place).map(|()| true),
            FileState::Other => Err(not_ours(place)),
        }
    }

    /// Where the files of a source's document stand.
    fn places(&self, source: &SourceId) -> [PathBuf; 2] {
        document_paths(&self.root, source)
    }

    /// The path of a name below the folder; none for one that leads out of it.
    fn below(&self, name: &str) -> Option<PathBuf> {
        let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        (stays && !name.is_empty()).then(|| self.root.join(name))
    }

    /// Makes a folder below the root. Also one that is there already is synced once: a run that died may have made it.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown =
            folder.ancestors().take_while(|folder| *folder != self.root && !known.contains(*folder));
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
        // What stands in the way of one document says nothing of the others.
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
        let holds = |place: &Path, bytes: &[u8]| {
            durable::matches_content(place, bytes.len() as u64, ContentHash::of(bytes))
        };
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

    // It is read only where its time says that it may have changed.
    fn is_current(&self, recorded: &WrittenFile) -> bool {
        let Some(path) = self.below(&recorded.name) else { return false };
        // The page of a document is not recorded where a person has changed it. Without one it is to be written again.
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
        // Each file, and whether it is to be renamed: one that stands there already is not.
        let ready = durable::parallel_map(&staged, |StagedFiles { files, .. }| {
            let is_new =
                |file: &StagedFile| if file.is_unchanged() { Ok(false) } else { file.sync().map(|()| true) };
            files.iter().map(is_new).collect::<io::Result<Vec<bool>>>()
        });
        let mut renamed = Vec::with_capacity(ready.len());
        let mut folders = BTreeSet::new();
        for (StagedFiles { mut files, .. }, is_new) in staged.into_iter().zip(ready) {
            let files = is_new.and_then(|is_new| {
                let mut new = files.iter_mut().zip(is_new).filter(|(_, is_new)| *is_new);
                new.try_for_each(|(file, _)| file.publish())?;
                // What stands there already may have been renamed by a run that died before its folder was synced.
                folders.extend(files.iter().map(|file| parent_folder(file.target()).to_owned()));
                Ok(files)
            });
            renamed.push(files);
        }
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let synced = durable::parallel_map(&folders, |folder| sync_folder(folder));
        let unsynced: Vec<(PathBuf, io::Error)> = folders
            .into_iter()
            .zip(synced)
            .filter_map(|(folder, synced)| Some((folder, synced.err()?)))
            .collect();
        let published = renamed.into_iter().map(|files| {
            self.noting_failure(|| {
                let files = files?;
                let failed = |file: &StagedFile| {
                    unsynced.iter().find(|(folder, _)| folder == parent_folder(file.target()))
                };
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

/// Where the JSON and the page of a source's document stand below a folder.
pub fn document_paths(root: &Path, source: &SourceId) -> [PathBuf; 2] {
    let name = root.join(OutputFolder::document_name(&source.0));
    SUFFIXES.map(|suffix| with_suffix(&name, suffix))
}

fn with_suffix(name: &Path, suffix: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// The path from a folder to a file, with `/` between folders.
pub fn relative_path(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
