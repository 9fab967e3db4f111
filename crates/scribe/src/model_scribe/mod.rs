//! The Scribe that asks a model.
//!
//! It repeats a call at most once. After a refusal or an empty answer it asks again. After a partly unreadable answer it asks again with
//! the reasons, if they fit the budget, and uses the better of the two. A truncated answer is unusable:
//! the chunk must be smaller.

mod answer_reader;
mod block_prompt;
mod estate_words;
mod overview_rows;
mod program_overview;

use crate::{ChunkFacts, EstateSubject, FileFacts, PartWords, Scribe, ScribeError, ScribeOutput, ScribeResponse};
use answer_reader::{ParsedAnswer, read_answer};
use estate_words::EstateWriter;
use program_overview::OverviewWriter;
use std::sync::Arc;
use war_rig_estimator::TokenCount;
use war_rig_llm::{BudgetedPrompt, CompletionError, ModelClient, ModelProvider, StopError, UsageTotals, excerpt};
use war_rig_template::{ProgramOverview, SourcedSentence};
use war_rig_text::ContentHash;

/// The reason given for an answer without an object.
const NO_OBJECT: &str = "it is no JSON object";

/// Writes documentation by asking a model.
#[derive(Debug)]
pub struct ModelScribe<P> {
    model: Arc<ModelClient<P>>,
    name: String,
    overview: Option<(OverviewWriter, Arc<ModelClient<P>>)>,
    estate: Option<(EstateWriter, Arc<ModelClient<P>>)>,
}

impl<P: ModelProvider> ModelScribe<P> {
    /// Builds a Scribe that asks this model, whose name appears in the documents.
    pub fn new(model: Arc<ModelClient<P>>, name: impl Into<String>) -> Self {
        Self { model, name: name.into(), overview: None, estate: None }
    }

    /// Also writes overviews of sources with several chunks, by this model, in prompts of at most this many tokens. It stops when the first one does.
    pub fn with_overview_by(self, model: Arc<ModelClient<P>>, max_prompt: TokenCount) -> Self {
        let writer = OverviewWriter::new(model.counter(), max_prompt);
        Self { overview: Some((writer, model)), ..self }
    }

    /// Also writes about business functions and the system, by this model, in prompts of at most this many tokens.
    pub fn with_estate_words_by(self, model: Arc<ModelClient<P>>, max_prompt: TokenCount) -> Self {
        let writer = EstateWriter::new(model.counter(), max_prompt);
        Self { estate: Some((writer, model)), ..self }
    }

    async fn documented(&self, prompt: &BudgetedPrompt, bill: &mut UsageTotals) -> Result<ScribeOutput, ScribeError> {
        let answer = self.model.complete(prompt, bill).await.map_err(scribe_error)?;
        let first = read_answer(&answer.text);
        if let Some(first) = first.as_ref().filter(|read| read.is_whole()) {
            return Ok(written(first));
        }
        let wrong = first.as_ref().map_or_else(|| vec![NO_OBJECT.to_owned()], |read| read.dropped.clone());
        let second = self.model.complete_again(prompt, &wrong, bill).await.map_err(scribe_error)?;
        let second = second.and_then(|answer| read_answer(&answer.text));
        match better(first, second) {
            Some(best) => Ok(written(&best)),
            None => Err(ScribeError::Unusable(format!(
                "the answer holds nothing that was asked for: {}",
                excerpt(&answer.text)
            ))),
        }
    }
}

impl<P: ModelProvider> Scribe for ModelScribe<P> {
    fn produced_by(&self) -> &str {
        &self.name
    }

    fn is_parser_only(&self) -> bool {
        false
    }

    async fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        self.model.has_answer(prompt).await
    }

    fn question(&self, prompt: &BudgetedPrompt) -> Option<ContentHash> {
        self.model.question_hash(prompt)
    }

    fn stopped(&self) -> Option<&StopError> {
        self.model.stopped()
    }

    async fn write(&self, prompt: &BudgetedPrompt, _facts: &ChunkFacts<'_>) -> ScribeResponse<ScribeOutput> {
        let mut bill = UsageTotals::default();
        ScribeResponse { result: self.documented(prompt, &mut bill).await, usage: bill }
    }

    async fn write_overview(
        &self,
        facts: &FileFacts<'_>,
        parts: &[PartWords<'_>],
        since: u64,
    ) -> Option<ScribeResponse<ProgramOverview>> {
        let (writer, model) = self.overview.as_ref()?;
        let mut bill = UsageTotals::default();
        let result = writer.write(model, (facts, parts), since, &mut bill).await;
        Some(ScribeResponse { result, usage: bill })
    }

    async fn write_about_estate(
        &self,
        subject: &EstateSubject,
        since: u64,
    ) -> Option<ScribeResponse<Vec<SourcedSentence>>> {
        let (writer, model) = self.estate.as_ref()?;
        let mut bill = UsageTotals::default();
        let result = writer.write(model, subject, since, &mut bill).await;
        Some(ScribeResponse { result, usage: bill })
    }
}

fn scribe_error(error: CompletionError) -> ScribeError {
    match error {
        CompletionError::Stopped(stopped) => ScribeError::Stopped(stopped),
        CompletionError::Truncated => ScribeError::Truncated,
        CompletionError::Overflow(overflow) => ScribeError::Overflow(overflow),
        CompletionError::Unusable(reason) => ScribeError::Unusable(reason),
    }
}

/// Returns the answer of which more was readable: a less complete second answer only replaces what was unreadable in the first.
/// An answer with nothing that was asked for counts as none.
fn better(first: Option<ParsedAnswer>, second: Option<ParsedAnswer>) -> Option<ParsedAnswer> {
    let says_less = |first: &ParsedAnswer, second: &ParsedAnswer| {
        first.items > second.items + first.dropped.len() || (second.items == 0 && first.items > 0)
    };
    let best = match (first, second) {
        (Some(first), Some(second)) if says_less(&first, &second) => Some(first),
        (_, Some(second)) => Some(second),
        (first, None) => first,
    };
    best.filter(|read| read.is_whole() || read.items > 0)
}

fn written(read: &ParsedAnswer) -> ScribeOutput {
    ScribeOutput { partial: read.partial.clone(), notes: read.dropped.clone(), usable_share: read.usable_share() }
}
