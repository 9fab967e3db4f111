//! From a plan to the text for each chunk.
//!
//! The chunks of a file are requested at the same time; the model's rate limiter decides how many calls are in flight over all files. If an
//! answer was cut off, or the prompt exceeds the model's window, the chunk is cut smaller and its pieces are requested, at most four times over.
//! A chunk that could not be written gets a reason, and the parser's words replace the answer.

use crate::draft::{Draft, DraftedChunk};
use crate::load::ParsedSource;
use crate::plan::{PlannedChunk, Planner, SourcePlan, TooLarge};
use crate::store::StoredChunk;
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::OnceLock;
use tokio::sync::Semaphore;
use war_rig_chunker::{ContextKind, SourceMeasure};
use war_rig_llm::{AnswerReuse, BudgetedPrompt, StopError, StopReason, UsageTotals};
use war_rig_merger::resolve_ids;
use war_rig_scribe::{ChunkFacts, FileFacts, PartWords, Scribe, ScribeError, ScribeOutput, ScribeResponse};
use war_rig_template::ProgramOverview;
use war_rig_text::{ContentHash, LineRange};

/// How often a chunk may be cut smaller.
const LEVELS: u8 = 4;

/// How often, if smaller chunks are not expected to help.
const HOPELESS_LEVELS: u8 = 2;

/// Plans files and has a Scribe write their chunks.
#[derive(Debug)]
pub struct DraftWriter<'a, S> {
    /// Routes and cuts.
    pub planner: &'a Planner,
    /// Writes.
    pub scribe: &'a S,
    /// Calls in flight within one file; at least 1.
    pub concurrency: usize,
}

/// One chunk with its result.
struct ChunkResult {
    chunk: DraftedChunk,
    problem: Option<String>,
    was_stopped: bool,
    /// Whether its answer comes later.
    is_deferred: bool,
    bill: UsageTotals,
    /// What identifies it later; `None` if it was not written.
    kept: Option<StoredChunk>,
    /// The question, if it got no usable answer.
    useless: Option<ContentHash>,
}

/// A file in progress.
pub(crate) struct DraftContext<'a> {
    prepared: &'a ParsedSource,
    plan: &'a SourcePlan,
    facts: FileFacts<'a>,
    /// The chunks of its last document.
    kept: &'a [StoredChunk],
    /// The journal position after which answers count.
    since: u64,
    /// Chunks of all files that may be at the Scribe, or soon will be.
    turns: &'a Semaphore,
    /// The cost of its lines; computed when a chunk has to be smaller.
    measure: OnceLock<SourceMeasure>,
}

impl<'a> DraftContext<'a> {
    pub(crate) fn new(
        prepared: &'a ParsedSource,
        plan: &'a SourcePlan,
        kept: &'a [StoredChunk],
        since: u64,
        turns: &'a Semaphore,
    ) -> Self {
        let facts = FileFacts::new(&prepared.source, &prepared.analysis);
        Self { prepared, plan, facts, kept, since, turns, measure: OnceLock::new() }
    }
}

impl DraftContext<'_> {
    /// Returns the prompt as a stand-in for that of the last document, if the chunk is the same and its context has the same data, copybooks and
    /// enclosing construct. The rest of the context is about other parts of the file; an edit there is no reason to ask about every chunk
    /// again.
    fn standing_for(&self, planned: &PlannedChunk, prompt: &BudgetedPrompt) -> Option<BudgetedPrompt> {
        if self.kept.is_empty() {
            return None;
        }
        let own = self.trace(planned, prompt);
        let same = |kept: &&StoredChunk| kept.rows == own.rows && kept.told == own.told;
        let kept = self.kept.iter().find(same).filter(|kept| kept.context != own.context)?;
        let recall = AnswerReuse { context: Some(kept.context), ..prompt.reuse() };
        Some(prompt.clone().with_reuse(recall))
    }

    /// Returns what identifies a chunk later.
    fn trace(&self, planned: &PlannedChunk, prompt: &BudgetedPrompt) -> StoredChunk {
        let source = &self.prepared.source;
        let lines = planned.chunk.lines;
        let told = planned.context.blocks().iter().filter(|block| matters(block.kind()));
        let told = told.flat_map(|block| {
            std::iter::once(block.kind().as_str()).chain(block.rows().iter().map(|row| row.as_ref()))
        });
        StoredChunk {
            lines: lines.count(),
            first: source.hash_lines(LineRange::spanning(lines.start(), lines.start())),
            rows: source.hash_lines(lines),
            context: prompt.reuse().context.unwrap_or_else(|| prompt.context_hash()),
            told: ContentHash::of_lines(told),
        }
    }
}

/// Whether a change in this kind of context requires asking about a chunk again.
fn matters(kind: ContextKind) -> bool {
    match kind {
        ContextKind::Program | ContextKind::Opening | ContextKind::Data | ContextKind::Copybooks => true,
        // They follow from the chunk itself, and an answer means what they say.
        ContextKind::Items => true,
        // These describe other parts of the file.
        ContextKind::Comment | ContextKind::Outline | ContextKind::Elsewhere => false,
    }
}

impl<S: Scribe> DraftWriter<'_, S> {
    /// Plans a file and has every chunk written. `kept` are the chunks of its last document; answers count after position `since`.
    pub(crate) async fn draft(
        &self,
        prepared: &ParsedSource,
        kept: &[StoredChunk],
        since: u64,
        turns: &Semaphore,
    ) -> Draft {
        let plan = self.plan(prepared, kept, since, turns).await;
        self.write(&DraftContext::new(prepared, &plan, kept, since, turns)).await
    }

    /// Plans a file: the best plan in itself, or one along the borders of its last document if that costs fewer calls.
    async fn plan(&self, prepared: &ParsedSource, kept: &[StoredChunk], since: u64, turns: &Semaphore) -> SourcePlan {
        let plan = self.planner.plan(prepared);
        let found = if kept.is_empty() { Vec::new() } else { found_again(prepared, kept) };
        if found.is_empty() {
            return plan;
        }
        let along = self.planner.plan_with_borders(prepared, &found);
        // Later answers reduce both counts equally, so a resumed run makes the same decision.
        let of_along = self.calls(&DraftContext::new(prepared, &along, kept, since, turns)).await;
        let of_plan = self.calls(&DraftContext::new(prepared, &plan, kept, since, turns)).await;
        if of_along < of_plan { along } else { plan }
    }

    /// Returns the number of calls that a plan would make now.
    async fn calls(&self, work: &DraftContext<'_>) -> usize {
        let mut calls = 0;
        for planned in &work.plan.chunks {
            calls += usize::from(!self.has_answer(work, planned).await);
        }
        calls
    }

    /// Has every chunk written.
    async fn write<'a>(&'a self, work: &'a DraftContext<'a>) -> Draft {
        let chunks = work.plan.chunks.iter().map(|planned| self.bring(work, planned.clone(), 0));
        let mut ended: Vec<ChunkResult> = futures::stream::iter(chunks)
            .buffer_unordered(self.concurrency.max(1))
            .collect::<Vec<Vec<ChunkResult>>>()
            .await
            .into_iter()
            .flatten()
            .collect();
        ended.sort_by_key(|ended| ended.chunk.lines);
        let mut draft = Draft {
            route: work.plan.reason.clone(),
            calls: work.plan.calls(),
            chunks: Vec::with_capacity(ended.len()),
            ..Draft::default()
        };
        let mut failed: Vec<(LineRange, String)> = Vec::new();
        for ChunkResult { chunk, problem, was_stopped, is_deferred, bill, kept, useless } in ended {
            draft.bill += bill;
            draft.kept.extend(kept);
            draft.useless.extend(useless);
            draft.was_stopped |= was_stopped;
            // Its document waits for the answer: one without it would be replaced soon.
            draft.is_unfinished |= is_deferred;
            match (problem, failed.last_mut()) {
                // Adjacent chunks that failed for the same reason are reported as one.
                (Some(problem), Some((lines, known)))
                    if *known == problem && lines.end().saturating_add(1) == chunk.lines.start() =>
                {
                    *lines = LineRange::spanning(lines.start(), chunk.lines.end());
                }
                (Some(problem), _) => failed.push((chunk.lines, problem)),
                (None, _) => {}
            }
            draft.chunks.push(chunk);
        }
        let told = |(lines, problem): (LineRange, String)| {
            let place = if lines.count() == 1 { "line" } else { "lines" };
            format!("{place} {lines}: {problem}")
        };
        let cut_short = |chunk: &&DraftedChunk| chunk.partial.is_some() && chunk.kept < 1.0;
        let unread = draft.chunks.iter().filter(cut_short).count();
        if unread > 0 {
            let of = draft.chunks.len();
            draft.notes.push(format!(
                "a part of {unread} of {of} answers could not be read; `chunks` in its document says which"
            ));
        }
        draft.problems = failed.into_iter().map(told).collect();
        draft.overview = match self.overview(&mut draft, work).await {
            Ok(overview) => overview,
            Err(stopped) => {
                draft.problems.push(stopped.to_string());
                draft.is_unfinished = true;
                None
            }
        };
        draft
    }

    /// Finishes a chunk: written, in pieces if necessary, or failed.
    fn bring<'a>(
        &'a self,
        work: &'a DraftContext<'a>,
        planned: PlannedChunk,
        level: u8,
    ) -> BoxFuture<'a, Vec<ChunkResult>> {
        Box::pin(async move {
            let planned = &planned;
            let facts = ChunkFacts::new(&work.facts, planned.chunk.lines);
            // A prompt is built shortly before it is sent, so that a large run does not keep all prompts in memory.
            let turn = work.turns.acquire().await.expect("the turns are never closed");
            let prompt = match self.prompt(work, planned).await {
                Ok(prompt) => prompt,
                Err(problem) => return vec![ended(planned, Err(problem), UsageTotals::default())],
            };
            let ScribeResponse { result, usage: bill } = self.scribe.write(&prompt, &facts).await;
            let (why, error) = match result {
                Err(error @ ScribeError::Truncated) => (TooLarge::Answer, error),
                Err(error @ ScribeError::Overflow(overflow)) => (TooLarge::Prompt(overflow), error),
                other => {
                    let was_stopped = matches!(other, Err(ScribeError::Stopped(_)));
                    let is_deferred =
                        matches!(&other, Err(ScribeError::Stopped(stopped)) if stopped.reason == StopReason::Deferred);
                    let is_useless = matches!(other, Err(ScribeError::Unusable(_)));
                    let useless = if is_useless { self.scribe.question(&prompt) } else { None };
                    let kept = other.is_ok().then(|| work.trace(planned, &prompt));
                    let result = other.map_err(|error| error.to_string());
                    let ended = ended(planned, result, bill);
                    return vec![ChunkResult { was_stopped, is_deferred, useless, kept, ..ended }];
                }
            };
            let smaller = || {
                let measure = work.measure.get_or_init(|| self.planner.measure(work.prepared));
                let expected = measure.answer_tokens(planned.chunk.lines).get();
                // If an answer is cut off although a quarter of its limit was enough, smaller chunks do not help.
                let hopeless = why == TooLarge::Answer && 4 * expected < self.planner.budget().max_completion().get();
                let goes_on = level < if hopeless { HOPELESS_LEVELS } else { LEVELS };
                goes_on.then(|| self.planner.split_chunk(work.prepared, measure, planned, why)).flatten()
            };
            let Some(pieces) = smaller() else {
                let problem = format!("{error}, and there is nothing smaller to ask for");
                let useless = self.scribe.question(&prompt);
                return vec![ChunkResult { useless, ..ended(planned, Err(problem), bill) }];
            };
            drop((prompt, turn));
            tracing::info!(chunk = %planned.chunk.chunk_id, pieces = pieces.len(), reason = %error, "cut smaller");
            let mut ended = Vec::with_capacity(pieces.len());
            let calls = pieces.into_iter().map(|piece| self.bring(work, piece, level + 1));
            ended.extend(futures::future::join_all(calls).await.into_iter().flatten());
            if let Some(first) = ended.first_mut() {
                first.bill += bill;
            }
            ended
        })
    }

    /// Builds the prompt of a chunk.
    async fn prompt(&self, work: &DraftContext<'_>, planned: &PlannedChunk) -> Result<BudgetedPrompt, String> {
        let chunk = &planned.chunk;
        if !chunk.fits {
            return Err(format!(
                "{} tokens, and a prompt holds {} of source; raise scribe.max_prompt_tokens",
                chunk.estimated_tokens, work.plan.source_share
            ));
        }
        let (source, part) = (&work.prepared.source, planned.position);
        let limit = self.planner.budget().max_prompt();
        let rendered = self.planner.renderer().render(source, chunk, &planned.context, part.index, part.total, limit);
        let prompt = rendered.map_err(|error| error.to_string())?;
        debug_assert_eq!(prompt.tokens(), planned.prompt_tokens, "{}: {}", source.name(), chunk.lines);
        let own = prompt.with_reuse(AnswerReuse { since: work.since, ..AnswerReuse::default() });
        Ok(match work.standing_for(planned, &own) {
            Some(other) if !self.scribe.has_answer(&own).await && self.scribe.has_answer(&other).await => other,
            _ => own,
        })
    }

    /// Whether a chunk's answer is recorded.
    async fn has_answer(&self, work: &DraftContext<'_>, planned: &PlannedChunk) -> bool {
        match self.prompt(work, planned).await {
            Ok(prompt) => self.scribe.has_answer(&prompt).await,
            Err(_) => false,
        }
    }

    /// Has the overview written, if there are several chunks and all of them were. Where one failed, the next run asks for it again, and an
    /// overview without it would be paid for twice.
    async fn overview(&self, draft: &mut Draft, work: &DraftContext<'_>) -> Result<Option<ProgramOverview>, StopError> {
        let written = draft.chunks.iter().filter_map(|chunk| Some((chunk.lines, chunk.partial.as_ref()?)));
        let (source, analysis) = (&work.prepared.source, &work.prepared.analysis);
        let named: Vec<_> =
            written.map(|(lines, partial)| (lines, resolve_ids(partial, lines, source, analysis))).collect();
        let parts: Vec<PartWords<'_>> =
            named.iter().map(|(lines, partial)| PartWords { lines: *lines, partial: partial.as_ref() }).collect();
        // A chunk that no prompt holds is never written.
        let never = work.plan.chunks.iter().filter(|planned| !planned.chunk.fits).count();
        if parts.len() < 2 || parts.len() + never < draft.chunks.len() {
            return Ok(None);
        }
        let written = self.scribe.write_overview(&work.facts, &parts, work.since).await;
        let Some(ScribeResponse { result, usage: bill }) = written else { return Ok(None) };
        draft.bill += bill;
        match result {
            Ok(overview) => Ok(Some(overview)),
            // The next run asks what a stopped run did not.
            Err(ScribeError::Stopped(stopped)) => Err(stopped),
            Err(error) => {
                draft.notes.push(format!("its purpose is put together from its parts: {error}"));
                Ok(None)
            }
        }
    }
}

fn ended(planned: &PlannedChunk, result: Result<ScribeOutput, String>, bill: UsageTotals) -> ChunkResult {
    let (partial, notes, kept, problem) = match result {
        Ok(ScribeOutput { partial, notes, usable_share: kept }) => (Some(partial), notes, kept, None),
        Err(problem) => (None, vec![problem.clone()], 1.0, Some(problem)),
    };
    let (chunk_id, lines) = (planned.chunk.chunk_id.clone(), planned.chunk.lines);
    let chunk = DraftedChunk { chunk_id, lines, partial, notes, kept };
    ChunkResult { chunk, problem, was_stopped: false, is_deferred: false, bill, kept: None, useless: None }
}

/// How often, on average, the search may look at each line of a file.
const LOOKED_AT: usize = 16;

/// Finds the chunks of an earlier document that are unchanged, in order, each after the one before it.
fn found_again(prepared: &ParsedSource, kept: &[StoredChunk]) -> Vec<LineRange> {
    let source = &prepared.source;
    let Some(all) = source.line_range() else { return Vec::new() };
    let hashes: Vec<ContentHash> = all
        .indices()
        .filter_map(|index| LineRange::from_indices(index..index + 1))
        .map(|line| source.hash_lines(line))
        .collect();
    let mut found: Vec<LineRange> = Vec::new();
    let mut next = 0;
    // With many similar lines, the search for a missing chunk would take the file's length times the chunk's. Chunks not found within the limit
    // are asked about again.
    let mut time = LOOKED_AT * hashes.len();
    for chunk in kept {
        let count = chunk.lines as usize;
        let begins = |start: &usize| hashes[*start] == chunk.first;
        let here = (next..(hashes.len() + 1).saturating_sub(count)).filter(begins).find_map(|start| {
            time = time.checked_sub(count)?;
            let lines = LineRange::from_indices(start..start + count)?;
            (source.hash_lines(lines) == chunk.rows).then_some(lines)
        });
        if let Some(lines) = here {
            next = lines.end().index() + 1;
            found.push(lines);
        }
    }
    found
}
