//! `war-rig doctor`: what provider, store, catalogue, targets and broker can promise.
//!
//! Everything is looked at, whatever is wrong with the first of it, and nothing is changed. What a run would end over is an error here, with the code that
//! the run would end with; the code of the first error is the command's.

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
use crate::settings::Settings;
use finding::DoctorReport;
use std::time::Duration;
use tokio::runtime::Builder;

/// How long a provider and a broker have to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks at everything that a run needs, and says what is wrong with it.
///
/// # Errors
/// A usage failure when the file of models is wrong, and when standard output takes no more.
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
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal("nobody can be asked").with_source(error))?;
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
