//! The folder of a site: only files that have changed are written, and files that no longer belong to it are removed.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use war_rig_store::durable;
use war_rig_text::ContentHash;

/// The file that lists the files of a site, by which a later run recognizes its own.
const LIST: &str = "site.json";

/// The version of the list.
const VERSION: u32 = 2;

/// The list of a site's files.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteList {
    version: u32,
    /// The files by their paths below the folder.
    files: BTreeMap<String, SiteFile>,
    /// The pages of the documents that it shows, by their paths below the documents.
    /// The first version did not list them.
    #[serde(default)]
    documents: BTreeMap<String, ContentHash>,
}

impl SiteList {
    fn empty() -> Self {
        Self { version: VERSION, files: BTreeMap::new(), documents: BTreeMap::new() }
    }

    /// Reads the list of a folder; `None` if the folder has none.
    ///
    /// # Errors
    /// A usage failure if it is no list of this version, or if it cannot be read.
    pub fn read(root: &Path) -> Result<Option<Self>, Failure> {
        let list = root.join(LIST);
        let bytes = match std::fs::read(&list) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(Failure::cannot_read(&list, error)),
        };
        let hint = "name another folder, or remove this one";
        let read: Self = serde_json::from_slice(&bytes).map_err(|error| {
            Failure::usage(format!("`{}` is no list of a site: {error}", list.display())).with_hint(hint)
        })?;
        // Whoever wrote the list, only files below the folder are ever read, written or removed.
        let is_below =
            |path: &String| !path.contains(['\\', ':']) && path.split('/').all(|part| !["", ".", ".."].contains(&part));
        if !(1..=VERSION).contains(&read.version) || !read.files.keys().all(is_below) {
            let what = format!("`{}` is no list of a site that this version has made", list.display());
            return Err(Failure::usage(what).with_hint(hint));
        }
        Ok(Some(read))
    }

    /// Returns when the list of a folder was written.
    pub fn modified(root: &Path) -> Option<SystemTime> {
        std::fs::metadata(root.join(LIST)).and_then(|about| about.modified()).ok()
    }

    /// Returns which of these pages of the documents the site does not show as they are, which it shows that are no more, and which files of its own are
    /// not there as they were written.
    pub fn differences(&self, root: &Path, pages: BTreeMap<String, ContentHash>) -> Vec<String> {
        let changed = pages.iter().filter(|(path, hash)| self.documents.get(*path) != Some(hash)).map(|(path, _)| path);
        let gone = self.documents.keys().filter(|path| !pages.contains_key(*path));
        let damaged = self.files.iter().filter(|(path, file)| !file.is_at(&root.join(path))).map(|(path, _)| path);
        changed.chain(gone).chain(damaged).cloned().collect()
    }

    /// Returns the hash of a file; `None` if it is no file of the site.
    pub fn hash(&self, path: &str) -> Option<ContentHash> {
        self.files.get(path).map(|file| file.hash)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SiteFile {
    hash: ContentHash,
    bytes: u64,
}

impl SiteFile {
    /// Whether a file lies there that is as long as this one.
    fn is_at(&self, place: &Path) -> bool {
        std::fs::symlink_metadata(place).is_ok_and(|about| about.is_file() && about.len() == self.bytes)
    }
}

/// A site that is being written.
pub(super) struct SiteFolder {
    root: PathBuf,
    before: SiteList,
    now: SiteList,
    /// How many files were written.
    pub(super) written: usize,
}

impl SiteFolder {
    /// Opens a folder, which is empty, missing, or holds a site.
    ///
    /// # Errors
    /// A usage failure if it holds anything else, or if it cannot be read.
    pub(super) fn open(root: &Path) -> Result<Self, Failure> {
        let before = match SiteList::read(root)? {
            Some(list) => list,
            None => {
                let is_empty = match std::fs::read_dir(root) {
                    Ok(mut entries) => entries.next().is_none(),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                    Err(error) => return Err(Failure::cannot_read(root, error)),
                };
                if !is_empty {
                    return Err(Failure::usage(format!("`{}` holds files that are no site's", root.display()))
                        .with_hint("name an empty folder with -o; a site is never mixed with other files"));
                }
                SiteList::empty()
            }
        };
        let folder = Self { root: root.to_owned(), before, now: SiteList::empty(), written: 0 };
        if !root.join(LIST).exists() {
            // So that a run that ends early leaves a folder that the next one knows.
            durable::make_folder(root).map_err(|error| Failure::cannot_write(root, error))?;
            folder.write_list(&folder.before)?;
        }
        Ok(folder)
    }

    fn write_list(&self, list: &SiteList) -> Result<(), Failure> {
        let json = serde_json::to_string(list).expect("paths and hashes have a JSON");
        let place = self.root.join(LIST);
        durable::replace_file(&place, format!("{json}\n").as_bytes())
            .map_err(|error| Failure::cannot_write(&place, error))
    }

    /// Notes a page of the documents that the site shows.
    pub(super) fn shows(&mut self, path: &str, hash: ContentHash) {
        self.now.documents.insert(path.to_owned(), hash);
    }

    /// Writes a file, unless it is there as it should be.
    ///
    /// # Errors
    /// A storage failure.
    pub(super) fn put(&mut self, path: &str, contents: &str) -> Result<(), Failure> {
        let file = SiteFile { hash: ContentHash::of(contents.as_bytes()), bytes: contents.len() as u64 };
        let place = self.root.join(path);
        if self.before.files.get(path) != Some(&file) || !file.is_at(&place) {
            let written = durable::make_folder(durable::parent_folder(&place)).and_then(|()| replace(&place, contents));
            written.map_err(|error| Failure::cannot_write(&place, error))?;
            self.written += 1;
        }
        match self.now.files.insert(path.to_owned(), file) {
            None => Ok(()),
            Some(_) => Err(Failure::internal(format!("two pages of the site are called `{path}`"))),
        }
    }

    /// Writes files, each unless it is there as it should be.
    ///
    /// # Errors
    /// A storage failure.
    pub(super) fn put_all(&mut self, files: impl IntoIterator<Item = (String, String)>) -> Result<(), Failure> {
        files.into_iter().try_for_each(|(path, contents)| self.put(&path, &contents))
    }

    /// Removes the files of the earlier site that are not part of this one, and writes the list. Returns how many were removed.
    ///
    /// # Errors
    /// A storage failure.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let mut removed = 0;
        for (path, file) in self.before.files.iter().filter(|(path, _)| !self.now.files.contains_key(*path)) {
            let place = self.root.join(path);
            // What somebody has changed since is theirs.
            if !durable::matches_content(&place, file.bytes, file.hash) {
                continue;
            }
            std::fs::remove_file(&place).map_err(|error| Failure::cannot_write(&place, error))?;
            removed += 1;
            // A folder that became empty goes too, as far up as that holds.
            let mut folder = place.parent();
            while let Some(above) = folder.filter(|above| *above != self.root && std::fs::remove_dir(above).is_ok()) {
                folder = above.parent();
            }
        }
        if self.now != self.before {
            self.write_list(&self.now)?;
        }
        Ok(removed)
    }
}

/// Replaces a file as a whole. It is not synced: a site can be made again.
fn replace(place: &Path, contents: &str) -> io::Result<()> {
    let mut name = place.as_os_str().to_owned();
    name.push(".tmp");
    let beside = PathBuf::from(name);
    std::fs::write(&beside, contents)?;
    std::fs::rename(&beside, place)
}
