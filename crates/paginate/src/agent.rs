//! Agents: what is asked of an input, and what an answer looks like.

mod built_in;
mod parse;
mod schema_keywords;
mod spanned_value;

pub use built_in::{BuiltInAgent, built_in_agents};

use crate::merge::{MergeRules, MergeStrategy};
use serde_json::Value;
use spanned_value::SpannedValue;
use std::num::NonZeroU64;

/// What an agent asks, and how.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its name: lower case letters, digits and hyphens.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// What a model is told first.
    pub system: String,
    /// The JSON schema of an answer as its author wrote it, with the rules of the merge in it. An object.
    pub schema: Value,
    /// The model that it is made for; none for the one of the settings.
    pub model: Option<AgentModel>,
    /// How inputs are sliced and answers merged, where nobody says otherwise.
    pub pagination: Pagination,
    /// What must not be missed.
    pub audit: Vec<AuditPattern>,
    /// What finds items without a model; empty where an agent needs one.
    pub patterns: Vec<FieldPattern>,
    /// The rules of the merge, read from the schema.
    pub rules: MergeRules,
}

/// The most bytes that an agent's file may have.
pub const MAX_AGENT_FILE_SIZE: usize = 1_000_000;

/// A mistake in an agent's file. Whoever knows the file's name puts it in front: `agents/x.toml:12: ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AgentError {
    /// The line, one-based; none where the file as a whole is meant.
    pub line: Option<usize>,
    /// The key, with those around it: `pagination.chunk_size`, `schema.properties.items`. Empty where there is none.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
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
    /// Reads an agent's file in TOML.
    ///
    /// # Errors
    /// [`AgentError`] for the first mistake: text that is no TOML, an unknown key, a value that cannot be, a schema that is none, rules and patterns that do not fit it.
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
        // A string of several lines begins on the line after its quotes where nothing stands behind these.
        let lines: Vec<&str> = text.lines().collect();
        let schema_text = |said: &SpannedValue| {
            let opening = lines.get(said.line.saturating_sub(1)).map_or("", |line| line.trim_end());
            said.line + usize::from(opening.ends_with("'''") || opening.ends_with("\"\"\""))
        };
        parse::agent(&said, schema_text)
    }

    /// Reads an agent's file in JSON, of the same shape.
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

/// What an agent says of its model.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentModel {
    /// The name that the provider knows it by.
    pub name: String,
    /// The tokens of a prompt and its answer together, where the registry does not know the model.
    pub context_window: Option<NonZeroU64>,
    /// The most tokens of an answer.
    pub max_completion_tokens: Option<NonZeroU64>,
}

/// How an input is divided, asked about and put together.
#[derive(Debug, Clone, PartialEq)]
pub struct Pagination {
    /// Whether an input is divided.
    pub paginate: PaginationMode,
    /// The most tokens of text or records of a list in a part; none for as many as fit.
    pub chunk_size: Option<NonZeroU64>,
    /// The most records in a part, whatever fits.
    pub max_records: Option<NonZeroU64>,
    /// What of a part the next one is shown again: tokens of text, records of a list, characters of pages. None for what the way of slicing has by itself:
    /// nothing of text and records, 500 characters of pages.
    pub overlap: Option<u64>,
    /// Pages in a part.
    pub pages_per_chunk: PagesPerChunk,
    /// Whether parts are asked about one after the other.
    pub order: PartOrder,
    /// Whether each part is told what the parts before it came to; asks one after the other.
    pub carry: bool,
    /// Whether each part is told which one it is.
    pub include_chunk_metadata: bool,
    /// How answers are put together.
    pub merge: MergeMethod,
    /// What becomes of an answer of which a part is missing.
    pub on_failure: OnFailure,
}

/// Whether an input is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PaginationMode {
    /// Where it does not fit into one prompt; and paged inputs, page by page.
    #[default]
    Auto,
    /// Always, as finely as sizes say.
    Always,
    /// Never: what does not fit is refused.
    Never,
}

/// How many pages a part has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagesPerChunk {
    /// So many.
    Count(NonZeroU64),
    /// As many as fit.
    Auto,
}

/// In which order parts are asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartOrder {
    /// As many at a time as the provider may be asked.
    #[default]
    Parallel,
    /// One after the other.
    Sequential,
}

/// How answers are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeMethod {
    /// By the rules of the schema, and this strategy elsewhere.
    Strategy(MergeStrategy),
    /// By a program in the language of jq, over the list of answers.
    Program(String),
}

/// What becomes of an answer of which a part is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// There is none, and no further part is asked about.
    #[default]
    Fail,
    /// It is given, and says what is missing.
    Partial,
}

/// What must not be missed.
#[derive(Debug, Clone)]
pub struct AuditPattern {
    /// What is looked for, such as `PBI`.
    pub name: String,
    /// What finds it in the input. The first group is what counts, or the whole match.
    pub pattern: regex::Regex,
    /// Where the answer must have it: a JSON pointer in which `*` stands for each item, such as `/items/*/id`. Anywhere, where there is none.
    pub path: Option<String>,
}

/// What the embedded extractor does for a field: `x-pattern` in its schema.
#[derive(Debug, Clone)]
pub struct FieldPattern {
    /// A JSON pointer to a list of the answer.
    pub path: String,
    /// What finds an item. Named groups are the fields of the item; for a list of strings the first group, or the whole match.
    pub pattern: regex::Regex,
}

impl Default for Pagination {
    /// What an agent's file that says nothing of it has.
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
