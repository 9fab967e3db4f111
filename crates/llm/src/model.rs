//! The one way to a model.
//!
//! Properties: a prompt is sent only when it was counted, only with a reservation of what it can cost, only through the gate, and in a
//! wording that the server takes; what comes is on record before it is used, and so is every call before it is sent. Once the run has
//! stopped nothing is sent. Races: until a first answer has shown which wording the server takes, other calls wait for it, but not for
//! longer than a refusal should take; where one takes longer, some calls more are refused, which costs nothing. Accepted: calls in flight
//! when the run stops are brought to their end.

use crate::answer::{Answer, Bill, Usage};
use crate::dialect::{AnswerFormat, AnswerLimit, Dialect, Feature};
use crate::error::{AskError, CallError, CallErrorKind, Overflow, Remedy, StopReason, Stopped};
use crate::gate::{ATTEMPTS, Gate, Limits};
use crate::journal::{EndedCall, Journal, JournalError, JournalErrorKind, NewCall, Outcome};
use crate::key::{AnswerKey, Parameters};
use crate::prompt::BudgetedPrompt;
use crate::provider::Provider;
use crate::spend::Ledger;
use crate::tape::{Key, Tape};
use crate::{ModelInfo, Money};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_text::ContentHash;

/// How long calls wait for the first one to show whether its wording is taken. A refusal takes no longer, since nothing is written for it.
const REFUSAL: Duration = Duration::from_millis(150);

/// How many calls may come to nothing before any is answered: a few may, for what is in them.
const IN_VAIN: usize = 8;
/// What is said where more of them are refused.
const REFUSED: &str = "every call is refused";

/// A count of prompt tokens below this says nothing: no model has so small a window, but there are servers that make numbers up.
const LEAST_WINDOW: u64 = 256;

/// How much more than before a server may count for a prompt, as a share: some prompts have more rare words than others.
const SERVERS_VARY: f64 = 0.1;

/// What a prompt may cost beyond its own count, in tokens: what servers add around messages.
const AROUND_MESSAGES: u64 = 64;

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// What the provider may be asked.
    pub limits: Limits,
    /// The wording to begin with.
    pub dialect: Dialect,
    /// The parts of the wording that were asked for, and stay when the server refuses them.
    pub pinned: Vec<Feature>,
    /// What the run may cost; none for no cap.
    pub cap: Option<Money>,
    /// What counts as spent of it before the first call: what runs have spent that this one goes on with.
    pub spent: Money,
    /// What the model costs; none when that is not known, or it costs nothing.
    pub info: Option<ModelInfo>,
    /// Tokens of the model for one of ours.
    pub token_ratio: f64,
    /// The most tokens of an answer, in tokens of the model.
    pub max_answer: TokenCount,
    /// How much more than our count a prompt may turn out to have, as a share of it, before the server has said how it counts.
    pub margin: f64,
    /// The share of our count below which the server's own count of a prompt says that it dropped a part of it.
    pub dropped_below: f64,
}

/// What was learned of a model's window, for later runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Tokens of the model for one of ours, where the server has told its count.
    pub token_ratio: Option<f64>,
    /// The window, where the server has told it.
    pub window: Option<u64>,
}

/// How far the calls of a run are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meter {
    /// What the calls so far took.
    pub bill: Bill,
    /// Calls in flight.
    pub in_flight: usize,
    /// For how long no call is sent, because the provider has asked to wait.
    pub pause: Option<Duration>,
}

/// A call as the journal knows it.
#[derive(Clone, Copy)]
struct Noted {
    number: u64,
    key: AnswerKey,
}

/// A model behind its provider, its gate, its ledger and its record.
#[derive(Debug)]
pub struct Model<P> {
    provider: Option<P>,
    tape: Option<Tape>,
    journal: Option<(Arc<dyn Journal>, Parameters)>,
    counter: TokenCounter,
    options: ModelOptions,
    /// Places of calls in flight, which several models share; none where this one alone has its own.
    places: Option<Arc<Semaphore>>,
    gate: Gate,
    ledger: Arc<Ledger>,
    dialect: Mutex<Dialect>,
    /// Held by the call that shows which wording the server takes.
    first: tokio::sync::Mutex<()>,
    settled: OnceLock<()>,
    stopped: OnceLock<Stopped>,
    /// Wakes whoever waits to send, so that nobody waits for a run that has stopped.
    stop: Notify,
    meter: Mutex<Meter>,
    learned: Mutex<Option<Learned>>,
    /// The most tokens that were read of a prompt of which a part was dropped in silence.
    dropped: Mutex<Option<u64>>,
    /// The most tokens of the server for one of ours that it has counted so far.
    counted: Mutex<f64>,
    /// Calls that were refused, or not answered in time, before any was answered.
    in_vain: AtomicUsize,
}

impl<P: Provider> Model<P> {
    /// A model. Without a provider every answer comes from the record.
    pub fn new(
        provider: Option<P>,
        tape: Option<Tape>,
        counter: TokenCounter,
        options: ModelOptions,
    ) -> Self {
        Self {
            provider,
            tape,
            journal: None,
            places: None,
            counter,
            gate: Gate::new(options.limits, fastrand::f64),
            ledger: Ledger::new(options.cap, options.spent),
            dialect: Mutex::new(options.dialect),
            first: tokio::sync::Mutex::default(),
            settled: OnceLock::new(),
            stopped: OnceLock::new(),
            stop: Notify::new(),
            meter: Mutex::default(),
            learned: Mutex::default(),
            dropped: Mutex::default(),
            counted: Mutex::default(),
            in_vain: AtomicUsize::new(0),
            options,
        }
    }

    /// The same model with a journal, in which answers asked for with these parameters are kept.
    pub fn recorded_in(self, journal: Arc<dyn Journal>, parameters: Parameters) -> Self {
        Self { journal: Some((journal, parameters)), ..self }
    }

    /// The same model with places for calls in flight that it shares with other models: each call takes one while it is under way.
    pub fn sharing(self, places: Arc<Semaphore>) -> Self {
        Self { places: Some(places), ..self }
    }

    /// The counter that second tries are counted with.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// How far the calls are.
    pub fn meter(&self) -> Meter {
        Meter { pause: self.gate.pause(), ..*locked(&self.meter) }
    }

    /// Makes no further call, because the run is to end; calls in flight are brought to their end.
    pub fn interrupt(&self, message: &str) {
        self.end(Stopped { reason: StopReason::Interrupted, message: message.to_owned() });
    }

    /// The same for any reason, where somebody else has found that no further call is to be made.
    pub fn end(&self, Stopped { reason, message }: Stopped) {
        self.stop(reason, message);
    }

    /// Why no further call is made; none while calls are made.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.get()
    }

    /// What was learned of the model's window in this run: what the server has told, or what it must be by what it dropped.
    pub fn learned(&self) -> Option<Learned> {
        let dropped = locked(&self.dropped).map(|window| Learned { token_ratio: None, window: Some(window) });
        locked(&self.learned).or(dropped)
    }

    /// What the user should know of the server: what it does not take, and what it does in silence.
    pub fn notes(&self) -> Vec<String> {
        let dialect = locked(&self.dialect).changes_from(self.options.dialect);
        let dropped = locked(&self.dropped).map(|window| {
            format!(
                "the server reads {window} tokens of a prompt and drops the rest in silence; raise its window, or set scribe.max_prompt_tokens below that"
            )
        });
        let answers = self.provider.iter().flat_map(P::notes);
        dialect.into_iter().chain(dropped).chain(answers).collect()
    }

    /// Asks the model, or the record. What it took is added to the bill, whatever came of it.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn ask(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, AskError> {
        let keyed = self.tape.as_ref().map(|tape| (tape, tape.key(prompt)));
        if let Some((tape, key)) = &keyed
            && let Some(outcome) = tape.next(key, prompt.about())
        {
            self.book(bill, |bill| {
                bill.replayed += 1;
                bill.largest_prompt = bill.largest_prompt.max(prompt.tokens().get());
            });
            return self.meant(prompt, outcome);
        }
        let keys = self.journal.as_ref().map(|(_, parameters)| AnswerKey::all_of(prompt, parameters));
        let keys = keys.unwrap_or_default();
        if let Some(outcome) = self.recalled(&keys, prompt.recall().since).await? {
            self.book(bill, |bill| {
                bill.replayed += 1;
                bill.largest_prompt = bill.largest_prompt.max(prompt.tokens().get());
            });
            return self.meant(prompt, outcome);
        }
        let Some(provider) = &self.provider else {
            let missing = keyed.map(|(tape, key)| tape.missing(&key, prompt.about()));
            return Err(AskError::Failed(missing.unwrap_or_else(|| "there is no model to ask".to_owned())));
        };
        let sent = self.send(provider, prompt, keys.first().copied(), bill).await;
        if let Some((tape, key)) = &keyed {
            self.keep(tape, key, prompt, &sent)?;
        }
        self.meant(prompt, sent?)
    }

    /// Whether the journal holds an answer to a prompt. One that cannot be read has none; whoever asks is told.
    pub async fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        let Some((journal, parameters)) = self.memory() else { return false };
        for key in AnswerKey::all_of(prompt, parameters) {
            if matches!(journal.find(key, prompt.recall().since).await, Ok(Some(_))) {
                return true;
            }
        }
        false
    }

    /// What all answers to a prompt are kept under, whatever was said of a first one; none without a journal.
    pub fn question(&self, prompt: &BudgetedPrompt) -> Option<ContentHash> {
        let (_, parameters) = self.journal.as_ref()?;
        // The last is the one that it stands for, if it stands for any.
        AnswerKey::all_of(prompt, parameters).last().map(|key| key.question)
    }

    /// The journal, where answers are taken from it. A run with a record stands on that alone, so that it comes out alike wherever it is
    /// repeated; what it asks for is kept in the journal all the same.
    fn memory(&self) -> Option<&(Arc<dyn Journal>, Parameters)> {
        self.journal.as_ref().filter(|_| self.tape.is_none())
    }

    /// What the journal holds under one of these keys.
    async fn recalled(&self, keys: &[AnswerKey], since: u64) -> Result<Option<Outcome>, AskError> {
        let Some((journal, _)) = self.memory() else { return Ok(None) };
        for key in keys {
            let found = journal.find(*key, since).await;
            if let Some(outcome) = found.map_err(|error| self.unrecorded(error))? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// What an outcome comes to.
    fn meant(&self, prompt: &BudgetedPrompt, outcome: Outcome) -> Result<Answer, AskError> {
        match outcome {
            Outcome::Answer(answer) => self.whole(prompt, answer),
            Outcome::Overflow(overflow) => Err(AskError::Overflow(overflow)),
        }
    }

    /// What is done where the journal does not take a call: mostly the run ends, because what it is paid for cannot be kept.
    fn unrecorded(&self, error: JournalError) -> AskError {
        let reason = match error.kind {
            JournalErrorKind::Damaged => StopReason::Damaged,
            JournalErrorKind::Unwritable => StopReason::Record,
            JournalErrorKind::Stopped(reason) => reason,
            JournalErrorKind::Refused => return AskError::Failed(error.message),
        };
        self.stop(reason, error.message)
    }

    /// Puts on record what steers a run: answers, and that a prompt was too long.
    fn keep(
        &self,
        tape: &Tape,
        key: &Key,
        prompt: &BudgetedPrompt,
        sent: &Result<Outcome, AskError>,
    ) -> Result<(), AskError> {
        let Ok(outcome) = sent else { return Ok(()) };
        if !tape.is_open() {
            return Ok(());
        }
        tape.put(key, prompt.about(), outcome.clone())
            .map_err(|error| self.stop(StopReason::Record, format!("the record cannot be written: {error}")))
    }

    /// The answer, if the server has read the whole prompt.
    fn whole(&self, prompt: &BudgetedPrompt, answer: Answer) -> Result<Answer, AskError> {
        let counted = answer.usage.map(|usage| usage.prompt_tokens).filter(|tokens| *tokens >= LEAST_WINDOW);
        // Not every server counts the schema.
        let expected =
            prompt.message_tokens().get() as f64 * self.options.token_ratio * self.options.dropped_below;
        match counted.filter(|tokens| (*tokens as f64) < expected) {
            // What was read filled the window.
            Some(window) => {
                let mut dropped = locked(&self.dropped);
                *dropped = Some(dropped.map_or(window, |known| known.max(window)));
                Err(AskError::Overflow(Overflow { window: Some(window), counted: None }))
            }
            None => Ok(answer),
        }
    }

    /// Learns from an overflow; one that no smaller prompt would help ends the run.
    fn learn(&self, prompt: &BudgetedPrompt, overflow: Overflow) -> Result<(), AskError> {
        let answer = self.options.max_answer.get();
        if let Overflow { window: Some(window), counted: Some(counted) } = overflow
            && counted <= window
            && answer >= window
        {
            let message = format!(
                "the model's window of {window} tokens holds no answer of {answer}; set scribe.max_completion_tokens well below it"
            );
            return Err(self.stop(StopReason::Configuration, message));
        }
        let ratio = overflow.counted.map(|counted| counted as f64 / prompt.tokens().get() as f64);
        let mut learned = locked(&self.learned);
        let before = learned.unwrap_or(Learned { token_ratio: None, window: None });
        let most = match (before.token_ratio, ratio) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        *learned = Some(Learned { token_ratio: most, window: overflow.window.or(before.window) });
        Ok(())
    }

    /// Notes a call that is about to be sent.
    async fn noted(
        &self,
        key: Option<AnswerKey>,
        prompt: &BudgetedPrompt,
        prompt_tokens: u64,
        most: Money,
    ) -> Result<Option<Noted>, AskError> {
        let (Some((journal, _)), Some(key)) = (&self.journal, key) else { return Ok(None) };
        let (file, about) = (prompt.file().to_owned(), prompt.about().to_owned());
        let call = NewCall { key, file, about, prompt_tokens, most };
        let number = journal.sending(call).await.map_err(|error| self.unrecorded(error))?;
        Ok(Some(Noted { number, key }))
    }

    /// Notes what came of a call, and gives the answer that was there before it, if any was.
    async fn ended(
        &self,
        noted: Option<Noted>,
        (result, completion_tokens, cost): (Result<Outcome, String>, u64, Money),
        prompt: &BudgetedPrompt,
    ) -> Result<Option<Outcome>, AskError> {
        let (Some((journal, _)), Some(Noted { number: call, key })) = (&self.journal, noted) else {
            return Ok(None);
        };
        let ended = EndedCall { key, result, completion_tokens, cost };
        let since = prompt.recall().since;
        let stands = journal.ended(call, ended, since).await.map_err(|error| self.unrecorded(error))?;
        Ok(stands.filter(|_| self.memory().is_some()))
    }

    /// Sends a prompt until there is an answer or no hope of one; that it is too long is an answer too.
    async fn send(
        &self,
        provider: &P,
        prompt: &BudgetedPrompt,
        key: Option<AnswerKey>,
        bill: &mut Bill,
    ) -> Result<Outcome, AskError> {
        let tokens = prompt.tokens().get();
        let (mut attempts, mut late) = (0, 0);
        let mut is_repeated = false;
        loop {
            let first = self.first().await;
            let pass = self.unless_stopped(self.gate.pass(tokens)).await?;
            let most = self.most(tokens);
            let reserved = self.unless_stopped(self.ledger.reserve(most)).await?;
            let reservation = reserved.map_err(|cap| self.stop(StopReason::SpendCap, cap.to_string()))?;
            if let Some(stopped) = self.stopped.get() {
                reservation.release();
                return Err(stopped.clone().into());
            }
            let dialect = *locked(&self.dialect);
            let worded = match dialect.format {
                AnswerFormat::JsonSchema => tokens,
                AnswerFormat::JsonObject | AnswerFormat::Text => {
                    if prompt.spelled_wording().is_err() {
                        // With the schema in its words it is over the budget, and so is not sent.
                        reservation.release();
                        return Ok(Outcome::Overflow(Overflow::default()));
                    }
                    prompt.spelled_tokens().get()
                }
            };
            let noted = match self.noted(key, prompt, worded, most).await {
                Ok(noted) => noted,
                Err(error) => {
                    reservation.release();
                    return Err(error);
                }
            };
            // Taken no sooner: a call that waits for leave keeps no place from other models.
            let place = match self.place().await {
                Ok(place) => place,
                Err(stopped) => {
                    reservation.release();
                    let result = Err("it was not sent, because the run has stopped".to_owned());
                    self.ended(noted, (result, 0, Money::ZERO), prompt).await?;
                    return Err(stopped);
                }
            };
            self.book(bill, |bill| {
                bill.calls += 1;
                bill.retries += u64::from(is_repeated);
                bill.prompt_tokens += worded;
                bill.largest_prompt = bill.largest_prompt.max(worded);
            });
            is_repeated = true;
            locked(&self.meter).in_flight += 1;
            let sent = provider.send(prompt, dialect).await;
            locked(&self.meter).in_flight -= 1;
            drop(place);
            // The place in flight is kept until the others can know what came of this call.
            let error = match sent {
                Ok(answer) => {
                    self.settled.get_or_init(|| ());
                    let usage = self.usage(prompt, &answer);
                    let cost = self.cost(usage);
                    reservation.settle(cost);
                    self.gate.answered(usage.completion_tokens.min(self.options.max_answer.get()));
                    self.book(bill, |bill| {
                        bill.completion_tokens += usage.completion_tokens;
                        bill.cost += cost;
                    });
                    let came = (Ok(Outcome::Answer(answer.clone())), usage.completion_tokens, cost);
                    let stands = self.ended(noted, came, prompt).await?;
                    return Ok(stands.unwrap_or(Outcome::Answer(answer)));
                }
                Err(error) => error,
            };
            tracing::debug!(about = prompt.about(), kind = ?error.kind, message = %error, "call failed");
            let charged = may_be_charged(&error);
            match charged {
                // Kept as spent: see the ledger.
                true => drop(reservation),
                false => reservation.release(),
            }
            let result = match error.kind.remedy() {
                Remedy::Split(overflow) => Ok(Outcome::Overflow(overflow)),
                _ => Err(error.message.clone()),
            };
            let cost = if charged { most } else { Money::ZERO };
            let stands = self.ended(noted, (result, 0, cost), prompt).await?;
            let stop = |stopped: Stopped| self.stop(stopped.reason, stopped.message);
            match error.kind.remedy() {
                Remedy::Stop(reason) => return Err(self.stop(reason, error.message)),
                Remedy::Wait(retry_after) => self.gate.limited(retry_after).map_err(stop)?,
                Remedy::RetryOutage(retry_after) => {
                    self.gate.failed(retry_after, &error.message).map_err(stop)?;
                    if !self.gate.is_down() {
                        attempts += 1;
                        drop((pass, first));
                        self.again(attempts, &error).await?;
                    }
                }
                Remedy::Retry => {
                    self.gate.heard();
                    attempts += 1;
                    drop((pass, first));
                    self.again(attempts, &error).await?;
                }
                Remedy::RetryOnce => {
                    self.gate.heard();
                    attempts += 1;
                    late += 1;
                    drop((pass, first));
                    if late > 1 {
                        let message = format!("{} ({attempts} attempts)", error.message);
                        return Err(self.in_vain(StopReason::Unavailable, "no call is answered", message));
                    }
                    self.again(attempts, &error).await?;
                }
                Remedy::Split(overflow) => {
                    self.gate.heard();
                    self.settled.get_or_init(|| ());
                    self.learn(prompt, overflow)?;
                    return Ok(stands.unwrap_or(Outcome::Overflow(overflow)));
                }
                Remedy::Adapt(feature) => {
                    self.gate.heard();
                    if !self.adapt(dialect, feature)? {
                        return Err(self.in_vain(StopReason::Configuration, REFUSED, error.message));
                    }
                }
                Remedy::Fail => {
                    self.gate.heard();
                    return Err(AskError::Failed(error.message));
                }
                Remedy::Refuse => {
                    self.gate.heard();
                    return Err(self.in_vain(StopReason::Configuration, REFUSED, error.message));
                }
            }
        }
    }

    /// A place for one call, where places are shared.
    async fn place(&self) -> Result<Option<SemaphorePermit<'_>>, AskError> {
        let Some(places) = &self.places else { return Ok(None) };
        let place = self.unless_stopped(places.acquire()).await?;
        Ok(Some(place.expect("the places are never closed")))
    }

    /// A call that nothing came of. Where that are many, and none was ever answered, nothing will come of any.
    fn in_vain(&self, reason: StopReason, told: &str, message: String) -> AskError {
        let count = self.in_vain.fetch_add(1, Ordering::AcqRel) + 1;
        let enough = self.options.limits.concurrency.max(IN_VAIN);
        if self.settled.get().is_none() && count > enough {
            return self.stop(reason, format!("{told}: {message}"));
        }
        AskError::Failed(message)
    }

    /// Waits before a further attempt, if there is to be one.
    async fn again(&self, attempts: u32, error: &CallError) -> Result<(), AskError> {
        if attempts >= ATTEMPTS {
            return Err(AskError::Failed(format!("{} ({attempts} attempts)", error.message)));
        }
        if !self.gate.may_retry() {
            let message =
                format!("{} (not tried again: a tenth of all calls were repeated already)", error.message);
            return Err(AskError::Failed(message));
        }
        self.unless_stopped(tokio::time::sleep(self.gate.backoff(attempts))).await
    }

    /// Waits, but not for longer than the run goes on.
    async fn unless_stopped<T>(&self, waiting: impl Future<Output = T>) -> Result<T, AskError> {
        let stop = self.stop.notified();
        if let Some(stopped) = self.stopped.get() {
            return Err(stopped.clone().into());
        }
        tokio::select! {
            done = waiting => Ok(done),
            () = stop => {
                let stopped = self.stopped.get().expect("whoever wakes has said why");
                Err(stopped.clone().into())
            }
        }
    }

    /// The right to go first, until some call has shown that its wording is taken.
    async fn first(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if self.settled.get().is_some() {
            return None;
        }
        let first = tokio::time::timeout(REFUSAL, self.first.lock()).await.ok();
        first.filter(|_| self.settled.get().is_none())
    }

    /// Words requests otherwise, unless another call has done so already. Says whether anything is different now.
    fn adapt(&self, used: Dialect, refused: Feature) -> Result<bool, AskError> {
        let mut dialect = locked(&self.dialect);
        if *dialect != used {
            return Ok(true);
        }
        let next = dialect.without(refused).filter(|_| !self.options.pinned.contains(&refused));
        let Some(next) = next else { return Ok(false) };
        if next.limit == AnswerLimit::None && self.options.cap.is_some() {
            let message = "the server takes no limit for answers, so that no cap on what is spent can hold";
            return Err(self.stop(StopReason::Configuration, message.to_owned()));
        }
        tracing::info!(?refused, "the server does not take a part of the request");
        *dialect = next;
        Ok(true)
    }

    /// The most that a call can cost.
    fn most(&self, tokens: u64) -> Money {
        let seen = *locked(&self.counted);
        let ratio = match seen > 0.0 {
            true => seen.max(self.options.token_ratio) * (1.0 + SERVERS_VARY),
            false => self.options.token_ratio * (1.0 + self.options.margin),
        };
        self.cost(Usage {
            prompt_tokens: (tokens as f64 * ratio).ceil() as u64 + AROUND_MESSAGES,
            completion_tokens: self.options.max_answer.get(),
            cached_tokens: 0,
        })
    }

    fn cost(&self, usage: Usage) -> Money {
        let tokens = TokenCount::new;
        let info = self.options.info.as_ref();
        info.and_then(|info| {
            info.cost(
                tokens(usage.prompt_tokens),
                tokens(usage.cached_tokens),
                tokens(usage.completion_tokens),
            )
        })
        .unwrap_or_default()
    }

    /// What the server counted, or what we count where it did not.
    fn usage(&self, prompt: &BudgetedPrompt, answer: &Answer) -> Usage {
        let ours = prompt.tokens().get();
        // Numbers that are made up are not paid by.
        let counted = answer.usage.filter(|usage| usage.prompt_tokens >= LEAST_WINDOW.min(ours));
        if let Some(usage) = counted {
            let mut most = locked(&self.counted);
            *most = most.max(usage.prompt_tokens as f64 / ours.max(1) as f64);
            return usage;
        }
        let completion_tokens = self.counter.count(&answer.text).get();
        Usage { prompt_tokens: ours, completion_tokens, cached_tokens: 0 }
    }

    /// Stops the run, if nobody has yet.
    fn stop(&self, reason: StopReason, message: String) -> AskError {
        let stopped = self.stopped.get_or_init(|| Stopped { reason, message }).clone();
        self.stop.notify_waiters();
        stopped.into()
    }

    fn book(&self, bill: &mut Bill, add: impl Fn(&mut Bill)) {
        add(bill);
        add(&mut locked(&self.meter).bill);
    }
}

/// Whether a provider may charge for a call that brought no answer: one that it has begun to answer, or may have.
fn may_be_charged(error: &CallError) -> bool {
    match error.kind {
        CallErrorKind::BrokenAnswer
        | CallErrorKind::TimedOut
        | CallErrorKind::Unreachable { was_sent: true }
        | CallErrorKind::ServerFailed { has_begun: true, .. } => true,
        CallErrorKind::Unreachable { was_sent: false }
        | CallErrorKind::Authentication
        | CallErrorKind::Quota
        | CallErrorKind::UnknownModel
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::ServerFailed { has_begun: false, .. }
        | CallErrorKind::ContextOverflow(_)
        | CallErrorKind::NotSupported(_)
        | CallErrorKind::Filtered
        | CallErrorKind::Rejected => false,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
