//! Merges the parts of a purpose.
//!
//! Each chunk of a program has described its part's purpose. Read together, one better description results. The parts go into
//! one prompt or, if they do not fit, into several, whose answers are merged again.

use super::scribe_error;
use crate::ScribeError;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{
    AnswerReuse, BudgetedPrompt, FinishReason, ModelClient, ModelProvider, OverBudget, PromptKind, UsageTotals,
    UserMessage, answer_object,
};
use war_rig_template::{Purpose, purpose_schema};
use war_rig_text::ContentHash;

const SYSTEM: &str = include_str!("../reconcile.txt");

/// The name of the schema in requests.
const SCHEMA_NAME: &str = "program_purpose";

/// The maximum number of merge rounds; each round at most halves the number of parts.
const ROUNDS: usize = 8;

/// Merges the parts of purposes.
#[derive(Debug)]
pub(super) struct Reconciler {
    kind: Arc<PromptKind>,
    counter: TokenCounter,
    limit: TokenCount,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReconciledPurpose {
    summary: String,
    business_context: Option<String>,
    program_type: Option<String>,
}

impl Reconciler {
    pub(super) fn new(counter: &TokenCounter, limit: TokenCount) -> Self {
        let kind = Arc::new(PromptKind::new(SCHEMA_NAME, SYSTEM, purpose_schema(), counter));
        Self { kind, counter: counter.clone(), limit }
    }

    pub(super) async fn whole<P: ModelProvider>(
        &self,
        model: &ModelClient<P>,
        parts: &[Purpose],
        (file, since): (&str, u64),
        bill: &mut UsageTotals,
    ) -> Result<Purpose, ScribeError> {
        let mut parts = parts.to_vec();
        for _ in 0..ROUNDS {
            let mut wholes = Vec::new();
            for prompt in self.prompts(&parts, file)? {
                let prompt = prompt.with_reuse(AnswerReuse { since, ..AnswerReuse::default() });
                let answer = model.ask(&prompt, bill).await.map_err(|error| scribe_error(error.into()))?;
                if answer.finish == FinishReason::Length || !answer.has_content() {
                    return Err(ScribeError::Unusable("no whole answer came".to_owned()));
                }
                wholes.push(purpose_of(&answer.text)?);
            }
            parts = wholes;
            if let [whole] = parts.as_slice() {
                return Ok(whole.clone());
            }
        }
        Err(ScribeError::Unusable("the parts do not come to a whole".to_owned()))
    }

    /// Returns prompts that contain all parts in order, as many in each as fit.
    fn prompts(&self, parts: &[Purpose], file: &str) -> Result<Vec<BudgetedPrompt>, ScribeError> {
        let mut prompts = Vec::new();
        let mut rest = parts;
        while !rest.is_empty() {
            let mut last = None;
            for count in 1..=rest.len() {
                match self.prompt(&rest[..count], file) {
                    Ok(prompt) => last = Some((count, prompt)),
                    Err(_) => break,
                }
            }
            let too_long = || ScribeError::Unusable("what a part says is more than a prompt holds".to_owned());
            let (count, prompt) = last.ok_or_else(too_long)?;
            // A single part alone yields nothing new.
            if count == 1 && rest.len() > 1 {
                return Err(too_long());
            }
            prompts.push(prompt);
            rest = &rest[count..];
        }
        Ok(prompts)
    }

    fn prompt(&self, parts: &[Purpose], file: &str) -> Result<BudgetedPrompt, OverBudget> {
        let rows: String = (1..)
            .zip(parts)
            .map(|(number, part)| {
                let said = [
                    Some(part.summary.as_str()),
                    part.business_context.as_deref(),
                    Some(part.program_type.as_str()).filter(|kind| !kind.is_empty()),
                ];
                let said = said.into_iter().flatten().collect::<Vec<_>>().join(" | ");
                format!("{number}|{}\n", said.split_whitespace().collect::<Vec<_>>().join(" "))
            })
            .collect();
        // The word is derived from the rows, so that no row can imitate the end.
        let word = ContentHash::of(rows.as_bytes()).short(12);
        let text = format!("<<<PARTS {word}>>>\n{rows}<<<END {word}>>>\n");
        let user = UserMessage {
            file: file.to_owned(),
            about: format!("{file} purpose"),
            source: 0..text.len(),
            text,
            ..UserMessage::default()
        };
        BudgetedPrompt::new(&self.kind, user, &self.counter, self.limit)
    }
}

fn purpose_of(answer: &str) -> Result<Purpose, ScribeError> {
    let unusable = || ScribeError::Unusable("the answer is no purpose".to_owned());
    let fields = answer_object(answer, |name| name == "summary").map_err(|_| unusable())?;
    let whole = serde_json::from_value::<ReconciledPurpose>(Value::Object(fields)).ok();
    let whole = whole.filter(|whole| !whole.summary.trim().is_empty());
    let ReconciledPurpose { summary, business_context, program_type } = whole.ok_or_else(unusable)?;
    Ok(Purpose { summary, business_context, program_type: program_type.unwrap_or_default() })
}
