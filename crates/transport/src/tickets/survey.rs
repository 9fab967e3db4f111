//! What the queue contains, over all estates.

use super::error::of_words;
use super::{QueueError, TicketQueue, stream_config};
use crate::subjects::{EstateId, TICKET_SUBJECTS};
use futures::StreamExt;
use serde::Serialize;

/// The contents of the queue at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueSurvey {
    /// When the stream was created, in the server's words.
    pub made: String,
    /// How many copies of a note the servers store.
    pub replicas: usize,
    /// The unacknowledged notes of each estate, those with the most first.
    pub waiting: Vec<EstateNotes>,
    /// Notes in the stream whose subject belongs to no estate.
    pub foreign: u64,
    /// The consumer's figures; `None` if it is missing.
    pub consumer: Option<ConsumerSurvey>,
    /// Which settings of stream or consumer differ from the required ones.
    pub differs: Option<String>,
}

/// The notes of one estate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EstateNotes {
    /// The estate.
    pub estate: EstateId,
    /// Its notes.
    pub notes: u64,
}

/// The figures of the consumer that workers pull from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConsumerSurvey {
    /// Notes that a worker has, or that were returned with a delay.
    pub in_work: u64,
    /// Unacknowledged notes that were delivered more than once.
    pub delivered_again: u64,
    /// Slots of workers that wait for a note.
    pub free_slots: u64,
}

impl TicketQueue {
    /// Surveys the queue and changes nothing; returns `None` if no coordinator has created it yet.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer the query.
    pub async fn survey(&self) -> Result<Option<QueueSurvey>, QueueError> {
        let Some(stream) = self.stream().await? else { return Ok(None) };
        let config = &stream.cached_info().config;
        let fail = |error: String| self.error("count the notes", of_words(&error));
        let counted = stream.info_with_subjects(TICKET_SUBJECTS).await;
        let mut subjects = counted.map_err(|error| fail(error.to_string()))?;
        let (mut waiting, mut foreign) = (Vec::new(), 0);
        while let Some(subject) = subjects.next().await {
            let (subject, notes) = subject.map_err(|error| fail(error.to_string()))?;
            let notes = wide(notes);
            match EstateId::of_tickets(&subject) {
                Some(estate) => waiting.push(EstateNotes { estate, notes }),
                None => foreign += notes,
            }
        }
        waiting.sort_by(|one, other| other.notes.cmp(&one.notes).then_with(|| one.estate.cmp(&other.estate)));
        let found = self.find_consumer().await?;
        let checked = stream_config::check_stream(config).and_then(|()| {
            found.as_ref().map_or(Ok(()), |found| stream_config::check_consumer(&found.cached_info().config))
        });
        let consumer = found.map(|found| {
            let info = found.cached_info();
            ConsumerSurvey {
                in_work: wide(info.num_ack_pending),
                delivered_again: wide(info.num_redelivered),
                free_slots: wide(info.num_waiting),
            }
        });
        Ok(Some(QueueSurvey {
            made: stream.cached_info().created.to_string(),
            replicas: config.num_replicas,
            waiting,
            foreign,
            consumer,
            differs: checked.err().map(|kind| kind.to_string()),
        }))
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
