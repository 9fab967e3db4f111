//! The extractor that asks a model.
//!
//! It asks once. A refusal or an empty answer is asked for once more; an answer that could not be used as it was is asked for once more with what was wrong, if
//! the words for that fit into the budget, and the better of the two stands. An answer that was cut off at its limit is no answer: the part has to be smaller. One
//! that is not whole, though whoever sent it says that it is, is none either, and the part fails where the second is no better.

use crate::answer_reader::read;
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
    /// Questions of which no answer was of use.
    useless: Mutex<Vec<ContentHash>>,
}

impl<P: ModelProvider> ModelExtractor<P> {
    /// An extractor that asks this model, whose name results bear, for answers under a schema.
    pub fn new(model: Arc<ModelClient<P>>, name: impl Into<String>, schema: Arc<AnswerSchema>) -> Self {
        Self { model, name: name.into(), schema, useless: Mutex::default() }
    }

    /// The questions of which no answer was of use so far. Whoever keeps answers does well to forget those, so that a later run asks again.
    pub fn unusable_questions(&self) -> Vec<ContentHash> {
        self.useless.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The best answer that is to be had about a part.
    async fn answered(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        let answer = self.model.complete(prompt, bill).await?;
        let first = read(&answer.text, &self.schema);
        if let Some(whole) = first.as_ref().ok().filter(|read| read.is_whole) {
            return Ok(whole.clone().into_extracted());
        }
        let wrong = first.as_ref().map_or_else(|none| vec![none.to_string()], |read| read.dropped.clone());
        let second = self.model.complete_again(prompt, &wrong, bill).await?;
        let second = second.map(|answer| read(&answer.text, &self.schema));
        let best = match (first, second) {
            // A second answer that says less takes nothing away from the first, but for what could not be read of that.
            (Ok(first), Some(Ok(second))) if first.items > second.items + first.dropped.len() => Ok(first),
            (_, Some(Ok(second))) => Ok(second),
            (Ok(first), _) => Ok(first),
            (Err(none), _) => Err(ExtractError::Unusable(format!("the answer is of no use: {none}"))),
        }?;
        if best.items == 0 && !best.is_whole {
            return Err(ExtractError::Unusable("the answer holds nothing that was asked for".to_owned()));
        }
        Ok(best.into_extracted())
    }

    async fn summed_up(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<String, ExtractError> {
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

    async fn summarize(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<Option<String>, ExtractError> {
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
