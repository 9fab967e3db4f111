//! `war-rig doctor`: checks provider, store, catalogue, targets and broker.
//!
//! Everything is checked, even after an error, and nothing is changed. A problem that would end a run is an error here, with the exit code of that
//! run; the code of the first error is the command's.

mod broker;
mod finding;
mod provider;
mod state_folder;
mod store;

use crate::args::{DoctorArgs, OutputFormat};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::runtime;
use crate::settings::Settings;
use finding::DoctorReport;
use std::time::Duration;
use tokio::runtime::Builder;

/// The time limit for an answer of a provider or a broker.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks everything that a run needs, and reports problems.
///
/// # Errors
/// A usage failure when the file of models is invalid, and when standard output cannot be written.
pub fn run(
    args: &DoctorArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let report = report(args, settings, around)?;
    match args.print.format {
        OutputFormat::Text => printer.data(&report.to_text())?,
        OutputFormat::Json => printer.json(&report.to_json())?,
    }
    Ok(report.status())
}

fn report(args: &DoctorArgs, settings: &Settings, around: &RunContext) -> Result<DoctorReport, Failure> {
    let variables = |name: &str| around.variable(name);
    let runtime = runtime::start(&mut Builder::new_current_thread(), "nobody can be asked")?;
    let registry = crate::configured_model::load_registry(&settings.scribe)?;
    let (provider, (of_broker, broker)) = runtime.block_on(async {
        tokio::join!(
            provider::check_provider(&settings.scribe, &registry, around),
            broker::check_broker(&settings.broker, &variables)
        )
    });
    let mut findings = store::check_state_folder(&args.state_dir);
    findings.extend(provider);
    findings.extend(provider::check_targets(&settings.targets, &registry));
    findings.extend(of_broker);
    Ok(DoctorReport { findings, broker })
}
