//! A budget that several clients of one account share.
//!
//! Properties: all clients together never exceed the cap, and send no more requests and tokens per minute than allowed. Each client also has its own
//! rate limiter, which bounds its calls in flight and waits when the provider asks to. Accepted: when the provider asks one client to wait, the
//! others do not learn of it; the provider will ask them as well.

use crate::Money;
use crate::cost_ledger::{CostLedger, Reservation};
use crate::error::{StopError, StopReason};
use crate::rate_limiter::{ProviderLimiter, RateLimits};
use std::sync::Arc;
use war_rig_estimator::TokenCount;

/// What all clients together may spend and send.
#[derive(Debug)]
pub struct SharedBudget {
    gate: ProviderLimiter,
    ledger: Arc<CostLedger>,
    max_answer: TokenCount,
}

/// A permit for one call. If it is dropped unused, the most that the call can cost counts as spent.
#[derive(Debug)]
pub struct CallPermit(Reservation);

impl SharedBudget {
    /// Creates a shared budget. Only the per-minute limits of `limits` apply; `spent` counts against the cap from the start. An answer counts at most
    /// `max_answer` tokens, whatever a provider reports.
    pub fn new(limits: RateLimits, (cap, spent): (Option<Money>, Money), max_answer: TokenCount) -> Self {
        Self { gate: ProviderLimiter::new(limits, fastrand::f64), ledger: CostLedger::new(cap, spent), max_answer }
    }

    /// Waits for a permit for a prompt of that many tokens and cost: for the rate limits, and while other calls may cost less than reserved.
    ///
    /// # Errors
    /// [`StopError`] when the call does not fit under the cap.
    pub async fn acquire(&self, tokens: u64, most: Money) -> Result<CallPermit, StopError> {
        drop(self.gate.acquire(tokens).await);
        let reserved = self.ledger.reserve(most).await;
        let stopped = |message| StopError { reason: StopReason::SpendCap, message };
        reserved.map(CallPermit).map_err(|cap| stopped(cap.to_string()))
    }

    /// Records a call that returned an answer of that many tokens.
    pub fn answered(&self, leave: CallPermit, answer_tokens: u64, cost: Money) {
        leave.0.settle(cost);
        self.gate.record_answer(answer_tokens.min(self.max_answer.get()));
    }

    /// Records a call that failed, and its cost.
    pub fn failed(&self, leave: CallPermit, cost: Money) {
        leave.0.settle(cost);
    }

    /// Releases the permit of a call that was not sent.
    pub fn unused(&self, leave: CallPermit) {
        leave.0.release();
    }
}
