//! Routing: direct if one prompt can contain the file, otherwise chunked.

use crate::load::ParsedSource;
use serde::Serialize;
use war_rig_chunker::{
    ChunkContext, ChunkLimits, CodeChunk, ContextIndex, ContextLimit, SourceMeasure, chunk_with_borders,
    chunk_with_reserve, needs_chunking, subdivide_chunk,
};
use war_rig_cobol::comments::head_comment;
use war_rig_estimator::{PromptBudget, TokenCount};
use war_rig_llm::ContextOverflow;
use war_rig_scribe::PromptRenderer;
use war_rig_text::LineRange;

/// How a file goes to the Scribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// Whole, in one prompt.
    Direct,
    /// In parts.
    Chunked,
}

/// A chunk and the size of its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedChunk {
    /// The chunk.
    pub chunk: CodeChunk,
    /// What its prompt includes about the rest of the file and about copybooks.
    pub context: ChunkContext,
    /// Which part of the file it is, as stated in its prompt.
    pub position: ChunkPosition,
    /// The exact tokens of its prompt: all messages and the schema.
    pub prompt_tokens: TokenCount,
}

/// Which part of a file a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkPosition {
    /// Its index among the chunks of the plan, from 0.
    pub index: usize,
    /// How many chunks the plan has.
    pub total: usize,
}

/// Why a chunk has to be smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// Its answer exceeded the answer limit.
    Answer,
    /// Its prompt exceeded the model's window.
    Prompt(ContextOverflow),
}

/// What a run will do with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlan {
    /// Direct or chunked.
    pub route: Route,
    /// Why, with the numbers that decided.
    pub reason: String,
    /// The tokens of the file shown as one block.
    pub source_tokens: TokenCount,
    /// The tokens of source that fit in one prompt.
    pub source_share: TokenCount,
    /// The expected tokens of all answers together.
    pub answer_tokens: TokenCount,
    /// The fewest calls that could document the file.
    pub ideal_calls: u64,
    /// The chunks, in order, tiling the file.
    pub chunks: Vec<PlannedChunk>,
    /// The most tokens of the prompt of its overview; `None` if none is written. The exact number depends on the answers.
    pub overview_prompt: Option<TokenCount>,
}

impl SourcePlan {
    /// Returns the number of calls: one for each chunk that fits, and one for the overview of several.
    pub fn calls(&self) -> u64 {
        self.chunks.iter().filter(|planned| planned.chunk.fits).count() as u64 + self.overview_calls()
    }

    /// Returns the number of calls for its overview: one or none.
    pub fn overview_calls(&self) -> u64 {
        u64::from(self.overview_prompt.is_some())
    }

    /// Returns the tokens of the prompts of its chunks.
    pub fn prompt_tokens(&self) -> TokenCount {
        self.chunks.iter().filter(|planned| planned.chunk.fits).map(|planned| planned.prompt_tokens).sum()
    }

    /// Returns the tokens of its largest prompt.
    pub fn largest_prompt(&self) -> TokenCount {
        let prompts = self.chunks.iter().filter(|planned| planned.chunk.fits).map(|planned| planned.prompt_tokens);
        prompts.max().unwrap_or_default()
    }
}

/// The fewest tokens of source that justify a prompt of their own.
const LEAST_SHARE: u64 = 100;

/// Returns the limit for the next prompt after a prompt of `sent` tokens with an answer limit of `answer` overflowed, in our tokens.
fn smaller_prompt(sent: TokenCount, answer: TokenCount, overflow: ContextOverflow) -> TokenCount {
    let half = sent.get() / 2;
    // A tenth is left for what servers add.
    let most_of = |tokens: u64| tokens - tokens / 10;
    let of_ours = |window: u64, counted: u64| sent.get().saturating_mul(window) / counted.max(1);
    TokenCount::new(match (overflow.window, overflow.counted) {
        (Some(window), Some(counted)) if counted > window => most_of(of_ours(window, counted)),
        // The prompt alone was not too long, so the answer takes the room.
        (Some(window), Some(counted)) => {
            let beside = of_ours(window, counted).saturating_sub(answer.get());
            if beside > 0 { half.max(most_of(beside)).min(most_of(sent.get())) } else { half }
        }
        (Some(window), None) => half.min(most_of(window)),
        (None, _) => half,
    })
}

/// Plans files under one budget.
#[derive(Debug, Clone)]
pub struct Planner {
    frame: PromptRenderer,
    budget: PromptBudget,
    /// The most tokens of an overview's prompt; `None` if no overviews are written.
    overview: Option<TokenCount>,
}

impl Planner {
    /// Creates a planner for prompts of this frame within this budget.
    pub fn new(frame: PromptRenderer, budget: PromptBudget) -> Self {
        Self { frame, budget, overview: None }
    }

    /// Also plans the overviews of files with several chunks, in prompts of at most this many tokens.
    pub fn with_overviews(self, max_prompt: TokenCount) -> Self {
        Self { overview: Some(max_prompt), ..self }
    }

    /// Returns the most tokens of an overview's prompt; `None` if no overviews are written.
    pub fn overview_limit(&self) -> Option<TokenCount> {
        self.overview
    }

    /// Returns the renderer, which contains what all prompts share.
    pub fn renderer(&self) -> &PromptRenderer {
        &self.frame
    }

    /// Returns the budget.
    pub fn budget(&self) -> &PromptBudget {
        &self.budget
    }

    /// Measures what the lines of a file cost.
    pub fn measure(&self, prepared: &ParsedSource) -> SourceMeasure {
        SourceMeasure::of(&prepared.source, prepared.analysis.parsed(), self.frame.counter())
    }

    /// Routes a file and cuts it if necessary. Logs the decision with its numbers.
    pub fn plan(&self, prepared: &ParsedSource) -> SourcePlan {
        self.plan_of(prepared, None)
    }

    /// Plans a file along the borders of an earlier plan, as far as they still apply.
    pub(crate) fn plan_with_borders(&self, prepared: &ParsedSource, kept: &[LineRange]) -> SourcePlan {
        self.plan_of(prepared, Some(kept))
    }

    fn plan_of(&self, prepared: &ParsedSource, kept: Option<&[LineRange]>) -> SourcePlan {
        let ParsedSource { source, analysis, .. } = prepared;
        let measure = self.measure(prepared);
        let share = self.budget.source_share(self.frame.wrapper_tokens(source));
        let limits = ChunkLimits { source: share, answer: Some(self.budget.max_completion()) };
        let shares = self.budget.allocation().context();
        let part = |parts: u64| TokenCount::new(shares.total().get() / parts);
        let reserves = [part(1), part(2), part(4), shares.minimum_context()];
        let chunks = match kept {
            None => chunk_with_reserve(source, analysis, &measure, &limits, &reserves),
            Some(kept) => chunk_with_borders(source, analysis, &measure, &limits, kept),
        };
        let source_tokens = measure.all_source_tokens();
        let answer_tokens = source.line_range().map(|all| measure.answer_tokens(all)).unwrap_or_default();
        let route = if needs_chunking(&measure, &limits) { Route::Chunked } else { Route::Direct };
        let reason = match route {
            Route::Direct => format!("{source_tokens} source tokens fit the share of {share}"),
            Route::Chunked if source_tokens > share => {
                format!("{source_tokens} source tokens exceed the share of {share}: {} chunks", chunks.len())
            }
            Route::Chunked => format!(
                "an answer of {answer_tokens} tokens is expected and {} are allowed: {} chunks",
                self.budget.max_completion(),
                chunks.len()
            ),
        };
        tracing::info!(file = source.name(), route = ?route, %reason, "route");
        let total = chunks.len();
        let contexts = self.contexts(prepared, &chunks, share);
        let chunks: Vec<PlannedChunk> = (0..)
            .zip(chunks.into_iter().zip(contexts))
            .map(|(index, (chunk, context))| {
                let part = ChunkPosition { index, total };
                let prompt_tokens = self.frame.tokens(source, &chunk, &context, index, total);
                tracing::info!(
                    file = source.name(),
                    chunk = %chunk.chunk_id,
                    lines = %chunk.lines,
                    kind = chunk.context_type.as_str(),
                    source_tokens = chunk.estimated_tokens.get(),
                    context_tokens = context.tokens().get(),
                    context_left_out = context.omitted(),
                    prompt_tokens = prompt_tokens.get(),
                    "chunk"
                );
                PlannedChunk { chunk, context, position: part, prompt_tokens }
            })
            .collect();
        // A chunk that cannot be sent needs no call in the ideal plan either.
        let sendable = chunks.iter().filter(|planned| planned.chunk.fits).count() as u64;
        let ideal_calls = measure.ideal_calls(share, self.budget.max_completion()).min(sendable);
        let overview_prompt = self.overview.filter(|_| sendable > 1);
        SourcePlan {
            route,
            reason,
            source_tokens,
            source_share: share,
            answer_tokens,
            ideal_calls,
            chunks,
            overview_prompt,
        }
    }

    /// Cuts a chunk that turned out too large into smaller ones, in order. Returns `None` if nothing smaller would work: the chunk is a single
    /// line, or the window is too small for the parts of a prompt that never change.
    ///
    /// The pieces keep the number of the original chunk.
    pub fn split_chunk(
        &self,
        prepared: &ParsedSource,
        measure: &SourceMeasure,
        planned: &PlannedChunk,
        why: TooLarge,
    ) -> Option<Vec<PlannedChunk>> {
        let ParsedSource { source, analysis, .. } = prepared;
        let whole = self.budget.source_share(self.frame.wrapper_tokens(source));
        let tokens = planned.chunk.estimated_tokens.get();
        let (within, share) = match why {
            TooLarge::Answer => (TokenCount::new(tokens * 11 / 20 + 1), whole),
            TooLarge::Prompt(overflow) => {
                let limit = smaller_prompt(planned.prompt_tokens, self.budget.max_completion(), overflow);
                let around = self.frame.fixed_parts().total() + self.frame.wrapper_tokens(source);
                let share = limit.checked_sub(around).filter(|share| share.get() >= LEAST_SHARE)?;
                // A fifth is left for context.
                (TokenCount::new(share.get() * 4 / 5), share)
            }
        };
        let limits = ChunkLimits { source: within, answer: Some(self.budget.max_completion()) };
        let chunks = subdivide_chunk(&planned.chunk, analysis, measure, &limits);
        if chunks.iter().any(|chunk| !chunk.fits) {
            return None;
        }
        let contexts = self.contexts(prepared, &chunks, share);
        let ChunkPosition { index, total } = planned.position;
        let pieces = chunks.into_iter().zip(contexts).map(|(chunk, context)| {
            let prompt_tokens = self.frame.tokens(source, &chunk, &context, index, total);
            PlannedChunk { chunk, context, position: planned.position, prompt_tokens }
        });
        let pieces: Vec<PlannedChunk> = pieces.collect();
        // A piece that is not smaller is not sent again.
        let is_smaller = match why {
            TooLarge::Answer => pieces.len() > 1,
            TooLarge::Prompt(_) => pieces.iter().all(|piece| piece.prompt_tokens < planned.prompt_tokens),
        };
        is_smaller.then_some(pieces)
    }

    /// Returns the context of each chunk, within the room that the chunk leaves in the source share and within the context shares. A chunk that
    /// does not fit has no context, because it has no prompt.
    fn contexts(&self, prepared: &ParsedSource, chunks: &[CodeChunk], share: TokenCount) -> Vec<ChunkContext> {
        let ParsedSource { source, analysis, .. } = prepared;
        let shares = self.budget.allocation().context();
        let mut prices = self.frame.context_prices(source);
        let index = (chunks.len() > 1)
            .then(|| ContextIndex::of(source, analysis).with_comment(head_comment(source, analysis.parsed())));
        let of_chunk = |chunk: &CodeChunk| {
            let Some(room) = share.checked_sub(chunk.estimated_tokens) else {
                return ChunkContext::default();
            };
            let limit = ContextLimit { shares, room };
            let prices = prices.for_chunk(chunk.lines);
            match &index {
                Some(index) => index.for_chunk(chunk.lines, &limit, prices),
                None => ContextIndex::for_whole_file(source, analysis, &limit, prices),
            }
        };
        chunks.iter().map(of_chunk).collect()
    }
}
