//! What a chunk is told of the rest of its file: context that stands before its source and is not owned by it.
//!
//! Context is made of the parser's facts, and so is the same whatever the copied text looks like. It is never cut silently: rows
//! are taken by what they are worth to the chunk as long as there is room, and a block that lacks some says how many. What every
//! chunk of a file may ask for (names, labels, what holds what) is looked up in an index that is made once.

mod data;
mod decisions;
mod draft;
mod enclosing;
mod name_uses;
mod outline;
mod program_header;
mod row;

use crate::units::UnitIndex;
use data::DataItemIndex;
use decisions::DecisionAnchors;
use draft::{BlockDraft, BlockFiller};
use enclosing::EnclosureIndex;
use outline::LabelIndex;
use program_header::ProgramIndex;
use serde::Serialize;
use war_rig_cobol::{Analysis, ParsedCobol};
use war_rig_estimator::{ContextShares, TokenCount};
use war_rig_text::{LineRange, SourceText};

/// What a block of context is about. The order is that of the blocks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ContextKind {
    /// The program: its name, its kind, its parameters and its files.
    Program,
    /// What holds the first line of the chunk: section, paragraph, statements, groups.
    Opening,
    /// Data items that the chunk names and that stand elsewhere in the file.
    Data,
    /// Data items that the chunk names and that stand in copybooks, and the copybooks that are missing.
    Copybooks,
    /// The sections and paragraphs of the program.
    Outline,
    /// Where the chunk's PERFORM and GO TO lead, and from where those of other chunks lead to it.
    Elsewhere,
    /// What the chunk decides, as the parser reads it.
    Decisions,
}

impl ContextKind {
    /// The name as prompts and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One block of context. Its rows are single lines without control characters, of at most 120 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextBlock {
    kind: ContextKind,
    rows: Vec<String>,
}

impl ContextBlock {
    /// What it is about.
    pub fn kind(&self) -> ContextKind {
        self.kind
    }

    /// Its rows, in the order in which they are shown; never empty.
    pub fn rows(&self) -> &[String] {
        &self.rows
    }
}

/// The context of one chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkContext {
    blocks: Vec<ContextBlock>,
    tokens: TokenCount,
    left_out: u64,
}

impl ChunkContext {
    /// The blocks, in the order in which they are shown.
    pub fn blocks(&self) -> &[ContextBlock] {
        &self.blocks
    }

    /// The tokens of all blocks with their headers, by the prices they were made for.
    pub fn tokens(&self) -> TokenCount {
        self.tokens
    }

    /// How many items, labels and statements would belong to it and found no room.
    pub fn omitted(&self) -> u64 {
        self.left_out
    }
}

/// What context costs in the prompt that it is made for. The tokens of a prompt are the sum of what its context costs and of all
/// else in it, exactly.
pub trait ContextPrices {
    /// The tokens of the header of a block.
    fn header(&mut self, kind: ContextKind) -> TokenCount;

    /// The tokens of a row with all that the prompt puts around it.
    fn row(&mut self, row: &str) -> TokenCount;
}

/// How much context a chunk may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimit {
    /// What the kinds of context may take; one may use what the other leaves.
    pub shares: ContextShares,
    /// The most tokens of all of it, whatever the shares: the room that the chunk leaves under its budget.
    pub room: TokenCount,
}

impl ContextLimit {
    fn total(&self) -> u64 {
        self.shares.total().min(self.room).get()
    }
}

/// All that the chunks of one file may be told, indexed once.
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

    /// The context of the chunk that owns these lines.
    ///
    /// The program and what the chunk begins inside come first, then where control goes, within the share of the hints; then data,
    /// within what is left. What data leaves goes to the first three again. What is left of the hints in the end goes to the outline
    /// and to what the chunk decides: names alone are not worth the tokens of data, and decisions stand in the chunk as well.
    pub fn for_chunk(
        &self,
        lines: LineRange,
        limit: &ContextLimit,
        prices: &mut dyn ContextPrices,
    ) -> ChunkContext {
        let total = limit.total();
        let hints = limit.shares.hints.get();
        let first = total.min(hints);
        // Where there is less room than the shares, each has its part of it.
        let part = (total * hints).checked_div(limit.shares.total().get()).unwrap_or(0);
        let program = self.programs.at(lines.start());
        let mut fills = [
            self.programs.header_rows(program, lines),
            self.openers.fill(&self.units, lines),
            self.labels.external_references(lines),
        ];
        // A program with many files leaves half of the room to what the chunk begins inside.
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
        // A program with many labels leaves half of the room to what the chunk decides, which it uses as far as it can.
        last[0].fill(prices, left / 2);
        let spent = last[0].cost();
        last[1].fill(prices, left - spent);
        draft::fill_in_turn(&mut last, prices, left);
        let drafts = fills.into_iter().chain(last).map(BlockFiller::into_draft).chain(data);
        draft::finish(drafts, prices, total)
    }

    /// The context of a file that is shown whole: what it takes from copybooks, because all else stands in its source.
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
