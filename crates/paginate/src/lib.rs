//! Agents for inputs of any size: a question, an answer schema, and one merged answer that reports what was kept, merged and lost.
//!
//! An [`Input`] is read from front to back and cut into parts that tile it. Each part becomes a prompt within the budget, an [`Extractor`] answers it
//! (a model, or [`PatternExtractor`] without one), and the answers are merged into one [`ExtractionOutcome`]. It contains the location of each value
//! in the input, contradictions between parts, and matches of the agent's patterns that the answer misses.
//!
//! ```
//! use std::io::Cursor;
//! use std::sync::Arc;
//! use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
//! use war_rig_paginate::{Agent, Input, InputKind, PaginateOptions, Paginator, PatternExtractor, ExtractionEvent};
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
//!     counter: TokenCounter::new(TokenizerEncoding::Heuristic),
//!     concurrency: 4,
//!     since: 0,
//!     custom: None,
//! };
//! // With a model: `ModelExtractor::new(model, "gpt-4o", Arc::new(AnswerSchema::of(&agent)))`.
//! let patterns = Arc::new(PatternExtractor::new(&agent));
//! let mut run = Paginator::new(Arc::clone(&agent), patterns, options).run(input);
//! while let Some(progress) = run.next_event().await {
//!     if let ExtractionEvent::Answered { part, .. } = progress {
//!         println!("part {part} is answered");
//!     }
//! }
//! let outcome = run.outcome().await?;
//! assert_eq!(outcome.answer["changes"], serde_json::json!(["CHG1", "CHG2"]));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to begin
//!
//! - How an agent processes a large input: `paginator.rs`, then `run/driver.rs`; the prompt for a part, `prompt.rs`.
//! - How an agent's file is parsed: `agent/parse.rs`; how an answer is validated, `schema.rs`, and how an invalid one is salvaged,
//!   `schema/salvage.rs`.
//! - How inputs other than COBOL are read and cut: `input.rs`; where records begin, `input/record_boundaries.rs`; the text of a PDF page,
//!   `input/pdf/page.rs`; then `slice.rs`.
//! - How the answers of parts are merged: `merge/gathered_answers.rs`: `GatheredAnswers::merge`; which items are duplicates, `merge/item_groups.rs`
//!   and `merge/similarity.rs`.
//! - How a value of an answer is located in the input: `value_locator.rs`.
//! - Extraction without a model, and the audit of missed matches: `pattern_extractor.rs`, `audit.rs`.
//! - How a program of the user merges answers: `jq.rs` and `crates/cli/src/merge_program.rs`.
//!
//! # What always holds
//!
//! **An extraction uses the same path.** `paginate` calls `ModelClient::ask` with `BudgetedPrompt`s, so budget, rate limiter, ledger, call log and cassette
//! apply as they do to documents, and it stores no state of its own. Its parts tile the input byte for byte; overlap, column names and carried
//! answers are context, from which the model must not report. An input is read, cut and counted as prompts are consumed, so memory does not grow with
//! it. A prompt contains the number of parts only if the input ends within the first 4 MB, and a key never does.
//!
//! **A merge identifies parts by number.** The result depends neither on the order in which answers come nor on how they are grouped
//! (`GatheredAnswers::union`). Anything that is not in the merged answer is listed as a conflict, as joined, or as discarded.
//!
//! **A user's program runs in isolation.** Nothing inside the process can limit jq, so a separate process runs it, with an empty environment and
//! limits on memory, time and output.

mod agent;
mod answer_reader;
mod audit;
mod carry;
mod cutter;
mod external_part;
mod extractor;
mod input;
mod jq;
mod json_pointer;
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
    Agent, AgentError, AgentModel, AuditPattern, BuiltInAgent, FieldPattern, MAX_AGENT_FILE_SIZE, MergeMethod,
    OnFailure, PagesPerChunk, Pagination, PaginationMode, PartOrder, built_in_agents,
};
pub use external_part::{ExternalPart, gather_part};
pub use extractor::{ExtractError, ExtractedAnswer, Extractor};
pub use input::{Input, InputContent, InputError, InputErrorKind, InputKind, InputUnits};
pub use jq::{JqError, JqProgram};
pub use merge::{
    CustomMerge, DiscardedAnswer, FieldMerge, GatheredAnswers, InputLocation, JoinReason, JoinedItem, MergeConflict,
    MergeRuleError, MergeRules, MergeStrategy, MergedAnswer, PartAnswer, Provenance, SummaryTexts, ValueLocator,
    ValueOrigin,
};
pub use model_extractor::ModelExtractor;
pub use outcome::{
    AuditResult, ExtractionOutcome, FailedPart, MissedText, OutcomeStatus, PartNote, PartTotals, Violation,
};
pub use paginator::{ExtractionEvent, ExtractionPlan, PaginateError, PaginateOptions, Paginator};
pub use pattern_extractor::PatternExtractor;
pub use run::ExtractionRun;
pub use schema::{AnswerSchema, SalvagedAnswer, SchemaError};
pub use slice::{InputUnit, Slice, SliceBy, SliceError, SliceOptions, Slicer, UnitStart};

#[cfg(test)]
mod parts;

/// Returns the name most similar to a word, for hints.
fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let word = word.to_lowercase();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&word, &name.to_lowercase());
    names.into_iter().min_by(|a, b| likeness(b).total_cmp(&likeness(a))).unwrap_or_default()
}
