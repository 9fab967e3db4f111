//! The context of a chunk: facts about the rest of its file, shown before its source but not owned by it.
//!
//! Context is built from the parser's facts, so it does not depend on the layout of copied text. It is never cut silently: rows
//! are added by their value to the chunk while there is room, and a block that omits rows shows how many. An index, built
//! once, contains what every chunk of a file may need (names, labels, enclosing constructs).

mod chunk_context;
mod data;
mod decisions;
mod draft;
mod enclosing;
mod name_uses;
mod outline;
mod program_header;
mod row;

use crate::units::UnitIndex;
pub use chunk_context::{ChunkContext, ContextBlock, ContextKind, ContextPrices};
use data::DataItemIndex;
use decisions::DecisionAnchors;
use draft::{BlockDraft, BlockFiller};
use enclosing::EnclosureIndex;
use outline::LabelIndex;
use program_header::ProgramIndex;
use war_rig_cobol::{Analysis, ParsedCobol};
use war_rig_estimator::{ContextShares, TokenCount};
use war_rig_text::{LineRange, SourceText};

/// How much context a chunk may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimit {
    /// The shares of the kinds of context; one may use what another leaves.
    pub shares: ContextShares,
    /// The maximum tokens of all context, whatever the shares: the room that the chunk leaves under its budget.
    pub room: TokenCount,
}

impl ContextLimit {
    fn total(&self) -> u64 {
        self.shares.total().min(self.room).get()
    }
}

/// The context available to all chunks of one file, indexed once.
pub struct ContextIndex<'a> {
    units: UnitIndex<'a>,
    programs: ProgramIndex<'a>,
    openers: EnclosureIndex<'a>,
    items: DataItemIndex<'a>,
    labels: LabelIndex<'a>,
    anchors: DecisionAnchors<'a>,
}

impl<'a> ContextIndex<'a> {
    /// Indexes a file.
    pub fn of(source: &SourceText, analysis: &'a Analysis) -> Self {
        let parsed = analysis.parsed();
        Self {
            units: UnitIndex::of(parsed),
            programs: ProgramIndex::of(parsed),
            openers: EnclosureIndex::of(parsed),
            items: DataItemIndex::of(source, parsed),
            labels: LabelIndex::of(parsed, analysis.control_flow()),
            anchors: DecisionAnchors::of(analysis),
        }
    }

    /// Builds the context of the chunk that owns these lines.
    ///
    /// The program and the enclosing constructs come first, then the targets of control flow, within the share of the hints; then data
    /// within the rest. What data leaves goes to those first three again. What remains of the hints goes to the outline
    /// and the decisions: names alone are worth less than data, and the chunk itself contains its decisions.
    pub fn for_chunk(&self, lines: LineRange, limit: &ContextLimit, prices: &mut dyn ContextPrices) -> ChunkContext {
        let total = limit.total();
        let hints = limit.shares.hints.get();
        let first = total.min(hints);
        // If there is less room than the shares, each kind gets its proportion.
        let part = (total * hints).checked_div(limit.shares.total().get()).unwrap_or(0);
        let program = self.programs.at(lines.start());
        let mut fills = [
            self.programs.header_rows(program, lines),
            self.openers.fill(&self.units, lines),
            self.labels.external_references(lines),
        ];
        // A program with many files leaves half of the room to the enclosing constructs.
        fills[0].fill(prices, first / 2);
        let spent = fills[0].cost();
        fills[1].fill(prices, first.saturating_sub(spent));
        draft::fill_in_turn(&mut fills, prices, part);
        let of_hints = |fills: &[BlockFiller<'_>]| fills.iter().map(BlockFiller::cost).sum::<u64>();
        let around = self.openers.enclosing_lines(lines);
        let data = self.items.fill(Some(lines), &around, prices, total - of_hints(&fills));
        let of_data: u64 = data.iter().map(BlockDraft::cost).sum();
        draft::fill_in_turn(&mut fills, prices, total - of_data);
        let left = (total - of_data).min(hints).saturating_sub(of_hints(&fills));
        let mut last = [self.labels.outline(program, lines), self.anchors.fill(lines)];
        // A program with many labels leaves half of the room to the decisions, which use as much of it as they can.
        last[0].fill(prices, left / 2);
        let spent = last[0].cost();
        last[1].fill(prices, left - spent);
        draft::fill_in_turn(&mut last, prices, left);
        let drafts = fills.into_iter().chain(last).map(BlockFiller::into_draft).chain(data);
        draft::finish(drafts, prices, total)
    }

    /// Builds the context of a file that is shown whole: only what it takes from copybooks, because its source contains the rest.
    pub fn for_whole_file(
        source: &SourceText,
        parsed: &ParsedCobol,
        limit: &ContextLimit,
        prices: &mut dyn ContextPrices,
    ) -> ChunkContext {
        if parsed.copies.is_empty() {
            return ChunkContext::default();
        }
        let drafts = DataItemIndex::of(source, parsed).fill(None, &[], prices, limit.total());
        draft::finish(drafts.into_iter(), prices, limit.total())
    }
}
