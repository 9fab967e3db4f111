//! Counters of what a link has sent and received.

use async_nats::Message;
use std::sync::atomic::{AtomicU64, Ordering};
use war_rig_envelope::ExpiredGroup;

/// Counters of a link and of its servers, which only grow.
#[derive(Debug, Default)]
pub struct LinkCounters {
    sent: AtomicU64,
    received: AtomicU64,
    repeated: AtomicU64,
    refused: AtomicU64,
    expired: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Envelopes sent, counting each repeat.
    pub sent: u64,
    /// Envelopes that arrived whole.
    pub received: u64,
    /// Requests that were repeated by either side, and messages that came too often or too late.
    pub repeated: u64,
    /// Messages that were refused.
    pub refused: u64,
    /// Envelopes whose missing pieces did not arrive in time.
    pub expired: u64,
    /// Bytes of sent messages, headers and payloads.
    pub bytes_sent: u64,
    /// Bytes of received messages, headers and payloads.
    pub bytes_received: u64,
}

impl LinkCounters {
    /// Returns the current counters.
    pub fn counts(&self) -> LinkCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        LinkCounts {
            sent: of(&self.sent),
            received: of(&self.received),
            repeated: of(&self.repeated),
            refused: of(&self.refused),
            expired: of(&self.expired),
            bytes_sent: of(&self.bytes_sent),
            bytes_received: of(&self.bytes_received),
        }
    }

    pub(super) fn envelope_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn message_sent(&self, bytes: usize) {
        self.bytes_sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn message_received(&self, message: &Message) {
        self.bytes_received.fetch_add(message.length as u64, Ordering::Relaxed);
    }

    pub(super) fn envelope_received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn repeated_if(&self, is_repeat: bool) {
        self.repeated.fetch_add(u64::from(is_repeat), Ordering::Relaxed);
    }

    pub(super) fn stray(&self) {
        self.repeated_if(true);
    }

    /// Counts a refused message. `why` is logged, and must contain nothing of its content.
    pub(super) fn refused(&self, why: &str) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(why, "a message was refused");
    }

    pub(super) fn expired(&self, expired: &[ExpiredGroup]) {
        self.expired.fetch_add(expired.len() as u64, Ordering::Relaxed);
        for group in expired {
            tracing::debug!(missing = %group, "an envelope did not come whole");
        }
    }
}
