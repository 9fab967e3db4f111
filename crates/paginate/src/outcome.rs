//! What a run comes to.

use crate::merge::{DiscardedAnswer, InputLocation, JoinedItem, MergeConflict, Provenance};
use serde::Serialize;
use serde_json::Value;
use war_rig_llm::{StopError, UsageTotals};

/// One answer for a whole input, and what became of its parts. What is serialised is the same for the same input and answers, whether they came from a model now or
/// from a record.
#[derive(Debug, Clone, Serialize)]
pub struct ExtractionOutcome {
    /// Whether every part is in the answer.
    pub status: OutcomeStatus,
    /// The agent's name.
    pub agent: String,
    /// The input's name.
    pub input: String,
    /// Who answered: a model's name, or `static` for the patterns of the agent.
    pub produced_by: String,
    /// The answer, under the agent's schema.
    pub answer: Value,
    /// Where its values come from.
    pub provenance: Vec<Provenance>,
    /// Where parts contradict each other.
    pub conflicts: Vec<MergeConflict>,
    /// Items that were taken for one.
    pub joined: Vec<JoinedItem>,
    /// Answers and fields that the strategy left out.
    pub discarded: Vec<DiscardedAnswer>,
    /// What of the models' answers could not be used, in words.
    pub dropped: Vec<PartNote>,
    /// Parts without an answer.
    pub failed: Vec<FailedPart>,
    /// Where the answer is not what the schema says.
    pub violations: Vec<Violation>,
    /// What the input has and the answer has not; none where the agent has no patterns for that.
    pub audit: Option<AuditResult>,
    /// What the parts came to in numbers.
    pub parts: PartTotals,
    /// What the user should know of the input: pages without text and the like.
    pub notes: Vec<String>,
    /// What calls took in this run.
    #[serde(skip)]
    pub bill: UsageTotals,
    /// Why no further call was made; none where all were.
    #[serde(skip)]
    pub stopped: Option<StopError>,
}

impl ExtractionOutcome {
    /// All but the answer and where its values come from, of which these rows are kept.
    pub fn without_answer(&self, provenance: Vec<Provenance>) -> Self {
        Self {
            answer: Value::Null,
            provenance,
            agent: self.agent.clone(),
            input: self.input.clone(),
            produced_by: self.produced_by.clone(),
            conflicts: self.conflicts.clone(),
            joined: self.joined.clone(),
            discarded: self.discarded.clone(),
            dropped: self.dropped.clone(),
            failed: self.failed.clone(),
            violations: self.violations.clone(),
            audit: self.audit.clone(),
            notes: self.notes.clone(),
            stopped: self.stopped.clone(),
            ..*self
        }
    }
}

/// Whether every part is in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeStatus {
    /// Every part.
    Complete,
    /// Some parts are not.
    Partial,
}

/// Something of a part's answer that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartNote {
    /// The part, one-based.
    pub part: u64,
    /// What, and why.
    pub note: String,
}

/// A part without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPart {
    /// The part, one-based.
    pub part: u64,
    /// Where it stands in the input.
    #[serde(flatten)]
    pub place: InputLocation,
    /// Why.
    pub reason: String,
}

/// A place where the answer is not what the schema says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// A JSON pointer into the answer.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// What the patterns of an agent find in the input, held against the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuditResult {
    /// Different texts that the patterns find in the input.
    pub found: u64,
    /// Those that the answer does not have, in the order of the input.
    pub missed: Vec<MissedText>,
}

/// A text of the input that the answer does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissedText {
    /// The name of the pattern.
    pub pattern: String,
    /// The text.
    pub text: String,
    /// Where it first stands.
    #[serde(flatten)]
    pub place: InputLocation,
}

/// Parts in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PartTotals {
    /// Parts, those that were split counted in their pieces.
    pub parts: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Records or pages of the input; 0 for text.
    pub units: u64,
    /// The tokens of the prompts, each counted once.
    pub prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// The most that one may have.
    pub max_prompt_tokens: u64,
    /// Prompts over that: there are none.
    pub prompts_over_budget: u64,
}
