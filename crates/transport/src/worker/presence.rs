//! When coordinators were last heard of, and which of them somebody waits for.
//!
//! A request may wait long for its reply, as one for leave under a limit does, and its coordinator is there all the same. So it is not the request that says
//! whether it is worth waiting, but whether anything at all was heard: signs of life are asked of every coordinator that is waited for.

use crate::subjects::EstateId;
use crate::worker::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a coordinator is asked at least before it counts as silent: this process may have been stopped itself.
const AT_LEAST: Duration = Duration::from_secs(5);

/// How long it is remembered of a coordinator for whom nobody waits when it was heard of: longer than any silence is waited through.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// Who was heard of when.
#[derive(Debug, Default)]
pub(super) struct CoordinatorPresence(Mutex<HashMap<EstateId, PresenceEntry>>);

#[derive(Debug, Default)]
struct PresenceEntry {
    heard: Option<Instant>,
    waiting: usize,
}

/// Somebody waits for a coordinator, until this is dropped.
pub(super) struct WaitGuard<'a> {
    presence: &'a CoordinatorPresence,
    estate: &'a EstateId,
}

impl CoordinatorPresence {
    /// A coordinator has answered something.
    pub(super) fn heard(&self, estate: &EstateId) {
        let now = Instant::now();
        let mut coordinators = lock(&self.0);
        coordinators.retain(|_, coordinator| {
            coordinator.waiting > 0 || coordinator.heard.is_some_and(|at| now < at + REMEMBERED)
        });
        coordinators.entry(estate.clone()).or_default().heard = Some(now);
    }

    /// Somebody begins to wait for a coordinator.
    pub(super) fn waits<'a>(&'a self, estate: &'a EstateId) -> WaitGuard<'a> {
        lock(&self.0).entry(estate.clone()).or_default().waiting += 1;
        WaitGuard { presence: self, estate }
    }

    /// The coordinators that are waited for.
    pub(super) fn waited_for(&self) -> Vec<EstateId> {
        let coordinators = lock(&self.0);
        let waited_for = coordinators.iter().filter(|(_, coordinator)| coordinator.waiting > 0);
        waited_for.map(|(estate, _)| estate.clone()).collect()
    }

    /// Ends when nothing was heard of a coordinator for so long.
    pub(super) async fn silent(&self, estate: &EstateId, silence: Duration) {
        let began = Instant::now();
        loop {
            let heard = lock(&self.0).get(estate).and_then(|coordinator| coordinator.heard);
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
        if let Some(coordinator) = lock(&self.presence.0).get_mut(self.estate) {
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
