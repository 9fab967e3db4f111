//! Metrics in the OpenMetrics text format.

use super::{LinkProgress, MetricsRole, MetricsSnapshot};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::sync::Arc;
use war_rig_llm::CallProgress;
use war_rig_pool::TicketState;
use war_rig_transport::{CoordinatorStats, LinkCounts, WorkerStats};

/// The prefix of every name.
const PREFIX: &str = "war_rig";

/// Formats a snapshot as text.
///
/// # Errors
/// When the text cannot be written, which no snapshot causes.
pub fn to_text(role: MetricsRole, snapshot: MetricsSnapshot) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(MetricFamilies { families: Arc::new(families(role, &snapshot)) }));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// The metrics of one name.
#[derive(Debug)]
struct MetricFamily {
    name: &'static str,
    help: &'static str,
    unit: Option<Unit>,
    kind: MetricKind,
    rows: Vec<(MetricLabels, MetricValue)>,
}

type MetricLabels = Vec<(&'static str, String)>;

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MetricKind {
    /// It only increases.
    Counter,
    /// It increases and decreases.
    Gauge,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum MetricValue {
    Whole(u64),
    Decimal(f64),
}

impl From<u64> for MetricValue {
    fn from(value: u64) -> Self {
        MetricValue::Whole(value)
    }
}

impl From<usize> for MetricValue {
    fn from(value: usize) -> Self {
        MetricValue::Whole(u64::try_from(value).unwrap_or(u64::MAX))
    }
}

impl From<bool> for MetricValue {
    fn from(value: bool) -> Self {
        MetricValue::Whole(u64::from(value))
    }
}

impl From<f64> for MetricValue {
    fn from(value: f64) -> Self {
        MetricValue::Decimal(value)
    }
}

impl MetricValue {
    fn encode(self, kind: MetricKind, row: &mut MetricEncoder<'_>) -> fmt::Result {
        match (kind, self) {
            (MetricKind::Counter, MetricValue::Whole(value)) => row.encode_counter::<NoLabelSet, _, u64>(&value, None),
            (MetricKind::Counter, MetricValue::Decimal(value)) => {
                row.encode_counter::<NoLabelSet, _, u64>(&value, None)
            }
            (MetricKind::Gauge, MetricValue::Whole(value)) => row.encode_gauge(&value),
            (MetricKind::Gauge, MetricValue::Decimal(value)) => row.encode_gauge(&value),
        }
    }
}

#[derive(Debug)]
struct MetricFamilies {
    families: Arc<Vec<MetricFamily>>,
}

impl Collector for MetricFamilies {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in self.families.iter() {
            let kind = match family.kind {
                MetricKind::Counter => MetricType::Counter,
                MetricKind::Gauge => MetricType::Gauge,
            };
            let mut metric = encoder.encode_descriptor(family.name, family.help, family.unit.as_ref(), kind)?;
            for (labels, value) in &family.rows {
                match labels.is_empty() {
                    true => value.encode(family.kind, &mut metric)?,
                    false => value.encode(family.kind, &mut metric.encode_family(labels)?)?,
                }
            }
        }
        Ok(())
    }
}

impl MetricFamily {
    /// Creates a family with one value.
    fn one(kind: MetricKind, name: &'static str, help: &'static str, value: impl Into<MetricValue>) -> Self {
        Self { name, help, unit: None, kind, rows: vec![(Vec::new(), value.into())] }
    }

    /// Creates a family with one value for each value of a label.
    fn of<L: Into<String>, V: Into<MetricValue>>(
        kind: MetricKind,
        name: &'static str,
        help: &'static str,
        label: &'static str,
        rows: impl IntoIterator<Item = (L, V)>,
    ) -> Self {
        let rows = rows.into_iter().map(|(value, figure)| (vec![(label, value.into())], figure.into())).collect();
        Self { name, help, unit: None, kind, rows }
    }

    fn in_unit(self, unit: Unit) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

fn families(role: MetricsRole, snapshot: &MetricsSnapshot) -> Vec<MetricFamily> {
    let MetricsSnapshot { tickets, slots, calls, link } = snapshot;
    let labels = vec![("version", env!("CARGO_PKG_VERSION").to_owned()), ("role", role.as_str().to_owned())];
    let mut families = vec![MetricFamily {
        name: "build_info",
        help: "The version and what it runs as",
        unit: None,
        kind: MetricKind::Gauge,
        rows: vec![(labels, MetricValue::Whole(1))],
    }];
    families.extend(tickets.iter().flat_map(of_tickets));
    families.extend(slots.iter().flat_map(|(worker, jobs)| of_slots(worker, *jobs)));
    families.extend(of_calls(calls, tickets.as_ref()));
    families.extend(of_link(link));
    families
}

fn of_tickets(tickets: &CoordinatorStats) -> Vec<MetricFamily> {
    let states: [(TicketState, MetricValue); 3] = [
        (TicketState::Pending, tickets.waiting.into()),
        (TicketState::Writing, tickets.leased.into()),
        (TicketState::Done, tickets.handed_back.into()),
    ];
    vec![
        MetricFamily::of(
            MetricKind::Gauge,
            "tickets",
            "Sources by the state of their ticket",
            "state",
            states.map(|(state, count)| (state.to_string(), count)),
        ),
        MetricFamily::one(
            MetricKind::Counter,
            "attempts",
            "Attempts at a ticket that a worker has begun",
            tickets.attempts,
        ),
        MetricFamily::one(
            MetricKind::Counter,
            "attempts_in_vain",
            "Attempts whose worker was not heard of any more",
            tickets.revoked,
        ),
        MetricFamily::one(MetricKind::Gauge, "leases", "Tickets that workers have at this moment", tickets.leased),
        MetricFamily::one(
            MetricKind::Gauge,
            "workers",
            "Workers that were heard of within the deadline",
            tickets.workers,
        ),
        MetricFamily::one(
            MetricKind::Gauge,
            "queue_waiting",
            "Notes of tickets that wait at the broker",
            tickets.notes_waiting,
        ),
    ]
}

fn of_slots(worker: &WorkerStats, jobs: usize) -> Vec<MetricFamily> {
    vec![
        MetricFamily::one(MetricKind::Gauge, "slots", "Tickets that this worker takes at a time", jobs),
        MetricFamily::one(
            MetricKind::Gauge,
            "slots_taken",
            "Tickets that this worker has at this moment",
            worker.in_work,
        ),
        MetricFamily::one(
            MetricKind::Counter,
            "tickets_finished",
            "Tickets that this worker has finished",
            worker.done,
        ),
        MetricFamily::one(
            MetricKind::Counter,
            "tickets_given_back",
            "Tickets that this worker has given back or lost",
            worker.given_back + worker.revoked,
        ),
        MetricFamily::one(
            MetricKind::Gauge,
            "spooled_answers",
            "Answers that the coordinator does not have yet",
            worker.spooled,
        ),
    ]
}

/// Only a coordinator counts the calls that were answered and those that failed.
fn of_calls(
    CallProgress { usage, in_flight, pause }: &CallProgress,
    tickets: Option<&CoordinatorStats>,
) -> Vec<MetricFamily> {
    let steps = [
        ("sent", Some(usage.calls)),
        ("retried", Some(usage.retries)),
        ("answered", tickets.map(|tickets| tickets.calls_answered)),
        ("failed", tickets.map(|tickets| tickets.calls_failed)),
        ("replayed", Some(usage.replayed)),
    ];
    let steps = steps.into_iter().filter_map(|(step, count)| Some((step, count?)));
    vec![
        MetricFamily::of(
            MetricKind::Counter,
            "calls",
            "Calls to the model; those sent again are among those sent",
            "step",
            steps,
        ),
        MetricFamily::one(MetricKind::Gauge, "calls_in_flight", "Calls to the model in flight", *in_flight),
        MetricFamily::of(
            MetricKind::Counter,
            "tokens",
            "Tokens of prompts as counted before sending, and of answers",
            "of",
            [("prompt", usage.prompt_tokens), ("completion", usage.completion_tokens)],
        ),
        MetricFamily::one(MetricKind::Counter, "cost", "What the answers cost", usage.cost.to_usd())
            .in_unit(Unit::Other("dollars".to_owned())),
        MetricFamily::one(
            MetricKind::Gauge,
            "pause",
            "For how long no call is sent, because the provider has asked to wait",
            pause.unwrap_or_default().as_secs_f64(),
        )
        .in_unit(Unit::Seconds),
    ]
}

fn of_link(LinkProgress { is_connected, connections, counts }: &LinkProgress) -> Vec<MetricFamily> {
    let LinkCounts { sent, received, refused, repeated, expired, bytes_sent, bytes_received } = *counts;
    let messages = [("sent", sent), ("received", received), ("refused", refused), ("repeated", repeated)];
    vec![
        MetricFamily::one(MetricKind::Gauge, "broker_connected", "1 where the broker is connected", *is_connected),
        MetricFamily::one(
            MetricKind::Counter,
            "broker_connections",
            "Connections to the broker that were made",
            *connections,
        ),
        MetricFamily::of(
            MetricKind::Counter,
            "envelopes",
            "Messages over the broker, pieces counted one by one",
            "what",
            messages,
        ),
        MetricFamily::one(
            MetricKind::Counter,
            "envelopes_expired",
            "Groups of pieces that did not come to their end in time",
            expired,
        ),
        MetricFamily::of(
            MetricKind::Counter,
            "envelope",
            "Payload of the messages over the broker",
            "direction",
            [("sent", bytes_sent), ("received", bytes_received)],
        )
        .in_unit(Unit::Bytes),
    ]
}
