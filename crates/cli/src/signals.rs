//! What Ctrl-C and a request to terminate do: the first ends a run in good order, the second at once.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use std::time::Duration;

/// The time that calls in flight have to come to their end.
pub const DRAIN: Duration = Duration::from_secs(30);

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
    pub fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let fail = |error| Failure::internal("signals cannot be listened to").because(error);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(fail)?,
            terminate: signal(SignalKind::terminate()).map_err(fail)?,
        })
    }

    /// The next signal, as the status that the program ends with.
    pub async fn next(&mut self) -> ExitStatus {
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
    pub fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    /// The next signal, as the status that the program ends with.
    pub async fn next(&mut self) -> ExitStatus {
        match tokio::signal::ctrl_c().await {
            Ok(()) => ExitStatus::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
