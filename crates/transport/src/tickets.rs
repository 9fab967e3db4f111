//! The notes of tickets, in a work queue of JetStream.
//!
//! # What holds
//! - A note is a hint that there is work, and nothing more. Who has one asks the coordinator for leave. So a note may come twice, late, or for a ticket that
//!   is done; and one that is lost is published again by the coordinator, whose store is the record.
//! - The stream refuses new notes when it is full, and never drops old ones; nothing in it grows too old.
//! - Attempts are counted by the coordinator. The stream delivers for ever (`max_deliver` would leave a note in the stream that nobody gets and nothing removes).
//! - A worker pulls one note for each slot that is free, so that none waits at a worker that is busy while another has nothing to do.
//! - What cannot be read as a note is taken out of the stream and logged, without its content.
//!
//! # Races, and what is accepted to be lost
//! A pull that is dropped while a note is on its way leaves the note without a reader until [`ACK_WAIT`] is over; then it is delivered anew. An
//! acknowledgement can be lost: the note comes again, and the coordinator says that it is stale. A publication whose confirmation is lost may stand in the
//! stream all the same, so that a note stands there twice.

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
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a note stays with a worker that says nothing of it.
pub const ACK_WAIT: Duration = Duration::from_secs(30);
/// A refusal that is older has to do with something else than the request that was just given up.
const REFUSED_WITHIN: Duration = Duration::from_secs(8);
/// No note of ours is longer.
const LONGEST_NOTE: usize = 64 * 1_024;

/// A note: this ticket is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketMessage {
    /// The version of the protocol.
    pub version: u32,
    /// The estate, which must be the one of the subject.
    pub estate: EstateId,
    /// The process of the coordinator that published it.
    pub epoch: String,
    /// The file that the ticket is about.
    pub ticket: String,
    /// Which attempt it is within the epoch, from 1.
    pub attempt: u32,
    /// Whether the worker is to have nothing else in work meanwhile, because an attempt has failed with its worker.
    pub alone: bool,
}

/// What the stream holds for an estate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueState {
    /// When the stream was made, in the server's words. Another time is another stream: what was published before is gone.
    pub made: String,
    /// The estate's notes that nobody has acknowledged, also those that are with a worker.
    pub waiting: u64,
    /// Whether the server does not deliver some note any more, though a worker asks for one: killed at the wrong moment, it forgets which notes it had handed to somebody.
    pub has_forgotten: bool,
}

/// The queue of notes. Cheap to clone; all clones share one connection.
#[derive(Debug, Clone)]
pub struct TicketQueue {
    broker: Broker,
    consumer: Arc<OnceCell<PullConsumer>>,
    bad: Arc<AtomicU64>,
}

impl TicketQueue {
    /// The queue at a broker. Nothing is asked of the server yet.
    pub fn new(broker: &Broker) -> Self {
        Self { broker: broker.clone(), consumer: Arc::default(), bad: Arc::default() }
    }

    /// Makes stream and consumer where they are missing, and sees that they are as they must be.
    ///
    /// # Errors
    /// [`QueueErrorKind::Differs`] when they are there with settings under which notes could be lost; others when the server cannot do it.
    pub async fn open(&self) -> Result<(), QueueError> {
        let stream = match self.stream().await? {
            Some(stream) => stream,
            None => self.make_stream().await?,
        };
        stream_config::check_stream(&stream.cached_info().config)
            .map_err(|kind| self.error("the stream", kind))?;
        let consumer = match self.find_consumer().await? {
            Some(consumer) => consumer,
            None => {
                // Where another coordinator makes it at the same moment with the same settings, the server takes both for one.
                stream.create_consumer(stream_config::consumer()).await.map_err(|error| {
                    self.error("make the consumer", of_consumer(&error, || self.unanswered()))
                })?
            }
        };
        stream_config::check_consumer(&consumer.cached_info().config)
            .map_err(|kind| self.error("the consumer", kind))
    }

    /// Publishes a note, and returns when the stream has it.
    ///
    /// # Errors
    /// [`QueueErrorKind::Missing`] when there is no stream: it is to be opened, and all notes are to be published again. Others when the server does not take it.
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
        let sent =
            self.broker.jetstream().publish(note.estate.ticket_subject(), bytes.into()).await.map_err(of)?;
        sent.await.map(|_| ()).map_err(of)
    }

    /// What the stream holds for an estate; nothing when stream or consumer is missing, which means that the broker was wiped.
    ///
    /// # Errors
    /// [`QueueError`] when the server does not say.
    pub async fn state(&self, estate: &EstateId) -> Result<Option<QueueState>, QueueError> {
        let Some(stream) = self.stream().await? else { return Ok(None) };
        let Some(consumer) = self.find_consumer().await? else { return Ok(None) };
        let (held, handed) = (stream.cached_info(), consumer.cached_info());
        let known = handed.num_pending + u64::try_from(handed.num_ack_pending).unwrap_or(u64::MAX);
        let has_forgotten = handed.num_waiting > 0 && held.state.messages > known;
        let made = held.created.to_string();
        let fail = |error: String| self.error("count the notes", of_words(&error));
        let mut subjects = stream
            .info_with_subjects(estate.ticket_subject())
            .await
            .map_err(|error| fail(error.to_string()))?;
        let mut waiting = 0;
        while let Some(counted) = subjects.next().await {
            let (_, count) = counted.map_err(|error| fail(error.to_string()))?;
            waiting += u64::try_from(count).unwrap_or(u64::MAX);
        }
        Ok(Some(QueueState { made, waiting, has_forgotten }))
    }

    /// The estate's notes that nobody has acknowledged; 0 without a stream.
    ///
    /// # Errors
    /// [`QueueError`] when the server does not say.
    pub async fn pending_count(&self, estate: &EstateId) -> Result<u64, QueueError> {
        Ok(self.state(estate).await?.map_or(0, |state| state.waiting))
    }

    /// Takes all notes of an estate out of the stream, one by one, and gives their number. The server's own purge of a subject is not used: with others' notes
    /// in the stream, a server of version 2.9 then forgets which of those it has to deliver.
    ///
    /// # Errors
    /// [`QueueError`] when the server does not do it.
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
                // A worker has acknowledged it meanwhile, or else it is found a second time.
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
                    GetStreamErrorKind::JetStream(error)
                        if error.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                    {
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
                    CreateStreamErrorKind::JetStream(error)
                        if error.error_code() == ErrorCode::STREAM_NAME_EXIST =>
                    {
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
                    if matches!(
                        found.error_code(),
                        ErrorCode::CONSUMER_NOT_FOUND | ErrorCode::STREAM_NOT_FOUND
                    ) =>
                {
                    Ok(None)
                }
                _ => Err(self.error("look for the consumer", of_consumer(&error, || self.unanswered()))),
            },
        }
    }

    /// A request got no answer: the server cannot be reached, or does not permit it and has said so beside it.
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
