//! The whole way from an input to one answer.

use crate::agent::{Agent, Pagination};
use crate::extractor::Extractor;
use crate::input::{Input, InputError};
use crate::outcome::Outcome;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::Stopped;
use war_rig_merger::CustomMerge;

/// How an input is asked about.
#[derive(Clone)]
pub struct PaginateOptions {
    /// What is wanted of the input, in the user's words.
    pub prompt: String,
    /// How it is divided and put together: the agent's own way, with what the user has said over it.
    pub pagination: Pagination,
    /// The most tokens of a prompt, all its parts counted.
    pub max_prompt: TokenCount,
    /// The most tokens of the input in a prompt: [`war_rig_estimator::optimal_chunk_size`] for a model.
    pub max_part: TokenCount,
    /// How tokens are counted.
    pub counter: TokenCounter,
    /// Parts asked about at a time.
    pub concurrency: usize,
    /// What runs the agent's program, where answers are merged by one.
    pub custom: Option<Arc<dyn CustomMerge>>,
}

/// An agent, who answers it, and how it is asked.
pub struct Paginator<E> {
    agent: Arc<Agent>,
    extractor: Arc<E>,
    options: PaginateOptions,
}

/// What a run would do: no call is made for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The parts, in order.
    pub parts: u64,
    /// Records or pages; 0 for text.
    pub units: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// The most that one may have.
    pub max_prompt_tokens: u64,
    /// The tokens of the input itself in them, what is shown twice included.
    pub input_tokens: u64,
    /// What cannot be asked about, and why: records that are too large.
    pub failed: Vec<crate::FailedPart>,
    /// What the user should know of the input.
    pub notes: Vec<String>,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A part was cut from the input, and is asked about next.
    Cut {
        /// Parts cut so far.
        parts: u64,
        /// All there are, once that is known.
        total: Option<u64>,
        /// Bytes of the input read so far.
        bytes: u64,
    },
    /// A part has its answer.
    Answered {
        /// The part, one-based.
        part: u64,
        /// Parts answered so far.
        answered: u64,
    },
    /// A part has none.
    Failed {
        /// The part, one-based.
        part: u64,
        /// Why.
        reason: String,
    },
    /// A part is asked about in two halves, because its answer or itself was too long.
    Split {
        /// The part, one-based.
        part: u64,
    },
    /// Texts are summed up.
    Summing {
        /// How many there are.
        texts: u64,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PaginateError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Nothing fits beside the question: the least that a prompt must be allowed.
    #[error("the question and the schema take {fixed} tokens of {limit}, which leaves no room for an input")]
    NoRoom {
        /// What is said beside the input.
        fixed: TokenCount,
        /// What a prompt may have.
        limit: TokenCount,
    },
    /// The input does not fit into one prompt, and is not to be divided.
    #[error("the input does not fit into one prompt of {limit} tokens, and is not to be divided")]
    TooLarge {
        /// What a prompt may have.
        limit: TokenCount,
    },
    /// The input is empty.
    #[error("{0}: there is nothing in it")]
    Empty(String),
    /// A part has no answer, and an answer without it is not wanted.
    #[error("part {part}: {reason}")]
    Part {
        /// The part, one-based.
        part: u64,
        /// Why.
        reason: String,
    },
    /// No further call is made.
    #[error(transparent)]
    Stopped(Stopped),
    /// The program that merges answers failed.
    #[error("the merge program: {0}")]
    Program(String),
}

/// A run under way. Dropping it ends it.
pub struct Run {}

impl<E: Extractor + 'static> Paginator<E> {
    /// Puts an agent, who answers, and the options together.
    pub fn new(agent: Arc<Agent>, extractor: Arc<E>, options: PaginateOptions) -> Self {
        Self { agent, extractor, options }
    }

    /// What a run would do. Reads the whole input.
    ///
    /// # Errors
    /// [`PaginateError`] as a run, but for what calls bring.
    pub fn plan(&self, _input: Input) -> Result<Plan, PaginateError> {
        let _ = (&self.agent, &self.extractor, &self.options);
        todo!()
    }

    /// Begins a run; it goes on in tasks of the current Tokio runtime.
    pub fn run(self, _input: Input) -> Run {
        todo!()
    }
}

impl Run {
    /// What happened next; none when all is done.
    pub async fn progress(&mut self) -> Option<Progress> {
        todo!()
    }

    /// What the run came to. Waits for its end.
    ///
    /// # Errors
    /// [`PaginateError`].
    pub async fn outcome(self) -> Result<Outcome, PaginateError> {
        todo!()
    }
}
