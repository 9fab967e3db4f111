//! The port to whoever answers.

use crate::answer::Answer;
use crate::dialect::Dialect;
use crate::error::CallError;
use crate::prompt::BudgetedPrompt;

/// Sends one prompt, once. Whether and when the same is sent again is decided by [`Model`](crate::Model) alone.
pub trait Provider: Send + Sync {
    /// Sends a prompt in the given wording, and gives the answer as it came.
    fn send(
        &self,
        prompt: &BudgetedPrompt,
        dialect: Dialect,
    ) -> impl Future<Output = Result<Answer, CallError>> + Send;
}

/// A provider that is never asked, for runs that take every answer from a record.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProvider;

impl Provider for NoProvider {
    async fn send(&self, _: &BudgetedPrompt, _: Dialect) -> Result<Answer, CallError> {
        Err(CallError::new(crate::CallErrorKind::Rejected, "a replay makes no connection"))
    }
}
