//! What is in a folder of sources: kinds, endings, encodings, and what is copied and missing.

use crate::failure::Failure;
use crate::settings::ENDINGS_OF_DOCUMENTS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use walkdir::{DirEntry, WalkDir};
use war_rig_estate::{NodeId, NodeKind, SourceKind, supplier_of_node};
use war_rig_text::{Encoding, ReadOptions, SourceText, member_name};

/// How many files of one folder and ending are looked into.
const LOOKED_INTO: usize = 200;

/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 16 << 20;

/// How many of a hundred files must be of one kind for a rule about all of them.
const MOST: usize = 75;

/// Folders that hold no sources, whatever is in them.
const PASSED_OVER: [&str; 3] = ["node_modules", "target", "__pycache__"];

/// The files of a folder by what they are.
#[derive(Debug, Default)]
pub struct FolderSurvey {
    /// Each kind of source with the number of its files and its folders.
    pub kinds: BTreeMap<SourceKind, FoundKind>,
    /// What files are whose names do not say it, by glob, with the reason.
    pub rules: BTreeMap<String, TypeRule>,
    /// The number of files that are no sources, by ending.
    pub others: BTreeMap<String, usize>,
    /// The names of files without an ending that are nothing that is known.
    pub unknown: Vec<String>,
    /// The files that were looked into, by encoding.
    pub encodings: BTreeMap<&'static str, usize>,
    /// Copybooks that are copied and are not among the files, with the number of programs that copy them.
    pub missing: BTreeMap<String, usize>,
    /// The bytes of all sources.
    pub bytes: u64,
    /// The folder that all sources are below, relative to the one that was surveyed: `.` or a name.
    pub base: String,
}

/// The files of a kind.
#[derive(Debug, Default)]
pub struct FoundKind {
    /// The number of files.
    pub files: usize,
    /// Their folders.
    pub folders: BTreeSet<String>,
}

/// A rule about files.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeRule {
    /// The kind, as `source.types` has it.
    pub kind: &'static str,
    /// How many files were looked into; 0 for a rule that only leaves files as they are.
    pub looked_into: usize,
    /// How many of them are of this kind.
    pub of_kind: usize,
}

/// A file, by name relative to the surveyed folder.
struct FoundFile {
    name: String,
    bytes: u64,
}

/// The files of one folder with one ending.
type FileGroups = BTreeMap<(String, String), Vec<FoundFile>>;

impl FolderSurvey {
    /// Looks at the files below a folder. Hidden folders are passed over, and those of documents that War Rig has written.
    ///
    /// # Errors
    /// A failure if the folder cannot be read.
    pub fn of(folder: &Path) -> Result<Self, Failure> {
        let mut survey = Self::default();
        let mut groups: FileGroups = BTreeMap::new();
        let mut members: BTreeSet<String> = BTreeSet::new();
        let wanted = |entry: &DirEntry| entry.depth() == 0 || !is_passed_over(entry);
        for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(wanted) {
            // What cannot be read is reported by the run, which reads it.
            let Ok(entry) = entry.inspect_err(|error| tracing::debug!(%error, "not surveyed")) else { continue };
            if !entry.file_type().is_file() {
                continue;
            }
            let Some(name) = name_below(folder, entry.path()) else { continue };
            if name.rsplit('/').next().is_some_and(|file| file.starts_with('.')) {
                continue;
            }
            members.insert(member_name(&name).to_uppercase());
            let bytes = entry.metadata().map_or(0, |data| data.len());
            groups.entry((folder_of(&name).to_owned(), ending(&name))).or_default().push(FoundFile { name, bytes });
        }
        survey.base = base_of(&groups);
        let places: BTreeSet<(String, String)> = groups.keys().cloned().collect();
        let mut recognized: FileGroups = BTreeMap::new();
        for ((at, ending), files) in groups {
            match usual_kind(&ending) {
                Some(kind) => {
                    survey.look(folder, kind, &files);
                    survey.add(kind, &at, &files);
                }
                None if ENDINGS_OF_DOCUMENTS.contains(&ending.as_str()) => {
                    *survey.others.entry(ending).or_default() += files.len();
                }
                None => {
                    recognized.insert((at, ending), files);
                }
            }
        }
        survey.recognize(folder, &recognized);
        survey.except_other_endings(&places);
        survey.missing.retain(|name, _| !members.contains(name));
        Ok(survey)
    }

    /// The number of sources.
    pub fn sources(&self) -> usize {
        self.kinds.values().map(|found| found.files).sum()
    }

    fn add(&mut self, kind: SourceKind, at: &str, files: &[FoundFile]) {
        let found = self.kinds.entry(kind).or_default();
        found.files += files.len();
        found.folders.insert(if at.is_empty() { ".".to_owned() } else { at.to_owned() });
        self.bytes += files.iter().map(|file| file.bytes).sum::<u64>();
    }

    /// Reads files for their encodings, and for what they copy.
    fn look(&mut self, folder: &Path, kind: SourceKind, files: &[FoundFile]) {
        for file in files.iter().take(LOOKED_INTO) {
            if let Some(source) = read(folder, file) {
                self.note(kind, &source);
            }
        }
    }

    fn note(&mut self, kind: SourceKind, source: &SourceText) {
        *self.encodings.entry(source.encoding().as_str()).or_default() += 1;
        if !kind.is_cobol() {
            return;
        }
        let mut copied = BTreeSet::new();
        for line in source.lines().filter(|line| !matches!(line.indicator(), '*' | '/')) {
            let mut words = line.code().split_whitespace();
            let mut word = words.next();
            if word.is_some_and(|word| word.eq_ignore_ascii_case("EXEC")) {
                // EXEC SQL INCLUDE on one line, or INCLUDE on its own below.
                word = words.nth(1);
            }
            let copies = ["COPY", "INCLUDE"];
            if word.is_some_and(|word| copies.iter().any(|copy| word.eq_ignore_ascii_case(copy))) {
                let name = words.next().unwrap_or_default().trim_matches(['.', '\'', '"', ',']);
                copied.insert(member_name(name).to_uppercase());
            }
        }
        for name in copied.into_iter().filter(|name| !name.is_empty() && !is_supplied(name)) {
            *self.missing.entry(name).or_default() += 1;
        }
    }

    /// Looks into files whose names do not say what they are, and makes rules of what they turn out to be.
    fn recognize(&mut self, folder: &Path, groups: &FileGroups) {
        for ((at, ending), files) in groups {
            let mut kinds: BTreeMap<SourceKind, Vec<&str>> = BTreeMap::new();
            let most_files = if self.below_base(at).is_empty() { files.len() } else { LOOKED_INTO };
            let looked_into = files.len().min(most_files);
            for file in files.iter().take(most_files) {
                let Some(source) = read(folder, file) else { continue };
                if let Some(kind) = SourceKind::from_content(&source) {
                    kinds.entry(kind).or_default().push(&file.name);
                    self.note(kind, &source);
                }
            }
            let most = kinds.iter().max_by_key(|(_, names)| names.len()).map(|(kind, names)| (*kind, names.len()));
            let recognized: usize = kinds.values().map(Vec::len).sum();
            // A glob for the top would hold for every file below it.
            let is_top = self.below_base(at).is_empty() && ending.is_empty();
            let rest = most.filter(|_| recognized * 100 >= looked_into * MOST && !is_top);
            if let Some((kind, of_kind)) = rest {
                self.rules.insert(self.glob(at, ending), TypeRule { kind: kind.as_str(), looked_into, of_kind });
            }
            // What has no rule of its own, or another kind than the rule says.
            let own = kinds.into_iter().filter(|(kind, _)| rest.is_none_or(|(most, _)| most != *kind));
            let own: BTreeMap<&str, SourceKind> =
                own.flat_map(|(kind, names)| names.into_iter().map(move |name| (name, kind))).collect();
            for file in files {
                match (own.get(file.name.as_str()), rest) {
                    (Some(kind), _) => {
                        let rule = TypeRule { kind: kind.as_str(), looked_into: 1, of_kind: 1 };
                        self.rules.insert(globset::escape(self.below_base(&file.name)), rule);
                        self.add(*kind, at, std::slice::from_ref(file));
                    }
                    (None, Some((kind, _))) => self.add(kind, at, std::slice::from_ref(file)),
                    (None, None) => {
                        *self.others.entry(ending.clone()).or_default() += 1;
                        self.unknown.extend(ending.is_empty().then(|| file.name.clone()));
                    }
                }
            }
        }
    }

    /// A rule about files without an ending would hold for all files of their folder: those with endings stay what they are.
    fn except_other_endings(&mut self, places: &BTreeSet<(String, String)>) {
        let whole: BTreeSet<String> = self.rules.keys().filter(|glob| glob.ends_with('*')).cloned().collect();
        let beside = places.iter().filter(|(at, ending)| !ending.is_empty() && whole.contains(&self.glob(at, "")));
        let kind = |ending: &str| usual_kind(ending).map_or("ignore", SourceKind::as_str);
        let exceptions: Vec<_> = beside.map(|(at, ending)| (self.glob(at, ending), kind(ending))).collect();
        for (glob, kind) in exceptions {
            self.rules.entry(glob).or_insert(TypeRule { kind, looked_into: 0, of_kind: 0 });
        }
    }

    /// A glob for the files of a folder with an ending.
    fn glob(&self, at: &str, ending: &str) -> String {
        let ending = if ending.is_empty() { String::new() } else { format!(".{}", globset::escape(ending)) };
        match self.below_base(at) {
            "" => format!("/*{ending}").trim_start_matches('/').to_owned(),
            at => format!("{}/*{ending}", globset::escape(at)),
        }
    }

    fn below_base<'n>(&self, name: &'n str) -> &'n str {
        match name.strip_prefix(self.base.as_str()) {
            Some(below) if self.base != "." => below.trim_start_matches('/'),
            _ => name,
        }
    }

    /// The EBCDIC code page that all sources are in, with their number; none if there is no such page. A mixture is recognized file by file.
    pub fn code_page(&self) -> Option<(&'static str, usize)> {
        let all: usize = self.encodings.values().sum();
        let is_ebcdic = |name: &str| matches!(Encoding::from_name(name), Some(Encoding::Ebcdic(_)));
        let pages = self.encodings.iter().filter(|(name, _)| is_ebcdic(name));
        pages.map(|(name, count)| (*name, *count)).find(|(_, count)| *count == all)
    }
}

fn read(folder: &Path, file: &FoundFile) -> Option<SourceText> {
    let bytes = std::fs::read(folder.join(&file.name)).ok().filter(|_| file.bytes <= LARGEST)?;
    SourceText::read(file.name.as_str(), bytes, &ReadOptions::default()).ok()
}

fn is_passed_over(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_documents = || entry.file_type().is_dir() && entry.path().join("run.json").is_file();
    name.starts_with('.') || PASSED_OVER.contains(&&*name) || is_documents()
}

fn name_below(folder: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(folder).ok()?;
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The ending of a file's name in lower case; empty if it has none.
fn ending(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map_or(String::new(), |(_, ending)| ending.to_lowercase())
}

/// The kind of files with an ending that sources usually have.
fn usual_kind(ending: &str) -> Option<SourceKind> {
    SourceKind::ALL.iter().copied().find(|kind| usual_endings(*kind).any(|usual| usual == ending))
}

/// The endings of `source.include` for a kind.
fn usual_endings(kind: SourceKind) -> impl Iterator<Item = &'static str> {
    crate::settings::USUAL_ENDINGS
        .split(' ')
        .filter(move |ending| SourceKind::from_file_name(&format!("x.{ending}")) == kind)
}

/// Whether a copybook comes with CICS, DB2, IMS or MQ.
fn is_supplied(name: &str) -> bool {
    supplier_of_node(&NodeId::new(NodeKind::Copybook, name)).is_some()
}

/// The folder that all files are below that may be sources: one at the top, if it only has folders.
fn base_of(groups: &FileGroups) -> String {
    let is_source = |ending: &str| usual_kind(ending).is_some() || ending.is_empty();
    let folders: BTreeSet<&str> =
        groups.keys().filter(|(_, ending)| is_source(ending)).map(|(at, _)| at.as_str()).collect();
    let first = |at: &str| at.split_once('/').map(|(first, _)| first.to_owned());
    let mut tops: BTreeSet<Option<String>> = folders.iter().map(|at| first(at)).collect();
    match (tops.pop_first(), tops.is_empty()) {
        (Some(Some(top)), true) => top,
        _ => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderSurvey, TypeRule};
    use war_rig_estate::SourceKind;

    const PROGRAM: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       PROCEDURE DIVISION.\n           COPY CODE1.\n           GOBACK.\n";
    const COPYBOOK: &str = "       01  REC.\n           05  F PIC X.\n";

    fn survey(files: &[(&str, &str)]) -> FolderSurvey {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        FolderSurvey::of(folder.path()).unwrap()
    }

    #[test]
    fn members_without_an_ending_get_a_rule_and_what_lies_beside_them_stays_what_it_is() {
        let found = survey(&[
            ("cbl/A", PROGRAM),
            ("cbl/B", PROGRAM),
            ("cbl/README.md", "# Programs\n"),
            ("cbl/R.cpy", COPYBOOK),
            ("cpy/S", COPYBOOK),
            ("notes/todo", "buy milk\n"),
        ]);
        let rule = |glob: &str| found.rules.get(glob).map(|rule| rule.kind);
        assert_eq!(rule("cbl/*"), Some("cobol"));
        assert_eq!(rule("cbl/*.md"), Some("ignore"));
        assert_eq!(rule("cbl/*.cpy"), Some("copybook"));
        assert_eq!(rule("cpy/*"), Some("copybook"));
        assert_eq!(rule("notes/*"), None);
        assert_eq!(found.kinds[&SourceKind::Cobol].files, 2);
        assert_eq!(found.kinds[&SourceKind::Copybook].files, 2);
        assert_eq!(found.missing.get("CODE1"), Some(&2));
        assert_eq!(found.base, ".");
    }

    #[test]
    fn a_folder_of_many_kinds_gets_a_rule_for_each_file_that_is_known() {
        let found =
            survey(&[("src/lib/A", PROGRAM), ("src/lib/J", "//J JOB\n//S EXEC PGM=A\n"), ("src/lib/T", "text\n")]);
        assert_eq!(found.base, "src");
        assert_eq!(found.rules.get("lib/A"), Some(&TypeRule { kind: "cobol", looked_into: 1, of_kind: 1 }));
        assert_eq!(found.rules.get("lib/J").map(|rule| rule.kind), Some("jcl"));
        assert_eq!(found.others.values().sum::<usize>(), 1);
    }

    #[test]
    fn documents_and_hidden_folders_are_passed_over() {
        let found =
            survey(&[("a.cbl", PROGRAM), ("docs/run.json", "{}"), ("docs/x.cbl", PROGRAM), (".git/y.cbl", PROGRAM)]);
        assert_eq!(found.sources(), 1);
    }
}
