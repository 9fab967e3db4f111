//! Copybooks: the documented one, and those that are copied.

use super::{RowBuilder, at, once, said, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_text::{LineNumber, LineRange};

pub(super) fn copybooks(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let uses = apart.document.copybooks_used.iter().map(|used| {
        apart
            .item(RowKind::Copybooks, used)
            .with("name", some(&used.copybook_name))
            .with("role", "use")
            .with("description", some(&used.purpose))
            .with("location", some(&used.location))
            .with("defined_in", apart.defined_in("copybook", &used.copybook_name))
    });
    definition(apart).into_iter().chain(uses).collect()
}

/// Creates the row of a copybook, which is a source as a whole.
fn definition(apart: &RowBuilder<'_>) -> Option<CatalogueRow> {
    let document = apart.document;
    if document.header.file_type != "copybook" {
        return None;
    }
    let purpose = &document.purpose;
    let mut row = apart.cited(RowKind::Copybooks, &purpose.citations).with("file", apart.file());
    if let Some(last) = LineNumber::new(document.coverage.lines) {
        row = at(row, apart.file(), LineRange::spanning(LineNumber::FIRST, last));
    }
    let users = document.calling_context.used_by.iter().map(|user| user.name.as_str());
    let row = said(row, purpose.origin, purpose.confidence)
        .with("name", some(stem(apart.file())))
        .with("role", "definition")
        .with("description", some(&purpose.summary))
        .with("used_by", once(users));
    Some(row)
}

/// Returns the name by which COPY statements find a source: the file's name up to the first full stop.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
