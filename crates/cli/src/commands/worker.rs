//! `war-rig worker`: takes sources from a broker and writes of them.

use crate::args::WorkerArgs;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::Settings;

/// Takes what a coordinator hands out until it is told to stop.
///
/// # Errors
/// A usage failure when no broker is named.
pub fn run(_args: &WorkerArgs, settings: &Settings, _printer: Printer) -> Result<ExitStatus, Stop> {
    if settings.broker.urls.is_empty() {
        return Err(Failure::usage("no broker is named, so there is nobody to take sources from")
            .with_hint("name it with --broker URL, such as nats://127.0.0.1:4222, or in `broker.url`")
            .into());
    }
    Err(Failure::internal("this version takes no sources from a broker yet").into())
}
