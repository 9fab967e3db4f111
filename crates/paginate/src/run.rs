//! A run: parts are asked about, their answers gathered, and one answer is made of them.
//!
//! Properties: no more than a few parts are in memory, however large the input. Answers are gathered by the number of their part, so that the order in which they
//! come does not show. What was asked is brought to its end, also where the run is to stop, because it is paid for. Races: which parts are still asked about
//! after another has failed depends on how soon that is known. Accepted: a run that is dropped loses what is in flight, and nothing that a journal holds.

use crate::agent::{Agent, MergeBy, OnFailure};
use crate::audit::Auditor;
use crate::cut::{Cut, Cutter, Part, number_of, order_of};
use crate::extractor::{ExtractError, Extracted, Extractor};
use crate::input::{Content, Input, InputError};
use crate::locate::Locator;
use crate::outcome::{FailedPart, Outcome, OutcomeStatus, PartNote, PartTotals};
use crate::paginator::{PaginateError, PaginateOptions, Progress, Way, carry_room, units};
use crate::place::whole;
use crate::prompt::Frame;
use crate::schema::AnswerSchema;
use crate::{carry, summary};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use war_rig_llm::{Bill, BudgetedPrompt, Stopped};
use war_rig_merger::{Gathered, Merged, PartAnswer, Place};

/// How many parts are cut and wait to be asked about: enough that nobody waits for one to be counted.
const CUT_AHEAD: usize = 4;

/// How many events wait to be looked at; a run waits for whoever looks at them.
const EVENTS: usize = 64;

/// How often a part is divided because the model's window does not hold it.
const LEVELS: u32 = 4;

/// A run under way. Dropping it ends it.
pub struct Run {
    events: mpsc::Receiver<Progress>,
    task: Option<JoinHandle<Result<Outcome, PaginateError>>>,
}

impl Run {
    pub(crate) fn begin<E: Extractor + 'static>(
        agent: Arc<Agent>,
        extractor: Arc<E>,
        options: PaginateOptions,
        input: Input,
    ) -> Self {
        let (sender, events) = mpsc::channel(EVENTS);
        let task = tokio::spawn(async move { Driver::run(agent, extractor, options, input, sender).await });
        Self { events, task: Some(task) }
    }

    /// What happened next; none when all is done.
    pub async fn progress(&mut self) -> Option<Progress> {
        self.events.recv().await
    }

    /// What the run came to. Waits for its end.
    ///
    /// # Errors
    /// [`PaginateError`].
    ///
    /// # Panics
    /// When the run has, with its panic.
    pub async fn outcome(mut self) -> Result<Outcome, PaginateError> {
        while self.progress().await.is_some() {}
        let task = self.task.take().expect("only this takes the task");
        match task.await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// What the reader of the input tells.
enum Told {
    Begun { total: Option<u64> },
    Cut { cut: Cut, bytes: u64 },
    Ended { notes: Vec<String> },
}

/// What came of a part.
struct Asked {
    part: Part,
    prompt_tokens: u64,
    bill: Bill,
    result: Result<Answered, ExtractError>,
}

/// An answer, ready to be put to the others.
struct Answered {
    /// None where a program merges and nothing is carried.
    gathered: Option<Gathered>,
    /// None where no program merges.
    value: Option<Value>,
    dropped: Vec<String>,
}

struct Driver<E> {
    agent: Arc<Agent>,
    extractor: Arc<E>,
    options: PaginateOptions,
    frame: Frame,
    schema: AnswerSchema,
    content: Content,
    events: mpsc::Sender<Progress>,
    auditor: Auditor,
    gathered: Option<Gathered>,
    values: BTreeMap<u64, Value>,
    dropped: BTreeMap<u64, Vec<String>>,
    failed: BTreeMap<u64, FailedPart>,
    totals: PartTotals,
    bill: Bill,
    stopped: Option<Stopped>,
    /// Why the input could not be read to its end.
    broken: Option<InputError>,
    /// The last part that was cut.
    last: u64,
}

impl<E: Extractor + 'static> Driver<E> {
    async fn run(
        agent: Arc<Agent>,
        extractor: Arc<E>,
        options: PaginateOptions,
        input: Input,
        events: mpsc::Sender<Progress>,
    ) -> Result<Outcome, PaginateError> {
        let (name, content) = (input.name().to_owned(), input.content());
        let (of, with) = (Arc::clone(&agent), options.clone());
        let way = spawn_blocking(move || Way::new(&of, &with, input)).await.map_err(resumed)?;
        let Way { schema, frame, cutter } = way?;
        let totals = PartTotals { max_prompt_tokens: frame.limit().get(), ..PartTotals::default() };
        let mut driver = Self {
            auditor: Auditor::new(&agent, content),
            agent,
            extractor,
            options,
            frame,
            schema,
            content,
            events,
            gathered: None,
            values: BTreeMap::new(),
            dropped: BTreeMap::new(),
            failed: BTreeMap::new(),
            totals,
            bill: Bill::default(),
            stopped: None,
            broken: None,
            last: 0,
        };
        let notes = driver.ask_all(cutter).await;
        driver.outcome(name, notes).await
    }

    /// Asks about every part, and gives what the input has to say of itself.
    async fn ask_all(&mut self, cutter: Cutter) -> Vec<String> {
        let (sender, mut cuts) = mpsc::channel(CUT_AHEAD);
        // Ends by itself when nobody takes what it cuts.
        let reader = spawn_blocking(move || read(cutter, &sender));
        let mut notes = Vec::new();
        let mut total = None;
        let mut is_read = false;
        let mut waiting: VecDeque<Part> = VecDeque::new();
        let mut in_flight = FuturesUnordered::new();
        loop {
            let goes_on = !self.is_over();
            while goes_on && in_flight.len() < self.options.width() {
                let Some(part) = waiting.pop_front() else { break };
                in_flight.push(self.asking(part, None));
            }
            let has_room = goes_on && waiting.is_empty() && in_flight.len() < self.options.width();
            tokio::select! {
                told = cuts.recv(), if has_room && !is_read => match told {
                    Some(Told::Begun { total: known }) => total = known,
                    Some(Told::Cut { cut, bytes }) => {
                        if let Some((part, prompt)) = self.cut(cut) {
                            self.say(Progress::Cut { parts: self.last, total, bytes }).await;
                            in_flight.push(self.asking(part, Some(prompt)));
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
            resumed(error);
        }
        if !is_read && self.is_over() && self.options.pagination.on_failure == OnFailure::Partial {
            let reason = "the run ended before the rest of the input was asked about".to_owned();
            self.fail(
                order_of(self.last + 1),
                FailedPart { part: self.last + 1, place: Place::default(), reason },
            );
        }
        for part in waiting {
            let reason = "the run ended before it was asked about".to_owned();
            let failed =
                FailedPart { part: part.label.number, place: whole(&part.slice, self.content), reason };
            self.fail(part.order, failed);
        }
        notes
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
                self.last = part.label.number;
                self.auditor.see(&part.slice);
                self.totals.parts += 1;
                if self.content != Content::Text {
                    self.totals.units = self.totals.units.max(units(&part.slice));
                }
                Some((*part, prompt))
            }
            Cut::Failed(failed) => {
                self.last = failed.part;
                self.totals.parts += 1;
                self.fail(order_of(failed.part), failed);
                None
            }
            Cut::Broken(error) => {
                self.last += 1;
                let failed =
                    FailedPart { part: self.last, place: Place::default(), reason: error.to_string() };
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

    /// Asks about a part. A piece of one has no prompt yet.
    fn asking(&self, part: Part, prompt: Option<BudgetedPrompt>) -> impl Future<Output = Asked> + use<E> {
        let so_far = self.options.carries().then(|| self.gathered.clone()).flatten();
        let (extractor, frame) = (Arc::clone(&self.extractor), self.frame.clone());
        let (agent, counter) = (Arc::clone(&self.agent), self.options.counter.clone());
        let room = carry_room(&self.options);
        let asks = Asks {
            merges: matches!(self.options.pagination.merge, MergeBy::Strategy(_)) || self.options.carries(),
            keeps: matches!(self.options.pagination.merge, MergeBy::Program(_)),
            content: self.content,
        };
        async move {
            let mut bill = Bill::default();
            let rendered = match prompt.filter(|_| so_far.is_none()) {
                Some(prompt) => Ok((part, prompt)),
                None => {
                    let agent = Arc::clone(&agent);
                    let work = move || {
                        let merged = so_far.map(|so_far| so_far.merged(&agent.rules).value);
                        let text = merged.map(|value| carry::text(value, &counter, room));
                        match frame.render(&part.slice, part.label, text.as_deref()) {
                            Ok(prompt) => Ok((part, prompt)),
                            Err(_) => Err(part),
                        }
                    };
                    spawn_blocking(work)
                        .await
                        .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
                }
            };
            let (part, prompt) = match rendered {
                Ok(rendered) => rendered,
                Err(part) => {
                    let result = Err(ExtractError::TooLong(None));
                    return Asked { part, prompt_tokens: 0, bill, result };
                }
            };
            let prompt_tokens = prompt.tokens().get();
            match extractor.extract(&prompt, &part.slice, &mut bill).await {
                Ok(extracted) => {
                    let work = move || {
                        let answered = asks.answered(&agent, &part, extracted);
                        (part, answered)
                    };
                    let done = spawn_blocking(work).await;
                    let (part, answered) =
                        done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
                    Asked { part, prompt_tokens, bill, result: Ok(answered) }
                }
                Err(error) => Asked { part, prompt_tokens, bill, result: Err(error) },
            }
        }
    }

    /// Takes what came of a part.
    async fn answered(&mut self, asked: Asked, waiting: &mut VecDeque<Part>) {
        let Asked { part, prompt_tokens, bill, result } = asked;
        self.bill += bill;
        let (number, order) = (part.label.number, part.order);
        let place = whole(&part.slice, self.content);
        match result {
            Ok(Answered { gathered, value, dropped }) => {
                self.totals.answered += 1;
                self.totals.prompt_tokens += prompt_tokens;
                self.totals.largest_prompt_tokens = self.totals.largest_prompt_tokens.max(prompt_tokens);
                self.gathered = match (self.gathered.take(), gathered) {
                    (Some(all), Some(one)) => Some(all.and(one)),
                    (all, one) => all.or(one),
                };
                if let Some(value) = value {
                    self.values.insert(order, value);
                }
                if !dropped.is_empty() {
                    self.dropped.insert(order, dropped);
                }
                self.say(Progress::Answered { part: number, answered: self.totals.answered }).await;
            }
            Err(ExtractError::TooLong(overflow)) => {
                let is_deep = overflow.is_some() && part.depth >= LEVELS;
                let halves = if is_deep { None } else { part.halves(&self.options.counter) };
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
                        self.failed_part(order, FailedPart { part: number, place, reason }).await;
                    }
                }
            }
            Err(ExtractError::Unusable(reason)) => {
                self.failed_part(order, FailedPart { part: number, place, reason }).await;
            }
            Err(ExtractError::Stopped(stopped)) => {
                let reason = stopped.to_string();
                self.stopped.get_or_insert(stopped);
                self.fail(order, FailedPart { part: number, place, reason });
            }
        }
    }

    async fn failed_part(&mut self, order: u64, failed: FailedPart) {
        self.say(Progress::Failed { part: failed.part, reason: failed.reason.clone() }).await;
        self.fail(order, failed);
    }

    /// Nobody need look.
    async fn say(&self, event: Progress) {
        let _ = self.events.send(event).await;
    }

    /// One answer of all.
    async fn outcome(mut self, input: String, notes: Vec<String>) -> Result<Outcome, PaginateError> {
        let partial = self.options.pagination.on_failure == OnFailure::Partial;
        if let Some(stopped) = self.stopped.clone().filter(|_| !partial || self.totals.answered == 0) {
            return Err(PaginateError::Stopped(stopped));
        }
        if let Some(broken) = self.broken.take().filter(|_| !partial || self.totals.answered == 0) {
            return Err(PaginateError::Input(broken));
        }
        if self.totals.parts == 0 {
            return Err(PaginateError::Empty(input));
        }
        if let Some(failed) = self.failed.values().next().filter(|_| !partial || self.totals.answered == 0) {
            return Err(PaginateError::Part { part: failed.part, reason: failed.reason.clone() });
        }
        let mut merged = self.merged().await?;
        let mut summed = Vec::new();
        for texts in std::mem::take(&mut merged.summaries) {
            let count = texts.texts.len() as u64;
            if !summary::is_too_long(&texts, &self.options) {
                continue;
            }
            self.say(Progress::Summing { texts: count }).await;
            match summary::one(
                &texts.texts,
                &self.frame,
                self.extractor.as_ref(),
                &self.options,
                &mut self.bill,
            )
            .await
            {
                Ok(Some(text)) => {
                    if let Some(place) = merged.value.pointer_mut(&texts.path) {
                        *place = Value::String(text);
                    }
                }
                // Whoever cannot write leaves the texts as they were put together.
                Ok(None) => {}
                Err(ExtractError::Stopped(stopped)) if !partial => {
                    return Err(PaginateError::Stopped(stopped));
                }
                Err(error) => {
                    if let ExtractError::Stopped(stopped) = &error {
                        self.stopped.get_or_insert(stopped.clone());
                    }
                    let reason = format!("{} could not be summed up: {}", texts.path, summary::why(&error));
                    if !partial {
                        return Err(PaginateError::Summary(reason));
                    }
                    summed.push(reason);
                }
            }
        }
        let audit = self.auditor.held_against(&merged.value);
        let dropped = self.dropped.iter().flat_map(|(order, notes)| {
            notes.iter().map(|note| PartNote { part: number_of(*order), note: note.clone() })
        });
        let status = match self.failed.is_empty() && summed.is_empty() {
            true => OutcomeStatus::Complete,
            false => OutcomeStatus::Partial,
        };
        Ok(Outcome {
            status,
            agent: self.agent.name.clone(),
            input,
            produced_by: self.extractor.produced_by().to_owned(),
            violations: self.schema.violations(&merged.value),
            answer: merged.value,
            provenance: merged.provenance,
            conflicts: merged.conflicts,
            joined: merged.joined,
            discarded: merged.discarded,
            dropped: dropped.collect(),
            failed: self.failed.into_values().collect(),
            audit,
            parts: self.totals,
            notes: notes.into_iter().chain(summed).collect(),
            bill: self.bill,
            stopped: self.stopped,
        })
    }

    async fn merged(&mut self) -> Result<Merged, PaginateError> {
        let values = std::mem::take(&mut self.values);
        let gathered = self.gathered.take();
        match &self.options.pagination.merge {
            MergeBy::Strategy(_) => {
                let agent = Arc::clone(&self.agent);
                let work = move || {
                    let gathered = gathered.expect("a part that was answered is gathered");
                    in_parts(gathered.merged(&agent.rules))
                };
                spawn_blocking(work).await.map_err(resumed)
            }
            MergeBy::Program(_) => {
                let custom = self.options.custom.clone();
                let custom = custom.ok_or_else(|| PaginateError::Program("nobody runs it".to_owned()))?;
                let work = move || custom.merge(&values.into_values().collect::<Vec<_>>());
                let value = spawn_blocking(work).await.map_err(resumed)?.map_err(PaginateError::Program)?;
                Ok(Merged { value, ..Merged::default() })
            }
        }
    }
}

/// What is made of an answer.
#[derive(Clone, Copy)]
struct Asks {
    merges: bool,
    keeps: bool,
    content: Content,
}

impl Asks {
    fn answered(self, agent: &Agent, part: &Part, extracted: Extracted) -> Answered {
        let Extracted { value, dropped } = extracted;
        let kept = self.keeps.then(|| value.clone());
        let gathered = self.merges.then(|| {
            let locator = Locator::new(&part.slice, self.content, part.order);
            let weight = match self.content {
                Content::Text => part.slice.text.chars().count(),
                Content::Records | Content::Pages => part.slice.marks.len(),
            };
            let answer = PartAnswer { number: part.order, weight: weight as u64, value };
            Gathered::of(&agent.rules, answer, &locator)
        });
        Answered { gathered, value: kept, dropped }
    }
}

/// What was merged by order, with the parts that people know.
fn in_parts(mut merged: Merged) -> Merged {
    let origins = merged.provenance.iter_mut().flat_map(|provenance| &mut provenance.origins);
    origins.for_each(|origin| origin.part = number_of(origin.part));
    for conflict in &mut merged.conflicts {
        conflict.kept_part = number_of(conflict.kept_part);
        conflict.dropped_part = number_of(conflict.dropped_part);
    }
    for joined in &mut merged.joined {
        joined.kept_part = number_of(joined.kept_part);
        joined.dropped_part = number_of(joined.dropped_part);
    }
    merged.discarded.iter_mut().for_each(|discarded| discarded.part = number_of(discarded.part));
    merged
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

/// A task of ours ends by a panic only, which goes on here.
fn resumed(error: tokio::task::JoinError) -> PaginateError {
    std::panic::resume_unwind(error.into_panic())
}
