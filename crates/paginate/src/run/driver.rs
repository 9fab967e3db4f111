//! The loop that cuts parts, has them processed, and collects the results.

use super::part_asker::{LocatedPartAnswer, PartAsker, PartResult};
use super::{blocking, finished};
use crate::agent::{Agent, MergeMethod, OnFailure};
use crate::audit::Auditor;
use crate::cutter::{CutResult, InputPart, PartCutter, number_of, order_of};
use crate::extractor::{ExtractError, Extractor};
use crate::input::{Input, InputContent, InputError};
use crate::location::place_of_all;
use crate::merge::{GatheredAnswers, InputLocation, MergeRules, MergeStrategy};
use crate::outcome::{ExtractionOutcome, FailedPart, PartTotals};
use crate::paginator::{ExtractionEvent, InputPipeline, PaginateError, PaginateOptions, carry_room, empty, units};
use crate::schema::AnswerSchema;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use war_rig_estimator::TokenCount;
use war_rig_llm::{BudgetedPrompt, StopError, StopReason, UsageTotals};

/// The number of parts cut ahead: enough that no worker waits for counting.
const CUT_AHEAD: usize = 4;

/// How often a part is divided because it exceeds the model's window.
const LEVELS: u32 = 4;

/// How often a part is divided because its answer was truncated: into 64 pieces at most, so that a model that always truncates is not called forever.
const ANSWER_LEVELS: u32 = 6;

/// Parts with fewer tokens are not divided, because they contain too little for such a long answer; but several records are always divided.
const LEAST_DIVIDED: TokenCount = TokenCount::new(64);

/// The messages of the input reader.
enum CutterMessage {
    Begun { total: Option<u64> },
    Cut { cut: CutResult, bytes: u64 },
    Ended { notes: Vec<String> },
}

/// The state of a run.
pub(super) struct RunDriver<E> {
    pub(super) asker: Arc<PartAsker<E>>,
    pub(super) options: PaginateOptions,
    pub(super) schema: AnswerSchema,
    pub(super) auditor: Auditor,
    events: mpsc::Sender<ExtractionEvent>,
    pub(super) gathered: GatheredAnswers,
    /// Dropped parts of answers, by order.
    pub(super) dropped: BTreeMap<u64, Vec<String>>,
    /// Parts without an answer, by order.
    pub(super) failed: BTreeMap<u64, FailedPart>,
    pub(super) totals: PartTotals,
    pub(super) bill: UsageTotals,
    pub(super) stopped: Option<StopError>,
    /// Set when a part's answer comes later.
    pub(super) deferred: Option<StopError>,
    /// The error that ended the input early.
    pub(super) broken: Option<InputError>,
    /// The number of the last part cut.
    last: u64,
}

impl<E: Extractor + 'static> RunDriver<E> {
    /// Runs to the end.
    pub(super) async fn run(
        agent: Arc<Agent>,
        extractor: Arc<E>,
        options: PaginateOptions,
        input: Input,
        events: mpsc::Sender<ExtractionEvent>,
    ) -> Result<ExtractionOutcome, PaginateError> {
        let (name, content) = (input.name().to_owned(), input.content());
        let empty = empty(&input);
        let (of, with) = (Arc::clone(&agent), options.clone());
        let InputPipeline { schema, frame, cutter } = blocking(move || InputPipeline::new(&of, &with, input)).await?;
        let strategy = match options.pagination.merge {
            MergeMethod::Strategy(strategy) => strategy,
            MergeMethod::Program(_) => MergeStrategy::default(),
        };
        let rules =
            MergeRules::of(&agent.schema, strategy).expect("the rules of an agent are looked at when it is read");
        let mut driver = Self {
            auditor: Auditor::new(&agent, content),
            totals: PartTotals { max_prompt_tokens: frame.limit().get(), ..PartTotals::default() },
            asker: Arc::new(PartAsker {
                agent,
                rules,
                extractor,
                frame,
                counter: options.counter.clone(),
                carry_room: carry_room(&options),
            }),
            options,
            schema,
            events,
            gathered: GatheredAnswers::default(),
            dropped: BTreeMap::new(),
            failed: BTreeMap::new(),
            bill: UsageTotals::default(),
            stopped: None,
            deferred: None,
            broken: None,
            last: 0,
        };
        let notes = driver.ask_all(cutter).await;
        driver.outcome(name, notes, empty).await
    }

    /// Processes every part, and returns the input's notes.
    async fn ask_all(&mut self, cutter: PartCutter) -> Vec<String> {
        let (sender, mut cuts) = mpsc::channel(CUT_AHEAD);
        // It ends when the receiver is dropped.
        let reader = tokio::spawn(blocking(move || read(cutter, &sender)));
        let mut notes = Vec::new();
        let mut total = None;
        let mut is_read = false;
        let mut waiting: VecDeque<InputPart> = VecDeque::new();
        let mut in_flight = FuturesUnordered::new();
        loop {
            let goes_on = !self.is_over() && !self.is_settled();
            let width = if self.asker.rules.takes_first_alone() { 1 } else { self.options.width() };
            while goes_on && in_flight.len() < width {
                let Some(part) = waiting.pop_front() else { break };
                in_flight.push(self.ask(part, None));
            }
            let has_room = goes_on && waiting.is_empty() && in_flight.len() < width;
            tokio::select! {
                told = cuts.recv(), if has_room && !is_read => match told {
                    Some(CutterMessage::Begun { total: known }) => total = known,
                    Some(CutterMessage::Cut { cut, bytes }) => {
                        if let Some((part, prompt)) = self.cut(cut) {
                            self.say(ExtractionEvent::Cut { parts: self.last, total, bytes }).await;
                            in_flight.push(self.ask(part, Some(prompt)));
                        }
                    }
                    Some(CutterMessage::Ended { notes: said }) => notes = said,
                    None => is_read = true,
                },
                Some(asked) = in_flight.next(), if !in_flight.is_empty() => {
                    self.answered(asked, &mut waiting).await;
                }
                else => break,
            }
        }
        drop(cuts);
        // The reader ends after it notices that the receiver is gone.
        finished(reader.await);
        if self.is_settled() {
            notes.extend(
                (!is_read).then(|| format!("the answer of part {} stands; no later part was asked", self.last)),
            );
            return notes;
        }
        let is_left = !is_read && total != Some(self.last);
        if is_left && self.is_over() && self.options.pagination.on_failure == OnFailure::Partial {
            let reason = "the run ended before the rest of the input was asked about".to_owned();
            self.fail(
                order_of(self.last + 1),
                FailedPart { part: self.last + 1, place: InputLocation::default(), reason },
            );
        }
        // A failed run has one reason; parts left out because of it are not listed.
        let left = if self.options.pagination.on_failure == OnFailure::Partial { waiting } else { VecDeque::new() };
        for part in left {
            let reason = "the run ended before it was asked about".to_owned();
            let failed = FailedPart { part: part.label.number, place: place_of_all(&part.slice), reason };
            self.fail(part.order, failed);
        }
        notes
    }

    fn ask(&self, part: InputPart, prompt: Option<BudgetedPrompt>) -> impl Future<Output = PartResult> + use<E> {
        let carries = self.options.carries() && !self.gathered.is_empty();
        let so_far = carries.then(|| self.gathered.clone());
        Arc::clone(&self.asker).ask(part, prompt, so_far)
    }

    /// Whether the answer is known whatever later parts would say.
    fn is_settled(&self) -> bool {
        self.asker.rules.takes_first_alone() && self.gathered.answers().any(|(_, value)| !value.is_null())
    }

    /// Whether no further part is processed.
    fn is_over(&self) -> bool {
        let fails = self.options.pagination.on_failure == OnFailure::Fail && !self.failed.is_empty();
        // What the next part is asked may depend on what this one says.
        let waits = self.deferred.is_some() && (self.options.carries() || self.asker.rules.takes_first_alone());
        self.stopped.is_some() || fails || waits
    }

    /// Handles a cut; returns a part to process, if it is one.
    fn cut(&mut self, cut: CutResult) -> Option<(InputPart, BudgetedPrompt)> {
        match cut {
            CutResult::Part(part, prompt) => {
                self.last = number_of(part.order);
                self.auditor.scan(&part.slice);
                self.totals.parts += 1;
                if part.slice.kind != InputContent::Text {
                    self.totals.units = self.totals.units.max(units(&part.slice));
                }
                Some((*part, prompt))
            }
            CutResult::Failed(failed) => {
                self.last = failed.part;
                self.totals.parts += 1;
                let unit = failed.place.pages.or(failed.place.records);
                self.totals.units = self.totals.units.max(unit.map_or(0, |(_, last)| last));
                self.fail(order_of(failed.part), failed);
                None
            }
            CutResult::Broken(error) => {
                self.last += 1;
                self.totals.parts += 1;
                let failed = FailedPart { part: self.last, place: error.kind.place(), reason: error.to_string() };
                self.fail(order_of(self.last), failed);
                self.broken.get_or_insert(error);
                None
            }
        }
    }

    fn fail(&mut self, order: u64, failed: FailedPart) {
        // A piece and its sibling may have the same order; the first reason counts.
        self.failed.entry(order).or_insert(failed);
    }

    /// Handles the result of a part.
    async fn answered(&mut self, asked: PartResult, waiting: &mut VecDeque<InputPart>) {
        let PartResult { part, prompt, bill, result } = asked;
        self.bill += bill;
        let (number, order) = (part.label.number, part.order);
        let place = place_of_all(&part.slice);
        match result {
            Ok(LocatedPartAnswer { gathered, dropped }) => {
                self.totals.answered += 1;
                let prompt_tokens = prompt.map_or(0, |prompt| prompt.tokens().get());
                self.totals.prompt_tokens += prompt_tokens;
                self.totals.largest_prompt_tokens = self.totals.largest_prompt_tokens.max(prompt_tokens);
                self.gathered = std::mem::take(&mut self.gathered).union(gathered);
                if !dropped.is_empty() {
                    self.dropped.insert(order, dropped);
                }
                self.say(ExtractionEvent::Answered { part: number, answered: self.totals.answered }).await;
            }
            Err(ExtractError::TooLong(overflow)) => {
                let levels = if overflow.is_some() { LEVELS } else { ANSWER_LEVELS };
                let is_little = part.slice.tokens < LEAST_DIVIDED && part.slice.kind != InputContent::Records;
                let is_small = part.depth >= levels || is_little;
                let halves = if is_small { None } else { part.halves(&self.options.counter) };
                match halves {
                    Some([first, second]) => {
                        self.totals.parts += 1;
                        waiting.push_front(second);
                        waiting.push_front(first);
                        self.say(ExtractionEvent::Split { part: number }).await;
                    }
                    None => {
                        let what = match overflow {
                            Some(_) => "the model's window does not hold it",
                            None => "its answer is longer than an answer may be",
                        };
                        let reason = format!("{what}, and it cannot be divided further");
                        self.failed_part(order, prompt, FailedPart { part: number, place, reason }).await;
                    }
                }
            }
            Err(ExtractError::Unusable(reason)) => {
                self.failed_part(order, prompt, FailedPart { part: number, place, reason }).await;
            }
            Err(ExtractError::Stopped(stopped)) if stopped.reason == StopReason::Deferred => {
                self.deferred.get_or_insert(stopped);
            }
            Err(ExtractError::Stopped(stopped)) => {
                let reason = stopped.to_string();
                self.stopped.get_or_insert(stopped);
                self.fail(order, FailedPart { part: number, place, reason });
            }
        }
    }

    async fn failed_part(&mut self, order: u64, prompt: Option<BudgetedPrompt>, failed: FailedPart) {
        prompt.iter().for_each(|prompt| self.asker.extractor.forget(prompt));
        self.say(ExtractionEvent::Failed { part: failed.part, reason: failed.reason.clone() }).await;
        self.fail(order, failed);
    }

    /// Sends an event; a missing consumer is ignored.
    pub(super) async fn say(&self, event: ExtractionEvent) {
        let _ = self.events.send(event).await;
    }
}

/// Cuts the input until the receiver is dropped.
fn read(mut cutter: PartCutter, sender: &mpsc::Sender<CutterMessage>) {
    let tell = |told| sender.blocking_send(told).is_ok();
    if !tell(CutterMessage::Begun { total: cutter.total() }) {
        return;
    }
    while let Some(cut) = cutter.next() {
        let bytes = cutter.bytes_read();
        if !tell(CutterMessage::Cut { cut, bytes }) {
            return;
        }
    }
    tell(CutterMessage::Ended { notes: cutter.notes() });
}
