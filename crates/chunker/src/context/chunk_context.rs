//! The context of one chunk: its blocks, and what they cost.

use serde::Serialize;
use war_rig_estimator::TokenCount;

/// The kinds of context blocks, in their order in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ContextKind {
    /// The program: its name, its kind, its parameters and its files.
    Program,
    /// The comment at the head of the file.
    Comment,
    /// What encloses the first line of the chunk: section, paragraph, statements, groups.
    Opening,
    /// Data items that the chunk names and that are declared elsewhere in the file.
    Data,
    /// Data items that the chunk names and that are declared in copybooks, and the missing copybooks.
    Copybooks,
    /// The sections and paragraphs of the program.
    Outline,
    /// The targets of the chunk's PERFORM and GO TO outside it, and the references from other chunks to its labels.
    Elsewhere,
    /// What the parser knows in the chunk, with the ids by which an answer names it.
    Items,
}

impl ContextKind {
    /// Returns the name as prompts and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One block of context. Its rows are single lines of at most 120 characters without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextBlock {
    pub(super) kind: ContextKind,
    pub(super) rows: Vec<String>,
}

impl ContextBlock {
    /// Returns the kind of the block.
    pub fn kind(&self) -> ContextKind {
        self.kind
    }

    /// Returns the rows in display order; never empty.
    pub fn rows(&self) -> &[String] {
        &self.rows
    }
}

/// The context of one chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkContext {
    pub(super) blocks: Vec<ContextBlock>,
    pub(super) tokens: TokenCount,
    pub(super) left_out: u64,
}

impl ChunkContext {
    /// Returns the blocks in display order.
    pub fn blocks(&self) -> &[ContextBlock] {
        &self.blocks
    }

    /// Returns the tokens of all blocks with their headers, by the prices they were built with.
    pub fn tokens(&self) -> TokenCount {
        self.tokens
    }

    /// Returns how many relevant items, labels and statements did not fit.
    pub fn omitted(&self) -> u64 {
        self.left_out
    }
}

/// The token prices of context in a particular prompt. The tokens of a prompt are exactly the sum of its context's price and
/// everything else in it.
pub trait ContextPrices {
    /// Returns the tokens of a block's header.
    fn header(&mut self, kind: ContextKind) -> TokenCount;

    /// Returns the tokens of a row with everything that the prompt puts around it.
    fn row(&mut self, row: &str) -> TokenCount;
}
