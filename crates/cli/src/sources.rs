//! The sources of an estate on disk: the files below the given paths, and the copybooks among them.
//!
//! Only regular files are read, links are not followed, and nothing is ever written. A copybook is found by its name among scanned files; the name
//! itself is never joined to a path. Copybooks are searched in this order: the configured folders, the sources themselves, and the neighbors of files
//! that are named alone. A file below the paths that is no source is found by a COPY that names the whole file.

mod changed;
mod library;
mod nearby_copybooks;
mod source_names;
mod unnamed_sources;

use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::{ENDINGS_OF_DOCUMENTS, FileType, Globs, Settings, SourcePaths, SourceSettings};
pub use changed::ChangedSources;
use library::CopybookFiles;
pub use source_names::normalize_path;
use source_names::{deepest_common_folder, name_as_given, name_below, name_near, plain_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};
use war_rig_cobol::CopybookLibrary;
use war_rig_estate::SourceKind;
use war_rig_estimator::TokenCounter;
use war_rig_pool::{SourceId, Sources};
use war_rig_secrets::KnownSecrets;

/// The sources below some paths.
pub struct Inventory {
    /// The files to document, by name.
    pub picked: Vec<SourceId>,
    /// The folder that names are relative to: the deepest one that contains all paths.
    pub base: PathBuf,
    /// The paths that were scanned, absolute and without `.` and `..`.
    pub roots: Vec<PathBuf>,
    /// The folders below them that cannot be listed, in order: nothing is known of their files.
    pub unlisted: Vec<PathBuf>,
    files: HashMap<SourceId, InventoryFile>,
    /// The files below the paths that are sources only if a COPY names them.
    extras: Vec<PathBuf>,
    copybooks: CopybookFiles,
}

struct InventoryFile {
    path: PathBuf,
    kind: SourceKind,
}

impl Inventory {
    /// Scans the paths. Below a folder, all files that the settings count as sources are sources; a file that is named itself always is one. `only`
    /// limits what is documented, not what is known.
    ///
    /// # Errors
    /// A usage failure for a path that does not exist, or when no source is found.
    pub fn scan(
        paths: &[PathBuf],
        settings: &Settings,
        only: Option<&Globs>,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let mut roots = Vec::new();
        for path in paths {
            let metadata = std::fs::metadata(path).map_err(|error| Failure::cannot_read(path, error))?;
            let absolute = std::path::absolute(path).map_err(|error| Failure::cannot_read(path, error))?;
            roots.push((normalize_path(&absolute), metadata.is_dir()));
        }
        let scan = SourceScan::new(deepest_common_folder(&roots), &settings.source, printer);
        let (found, mut extras) = scan.sources(&roots);
        let mut copybooks = CopybookFiles::new(settings.source_options(), printer);
        let found: Vec<(PathBuf, SourceKind)> = found.into_iter().map(|path| scan.with_kind(path)).collect();
        copybooks.note_sources(found.iter().cloned());
        scan.add_configured(&mut copybooks)?;
        // Files that look like copybooks come before programs of the same name. Of sources that are not COBOL, only symbolic maps can be copied.
        let of_kind = |wanted| found.iter().filter(move |(_, kind)| *kind == wanted).map(|(path, _)| path);
        for path in of_kind(SourceKind::Copybook) {
            copybooks.add(path, name_below(&scan.base, path), true);
        }
        extras.retain(|path| copybooks.add_extra(path, name_below(&scan.base, path)));
        for path in of_kind(SourceKind::Cobol) {
            copybooks.add(path, name_below(&scan.base, path), false);
        }
        for path in of_kind(SourceKind::Bms) {
            copybooks.add_map_set(path, name_below(&scan.base, path));
        }
        for (root, _) in roots.iter().filter(|(_, is_folder)| !is_folder) {
            scan.add_neighbours(root, &mut copybooks);
        }
        let file = |(path, kind): (PathBuf, SourceKind)| {
            (SourceId(name_below(&scan.base, &path)), InventoryFile { path, kind })
        };
        let files: HashMap<SourceId, InventoryFile> = found.into_iter().map(file).collect();
        let mut picked: Vec<SourceId> =
            files.keys().filter(|id| only.is_none_or(|only| only.matches(&id.0))).cloned().collect();
        picked.sort();
        if picked.is_empty() {
            return Err(nothing_found(paths, files.is_empty()));
        }
        let roots = roots.into_iter().map(|(root, _)| root).collect();
        let unlisted = scan.unlisted.into_inner();
        Ok(Self { picked, base: scan.base, roots, unlisted, files, extras, copybooks })
    }

    /// Scans the paths of a command that counts tokens, and narrows the picked sources to the part that was asked for.
    ///
    /// # Errors
    /// As [`Inventory::scan`], and a usage failure for a part that does not exist or has no source.
    pub fn scan_part(
        paths: &SourcePaths,
        settings: &Settings,
        only: Option<&Globs>,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        std::thread::scope(|scope| {
            // The tables of the encoding take one processor as long as the files take the other.
            scope.spawn(|| TokenCounter::new(settings.scribe.encoding));
            let inventory = Self::scan_picked(paths, settings, only, printer)?;
            inventory.known_secrets();
            Ok(inventory)
        })
    }

    fn scan_picked(
        paths: &SourcePaths,
        settings: &Settings,
        only: Option<&Globs>,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let mut inventory = Self::scan(&paths.scanned, settings, only, printer)?;
        if let Some(part) = &paths.part {
            for path in part {
                std::fs::metadata(path).map_err(|error| Failure::cannot_read(path, error))?;
            }
            inventory.pick_below(part);
            if inventory.picked.is_empty() {
                return Err(nothing_found(part, only.is_none()));
            }
        }
        Ok(inventory)
    }

    /// Narrows the picked sources to those at or below one of these paths, each absolute and without `.` and `..`.
    pub fn pick_below(&mut self, paths: &[PathBuf]) {
        let files = &self.files;
        self.picked.retain(|id| {
            let path = files.get(id).map(|file| file.path.as_path());
            path.is_some_and(|path| paths.iter().any(|root| path.starts_with(root)))
        });
    }

    /// Returns the names of all sources, including those that are not picked.
    pub fn all_sources(&self) -> Vec<SourceId> {
        let mut all: Vec<SourceId> = self.files.keys().cloned().collect();
        all.sort();
        all
    }

    /// Returns the sources' folder relative to a folder that contains it, with links resolved; empty when both are the same.
    pub fn folder_below(&self, top: &Path) -> Option<String> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        real(&self.base).strip_prefix(real(top)).ok().map(plain_name)
    }

    /// Whether a file at this path would be a source by its name.
    pub fn would_be_source(&self, path: &Path, settings: &SourceSettings) -> bool {
        is_source(&self.base, path, settings)
    }

    /// Returns the path of a source on disk.
    pub fn path(&self, id: &SourceId) -> Option<&Path> {
        self.files.get(id).map(|file| file.path.as_path())
    }

    /// Returns the current size of a source in bytes; 0 when it is gone.
    pub fn size(&self, id: &SourceId) -> u64 {
        let data = self.path(id).and_then(|path| std::fs::metadata(path).ok());
        data.map_or(0, |data| data.len())
    }
}

fn nothing_found(paths: &[PathBuf], at_all: bool) -> Failure {
    let (what, hint) = if at_all {
        let hint = "`war-rig init` looks into files and writes what members without an ending are to source.types; source.include says which names are sources";
        ("no COBOL source was found", hint)
    } else {
        ("no source matches --only", "its globs are matched against names below the paths, such as `cbl/X.cbl`")
    };
    let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    Failure::usage(format!("{what} in {}", names.join(", "))).with_hint(hint)
}

impl Sources for Inventory {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        let path = self.path(source).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        std::fs::read(path)
    }

    fn copybooks(&self, source: &SourceId) -> Box<dyn CopybookLibrary + '_> {
        Box::new(self.copybooks.near(self.path(source)))
    }

    fn copybook(&self, source: &SourceId, name: &str, library: Option<&str>) -> io::Result<Vec<u8>> {
        self.copybooks.near(self.path(source)).bytes(name, library)
    }

    fn known_secrets(&self) -> &KnownSecrets {
        self.copybooks.known_secrets()
    }

    fn is_deleted(&self, source: &SourceId) -> bool {
        // A path that cannot be examined, because its folder is closed or its name was not valid text, is not known to be gone.
        let missing =
            |path: &Path| std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        !source.0.contains('%') && missing(&self.base.join(&source.0))
    }

    fn kind(&self, source: &SourceId) -> SourceKind {
        self.files.get(source).map_or_else(|| SourceKind::from_file_name(&source.0), |file| file.kind)
    }
}

/// The bytes of a file that may correct what its name says it is: a page of comments and the first macros.
const HEAD: u64 = 4096;

/// Returns the first bytes of a file; none if it cannot be read, which is reported when it is loaded.
fn head(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut bytes)) {
        Ok(_) => bytes,
        Err(_) => Vec::new(),
    }
}

/// Whether a file below the base folder counts as a source.
fn is_source(base: &Path, path: &Path, settings: &SourceSettings) -> bool {
    let name = name_below(base, path);
    let wanted = match rule(base, path, settings) {
        Some(FileType::Source(_)) => true,
        Some(FileType::Ignore) => false,
        None => settings.include.matches(&name),
    };
    let is_hidden = path.file_name().is_some_and(|file| file.to_string_lossy().starts_with('.'));
    wanted && !is_hidden && !settings.exclude.matches(&name)
}

/// Returns the file type that the settings assign. Their globs are matched against the file's name below the folder, and again with the folder's own
/// name in front, so that `cbl/*` matches the members of `cbl` even when `cbl` itself is scanned.
fn rule(folder: &Path, path: &Path, settings: &SourceSettings) -> Option<FileType> {
    let below = |folder: &Path| settings.types.kind(&name_below(folder, path));
    below(folder).or_else(|| folder.parent().and_then(below))
}

/// A scan in progress.
struct SourceScan<'a> {
    /// The folder that names are relative to: the deepest one that contains all paths.
    base: PathBuf,
    settings: &'a SourceSettings,
    printer: &'a Printer,
    unlisted: RefCell<Vec<PathBuf>>,
}

impl<'a> SourceScan<'a> {
    fn new(base: PathBuf, settings: &'a SourceSettings, printer: &'a Printer) -> Self {
        Self { base, settings, printer, unlisted: RefCell::default() }
    }

    /// Returns the source files, and the files that are sources only if a COPY names them; both in order.
    fn sources(&self, roots: &[(PathBuf, bool)]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut extras: Vec<PathBuf> = Vec::new();
        for (root, is_folder) in roots {
            if *is_folder {
                self.walk(root, |path| {
                    if self.is_source(path) {
                        found.push(path.to_owned());
                    } else if self.may_be_copied(root, path) {
                        extras.push(path.to_owned());
                    }
                });
            } else if root.is_file() {
                found.push(root.clone());
            } else {
                self.printer.warn(&format!("`{}` is no regular file and is not read", root.display()));
            }
        }
        for files in [&mut found, &mut extras] {
            files.sort();
            files.dedup();
        }
        (found, extras)
    }

    /// Whether a file that is no source may be a copybook by its name, and is not hidden or left out.
    fn may_be_copied(&self, root: &Path, path: &Path) -> bool {
        let below = path.strip_prefix(root).unwrap_or(path);
        let is_hidden = below.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let is_document = ENDINGS_OF_DOCUMENTS.contains(&ending.as_str());
        !is_hidden
            && !is_document
            && !self.is_other(&self.base, path)
            && !self.settings.exclude.matches(&name_below(&self.base, path))
    }

    /// Adds all files below the configured copybook folders.
    fn add_configured(&self, copybooks: &mut CopybookFiles) -> Result<(), Failure> {
        for folder in &self.settings.copybooks {
            if !folder.is_dir() {
                return Err(Failure::usage(format!("copybook folder `{}` does not exist", folder.display()))
                    .with_hint("name an existing folder with --copybooks or in source.copybooks"));
            }
            let absolute =
                normalize_path(&std::path::absolute(folder).map_err(|error| Failure::cannot_read(folder, error))?);
            self.walk(&absolute, |path| {
                if self.is_other(&absolute, path) {
                    return;
                }
                // A copybook outside the sources is named as the user named its folder.
                let name = if path.starts_with(&self.base) {
                    name_below(&self.base, path)
                } else {
                    name_as_given(&self.settings.here, folder, &absolute, path)
                };
                copybooks.add_configured(path, name);
            });
        }
        Ok(())
    }

    /// Adds the nearby files that a file named alone may copy.
    fn add_neighbours(&self, file: &Path, copybooks: &mut CopybookFiles) {
        let Some(own) = file.parent() else { return };
        let folders = nearby_copybooks::folders(file);
        let (books, others): (Vec<PathBuf>, Vec<PathBuf>) =
            nearby_copybooks::files(own).into_iter().partition(|path| self.is_copybook(path));
        let others = others.into_iter().map(|path| (path, false));
        let in_folders = folders.iter().flat_map(|folder| nearby_copybooks::files(folder)).map(|path| (path, true));
        // A program of that name is not meant while there is a copybook.
        let books = books.into_iter().map(|path| (path, true));
        for (path, is_copybook) in books.chain(in_folders).chain(others) {
            let bare = path.extension().is_none();
            if self.is_other(own, &path) {
                continue;
            }
            match bare || self.is_copybook(&path) || self.is_source(&path) {
                true => copybooks.add_near(&path, name_near(&self.base, &path), is_copybook),
                false => {
                    copybooks.add_extra(&path, name_near(&self.base, &path));
                }
            }
        }
    }

    fn is_source(&self, path: &Path) -> bool {
        is_source(&self.base, path, self.settings)
    }

    fn is_copybook(&self, path: &Path) -> bool {
        self.kind_of(path) == SourceKind::Copybook
    }

    /// Adds the kind of a source, from the settings or else from its name and its first lines.
    fn with_kind(&self, path: PathBuf) -> (PathBuf, SourceKind) {
        let named = self.kind_of(&path);
        let kind = match self.rule(&self.base, &path) {
            Some(_) => named,
            None => named.corrected_by(|| head(&path)),
        };
        (path, kind)
    }

    /// Returns the kind of a file, from the settings or else from its name.
    fn kind_of(&self, path: &Path) -> SourceKind {
        match self.rule(&self.base, path) {
            Some(FileType::Source(kind)) => kind,
            Some(FileType::Ignore) | None => SourceKind::from_file_name(&plain_name(path)),
        }
    }

    /// Whether a file is neither program nor copybook.
    fn is_other(&self, folder: &Path, path: &Path) -> bool {
        match self.rule(folder, path) {
            Some(FileType::Source(kind)) => !kind.is_cobol(),
            Some(FileType::Ignore) => true,
            None => !SourceKind::from_file_name(&plain_name(path)).is_cobol(),
        }
    }

    fn rule(&self, folder: &Path, path: &Path) -> Option<FileType> {
        rule(folder, path, self.settings)
    }

    /// Visits the regular files below a folder, ordered by name, but not those in hidden folders: tools keep copies there. Links are not followed; a
    /// folder that cannot be listed is reported.
    fn walk(&self, root: &Path, mut visit: impl FnMut(&Path)) {
        let is_seen = |entry: &DirEntry| {
            let is_hidden = entry.file_type().is_dir() && entry.file_name().as_encoded_bytes().starts_with(b".");
            entry.depth() == 0 || !is_hidden
        };
        for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(is_seen) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => visit(entry.path()),
                Ok(entry) if entry.file_type().is_symlink() => {
                    self.printer.warn(&format!("`{}` is a link and is not followed", entry.path().display()));
                }
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) => {
                    self.printer.warn(&format!("`{}` is no regular file and is not read", entry.path().display()));
                }
                Err(error) => {
                    let folder = error.path().unwrap_or(root).to_owned();
                    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    let what = "its files are not read, and their documents stay";
                    self.printer.warn(&format!("`{}` cannot be listed: {reason}; {what}", folder.display()));
                    self.unlisted.borrow_mut().push(folder);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
