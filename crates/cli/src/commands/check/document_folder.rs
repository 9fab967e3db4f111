//! The folder of documents to check.

use crate::failure::Failure;
use crate::output::{
    FileOwner, Ownership, SourceBrowser, document_paths, documented_roots, documented_source, estate_pages,
    relative_path,
};
use crate::printer::Printer;
use crate::settings::{Globs, Settings, SourceSettings};
use crate::sources::{Inventory, normalize_path};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;
use war_rig_check::{Finding, FindingLocation, ReportPaths, Rule};
use war_rig_pool::SourceId;
use war_rig_scribe::SourceFolder;
use war_rig_template::{ESTATE_JSON, EstateOverview, document_name};

/// A folder of documents.
pub struct DocumentFolder {
    root: PathBuf,
}

impl DocumentFolder {
    /// Opens the folder, which must exist.
    ///
    /// # Errors
    /// A usage failure when it does not exist.
    pub fn open(root: &Path) -> Result<Self, Failure> {
        let hint = "--docs names the folder that `war-rig document` was given with -o";
        let found = std::fs::metadata(root).map_err(|error| Failure::cannot_read(root, error).with_hint(hint))?;
        if !found.is_dir() {
            return Err(Failure::usage(format!("`{}` is no folder", root.display())).with_hint(hint));
        }
        let absolute = std::path::absolute(root).map_err(|error| Failure::cannot_read(root, error))?;
        Ok(Self { root: normalize_path(&absolute) })
    }

    /// Returns its path, absolute and without `.` and `..`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the sources that should have a document here. When the paths are a subset of those that the documents were made from, names are
    /// relative to the documented folder, and the other sources are known although only these are picked.
    ///
    /// # Errors
    /// As [`Inventory::scan`].
    pub fn sources(
        &self,
        paths: &[PathBuf],
        settings: &Settings,
        only: Option<&Globs>,
        printer: &Printer,
    ) -> Result<Inventory, Failure> {
        let absolute = |path: &PathBuf| {
            std::fs::metadata(path)
                .and_then(|_| std::path::absolute(path))
                .map(|path| normalize_path(&path))
                .map_err(|error| Failure::cannot_read(path, error))
        };
        let asked = paths.iter().map(absolute).collect::<Result<Vec<PathBuf>, Failure>>()?;
        let whole = documented_roots(&self.root);
        let is_there = whole.iter().all(|root| root.exists());
        let is_part =
            !whole.is_empty() && asked.iter().all(|path| whole.iter().any(|root| path.starts_with(root))) && is_there;
        if !is_part {
            if let Some(root) = whole.iter().find(|root| !root.exists()) {
                printer.note(&format!(
                    "the documents were made from `{}`, which is not there; sources are named from the paths that were given",
                    root.display()
                ));
            }
            return Inventory::scan(paths, settings, only, printer);
        }
        let mut sources = Inventory::scan(&whole, settings, only, printer)?;
        sources.pick_below(&asked);
        if sources.picked.is_empty() {
            return Err(Failure::usage("none of the paths is a source of these documents")
                .with_hint("name sources, or the folder that the documents were made from"));
        }
        Ok(sources)
    }

    /// Reads the JSON of a source's document; `None` when it does not exist.
    ///
    /// # Errors
    /// The reading error as text.
    pub fn json(&self, source: &SourceId) -> Option<Result<Vec<u8>, String>> {
        let [json, _] = document_paths(&self.root, source);
        found(read_regular(&json))
    }

    /// Reads the page of a source; `None` when it does not exist.
    ///
    /// # Errors
    /// The reading error as text.
    pub fn page(&self, source: &SourceId) -> Option<Result<String, String>> {
        let utf8 = |bytes| String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
        let [_, page] = document_paths(&self.root, source);
        found(read_regular(&page).and_then(utf8))
    }

    /// Finds the documents of deleted sources, as far as the sources would be below the requested paths.
    pub fn orphans(&self, sources: &Inventory, paths: &[PathBuf], only: Option<&Globs>) -> Vec<Finding> {
        let asked: Vec<PathBuf> =
            paths.iter().filter_map(|path| Some(normalize_path(&std::path::absolute(path).ok()?))).collect();
        let known: HashSet<String> = sources.all_sources().iter().map(|id| document_name(&id.0)).collect();
        let entries = WalkDir::new(&self.root).sort_by_file_name().into_iter().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_file());
        // For a subset of the sources, the documents of files below it.
        let is_asked_for = |file: &str| {
            let path = sources.base.join(file);
            asked.iter().any(|root| path.starts_with(root))
                && !sources.unlisted.iter().any(|folder| path.starts_with(folder))
                && only.is_none_or(|only| only.matches(file))
        };
        let orphan = |path: &Path| {
            let name = relative_path(&self.root, path);
            let name = name.strip_suffix(".json")?;
            if known.contains(name) {
                return None;
            }
            let file = documented_source(&std::fs::read(path).ok()?)?;
            // A document stored under the wrong name is reported by its actual name.
            let file = if document_name(&file) == name { file } else { name.to_owned() };
            is_asked_for(&file).then(|| Finding {
                place: FindingLocation::Document,
                ..Finding::new(Rule::OrphanDocument, file, "there is no source of this name any more")
            })
        };
        files.filter_map(|entry| orphan(entry.path())).collect()
    }

    /// Finds the run's own pages that have been edited since they were written.
    pub fn edited_pages(&self) -> Vec<Finding> {
        let is_changed =
            |name: &String| Ownership::default().run_page_owner(&self.root, name, None, || false) == FileOwner::Edited;
        let finding = |name: String| folder_finding(&name, "it was changed since it was written");
        estate_pages(&self.root).into_iter().filter(is_changed).map(finding).collect()
    }

    /// Reads a page of the run itself; `None` when it does not exist or cannot be read.
    pub fn run_page(&self, name: &str) -> Option<String> {
        let bytes = read_regular(&self.root.join(name)).ok()?;
        String::from_utf8(bytes).ok().map(|page| page.replace("\r\n", "\n"))
    }

    /// Finds entries that no run has written: symbolic links, and pages without a document beside them.
    pub fn foreign_files(&self, sources: &Inventory, settings: &SourceSettings) -> Vec<Finding> {
        let known: HashSet<String> = sources.all_sources().iter().map(|id| document_name(&id.0)).collect();
        let entries = WalkDir::new(&self.root).sort_by_file_name().into_iter().filter_map(Result::ok);
        let stranger = |entry: walkdir::DirEntry| {
            let name = relative_path(&self.root, entry.path());
            if entry.path_is_symlink() {
                return (entry.depth() > 0)
                    .then(|| folder_finding(&name, "it is a link, and what it leads to is no run's"));
            }
            let of = name.strip_suffix(".md").filter(|_| entry.file_type().is_file())?;
            let has_document = entry.path().with_file_name(format!("{}.json", plain_name(of))).is_file();
            // The document of an existing source is missing, which is reported there.
            let is_of_a_source = sources.would_be_source(&sources.base.join(of), settings);
            (is_of_a_source && !has_document && !known.contains(of))
                .then(|| folder_finding(&name, "it is a page without a document, which no run has written"))
        };
        entries.filter_map(stranger).collect()
    }

    /// Returns the names of the pages about the estate that exist, or may.
    pub fn estate_pages(&self) -> Vec<String> {
        estate_pages(&self.root)
    }

    /// Returns what `estate.json` says; nothing if there is none that can be read.
    pub fn estate_overview(&self) -> EstateOverview {
        let bytes = read_regular(&self.root.join(ESTATE_JSON)).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Returns the programs that each entry point starts, by the entry point's page. There are none without a readable `estate.json`.
    pub fn entry_points(&self) -> HashMap<String, Vec<String>> {
        self.estate_overview().entry_points.into_iter().map(|entry| (entry.page, entry.programs)).collect()
    }

    /// Returns where the pages about the estate find the sources.
    pub fn source_folder(&self, web: Option<&SourceBrowser>, sources: &Inventory) -> SourceFolder {
        SourceBrowser::source_folder(web, &self.root, sources)
    }

    /// Returns the path of a source's page.
    pub fn page_path(&self, source: &SourceId) -> PathBuf {
        let [_, page] = document_paths(&self.root, source);
        page
    }

    /// Returns the locations of sources and documents relative to the root of the repository.
    pub fn paths(&self, sources: &Inventory, here: &Path) -> ReportPaths {
        let root = repository(&sources.base).unwrap_or_else(|| here.to_owned());
        let below = |folder: &Path| {
            let path = relative_path(&root, folder);
            if path.is_empty() { path } else { format!("{path}/") }
        };
        ReportPaths { sources: below(&sources.base), documents: below(&self.root) }
    }
}

/// Creates a finding about a file of the folder itself.
pub fn folder_finding(name: &str, message: impl Into<String>) -> Finding {
    Finding { place: FindingLocation::Folder, ..Finding::new(Rule::StaleDocument, name, message) }
}

/// Returns the last part of a name.
fn plain_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Reads a regular file: a pipe would block the check, and a device might never end.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::metadata(path)?.is_file() {
        true => std::fs::read(path),
        false => Err(io::Error::other("it is no regular file")),
    }
}

/// Converts a read result; `None` when there is no file.
fn found<T>(read: io::Result<T>) -> Option<Result<T, String>> {
    match read {
        Ok(read) => Some(Ok(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Returns the nearest parent folder with a repository. A check works without git, so git is not called.
fn repository(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}
