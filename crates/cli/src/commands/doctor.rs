//! `war-rig doctor`: what provider, store, catalogue and broker can promise.

use crate::args::DoctorArgs;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::Settings;

/// Looks at everything that a run needs, and says what is wrong with it.
///
/// # Errors
/// When standard output takes no more.
pub fn run(_args: &DoctorArgs, _settings: &Settings, _printer: Printer) -> Result<ExitStatus, Stop> {
    Err(Failure::internal("this version has no doctor yet").into())
}
