//! Leave to call, for all who call on one account from several places.
//!
//! Properties: what all of them have spent and may spend is never over the cap, and together they send no more requests and tokens a minute than are
//! allowed. Each of them has a gate of its own besides, which bounds what it has in flight and waits when the provider asks for it. Accepted: that
//! the provider has asked one of them to wait is not told to the others, which it will ask as well.

use crate::Money;
use crate::cost_ledger::{CostLedger, Reservation};
use crate::error::{StopError, StopReason};
use crate::rate_limiter::{ProviderLimiter, RateLimits};
use std::sync::Arc;
use war_rig_estimator::TokenCount;

/// What may be spent and sent by all together.
#[derive(Debug)]
pub struct SharedBudget {
    gate: ProviderLimiter,
    ledger: Arc<CostLedger>,
    max_answer: TokenCount,
}

/// Leave for one call. Dropped without a word, the most that it can cost counts as spent.
#[derive(Debug)]
pub struct CallPermit(Reservation);

impl SharedBudget {
    /// An allowance. Of the limits those a minute are looked at; `spent` counts against the cap already. No answer takes more than `max_answer`,
    /// whatever a provider says of it.
    pub fn new(limits: RateLimits, (cap, spent): (Option<Money>, Money), max_answer: TokenCount) -> Self {
        Self {
            gate: ProviderLimiter::new(limits, fastrand::f64),
            ledger: CostLedger::new(cap, spent),
            max_answer,
        }
    }

    /// Leave for a call with a prompt of so many tokens, that can cost so much; waits for the minute, and while other calls may turn out to cost less.
    ///
    /// # Errors
    /// [`StopError`] when the call does not fit under the cap.
    pub async fn acquire(&self, tokens: u64, most: Money) -> Result<CallPermit, StopError> {
        drop(self.gate.acquire(tokens).await);
        let reserved = self.ledger.reserve(most).await;
        let stopped = |message| StopError { reason: StopReason::SpendCap, message };
        reserved.map(CallPermit).map_err(|cap| stopped(cap.to_string()))
    }

    /// A call has brought an answer of so many tokens.
    pub fn answered(&self, leave: CallPermit, answer_tokens: u64, cost: Money) {
        leave.0.settle(cost);
        self.gate.record_answer(answer_tokens.min(self.max_answer.get()));
    }

    /// A call has come to nothing, and cost this much.
    pub fn failed(&self, leave: CallPermit, cost: Money) {
        leave.0.settle(cost);
    }

    /// A call was not sent.
    pub fn unused(&self, leave: CallPermit) {
        leave.0.release();
    }
}
