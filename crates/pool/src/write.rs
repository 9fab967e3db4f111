//! From a plan to what was written of each chunk.
//!
//! Chunks of a file are asked for at the same time; what is in flight over all files, the model's gate decides. A chunk whose answer was
//! cut off, or whose prompt the model's window does not hold, is cut smaller and its pieces are asked for, at most four times over. What
//! could not be written has its reason, and the parser's words take its place.

use crate::context::{KnownBy, context};
use crate::plan::{PlannedChunk, SourcePlan, TooLarge};
use crate::read::{Prepared, Sources};
use crate::report::TicketReport;
use crate::run::{DocumentSink, Workers};
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::OnceLock;
use tokio::sync::Semaphore;
use war_rig_chunker::SourceMeasure;
use war_rig_cobol::Secret;
use war_rig_llm::{Bill, BudgetedPrompt};
use war_rig_merger::{Author, ChunkOutcome, Estate, merge};
use war_rig_scribe::{Call, ChunkFacts, FileFacts, Scribe, ScribeError, StaticScribe, Written};
use war_rig_template::{Document, PartialPurpose};
use war_rig_text::LineRange;

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
}

/// One chunk with what became of it.
struct Ended {
    outcome: ChunkOutcome,
    problem: Option<String>,
    was_stopped: bool,
    bill: Bill,
}

/// A file in work.
struct Work<'a> {
    prepared: &'a Prepared,
    plan: &'a SourcePlan,
    facts: FileFacts<'a>,
    /// Chunks of all files that may be at the Scribe, or soon be.
    turns: &'a Semaphore,
    /// What its lines cost; made when a chunk has to be smaller.
    measure: OnceLock<SourceMeasure>,
}

impl<S: Scribe, P: Sources, D: DocumentSink> Workers<S, P, D> {
    /// Has every chunk written.
    pub(crate) async fn write(
        &self,
        prepared: &Prepared,
        plan: &SourcePlan,
        turns: &Semaphore,
        report: &mut TicketReport,
    ) -> Wrote {
        let facts = FileFacts::new(&prepared.source, &prepared.parsed, &prepared.flow);
        let work = Work { prepared, plan, facts, turns, measure: OnceLock::new() };
        let work = &work;
        let chunks = plan.chunks.iter().map(|planned| self.bring(work, planned.clone(), 0));
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
        };
        let mut failed: Vec<(LineRange, String)> = Vec::new();
        for Ended { outcome, problem, was_stopped, bill } in ended {
            report.bill += bill;
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
        wrote.purpose = self.whole_purpose(&wrote.outcomes, prepared, report).await;
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
                    let result = other.map_err(|error| error.to_string());
                    return vec![Ended { was_stopped, ..self.ended(planned, &facts, result, bill) }];
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
                return vec![self.ended(planned, &facts, Err(problem), bill)];
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
        Ok(prompt)
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
        Ended { outcome: ChunkOutcome { known, ..outcome }, problem, was_stopped: false, bill }
    }

    /// What the parts of the purpose come to, where there are several.
    async fn whole_purpose(
        &self,
        outcomes: &[ChunkOutcome],
        prepared: &Prepared,
        report: &mut TicketReport,
    ) -> Option<PartialPurpose> {
        let mut parts: Vec<PartialPurpose> = Vec::new();
        for purpose in outcomes.iter().filter_map(|outcome| outcome.partial.as_ref()?.purpose.as_ref()) {
            let says_more = parts.iter().all(|part| part.summary != purpose.summary);
            if says_more && !purpose.summary.trim().is_empty() {
                parts.push(purpose.clone());
            }
        }
        if parts.len() < 2 {
            return None;
        }
        let Call { result, bill } = self.scribe.reconcile(&parts, prepared.source.name()).await?;
        report.bill += bill;
        result
            .map_err(|error| {
                report.notes.push(format!("its purpose is put together from its parts: {error}"))
            })
            .ok()
    }

    pub(crate) fn merge(
        &self,
        prepared: &Prepared,
        outcomes: &[ChunkOutcome],
        purpose: Option<PartialPurpose>,
    ) -> Document {
        let author = Author {
            produced_by: self.scribe.produced_by(),
            speaks_for_the_parser: self.scribe.speaks_for_the_parser(),
        };
        let context = context(&self.graph, &KnownBy::of_parsed(prepared.source.name(), &prepared.parsed));
        let estate = Estate { context, purpose };
        let mut document =
            merge(&prepared.source, &prepared.parsed, &prepared.flow, outcomes, author, &estate);
        self.note_secrets(&mut document, &prepared.secrets);
        document
    }

    /// Says in a document which secrets its source holds.
    pub(crate) fn note_secrets(&self, document: &mut Document, secrets: &[Secret]) {
        let policy = self.options.source.secrets;
        let note = |secret: &Secret| format!("line {}: {}", secret.line(), policy.notice(secret));
        document.header.notes.extend(secrets.iter().map(note));
    }
}
