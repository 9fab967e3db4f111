//! Counters of what a link has sent and received.

use async_nats::Message;
use parking_lot::Mutex;
use war_rig_envelope::ExpiredGroup;

/// Counters of a link and of its servers, which only grow.
#[derive(Debug, Default)]
pub struct LinkCounters(Mutex<LinkCounts>);

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
        *self.0.lock()
    }

    pub(super) fn envelope_sent(&self) {
        self.0.lock().sent += 1;
    }

    pub(super) fn message_sent(&self, bytes: usize) {
        self.0.lock().bytes_sent += bytes as u64;
    }

    pub(super) fn message_received(&self, message: &Message) {
        self.0.lock().bytes_received += message.length as u64;
    }

    pub(super) fn envelope_received(&self) {
        self.0.lock().received += 1;
    }

    pub(super) fn repeated_if(&self, is_repeat: bool) {
        self.0.lock().repeated += u64::from(is_repeat);
    }

    pub(super) fn stray(&self) {
        self.repeated_if(true);
    }

    /// Counts a refused message. `why` is logged, and must contain nothing of its content.
    pub(super) fn refused(&self, why: &str) {
        self.0.lock().refused += 1;
        tracing::debug!(why, "a message was refused");
    }

    pub(super) fn expired(&self, expired: &[ExpiredGroup]) {
        self.0.lock().expired += expired.len() as u64;
        for group in expired {
            tracing::debug!(missing = %group, "an envelope did not come whole");
        }
    }
}
