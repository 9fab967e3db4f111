//! What of a document can be found by its name or by its words.

use std::collections::BTreeSet;
use war_rig_catalogue::{CatalogueRow, DocumentRows, FieldRole, RowKind};
use war_rig_site::{RenderedPage, SearchEntry, SearchText};

/// The kinds whose rows are found by their names. Paragraphs and data items are found too, through the places in their pages.
const NAMED: [RowKind; 6] =
    [RowKind::Programs, RowKind::Copybooks, RowKind::Jobs, RowKind::Files, RowKind::Tables, RowKind::Maps];

/// The kinds whose rows are found by their words, the most telling first, with the fields that are shown.
const TEXTS: [(RowKind, &[&str]); 7] = [
    (RowKind::Rules, &["description"]),
    (RowKind::Programs, &["summary"]),
    (RowKind::Jobs, &["summary"]),
    (RowKind::Copybooks, &["description"]),
    (RowKind::Errors, &["condition", "action", "outcome"]),
    (RowKind::Hazards, &["finding"]),
    (RowKind::Questions, &["question", "context"]),
];

/// The kinds of texts that are listed, page by page.
pub(super) const LISTED: [RowKind; 4] = [RowKind::Rules, RowKind::Errors, RowKind::Hazards, RowKind::Questions];

/// Returns the kinds of which a site needs the rows.
pub(super) fn kinds() -> BTreeSet<RowKind> {
    NAMED.into_iter().chain(TEXTS.iter().map(|(kind, _)| *kind)).collect()
}

/// Returns the kinds of texts.
pub(super) fn text_kinds() -> Vec<&'static str> {
    TEXTS.iter().map(|(kind, _)| kind.name()).collect()
}

/// Returns the names of a document's rows. `about` is what its page is about.
pub(super) fn names(rows: &DocumentRows, page: &RenderedPage, about: &str) -> Vec<SearchEntry> {
    let of_kind = |kind: RowKind| rows.get(&kind).into_iter().flatten().map(move |row| (kind, row));
    let mut names: Vec<SearchEntry> = NAMED
        .into_iter()
        .flat_map(of_kind)
        // A COPY is no place where somebody looks for a copybook.
        .filter(|(kind, row)| *kind != RowKind::Copybooks || row.text("role") == Some("definition"))
        .filter_map(|(kind, row)| {
            let name = name(row)?;
            let is_the_page = name.eq_ignore_ascii_case(about);
            let what = match row.text("type").or(row.text("role")) {
                Some(what) if is_the_page => what.to_owned(),
                _ => format!("in {about}"),
            };
            let place = if is_the_page { page.place.clone() } else { place(row, page) };
            Some(SearchEntry { name: name.to_owned(), kind: kind.name(), what, place })
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns the texts of a document's rows.
pub(super) fn texts(rows: &DocumentRows, page: &RenderedPage, about: &str) -> Vec<SearchText> {
    let of_kind = |(kind, fields): (RowKind, &'static [&'static str])| {
        rows.get(&kind).into_iter().flatten().map(move |row| (kind, fields, row))
    };
    let texts = TEXTS.into_iter().flat_map(of_kind).filter_map(|(kind, fields, row)| {
        let texts: Vec<&str> = fields.iter().filter_map(|field| row.text(field)).collect();
        let of = row.text("program").or(name(row).filter(|_| kind == RowKind::Programs)).unwrap_or(about);
        let what = match row.lines() {
            Some(lines) if kind != RowKind::Programs => format!("{of}:{}", lines.start()),
            _ => of.to_owned(),
        };
        (!texts.is_empty()).then(|| SearchText {
            kind: kind.name(),
            text: texts.join(": "),
            what,
            place: place(row, page),
        })
    });
    texts.collect()
}

/// Returns the copybooks that a source copies, with the lines of its COPY statements.
pub(super) fn copied(rows: &DocumentRows, file: &str) -> Vec<(u32, String)> {
    let copies = rows.get(&RowKind::Copybooks).into_iter().flatten();
    let copies = copies.filter(|row| row.text("role") == Some("use") && row.text("file") == Some(file));
    copies
        .filter_map(|row| {
            let lines = row.lines()?;
            Some((lines.end().get(), row.text("defined_in")?.to_owned()))
        })
        .collect()
}

/// Returns the name of a row.
pub fn title_of(row: &CatalogueRow) -> Option<String> {
    name(row).map(str::to_owned)
}

/// Returns what a row says, if it is one that is found by its words rather than by a name.
pub fn texts_of(row: &CatalogueRow) -> Option<String> {
    let (_, fields) = TEXTS.iter().find(|(kind, _)| *kind == row.kind() && !NAMED.contains(kind))?;
    let texts: Vec<&str> = fields.iter().filter_map(|field| row.text(field)).collect();
    (!texts.is_empty()).then(|| texts.join(": "))
}

fn name(row: &CatalogueRow) -> Option<&str> {
    let field = row.kind().fields().iter().find(|field| field.role == FieldRole::Name)?;
    row.text(field.name)
}

fn place(row: &CatalogueRow, page: &RenderedPage) -> String {
    match row.text("file").zip(row.lines()) {
        Some((file, lines)) => page.place_of(file, lines),
        None => page.place.clone(),
    }
}
