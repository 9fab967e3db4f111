//! The whole way from an input to one answer.

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

/// A page of more characters is split, where it is a part by itself.
const LONGEST_PAGE: usize = 4000;

/// How many characters of what stood before are shown again with pages.
const PAGE_OVERLAP: usize = 500;

/// The share of a prompt that is left for the rows which name pages, where there are several in it.
const PAGE_ROWS_SHARE: u64 = 32;

/// The share of a prompt that is left for what is carried from part to part.
const CARRY_SHARE: u64 = 4;

/// The fewest tokens of an input that a prompt must have room for.
const LEAST_PART: TokenCount = TokenCount::new(200);

/// How an input is asked about.
#[derive(Clone)]
pub struct PaginateOptions {
    /// What is wanted of the input, in the user's words.
    pub prompt: String,
    /// How it is divided and put together: the agent's own way, with what the user has said over it.
    pub pagination: Pagination,
    /// The most tokens of a prompt, all its parts counted.
    pub max_prompt: TokenCount,
    /// The most tokens of the input in a prompt: [`war_rig_llm::optimal_chunk_size`] for a model.
    pub max_part: TokenCount,
    /// How tokens are counted.
    pub counter: TokenCounter,
    /// Parts asked about at a time.
    pub concurrency: usize,
    /// The place in the journal behind which answers count; 0 is before all.
    pub since: u64,
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
    /// The most that one may have.
    pub max_prompt_tokens: u64,
    /// The tokens of the input itself in them, what is shown twice included.
    pub input_tokens: u64,
    /// What cannot be asked about, and why: records that are too large.
    pub failed: Vec<FailedPart>,
    /// What the user should know of the input.
    pub notes: Vec<String>,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtractionEvent {
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
    Summarizing {
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
    /// There is nothing to ask about, in words: the input is empty, or none of its pages has text.
    #[error("{0}")]
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
    Stopped(StopError),
    /// Texts of parts do not come to one.
    #[error("{0}")]
    Summary(String),
    /// The program that merges answers failed.
    #[error("the merge program: {0}")]
    Program(String),
}

impl<E: Extractor + 'static> Paginator<E> {
    /// Puts an agent, who answers, and the options together.
    pub fn new(agent: Arc<Agent>, extractor: Arc<E>, options: PaginateOptions) -> Self {
        Self { agent, extractor, options }
    }

    /// What a run would do. Reads the whole input, and asks nobody.
    ///
    /// # Errors
    /// [`PaginateError`] as a run, but for what calls bring.
    pub fn plan(&self, input: Input) -> Result<ExtractionPlan, PaginateError> {
        let (empty, content) = (empty(&input), input.content());
        let mut way = InputPipeline::new(&self.agent, &self.options, input)?;
        let mut plan =
            ExtractionPlan { max_prompt_tokens: self.options.max_prompt.get(), ..ExtractionPlan::default() };
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
            false => Ok(ExtractionPlan {
                units: if content == InputContent::Text { 0 } else { plan.units },
                ..plan
            }),
        }
    }

    /// Begins a run; it goes on in tasks of the current Tokio runtime.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn run(self, input: Input) -> ExtractionRun {
        ExtractionRun::begin(self.agent, self.extractor, self.options, input)
    }
}

impl PaginateOptions {
    /// Whether parts are told what those before them came to.
    pub(crate) fn carries(&self) -> bool {
        self.pagination.carry
    }

    /// Parts asked about at a time.
    pub(crate) fn width(&self) -> usize {
        match self.pagination.order {
            PartOrder::Parallel if !self.carries() => self.concurrency.max(1),
            PartOrder::Parallel | PartOrder::Sequential => 1,
        }
    }
}

/// What is said of an input that has nothing to ask about.
pub(crate) fn empty(input: &Input) -> PaginateError {
    let name = input.name();
    PaginateError::Empty(match input.pages() {
        Some(pages) => {
            format!("{name}: none of its pages ({pages}) has text; pages that were scanned have none")
        }
        None => format!("{name}: there is nothing in it"),
    })
}

/// The last record or page of a slice; 0 for text.
pub(crate) fn units(slice: &Slice) -> u64 {
    slice.marks.last().map_or(0, |mark| mark.number)
}

/// The tokens of a prompt that are left for what is carried.
pub(crate) fn carry_room(options: &PaginateOptions) -> TokenCount {
    TokenCount::new(options.max_prompt.get() / CARRY_SHARE)
}

/// An input on its way to prompts.
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
        let frame =
            PartPromptRenderer::new(&agent.system, &schema, &options.prompt, of, &options.counter, limits);
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

/// The tokens of the input that a prompt may have.
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
            let overlap =
                overlap.map_or(PAGE_OVERLAP, |overlap| usize::try_from(overlap).unwrap_or(usize::MAX));
            let longest = if never { usize::MAX } else { LONGEST_PAGE };
            let of_pages = tokens(size);
            // The rows that name pages come on top of their text.
            let max_tokens = match each {
                Some(1) => of_pages,
                _ => TokenCount::new(of_pages.get() - of_pages.get() / PAGE_ROWS_SHARE),
            };
            SliceOptions { by: SliceBy::Pages { each, longest, overlap }, max_tokens }
        }
    }
}
