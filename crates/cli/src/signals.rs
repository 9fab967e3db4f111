//! Ctrl-C and termination requests: the first ends a run in an orderly way, the second at once.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer::Printer;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The time that calls in flight have to finish.
const DRAIN: Duration = Duration::from_secs(30);

/// The result of a run that listened for signals.
pub enum RunResult<T> {
    /// The run finished, possibly after a signal.
    Ended(T, Option<ExitStatus>),
    /// The run did not finish: it was aborted, or calls in flight did not finish in time.
    CutOff(ExitStatus),
}

/// Waits for a run and for signals. The first signal calls `stop`, after which the work has [`DRAIN`] to finish. A second signal aborts at once, and
/// so does the first when there is no `stop`.
///
/// # Errors
/// An internal failure when the system does not allow listening for signals.
pub async fn listen<T>(
    run: impl Future<Output = T>,
    stop: Option<&dyn Fn()>,
    printer: &Printer,
) -> Result<RunResult<T>, Failure> {
    // The host program, if there is one, handles signals.
    let signals = printer.is_of_process().then(Signals::listen).transpose()?;
    Ok(listen_with(signals, run, stop, printer).await)
}

/// Like [`listen`], with signals since [`Signals::begin`].
pub async fn listen_with<T>(
    signals: Option<Signals>,
    run: impl Future<Output = T>,
    stop: Option<&dyn Fn()>,
    printer: &Printer,
) -> RunResult<T> {
    let Some(mut signals) = signals else { return RunResult::Ended(run.await, None) };
    let mut signal: Option<ExitStatus> = None;
    let drained = tokio::time::sleep(DRAIN);
    tokio::pin!(run, drained);
    loop {
        tokio::select! {
            ended = &mut run => return RunResult::Ended(ended, signal),
            status = signals.next() => {
                let Some(stop) = stop.filter(|_| signal.is_none()) else { return RunResult::CutOff(status) };
                signal = Some(status);
                stop();
                drained.as_mut().reset(tokio::time::Instant::now() + DRAIN);
                let seconds = DRAIN.as_secs();
                printer.note(&format!(
                    "what is in work comes to its end, for at most {seconds} s; a second signal ends at once"
                ));
            }
            () = &mut drained, if signal.is_some() => {
                return RunResult::CutOff(signal.expect("it was looked at"));
            }
        }
    }
}

/// Makes the next signal end the process at once, for the runtime's lifetime. For work after the end of a run, such as printing a long answer.
pub fn exit_on_next_signal(runtime: &Runtime, printer: &Printer) {
    if !printer.is_of_process() {
        return;
    }
    let printer = printer.clone();
    // Listening starts here, not when the task first runs: a signal in between would be lost.
    let _inside = runtime.enter();
    let Ok(mut signals) = Signals::listen() else { return };
    runtime.spawn(async move {
        let status = signals.next().await;
        printer.error(&Failure::new(status, "the run was cut off"));
        std::process::exit(status.code().into());
    });
}

impl Signals {
    /// Starts listening before a run starts, so that its preparation is not left half done; `None` inside another program's process.
    ///
    /// # Errors
    /// An internal failure when the system does not allow listening for signals.
    pub fn begin(runtime: &Runtime, printer: &Printer) -> Result<Option<Self>, Failure> {
        let _inside = runtime.enter();
        printer.is_of_process().then(Self::listen).transpose()
    }
}

/// The signals that end a run.
#[cfg(unix)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Starts listening; must be called inside a runtime.
    ///
    /// # Errors
    /// An internal failure when the system does not allow it.
    fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let fail = |error| Failure::internal("signals cannot be listened to").with_source(error);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(fail)?,
            terminate: signal(SignalKind::terminate()).map_err(fail)?,
        })
    }

    /// Waits for the next signal and returns its exit status.
    async fn next(&mut self) -> ExitStatus {
        tokio::select! {
            Some(()) = self.interrupt.recv() => ExitStatus::Interrupted,
            Some(()) = self.terminate.recv() => ExitStatus::Terminated,
            else => std::future::pending().await,
        }
    }
}

/// The signals that end a run.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Starts listening.
    ///
    /// # Errors
    /// Never.
    fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    /// Waits for the next signal and returns its exit status.
    async fn next(&mut self) -> ExitStatus {
        match tokio::signal::ctrl_c().await {
            Ok(()) => ExitStatus::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
