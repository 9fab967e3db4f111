//! `war-rig check`: documents held against their sources, without a model.

mod estate;
mod folder;

use crate::args::{CheckArgs, ReportFormat};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::Settings;
use crate::sources::Inventory;
use estate::Estate;
use folder::Documents;
use war_rig_check::{Finding, Level, Report};

/// Holds the documents of what the arguments name against their sources.
///
/// # Errors
/// Failures of usage and of storage. What cannot be read of one source is told, and ends the program with 3.
pub fn run(args: &CheckArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Stop> {
    let only = args.pick.globs()?;
    let documents = Documents::open(&args.docs)?;
    let sources = documents.sources(&args.paths, &settings.source, only.as_ref(), printer)?;
    let estate =
        Estate { sources: &sources, documents: &documents, settings, jobs: args.jobs.get(None), printer };
    let (mut report, unread) = estate.check()?;
    report.findings.extend(documents.orphans(&sources, &args.paths, only.as_ref()));
    report.fail_on = settings.check.fail_on.clone();
    report.findings.retain_mut(|finding| is_wanted(finding, settings));
    report.findings.sort_by(Finding::order);
    report.paths = documents.paths(&sources);
    show(&report, args, printer)?;
    Ok(match (report.failures(), unread) {
        (0, 0) => ExitStatus::Ok,
        (0, _) => ExitStatus::TicketsFailed,
        _ if args.exit_zero => ExitStatus::Ok,
        _ => ExitStatus::GateFailed,
    })
}

/// Gives a finding the level that is configured, and says whether it is told.
fn is_wanted(finding: &mut Finding, settings: &Settings) -> bool {
    finding.level = settings.check.levels.of(finding.rule);
    finding.level != Level::Off && !settings.check.exclude.matches(&finding.file)
}

fn show(report: &Report, args: &CheckArgs, printer: Printer) -> Result<(), Stop> {
    let _ = (args.format == ReportFormat::Text, &args.write);
    for finding in &report.findings {
        let lines = finding.lines.map(|lines| format!(":{lines}")).unwrap_or_default();
        let item = finding.item.as_deref().unwrap_or_default();
        let path = report.paths.of(finding);
        printer.data(&format!(
            "{path}{lines}: {} [{}] {item}: {}\n",
            finding.level, finding.rule, finding.message
        ))?;
    }
    printer.note(&format!("{:?} {:?}", report.counts(), report.checked));
    Ok(())
}
