//! `war-rig extract`: runs an agent on an input of any size.
//!
//! What a run has learned of a model's window is not stored here: a part that does not fit is divided and its answers are merged, so that a rerun
//! finds them by the same prompts, whatever has been learned meanwhile.

pub(super) mod agents;
pub(super) mod answer;
mod failures;
mod formatting;
mod plan_report;
mod progress;
mod question_ticket;
pub(super) mod report;
pub(super) mod resolve;
#[cfg(test)]
mod samples;

use crate::args::{CassetteMode, ExtractArgs, FailOn};
use crate::batches::{self, BatchDesk, QUESTIONS_WAIT};
use crate::configured_model::{ConfiguredModel, CostEstimate, to_model_tokens};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::merge_program::MergeProgram;
use crate::model_connection::{self, ConnectedModel, INTERRUPTED_REASON, stop_status};
use crate::printer::Printer;
use crate::progress::SAMPLE_INTERVAL;
use crate::run_state::{self, RunState};
use crate::runtime;
use crate::settings::{Provider, ScribeSettings, Settings};
use crate::signals::{RunResult, exit_on_next_signal, listen};
use plan_report::{NullExtractor, PlanReport};
use progress::ExtractProgress;
use question_ticket::QuestionTicket;
use report::{ExtractReport, ReportSubject};
use resolve::ExtractorChoice;
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use war_rig_estimator::TokenCounter;
use war_rig_llm::{BATCH_TIER, CallProgress, Money, OpenAi, OutputLimitParameter, StopError, StopReason, UsageTotals};
use war_rig_paginate::CustomMerge;
use war_rig_paginate::{
    Agent, AnswerSchema, ExtractionOutcome, ExtractionRun, Extractor, Input, JqProgram, MergeMethod, ModelExtractor,
    OutcomeStatus, PaginateError, PaginateOptions, Paginator, PatternExtractor,
};
use war_rig_store::durable;

/// The name of an input from standard input.
const STANDARD_INPUT: &str = "standard input";

/// Runs the agent on the input.
///
/// # Errors
/// Failures of usage, the input, the store and storage, and anything that prevents an answer.
pub fn run(
    args: &ExtractArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let (agent, file) = agents::find(&args.agent, around)?;
    let provider = settings.scribe.provider;
    let tape = args.tape.mode(provider)?;
    let hands_in = args.batch.hands_in(provider, false, &args.tape)?;
    let who = resolve::choose_extractor(provider, &agent, args.dry_run)?;
    if args.fail_on == Some(FailOn::Missed) && agent.audit.is_empty() {
        return Err(Failure::usage(format!(
            "`--fail-on missed`: the agent `{}` does not say what must not be missed",
            agent.name
        ))
        .with_hint("add a table [[audit]] with a name and a pattern to its file")
        .into());
    }
    if let Some(report) = &args.report {
        has_a_folder(report)?;
    }
    let (scribe, part) = resolve::scribe(&settings.scribe, args, &agent, who)?;
    let model = ConfiguredModel::new(
        &scribe,
        who == ExtractorChoice::Model && tape.calls_model(provider) && !args.dry_run,
        None,
        printer,
    )?;
    let (max_prompt, max_part) = resolve::token_limits(&scribe, part, model.ratio);
    let pagination = resolve::pagination(args, &agent)?;
    if hands_in {
        resolve::may_wait(args, &pagination)?;
    }
    let custom = match &pagination.merge {
        MergeMethod::Program(program) => Some(merge_program(program, args.merge_program.as_deref(), &file, around)?),
        MergeMethod::Strategy(_) => None,
    };
    let program_of = args.merge_program.as_ref().map_or(file, |program| program.display().to_string());
    let options = PaginateOptions {
        prompt: args.prompt.clone(),
        pagination,
        max_prompt,
        max_part,
        counter: TokenCounter::new(scribe.encoding),
        concurrency: resolve::concurrency(&scribe, args).get(),
        since: 0,
        custom,
    };
    let agent = Arc::new(agent);
    let scribe = &scribe;
    let job = ExtractJob { args, scribe, model: &model, tape, hands_in, agent, program_of, options, around, printer };
    match who {
        _ if args.dry_run => job.plan(who),
        ExtractorChoice::Patterns => job.by_patterns(),
        ExtractorChoice::Model => job.until_answered(),
    }
}

/// Rejects a report path whose folder does not exist before anything is paid for; otherwise a mistyped path would create a folder.
fn has_a_folder(report: &Path) -> Result<(), Failure> {
    let folder = durable::parent_folder(report);
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::usage(format!("--report `{}`: the folder `{}` does not exist", report.display(), folder.display()))
        .with_hint("make the folder, or name a file in one that is there"))
}

/// Reads the merge program before any call is made: from its own file, or from the text in the agent's file.
pub(super) fn merge_program(
    program: &str,
    own_file: Option<&Path>,
    agent: &str,
    around: &RunContext,
) -> Result<Arc<dyn CustomMerge>, Failure> {
    JqProgram::parse(program).map_err(|error| {
        let unread =
            |file: &dyn Display| Failure::usage(format!("{file}: the merge program cannot be read")).with_source(error);
        match own_file {
            Some(file) => unread(&file.display()),
            None => unread(&agent).with_hint(
                "`program` is the text of a program and not a path; --merge-program FILE names a file that holds one",
            ),
        }
    })?;
    let executable = around.executable().ok_or_else(|| Failure::internal("this program does not find itself"))?;
    Ok(Arc::new(MergeProgram::new(executable.to_owned(), program.to_owned())))
}

/// A prepared run.
struct ExtractJob<'a> {
    args: &'a ExtractArgs,
    /// The settings with the agent's model and the limits derived from it.
    scribe: &'a ScribeSettings,
    model: &'a ConfiguredModel,
    tape: CassetteMode<'a>,
    /// Whether questions go into batches.
    hands_in: bool,
    agent: Arc<Agent>,
    /// The file of the merge program, if there is one.
    program_of: String,
    options: PaginateOptions,
    around: &'a RunContext,
    printer: &'a Printer,
}

impl ExtractJob<'_> {
    fn open(&self) -> Result<Input, Failure> {
        let kind = self.args.input_type;
        let encoding = self.args.input_encoding.as_deref();
        match self.args.file() {
            Some(file) => Input::open(file, kind, encoding).map_err(|error| failures::file_failure(file, error)),
            None => {
                Input::from_reader(STANDARD_INPUT, std::io::stdin(), kind, encoding).map_err(failures::input_failure)
            }
        }
    }

    fn about(&self, input: &Input, produced_by: &str) -> ReportSubject {
        ReportSubject {
            agent: self.agent.name.clone(),
            input: input.name().to_owned(),
            produced_by: produced_by.to_owned(),
            max_prompt_tokens: self.options.max_prompt.get(),
        }
    }

    /// Prints what a run would do. This requires neither a key nor a store.
    fn plan(&self, who: ExtractorChoice) -> Result<ExitStatus, CommandError> {
        let input = self.open()?;
        let produced_by = match who {
            ExtractorChoice::Patterns => "static",
            ExtractorChoice::Model => self.scribe.model.as_str(),
        };
        let about = self.about(&input, produced_by);
        if who == ExtractorChoice::Model && self.scribe.provider == Provider::Static {
            self.printer
                .note(&format!("counted for `{produced_by}`; a run needs a model, and scribe.provider is `static`"));
        }
        let paginator = Paginator::new(Arc::clone(&self.agent), Arc::new(NullExtractor), self.options.clone());
        let plan = paginator.plan(input).map_err(|error| self.failed(error, None))?;
        let calls = if who == ExtractorChoice::Patterns || matches!(self.tape, CassetteMode::Replay(_)) {
            0
        } else {
            plan.parts
        };
        let longest = u64::from(self.scribe.max_completion_tokens.get());
        let longest = (self.scribe.answer_limit != Some(OutputLimitParameter::None)).then_some(longest);
        let cost = match calls {
            0 => Some(CostEstimate { expected: Money::ZERO, highest: Some(Money::ZERO) }),
            _ => {
                let tier = if self.hands_in { Some(BATCH_TIER) } else { self.scribe.service_tier.as_deref() };
                plan_report::cost(&plan, self.model.info.as_ref(), tier, self.model.ratio, longest)
            }
        };
        let told = PlanReport {
            agent: &about.agent,
            input: &about.input,
            produced_by,
            encoding: self.scribe.encoding.as_str(),
            parts: plan.parts,
            units: plan.units,
            calls,
            input_tokens: plan.input_tokens,
            prompt_tokens: plan.prompt_tokens,
            largest_prompt_tokens: plan.largest_prompt_tokens,
            max_prompt_tokens: plan.max_prompt_tokens,
            prompts_over_budget: 0,
            cost_usd: cost.map(|cost| cost.expected),
            max_cost_usd: cost.and_then(|cost| cost.highest),
            failed: &plan.failed,
            notes: &plan.notes,
        };
        plan_report::print(&told, self.args.output, self.printer)
    }

    /// Answers with the agent's patterns. Nothing is paid for and nothing is stored.
    fn by_patterns(&self) -> Result<ExitStatus, CommandError> {
        let input = self.open()?;
        self.printer
            .note(&format!("no model is asked: the answer comes from the patterns of the agent `{}`", self.agent.name));
        let extractor = Arc::new(PatternExtractor::new(&self.agent));
        let about = self.about(&input, extractor.produced_by());
        let mut report = ExtractReport::without_answer(&about, &UsageTotals::default(), (0, 0), Vec::new());
        self.ask(new_runtime()?, extractor, (None, None), (input, self.options.clone()), &about, &mut report)
    }

    /// Calls the model, and again when its answers have come, if the user wants to wait for them.
    fn until_answered(&self) -> Result<ExitStatus, CommandError> {
        let pause = self.scribe.batch_poll;
        batches::run_in_rounds(&self.args.batch, pause, || self.desk(), || self.by_model(), self.printer)
    }

    /// Opens the desk for questions that are answered in batches, if there are any.
    fn desk(&self) -> Result<Option<BatchDesk>, Failure> {
        if self.scribe.provider != Provider::OpenAi || self.tape != CassetteMode::None {
            return Ok(None);
        }
        let state = &self.args.state_dir;
        let input = self.args.file().map(|file| run_state::relative_to_state(state, file));
        let (input, question) =
            (input.as_deref().unwrap_or(STANDARD_INPUT), question_ticket::name_of(&self.args.prompt));
        let purpose = format!("extract {} {input}: {question}", self.agent.name);
        BatchDesk::open(state, &purpose, self.scribe, self.around, self.hands_in)
    }

    /// Returns the name of the run in the store.
    fn name(&self) -> String {
        let input = self.args.file().and_then(Path::file_name).map_or(STANDARD_INPUT.into(), OsStr::to_string_lossy);
        format!("extract {} {input}", self.agent.name)
    }

    /// Calls the model, or replays a record of its answers.
    fn by_model(&self) -> Result<ExitStatus, CommandError> {
        let scribe = self.scribe;
        let client = model_connection::client(scribe, self.tape, self.around)?;
        if self.args.batch.cancel {
            return self.cancel(client);
        }
        let input = self.open()?;
        let record = model_connection::open_cassette(scribe, self.tape)?;
        let about = self.about(&input, &scribe.model);
        let state = RunState::open_named(&self.args.state_dir, self.name(), &scribe.model)?;
        let mut report = ExtractReport::without_answer(&about, &UsageTotals::default(), (0, 0), Vec::new());
        let ended = self.in_state(&state, (client, record), input, &about, &mut report);
        let totals = serde_json::to_string(&report).expect("names and numbers have a JSON");
        state.end(&ended, &totals, self.printer);
        ended
    }

    /// Cancels the batches of the question, which needs no input.
    fn cancel(&self, client: Option<OpenAi>) -> Result<ExitStatus, CommandError> {
        let state = RunState::open_named(&self.args.state_dir, self.name(), &self.scribe.model)?;
        let journal = Some(Arc::clone(&state.store) as _);
        let asked = model_connection::connect(self.scribe, self.model, (client, None), journal, state.carried);
        let cancelled = match self.desk()? {
            Some(desk) => {
                let pause = self.scribe.batch_poll;
                desk.begin(&new_runtime()?, &self.args.batch, &[&asked], pause, self.printer)
            }
            None => Ok(None),
        };
        let ended = cancelled.map(|status| status.unwrap_or(ExitStatus::Ok)).map_err(CommandError::from);
        state.end(&ended, "{}", self.printer);
        ended
    }

    fn in_state(
        &self,
        state: &RunState,
        (client, record): (Option<OpenAi>, Option<war_rig_llm::Cassette>),
        input: Input,
        about: &ReportSubject,
        report: &mut ExtractReport,
    ) -> Result<ExitStatus, CommandError> {
        let desk = self.desk()?.map(Arc::new);
        // A run that continues batches goes on from what they were asked for.
        let is_anew = self.args.force && !desk.as_ref().is_some_and(|desk| desk.is_continued());
        let kept = QuestionTicket::begin(Arc::clone(&state.store), &self.args.prompt, is_anew)?;
        let journal = state.call_log(self.tape);
        let asked = model_connection::connect(self.scribe, self.model, (client, record), journal, state.carried);
        let asked = Arc::new(match &desk {
            Some(desk) => desk.attach(asked),
            None => asked,
        });
        let runtime = new_runtime()?;
        if let Some(desk) = &desk
            && let Some(status) =
                desk.begin(&runtime, &self.args.batch, &[&asked], self.scribe.batch_poll, self.printer)?
        {
            return Ok(status);
        }
        let schema = Arc::new(AnswerSchema::for_agent(&self.agent));
        let extractor = ModelExtractor::new(Arc::clone(&asked), self.scribe.model.clone(), schema);
        let options = PaginateOptions { since: kept.since(), ..self.options.clone() };
        let extractor = Arc::new(extractor);
        let ended =
            self.ask(runtime, Arc::clone(&extractor), (Some(&asked), desk.as_deref()), (input, options), about, report);
        kept.end(&ended, report, extractor.unusable_questions())?;
        ended
    }

    /// Runs the extractor over the parts of the input, and prints the answer and the losses. `asked` is the model that is called, and `desk` where its
    /// questions may wait.
    fn ask<E: Extractor + 'static>(
        &self,
        runtime: Runtime,
        extractor: Arc<E>,
        (asked, desk): (Option<&Arc<ConnectedModel>>, Option<&BatchDesk>),
        (input, options): (Input, PaginateOptions),
        about: &ReportSubject,
        report: &mut ExtractReport,
    ) -> Result<ExitStatus, CommandError> {
        let mut shown = ExtractProgress::new(self.args.progress, input.size(), asked.is_some(), self.printer);
        let meter = || asked.map(|asked| asked.progress()).unwrap_or_default();
        let stop = || {
            if let Some(asked) = asked {
                asked.interrupt(INTERRUPTED_REASON);
            }
        };
        // Patterns have no calls in flight whose loss would matter.
        let stop = asked.is_some().then_some(&stop as &dyn Fn());
        let came = runtime.block_on(async {
            let run = Paginator::new(Arc::clone(&self.agent), extractor, options).run(input);
            listen(drive(run, &mut shown, &meter), stop, self.printer).await
        })?;
        shown.end();
        let deferred = |error: &PaginateError| matches!(error, PaginateError::Stopped(stopped) if stopped.reason == StopReason::Deferred);
        let waits = matches!(&came, RunResult::Ended(Err(error), None) if deferred(error));
        if !waits {
            exit_on_next_signal(&runtime, self.printer);
        }
        let notes = asked.map(|asked| asked.notes()).unwrap_or_default();
        let course = shown.tally();
        let without_answer =
            |notes| ExtractReport::without_answer(about, &meter().usage, (course.cut, course.answered), notes);
        let ended = match came {
            RunResult::Ended(Ok(outcome), signal) => {
                *report = ExtractReport::of(about, &outcome, notes);
                self.tell(&outcome, signal, report)
            }
            RunResult::Ended(Err(error), None) if deferred(&error) => {
                *report = without_answer(notes);
                let waiting = self.wait(&runtime, asked, desk);
                report.status = if waiting.is_ok() { "waiting" } else { report.status };
                waiting
            }
            RunResult::Ended(Err(error), Some(status)) if deferred(&error) => {
                *report = without_answer(notes);
                let hint = format!("what was answered is safe; {}", self.again());
                Err(Failure::new(status, INTERRUPTED_REASON).with_hint(hint).into())
            }
            RunResult::Ended(Err(error), signal) => {
                *report = without_answer(notes);
                report.server.iter().for_each(|note| self.printer.warn(note));
                self.sum_up(report);
                Err(self.failed(error, signal).into())
            }
            RunResult::CutOff(status) => {
                *report = without_answer(notes);
                self.sum_up(report);
                let hint = format!("what was answered is safe; {}", self.again());
                Err(Failure::new(status, "the run was cut off").with_hint(hint).into())
            }
        };
        if waits {
            // All of its work has ended, and there may be a next round.
            runtime.shutdown_background();
        } else {
            // Work on a runtime that shuts down panics, and a blocked read from a pipe would delay the exit: both end with the process instead.
            std::mem::forget(runtime);
        }
        let (status, error) = match &ended {
            Ok(status) => (*status, None),
            Err(CommandError::OutputClosed) => (ExitStatus::Ok, None),
            Err(CommandError::Failed(failure)) => (failure.status(), Some(failure.line())),
        };
        report.error = error;
        shown.ended(status, report);
        self.write(report)?;
        ended
    }

    /// Hands in the questions whose answers come later.
    fn wait(
        &self,
        runtime: &Runtime,
        asked: Option<&Arc<ConnectedModel>>,
        desk: Option<&BatchDesk>,
    ) -> Result<ExitStatus, CommandError> {
        if let Some(stopped) = asked.and_then(|asked| asked.stopped()) {
            self.printer.warn(&format!("not all parts could be asked: {}", stopped.message));
        }
        desk.map(|desk| desk.end(runtime, self.printer)).transpose()?;
        self.printer.note(QUESTIONS_WAIT);
        Ok(ExitStatus::Waiting)
    }

    /// Prints the answer, and reports losses.
    fn tell(
        &self,
        outcome: &ExtractionOutcome,
        signal: Option<ExitStatus>,
        report: &ExtractReport,
    ) -> Result<ExitStatus, CommandError> {
        let printed = answer::print(outcome, self.args.output, self.printer);
        report::print_losses(outcome, self.printer);
        report.server.iter().for_each(|note| self.printer.warn(note));
        self.sum_up(report);
        if let Some(stopped) = &outcome.stopped {
            return Err(self.stopped(stopped, signal).into());
        }
        printed?;
        let is_missed = self.args.fail_on == Some(FailOn::Missed) && report.missed.is_some_and(|missed| missed > 0);
        // An audit of an incomplete answer says little, so this comes first.
        if outcome.status == OutcomeStatus::Partial || !outcome.violations.is_empty() {
            return Ok(ExitStatus::TicketsFailed);
        }
        Ok(if is_missed { ExitStatus::GateFailed } else { ExitStatus::Ok })
    }

    /// Prints what the run did and used, if there is anything to report.
    fn sum_up(&self, report: &ExtractReport) {
        if let Some(line) = report.in_words() {
            self.printer.note(&line);
        }
    }

    fn write(&self, report: &ExtractReport) -> Result<(), Failure> {
        let Some(path) = &self.args.report else { return Ok(()) };
        let text = serde_json::to_string_pretty(report)
            .map_err(|error| Failure::internal("the report cannot be written").with_source(error))?;
        durable::replace_file(path, format!("{text}\n").as_bytes()).map_err(|error| Failure::cannot_write(path, error))
    }

    /// Explains how paid results are kept when a run was stopped.
    fn again(&self) -> &'static str {
        self.tape.rerun_hint(self.args.force)
    }

    /// Explains why there is no answer, in the words that the user reads.
    fn failed(&self, error: PaginateError, signal: Option<ExitStatus>) -> Failure {
        let told = error.to_string();
        match error {
            PaginateError::Input(error) => failures::input_failure(error),
            PaginateError::NoRoom { fixed, .. } => {
                let least = to_model_tokens(fixed, self.model.ratio);
                Failure::usage(told)
                    .with_hint(format!("set scribe.max_prompt_tokens to {least} or more, or shorten agent and prompt"))
            }
            PaginateError::TooLarge { .. } => Failure::usage(told).with_hint(
                "leave --paginate at auto, or raise scribe.max_prompt_tokens as far as the model's window goes",
            ),
            PaginateError::Empty(_) => Failure::usage(told),
            PaginateError::Part { .. } => Failure::new(ExitStatus::TicketsFailed, told)
                .with_hint(format!("--on-failure partial gives the answer of the other parts; or {}", self.again())),
            PaginateError::Summary(_) => {
                Failure::new(ExitStatus::TicketsFailed, format!("the texts of the parts do not come to one: {told}"))
                    .with_hint(format!("--on-failure partial leaves them one after the other; or {}", self.again()))
            }
            PaginateError::Program(_) => Failure::usage(format!("{}: {told}", self.program_of))
                .with_hint(format!("mend the program, then {}", self.again())),
            PaginateError::Stopped(stopped) => self.stopped(&stopped, signal),
        }
    }

    /// Explains why no further call was made, and what to do about it.
    fn stopped(&self, stopped: &StopError, signal: Option<ExitStatus>) -> Failure {
        let (status, advice) = stop_status(stopped.reason);
        if stopped.reason == StopReason::Interrupted {
            return Failure::new(signal.unwrap_or(status), INTERRUPTED_REASON)
                .with_hint(format!("what was answered is safe; {}", self.again()));
        }
        Failure::new(status, format!("the run was stopped: {}", stopped.message))
            .with_hint(format!("{advice}, then {}", self.again()))
    }
}

/// Creates the runtime of a run.
fn new_runtime() -> Result<Runtime, Failure> {
    runtime::start(&mut Builder::new_multi_thread(), "the workers cannot be started")
}

/// Shows progress until the run ends.
async fn drive(
    mut run: ExtractionRun,
    shown: &mut ExtractProgress,
    meter: &dyn Fn() -> CallProgress,
) -> Result<ExtractionOutcome, PaginateError> {
    let mut ticks = tokio::time::interval(SAMPLE_INTERVAL);
    loop {
        tokio::select! {
            event = run.next_event() => match event {
                Some(event) => shown.event(&event, &meter()),
                None => return run.outcome().await,
            },
            _ = ticks.tick() => shown.tick(&meter()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_cannot_be_read_is_told_with_its_file() {
        let failure = |own: Option<&Path>| {
            merge_program("merge.jq(", own, "agents/x.toml", &RunContext::from_process())
                .err()
                .expect("it is no program")
        };
        let agents = failure(None);
        assert!(
            agents.line().starts_with("agents/x.toml: the merge program cannot be read: line 1, column "),
            "{}",
            agents.line()
        );
        assert_eq!(agents.status(), ExitStatus::Usage);
        assert!(agents.hint().unwrap().contains("the text of a program and not a path"));
        let own = failure(Some(Path::new("merge.jq")));
        assert!(own.line().starts_with("merge.jq: the merge program cannot be read: "), "{}", own.line());
        assert_eq!(own.hint(), None);
    }

    #[test]
    fn a_report_without_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        has_a_folder(&folder.path().join("x.json")).unwrap();
        has_a_folder(Path::new("x.json")).unwrap();
        let missing = folder.path().join("nope");
        let failure = has_a_folder(&missing.join("x.json")).unwrap_err();
        assert_eq!(failure.status(), ExitStatus::Usage);
        assert!(
            failure.line().ends_with(&format!("the folder `{}` does not exist", missing.display())),
            "{}",
            failure.line()
        );
        assert!(!missing.exists());
    }
}
