//! Open points: hazards, questions that the source leaves, and contradictions in which one statement was dropped.

use super::{RowBuilder, at, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;

pub(super) fn questions(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.open_questions.iter().map(|question| {
        apart
            .item(RowKind::Questions, question)
            .with("question", some(&question.question))
            .with("context", question.context.as_deref())
            .with("suggestion", question.suggestion.as_deref())
    });
    rows.collect()
}

pub(super) fn hazards(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.hazards.iter().map(|hazard| {
        apart
            .in_program(RowKind::Hazards, hazard.program.as_deref(), &hazard.citations)
            .with("finding", some(&hazard.finding))
            .with("type", some(&hazard.kind))
            .with("about", hazard.about.clone())
    });
    rows.collect()
}

/// A conflict cites no lines; it belongs to the chunk whose statement was kept.
pub(super) fn conflicts(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.conflicts.iter().map(|conflict| {
        let row = CatalogueRow::new(RowKind::Conflicts).with("file", apart.file());
        let chunk = apart.document.chunks.iter().find(|chunk| Some(&chunk.chunk_id) == conflict.chunks.first());
        let row = match chunk {
            Some(chunk) => at(row, apart.file(), chunk.lines),
            None => row,
        };
        row.with("field", some(&conflict.field))
            .with("kept", some(&conflict.kept))
            .with("dropped", some(&conflict.dropped))
            .with("chunks", conflict.chunks.clone())
            .with("program", apart.only_program)
    });
    rows.collect()
}
