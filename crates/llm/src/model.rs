//! The one way to a model.
//!
//! Properties: a prompt is sent only when it was counted, only with a reservation of what it can cost, only through the gate, and in a
//! wording that the server takes; what comes is on record before it is used. Once the run has stopped nothing is sent. Races: until a first
//! answer has shown which wording the server takes, other calls wait for it, but not for longer than a refusal takes. Accepted: calls in
//! flight when the run stops are brought to their end.

use crate::answer::{Answer, Bill, Usage};
use crate::dialect::{Dialect, Feature};
use crate::error::{AskError, CallError, CallErrorKind, Overflow, Remedy, StopReason, Stopped};
use crate::gate::{ATTEMPTS, Gate, Limits};
use crate::prompt::BudgetedPrompt;
use crate::provider::Provider;
use crate::spend::Ledger;
use crate::tape::{Key, Outcome, Tape};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use war_rig_estimator::{ModelInfo, Money, TokenCount, TokenCounter};

/// How long calls wait for the first one to show whether its wording is taken. A refusal takes no longer, since nothing is written for it.
const REFUSAL: Duration = Duration::from_millis(300);

/// A count of prompt tokens below this says nothing: no model has so small a window, but there are servers that make numbers up.
const LEAST_WINDOW: u64 = 256;

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
    /// What the model costs; none when that is not known, or it costs nothing.
    pub info: Option<ModelInfo>,
    /// Tokens of the model for one of ours.
    pub token_ratio: f64,
    /// The most tokens of an answer, in tokens of the model.
    pub max_answer: TokenCount,
    /// The share of our count below which the server's own count of a prompt says that it dropped a part of it.
    pub dropped_below: f64,
}

/// What was learned of a model's window, for later runs.
#[derive(Debug, Clone, Copy, PartialEq)]
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
}

/// A model behind its provider, its gate, its ledger and its record.
#[derive(Debug)]
pub struct Model<P> {
    provider: Option<P>,
    tape: Option<Tape>,
    counter: TokenCounter,
    options: ModelOptions,
    gate: Gate,
    ledger: Ledger,
    dialect: Mutex<Dialect>,
    /// Held by the call that shows which wording the server takes.
    first: tokio::sync::Mutex<()>,
    settled: OnceLock<()>,
    stopped: OnceLock<Stopped>,
    meter: Mutex<Meter>,
    learned: Mutex<Option<Learned>>,
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
            counter,
            gate: Gate::new(options.limits, fastrand::f64),
            ledger: Ledger::new(options.cap),
            dialect: Mutex::new(options.dialect),
            first: tokio::sync::Mutex::default(),
            settled: OnceLock::new(),
            stopped: OnceLock::new(),
            meter: Mutex::default(),
            learned: Mutex::default(),
            options,
        }
    }

    /// The counter that second tries are counted with.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// How far the calls are.
    pub fn meter(&self) -> Meter {
        *locked(&self.meter)
    }

    /// Why no further call is made; none while calls are made.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.get()
    }

    /// What was learned of the model's window in this run.
    pub fn learned(&self) -> Option<Learned> {
        *locked(&self.learned)
    }

    /// What the server does not take, in words; none when it takes what it was first asked.
    pub fn dialect_note(&self) -> Option<String> {
        locked(&self.dialect).changes_from(self.options.dialect)
    }

    /// Asks the model, or the record. What it took is added to the bill, whatever came of it.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn ask(&self, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, AskError> {
        let keyed = self.tape.as_ref().map(|tape| (tape, tape.key(prompt)));
        if let Some((tape, key)) = &keyed
            && let Some(outcome) = tape.next(key)
        {
            self.book(bill, |bill| bill.replayed += 1);
            return match outcome {
                Outcome::Answer(answer) => self.whole(prompt, answer),
                Outcome::Overflow(overflow) => Err(AskError::Overflow(overflow)),
            };
        }
        let Some(provider) = &self.provider else {
            let missing = keyed.map(|(tape, key)| tape.missing(&key, prompt.about()));
            return Err(AskError::Failed(missing.unwrap_or_else(|| "there is no model to ask".to_owned())));
        };
        let sent = self.send(provider, prompt, bill).await;
        if let Some((tape, key)) = &keyed {
            self.keep(tape, key, prompt, &sent)?;
        }
        self.whole(prompt, sent?)
    }

    /// Puts on record what steers a run: answers, and that a prompt was too long.
    fn keep(
        &self,
        tape: &Tape,
        key: &Key,
        prompt: &BudgetedPrompt,
        sent: &Result<Answer, AskError>,
    ) -> Result<(), AskError> {
        let outcome = match sent {
            Ok(answer) => Outcome::Answer(answer.clone()),
            Err(AskError::Overflow(overflow)) => Outcome::Overflow(*overflow),
            Err(_) => return Ok(()),
        };
        if !tape.is_open() {
            return Ok(());
        }
        tape.put(key, prompt.about(), outcome)
            .map_err(|error| self.stop(StopReason::Record, format!("the record cannot be written: {error}")))
    }

    /// The answer, if the server has read the whole prompt.
    fn whole(&self, prompt: &BudgetedPrompt, answer: Answer) -> Result<Answer, AskError> {
        let counted = answer.usage.map(|usage| usage.prompt_tokens).filter(|tokens| *tokens >= LEAST_WINDOW);
        let expected = prompt.tokens().get() as f64 * self.options.token_ratio * self.options.dropped_below;
        match counted.filter(|tokens| (*tokens as f64) < expected) {
            // What was read filled the window.
            Some(window) => Err(self.overflow(prompt, Overflow { window: Some(window), counted: None })),
            None => Ok(answer),
        }
    }

    fn overflow(&self, prompt: &BudgetedPrompt, overflow: Overflow) -> AskError {
        let ratio = overflow.counted.map(|counted| counted as f64 / prompt.tokens().get() as f64);
        let mut learned = locked(&self.learned);
        let before = learned.unwrap_or(Learned { token_ratio: None, window: None });
        let most = match (before.token_ratio, ratio) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        *learned = Some(Learned { token_ratio: most, window: overflow.window.or(before.window) });
        AskError::Overflow(overflow)
    }

    /// Sends a prompt until there is an answer or no hope of one.
    async fn send(&self, provider: &P, prompt: &BudgetedPrompt, bill: &mut Bill) -> Result<Answer, AskError> {
        let tokens = prompt.tokens().get();
        let mut attempts = 0;
        let mut is_repeated = false;
        loop {
            let first = self.first().await;
            let pass = self.gate.pass(tokens).await;
            let reserved = self.ledger.reserve(self.most(tokens)).await;
            let reservation = reserved.map_err(|cap| self.stop(StopReason::SpendCap, cap.to_string()))?;
            if let Some(stopped) = self.stopped.get() {
                reservation.release();
                return Err(stopped.clone().into());
            }
            let dialect = *locked(&self.dialect);
            self.book(bill, |bill| {
                bill.calls += 1;
                bill.retries += u64::from(is_repeated);
                bill.prompt_tokens += tokens;
                bill.largest_prompt = bill.largest_prompt.max(tokens);
            });
            is_repeated = true;
            locked(&self.meter).in_flight += 1;
            let sent = provider.send(prompt, dialect).await;
            locked(&self.meter).in_flight -= 1;
            drop(pass);
            let error = match sent {
                Ok(answer) => {
                    self.settled.get_or_init(|| ());
                    drop(first);
                    let usage = self.usage(prompt, &answer);
                    let cost = self.cost(usage);
                    reservation.settle(cost);
                    self.gate.answered(usage.completion_tokens);
                    self.book(bill, |bill| {
                        bill.completion_tokens += usage.completion_tokens;
                        bill.cost += cost;
                    });
                    return Ok(answer);
                }
                Err(error) => error,
            };
            tracing::debug!(about = prompt.about(), kind = ?error.kind, message = %error, "call failed");
            match may_be_charged(&error) {
                // Kept as spent: see the ledger.
                true => drop(reservation),
                false => reservation.release(),
            }
            let stop = |stopped: Stopped| self.stop(stopped.reason, stopped.message);
            match error.kind.remedy() {
                Remedy::Stop(reason) => return Err(self.stop(reason, error.message)),
                Remedy::Wait(retry_after) => self.gate.limited(retry_after).map_err(stop)?,
                Remedy::RetryOutage(retry_after) => {
                    self.gate.failed(retry_after, &error.message).map_err(stop)?;
                    if !self.gate.is_down() {
                        attempts += 1;
                        self.again(attempts, &error).await?;
                    }
                }
                Remedy::Retry => {
                    attempts += 1;
                    self.again(attempts, &error).await?;
                }
                Remedy::Split(overflow) => {
                    self.settled.get_or_init(|| ());
                    return Err(self.overflow(prompt, overflow));
                }
                Remedy::Adapt(feature) => {
                    if !self.adapt(dialect, feature) {
                        return Err(AskError::Failed(error.message));
                    }
                }
                Remedy::Fail => return Err(AskError::Failed(error.message)),
            }
        }
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
        tokio::time::sleep(self.gate.backoff(attempts)).await;
        Ok(())
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
    fn adapt(&self, used: Dialect, refused: Feature) -> bool {
        let mut dialect = locked(&self.dialect);
        if *dialect != used {
            return true;
        }
        let next = dialect.without(refused).filter(|_| !self.options.pinned.contains(&refused));
        let Some(next) = next else { return false };
        tracing::info!(?refused, "the server does not take a part of the request");
        *dialect = next;
        true
    }

    /// The most that a call can cost.
    fn most(&self, tokens: u64) -> Money {
        let tokens = (tokens as f64 * self.options.token_ratio).ceil() as u64;
        self.cost(Usage {
            prompt_tokens: tokens + tokens / 50 + AROUND_MESSAGES,
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
        answer.usage.unwrap_or_else(|| Usage {
            prompt_tokens: prompt.tokens().get(),
            completion_tokens: self.counter.count(&answer.text).get(),
            cached_tokens: 0,
        })
    }

    /// Stops the run, if nobody has yet.
    fn stop(&self, reason: StopReason, message: String) -> AskError {
        self.stopped.get_or_init(|| Stopped { reason, message }).clone().into()
    }

    fn book(&self, bill: &mut Bill, add: impl Fn(&mut Bill)) {
        add(bill);
        add(&mut locked(&self.meter).bill);
    }
}

/// Whether a provider may charge for a call that brought no answer: one that it has begun to answer, or may have.
fn may_be_charged(error: &CallError) -> bool {
    match error.kind {
        CallErrorKind::BrokenAnswer | CallErrorKind::Unreachable { was_sent: true } => true,
        CallErrorKind::Unreachable { was_sent: false }
        | CallErrorKind::Authentication
        | CallErrorKind::Quota
        | CallErrorKind::UnknownModel
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::ServerFailed { .. }
        | CallErrorKind::ContextOverflow(_)
        | CallErrorKind::NotSupported(_)
        | CallErrorKind::Rejected => false,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
