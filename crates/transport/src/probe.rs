//! Finds out what a broker can guarantee, before a run.
//!
//! The probe creates and changes nothing. What the user's permissions hide is reported as unknown, with the server's message.

mod findings;

pub use findings::{ProbeFinding, ProbeLevel};

use crate::broker::{Broker, harmless};
use crate::link::nothing_received;
use crate::subjects::EstateId;
use crate::tickets::{QueueSurvey, TicketQueue};
use async_nats::StatusCode;
use async_nats::jetstream::context::RequestErrorKind;
use bytes::Bytes;
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How many round trips are measured; the shortest one counts.
const ROUND_TRIPS: usize = 5;
/// How long to wait for one round trip.
const ROUND_TRIP_WITHIN: Duration = Duration::from_secs(2);

/// The results of a broker probe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokerProbe {
    /// The addresses, without names and passwords.
    pub address: String,
    /// The server's version, in its own words.
    pub version: String,
    /// The server's name.
    pub server: String,
    /// Its cluster; `None` for a single server.
    pub cluster: Option<String>,
    /// Whether all addresses are on this machine.
    pub is_loopback: bool,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
    /// Whether the server requires a login.
    pub asks_for_login: bool,
    /// The most bytes of a message, headers and payload together.
    pub max_message: usize,
    /// The shortest of several round trips to the server, in milliseconds; `None` if the user may not send to itself.
    pub round_trip_ms: Option<f64>,
    /// JetStream, for this user's account.
    pub jetstream: JetStreamProbe,
    /// The queue of notes.
    pub queue: QueueProbe,
    /// Estates that have notes but no listening coordinator, as far as the user may check, which not every role may.
    pub unserved: Vec<EstateId>,
}

/// JetStream, for an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JetStreamProbe {
    /// The server or this account does not have it.
    Off,
    /// The user may not ask, or the server did not answer.
    Unknown(String),
    /// It is available.
    On(JetStreamAccount),
}

/// The account's JetStream figures. A limit is `None` if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JetStreamAccount {
    /// Bytes used on disk.
    pub storage_used: u64,
    /// The limit of bytes on disk.
    pub storage_limit: Option<u64>,
    /// The number of streams.
    pub streams: u64,
    /// The limit of streams.
    pub streams_limit: Option<u64>,
    /// Whether each stream must declare its maximum size, which ours does not.
    pub wants_max_bytes: bool,
}

/// The queue of notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueProbe {
    /// No coordinator has created it yet.
    Missing,
    /// The user may not ask, or the server did not answer.
    Unknown(String),
    /// It exists.
    There(QueueSurvey),
}

/// Probes a broker.
pub async fn probe(broker: &Broker) -> BrokerProbe {
    let info = broker.client().server_info();
    let jetstream = account(broker).await;
    let queue = match &jetstream {
        JetStreamProbe::Off => QueueProbe::Missing,
        JetStreamProbe::Unknown(_) | JetStreamProbe::On(_) => {
            match broker.unless_refused(TicketQueue::new(broker).survey()).await {
                Ok(Ok(Some(survey))) => QueueProbe::There(survey),
                Ok(Ok(None)) => QueueProbe::Missing,
                Ok(Err(error)) => QueueProbe::Unknown(error.kind.to_string()),
                Err(refused) => QueueProbe::Unknown(refused),
            }
        }
    };
    let round_trip_ms = round_trip_ms(broker).await;
    let noted = match &queue {
        QueueProbe::There(survey) => survey.waiting.iter().map(|estate| &estate.estate).collect(),
        QueueProbe::Missing | QueueProbe::Unknown(_) => Vec::new(),
    };
    // This comes last: the server may refuse it, and then a concurrent request would seem refused.
    let unserved = unserved(broker, &noted).await;
    BrokerProbe {
        address: broker.address().to_owned(),
        version: harmless(&info.version),
        server: harmless(&info.server_name),
        cluster: info.cluster.as_deref().filter(|cluster| !cluster.is_empty()).map(harmless),
        is_loopback: broker.is_loopback(),
        is_encrypted: broker.is_encrypted(),
        asks_for_login: info.auth_required,
        max_message: broker.max_message_size(),
        round_trip_ms,
        jetstream,
        queue,
        unserved,
    }
}

/// Returns the shortest of several round trips, in milliseconds.
async fn round_trip_ms(broker: &Broker) -> Option<f64> {
    let shortest = broker.unless_refused(round_trip(broker)).await.ok()??;
    Some(shortest.as_secs_f64() * 1_000.0)
}

/// Sends an empty message to itself several times.
async fn round_trip(broker: &Broker) -> Option<Duration> {
    let subject = format!("{}.ping", broker.inbox());
    let mut heard = broker.client().subscribe(subject.clone()).await.ok()?;
    let mut shortest: Option<Duration> = None;
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        broker.client().publish(subject.clone(), Bytes::new()).await.ok()?;
        timeout(ROUND_TRIP_WITHIN, heard.next()).await.ok()??;
        let took = began.elapsed();
        shortest = Some(shortest.map_or(took, |known| known.min(took)));
    }
    shortest
}

/// Returns the estates without a listening coordinator; none if the server does not permit the check.
async fn unserved(broker: &Broker, estates: &[&EstateId]) -> Vec<EstateId> {
    let looking = async {
        let mut unserved = Vec::new();
        for (at, estate) in estates.iter().enumerate() {
            if nobody_listens(broker, estate, at).await? {
                unserved.push((*estate).clone());
            }
        }
        Some(unserved)
    };
    broker.unless_refused(looking).await.ok().flatten().unwrap_or_default()
}

/// Sends a coordinator a message that it ignores, and then a message to itself. A server reports at once that nobody listens, so that report comes
/// before the second message or not at all; without an answer, the result is unknown.
pub(crate) async fn nobody_listens(broker: &Broker, estate: &EstateId, at: usize) -> Option<bool> {
    let (client, inbox) = (broker.client(), format!("{}.listens.{at}", broker.inbox()));
    let mut heard = client.subscribe(inbox.clone()).await.ok()?;
    let asked = client.publish_with_reply_and_headers(
        estate.coordinator_subject(),
        inbox.clone(),
        nothing_received(),
        Bytes::new(),
    );
    asked.await.ok()?;
    client.publish(inbox, Bytes::new()).await.ok()?;
    let first = timeout(ROUND_TRIP_WITHIN, heard.next()).await.ok()??;
    Some(first.status == Some(StatusCode::NO_RESPONDERS))
}

/// The account; servers of different versions report more or less of it.
#[derive(Deserialize)]
struct AccountInfo {
    #[serde(default)]
    error: Option<Described>,
    #[serde(default)]
    storage: u64,
    #[serde(default)]
    streams: u64,
    #[serde(default)]
    limits: AccountLimits,
}

#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    description: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AccountLimits {
    max_storage: i64,
    max_streams: i64,
    max_bytes_required: bool,
}

async fn account(broker: &Broker) -> JetStreamProbe {
    let asked = broker.unless_refused(broker.jetstream().request("INFO", &())).await;
    let account: AccountInfo = match asked {
        Ok(Ok(account)) => account,
        Err(refused) => return JetStreamProbe::Unknown(refused),
        Ok(Err(error)) => {
            return match error.kind() {
                RequestErrorKind::NoResponders => JetStreamProbe::Off,
                RequestErrorKind::TimedOut | RequestErrorKind::InvalidSubject | RequestErrorKind::Other => {
                    JetStreamProbe::Unknown(harmless(&error.to_string()))
                }
            };
        }
    };
    if let Some(error) = account.error {
        return match error.description.contains("not enabled") {
            true => JetStreamProbe::Off,
            false => JetStreamProbe::Unknown(harmless(&error.description)),
        };
    }
    JetStreamProbe::On(JetStreamAccount {
        storage_used: account.storage,
        // The server reports -1 for no limit.
        storage_limit: u64::try_from(account.limits.max_storage).ok(),
        streams: account.streams,
        streams_limit: u64::try_from(account.limits.max_streams).ok(),
        wants_max_bytes: account.limits.max_bytes_required,
    })
}
