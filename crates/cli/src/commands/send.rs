//! `war-rig send`: sends an input of any size to a target that a worker serves.
//!
//! An input within the target's token budget is sent as one message, in pieces if it is too large for one. A larger input would exceed the budget
//! again when joined, so it is sent in parts, one by one, and their answers are merged by the agent's schema, as `extract` does.

mod answer_merger;
mod input;
mod plan;
mod target_client;

use super::extract::{answer, report};
use crate::args::{ExtractFormat, OutputFormat, SendArgs};
use crate::configured_model::{load_registry, warn_of_foreign_model};
use crate::context::RunContext;
use crate::distribution::connect_with;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::question::to_violation;
use crate::runtime;
use crate::settings::{Settings, TargetSettings};
use crate::signals::{RunResult, listen};
use answer_merger::AnswerMerger;
use plan::SendPlan;
use target_client::TargetClient;
use tokio::runtime::Builder;
use war_rig_envelope::{
    Envelope, EnvelopeBudgetError, EnvelopePart, EnvelopeRoute, EnvelopeTarget, HeaderError, RouteError,
    RouteErrorKind, TargetModel, route,
};
use war_rig_estimator::TokenCounter;
use war_rig_paginate::{ExtractionOutcome, FailedPart, OnFailure, OutcomeStatus};
use war_rig_transport::question::{Question, TargetReply};
use war_rig_transport::{BrokerRole, TargetName};

/// Sends the input to the target, and prints its answer.
///
/// # Errors
/// A usage failure for an invalid message; status 3 when there is no answer, 12 or 14 when the broker refuses or nobody serves the target.
pub fn run(
    args: &SendArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    args.batch.check()?;
    let said = settings.target(&args.target)?;
    let name = TargetName::new(&said.name).map_err(|error| Failure::usage(error.to_string()))?;
    let target = said.as_target(model(said, settings, printer)?, settings.broker.max_payload);
    let (input, payload) = input::read(args)?;
    let question = Question { prompt: args.prompt.clone(), input };
    let envelope = question.to_envelope(&name, payload).map_err(unsaid)?;
    let routed = route(&envelope, &target).map_err(no_way)?;
    let plan = SendPlan::of(&envelope, &target, &routed).map_err(no_way)?;
    if args.dry_run {
        return plan.print(args.output, &question, printer);
    }
    let parts = match routed {
        EnvelopeRoute::Single | EnvelopeRoute::Pieces(_) => None,
        // The merge method is checked before any part is sent.
        EnvelopeRoute::Parts(parts) => Some((parts, AnswerMerger::of(said, around)?)),
    };
    let job = SendJob { args, settings, name, target, question, around, printer };
    let runtime = runtime::start(&mut Builder::new_multi_thread(), "the message cannot be sent")?;
    let came = runtime.block_on(listen(job.ask(envelope, parts), None, printer))?;
    // Work on a runtime that shuts down panics and reports it; here it ends with the process instead.
    std::mem::forget(runtime);
    match came {
        RunResult::Ended(outcome, _) => job.tell(&outcome?),
        RunResult::CutOff(status) => Err(Failure::new(status, "the question was given up")
            .with_hint("the target may have been paid for an answer that nobody has read")
            .into()),
    }
}

/// A prepared question.
struct SendJob<'a> {
    args: &'a SendArgs,
    settings: &'a Settings,
    name: TargetName,
    target: EnvelopeTarget,
    question: Question,
    around: &'a RunContext,
    printer: &'a Printer,
}

impl SendJob<'_> {
    /// Sends the question, and merges the answers of its parts.
    async fn ask(
        &self,
        whole: Envelope,
        parts: Option<(Vec<EnvelopePart>, AnswerMerger)>,
    ) -> Result<ExtractionOutcome, Failure> {
        let chunking = &self.target.chunking;
        let cut = (chunking.max_payload_size, chunking.strategy);
        let (_, link) = connect_with(&self.settings.broker, BrokerRole::Sender, None, cut, self.around).await?;
        let asking = TargetClient { link: &link, target: &self.name, wait: self.args.wait() };
        asking.look().await?;
        let outcome = match parts {
            None => self.whole(asking.reply(whole).await?),
            Some((parts, merger)) => self.parts(&asking, parts, merger).await,
        };
        link.broker().close().await;
        outcome
    }

    /// Returns the single answer to a message that was read whole.
    fn whole(&self, reply: TargetReply) -> Result<ExtractionOutcome, Failure> {
        if let Some(problem) = reply.problem {
            return Err(self.without_answer(&problem));
        }
        let mut outcome = answer_merger::outcome(&self.question.input, &self.name);
        outcome.answer = reply.answer;
        outcome.notes = reply.notes;
        outcome.violations = reply.flaws.into_iter().map(to_violation).collect();
        (outcome.parts.parts, outcome.parts.answered) = (1, 1);
        Ok(outcome)
    }

    /// Merges the answers to all parts.
    async fn parts(
        &self,
        asking: &TargetClient<'_>,
        parts: Vec<EnvelopePart>,
        mut merger: AnswerMerger,
    ) -> Result<ExtractionOutcome, Failure> {
        let total = parts.len();
        let (mut failed, mut notes) = (Vec::new(), Vec::new());
        for (number, part) in (1..).zip(parts) {
            self.printer
                .note(&format!("part {number} of {total}: {} of {} tokens", part.budget.total, part.budget.limit));
            let reply = asking.reply(part.envelope.clone()).await?;
            notes.extend(reply.notes.iter().map(|note| format!("part {number}: {note}")));
            let problem = match reply.problem {
                Some(problem) => Some(problem),
                None => merger.take(&self.question, &part.envelope, reply.answer).err(),
            };
            match (problem, self.args.on_failure) {
                (None, _) => {}
                (Some(problem), OnFailure::Fail) => {
                    let failure = self.without_answer(&format!("part {number} of {total}: {problem}"));
                    return Err(failure.with_hint("--on-failure partial gives the answer of the other parts"));
                }
                (Some(reason), OnFailure::Partial) => {
                    failed.push(FailedPart { part: number, place: Default::default(), reason });
                }
            }
        }
        if let (true, Some(first)) = (merger.is_empty(), failed.first()) {
            return Err(self.without_answer(&format!("part {}: {}", first.part, first.reason)));
        }
        let mut outcome = merger.outcome(&self.question.input, &self.name)?;
        if !failed.is_empty() {
            outcome.status = OutcomeStatus::Partial;
        }
        (outcome.parts.parts, outcome.parts.answered) = (total as u64, (total - failed.len()) as u64);
        outcome.failed = failed;
        outcome.notes.splice(0..0, notes);
        Ok(outcome)
    }

    fn without_answer(&self, problem: &str) -> Failure {
        Failure::new(ExitStatus::TicketsFailed, format!("no answer of `{}`: {problem}", self.name))
    }

    /// Prints the answer, and reports losses and merged items.
    fn tell(&self, outcome: &ExtractionOutcome) -> Result<ExitStatus, CommandError> {
        match self.args.output {
            OutputFormat::Text => answer::print(outcome, ExtractFormat::Text, self.printer)?,
            OutputFormat::Json => self.printer.json(&outcome.answer)?,
        }
        report::print_some_losses(outcome, self.printer);
        self.printer.note(&answer_merger::in_words(outcome));
        let is_whole = outcome.status == OutcomeStatus::Complete && outcome.violations.is_empty();
        Ok(if is_whole { ExitStatus::Ok } else { ExitStatus::TicketsFailed })
    }
}

/// Returns the target's model, for counting the tokens of messages; `None` when they are not counted.
fn model(target: &TargetSettings, settings: &Settings, printer: &Printer) -> Result<Option<TargetModel>, Failure> {
    let (Some(model), Some(_)) = (&target.model, &target.token_budget) else { return Ok(None) };
    let registry = load_registry(&settings.scribe)?;
    warn_of_foreign_model(target, &registry, printer);
    let info = registry.find(&model.name);
    let provider = model.provider.as_deref().or(info.map(|info| info.provider.as_str())).unwrap_or("openai");
    let Some(info) = info else {
        let nearest = registry.nearest(&model.name).map(|name| format!("did you mean `{name}`? "));
        return Err(Failure::usage(format!(
            "the target `{}`: the model `{}` of `{provider}` is not known, and nothing says what its window holds",
            target.name, model.name
        ))
        .with_hint(format!(
            "{}a model that is not built in goes into the file that scribe.models names",
            nearest.unwrap_or_default()
        )));
    };
    // The worker that serves the target counts with the same settings.
    let ratio = settings.scribe.token_ratio.unwrap_or(info.token_ratio);
    let counter = TokenCounter::new(info.encoding);
    let known = TargetModel::new(provider, &model.name, counter, info.context_window, ratio);
    known.map(Some).map_err(|error| {
        let failure = Failure::usage(format!("the target `{}`: {error}", target.name));
        match &error {
            EnvelopeBudgetError::Ratio(_) => failure.with_hint("mend scribe.token_ratio"),
            EnvelopeBudgetError::NoText { .. } | EnvelopeBudgetError::NoRoom { .. } => failure,
        }
    })
}

fn unsaid(error: HeaderError) -> Failure {
    let failure = Failure::usage(format!("the prompt cannot be sent: {error}"));
    match error {
        HeaderError::TooLarge { .. } => {
            failure.with_hint("shorten it: it goes with every part; what is long belongs into the input")
        }
        HeaderError::Name(_) | HeaderError::Reserved(_) | HeaderError::Value(_) | HeaderError::TooMany => failure,
    }
}

/// The failure for a message that cannot be sent, with a hint.
fn no_way(error: RouteError) -> Failure {
    let target = error.target.clone();
    let failure = Failure::usage(error.to_string());
    let larger = format!("raise targets.{target}.token_budget.max_chunk_size as far as the model's window goes");
    match error.kind {
        RouteErrorKind::Budget(EnvelopeBudgetError::NoText { .. }) => {
            failure.with_hint("send text or JSON; a target without a model takes anything")
        }
        RouteErrorKind::Budget(EnvelopeBudgetError::NoRoom { .. }) => {
            failure.with_hint(format!("shorten the prompt, or {larger}"))
        }
        RouteErrorKind::Budget(EnvelopeBudgetError::Ratio(_)) => failure,
        RouteErrorKind::ElementTooLarge { .. } | RouteErrorKind::CharacterTooLarge { .. } => {
            failure.with_hint(format!("divide it, or {larger}"))
        }
        RouteErrorKind::NoContainer { .. } => {
            failure.with_hint(format!("set targets.{target}.chunking.strategy to auto or text, or {larger}"))
        }
        RouteErrorKind::TooLarge { .. } | RouteErrorKind::Split(_) => failure.with_hint(format!(
            "see targets.{target}.chunking: enabled, strategy and max_payload_size; and broker.max_payload_size"
        )),
    }
}
