//! A document taken apart into rows.
//!
//! Every item of a document that a kind is about becomes one row, in the order of the document. What an item leaves to the whole document, such as its
//! program in a file that has one, is said in its row, so that no row needs another one to be understood.

mod copybooks;
mod data;
mod files;
mod interfaces;
mod jobs;
mod maps;
mod open_points;
mod programs;
mod tables;

use crate::row::{CatalogueRow, DocumentRows};
use crate::row_kind::RowKind;
use war_rig_template::{Citation, CitationStatus, Document, ItemOrigin, Mention, Users};
use war_rig_text::LineRange;

/// The rows of a document, by kind; a kind that it has no rows of is left out.
///
/// The fields `docs` and `document` stay absent: whoever keeps the rows knows which document they are of.
pub fn document_rows(document: &Document) -> DocumentRows {
    let apart = RowBuilder::of(document);
    let mut rows = DocumentRows::new();
    let mut put = |kind, found: Vec<CatalogueRow>| {
        debug_assert!(found.iter().all(|row| row.kind() == kind), "rows of {kind}");
        if !found.is_empty() {
            rows.insert(kind, found);
        }
    };
    put(RowKind::Programs, programs::programs(&apart));
    put(RowKind::Paragraphs, programs::paragraphs(&apart));
    put(RowKind::Rules, programs::rules(&apart));
    put(RowKind::DataItems, data::items(&apart));
    put(RowKind::Files, files::files(&apart));
    put(RowKind::Tables, tables::tables(&apart));
    put(RowKind::Maps, maps::maps(&apart));
    put(RowKind::Copybooks, copybooks::copybooks(&apart));
    put(RowKind::Calls, programs::calls(&apart));
    put(RowKind::Jobs, jobs::jobs(&apart));
    put(RowKind::Questions, open_points::questions(&apart));
    put(RowKind::Conflicts, open_points::conflicts(&apart));
    rows
}

/// A document that is taken apart.
struct RowBuilder<'a> {
    document: &'a Document,
    /// Its program, where it has one only: its items do not name it then.
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

    /// A row of something that stands in a program, with where it comes from.
    fn in_program(&self, kind: RowKind, program: Option<&str>, citations: &[Citation]) -> CatalogueRow {
        self.cited(kind, citations).with("program", program.or(self.only_program))
    }

    /// A row with where it comes from: the first citation that holds, or without one that does the first. The worst of them says how far they hold.
    fn cited(&self, kind: RowKind, citations: &[Citation]) -> CatalogueRow {
        let holds = |citation: &&Citation| citation.status() != CitationStatus::Unsupported;
        let worst = citations.iter().map(Citation::status).max_by_key(|status| badness(*status));
        let row = match citations.iter().find(holds).or(citations.first()) {
            Some(citation) => at(CatalogueRow::new(kind), citation.file(), citation.lines()),
            None => CatalogueRow::new(kind).with("file", self.file()),
        };
        row.with("citation", worst.map(in_a_word))
    }

    /// The source that the document is of.
    fn file(&self) -> &'a str {
        &self.document.header.file_name
    }

    /// The source that defines something; none where no source does.
    fn defined_in(&self, kind: &str, name: &str) -> Option<&'a str> {
        let id = format!("{kind}:{}", name.to_uppercase());
        self.document.calling_context.defined_in.get(&id).map(String::as_str)
    }

    /// The source that defines a part of something: a map of whichever map set, a segment of whichever database.
    fn defined_below(&self, kind: &str, name: &str) -> Option<&'a str> {
        let name = name.to_uppercase();
        let known = self.document.calling_context.defined_in.iter();
        let mut of_kind =
            known.filter_map(|(id, file)| Some((id.strip_prefix(kind)?.strip_prefix(':')?, file)));
        let is_it = |id: &str| id.rsplit_once('.').is_some_and(|(_, last)| last == name);
        of_kind.find(|(id, _)| is_it(id)).map(|(_, file)| file.as_str())
    }
}

/// A row of what a source defines: its lines are known, its citations are of its first line perhaps.
fn defined(apart: &RowBuilder<'_>, kind: RowKind, citations: &[Citation], lines: LineRange) -> CatalogueRow {
    let file = citations.first().map_or(apart.file(), Citation::file);
    at(apart.cited(kind, citations), file, lines)
}

/// The row with the place where it stands.
fn at(row: CatalogueRow, file: &str, lines: LineRange) -> CatalogueRow {
    row.with("file", file).with("line", lines.start().get()).with("end_line", lines.end().get())
}

/// The row with who said so.
fn said(row: CatalogueRow, origin: ItemOrigin, confidence: Option<f64>) -> CatalogueRow {
    let origin = match origin {
        ItemOrigin::Parser => "parser",
        ItemOrigin::Model => "model",
        ItemOrigin::Both => "both",
    };
    row.with("origin", origin).with("confidence", confidence)
}

fn badness(status: CitationStatus) -> u8 {
    match status {
        CitationStatus::Verified => 0,
        CitationStatus::Relocated => 1,
        CitationStatus::Unsupported => 2,
    }
}

fn in_a_word(status: CitationStatus) -> &'static str {
    match status {
        CitationStatus::Verified => "verified",
        CitationStatus::Relocated => "relocated",
        CitationStatus::Unsupported => "unsupported",
    }
}

/// A text that says something: an empty one is as good as none.
fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn named(mentions: &[Mention]) -> Vec<String> {
    once(mentions.iter().map(|mention| mention.name.as_str()))
}

fn users(users: &Users) -> Vec<String> {
    named(&users.named)
}

/// Texts, each at its first place only.
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
