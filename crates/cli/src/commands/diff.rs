//! `war-rig diff`: compares two folders of documents, or two documents, by meaning.

use crate::args::{DiffArgs, OutputFormat};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, sanitize_line};
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;
use war_rig_template::diff::{DocumentChange, RunTotals, TreeTotals, compare, document_lines, heading};

pub(super) mod trees;

use trees::{DocumentFile, TreeDiff};

/// Prints the differences.
///
/// # Errors
/// Usage failures when there is nothing to compare, and when standard output cannot be written.
pub fn run(args: &DiffArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let (old, new) = (args.old.as_path(), args.new.as_path());
    let is_folder = |path: &Path| {
        let data = std::fs::metadata(path).map_err(|error| Failure::cannot_read(path, error))?;
        Ok::<bool, Failure>(data.is_dir())
    };
    let mut comparison = match (is_folder(old)?, is_folder(new)?) {
        (true, true) => DiffRun::of_trees(old, new, printer)?,
        (false, false) => DiffRun::of_documents(old, new)?,
        _ => {
            return Err(Failure::usage(format!(
                "`{}` and `{}`: a folder cannot be compared with a file",
                old.display(),
                new.display()
            ))
            .with_hint("name two folders that `document` has written, or two of its JSON files")
            .into());
        }
    };
    match args.print.format {
        OutputFormat::Text => comparison.print_text(printer)?,
        OutputFormat::Json => printer.json(&StreamedDiff(RefCell::new(&mut comparison)))?,
    }
    let status = match (args.exit_code && comparison.totals.differs(), comparison.unreadable()) {
        (true, _) => ExitStatus::GateFailed,
        (false, 0) => ExitStatus::Ok,
        (false, _) => ExitStatus::TicketsFailed,
    };
    Ok(status)
}

/// A running comparison, which yields one document at a time: the documents of a large estate are never all in memory.
struct DiffRun {
    what: DiffInput,
    totals: TreeTotals,
    /// The totals of both runs, if both recorded them.
    run: Option<(RunTotals, RunTotals)>,
}

enum DiffInput {
    Trees(TreeDiff),
    Documents(Option<Box<DocumentChange>>),
}

impl DiffRun {
    fn of_trees(old: &Path, new: &Path, printer: &Printer) -> Result<Self, Failure> {
        let run = trees::run_totals(old).zip(trees::run_totals(new));
        Ok(Self { what: DiffInput::Trees(TreeDiff::open(old, new, printer)?), totals: TreeTotals::default(), run })
    }

    fn of_documents(old: &Path, new: &Path) -> Result<Self, Failure> {
        let read = |path: &Path| match trees::read(path) {
            DocumentFile::Document(document, _) => Ok(document),
            DocumentFile::NotADocument(reason) => {
                Err(Failure::usage(format!("`{}` is no document: {reason}", path.display())))
            }
            DocumentFile::Unreadable(reason) => {
                Err(Failure::new(ExitStatus::TicketsFailed, format!("`{}` cannot be read: {reason}", path.display())))
            }
        };
        let told = compare(&*read(old)?, &*read(new)?);
        let what = DiffInput::Documents(Some(Box::new(told)));
        Ok(Self { what, totals: TreeTotals::default(), run: None })
    }

    /// Returns the number of documents that could not be read.
    fn unreadable(&self) -> u64 {
        match &self.what {
            DiffInput::Trees(trees) => trees.unreadable,
            DiffInput::Documents(_) => 0,
        }
    }

    /// Returns the next document whose meaning differs.
    fn next(&mut self) -> Option<DocumentChange> {
        loop {
            let told = match &mut self.what {
                DiffInput::Trees(trees) => trees.next()?,
                DiffInput::Documents(told) => *told.take()?,
            };
            self.totals.count(&told);
            if !told.is_same() {
                return Some(told);
            }
        }
    }

    fn print_text(&mut self, printer: &Printer) -> Result<(), CommandError> {
        while let Some(told) = self.next() {
            let mut text = String::new();
            for line in std::iter::once(heading(&told))
                .chain(document_lines(&told).into_iter().map(|line| format!("    {line}")))
            {
                writeln!(text, "{}", sanitize_line(&line)).expect("a string takes every write");
            }
            printer.data(&text)?;
        }
        let mut text = String::new();
        if let Some((before, after)) = &self.run {
            let rows = before.differences(after);
            if !rows.is_empty() {
                text.push_str("run.json\n");
            }
            for (name, was, is) in rows {
                writeln!(text, "    ~ {name}: {was} -> {is}").expect("a string takes every write");
            }
        }
        text.push_str(&summary(&self.totals, self.unreadable()));
        text.push('\n');
        printer.data(&text)
    }
}

/// Summarizes everything in one line.
fn summary(totals: &TreeTotals, unreadable: u64) -> String {
    let counted = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let documents = [
        counted(totals.changed, "changed"),
        counted(totals.renamed, "renamed"),
        counted(totals.added, "added"),
        counted(totals.gone, "gone"),
        counted(totals.same, "the same"),
        counted(unreadable, "unreadable"),
    ];
    let documents: Vec<String> = documents.into_iter().flatten().collect();
    let mut line = match documents.is_empty() {
        true => "documents: none".to_owned(),
        false => format!("documents: {}", documents.join(", ")),
    };
    let TreeTotals { changes, moved_citations, .. } = totals;
    if changes.all() > 0 {
        let changes = [
            counted(changes.added, "added"),
            counted(changes.gone, "gone"),
            counted(changes.changed, "changed"),
            counted(changes.moved, "moved"),
        ];
        let changes: Vec<String> = changes.into_iter().flatten().collect();
        line.push_str(&format!("; items: {}", changes.join(", ")));
    }
    line.push_str(&format!("; citations merely moved: {moved_citations}"));
    line
}

/// A comparison streamed as JSON: `documents`, `totals`, and `run` with both sides if both recorded their totals.
struct StreamedDiff<'a>(RefCell<&'a mut DiffRun>);

impl Serialize for StreamedDiff<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct StreamedDocuments<'a, 'b>(&'a StreamedDiff<'b>);
        impl Serialize for StreamedDocuments<'_, '_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut comparison = self.0.0.try_borrow_mut().map_err(S::Error::custom)?;
                let mut documents = serializer.serialize_seq(None)?;
                while let Some(told) = comparison.next() {
                    documents.serialize_element(&told)?;
                }
                documents.end()
            }
        }
        #[derive(Serialize)]
        struct DiffTotals {
            #[serde(flatten)]
            totals: TreeTotals,
            unreadable: u64,
        }
        let mut fields = serializer.serialize_struct("diff", 3)?;
        fields.serialize_field("documents", &StreamedDocuments(self))?;
        let comparison = self.0.try_borrow().map_err(S::Error::custom)?;
        let totals = DiffTotals { totals: comparison.totals, unreadable: comparison.unreadable() };
        fields.serialize_field("totals", &totals)?;
        if let Some((before, after)) = &comparison.run {
            fields.serialize_field("run", &serde_json::json!({ "before": before, "after": after }))?;
        }
        fields.end()
    }
}
