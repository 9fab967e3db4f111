//! Whether the model can be asked, and whether what is sent to targets can be counted.

use super::PATIENCE;
use super::finding::{About, Finding, Level};
use crate::connection;
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model;
use crate::settings::{Provider, ScribeSettings, TargetSettings};
use std::time::Instant;
use war_rig_estimator::TokenCount;
use war_rig_llm::{CallError, CallErrorKind, ListModelsError, ModelRegistry, list_models};

/// Looks at the provider, without a call that is paid for.
pub async fn look(scribe: &ScribeSettings, registry: &ModelRegistry, around: &RunContext) -> Vec<Finding> {
    match scribe.provider {
        Provider::Static => {
            let what = "`static` writes, which asks nobody";
            return vec![Finding::new(About::Provider, Level::Ok, what)];
        }
        Provider::Replay => {
            let what = "`replay` writes, which takes its answers from a file";
            return vec![Finding::new(About::Provider, Level::Ok, what)];
        }
        Provider::OpenAi => {}
    }
    let endpoint = match connection::endpoint(scribe, around) {
        Ok(endpoint) => endpoint,
        Err(failure) => return vec![Finding::of_failure(About::Provider, &failure)],
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
            let mut findings = vec![Finding::new(About::Provider, Level::Ok, what)];
            findings.extend(is_listed(scribe, &names));
            findings
        }
        Err(error) => vec![unlisted(scribe, &key, error)],
    };
    findings.push(known(scribe, registry));
    findings
}

/// What is wrong with the model's name, as far as the server's list says.
fn is_listed(scribe: &ScribeSettings, names: &[String]) -> Option<Finding> {
    // Azure lists models, and a deployment is asked; some servers list nothing.
    if scribe.is_azure() || names.is_empty() {
        return None;
    }
    let model = &scribe.model;
    // Some servers list a name with a tag that need not be given.
    let is_it = |name: &String| {
        name == model || name.strip_prefix(model.as_str()).is_some_and(|tag| tag == ":latest")
    };
    if names.iter().any(is_it) {
        return Some(Finding::new(About::Provider, Level::Ok, format!("it lists the model `{model}`")));
    }
    let nearest = crate::settings::nearest(model, names.iter().map(String::as_str));
    let what = format!("it does not list the model `{model}`");
    Some(
        Finding::new(About::Provider, Level::Warning, what).with_advice(format!("did you mean `{nearest}`?")),
    )
}

fn unlisted(scribe: &ScribeSettings, key: &str, error: ListModelsError) -> Finding {
    let CallError { kind, message } = match error {
        ListModelsError::Endpoint(error) => {
            let failure = Failure::usage("no client can be made for scribe.base_url").because(error);
            return Finding::of_failure(About::Provider, &failure);
        }
        ListModelsError::Call(error) => error,
    };
    let url = &scribe.base_url;
    let error = |status, what: String, advice: &str| {
        Finding::new(About::Provider, Level::Error(status), what).with_advice(advice)
    };
    match kind {
        CallErrorKind::Authentication | CallErrorKind::Quota => error(
            ExitStatus::Authentication,
            format!("`{url}` refuses ({key}): {message}"),
            "check the key in the variable that scribe.api_key_env names, and what the provider lets it do",
        ),
        CallErrorKind::Unreachable { .. } | CallErrorKind::ServerFailed { .. } | CallErrorKind::TimedOut => {
            error(
                ExitStatus::Unavailable,
                format!("`{url}` does not answer: {message}"),
                "check scribe.base_url, and whether the server runs",
            )
        }
        CallErrorKind::RateLimited { .. } => Finding::new(
            About::Provider,
            Level::Warning,
            format!("`{url}` answers that there are too many requests: {message}"),
        )
        .with_advice("a run waits for it; set scribe.requests_per_minute where that happens often"),
        // There is a server, and it has no list: what it says to a call is not known.
        CallErrorKind::UnknownModel
        | CallErrorKind::BrokenAnswer
        | CallErrorKind::ContextOverflow(_)
        | CallErrorKind::NotSupported(_)
        | CallErrorKind::Filtered
        | CallErrorKind::Rejected => Finding::new(
            About::Provider,
            Level::Warning,
            format!("`{url}` answers ({key}), but lists no models: {message}"),
        )
        .with_advice(
            "see that scribe.base_url is right, which mostly ends in /v1; some servers have no list",
        ),
    }
}

fn known(scribe: &ScribeSettings, registry: &ModelRegistry) -> Finding {
    let model = &scribe.model;
    match registry.find(model) {
        Some(info) => {
            let what = format!("`{model}` takes {} tokens, prompt and answer together", info.context_window);
            Finding::new(About::Provider, Level::Ok, what)
        }
        None => Finding::new(
            About::Provider,
            Level::Note,
            format!("nothing is known of `{model}`: its window is learned from its server, and its price counts as nothing"),
        )
        .with_advice("add it to the file that scribe.models names; `war-rig models` shows those that are known"),
    }
}

/// Whether what is sent to targets can be counted.
pub fn targets(targets: &[TargetSettings], registry: &ModelRegistry) -> Vec<Finding> {
    targets.iter().map(|target| of_target(target, registry)).collect()
}

fn of_target(target: &TargetSettings, registry: &ModelRegistry) -> Finding {
    let name = &target.name;
    let path = match &target.chunking {
        Some(chunking) => format!("messages over {} bytes travel in pieces", chunking.max_payload_size),
        None => "messages that are too large for the broker are refused".to_owned(),
    };
    let (Some(model), Some(budget)) = (&target.model, target.token_budget) else {
        return Finding::new(
            About::Targets,
            Level::Ok,
            format!("`{name}`: nothing is counted in tokens; {path}"),
        );
    };
    if let Some(what) = model::of_another(target, registry) {
        return Finding::new(About::Targets, Level::Warning, what).with_advice(model::ADD_WITH_PROVIDER);
    }
    match registry.find(&model.name) {
        None => {
            let failure = Failure::usage(format!(
                "`{name}`: nothing is known of the model `{}`, so that no message to it can be counted",
                model.name
            ));
            let nearest = registry.nearest(&model.name).map(|nearest| format!("did you mean `{nearest}`? "));
            let advice = "a model that is not built in goes into the file that scribe.models names";
            Finding::of_failure(
                About::Targets,
                &failure.with_hint(format!("{}{advice}", nearest.unwrap_or_default())),
            )
        }
        Some(info) => {
            let parts = budget.limit(info.context_window);
            if parts == TokenCount::ZERO {
                let failure = Failure::usage(format!(
                    "`{name}`: the window of `{}` leaves no room for a message",
                    model.name
                ));
                let advice = "lower the safety margin, or name a model with a larger window";
                return Finding::of_failure(About::Targets, &failure.with_hint(advice));
            }
            Finding::new(
                About::Targets,
                Level::Ok,
                format!("`{name}`: `{}` is sent at most {parts} tokens at a time; {path}", model.name),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;

    fn settings(text: &str) -> Settings {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap()
    }

    #[test]
    fn a_name_is_held_against_the_list() {
        let check = |names: &[&str], level: Option<Level>| {
            let scribe = settings("[scribe]\nmodel = \"llama3\"\n").scribe;
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(is_listed(&scribe, &names).map(|finding| finding.level), level, "{names:?}");
        };
        check(&["a", "llama3"], Some(Level::Ok));
        check(&["llama3:latest"], Some(Level::Ok));
        check(&["llama3:8b"], Some(Level::Warning));
        check(&[], None);
    }

    #[test]
    fn what_a_server_says_decides_how_grave_it_is() {
        let scribe = settings("").scribe;
        for (kind, level) in [
            (CallErrorKind::Authentication, Level::Error(ExitStatus::Authentication)),
            (CallErrorKind::Unreachable { was_sent: false }, Level::Error(ExitStatus::Unavailable)),
            (CallErrorKind::RateLimited { retry_after: None }, Level::Warning),
            (CallErrorKind::UnknownModel, Level::Warning),
            (CallErrorKind::BrokenAnswer, Level::Warning),
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
        let findings = targets(&settings(text).targets, &ModelRegistry::built_in());
        let levels: Vec<Level> = findings.iter().map(|finding| finding.level).collect();
        assert_eq!(
            levels,
            [Level::Ok, Level::Error(ExitStatus::Usage), Level::Ok, Level::Warning, Level::Ok]
        );
        assert_eq!(
            findings[0].what,
            "`a`: `gpt-4o` is sent at most 90660 tokens at a time; messages over 1000000 bytes travel in pieces"
        );
        assert!(findings[1].advice.as_ref().unwrap().starts_with("did you mean `gpt-4o`? "));
    }
}
