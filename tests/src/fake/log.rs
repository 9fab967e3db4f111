//! What a fake has seen and said.

use crate::{PartBlock, SourceBlock};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The kinds of items that a Scribe writes, by where they stand in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnswerItemKind {
    /// `paragraphs`.
    Paragraph,
    /// `called_programs`.
    Call,
    /// `copybooks_used`.
    Copy,
    /// `sql_operations`.
    Sql,
    /// `cics_operations`.
    Cics,
    /// `business_rules`.
    Rule,
    /// `error_handling`.
    Error,
    /// `data_flow.reads_from`.
    Read,
    /// `data_flow.writes_to`.
    Write,
    /// `data_flow.transforms`.
    Transform,
}

impl AnswerItemKind {
    /// All of them, in the order of a document.
    pub const ALL: [Self; 10] = [
        Self::Paragraph,
        Self::Call,
        Self::Copy,
        Self::Sql,
        Self::Cics,
        Self::Rule,
        Self::Error,
        Self::Read,
        Self::Write,
        Self::Transform,
    ];

    /// Its list in an answer and in a document, as a JSON pointer.
    pub fn pointer(self) -> &'static str {
        match self {
            Self::Paragraph => "/paragraphs",
            Self::Call => "/called_programs",
            Self::Copy => "/copybooks_used",
            Self::Sql => "/sql_operations",
            Self::Cics => "/cics_operations",
            Self::Rule => "/business_rules",
            Self::Error => "/error_handling",
            Self::Read => "/data_flow/reads_from",
            Self::Write => "/data_flow/writes_to",
            Self::Transform => "/data_flow/transforms",
        }
    }

    /// Whether the parser has a frame for such items.
    pub fn is_framed(self) -> bool {
        matches!(self, Self::Paragraph | Self::Call | Self::Copy | Self::Sql | Self::Cics)
    }
}

impl fmt::Display for AnswerItemKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, last) = self.pointer().rsplit_once('/').unwrap_or_default();
        out.pad(last)
    }
}

/// An item of an answer, known again by a word in its text that stands nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce {
    /// The word.
    pub text: String,
    /// What it was written of.
    pub kind: AnswerItemKind,
    /// The name of the item, as it was written.
    pub name: String,
    /// The file of the source block it was seen in.
    pub file: String,
    /// The word of that block.
    pub block: String,
    /// The row of the block where it begins, from 1.
    pub row: usize,
}

/// What a call asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPurpose {
    /// The documentation of a source block.
    Documentation,
    /// The overview of a program, from what was written about its parts.
    Overview,
    /// What a business function or a system is for.
    Estate,
    /// What a part of an input has of what is asked for.
    Extraction,
    /// One text for the texts of several parts.
    Summary,
    /// What breaks the contract.
    Unknown,
}

/// One call, and what came of it.
#[derive(Debug, Clone)]
pub struct FakeCall {
    /// What it asked for.
    pub purpose: CallPurpose,
    /// The file in the source block's header, decoded; empty without a block.
    pub file: String,
    /// `k` and `n` of the header's `chunk=k/n` or `part=k/n`; 0 where it does not say.
    pub chunk: (usize, usize),
    /// The word of its source block, or of its part.
    pub block: Option<String>,
    /// The tokens of its prompt; zero when they are not counted.
    pub prompt_tokens: u64,
    /// Those of them that came from a cache.
    pub cached_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
    /// The status it was given; none when the connection was closed.
    pub status: Option<u16>,
    /// The `finish_reason` it was given.
    pub finish_reason: Option<String>,
    /// The most tokens that it asked for.
    pub max_tokens: Option<u64>,
    /// Its headers, without the key.
    pub headers: BTreeMap<String, String>,
    /// Whether it had a key.
    pub had_key: bool,
    /// When it came, from the start of the fake.
    pub arrived: Duration,
    /// What went wrong on purpose.
    pub fault: Option<String>,
    /// What it sent.
    pub body: Arc<Value>,
    /// What it shows, where it asks about a part of an input.
    pub part: Option<Arc<PartBlock>>,
    /// The batch that it came in.
    pub batch: Option<String>,
}

/// All calls of a fake, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub struct FakeLog {
    /// The calls.
    pub calls: Vec<FakeCall>,
    /// The source blocks by file and word.
    pub blocks: HashMap<(String, String), SourceBlock>,
    /// The items of every whole answer, each once, in the order of the answers.
    pub nonces: Vec<Nonce>,
    /// What broke the contract, with the number of the call.
    pub violations: Vec<String>,
    /// Prompts over the budget, with the number of the call.
    pub over_budget: Vec<String>,
    /// The most calls that were open at a time.
    pub most_open: usize,
}

impl FakeLog {
    /// The tokens of all prompts that got a status of 200.
    pub fn prompt_tokens(&self) -> u64 {
        self.answered().map(|call| call.prompt_tokens).sum()
    }

    /// The tokens of all answers.
    pub fn completion_tokens(&self) -> u64 {
        self.answered().map(|call| call.completion_tokens).sum()
    }

    /// The calls that were given a status of 200.
    pub fn answered(&self) -> impl Iterator<Item = &FakeCall> {
        self.calls.iter().filter(|call| call.status == Some(200))
    }
}
