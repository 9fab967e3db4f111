//! What programs answer and store: the failures that they handle, and the states of records.

use super::{RowBuilder, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_text::LineNumber;

pub(super) fn errors(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.error_handling.iter().map(|error| {
        apart
            .item(RowKind::Errors, error)
            .with("condition", some(&error.condition))
            .with("action", some(&error.action))
            .with("outcome", error.outcome.as_deref())
    });
    rows.collect()
}

pub(super) fn states(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let lines = |all: &[LineNumber]| all.iter().map(ToString::to_string).collect::<Vec<String>>();
    let rows = apart.document.record_states.iter().map(|state| {
        apart
            .in_program(RowKind::States, state.program.as_deref(), &state.citations)
            .with("name", some(&state.item))
            .with("value", some(&state.value))
            .with("condition_name", state.condition_name.as_deref())
            .with("set_in", lines(&state.set_in))
            .with("tested_in", lines(&state.tested_in))
    });
    rows.collect()
}
