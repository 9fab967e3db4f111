//! The spend cap.
//!
//! Properties: spent plus reserved never exceeds the cap, however many calls are in flight; a call is sent only with a reservation for the most that
//! it can cost. Races: a reservation that does not fit waits while others are open, because those may cost less than reserved; if none is open and it
//! still does not fit, the cap is reached. Accepted: the provider may charge for an answer that never came, so its whole reservation counts against
//! the cap, but not in the bill.

use crate::Money;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// Spent and reserved amounts.
#[derive(Debug)]
pub(crate) struct CostLedger {
    cap: Option<Money>,
    sums: Mutex<LedgerTotals>,
    settled: Notify,
}

#[derive(Debug, Default)]
struct LedgerTotals {
    spent: Money,
    reserved: Money,
    open: usize,
}

/// The next call does not fit under the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the next call may cost {needed} USD and {left} of {cap} are left")]
pub(crate) struct CapReached {
    pub(crate) cap: Money,
    pub(crate) left: Money,
    pub(crate) needed: Money,
}

impl CostLedger {
    pub(crate) fn new(cap: Option<Money>, spent: Money) -> Arc<Self> {
        Arc::new(Self {
            cap,
            sums: Mutex::new(LedgerTotals { spent, ..LedgerTotals::default() }),
            settled: Notify::new(),
        })
    }

    /// Reserves the most that a call can cost.
    pub(crate) async fn reserve(self: &Arc<Self>, most: Money) -> Result<Reservation, CapReached> {
        loop {
            // Created before the check, so that no settlement between the check and the wait is missed.
            let settled = self.settled.notified();
            {
                let mut sums = self.sums.lock();
                let taken = sums.spent + sums.reserved;
                match self.cap {
                    Some(cap) if taken + most > cap => {
                        if sums.open == 0 {
                            return Err(CapReached { cap, left: cap - sums.spent, needed: most });
                        }
                    }
                    _ => {
                        sums.reserved += most;
                        sums.open += 1;
                        return Ok(Reservation { ledger: Arc::clone(self), amount: most, is_open: true });
                    }
                }
            }
            settled.await;
        }
    }

    /// Counts an amount in the place of another that counted as spent.
    pub(crate) fn exchange(&self, before: Money, after: Money) {
        let mut sums = self.sums.lock();
        sums.spent = sums.spent - before + after;
        drop(sums);
        self.settled.notify_waiters();
    }

    fn close(&self, reserved: Money, spent: Money) {
        let mut sums = self.sums.lock();
        sums.reserved = sums.reserved - reserved;
        sums.spent += spent;
        sums.open -= 1;
        drop(sums);
        self.settled.notify_waiters();
    }

    #[cfg(test)]
    fn spent(&self) -> Money {
        self.sums.lock().spent
    }
}

/// An amount reserved for one call.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Arc<CostLedger>,
    amount: Money,
    is_open: bool,
}

impl Reservation {
    /// Settles the reservation at the call's actual cost.
    pub(crate) fn settle(mut self, cost: Money) {
        self.close(cost);
    }

    /// Releases the reservation of a call that cost nothing.
    pub(crate) fn release(mut self) {
        self.close(Money::ZERO);
    }

    fn close(&mut self, spent: Money) {
        self.is_open = false;
        self.ledger.close(self.amount, spent);
    }
}

/// The outcome of an abandoned call is unknown, so its whole reservation counts as spent.
impl Drop for Reservation {
    fn drop(&mut self) {
        if self.is_open {
            self.close(self.amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// Simulates one run: 64 workers make calls of random cost and latency until the cap is reached. Returns what the provider charged.
    async fn run(seed: u64, cap: Money) -> (Money, Money) {
        let ledger = Arc::new(CostLedger::new(Some(cap), Money::ZERO));
        let charged = Arc::new(AtomicU64::new(0));
        let workers = (0..64).map(|worker| {
            let (ledger, charged) = (Arc::clone(&ledger), Arc::clone(&charged));
            tokio::spawn(async move {
                let mut random = fastrand::Rng::with_seed(seed * 64 + worker);
                loop {
                    let most = random.u64(1..2000);
                    let Ok(reservation) = ledger.reserve(Money::from_usd(most as f64 / 1e4)).await else {
                        return;
                    };
                    tokio::time::sleep(Duration::from_millis(random.u64(1..50))).await;
                    let cost = random.u64(0..=most);
                    charged.fetch_add(cost, Ordering::SeqCst);
                    // The provider's own sum never exceeds the cap.
                    assert!(Money::from_usd(charged.load(Ordering::SeqCst) as f64 / 1e4) <= cap);
                    match random.u8(0..10) {
                        // The answer is lost in transit, after it was charged.
                        0 => drop(reservation),
                        _ => reservation.settle(Money::from_usd(cost as f64 / 1e4)),
                    }
                }
            })
        });
        for worker in workers.collect::<Vec<_>>() {
            worker.await.unwrap();
        }
        (ledger.spent(), Money::from_usd(charged.load(Ordering::SeqCst) as f64 / 1e4))
    }

    #[tokio::test(start_paused = true)]
    async fn the_cap_holds_with_64_workers_in_a_thousand_runs() {
        for seed in 0..1000 {
            let cap = Money::from_usd(1.0 + seed as f64 / 250.0);
            let (spent, charged) = run(seed, cap).await;
            assert!(charged <= spent && spent <= cap, "run {seed}: {charged} charged, {spent} of {cap} spent");
            // The remainder is less than one call may need: the cap is used up.
            assert!(cap - spent < Money::from_usd(0.2), "run {seed}: {spent} of {cap}");
        }
    }

    #[tokio::test]
    async fn without_a_cap_everything_fits_and_a_call_that_cannot_fit_is_told() {
        let free = CostLedger::new(None, Money::ZERO);
        free.reserve(Money::from_usd(1e6)).await.unwrap().release();
        let capped = CostLedger::new(Some(Money::from_usd(1.0)), Money::ZERO);
        capped.reserve(Money::from_usd(0.75)).await.unwrap().settle(Money::from_usd(0.5));
        let told = capped.reserve(Money::from_usd(0.75)).await.unwrap_err();
        assert_eq!(told.to_string(), "the next call may cost 0.75 USD and 0.50 of 1.00 are left");
    }

    #[tokio::test]
    async fn what_earlier_runs_have_spent_counts_against_the_cap() {
        let ledger = CostLedger::new(Some(Money::from_usd(1.0)), Money::from_usd(0.75));
        let reservation = ledger.reserve(Money::from_usd(0.25)).await.unwrap();
        reservation.settle(Money::from_usd(0.2));
        let refused = ledger.reserve(Money::from_usd(0.1)).await.unwrap_err();
        assert_eq!(refused.left, Money::from_usd(0.05));
    }
}
