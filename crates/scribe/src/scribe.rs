//! The trait that every writer of documentation implements.

use crate::ChunkFacts;
use war_rig_llm::{BudgetedPrompt, ContextOverflow, StopError, UsageTotals};
use war_rig_template::{PartialTemplate, Purpose};
use war_rig_text::ContentHash;

/// Writes the documentation of one chunk.
pub trait Scribe: Send + Sync {
    /// What the documents say they were produced by: `static`, or a model's name.
    fn produced_by(&self) -> &str;

    /// Whether its words are the parser's own, so that what it writes of the parser's facts stays the parser's.
    fn is_parser_only(&self) -> bool;

    /// Writes what it knows of the chunk that the prompt shows and the facts describe. Citations are rows of the prompt's block.
    fn write(
        &self,
        prompt: &BudgetedPrompt,
        facts: &ChunkFacts<'_>,
    ) -> impl Future<Output = ScribeResponse<ScribeOutput>> + Send;

    /// Whether it would write of this prompt what is on record, without asking anybody.
    fn has_answer(&self, prompt: &BudgetedPrompt) -> impl Future<Output = bool> + Send {
        let _ = prompt;
        async { false }
    }

    /// What all answers to a prompt are on record under; none where there is no record.
    fn question(&self, _prompt: &BudgetedPrompt) -> Option<ContentHash> {
        None
    }

    /// Why it writes nothing more; none while it does.
    fn stopped(&self) -> Option<&StopError> {
        None
    }

    /// Reads together what the chunks of a file have said of its purpose; none where that is not asked for. Answers on record count behind
    /// place `since`.
    fn reconcile(
        &self,
        parts: &[Purpose],
        file: &str,
        since: u64,
    ) -> impl Future<Output = Option<ScribeResponse<Purpose>>> + Send {
        let _ = (parts, file, since);
        async { None }
    }
}

/// What came of asking a Scribe, and what it took.
#[derive(Debug, Clone)]
pub struct ScribeResponse<T> {
    /// What was written, or why nothing was.
    pub result: Result<T, ScribeError>,
    /// What was sent and paid for it, whatever came of it.
    pub usage: UsageTotals,
}

/// What a Scribe has written of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ScribeOutput {
    /// All of it that can be used.
    pub partial: PartialTemplate,
    /// What could not be used, and why.
    pub notes: Vec<String>,
    /// The share of the items that could be used, from 0 to 1.
    pub usable_share: f64,
}

/// Why a chunk could not be documented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScribeError {
    /// The answer did not fit into its limit: a smaller chunk is needed.
    #[error("the answer was cut off, at scribe.max_completion_tokens or at the model's window")]
    Truncated,
    /// The prompt did not fit into the model's window: a smaller one is needed.
    #[error("the prompt is more than the model's window")]
    Overflow(ContextOverflow),
    /// No answer came, or none that could be used.
    #[error("{0}")]
    Unusable(String),
    /// No further call is made in this run.
    #[error(transparent)]
    Stopped(StopError),
}
