//! The things of a chunk that the parser knows, with the ids by which an answer names them.

use super::chunk_context::ContextKind;
use super::draft::{BlockFiller, RowGroup};
use super::row::format_row;
use war_rig_cobol::ListedItems;
use war_rig_text::LineRange;

/// Fills the block with what the parser knows in these lines, the most useful kinds first and mere labels last. Rows are counted from the first line, so
/// that the block does not change when the chunk moves.
pub(super) fn fill<'x>(listed: &ListedItems<'_>, lines: LineRange) -> BlockFiller<'x> {
    let mut items: Vec<_> = listed.in_chunk(lines).into_iter().enumerate().collect();
    items.sort_by_key(|(_, item)| item.is_label_only);
    let waiting = items.len() as u64;
    let rows = items
        .into_iter()
        .map(move |(at, item)| RowGroup { rows: vec![((at, 0), format_row(&item.row(lines.start())))], weight: 1 });
    BlockFiller::new(ContextKind::Items, waiting, rows)
}
