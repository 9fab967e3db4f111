//! `war-rig document`: writes a document for every source.

mod after_run;
mod estate_words;
mod outcome;

use crate::args::{CassetteMode, DocumentArgs};
use crate::batches::{self, BatchDesk, QUESTIONS_WAIT};
use crate::changed_sources::find_changes;
use crate::commands::plan;
use crate::configured_model::{self, ConfiguredModel};
use crate::context::RunContext;
use crate::distribution::{self, Distribution, DistributionOptions};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::metrics;
use crate::model_connection::{self, ConnectedModel, INTERRUPTED_REASON};
use crate::output::{OutputFolder, Ownership, SourceBrowser, documented_roots};
use crate::printer::{Printer, RepeatedWarning};
use crate::progress::{ReadMeter, RunProgressDisplay};
use crate::run_state::{self, RunState};
use crate::runtime;
use crate::settings::{EditedPagePolicy, Provider, Settings, SourcePaths, Travelling};
use crate::signals::{RunResult, Signals, listen_with};
use crate::sources::Inventory;
use crate::store_failures::{list_names, store_failure};
use crate::window_estimates;
use estate_words::WrittenWords;
use outcome::{RunCompletion, failure, say, say_where_to_begin, status, warn_of_case};
use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use war_rig_catalogue::CatalogueUpdater;
use war_rig_estate::ChangedFiles;
use war_rig_llm::{OpenAi, StopError, StopReason, WindowEstimate};
use war_rig_pool::{
    BuildPlanOptions, Planner, PoolContext, RemoteQueue, RunOptions, RunOutcome, RunReport, SourceId, StopRequest,
    Store, run as run_pool,
};
use war_rig_scribe::{ModelScribe, Overview, Scribe, StaticScribe};
use war_rig_text::{ContentHash, LineNumber};
use war_rig_transport::Coordinator;

/// The file in the state folder that has all warnings of a kind where a run printed only the first.
const WARNINGS: &str = "warnings.txt";

/// Documents the sources that the arguments name.
///
/// # Errors
/// Usage, store and storage failures; a failure of one file is reported and does not end the run.
pub fn run(
    args: &DocumentArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let open = || {
        let output = settings.document_folder(args.output.as_deref(), "--output")?;
        let name = run_state::relative_to_state(&args.state_dir, &output);
        BatchDesk::open(&args.state_dir, &name, &settings.scribe, around, true)
    };
    let run = || run_once(args, settings, around, printer);
    batches::run_in_rounds(&args.batch, settings.scribe.batch_poll, open, run, printer)
}

/// Returns the paths as parts of the sources that the documents of a folder were made from, where they lie below these.
fn paths_within_documents(paths: SourcePaths, output: Option<&Path>) -> SourcePaths {
    let whole = output.map(documented_roots).unwrap_or_default();
    let are_there = !whole.is_empty() && whole.iter().all(|root| root.exists());
    if are_there { paths.within(&whole) } else { paths }
}

/// Documents the sources, as far as their questions are answered.
fn run_once(
    args: &DocumentArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let scribe = &settings.scribe;
    let only = args.pick.globs()?;
    let tape = args.tape.mode(scribe.provider)?;
    let is_distributed = args.is_distributed(&settings.broker)?;
    let hands_in = args.batch.hands_in(scribe.provider, is_distributed, &args.tape)?;
    let metrics = match args.metrics.metrics.filter(|_| is_distributed) {
        Some(address) => Some(metrics::bind("--metrics", address)?),
        None => None,
    };
    let jobs = args.jobs(scribe, tape);
    // A run with a record must be reproducible everywhere, so it ignores what earlier runs have learned.
    let remembers = scribe.provider != Provider::Static && tape == CassetteMode::None;
    let known = if remembers { window_estimates::read(&args.state_dir, scribe)? } else { None };
    let model = ConfiguredModel::new(scribe, tape.calls_model(scribe.provider), known, printer)?;
    let paths = settings.source_paths(&args.paths)?;
    let named = || settings.document_folder(args.output.as_deref(), "--output");
    let output = (!args.dry_run).then(named).transpose()?;
    let paths = paths_within_documents(paths, output.as_deref());
    let sources = Arc::new(Inventory::scan_part(&paths, settings, only.as_ref(), printer)?);
    let planner = model.planner(scribe, printer)?;
    let changes = find_changes(&args.pick, &sources, &settings.source, printer)?;
    let Some(output) = &output else {
        let text = crate::args::OutputFormat::Text;
        let picked = plan::affected_sources(&sources, changes.as_ref(), settings, jobs);
        return plan::print_plan((&sources, &picked), &planner, (&model, hands_in), settings, jobs, text, printer);
    };
    // Workers call the model with their own keys.
    let client = if is_distributed { None } else { model_connection::client(scribe, tape, around)? };
    let record = model_connection::open_cassette(scribe, tape)?;
    let writer = if scribe.provider == Provider::Static { "static" } else { scribe.model.as_str() };
    let state = RunState::open(&args.state_dir, output, writer)?;
    let desk = match scribe.provider == Provider::OpenAi && tape == CassetteMode::None {
        true => {
            let name = run_state::relative_to_state(&args.state_dir, output);
            BatchDesk::open(&args.state_dir, &name, scribe, around, hands_in)?.map(Arc::new)
        }
        false => None,
    };
    if is_distributed && desk.as_ref().is_some_and(|desk| desk.has_batches()) {
        return Err(Failure::usage("questions of these documents wait in a batch, and workers would ask them again")
            .with_hint(
                "take their answers with --batch first, or cancel them with --batch --cancel; both without a broker",
            )
            .into());
    }
    if let Some(bound) = &metrics {
        printer.note(&format!("figures are served at http://{}/metrics", bound.address));
    }
    let estate = is_distributed.then(|| run_state::estate_id(&args.state_dir)).transpose()?;
    let handed = Cell::new(estate.map(|estate| DistributionOptions { estate, settings: String::new(), metrics }));
    let job = DocumentJob {
        args,
        settings,
        sources: &sources,
        changes,
        jobs,
        tape,
        state: &state,
        desk,
        handed,
        overview_client: RefCell::default(),
        learned: Cell::new(None),
        around,
        printer,
    };
    let mut totals = RunReport::default();
    let ended = job.begin(output, (client, record), (known, model, planner), remembers, &mut totals);
    // The store itself has the rows of its files.
    totals.tickets.clear();
    let totals = serde_json::to_string(&totals).expect("numbers have a JSON");
    state.end(&ended, &totals, printer);
    ended
}

/// The runtime of a run, created before the output folder is touched.
struct RunRuntime {
    runtime: Runtime,
    signals: Option<Signals>,
}

/// A prepared run.
struct DocumentJob<'a> {
    args: &'a DocumentArgs,
    settings: &'a Settings,
    sources: &'a Arc<Inventory>,
    /// The changes, when only their effects are requested.
    changes: Option<ChangedFiles>,
    /// The number of files processed at a time.
    jobs: usize,
    tape: CassetteMode<'a>,
    state: &'a RunState,
    /// Where questions wait that are answered in batches.
    desk: Option<Arc<BatchDesk>>,
    /// What is dispatched to workers; `None` when this process writes all documents.
    handed: Cell<Option<DistributionOptions>>,
    /// The model that writes overviews, if that is another one.
    overview_client: RefCell<Option<Arc<ConnectedModel>>>,
    /// What workers have learned of the model's window.
    learned: Cell<Option<WindowEstimate>>,
    around: &'a RunContext,
    printer: &'a Printer,
}

impl DocumentJob<'_> {
    /// Connects to the model, if one is needed, and documents every file.
    fn begin(
        &self,
        output: &Path,
        (client, record): (Option<OpenAi>, Option<war_rig_llm::Cassette>),
        (known, model, planner): (Option<WindowEstimate>, ConfiguredModel, Planner),
        remembers: bool,
        totals: &mut RunReport,
    ) -> Result<ExitStatus, CommandError> {
        let scribe = &self.settings.scribe;
        // An interrupted run continues as it began; otherwise chunks that are already paid for would be cut differently.
        let broken_off = self.state.saved_estimate(scribe).filter(|_| remembers);
        // Estimates that the user removed from the state folder must not come back.
        let broken_off = broken_off.filter(|begun| *begun != known && (known.is_some() || begun.is_none()));
        let (known, model, planner) = match broken_off {
            Some(begun) => {
                let model = ConfiguredModel::new(scribe, self.tape.calls_model(scribe.provider), begun, self.printer)?;
                let planner = model.planner(scribe, self.printer)?;
                (begun, model, planner)
            }
            None => (known, model, planner),
        };
        if remembers {
            self.state.save_estimate(scribe, known)?;
        }
        let ownership = {
            let tickets = self.state.store.tickets().map_err(store_failure)?;
            Ownership::from_tickets(&tickets, self.args.overwrite_foreign)
        };
        let edited = self.settings.output.edited;
        let web = SourceBrowser::from_settings(&self.settings.source, self.sources, self.printer);
        // More workers than files would only be idle threads.
        let jobs = self.jobs.min(self.sources.picked.len());
        let threads = &mut Builder::new_multi_thread();
        let runtime = runtime::start(threads.max_blocking_threads(jobs + 2), "the workers cannot be started")?;
        let begun = RunRuntime { signals: Signals::begin(&runtime, self.printer)?, runtime };
        let folder = OutputFolder::open(output, Arc::clone(self.sources), web, ownership, edited)?;
        let docs = run_state::relative_to_state(&self.args.state_dir, output);
        let files: Vec<String> = self.sources.all_sources().into_iter().map(|id| id.0).collect();
        warn_of_case(&files, self.printer);
        let output = Arc::new(match self.args.no_index {
            true => folder,
            false => folder.with_updater(CatalogueUpdater::begin(&self.args.state_dir, docs, files)),
        });
        let planner = Arc::new(planner);
        let handed = self.handed.take().map(|handed| {
            let models = configured_model::read_models_file(scribe)?;
            let travelling = Travelling::of(self.settings, models, model.ratio, model.window);
            Ok::<_, Failure>(DistributionOptions { settings: travelling.to_text(), ..handed })
        });
        self.handed.set(handed.transpose()?);
        if scribe.provider == Provider::Static {
            return self.run(begun, &planner, &output, Arc::new(StaticScribe), None, totals);
        }
        let journal = self.state.call_log(self.tape);
        let calls_model = client.is_some();
        let asked = model_connection::connect(scribe, &model, (client, record), journal, self.state.carried);
        let asked = Arc::new(match &self.desk {
            Some(desk) => desk.attach(asked),
            None => asked,
        });
        let writer = ModelScribe::new(Arc::clone(&asked), scribe.model.clone());
        let settings = (scribe, &model, planner.as_ref());
        let (writer, overview_client) =
            model_connection::with_overviews(writer, &asked, settings, calls_model, self.around)?;
        self.overview_client.replace(overview_client);
        let status = match self.take_back(&begun.runtime, &asked)? {
            Some(status) => return Ok(status),
            None => self.run(begun, &planner, &output, Arc::new(writer), Some(&asked), totals),
        };
        // What was learned is saved even when the run was stopped.
        if let Some(new) = asked.window_estimate().or(self.learned.take()).filter(|_| remembers) {
            // The run's result does not change.
            if let Err(failure) = window_estimates::write(&self.args.state_dir, scribe, new) {
                self.printer.warn(&failure.line());
            }
        }
        status
    }

    /// Takes back what has come from batches; returns the status of a run that is over with that.
    fn take_back(&self, runtime: &Runtime, asked: &Arc<ConnectedModel>) -> Result<Option<ExitStatus>, Failure> {
        let Some(desk) = &self.desk else { return Ok(None) };
        let other = self.overview_client.borrow();
        let models: Vec<&ConnectedModel> =
            [Some(asked), other.as_ref()].into_iter().flatten().map(Arc::as_ref).collect();
        desk.begin(runtime, &self.args.batch, &models, self.settings.scribe.batch_poll, self.printer)
    }

    /// Documents every file, and reports the result. `asked` is the model that the Scribe calls.
    fn run<S: Scribe + 'static>(
        &self,
        begun: RunRuntime,
        planner: &Arc<Planner>,
        output: &Arc<OutputFolder>,
        scribe: Arc<S>,
        asked: Option<&Arc<ConnectedModel>>,
        totals: &mut RunReport,
    ) -> Result<ExitStatus, CommandError> {
        let RunRuntime { runtime, signals } = begun;
        let sources = Arc::clone(self.sources);
        let size = move |file: &str| sources.size(&SourceId(file.to_owned()));
        let stop = Arc::new(StopRequest::default());
        let distribution = self.start_distribution(&runtime, asked, &stop)?;
        let is_distributed = distribution.is_some();
        let coordinator = distribution.as_ref().map(|distribution| distribution.coordinator().clone());
        let meter = call_meter(asked, coordinator.as_ref());
        let progress = RunProgressDisplay::new(self.args.progress, Box::new(size), meter, self.printer);
        let words_by = self.words_by();
        let queue = distribution.as_ref().map(Distribution::queue);
        let workers = self.workers((planner, &scribe, output), &stop, queue, words_by.as_deref())?;
        let answers_since = workers.options.build_plan.force_since.unwrap_or_default();
        let all = self.sources.all_sources();
        let stop = || {
            stop.request();
            interrupt_calls(asked, coordinator.as_ref());
        };
        let came = runtime.block_on(async {
            let run = run_pool(&self.sources.picked, &all, workers, &progress);
            listen_with(signals, run, Some(&stop), self.printer).await
        });
        progress.end();
        let told = distribution.map(|distribution| self.end_distribution(&runtime, distribution, &came));
        let told = told.unwrap_or_default();
        let (ended, signal) = match came {
            RunResult::Ended(Ok(ended), signal) => (ended, signal),
            RunResult::Ended(Err(error), _) => {
                let failure = store_failure(error);
                progress.ended(failure.status(), totals);
                return Err(failure.into());
            }
            RunResult::CutOff(status) => {
                output.updater().into_iter().for_each(CatalogueUpdater::abandon);
                // Work on a runtime that shuts down panics and reports it; here it ends with the process instead.
                std::mem::forget(runtime);
                progress.ended(status, totals);
                return Err(self.cut_off(status).into());
            }
        };
        *totals = RunReport::of(&ended.reports, planner.budget().max_prompt());
        let notes = || self.notes_of_models(asked, &told);
        let write_words = |overview: &Overview<'_>| {
            let Some(by) = &words_by else { return Ok(WrittenWords::default()) };
            let before = output.estate_words(by);
            // Of a run that was stopped, or waits for answers, more documents come.
            let is_whole = scribe.stopped().is_none() && !self.waits_for_answers();
            let written = match signal {
                None => self.write_words(&runtime, (&*scribe, asked), overview, (answers_since, is_whole), &before)?,
                Some(_) => WrittenWords::as_before(&before),
            };
            Ok(written.by(by))
        };
        let own = self.write_own(output, &ended, totals, (scribe.produced_by(), &notes), write_words)?;
        let signal = signal.or(own.signal);
        self.settle(&ended, output)?;
        let signal = self.index(&runtime, output, signal)?;
        self.print_notes(&ended, output, &notes());
        let waits = self.hand_in(&runtime, signal)?;
        let failed = match (signal, scribe.stopped()) {
            (Some(status), _) => Some(self.interrupted(status, totals)),
            (None, Some(stopped)) => Some(failure(stopped, is_distributed, totals, self.advice())),
            (None, None) => output.storage_failed().then(|| self.unwritten(totals)),
        };
        if failed.is_none() && totals.documented > 0 {
            say_where_to_begin(output.path_from(&self.settings.source.here), &own.first_pages, self.printer);
        }
        let (status, failed) = self.conclude(&ended, totals, failed, waits);
        progress.ended(status, totals);
        failed.map_or(Ok(status), |failure| Err(failure.into()))
    }

    /// Returns what the workers of the pool share.
    fn workers<S>(
        &self,
        (planner, scribe, output): (&Arc<Planner>, &Arc<S>, &Arc<OutputFolder>),
        stop: &Arc<StopRequest>,
        queue: Option<Arc<dyn RemoteQueue>>,
        words_by: Option<&str>,
    ) -> Result<PoolContext<S, Inventory, OutputFolder>, CommandError> {
        let jobs = self.jobs.min(self.sources.picked.len());
        let readers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(self.jobs);
        Ok(PoolContext {
            planner: Arc::clone(planner),
            scribe: Arc::clone(scribe),
            sources: Arc::clone(self.sources),
            sink: Arc::clone(output),
            store: Arc::clone(&self.state.store) as _,
            stop: Arc::clone(stop),
            queue,
            options: self.options(output, jobs, readers, words_by)?,
        })
    }

    fn waits_for_answers(&self) -> bool {
        self.desk.as_ref().is_some_and(|desk| desk.has_waited())
    }

    /// Hands in what waits for a batch, and returns whether something does.
    fn hand_in(&self, runtime: &Runtime, signal: Option<ExitStatus>) -> Result<bool, Failure> {
        match (&self.desk, signal) {
            // What was asked before a signal is not handed in: it is asked again, and nothing of it was sent.
            (_, Some(_)) | (None, _) => Ok(false),
            (Some(desk), None) => desk.end(runtime, self.printer),
        }
    }

    /// Returns the notes of the models that were called, each once, and those of workers.
    fn notes_of_models(&self, asked: Option<&Arc<ConnectedModel>>, told: &[String]) -> Vec<String> {
        let mut notes = asked.map(|asked| asked.notes()).unwrap_or_default();
        let other = self.overview_client.borrow();
        let of_other = other.as_ref().map(|overview_client| overview_client.notes()).unwrap_or_default();
        notes.extend(of_other.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        notes.extend(told.iter().cloned());
        notes
    }

    /// Says how the run has ended, and returns its status, and its failure if that is one.
    fn conclude(
        &self,
        ended: &RunOutcome,
        totals: &RunReport,
        failed: Option<Failure>,
        waits: bool,
    ) -> (ExitStatus, Option<Failure>) {
        let is_static = self.settings.scribe.provider == Provider::Static;
        // A run that ends at the cap is over, and the next one begins with all of it. One that waits goes on: what it spent counts.
        let failed = failed.filter(|failure| {
            let goes_on = waits && failure.status() == ExitStatus::SpendCap;
            if goes_on {
                self.printer.warn(&failure.line());
            }
            !goes_on
        });
        let end = match (&failed, waits) {
            (Some(_), _) => RunCompletion::Stopped,
            (None, true) => RunCompletion::Waiting,
            (None, false) => RunCompletion::Whole,
        };
        say(ended, totals, (end, is_static), self.printer);
        if waits && failed.is_none() {
            self.printer.note(QUESTIONS_WAIT);
        }
        let status = match &failed {
            Some(failure) => failure.status(),
            None if waits => ExitStatus::Waiting,
            None if !self.sources.unlisted.is_empty() => ExitStatus::TicketsFailed,
            None => status(totals, ended, self.args.strict),
        };
        (status, failed)
    }

    /// Begins to hand tickets to other machines, where the run is to do that.
    fn start_distribution(
        &self,
        runtime: &Runtime,
        asked: Option<&Arc<ConnectedModel>>,
        stop: &Arc<StopRequest>,
    ) -> Result<Option<Distribution>, CommandError> {
        let Some(handed) = self.handed.take() else { return Ok(None) };
        if asked.is_none() {
            self.printer.note("the static Scribe asks nobody, so that nothing is handed to workers");
        }
        let asked = asked.cloned();
        let on_stop = move |stopped: &StopError| {
            if let Some(asked) = &asked {
                asked.stop_with(stopped.clone());
            }
        };
        let settings = (&self.settings.broker, &self.settings.scribe);
        let distribution = Distribution::start(handed, settings, self.state, Arc::clone(stop), self.around, on_stop);
        Ok(Some(runtime.block_on(distribution)?))
    }

    /// Ends the work of other machines. Keeps what they have learned of the model, and returns what they tell of its server.
    fn end_distribution<T>(&self, runtime: &Runtime, distribution: Distribution, came: &RunResult<T>) -> Vec<String> {
        self.learned.set(distribution.window_estimate());
        let notes = distribution.coordinator().server_notes();
        // An immediate abort skips the goodbye to the broker; messages left there are recognized as stale.
        if matches!(came, RunResult::Ended(..)) {
            runtime.block_on(distribution.end());
        }
        notes
    }

    /// Prints what the user should know besides the totals.
    fn print_notes(&self, ended: &RunOutcome, output: &OutputFolder, notes: &[String]) {
        for note in notes {
            self.printer.warn(note);
        }
        self.warn_of_edited(&output.edited_pages());
        for report in &ended.reports {
            warn_of_secrets(report.ticket.file(), &report.secrets, self.settings, self.printer);
        }
        self.printer.end_repeated(Some(&self.args.state_dir.join(WARNINGS)));
        let unnamed = self.sources.unnamed_sources();
        if unnamed > 0 {
            let (files, look, have) = if unnamed == 1 { ("file", "looks", "has") } else { ("files", "look", "have") };
            self.printer.note(&format!(
                "{unnamed} {files} without a known ending {look} like COBOL, JCL or BMS and {have} no document; `war-rig init` lists them"
            ));
        }
    }

    fn options(
        &self,
        output: &OutputFolder,
        jobs: usize,
        readers: usize,
        words_by: Option<&str>,
    ) -> Result<RunOptions, Failure> {
        // A run that continues batches goes on from what they were asked for.
        let is_anew = self.args.force && !self.desk.as_ref().is_some_and(|desk| desk.is_continued());
        let anew = is_anew.then(|| self.state.store.last_answer_position().map_err(store_failure));
        Ok(RunOptions {
            jobs,
            readers,
            concurrency: self.settings.scribe.concurrency.get(),
            source: self.settings.source_options(),
            fail_fast: self.args.fail_fast,
            build_plan: BuildPlanOptions {
                settings_hash: self.settings.writing(&output.source_link_base()),
                base: run_state::relative_to_state(&self.args.state_dir, &self.sources.base),
                force_since: anew.transpose()?,
                // A recording or replaying run needs every answer to pass through.
                force: self.tape != CassetteMode::None,
                retries_failed: self.args.retry_failed,
            },
            pages: self.pages(output),
            pages_settings: ContentHash::of(format!("{:?} {words_by:?}", self.settings.output.functions).as_bytes()),
            changes: self.changes.clone(),
        })
    }

    /// Returns the hash of the content of the last run's pages; `None` when one of them has changed.
    fn pages(&self, output: &OutputFolder) -> Option<ContentHash> {
        let recorded = output.reported_pages();
        recorded.pages_of.filter(|_| output.has_pages_as_recorded(&recorded))
    }

    /// Reports which pages a person has edited, and how they were handled.
    fn warn_of_edited(&self, pages: &[String]) {
        if pages.is_empty() {
            return;
        }
        let names: Vec<&str> = pages.iter().map(String::as_str).collect();
        let what = match names.len() {
            1 => "a page was changed by hand and stays as it is".to_owned(),
            count => format!("{count} pages were changed by hand and stay as they are"),
        };
        let new = match self.settings.output.edited {
            EditedPagePolicy::Keep => "`output.edited = \"beside\"` writes new ones beside them",
            EditedPagePolicy::Beside | EditedPagePolicy::Stop => "new ones stand beside them, as NAME.md.new",
        };
        self.printer.warn(&format!("{what}: {}; {new}", list_names(&names)));
    }

    fn cut_off(&self, status: ExitStatus) -> Failure {
        Failure::new(status, "the run was cut off")
            .with_hint(format!("what was answered and written is safe; {}", self.advice()))
    }

    fn interrupted(&self, status: ExitStatus, totals: &RunReport) -> Failure {
        let RunReport { documented, files, .. } = totals;
        Failure::new(status, "the run was interrupted")
            .with_hint(format!("{documented} of {files} documents are whole and stay; {}", self.advice()))
    }

    fn unwritten(&self, totals: &RunReport) -> Failure {
        let RunReport { documented, files, .. } = totals;
        Failure::new(ExitStatus::Storage, "documents cannot be written").with_hint(format!(
            "make room, or have the folder written, then {}; {documented} of {files} documents are whole and stay",
            self.advice()
        ))
    }

    /// Explains how paid results are kept when a run was stopped.
    fn advice(&self) -> &'static str {
        self.tape.rerun_hint(self.args.force)
    }
}

/// Returns what reads the progress of the calls: those of the workers, where the run hands its tickets to them.
fn call_meter(asked: Option<&Arc<ConnectedModel>>, coordinator: Option<&Coordinator>) -> Option<ReadMeter> {
    let asked = Arc::clone(asked?);
    Some(match coordinator.cloned() {
        Some(coordinator) => Arc::new(move || distribution::call_progress(&coordinator)),
        None => Arc::new(move || asked.progress()),
    })
}

/// Makes no further calls, here and at the workers.
fn interrupt_calls(asked: Option<&Arc<ConnectedModel>>, coordinator: Option<&Coordinator>) {
    if let Some(asked) = asked {
        asked.interrupt(INTERRUPTED_REASON);
    }
    if let Some(coordinator) = coordinator {
        let message = INTERRUPTED_REASON.to_owned();
        coordinator.stop(StopError { reason: StopReason::Interrupted, message });
    }
}

/// Reports which lines of a file contain suspected secrets, and how they were handled.
pub fn warn_of_secrets(file: &str, lines: &[LineNumber], settings: &Settings, printer: &Printer) {
    if !lines.is_empty() {
        let warning = format!("{file}: {}", settings.secrets.policy.warning(lines));
        printer.warn_repeated(RepeatedWarning::Secret, warning);
    }
}
