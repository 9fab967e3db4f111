//! Agents: the question for an input, and the schema of the answer.

mod built_in;
mod parse;
mod schema_keywords;
mod spanned_value;

pub use built_in::{BuiltInAgent, built_in_agents};

use crate::merge::MergeStrategy;
use serde_json::Value;
use spanned_value::SpannedValue;
use std::num::NonZeroU64;

/// An agent's question and its settings.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its name: lower case letters, digits and hyphens.
    pub name: String,
    /// Its purpose, on one line.
    pub description: String,
    /// The system message.
    pub system: String,
    /// The JSON schema of an answer as its author wrote it, including the merge rules. An object.
    pub schema: Value,
    /// The agent's model; none to use the configured one.
    pub model: Option<AgentModel>,
    /// The defaults for slicing inputs and merging answers.
    pub pagination: Pagination,
    /// Patterns whose matches an answer must not miss.
    pub audit: Vec<AuditPattern>,
    /// Patterns that find items without a model; empty for an agent that needs one.
    pub patterns: Vec<FieldPattern>,
}

/// The maximum bytes of an agent's file.
pub const MAX_AGENT_FILE_SIZE: usize = 1_000_000;

/// An error in an agent's file. The caller, who knows the file's name, prepends it: `agents/x.toml:12: ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AgentError {
    /// The line, one-based; none for an error of the whole file.
    pub line: Option<usize>,
    /// The path of the key: `pagination.chunk_size`, `schema.properties.items`. Empty if there is none.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Advice on what to write instead.
    pub hint: Option<String>,
}

impl AgentError {
    fn at(line: usize, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { line: Some(line), path: path.into(), message: message.into(), hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl Agent {
    /// Parses an agent's file in TOML.
    ///
    /// # Errors
    /// [`AgentError`] for the first error: invalid TOML or values, an unknown key, an invalid schema, or rules and patterns that do not fit it.
    ///
    /// # Example
    /// ```
    /// use war_rig_paginate::Agent;
    ///
    /// let mistake = Agent::from_toml("name = \"ids\"\nsytem = \"You list ids.\"\n").unwrap_err();
    /// assert_eq!(mistake.line, Some(2));
    /// assert_eq!(mistake.to_string(), "unknown key `sytem`");
    /// assert_eq!(mistake.hint.as_deref(), Some("did you mean `system`?"));
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, AgentError> {
        let text = within_limit(text)?;
        let said = spanned_value::toml(text)?;
        // A multi-line string begins on the line after its quotes if nothing follows them.
        let lines: Vec<&str> = text.lines().collect();
        let schema_text = |said: &SpannedValue| {
            let opening = lines.get(said.line.saturating_sub(1)).map_or("", |line| line.trim_end());
            said.line + usize::from(opening.ends_with("'''") || opening.ends_with("\"\"\""))
        };
        parse::agent(&said, schema_text)
    }

    /// Parses an agent's file in JSON, with the same keys.
    ///
    /// # Errors
    /// As [`Agent::from_toml`].
    pub fn from_json(text: &str) -> Result<Self, AgentError> {
        let said = spanned_value::json(within_limit(text)?, 1)?;
        parse::agent(&said, |said| said.line)
    }
}

fn within_limit(text: &str) -> Result<&str, AgentError> {
    if text.len() <= MAX_AGENT_FILE_SIZE {
        return Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    }
    let message = format!("the file has {} bytes, and an agent may have {MAX_AGENT_FILE_SIZE}", text.len());
    Err(AgentError { line: None, path: String::new(), message, hint: None })
}

/// An agent's model settings.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentModel {
    /// The provider's name for the model.
    pub name: String,
    /// The tokens of a prompt and its answer together, if the registry does not know the model.
    pub context_window: Option<NonZeroU64>,
    /// The maximum tokens of an answer.
    pub max_completion_tokens: Option<NonZeroU64>,
}

/// How an input is divided and its answers are merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Pagination {
    /// Whether the input is divided.
    pub paginate: PaginationMode,
    /// The maximum tokens of text or records in a part; none for as many as fit.
    pub chunk_size: Option<NonZeroU64>,
    /// The maximum records in a part.
    pub max_records: Option<NonZeroU64>,
    /// How much of a part the next one repeats: tokens of text, records of a list, or characters of pages. None for the default: nothing for text and
    /// records, 500 characters for pages.
    pub overlap: Option<u64>,
    /// The pages in a part.
    pub pages_per_chunk: PagesPerChunk,
    /// Whether parts are processed sequentially.
    pub order: PartOrder,
    /// Whether each part's prompt contains the answer so far; implies sequential order.
    pub carry: bool,
    /// Whether each part's prompt contains its number.
    pub include_chunk_metadata: bool,
    /// How answers are merged.
    pub merge: MergeMethod,
    /// What happens if a part has no answer.
    pub on_failure: OnFailure,
}

/// Whether an input is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PaginationMode {
    /// If it does not fit into one prompt; paged inputs page by page.
    #[default]
    Auto,
    /// Always, into the smallest parts that the sizes allow.
    Always,
    /// Never: an input that does not fit is rejected.
    Never,
}

/// The number of pages in a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagesPerChunk {
    /// A fixed number.
    Count(NonZeroU64),
    /// As many as fit.
    Auto,
}

/// The order in which parts are processed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartOrder {
    /// In parallel, as many at a time as the provider allows.
    #[default]
    Parallel,
    /// One after the other.
    Sequential,
}

/// How answers are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeMethod {
    /// By the rules of the schema, and otherwise this strategy.
    Strategy(MergeStrategy),
    /// By a jq program over the list of answers.
    Program(String),
}

/// What happens if a part has no answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// The run fails, and no further part is processed.
    #[default]
    Fail,
    /// The answer is returned, with a list of what is missing.
    Partial,
}

/// A pattern whose matches an answer must not miss.
#[derive(Debug, Clone)]
pub struct AuditPattern {
    /// The name of what it finds, such as `PBI`.
    pub name: String,
    /// The pattern for the input. The first group counts, or else the whole match.
    pub pattern: regex::Regex,
    /// Where the answer must contain a match: a JSON pointer in which `*` matches each item, such as `/items/*/id`. Anywhere if there is none.
    pub path: Option<String>,
}

/// A pattern of the embedded extractor for a field: `x-pattern` in its schema.
#[derive(Debug, Clone)]
pub struct FieldPattern {
    /// A JSON pointer to a list of the answer.
    pub path: String,
    /// The pattern of an item. Named groups are the item's fields; for a list of strings the first group counts, or else the whole match.
    pub pattern: regex::Regex,
}

impl Default for Pagination {
    /// The defaults of an agent's file.
    fn default() -> Self {
        Self {
            paginate: PaginationMode::default(),
            chunk_size: None,
            max_records: None,
            overlap: None,
            pages_per_chunk: PagesPerChunk::Count(NonZeroU64::MIN),
            order: PartOrder::default(),
            carry: false,
            include_chunk_metadata: true,
            merge: MergeMethod::Strategy(MergeStrategy::default()),
            on_failure: OnFailure::default(),
        }
    }
}

#[cfg(test)]
mod tests;
