//! Who answers.

use crate::merge::InputLocation;
use crate::slice::Slice;
use serde_json::Value;
use war_rig_llm::{BudgetedPrompt, ContextOverflow, StopError, UsageTotals};

/// Answers prompts about parts of an input. A prompt is handed over also where it is not read, so that no answer comes another way than through the budget.
pub trait Extractor: Send + Sync {
    /// Who answers, as results name it: a model's name, or `static`.
    fn produced_by(&self) -> &str;

    /// The answer to a prompt about a part. What it took is added to the bill, whatever came of it.
    fn extract(
        &self,
        prompt: &BudgetedPrompt,
        part: &Slice,
        bill: &mut UsageTotals,
    ) -> impl Future<Output = Result<ExtractedAnswer, ExtractError>> + Send;

    /// Notes that a part has no answer by this prompt, so that whoever keeps answers has a later run ask again.
    fn forget(&self, _prompt: &BudgetedPrompt) {}

    /// One text for several, by a prompt that asks for it; none from those who cannot write.
    fn summarize(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> impl Future<Output = Result<Option<String>, ExtractError>> + Send;
}

/// What was answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtractedAnswer {
    /// The answer, under the agent's schema as far as it could be used.
    pub value: Value,
    /// What could not be used, and why.
    pub dropped: Vec<String>,
    /// Where items of lists stand, by JSON pointers into the value, as far as whoever answered knows. The others are looked for.
    pub places: Vec<(String, InputLocation)>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractError {
    /// The answer was cut off, or what was asked about is more than the model's window: a smaller part is needed.
    TooLong(Option<ContextOverflow>),
    /// No use can be made of what came.
    Unusable(String),
    /// No further call is made.
    Stopped(StopError),
}
