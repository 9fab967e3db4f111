//! The port to whoever answers.

use crate::answer::ModelAnswer;
use crate::dialect::Dialect;
use crate::error::CallError;
use crate::prompt::BudgetedPrompt;

/// Sends one prompt, once. Whether and when the same is sent again is decided by [`ModelClient`](crate::ModelClient) alone.
pub trait ModelProvider: Send + Sync {
    /// Sends a prompt in the given wording, and gives the answer as it came.
    fn send(
        &self,
        prompt: &BudgetedPrompt,
        dialect: Dialect,
    ) -> impl Future<Output = Result<ModelAnswer, CallError>> + Send;

    /// What the user should know of the answers that came so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
