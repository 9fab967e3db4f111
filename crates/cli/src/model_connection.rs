//! Turns settings into a model client.

use crate::args::CassetteMode as TapeChoice;
use crate::configured_model::{self, ConfiguredModel};
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::settings::ScribeSettings;
use std::path::Path;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{
    CallLog, Cassette, CassetteError, Dialect, Endpoint, LimitName, ModelOptions, Money, OpenAi, OutputLimitParameter,
    RateLimits, RequestFeature, RequestParameters, ResponseFormat, StopReason,
};
use war_rig_pool::Planner;
use war_rig_scribe::ModelScribe;

/// A model behind a server, a record, or both.
pub type ConnectedModel = war_rig_llm::ModelClient<OpenAi>;

/// The share of our own count of a prompt below which the server must have dropped a part of it. The first is for a model that is known to count as
/// we do, the second for others: encodings of different models count COBOL within a third of each other, and the heuristic up to 1.6 times too many.
const DROPPED_BELOW_OWN: f64 = 0.8;
const DROPPED_BELOW_OTHER: f64 = 0.6;
const DROPPED_BELOW_ESTIMATE: f64 = 0.35;

/// How much a prompt may exceed our count, as a share: for a model that is known to count as we do, and for others.
const MARGIN_OWN: f64 = 0.02;
const MARGIN_OTHER: f64 = 0.4;

/// Creates the client of the server, if one is needed; sends nothing yet.
///
/// # Errors
/// A usage failure when a key, a header, a file or an address cannot be used.
pub fn client(scribe: &ScribeSettings, tape: TapeChoice<'_>, around: &RunContext) -> Result<Option<OpenAi>, Failure> {
    if tape.calls_model(scribe.provider) { new_client(scribe, around).map(Some) } else { Ok(None) }
}

/// Combines a client, a record and a call log into a model; `spent` already counts against its cap.
pub fn connect(
    scribe: &ScribeSettings,
    model: &ConfiguredModel,
    (client, record): (Option<OpenAi>, Option<Cassette>),
    journal: Option<Arc<dyn CallLog>>,
    spent: Money,
) -> ConnectedModel {
    let counter = TokenCounter::new(scribe.encoding);
    let asked = ConnectedModel::new(client, record, counter, options(scribe, model, spent));
    match journal {
        Some(journal) => asked.with_call_log(journal, parameters(scribe)),
        None => asked,
    }
}

/// Lets a Scribe write overviews, if the planner plans them, and about functions, if the settings want that: by the same model, or by the one that the
/// settings name for it. Also returns that other model, for what it learns about its server.
///
/// # Errors
/// As [`client`].
pub fn with_overviews(
    writer: ModelScribe<OpenAi>,
    asked: &Arc<ConnectedModel>,
    (scribe, model, planner): (&ScribeSettings, &ConfiguredModel, &Planner),
    calls_model: bool,
    around: &RunContext,
) -> Result<(ModelScribe<OpenAi>, Option<Arc<ConnectedModel>>), Failure> {
    if planner.overview_limit().is_none() && !scribe.functions {
        return Ok((writer, None));
    }
    let other = match (configured_model::overview_settings(scribe), &model.overview) {
        (Some(scribe), Some(model)) => {
            let client = if calls_model { Some(new_client(&scribe, around)?) } else { None };
            let options = options(&scribe, model, Money::ZERO);
            Some(Arc::new(asked.for_other_model(client, options, parameters(&scribe))))
        }
        _ => None,
    };
    let by = other.as_ref().unwrap_or(asked);
    let writer = match planner.overview_limit() {
        Some(limit) => writer.with_overview_by(Arc::clone(by), limit),
        None => writer,
    };
    let writer = match scribe.functions {
        true => writer.with_estate_words_by(Arc::clone(by), model.overview_limit(scribe, planner)?),
        false => writer,
    };
    Ok((writer, other))
}

/// Returns how a model is called; `spent` already counts against its cap.
fn options(scribe: &ScribeSettings, model: &ConfiguredModel, spent: Money) -> ModelOptions {
    let counts_as_we_do =
        model.ratio == 1.0 && model.info.as_ref().is_some_and(|info| info.encoding == scribe.encoding);
    let dropped_below = match scribe.encoding {
        TokenizerEncoding::Heuristic => DROPPED_BELOW_ESTIMATE,
        TokenizerEncoding::O200kBase | TokenizerEncoding::Cl100kBase if counts_as_we_do => DROPPED_BELOW_OWN,
        TokenizerEncoding::O200kBase | TokenizerEncoding::Cl100kBase => DROPPED_BELOW_OTHER,
    };
    let margin = if counts_as_we_do { MARGIN_OWN } else { MARGIN_OTHER };
    ModelOptions {
        service_tier: scribe.service_tier.clone(),
        margin,
        limits: RateLimits {
            concurrency: scribe.concurrency.get(),
            requests_per_minute: scribe.requests_per_minute,
            tokens_per_minute: scribe.tokens_per_minute,
            max_wait: scribe.longest_wait(),
            outage: scribe.outage,
        },
        dialect: dialect(scribe, model),
        pinned: pinned(scribe),
        cap: scribe.budget,
        spent,
        info: model.info.clone(),
        token_ratio: model.ratio,
        max_answer: TokenCount::new(scribe.max_completion_tokens.get().into()),
        dropped_below,
    }
}

/// The reason reported for calls that are not made because the user interrupted the run.
pub const INTERRUPTED_REASON: &str = "the run was interrupted";

/// Returns the exit status when no further call was made, and what to do about it.
pub fn stop_status(reason: StopReason) -> (ExitStatus, &'static str) {
    match reason {
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
        StopReason::Deferred => (ExitStatus::Waiting, "run again when the batch is done"),
    }
}

fn dialect(scribe: &ScribeSettings, model: &ConfiguredModel) -> Dialect {
    Dialect {
        format: scribe.answer_format.unwrap_or(ResponseFormat::JsonSchema),
        limit: scribe.answer_limit.unwrap_or(match model.info.as_ref().map(|info| info.answer_limit) {
            Some(LimitName::MaxCompletionTokens) => OutputLimitParameter::MaxCompletionTokens,
            // Every server knows the older name.
            Some(LimitName::MaxTokens) | None => OutputLimitParameter::MaxTokens,
        }),
        temperature: scribe.send_temperature && model.info.as_ref().is_none_or(|info| info.temperature),
        service_tier: scribe.service_tier.is_some(),
        reasoning_effort: scribe.reasoning_effort.is_some(),
    }
}

/// Request features that the settings name explicitly stay as they are.
fn pinned(scribe: &ScribeSettings) -> Vec<RequestFeature> {
    let mut pinned = Vec::new();
    if scribe.answer_format.is_some() {
        pinned.push(RequestFeature::AnswerFormat);
    }
    if scribe.answer_limit.is_some() {
        pinned.push(RequestFeature::AnswerLimit);
    }
    pinned
}

fn new_client(scribe: &ScribeSettings, around: &RunContext) -> Result<OpenAi, Failure> {
    OpenAi::new(endpoint(scribe, around)?)
        .map_err(|error| Failure::usage("no client can be made for scribe.base_url").with_source(error))
}

/// Returns where the model is served and how it is called, including the key and the headers from the environment.
///
/// # Errors
/// A usage failure when a key, a header or a file cannot be used.
pub fn endpoint(scribe: &ScribeSettings, around: &RunContext) -> Result<Endpoint, Failure> {
    let variables = |name: &str| around.variable(name);
    if scribe.is_azure() && scribe.api_version.is_none() {
        return Err(Failure::usage("scribe.api_version is not set, and Azure OpenAI takes no call without it")
            .with_hint("set it to a version of the interface, such as `2024-10-21`; scribe.model is the name of the deployment"));
    }
    let authorities = scribe.ca_file.as_ref().map(|path| {
        std::fs::read(path).map_err(|error| {
            Failure::cannot_read(path, error)
                .with_hint("scribe.ca_file names the file; its path is relative to the settings")
        })
    });
    let headers = scribe.header_values(&variables)?;
    Ok(Endpoint {
        key: scribe.api_key(&variables)?,
        headers,
        proxy: scribe.proxy.clone(),
        authorities: authorities.transpose()?,
        ..unconnected_endpoint(scribe)
    })
}

/// Returns a client that words requests and cannot send them, and how it words them.
///
/// # Errors
/// As [`client`].
pub fn wording_client(scribe: &ScribeSettings, model: &ConfiguredModel) -> Result<(OpenAi, Dialect), Failure> {
    let client = OpenAi::new(unconnected_endpoint(scribe))
        .map_err(|error| Failure::usage("no client can be made for scribe.base_url").with_source(error))?;
    Ok((client, dialect(scribe, model)))
}

/// Returns what requests say, without what is needed to send them.
fn unconnected_endpoint(scribe: &ScribeSettings) -> Endpoint {
    Endpoint {
        base_url: scribe.base_url.clone(),
        model: scribe.model.clone(),
        key: None,
        api_version: scribe.api_version.clone(),
        headers: Vec::new(),
        proxy: None,
        authorities: None,
        temperature: scribe.temperature.get(),
        service_tier: scribe.service_tier.clone(),
        reasoning_effort: scribe.reasoning_effort.clone(),
        max_answer: scribe.max_completion_tokens.get().into(),
        total: scribe.call_time(),
        idle: scribe.idle_timeout,
    }
}

fn parameters(scribe: &ScribeSettings) -> RequestParameters {
    RequestParameters {
        model: scribe.model.clone(),
        temperature: scribe.send_temperature.then(|| scribe.temperature.get().to_string()),
        max_answer: scribe.max_completion_tokens.get().into(),
        reasoning_effort: scribe.reasoning_effort.clone(),
    }
}

/// Opens the record that answers are read from or written to, if there is one.
///
/// # Errors
/// A usage failure when a record exists where none should, or it cannot be read; a storage failure when none can be created.
pub fn open_cassette(scribe: &ScribeSettings, tape: TapeChoice<'_>) -> Result<Option<Cassette>, Failure> {
    let parameters = parameters(scribe);
    let (path, opened) = match tape {
        TapeChoice::None => return Ok(None),
        TapeChoice::Record(path) => (path, Cassette::create(path, parameters)),
        TapeChoice::Replay(path) => (path, Cassette::open(path, parameters, false)),
        TapeChoice::RecordMissing(path) => (path, Cassette::open(path, parameters, true)),
    };
    opened.map(Some).map_err(|error| told(path, error))
}

fn told(path: &Path, error: CassetteError) -> Failure {
    match error {
        CassetteError::Exists => Failure::usage(format!("{}: {error}", path.display()))
            .with_hint("add to it with --replay FILE --record-missing, or name another file"),
        CassetteError::Unreadable { .. } => {
            Failure::usage(format!("{}: {error}", path.display())).with_hint("record it again with --record FILE")
        }
        CassetteError::Io { what: "read", source } => Failure::cannot_read(path, source),
        CassetteError::Io { source, .. } => Failure::cannot_write(path, source),
    }
}
