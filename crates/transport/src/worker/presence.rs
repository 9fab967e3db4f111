//! When coordinators were last heard from, and which of them are awaited.
//!
//! A request may wait long for its reply, for example under a rate limit, while its coordinator is alive. So the decision to keep waiting depends not
//! on the request, but on whether anything at all was heard: signs of life are requested from every awaited coordinator.

use crate::subjects::EstateId;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The minimum time of requests before a coordinator counts as silent: this process may have been suspended itself.
const AT_LEAST: Duration = Duration::from_secs(5);

/// How long the last contact with a coordinator that is not awaited is remembered: longer than any silence that is tolerated.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// When each coordinator was heard from.
#[derive(Debug, Default)]
pub(super) struct CoordinatorPresence(Mutex<HashMap<EstateId, PresenceEntry>>);

#[derive(Debug, Default)]
struct PresenceEntry {
    heard: Option<Instant>,
    waiting: usize,
}

/// A wait for a coordinator, until this is dropped.
pub(super) struct WaitGuard<'a> {
    presence: &'a CoordinatorPresence,
    estate: &'a EstateId,
}

impl CoordinatorPresence {
    /// Records an answer from a coordinator.
    pub(super) fn heard(&self, estate: &EstateId) {
        let now = Instant::now();
        let mut coordinators = self.0.lock();
        coordinators.retain(|_, coordinator| {
            coordinator.waiting > 0 || coordinator.heard.is_some_and(|at| now < at + REMEMBERED)
        });
        coordinators.entry(estate.clone()).or_default().heard = Some(now);
    }

    /// Begins to wait for a coordinator.
    pub(super) fn waits<'a>(&'a self, estate: &'a EstateId) -> WaitGuard<'a> {
        self.0.lock().entry(estate.clone()).or_default().waiting += 1;
        WaitGuard { presence: self, estate }
    }

    /// Returns the awaited coordinators.
    pub(super) fn waited_for(&self) -> Vec<EstateId> {
        let coordinators = self.0.lock();
        let waited_for = coordinators.iter().filter(|(_, coordinator)| coordinator.waiting > 0);
        waited_for.map(|(estate, _)| estate.clone()).collect()
    }

    /// Completes when a coordinator was silent for so long.
    pub(super) async fn silent(&self, estate: &EstateId, silence: Duration) {
        let began = Instant::now();
        loop {
            let heard = self.0.lock().get(estate).and_then(|coordinator| coordinator.heard);
            let until = (heard.unwrap_or(began) + silence).max(began + AT_LEAST);
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        if let Some(coordinator) = self.presence.0.lock().get_mut(self.estate) {
            coordinator.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, timeout};

    const SILENCE: Duration = Duration::from_secs(40);

    #[tokio::test(start_paused = true)]
    async fn a_coordinator_is_silent_when_nothing_at_all_was_heard_of_it() {
        let (presence, estate) = (CoordinatorPresence::default(), EstateId::random());
        presence.heard(&estate);
        let silent = presence.silent(&estate, SILENCE);
        tokio::pin!(silent);
        for _ in 0..10 {
            assert!(timeout(SILENCE / 2, &mut silent).await.is_err(), "signs of life count");
            presence.heard(&estate);
        }
        timeout(SILENCE + Duration::from_secs(1), silent).await.expect("it says nothing more");
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_stopped_for_long_asks_before_it_gives_up() {
        let (presence, estate) = (CoordinatorPresence::default(), EstateId::random());
        presence.heard(&estate);
        advance(SILENCE * 3).await;
        let silent = presence.silent(&estate, SILENCE);
        tokio::pin!(silent);
        assert!(timeout(AT_LEAST / 2, &mut silent).await.is_err());
        timeout(AT_LEAST, silent).await.expect("it still says nothing");
    }

    #[tokio::test]
    async fn those_that_are_waited_for_are_known() {
        let (presence, estate) = (CoordinatorPresence::default(), EstateId::random());
        presence.heard(&estate);
        assert!(presence.waited_for().is_empty());
        let (one, other) = (presence.waits(&estate), presence.waits(&estate));
        drop(one);
        assert_eq!(presence.waited_for(), std::slice::from_ref(&estate));
        drop(other);
        assert!(presence.waited_for().is_empty());
    }
}
