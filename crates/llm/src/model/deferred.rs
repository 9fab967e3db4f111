//! Calls that are answered later: handing them to the outbox, and booking what came back.

use super::ModelClient;
use super::send::{may_be_charged, tokens_as_worded};
use crate::Money;
use crate::answer::{ModelAnswer, UsageTotals};
use crate::answer_key::AnswerKey;
use crate::call_log::{CallOutcome, FinishedCall, NewCall};
use crate::error::{CallError, ContextOverflow, ModelError, Remedy, StopError, StopReason};
use crate::models::BATCH_TIER;
use crate::outbox::{CallRoute, DeferredCall, Outbox};
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use std::sync::Arc;

/// What has become of a call that was answered later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookedCall {
    /// Its answer is stored now, or that its prompt was too long.
    Stored,
    /// An answer was stored before.
    Known,
    /// It has no answer, for this reason.
    Failed(String),
}

impl<P: ModelProvider> ModelClient<P> {
    /// Adds an outbox, which may take calls instead of the provider.
    pub fn with_outbox(self, outbox: Arc<dyn Outbox>) -> Self {
        Self { outbox: Some(outbox), ..self }
    }

    /// Hands a call to the outbox if that takes it; `None` if it is to be sent. It counts against the cap with the most that it can cost.
    pub(super) async fn deferred(
        &self,
        provider: &P,
        prompt: &BudgetedPrompt,
        keys: &[AnswerKey],
    ) -> Option<Result<CallOutcome, ModelError>> {
        let (outbox, key, (_, parameters)) = (self.outbox.as_ref()?, *keys.first()?, self.journal.as_ref()?);
        match outbox.route(keys) {
            CallRoute::Send => return None,
            CallRoute::Waiting => return Some(Err(waiting())),
            CallRoute::Defer => {}
        }
        let dialect = *self.dialect.lock();
        let Some(prompt_tokens) = tokens_as_worded(prompt, dialect) else {
            return Some(Ok(CallOutcome::Overflow(ContextOverflow::default())));
        };
        if let Some(stopped) = self.stopped.get() {
            return Some(Err(stopped.clone().into()));
        }
        let most = self.batch_price(self.most(prompt.tokens().get()));
        let reservation = match self.ledger.reserve(most).await {
            Ok(reservation) => reservation,
            Err(cap) => return Some(Err(self.stop(StopReason::SpendCap, cap.to_string()))),
        };
        let call = DeferredCall {
            key,
            since: prompt.reuse().since,
            model: parameters.model.clone(),
            file: prompt.file().to_owned(),
            about: prompt.about().to_owned(),
            prompt_tokens,
            most,
        };
        let taken = provider.request_body(prompt, dialect).map_err(|error| ModelError::Failed(error.message));
        let taken = taken.and_then(|body| {
            outbox
                .take(call, &body)
                .map_err(|error| self.stop(StopReason::Record, format!("a batch cannot be written: {error}")))
        });
        match taken {
            Ok(()) => {
                // Counts as spent until its answer is booked.
                drop(reservation);
                Some(Err(waiting()))
            }
            Err(error) => {
                reservation.release();
                Some(Err(error))
            }
        }
    }

    /// Books and stores the outcome of a call that the outbox took, in this run or an earlier one. An error for which nothing is charged costs
    /// nothing; a call without any outcome costs the most that it can.
    ///
    /// # Errors
    /// [`ModelError::Stopped`] if the call log does not take it.
    pub async fn book_deferred(
        &self,
        call: &DeferredCall,
        came: Option<Result<ModelAnswer, CallError>>,
        bill: &mut UsageTotals,
    ) -> Result<BookedCall, ModelError> {
        let Some((journal, _)) = &self.journal else { return Ok(BookedCall::Known) };
        let known = journal.find_answer(call.key, call.since).await.map_err(|error| self.unrecorded(error))?;
        if known.is_some() {
            return Ok(BookedCall::Known);
        }
        let (result, completion_tokens, cached_tokens, cost) = match came {
            Some(Ok(answer)) => {
                let usage = self.usage(call.prompt_tokens, &answer);
                let cost = self.cost_in(usage, Some(BATCH_TIER));
                (Ok(CallOutcome::Answer(answer)), usage.completion_tokens, usage.cached_tokens, cost)
            }
            Some(Err(error)) => match error.kind.remedy() {
                Remedy::Split(overflow) => (Ok(CallOutcome::Overflow(overflow)), 0, 0, Money::ZERO),
                _ if may_be_charged(&error) => (Err(error.message), 0, 0, call.most),
                _ => (Err(error.message), 0, 0, Money::ZERO),
            },
            None => (Err("the batch came back without it".to_owned()), 0, 0, call.most),
        };
        self.ledger.exchange(call.most, cost);
        self.book(bill, |bill| {
            bill.calls += 1;
            bill.prompt_tokens += call.prompt_tokens;
            bill.largest_prompt = bill.largest_prompt.max(call.prompt_tokens);
            bill.completion_tokens += completion_tokens;
            bill.cached_tokens += cached_tokens;
            bill.cost += cost;
        });
        let new = NewCall {
            key: call.key,
            file: call.file.clone(),
            about: call.about.clone(),
            prompt_tokens: call.prompt_tokens,
            most: cost,
        };
        let number = journal.record_call(new).await.map_err(|error| self.unrecorded(error))?;
        let failed = result.as_ref().err().cloned();
        let ended = FinishedCall { key: call.key, result, completion_tokens, cost };
        journal.record_outcome(number, ended, call.since).await.map_err(|error| self.unrecorded(error))?;
        Ok(failed.map_or(BookedCall::Stored, BookedCall::Failed))
    }

    /// Counts as spent what calls may cost that an earlier run has handed in.
    pub fn reserve_deferred(&self, most: Money) {
        self.ledger.exchange(Money::ZERO, most);
    }

    /// Returns the price of a call in a batch, rounded up.
    fn batch_price(&self, price: Money) -> Money {
        let percent = self.options.info.as_ref().map_or(100, |info| info.tier_percent(Some(BATCH_TIER)));
        price.percent(percent)
    }
}

/// What a question is told that is answered later.
fn waiting() -> ModelError {
    StopError { reason: StopReason::Deferred, message: "its question waits in a batch".to_owned() }.into()
}
