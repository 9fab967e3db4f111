//! The states of the records that a program stores: what sets each value, and what tests it.

use super::sections::section;
use super::table::MarkdownTable;
use super::{code, listed, optional, prose};
use crate::Document;
use war_rig_text::LineNumber;

/// The number of lines that a cell names before it counts the others.
const LINES_NAMED: usize = 8;

/// Returns the table of states, the values of an item under its name.
pub(super) fn states(document: &Document) -> String {
    let mut table = MarkdownTable::new(["item", "value", "set in lines", "tested in lines", "program"]);
    let mut before = None;
    for state in &document.record_states {
        let this = Some((&state.item, &state.program));
        let item = if before == this { String::new() } else { code(&state.item) };
        before = this;
        let name = state.condition_name.as_deref().map(|name| format!(" {name}"));
        let value = prose(&format!("{}{}", state.value, name.unwrap_or_default()));
        table.row([item, value, lines(&state.set_in), lines(&state.tested_in), optional(&state.program)]);
    }
    section("States", [table.render()])
}

fn lines(all: &[LineNumber]) -> String {
    listed(all, LINES_NAMED, ToString::to_string)
}
