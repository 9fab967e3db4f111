//! Two folders of documents, traversed by name, with one document of each in memory at a time.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer::Printer;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;
use war_rig_template::Document;
use war_rig_template::diff::{DocumentChange, DocumentSignature, RunTotals, compare, find_renames};

/// The content of a file.
pub enum DocumentFile {
    /// A document, with the bytes it was read from.
    Document(Box<Document>, Vec<u8>),
    /// Something else, and why.
    NotADocument(String),
    /// A document that cannot be read, and why.
    Unreadable(String),
}

/// The next step of the comparison.
enum TreeStep {
    /// Both folders have a document of this name.
    Both(PathBuf, PathBuf),
    /// Only the old folder has it.
    Gone(PathBuf),
    /// Only the new folder has it.
    Added(PathBuf),
}

/// The documents of two folders, one by one: first those of the same name, then those that were renamed, removed or added.
pub struct TreeDiff {
    old: PathBuf,
    new: PathBuf,
    steps: std::vec::IntoIter<TreeStep>,
    printer: Printer,
    /// The number of unreadable documents so far.
    pub unreadable: u64,
}

impl TreeDiff {
    /// Lists both folders. Reads enough of each document without a counterpart of the same name to recognize it under another name.
    ///
    /// # Errors
    /// A usage failure when a folder cannot be listed.
    pub fn open(old: &Path, new: &Path, printer: &Printer) -> Result<Self, Failure> {
        let (olds, news) = (names(old)?, names(new)?);
        let mut trees = Self {
            old: old.to_owned(),
            new: new.to_owned(),
            steps: Vec::new().into_iter(),
            printer: printer.clone(),
            unreadable: 0,
        };
        let (gone, gone_likeness) = trees.alone(old, olds.difference(&news));
        let (added, added_likeness) = trees.alone(new, news.difference(&olds));
        let mut steps: Vec<TreeStep> =
            olds.intersection(&news).map(|name| TreeStep::Both(name.clone(), name.clone())).collect();
        let (mut is_gone, mut is_added) = (vec![true; gone.len()], vec![true; added.len()]);
        for (before, after) in find_renames(&gone_likeness, &added_likeness) {
            (is_gone[before], is_added[after]) = (false, false);
            steps.push(TreeStep::Both(gone[before].clone(), added[after].clone()));
        }
        let left = |names: Vec<PathBuf>, is_left: Vec<bool>| {
            names.into_iter().zip(is_left).filter(|(_, is_left)| *is_left).map(|(name, _)| name)
        };
        steps.extend(left(gone, is_gone).map(TreeStep::Gone));
        steps.extend(left(added, is_added).map(TreeStep::Added));
        trees.steps = steps.into_iter();
        Ok(trees)
    }

    /// Reads the identities of the documents under these names; reports and skips other files.
    fn alone<'a>(
        &mut self,
        root: &Path,
        names: impl Iterator<Item = &'a PathBuf>,
    ) -> (Vec<PathBuf>, Vec<DocumentSignature>) {
        let known = names.filter_map(|name| {
            let (document, _) = self.document(&root.join(name))?;
            Some((name.clone(), DocumentSignature::of(&document)))
        });
        known.unzip()
    }

    /// Reads the document in a file; reports a file that is none.
    fn document(&mut self, path: &Path) -> Option<(Box<Document>, Vec<u8>)> {
        match read(path) {
            DocumentFile::Document(document, bytes) => Some((document, bytes)),
            DocumentFile::NotADocument(reason) => {
                self.printer.note(&format!("passed over `{}`: {reason}", path.display()));
                None
            }
            DocumentFile::Unreadable(reason) => {
                self.unreadable += 1;
                let message = format!("`{}`: {reason}", path.display());
                self.printer.error(&Failure::new(ExitStatus::TicketsFailed, message));
                None
            }
        }
    }
}

impl Iterator for TreeDiff {
    type Item = DocumentChange;

    fn next(&mut self) -> Option<DocumentChange> {
        loop {
            let told = match self.steps.next()? {
                TreeStep::Both(before, after) => {
                    let (before, after) = (self.old.join(before), self.new.join(after));
                    let old = self.document(&before);
                    // An identical file need not be parsed twice.
                    if let Some((document, bytes)) = &old
                        && holds(&after, bytes)
                    {
                        Some(compare(document, document))
                    } else {
                        old.zip(self.document(&after)).map(|((old, _), (new, _))| compare(&old, &new))
                    }
                }
                TreeStep::Gone(name) => {
                    let path = self.old.join(name);
                    self.document(&path).map(|(document, _)| DocumentChange::removed(&document))
                }
                TreeStep::Added(name) => {
                    let path = self.new.join(name);
                    self.document(&path).map(|(document, _)| DocumentChange::added(&document))
                }
            };
            if told.is_some() {
                return told;
            }
        }
    }
}

/// Returns the names of the JSON files below a folder, without following links and without the run's own files.
fn names(root: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut names = BTreeSet::new();
    for entry in WalkDir::new(root) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(root).to_owned();
            let cause = error.into_io_error().unwrap_or_else(|| io::Error::other("it leads into itself"));
            Failure::cannot_read(&path, cause)
        })?;
        let is_json = entry.path().extension().is_some_and(|extension| extension == "json");
        if entry.file_type().is_file()
            && is_json
            && let Ok(name) = entry.path().strip_prefix(root)
            && name != Path::new("run.json")
        {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Reads one file.
pub fn read(path: &Path) -> DocumentFile {
    let mut bytes = Vec::new();
    if let Err(error) = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        return DocumentFile::Unreadable(error.to_string());
    }
    match serde_json::from_slice::<Document>(&bytes) {
        Ok(document) => DocumentFile::Document(Box::new(document), bytes),
        Err(error) => match serde_json::from_slice::<serde_json::Value>(&bytes) {
            Ok(value) if value["header"]["file_name"].is_string() => {
                DocumentFile::Unreadable(format!("it is no document of this version: {error}"))
            }
            Ok(_) => DocumentFile::NotADocument("it is JSON, but no document: it has no `header.file_name`".to_owned()),
            Err(error) => DocumentFile::Unreadable(format!("it is no JSON: {error}")),
        },
    }
}

/// Whether the file contains exactly these bytes.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let is_as_long = std::fs::symlink_metadata(path).is_ok_and(|data| data.len() == bytes.len() as u64);
    is_as_long && std::fs::read(path).is_ok_and(|read| read == bytes)
}

/// Reads the totals that a run recorded in its output folder.
pub fn run_totals(folder: &Path) -> Option<RunTotals> {
    serde_json::from_slice(&std::fs::read(folder.join("run.json")).ok()?).ok()
}
