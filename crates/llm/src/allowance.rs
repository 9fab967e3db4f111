//! Leave to call, for all who call on one account from several places.
//!
//! Properties: what all of them have spent and may spend is never over the cap, and together they send no more requests and tokens a minute than are
//! allowed. Each of them has a gate of its own besides, which bounds what it has in flight and waits when the provider asks for it. Accepted: that
//! the provider has asked one of them to wait is not told to the others, which it will ask as well.

use crate::Money;
use crate::error::{StopReason, Stopped};
use crate::gate::{Gate, Limits};
use crate::spend::{Ledger, Reservation};
use std::sync::Arc;
use war_rig_estimator::TokenCount;

/// What may be spent and sent by all together.
#[derive(Debug)]
pub struct Allowance {
    gate: Gate,
    ledger: Arc<Ledger>,
    max_answer: TokenCount,
}

/// Leave for one call. Dropped without a word, the most that it can cost counts as spent.
#[derive(Debug)]
pub struct Leave(Reservation);

impl Allowance {
    /// An allowance. Of the limits those a minute are looked at; `spent` counts against the cap already. No answer takes more than `max_answer`,
    /// whatever a provider says of it.
    pub fn new(limits: Limits, (cap, spent): (Option<Money>, Money), max_answer: TokenCount) -> Self {
        Self { gate: Gate::new(limits, fastrand::f64), ledger: Ledger::new(cap, spent), max_answer }
    }

    /// Leave for a call with a prompt of so many tokens, that can cost so much; waits for the minute, and while other calls may turn out to cost less.
    ///
    /// # Errors
    /// [`Stopped`] when the call does not fit under the cap.
    pub async fn leave(&self, tokens: u64, most: Money) -> Result<Leave, Stopped> {
        drop(self.gate.pass(tokens).await);
        let reserved = self.ledger.reserve(most).await;
        let stopped = |message| Stopped { reason: StopReason::SpendCap, message };
        reserved.map(Leave).map_err(|cap| stopped(cap.to_string()))
    }

    /// A call has brought an answer of so many tokens.
    pub fn answered(&self, leave: Leave, answer_tokens: u64, cost: Money) {
        leave.0.settle(cost);
        self.gate.answered(answer_tokens.min(self.max_answer.get()));
    }

    /// A call has come to nothing, and cost this much.
    pub fn failed(&self, leave: Leave, cost: Money) {
        leave.0.settle(cost);
    }

    /// A call was not sent.
    pub fn unused(&self, leave: Leave) {
        leave.0.release();
    }
}
