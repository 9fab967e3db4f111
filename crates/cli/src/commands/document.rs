//! `war-rig document`: a document for every source.

use crate::args::{DocumentArgs, Tape};
use crate::commands::plan;
use crate::connection::{self, Asked};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::learned;
use crate::model::Model;
use crate::output::OutputFolder;
use crate::overview::{self, Overview};
use crate::printer::Printer;
use crate::progress::{ReadMeter, Shown};
use crate::settings::{Provider, Settings};
use crate::sources::Inventory;
use serde::Serialize;
use std::sync::Arc;
use war_rig_estate::EstateGraph;
use war_rig_estimator::Money;
use war_rig_llm::{StopReason, Stopped};
use war_rig_pool::{
    Planner, RunOptions, RunReport, TicketReport, TicketState, Workers, run as run_pool, survey,
};
use war_rig_scribe::{ModelScribe, Scribe, StaticScribe};
use war_rig_text::LineNumber;

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
    let planner = Arc::new(model.planner(scribe, printer)?);
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
    let job = Job { args, settings, sources: &sources, planner: &planner, output: &output, options, printer };
    if scribe.provider == Provider::Static {
        return job.run(Arc::new(StaticScribe), None);
    }
    let asked = Arc::new(connection::connect(scribe, &model, client, tape)?);
    let writer = ModelScribe::new(Arc::clone(&asked), scribe.model.clone());
    let writer = if scribe.reconcile { writer.reconciling(planner.budget().max_prompt()) } else { writer };
    let status = job.run(Arc::new(writer), Some(&asked));
    // What was learned is worth keeping also where the run was stopped.
    if let Some(new) = asked.learned().filter(|_| remembers) {
        learned::write(&args.state_dir, scribe, new)?;
    }
    status
}

/// A run that is set up.
struct Job<'a> {
    args: &'a DocumentArgs,
    settings: &'a Settings,
    sources: &'a Arc<Inventory>,
    planner: &'a Arc<Planner>,
    output: &'a Arc<OutputFolder>,
    options: RunOptions,
    printer: Printer,
}

impl Job<'_> {
    /// Has every file documented, and says what came of it. `asked` is the model that the Scribe asks.
    fn run<S: Scribe + 'static>(
        &self,
        scribe: Arc<S>,
        asked: Option<&Arc<Asked>>,
    ) -> Result<ExitStatus, Stop> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(self.options.jobs + 1)
            .build()
            .map_err(|error| Failure::internal("the workers cannot be started").because(error))?;
        let meter = asked.map(|asked| {
            let asked = Arc::clone(asked);
            Arc::new(move || asked.meter()) as ReadMeter
        });
        let sources = self.sources;
        let progress = Shown::new(self.args.progress, sources.picked.len(), meter, self.printer);
        let (graph, reports) = runtime.block_on(async {
            let graph = Arc::new(EstateGraph::of(survey(&sources.all(), sources, &self.options).await));
            let workers = Workers {
                graph: Arc::clone(&graph),
                planner: Arc::clone(self.planner),
                scribe: Arc::clone(&scribe),
                sources: Arc::clone(sources),
                sink: Arc::clone(self.output),
                options: self.options.clone(),
            };
            let reports = run_pool(&sources.picked, workers, &progress).await;
            (graph, reports)
        });
        progress.end();
        let totals = RunReport::of(&reports, self.planner.budget().max_prompt());
        let notes = asked.map(|asked| asked.notes()).unwrap_or_default();
        let report = Report { totals: &totals, scribe: scribe.produced_by(), server: &notes };
        let report = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::internal("the report cannot be written").because(error))?;
        let overview = Overview::of(&reports, &graph);
        self.output.write_own("index.md", &overview.page())?;
        for (name, page) in [
            ("data.md", overview::data_page(&overview)),
            ("dictionary.md", overview::dictionary_page(&overview)),
        ] {
            if let Some(page) = page {
                self.output.write_own(name, &page)?;
            }
        }
        self.output.write_own("run.json", &format!("{report}\n"))?;
        for note in &notes {
            self.printer.warn(note);
        }
        for report in &reports {
            warn_of_secrets(report.ticket.file(), &report.secrets, self.settings, self.printer);
        }
        let stopped = scribe.stopped();
        say(&reports, &totals, stopped, self.printer);
        let stopped = stopped.map(|stopped| failure(stopped, &totals, self.advice()));
        let status = match &stopped {
            Some(failure) => failure.status(),
            None => status(&totals, self.args.strict, self.output.storage_failed()),
        };
        progress.ended(status, &totals);
        stopped.map_or(Ok(status), |failure| Err(failure.into()))
    }

    /// How what was paid for is kept over a run that was stopped.
    fn advice(&self) -> &'static str {
        match self.args.tape.record.is_some() || self.args.tape.replay.is_some() {
            true => "run again with --replay FILE --record-missing, which pays for nothing twice",
            false => "run again (with --record FILE, to keep every answer that is paid for)",
        }
    }
}

/// `run.json`.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    totals: &'a RunReport,
    /// Who wrote: `static`, or the model's name.
    scribe: &'a str,
    /// What the server does not take of a request, and what it does in silence.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    server: &'a [String],
}

/// Why no further call was made, and what to do about it.
fn failure(stopped: &Stopped, totals: &RunReport, again: &str) -> Failure {
    let (status, advice) = match stopped.reason {
        StopReason::Authentication => {
            (ExitStatus::Authentication, "check the key in the variable that scribe.api_key_env names")
        }
        StopReason::Quota => (ExitStatus::Authentication, "check quota and billing at the provider"),
        StopReason::UnknownModel => {
            (ExitStatus::Authentication, "check scribe.model and scribe.base_url, which mostly ends in /v1")
        }
        StopReason::SpendCap => (ExitStatus::SpendCap, "raise scribe.budget_usd or --budget-usd"),
        StopReason::Unavailable => {
            (ExitStatus::Unavailable, "check scribe.base_url, and wait until the provider answers")
        }
        StopReason::Configuration => (ExitStatus::Usage, "mend the settings"),
        StopReason::Record => (ExitStatus::Storage, "make room for the record"),
        StopReason::Damaged => (ExitStatus::StoreUnusable, "restore the state folder from a copy"),
        StopReason::Interrupted => (ExitStatus::Interrupted, "run again"),
    };
    Failure::new(status, format!("the run was stopped: {}", stopped.message)).with_hint(format!(
        "{advice}, then {again}; {} of {} documents are whole and stay",
        totals.documented, totals.files
    ))
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
fn say(reports: &[TicketReport], totals: &RunReport, stopped: Option<&Stopped>, printer: Printer) {
    let mut not_begun = 0;
    for report in reports {
        let ticket = &report.ticket;
        match ticket.state() {
            // The end of the run says why, once for all of them.
            TicketState::Failed if report.was_stopped => not_begun += 1,
            TicketState::Failed | TicketState::Partial => {
                printer.warn(&format!("{}: {}: {}", ticket.file(), ticket.state(), ticket.reason()))
            }
            TicketState::Skipped => printer.warn(&format!("{}: skipped: {}", ticket.file(), ticket.reason())),
            TicketState::Pending if stopped.is_some() => not_begun += 1,
            TicketState::Pending => printer
                .warn(&format!("{}: not begun, because the run stops at the first failure", ticket.file())),
            TicketState::Planned | TicketState::Writing | TicketState::Merged | TicketState::Done => {}
        }
    }
    if not_begun > 0 {
        printer.warn(&format!(
            "{} not documented",
            if not_begun == 1 { "1 file was".to_owned() } else { format!("{not_begun} files were") }
        ));
    }
    for report in reports.iter().filter(|report| report.rejected > 0 || !report.notes.is_empty()) {
        let file = report.ticket.file();
        report.notes.iter().for_each(|note| printer.warn(&format!("{file}: {note}")));
        if report.rejected > 0 {
            let items = if report.rejected == 1 { "item" } else { "items" };
            printer.warn(&format!(
                "{file}: {} {items} of the answers left out, because the source has no such thing where they cite it; listed as `rejected`",
                report.rejected
            ));
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
    if totals.cost_usd > Money::ZERO {
        line.push_str(&format!("; {} USD", totals.cost_usd));
    }
    for (count, what) in [(totals.partial, "partial"), (totals.failed, "failed"), (totals.skipped, "skipped")]
    {
        if count > 0 {
            line.push_str(&format!("; {count} {what}"));
        }
    }
    printer.note(&line);
}
