//! What a model answers.

use crate::Money;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// An answer as the provider gave it: not yet read in any way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The text; empty when there was none.
    pub text: String,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// What the model said instead of answering.
    pub refusal: Option<String>,
    /// What the provider counted.
    pub usage: Option<TokenUsage>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It had said all.
    Stop,
    /// The answer reached its limit: it is cut off.
    Length,
    /// A filter of the provider stopped it.
    ContentFilter,
    /// Something else, which says nothing of the answer.
    Other,
}

/// What a provider counted for one call, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The prompt.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// The answer.
    #[serde(default)]
    pub completion_tokens: u64,
    /// The part of the prompt that came out of the provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
}

/// What calls took, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Requests that were sent, those that were sent again included.
    pub calls: u64,
    /// Those among them that repeated an earlier one.
    pub retries: u64,
    /// Answers that were taken from a record.
    pub replayed: u64,
    /// The tokens of the prompts sent, as counted before sending.
    pub prompt_tokens: u64,
    /// The largest prompt sent.
    pub largest_prompt: u64,
    /// The tokens of the answers.
    pub completion_tokens: u64,
    /// What the answers cost.
    #[serde(with = "crate::money::units")]
    pub cost: Money,
}

impl AddAssign for UsageTotals {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.retries += other.retries;
        self.replayed += other.replayed;
        self.prompt_tokens += other.prompt_tokens;
        self.largest_prompt = self.largest_prompt.max(other.largest_prompt);
        self.completion_tokens += other.completion_tokens;
        self.cost += other.cost;
    }
}
