//! A model's answer.

use crate::Money;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// A provider's answer, unparsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The text; empty if the model wrote none.
    pub text: String,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// The model's explanation when it refuses to answer.
    pub refusal: Option<String>,
    /// The tier that served it, in the provider's words; none if it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// The provider's token counts.
    pub usage: Option<TokenUsage>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model finished its answer.
    Stop,
    /// The answer reached its limit and is cut off.
    Length,
    /// A filter of the provider stopped the model.
    ContentFilter,
    /// Another reason, which says nothing about the answer.
    Other,
}

/// The provider's token counts for one call, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the prompt.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    #[serde(default)]
    pub completion_tokens: u64,
    /// Prompt tokens that the provider read from its cache.
    #[serde(default)]
    pub cached_tokens: u64,
}

/// The usage of several calls, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Requests sent, including retries.
    pub calls: u64,
    /// Requests that repeated an earlier one.
    pub retries: u64,
    /// Answers replayed from the call log or a cassette.
    pub replayed: u64,
    /// Tokens of all prompts sent, as counted before sending.
    pub prompt_tokens: u64,
    /// Prompt tokens that the provider read from its cache, in tokens of the model.
    #[serde(default)]
    pub cached_tokens: u64,
    /// The largest prompt sent.
    pub largest_prompt: u64,
    /// Tokens of the answers.
    pub completion_tokens: u64,
    /// The cost of the answers.
    #[serde(with = "crate::money::units")]
    pub cost: Money,
}

impl AddAssign for UsageTotals {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.retries += other.retries;
        self.replayed += other.replayed;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.largest_prompt = self.largest_prompt.max(other.largest_prompt);
        self.completion_tokens += other.completion_tokens;
        self.cost += other.cost;
    }
}
