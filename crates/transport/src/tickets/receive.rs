//! The worker's side: notes are pulled, read and acknowledged.

use super::error::of_words;
use super::{LONGEST_NOTE, QueueError, TicketMessage, TicketQueue, stream_config};
use crate::broker::{Broker, harmless};
use crate::subjects::{EstateId, PROTOCOL_VERSION};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind};
use futures::StreamExt;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a note of another version is left to other workers.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(30);
/// The pause after a pull that failed at once, as happens without a stream.
const PAUSE: Duration = Duration::from_millis(250);
/// How much longer than requested a pull may take before it is given up: the server ends it itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long an acknowledgement may wait for the connection.
const ACK_WITHIN: Duration = Duration::from_secs(5);

impl TicketQueue {
    /// Waits at most `patience` for a note. Returns `None` if none came: there was none, no coordinator has created the stream yet, or the broker
    /// currently cannot be reached.
    ///
    /// # Errors
    /// [`NoJetStream`](super::QueueErrorKind::NoJetStream) and [`Failed`](super::QueueErrorKind::Failed) for permanent errors.
    pub async fn next(&self, patience: Duration) -> Result<Option<ReceivedMessage>, QueueError> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match timeout(left + GRACE, self.pull(left)).await {
                Ok(Ok(Some(message))) => {
                    if let Some(taken) = self.read(message).await {
                        return Ok(Some(taken));
                    }
                }
                Ok(Ok(None)) | Err(_) => tokio::time::sleep(PAUSE.min(left)).await,
                Ok(Err(error)) if error.is_transient() => tokio::time::sleep(PAUSE.min(left)).await,
                Ok(Err(error)) => return Err(error),
            }
        }
    }

    /// Pulls one message.
    async fn pull(&self, patience: Duration) -> Result<Option<jetstream::Message>, QueueError> {
        if !self.broker.is_connected() {
            // The next round pulls again.
            self.broker.wait_connected().await;
            return Ok(None);
        }
        let Some(consumer) = self.consumer().await? else { return Ok(None) };
        let pulled = consumer.batch().max_messages(1).expires(patience).messages().await;
        let mut messages = pulled.map_err(|error| self.error("pull a note", of_words(&error.to_string())))?;
        match messages.next().await {
            Some(Ok(message)) => Ok(Some(message)),
            None => Ok(None),
            // The server ends a pull like this when it stops, or when stream or consumer are gone. The next pull shows which.
            Some(Err(error)) => {
                tracing::debug!(error = %harmless(&error.to_string()), "a pull has ended");
                Ok(None)
            }
        }
    }

    /// Reads a note, or removes it, or leaves it to another worker.
    async fn read(&self, message: jetstream::Message) -> Option<ReceivedMessage> {
        match read_note(&message.subject, &message.payload) {
            Ok(note) => {
                let delivered = message.info().map_or(1, |info| u64::try_from(info.delivered).unwrap_or(1));
                Some(ReceivedMessage { note, delivered, broker: self.broker.clone(), message })
            }
            Err(MessageRejection::OtherVersion(version)) => {
                tracing::warn!(version, own = PROTOCOL_VERSION, "a note of another version is left to other workers");
                acknowledge(&self.broker, &message, AckKind::Nak(Some(LEFT_TO_OTHERS))).await;
                None
            }
            Err(MessageRejection::Bad(why)) => {
                tracing::warn!(%why, bytes = message.payload.len(), "a message that is no note was taken out of the queue");
                acknowledge(&self.broker, &message, AckKind::Term).await;
                None
            }
        }
    }

    /// Returns the consumer, which is requested once: its name does not change when the broker is wiped.
    async fn consumer(&self) -> Result<Option<&PullConsumer>, QueueError> {
        if let Some(known) = self.consumer.get() {
            return Ok(Some(known));
        }
        let Some(found) = self.find_consumer().await? else { return Ok(None) };
        stream_config::check_consumer(&found.cached_info().config).map_err(|kind| self.error("the consumer", kind))?;
        Ok(Some(self.consumer.get_or_init(|| std::future::ready(found)).await))
    }
}

/// A note that this worker currently has.
#[derive(Debug)]
pub struct ReceivedMessage {
    /// Its content. Nothing in it is trusted before the coordinator gives permission.
    pub note: TicketMessage,
    /// How many times it was delivered, including this one.
    pub delivered: u64,
    broker: Broker,
    message: jetstream::Message,
}

impl ReceivedMessage {
    /// Reports that the work goes on; call it more often than every [`ACK_WAIT`](super::ACK_WAIT).
    pub async fn send_progress(&self) {
        acknowledge(&self.broker, &self.message, AckKind::Progress).await;
    }

    /// Removes the note from the queue. Call it after the coordinator has committed the ticket's end, or has called the note stale.
    pub async fn acknowledge(self) {
        acknowledge(&self.broker, &self.message, AckKind::Ack).await;
    }

    /// Returns the note, to be delivered to any worker after a delay.
    pub async fn redeliver_after(self, delay: Duration) {
        acknowledge(&self.broker, &self.message, AckKind::Nak(Some(delay))).await;
    }
}

/// Tries to send an acknowledgement. Without one, the note comes again, which only costs time.
async fn acknowledge(broker: &Broker, message: &jetstream::Message, kind: AckKind) {
    if !broker.is_connected() {
        tracing::debug!(?kind, "an acknowledgement was not sent without a connection");
        return;
    }
    match timeout(ACK_WITHIN, message.ack_with(kind)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::debug!(error = %harmless(&error.to_string()), "an acknowledgement was not sent")
        }
        Err(_) => tracing::debug!("an acknowledgement was not sent in time"),
    }
}

/// Why a message is not a note for this worker.
#[derive(Debug, PartialEq, Eq)]
enum MessageRejection {
    OtherVersion(u32),
    Bad(&'static str),
}

/// Parses a note. Its version is read first, because the rest of another version's format is unknown.
fn read_note(subject: &str, payload: &[u8]) -> Result<TicketMessage, MessageRejection> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    if payload.len() > LONGEST_NOTE {
        return Err(MessageRejection::Bad("it is too long"));
    }
    let versioned: Versioned =
        serde_json::from_slice(payload).map_err(|_| MessageRejection::Bad("it has no version"))?;
    if versioned.version != PROTOCOL_VERSION {
        return Err(MessageRejection::OtherVersion(versioned.version));
    }
    let note: TicketMessage =
        serde_json::from_slice(payload).map_err(|_| MessageRejection::Bad("a part of it is missing or wrong"))?;
    if note.ticket.is_empty() || note.attempt == 0 || note.epoch.is_empty() {
        return Err(MessageRejection::Bad("a part of it is empty"));
    }
    match EstateId::of_tickets(subject) {
        Some(estate) if estate == note.estate => Ok(note),
        Some(_) | None => Err(MessageRejection::Bad("it is of another estate than its subject")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const SUBJECT: &str = "war_rig.1.tickets.00ff00ff00ff00ff";

    fn note() -> Value {
        json!({
            "version": 1, "estate": "00ff00ff00ff00ff", "epoch": "e", "ticket": "cbl/X.cbl", "attempt": 1, "alone": false,
            "added by a later release": 1,
        })
    }

    #[test]
    fn a_note_is_read_and_what_is_none_is_told_apart() {
        let read = |subject: &str, value: &Value| read_note(subject, value.to_string().as_bytes());
        assert_eq!(read(SUBJECT, &note()).unwrap().ticket, "cbl/X.cbl");
        assert_eq!(read(SUBJECT, &json!({"version": 2, "what": "else"})), Err(MessageRejection::OtherVersion(2)));
        assert!(matches!(read("war_rig.1.tickets.11ff00ff00ff00ff", &note()), Err(MessageRejection::Bad(_))));
        for (key, wrong) in [
            ("version", json!("1")),
            ("estate", json!("../../etc/passwd")),
            ("epoch", json!("")),
            ("ticket", json!("")),
            ("attempt", json!(0)),
            ("attempt", json!(-1)),
            ("alone", Value::Null),
        ] {
            let mut changed = note();
            changed[key] = wrong;
            assert!(matches!(read(SUBJECT, &changed), Err(MessageRejection::Bad(_))), "{changed}");
        }
        assert!(matches!(read_note(SUBJECT, &[0xff, 0]), Err(MessageRejection::Bad(_))));
        assert!(matches!(read_note(SUBJECT, &vec![b' '; LONGEST_NOTE + 1]), Err(MessageRejection::Bad(_))));
    }
}
