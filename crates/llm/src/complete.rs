//! One whole answer that says something, and what is done where none comes.
//!
//! A refusal or an empty answer is asked for once more. An answer that was cut off is no answer: what is asked about has to be smaller. Of an answer that could
//! not be used as it was, whoever reads it says what was wrong, and may ask once more with those words.

use crate::answer::{FinishReason, ModelAnswer, UsageTotals};
use crate::error::{ContextOverflow, ModelError, StopError};
use crate::model::ModelClient;
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use war_rig_text::sanitize_line;

/// How many of the things that were wrong with an answer are said to the model.
const SAID: usize = 6;

/// How much of an answer that is of no use is kept, in characters.
const KEPT: usize = 300;

/// Why there is no answer that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionError {
    /// No further call is made.
    Stopped(StopError),
    /// The answer was cut off at its limit.
    Truncated,
    /// The model's window does not hold what was asked.
    Overflow(ContextOverflow),
    /// Nothing of use came, in words.
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
    /// A whole answer that says something.
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

    /// A second answer, after what was wrong with the first was said; none where there is no room to say it, or nothing came of it.
    ///
    /// # Errors
    /// [`CompletionError::Stopped`] alone.
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
            // The first answer is what there is.
            Err(CompletionError::Truncated | CompletionError::Overflow(_) | CompletionError::Unusable(_)) => {
                Ok(None)
            }
        }
    }

    async fn whole_answer(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<ModelAnswer, CompletionError> {
        let answer = self.ask(prompt, bill).await?;
        // Looked at before anything is read: what was cut off may look whole.
        match answer.finish {
            FinishReason::Length => Err(CompletionError::Truncated),
            FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Ok(answer),
        }
    }
}

impl ModelAnswer {
    /// Whether it was given and is not empty.
    pub fn has_content(&self) -> bool {
        let is_given = self.refusal.is_none() && self.finish != FinishReason::ContentFilter;
        is_given && !self.text.trim().is_empty()
    }
}

/// The beginning of a text on one line, without what a terminal would obey.
pub fn excerpt(text: &str) -> String {
    let line = sanitize_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
