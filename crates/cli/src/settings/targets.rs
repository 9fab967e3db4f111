//! The sections `[targets.NAME]`: the options, and the typed settings for the commands.

use super::broker::PAYLOAD;
use super::key::Key;
use super::places::Places;
use super::table::section;
use super::validate::Setting;
use super::values::{from_value, nested, overlaid};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use war_rig_envelope::{
    Chunking, EnvelopeTarget, FractionError, Overlap, SafetyMargin, SplitStrategy, TargetModel, TokenBudget,
};
use war_rig_estimator::TokenCount;

section! {
    /// A section `[targets.NAME]`.
    TargetOptions => TargetValues at "targets.NAME" {
        /// The agent that answers: its file, or the name of one in `agents/` or of one that is built in.
        agent: String = "" => agent: Option<String> = trimmed;
        /// Who serves its model, as `war-rig models` lists it; empty where the model's name says it.
        ai_provider: String = "" => provider: Option<String> = trimmed;
        /// The model that reads what is sent. Empty says that it is no model: nothing is counted in tokens then.
        ai_model: String = "" => model: Option<String> = trimmed;
    }
    tables {
        /// What a message to it may weigh in tokens.
        token_budget: TokenBudgetOptions,
        /// How a message to it travels.
        chunking: ChunkingOptions,
    }
}

section! {
    /// The table `token_budget` of a target.
    TokenBudgetOptions => TokenBudgetValues at "targets.NAME.token_budget" {
        /// Whether messages are counted before they are sent; one over the budget is sent in parts, and the answers are merged.
        enabled: bool = TokenBudget::default().enabled => enabled: bool = any;
        /// The share of the model's room that is left free.
        safety_margin: f64 = TokenBudget::default().safety_margin.get() => safety_margin: SafetyMargin = share(SafetyMargin::new);
        /// The most tokens of a part, where the model's room allows them.
        max_chunk_size: i64 = TokenBudget::default().max_chunk_size.get() as i64 => max_chunk_size: NonZeroU32 = positive;
        /// The share of a part of text that the next one repeats.
        chunk_overlap: f64 = TokenBudget::default().chunk_overlap.get() => chunk_overlap: Overlap = share(Overlap::new);
    }
}

section! {
    /// The table `chunking` of a target.
    ChunkingOptions => ChunkingValues at "targets.NAME.chunking" {
        /// Whether messages that are too large for the broker travel in pieces, which are joined again on the other side.
        enabled: bool = Chunking::default().enabled => enabled: bool = any;
        /// Where a message is cut: `auto`, `json` (between elements) or `text` (at the ends of lines and words).
        strategy: String = Chunking::default().strategy.as_str() => strategy: SplitStrategy = named(&STRATEGIES.map(|strategy| (strategy.as_str(), strategy)));
        /// The most bytes of a piece.
        max_payload_size: i64 = Chunking::default().max_payload_size as i64 => max_payload_size: usize = within(&PAYLOAD);
    }
}

impl TargetOptions {
    /// Returns the keys of a target, with those of its tables.
    pub fn keys() -> impl Iterator<Item = &'static Key> + Clone {
        const TABLES: [&[Key]; 3] = [TargetOptions::KEYS, TokenBudgetOptions::KEYS, ChunkingOptions::KEYS];
        TABLES.into_iter().flatten()
    }

    /// What holds for a target where nothing else is said: every key has a value here.
    pub fn defaults() -> Self {
        from_value(nested(Self::keys().map(|key| (key.name(), (key.default)()))))
    }

    /// What is said here, and the defaults for the rest.
    pub fn completed(&self) -> Self {
        overlaid([&Self::defaults(), self])
    }
}

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
const STRATEGIES: [SplitStrategy; 3] = [SplitStrategy::Auto, SplitStrategy::Json, SplitStrategy::Text];

/// The most characters of a name, which becomes a part of a subject.
const LONGEST_NAME: usize = 64;

impl TargetSettings {
    /// Validates what is said of all targets.
    ///
    /// # Errors
    /// A usage failure for a value that is not legal, with the place that set it.
    pub(super) fn validated(places: &Places, targets: &BTreeMap<String, TargetOptions>) -> Result<Vec<Self>, Failure> {
        let target = |(name, said): (&String, &TargetOptions)| {
            Setting::new(places, format!("targets.{name}")).target(name, &said.completed())
        };
        targets.iter().map(target).collect()
    }

    /// The target, with its model as it is known; a message has at most so many bytes where nothing else is said.
    pub fn as_target(&self, model: Option<TargetModel>, max_payload: usize) -> EnvelopeTarget {
        let counted_by_nobody = TokenBudget { enabled: false, ..TokenBudget::default() };
        let max_payload_size = self.chunking.map_or(max_payload, |chunking| chunking.max_payload_size.min(max_payload));
        let never_cut = Chunking { enabled: false, ..Chunking::default() };
        EnvelopeTarget {
            name: self.name.clone(),
            model,
            token_budget: self.token_budget.unwrap_or(counted_by_nobody),
            chunking: Chunking { max_payload_size, ..self.chunking.unwrap_or(never_cut) },
        }
    }
}

impl Setting<'_> {
    fn target(&self, name: &str, target: &TargetOptions) -> Result<TargetSettings, Failure> {
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !is_name {
            return Err(self
                .failure(format_args!("`{name}` is no name of a target"))
                .with_hint(format!("use letters, digits, `-` and `_`, at most {LONGEST_NAME} of them")));
        }
        let TargetValues { agent, provider, model } = TargetValues::validated(self, target)?;
        let (budget_keys, chunking_keys) = (self.below("token_budget"), self.below("chunking"));
        // A disabled option is validated all the same, so that a mistake shows before it is enabled.
        let budget = TokenBudgetValues::validated(&budget_keys, &target.token_budget)?;
        let chunking = ChunkingValues::validated(&chunking_keys, &target.chunking)?;
        let model_key = self.below("ai_model").path;
        if provider.is_some() && model.is_none() {
            return Err(self
                .below("ai_provider")
                .fails("names who serves a model, and there is no model")
                .with_hint(format!("name it in `{model_key}`, or leave the provider out")));
        }
        let counts = budget_keys.below("enabled");
        if model.is_none() && budget.enabled && counts.is_set() {
            return Err(counts
                .fails("counts tokens, and there is no model that counts them")
                .with_hint(format!("name the model in `{model_key}`, or leave the key out")));
        }
        let ChunkingValues { enabled: is_cut, strategy, max_payload_size } = chunking;
        let token_budget = TokenBudget {
            enabled: true,
            safety_margin: budget.safety_margin,
            max_chunk_size: TokenCount::new(budget.max_chunk_size.get().into()),
            chunk_overlap: budget.chunk_overlap,
        };
        Ok(TargetSettings {
            name: name.to_owned(),
            agent,
            token_budget: (model.is_some() && budget.enabled).then_some(token_budget),
            model: model.map(|name| NamedModel { provider, name }),
            chunking: is_cut.then_some(Chunking { enabled: true, strategy, max_payload_size }),
        })
    }

    /// A text without the blanks around it; none where it is empty.
    fn trimmed(&self, text: &str) -> Result<Option<String>, Failure> {
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// A share, as far as whoever makes it takes the number.
    fn share<T>(&self, value: &f64, make: fn(f64) -> Result<T, FractionError>) -> Result<T, Failure> {
        make(*value).map_err(|FractionError { value, max: most }| {
            let failure = self.must(format_args!("a share between 0 and {most}"), value);
            match value > 1.0 && value <= 100.0 {
                true => failure.with_hint(format!("{value} % is written as {}", value / 100.0)),
                false => failure,
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
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).map(|settings| settings.targets)
    }

    #[test]
    fn a_target_has_the_usual_limits_where_it_names_none() {
        let targets = resolve("[targets.notes]\nagent = \"release-notes\"\nai_provider = \"openai\"\nai_model = \"gpt-4o\"\n[targets.archive]\n").unwrap();
        let chunking = Chunking { enabled: true, strategy: SplitStrategy::Auto, max_payload_size: 1_000_000 };
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
        let chunking = Chunking { enabled: true, strategy: SplitStrategy::Json, max_payload_size: 4096 };
        assert_eq!(targets[0].chunking, Some(chunking));
        assert_eq!((targets[1].token_budget, targets[1].chunking), (None, None));
        // No message exceeds the broker's limit, and no smaller limit is invented when nothing is cut.
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
