//! The trait of all Scribes, which write documentation.

use crate::{ChunkFacts, FileFacts};
use foldhash::HashSet;
use std::sync::Arc;
use war_rig_llm::{BudgetedPrompt, ContextOverflow, StopError, UsageTotals};
use war_rig_template::{PartialTemplate, ProgramOverview, SourcedSentence};
use war_rig_text::{ContentHash, LineRange};

/// Writes the documentation of one chunk.
pub trait Scribe: Send + Sync {
    /// Returns the producer named in documents: `static`, or a model's name.
    fn produced_by(&self) -> &str;

    /// Whether its words are the parser's own, so that its text about the parser's facts counts as the parser's.
    fn is_parser_only(&self) -> bool;

    /// Writes a template for the chunk that the prompt shows and the facts describe. Citations are rows of the prompt's block.
    fn write(
        &self,
        prompt: &BudgetedPrompt,
        facts: &ChunkFacts<'_>,
    ) -> impl Future<Output = ScribeResponse<ScribeOutput>> + Send;

    /// Whether a stored answer exists for this prompt, so that no call is needed.
    fn has_answer(&self, prompt: &BudgetedPrompt) -> impl Future<Output = bool> + Send {
        let _ = prompt;
        async { false }
    }

    /// Returns the key under which all answers to a prompt are stored; none without a store.
    fn question(&self, _prompt: &BudgetedPrompt) -> Option<ContentHash> {
        None
    }

    /// Returns why it has stopped writing; none while it works.
    fn stopped(&self) -> Option<&StopError> {
        None
    }

    /// Writes the overview of a source over the words about its chunks; none if this is disabled. Only stored answers after position `since`
    /// count.
    fn write_overview(
        &self,
        facts: &FileFacts<'_>,
        parts: &[PartWords<'_>],
        since: u64,
    ) -> impl Future<Output = Option<ScribeResponse<ProgramOverview>>> + Send {
        let _ = (facts, parts, since);
        async { None }
    }

    /// Writes a few sentences about a business function or about the system; `None` if this is disabled, and no sentence if the answer was of no use.
    /// Only stored answers after position `since` count.
    ///
    /// An error means that no answer came, so that somebody may ask again.
    fn write_about_estate(
        &self,
        subject: &EstateSubject,
        since: u64,
    ) -> impl Future<Output = Option<ScribeResponse<Vec<SourcedSentence>>>> + Send {
        let _ = (subject, since);
        async { None }
    }
}

/// A business function or a system, as it is shown to somebody who writes about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EstateSubject {
    /// A label for messages: ``function `Policy` ``.
    pub about: String,
    /// What may be named as bearing a sentence out: programs, or functions.
    pub names: Vec<String>,
    /// All names of the estate, in capitals: one that is not among the rows was not shown.
    pub known: Arc<HashSet<String>>,
    /// What is known, the most important first.
    pub rows: Vec<String>,
}

/// What was written about one chunk of a source.
#[derive(Debug, Clone, Copy)]
pub struct PartWords<'a> {
    /// The lines that the chunk owns.
    pub lines: LineRange,
    /// What was written.
    pub partial: &'a PartialTemplate,
}

/// A Scribe's result and its usage.
#[derive(Debug, Clone)]
pub struct ScribeResponse<T> {
    /// What was written, or the reason for the failure.
    pub result: Result<T, ScribeError>,
    /// The calls and costs, whatever the result.
    pub usage: UsageTotals,
}

/// What a Scribe wrote about a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ScribeOutput {
    /// The usable part.
    pub partial: PartialTemplate,
    /// What was unusable, and why.
    pub notes: Vec<String>,
    /// The usable share of the items, from 0 to 1.
    pub usable_share: f64,
}

/// Why a chunk could not be documented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScribeError {
    /// The answer exceeded its limit: a smaller chunk is needed.
    #[error("the answer was cut off, at scribe.max_completion_tokens or at the model's window")]
    Truncated,
    /// The prompt exceeded the model's window: a smaller one is needed.
    #[error("the prompt is more than the model's window")]
    Overflow(ContextOverflow),
    /// There was no answer, or no usable one.
    #[error("{0}")]
    Unusable(String),
    /// The run makes no further calls.
    #[error(transparent)]
    Stopped(StopError),
}
