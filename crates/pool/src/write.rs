//! From a plan to what was written of each chunk.
//!
//! Chunks of a file are asked for at the same time; what is in flight over all files, the model's gate decides. A chunk whose answer was
//! cut off, or whose prompt the model's window does not hold, is cut smaller and its pieces are asked for, at most four times over. What
//! could not be written has its reason, and the parser's words take its place.

use crate::context::{KnownBy, context};
use crate::expected::note_secrets;
use crate::plan::{PlannedChunk, SourcePlan, TooLarge};
use crate::read::{Prepared, Sources};
use crate::report::TicketReport;
use crate::run::{DocumentSink, Workers};
use crate::store::KeptChunk;
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::OnceLock;
use tokio::sync::Semaphore;
use war_rig_chunker::{ContextKind, SourceMeasure};
use war_rig_estate::EstateGraph;
use war_rig_llm::{Bill, BudgetedPrompt, Recall, Stopped};
use war_rig_merger::{Author, ChunkOutcome, Estate, merge};
use war_rig_scribe::{Call, ChunkFacts, FileFacts, Scribe, ScribeError, StaticScribe, Written};
use war_rig_template::{Document, PartialPurpose};
use war_rig_text::{ContentHash, LineRange};

/// How often a chunk is cut smaller.
const LEVELS: u8 = 4;

/// How often, where smaller ones do not help as far as can be told.
const HOPELESS_LEVELS: u8 = 2;

/// What was written of a file.
pub(crate) struct Wrote {
    /// What became of each chunk, in the order of the lines.
    pub(crate) outcomes: Vec<ChunkOutcome>,
    /// What went wrong.
    pub(crate) problems: Vec<String>,
    /// What the parts of the purpose come to; none where they were not read together.
    pub(crate) purpose: Option<PartialPurpose>,
    /// Whether a chunk was not written because the run has stopped.
    pub(crate) was_stopped: bool,
    /// Whether its parts were not read together because the run has stopped.
    pub(crate) is_unfinished: bool,
    /// By what its chunks are found again when it has changed.
    pub(crate) kept: Vec<KeptChunk>,
    /// Questions of which no answer was of use.
    pub(crate) useless: Vec<ContentHash>,
}

/// One chunk with what became of it.
struct Ended {
    outcome: ChunkOutcome,
    problem: Option<String>,
    was_stopped: bool,
    bill: Bill,
    /// By what it is found again; none where nothing was written of it.
    kept: Option<KeptChunk>,
    /// What was asked, where no answer was of use.
    useless: Option<ContentHash>,
}

/// A file in work.
pub(crate) struct Work<'a> {
    prepared: &'a Prepared,
    plan: &'a SourcePlan,
    facts: FileFacts<'a>,
    /// The chunks of its last document.
    kept: &'a [KeptChunk],
    /// The place in the journal behind which answers count.
    since: u64,
    /// Chunks of all files that may be at the Scribe, or soon be.
    turns: &'a Semaphore,
    /// What its lines cost; made when a chunk has to be smaller.
    measure: OnceLock<SourceMeasure>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        prepared: &'a Prepared,
        plan: &'a SourcePlan,
        kept: &'a [KeptChunk],
        since: u64,
        turns: &'a Semaphore,
    ) -> Self {
        let facts = FileFacts::new(&prepared.source, &prepared.parsed, &prepared.flow);
        Self { prepared, plan, facts, kept, since, turns, measure: OnceLock::new() }
    }
}

impl Work<'_> {
    /// The prompt as one that stands for that of the last document, where the chunk is the same and is told the same of data, copybooks
    /// and what holds it. What else the context says is of the other parts of the file: that one of them was edited is no reason to ask
    /// anew about all.
    fn standing_for(&self, planned: &PlannedChunk, prompt: &BudgetedPrompt) -> Option<BudgetedPrompt> {
        if self.kept.is_empty() {
            return None;
        }
        let own = self.trace(planned, prompt);
        let same = |kept: &&KeptChunk| kept.rows == own.rows && kept.told == own.told;
        let kept = self.kept.iter().find(same).filter(|kept| kept.context != own.context)?;
        let recall = Recall { context: Some(kept.context), ..prompt.recall() };
        Some(prompt.clone().recalling(recall))
    }

    /// By what a chunk is found again.
    fn trace(&self, planned: &PlannedChunk, prompt: &BudgetedPrompt) -> KeptChunk {
        let source = &self.prepared.source;
        let lines = planned.chunk.lines;
        let told = planned.context.blocks().iter().filter(|block| matters(block.kind()));
        let told = told.flat_map(|block| {
            std::iter::once(block.kind().as_str()).chain(block.rows().iter().map(|row| row.as_ref()))
        });
        KeptChunk {
            lines: lines.count(),
            first: source.hash_of(LineRange::spanning(lines.start(), lines.start())),
            rows: source.hash_of(lines),
            context: prompt.recall().context.unwrap_or_else(|| prompt.context_hash()),
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

impl<S: Scribe, P: Sources, D: DocumentSink> Workers<S, P, D> {
    /// Has every chunk written.
    pub(crate) async fn write<'a>(&'a self, work: &'a Work<'a>, report: &mut TicketReport) -> Wrote {
        let chunks = work.plan.chunks.iter().map(|planned| self.bring(work, planned.clone(), 0));
        let mut ended: Vec<Ended> = futures::stream::iter(chunks)
            .buffer_unordered(self.options.concurrency.max(1))
            .collect::<Vec<Vec<Ended>>>()
            .await
            .into_iter()
            .flatten()
            .collect();
        ended.sort_by_key(|ended| ended.outcome.lines);
        let mut wrote = Wrote {
            outcomes: Vec::with_capacity(ended.len()),
            problems: Vec::new(),
            purpose: None,
            was_stopped: false,
            is_unfinished: false,
            kept: Vec::new(),
            useless: Vec::new(),
        };
        let mut failed: Vec<(LineRange, String)> = Vec::new();
        for Ended { outcome, problem, was_stopped, bill, kept, useless } in ended {
            report.bill += bill;
            wrote.kept.extend(kept);
            wrote.useless.extend(useless);
            wrote.was_stopped |= was_stopped;
            match (problem, failed.last_mut()) {
                // Neighbours that failed for one reason are told as one.
                (Some(problem), Some((lines, known)))
                    if *known == problem && lines.end().plus(1) == outcome.lines.start() =>
                {
                    *lines = LineRange::spanning(lines.start(), outcome.lines.end());
                }
                (Some(problem), _) => failed.push((outcome.lines, problem)),
                (None, _) => {}
            }
            wrote.outcomes.push(outcome);
        }
        let told = |(lines, problem): (LineRange, String)| {
            let place = if lines.count() == 1 { "line" } else { "lines" };
            format!("{place} {lines}: {problem}")
        };
        let cut_short = |outcome: &&ChunkOutcome| outcome.partial.is_some() && outcome.kept < 1.0;
        let unread = wrote.outcomes.iter().filter(cut_short).count();
        if unread > 0 {
            let of = wrote.outcomes.len();
            report.notes.push(format!(
                "a part of {unread} of {of} answers could not be read; `chunks` in its document says which"
            ));
        }
        wrote.problems = failed.into_iter().map(told).collect();
        wrote.purpose = match self.whole_purpose(&wrote.outcomes, work, report).await {
            Ok(purpose) => purpose,
            Err(stopped) => {
                wrote.problems.push(stopped.to_string());
                wrote.is_unfinished = true;
                None
            }
        };
        wrote
    }

    /// Brings a chunk to its end: written, in pieces if need be, or failed.
    fn bring<'a>(
        &'a self,
        work: &'a Work<'a>,
        planned: PlannedChunk,
        level: u8,
    ) -> BoxFuture<'a, Vec<Ended>> {
        Box::pin(async move {
            let planned = &planned;
            let facts = ChunkFacts::new(&work.facts, planned.chunk.lines);
            // A prompt is made when it is soon to be sent, so that not all of a large run wait in memory.
            let turn = work.turns.acquire().await.expect("the turns are never closed");
            let prompt = match self.prompt(work, planned) {
                Ok(prompt) => prompt,
                Err(problem) => return vec![self.ended(planned, &facts, Err(problem), Bill::default())],
            };
            let Call { result, bill } = self.scribe.write(&prompt, &facts).await;
            let (why, error) = match result {
                Err(error @ ScribeError::Truncated) => (TooLarge::Answer, error),
                Err(error @ ScribeError::Overflow(overflow)) => (TooLarge::Prompt(overflow), error),
                other => {
                    let was_stopped = matches!(other, Err(ScribeError::Stopped(_)));
                    let is_useless = matches!(other, Err(ScribeError::Unusable(_)));
                    let useless = if is_useless { self.scribe.question(&prompt) } else { None };
                    let kept = other.is_ok().then(|| work.trace(planned, &prompt));
                    let result = other.map_err(|error| error.to_string());
                    let ended = self.ended(planned, &facts, result, bill);
                    return vec![Ended { was_stopped, useless, kept, ..ended }];
                }
            };
            let smaller = || {
                let measure = work.measure.get_or_init(|| self.planner.measure(work.prepared));
                let expected = measure.answer_tokens(planned.chunk.lines).get();
                // An answer that is cut off though a quarter of its limit was enough will be cut off whatever is asked.
                let hopeless =
                    why == TooLarge::Answer && 4 * expected < self.planner.budget().max_completion().get();
                let goes_on = level < if hopeless { HOPELESS_LEVELS } else { LEVELS };
                goes_on.then(|| self.planner.smaller(work.prepared, measure, planned, why)).flatten()
            };
            let Some(pieces) = smaller() else {
                let problem = format!("{error}, and there is nothing smaller to ask for");
                let useless = self.scribe.question(&prompt);
                return vec![Ended { useless, ..self.ended(planned, &facts, Err(problem), bill) }];
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
    fn prompt(&self, work: &Work<'_>, planned: &PlannedChunk) -> Result<BudgetedPrompt, String> {
        let chunk = &planned.chunk;
        if !chunk.fits {
            return Err(format!(
                "{} tokens, and a prompt holds {} of source; raise scribe.max_prompt_tokens",
                chunk.estimated_tokens, work.plan.source_share
            ));
        }
        let (source, part) = (&work.prepared.source, planned.part);
        let limit = self.planner.budget().max_prompt();
        let rendered =
            self.planner.frame().render(source, chunk, &planned.context, part.index, part.total, limit);
        let prompt = rendered.map_err(|error| error.to_string())?;
        debug_assert_eq!(prompt.tokens(), planned.prompt_tokens, "{}: {}", source.name(), chunk.lines);
        let own = prompt.recalling(Recall { since: work.since, ..Recall::default() });
        let other = work.standing_for(planned, &own).filter(|_| !self.scribe.has_answer(&own));
        Ok(other.filter(|other| self.scribe.has_answer(other)).unwrap_or(own))
    }

    /// Whether what would be written of a chunk is on record.
    pub(crate) fn has_answer(&self, work: &Work<'_>, planned: &PlannedChunk) -> bool {
        self.prompt(work, planned).is_ok_and(|prompt| self.scribe.has_answer(&prompt))
    }

    fn ended(
        &self,
        planned: &PlannedChunk,
        facts: &ChunkFacts<'_>,
        result: Result<Written, String>,
        bill: Bill,
    ) -> Ended {
        let PlannedChunk { chunk, .. } = planned;
        let (id, lines) = (&chunk.chunk_id, chunk.lines);
        let known = (!self.scribe.speaks_for_the_parser()).then(|| StaticScribe.known(facts));
        let (outcome, problem) = match result {
            Ok(Written { partial, notes, kept }) => {
                (ChunkOutcome { notes, kept, ..ChunkOutcome::new(id, lines, Some(partial)) }, None)
            }
            Err(problem) => {
                let notes = vec![problem.clone()];
                (ChunkOutcome { notes, ..ChunkOutcome::new(id, lines, None) }, Some(problem))
            }
        };
        Ended {
            outcome: ChunkOutcome { known, ..outcome },
            problem,
            was_stopped: false,
            bill,
            kept: None,
            useless: None,
        }
    }

    /// What the parts of the purpose come to, where there are several.
    async fn whole_purpose(
        &self,
        outcomes: &[ChunkOutcome],
        work: &Work<'_>,
        report: &mut TicketReport,
    ) -> Result<Option<PartialPurpose>, Stopped> {
        let mut parts: Vec<PartialPurpose> = Vec::new();
        for purpose in outcomes.iter().filter_map(|outcome| outcome.partial.as_ref()?.purpose.as_ref()) {
            let says_more = parts.iter().all(|part| part.summary != purpose.summary);
            if says_more && !purpose.summary.trim().is_empty() {
                parts.push(purpose.clone());
            }
        }
        if parts.len() < 2 {
            return Ok(None);
        }
        let file = work.prepared.source.name();
        let Some(Call { result, bill }) = self.scribe.reconcile(&parts, file, work.since).await else {
            return Ok(None);
        };
        report.bill += bill;
        match result {
            Ok(whole) => Ok(Some(whole)),
            // What a run that was stopped did not ask, the next one will.
            Err(ScribeError::Stopped(stopped)) => Err(stopped),
            Err(error) => {
                report.notes.push(format!("its purpose is put together from its parts: {error}"));
                Ok(None)
            }
        }
    }

    pub(crate) fn merge(
        &self,
        graph: &EstateGraph,
        prepared: &Prepared,
        outcomes: &[ChunkOutcome],
        purpose: Option<PartialPurpose>,
    ) -> Document {
        let author = Author {
            produced_by: self.scribe.produced_by(),
            speaks_for_the_parser: self.scribe.speaks_for_the_parser(),
        };
        let context = context(graph, &KnownBy::of_parsed(prepared.source.name(), &prepared.parsed));
        let estate = Estate { context, purpose };
        let mut document =
            merge(&prepared.source, &prepared.parsed, &prepared.flow, outcomes, author, &estate);
        note_secrets(&mut document, &prepared.secrets, self.options.source.secrets);
        document
    }
}
