//! `war-rig extract`: an agent's answer about an input of any size.
//!
//! What a run has learned of a model's window is not kept here: a part that does not fit is divided and its answers merged, so that a rerun finds
//! them by the same prompts, whatever has been learned meanwhile.

pub(super) mod agents;
pub(super) mod answer;
mod failures;
mod kept;
mod plan;
pub(super) mod report;
pub(super) mod resolve;
#[cfg(test)]
mod samples;
mod shown;
pub(super) mod words;

use crate::args::{ExtractArgs, FailOn, Tape};
use crate::connection::{self, Asked, INTERRUPTED, on_stop};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::merge_program::MergeProgram;
use crate::model::{Cost, Model, of_the_model};
use crate::printer::Printer;
use crate::progress::SAMPLED;
use crate::settings::{AnswerLimit, Provider, ScribeSettings, Settings};
use crate::signals::{Came, end_at_next, listen};
use crate::state::State;
use kept::Kept;
use plan::{Nobody, Told};
use report::{About, Report};
use resolve::Who;
use shown::Shown;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use war_rig_estimator::TokenCounter;
use war_rig_llm::{CallProgress, Money, OpenAi, StopError, StopReason, UsageTotals};
use war_rig_paginate::CustomMerge;
use war_rig_paginate::{
    Agent, AnswerSchema, Extractor, Input, MergeBy, ModelExtractor, Outcome, OutcomeStatus, PaginateError,
    PaginateOptions, Paginator, Patterns, Program, Run,
};
use war_rig_store::durable;

/// What an input is called that comes on standard input.
const STANDARD_INPUT: &str = "standard input";

/// Asks the agent about the input.
///
/// # Errors
/// Failures of usage, of the input, of the store and of storage, and whatever keeps a run from an answer.
pub fn run(
    args: &ExtractArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, Stop> {
    let (agent, file) = agents::find(&args.agent, around)?;
    let provider = settings.scribe.provider;
    let tape = args.tape.of(provider)?;
    let who = resolve::who(provider, &agent, args.dry_run)?;
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
    let model = Model::of(&scribe, who == Who::Model && tape.asks(provider) && !args.dry_run, None, printer)?;
    let (max_prompt, max_part) = resolve::in_encoding(&scribe, part, model.ratio);
    let pagination = resolve::pagination(args, &agent)?;
    let custom = match &pagination.merge {
        MergeBy::Program(program) => {
            Some(merge_program(program, args.merge_program.as_deref(), &file, around)?)
        }
        MergeBy::Strategy(_) => None,
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
    let job = Job { args, scribe: &scribe, model: &model, tape, agent, program_of, options, around, printer };
    match who {
        _ if args.dry_run => job.plan(who),
        Who::Patterns => job.by_patterns(),
        Who::Model => job.by_model(),
    }
}

/// Refuses a file whose folder is not there before anything is paid for: a path that was mistyped would get a folder of its own otherwise.
fn has_a_folder(report: &Path) -> Result<(), Failure> {
    let folder = durable::folder_of(report);
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--report `{}`: the folder `{}` does not exist",
        report.display(),
        folder.display()
    ))
    .with_hint("make the folder, or name a file in one that is there"))
}

/// A program that merges answers, which is read before any call is made: that of a file of its own, or the text in the agent's file.
pub(super) fn merge_program(
    program: &str,
    own_file: Option<&Path>,
    agent: &str,
    around: &RunContext,
) -> Result<Arc<dyn CustomMerge>, Failure> {
    Program::parse(program).map_err(|error| {
        let unread = |file: &dyn Display| {
            Failure::usage(format!("{file}: the merge program cannot be read")).because(error)
        };
        match own_file {
            Some(file) => unread(&file.display()),
            None => unread(&agent).with_hint(
                "`program` is the text of a program and not a path; --merge-program FILE names a file that holds one",
            ),
        }
    })?;
    let executable =
        around.executable().ok_or_else(|| Failure::internal("this program does not find itself"))?;
    Ok(Arc::new(MergeProgram::new(executable.to_owned(), program.to_owned())))
}

/// A run that is set up.
struct Job<'a> {
    args: &'a ExtractArgs,
    /// The settings with the agent's model and the limits that follow from it.
    scribe: &'a ScribeSettings,
    model: &'a Model,
    tape: Tape<'a>,
    agent: Arc<Agent>,
    /// The file of the program that merges answers, where one does.
    program_of: String,
    options: PaginateOptions,
    around: &'a RunContext,
    printer: &'a Printer,
}

impl Job<'_> {
    fn open(&self) -> Result<Input, Failure> {
        let kind = self.args.input_type;
        let encoding = self.args.input_encoding.as_deref();
        match self.args.file() {
            Some(file) => Input::open(file, kind, encoding).map_err(|error| failures::of_file(file, error)),
            None => Input::from_reader(STANDARD_INPUT, std::io::stdin(), kind, encoding)
                .map_err(failures::of_input),
        }
    }

    fn about(&self, input: &Input, produced_by: &str) -> About {
        About {
            agent: self.agent.name.clone(),
            input: input.name().to_owned(),
            produced_by: produced_by.to_owned(),
            max_prompt_tokens: self.options.max_prompt.get(),
        }
    }

    /// Says what a run would do. Neither a key nor a store is needed for that.
    fn plan(&self, who: Who) -> Result<ExitStatus, Stop> {
        let input = self.open()?;
        let produced_by = match who {
            Who::Patterns => "static",
            Who::Model => self.scribe.model.as_str(),
        };
        let about = self.about(&input, produced_by);
        if who == Who::Model && self.scribe.provider == Provider::Static {
            self.printer.note(&format!(
                "counted for `{produced_by}`; a run needs a model, and scribe.provider is `static`"
            ));
        }
        let paginator = Paginator::new(Arc::clone(&self.agent), Arc::new(Nobody), self.options.clone());
        let plan = paginator.plan(input).map_err(|error| self.failed(error, None))?;
        let calls = if who == Who::Patterns || matches!(self.tape, Tape::Replay(_)) { 0 } else { plan.parts };
        let longest = u64::from(self.scribe.max_completion_tokens.get());
        let longest = (self.scribe.answer_limit != AnswerLimit::None).then_some(longest);
        let cost = match calls {
            0 => Some(Cost { expected: Money::ZERO, highest: Some(Money::ZERO) }),
            _ => plan::cost(&plan, self.model.info.as_ref(), self.model.ratio, longest),
        };
        let told = Told {
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
        plan::print(&told, self.args.output, self.printer)
    }

    /// Has the patterns of the agent answer. Nothing is paid for and nothing kept.
    fn by_patterns(&self) -> Result<ExitStatus, Stop> {
        let input = self.open()?;
        self.printer.note(&format!(
            "no model is asked: the answer comes from the patterns of the agent `{}`",
            self.agent.name
        ));
        let extractor = Arc::new(Patterns::new(&self.agent));
        let about = self.about(&input, extractor.produced_by());
        let mut report = Report::without_answer(&about, &UsageTotals::default(), (0, 0), Vec::new());
        self.ask(extractor, None, input, self.options.clone(), &about, &mut report)
    }

    /// Asks the model, or a record of its answers.
    fn by_model(&self) -> Result<ExitStatus, Stop> {
        let scribe = self.scribe;
        let client = connection::client(scribe, self.tape, self.around)?;
        let input = self.open()?;
        let record = connection::record(scribe, self.tape)?;
        let about = self.about(&input, &scribe.model);
        let name = format!("extract {} {}", about.agent, about.input);
        let state = State::named(&self.args.state_dir, name, &scribe.model)?;
        let mut report = Report::without_answer(&about, &UsageTotals::default(), (0, 0), Vec::new());
        let ended = self.in_state(&state, (client, record), input, &about, &mut report);
        let totals = serde_json::to_string(&report).expect("names and numbers have a JSON");
        state.end(&ended, &totals, self.printer);
        ended
    }

    fn in_state(
        &self,
        state: &State,
        (client, record): (Option<OpenAi>, Option<war_rig_llm::Cassette>),
        input: Input,
        about: &About,
        report: &mut Report,
    ) -> Result<ExitStatus, Stop> {
        let kept = Kept::begin(Arc::clone(&state.store), &self.args.prompt, self.args.force)?;
        // A replay shows what a record holds, and nothing besides.
        let journal = match self.tape {
            Tape::Replay(_) => None,
            Tape::None | Tape::Record(_) | Tape::RecordMissing(_) => Some(Arc::clone(&state.store) as _),
        };
        let asked = connection::connect(self.scribe, self.model, (client, record), journal, state.carried);
        let asked = Arc::new(asked);
        let schema = Arc::new(AnswerSchema::of(&self.agent));
        let extractor = ModelExtractor::new(Arc::clone(&asked), self.scribe.model.clone(), schema);
        let options = PaginateOptions { since: kept.since(), ..self.options.clone() };
        let extractor = Arc::new(extractor);
        let ended = self.ask(Arc::clone(&extractor), Some(&asked), input, options, about, report);
        kept.end(&ended, report, extractor.useless())?;
        ended
    }

    /// Has the extractor asked about the input part by part, prints the answer, and says what came of it. `asked` is the model that is asked.
    fn ask<E: Extractor + 'static>(
        &self,
        extractor: Arc<E>,
        asked: Option<&Arc<Asked>>,
        input: Input,
        options: PaginateOptions,
        about: &About,
        report: &mut Report,
    ) -> Result<ExitStatus, Stop> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::internal("the workers cannot be started").because(error))?;
        let mut shown = Shown::new(self.args.progress, input.size(), asked.is_some(), self.printer);
        let meter = || asked.map(|asked| asked.progress()).unwrap_or_default();
        let stop = || {
            if let Some(asked) = asked {
                asked.interrupt(INTERRUPTED);
            }
        };
        // Patterns have nothing in flight that it would be a pity to lose.
        let stop = asked.is_some().then_some(&stop as &dyn Fn());
        let came = runtime.block_on(async {
            let run = Paginator::new(Arc::clone(&self.agent), extractor, options).run(input);
            listen(drive(run, &mut shown, &meter), stop, self.printer).await
        })?;
        shown.end();
        end_at_next(&runtime, self.printer);
        let notes = asked.map(|asked| asked.notes()).unwrap_or_default();
        let course = shown.course();
        let without_answer =
            |notes| Report::without_answer(about, &meter().usage, (course.cut, course.answered), notes);
        let ended = match came {
            Came::Ended(Ok(outcome), signal) => {
                *report = Report::of(about, &outcome, notes);
                self.tell(&outcome, signal, report)
            }
            Came::Ended(Err(error), signal) => {
                *report = without_answer(notes);
                report.server.iter().for_each(|note| self.printer.warn(note));
                self.sum_up(report);
                Err(self.failed(error, signal).into())
            }
            Came::CutOff(status) => {
                *report = without_answer(notes);
                self.sum_up(report);
                let hint = format!("what was answered is safe; {}", self.again());
                Err(Failure::new(status, "the run was cut off").with_hint(hint).into())
            }
        };
        // Work that meets a runtime which shuts down panics, and says so, and a read from a pipe would be waited for: both end with the process instead.
        std::mem::forget(runtime);
        let (status, error) = match &ended {
            Ok(status) => (*status, None),
            Err(Stop::OutputClosed) => (ExitStatus::Ok, None),
            Err(Stop::Failed(failure)) => (failure.status(), Some(failure.line())),
        };
        report.error = error;
        shown.ended(status, report);
        self.write(report)?;
        ended
    }

    /// Prints the answer, and says what was lost on the way to it.
    fn tell(
        &self,
        outcome: &Outcome,
        signal: Option<ExitStatus>,
        report: &Report,
    ) -> Result<ExitStatus, Stop> {
        let printed = answer::print(outcome, self.args.output, self.printer);
        report::say(outcome, self.printer);
        report.server.iter().for_each(|note| self.printer.warn(note));
        self.sum_up(report);
        if let Some(stopped) = &outcome.stopped {
            return Err(self.stopped(stopped, signal).into());
        }
        printed?;
        let is_missed =
            self.args.fail_on == Some(FailOn::Missed) && report.missed.is_some_and(|missed| missed > 0);
        // An audit of an answer that is not whole says little, so that this comes first.
        if outcome.status == OutcomeStatus::Partial || !outcome.violations.is_empty() {
            return Ok(ExitStatus::TicketsFailed);
        }
        Ok(if is_missed { ExitStatus::GateFailed } else { ExitStatus::Ok })
    }

    /// Says what the run came to and took, where there is anything to say.
    fn sum_up(&self, report: &Report) {
        if let Some(line) = report.in_words() {
            self.printer.note(&line);
        }
    }

    fn write(&self, report: &Report) -> Result<(), Failure> {
        let Some(path) = &self.args.report else { return Ok(()) };
        let text = serde_json::to_string_pretty(report)
            .map_err(|error| Failure::internal("the report cannot be written").because(error))?;
        durable::replace(path, format!("{text}\n").as_bytes())
            .map_err(|error| Failure::cannot_write(path, error))
    }

    /// How what was paid for is kept over a run that was stopped.
    fn again(&self) -> &'static str {
        self.tape.again(self.args.force)
    }

    /// Why there is no answer, in the words that the user reads.
    fn failed(&self, error: PaginateError, signal: Option<ExitStatus>) -> Failure {
        let told = error.to_string();
        match error {
            PaginateError::Input(error) => failures::of_input(error),
            PaginateError::NoRoom { fixed, .. } => {
                let least = of_the_model(fixed, self.model.ratio);
                Failure::usage(told).with_hint(format!("set scribe.max_prompt_tokens to {least} or more, or shorten agent and prompt"))
            }
            PaginateError::TooLarge { .. } => Failure::usage(told)
                .with_hint("leave --paginate at auto, or raise scribe.max_prompt_tokens as far as the model's window goes"),
            PaginateError::Empty(_) => Failure::usage(told),
            PaginateError::Part { .. } => Failure::new(ExitStatus::TicketsFailed, told)
                .with_hint(format!("--on-failure partial gives the answer of the other parts; or {}", self.again())),
            PaginateError::Summary(_) => Failure::new(ExitStatus::TicketsFailed, format!("the texts of the parts do not come to one: {told}"))
                .with_hint(format!("--on-failure partial leaves them one after the other; or {}", self.again())),
            PaginateError::Program(_) => Failure::usage(format!("{}: {told}", self.program_of))
                .with_hint(format!("mend the program, then {}", self.again())),
            PaginateError::Stopped(stopped) => self.stopped(&stopped, signal),
        }
    }

    /// Why no further call was made, and what to do about it.
    fn stopped(&self, stopped: &StopError, signal: Option<ExitStatus>) -> Failure {
        let (status, advice) = on_stop(stopped.reason);
        if stopped.reason == StopReason::Interrupted {
            return Failure::new(signal.unwrap_or(status), INTERRUPTED)
                .with_hint(format!("what was answered is safe; {}", self.again()));
        }
        Failure::new(status, format!("the run was stopped: {}", stopped.message))
            .with_hint(format!("{advice}, then {}", self.again()))
    }
}

/// Shows how a run goes until it ends.
async fn drive(
    mut run: Run,
    shown: &mut Shown,
    meter: &dyn Fn() -> CallProgress,
) -> Result<Outcome, PaginateError> {
    let mut ticks = tokio::time::interval(SAMPLED);
    loop {
        tokio::select! {
            event = run.progress() => match event {
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
            merge_program("merge.jq(", own, "agents/x.toml", &RunContext::of_process())
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
