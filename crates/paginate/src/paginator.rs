//! The whole process from an input to one answer.

use crate::agent::{Agent, OnFailure, PagesPerChunk, Pagination, PaginationMode, PartOrder};
use crate::cutter::{CutResult, PartCutter};
use crate::extractor::Extractor;
use crate::input::{Input, InputContent, InputError};
use crate::merge::CustomMerge;
use crate::outcome::FailedPart;
use crate::prompt::PartPromptRenderer;
use crate::run::ExtractionRun;
use crate::schema::AnswerSchema;
use crate::slice::{Slice, SliceBy, SliceOptions};
use std::num::NonZeroU64;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::StopError;

/// A page with more characters is split, if it is a part by itself.
const LONGEST_PAGE: usize = 4000;

/// The characters of overlap between pages.
const PAGE_OVERLAP: usize = 500;

/// The share of a prompt reserved for the rows that name pages, if it has several.
const PAGE_ROWS_SHARE: u64 = 32;

/// The share of a prompt reserved for the carried answer.
const CARRY_SHARE: u64 = 4;

/// The minimum tokens of input that a prompt must have room for.
const LEAST_PART: TokenCount = TokenCount::new(200);

/// The options of a run.
#[derive(Clone)]
pub struct PaginateOptions {
    /// The user's question about the input.
    pub prompt: String,
    /// How the input is divided and merged: the agent's settings, overridden by the user's.
    pub pagination: Pagination,
    /// The maximum tokens of a prompt, all its parts counted.
    pub max_prompt: TokenCount,
    /// The maximum tokens of input in a prompt: [`war_rig_llm::optimal_chunk_size`] for a model.
    pub max_part: TokenCount,
    /// The token counter.
    pub counter: TokenCounter,
    /// The number of parts processed at a time.
    pub concurrency: usize,
    /// The position in the call log after which answers count; 0 is before all.
    pub since: u64,
    /// Runs the agent's merge program, if it has one.
    pub custom: Option<Arc<dyn CustomMerge>>,
}

/// An agent with its extractor and options.
pub struct Paginator<E> {
    agent: Arc<Agent>,
    extractor: Arc<E>,
    options: PaginateOptions,
}

/// The plan of a run, made without any call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractionPlan {
    /// The parts, in order.
    pub parts: u64,
    /// Records or pages; 0 for text.
    pub units: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// The maximum tokens of a prompt.
    pub max_prompt_tokens: u64,
    /// The tokens of the input in them, overlaps included.
    pub input_tokens: u64,
    /// What cannot be processed, and why: oversized records.
    pub failed: Vec<FailedPart>,
    /// Notes for the user about the input.
    pub notes: Vec<String>,
}

/// A progress event of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtractionEvent {
    /// A part was cut from the input, and is processed next.
    Cut {
        /// Parts cut so far.
        parts: u64,
        /// The total number of parts, once it is known.
        total: Option<u64>,
        /// Bytes of the input read so far.
        bytes: u64,
    },
    /// A part was answered.
    Answered {
        /// The part, one-based.
        part: u64,
        /// Parts answered so far.
        answered: u64,
    },
    /// A part failed.
    Failed {
        /// The part, one-based.
        part: u64,
        /// The reason.
        reason: String,
    },
    /// A part was divided in two, because it or its answer was too long.
    Split {
        /// The part, one-based.
        part: u64,
    },
    /// Texts are being summarized.
    Summarizing {
        /// The number of texts.
        texts: u64,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PaginateError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The question leaves no room for an input.
    #[error("the question and the schema take {fixed} tokens of {limit}, which leaves no room for an input")]
    NoRoom {
        /// The tokens of everything but the input.
        fixed: TokenCount,
        /// The maximum tokens of a prompt.
        limit: TokenCount,
    },
    /// The input does not fit into one prompt, and must not be divided.
    #[error("the input does not fit into one prompt of {limit} tokens, and is not to be divided")]
    TooLarge {
        /// The maximum tokens of a prompt.
        limit: TokenCount,
    },
    /// The input has no content, in words: it is empty, or none of its pages has text.
    #[error("{0}")]
    Empty(String),
    /// A part has no answer, and a partial result is not allowed.
    #[error("part {part}: {reason}")]
    Part {
        /// The part, one-based.
        part: u64,
        /// The reason.
        reason: String,
    },
    /// No further call is made.
    #[error(transparent)]
    Stopped(StopError),
    /// The texts of parts could not be summarized.
    #[error("{0}")]
    Summary(String),
    /// The program that merges answers failed.
    #[error("the merge program: {0}")]
    Program(String),
}

impl<E: Extractor + 'static> Paginator<E> {
    /// Creates a paginator.
    pub fn new(agent: Arc<Agent>, extractor: Arc<E>, options: PaginateOptions) -> Self {
        Self { agent, extractor, options }
    }

    /// Plans a run. Reads the whole input, and makes no call.
    ///
    /// # Errors
    /// [`PaginateError`] as for a run, except for call errors.
    pub fn plan(&self, input: Input) -> Result<ExtractionPlan, PaginateError> {
        let (empty, content) = (empty(&input), input.content());
        let mut way = InputPipeline::new(&self.agent, &self.options, input)?;
        let mut plan = ExtractionPlan { max_prompt_tokens: self.options.max_prompt.get(), ..ExtractionPlan::default() };
        let mut input_tokens = 0;
        for cut in &mut way.cutter {
            match cut {
                CutResult::Part(part, prompt) => {
                    let tokens = prompt.tokens().get();
                    plan.parts += 1;
                    plan.units = plan.units.max(units(&part.slice));
                    plan.prompt_tokens += tokens;
                    plan.largest_prompt_tokens = plan.largest_prompt_tokens.max(tokens);
                    input_tokens += part.slice.tokens.get();
                }
                CutResult::Failed(failed) => plan.failed.push(failed),
                CutResult::Broken(error) if self.options.pagination.on_failure == OnFailure::Fail => {
                    return Err(error.into());
                }
                CutResult::Broken(error) => plan.failed.push(FailedPart {
                    part: plan.parts + plan.failed.len() as u64 + 1,
                    place: error.kind.place(),
                    reason: error.to_string(),
                }),
            }
        }
        plan.input_tokens = input_tokens;
        plan.notes = way.cutter.notes();
        if self.options.carries() {
            plan.notes.push(format!(
                "what is carried from part to part comes on top: at most {} tokens in a prompt",
                carry_room(&self.options)
            ));
        }
        match plan.parts == 0 && plan.failed.is_empty() {
            true => Err(empty),
            false => Ok(ExtractionPlan { units: if content == InputContent::Text { 0 } else { plan.units }, ..plan }),
        }
    }

    /// Starts a run in tasks of the current Tokio runtime.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn run(self, input: Input) -> ExtractionRun {
        ExtractionRun::begin(self.agent, self.extractor, self.options, input)
    }
}

impl PaginateOptions {
    /// Whether each part's prompt contains the answer so far.
    pub(crate) fn carries(&self) -> bool {
        self.pagination.carry
    }

    /// Returns the number of parts processed at a time.
    pub(crate) fn width(&self) -> usize {
        match self.pagination.order {
            PartOrder::Parallel if !self.carries() => self.concurrency.max(1),
            PartOrder::Parallel | PartOrder::Sequential => 1,
        }
    }
}

/// Creates the error for an input without content.
pub(crate) fn empty(input: &Input) -> PaginateError {
    let name = input.name();
    PaginateError::Empty(match input.pages() {
        Some(pages) => {
            format!("{name}: none of its pages ({pages}) has text; pages that were scanned have none")
        }
        None => format!("{name}: there is nothing in it"),
    })
}

/// Returns the last record or page of a slice; 0 for text.
pub(crate) fn units(slice: &Slice) -> u64 {
    slice.marks.last().map_or(0, |mark| mark.number)
}

/// Returns the tokens of a prompt reserved for the carried answer.
pub(crate) fn carry_room(options: &PaginateOptions) -> TokenCount {
    TokenCount::new(options.max_prompt.get() / CARRY_SHARE)
}

/// The pipeline from an input to prompts.
pub(crate) struct InputPipeline {
    pub(crate) schema: AnswerSchema,
    pub(crate) frame: PartPromptRenderer,
    pub(crate) cutter: PartCutter,
}

impl InputPipeline {
    pub(crate) fn new(agent: &Agent, options: &PaginateOptions, input: Input) -> Result<Self, PaginateError> {
        let (name, content) = (input.name().to_owned(), input.content());
        let schema = AnswerSchema::for_agent(agent);
        let of = (name.as_str(), content);
        let limits = (options.max_prompt, options.since);
        let frame = PartPromptRenderer::new(&agent.system, &schema, &options.prompt, of, &options.counter, limits);
        let room = room(options, frame.fixed())?;
        let slicing = slicing(&options.pagination, content, room);
        let tells = options.pagination.include_chunk_metadata;
        let tells_one = options.pagination.paginate == PaginationMode::Always;
        let cutter = PartCutter::new(input, slicing, frame.clone(), &options.counter, (tells, tells_one));
        let is_one = cutter.total().is_some_and(|total| total <= 1);
        if options.pagination.paginate == PaginationMode::Never && !is_one {
            return Err(PaginateError::TooLarge { limit: options.max_prompt });
        }
        Ok(Self { schema, frame, cutter })
    }
}

/// Returns the tokens of input that a prompt may have.
fn room(options: &PaginateOptions, fixed: TokenCount) -> Result<TokenCount, PaginateError> {
    let carried = if options.carries() { carry_room(options) } else { TokenCount::ZERO };
    let limit = options.max_prompt;
    match limit.checked_sub(fixed + carried).filter(|room| *room >= LEAST_PART) {
        Some(room) => Ok(room.min(options.max_part)),
        None => Err(PaginateError::NoRoom { fixed: fixed + carried + LEAST_PART, limit }),
    }
}

fn slicing(pagination: &Pagination, content: InputContent, room: TokenCount) -> SliceOptions {
    let never = pagination.paginate == PaginationMode::Never;
    let size = pagination.chunk_size.filter(|_| !never).map(NonZeroU64::get);
    let overlap = if never { Some(0) } else { pagination.overlap };
    let tokens = |size: Option<u64>| size.map_or(room, |size| room.min(TokenCount::new(size)));
    match content {
        InputContent::Text => SliceOptions {
            by: SliceBy::Tokens { overlap: TokenCount::new(overlap.unwrap_or(0)) },
            max_tokens: tokens(size),
        },
        InputContent::Records => {
            let most = pagination.max_records.filter(|_| !never).map(NonZeroU64::get);
            let most = [size, most].into_iter().flatten().min();
            SliceOptions { by: SliceBy::Records { most, overlap: overlap.unwrap_or(0) }, max_tokens: room }
        }
        InputContent::Pages => {
            let each = match pagination.pages_per_chunk {
                PagesPerChunk::Count(count) if !never => Some(count.get()),
                PagesPerChunk::Count(_) | PagesPerChunk::Auto => None,
            };
            let overlap = overlap.map_or(PAGE_OVERLAP, |overlap| usize::try_from(overlap).unwrap_or(usize::MAX));
            let longest = if never { usize::MAX } else { LONGEST_PAGE };
            let of_pages = tokens(size);
            // The rows that name pages are added to the text.
            let max_tokens = match each {
                Some(1) => of_pages,
                _ => TokenCount::new(of_pages.get() - of_pages.get() / PAGE_ROWS_SHARE),
            };
            SliceOptions { by: SliceBy::Pages { each, longest, overlap }, max_tokens }
        }
    }
}
