//! Builds blocks of context: adds the most valuable rows while there is room.

use super::chunk_context::{ChunkContext, ContextBlock, ContextKind, ContextPrices};
use super::row::format_row;
use std::iter::Peekable;
use war_rig_estimator::TokenCount;

/// The position of a row in its block.
pub(super) type RowKey = (usize, usize);

/// Rows that are shown together or not at all.
pub(super) struct RowGroup {
    pub(super) rows: Vec<(RowKey, String)>,
    /// How many items, labels or statements the rows show.
    pub(super) weight: u64,
}

/// A block under construction. Its cost is always known, including the row that counts what is left out.
pub(super) struct BlockDraft {
    kind: ContextKind,
    rows: Vec<(RowKey, String)>,
    header: u64,
    row_cost: u64,
    /// The maximum cost of the row that counts what is left out.
    omitted_row_cost: u64,
    /// The weight that is not shown yet.
    pending_weight: u64,
}

impl BlockDraft {
    pub(super) fn new(kind: ContextKind, pending_weight: u64) -> Self {
        Self { kind, rows: Vec::new(), header: 0, row_cost: 0, omitted_row_cost: 0, pending_weight }
    }

    /// Returns the tokens of the block as it is.
    pub(super) fn cost(&self) -> u64 {
        if self.rows.is_empty() { 0 } else { self.cost_with(0, 0) }
    }

    /// Returns the tokens with added rows of this cost, which show this much of the pending weight.
    pub(super) fn cost_with(&self, rows: u64, weight: u64) -> u64 {
        let more = if self.pending_weight > weight { self.omitted_row_cost } else { 0 };
        self.header + self.row_cost + rows + more
    }

    /// Reads the prices of the header and of the omission row before the first row is added.
    pub(super) fn open(&mut self, prices: &mut dyn ContextPrices) {
        if self.header == 0 {
            self.header = prices.header(self.kind).get();
            self.omitted_row_cost = prices.row(&more(self.pending_weight, true)).get();
        }
    }

    pub(super) fn add_rows(&mut self, rows: impl IntoIterator<Item = (RowKey, String)>, cost: u64, weight: u64) {
        self.rows.extend(rows);
        self.row_cost += cost;
        self.pending_weight -= weight;
    }
}

/// The row that counts what is left out. A number with more digits never has fewer tokens.
fn more(count: u64, of_some: bool) -> String {
    format_row(&format!("({count}{} not shown)", if of_some { " more" } else { "" }))
}

/// A block under construction and the pieces that may still be added, the most valuable first.
pub(super) struct BlockFiller<'x> {
    draft: BlockDraft,
    pieces: Peekable<Box<dyn Iterator<Item = RowGroup> + 'x>>,
}

impl<'x> BlockFiller<'x> {
    /// `waiting` is the weight of all pieces.
    pub(super) fn new(kind: ContextKind, waiting: u64, pieces: impl Iterator<Item = RowGroup> + 'x) -> Self {
        let pieces: Box<dyn Iterator<Item = RowGroup> + 'x> = Box::new(pieces);
        Self { draft: BlockDraft::new(kind, waiting), pieces: pieces.peekable() }
    }

    pub(super) fn cost(&self) -> u64 {
        self.draft.cost()
    }

    pub(super) fn into_draft(self) -> BlockDraft {
        self.draft
    }

    /// Adds pieces while the whole block costs at most `limit`. A later call with a higher limit continues.
    pub(super) fn fill(&mut self, prices: &mut dyn ContextPrices, limit: u64) {
        while let Some(piece) = self.pieces.peek() {
            self.draft.open(prices);
            let cost = piece.rows.iter().map(|(_, row)| prices.row(row).get()).sum();
            if self.draft.cost_with(cost, piece.weight) > limit {
                return;
            }
            if let Some(piece) = self.pieces.next() {
                self.draft.add_rows(piece.rows, cost, piece.weight);
            }
        }
    }
}

/// Fills blocks in turn, all of them together within `limit`.
pub(super) fn fill_in_turn(fills: &mut [BlockFiller<'_>], prices: &mut dyn ContextPrices, limit: u64) {
    let mut spent: u64 = fills.iter().map(BlockFiller::cost).sum();
    for fill in fills {
        spent -= fill.cost();
        fill.fill(prices, limit.saturating_sub(spent));
        spent += fill.cost();
    }
}

/// Finishes the blocks, in order. A block without room for any row shows at least how many items it omits, if that fits.
pub(super) fn finish(
    drafts: impl Iterator<Item = BlockDraft>,
    prices: &mut dyn ContextPrices,
    limit: u64,
) -> ChunkContext {
    let mut drafts: Vec<BlockDraft> = drafts.collect();
    drafts.sort_by_key(|draft| draft.kind);
    let left_out = drafts.iter().map(|draft| draft.pending_weight).sum();
    let mut spent: u64 = drafts.iter().map(BlockDraft::cost).sum();
    let mut blocks = Vec::new();
    let mut tokens = 0;
    for mut draft in drafts {
        let cost = draft.cost();
        if draft.rows.is_empty() {
            if draft.pending_weight == 0 {
                continue;
            }
            draft.open(prices);
            if spent + draft.cost_with(0, 0) > limit {
                continue;
            }
        }
        draft.rows.sort_by_key(|(key, _)| *key);
        let of_some = !draft.rows.is_empty();
        let mut rows: Vec<String> = draft.rows.into_iter().map(|(_, row)| row).collect();
        let mut exact = draft.header + draft.row_cost;
        if draft.pending_weight > 0 {
            let more = more(draft.pending_weight, of_some);
            exact += prices.row(&more).get();
            rows.push(more);
        }
        spent = spent - cost + exact;
        tokens += exact;
        blocks.push(ContextBlock { kind: draft.kind, rows });
    }
    ChunkContext { blocks, tokens: TokenCount::new(tokens), left_out }
}
