//! The sources of an estate on disk: what is found below the paths that were given, and the copybooks among it.
//!
//! Only regular files are read, links are not followed, and nothing is ever written here. A copybook is found by its name among the
//! files that were scanned; the name itself is never joined to a path.

use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::{Globs, SourceKind, SourceSettings};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use walkdir::WalkDir;
use war_rig_cobol::{CopybookLibrary, Lexed};
use war_rig_pool::{SourceId, Sources, is_copybook_name};
use war_rig_text::{ReadOptions, SourceText};

/// The sources below some paths.
pub struct Inventory {
    /// The files that are to be documented, by name.
    pub picked: Vec<SourceId>,
    files: HashMap<SourceId, PathBuf>,
    copybooks: Library,
}

impl Inventory {
    /// Scans the paths. All files below a folder that the settings count as COBOL are sources; a file that is named itself is one
    /// whatever its name. `only` narrows what is documented, not what is known.
    ///
    /// # Errors
    /// A usage failure for a path that does not exist, and when no source is found.
    pub fn scan(
        paths: &[PathBuf],
        settings: &SourceSettings,
        only: Option<&Globs>,
        printer: Printer,
    ) -> Result<Self, Failure> {
        let mut roots = Vec::new();
        for path in paths {
            let metadata = std::fs::metadata(path).map_err(|error| Failure::cannot_read(path, error))?;
            let absolute = std::path::absolute(path).map_err(|error| Failure::cannot_read(path, error))?;
            roots.push((normal(&absolute), metadata.is_dir()));
        }
        let base = deepest_common_folder(&roots);
        let mut found: Vec<PathBuf> = Vec::new();
        for (root, is_folder) in &roots {
            if *is_folder {
                walk(root, printer, |path| {
                    if is_source(&name_below(&base, path), settings) {
                        found.push(path.to_owned());
                    }
                });
            } else if root.is_file() {
                found.push(root.clone());
            } else {
                printer.warn(&format!("`{}` is no regular file and is not read", root.display()));
            }
        }
        found.sort();
        found.dedup();
        let mut copybooks = Library { entries: HashMap::new(), read: settings.read_options() };
        for folder in &settings.copybooks {
            if !folder.is_dir() {
                return Err(Failure::usage(format!("copybook folder `{}` does not exist", folder.display()))
                    .with_hint("name an existing folder with --copybooks or in source.copybooks"));
            }
            let absolute =
                normal(&std::path::absolute(folder).map_err(|error| Failure::cannot_read(folder, error))?);
            walk(&absolute, printer, |path| {
                // A copybook outside the sources is called as the user called its folder.
                let name = if path.starts_with(&base) {
                    name_below(&base, path)
                } else {
                    name_as_given(folder, &absolute, path)
                };
                copybooks.add(path, name);
            });
        }
        // Files that look like copybooks come before programs of the same name.
        let (books, programs): (Vec<&PathBuf>, Vec<&PathBuf>) =
            found.iter().partition(|path| is_copybook_name(&plain_name(path)));
        for path in books.into_iter().chain(programs) {
            copybooks.add(path, name_below(&base, path));
        }
        let files: HashMap<SourceId, PathBuf> =
            found.iter().map(|path| (SourceId(name_below(&base, path)), path.clone())).collect();
        let mut picked: Vec<SourceId> =
            files.keys().filter(|id| only.is_none_or(|only| only.matches(&id.0))).cloned().collect();
        picked.sort();
        if picked.is_empty() {
            let (what, hint) = if files.is_empty() {
                let hint = "source.include says which files are sources; members without extension need a rule in source.types";
                ("no COBOL source was found", hint)
            } else {
                (
                    "no source matches --only",
                    "its globs are matched against names below the paths, such as `cbl/X.cbl`",
                )
            };
            let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(Failure::usage(format!("{what} in {}", names.join(", "))).with_hint(hint));
        }
        Ok(Self { picked, files, copybooks })
    }

    /// All sources by name, those that are not picked too.
    pub fn all(&self) -> Vec<SourceId> {
        let mut all: Vec<SourceId> = self.files.keys().cloned().collect();
        all.sort();
        all
    }

    /// Where a source lies on disk.
    pub fn path(&self, id: &SourceId) -> Option<&Path> {
        self.files.get(id).map(PathBuf::as_path)
    }
}

impl Sources for Inventory {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        let path = self.files.get(source).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        std::fs::read(path)
    }

    fn copybooks(&self) -> &dyn CopybookLibrary {
        &self.copybooks
    }
}

/// Copybooks by name, each read when it is first asked for.
struct Library {
    entries: HashMap<String, Vec<Book>>,
    read: ReadOptions,
}

struct Book {
    path: PathBuf,
    name: String,
    lexed: OnceLock<Option<Arc<Lexed>>>,
}

impl Library {
    fn add(&mut self, path: &Path, name: String) {
        let Some(stem) = path.file_stem().and_then(OsStr::to_str) else { return };
        let books = self.entries.entry(stem.to_uppercase()).or_default();
        if !books.iter().any(|book| book.path == path) {
            books.push(Book { path: path.to_owned(), name, lexed: OnceLock::new() });
        }
    }
}

impl CopybookLibrary for Library {
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<Lexed>> {
        let books = self.entries.get(name)?;
        let in_library = |book: &&Book| {
            let folder = book.path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            library.is_some_and(|library| folder.is_some_and(|folder| folder.eq_ignore_ascii_case(library)))
        };
        let ordered = books.iter().filter(in_library).chain(books.iter());
        ordered.into_iter().find_map(|book| {
            let lexed = book.lexed.get_or_init(|| {
                let bytes = std::fs::read(&book.path).ok()?;
                let source = SourceText::read(book.name.clone(), bytes, &self.read).ok()?;
                Some(Arc::new(Lexed::of(&source)))
            });
            lexed.clone()
        })
    }
}

/// Visits the regular files below a folder in the order of their names. Links are not followed; what cannot be listed is said.
fn walk(root: &Path, printer: Printer, mut visit: impl FnMut(&Path)) {
    for entry in WalkDir::new(root).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() => visit(entry.path()),
            Ok(entry) if entry.file_type().is_symlink() => {
                printer.warn(&format!("`{}` is a link and is not followed", entry.path().display()));
            }
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => {
                printer.warn(&format!("`{}` is no regular file and is not read", entry.path().display()))
            }
            Err(error) => printer.warn(&format!("a folder cannot be listed: {error}")),
        }
    }
}

fn is_source(name: &str, settings: &SourceSettings) -> bool {
    match settings.types.kind(name) {
        Some(SourceKind::Cobol | SourceKind::Copybook) => !settings.exclude.matches(name),
        Some(_) => false,
        None => settings.include.matches(name) && !settings.exclude.matches(name),
    }
}

/// A path without `.` and `..`, by its words alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn deepest_common_folder(roots: &[(PathBuf, bool)]) -> PathBuf {
    let folders = roots.iter().map(|(root, is_folder)| {
        if *is_folder { root.clone() } else { root.parent().map(Path::to_owned).unwrap_or_default() }
    });
    folders
        .reduce(|a, b| {
            a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect()
        })
        .unwrap_or_default()
}

/// The name of a file below a folder, with `/` between folders; bytes that are no UTF-8 become `%XX`.
fn name_below(base: &Path, path: &Path) -> String {
    plain_name(path.strip_prefix(base).unwrap_or(path))
}

/// The name of a file in a folder that was named by the user: below the current folder where it lies there, else as it was named.
fn name_as_given(folder: &Path, absolute: &Path, path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) => plain_name(below),
        Err(_) => format!("{}/{}", folder.display(), name_below(absolute, path)),
    }
}

fn plain_name(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(printable(part)),
            _ => None,
        })
        .collect();
    parts.join("/")
}

fn printable(part: &OsStr) -> String {
    let mut name = String::new();
    for chunk in part.as_encoded_bytes().utf8_chunks() {
        // A per cent sign that is one stays apart from those that stand for bytes.
        name.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            write!(name, "%{byte:02X}").expect("a string takes every write");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_deepest_folder_that_holds_all_paths() {
        let common = |roots: &[(&str, bool)]| {
            let roots: Vec<_> =
                roots.iter().map(|(path, is_folder)| (PathBuf::from(path), *is_folder)).collect();
            deepest_common_folder(&roots)
        };
        assert_eq!(common(&[("/a/src", true)]), PathBuf::from("/a/src"));
        assert_eq!(common(&[("/a/src/cbl/X.cbl", false)]), PathBuf::from("/a/src/cbl"));
        assert_eq!(common(&[("/a/src/cbl", true), ("/a/src/cpy/Y.cpy", false)]), PathBuf::from("/a/src"));
        assert_eq!(name_below(Path::new("/a/src"), Path::new("/a/src/cbl/X.cbl")), "cbl/X.cbl");
        assert_eq!(normal(Path::new("/a/./b/../c")), PathBuf::from("/a/c"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_utf_8_stays_distinct() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(printable(OsStr::from_bytes(b"A\xFF.cbl")), "A%FF.cbl");
        assert_eq!(printable(OsStr::from_bytes(b"A%FF.cbl")), "A%25FF.cbl");
    }
}
