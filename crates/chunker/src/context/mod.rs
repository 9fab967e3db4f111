//! The context of a chunk: facts about the rest of its file, shown before its source but not owned by it.
//!
//! Context is built from the parser's facts, so it does not depend on the layout of copied text. It is never cut silently: rows
//! are added by their value to the chunk while there is room, and a block that omits rows shows how many. An index, built
//! once, contains what every chunk of a file may need (names, labels, enclosing constructs).

mod chunk_context;
mod data;
mod draft;
mod enclosing;
mod items;
mod name_uses;
mod outline;
mod program_header;
mod row;

use crate::units::UnitIndex;
pub use chunk_context::{ChunkContext, ContextBlock, ContextKind, ContextPrices};
use data::DataItemIndex;
use draft::{BlockDraft, BlockFiller, RowGroup};
use enclosing::EnclosureIndex;
use outline::LabelIndex;
use program_header::ProgramIndex;
use row::wrap_rows;
use war_rig_cobol::{Analysis, ListedItems};
use war_rig_estimator::{ContextShares, TokenCount};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// How much context a chunk may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimit {
    /// The shares of the kinds of context that come first; one may use what another leaves.
    pub shares: ContextShares,
    /// The maximum tokens of all context, whatever the shares: the room that the chunk leaves under its budget. What is free beyond the
    /// shares goes to kinds that need little.
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
    listed: ListedItems<'a>,
    comment: Option<(String, LineNumber)>,
}

/// The maximum number of rows of the comment at the head of a file.
const ROWS_OF_COMMENT: usize = 6;

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
            listed: ListedItems::of(analysis),
            comment: None,
        }
    }

    /// Adds the comment at the head of the file, with the line where it begins, for the chunks that do not own it.
    #[must_use]
    pub fn with_comment(self, comment: Option<(String, LineNumber)>) -> Self {
        Self { comment, ..self }
    }

    /// Builds the context of the chunk that owns these lines.
    ///
    /// Within the shares, the program and the enclosing constructs come first, then the comment and the targets of control flow, within the
    /// share of the hints. The items and data divide the rest: the items get three quarters of it first. What data leaves goes to
    /// those first three again. The room that the chunk leaves free beyond the shares goes to the comment, to the missing items, to what is
    /// missing of the first three, and to the outline. The items come before what describes other parts, so that an edit there does
    /// not change them.
    pub fn for_chunk(&self, lines: LineRange, limit: &ContextLimit, prices: &mut dyn ContextPrices) -> ChunkContext {
        let (total, room) = (limit.total(), limit.room.get());
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
        let cost = |fills: &[BlockFiller<'_>]| fills.iter().map(BlockFiller::cost).sum::<u64>();
        let mut comment = self.comment(program, lines);
        comment.fill(prices, first.saturating_sub(cost(&fills)));
        draft::fill_in_turn(&mut fills, prices, part.saturating_sub(comment.cost()));
        let mut own = items::fill(&self.listed, lines);
        own.fill(prices, (total - cost(&fills) - comment.cost()) * 3 / 4);
        let around = self.openers.enclosing_lines(lines);
        let beside = own.cost() + comment.cost();
        let data = self.items.fill(Some(lines), &around, prices, total - cost(&fills) - beside);
        let of_data: u64 = data.iter().map(BlockDraft::cost).sum();
        draft::fill_in_turn(&mut fills, prices, total - of_data - beside);
        comment.fill(prices, room - of_data - cost(&fills) - own.cost());
        own.fill(prices, room - of_data - cost(&fills) - comment.cost());
        draft::fill_in_turn(&mut fills, prices, room - of_data - own.cost() - comment.cost());
        let mut outline = self.labels.outline(program, lines);
        outline.fill(prices, room - of_data - cost(&fills) - own.cost() - comment.cost());
        let drafts = fills.into_iter().chain([own, comment, outline]).map(BlockFiller::into_draft).chain(data);
        draft::finish(drafts, prices, room)
    }

    /// Fills the block with the comment at the head of the file, for a chunk of its first program that does not own it.
    fn comment(&self, program: Option<usize>, lines: LineRange) -> BlockFiller<'_> {
        let comment = self.comment.as_ref().filter(|(_, line)| !lines.contains(*line));
        let comment = comment.filter(|_| program.is_none_or(|program| program == 0));
        let rows = comment.map(|(text, _)| wrap_rows(text, ROWS_OF_COMMENT)).unwrap_or_default();
        let rows: Vec<_> = rows.into_iter().enumerate().map(|(at, row)| ((at, 0), row)).collect();
        let whole = (!rows.is_empty()).then_some(RowGroup { rows, weight: 0 });
        BlockFiller::new(ContextKind::Comment, 0, whole.into_iter())
    }

    /// Builds the context of a file that is shown whole: what it takes from copybooks, and its items. Its source contains the rest.
    pub fn for_whole_file(
        source: &SourceText,
        analysis: &Analysis,
        limit: &ContextLimit,
        prices: &mut dyn ContextPrices,
    ) -> ChunkContext {
        let (Some(lines), parsed) = (source.line_range(), analysis.parsed()) else { return ChunkContext::default() };
        let total = limit.total();
        let mut own = items::fill(&ListedItems::of(analysis), lines);
        own.fill(prices, total * 3 / 4);
        let mut drafts = Vec::new();
        if !parsed.copies.is_empty() {
            drafts.extend(DataItemIndex::of(source, parsed).fill(None, &[], prices, total - own.cost()));
        }
        let spent: u64 = drafts.iter().map(BlockDraft::cost).sum();
        own.fill(prices, limit.room.get() - spent);
        drafts.push(own.into_draft());
        draft::finish(drafts.into_iter(), prices, limit.room.get())
    }
}
