//! What Ctrl-C and a request to terminate do: the first ends a run in good order, the second at once.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer::Printer;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The time that calls in flight have to come to their end.
const DRAIN: Duration = Duration::from_secs(30);

/// What a run came to while it was listened to.
pub enum RunResult<T> {
    /// To its end; after a signal, if there was one.
    Ended(T, Option<ExitStatus>),
    /// To none: it was to end at once, or calls in flight did not come to theirs in time.
    CutOff(ExitStatus),
}

/// Waits for the end of a run, and for signals meanwhile. The first calls `stop`, after which what is in work has [`DRAIN`] to come to its end; a second
/// ends at once, and so does the first where there is nothing to stop.
///
/// # Errors
/// An internal failure when the system does not let anybody listen.
pub async fn listen<T>(
    run: impl Future<Output = T>,
    stop: Option<&dyn Fn()>,
    printer: &Printer,
) -> Result<RunResult<T>, Failure> {
    // Signals are the business of the program around it, if there is one.
    let signals = printer.is_of_process().then(Signals::listen).transpose()?;
    Ok(listen_with(signals, run, stop, printer).await)
}

/// The same with signals that arrive since [`Signals::begin`].
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

/// Has the next signal end the program at once, for as long as the runtime lives: for what is done when a run has come to its end, such as printing a long answer.
pub fn exit_on_next_signal(runtime: &Runtime, printer: &Printer) {
    if !printer.is_of_process() {
        return;
    }
    let printer = printer.clone();
    // Listened to from here on, not from when the task first runs: a signal in between would reach nobody.
    let _inside = runtime.enter();
    let Ok(mut signals) = Signals::listen() else { return };
    runtime.spawn(async move {
        let status = signals.next().await;
        printer.error(&Failure::new(status, "the run was cut off"));
        std::process::exit(status.code().into());
    });
}

impl Signals {
    /// Begins to listen before a run begins, so that what is prepared for it is not left half done; none where the process is another program's.
    ///
    /// # Errors
    /// An internal failure when the system does not let anybody listen.
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
    /// Begins to listen; called inside a runtime.
    ///
    /// # Errors
    /// An internal failure when the system does not let it.
    fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let fail = |error| Failure::internal("signals cannot be listened to").with_source(error);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(fail)?,
            terminate: signal(SignalKind::terminate()).map_err(fail)?,
        })
    }

    /// The next signal, as the status that the program ends with.
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
    /// Begins to listen.
    ///
    /// # Errors
    /// Never.
    fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    /// The next signal, as the status that the program ends with.
    async fn next(&mut self) -> ExitStatus {
        match tokio::signal::ctrl_c().await {
            Ok(()) => ExitStatus::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
