//! Figures in the text format of OpenMetrics.

use super::{Calls, Link, Role, Slots, Snapshot, Tickets};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::sync::Arc;

/// What every name begins with.
const PREFIX: &str = "war_rig";

/// A snapshot as text.
///
/// # Errors
/// When the text cannot be made, which no snapshot leads to.
pub fn to_text(role: Role, snapshot: Snapshot) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(Figures { families: Arc::new(families(role, &snapshot)) }));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// Figures of one name.
#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    unit: Option<Unit>,
    kind: Kind,
    rows: Vec<(Labels, Value)>,
}

type Labels = Vec<(&'static str, String)>;

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Whole(u64),
    Decimal(f64),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Whole(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Whole(u64::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Decimal(value)
    }
}

impl Value {
    fn encode(self, kind: Kind, row: &mut MetricEncoder<'_>) -> fmt::Result {
        match (kind, self) {
            (Kind::Counter, Value::Whole(value)) => row.encode_counter::<NoLabelSet, _, u64>(&value, None),
            (Kind::Counter, Value::Decimal(value)) => row.encode_counter::<NoLabelSet, _, u64>(&value, None),
            (Kind::Gauge, Value::Whole(value)) => row.encode_gauge(&value),
            (Kind::Gauge, Value::Decimal(value)) => row.encode_gauge(&value),
        }
    }
}

#[derive(Debug)]
struct Figures {
    families: Arc<Vec<Family>>,
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in self.families.iter() {
            let kind = match family.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
            };
            let mut metric =
                encoder.encode_descriptor(family.name, family.help, family.unit.as_ref(), kind)?;
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

impl Family {
    /// One figure.
    fn one(kind: Kind, name: &'static str, help: &'static str, value: impl Into<Value>) -> Self {
        Self { name, help, unit: None, kind, rows: vec![(Vec::new(), value.into())] }
    }

    /// A figure for each value of a label.
    fn of<L: Into<String>, V: Into<Value>>(
        kind: Kind,
        name: &'static str,
        help: &'static str,
        label: &'static str,
        rows: impl IntoIterator<Item = (L, V)>,
    ) -> Self {
        let rows =
            rows.into_iter().map(|(value, figure)| (vec![(label, value.into())], figure.into())).collect();
        Self { name, help, unit: None, kind, rows }
    }

    fn in_unit(self, unit: Unit) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

fn families(role: Role, snapshot: &Snapshot) -> Vec<Family> {
    let Snapshot { tickets, slots, calls, link } = snapshot;
    let labels = vec![("version", env!("CARGO_PKG_VERSION").to_owned()), ("role", role.as_str().to_owned())];
    let mut families = vec![Family {
        name: "build_info",
        help: "The version and what it runs as",
        unit: None,
        kind: Kind::Gauge,
        rows: vec![(labels, Value::Whole(1))],
    }];
    families.extend(tickets.iter().flat_map(of_tickets));
    families.extend(slots.iter().flat_map(of_slots));
    families.extend(of_calls(calls));
    families.extend(of_link(link));
    families
}

fn of_tickets(tickets: &Tickets) -> Vec<Family> {
    let Tickets { by_state, attempts, in_vain, leases, workers, waiting } = tickets;
    let mut families = vec![
        Family::of(
            Kind::Gauge,
            "tickets",
            "Sources by the state of their ticket",
            "state",
            by_state.iter().map(|(state, count)| (state.to_string(), *count)),
        ),
        Family::one(Kind::Counter, "attempts", "Attempts at a ticket that a worker has begun", *attempts),
        Family::one(
            Kind::Counter,
            "attempts_in_vain",
            "Attempts whose worker was not heard of any more",
            *in_vain,
        ),
        Family::one(Kind::Gauge, "leases", "Tickets that workers have at this moment", *leases),
        Family::one(Kind::Gauge, "workers", "Workers that were heard of within the deadline", *workers),
    ];
    families.extend(waiting.map(|waiting| {
        Family::one(Kind::Gauge, "queue_waiting", "Notes of tickets that wait at the broker", waiting)
    }));
    families
}

fn of_slots(slots: &Slots) -> Vec<Family> {
    let Slots { total, taken, finished, given_back, spooled } = *slots;
    vec![
        Family::one(Kind::Gauge, "slots", "Tickets that this worker takes at a time", total),
        Family::one(Kind::Gauge, "slots_taken", "Tickets that this worker has at this moment", taken),
        Family::one(Kind::Counter, "tickets_finished", "Tickets that this worker has finished", finished),
        Family::one(
            Kind::Counter,
            "tickets_given_back",
            "Tickets that this worker has given back or lost",
            given_back,
        ),
        Family::one(
            Kind::Gauge,
            "spooled_answers",
            "Answers that the coordinator does not have yet",
            spooled,
        ),
    ]
}

fn of_calls(calls: &Calls) -> Vec<Family> {
    let Calls {
        sent,
        retried,
        answered,
        failed,
        replayed,
        in_flight,
        prompt_tokens,
        completion_tokens,
        cost,
        pause,
    } = *calls;
    let steps = [
        ("sent", Some(sent)),
        ("retried", Some(retried)),
        ("answered", answered),
        ("failed", failed),
        ("replayed", Some(replayed)),
    ];
    let steps = steps.into_iter().filter_map(|(step, count)| Some((step, count?)));
    vec![
        Family::of(
            Kind::Counter,
            "calls",
            "Calls to the model; those sent again are among those sent",
            "step",
            steps,
        ),
        Family::one(Kind::Gauge, "calls_in_flight", "Calls to the model in flight", in_flight),
        Family::of(
            Kind::Counter,
            "tokens",
            "Tokens of prompts as counted before sending, and of answers",
            "of",
            [("prompt", prompt_tokens), ("completion", completion_tokens)],
        ),
        Family::one(Kind::Counter, "cost", "What the answers cost", cost.to_usd())
            .in_unit(Unit::Other("dollars".to_owned())),
        Family::one(
            Kind::Gauge,
            "pause",
            "For how long no call is sent, because the provider has asked to wait",
            pause.as_secs_f64(),
        )
        .in_unit(Unit::Seconds),
    ]
}

fn of_link(link: &Link) -> Vec<Family> {
    let Link {
        is_connected,
        connections,
        sent,
        received,
        refused,
        repeated,
        expired,
        sent_bytes,
        received_bytes,
    } = *link;
    let messages = [("sent", sent), ("received", received), ("refused", refused), ("repeated", repeated)];
    vec![
        Family::one(Kind::Gauge, "broker_connected", "1 where the broker is connected", is_connected),
        Family::one(
            Kind::Counter,
            "broker_connections",
            "Connections to the broker that were made",
            connections,
        ),
        Family::of(
            Kind::Counter,
            "envelopes",
            "Messages over the broker, pieces counted one by one",
            "what",
            messages,
        ),
        Family::one(
            Kind::Counter,
            "envelopes_expired",
            "Groups of pieces that did not come to their end in time",
            expired,
        ),
        Family::of(
            Kind::Counter,
            "envelope",
            "Payload of the messages over the broker",
            "direction",
            [("sent", sent_bytes), ("received", received_bytes)],
        )
        .in_unit(Unit::Bytes),
    ]
}
