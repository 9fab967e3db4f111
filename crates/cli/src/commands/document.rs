//! `war-rig document`: a document for every source.

use crate::args::{DocumentArgs, Tape};
use crate::commands::plan;
use crate::connection::{self, Asked};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::index;
use crate::learned;
use crate::model::Model;
use crate::output::OutputFolder;
use crate::printer::Printer;
use crate::progress::{ReadMeter, Shown};
use crate::settings::{Provider, ScribeSettings, Settings};
use crate::sources::Inventory;
use serde::Serialize;
use std::sync::Arc;
use war_rig_llm::{StopReason, Stopped};
use war_rig_pool::{
    EstateGraph, Planner, RunOptions, RunReport, TicketReport, TicketState, Workers, run as run_pool, survey,
};
use war_rig_scribe::{ModelScribe, Scribe, StaticScribe};

/// Documents what the arguments name.
///
/// # Errors
/// Failures of usage and of storage; what fails for one file is reported and does not end the run.
pub fn run(args: &DocumentArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Stop> {
    let scribe = &settings.scribe;
    let only = args.pick.globs()?;
    let tape = args.tape.of(scribe.provider)?;
    let jobs = args.jobs(scribe, tape);
    // A run with a record comes out alike wherever it is repeated, so what this place has learned is left out of it.
    let remembers = scribe.provider != Provider::Static && tape == Tape::None;
    let known = if remembers { learned::read(&args.state_dir, scribe)? } else { None };
    let model = Model::of(scribe, tape.asks(scribe.provider), known, printer)?;
    let planner = Arc::new(model.planner(scribe)?);
    let sources = Arc::new(Inventory::scan(&args.paths, &settings.source, only.as_ref(), printer)?);
    let Some(output) = args.output.as_ref().filter(|_| !args.dry_run) else {
        let text = crate::args::OutputFormat::Text;
        return plan::show(&sources, &planner, &model, settings, jobs, text, printer);
    };
    let client = connection::client(scribe, tape)?;
    let output = Arc::new(OutputFolder::open(output, Arc::clone(&sources))?);
    let options = RunOptions {
        // More workers than files are only threads.
        jobs: jobs.min(sources.all().len()),
        concurrency: scribe.concurrency.get(),
        source: settings.source.source_options(),
        fail_fast: args.fail_fast,
    };
    let job = Job { args, sources: &sources, planner: &planner, output: &output, options, printer };
    if scribe.provider == Provider::Static {
        let done = job.run(Arc::new(StaticScribe), None)?;
        return job.end(&done, &Model::stand_in(), None);
    }
    let asked = Arc::new(connection::connect(scribe, &model, client, tape)?);
    let writer = ModelScribe::new(Arc::clone(&asked), scribe.model.clone());
    let writer = if scribe.reconcile { writer.reconciling(planner.budget().max_prompt()) } else { writer };
    let meter: ReadMeter = {
        let asked = Arc::clone(&asked);
        Arc::new(move || asked.meter())
    };
    let done = job.run(Arc::new(writer), Some(meter))?;
    if let Some(new) = asked.learned().filter(|_| remembers) {
        learned::write(&args.state_dir, scribe, new)?;
    }
    job.end(&done, &model, Some((scribe, &asked)))
}

fn status(totals: &RunReport, strict: bool, storage_failed: bool) -> ExitStatus {
    if storage_failed {
        ExitStatus::Storage
    } else if totals.failed + totals.partial > 0 || (strict && totals.skipped > 0) {
        ExitStatus::TicketsFailed
    } else {
        ExitStatus::Ok
    }
}

/// What went wrong, file by file, and the run in one line.
fn say(reports: &[TicketReport], totals: &RunReport, printer: Printer) {
    for report in reports {
        let ticket = &report.ticket;
        match ticket.state() {
            TicketState::Failed | TicketState::Partial => {
                printer.warn(&format!("{}: {}: {}", ticket.file(), ticket.state(), ticket.reason()))
            }
            TicketState::Skipped => printer.warn(&format!("{}: skipped: {}", ticket.file(), ticket.reason())),
            TicketState::Pending => printer
                .warn(&format!("{}: not begun, because the run stops at the first failure", ticket.file())),
            TicketState::Planned | TicketState::Writing | TicketState::Merged | TicketState::Done => {}
        }
    }
    let mut line = format!(
        "{} of {} files documented in {} {}, largest prompt {} of {} tokens; citations: {} verified, {} relocated, {} unsupported",
        totals.documented,
        totals.files,
        totals.calls,
        if totals.calls == 1 { "call" } else { "calls" },
        totals.largest_prompt_tokens,
        totals.max_prompt_tokens,
        totals.citations.verified,
        totals.citations.relocated,
        totals.citations.unsupported
    );
    for (count, what) in [(totals.partial, "partial"), (totals.failed, "failed"), (totals.skipped, "skipped")]
    {
        if count > 0 {
            line.push_str(&format!("; {count} {what}"));
        }
    }
    printer.note(&line);
}
