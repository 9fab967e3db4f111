//! The port that answers prompts.

use crate::merge::InputLocation;
use crate::schema::SalvagedAnswer;
use crate::slice::Slice;
use serde_json::Value;
use war_rig_llm::{BudgetedPrompt, ContextOverflow, StopError, UsageTotals};

/// Answers prompts about parts of an input. It gets a prompt even if it does not read it, so that every answer passes the budget.
pub trait Extractor: Send + Sync {
    /// Returns the name for results: a model's name, or `static`.
    fn produced_by(&self) -> &str;

    /// Answers a prompt about a part. The usage is added to the bill, whatever the outcome.
    fn extract(
        &self,
        prompt: &BudgetedPrompt,
        part: &Slice,
        bill: &mut UsageTotals,
    ) -> impl Future<Output = Result<ExtractedAnswer, ExtractError>> + Send;

    /// Notes that this prompt produced no answer for a part, so that a stored answer is not reused by a later run.
    fn forget(&self, _prompt: &BudgetedPrompt) {}

    /// Returns one text that summarizes several; none from an extractor that cannot write.
    fn summarize(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> impl Future<Output = Result<Option<String>, ExtractError>> + Send;
}

/// An extractor's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtractedAnswer {
    /// The answer, with the parts that match the agent's schema.
    pub value: Value,
    /// What was dropped, and why.
    pub dropped: Vec<String>,
    /// The known locations of list items, by JSON pointers into the value. The others are searched for.
    pub places: Vec<(String, InputLocation)>,
}

impl From<SalvagedAnswer> for ExtractedAnswer {
    fn from(SalvagedAnswer { value, dropped, .. }: SalvagedAnswer) -> Self {
        Self { value, dropped, ..Self::default() }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractError {
    /// The answer was truncated, or the prompt exceeds the model's window: a smaller part is needed.
    TooLong(Option<ContextOverflow>),
    /// The answer is unusable.
    Unusable(String),
    /// No further call is made.
    Stopped(StopError),
}
