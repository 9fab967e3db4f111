//! Splits a document into rows.
//!
//! Every item of a document that belongs to a kind becomes one row, in the order of the document. If an item depends on the whole document, for
//! example for its program in a file that has one, its row repeats that, so that each row can be understood without the others.

mod copybooks;
mod data;
mod files;
mod interfaces;
mod jobs;
mod maps;
mod open_points;
mod outcomes;
mod programs;
mod tables;

use crate::row::{CatalogueRow, DocumentRows};
use crate::row_kind::RowKind;
use war_rig_template::{Citation, CitationStatus, Document, DocumentItem, ItemOrigin, Mention, Users};
use war_rig_text::LineRange;

/// Returns the rows of a document, by kind; kinds without rows are left out.
///
/// The fields `docs` and `document` stay absent: the code that stores the rows knows their document.
pub fn document_rows(document: &Document) -> DocumentRows {
    rows_of_kinds(document, RowKind::document_kinds())
}

/// Returns the rows of some kinds, as [`document_rows`] has them.
pub fn rows_of_kinds(document: &Document, kinds: impl IntoIterator<Item = RowKind>) -> DocumentRows {
    let apart = RowBuilder::of(document);
    let of_kind = |kind: RowKind| match kind {
        RowKind::Programs => programs::programs(&apart),
        RowKind::Paragraphs => programs::paragraphs(&apart),
        RowKind::Rules => programs::rules(&apart),
        RowKind::DataItems => data::items(&apart),
        RowKind::Files => files::files(&apart),
        RowKind::Tables => tables::tables(&apart),
        RowKind::Maps => maps::maps(&apart),
        RowKind::Copybooks => copybooks::copybooks(&apart),
        RowKind::Calls => programs::calls(&apart),
        RowKind::Jobs => jobs::jobs(&apart),
        RowKind::Errors => outcomes::errors(&apart),
        RowKind::States => outcomes::states(&apart),
        RowKind::Hazards => open_points::hazards(&apart),
        RowKind::Questions => open_points::questions(&apart),
        RowKind::Conflicts => open_points::conflicts(&apart),
        RowKind::Functions | RowKind::EntryPoints | RowKind::Tickets => Vec::new(),
    };
    let rows = kinds.into_iter().map(|kind| (kind, of_kind(kind))).filter(|(_, rows)| !rows.is_empty());
    rows.inspect(|(kind, rows)| debug_assert!(rows.iter().all(|row| row.kind() == *kind), "rows of {kind}")).collect()
}

/// A document that is being split.
struct RowBuilder<'a> {
    document: &'a Document,
    /// Its only program, if it has one: then its items do not name it.
    only_program: Option<&'a str>,
}

impl<'a> RowBuilder<'a> {
    fn of(document: &'a Document) -> Self {
        let only_program = match document.programs.as_slice() {
            [program] => Some(program.program_id.as_str()),
            _ => None,
        };
        Self { document, only_program }
    }

    /// Creates a row for something in a program, with its source location.
    fn in_program(&self, kind: RowKind, program: Option<&str>, citations: &[Citation]) -> CatalogueRow {
        self.cited(kind, citations).with("program", program.or(self.only_program))
    }

    /// Creates a row for an item, with its source location and its origin.
    fn item<B>(&self, kind: RowKind, item: &DocumentItem<B>) -> CatalogueRow {
        said(self.in_program(kind, item.program.as_deref(), &item.citations), item.origin, item.confidence)
    }

    /// Creates a row with its location: the first verified citation, or without one the first. The worst citation determines the row's status.
    fn cited(&self, kind: RowKind, citations: &[Citation]) -> CatalogueRow {
        let holds = |citation: &&Citation| citation.status().holds();
        let worst = citations.iter().map(Citation::status).max();
        let row = match citations.iter().find(holds).or(citations.first()) {
            Some(citation) => at(CatalogueRow::new(kind), citation.file(), citation.lines()),
            None => CatalogueRow::new(kind).with("file", self.file()),
        };
        row.with("citation", worst.map(CitationStatus::as_str))
    }

    /// Returns the document's source.
    fn file(&self) -> &'a str {
        &self.document.header.file_name
    }

    /// Returns the source that defines something; `None` if no source does.
    fn defined_in(&self, kind: &str, name: &str) -> Option<&'a str> {
        let id = format!("{kind}:{}", name.to_uppercase());
        self.document.calling_context.defined_in.get(&id).map(String::as_str)
    }

    /// Returns the source that defines a part of something: a map of any map set, a segment of any database.
    fn defined_below(&self, kind: &str, name: &str) -> Option<&'a str> {
        let name = name.to_uppercase();
        let known = self.document.calling_context.defined_in.iter();
        let mut of_kind = known.filter_map(|(id, file)| Some((id.strip_prefix(kind)?.strip_prefix(':')?, file)));
        let is_it = |id: &str| id.rsplit_once('.').is_some_and(|(_, last)| last == name);
        of_kind.find(|(id, _)| is_it(id)).map(|(_, file)| file.as_str())
    }
}

/// Creates a row of something that a source defines: its lines are known; its citations may cover only its first line.
fn defined(apart: &RowBuilder<'_>, kind: RowKind, citations: &[Citation], lines: LineRange) -> CatalogueRow {
    let file = citations.first().map_or(apart.file(), Citation::file);
    at(apart.cited(kind, citations), file, lines)
}

/// Adds the location to the row.
fn at(row: CatalogueRow, file: &str, lines: LineRange) -> CatalogueRow {
    row.with("file", file).with("line", lines.start().get()).with("end_line", lines.end().get())
}

/// Adds the origin to the row.
fn said(row: CatalogueRow, origin: ItemOrigin, confidence: Option<f64>) -> CatalogueRow {
    let origin = match origin {
        ItemOrigin::Parser => "parser",
        ItemOrigin::Model => "model",
        ItemOrigin::Both => "both",
    };
    row.with("origin", origin).with("confidence", confidence)
}

/// Returns the text, or `None` if it is empty.
fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn named(mentions: &[Mention]) -> Vec<String> {
    once(mentions.iter().map(|mention| mention.name.as_str()))
}

fn users(users: &Users) -> Vec<String> {
    named(&users.named)
}

/// Returns the texts without repetitions, each at its first position.
fn once<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        if !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests;
