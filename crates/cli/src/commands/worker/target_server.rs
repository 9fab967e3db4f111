//! Serves targets: the target's agent reads each message whole, with this worker's own key.
//!
//! # What always holds
//! - A message is read as it came, in one prompt, or not at all: this worker never truncates or divides it. The sender divides a message that exceeds
//!   the target's budget, and each part is labeled.
//! - The agent's patterns read the messages of a target without a model, at any size.
//! - A message is answered once for each id; a repeated message gets the same answer. An invalid message gets an answer, too.
//! - The number of messages in progress is limited to the number of sources that the worker processes at a time. A few more are queued, and pings
//!   bypass them; messages beyond that are dropped, and their senders repeat them.
//!
//! # Races and accepted losses
//! Two workers that start to serve one target at the same instant do not see each other: both answer, and the first answer counts. Answers are kept
//! for [`KEPT_FOR`] in memory and in no store: a message that is sent under a new id is paid for again.

use super::super::extract::{agents, merge_program, report, resolve};
use crate::configured_model::{ConfiguredModel, load_registry, warn_of_foreign_model};
use crate::context::RunContext;
use crate::distribution::lost_broker_failure;
use crate::failure::Failure;
use crate::model_connection::{self, ConnectedModel};
use crate::printer::Printer;
use crate::question::{QuestionInputError, question_input, to_reply};
use crate::settings::{Provider, ScribeSettings, Settings};
use resolve::ExtractorChoice;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tracing::Instrument;
use war_rig_envelope::Envelope;
use war_rig_estimator::TokenCounter;
use war_rig_llm::{CallProgress, ModelRegistry, Money, OpenAi, StopError, StopReason};
use war_rig_paginate::{
    Agent, AnswerSchema, ExtractionOutcome, Extractor, Input, MergeMethod, ModelExtractor, OnFailure, PaginateError,
    PaginateOptions, Pagination, PaginationMode, Paginator, PartOrder, PatternExtractor,
};
use war_rig_transport::question::{PING, QUESTION, Question, TargetReply, ping};
use war_rig_transport::{Link, RequestErrorKind, RequestTimeouts, Server, ServerLimits, TargetName, Worker};

/// The time limit for finding another worker that serves the target.
const LOOK: RequestTimeouts = RequestTimeouts { per_attempt: Duration::from_secs(1), total: Duration::from_secs(1) };

/// How long answers are kept for repeated requests: longer than any sender waits.
const KEPT_FOR: Duration = Duration::from_secs(2 * 3600);

/// The most bytes of answers that are kept.
const KEPT_BYTES: usize = 64 << 20;

/// Messages that wait for their turn; senders of further messages retry.
const WAITING: usize = 16;

/// Messages examined besides those in progress: pings, which bypass the queue, and questions that keep their input until it is their turn.
const BESIDE: usize = 8;

/// How long messages in progress have to finish once the worker is ending.
const GRACE: Duration = Duration::from_secs(25);

/// The reason reported for calls that are not made because the worker is ending.
const TOLD_TO_END: &str = "the worker is told to end";

/// A target that can be served.
pub(super) struct ServedTarget {
    name: TargetName,
    agent: Arc<Agent>,
    who: TargetExtractor,
    /// How the agent runs, except for the question.
    options: PaginateOptions,
    /// The limit of messages in progress, and the permits for them.
    jobs: usize,
    places: Semaphore,
}

/// What answers a message.
enum TargetExtractor {
    Model(Arc<ConnectedModel>, Arc<ModelExtractor<OpenAi>>),
    Patterns(Arc<PatternExtractor>),
}

/// The targets being served.
pub(super) struct TargetServer {
    served: Vec<(Arc<ServedTarget>, Server)>,
    /// Why no model is called any more.
    stopped: Arc<OnceLock<StopError>>,
}

impl ServedTarget {
    /// Prepares the targets of these names, each once. They share the permits for concurrent calls.
    ///
    /// # Errors
    /// A usage failure for a target that does not exist, has no agent, or has one without an extractor.
    pub(super) fn all(
        names: &[String],
        settings: &Settings,
        (jobs, calls): (usize, &Arc<Semaphore>),
        around: &RunContext,
        printer: &Printer,
    ) -> Result<Vec<Self>, Failure> {
        let names: BTreeSet<&String> = names.iter().collect();
        names.into_iter().map(|name| Self::of(name, settings, (jobs, calls), around, printer)).collect()
    }

    fn of(
        name: &str,
        settings: &Settings,
        (jobs, calls): (usize, &Arc<Semaphore>),
        around: &RunContext,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let said = settings.target(name)?;
        let Some(asked) = &said.agent else {
            return Err(Failure::usage(format!("the target `{name}` has no agent, so nothing answers for it"))
                .with_hint(format!("name one in targets.{name}.agent, as for war-rig extract")));
        };
        let (agent, file) = agents::find(asked, around)?;
        let mut scribe = settings.scribe.clone();
        scribe.provider = Provider::Static;
        if let Some(model) = &said.model {
            let registry = load_registry(&scribe)?;
            warn_of_foreign_model(said, &registry, printer);
            scribe = asking(scribe, &model.name, &agent, &registry);
        } else if agent.patterns.is_empty() {
            return Err(Failure::usage(format!(
                "the target `{name}` has no model, and its agent `{}` finds nothing without one: its schema has no `x-pattern`",
                agent.name
            ))
            .with_hint(format!("name the model in targets.{name}.ai_model")));
        }
        let who = resolve::choose_extractor(scribe.provider, &agent, false)?;
        let (scribe, part) = resolve::for_model(scribe, &agent, who)?;
        let model = ConfiguredModel::new(&scribe, who == ExtractorChoice::Model, None, printer)?;
        let (max_prompt, max_part) = resolve::token_limits(&scribe, part, model.ratio);
        let custom = match &agent.pagination.merge {
            MergeMethod::Program(program) => Some(merge_program(program, None, &file, around)?),
            MergeMethod::Strategy(_) => None,
        };
        let agent = Arc::new(agent);
        let who = match who {
            ExtractorChoice::Patterns => TargetExtractor::Patterns(Arc::new(PatternExtractor::new(&agent))),
            ExtractorChoice::Model => {
                let client = model_connection::client(&scribe, crate::args::CassetteMode::None, around)?;
                let asked = model_connection::connect(&scribe, &model, (client, None), None, Money::ZERO);
                let asked = asked.with_shared_slots(Arc::clone(calls));
                let (asked, schema) = (Arc::new(asked), Arc::new(AnswerSchema::for_agent(&agent)));
                let extractor = ModelExtractor::new(Arc::clone(&asked), scribe.model.clone(), schema);
                TargetExtractor::Model(asked, Arc::new(extractor))
            }
        };
        let options = PaginateOptions {
            prompt: String::new(),
            pagination: agent.pagination.clone(),
            max_prompt,
            max_part,
            counter: TokenCounter::new(scribe.encoding),
            concurrency: scribe.concurrency.get(),
            since: 0,
            custom,
        };
        let name = TargetName::new(name).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self { name, agent, who, options, jobs, places: Semaphore::new(jobs) })
    }

    /// Returns the reply to a message. `halt` is called when no model will be called any more.
    async fn reply(&self, message: &Envelope, worker: &str, halt: &(dyn Fn(StopError) + Send + Sync)) -> TargetReply {
        match message.message_type.as_str() {
            PING => return TargetReply { answer: worker.into(), ..TargetReply::default() },
            QUESTION => {}
            _ => return TargetReply::without_answer("the target takes questions and nothing else"),
        }
        let _place = self.places.acquire().await.expect("the places are never closed");
        let read = || {
            let question = Question::from_envelope(message)?;
            Ok::<_, QuestionInputError>((question_input(&question, message)?, question))
        };
        let ((input, given), question) = match read() {
            Ok(asked) => asked,
            Err(error) => return TargetReply::without_answer(error.to_string()),
        };
        let options = PaginateOptions {
            prompt: question.prompt,
            pagination: self.pagination(given.is_some()),
            ..self.options.clone()
        };
        match self.ask(options, input).await {
            // The sender validates the merged answer of parts against the schema.
            Ok(outcome) => {
                let notes = report::loss_lines(&ExtractionOutcome { violations: Vec::new(), ..outcome.clone() });
                to_reply(&outcome, notes)
            }
            Err(error) => {
                tracing::warn!(%error, "a message has no answer");
                let problem = error.to_string();
                if let PaginateError::Stopped(stopped) = error
                    && stopped.reason != StopReason::Interrupted
                {
                    halt(stopped);
                }
                TargetReply::without_answer(problem)
            }
        }
    }

    async fn ask(&self, options: PaginateOptions, input: Input) -> Result<ExtractionOutcome, PaginateError> {
        async fn run<E: Extractor + 'static>(
            target: &ServedTarget,
            extractor: Arc<E>,
            options: PaginateOptions,
            input: Input,
        ) -> Result<ExtractionOutcome, PaginateError> {
            Paginator::new(Arc::clone(&target.agent), extractor, options).run(input).outcome().await
        }
        match &self.who {
            TargetExtractor::Model(_, extractor) => run(self, Arc::clone(extractor), options, input).await,
            TargetExtractor::Patterns(patterns) => run(self, Arc::clone(patterns), options, input).await,
        }
    }

    /// Returns how a message is read: by a model in one prompt, by patterns as the agent defines.
    fn pagination(&self, is_part: bool) -> Pagination {
        let own = self.options.pagination.clone();
        // The sender of the parts runs the agent's merge program over their answers.
        let merge = if is_part { MergeMethod::Strategy(Default::default()) } else { own.merge.clone() };
        let own = Pagination { merge, on_failure: OnFailure::Fail, ..own };
        match self.who {
            TargetExtractor::Patterns(_) => own,
            TargetExtractor::Model(..) => {
                Pagination { paginate: PaginationMode::Never, carry: false, order: PartOrder::Parallel, ..own }
            }
        }
    }

    /// Names what answers.
    fn in_words(&self) -> String {
        let by = match &self.who {
            TargetExtractor::Model(_, extractor) => format!("asks `{}`", extractor.produced_by()),
            TargetExtractor::Patterns(_) => "finds by its patterns".to_owned(),
        };
        format!("serves `{}`: the agent `{}` {by}", self.name, self.agent.name)
    }
}

/// Returns the settings for a target's model. When its window is known, the prompt settings for documents do not apply.
fn asking(scribe: ScribeSettings, model: &str, agent: &Agent, registry: &ModelRegistry) -> ScribeSettings {
    let mut scribe = ScribeSettings { provider: Provider::OpenAi, model: model.to_owned(), ..scribe };
    let info = registry.find(model);
    if let Some(info) = info {
        scribe.encoding = info.encoding;
    }
    let own = agent.model.as_ref().filter(|own| own.name == model).and_then(|own| own.context_window);
    if info.is_some() || own.is_some() {
        scribe.limits_set.prompt = false;
    }
    scribe
}

impl TargetServer {
    /// Starts serving. When a model refuses permanently, the worker is told to end.
    ///
    /// # Errors
    /// A usage failure for a target that another worker serves; status 14 when the broker is lost.
    pub(super) async fn begin(
        targets: Vec<ServedTarget>,
        link: &Link,
        (name, worker): (&str, &Worker),
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let mut serving = Self { served: Vec::new(), stopped: Arc::default() };
        for target in targets {
            look(&target.name, link).await?;
            let target = Arc::new(target);
            let server = serving.serve(&target, link, name, worker).await?;
            printer.note(&format!("worker `{name}` {}", target.in_words()));
            serving.served.push((target, server));
        }
        Ok(serving)
    }

    async fn serve(
        &self,
        target: &Arc<ServedTarget>,
        link: &Link,
        name: &str,
        worker: &Worker,
    ) -> Result<Server, Failure> {
        let limits = ServerLimits {
            at_a_time: target.jobs + BESIDE,
            waiting: WAITING,
            remember_for: KEPT_FOR,
            remembered_bytes: KEPT_BYTES,
            ..ServerLimits::default()
        };
        let (served, name): (_, Arc<str>) = (Arc::clone(target), name.into());
        let (stopped, worker) = (Arc::clone(&self.stopped), worker.clone());
        let halt: Arc<dyn Fn(StopError) + Send + Sync> = Arc::new(move |why| {
            // Only the first reason counts.
            let _ = stopped.set(why);
            worker.stop();
        });
        let handler = move |message: Envelope| {
            let (target, name, halt) = (Arc::clone(&served), Arc::clone(&name), Arc::clone(&halt));
            let trace = u128::from_be_bytes(message.trace.trace_id());
            let part = message.part.as_ref().map_or(0, |part| part.number());
            let span = tracing::info_span!("message", target = %target.name, part, trace_id = %format!("{trace:032x}"));
            async move {
                let reply = target.reply(&message, &name, halt.as_ref()).await;
                tracing::debug!(message_type = %message.message_type, has_answer = reply.problem.is_none(), "answered");
                reply.to_envelope(&message)
            }
            .instrument(span)
        };
        link.serve(&target.name.subject(), limits, handler).await.map_err(|error| lost_broker_failure(&error))
    }

    /// Accepts no further message, and lets those in progress finish.
    pub(super) async fn end(&mut self) {
        let ends = self.served.drain(..).map(|(_, server)| server.stop(GRACE));
        futures::future::join_all(ends).await;
    }

    /// Returns why no model is called any more, when the provider is the reason.
    pub(super) fn stopped(&self) -> Option<&StopError> {
        self.stopped.get()
    }

    /// Returns the models that are called.
    pub(super) fn models(&self) -> Vec<Arc<ConnectedModel>> {
        let models = self.served.iter().filter_map(|(target, _)| match &target.who {
            TargetExtractor::Model(asked, _) => Some(Arc::clone(asked)),
            TargetExtractor::Patterns(_) => None,
        });
        models.collect()
    }
}

/// Prevents further calls; those in flight finish.
pub(super) fn interrupt(models: &[Arc<ConnectedModel>]) {
    models.iter().for_each(|model| model.interrupt(TOLD_TO_END));
}

/// Adds the usage of targets' models to that of tickets.
pub(super) fn with(mut meter: CallProgress, models: &[Arc<ConnectedModel>]) -> CallProgress {
    models.iter().for_each(|model| meter += model.progress());
    meter
}

/// Verifies that no worker serves a target yet: two would both answer, and both be paid for.
async fn look(target: &TargetName, link: &Link) -> Result<(), Failure> {
    let taken = |by: String| {
        Failure::usage(format!("the target `{target}` is served already{by}"))
            .with_hint("serve each target from one worker; its messages are answered --jobs at a time")
    };
    let began = Instant::now();
    match link.request(&target.subject(), ping(target), LOOK).await {
        Ok(reply) => {
            let by =
                reply.payload.value::<TargetReply>().ok().and_then(|reply| reply.answer.as_str().map(str::to_owned));
            Err(taken(by.map(|by| format!(" by the worker `{by}`")).unwrap_or_default()))
        }
        Err(error) => match error.kind {
            RequestErrorKind::NobodyListens => Ok(()),
            // A server with permissions hides workers' answers from workers.
            RequestErrorKind::NoReply => Err(match link.broker().refused_since(began) {
                Some(refusal) => {
                    Failure::new(crate::exit::ExitStatus::Authentication, format!("the broker refuses: {refusal}"))
                        .with_hint("log in as a user who may serve targets; docs/nats-permissions.conf has one")
                }
                None => taken(String::new()),
            }),
            RequestErrorKind::NoConnection
            | RequestErrorKind::ReplyLost
            | RequestErrorKind::Refused(_)
            | RequestErrorKind::Unsendable(_)
            | RequestErrorKind::Subject
            | RequestErrorKind::Twice
            | RequestErrorKind::Closed => Err(lost_broker_failure(&error)),
        },
    }
}
