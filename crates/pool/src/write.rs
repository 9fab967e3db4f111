//! From a plan to what was written of each chunk.
//!
//! Chunks of a file are asked for at the same time; what is in flight over all files, the model's gate decides. A chunk whose answer was
//! cut off, or whose prompt the model's window does not hold, is cut smaller and its pieces are asked for, at most four times over. What
//! could not be written has its reason, and the parser's words take its place.

use crate::context::{SourceIdentity, calling_context};
use crate::draft::{Draft, DraftedChunk};
use crate::expected::add_secret_notes;
use crate::load::{ParsedSource, Sources};
use crate::plan::{PlannedChunk, Planner, SourcePlan, TooLarge};
use crate::ports::DocumentSink;
use crate::run::PoolContext;
use crate::store::StoredChunk;
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::OnceLock;
use tokio::sync::Semaphore;
use war_rig_chunker::{ContextKind, SourceMeasure};
use war_rig_estate::EstateGraph;
use war_rig_llm::{AnswerReuse, BudgetedPrompt, StopError, UsageTotals};
use war_rig_merger::{Author, ChunkOutcome, FileContext, merge};
use war_rig_scribe::{
    ChunkFacts, FileFacts, Scribe, ScribeError, ScribeOutput, ScribeResponse, StaticScribe,
};
use war_rig_template::{Document, Purpose};
use war_rig_text::{ContentHash, LineRange};

/// How often a chunk is cut smaller.
const LEVELS: u8 = 4;

/// How often, where smaller ones do not help as far as can be told.
const HOPELESS_LEVELS: u8 = 2;

/// Plans files, and has a Scribe write of their chunks.
#[derive(Debug)]
pub struct DraftWriter<'a, S> {
    /// Routes and cuts.
    pub planner: &'a Planner,
    /// Writes.
    pub scribe: &'a S,
    /// Calls in flight within one file; at least 1.
    pub concurrency: usize,
}

/// One chunk with what became of it.
struct ChunkResult {
    chunk: DraftedChunk,
    problem: Option<String>,
    was_stopped: bool,
    bill: UsageTotals,
    /// By what it is found again; none where nothing was written of it.
    kept: Option<StoredChunk>,
    /// What was asked, where no answer was of use.
    useless: Option<ContentHash>,
}

/// A file in work.
pub(crate) struct DraftContext<'a> {
    prepared: &'a ParsedSource,
    plan: &'a SourcePlan,
    facts: FileFacts<'a>,
    /// The chunks of its last document.
    kept: &'a [StoredChunk],
    /// The place in the journal behind which answers count.
    since: u64,
    /// Chunks of all files that may be at the Scribe, or soon be.
    turns: &'a Semaphore,
    /// What its lines cost; made when a chunk has to be smaller.
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
    /// The prompt as one that stands for that of the last document, where the chunk is the same and is told the same of data, copybooks
    /// and what holds it. What else the context says is of the other parts of the file: that one of them was edited is no reason to ask
    /// anew about all.
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

    /// By what a chunk is found again.
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

/// Whether a chunk is to be asked about anew when this of its context has changed.
fn matters(kind: ContextKind) -> bool {
    match kind {
        ContextKind::Program | ContextKind::Opening | ContextKind::Data | ContextKind::Copybooks => true,
        // These follow from the chunk itself, or tell of other parts of the file.
        ContextKind::Outline | ContextKind::Elsewhere | ContextKind::Decisions => false,
    }
}

impl<S: Scribe> DraftWriter<'_, S> {
    /// Plans a file and has every chunk of it written. `kept` are the chunks of its last document, and answers count behind place `since`.
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

    /// The plan of a file: the one that is best in itself, or one along the borders of its last document where that costs fewer calls.
    async fn plan(
        &self,
        prepared: &ParsedSource,
        kept: &[StoredChunk],
        since: u64,
        turns: &Semaphore,
    ) -> SourcePlan {
        let plan = self.planner.plan(prepared);
        let found = if kept.is_empty() { Vec::new() } else { found_again(prepared, kept) };
        if found.is_empty() {
            return plan;
        }
        let along = self.planner.plan_with_borders(prepared, &found);
        // What is answered later takes as much off the one as off the other, so that a run that is resumed decides alike.
        let of_along = self.calls(&DraftContext::new(prepared, &along, kept, since, turns)).await;
        let of_plan = self.calls(&DraftContext::new(prepared, &plan, kept, since, turns)).await;
        if of_along < of_plan { along } else { plan }
    }

    /// The calls that a plan would make now.
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
        for ChunkResult { chunk, problem, was_stopped, bill, kept, useless } in ended {
            draft.bill += bill;
            draft.kept.extend(kept);
            draft.useless.extend(useless);
            draft.was_stopped |= was_stopped;
            match (problem, failed.last_mut()) {
                // Neighbours that failed for one reason are told as one.
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
        draft.purpose = match self.whole_purpose(&mut draft, work).await {
            Ok(purpose) => purpose,
            Err(stopped) => {
                draft.problems.push(stopped.to_string());
                draft.is_unfinished = true;
                None
            }
        };
        draft
    }

    /// Brings a chunk to its end: written, in pieces if need be, or failed.
    fn bring<'a>(
        &'a self,
        work: &'a DraftContext<'a>,
        planned: PlannedChunk,
        level: u8,
    ) -> BoxFuture<'a, Vec<ChunkResult>> {
        Box::pin(async move {
            let planned = &planned;
            let facts = ChunkFacts::new(&work.facts, planned.chunk.lines);
            // A prompt is made when it is soon to be sent, so that not all of a large run wait in memory.
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
                    let is_useless = matches!(other, Err(ScribeError::Unusable(_)));
                    let useless = if is_useless { self.scribe.question(&prompt) } else { None };
                    let kept = other.is_ok().then(|| work.trace(planned, &prompt));
                    let result = other.map_err(|error| error.to_string());
                    let ended = ended(planned, result, bill);
                    return vec![ChunkResult { was_stopped, useless, kept, ..ended }];
                }
            };
            let smaller = || {
                let measure = work.measure.get_or_init(|| self.planner.measure(work.prepared));
                let expected = measure.answer_tokens(planned.chunk.lines).get();
                // An answer that is cut off though a quarter of its limit was enough will be cut off whatever is asked.
                let hopeless =
                    why == TooLarge::Answer && 4 * expected < self.planner.budget().max_completion().get();
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

    /// The prompt of a chunk.
    async fn prompt(
        &self,
        work: &DraftContext<'_>,
        planned: &PlannedChunk,
    ) -> Result<BudgetedPrompt, String> {
        let chunk = &planned.chunk;
        if !chunk.fits {
            return Err(format!(
                "{} tokens, and a prompt holds {} of source; raise scribe.max_prompt_tokens",
                chunk.estimated_tokens, work.plan.source_share
            ));
        }
        let (source, part) = (&work.prepared.source, planned.position);
        let limit = self.planner.budget().max_prompt();
        let rendered =
            self.planner.renderer().render(source, chunk, &planned.context, part.index, part.total, limit);
        let prompt = rendered.map_err(|error| error.to_string())?;
        debug_assert_eq!(prompt.tokens(), planned.prompt_tokens, "{}: {}", source.name(), chunk.lines);
        let own = prompt.with_reuse(AnswerReuse { since: work.since, ..AnswerReuse::default() });
        Ok(match work.standing_for(planned, &own) {
            Some(other) if !self.scribe.has_answer(&own).await && self.scribe.has_answer(&other).await => {
                other
            }
            _ => own,
        })
    }

    /// Whether what would be written of a chunk is on record.
    async fn has_answer(&self, work: &DraftContext<'_>, planned: &PlannedChunk) -> bool {
        match self.prompt(work, planned).await {
            Ok(prompt) => self.scribe.has_answer(&prompt).await,
            Err(_) => false,
        }
    }

    /// What the parts of the purpose come to, where there are several.
    async fn whole_purpose(
        &self,
        draft: &mut Draft,
        work: &DraftContext<'_>,
    ) -> Result<Option<Purpose>, StopError> {
        let mut parts: Vec<Purpose> = Vec::new();
        for purpose in draft.chunks.iter().filter_map(|chunk| chunk.partial.as_ref()?.purpose.as_ref()) {
            let says_more = parts.iter().all(|part| part.summary != purpose.summary);
            if says_more && !purpose.summary.trim().is_empty() {
                parts.push(purpose.body.clone());
            }
        }
        if parts.len() < 2 {
            return Ok(None);
        }
        let file = work.prepared.source.name();
        let Some(ScribeResponse { result, usage: bill }) =
            self.scribe.reconcile(&parts, file, work.since).await
        else {
            return Ok(None);
        };
        draft.bill += bill;
        match result {
            Ok(whole) => Ok(Some(whole)),
            // What a run that was stopped did not ask, the next one will.
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
    ChunkResult { chunk, problem, was_stopped: false, bill, kept: None, useless: None }
}

impl<S: Scribe, P: Sources, D: DocumentSink> PoolContext<S, P, D> {
    /// Whoever plans and writes for them.
    pub(crate) fn writer(&self) -> DraftWriter<'_, S> {
        DraftWriter { planner: &self.planner, scribe: &self.scribe, concurrency: self.options.concurrency }
    }

    /// Puts the parser's facts and a draft together to a document.
    pub(crate) fn merge(&self, graph: &EstateGraph, prepared: &ParsedSource, draft: Draft) -> Document {
        let author =
            Author { produced_by: self.scribe.produced_by(), is_parser_only: self.scribe.is_parser_only() };
        let facts = FileFacts::new(&prepared.source, &prepared.analysis);
        let outcome = |DraftedChunk { chunk_id, lines, partial, notes, kept }: DraftedChunk| {
            let known = || StaticScribe.parser_template(&ChunkFacts::new(&facts, lines));
            let known = (!author.is_parser_only).then(known);
            ChunkOutcome { chunk_id, lines, partial, parser_template: known, notes, usable_share: kept }
        };
        let outcomes: Vec<ChunkOutcome> = draft.chunks.into_iter().map(outcome).collect();
        let context = calling_context(
            graph,
            &SourceIdentity::from_parsed(prepared.source.name(), prepared.analysis.parsed()),
        );
        let estate =
            FileContext { context, purpose: draft.purpose, documented: prepared.documented_copybooks() };
        let mut document = merge(&prepared.source, &prepared.analysis, &outcomes, author, &estate);
        add_secret_notes(&mut document, &prepared.secrets, self.options.source.secrets.policy);
        document
    }
}

/// How often each line of a file may be looked at for it, on average.
const LOOKED_AT: usize = 16;

/// Where the chunks of an earlier document stand now, as far as they are the same: in order, each behind the one before it.
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
    // Where many lines are alike, looking for a chunk that is gone would take as long as the file is, times the chunk. What is not found for
    // want of time is asked anew.
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
