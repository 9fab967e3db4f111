//! The extractor that calls a model.
//!
//! A refusal or an empty answer is requested once more. An answer with unusable parts is requested once more with a list of its problems, if the list
//! fits into the budget, and the better of the two is used. A truncated answer does not count: the part has to be smaller. Nor does an incomplete
//! answer with a normal finish reason; the part fails if the second one is no better.

use crate::answer_reader::{count_items, read};
use crate::extractor::{ExtractError, ExtractedAnswer, Extractor};
use crate::schema::AnswerSchema;
use crate::slice::Slice;
use std::sync::{Arc, Mutex, PoisonError};
use war_rig_llm::{BudgetedPrompt, CompletionError, ModelClient, ModelProvider, UsageTotals, answer_object};
use war_rig_text::ContentHash;

/// Asks a model about parts.
#[derive(Debug)]
pub struct ModelExtractor<P> {
    model: Arc<ModelClient<P>>,
    name: String,
    schema: Arc<AnswerSchema>,
    /// Questions without a usable answer.
    useless: Mutex<Vec<ContentHash>>,
}

impl<P: ModelProvider> ModelExtractor<P> {
    /// Creates an extractor for this model, its name in results, and the answer schema.
    pub fn new(model: Arc<ModelClient<P>>, name: impl Into<String>, schema: Arc<AnswerSchema>) -> Self {
        Self { model, name: name.into(), schema, useless: Mutex::default() }
    }

    /// Returns the questions without a usable answer so far. A caller that stores answers should delete those, so that a later run asks again.
    pub fn unusable_questions(&self) -> Vec<ContentHash> {
        self.useless.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the best obtainable answer about a part.
    async fn answered(&self, prompt: &BudgetedPrompt, bill: &mut UsageTotals) -> Result<ExtractedAnswer, ExtractError> {
        let answer = self.model.complete(prompt, bill).await?;
        let first = read(&answer.text, &self.schema);
        if let Some(whole) = first.as_ref().ok().filter(|read| read.is_whole) {
            return Ok(whole.clone().into());
        }
        let wrong = first.as_ref().map_or_else(|none| vec![none.to_string()], |read| read.dropped.clone());
        let second = self.model.complete_again(prompt, &wrong, bill).await?;
        let second = second.map(|answer| read(&answer.text, &self.schema));
        let best = match (first, second) {
            // A smaller second answer does not replace the first, unless it makes up for what was dropped from that.
            (Ok(first), Some(Ok(second))) if count_items(&first) > count_items(&second) + first.dropped.len() => {
                Ok(first)
            }
            (_, Some(Ok(second))) => Ok(second),
            (Ok(first), _) => Ok(first),
            (Err(none), _) => Err(ExtractError::Unusable(format!("the answer is of no use: {none}"))),
        }?;
        if count_items(&best) == 0 && !best.is_whole {
            return Err(ExtractError::Unusable("the answer holds nothing that was asked for".to_owned()));
        }
        Ok(best.into())
    }

    async fn summed_up(&self, prompt: &BudgetedPrompt, bill: &mut UsageTotals) -> Result<String, ExtractError> {
        let answer = self.model.complete(prompt, bill).await?;
        let text = answer_object(&answer.text, |name| name == "text")
            .ok()
            .and_then(|fields| Some(fields.get("text")?.as_str()?.trim().to_owned()));
        match text.filter(|text| !text.is_empty()) {
            Some(text) => Ok(text),
            None => Err(ExtractError::Unusable("the answer is no summary".to_owned())),
        }
    }
}

impl<P: ModelProvider> Extractor for ModelExtractor<P> {
    fn produced_by(&self) -> &str {
        &self.name
    }

    async fn extract(
        &self,
        prompt: &BudgetedPrompt,
        _part: &Slice,
        bill: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        self.answered(prompt, bill).await
    }

    fn forget(&self, prompt: &BudgetedPrompt) {
        let mut useless = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        useless.extend(self.model.question_hash(prompt));
    }

    async fn summarize(&self, prompt: &BudgetedPrompt, bill: &mut UsageTotals) -> Result<Option<String>, ExtractError> {
        let summed_up = self.summed_up(prompt, bill).await;
        if let Err(ExtractError::Unusable(_)) = &summed_up {
            self.forget(prompt);
        }
        summed_up.map(Some)
    }
}

impl From<CompletionError> for ExtractError {
    fn from(error: CompletionError) -> Self {
        match error {
            CompletionError::Stopped(stopped) => Self::Stopped(stopped),
            CompletionError::Truncated => Self::TooLong(None),
            CompletionError::Overflow(overflow) => Self::TooLong(Some(overflow)),
            CompletionError::Unusable(reason) => Self::Unusable(reason),
        }
    }
}
