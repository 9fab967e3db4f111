//! The budgeted prompt.

use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};

/// A text and its tokens, counted when it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedText {
    text: Arc<str>,
    tokens: TokenCount,
}

impl CountedText {
    /// Counts a text.
    pub fn new(text: impl Into<Arc<str>>, counter: &TokenCounter) -> Self {
        let text = text.into();
        let tokens = counter.count(&text);
        Self { text, tokens }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its tokens.
    pub fn tokens(&self) -> TokenCount {
        self.tokens
    }
}

/// A prompt within its budget: system message, answer schema and user message, counted as they would be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetedPrompt {
    system: CountedText,
    schema: CountedText,
    user: CountedText,
}

/// A prompt that is over its budget and so does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a prompt of {tokens} tokens is over the budget of {limit}")]
pub struct OverBudget {
    /// What the prompt would have had.
    pub tokens: TokenCount,
    /// What it may have.
    pub limit: TokenCount,
}

impl BudgetedPrompt {
    /// Counts the user message and makes the prompt when all three parts together are within `limit` tokens.
    ///
    /// # Errors
    /// [`OverBudget`] when they are not.
    pub fn new(
        system: &CountedText,
        schema: &CountedText,
        user: String,
        counter: &TokenCounter,
        limit: TokenCount,
    ) -> Result<Self, OverBudget> {
        let user = CountedText::new(user, counter);
        let tokens = system.tokens + schema.tokens + user.tokens;
        if tokens > limit {
            return Err(OverBudget { tokens, limit });
        }
        Ok(Self { system: system.clone(), schema: schema.clone(), user })
    }

    /// The system message, the same bytes in every call.
    pub fn system(&self) -> &str {
        self.system.text()
    }

    /// The answer's JSON schema, the same bytes in every call.
    pub fn schema(&self) -> &str {
        self.schema.text()
    }

    /// The user message.
    pub fn user(&self) -> &str {
        self.user.text()
    }

    /// The tokens of all parts.
    pub fn tokens(&self) -> TokenCount {
        self.system.tokens + self.schema.tokens + self.user.tokens
    }
}
