//! A run whose tickets are processed by workers on other machines.

use crate::broker::{broker_options, cannot_connect, cannot_queue};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::metrics::{BoundListener, LinkProgress, MetricsRole, MetricsServer, MetricsSnapshot};
use crate::run_state::RunState;
use crate::settings::{BrokerSettings, ScribeSettings};
use std::sync::Arc;
use war_rig_envelope::SplitStrategy;
use war_rig_estimator::TokenCount;
use war_rig_llm::{CallProgress, RateLimits, SharedBudget, StopError, WindowEstimate};
use war_rig_pool::{RemoteQueue, StopRequest};
use war_rig_transport::{
    Broker, BrokerRole, Coordinator, CoordinatorError, CoordinatorOptions, EstateId, Link, LinkOptions,
};

/// The most calls that may wait in the rate limiter at once, over all workers; each worker limits its own.
const CALLS_WAITING: usize = 1 << 16;

/// What is handed to workers, and which settings they use.
pub struct DistributionOptions {
    /// The estate.
    pub estate: EstateId,
    /// The settings that travel.
    pub settings: String,
    /// The listener for metrics; `None` when they are not served.
    pub metrics: Option<BoundListener>,
}

/// A running coordinator.
pub struct Distribution {
    coordinator: Coordinator,
    link: Link,
    serving: Option<MetricsServer>,
}

/// Connects to the configured broker.
///
/// # Errors
/// As [`broker_options`], and a failure with status 12 or 14 when the broker refuses or cannot be reached.
pub async fn connect(
    settings: &BrokerSettings,
    role: BrokerRole,
    name: Option<&str>,
    around: &RunContext,
) -> Result<(Broker, Link), Failure> {
    connect_with(settings, role, name, (settings.max_payload, SplitStrategy::Bytes), around).await
}

/// Like [`connect`], with envelopes cut at this many bytes by this strategy.
///
/// # Errors
/// As [`connect`].
pub async fn connect_with(
    settings: &BrokerSettings,
    role: BrokerRole,
    name: Option<&str>,
    (max_payload, strategy): (usize, SplitStrategy),
    around: &RunContext,
) -> Result<(Broker, Link), Failure> {
    let variables = |name: &str| around.variable(name);
    let options = broker_options(settings, role, name, &variables)?;
    let broker = Broker::connect(&options).await.map_err(|error| cannot_connect(&error))?;
    let link = LinkOptions { max_payload, strategy };
    let link = Link::open(&broker, link).await.map_err(|error| lost_broker_failure(&error))?;
    Ok((broker, link))
}

impl Distribution {
    /// Connects and starts dispatching. `on_stop` is called once when no further call will be made.
    ///
    /// # Errors
    /// As [`connect`], and a failure when the broker cannot provide the queue.
    pub async fn start(
        handed: DistributionOptions,
        (broker, scribe): (&BrokerSettings, &ScribeSettings),
        state: &RunState,
        stop: Arc<StopRequest>,
        around: &RunContext,
        on_stop: impl Fn(&StopError) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let DistributionOptions { estate, settings, metrics } = handed;
        let (_, link) = connect(broker, BrokerRole::Coordinator, None, around).await?;
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
            call_logs: state.call_logs(),
            allowance: SharedBudget::new(
                limits,
                (scribe.budget, state.carried),
                TokenCount::new(scribe.max_completion_tokens.get().into()),
            ),
            stop,
            on_stop: Box::new(on_stop),
        };
        let coordinator = Coordinator::start(&link, options).await.map_err(|error| match error {
            CoordinatorError::Queue(error) => cannot_queue(&error),
            CoordinatorError::Link(error) => lost_broker_failure(&error),
            taken @ CoordinatorError::AlreadyRunning(_) => Failure::new(ExitStatus::Locked, taken.to_string()).with_hint(
                "wait for its end; runs that go on beside each other need state folders that are no copies of one another",
            ),
        })?;
        let serving = metrics.map(|bound| {
            let (coordinator, link) = (coordinator.clone(), link.clone());
            bound.serve(MetricsRole::Coordinator, Arc::new(move || snapshot(&coordinator, &link)))
        });
        Ok(Self { coordinator, link, serving: serving.transpose()? })
    }

    /// The port through which the pool dispatches tickets.
    pub fn queue(&self) -> Arc<dyn RemoteQueue> {
        Arc::new(self.coordinator.clone())
    }

    /// The coordinator, for callers that stop it or read its progress.
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// What workers have learned of the model's window.
    pub fn window_estimate(&self) -> Option<WindowEstimate> {
        self.coordinator.window_estimate()
    }

    /// Stops dispatching and disconnects from the broker.
    pub async fn end(self) {
        let Self { coordinator, link, serving } = self;
        coordinator.end().await;
        if let Some(serving) = serving {
            serving.end().await;
        }
        link.broker().close().await;
    }
}

/// Returns the progress of the calls of all workers.
pub fn call_progress(coordinator: &Coordinator) -> CallProgress {
    let figures = coordinator.stats();
    CallProgress { usage: figures.bill, in_flight: figures.calls_in_flight, pause: None }
}

fn snapshot(coordinator: &Coordinator, link: &Link) -> MetricsSnapshot {
    MetricsSnapshot {
        tickets: Some(coordinator.stats()),
        slots: None,
        calls: call_progress(coordinator),
        link: LinkProgress::of(link),
    }
}

/// The failure for a lost broker connection.
pub fn lost_broker_failure(error: &war_rig_transport::RequestError) -> Failure {
    Failure::new(ExitStatus::Unavailable, error.to_string())
        .with_hint("see that the broker runs, then run the command again")
}
