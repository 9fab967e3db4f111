//! The copybooks of an estate: found by name, each read on first use.

use crate::printer::{Printer, RepeatedWarning};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use war_rig_cobol::{CopybookLibrary, DataItem, LexedSource, has_plain_name, parse_with};
use war_rig_estate::SourceKind;
use war_rig_estate::bms::{self, symbolic_copybook};
use war_rig_pool::{
    GENERATED, ScreenedSource, SecretPolicy, SourceId, SourceOptions, for_each_ordered, named_secrets,
    values_used_as_names,
};
use war_rig_secrets::{FoundSecret, KnownSecrets, NameSearch, NameUse, add_uses};
use war_rig_text::{LineNumber, ReadOptions, SourceFormat, SourceText};

/// Copybooks by name; those of the same name in order of precedence.
pub(super) struct CopybookFiles {
    books: HashMap<String, Vec<CopybookFile>>,
    options: SourceOptions,
    /// The files that are also sources, which report their own secrets.
    sources: HashMap<PathBuf, SourceKind>,
    /// Files that are only near a source: irrelevant unless one of them is copied.
    near: HashSet<PathBuf>,
    /// The secrets that any of these files names, except the nearby ones.
    known: OnceLock<KnownSecrets>,
    printer: Printer,
}

struct CopybookFile {
    path: PathBuf,
    name: String,
    role: FileRole,
    content: OnceLock<CopybookContent>,
    /// Its data items as its own document shows them; `None` if it does not read as COBOL.
    alone: OnceLock<Option<Arc<Vec<DataItem>>>>,
    /// The names of the files that are skipped in favor of this one.
    passed_over: OnceLock<Vec<String>>,
}

/// What a file is, as far as its name and place tell.
#[derive(Clone, Copy, Default)]
struct FileRole {
    /// Whether it is in a folder that the user names for copybooks: the order of these folders decides, not where a program is.
    is_configured: bool,
    /// Whether its name or folder marks it as a copybook, as opposed to a program that may be copied.
    is_copybook: bool,
    /// Whether it is no source and in no folder of copybooks: only a COPY that names the whole file means it.
    is_extra: bool,
    /// Whether it is a source of BMS, from which the copybook is generated.
    is_map_set: bool,
}

/// The result of reading a copybook.
enum CopybookContent {
    /// It cannot be read.
    Unreadable,
    /// It contains a suspected secret, and the policy refuses such copybooks.
    Refused,
    /// The text, with secrets masked when that is the policy.
    Read(Arc<LexedSource>),
}

impl CopybookFiles {
    /// Creates an empty library; its copybooks are read with these options.
    pub(super) fn new(options: SourceOptions, printer: &Printer) -> Self {
        let (books, sources, near) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { books, options, sources, near, known: OnceLock::new(), printer: printer.clone() }
    }

    /// Records which files are also sources.
    pub(super) fn note_sources(&mut self, sources: impl IntoIterator<Item = (PathBuf, SourceKind)>) {
        self.sources = sources.into_iter().collect();
    }

    /// Returns the secrets that any source or copybook names. The first use scans all files, since a secret of one may appear in another.
    pub(super) fn known_secrets(&self) -> &KnownSecrets {
        self.known.get_or_init(|| {
            let is_wanted = |path: &Path| !self.sources.contains_key(path) && !self.near.contains(path);
            let books = self.books().filter(|(path, _)| is_wanted(path));
            let books = books.map(|(path, _)| (path.to_owned(), SourceKind::Copybook));
            let sources = self.sources.iter().map(|(path, kind)| (path.clone(), *kind));
            let files: Vec<(PathBuf, SourceKind)> = sources.chain(books).collect();
            let named = |(path, kind): &(PathBuf, SourceKind)| {
                let id = SourceId(path.display().to_string());
                std::fs::read(path).map(|bytes| named_secrets(bytes, &id, *kind, &self.options)).unwrap_or_default()
            };
            let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            let (mut values, mut searched) = (Vec::new(), Vec::new());
            // Secrets found in one file are reported where that file is read.
            for_each_ordered(&files, jobs, named, |_, named| {
                let named = named.unwrap_or_default();
                values.extend(named.values);
                searched.extend(named.searched);
            });
            let names = NameSearch::new(&values).map(|search| self.names_among(&files, &search, jobs));
            KnownSecrets::of_estate(values, &names.unwrap_or_default()).with_searched(searched)
        })
    }

    /// Returns which of the suspected secrets any of these files, or its name, shows to be a name. Few estates have secrets, and only these are read again.
    fn names_among(
        &self,
        files: &[(PathBuf, SourceKind)],
        search: &NameSearch,
        jobs: usize,
    ) -> BTreeMap<String, NameUse> {
        let used = |(path, kind): &(PathBuf, SourceKind)| {
            let id = SourceId(path.display().to_string());
            let mut names = std::fs::read(path)
                .map(|bytes| values_used_as_names(bytes, &id, *kind, &self.options, search))
                .unwrap_or_default();
            add_uses(&mut names, search.used_as_source(path.file_stem().and_then(OsStr::to_str).unwrap_or_default()));
            names
        };
        let mut names = BTreeMap::new();
        for_each_ordered(files, jobs, used, |_, used| {
            add_uses(&mut names, used.unwrap_or_default());
        });
        names
    }

    /// Adds a file of a folder that the user names for copybooks.
    pub(super) fn add_configured(&mut self, path: &Path, name: String) {
        self.add_file(path, name, FileRole { is_configured: true, is_copybook: true, ..FileRole::default() });
    }

    /// Adds a file behind those of the same name, and returns whether it was new.
    pub(super) fn add(&mut self, path: &Path, name: String, is_copybook: bool) -> bool {
        self.add_file(path, name, FileRole { is_copybook, ..FileRole::default() })
    }

    /// Adds a file that is neither a source nor in a folder of copybooks, and returns whether it was new.
    pub(super) fn add_extra(&mut self, path: &Path, name: String) -> bool {
        let is_new = self.add_file(path, name, FileRole { is_copybook: true, is_extra: true, ..FileRole::default() });
        if is_new {
            self.near.insert(path.to_owned());
        }
        is_new
    }

    /// Adds a source of BMS: its symbolic map is generated where no file has it.
    pub(super) fn add_map_set(&mut self, path: &Path, name: String) {
        self.add_file(path, name, FileRole { is_map_set: true, ..FileRole::default() });
    }

    fn add_file(&mut self, path: &Path, name: String, role: FileRole) -> bool {
        let Some(stem) = path.file_stem().and_then(OsStr::to_str) else { return false };
        let books = self.books.entry(stem.to_uppercase()).or_default();
        let is_new = !books.iter().any(|book| book.path == path);
        if is_new {
            let (content, alone, passed_over) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
            books.push(CopybookFile { path: path.to_owned(), name, role, content, alone, passed_over });
        }
        is_new
    }

    /// Adds a file that is only near a source.
    pub(super) fn add_near(&mut self, path: &Path, name: String, is_copybook: bool) {
        if self.add(path, name, is_copybook) {
            self.near.insert(path.to_owned());
        }
    }

    /// Returns all of them with their names.
    pub(super) fn books(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.books.values().flatten().map(|book| (book.path.as_path(), book.name.as_str()))
    }

    /// Whether a file is an extra one.
    pub(super) fn is_extra(&self, path: &Path) -> bool {
        let stem = path.file_stem().and_then(OsStr::to_str).map(str::to_uppercase);
        let books = stem.and_then(|stem| self.books.get(&stem));
        books.into_iter().flatten().any(|book| book.role.is_extra && book.path == path)
    }

    /// Returns the copybooks as the source at this path copies them.
    pub(super) fn near<'a>(&'a self, source: Option<&'a Path>) -> NearbyCopybooks<'a> {
        NearbyCopybooks { files: self, folder: source.and_then(Path::parent) }
    }

    /// Returns the files of a name in order of precedence. A name with an extension is that of a file. Another is that of all files with this stem:
    /// first those whose extension says nothing, then the others, of which a COPY would name the extension. Of extra files the name must be the whole.
    /// Of files of the same kind, the nearest to `folder` comes first.
    fn files_of(&self, name: &str, folder: Option<&Path>) -> Vec<&CopybookFile> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let exact = self.books.get(stem).into_iter().flatten().filter(|book| stem != name && book.is_file(name));
        let of_stem =
            || self.books.get(name).into_iter().flatten().filter(|book| !book.role.is_extra || book.is_file(name));
        let rank =
            |exact: bool, book: &CopybookFile| (!exact, !exact && !has_plain_name(&book.name), book.rank(folder));
        let mut files: Vec<(_, &CopybookFile)> = exact.map(|book| (rank(true, book), book)).collect();
        files.extend(of_stem().map(|book| (rank(false, book), book)));
        files.sort_by_key(|(rank, _)| *rank);
        files.into_iter().map(|(_, book)| book).collect()
    }

    /// Returns the first readable file of a name; files in a folder with the library's name come first. A refused file is not returned, and neither
    /// is another in its place, which the program does not mean.
    fn taken(
        &self,
        name: &str,
        library: Option<&str>,
        folder: Option<&Path>,
    ) -> Option<(&CopybookFile, Arc<LexedSource>)> {
        let books = self.files_of(name, folder);
        let in_library = books.iter().filter(|book| library.is_some_and(|library| book.is_in(library)));
        in_library.chain(&books).find_map(|book| match self.content(book) {
            CopybookContent::Unreadable => None,
            CopybookContent::Refused => Some(None),
            // Only a COPY that names the file with its extension, or a folder of copybooks, means a program.
            CopybookContent::Read(lexed) if lexed.is_program() && !book.role.is_copybook && !book.is_file(name) => None,
            CopybookContent::Read(lexed) => Some(Some((*book, Arc::clone(lexed)))),
        })?
    }

    fn content<'a>(&self, book: &'a CopybookFile) -> &'a CopybookContent {
        book.content.get_or_init(|| {
            let Ok(bytes) = book.read(&self.options.read) else { return CopybookContent::Unreadable };
            let options = if book.role.is_map_set { GENERATED } else { self.options.read };
            let Ok(source) = SourceText::read(book.name.clone(), bytes, &options) else {
                return CopybookContent::Unreadable;
            };
            let policy = self.options.secrets.policy;
            let lines = source.line_count();
            let ScreenedSource { mut lexed, secrets, .. } = self.options.secrets.screen(source, self.known_secrets());
            // Of what is generated, each half has the lines of the map set.
            if book.role.is_map_set {
                Arc::get_mut(&mut lexed).expect("nothing shares it yet").fold_lines(lines / 2);
            }
            if secrets.is_empty() {
                return CopybookContent::Read(lexed);
            }
            if !self.sources.contains_key(&book.path) {
                let lines: Vec<LineNumber> = secrets.iter().map(FoundSecret::line).collect();
                let warning = format!("{}: {}", book.name, policy.warning(&lines));
                self.printer.warn_repeated(RepeatedWarning::Secret, warning);
            }
            if policy == SecretPolicy::Block { CopybookContent::Refused } else { CopybookContent::Read(lexed) }
        })
    }
}

impl CopybookFile {
    /// Returns its bytes, or those of the copybook that is generated from it.
    fn read(&self, options: &ReadOptions) -> io::Result<Vec<u8>> {
        let bytes = std::fs::read(&self.path)?;
        if !self.role.is_map_set {
            return Ok(bytes);
        }
        let options = ReadOptions { format: Some(SourceFormat::Free), ..*options };
        let source = SourceText::read(self.name.clone(), bytes, &options).map_err(io::Error::other)?;
        let copybook = symbolic_copybook(&bms::parse(&source));
        if copybook.is_empty() { Err(io::ErrorKind::InvalidData.into()) } else { Ok(copybook.into_bytes()) }
    }

    /// Returns where the file stands among others that a COPY in this folder may mean: what the user names comes first, then what looks like a copybook;
    /// of these, the file to which the fewest steps lead up from the folder, and then down.
    fn rank(&self, folder: Option<&Path>) -> (u8, usize, usize) {
        let kind = match self.role {
            FileRole { is_configured: true, .. } => return (0, 0, 0),
            FileRole { is_extra: true, .. } => 2,
            FileRole { is_map_set: true, .. } => 4,
            FileRole { is_copybook: true, .. } => 1,
            FileRole { .. } => 3,
        };
        let (Some(folder), Some(own)) = (folder, self.path.parent()) else { return (kind, 0, 0) };
        let common = folder.components().zip(own.components()).take_while(|(a, b)| a == b).count();
        (kind, folder.components().count() - common, own.components().count() - common)
    }

    /// Whether the file has this name, without folders, in upper case.
    fn is_file(&self, name: &str) -> bool {
        let file = self.path.file_name().and_then(OsStr::to_str);
        file.is_some_and(|file| file.to_uppercase() == name)
    }

    fn is_in(&self, library: &str) -> bool {
        let folder = self.path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
        folder.is_some_and(|folder| folder.eq_ignore_ascii_case(library))
    }

    /// Whether another file of the name competes with this one: also a copybook, with different contents. Identical copies do no harm, whichever is
    /// used.
    fn is_doubled_by(&self, other: &CopybookFile) -> bool {
        let may_be_meant = !other.role.is_map_set && (other.role.is_copybook || !self.role.is_copybook);
        other.path != self.path
            && may_be_meant
            && std::fs::read(&other.path).is_ok_and(|theirs| std::fs::read(&self.path).is_ok_and(|ours| ours != theirs))
    }
}

/// The copybooks as one source copies them: where several files have a name, the nearest to it.
#[derive(Clone, Copy)]
pub(super) struct NearbyCopybooks<'a> {
    files: &'a CopybookFiles,
    /// The folder of the source.
    folder: Option<&'a Path>,
}

impl<'a> NearbyCopybooks<'a> {
    fn taken(&self, name: &str, library: Option<&str>) -> Option<(&'a CopybookFile, Arc<LexedSource>)> {
        self.files.taken(name, library, self.folder)
    }

    /// Returns the bytes of the file that is used for a name.
    ///
    /// # Errors
    /// The error that prevents reading it.
    pub(super) fn bytes(&self, name: &str, library: Option<&str>) -> io::Result<Vec<u8>> {
        let Some((book, _)) = self.taken(name, library) else { return Err(io::ErrorKind::NotFound.into()) };
        book.read(&self.files.options.read)
    }
}

impl CopybookLibrary for NearbyCopybooks<'_> {
    fn items_alone(&self, name: &str, library: Option<&str>) -> Option<Arc<Vec<DataItem>>> {
        let (book, lexed) = self.taken(name, library)?;
        let kind = self.files.sources.get(&book.path)?;
        let alone = book.alone.get_or_init(|| {
            let parsed = parse_with(&lexed, &self.files.near(Some(&book.path)), &self.files.options.parse);
            // Another text gets no document. A map set's names the items of its symbolic maps.
            let is_documented = book.role.is_map_set || parsed.reads_as_cobol(*kind == SourceKind::Copybook);
            is_documented.then(|| Arc::new(parsed.data_items))
        });
        alone.clone()
    }

    fn is_source(&self, name: &str, library: Option<&str>) -> bool {
        self.taken(name, library).is_some_and(|(book, _)| self.files.sources.contains_key(&book.path))
    }

    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>> {
        self.taken(name, library).map(|(_, lexed)| lexed)
    }

    fn alternatives(&self, name: &str, library: Option<&str>) -> Vec<String> {
        let Some((taken, _)) = self.taken(name, library) else { return Vec::new() };
        // A named library is an explicit choice.
        if library.is_some_and(|library| taken.is_in(library)) {
            return Vec::new();
        }
        let passed_over = taken.passed_over.get_or_init(|| {
            // Files whose extensions say something are different copybooks.
            let is_alike = |book: &&CopybookFile| has_plain_name(&book.name) == has_plain_name(&taken.name);
            let doubles = self.files.files_of(name, self.folder).into_iter().filter(is_alike).filter(|book| taken.is_doubled_by(book));
            let doubles: Vec<String> = doubles.map(|book| book.name.clone()).collect();
            if !doubles.is_empty() {
                let warning = format!(
                    "copybook `{name}` is taken from `{}`; other files of that name differ from it: `{}`; --copybooks FOLDER says which folder comes first",
                    taken.name,
                    doubles.join("`, `")
                );
                self.files.printer.warn_repeated(RepeatedWarning::Copybook, warning);
            }
            doubles
        });
        passed_over.clone()
    }
}
