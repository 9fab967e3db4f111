//! The one path to a model.
//!
//! Properties: a prompt is sent only if it is counted, with a reservation for its cost, through the rate limiter, and in a dialect that the server
//! accepts. Each call is recorded before it is sent, and its outcome before it is used. After the run has stopped nothing is sent. Races: until a
//! first answer shows which dialect the server accepts, other calls wait for it, but no longer than a refusal should take; if a refusal takes longer,
//! a few more calls are refused, which costs nothing. Accepted: calls in flight when the run stops run to completion.

mod deferred;
mod send;

pub use send::tokens_as_worded;

pub use deferred::BookedCall;

use crate::answer::{ModelAnswer, UsageTotals};
use crate::answer_key::{AnswerKey, RequestParameters};
use crate::call_log::{CallLog, CallLogError, CallLogErrorKind, CallOutcome};
use crate::cassette::{Cassette, CassetteKey};
use crate::cost_ledger::CostLedger;
use crate::dialect::{Dialect, RequestFeature};
use crate::error::{ContextOverflow, ModelError, StopError, StopReason};
use crate::outbox::Outbox;
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use crate::rate_limiter::{ProviderLimiter, RateLimits};
use crate::{ModelInfo, Money};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_text::ContentHash;

/// A reported prompt count below this is ignored: no model has so small a window, but some servers invent numbers.
const LEAST_WINDOW: u64 = 256;

/// How a model is called.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// The tier of service that is asked for, in the provider's words.
    pub service_tier: Option<String>,
    /// The provider's rate limits.
    pub limits: RateLimits,
    /// The dialect to begin with.
    pub dialect: Dialect,
    /// The parts of the dialect that the user asked for; they stay when the server refuses them.
    pub pinned: Vec<RequestFeature>,
    /// The most that the run may cost; none for no cap.
    pub cap: Option<Money>,
    /// The amount already spent when the run begins: what earlier runs spent that this run resumes.
    pub spent: Money,
    /// The model's prices; none when they are not known, or the model is free.
    pub info: Option<ModelInfo>,
    /// The model's tokens for one of ours.
    pub token_ratio: f64,
    /// The maximum tokens of an answer, in tokens of the model.
    pub max_answer: TokenCount,
    /// The share by which a prompt may exceed our count, before the server has reported how it counts.
    pub margin: f64,
    /// The share of our count below which the server's count shows that it dropped a part of the prompt.
    pub dropped_below: f64,
}

/// An estimate of a model's window, for later runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowEstimate {
    /// The model's tokens for one of ours, if the server has reported its count.
    pub token_ratio: Option<f64>,
    /// The window, if the server has reported it.
    pub window: Option<u64>,
}

/// The progress of a run's calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallProgress {
    /// The usage so far.
    pub usage: UsageTotals,
    /// Calls in flight.
    pub in_flight: usize,
    /// How long calls are paused because the provider asked to wait.
    pub pause: Option<Duration>,
}

/// Adds the calls of another model.
impl AddAssign for CallProgress {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.in_flight += other.in_flight;
        self.pause = self.pause.max(other.pause);
    }
}

/// A model with its provider, rate limiter, ledger, call log and cassette.
#[derive(Debug)]
pub struct ModelClient<P> {
    provider: Option<P>,
    tape: Option<Cassette>,
    journal: Option<(Arc<dyn CallLog>, RequestParameters)>,
    outbox: Option<Arc<dyn Outbox>>,
    counter: TokenCounter,
    options: ModelOptions,
    /// Slots for calls in flight, shared by several models; none when this model has its own.
    places: Option<Arc<Semaphore>>,
    gate: Arc<ProviderLimiter>,
    ledger: Arc<CostLedger>,
    dialect: Mutex<Dialect>,
    /// Locked by the call that shows which dialect the server accepts.
    first: tokio::sync::Mutex<()>,
    settled: OnceLock<()>,
    stopped: Arc<OnceLock<StopError>>,
    /// Wakes calls that wait to send, so that none waits for a stopped run.
    stop: Arc<Notify>,
    meter: Arc<Mutex<CallProgress>>,
    learned: Mutex<Option<WindowEstimate>>,
    /// The most tokens that the server read of a prompt that it silently truncated.
    dropped: Mutex<Option<u64>>,
    /// The largest ratio of the server's tokens to ours so far.
    counted: Mutex<f64>,
    /// Calls that were refused or timed out before any was answered.
    in_vain: AtomicUsize,
}

impl<P: ModelProvider> ModelClient<P> {
    /// Creates a client. Without a provider every answer comes from the cassette.
    pub fn new(provider: Option<P>, tape: Option<Cassette>, counter: TokenCounter, options: ModelOptions) -> Self {
        Self {
            provider,
            tape,
            journal: None,
            outbox: None,
            places: None,
            counter,
            gate: Arc::new(ProviderLimiter::new(options.limits, fastrand::f64)),
            ledger: CostLedger::new(options.cap, options.spent),
            dialect: Mutex::new(options.dialect),
            first: tokio::sync::Mutex::default(),
            settled: OnceLock::new(),
            stopped: Arc::default(),
            stop: Arc::default(),
            meter: Arc::default(),
            learned: Mutex::default(),
            dropped: Mutex::default(),
            counted: Mutex::default(),
            in_vain: AtomicUsize::new(0),
            options,
        }
    }

    /// Adds a call log, which stores answers under these request parameters.
    pub fn with_call_log(self, journal: Arc<dyn CallLog>, parameters: RequestParameters) -> Self {
        Self { journal: Some((journal, parameters)), ..self }
    }

    /// Adds slots for calls in flight that the client shares with other models: each call occupies one while it runs.
    pub fn with_shared_slots(self, places: Arc<Semaphore>) -> Self {
        Self { places: Some(places), ..self }
    }

    /// Returns a client of another model at the same provider. Both share the rate limiter, the spend cap, the slots, the progress, the call log,
    /// the cassette, and what stops the run; each has its own dialect, and its own prices and parameters.
    pub fn for_other_model(&self, provider: Option<P>, options: ModelOptions, parameters: RequestParameters) -> Self {
        let tape = self.tape.as_ref().map(|tape| tape.with_parameters(parameters.clone()));
        Self {
            journal: self.journal.as_ref().map(|(journal, _)| (Arc::clone(journal), parameters)),
            outbox: self.outbox.clone(),
            places: self.places.clone(),
            gate: Arc::clone(&self.gate),
            ledger: Arc::clone(&self.ledger),
            stopped: Arc::clone(&self.stopped),
            stop: Arc::clone(&self.stop),
            meter: Arc::clone(&self.meter),
            ..Self::new(provider, tape, self.counter.clone(), options)
        }
    }

    /// Returns the name of the model, as requests have it; none without a call log.
    pub fn name(&self) -> Option<&str> {
        self.journal.as_ref().map(|(_, parameters)| parameters.model.as_str())
    }

    /// Returns the counter for second attempts.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// Returns the progress of the calls.
    pub fn progress(&self) -> CallProgress {
        CallProgress { pause: self.gate.remaining_pause(), ..*self.meter.lock() }
    }

    /// Stops further calls because the run is to end; calls in flight complete.
    pub fn interrupt(&self, message: &str) {
        self.stop_with(StopError { reason: StopReason::Interrupted, message: message.to_owned() });
    }

    /// Stops further calls for any reason that the caller found.
    pub fn stop_with(&self, StopError { reason, message }: StopError) {
        self.stop(reason, message);
    }

    /// Returns why no further call is made; none while calls are made.
    pub fn stopped(&self) -> Option<&StopError> {
        self.stopped.get()
    }

    /// Returns what this run learned of the model's window, from the server's reports or from what the server dropped.
    pub fn window_estimate(&self) -> Option<WindowEstimate> {
        let dropped = self.dropped.lock().map(|window| WindowEstimate { token_ratio: None, window: Some(window) });
        self.learned.lock().or(dropped)
    }

    /// Returns notes for the user about the server: what it does not support, and what it does silently.
    pub fn notes(&self) -> Vec<String> {
        let dialect = self.dialect.lock().changes_from(self.options.dialect);
        let dropped = self.dropped.lock().map(|window| {
            format!(
                "the server reads {window} tokens of a prompt and drops the rest in silence; raise its window, or set scribe.max_prompt_tokens below that"
            )
        });
        let answers = self.provider.iter().flat_map(P::notes);
        dialect.into_iter().chain(dropped).chain(answers).collect()
    }

    /// Asks the model, the call log or the cassette. The usage is added to the bill, whatever the outcome.
    ///
    /// # Errors
    /// [`ModelError`].
    pub async fn ask(&self, prompt: &BudgetedPrompt, bill: &mut UsageTotals) -> Result<ModelAnswer, ModelError> {
        let keyed = self.tape.as_ref().map(|tape| (tape, tape.key(prompt)));
        if let Some((tape, key)) = &keyed
            && let Some(outcome) = tape.next_outcome(key, prompt.about())
        {
            self.book(bill, |bill| {
                bill.replayed += 1;
                bill.largest_prompt = bill.largest_prompt.max(prompt.tokens().get());
            });
            return self.meant(prompt, outcome);
        }
        let keys = self.journal.as_ref().map(|(_, parameters)| AnswerKey::candidates(prompt, parameters));
        let keys = keys.unwrap_or_default();
        if let Some(outcome) = self.recalled(&keys, prompt.reuse().since).await? {
            self.book(bill, |bill| {
                bill.replayed += 1;
                bill.largest_prompt = bill.largest_prompt.max(prompt.tokens().get());
            });
            return self.meant(prompt, outcome);
        }
        let Some(provider) = &self.provider else {
            let missing = keyed.map(|(tape, key)| tape.missing_message(&key, prompt.about()));
            return Err(ModelError::Failed(missing.unwrap_or_else(|| "there is no model to ask".to_owned())));
        };
        let sent = match self.deferred(provider, prompt, &keys).await {
            Some(deferred) => deferred,
            None => self.send(provider, prompt, keys.first().copied(), bill).await,
        };
        if let Some((tape, key)) = &keyed {
            self.keep(tape, key, prompt, &sent)?;
        }
        self.meant(prompt, sent?)
    }

    /// Whether the call log has an answer to a prompt. An unreadable log counts as none; `ask` reports the error.
    pub async fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        let Some((journal, parameters)) = self.memory() else { return false };
        for key in AnswerKey::candidates(prompt, parameters) {
            if matches!(journal.find_answer(key, prompt.reuse().since).await, Ok(Some(_))) {
                return true;
            }
        }
        false
    }

    /// Returns the key that all answers to a prompt share, whatever note a second attempt adds; none without a call log.
    pub fn question_hash(&self, prompt: &BudgetedPrompt) -> Option<ContentHash> {
        let (_, parameters) = self.journal.as_ref()?;
        // The last one is the prompt whose answer it may reuse, if there is one.
        AnswerKey::candidates(prompt, parameters).last().map(|key| key.question)
    }

    /// Returns the call log, if answers are read from it. A run with a cassette reads only the cassette, so that every replay has the same result;
    /// its new answers go to the call log all the same.
    fn memory(&self) -> Option<&(Arc<dyn CallLog>, RequestParameters)> {
        self.journal.as_ref().filter(|_| self.tape.is_none())
    }

    /// Returns the outcome that the call log has under one of these keys.
    async fn recalled(&self, keys: &[AnswerKey], since: u64) -> Result<Option<CallOutcome>, ModelError> {
        let Some((journal, _)) = self.memory() else { return Ok(None) };
        for key in keys {
            let found = journal.find_answer(*key, since).await;
            if let Some(outcome) = found.map_err(|error| self.unrecorded(error))? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Converts an outcome to a result.
    fn meant(&self, prompt: &BudgetedPrompt, outcome: CallOutcome) -> Result<ModelAnswer, ModelError> {
        match outcome {
            CallOutcome::Answer(answer) => self.whole(prompt, answer),
            CallOutcome::Overflow(overflow) => Err(ModelError::Overflow(overflow)),
        }
    }

    /// Reacts to a call that the log does not accept: mostly the run ends, because a paid answer could not be stored.
    fn unrecorded(&self, error: CallLogError) -> ModelError {
        let reason = match error.kind {
            CallLogErrorKind::Damaged => StopReason::Damaged,
            CallLogErrorKind::Unwritable => StopReason::Record,
            CallLogErrorKind::Stopped(reason) => reason,
            CallLogErrorKind::Refused => return ModelError::Failed(error.message),
        };
        self.stop(reason, error.message)
    }

    /// Records what steers a run: answers, and that a prompt was too long.
    fn keep(
        &self,
        tape: &Cassette,
        key: &CassetteKey,
        prompt: &BudgetedPrompt,
        sent: &Result<CallOutcome, ModelError>,
    ) -> Result<(), ModelError> {
        let Ok(outcome) = sent else { return Ok(()) };
        if !tape.is_recording() {
            return Ok(());
        }
        tape.record(key, prompt.about(), outcome.clone())
            .map_err(|error| self.stop(StopReason::Record, format!("the record cannot be written: {error}")))
    }

    /// Returns the answer if the server read the whole prompt.
    fn whole(&self, prompt: &BudgetedPrompt, answer: ModelAnswer) -> Result<ModelAnswer, ModelError> {
        let counted = answer.usage.map(|usage| usage.prompt_tokens).filter(|tokens| *tokens >= LEAST_WINDOW);
        // Not every server counts the schema.
        let expected = prompt.message_tokens().get() as f64 * self.options.token_ratio * self.options.dropped_below;
        match counted.filter(|tokens| (*tokens as f64) < expected) {
            // The tokens that the server read filled the window.
            Some(window) => {
                let mut dropped = self.dropped.lock();
                *dropped = Some(dropped.map_or(window, |known| known.max(window)));
                Err(ModelError::Overflow(ContextOverflow { window: Some(window), counted: None }))
            }
            None => Ok(answer),
        }
    }

    /// Learns from an overflow; an overflow that no smaller prompt would fix stops the run.
    fn learn(&self, prompt: &BudgetedPrompt, overflow: ContextOverflow) -> Result<(), ModelError> {
        let answer = self.options.max_answer.get();
        if let ContextOverflow { window: Some(window), counted: Some(counted) } = overflow
            && counted <= window
            && answer >= window
        {
            let message = format!(
                "the model's window of {window} tokens holds no answer of {answer}; set scribe.max_completion_tokens well below it"
            );
            return Err(self.stop(StopReason::Configuration, message));
        }
        let ratio = overflow.counted.map(|counted| counted as f64 / prompt.tokens().get() as f64);
        let mut learned = self.learned.lock();
        let before = learned.unwrap_or(WindowEstimate { token_ratio: None, window: None });
        let most = match (before.token_ratio, ratio) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        *learned = Some(WindowEstimate { token_ratio: most, window: overflow.window.or(before.window) });
        Ok(())
    }

    /// Stops the run, unless it has stopped already.
    fn stop(&self, reason: StopReason, message: String) -> ModelError {
        let stopped = self.stopped.get_or_init(|| StopError { reason, message }).clone();
        self.stop.notify_waiters();
        stopped.into()
    }

    fn book(&self, bill: &mut UsageTotals, add: impl Fn(&mut UsageTotals)) {
        add(bill);
        add(&mut self.meter.lock().usage);
    }
}
