//! The rate limiter that all calls to a provider pass through.
//!
//! Properties: at most `concurrency` calls are in flight; requests and tokens are spread evenly over a minute; when the provider asks to wait, all
//! calls wait, for as long as its latest response says; after four failures in a row, one call at a time probes whether the provider is back, after
//! growing pauses. Races: calls in flight when the provider asks to wait are not canceled. Accepted: tokens that a server counted before the limiter
//! learned of them are not counted again.

use crate::error::{StopError, StopReason};
use governor::clock::DefaultClock;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use parking_lot::Mutex;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep};

/// How many failures in a row mean that a provider is down.
const DOWN_AFTER: u32 = 4;

/// The attempts of a call before it fails, while the provider is not down.
pub(crate) const ATTEMPTS: u32 = 4;

/// Retries that are allowed besides a tenth of all calls: a small run must be able to retry at all.
const FREE_RETRIES: u64 = 10;

/// The first pause before a retry, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A pause that is long enough to log.
const LONG: Duration = Duration::from_secs(10);

/// The first pause before a probe of a provider that is down, and the longest.
const FIRST_PROBE: Duration = Duration::from_secs(1);
const LONGEST_PROBE: Duration = Duration::from_secs(8);

/// A provider's rate limits, and the patience with its failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Calls in flight; at least 1.
    pub concurrency: usize,
    /// Requests per minute; none for no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens per minute, of prompts and answers; none for no limit.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// The longest wait that a provider may ask for, and the longest time that it may return only 429.
    pub max_wait: Duration,
    /// How long it may fail before it counts as down.
    pub outage: Duration,
}

type Limiter = RateLimiter<NotKeyed, InMemoryState, DefaultClock>;

/// The rate limiter of one provider.
#[derive(Debug)]
pub(crate) struct ProviderLimiter {
    limits: RateLimits,
    slots: Semaphore,
    requests: Option<Limiter>,
    tokens: Option<(Limiter, NonZeroU32)>,
    /// Answer tokens that no request has waited for yet.
    owed: AtomicU64,
    state: Mutex<LimiterState>,
    /// Locked by the one call that probes whether a provider is back.
    probe: tokio::sync::Mutex<()>,
    /// Wakes calls that wait to probe a provider that is back already.
    back: Notify,
    random: fn() -> f64,
}

#[derive(Debug, Default)]
struct LimiterState {
    /// Nothing is sent before this time.
    paused_until: Option<Instant>,
    /// Since when the provider has returned only 429.
    limited_since: Option<Instant>,
    limited: u32,
    /// Failures since the last success.
    failures: u32,
    /// Since when the provider has only failed.
    failing_since: Option<Instant>,
    down_since: Option<Instant>,
    probes: u32,
    sent: u64,
    retries: u64,
}

impl LimiterState {
    /// Records that the provider has responded in any way.
    fn is_up(&mut self) {
        (self.failures, self.failing_since, self.down_since, self.probes) = (0, None, None, 0);
    }
}

/// A permit to send one request.
pub(crate) struct SendPermit<'a> {
    _slot: SemaphorePermit<'a>,
    _probe: Option<tokio::sync::MutexGuard<'a, ()>>,
}

impl ProviderLimiter {
    /// Creates a limiter. `random` returns numbers from 0 to 1, so that pauses differ.
    pub(crate) fn new(limits: RateLimits, random: fn() -> f64) -> Self {
        // Requests go one by one. An eleventh of the tokens may go at once, and the rest is spread, so that no minute exceeds the limit.
        let burst = NonZeroU32::MIN;
        let requests =
            limits.requests_per_minute.map(|rate| RateLimiter::direct(Quota::per_minute(rate).allow_burst(burst)));
        let tokens = limits.tokens_per_minute.map(|rate| {
            let burst = NonZeroU32::new(rate.get() / 11).unwrap_or(NonZeroU32::MIN);
            let spread = NonZeroU32::new(rate.get() - burst.get()).unwrap_or(NonZeroU32::MIN);
            (RateLimiter::direct(Quota::per_minute(spread).allow_burst(burst)), burst)
        });
        Self {
            slots: Semaphore::new(limits.concurrency.max(1)),
            limits,
            requests,
            tokens,
            owed: AtomicU64::new(0),
            state: Mutex::default(),
            probe: tokio::sync::Mutex::default(),
            back: Notify::new(),
            random,
        }
    }

    /// Waits until a request of that many tokens may be sent.
    pub(crate) async fn acquire(&self, tokens: u64) -> SendPermit<'_> {
        let slot = self.slots.acquire().await.expect("the gate is never closed");
        let mut is_counted = false;
        loop {
            // Several waits may follow each other: the latest one counts.
            if let Some(wait) = self.remaining_pause() {
                sleep(wait + self.part_of(Duration::from_secs(1))).await;
                continue;
            }
            // After the pause, so that the calls that waited for its end do not all go at once.
            if !is_counted {
                is_counted = true;
                self.count(tokens).await;
                continue;
            }
            if self.state.lock().down_since.is_none() {
                self.state.lock().sent += 1;
                return SendPermit { _slot: slot, _probe: None };
            }
            let probe = self.probe.lock().await;
            let back = self.back.notified();
            // While this call waited for its turn, the provider may have come back, or asked to wait.
            if self.remaining_pause().is_some() {
                continue;
            }
            let Some(wait) = self.next_probe() else { continue };
            tokio::select! {
                () = back => continue,
                () = sleep(wait) => {}
            }
            if self.remaining_pause().is_some() {
                continue;
            }
            self.state.lock().sent += 1;
            return SendPermit { _slot: slot, _probe: Some(probe) };
        }
    }

    /// Waits until a request of that many tokens is within the rates.
    async fn count(&self, tokens: u64) {
        if let Some(requests) = &self.requests {
            requests.until_ready().await;
        }
        if let Some((limiter, burst)) = &self.tokens {
            let mut left = tokens + self.owed.swap(0, Ordering::AcqRel);
            while let Some(part) = u32::try_from(left.min(u64::from(burst.get()))).ok().and_then(NonZeroU32::new) {
                limiter.until_n_ready(part).await.expect("a part is at most the burst");
                left -= u64::from(part.get());
            }
        }
    }

    /// Returns the remaining wait that the provider has asked for.
    pub(crate) fn remaining_pause(&self) -> Option<Duration> {
        let until = self.state.lock().paused_until?;
        until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    /// Returns the pause before the next probe of a provider that is down; none when it is not down.
    fn next_probe(&self) -> Option<Duration> {
        let mut state = self.state.lock();
        state.down_since?;
        let wait = FIRST_PROBE.saturating_mul(1 << state.probes.min(8)).min(LONGEST_PROBE);
        state.probes += 1;
        Some(wait)
    }

    /// Records an answer of that many tokens.
    pub(crate) fn record_answer(&self, completion_tokens: u64) {
        self.owed.fetch_add(completion_tokens, Ordering::AcqRel);
        let mut state = self.state.lock();
        (state.limited_since, state.limited) = (None, 0);
        state.is_up();
        self.back.notify_waiters();
    }

    /// Records a response that shows neither a rate limit nor an outage.
    pub(crate) fn record_response(&self) {
        self.state.lock().limited_since = None;
    }

    /// Records a 429 response, perhaps with a wait. All calls wait.
    pub(crate) fn record_rate_limit(&self, retry_after: Option<Duration>) -> Result<(), StopError> {
        let now = Instant::now();
        let mut state = self.state.lock();
        // A provider that responds is not down.
        state.is_up();
        let since = *state.limited_since.get_or_insert(now);
        // All calls of one wave get this response at the same time; it counts once.
        let is_paused = state.paused_until.is_some_and(|until| until > now);
        state.limited += u32::from(!is_paused);
        let most = self.limits.max_wait;
        if let Some(wait) = retry_after.filter(|wait| *wait > most) {
            return Err(unavailable(format!(
                "the provider asks to wait {} seconds, and at most {} are waited",
                wait.as_secs(),
                most.as_secs()
            )));
        }
        if now.duration_since(since) > most {
            return Err(unavailable(format!(
                "for {} seconds the provider has said nothing but that there are too many calls",
                most.as_secs()
            )));
        }
        if is_paused && retry_after.is_none() {
            return Ok(());
        }
        let pause = retry_after.unwrap_or_else(|| self.backoff(state.limited));
        state.paused_until = Some(now + pause);
        match pause < LONG {
            true => tracing::info!(seconds = pause.as_secs_f64(), "the provider asks to wait"),
            // The log should explain why nothing proceeds.
            false => tracing::warn!(seconds = pause.as_secs(), "the provider asks to wait; no call is sent until then"),
        }
        Ok(())
    }

    /// Records that the provider was unreachable, or failed.
    pub(crate) fn record_failure(&self, retry_after: Option<Duration>, message: &str) -> Result<(), StopError> {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.limited_since = None;
        state.failures += 1;
        let since = *state.failing_since.get_or_insert(now);
        if state.failures >= DOWN_AFTER && state.down_since.is_none() {
            state.down_since = Some(now);
            tracing::warn!(failures = state.failures, "the provider is down");
        }
        if let Some(wait) = retry_after {
            if wait > self.limits.max_wait {
                return Err(unavailable(format!(
                    "the provider asks to wait {} seconds, and at most {} are waited: {message}",
                    wait.as_secs(),
                    self.limits.max_wait.as_secs()
                )));
            }
            state.paused_until = Some(now + wait);
        }
        if now.duration_since(since) >= self.limits.outage {
            return Err(unavailable(format!(
                "the provider has not answered for {} seconds: {message}",
                self.limits.outage.as_secs()
            )));
        }
        Ok(())
    }

    /// Whether the provider counts as down. Probes do not count as attempts of a call then, because the outage has its own time limit.
    pub(crate) fn is_down(&self) -> bool {
        self.state.lock().down_since.is_some()
    }

    /// Whether one more call may be retried: at most a tenth of all are.
    pub(crate) fn may_retry(&self) -> bool {
        let mut state = self.state.lock();
        let allowed = state.retries < FREE_RETRIES + state.sent / 10;
        state.retries += u64::from(allowed);
        allowed
    }

    /// Returns the pause before a call's next attempt, with full jitter.
    pub(crate) fn backoff(&self, attempt: u32) -> Duration {
        let most = FIRST_PAUSE.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(LONGEST_PAUSE);
        self.part_of(most)
    }

    fn part_of(&self, whole: Duration) -> Duration {
        whole.mul_f64((self.random)().clamp(0.0, 1.0))
    }
}

fn unavailable(message: String) -> StopError {
    StopError { reason: StopReason::Unavailable, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> RateLimits {
        RateLimits {
            concurrency: 8,
            requests_per_minute: None,
            tokens_per_minute: None,
            max_wait: Duration::from_secs(120),
            outage: Duration::from_secs(30),
        }
    }

    fn gate(limits: RateLimits) -> ProviderLimiter {
        ProviderLimiter::new(limits, || 0.5)
    }

    #[tokio::test(start_paused = true)]
    async fn all_wait_as_long_as_the_latest_word_says() {
        let gate = gate(limits());
        let begun = Instant::now();
        gate.record_rate_limit(Some(Duration::from_secs(100))).unwrap();
        gate.record_rate_limit(Some(Duration::from_millis(2500))).unwrap();
        let (_one, _other) = tokio::join!(gate.acquire(1), gate.acquire(1));
        // Plus half a second of jitter.
        assert_eq!(begun.elapsed(), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wave_of_calls_that_are_too_many_is_one_pause() {
        let gate = gate(limits());
        for _ in 0..64 {
            gate.record_rate_limit(None).unwrap();
        }
        assert_eq!(gate.remaining_pause(), Some(FIRST_PAUSE / 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_too_long_and_one_that_never_ends_stop_the_run() {
        let told = gate(limits()).record_rate_limit(Some(Duration::from_secs(3600))).unwrap_err();
        assert_eq!(told.reason, StopReason::Unavailable);
        assert!(told.message.contains("3600 seconds"), "{told}");
        let gate = gate(limits());
        let begun = Instant::now();
        while gate.record_rate_limit(None).is_ok() {
            drop(gate.acquire(1).await);
        }
        assert!((120..180).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_is_down_is_tried_by_one_call_at_a_time_and_then_given_up() {
        let gate = gate(limits());
        for _ in 0..DOWN_AFTER {
            assert!(!gate.is_down());
            gate.record_failure(None, "refused").unwrap();
        }
        assert!(gate.is_down());
        let begun = Instant::now();
        let first = gate.acquire(1).await;
        assert_eq!(begun.elapsed(), FIRST_PROBE);
        let second = tokio::time::timeout(Duration::from_secs(600), gate.acquire(1));
        assert!(second.await.is_err(), "two calls try at once");
        drop(first);
        let told = gate.record_failure(None, "refused").unwrap_err();
        assert!(told.message.ends_with("refused"), "{told}");
        gate.record_answer(1);
        assert!(!gate.is_down());
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_takes_its_time_and_not_much_more() {
        let gate = gate(limits());
        let begun = Instant::now();
        let mut tries = 0;
        while gate.record_failure(None, "502").is_ok() {
            drop(gate.acquire(1).await);
            tries += 1;
        }
        assert!((30..40).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
        assert!((6..12).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_is_down_is_left_alone_for_as_long_as_it_asks() {
        let gate = gate(limits());
        (0..DOWN_AFTER).for_each(|_| gate.record_failure(None, "503").unwrap());
        let begun = Instant::now();
        drop(gate.acquire(1).await);
        gate.record_failure(Some(Duration::from_secs(15)), "503").unwrap();
        drop(gate.acquire(1).await);
        // A second for the first probe; then the requested wait, its jitter, and the pause of the second probe.
        assert!((16..=19).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
        // A provider that has failed for long is down, however few probes there were.
        let seldom = ProviderLimiter::new(limits(), || 0.5);
        seldom.record_failure(None, "503").unwrap();
        sleep(Duration::from_secs(31)).await;
        assert!(seldom.record_failure(None, "503").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn repeated_calls_are_a_tenth_of_all_and_a_few() {
        let gate = gate(limits());
        for _ in 0..200 {
            drop(gate.acquire(1).await);
        }
        let allowed = (0..1000).filter(|_| gate.may_retry()).count() as u64;
        assert_eq!(allowed, FREE_RETRIES + 20);
    }

    #[tokio::test]
    async fn no_more_calls_are_in_flight_than_there_are_slots() {
        let gate = gate(RateLimits { concurrency: 2, ..limits() });
        let (one, _two) = (gate.acquire(1).await, gate.acquire(1).await);
        let third = gate.acquire(1);
        tokio::pin!(third);
        assert!(futures::poll!(&mut third).is_pending());
        drop(one);
        drop(third.await);
    }
}
