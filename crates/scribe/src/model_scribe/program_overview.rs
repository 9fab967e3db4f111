//! The overview of a source that was documented in several chunks, by one more call.
//!
//! Each chunk was described by itself. Over the parser's outline and all that was written, a model tells the purpose and the main line in one
//! voice, and sums up the paragraphs that several chunks share. It is exactly one call: what does not fit into its prompt is left out and counted.

use super::block_prompt::BlockPrompts;
use super::overview_rows::{DividedParagraph, OverviewRows};
use super::scribe_error;
use crate::{FileFacts, PartWords, ScribeError};
use serde::Deserialize;
use serde_json::Value;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{
    AnswerReuse, BudgetedPrompt, FinishReason, ModelClient, ModelProvider, PromptKind, UsageTotals, answer_object,
};
use war_rig_template::{ParagraphOverview, ProgramOverview, program_overview_schema};

const SYSTEM: &str = include_str!("../program_overview.txt");

/// The name of the schema in requests.
const SCHEMA_NAME: &str = "program_overview";

/// Asks for overviews.
#[derive(Debug)]
pub(super) struct OverviewWriter {
    prompts: BlockPrompts,
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
        let kind = PromptKind::new(SCHEMA_NAME, SYSTEM, program_overview_schema(), counter);
        Self { prompts: BlockPrompts::new(kind, "PARTS", counter, limit) }
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
        let (prompt, divided) = self.prompts.with_rows(file, &format!("{file} overview"), |room| {
            let chosen = rows.within(room, &self.prompts.counter)?;
            Some((chosen.text, chosen.divided))
        })?;
        Some(OverviewPrompt { prompt, divided })
    }
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
