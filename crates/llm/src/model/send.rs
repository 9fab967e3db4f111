//! A call from prompt to answer: permit, reservation, attempts.

use super::{LEAST_WINDOW, ModelClient};
use crate::Money;
use crate::answer::{ModelAnswer, TokenUsage, UsageTotals};
use crate::answer_key::AnswerKey;
use crate::call_log::{CallOutcome, FinishedCall, NewCall};
use crate::dialect::{Dialect, OutputLimitParameter, RequestFeature, ResponseFormat};
use crate::error::{CallError, CallErrorKind, ContextOverflow, ModelError, Remedy, StopError, StopReason};
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use crate::rate_limiter::ATTEMPTS;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use war_rig_estimator::TokenCount;

/// How long calls wait for the first one to show whether its dialect is accepted. A refusal takes no longer, since the model writes nothing.
const REFUSAL: Duration = Duration::from_millis(150);

/// How many calls may fail before any is answered: a few may fail because of their content.
const IN_VAIN: usize = 8;

/// The message when more calls than that are refused.
const REFUSED: &str = "every call is refused";

/// How much the server's count for a prompt may exceed earlier ratios, as a share: some prompts have more rare words than others.
const SERVERS_VARY: f64 = 0.1;

/// The tokens that a prompt may cost beyond its own count: what servers add around messages.
const AROUND_MESSAGES: u64 = 64;

/// A call as the call log knows it.
#[derive(Clone, Copy)]
struct LoggedCall {
    number: u64,
    key: AnswerKey,
}

/// How often a prompt was sent in vain.
#[derive(Default)]
struct Tries {
    /// All attempts that count.
    attempts: u32,
    /// Those to which the server gave no answer in time.
    late: u32,
}

impl<P: ModelProvider> ModelClient<P> {
    /// Records a call that is about to be sent.
    async fn noted(
        &self,
        key: Option<AnswerKey>,
        prompt: &BudgetedPrompt,
        prompt_tokens: u64,
        most: Money,
    ) -> Result<Option<LoggedCall>, ModelError> {
        let (Some((journal, _)), Some(key)) = (&self.journal, key) else { return Ok(None) };
        let (file, about) = (prompt.file().to_owned(), prompt.about().to_owned());
        let call = NewCall { key, file, about, prompt_tokens, most };
        let number = journal.record_call(call).await.map_err(|error| self.unrecorded(error))?;
        Ok(Some(LoggedCall { number, key }))
    }

    /// Records the outcome of a call, and returns the earlier answer if there is one.
    async fn ended(
        &self,
        noted: Option<LoggedCall>,
        (result, completion_tokens, cost): (Result<CallOutcome, String>, u64, Money),
        prompt: &BudgetedPrompt,
    ) -> Result<Option<CallOutcome>, ModelError> {
        let (Some((journal, _)), Some(LoggedCall { number: call, key })) = (&self.journal, noted) else {
            return Ok(None);
        };
        let ended = FinishedCall { key, result, completion_tokens, cost };
        let since = prompt.reuse().since;
        let stands = journal.record_outcome(call, ended, since).await.map_err(|error| self.unrecorded(error))?;
        Ok(stands.filter(|_| self.memory().is_some()))
    }

    /// Sends a prompt until it is answered or there is no hope; that it is too long counts as an answer too.
    pub(super) async fn send(
        &self,
        provider: &P,
        prompt: &BudgetedPrompt,
        key: Option<AnswerKey>,
        bill: &mut UsageTotals,
    ) -> Result<CallOutcome, ModelError> {
        let tokens = prompt.tokens().get();
        let mut tries = Tries::default();
        let mut is_repeated = false;
        loop {
            let first = self.first().await;
            let pass = self.unless_stopped(self.gate.acquire(tokens)).await?;
            let most = self.most_now(tokens);
            let reserved = self.unless_stopped(self.ledger.reserve(most)).await?;
            let reservation = reserved.map_err(|cap| self.stop(StopReason::SpendCap, cap.to_string()))?;
            if let Some(stopped) = self.stopped.get() {
                reservation.release();
                return Err(stopped.clone().into());
            }
            let dialect = *self.dialect.lock();
            let Some(worded) = tokens_as_worded(prompt, dialect) else {
                reservation.release();
                return Ok(CallOutcome::Overflow(ContextOverflow::default()));
            };
            let noted = match self.noted(key, prompt, worded, most).await {
                Ok(noted) => noted,
                Err(error) => {
                    reservation.release();
                    return Err(error);
                }
            };
            // Acquired only now: a call that waits for a permit takes no slot from other models.
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
            self.meter.lock().in_flight += 1;
            let sent = provider.send(prompt, dialect).await;
            self.meter.lock().in_flight -= 1;
            drop(place);
            // The slot is kept until the others can know the outcome of this call.
            let error = match sent {
                Ok(answer) => {
                    let usage = self.usage(prompt.tokens().get(), &answer);
                    reservation.settle(self.cost_in(usage, self.tier_of(&answer, dialect)));
                    return self.answered(noted, prompt, (answer, dialect), usage, bill).await;
                }
                Err(error) => error,
            };
            tracing::debug!(about = prompt.about(), kind = ?error.kind, message = %error, "call failed");
            let charged = may_be_charged(&error);
            match charged {
                // Counts as spent: see the ledger.
                true => drop(reservation),
                false => reservation.release(),
            }
            let cost = if charged { most } else { Money::ZERO };
            let stands = self.ended(noted, (result_of(&error), 0, cost), prompt).await?;
            if let Some(outcome) = self.after_error(prompt, (error, dialect, stands), &mut tries, (pass, first)).await?
            {
                return Ok(outcome);
            }
        }
    }

    /// Does what the error of a call asks for, and returns the outcome if the prompt is not to be sent again. `held` is what keeps other calls waiting;
    /// it is given back before this one waits.
    async fn after_error<H>(
        &self,
        prompt: &BudgetedPrompt,
        (error, dialect, stands): (CallError, Dialect, Option<CallOutcome>),
        tries: &mut Tries,
        held: H,
    ) -> Result<Option<CallOutcome>, ModelError> {
        let remedy = error.kind.remedy();
        let stop = |stopped: StopError| self.stop(stopped.reason, stopped.message);
        if !matches!(remedy, Remedy::Stop(_) | Remedy::Wait(_) | Remedy::RetryOutage(_)) {
            self.gate.record_response();
        }
        match remedy {
            Remedy::Stop(reason) => return Err(self.stop(reason, error.message)),
            Remedy::Wait(retry_after) => self.gate.record_rate_limit(retry_after).map_err(|stopped| {
                stop(StopError { message: format!("{}: {}", stopped.message, error.message), ..stopped })
            })?,
            Remedy::RetryOutage(retry_after) => {
                self.gate.record_failure(retry_after, &error.message).map_err(stop)?;
                if !self.gate.is_down() {
                    tries.attempts += 1;
                    drop(held);
                    self.again(tries.attempts, &error).await?;
                }
            }
            Remedy::Retry | Remedy::RetryOnce => {
                tries.attempts += 1;
                tries.late += u32::from(matches!(remedy, Remedy::RetryOnce));
                drop(held);
                if matches!(remedy, Remedy::RetryOnce) && tries.late > 1 {
                    let message = format!("{} ({} attempts)", error.message, tries.attempts);
                    return Err(self.in_vain(StopReason::Unavailable, "no call is answered", message));
                }
                self.again(tries.attempts, &error).await?;
            }
            Remedy::Split(overflow) => {
                self.settled.get_or_init(|| ());
                self.learn(prompt, overflow)?;
                return Ok(Some(stands.unwrap_or(CallOutcome::Overflow(overflow))));
            }
            Remedy::Adapt(feature) => {
                if !self.adapt(dialect, feature)? {
                    return Err(self.in_vain(StopReason::Configuration, REFUSED, error.message));
                }
            }
            Remedy::Fail => return Err(ModelError::Failed(error.message)),
            Remedy::Refuse => return Err(self.in_vain(StopReason::Configuration, REFUSED, error.message)),
        }
        Ok(None)
    }

    /// Books an answer and records it, and returns the earlier answer if there is one.
    async fn answered(
        &self,
        noted: Option<LoggedCall>,
        prompt: &BudgetedPrompt,
        (answer, dialect): (ModelAnswer, Dialect),
        usage: TokenUsage,
        bill: &mut UsageTotals,
    ) -> Result<CallOutcome, ModelError> {
        self.settled.get_or_init(|| ());
        self.gate.record_answer(usage.completion_tokens.min(self.options.max_answer.get()));
        let cost = self.cost_in(usage, self.tier_of(&answer, dialect));
        self.book(bill, |bill| {
            bill.completion_tokens += usage.completion_tokens;
            bill.cached_tokens += usage.cached_tokens;
            bill.cost += cost;
        });
        let came = (Ok(CallOutcome::Answer(answer.clone())), usage.completion_tokens, cost);
        let stands = self.ended(noted, came, prompt).await?;
        Ok(stands.unwrap_or(CallOutcome::Answer(answer)))
    }

    /// Acquires a slot for one call, if slots are shared.
    async fn place(&self) -> Result<Option<SemaphorePermit<'_>>, ModelError> {
        let Some(places) = &self.places else { return Ok(None) };
        let place = self.unless_stopped(places.acquire()).await?;
        Ok(Some(place.expect("the places are never closed")))
    }

    /// Counts a failed call. If many fail and none was ever answered, none will be.
    fn in_vain(&self, reason: StopReason, told: &str, message: String) -> ModelError {
        let count = self.in_vain.fetch_add(1, Ordering::AcqRel) + 1;
        let enough = self.options.limits.concurrency.max(IN_VAIN);
        if self.settled.get().is_none() && count > enough {
            return self.stop(reason, format!("{told}: {message}"));
        }
        ModelError::Failed(message)
    }

    /// Waits before the next attempt, if there is one.
    async fn again(&self, attempts: u32, error: &CallError) -> Result<(), ModelError> {
        if attempts >= ATTEMPTS {
            return Err(ModelError::Failed(format!("{} ({attempts} attempts)", error.message)));
        }
        if !self.gate.may_retry() {
            let message = format!("{} (not tried again: a tenth of all calls were repeated already)", error.message);
            return Err(ModelError::Failed(message));
        }
        self.unless_stopped(tokio::time::sleep(self.gate.backoff(attempts))).await
    }

    /// Waits, but stops waiting when the run stops.
    async fn unless_stopped<T>(&self, waiting: impl Future<Output = T>) -> Result<T, ModelError> {
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

    /// Acquires the right to go first, until some call has shown that its dialect is accepted.
    async fn first(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if self.settled.get().is_some() {
            return None;
        }
        let first = tokio::time::timeout(REFUSAL, self.first.lock()).await.ok();
        first.filter(|_| self.settled.get().is_none())
    }

    /// Changes the dialect, unless another call has done so already. Returns whether it differs now.
    fn adapt(&self, used: Dialect, refused: RequestFeature) -> Result<bool, ModelError> {
        let mut dialect = self.dialect.lock();
        if *dialect != used {
            return Ok(true);
        }
        let next = dialect.without(refused).filter(|_| !self.options.pinned.contains(&refused));
        let Some(next) = next else { return Ok(false) };
        if next.limit == OutputLimitParameter::None && self.options.cap.is_some() {
            let message = "the server takes no limit for answers, so that no cap on what is spent can hold";
            return Err(self.stop(StopReason::Configuration, message.to_owned()));
        }
        tracing::info!(?refused, "the server does not take a part of the request");
        *dialect = next;
        Ok(true)
    }

    /// Returns the tier that served an answer: what the provider says, or else what it was asked for.
    fn tier_of<'a>(&'a self, answer: &'a ModelAnswer, dialect: Dialect) -> Option<&'a str> {
        let asked = self.options.service_tier.as_deref().filter(|_| dialect.service_tier);
        answer.service_tier.as_deref().or(asked)
    }

    /// Returns what a call costs in a tier, rounded up.
    pub(super) fn cost_in(&self, usage: TokenUsage, tier: Option<&str>) -> Money {
        let percent = self.options.info.as_ref().map_or(100, |info| info.tier_percent(tier));
        self.cost(usage).percent(percent)
    }

    /// Returns the most that a call can cost that is sent now: in the tier that is asked for, or without one if the provider serves another.
    fn most_now(&self, tokens: u64) -> Money {
        let asked = self.options.service_tier.as_deref();
        let percent = self.options.info.as_ref().map_or(100, |info| info.tier_percent(asked)).max(100);
        self.most(tokens).percent(percent)
    }

    /// Returns the most that an ordinary call can cost.
    pub(super) fn most(&self, tokens: u64) -> Money {
        let seen = *self.counted.lock();
        let ratio = match seen > 0.0 {
            true => seen.max(self.options.token_ratio) * (1.0 + SERVERS_VARY),
            false => self.options.token_ratio * (1.0 + self.options.margin),
        };
        self.cost(TokenUsage {
            prompt_tokens: (tokens as f64 * ratio).ceil() as u64 + AROUND_MESSAGES,
            completion_tokens: self.options.max_answer.get(),
            cached_tokens: 0,
        })
    }

    pub(super) fn cost(&self, usage: TokenUsage) -> Money {
        let tokens = TokenCount::new;
        let info = self.options.info.as_ref();
        info.and_then(|info| {
            info.cost(tokens(usage.prompt_tokens), tokens(usage.cached_tokens), tokens(usage.completion_tokens))
        })
        .unwrap_or_default()
    }

    /// Returns the server's count, or ours if the server did not count.
    pub(super) fn usage(&self, ours: u64, answer: &ModelAnswer) -> TokenUsage {
        // Invented numbers do not affect the cost.
        let counted = answer.usage.filter(|usage| usage.prompt_tokens >= LEAST_WINDOW.min(ours));
        if let Some(usage) = counted {
            let mut most = self.counted.lock();
            *most = most.max(usage.prompt_tokens as f64 / ours.max(1) as f64);
            return usage;
        }
        let completion_tokens = self.counter.count(&answer.text).get();
        TokenUsage { prompt_tokens: ours, completion_tokens, cached_tokens: 0 }
    }
}

/// Returns the tokens of a prompt in this dialect; none if the schema in the messages puts it over budget, so that it is not sent.
pub fn tokens_as_worded(prompt: &BudgetedPrompt, dialect: Dialect) -> Option<u64> {
    match dialect.format {
        ResponseFormat::JsonSchema => Some(prompt.tokens().get()),
        ResponseFormat::JsonObject | ResponseFormat::Text => {
            prompt.messages_with_schema().is_ok().then(|| prompt.tokens_with_schema().get())
        }
    }
}

/// Whether a provider may charge for a call without an answer: a call that it began to answer, or may have begun.
pub(super) fn may_be_charged(error: &CallError) -> bool {
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

/// Returns what is recorded of a call that failed: that its prompt is too long is an answer.
fn result_of(error: &CallError) -> Result<CallOutcome, String> {
    match error.kind.remedy() {
        Remedy::Split(overflow) => Ok(CallOutcome::Overflow(overflow)),
        _ => Err(error.message.clone()),
    }
}
