//! One whole answer that says something, and what is done where none comes.
//!
//! A refusal or an empty answer is asked for once more. An answer that was cut off is no answer: what is asked about has to be smaller. Of an answer that could
//! not be used as it was, whoever reads it says what was wrong, and may ask once more with those words.

use crate::answer::{Answer, Bill, FinishReason};
use crate::error::{AskError, Overflow, Stopped};
use crate::model::Model;
use crate::prompt::BudgetedPrompt;
use crate::provider::Provider;
use war_rig_text::clean;

/// How many of the things that were wrong with an answer are said to the model.
const SAID: usize = 6;

/// How much of an answer that is of no use is kept, in characters.
const KEPT: usize = 300;

/// Why there is no answer that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsaid {
    /// No further call is made.
    Stopped(Stopped),
    /// The answer was cut off at its limit.
    Truncated,
    /// The model's window does not hold what was asked.
    Overflow(Overflow),
    /// Nothing of use came, in words.
    Unusable(String),
}

impl From<AskError> for Unsaid {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Stopped(stopped) => Self::Stopped(stopped),
            AskError::Overflow(overflow) => Self::Overflow(overflow),
            AskError::Failed(message) => Self::Unusable(message),
        }
    }
}

impl<P: Provider> Model<P> {
    /// A whole answer that says something.
    ///
    /// # Errors
    /// [`Unsaid`].
    pub async fn say(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, Unsaid> {
        let first = self.whole_answer(prompt, bill).await?;
        if first.says_something() {
            return Ok(first);
        }
        let second = self.whole_answer(&prompt.once_more(), bill).await?;
        if second.says_something() {
            return Ok(second);
        }
        Err(Unsaid::Unusable(match second.refusal.or(first.refusal) {
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
    /// [`Unsaid::Stopped`] alone.
    pub async fn say_again(
        &self,
        prompt: &BudgetedPrompt,
        wrong: &[String],
        bill: &mut Bill,
    ) -> Result<Option<Answer>, Unsaid> {
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
            Err(stopped @ Unsaid::Stopped(_)) => Err(stopped),
            // The first answer is what there is.
            Err(Unsaid::Truncated | Unsaid::Overflow(_) | Unsaid::Unusable(_)) => Ok(None),
        }
    }

    async fn whole_answer(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, Unsaid> {
        let answer = self.ask(prompt, bill).await?;
        // Looked at before anything is read: what was cut off may look whole.
        match answer.finish {
            FinishReason::Length => Err(Unsaid::Truncated),
            FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Ok(answer),
        }
    }
}

impl Answer {
    /// Whether it was given and is not empty.
    pub fn says_something(&self) -> bool {
        let is_given = self.refusal.is_none() && self.finish != FinishReason::ContentFilter;
        is_given && !self.text.trim().is_empty()
    }
}

/// The beginning of a text on one line, without what a terminal would obey.
pub fn excerpt(text: &str) -> String {
    let line = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
