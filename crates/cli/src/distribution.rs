//! A run whose tickets are written of by workers on other machines.

use crate::broker::{cannot_connect, cannot_queue, options};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::metrics::{self, Bound, Serving, Snapshot, Tickets};
use crate::settings::{BrokerSettings, ScribeSettings};
use crate::state::State;
use std::sync::Arc;
use war_rig_envelope::Strategy;
use war_rig_estimator::TokenCount;
use war_rig_llm::{CallProgress, RateLimits, SharedBudget, StopError, WindowEstimate};
use war_rig_pool::{RemoteQueue, StopRequest, TicketState};
use war_rig_transport::{
    Broker, Coordinator, CoordinatorError, CoordinatorOptions, EstateId, Link, LinkOptions, Role,
};

/// Calls that may wait for their minute at a time, over all workers: each of them bounds its own.
const CALLS_WAITING: usize = 1 << 16;

/// What is handed to workers, and by what they write.
pub struct Handed {
    /// The estate.
    pub estate: EstateId,
    /// The settings that travel.
    pub settings: String,
    /// Where figures are served; none where they are not.
    pub metrics: Option<Bound>,
}

/// A coordinator at work.
pub struct Distribution {
    coordinator: Coordinator,
    link: Link,
    serving: Option<Serving>,
}

/// Connects to the broker of the settings.
///
/// # Errors
/// As [`options`], and a failure with status 12 or 14 when the broker refuses or cannot be reached.
pub async fn connect(
    settings: &BrokerSettings,
    role: Role,
    name: Option<&str>,
    around: &RunContext,
) -> Result<(Broker, Link), Failure> {
    connect_by(settings, role, name, (settings.max_payload, Strategy::Bytes), around).await
}

/// The same with envelopes cut at so many bytes, by this strategy.
///
/// # Errors
/// As [`connect`].
pub async fn connect_by(
    settings: &BrokerSettings,
    role: Role,
    name: Option<&str>,
    (max_payload, strategy): (usize, Strategy),
    around: &RunContext,
) -> Result<(Broker, Link), Failure> {
    let variables = |name: &str| around.variable(name);
    let options = options(settings, role, name, &variables)?;
    let broker = Broker::connect(&options).await.map_err(|error| cannot_connect(&error))?;
    let link = LinkOptions { max_payload, strategy, ..LinkOptions::default() };
    let link = Link::open(&broker, link).await.map_err(|error| lost(&error))?;
    Ok((broker, link))
}

impl Distribution {
    /// Connects, and begins to hand out. `on_stop` is told once when no further call is made.
    ///
    /// # Errors
    /// As [`connect`], and a failure when the broker does not hold the queue.
    pub async fn begin(
        handed: Handed,
        (broker, scribe): (&BrokerSettings, &ScribeSettings),
        state: &State,
        stop: Arc<StopRequest>,
        around: &RunContext,
        on_stop: impl Fn(&StopError) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let Handed { estate, settings, metrics } = handed;
        let (_, link) = connect(broker, Role::Coordinator, None, around).await?;
        let limits = RateLimits {
            concurrency: CALLS_WAITING,
            requests_per_minute: scribe.requests_per_minute,
            tokens_per_minute: scribe.tokens_per_minute,
            max_wait: scribe.max_wait,
            outage: scribe.outage,
        };
        let options = CoordinatorOptions {
            estate,
            release: env!("CARGO_PKG_VERSION").to_owned(),
            settings,
            deadline: broker.deadline,
            worker_wait: broker.worker_wait,
            books: state.books(),
            allowance: SharedBudget::new(
                limits,
                (scribe.budget, state.carried),
                TokenCount::new(scribe.max_completion_tokens.get().into()),
            ),
            stop,
            on_stop: Box::new(on_stop),
        };
        let coordinator = Coordinator::begin(&link, options).await.map_err(|error| match error {
            CoordinatorError::Queue(error) => cannot_queue(&error),
            CoordinatorError::Link(error) => lost(&error),
            taken @ CoordinatorError::Taken(_) => Failure::new(ExitStatus::Locked, taken.to_string()).with_hint(
                "wait for its end; runs that go on beside each other need state folders that are no copies of one another",
            ),
        })?;
        let serving = metrics.map(|bound| {
            let (coordinator, link) = (coordinator.clone(), link.clone());
            bound.serve(metrics::Role::Coordinator, Arc::new(move || snapshot(&coordinator, &link)))
        });
        Ok(Self { coordinator, link, serving: serving.transpose()? })
    }

    /// The port that the pool hands tickets out through.
    pub fn queue(&self) -> Arc<dyn RemoteQueue> {
        Arc::new(self.coordinator.clone())
    }

    /// The coordinator, for whoever stops it or asks how it goes.
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// What workers have learned of the model's window.
    pub fn learned(&self) -> Option<WindowEstimate> {
        self.coordinator.learned()
    }

    /// Hands nothing more out, and says farewell to the broker.
    pub async fn end(self) {
        let Self { coordinator, link, serving } = self;
        coordinator.end().await;
        if let Some(serving) = serving {
            serving.end().await;
        }
        link.broker().close().await;
    }
}

/// How far the calls of all workers are.
pub fn meter(coordinator: &Coordinator) -> CallProgress {
    let figures = coordinator.figures();
    CallProgress { usage: figures.bill, in_flight: figures.calls_in_flight, pause: None }
}

fn snapshot(coordinator: &Coordinator, link: &Link) -> Snapshot {
    let figures = coordinator.figures();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let tickets = Tickets {
        by_state: vec![
            (TicketState::Pending, count(figures.waiting)),
            (TicketState::Writing, count(figures.leased)),
            (TicketState::Done, figures.handed_back),
        ],
        attempts: figures.attempts,
        in_vain: figures.revoked,
        leases: count(figures.leased),
        workers: count(figures.workers),
        waiting: Some(figures.notes_waiting),
    };
    let calls = metrics::Calls {
        answered: Some(figures.calls_answered),
        failed: Some(figures.calls_failed),
        ..meter(coordinator).into()
    };
    Snapshot { tickets: Some(tickets), slots: None, calls, link: of_link(link) }
}

/// What went over the broker, for figures.
pub fn of_link(link: &Link) -> metrics::Link {
    let counts = link.counts();
    metrics::Link {
        is_connected: link.broker().is_connected(),
        connections: link.broker().connections(),
        sent: counts.sent,
        received: counts.received,
        refused: counts.refused,
        repeated: counts.repeated,
        expired: counts.expired,
        sent_bytes: counts.bytes_sent,
        received_bytes: counts.bytes_received,
    }
}

/// A broker that a command has lost.
pub fn lost(error: &war_rig_transport::AskError) -> Failure {
    Failure::new(ExitStatus::Unavailable, error.to_string())
        .with_hint("see that the broker runs, then run the command again")
}
