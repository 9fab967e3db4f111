//! Agents over inputs of any size: a question, the schema of its answer, and one merged answer that says what it kept, merged and lost.
//!
//! An [`Input`] is read from front to back and cut into parts that tile it. Each part becomes a prompt within the budget, an [`Extractor`] answers it (a model, or
//! [`PatternExtractor`] where there is none), and the answers become one [`ExtractionOutcome`]: with the place of each value in the input, with what parts say differently, and with
//! what the agent's patterns find in the input and the answer does not have.
//!
//! ```
//! use std::io::Cursor;
//! use std::sync::Arc;
//! use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
//! use war_rig_paginate::{Agent, Input, InputKind, PaginateOptions, Paginator, Patterns, Progress};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Arc::new(Agent::from_toml(
//!     r#"
//!     name = "changes"
//!     description = "Changes by their numbers"
//!     system = "You list changes."
//!     [schema]
//!     type = "object"
//!     required = ["changes"]
//!     [schema.properties.changes]
//!     type = "array"
//!     items = { type = "string" }
//!     x-merge = "union"
//!     x-pattern = 'CHG\d+'
//!     "#,
//! )?);
//! let text = Cursor::new("CHG1 enlarges the day book.\nCHG2 follows CHG1.\n");
//! let input = Input::from_reader("log.txt", text, Some(InputKind::Text), None)?;
//! let options = PaginateOptions {
//!     prompt: "List all changes".to_owned(),
//!     pagination: agent.pagination.clone(),
//!     max_prompt: TokenCount::new(4000),
//!     max_part: TokenCount::new(3000),
//!     counter: TokenCounter::new(Encoding::Heuristic),
//!     concurrency: 4,
//!     since: 0,
//!     custom: None,
//! };
//! // With a model: `ModelExtractor::new(model, "gpt-4o", Arc::new(AnswerSchema::of(&agent)))`.
//! let patterns = Arc::new(Patterns::new(&agent));
//! let mut run = Paginator::new(Arc::clone(&agent), patterns, options).run(input);
//! while let Some(progress) = run.progress().await {
//!     if let Progress::Answered { part, .. } = progress {
//!         println!("part {part} is answered");
//!     }
//! }
//! let outcome = run.outcome().await?;
//! assert_eq!(outcome.answer["changes"], serde_json::json!(["CHG1", "CHG2"]));
//! # Ok(())
//! # }
//! ```

mod agent;
mod answer_reader;
mod audit;
mod carry;
mod cutter;
mod external_part;
mod extractor;
mod input;
mod jq;
mod location;
mod merge;
mod model_extractor;
mod outcome;
mod paginator;
mod part_text;
mod pattern_extractor;
mod prompt;
mod record_values;
mod run;
mod schema;
mod slice;
mod summary;
mod value_locator;
mod word_index;

pub use agent::{
    Agent, AgentError, AgentModel, AuditPattern, BuiltInAgent, FieldPattern, MAX_AGENT_FILE_SIZE,
    MergeMethod, OnFailure, PagesPerChunk, Pagination, PaginationMode, PartOrder, built_in_agents,
};
pub use external_part::{ExternalPart, gather_part};
pub use extractor::{ExtractError, ExtractedAnswer, Extractor};
pub use input::{Input, InputContent, InputError, InputErrorKind, InputKind, InputUnits};
pub use jq::{JqError, JqProgram};
pub use merge::{
    CustomMerge, DiscardedAnswer, FieldMerge, GatheredAnswers, InputLocation, JoinReason, JoinedItem,
    MergeConflict, MergeRuleError, MergeRules, MergeStrategy, MergedAnswer, PartAnswer, Provenance,
    SummaryTexts, ValueLocator, ValueOrigin,
};
pub use model_extractor::ModelExtractor;
pub use outcome::{
    AuditResult, ExtractionOutcome, FailedPart, MissedText, OutcomeStatus, PartNote, PartTotals, Violation,
};
pub use paginator::{ExtractionEvent, ExtractionPlan, PaginateError, PaginateOptions, Paginator};
pub use pattern_extractor::PatternExtractor;
pub use run::ExtractionRun;
pub use schema::{AnswerSchema, SalvagedAnswer, SchemaError};
pub use slice::{
    InputUnit, RecordEstimate, Slice, SliceBy, SliceError, SliceKind, SliceOptions, Slicer, UnitStart,
    chunk_by_records, chunk_by_tokens, estimate_record_count, is_list_content,
};

#[cfg(test)]
mod parts;

/// The name that is most like a word, for advice.
fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let word = word.to_lowercase();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&word, &name.to_lowercase());
    names.into_iter().min_by(|a, b| likeness(b).total_cmp(&likeness(a))).unwrap_or_default()
}
