//! Checks that the model can be called, and that tokens of messages to targets can be counted.

use super::PATIENCE;
use super::finding::{DoctorFinding, DoctorSubject};
use crate::configured_model;
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection;
use crate::settings::{Provider, ScribeSettings, TargetSettings};
use std::time::Instant;
use war_rig_estimator::TokenCount;
use war_rig_llm::{CallError, CallErrorKind, ListModelsError, ModelRegistry, list_models};

/// Checks the provider, without a paid call.
pub async fn check_provider(
    scribe: &ScribeSettings,
    registry: &ModelRegistry,
    around: &RunContext,
) -> Vec<DoctorFinding> {
    match scribe.provider {
        Provider::Static => {
            let what = "`static` writes, which asks nobody";
            return vec![DoctorFinding::ok(DoctorSubject::Provider, what)];
        }
        Provider::Replay => {
            let what = "`replay` writes, which takes its answers from a file";
            return vec![DoctorFinding::ok(DoctorSubject::Provider, what)];
        }
        Provider::OpenAi => {}
    }
    let endpoint = match model_connection::endpoint(scribe, around) {
        Ok(endpoint) => endpoint,
        Err(failure) => return vec![DoctorFinding::from_failure(DoctorSubject::Provider, &failure)],
    };
    let key = match &endpoint.key {
        Some(_) => format!("the key is in `{}`", scribe.api_key_env),
        None => format!("without a key, because `{}` is not set", scribe.api_key_env),
    };
    let began = Instant::now();
    let answer = list_models(&endpoint, PATIENCE).await;
    let mut findings = match answer {
        Ok(names) => {
            let took = began.elapsed().as_millis();
            let what = format!("`{}` answers in {took} ms, {key}", scribe.base_url);
            let mut findings = vec![DoctorFinding::ok(DoctorSubject::Provider, what)];
            findings.extend(is_listed(scribe, &names));
            findings
        }
        Err(error) => vec![unlisted(scribe, &key, error)],
    };
    findings.push(known(scribe, registry));
    findings
}

/// Checks the model's name against the server's list.
fn is_listed(scribe: &ScribeSettings, names: &[String]) -> Option<DoctorFinding> {
    // Azure lists models but serves deployments; some servers list nothing.
    if scribe.is_azure() || names.is_empty() {
        return None;
    }
    let model = &scribe.model;
    // Some servers list a name with an optional tag.
    let is_it = |name: &String| name == model || name.strip_prefix(model.as_str()).is_some_and(|tag| tag == ":latest");
    if names.iter().any(is_it) {
        return Some(DoctorFinding::ok(DoctorSubject::Provider, format!("it lists the model `{model}`")));
    }
    let nearest = crate::settings::nearest(model, names.iter().map(String::as_str));
    let what = format!("it does not list the model `{model}`");
    Some(DoctorFinding::warning(DoctorSubject::Provider, what).with_advice(format!("did you mean `{nearest}`?")))
}

fn unlisted(scribe: &ScribeSettings, key: &str, error: ListModelsError) -> DoctorFinding {
    let CallError { kind, message } = match error {
        ListModelsError::Endpoint(error) => {
            let failure = Failure::usage("no client can be made for scribe.base_url").with_source(error);
            return DoctorFinding::from_failure(DoctorSubject::Provider, &failure);
        }
        ListModelsError::Call(error) => error,
    };
    let url = &scribe.base_url;
    let error = |status, what: String, advice: &str| {
        DoctorFinding::error(DoctorSubject::Provider, status, what).with_advice(advice)
    };
    match kind {
        CallErrorKind::Authentication | CallErrorKind::Quota => error(
            ExitStatus::Authentication,
            format!("`{url}` refuses ({key}): {message}"),
            "check the key in the variable that scribe.api_key_env names, and what the provider lets it do",
        ),
        CallErrorKind::Unreachable { .. } | CallErrorKind::ServerFailed { .. } | CallErrorKind::TimedOut => error(
            ExitStatus::Unavailable,
            format!("`{url}` does not answer: {message}"),
            "check scribe.base_url, and whether the server runs",
        ),
        CallErrorKind::RateLimited { .. } => DoctorFinding::warning(
            DoctorSubject::Provider,
            format!("`{url}` answers that there are too many requests: {message}"),
        )
        .with_advice("a run waits for it; set scribe.requests_per_minute where that happens often"),
        // The server exists but has no list: how it answers a call is unknown.
        CallErrorKind::UnknownModel
        | CallErrorKind::BrokenAnswer
        | CallErrorKind::ContextOverflow(_)
        | CallErrorKind::NotSupported(_)
        | CallErrorKind::Filtered
        | CallErrorKind::Rejected => DoctorFinding::warning(
            DoctorSubject::Provider,
            format!("`{url}` answers ({key}), but lists no models: {message}"),
        )
        .with_advice("see that scribe.base_url is right, which mostly ends in /v1; some servers have no list"),
    }
}

fn known(scribe: &ScribeSettings, registry: &ModelRegistry) -> DoctorFinding {
    let model = &scribe.model;
    match registry.find(model) {
        Some(info) => {
            let what = format!("`{model}` takes {} tokens, prompt and answer together", info.context_window);
            DoctorFinding::ok(DoctorSubject::Provider, what)
        }
        None => DoctorFinding::note(
            DoctorSubject::Provider,
            format!(
                "nothing is known of `{model}`: its window is learned from its server, and its price counts as nothing"
            ),
        )
        .with_advice("add it to the file that scribe.models names; `war-rig models` shows those that are known"),
    }
}

/// Checks that tokens of messages to targets can be counted.
pub fn check_targets(targets: &[TargetSettings], registry: &ModelRegistry) -> Vec<DoctorFinding> {
    targets.iter().map(|target| of_target(target, registry)).collect()
}

fn of_target(target: &TargetSettings, registry: &ModelRegistry) -> DoctorFinding {
    let name = &target.name;
    let path = match &target.chunking {
        Some(chunking) => format!("messages over {} bytes travel in pieces", chunking.max_payload_size),
        None => "messages that are too large for the broker are refused".to_owned(),
    };
    let (Some(model), Some(budget)) = (&target.model, target.token_budget) else {
        return DoctorFinding::ok(DoctorSubject::Targets, format!("`{name}`: nothing is counted in tokens; {path}"));
    };
    if let Some(what) = configured_model::foreign_model_warning(target, registry) {
        return DoctorFinding::warning(DoctorSubject::Targets, what).with_advice(configured_model::ADD_PROVIDER_HINT);
    }
    match registry.find(&model.name) {
        None => {
            let failure = Failure::usage(format!(
                "`{name}`: nothing is known of the model `{}`, so that no message to it can be counted",
                model.name
            ));
            let nearest = registry.nearest(&model.name).map(|nearest| format!("did you mean `{nearest}`? "));
            let advice = "a model that is not built in goes into the file that scribe.models names";
            DoctorFinding::from_failure(
                DoctorSubject::Targets,
                &failure.with_hint(format!("{}{advice}", nearest.unwrap_or_default())),
            )
        }
        Some(info) => {
            let parts = budget.limit(info.context_window);
            if parts == TokenCount::ZERO {
                let failure =
                    Failure::usage(format!("`{name}`: the window of `{}` leaves no room for a message", model.name));
                let advice = "lower the safety margin, or name a model with a larger window";
                return DoctorFinding::from_failure(DoctorSubject::Targets, &failure.with_hint(advice));
            }
            DoctorFinding::ok(
                DoctorSubject::Targets,
                format!("`{name}`: `{}` is sent at most {parts} tokens at a time; {path}", model.name),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::DoctorLevel;
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;

    fn settings(text: &str) -> Settings {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap()
    }

    #[test]
    fn a_name_is_held_against_the_list() {
        let check = |names: &[&str], level: Option<DoctorLevel>| {
            let scribe = settings("[scribe]\nmodel = \"llama3\"\n").scribe;
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(is_listed(&scribe, &names).map(|finding| finding.level), level, "{names:?}");
        };
        check(&["a", "llama3"], Some(DoctorLevel::Ok));
        check(&["llama3:latest"], Some(DoctorLevel::Ok));
        check(&["llama3:8b"], Some(DoctorLevel::Warning));
        check(&[], None);
    }

    #[test]
    fn what_a_server_says_decides_how_grave_it_is() {
        let scribe = settings("").scribe;
        for (kind, level) in [
            (CallErrorKind::Authentication, DoctorLevel::Error(ExitStatus::Authentication)),
            (CallErrorKind::Unreachable { was_sent: false }, DoctorLevel::Error(ExitStatus::Unavailable)),
            (CallErrorKind::RateLimited { retry_after: None }, DoctorLevel::Warning),
            (CallErrorKind::UnknownModel, DoctorLevel::Warning),
            (CallErrorKind::BrokenAnswer, DoctorLevel::Warning),
        ] {
            let finding = unlisted(&scribe, "without a key", CallError::new(kind, "no").into());
            assert_eq!(finding.level, level, "{kind:?}");
            assert!(finding.advice.is_some());
        }
    }

    #[test]
    fn a_target_whose_messages_cannot_be_counted_is_an_error() {
        let text = "[targets.a]\nai_model = \"gpt-4o\"\nai_provider = \"openai\"\n[targets.b]\nai_model = \"gpt-4oo\"\n[targets.c]\nchunking.enabled = false\n\
                    [targets.d]\nai_model = \"gpt-4o\"\nai_provider = \"azure\"\n[targets.e]\nai_model = \"own\"\ntoken_budget.enabled = false\n";
        let findings = check_targets(&settings(text).targets, &ModelRegistry::built_in());
        let levels: Vec<DoctorLevel> = findings.iter().map(|finding| finding.level).collect();
        assert_eq!(
            levels,
            [
                DoctorLevel::Ok,
                DoctorLevel::Error(ExitStatus::Usage),
                DoctorLevel::Ok,
                DoctorLevel::Warning,
                DoctorLevel::Ok
            ]
        );
        assert_eq!(
            findings[0].what,
            "`a`: `gpt-4o` is sent at most 90660 tokens at a time; messages over 1000000 bytes travel in pieces"
        );
        assert!(findings[1].advice.as_ref().unwrap().starts_with("did you mean `gpt-4o`? "));
    }
}
