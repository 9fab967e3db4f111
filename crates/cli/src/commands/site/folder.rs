//! The folder of a site: only files that have changed are written, and files that no longer belong to it are removed.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use war_rig_store::durable;
use war_rig_text::ContentHash;

/// The file that lists the files of a site, by which a later run recognizes its own.
const LIST: &str = "site.json";

/// The version of the list.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct SiteList {
    version: u32,
    /// The files by their paths below the folder.
    files: BTreeMap<String, SiteFile>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SiteFile {
    hash: ContentHash,
    bytes: u64,
}

/// A site that is being written.
pub(super) struct SiteFolder {
    root: PathBuf,
    before: BTreeMap<String, SiteFile>,
    now: BTreeMap<String, SiteFile>,
    /// How many files were written.
    pub(super) written: usize,
}

impl SiteFolder {
    /// Opens a folder, which is empty, missing, or holds a site.
    ///
    /// # Errors
    /// A usage failure if it holds anything else, or if it cannot be read.
    pub(super) fn open(root: &Path) -> Result<Self, Failure> {
        let list = root.join(LIST);
        let before = match std::fs::read(&list) {
            Ok(bytes) => {
                let read: SiteList = serde_json::from_slice(&bytes).map_err(|error| {
                    Failure::usage(format!("`{}` is no list of a site: {error}", list.display()))
                        .with_hint("name another folder with -o, or remove this one")
                })?;
                // Whoever wrote the list, only files below the folder are ever written or removed.
                let is_below = |path: &String| {
                    !path.contains(['\\', ':']) && path.split('/').all(|part| !["", ".", ".."].contains(&part))
                };
                if read.version != VERSION || !read.files.keys().all(is_below) {
                    let what = format!("`{}` is no list of a site that this version has made", list.display());
                    return Err(Failure::usage(what).with_hint("name another folder with -o, or remove this one"));
                }
                read.files
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_empty = match std::fs::read_dir(root) {
                    Ok(mut entries) => entries.next().is_none(),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                    Err(error) => return Err(Failure::cannot_read(root, error)),
                };
                if !is_empty {
                    return Err(Failure::usage(format!("`{}` holds files that are no site's", root.display()))
                        .with_hint("name an empty folder with -o; a site is never mixed with other files"));
                }
                BTreeMap::new()
            }
            Err(error) => return Err(Failure::cannot_read(&list, error)),
        };
        let folder = Self { root: root.to_owned(), before, now: BTreeMap::new(), written: 0 };
        if !list.exists() {
            // So that a run that ends early leaves a folder that the next one knows.
            durable::make_folder(root).map_err(|error| Failure::cannot_write(root, error))?;
            folder.write_list(&folder.before)?;
        }
        Ok(folder)
    }

    fn write_list(&self, files: &BTreeMap<String, SiteFile>) -> Result<(), Failure> {
        let list = SiteList { version: VERSION, files: files.clone() };
        let json = serde_json::to_string(&list).expect("paths and hashes have a JSON");
        let place = self.root.join(LIST);
        durable::replace_file(&place, format!("{json}\n").as_bytes())
            .map_err(|error| Failure::cannot_write(&place, error))
    }

    /// Writes a file, unless it is there as it should be.
    ///
    /// # Errors
    /// A storage failure.
    pub(super) fn put(&mut self, path: &str, contents: &str) -> Result<(), Failure> {
        let file = SiteFile { hash: ContentHash::of(contents.as_bytes()), bytes: contents.len() as u64 };
        let place = self.root.join(path);
        let is_there =
            || std::fs::symlink_metadata(&place).is_ok_and(|data| data.is_file() && data.len() == file.bytes);
        if self.before.get(path) != Some(&file) || !is_there() {
            let written = durable::make_folder(durable::parent_folder(&place)).and_then(|()| replace(&place, contents));
            written.map_err(|error| Failure::cannot_write(&place, error))?;
            self.written += 1;
        }
        match self.now.insert(path.to_owned(), file) {
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
        for (path, file) in self.before.iter().filter(|(path, _)| !self.now.contains_key(*path)) {
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
