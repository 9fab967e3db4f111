//! `war-rig worker`: receives sources from a broker and writes their documents.

mod executor;
mod target_server;

use crate::args::WorkerArgs;
use crate::broker::cannot_queue;
use crate::context::RunContext;
use crate::distribution::connect;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::metrics::{self, LinkProgress, MetricsSnapshot};
use crate::model_connection::stop_status;
use crate::printer::{Printer, counted};
use crate::runtime;
use crate::settings::{Combined, OwnWay, Settings};
use crate::signals::{RunResult, Signals, listen_with};
use executor::ModelExecutor;
use std::path::Path;
use std::sync::Arc;
use target_server::{ServedTarget, TargetServer};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use war_rig_llm::{CallProgress, StopError};
use war_rig_transport::{BrokerRole, Link, Spool, Worker, WorkerEnd, WorkerOptions, WorkerStats, random_id};

/// Processes coordinators' tickets until it is told to stop.
///
/// # Errors
/// A usage failure when no broker is configured; status 12 or 14 when the broker or the provider refuses or cannot be reached; 15 when the spool
/// cannot be written.
pub fn run(
    args: &WorkerArgs,
    combined: &Combined,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    args.batch.check()?;
    let settings = Settings::resolve(combined)?;
    let jobs = args.jobs.jobs.unwrap_or(settings.scribe.concurrency).get().min(crate::args::JobsArgs::MOST);
    let variables = |name: &str| around.variable(name);
    // Errors in the worker's own settings are reported now, not with the first coordinator's.
    settings.scribe.header_values(&variables)?;
    let own = OwnWay::of(combined, &variables);
    let name = args.name.clone().unwrap_or_else(|| format!("worker-{}", &random_id()[..8]));
    let bound = args.metrics.metrics.map(|address| metrics::bind("--metrics", address)).transpose()?;
    if let Some(bound) = &bound {
        printer.note(&format!("figures are served at http://{}/metrics", bound.address));
    }
    let threads = &mut Builder::new_multi_thread();
    let runtime = runtime::start(threads.max_blocking_threads(jobs + SPARE_THREADS), "the worker cannot be started")?;
    // The limit of concurrent calls, for tickets and targets together.
    let calls = Arc::new(Semaphore::new(jobs));
    let targets = ServedTarget::all(&args.serve, &settings, (jobs, &calls), around, printer)?;
    let spool = spool(&settings.broker.spool)?;
    let (_, link) = runtime.block_on(connect(&settings.broker, BrokerRole::Worker, Some(&name), around))?;
    let desk = Arc::new(ModelExecutor::new(own, (jobs, calls), around, printer));
    let options = WorkerOptions { name: name.clone(), release: env!("CARGO_PKG_VERSION").to_owned(), jobs };
    let worker = Worker::new(&link, options, Arc::clone(&desk) as _, spool);
    let mut served = runtime.block_on(TargetServer::begin(targets, &link, (&name, &worker), printer))?;
    // Listening starts before anybody is told that Ctrl-C ends the worker in good order.
    let signals = Signals::begin(&runtime, printer)?;
    printer.note(&format!(
        "worker `{name}` takes {} at a time from {}; Ctrl-C ends it",
        counted(jobs, "source"),
        link.broker().address()
    ));
    let models = served.models();
    let read_metrics = {
        let (worker, link, desk, models) = (worker.clone(), link.clone(), Arc::clone(&desk), models.clone());
        move || snapshot(&worker, &link, target_server::with(desk.meter(), &models), jobs)
    };
    let stop = || {
        worker.stop();
        target_server::interrupt(&models);
    };
    let came = runtime.block_on(async {
        let serving = bound.map(|bound| bound.serve(metrics::MetricsRole::Worker, Arc::new(read_metrics)));
        let serving = serving.transpose()?;
        // Both have the same time to finish.
        let served = async {
            worker.wait_for_end().await;
            served.end().await;
        };
        let work = async { futures::future::join(worker.run(), served).await.0 };
        let came = listen_with(signals, work, Some(&stop), printer).await;
        if let Some(serving) = serving {
            serving.end().await;
        }
        link.broker().close().await;
        Ok::<_, Failure>(came)
    })?;
    let figures = worker.stats();
    print_end(&name, &figures, &settings.broker.spool, printer);
    // Work on a runtime that shuts down panics, and unfinished calls would delay the exit; both end with the process.
    std::mem::forget(runtime);
    exit_status(came, served.stopped(), &figures)
}

/// Tells what the worker has done, and what it leaves behind.
fn print_end(name: &str, figures: &WorkerStats, spool: &Path, printer: &Printer) {
    printer.note(&format!("worker `{name}` has written of {}", counted(figures.done, "source")));
    if figures.spooled > 0 {
        printer.note(&format!(
            "what came of {} that no coordinator has yet waits in `{}`; the next worker with this spool hands it in",
            if figures.spooled == 1 { "a call".to_owned() } else { format!("{} calls", figures.spooled) },
            spool.display()
        ));
    }
}

/// Returns how the process ends. `stopped` is why the targets' models are asked no more.
fn exit_status(
    came: RunResult<WorkerEnd>,
    stopped: Option<&StopError>,
    figures: &WorkerStats,
) -> Result<ExitStatus, CommandError> {
    match (came, stopped) {
        (RunResult::Ended(WorkerEnd::Requested, _), Some(stopped)) => leaves(stopped),
        (RunResult::Ended(WorkerEnd::Requested, Some(signal)), None) if figures.calls_in_flight > 0 => {
            Err(cut_off(signal).into())
        }
        (RunResult::Ended(WorkerEnd::Requested, signal), None) => Ok(signal.unwrap_or(ExitStatus::Ok)),
        (RunResult::Ended(WorkerEnd::Stopped(stopped), _), _) => leaves(&stopped),
        (RunResult::Ended(WorkerEnd::Queue(error), _), _) => Err(cannot_queue(&error).into()),
        (RunResult::CutOff(status), _) => Err(cut_off(status).into()),
    }
}

/// The failure of a worker whose calls did not finish in time.
fn cut_off(status: ExitStatus) -> Failure {
    Failure::new(status, "the worker was cut off")
        .with_hint("what it had in work goes to others; calls in flight may be made, and paid for, again")
}

/// Ends a worker whose provider accepts no further calls.
fn leaves(stopped: &StopError) -> Result<ExitStatus, CommandError> {
    let (status, advice) = stop_status(stopped.reason);
    Err(Failure::new(status, format!("the worker leaves: {}", stopped.message))
        .with_hint(format!("{advice}, then start it again; what it had in work goes to others"))
        .into())
}

/// Threads besides those of the jobs: for the spool.
const SPARE_THREADS: usize = 4;

fn spool(folder: &Path) -> Result<Spool, Failure> {
    Spool::open(folder).map_err(|error| {
        Failure::new(ExitStatus::Storage, error.to_string())
            .with_hint("name a folder that can be written with --spool DIR")
    })
}

fn snapshot(worker: &Worker, link: &Link, calls: CallProgress, jobs: usize) -> MetricsSnapshot {
    MetricsSnapshot { tickets: None, slots: Some((worker.stats(), jobs)), calls, link: LinkProgress::of(link) }
}
