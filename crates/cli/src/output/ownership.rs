//! The owners of the files in an output folder.
//!
//! The folder belongs to the user. A run overwrites and removes only files that it knows to be its own: a document by the store or by its JSON, a
//! page by the seal of the JSON beside it, and the run's own pages by a mark at their end. A person's edits are never lost silently. Line ends, which
//! tools change, do not count as edits.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use war_rig_pool::{SourceId, StoredTicket};
use war_rig_scribe::{ESTATE_FOLDERS, ESTATE_PAGES};
use war_rig_template::{SealedDocument, normalize_line_ends};
use war_rig_text::{ContentHash, unix_line_ends};

use super::{document_paths, documented_source, relative_path, with_suffix};

/// The owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOwner {
    /// No file exists.
    Nobody,
    /// Ours and unchanged.
    Ours,
    /// Ours, but edited by somebody.
    Edited,
    /// Not ours, or only reachable through a link.
    Foreign,
}

/// What is known of the files in an output folder.
#[derive(Debug, Clone, Default)]
pub struct Ownership {
    /// The hashes of the files that the store has recorded, by name.
    recorded: HashMap<String, ContentHash>,
    /// Whether foreign files may be overwritten.
    overwrites_foreign: bool,
}

impl Ownership {
    /// Collects what the tickets of earlier runs record about the folder.
    pub fn from_tickets(tickets: &[StoredTicket], overwrites_foreign: bool) -> Self {
        let files = tickets.iter().filter_map(|ticket| ticket.build_record.as_ref()).flat_map(|made| &made.files);
        Self { recorded: files.map(|file| (file.name.clone(), file.hash)).collect(), overwrites_foreign }
    }

    /// Returns which of the JSON and the page of a source's document exist and are not ours. Files recorded in the store are not read.
    pub fn foreign_files(&self, root: &Path, source: &SourceId) -> [bool; 2] {
        let [json, page] = document_paths(root, source);
        let has_document = OnceCell::new();
        let has_document = || {
            *has_document.get_or_init(|| match file_state(root, &json) {
                FileState::File => std::fs::read(&json).is_ok_and(|bytes| documented_source(&bytes).is_some()),
                FileState::Nothing | FileState::Other => false,
            })
        };
        [&json, &page].map(|place| match file_state(root, place) {
            FileState::Nothing => false,
            FileState::Other => !self.overwrites_foreign,
            FileState::File => !self.overwrites_foreign && self.hash(root, place).is_none() && !has_document(),
        })
    }

    /// Returns the owners of the JSON and the page of a source's document.
    pub fn document_owners(&self, root: &Path, source: &SourceId) -> [FileOwner; 2] {
        let [json, page] = document_paths(root, source);
        let bytes = match read(root, &json) {
            FileContent::Nothing => None,
            FileContent::File(bytes) => Some(bytes),
            FileContent::Other => return [FileOwner::Foreign; 2],
        };
        let is_ours = |bytes: &Vec<u8>| self.hash(root, &json).is_some() || documented_source(bytes).is_some();
        let of_json = match &bytes {
            None => FileOwner::Nobody,
            Some(bytes) if is_ours(bytes) => FileOwner::Ours,
            Some(_) => FileOwner::Foreign,
        };
        let of_page = match read(root, &page) {
            FileContent::Nothing => FileOwner::Nobody,
            FileContent::Other => FileOwner::Foreign,
            FileContent::File(text) => {
                let text = unix_line_ends(&text);
                let recorded = self.hash(root, &page);
                let is_sealed = || {
                    let page = std::str::from_utf8(&text).ok();
                    let json = normalize_line_ends(bytes.as_deref().unwrap_or_default());
                    SealedDocument::of(&json).zip(page).is_some_and(|(sealed, page)| sealed.matches_page(page))
                };
                if recorded.is_some_and(|hash| hash == ContentHash::of(&text)) || is_sealed() {
                    FileOwner::Ours
                } else if recorded.is_some() || of_json == FileOwner::Ours {
                    FileOwner::Edited
                } else {
                    FileOwner::Foreign
                }
            }
        };
        [of_json, of_page].map(|owner| self.after_overwrite(owner))
    }

    /// Returns the owner of a page of the run itself. Pages of earlier versions have no mark: the run's report has their hashes, or `vouched` says
    /// that our documents are beside them.
    pub fn run_page_owner(
        &self,
        root: &Path,
        name: &str,
        reported: Option<ContentHash>,
        vouched: impl FnOnce() -> bool,
    ) -> FileOwner {
        let text = match read(root, &root.join(name)) {
            FileContent::Nothing => return FileOwner::Nobody,
            FileContent::Other => return FileOwner::Foreign,
            FileContent::File(bytes) => unix_line_ends(&bytes).into_owned(),
        };
        let text = String::from_utf8_lossy(&text);
        let is_as_written = |is: bool| if is { FileOwner::Ours } else { FileOwner::Edited };
        match (text.rfind(MARK), reported) {
            (Some(_), _) => is_as_written(is_unedited(&text)),
            (None, Some(hash)) => is_as_written(hash == ContentHash::of(text.as_bytes())),
            (None, None) if !self.overwrites_foreign && vouched() => FileOwner::Edited,
            (None, None) => FileOwner::Foreign,
        }
    }

    /// Returns the owner of a run's report: it is ours when it says so, and one of an earlier version is recognized by its content.
    pub fn report_owner(&self, root: &Path, name: &str) -> FileOwner {
        match read(root, &root.join(name)) {
            FileContent::Nothing => FileOwner::Nobody,
            FileContent::Other => self.after_overwrite(FileOwner::Foreign),
            FileContent::File(bytes) => {
                let report = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_default();
                let has = |field: &str| !report[field].is_null();
                let is_ours = has("written_by") || (has("prompts_over_budget") && has("documented"));
                if is_ours { FileOwner::Ours } else { self.after_overwrite(FileOwner::Foreign) }
            }
        }
    }

    /// Returns the owner after applying the permission to overwrite foreign files.
    pub fn after_overwrite(&self, owner: FileOwner) -> FileOwner {
        if owner == FileOwner::Foreign && self.overwrites_foreign { FileOwner::Ours } else { owner }
    }

    fn hash(&self, root: &Path, place: &Path) -> Option<ContentHash> {
        self.recorded.get(&relative_path(root, place)).copied()
    }
}

/// The start of the last line of a page of the run itself.
const MARK: &str = "<!-- war-rig: ";

/// Appends the mark that identifies a page of the run itself as ours and unchanged.
pub fn mark_page(page: &str) -> String {
    format!("{page}{MARK}{} -->\n", ContentHash::of(page.as_bytes()))
}

/// Returns the names of the pages about the estate that exist in an output folder, and of those at its top that may.
pub fn estate_pages(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = ESTATE_PAGES.iter().map(|name| (*name).to_owned()).collect();
    for folder in ESTATE_FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().filter_map(Result::ok);
        let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut pages: Vec<String> =
            files.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect();
        // Of earlier versions, documents may be here.
        pages.retain(|name| !root.join(name).with_extension("json").exists());
        pages.sort();
        names.extend(pages);
    }
    names
}

/// Whether a page of the run itself is unchanged since it was marked.
pub fn is_unedited(page: &str) -> bool {
    page.rfind(MARK).is_some_and(|at| mark_page(&page[..at]) == page)
}

/// Returns where a new page is written beside an edited one.
pub fn sidecar_path(page: &Path) -> PathBuf {
    with_suffix(page, "new")
}

/// What exists at a path.
pub enum FileState {
    Nothing,
    File,
    /// Not a regular file, or only reachable through a link or a file.
    Other,
}

/// The content of what exists at a path.
enum FileContent {
    Nothing,
    File(Vec<u8>),
    /// As in [`FileState`], or unreadable.
    Other,
}

/// Reads the file at a path below the root without following links.
fn read(root: &Path, place: &Path) -> FileContent {
    match file_state(root, place) {
        FileState::Nothing => FileContent::Nothing,
        FileState::File => std::fs::read(place).map_or(FileContent::Other, FileContent::File),
        FileState::Other => FileContent::Other,
    }
}

/// Examines a path below the root without following links.
pub fn file_state(root: &Path, place: &Path) -> FileState {
    let Ok(below) = place.strip_prefix(root) else { return FileState::Other };
    let mut at = root.to_owned();
    for part in below.components() {
        at.push(part);
        let kind = match std::fs::symlink_metadata(&at) {
            Ok(data) => data.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return FileState::Nothing,
            Err(_) => return FileState::Other,
        };
        if (at == place && !kind.is_file()) || (at != place && !kind.is_dir()) {
            return FileState::Other;
        }
    }
    FileState::File
}
