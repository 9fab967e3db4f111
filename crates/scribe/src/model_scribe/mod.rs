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
use war_rig_llm::{Bill, BudgetedPrompt, Model, Provider, Stopped, Unsaid, excerpt};
use war_rig_template::Purpose;
use war_rig_text::ContentHash;

/// What is wrong with an answer that is none.
const NO_OBJECT: &str = "it is no JSON object";

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
        let answer = self.model.say(prompt, bill).await.map_err(scribe_error)?;
        let first = read(&answer.text);
        if let Some(first) = first.as_ref().filter(|read| read.is_whole()) {
            return Ok(written(first));
        }
        let wrong = first.as_ref().map_or_else(|| vec![NO_OBJECT.to_owned()], |read| read.dropped.clone());
        let second = self.model.say_again(prompt, &wrong, bill).await.map_err(scribe_error)?;
        let second = second.and_then(|answer| read(&answer.text));
        match better(first, second) {
            Some(best) => Ok(written(&best)),
            None => Err(ScribeError::Unusable(format!(
                "the answer holds nothing that was asked for: {}",
                excerpt(&answer.text)
            ))),
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

    async fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        self.model.has_answer(prompt).await
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

    async fn reconcile(&self, parts: &[Purpose], file: &str, since: u64) -> Option<Call<Purpose>> {
        let reconciler = self.reconciler.as_ref()?;
        let mut bill = Bill::default();
        let result = reconciler.whole(&self.model, parts, (file, since), &mut bill).await;
        Some(Call { result, bill })
    }
}

fn scribe_error(error: Unsaid) -> ScribeError {
    match error {
        Unsaid::Stopped(stopped) => ScribeError::Stopped(stopped),
        Unsaid::Truncated => ScribeError::Truncated,
        Unsaid::Overflow(overflow) => ScribeError::Overflow(overflow),
        Unsaid::Unusable(reason) => ScribeError::Unusable(reason),
    }
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
