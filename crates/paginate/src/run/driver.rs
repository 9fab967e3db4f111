//! The loop that cuts parts, has them asked about, and takes what comes.

use super::ask::{Answered, Asked, Asker};
use super::blocking;
use crate::agent::{Agent, MergeBy, OnFailure};
use crate::audit::Auditor;
use crate::cut::{Cut, Cutter, Part, number_of, order_of};
use crate::extractor::{ExtractError, Extractor};
use crate::input::{Content, Input, InputError};
use crate::merge::{Gathered, Place, Rules, Strategy};
use crate::outcome::{FailedPart, Outcome, PartTotals};
use crate::paginator::{PaginateError, PaginateOptions, Progress, Way, carry_room, empty, units};
use crate::place::place_of_all;
use crate::schema::AnswerSchema;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use war_rig_estimator::TokenCount;
use war_rig_llm::{BudgetedPrompt, StopError, UsageTotals};

/// How many parts are cut and wait to be asked about: enough that nobody waits for one to be counted.
const CUT_AHEAD: usize = 4;

/// How often a part is divided because the model's window does not hold it.
const LEVELS: u32 = 4;

/// How often a part is divided because its answer was cut off: into 64 pieces at most, or whoever always cuts answers off would be asked without end.
const ANSWER_LEVELS: u32 = 6;

/// A part of fewer tokens than this is not divided, for it says too little to be answered at such length; but records are, one from the other.
const LEAST_DIVIDED: TokenCount = TokenCount::new(64);

/// What the reader of the input tells.
enum Told {
    Begun { total: Option<u64> },
    Cut { cut: Cut, bytes: u64 },
    Ended { notes: Vec<String> },
}

/// A run on its way.
pub(super) struct Driver<E> {
    pub(super) asker: Arc<Asker<E>>,
    pub(super) options: PaginateOptions,
    pub(super) schema: AnswerSchema,
    pub(super) auditor: Auditor,
    events: mpsc::Sender<Progress>,
    pub(super) gathered: Gathered,
    /// What could not be used, by order.
    pub(super) dropped: BTreeMap<u64, Vec<String>>,
    /// Parts without an answer, by order.
    pub(super) failed: BTreeMap<u64, FailedPart>,
    pub(super) totals: PartTotals,
    pub(super) bill: UsageTotals,
    pub(super) stopped: Option<StopError>,
    /// Why the input could not be read to its end.
    pub(super) broken: Option<InputError>,
    /// The last part that was cut.
    last: u64,
}

impl<E: Extractor + 'static> Driver<E> {
    /// Runs to the end.
    pub(super) async fn run(
        agent: Arc<Agent>,
        extractor: Arc<E>,
        options: PaginateOptions,
        input: Input,
        events: mpsc::Sender<Progress>,
    ) -> Result<Outcome, PaginateError> {
        let (name, content) = (input.name().to_owned(), input.content());
        let empty = empty(&input);
        let (of, with) = (Arc::clone(&agent), options.clone());
        let Way { schema, frame, cutter } = blocking(move || Way::new(&of, &with, input)).await?;
        let strategy = match options.pagination.merge {
            MergeBy::Strategy(strategy) => strategy,
            MergeBy::Program(_) => Strategy::default(),
        };
        let rules =
            Rules::of(&agent.schema, strategy).expect("the rules of an agent are looked at when it is read");
        let mut driver = Self {
            auditor: Auditor::new(&agent, content),
            totals: PartTotals { max_prompt_tokens: frame.limit().get(), ..PartTotals::default() },
            asker: Arc::new(Asker {
                agent,
                rules,
                extractor,
                frame,
                counter: options.counter.clone(),
                content,
                carry_room: carry_room(&options),
            }),
            options,
            schema,
            events,
            gathered: Gathered::default(),
            dropped: BTreeMap::new(),
            failed: BTreeMap::new(),
            bill: UsageTotals::default(),
            stopped: None,
            broken: None,
            last: 0,
        };
        let notes = driver.ask_all(cutter).await;
        driver.outcome(name, notes, empty).await
    }

    /// Asks about every part, and gives what the input has to say of itself.
    async fn ask_all(&mut self, cutter: Cutter) -> Vec<String> {
        let (sender, mut cuts) = mpsc::channel(CUT_AHEAD);
        // Ends by itself when nobody takes what it cuts.
        let reader = tokio::spawn(blocking(move || read(cutter, &sender)));
        let mut notes = Vec::new();
        let mut total = None;
        let mut is_read = false;
        let mut waiting: VecDeque<Part> = VecDeque::new();
        let mut in_flight = FuturesUnordered::new();
        loop {
            let goes_on = !self.is_over();
            while goes_on && in_flight.len() < self.options.width() {
                let Some(part) = waiting.pop_front() else { break };
                in_flight.push(self.ask(part, None));
            }
            let has_room = goes_on && waiting.is_empty() && in_flight.len() < self.options.width();
            tokio::select! {
                told = cuts.recv(), if has_room && !is_read => match told {
                    Some(Told::Begun { total: known }) => total = known,
                    Some(Told::Cut { cut, bytes }) => {
                        if let Some((part, prompt)) = self.cut(cut) {
                            self.say(Progress::Cut { parts: self.last, total, bytes }).await;
                            in_flight.push(self.ask(part, Some(prompt)));
                        }
                    }
                    Some(Told::Ended { notes: said }) => notes = said,
                    None => is_read = true,
                },
                Some(asked) = in_flight.next(), if !in_flight.is_empty() => {
                    self.answered(asked, &mut waiting).await;
                }
                else => break,
            }
        }
        drop(cuts);
        // Until it has seen that nobody takes more.
        if let Err(error) = reader.await {
            std::panic::resume_unwind(error.into_panic());
        }
        let is_left = !is_read && total != Some(self.last);
        if is_left && self.is_over() && self.options.pagination.on_failure == OnFailure::Partial {
            let reason = "the run ended before the rest of the input was asked about".to_owned();
            self.fail(
                order_of(self.last + 1),
                FailedPart { part: self.last + 1, place: Place::default(), reason },
            );
        }
        // Without an answer there is one reason to give, and that is not what was left because of it.
        let left =
            if self.options.pagination.on_failure == OnFailure::Partial { waiting } else { VecDeque::new() };
        for part in left {
            let reason = "the run ended before it was asked about".to_owned();
            let failed = FailedPart {
                part: part.label.number,
                place: place_of_all(&part.slice, self.asker.content),
                reason,
            };
            self.fail(part.order, failed);
        }
        notes
    }

    fn ask(&self, part: Part, prompt: Option<BudgetedPrompt>) -> impl Future<Output = Asked> + use<E> {
        let carries = self.options.carries() && !self.gathered.is_empty();
        let so_far = carries.then(|| self.gathered.clone());
        Arc::clone(&self.asker).ask(part, prompt, so_far)
    }

    /// Whether nothing further is asked.
    fn is_over(&self) -> bool {
        let fails = self.options.pagination.on_failure == OnFailure::Fail && !self.failed.is_empty();
        self.stopped.is_some() || fails
    }

    /// Takes what was cut; a part to be asked about, if it is one.
    fn cut(&mut self, cut: Cut) -> Option<(Part, BudgetedPrompt)> {
        match cut {
            Cut::Part(part, prompt) => {
                self.last = number_of(part.order);
                self.auditor.see(&part.slice);
                self.totals.parts += 1;
                if self.asker.content != Content::Text {
                    self.totals.units = self.totals.units.max(units(&part.slice));
                }
                Some((*part, prompt))
            }
            Cut::Failed(failed) => {
                self.last = failed.part;
                self.totals.parts += 1;
                let unit = failed.place.pages.or(failed.place.records);
                self.totals.units = self.totals.units.max(unit.map_or(0, |(_, last)| last));
                self.fail(order_of(failed.part), failed);
                None
            }
            Cut::Broken(error) => {
                self.last += 1;
                self.totals.parts += 1;
                let failed =
                    FailedPart { part: self.last, place: error.kind.place(), reason: error.to_string() };
                self.fail(order_of(self.last), failed);
                self.broken.get_or_insert(error);
                None
            }
        }
    }

    fn fail(&mut self, order: u64, failed: FailedPart) {
        // A piece and what stands beside it may have the same order; the first reason is the one that counts.
        self.failed.entry(order).or_insert(failed);
    }

    /// Takes what came of a part.
    async fn answered(&mut self, asked: Asked, waiting: &mut VecDeque<Part>) {
        let Asked { part, prompt, bill, result } = asked;
        self.bill += bill;
        let (number, order) = (part.label.number, part.order);
        let place = place_of_all(&part.slice, self.asker.content);
        match result {
            Ok(Answered { gathered, dropped }) => {
                self.totals.answered += 1;
                let prompt_tokens = prompt.map_or(0, |prompt| prompt.tokens().get());
                self.totals.prompt_tokens += prompt_tokens;
                self.totals.largest_prompt_tokens = self.totals.largest_prompt_tokens.max(prompt_tokens);
                self.gathered = std::mem::take(&mut self.gathered).and(gathered);
                if !dropped.is_empty() {
                    self.dropped.insert(order, dropped);
                }
                self.say(Progress::Answered { part: number, answered: self.totals.answered }).await;
            }
            Err(ExtractError::TooLong(overflow)) => {
                let levels = if overflow.is_some() { LEVELS } else { ANSWER_LEVELS };
                let is_little = part.slice.tokens < LEAST_DIVIDED && self.asker.content != Content::Records;
                let is_small = part.depth >= levels || is_little;
                let halves = if is_small { None } else { part.halves(&self.options.counter) };
                match halves {
                    Some([first, second]) => {
                        self.totals.parts += 1;
                        waiting.push_front(second);
                        waiting.push_front(first);
                        self.say(Progress::Split { part: number }).await;
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
            Err(ExtractError::Stopped(stopped)) => {
                let reason = stopped.to_string();
                self.stopped.get_or_insert(stopped);
                self.fail(order, FailedPart { part: number, place, reason });
            }
        }
    }

    async fn failed_part(&mut self, order: u64, prompt: Option<BudgetedPrompt>, failed: FailedPart) {
        prompt.iter().for_each(|prompt| self.asker.extractor.forget(prompt));
        self.say(Progress::Failed { part: failed.part, reason: failed.reason.clone() }).await;
        self.fail(order, failed);
    }

    /// Nobody need look.
    pub(super) async fn say(&self, event: Progress) {
        let _ = self.events.send(event).await;
    }
}

/// Cuts the input for as long as somebody takes what is cut.
fn read(mut cutter: Cutter, sender: &mpsc::Sender<Told>) {
    let tell = |told| sender.blocking_send(told).is_ok();
    if !tell(Told::Begun { total: cutter.total() }) {
        return;
    }
    while let Some(cut) = cutter.next() {
        let bytes = cutter.bytes_read();
        if !tell(Told::Cut { cut, bytes }) {
            return;
        }
    }
    tell(Told::Ended { notes: cutter.notes() });
}
