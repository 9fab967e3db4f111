//! The port to an LLM provider.

use crate::answer::ModelAnswer;
use crate::dialect::Dialect;
use crate::error::CallError;
use crate::prompt::BudgetedPrompt;

/// Sends one prompt, once. Only [`ModelClient`](crate::ModelClient) decides whether and when to retry.
pub trait ModelProvider: Send + Sync {
    /// Sends a prompt in the given dialect, and returns the unparsed answer.
    fn send(
        &self,
        prompt: &BudgetedPrompt,
        dialect: Dialect,
    ) -> impl Future<Output = Result<ModelAnswer, CallError>> + Send;

    /// Returns notes for the user about the answers so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
