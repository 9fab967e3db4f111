//! Agents over inputs of any size: a question, the schema of its answer, and one merged answer that says what it kept, merged and lost.
//!
//! An [`Input`] is read from front to back and cut into parts that tile it. Each part becomes a prompt within the budget, an [`Extractor`] answers it (a model, or
//! [`PatternExtractor`] where there is none), and the answers become one [`ExtractionOutcome`]: with the place of each value in the input, with what parts say differently, and with
//! what the agent's patterns find in the input and the answer does not have.
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
//!     prompt: "ListMatches all changes".to_owned(),
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
//! - How an agent is asked about a large input: `paginator.rs`, then `run/driver.rs`; what a part's prompt
//!   looks like, `prompt.rs`.
//! - How an agent's file is read: `agent/parse.rs`; what an answer is held to, `schema.rs`, and what is
//!   made of a wrong one, `schema/salvage.rs`.
//! - How any other input than COBOL is read and cut: `input.rs`; where records begin,
//!   `input/record_boundaries.rs`; the text of a PDF page, `input/pdf/page.rs`; then `slice.rs`.
//! - How answers of parts become one: `merge/gathered_answers.rs`: `GatheredAnswers::merge`; which items
//!   are one, `merge/item_groups.rs` and `merge/similarity.rs`.
//! - Where a value of an answer stands in the input: `value_locator.rs`.
//! - What is found without a model, and what an answer must not have missed: `pattern_extractor.rs`,
//!   `audit.rs`.
//! - How a program of the user merges answers: `jq.rs` and `crates/cli/src/merge_program.rs`.
//!
//! # What always holds
//!
//! **An extraction goes the same way.** `paginate` asks through `Model::ask` with prompts that are
//! `BudgetedPrompt`s, so budget, gate, ledger, journal and record hold for it as for documents, and it
//! keeps no state of its own. Its parts tile the input byte for byte; overlap, names of columns and what is
//! carried are context, which nobody is to report from. An input is read, cut and counted as prompts are
//! taken, so that memory does not grow with it; the number of parts is told in prompts only where the input
//! ends within the first 4 MB, and is no part of a key.
//!
//! **A merge knows parts by number.** Neither the order in which answers come nor how they are grouped
//! shows (`Gathered::and`). What is not in the merged answer is listed: as a conflict, as joined, or as
//! discarded.
//!
//! **A program of the user runs alone.** What jq does cannot be bounded from inside, so a process of its
//! own runs it, with an empty environment and limits on memory, time and output.

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
