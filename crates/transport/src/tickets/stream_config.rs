//! The required settings of the stream and its consumer.

use super::{ACK_WAIT, QueueErrorKind};
use crate::subjects::{CONSUMER, STREAM, TICKET_SUBJECTS};
use async_nats::jetstream::consumer::{self, AckPolicy, DeliverPolicy, ReplayPolicy, pull};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use std::fmt::Debug;
use std::time::Duration;

/// No limit.
const UNLIMITED: i64 = -1;

/// The most slots of workers that wait for a note at once; further ones are refused until one is free, and ask again.
const MOST_SLOTS: i64 = 10_000;

/// Returns the settings of a new stream.
pub(super) fn stream() -> stream::Config {
    stream::Config {
        name: STREAM.to_owned(),
        description: Some("notes of War Rig's tickets; the coordinators' stores are the record".to_owned()),
        subjects: vec![TICKET_SUBJECTS.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        max_age: Duration::ZERO,
        max_bytes: UNLIMITED,
        max_messages: UNLIMITED,
        max_messages_per_subject: UNLIMITED,
        max_consumers: -1,
        num_replicas: 1,
        ..stream::Config::default()
    }
}

/// Returns the settings of a new consumer.
pub(super) fn consumer() -> pull::Config {
    pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        name: Some(CONSUMER.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        deliver_policy: DeliverPolicy::All,
        replay_policy: ReplayPolicy::Instant,
        max_deliver: UNLIMITED,
        // A limit would keep notes from free workers while other notes wait for redelivery.
        max_ack_pending: UNLIMITED,
        max_waiting: MOST_SLOTS,
        ..pull::Config::default()
    }
}

/// Compares an existing stream with the required settings. The operator sets limits and replicas: a full stream refuses notes, and loses none.
pub(super) fn check_stream(is: &stream::Config) -> Result<(), QueueErrorKind> {
    let should = stream();
    same("subjects", &is.subjects, &should.subjects)?;
    same("retention", &is.retention, &should.retention)?;
    same("storage", &is.storage, &should.storage)?;
    same("discard", &is.discard, &should.discard)?;
    same("max_age", &is.max_age, &should.max_age)?;
    same("no_ack", &is.no_ack, &false)?;
    same("sealed", &is.sealed, &false)?;
    same("deny_purge", &is.deny_purge, &false)
}

/// Compares an existing consumer with the required settings.
pub(super) fn check_consumer(is: &consumer::Config) -> Result<(), QueueErrorKind> {
    let should = consumer();
    same("deliver_subject", &is.deliver_subject, &None)?;
    same("ack_policy", &is.ack_policy, &should.ack_policy)?;
    same("ack_wait", &is.ack_wait, &should.ack_wait)?;
    same("deliver_policy", &is.deliver_policy, &should.deliver_policy)?;
    same("filter_subject", &is.filter_subject, &should.filter_subject)?;
    same("backoff", &is.backoff, &Vec::new())?;
    // The server reports -1 for no limit; 0 is not a limit in any version.
    same("max_deliver", &is.max_deliver.max(0), &0)?;
    same("headers_only", &is.headers_only, &false)
}

fn same<T: PartialEq + Debug>(what: &'static str, is: &T, should: &T) -> Result<(), QueueErrorKind> {
    match is == should {
        true => Ok(()),
        false => Err(QueueErrorKind::Differs { what, is: format!("{is:?}"), should: format!("{should:?}") }),
    }
}
