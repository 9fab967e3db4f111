//! The overview of a source that was documented in several chunks, by one more call.
//!
//! Each chunk was described by itself. Over the parser's outline and all that was written, a model tells the purpose and the main line in one
//! voice, and sums up the paragraphs that several chunks share. It is exactly one call: what does not fit into its prompt is left out and counted.

use super::overview_rows::{DividedParagraph, OverviewRows};
use super::scribe_error;
use crate::{FileFacts, PartWords, ScribeError};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{
    AnswerReuse, BudgetedPrompt, FinishReason, ModelClient, ModelProvider, PromptKind, UsageTotals, UserMessage,
    answer_object,
};
use war_rig_template::{ParagraphOverview, ProgramOverview, program_overview_schema};
use war_rig_text::ContentHash;

const SYSTEM: &str = include_str!("../program_overview.txt");

/// The name of the schema in requests.
const SCHEMA_NAME: &str = "program_overview";

/// The number of hexadecimal digits in the block's word.
const WORD_DIGITS: usize = 12;

/// Asks for overviews.
#[derive(Debug)]
pub(super) struct OverviewWriter {
    kind: Arc<PromptKind>,
    counter: TokenCounter,
    limit: TokenCount,
}

/// The readable fields of an answer; all others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OverviewAnswer {
    summary: String,
    business_context: Option<String>,
    program_type: Option<String>,
    main_line: Option<String>,
    paragraphs: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct ParagraphAnswer {
    id: String,
    summary: String,
}

/// A prompt, and the paragraphs that its ids name.
struct OverviewPrompt {
    prompt: BudgetedPrompt,
    divided: Vec<DividedParagraph>,
}

impl OverviewWriter {
    pub(super) fn new(counter: &TokenCounter, limit: TokenCount) -> Self {
        let kind = Arc::new(PromptKind::new(SCHEMA_NAME, SYSTEM, program_overview_schema(), counter));
        Self { kind, counter: counter.clone(), limit }
    }

    pub(super) async fn write<P: ModelProvider>(
        &self,
        model: &ModelClient<P>,
        (facts, parts): (&FileFacts<'_>, &[PartWords<'_>]),
        since: u64,
        bill: &mut UsageTotals,
    ) -> Result<ProgramOverview, ScribeError> {
        let too_long = || ScribeError::Unusable("nothing of what was written fits into its prompt".to_owned());
        let OverviewPrompt { prompt, divided } = self.prompt(facts, parts).ok_or_else(too_long)?;
        let prompt = prompt.with_reuse(AnswerReuse { since, ..AnswerReuse::default() });
        let answer = model.ask(&prompt, bill).await.map_err(|error| scribe_error(error.into()))?;
        if answer.finish == FinishReason::Length || !answer.has_content() {
            return Err(ScribeError::Unusable("no whole answer came".to_owned()));
        }
        overview_of(&answer.text, &divided)
    }

    /// Returns a prompt with as many rows as the budget holds; none if it holds no row.
    fn prompt(&self, facts: &FileFacts<'_>, parts: &[PartWords<'_>]) -> Option<OverviewPrompt> {
        let rows = OverviewRows::of(facts, parts);
        let file = facts.source.name();
        let frame = self.counter.count(&block("", &"0".repeat(WORD_DIGITS)));
        // A server without schemas takes the schema in the system message, which costs a few tokens more.
        let fixed = BudgetedPrompt::new(&self.kind, UserMessage::default(), &self.counter, self.limit).ok()?;
        let fixed = fixed.tokens().max(fixed.tokens_with_schema());
        let mut room = self.limit.checked_sub(fixed + frame)?;
        // Rows are counted one by one, which is no less than their count in a whole message. If it were, the next try has less room.
        while room > TokenCount::ZERO {
            let chosen = rows.within(room, &self.counter)?;
            let text = block(&chosen.text, &ContentHash::of(chosen.text.as_bytes()).short(WORD_DIGITS));
            let user = UserMessage {
                file: file.to_owned(),
                about: format!("{file} overview"),
                source: 0..text.len(),
                text,
                ..UserMessage::default()
            };
            let prompt = BudgetedPrompt::new(&self.kind, user, &self.counter, self.limit).ok();
            if let Some(prompt) = prompt.filter(|prompt| prompt.tokens_with_schema() <= self.limit) {
                return Some(OverviewPrompt { prompt, divided: chosen.divided });
            }
            room = TokenCount::new(room.get() * 9 / 10);
        }
        None
    }
}

/// Puts rows between a head and an end with a word that is derived from them, so that no row can imitate the end.
fn block(rows: &str, word: &str) -> String {
    format!("<<<PARTS {word}>>>\n{rows}<<<END {word}>>>\n")
}

fn overview_of(answer: &str, divided: &[DividedParagraph]) -> Result<ProgramOverview, ScribeError> {
    let unusable = || ScribeError::Unusable("the answer is no overview".to_owned());
    let fields = answer_object(answer, |name| name == "summary").map_err(|_| unusable())?;
    let said = serde_json::from_value::<OverviewAnswer>(Value::Object(fields)).map_err(|_| unusable())?;
    let summary = said.summary.trim();
    if summary.is_empty() {
        return Err(unusable());
    }
    let text = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut told: Vec<ParagraphAnswer> =
        said.paragraphs.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect();
    told.retain(|told| !told.summary.trim().is_empty());
    let paragraphs = divided.iter().filter_map(|paragraph| {
        let told = told.iter().find(|told| told.id.trim().eq_ignore_ascii_case(&paragraph.id))?;
        Some(ParagraphOverview {
            paragraph_name: paragraph.name.clone(),
            line: paragraph.line,
            summary: told.summary.trim().to_owned(),
            details: paragraph.pieces.clone(),
        })
    });
    Ok(ProgramOverview {
        summary: summary.to_owned(),
        business_context: text(said.business_context),
        program_type: text(said.program_type),
        main_line: text(said.main_line),
        paragraphs: paragraphs.collect(),
    })
}
