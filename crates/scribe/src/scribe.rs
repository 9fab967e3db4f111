//! The trait that every writer of documentation implements.

use crate::ChunkFacts;
use war_rig_llm::BudgetedPrompt;
use war_rig_template::PartialTemplate;

/// Writes the documentation of one chunk.
pub trait Scribe: Send + Sync {
    /// What the documents say they were produced by: `static`, or a model's name.
    fn produced_by(&self) -> &str;

    /// Whether its words are the parser's own, so that what it writes of the parser's facts stays the parser's.
    fn speaks_for_the_parser(&self) -> bool;

    /// Writes what it knows of the chunk that the prompt shows and the facts describe. Citations are rows of the prompt's block.
    fn write(
        &self,
        prompt: &BudgetedPrompt,
        facts: &ChunkFacts<'_>,
    ) -> impl Future<Output = Result<PartialTemplate, ScribeError>> + Send;
}

/// Why a chunk could not be documented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScribeError {
    /// The answer could not be used.
    #[error("the answer cannot be used: {0}")]
    Unusable(String),
}
