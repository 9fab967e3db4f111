//! `war-rig document`: a document for every source.

use crate::args::{DocumentArgs, Progress as HowProgress};
use crate::commands::plan;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::index;
use crate::output::OutputFolder;
use crate::printer::Printer;
use crate::settings::{Provider, ScribeSettings, Settings};
use crate::sources::Inventory;
use serde_json::json;
use std::io::IsTerminal;
use std::sync::Arc;
use war_rig_estimator::{BudgetError, PromptBudget, TokenCount, TokenCounter};
use war_rig_pool::{
    EstateGraph, Planner, Progress, RunOptions, RunReport, TicketReport, TicketState, run as run_pool, survey,
};
use war_rig_scribe::{PromptFrame, StaticScribe};
use war_rig_text::LineNumber;

/// Documents what the arguments name.
///
/// # Errors
/// Failures of usage and of storage; what fails for one file is reported and does not end the run.
pub fn run(args: &DocumentArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Stop> {
    let only = args.pick.globs()?;
    let planner = Arc::new(planner(&settings.scribe)?);
    let sources = Arc::new(Inventory::scan(&args.paths, &settings.source, only.as_ref(), printer)?);
    let Some(output) = args.output.as_ref().filter(|_| !args.dry_run) else {
        let text = crate::args::OutputFormat::Text;
        return plan::show(&sources, &planner, settings, args.jobs.get(), text, printer);
    };
    let output = Arc::new(OutputFolder::open(output, Arc::clone(&sources))?);
    let options = RunOptions {
        // More workers than files are only threads.
        jobs: args.jobs.get().min(sources.all().len()),
        concurrency: settings.scribe.concurrency.get(),
        source: settings.source.source_options(),
        fail_fast: args.fail_fast,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(options.jobs + 1)
        .build()
        .map_err(|error| Failure::internal("the workers cannot be started").because(error))?;
    let scribe = match settings.scribe.provider {
        Provider::Static => Arc::new(StaticScribe),
    };
    let progress = Lines { how: args.progress, printer };
    let (graph, reports) = runtime.block_on(async {
        let graph = Arc::new(EstateGraph::of(&survey(&sources.all(), &sources, &options).await));
        let workers = war_rig_pool::Workers {
            graph: Arc::clone(&graph),
            planner: Arc::clone(&planner),
            scribe,
            sources: Arc::clone(&sources),
            sink: Arc::clone(&output),
            options,
        };
        let reports = run_pool(&sources.picked, workers, &progress).await;
        (graph, reports)
    });
    let totals = RunReport::of(&reports, planner.budget().max_prompt());
    let report = serde_json::to_string_pretty(&totals)
        .map_err(|error| Failure::internal("the report cannot be written").because(error))?;
    output.write_own("index.md", &index::page(&reports, &graph))?;
    output.write_own("run.json", &format!("{report}\n"))?;
    for report in &reports {
        warn_of_secrets(report.ticket.file(), &report.secrets, settings, printer);
    }
    say(&reports, &totals, printer);
    Ok(status(&totals, args.strict, output.storage_failed()))
}

/// The planner that the settings ask for.
///
/// # Errors
/// A usage failure when the budget cannot hold a prompt.
pub fn planner(settings: &ScribeSettings) -> Result<Planner, Failure> {
    let frame = PromptFrame::new(TokenCounter::new(settings.encoding));
    let tokens = |number: std::num::NonZeroU32| TokenCount::new(number.get().into());
    let budget = PromptBudget::new(
        tokens(settings.max_prompt_tokens),
        tokens(settings.max_completion_tokens),
        frame.fixed_parts(),
    );
    let budget = budget.map_err(|error| {
        let (key, minimum) = match error {
            BudgetError::Prompt { minimum, .. } => ("scribe.max_prompt_tokens", minimum),
            BudgetError::Answer { minimum, .. } => ("scribe.max_completion_tokens", minimum),
        };
        Failure::usage(format!("{key}: {error}")).with_hint(format!("set it to {minimum} or more"))
    })?;
    Ok(Planner::new(frame, budget))
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

/// Says which lines of a file hold what looks like a secret, and what was done about it.
pub fn warn_of_secrets(file: &str, lines: &[LineNumber], settings: &Settings, printer: Printer) {
    if !lines.is_empty() {
        printer.warn(&format!("{file}: {}", settings.source.secrets.warning(lines)));
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

/// Progress as lines on standard error.
struct Lines {
    how: HowProgress,
    printer: Printer,
}

impl Progress for Lines {
    fn finished(&self, report: &TicketReport) {
        let ticket = &report.ticket;
        match self.how {
            HowProgress::None => {}
            HowProgress::Auto if !std::io::stderr().is_terminal() => {}
            HowProgress::Auto | HowProgress::Plain => {
                self.printer.note(&format!(
                    "{}: {} ({} calls, {} prompt tokens)",
                    ticket.file(),
                    ticket.state(),
                    report.calls,
                    report.prompt_tokens
                ));
            }
            HowProgress::Json => self.printer.note(
                &json!({
                    "event": "finished",
                    "file": ticket.file(),
                    "state": ticket.state(),
                    "reason": ticket.reason(),
                    "calls": report.calls,
                    "prompt_tokens": report.prompt_tokens,
                })
                .to_string(),
            ),
        }
    }
}
