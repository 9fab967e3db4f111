//! The leases that a worker has, and the signs of life for them.

use crate::protocol::{CoordinatorReply, WorkerRequest};
use crate::subjects::EstateId;
use crate::worker::WorkerInner;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How often to report to the broker that a note is in progress: three times before it would give the note to another worker.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// Signs of life within one deadline, so that one lost sign does no harm.
const SIGNS: u32 = 6;

/// The shortest and the longest time between two signs.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct HeldLeases {
    leases: Mutex<HashMap<String, HeldLease>>,
    revoked: AtomicU64,
}

struct HeldLease {
    estate: EstateId,
    deadline: Duration,
    is_revoked: watch::Sender<bool>,
}

impl HeldLeases {
    /// Adds a lease; the returned value shows whether it was revoked.
    pub(super) fn hold(&self, estate: &EstateId, lease: &str, deadline: Duration) -> watch::Receiver<bool> {
        let (is_revoked, told) = watch::channel(false);
        let held = HeldLease { estate: estate.clone(), deadline, is_revoked };
        self.leases.lock().insert(lease.to_owned(), held);
        told
    }

    pub(super) fn release(&self, lease: &str) {
        self.leases.lock().remove(lease);
    }

    pub(super) fn revoked(&self) -> u64 {
        self.revoked.load(Ordering::Relaxed)
    }

    /// Returns all leases, with their estates.
    pub(super) fn all(&self) -> Vec<(EstateId, String)> {
        self.leases.lock().iter().map(|(id, lease)| (lease.estate.clone(), id.clone())).collect()
    }

    /// Returns the leases by estate, and the shortest deadline among them.
    fn by_estate(&self) -> (HashMap<EstateId, Vec<String>>, Option<Duration>) {
        let leases = self.leases.lock();
        let mut by_estate: HashMap<EstateId, Vec<String>> = HashMap::new();
        for (id, lease) in leases.iter() {
            by_estate.entry(lease.estate.clone()).or_default().push(id.clone());
        }
        (by_estate, leases.values().map(|lease| lease.deadline).min())
    }

    pub(super) fn revoke(&self, lease: &str) {
        if let Some(held) = self.leases.lock().get(lease)
            && !held.is_revoked.send_replace(true)
        {
            self.revoked.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(lease, "a lease was revoked: nothing was heard of it in time");
        }
    }
}

/// Sends signs of life for all leases, and to all awaited coordinators, until it is aborted. Each is sent separately: a coordinator that does not
/// answer delays no other.
pub(super) async fn keep_alive(inner: Arc<WorkerInner>) {
    let mut signs = FuturesUnordered::new();
    let mut under_way: HashSet<EstateId> = HashSet::new();
    loop {
        let (mut by_estate, deadline) = inner.held.by_estate();
        for estate in inner.line.presence().waited_for() {
            by_estate.entry(estate).or_default();
        }
        let every = deadline.map_or(LONGEST, |deadline| deadline / SIGNS).clamp(SHORTEST, LONGEST);
        for (estate, leases) in by_estate {
            if under_way.insert(estate.clone()) {
                signs.push(sign(&inner, estate, leases, every));
            }
        }
        let pause = sleep(every);
        tokio::pin!(pause);
        loop {
            tokio::select! {
                Some(estate) = signs.next() => under_way.remove(&estate),
                () = &mut pause => break,
            };
        }
    }
}

/// Sends one sign of life, and returns the estate.
async fn sign(inner: &WorkerInner, estate: EstateId, leases: Vec<String>, every: Duration) -> EstateId {
    let alive = WorkerRequest::Alive { worker: inner.line.name().to_owned(), leases };
    match inner.line.ask_once(&estate, &alive, every.max(Duration::from_secs(1))).await {
        Ok(CoordinatorReply::Heard { revoked }) => {
            for lease in revoked {
                inner.revoked(&lease);
            }
        }
        Ok(other) => tracing::debug!(reply = ?other, "no answer to a sign of life"),
        Err(error) => tracing::debug!(%error, "a sign of life is not answered"),
    }
    estate
}
