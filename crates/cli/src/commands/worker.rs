//! `war-rig worker`: takes sources from a broker and writes of them.

use crate::args::WorkerArgs;
use crate::broker;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::Settings;
use war_rig_transport::Role;

/// Takes what a coordinator hands out until it is told to stop.
///
/// # Errors
/// A usage failure when no broker is named.
pub fn run(args: &WorkerArgs, settings: &Settings, _printer: Printer) -> Result<ExitStatus, Stop> {
    let variables = |name: &str| std::env::var_os(name);
    broker::options(&settings.broker, Role::Worker, args.name.as_deref(), &variables)?;
    Err(Failure::internal("this version takes no sources from a broker yet").into())
}
