//! The Scribe that asks a model.
//!
//! It asks once. A refusal or an empty answer is asked for once more; an answer of which a part could not be read is asked for once more
//! with what was wrong, if the words for that fit into the budget, and the better of the two stands. An answer that was cut off is no
//! answer: the chunk has to be smaller.

mod read;
mod reconcile;

use crate::{Call, ChunkFacts, Scribe, ScribeError, Written};
use read::{Read, read};
use reconcile::Reconciler;
use std::sync::Arc;
use war_rig_estimator::TokenCount;
use war_rig_llm::{Answer, AskError, Bill, BudgetedPrompt, FinishReason, Model, Provider, Stopped};
use war_rig_template::PartialPurpose;
use war_rig_text::ContentHash;

/// How many of the things that were wrong with an answer are said to the model.
const SAID: usize = 6;

/// How much of an answer that is of no use is kept, in characters.
const KEPT: usize = 300;

/// Writes documentation by asking a model.
#[derive(Debug)]
pub struct ModelScribe<P> {
    model: Arc<Model<P>>,
    name: String,
    reconciler: Option<Reconciler>,
}

impl<P: Provider> ModelScribe<P> {
    /// A Scribe that asks this model, whose name the documents bear.
    pub fn new(model: Arc<Model<P>>, name: impl Into<String>) -> Self {
        Self { model, name: name.into(), reconciler: None }
    }

    /// A Scribe that also asks what the parts of a purpose come to, in prompts of at most so many tokens.
    pub fn reconciling(self, max_prompt: TokenCount) -> Self {
        let reconciler = Some(Reconciler::new(self.model.counter(), max_prompt));
        Self { reconciler, ..self }
    }

    async fn documented(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Written, ScribeError> {
        let answer = self.said(prompt, bill).await?;
        let first = read(&answer.text);
        if let Some(first) = first.as_ref().filter(|read| read.is_whole()) {
            return Ok(written(first));
        }
        let second = self.repaired(prompt, first.as_ref(), bill).await?;
        match better(first, second) {
            Some(best) => Ok(written(&best)),
            None => Err(ScribeError::Unusable(format!(
                "the answer holds nothing that was asked for: {}",
                excerpt(&answer.text)
            ))),
        }
    }

    /// An answer that says something and is whole.
    async fn said(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, ScribeError> {
        let first = self.asked(prompt, bill).await?;
        if says_something(&first) {
            return Ok(first);
        }
        let second = self.asked(&prompt.once_more(), bill).await?;
        if says_something(&second) {
            return Ok(second);
        }
        Err(ScribeError::Unusable(match second.refusal.or(first.refusal) {
            Some(refusal) => format!("the model refuses: {}", excerpt(&refusal)),
            None if second.finish == FinishReason::ContentFilter => {
                format!("a filter of the provider stopped the answer: {}", excerpt(&second.text))
            }
            None => "the answer is empty".to_owned(),
        }))
    }

    async fn asked(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, ScribeError> {
        let answer = self.model.ask(prompt, bill).await.map_err(scribe_error)?;
        // Looked at before anything is read: what was cut off may look whole.
        match answer.finish {
            FinishReason::Length => Err(ScribeError::Truncated),
            FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Ok(answer),
        }
    }

    /// A second answer, after what was wrong with the first was said; none where there is no room to say it, or nothing came of it.
    async fn repaired(
        &self,
        prompt: &BudgetedPrompt,
        first: Option<&Read>,
        bill: &mut Bill,
    ) -> Result<Option<Read>, ScribeError> {
        let wrong = first.map_or("it is no JSON object".to_owned(), |read| {
            let more = read.dropped.len().saturating_sub(SAID);
            let mut wrong = read.dropped[..read.dropped.len() - more].join("; ");
            if more > 0 {
                wrong.push_str(&format!("; and {more} more"));
            }
            wrong
        });
        let note = format!(
            "\nYour first answer to this could not be used as it was: {wrong}. Answer again, with the whole JSON object and nothing else.\n"
        );
        let Ok(again) = prompt.with_note(&note, self.model.counter()) else { return Ok(None) };
        match self.asked(&again, bill).await {
            Ok(answer) => Ok(read(&answer.text)),
            Err(error @ ScribeError::Stopped(_)) => Err(error),
            // The first answer is what there is.
            Err(ScribeError::Truncated | ScribeError::Overflow(_) | ScribeError::Unusable(_)) => Ok(None),
        }
    }
}

impl<P: Provider> Scribe for ModelScribe<P> {
    fn produced_by(&self) -> &str {
        &self.name
    }

    fn speaks_for_the_parser(&self) -> bool {
        false
    }

    fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        self.model.has_answer(prompt)
    }

    fn question(&self, prompt: &BudgetedPrompt) -> Option<ContentHash> {
        self.model.question(prompt)
    }

    fn stopped(&self) -> Option<&Stopped> {
        self.model.stopped()
    }

    async fn write(&self, prompt: &BudgetedPrompt, _facts: &ChunkFacts<'_>) -> Call<Written> {
        let mut bill = Bill::default();
        Call { result: self.documented(prompt, &mut bill).await, bill }
    }

    async fn reconcile(
        &self,
        parts: &[PartialPurpose],
        file: &str,
        since: u64,
    ) -> Option<Call<PartialPurpose>> {
        let reconciler = self.reconciler.as_ref()?;
        let mut bill = Bill::default();
        let result = reconciler.whole(&self.model, parts, (file, since), &mut bill).await;
        Some(Call { result, bill })
    }
}

fn scribe_error(error: AskError) -> ScribeError {
    match error {
        AskError::Stopped(stopped) => ScribeError::Stopped(stopped),
        AskError::Overflow(overflow) => ScribeError::Overflow(overflow),
        AskError::Failed(message) => ScribeError::Unusable(message),
    }
}

fn says_something(answer: &Answer) -> bool {
    answer.refusal.is_none() && answer.finish != FinishReason::ContentFilter && !answer.text.trim().is_empty()
}

/// The one of two answers of which more could be read: a second answer that says less takes nothing away from the first, but for what
/// could not be read of that. An answer that has nothing of what was asked for is none.
fn better(first: Option<Read>, second: Option<Read>) -> Option<Read> {
    let says_less = |first: &Read, second: &Read| {
        first.items > second.items + first.dropped.len() || (second.items == 0 && first.items > 0)
    };
    let best = match (first, second) {
        (Some(first), Some(second)) if says_less(&first, &second) => Some(first),
        (_, Some(second)) => Some(second),
        (first, None) => first,
    };
    best.filter(|read| read.is_whole() || read.items > 0)
}

fn written(read: &Read) -> Written {
    Written { partial: read.partial.clone(), notes: read.dropped.clone(), kept: read.kept() }
}

/// The beginning of a text on one line, without what a terminal would obey.
fn excerpt(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let line = plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
