//! The outcome of a run.

use crate::merge::{DiscardedAnswer, InputLocation, JoinedItem, MergeConflict, Provenance};
use serde::Serialize;
use serde_json::Value;
use war_rig_llm::{StopError, UsageTotals};

/// One answer for a whole input, and what happened to its parts. The serialized form is the same for the same input and answers, whether they came
/// from a model or from a cassette.
#[derive(Debug, Clone, Serialize)]
pub struct ExtractionOutcome {
    /// Whether the answer covers every part.
    pub status: OutcomeStatus,
    /// The agent's name.
    pub agent: String,
    /// The input's name.
    pub input: String,
    /// The source of answers: a model's name, or `static` for the agent's patterns.
    pub produced_by: String,
    /// The answer, under the agent's schema.
    pub answer: Value,
    /// The origins of its values.
    pub provenance: Vec<Provenance>,
    /// Contradictions between parts.
    pub conflicts: Vec<MergeConflict>,
    /// Items that were joined.
    pub joined: Vec<JoinedItem>,
    /// Answers and fields that the strategy discarded.
    pub discarded: Vec<DiscardedAnswer>,
    /// What was dropped from the models' answers, in words.
    pub dropped: Vec<PartNote>,
    /// Parts without an answer.
    pub failed: Vec<FailedPart>,
    /// Where the answer violates the schema.
    pub violations: Vec<Violation>,
    /// Matches in the input that the answer misses; none if the agent has no audit patterns.
    pub audit: Option<AuditResult>,
    /// Statistics of the parts.
    pub parts: PartTotals,
    /// Notes for the user about the input: pages without text and the like.
    pub notes: Vec<String>,
    /// The usage of this run's calls.
    #[serde(skip)]
    pub bill: UsageTotals,
    /// Why no further call was made; none if all were made.
    #[serde(skip)]
    pub stopped: Option<StopError>,
}

impl ExtractionOutcome {
    /// Returns everything but the answer, with these rows as its provenance.
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

/// Whether the answer covers every part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeStatus {
    /// Every part.
    Complete,
    /// Some parts are missing.
    Partial,
}

/// A dropped part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartNote {
    /// The part, one-based.
    pub part: u64,
    /// What was dropped, and why.
    pub note: String,
}

/// A part without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPart {
    /// The part, one-based.
    pub part: u64,
    /// Its location in the input.
    #[serde(flatten)]
    pub place: InputLocation,
    /// The reason.
    pub reason: String,
}

/// A schema violation in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// A JSON pointer into the answer.
    pub path: String,
    /// The error.
    pub message: String,
}

/// The audit result: pattern matches in the input compared with the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuditResult {
    /// Distinct texts that the patterns find in the input.
    pub found: u64,
    /// Texts that the answer misses, in the order of the input.
    pub missed: Vec<MissedText>,
}

/// A text of the input that the answer misses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissedText {
    /// The name of the pattern.
    pub pattern: String,
    /// The text.
    pub text: String,
    /// The location of its first occurrence.
    #[serde(flatten)]
    pub place: InputLocation,
}

/// Statistics of the parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PartTotals {
    /// The number of parts; divided parts count by their pieces.
    pub parts: u64,
    /// The parts with an answer.
    pub answered: u64,
    /// Records or pages of the input; 0 for text.
    pub units: u64,
    /// The tokens of the prompts, each counted once.
    pub prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// The maximum tokens of a prompt.
    pub max_prompt_tokens: u64,
    /// Prompts over that maximum: always 0.
    pub prompts_over_budget: u64,
}
