//! Periodic work: notes are published, leases expire, and a broker that has forgotten notes gets them again.

use crate::coordinator::CoordinatorInner;
use crate::coordinator::lease_table::DueMessage;
use crate::subjects::PROTOCOL_VERSION;
use crate::tickets::{QueueErrorKind, QueueState, TicketMessage};
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use war_rig_llm::{StopError, StopReason};

/// The shortest and the longest time between two checks of leases.
const SHORTEST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// How often to check the broker's notes.
const ASK_EVERY: Duration = Duration::from_secs(2);

/// How long before a note counts as missing at the broker: it may be on its way to a worker.
const MISSED_AFTER: Duration = Duration::from_secs(5);

/// How long without a worker before that is reported.
const MISSED_WORKERS: Duration = Duration::from_secs(10);

/// Notes published at a time, so that their round trips do not add up.
const TOGETHER: usize = 64;

/// Runs until it is aborted.
pub(crate) async fn keep(inner: Arc<CoordinatorInner>) {
    let look = (inner.options.deadline / 10).clamp(SHORTEST_LOOK, LONGEST_LOOK);
    let mut before: Option<QueueState> = None;
    let mut asked = Instant::now();
    let mut lost: Option<Instant> = None;
    let mut waits: Option<Instant> = None;
    let mut told: Option<Instant> = None;
    let deadline = inner.options.deadline;
    loop {
        let slept = Instant::now();
        tokio::select! {
            () = inner.wake.notified() => {}
            () = sleep(look) => {}
        }
        let now = Instant::now();
        if inner.options.stop.is_requested() {
            let message = "the run is told to end".to_owned();
            inner.leases.lock().close(StopError { reason: StopReason::Interrupted, message });
        }
        inner.leases.lock().drain(now);
        if !inner.broker.is_connected() {
            let since = *lost.get_or_insert(now);
            give_up(&inner, since, "the broker is not reached any more");
            continue;
        }
        // Workers that could not be heard are not gone: the connection was down, or this process was suspended.
        let was_away = now > slept + look + deadline / 2;
        if lost.is_some() || was_away {
            inner.leases.lock().postpone(now, deadline);
        }
        inner.leases.lock().expire(now);
        if lost.take().is_some() {
            asked = now - ASK_EVERY;
        }
        publish(&inner).await;
        if now >= asked + ASK_EVERY {
            asked = now;
            refill(&inner, &mut before).await;
        }
        let (is_idle, has_leases, heard, left) = {
            let leases = inner.leases.lock();
            (leases.is_idle(), leases.has_leases(), leases.last_heard(), leases.all_left(now, deadline))
        };
        if let Some(stopped) = left.filter(|_| !is_idle) {
            inner.stop(stopped);
        }
        if is_idle || has_leases {
            waits = None;
        } else {
            let since = heard.max(Some(*waits.get_or_insert(now))).unwrap_or(now);
            if now > since + MISSED_WORKERS && told.is_none_or(|told| told < since) {
                told = Some(now);
                let seconds = inner.options.worker_wait.as_secs();
                tracing::warn!(
                    "no worker takes anything; start one with `war-rig worker --broker URL` (the run ends after {seconds} seconds without)"
                );
            }
            give_up(&inner, since, "no worker takes anything");
        }
    }
}

/// Ends the run if a problem has lasted for as long as the coordinator waits for a worker.
fn give_up(inner: &CoordinatorInner, since: Instant, what: &str) {
    let patience = inner.options.worker_wait;
    if Instant::now() > since + patience {
        let message = format!("{what}, for {} seconds", patience.as_secs());
        inner.stop(StopError { reason: StopReason::Unavailable, message });
    }
}

/// Publishes the notes that are due.
async fn publish(inner: &Arc<CoordinatorInner>) {
    loop {
        let due = inner.leases.lock().due(TOGETHER);
        if due.is_empty() {
            return;
        }
        let publishing = futures::stream::iter(due.into_iter().map(|note| async move {
            let published = inner.queue.publish(&as_told(inner, &note)).await;
            published.map(|()| note)
        }));
        let mut publishing = publishing.buffer_unordered(TOGETHER);
        let mut failed = None;
        while let Some(published) = publishing.next().await {
            match published {
                Ok(note) => inner.leases.lock().noted(&note, Instant::now()),
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            tracing::warn!(%error, "a note is not published; it is tried again");
            if error.kind == QueueErrorKind::Missing {
                reopen(inner).await;
            }
            return;
        }
    }
}

fn as_told(inner: &CoordinatorInner, note: &DueMessage) -> TicketMessage {
    TicketMessage {
        version: PROTOCOL_VERSION,
        estate: inner.options.estate.clone(),
        epoch: inner.epoch.clone(),
        ticket: note.file.clone(),
        attempt: note.attempt,
        alone: note.is_alone,
    }
}

/// Publishes again what the broker no longer has or no longer delivers: it was wiped, lost what it had acknowledged, or forgot which worker it gave a
/// note to.
async fn refill(inner: &CoordinatorInner, before: &mut Option<QueueState>) {
    let since = Instant::now() - MISSED_AFTER;
    let ought = inner.leases.lock().noted_before(since);
    let state = match inner.queue.state(&inner.options.estate).await {
        Ok(state) => state,
        Err(error) => return tracing::debug!(%error, "the broker does not say what it holds"),
    };
    let waiting = state.as_ref().map_or(0, |state| state.waiting);
    inner.notes_waiting.store(waiting, Ordering::Relaxed);
    let is_missing = match &state {
        None => true,
        Some(state) => {
            let is_other = before.as_ref().is_some_and(|before| before.made != state.made);
            // Notes come and go between the queries behind this, so it must be true twice.
            let is_forgotten = |state: &QueueState| state.has_forgotten;
            let has_forgotten = ought > 0 && is_forgotten(state) && before.as_ref().is_some_and(is_forgotten);
            is_other || state.waiting < ought || has_forgotten
        }
    };
    if state.is_none() {
        reopen(inner).await;
    }
    *before = state;
    if is_missing {
        let notes = inner.leases.lock().note_again();
        if notes > 0 {
            tracing::warn!(notes, "the broker has lost notes; they are published again");
            inner.wake.notify_one();
        }
    }
}

async fn reopen(inner: &CoordinatorInner) {
    if let Err(error) = inner.queue.open().await {
        tracing::warn!(%error, "the queue cannot be opened; it is tried again");
    }
}
