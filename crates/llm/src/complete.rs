//! Obtaining a complete, non-empty answer, and what happens otherwise.
//!
//! A refusal or an empty answer is requested once more. A truncated answer does not count: the prompt has to become smaller. If an answer is
//! unusable, the caller lists its problems and may ask once more with that list.

use crate::answer::{FinishReason, ModelAnswer, UsageTotals};
use crate::error::{ContextOverflow, ModelError, StopError};
use crate::model::ModelClient;
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use war_rig_text::sanitize_line;

/// The most problems of an answer that are reported to the model.
const SAID: usize = 6;

/// The most characters that are kept of an unusable answer.
const KEPT: usize = 300;

/// Why there is no usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionError {
    /// No further call is made.
    Stopped(StopError),
    /// The answer was truncated at its limit.
    Truncated,
    /// The prompt exceeds the model's window.
    Overflow(ContextOverflow),
    /// The answers were unusable, for this reason.
    Unusable(String),
}

impl From<ModelError> for CompletionError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Stopped(stopped) => Self::Stopped(stopped),
            ModelError::Overflow(overflow) => Self::Overflow(overflow),
            ModelError::Failed(message) => Self::Unusable(message),
        }
    }
}

impl<P: ModelProvider> ModelClient<P> {
    /// Returns a complete, non-empty answer.
    ///
    /// # Errors
    /// [`CompletionError`].
    pub async fn complete(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<ModelAnswer, CompletionError> {
        let first = self.whole_answer(prompt, bill).await?;
        if first.has_content() {
            return Ok(first);
        }
        let second = self.whole_answer(&prompt.retry(), bill).await?;
        if second.has_content() {
            return Ok(second);
        }
        Err(CompletionError::Unusable(match second.refusal.or(first.refusal) {
            Some(refusal) => format!("the model refuses: {}", excerpt(&refusal)),
            None if second.finish == FinishReason::ContentFilter => {
                format!("a filter of the provider stopped the answer: {}", excerpt(&second.text))
            }
            None => "the answer is empty".to_owned(),
        }))
    }

    /// Requests a second answer with the problems of the first. Returns none when the note does not fit, or the second answer is unusable.
    ///
    /// # Errors
    /// [`CompletionError::Stopped`] only.
    pub async fn complete_again(
        &self,
        prompt: &BudgetedPrompt,
        wrong: &[String],
        bill: &mut UsageTotals,
    ) -> Result<Option<ModelAnswer>, CompletionError> {
        let mut said = wrong.iter().take(SAID).cloned().collect::<Vec<_>>().join("; ");
        if wrong.len() > SAID {
            said.push_str(&format!("; and {} more", wrong.len() - SAID));
        }
        let note = format!(
            "\nYour first answer to this could not be used as it was: {said}. Answer again, with the whole JSON object and nothing else.\n"
        );
        let Ok(again) = prompt.with_note(&note, self.counter()) else { return Ok(None) };
        match self.whole_answer(&again, bill).await {
            Ok(answer) => Ok(Some(answer)),
            Err(stopped @ CompletionError::Stopped(_)) => Err(stopped),
            // The first answer is all there is.
            Err(CompletionError::Truncated | CompletionError::Overflow(_) | CompletionError::Unusable(_)) => Ok(None),
        }
    }

    async fn whole_answer(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<ModelAnswer, CompletionError> {
        let answer = self.ask(prompt, bill).await?;
        // Checked before parsing: a truncated answer may look complete.
        match answer.finish {
            FinishReason::Length => Err(CompletionError::Truncated),
            FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Ok(answer),
        }
    }
}

impl ModelAnswer {
    /// Whether the model answered with non-empty text.
    pub fn has_content(&self) -> bool {
        let is_given = self.refusal.is_none() && self.finish != FinishReason::ContentFilter;
        is_given && !self.text.trim().is_empty()
    }
}

/// Returns the beginning of a text on one line, without terminal control characters.
pub fn excerpt(text: &str) -> String {
    let line = sanitize_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
