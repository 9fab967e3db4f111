//! The port to an LLM provider.

use crate::answer::ModelAnswer;
use crate::dialect::Dialect;
use crate::error::{CallError, CallErrorKind};
use crate::prompt::BudgetedPrompt;

/// Sends one prompt, once. Only [`ModelClient`](crate::ModelClient) decides whether and when to retry.
pub trait ModelProvider: Send + Sync {
    /// Sends a prompt in the given dialect, and returns the unparsed answer.
    fn send(
        &self,
        prompt: &BudgetedPrompt,
        dialect: Dialect,
    ) -> impl Future<Output = Result<ModelAnswer, CallError>> + Send;

    /// Returns the body of the request for a prompt, as one line of JSON, for somebody else to send.
    ///
    /// # Errors
    /// [`CallError`] if the prompt cannot be worded in this dialect, or if the provider has no such body.
    fn request_body(&self, prompt: &BudgetedPrompt, dialect: Dialect) -> Result<String, CallError> {
        let _ = (prompt, dialect);
        Err(CallError::new(CallErrorKind::Rejected, "this provider takes no batches"))
    }

    /// Returns notes for the user about the answers so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
