//! `war-rig doctor`: what provider, store, catalogue, targets and broker can promise.
//!
//! Everything is looked at, whatever is wrong with the first of it, and nothing is changed. What a run would end over is an error here, with the code that
//! the run would end with; the code of the first error is the command's.

mod broker;
mod finding;
mod provider;
mod room;
mod store;

use crate::args::{DoctorArgs, OutputFormat};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::Settings;
use finding::Report;
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
) -> Result<ExitStatus, Stop> {
    let report = report(args, settings, around)?;
    match args.print.format {
        OutputFormat::Text => printer.data(&report.to_text())?,
        OutputFormat::Json => printer.json(&report.to_json())?,
    }
    Ok(report.status())
}

fn report(args: &DoctorArgs, settings: &Settings, around: &RunContext) -> Result<Report, Failure> {
    let variables = |name: &str| around.variable(name);
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal("nobody can be asked").because(error))?;
    let registry = crate::model::registry(&settings.scribe)?;
    let (provider, (of_broker, broker)) = runtime.block_on(async {
        tokio::join!(
            provider::look(&settings.scribe, &registry, around),
            broker::look(&settings.broker, &variables)
        )
    });
    let mut findings = store::look(&args.state_dir);
    findings.extend(provider);
    findings.extend(provider::targets(&settings.targets, &registry));
    findings.extend(of_broker);
    Ok(Report { findings, broker })
}
