//! The one way to a model.
//!
//! Properties: a prompt is sent only when it was counted, only with a reservation of what it can cost, only through the gate, and in a
//! wording that the server takes; what comes is on record before it is used, and so is every call before it is sent. Once the run has
//! stopped nothing is sent. Races: until a first answer has shown which wording the server takes, other calls wait for it, but not for
//! longer than a refusal should take; where one takes longer, some calls more are refused, which costs nothing. Accepted: calls in flight
//! when the run stops are brought to their end.

mod send;

use crate::answer::{ModelAnswer, UsageTotals};
use crate::answer_key::{AnswerKey, RequestParameters};
use crate::call_log::{CallLog, CallLogError, CallLogErrorKind, CallOutcome};
use crate::cassette::{Cassette, CassetteKey};
use crate::cost_ledger::CostLedger;
use crate::dialect::{Dialect, RequestFeature};
use crate::error::{ContextOverflow, ModelError, StopError, StopReason};
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use crate::rate_limiter::{ProviderLimiter, RateLimits};
use crate::{ModelInfo, Money};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_text::ContentHash;

/// A count of prompt tokens below this says nothing: no model has so small a window, but there are servers that make numbers up.
const LEAST_WINDOW: u64 = 256;

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// What the provider may be asked.
    pub limits: RateLimits,
    /// The wording to begin with.
    pub dialect: Dialect,
    /// The parts of the wording that were asked for, and stay when the server refuses them.
    pub pinned: Vec<RequestFeature>,
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
pub struct WindowEstimate {
    /// Tokens of the model for one of ours, where the server has told its count.
    pub token_ratio: Option<f64>,
    /// The window, where the server has told it.
    pub window: Option<u64>,
}

/// How far the calls of a run are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallProgress {
    /// What the calls so far took.
    pub usage: UsageTotals,
    /// Calls in flight.
    pub in_flight: usize,
    /// For how long no call is sent, because the provider has asked to wait.
    pub pause: Option<Duration>,
}

/// A model behind its provider, its gate, its ledger and its record.
#[derive(Debug)]
pub struct ModelClient<P> {
    provider: Option<P>,
    tape: Option<Cassette>,
    journal: Option<(Arc<dyn CallLog>, RequestParameters)>,
    counter: TokenCounter,
    options: ModelOptions,
    /// Places of calls in flight, which several models share; none where this one alone has its own.
    places: Option<Arc<Semaphore>>,
    gate: ProviderLimiter,
    ledger: Arc<CostLedger>,
    dialect: Mutex<Dialect>,
    /// Held by the call that shows which wording the server takes.
    first: tokio::sync::Mutex<()>,
    settled: OnceLock<()>,
    stopped: OnceLock<StopError>,
    /// Wakes whoever waits to send, so that nobody waits for a run that has stopped.
    stop: Notify,
    meter: Mutex<CallProgress>,
    learned: Mutex<Option<WindowEstimate>>,
    /// The most tokens that were read of a prompt of which a part was dropped in silence.
    dropped: Mutex<Option<u64>>,
    /// The most tokens of the server for one of ours that it has counted so far.
    counted: Mutex<f64>,
    /// Calls that were refused, or not answered in time, before any was answered.
    in_vain: AtomicUsize,
}

impl<P: ModelProvider> ModelClient<P> {
    /// A model. Without a provider every answer comes from the record.
    pub fn new(
        provider: Option<P>,
        tape: Option<Cassette>,
        counter: TokenCounter,
        options: ModelOptions,
    ) -> Self {
        Self {
            provider,
            tape,
            journal: None,
            places: None,
            counter,
            gate: ProviderLimiter::new(options.limits, fastrand::f64),
            ledger: CostLedger::new(options.cap, options.spent),
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
    pub fn with_call_log(self, journal: Arc<dyn CallLog>, parameters: RequestParameters) -> Self {
        Self { journal: Some((journal, parameters)), ..self }
    }

    /// The same model with places for calls in flight that it shares with other models: each call takes one while it is under way.
    pub fn with_shared_slots(self, places: Arc<Semaphore>) -> Self {
        Self { places: Some(places), ..self }
    }

    /// The counter that second tries are counted with.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// How far the calls are.
    pub fn progress(&self) -> CallProgress {
        CallProgress { pause: self.gate.remaining_pause(), ..*locked(&self.meter) }
    }

    /// Makes no further call, because the run is to end; calls in flight are brought to their end.
    pub fn interrupt(&self, message: &str) {
        self.stop_with(StopError { reason: StopReason::Interrupted, message: message.to_owned() });
    }

    /// The same for any reason, where somebody else has found that no further call is to be made.
    pub fn stop_with(&self, StopError { reason, message }: StopError) {
        self.stop(reason, message);
    }

    /// Why no further call is made; none while calls are made.
    pub fn stopped(&self) -> Option<&StopError> {
        self.stopped.get()
    }

    /// What was learned of the model's window in this run: what the server has told, or what it must be by what it dropped.
    pub fn window_estimate(&self) -> Option<WindowEstimate> {
        let dropped =
            locked(&self.dropped).map(|window| WindowEstimate { token_ratio: None, window: Some(window) });
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
    /// [`ModelError`].
    pub async fn ask(
        &self,
        prompt: &BudgetedPrompt,
        bill: &mut UsageTotals,
    ) -> Result<ModelAnswer, ModelError> {
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
        let sent = self.send(provider, prompt, keys.first().copied(), bill).await;
        if let Some((tape, key)) = &keyed {
            self.keep(tape, key, prompt, &sent)?;
        }
        self.meant(prompt, sent?)
    }

    /// Whether the journal holds an answer to a prompt. One that cannot be read has none; whoever asks is told.
    pub async fn has_answer(&self, prompt: &BudgetedPrompt) -> bool {
        let Some((journal, parameters)) = self.memory() else { return false };
        for key in AnswerKey::candidates(prompt, parameters) {
            if matches!(journal.find_answer(key, prompt.reuse().since).await, Ok(Some(_))) {
                return true;
            }
        }
        false
    }

    /// What all answers to a prompt are kept under, whatever was said of a first one; none without a journal.
    pub fn question_hash(&self, prompt: &BudgetedPrompt) -> Option<ContentHash> {
        let (_, parameters) = self.journal.as_ref()?;
        // The last is the one that it stands for, if it stands for any.
        AnswerKey::candidates(prompt, parameters).last().map(|key| key.question)
    }

    /// The journal, where answers are taken from it. A run with a record stands on that alone, so that it comes out alike wherever it is
    /// repeated; what it asks for is kept in the journal all the same.
    fn memory(&self) -> Option<&(Arc<dyn CallLog>, RequestParameters)> {
        self.journal.as_ref().filter(|_| self.tape.is_none())
    }

    /// What the journal holds under one of these keys.
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

    /// What an outcome comes to.
    fn meant(&self, prompt: &BudgetedPrompt, outcome: CallOutcome) -> Result<ModelAnswer, ModelError> {
        match outcome {
            CallOutcome::Answer(answer) => self.whole(prompt, answer),
            CallOutcome::Overflow(overflow) => Err(ModelError::Overflow(overflow)),
        }
    }

    /// What is done where the journal does not take a call: mostly the run ends, because what it is paid for cannot be kept.
    fn unrecorded(&self, error: CallLogError) -> ModelError {
        let reason = match error.kind {
            CallLogErrorKind::Damaged => StopReason::Damaged,
            CallLogErrorKind::Unwritable => StopReason::Record,
            CallLogErrorKind::Stopped(reason) => reason,
            CallLogErrorKind::Refused => return ModelError::Failed(error.message),
        };
        self.stop(reason, error.message)
    }

    /// Puts on record what steers a run: answers, and that a prompt was too long.
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

    /// The answer, if the server has read the whole prompt.
    fn whole(&self, prompt: &BudgetedPrompt, answer: ModelAnswer) -> Result<ModelAnswer, ModelError> {
        let counted = answer.usage.map(|usage| usage.prompt_tokens).filter(|tokens| *tokens >= LEAST_WINDOW);
        // Not every server counts the schema.
        let expected =
            prompt.message_tokens().get() as f64 * self.options.token_ratio * self.options.dropped_below;
        match counted.filter(|tokens| (*tokens as f64) < expected) {
            // What was read filled the window.
            Some(window) => {
                let mut dropped = locked(&self.dropped);
                *dropped = Some(dropped.map_or(window, |known| known.max(window)));
                Err(ModelError::Overflow(ContextOverflow { window: Some(window), counted: None }))
            }
            None => Ok(answer),
        }
    }

    /// Learns from an overflow; one that no smaller prompt would help ends the run.
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
        let mut learned = locked(&self.learned);
        let before = learned.unwrap_or(WindowEstimate { token_ratio: None, window: None });
        let most = match (before.token_ratio, ratio) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        *learned = Some(WindowEstimate { token_ratio: most, window: overflow.window.or(before.window) });
        Ok(())
    }

    /// Stops the run, if nobody has yet.
    fn stop(&self, reason: StopReason, message: String) -> ModelError {
        let stopped = self.stopped.get_or_init(|| StopError { reason, message }).clone();
        self.stop.notify_waiters();
        stopped.into()
    }

    fn book(&self, bill: &mut UsageTotals, add: impl Fn(&mut UsageTotals)) {
        add(bill);
        add(&mut locked(&self.meter).usage);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
