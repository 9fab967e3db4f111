//! What is open: questions that the source leaves, and statements of which one was dropped.

use super::{Apart, at, said, some};
use crate::kind::Kind;
use crate::row::Row;

pub(super) fn questions(apart: &Apart<'_>) -> Vec<Row> {
    let rows = apart.document.open_questions.iter().map(|question| {
        let row = apart.in_program(Kind::Questions, question.program.as_deref(), &question.citations);
        said(row, question.origin, question.confidence)
            .with("question", some(&question.question))
            .with("context", question.context.as_deref())
            .with("suggestion", question.suggestion.as_deref())
    });
    rows.collect()
}

/// A conflict cites no lines; it is of the chunk whose statement was kept.
pub(super) fn conflicts(apart: &Apart<'_>) -> Vec<Row> {
    let rows = apart.document.conflicts.iter().map(|conflict| {
        let row = Row::new(Kind::Conflicts).with("file", apart.file());
        let chunk =
            apart.document.chunks.iter().find(|chunk| Some(&chunk.chunk_id) == conflict.chunks.first());
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
