//! Matches the files that git reports as changed with the sources and copybooks.
//!
//! The paths of sources may contain links and are spelled as the user gave them, and git names files from the top of its work tree. Both are compared
//! by the real location of a folder.

use super::source_names::{name_below, name_near};
use super::{Inventory, SourceScan, normalize_path};
use crate::git::{FileStatus, RevisionDiff};
use crate::printer::Printer;
use crate::settings::SourceSettings;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use war_rig_estate::{ChangedFile, ChangedFiles, SourceKind};

/// The changes among sources and copybooks.
#[derive(Debug, Default)]
pub struct ChangedSources {
    /// The files.
    pub changes: ChangedFiles,
    /// How many of them differ from the committed version.
    pub uncommitted: usize,
    /// How many of them git does not track.
    pub untracked: usize,
    /// How many sources and copybooks are outside of the work tree, so that git does not report them.
    pub outside: usize,
    /// Whether a settings file has changed.
    pub has_settings: bool,
}

impl Inventory {
    /// Returns what has changed among sources and copybooks since a revision. Untracked files count as changed; files outside of the work tree count
    /// as unchanged, as far as we can know.
    pub fn changes_since(&self, since: &RevisionDiff, settings: &SourceSettings, printer: &Printer) -> ChangedSources {
        let mut found = ChangedSources::default();
        let mut files = Vec::new();
        let mut seen: HashSet<PathBuf> = HashSet::new();
        let mut really = RealPaths::default();
        let sources = self.files.iter().map(|(id, file)| (file.path.as_path(), id.0.as_str(), file.kind));
        let paths: HashSet<&Path> = self.files.values().map(|file| file.path.as_path()).collect();
        let books = self.copybooks.books().filter(|(path, _)| !paths.contains(path));
        let books = books.map(|(path, name)| (path, name, SourceKind::Copybook));
        for (path, name, kind) in sources.chain(books) {
            let real = really.at(path);
            let Ok(below) = real.strip_prefix(&since.top) else {
                found.outside += 1;
                continue;
            };
            match since.file_status(below) {
                _ if self.copybooks.is_extra(path) => {}
                FileStatus::Same => {}
                FileStatus::Changed => found.uncommitted += usize::from(since.uncommitted.contains(below)),
                FileStatus::Untracked => found.untracked += 1,
            }
            if since.file_status(below) != FileStatus::Same {
                files.push(ChangedFile { name: name.to_owned(), kind, is_deleted: false });
            }
            seen.insert(below.to_owned());
        }
        let scan = SourceScan::new(self.base.clone(), settings, printer);
        let base = really.folder(&self.base);
        for below in since.changed.iter().filter(|below| !seen.contains(*below)) {
            found.has_settings |= below.file_name().is_some_and(|name| name == "war_rig.toml");
            let path = since.top.join(below);
            // An existing path that is not a source is none of ours.
            if std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_file() || data.is_dir()) {
                continue;
            }
            if let Some(file) = scan.gone(&base, &path) {
                found.uncommitted += usize::from(since.uncommitted.contains(below));
                files.push(file);
            }
        }
        found.changes = ChangedFiles::of(files);
        found
    }
}

impl SourceScan<'_> {
    /// Returns a deleted file, if it would have been a source or a copybook; `base` is the real location of the sources' folder.
    fn gone(&self, base: &Path, path: &Path) -> Option<ChangedFile> {
        let (name, here) = match path.strip_prefix(base) {
            Ok(below) => (name_below(base, path), self.base.join(below)),
            Err(_) => (name_near(base, path), path.to_owned()),
        };
        let is_configured = self.settings.copybooks.iter().any(|folder| {
            let folder = std::path::absolute(folder).map(|folder| normalize_path(&folder));
            folder.is_ok_and(|folder| here.starts_with(&folder) && !self.is_other(&folder, &here))
        });
        let kind = match self.kind_of(&here) {
            kind if !kind.is_cobol() || !is_configured => kind,
            _ => SourceKind::Copybook,
        };
        // Files in the copybook folders near a file that was named alone are not sources.
        let is_near = !here.starts_with(&self.base) && kind == SourceKind::Copybook;
        (is_configured || is_near || self.is_source(&here)).then_some(ChangedFile { name, kind, is_deleted: true })
    }
}

/// Resolves the real paths of files: each folder is resolved once, and links in the place of a file are not.
#[derive(Default)]
struct RealPaths {
    folders: HashMap<PathBuf, PathBuf>,
}

impl RealPaths {
    fn folder(&mut self, folder: &Path) -> PathBuf {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        self.folders.insert(folder.to_owned(), real.clone());
        real
    }

    fn at(&mut self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => self.folder(folder).join(name),
            _ => path.to_owned(),
        }
    }
}
