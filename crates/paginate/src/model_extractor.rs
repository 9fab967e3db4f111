//! The extractor that asks a model.
//!
//! It asks once. A refusal or an empty answer is asked for once more; an answer of which a part could not be used is asked for once more with what was wrong, if
//! the words for that fit into the budget, and the better of the two stands. An answer that was cut off is no answer: the part has to be smaller.

use crate::extractor::{ExtractError, Extracted, Extractor};
use crate::read::{Read, read, whole};
use crate::schema::AnswerSchema;
use std::sync::{Arc, Mutex, PoisonError};
use war_rig_chunker::Slice;
use war_rig_llm::{Answer, AskError, Bill, BudgetedPrompt, FinishReason, Model, Provider};
use war_rig_text::ContentHash;

/// How many of the things that were wrong with an answer are said to the model.
const SAID: usize = 6;

/// How much of a refusal is kept, in characters.
const KEPT: usize = 300;

/// Asks a model about parts.
#[derive(Debug)]
pub struct ModelExtractor<P> {
    model: Arc<Model<P>>,
    name: String,
    schema: Arc<AnswerSchema>,
    /// Questions of which no answer was of use.
    useless: Mutex<Vec<ContentHash>>,
}

impl<P: Provider> ModelExtractor<P> {
    /// An extractor that asks this model, whose name results bear, for answers under a schema.
    pub fn new(model: Arc<Model<P>>, name: impl Into<String>, schema: Arc<AnswerSchema>) -> Self {
        Self { model, name: name.into(), schema, useless: Mutex::default() }
    }

    /// The questions of which no answer was of use so far. Whoever keeps answers does well to forget those, so that a later run asks again.
    pub fn useless(&self) -> Vec<ContentHash> {
        self.useless.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An answer that says something and is whole.
    async fn said(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, ExtractError> {
        let first = self.asked(prompt, bill).await?;
        if says_something(&first) {
            return Ok(first);
        }
        let second = self.asked(&prompt.once_more(), bill).await?;
        if says_something(&second) {
            return Ok(second);
        }
        Err(ExtractError::Unusable(match second.refusal.or(first.refusal) {
            Some(refusal) => format!("the model refuses: {}", excerpt(&refusal)),
            None if second.finish == FinishReason::ContentFilter => {
                "a filter of the provider stopped the answer".to_owned()
            }
            None => "the answer is empty".to_owned(),
        }))
    }

    async fn asked(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, ExtractError> {
        let answer = self.model.ask(prompt, bill).await.map_err(|error| match error {
            AskError::Stopped(stopped) => ExtractError::Stopped(stopped),
            AskError::Overflow(overflow) => ExtractError::TooLong(Some(overflow)),
            AskError::Failed(message) => ExtractError::Unusable(message),
        })?;
        // Looked at before anything is read: what was cut off may look whole.
        match answer.finish {
            FinishReason::Length => Err(ExtractError::TooLong(None)),
            FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Ok(answer),
        }
    }

    /// A second answer, after what was wrong with the first was said; none where there is no room to say it, or nothing came of it.
    async fn repaired(
        &self,
        prompt: &BudgetedPrompt,
        first: Option<&Read>,
        bill: &mut Bill,
    ) -> Result<Option<Read>, ExtractError> {
        let wrong = first.map_or("it is no JSON object".to_owned(), |read| {
            let mut wrong = read.dropped.iter().take(SAID).cloned().collect::<Vec<_>>().join("; ");
            if read.dropped.len() > SAID {
                wrong.push_str(&format!("; and {} more", read.dropped.len() - SAID));
            }
            wrong
        });
        let note = format!(
            "\nYour first answer to this could not be used as it was: {wrong}. Answer again, with the whole JSON object and nothing else.\n"
        );
        let Ok(again) = prompt.with_note(&note, self.model.counter()) else { return Ok(None) };
        match self.asked(&again, bill).await {
            Ok(answer) => Ok(read(&answer.text, &self.schema)),
            Err(stopped @ ExtractError::Stopped(_)) => Err(stopped),
            // The first answer is what there is.
            Err(ExtractError::TooLong(_) | ExtractError::Unusable(_)) => Ok(None),
        }
    }

    /// The best answer that is to be had about a part.
    async fn answered(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Extracted, ExtractError> {
        let answer = self.said(prompt, bill).await?;
        let first = read(&answer.text, &self.schema);
        if let Some(whole) = first.as_ref().filter(|read| read.is_whole) {
            return Ok(whole.clone().into_extracted());
        }
        let second = self.repaired(prompt, first.as_ref(), bill).await?;
        let best = match (first, second) {
            // A second answer that says less takes nothing away from the first, but for what could not be read of that.
            (Some(first), Some(second)) if first.items > second.items + first.dropped.len() => Some(first),
            (_, Some(second)) => Some(second),
            (first, None) => first,
        };
        let unusable = || ExtractError::Unusable("the answer holds nothing that was asked for".to_owned());
        best.filter(|read| read.items > 0 || read.is_whole).map(Read::into_extracted).ok_or_else(unusable)
    }

    async fn summed_up(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<String, ExtractError> {
        let answer = self.said(prompt, bill).await?;
        let text = whole(&answer.text, &["text".to_owned()])
            .and_then(|fields| Some(fields.get("text")?.as_str()?.trim().to_owned()));
        match text.filter(|text| !text.is_empty()) {
            Some(text) => Ok(text),
            None => Err(ExtractError::Unusable("the answer is no summary".to_owned())),
        }
    }

    /// Notes a question of which no answer was of use.
    fn noted<T>(&self, prompt: &BudgetedPrompt, result: Result<T, ExtractError>) -> Result<T, ExtractError> {
        if let Err(ExtractError::Unusable(_)) = &result {
            let mut useless = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
            useless.extend(self.model.question(prompt));
        }
        result
    }
}

impl<P: Provider> Extractor for ModelExtractor<P> {
    fn produced_by(&self) -> &str {
        &self.name
    }

    async fn extract(
        &self,
        prompt: &BudgetedPrompt,
        _part: &Slice,
        bill: &mut Bill,
    ) -> Result<Extracted, ExtractError> {
        self.noted(prompt, self.answered(prompt, bill).await)
    }

    async fn sum_up(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Option<String>, ExtractError> {
        self.noted(prompt, self.summed_up(prompt, bill).await).map(Some)
    }
}

fn says_something(answer: &Answer) -> bool {
    answer.refusal.is_none() && answer.finish != FinishReason::ContentFilter && !answer.text.trim().is_empty()
}

/// The beginning of a text on one line, without what a terminal would obey.
fn excerpt(text: &str) -> String {
    let line = war_rig_text::clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
