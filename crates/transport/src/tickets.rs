//! The notes of tickets, in a JetStream work queue.
//!
//! # What always holds
//! - A note is only a hint that there is work. A worker with a note asks the coordinator for permission. So a note may come twice, late, or for a
//!   ticket that is done; if one is lost, the coordinator, whose store is the record, publishes it again.
//! - The stream refuses new notes when it is full, and never drops old ones; notes never expire.
//! - The coordinator counts attempts. The stream delivers forever (`max_deliver` would leave a stuck note in the stream that nothing removes).
//! - A worker pulls one note for each free slot, so no note waits at a busy worker while another worker is idle.
//! - A message that cannot be read as a note is removed from the stream and logged, without its content.
//!
//! # Races and accepted losses
//! If a pull is dropped while a note is on its way, the note has no reader until [`ACK_WAIT`] is over; then it is delivered again. If an
//! acknowledgement is lost, the note comes again, and the coordinator replies that it is stale. A publication whose confirmation is lost may still be
//! in the stream, so a note may be there twice.

mod error;
mod receive;
mod stream_config;
mod survey;

pub use error::{QueueError, QueueErrorKind};
pub use receive::ReceivedMessage;
pub use survey::{ConsumerSurvey, EstateNotes, QueueSurvey};

use crate::broker::{Broker, harmless};
use crate::subjects::{CONSUMER, EstateId, STREAM};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::stream::{ConsumerErrorKind, RawMessageErrorKind, Stream};
use async_nats::jetstream::{self, ErrorCode};
use error::{of_consumer, of_jetstream, of_request, of_words};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a note stays with a silent worker.
pub const ACK_WAIT: Duration = Duration::from_secs(30);
/// An older refusal does not concern the request that was just given up.
const REFUSED_WITHIN: Duration = Duration::from_secs(8);
/// No note of ours is longer.
const LONGEST_NOTE: usize = 64 * 1_024;

/// A note: this ticket is to be worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketMessage {
    /// The version of the protocol.
    pub version: u32,
    /// The estate, which must match the subject.
    pub estate: EstateId,
    /// The coordinator process that published it.
    pub epoch: String,
    /// The ticket's file.
    pub ticket: String,
    /// The number of the attempt within the epoch, from 1.
    pub attempt: u32,
    /// Whether the worker must do nothing else in the meantime, because an attempt has failed with its worker.
    pub alone: bool,
}

/// What the stream contains for an estate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueState {
    /// When the stream was created, in the server's words. Another time means another stream: what was published before is gone.
    pub made: String,
    /// The estate's unacknowledged notes, including those with a worker.
    pub waiting: u64,
    /// Whether the server has stopped delivering a note although a worker asks: if killed at the wrong moment, it forgets which notes it delivered.
    pub has_forgotten: bool,
}

/// The queue of notes. Cheap to clone; all clones share one connection.
#[derive(Debug, Clone)]
pub struct TicketQueue {
    broker: Broker,
    consumer: Arc<OnceCell<PullConsumer>>,
}

impl TicketQueue {
    /// Creates the queue at a broker. Does not contact the server yet.
    pub fn new(broker: &Broker) -> Self {
        Self { broker: broker.clone(), consumer: Arc::default() }
    }

    /// Creates missing streams and consumers, and verifies their settings.
    ///
    /// # Errors
    /// [`QueueErrorKind::Differs`] if they exist with settings that could lose notes; other errors if the server cannot do it.
    pub async fn open(&self) -> Result<(), QueueError> {
        let stream = match self.stream().await? {
            Some(stream) => stream,
            None => self.make_stream().await?,
        };
        stream_config::check_stream(&stream.cached_info().config).map_err(|kind| self.error("the stream", kind))?;
        let consumer = match self.find_consumer().await? {
            Some(consumer) => consumer,
            None => {
                // If another coordinator creates it at the same moment with the same settings, the server treats both as one.
                stream
                    .create_consumer(stream_config::consumer())
                    .await
                    .map_err(|error| self.error("make the consumer", of_consumer(&error, || self.unanswered())))?
            }
        };
        stream_config::check_consumer(&consumer.cached_info().config).map_err(|kind| self.error("the consumer", kind))
    }

    /// Publishes a note, and returns when the stream has it.
    ///
    /// # Errors
    /// [`QueueErrorKind::Missing`] if there is no stream: open it, and publish all notes again. Other errors if the server does not accept it.
    pub async fn publish(&self, note: &TicketMessage) -> Result<(), QueueError> {
        let fail = |kind| self.error(&format!("publish the note of `{}`", harmless(&note.ticket)), kind);
        let bytes = serde_json::to_vec(note).expect("a note has no keys but names");
        if bytes.len() > LONGEST_NOTE {
            return Err(fail(QueueErrorKind::Failed(format!("it is longer than {LONGEST_NOTE} bytes"))));
        }
        if !self.broker.is_connected() {
            return Err(fail(QueueErrorKind::Unreachable));
        }
        let of = |error: jetstream::context::PublishError| {
            fail(match error.kind() {
                PublishErrorKind::StreamNotFound => QueueErrorKind::Missing,
                PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => self.unanswered(),
                PublishErrorKind::WrongLastMessageId
                | PublishErrorKind::WrongLastSequence
                | PublishErrorKind::MaxAckPending
                | PublishErrorKind::MaxPayloadExceeded
                | PublishErrorKind::Other => of_words(&error.to_string()),
            })
        };
        let sent = self.broker.jetstream().publish(note.estate.ticket_subject(), bytes.into()).await.map_err(of)?;
        sent.await.map(|_| ()).map_err(of)
    }

    /// Returns what the stream contains for an estate; `None` if stream or consumer is missing, which means that the broker was wiped.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer the query.
    pub async fn state(&self, estate: &EstateId) -> Result<Option<QueueState>, QueueError> {
        let Some(stream) = self.stream().await? else { return Ok(None) };
        let Some(consumer) = self.find_consumer().await? else { return Ok(None) };
        let (held, handed) = (stream.cached_info(), consumer.cached_info());
        let known = handed.num_pending + u64::try_from(handed.num_ack_pending).unwrap_or(u64::MAX);
        let has_forgotten = handed.num_waiting > 0 && held.state.messages > known;
        let made = held.created.to_string();
        let fail = |error: String| self.error("count the notes", of_words(&error));
        let mut subjects =
            stream.info_with_subjects(estate.ticket_subject()).await.map_err(|error| fail(error.to_string()))?;
        let mut waiting = 0;
        while let Some(counted) = subjects.next().await {
            let (_, count) = counted.map_err(|error| fail(error.to_string()))?;
            waiting += u64::try_from(count).unwrap_or(u64::MAX);
        }
        Ok(Some(QueueState { made, waiting, has_forgotten }))
    }

    /// Returns the number of the estate's unacknowledged notes; 0 without a stream.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer the query.
    pub async fn pending_count(&self, estate: &EstateId) -> Result<u64, QueueError> {
        Ok(self.state(estate).await?.map_or(0, |state| state.waiting))
    }

    /// Removes all notes of an estate from the stream, one by one, and returns their number. The server's own purge of a subject is not used: if the
    /// stream contains other estates' notes, a server of version 2.9 then forgets which of those it has to deliver.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not do it.
    pub async fn purge(&self, estate: &EstateId) -> Result<u64, QueueError> {
        let Some(stream) = self.stream().await? else { return Ok(0) };
        let fail = |said: String| self.error("purge the notes", of_words(&said));
        let (mut purged, mut last) = (0, 0);
        loop {
            let found = match stream.get_first_raw_message_by_subject(estate.ticket_subject(), 1).await {
                Ok(found) => found,
                Err(error) => match error.kind() {
                    RawMessageErrorKind::NoMessageFound => return Ok(purged),
                    RawMessageErrorKind::InvalidSubject
                    | RawMessageErrorKind::JetStream(_)
                    | RawMessageErrorKind::Other => return Err(fail(error.to_string())),
                },
            };
            match stream.delete_message(found.sequence).await {
                Ok(_) => purged += 1,
                // A worker has acknowledged it in the meantime; otherwise, it is found a second time.
                Err(error) if found.sequence == last => return Err(fail(error.to_string())),
                Err(_) => {}
            }
            last = found.sequence;
        }
    }

    async fn stream(&self) -> Result<Option<Stream>, QueueError> {
        match self.broker.jetstream().get_stream(STREAM).await {
            Ok(stream) => Ok(Some(stream)),
            Err(error) => {
                let kind = match error.kind() {
                    GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                        return Ok(None);
                    }
                    GetStreamErrorKind::JetStream(error) => of_jetstream(&error),
                    GetStreamErrorKind::Request => of_request(&error, || self.unanswered()),
                    GetStreamErrorKind::EmptyName | GetStreamErrorKind::InvalidStreamName => {
                        QueueErrorKind::Failed(harmless(&error.to_string()))
                    }
                };
                Err(self.error("look for the stream", kind))
            }
        }
    }

    async fn make_stream(&self) -> Result<Stream, QueueError> {
        match self.broker.jetstream().create_stream(stream_config::stream()).await {
            Ok(stream) => Ok(stream),
            Err(error) => {
                let kind = match error.kind() {
                    // Another coordinator was faster.
                    CreateStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NAME_EXIST => {
                        match self.stream().await? {
                            Some(stream) => return Ok(stream),
                            None => QueueErrorKind::Missing,
                        }
                    }
                    CreateStreamErrorKind::JetStream(error) => of_jetstream(&error),
                    CreateStreamErrorKind::JetStreamUnavailable => QueueErrorKind::NoJetStream,
                    CreateStreamErrorKind::TimedOut => self.unanswered(),
                    CreateStreamErrorKind::EmptyStreamName
                    | CreateStreamErrorKind::InvalidStreamName
                    | CreateStreamErrorKind::DomainAndExternalSet
                    | CreateStreamErrorKind::Response
                    | CreateStreamErrorKind::NotFound
                    | CreateStreamErrorKind::ResponseParse => of_words(&error.to_string()),
                };
                Err(self.error("make the stream", kind))
            }
        }
    }

    async fn find_consumer(&self) -> Result<Option<PullConsumer>, QueueError> {
        match self.broker.jetstream().get_consumer_from_stream(CONSUMER, STREAM).await {
            Ok(consumer) => Ok(Some(consumer)),
            Err(error) => match error.kind() {
                ConsumerErrorKind::JetStream(found)
                    if matches!(found.error_code(), ErrorCode::CONSUMER_NOT_FOUND | ErrorCode::STREAM_NOT_FOUND) =>
                {
                    Ok(None)
                }
                _ => Err(self.error("look for the consumer", of_consumer(&error, || self.unanswered()))),
            },
        }
    }

    /// Classifies a request without an answer: the server cannot be reached, or refuses the request and reports that separately.
    fn unanswered(&self) -> QueueErrorKind {
        match self.broker.refused_within(REFUSED_WITHIN) {
            Some(refusal) if self.broker.is_connected() => QueueErrorKind::Refused(refusal),
            Some(_) | None => QueueErrorKind::Unreachable,
        }
    }

    fn error(&self, doing: &str, kind: QueueErrorKind) -> QueueError {
        QueueError { address: self.broker.address().to_owned(), doing: doing.to_owned(), kind }
    }
}
