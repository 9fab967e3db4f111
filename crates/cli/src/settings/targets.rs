//! The sections `[targets.NAME]` as the commands use them.

use super::broker::PAYLOAD;
use super::judge::{HELD, Judge, set};
use super::options::{ChunkingOptions, TargetOptions, TokenBudgetOptions};
use crate::failure::Failure;
use std::collections::BTreeMap;
use war_rig_envelope::{
    Chunking, FractionError, Overlap, SafetyMargin, Strategy, Target, TargetModel, TokenBudget,
};
use war_rig_estimator::TokenCount;

/// What messages are sent to.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSettings {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// The agent that answers, by the name or the file of `war-rig extract`; none where it is none of ours.
    pub agent: Option<String>,
    /// The model that reads what is sent; none where it is no model, and nothing is counted in tokens.
    pub model: Option<NamedModel>,
    /// What a message may weigh in tokens; none where that is not asked for, or there is no model.
    pub token_budget: Option<TokenBudget>,
    /// How a message travels that is too large for the broker; none where it is not sent then.
    pub chunking: Option<Chunking>,
}

/// The model of a target, by name: nothing is known of it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// Who serves it; none where its name alone says so.
    pub provider: Option<String>,
    /// Its name.
    pub name: String,
}

/// The strategies that can be asked for.
const STRATEGIES: [Strategy; 3] = [Strategy::Auto, Strategy::Json, Strategy::Text];

/// The most characters of a name, which becomes a part of a subject.
const LONGEST_NAME: usize = 64;

impl TargetSettings {
    /// Judges what is said of all targets.
    ///
    /// # Errors
    /// A usage failure for a value that is not legal, with the place that set it.
    pub(super) fn judged(
        from: &Judge<'_>,
        targets: &BTreeMap<String, TargetOptions>,
    ) -> Result<Vec<Self>, Failure> {
        targets.iter().map(|(name, said)| Self::judge(from, name, &said.completed())).collect()
    }

    /// The target, with its model as it is known; a message has at most so many bytes where nothing else is said.
    pub fn as_target(&self, model: Option<TargetModel>, max_payload: usize) -> Target {
        let counted_by_nobody = TokenBudget { enabled: false, ..TokenBudget::default() };
        let max_payload_size =
            self.chunking.map_or(max_payload, |chunking| chunking.max_payload_size.min(max_payload));
        let never_cut = Chunking { enabled: false, ..Chunking::default() };
        Target {
            name: self.name.clone(),
            model,
            token_budget: self.token_budget.unwrap_or(counted_by_nobody),
            chunking: Chunking { max_payload_size, ..self.chunking.unwrap_or(never_cut) },
        }
    }

    fn judge(from: &Judge<'_>, name: &str, target: &TargetOptions) -> Result<Self, Failure> {
        let path = |key: &str| format!("targets.{name}.{key}");
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !is_name {
            return Err(from
                .fail(&format!("targets.{name}"), &format!("`{name}` is no name of a target"))
                .with_hint(format!("use letters, digits, `-` and `_`, at most {LONGEST_NAME} of them")));
        }
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let provider = some(set(&target.ai_provider));
        let model = some(set(&target.ai_model));
        if provider.is_some() && model.is_none() {
            return Err(from
                .fail(
                    &path("ai_provider"),
                    &format!("`{}` names who serves a model, and there is no model", path("ai_provider")),
                )
                .with_hint(format!("name it in `{}`, or leave the provider out", path("ai_model"))));
        }
        let model = model.map(|name| NamedModel { provider, name });
        let budget = target.token_budget.as_ref().expect(HELD);
        let chunking = target.chunking.as_ref().expect(HELD);
        let enabled = path("token_budget.enabled");
        if model.is_none() && budget.enabled == Some(true) && from.is_set(&enabled) {
            return Err(from
                .fail(&enabled, &format!("`{enabled}` counts tokens, and there is no model that counts them"))
                .with_hint(format!("name the model in `{}`, or leave the key out", path("ai_model"))));
        }
        // What is switched off is judged all the same, so that a slip shows before it is switched on.
        let token_budget = token_budget(from, &path("token_budget"), budget)?;
        let is_counted = model.is_some() && budget.enabled.expect(HELD);
        let chunks = how_chunked(from, &path("chunking"), chunking)?;
        Ok(Self {
            name: name.to_owned(),
            agent: some(set(&target.agent)),
            model,
            token_budget: is_counted.then_some(token_budget),
            chunking: chunking.enabled.expect(HELD).then_some(chunks),
        })
    }
}

fn token_budget(from: &Judge<'_>, path: &str, budget: &TokenBudgetOptions) -> Result<TokenBudget, Failure> {
    let max_chunk_size = from.positive(&format!("{path}.max_chunk_size"), budget.max_chunk_size)?;
    Ok(TokenBudget {
        enabled: true,
        safety_margin: from.share(
            &format!("{path}.safety_margin"),
            budget.safety_margin,
            SafetyMargin::new,
        )?,
        max_chunk_size: TokenCount::new(max_chunk_size.get().into()),
        chunk_overlap: from.share(&format!("{path}.chunk_overlap"), budget.chunk_overlap, Overlap::new)?,
    })
}

fn how_chunked(from: &Judge<'_>, path: &str, chunking: &ChunkingOptions) -> Result<Chunking, Failure> {
    let strategies = STRATEGIES.map(|strategy| (strategy.as_str(), strategy));
    Ok(Chunking {
        enabled: true,
        strategy: from.named(&format!("{path}.strategy"), set(&chunking.strategy), &strategies)?,
        max_payload_size: from.within(
            &format!("{path}.max_payload_size"),
            chunking.max_payload_size,
            &PAYLOAD,
        )?,
    })
}

impl Judge<'_> {
    /// A share, as far as whoever makes it takes the number.
    fn share<T>(
        &self,
        path: &str,
        value: Option<f64>,
        make: fn(f64) -> Result<T, FractionError>,
    ) -> Result<T, Failure> {
        make(value.expect(HELD)).map_err(|FractionError { value, most }| {
            let failure = self.must(path, &format!("a share between 0 and {most}"), value);
            if value > 1.0 && value <= 100.0 {
                failure.with_hint(format!("{value} % is written as {}", value / 100.0))
            } else {
                failure
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;

    fn resolve(text: &str) -> Result<Vec<TargetSettings>, Failure> {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap())
            .map(|settings| settings.targets)
    }

    #[test]
    fn a_target_has_the_usual_limits_where_it_names_none() {
        let targets = resolve("[targets.notes]\nagent = \"release-notes\"\nai_provider = \"openai\"\nai_model = \"gpt-4o\"\n[targets.archive]\n").unwrap();
        let chunking = Chunking { enabled: true, strategy: Strategy::Auto, max_payload_size: 1_000_000 };
        let archive = TargetSettings {
            name: "archive".to_owned(),
            agent: None,
            model: None,
            token_budget: None,
            chunking: Some(chunking),
        };
        let notes = TargetSettings {
            name: "notes".to_owned(),
            agent: Some("release-notes".to_owned()),
            model: Some(NamedModel { provider: Some("openai".to_owned()), name: "gpt-4o".to_owned() }),
            token_budget: Some(TokenBudget {
                enabled: true,
                safety_margin: SafetyMargin::new(0.10).unwrap(),
                max_chunk_size: TokenCount::new(150_000),
                chunk_overlap: Overlap::new(0.15).unwrap(),
            }),
            chunking: Some(chunking),
        };
        assert_eq!(targets, [archive, notes]);
        assert_eq!(resolve("").unwrap(), []);
    }

    #[test]
    fn what_is_said_holds() {
        let text = "[targets.a]\nai_model = \"m\"\ntoken_budget = { safety_margin = 0, max_chunk_size = 500, chunk_overlap = 0.5 }\n[targets.a.chunking]\nstrategy = \"json\"\nmax_payload_size = 4096\n\
                    [targets.b]\nai_model = \"m\"\ntoken_budget.enabled = false\nchunking.enabled = false\n";
        let targets = resolve(text).unwrap();
        let budget = TokenBudget {
            enabled: true,
            safety_margin: SafetyMargin::new(0.0).unwrap(),
            max_chunk_size: TokenCount::new(500),
            chunk_overlap: Overlap::new(0.5).unwrap(),
        };
        assert_eq!(targets[0].token_budget, Some(budget));
        let chunking = Chunking { enabled: true, strategy: Strategy::Json, max_payload_size: 4096 };
        assert_eq!(targets[0].chunking, Some(chunking));
        assert_eq!((targets[1].token_budget, targets[1].chunking), (None, None));
        // No message is larger than the broker takes, and no smaller limit is made up where nothing is cut.
        let sizes = |at: usize, broker| targets[at].as_target(None, broker).chunking.max_payload_size;
        assert_eq!((sizes(0, 1_000_000), sizes(0, 4000)), (4096, 4000));
        assert_eq!((sizes(1, 2_000_000), sizes(1, 4000)), (2_000_000, 4000));
    }

    #[test]
    fn what_cannot_be_is_told_with_its_line() {
        for (text, line, hint) in [
            (
                "[targets.\"a b\"]\n",
                "war_rig.toml:1: `a b` is no name of a target",
                Some("use letters, digits, `-` and `_`, at most 64 of them"),
            ),
            (
                "[targets.a]\nai_provider = \"openai\"\n",
                "war_rig.toml:2: `targets.a.ai_provider` names who serves a model, and there is no model",
                Some("name it in `targets.a.ai_model`, or leave the provider out"),
            ),
            (
                "[targets.a]\ntoken_budget = { enabled = true }\n",
                "war_rig.toml:2: `targets.a.token_budget.enabled` counts tokens, and there is no model that counts them",
                Some("name the model in `targets.a.ai_model`, or leave the key out"),
            ),
            (
                "[targets.a]\n[targets.a.token_budget]\nchunk_overlap = 15\n",
                "war_rig.toml:3: `targets.a.token_budget.chunk_overlap` must be a share between 0 and 0.5, not `15`",
                Some("15 % is written as 0.15"),
            ),
            (
                "[targets.a]\ntoken_budget.safety_margin = -0.1\n",
                "war_rig.toml:2: `targets.a.token_budget.safety_margin` must be a share between 0 and 0.9, not `-0.1`",
                None,
            ),
            (
                "[targets.a]\ntoken_budget.max_chunk_size = 0\n",
                "war_rig.toml:2: `targets.a.token_budget.max_chunk_size` must be between 1 and 4294967295, not `0`",
                None,
            ),
            (
                "[targets.a]\nchunking.strategy = \"bytes\"\n",
                "war_rig.toml:2: `targets.a.chunking.strategy` must be one of auto, json, text, not `bytes`",
                None,
            ),
            (
                "[targets.a]\nchunking = { enabled = false, max_payload_size = 1 }\n",
                "war_rig.toml:2: `targets.a.chunking.max_payload_size` must be between 4096 and 67108864, not `1`",
                None,
            ),
        ] {
            let failure = resolve(text).unwrap_err();
            assert_eq!(failure.line(), line);
            assert_eq!(failure.hint(), hint, "{line}");
        }
    }
}
