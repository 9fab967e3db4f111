//! What the settings and the registry say about the model: its token ratio, its budget and its prices.

use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::{BatchAgain, Provider, ScribeSettings, TargetSettings};
use crate::window_estimates;
use std::fs;
use std::num::NonZeroU32;
use war_rig_estimator::{PromptBudget, PromptBudgetError, TokenCount, TokenCounter};
use war_rig_llm::{BATCH_TIER, ModelInfo, ModelRegistry, Money, OutputLimitParameter, WindowEstimate};
use war_rig_pool::{Planner, SourcePlan};
use war_rig_scribe::PromptRenderer;

/// The model that the settings name.
#[derive(Debug, Clone)]
pub struct ConfiguredModel {
    /// Its registry entry, if known.
    pub info: Option<ModelInfo>,
    /// The model's tokens for each token of the counting encoding; 1 when no model answers.
    pub ratio: f64,
    /// The size of its context window, if a server has reported one.
    pub window: Option<u64>,
    /// The model that writes overviews, if that is another one.
    pub overview: Option<Box<ConfiguredModel>>,
}

/// The tokens that the prompt of a call about a business function is expected to have, and its answer: measured on the fixtures.
const FUNCTION_PROMPT: TokenCount = TokenCount::new(900);
const FUNCTION_ANSWER: TokenCount = TokenCount::new(300);

/// The expected tokens of an overview's prompt besides what the chunks' answers say, and of its answer.
const OVERVIEW_OUTLINE: TokenCount = TokenCount::new(1500);
const OVERVIEW_ANSWER: TokenCount = TokenCount::new(700);

/// The estimated cost of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostEstimate {
    /// With answers of the expected length.
    pub expected: Money,
    /// With every answer as long as allowed; `None` when answers have no limit.
    pub highest: Option<Money>,
}

/// Loads the built-in models and those of the user's file.
///
/// # Errors
/// A usage failure when the file cannot be read or is invalid, with the line.
pub fn load_registry(scribe: &ScribeSettings) -> Result<ModelRegistry, Failure> {
    let (Some(path), Some(text)) = (&scribe.models, read_models_file(scribe)?) else {
        return Ok(ModelRegistry::built_in());
    };
    ModelRegistry::built_in().with_file(&text).map_err(|error| {
        let failure = Failure::usage(format!("{}:{error}", path.display()));
        failure.with_optional_hint(error.hint)
    })
}

/// Reads the user's file of models; `None` when there is none.
///
/// # Errors
/// A usage failure when it cannot be read.
pub fn read_models_file(scribe: &ScribeSettings) -> Result<Option<String>, Failure> {
    let read = |path: &std::path::PathBuf| {
        fs::read_to_string(path).map_err(|error| {
            Failure::cannot_read(path, error)
                .with_hint("scribe.models names the file; its path is relative to the settings")
        })
    };
    scribe.models.as_ref().map(read).transpose()
}

/// The hint for a model that is registered under another provider.
pub const ADD_PROVIDER_HINT: &str =
    "where others serve it under its name, add it with their name to the file that scribe.models names";

/// The warning for a target whose model is registered under another provider: its tokens and its price are then computed as that provider's.
pub fn foreign_model_warning(target: &TargetSettings, registry: &ModelRegistry) -> Option<String> {
    let model = target.model.as_ref()?;
    let provider = model.provider.as_ref()?;
    let info = registry.find(&model.name).filter(|info| info.provider != *provider)?;
    Some(format!("`{}`: `{}` is known as a model of `{}`, not of `{provider}`", target.name, model.name, info.provider))
}

/// Prints the warning when a target's model is registered under another provider.
pub fn warn_of_foreign_model(target: &TargetSettings, registry: &ModelRegistry, printer: &Printer) {
    if let Some(what) = foreign_model_warning(target, registry) {
        printer.warn(&format!("target {what}; {ADD_PROVIDER_HINT}"));
    }
}

impl ConfiguredModel {
    /// Creates the model of these settings. `asks` says whether it will be called, so that what it cannot do is reported first.
    ///
    /// # Errors
    /// A usage failure when the user's file of models is invalid. When the model is called, also when prompt and answer exceed its limits, or a
    /// dollar budget is set and its price is unknown.
    pub fn new(
        scribe: &ScribeSettings,
        asks: bool,
        learned: Option<WindowEstimate>,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let registry = load_registry(scribe)?;
        let info = registry.find(&scribe.model).cloned();
        if scribe.provider == Provider::Static {
            return Ok(Self { info, ratio: 1.0, window: None, overview: None });
        }
        let ratio = scribe.token_ratio.or(info.as_ref().map(|info| info.token_ratio)).unwrap_or(1.0);
        // A server's count is more reliable than common knowledge, unless the user has set one.
        let counted = learned.and_then(|learned| learned.token_ratio).filter(|_| scribe.token_ratio.is_none());
        let ratio = counted.map_or(ratio, |counted| counted.max(ratio));
        if let Some(known) = info.as_ref().map(|info| info.encoding).filter(|known| *known != scribe.encoding) {
            printer.warn(&format!(
                "the tokens of `{}` are counted in {}, but {known} comes nearest to its own; set scribe.encoding to `{known}`",
                scribe.model,
                scribe.encoding.as_str(),
                known = known.as_str()
            ));
        }
        let window = learned.and_then(|learned| learned.window);
        let model = Self { info, ratio, window, overview: overview_model(scribe, &registry) };
        if asks {
            model.check(scribe)?;
            if let (Some(scribe), Some(overview)) = (overview_settings(scribe), &model.overview) {
                overview.check(&scribe)?;
            }
        }
        Ok(model)
    }

    fn check(&self, scribe: &ScribeSettings) -> Result<(), Failure> {
        let name = &scribe.model;
        if scribe.budget.is_some() && self.info.as_ref().is_none_or(|info| info.prices.is_none()) {
            return Err(Failure::usage(format!(
                "scribe.budget_usd: no price for `{name}`, so that what a run costs cannot be held below a cap"
            ))
            .with_hint("add the model with its prices to the file that scribe.models names, or set the budget to 0"));
        }
        if scribe.budget.is_some() && scribe.answer_limit == Some(OutputLimitParameter::None) {
            return Err(Failure::usage(
                "scribe.budget_usd: with scribe.answer_limit = \"none\" an answer may cost anything, so no cap can hold",
            )
            .with_hint("leave scribe.answer_limit at auto"));
        }
        let Some(info) = &self.info else { return Ok(()) };
        let (prompt, answer) = (scribe.max_prompt_tokens, scribe.max_completion_tokens);
        if u64::from(prompt.get()) + u64::from(answer.get()) > info.context_window.get() {
            return Err(Failure::usage(format!(
                "a prompt of {prompt} tokens and an answer of {answer} exceed the window of `{name}`, which has {}",
                info.context_window
            ))
            .with_hint("lower scribe.max_prompt_tokens or scribe.max_completion_tokens, or correct the window in the file that scribe.models names"));
        }
        if scribe.answer_limit != Some(OutputLimitParameter::None) && u64::from(answer.get()) > info.max_output.get() {
            return Err(Failure::usage(format!(
                "scribe.max_completion_tokens: an answer of {answer} tokens is more than `{name}` gives, which is {}",
                info.max_output
            ))
            .with_hint(format!("set it to {} or less", info.max_output)));
        }
        Ok(())
    }

    /// Returns the planner for these settings.
    ///
    /// # Errors
    /// As [`budget_of`].
    pub fn planner(&self, scribe: &ScribeSettings, printer: &Printer) -> Result<Planner, Failure> {
        let planner = self.chunk_planner(scribe, printer)?;
        // The parser's words need no overview: they are of one voice.
        if scribe.provider == Provider::Static || !scribe.reconcile {
            return Ok(planner);
        }
        let limit = self.overview_limit(scribe, &planner)?;
        Ok(planner.with_overviews(limit))
    }

    /// Returns the most tokens of a prompt of the model that writes overviews.
    ///
    /// # Errors
    /// As [`budget_of`].
    pub fn overview_limit(&self, scribe: &ScribeSettings, planner: &Planner) -> Result<TokenCount, Failure> {
        let limit = planner.budget().max_prompt();
        Ok(match (overview_settings(scribe), &self.overview) {
            (Some(scribe), Some(overview)) => {
                limit.min(budget_of(&scribe, planner.renderer(), overview.ratio, None)?.max_prompt())
            }
            _ => limit,
        })
    }

    fn chunk_planner(&self, scribe: &ScribeSettings, printer: &Printer) -> Result<Planner, Failure> {
        let frame = PromptRenderer::new(TokenCounter::new(scribe.encoding));
        let budget = budget_of(scribe, &frame, self.ratio, None)?;
        let Some(window) = self.window else { return Ok(Planner::new(frame, budget)) };
        // A window size from an earlier run may be outdated, so it is never a reason to refuse.
        let Ok(held) = budget_of(scribe, &frame, self.ratio, Some(window)) else {
            printer.warn(&format!(
                "the server of an earlier run has told of a window of {window} tokens, which is too small for a prompt; that is passed over (`{}` in the state folder has it)",
                window_estimates::ESTIMATES_FILE
            ));
            return Ok(Planner::new(frame, budget));
        };
        if held.max_prompt() < budget.max_prompt() {
            printer.warn(&format!(
                "prompts are held to {} tokens, since the server has told of a window of {window}; remove `{}` from the state folder when that has changed",
                held.max_prompt(),
                window_estimates::ESTIMATES_FILE
            ));
        }
        Ok(Planner::new(frame, held))
    }

    /// Returns the cost of a plan's calls, without repairs: zero when no model is called, `None` when its price is unknown.
    /// In a tier, the highest is that of the dearer of it and the ordinary one, which the provider may serve instead; a batch is served as such.
    pub fn cost(&self, scribe: &ScribeSettings, plan: &SourcePlan, is_batch: bool) -> Option<CostEstimate> {
        let tier = if is_batch { Some(BATCH_TIER) } else { scribe.service_tier.as_deref() };
        let percent = |model: &ModelInfo| model.tier_percent(tier);
        if scribe.provider != Provider::OpenAi {
            return Some(CostEstimate { expected: Money::ZERO, highest: Some(Money::ZERO) });
        }
        let info = self.info.as_ref()?;
        let unlimited = scribe.answer_limit == Some(OutputLimitParameter::None);
        let longest = TokenCount::new(scribe.max_completion_tokens.get().into());
        let fitting: Vec<TokenCount> = plan
            .chunks
            .iter()
            .filter(|planned| planned.chunk.fits)
            .map(|planned| to_model_tokens(planned.prompt_tokens, self.ratio))
            .collect();
        // The plan estimates all answers together; each call gets an equal share.
        let answers = to_model_tokens(plan.answer_tokens, self.ratio);
        let answer = TokenCount::new(answers.get().div_ceil((fitting.len() as u64).max(1)));
        let sum = |answer: TokenCount| -> Option<Money> {
            fitting.iter().map(|prompt| info.cost(*prompt, TokenCount::ZERO, answer)).sum()
        };
        let of_overview = match is_batch && scribe.batch_again == BatchAgain::Calls {
            true => 100,
            false => self.overview.as_deref().unwrap_or(self).info.as_ref().map_or(100, percent),
        };
        let (of_parts, at_most) = (percent(info), |percent: u32| if is_batch { percent } else { percent.max(100) });
        let writer = self.overview.as_deref().unwrap_or(self);
        let overview = |prompt: TokenCount, answer: TokenCount| match plan.overview_prompt {
            Some(most) => {
                writer.info.as_ref()?.cost(to_model_tokens(prompt.min(most), writer.ratio), TokenCount::ZERO, answer)
            }
            None => Some(Money::ZERO),
        };
        let most = plan.overview_prompt.unwrap_or_default();
        let highest = match unlimited {
            true => None,
            false => {
                Some(sum(longest)?.percent(at_most(of_parts)) + overview(most, longest)?.percent(at_most(of_overview)))
            }
        };
        // Its prompt contains most of what the answers say.
        let said = plan.answer_tokens + OVERVIEW_OUTLINE;
        let expected = sum(answer.min(longest))?.percent(of_parts)
            + overview(said, OVERVIEW_ANSWER.min(longest))?.percent(of_overview);
        Some(CostEstimate { expected, highest })
    }

    /// Returns the cost of so many calls about business functions and the system, as [`ConfiguredModel::cost`] does.
    ///
    /// # Errors
    /// As [`budget_of`].
    pub fn cost_about_estate(
        &self,
        scribe: &ScribeSettings,
        calls: u64,
        planner: &Planner,
        is_batch: bool,
    ) -> Result<Option<CostEstimate>, Failure> {
        if scribe.provider != Provider::OpenAi {
            return Ok(Some(CostEstimate { expected: Money::ZERO, highest: Some(Money::ZERO) }));
        }
        let writer = self.overview.as_deref().unwrap_or(self);
        let Some(info) = &writer.info else { return Ok(None) };
        let tier = if is_batch { Some(BATCH_TIER) } else { scribe.service_tier.as_deref() };
        let percent = info.tier_percent(tier);
        let at_most = if is_batch { percent } else { percent.max(100) };
        let limit = self.overview_limit(scribe, planner)?;
        let longest = TokenCount::new(scribe.max_completion_tokens.get().into());
        let all = |prompt: TokenCount, answer: TokenCount| -> Option<Money> {
            let prompt = to_model_tokens(prompt.min(limit), writer.ratio);
            Some(info.cost(prompt, TokenCount::ZERO, answer)?.times(calls))
        };
        let highest = match scribe.answer_limit {
            Some(OutputLimitParameter::None) => None,
            _ => all(limit, longest).map(|highest| highest.percent(at_most)),
        };
        let expected = all(FUNCTION_PROMPT, FUNCTION_ANSWER.min(longest));
        Ok(expected.map(|expected| CostEstimate { expected: expected.percent(percent), highest }))
    }
}

/// Returns the settings of the model that writes overviews; none if no other model than `scribe.model` does.
pub fn overview_settings(scribe: &ScribeSettings) -> Option<ScribeSettings> {
    let model =
        scribe.overview_model.clone().filter(|name| (scribe.reconcile || scribe.functions) && *name != scribe.model)?;
    // The ratio that a user sets is that of `scribe.model`.
    Some(ScribeSettings { model, token_ratio: None, ..scribe.clone() })
}

/// Returns the model that writes overviews; none if no other model does.
pub fn overview_model(scribe: &ScribeSettings, registry: &ModelRegistry) -> Option<Box<ConfiguredModel>> {
    let scribe = overview_settings(scribe)?;
    let info = registry.find(&scribe.model).cloned();
    let ratio = info.as_ref().map_or(1.0, |info| info.token_ratio);
    Some(Box::new(ConfiguredModel { info, ratio, window: None, overview: None }))
}

/// The ratio in millionths, rounded so that a limit divided by it is never exceeded when multiplied again.
fn millionths(ratio: f64) -> u128 {
    ((ratio * 1e6).round() as u128).max(1)
}

/// Converts tokens of the model to tokens of the encoding, rounded down.
pub fn to_encoding_tokens(tokens: TokenCount, ratio: f64) -> TokenCount {
    TokenCount::new((u128::from(tokens.get()) * 1_000_000 / millionths(ratio)) as u64)
}

/// Converts tokens of the encoding to tokens of the model, rounded up.
pub fn to_model_tokens(tokens: TokenCount, ratio: f64) -> TokenCount {
    TokenCount::new((u128::from(tokens.get()) * millionths(ratio)).div_ceil(1_000_000) as u64)
}

/// Returns a prompt's budget in tokens of the encoding. The settings give it in tokens of the model; each token of the encoding takes `ratio` of
/// them, so both limits are divided by it.
///
/// # Errors
/// A usage failure when the budget is too small for a prompt.
fn budget_of(
    scribe: &ScribeSettings,
    frame: &PromptRenderer,
    ratio: f64,
    window: Option<u64>,
) -> Result<PromptBudget, Failure> {
    let limit = |limit: NonZeroU32| to_encoding_tokens(TokenCount::new(limit.get().into()), ratio);
    // When the window is known to be smaller, a tenth of it is reserved for what a server adds.
    let held = window.map(|window| to_encoding_tokens(TokenCount::new(window - window / 10), ratio));
    let most = limit(scribe.max_prompt_tokens);
    let budget = PromptBudget::new(
        held.map_or(most, |held| held.min(most)),
        limit(scribe.max_completion_tokens),
        frame.fixed_parts(),
    );
    budget.map_err(|error| {
        let (key, minimum, set) = match error {
            PromptBudgetError::Prompt { minimum, .. } => {
                ("scribe.max_prompt_tokens", minimum, scribe.max_prompt_tokens)
            }
            PromptBudgetError::Answer { minimum, .. } => {
                ("scribe.max_completion_tokens", minimum, scribe.max_completion_tokens)
            }
        };
        let why = if ratio == 1.0 {
            String::new()
        } else {
            format!("; {set} tokens of `{}` are that many at {ratio} to one", scribe.model)
        };
        let least = to_model_tokens(minimum, ratio);
        Failure::usage(format!("{key}: {error}{why}")).with_hint(format!("set it to {least} or more"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;
    use war_rig_estimator::TokenizerEncoding;

    fn settings(text: &str) -> ScribeSettings {
        let text = format!("[scribe]\nprovider = \"openai\"\n{text}\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap().scribe
    }

    fn model(text: &str) -> Result<ConfiguredModel, Failure> {
        ConfiguredModel::new(&settings(text), true, None, &Printer::quiet())
    }

    fn budget(text: &str) -> Result<PromptBudget, Failure> {
        let scribe = settings(text);
        let frame = PromptRenderer::new(TokenCounter::new(TokenizerEncoding::Heuristic));
        budget_of(&scribe, &frame, ConfiguredModel::new(&scribe, true, None, &Printer::quiet())?.ratio, None)
    }

    #[test]
    fn the_ratio_is_that_of_the_settings_then_that_of_the_model() {
        assert_eq!(model("").unwrap().ratio, 1.0);
        assert_eq!(model("model = \"claude-haiku-4-5\"").unwrap().ratio, 1.35);
        assert_eq!(model("model = \"claude-haiku-4-5\"\ntoken_ratio = 1.1").unwrap().ratio, 1.1);
        assert_eq!(model("model = \"llama\"").unwrap().ratio, 1.0);
        let scribe = ScribeSettings { provider: Provider::Static, ..settings("token_ratio = 2.0") };
        assert_eq!(ConfiguredModel::new(&scribe, false, None, &Printer::quiet()).unwrap().ratio, 1.0);
    }

    #[test]
    fn the_limits_are_divided_by_the_ratio() {
        let counted = |text| budget(text).map(|budget| (budget.max_prompt().get(), budget.max_completion().get()));
        assert_eq!(counted("").unwrap(), (15_000, 16_000));
        assert_eq!(counted("token_ratio = 1.35").unwrap(), (11_111, 11_851));
        assert_eq!(counted("token_ratio = 0.5\nmodel = \"llama\"").unwrap(), (30_000, 32_000));
    }

    #[test]
    fn the_least_limit_that_is_told_is_enough() {
        for ratio in ["0.7", "1.0", "1.35", "3.0"] {
            for key in ["max_prompt_tokens", "max_completion_tokens"] {
                let with = |limit: &str| budget(&format!("model = \"llama\"\ntoken_ratio = {ratio}\n{key} = {limit}"));
                let refused = with("600").unwrap_err();
                assert!(refused.line().starts_with(&format!("scribe.{key}: ")), "{}", refused.line());
                let least = refused.hint().and_then(|hint| hint.split(' ').nth(3)).unwrap().to_owned();
                with(&least).unwrap();
            }
        }
    }

    #[test]
    fn what_the_model_cannot_do_is_said_before_it_is_asked() {
        let line = |text: &str| model(text).unwrap_err().line();
        assert_eq!(
            line("max_prompt_tokens = 120000"),
            "a prompt of 120000 tokens and an answer of 16000 exceed the window of `gpt-4o`, which has 128000"
        );
        assert_eq!(
            line("max_completion_tokens = 16385"),
            "scribe.max_completion_tokens: an answer of 16385 tokens is more than `gpt-4o` gives, which is 16384"
        );
        assert_eq!(
            line("model = \"llama\"\nbudget_usd = 1.0"),
            "scribe.budget_usd: no price for `llama`, so that what a run costs cannot be held below a cap"
        );
        model("max_completion_tokens = 16385\nanswer_limit = \"none\"").unwrap();
        model("max_prompt_tokens = 111000").unwrap();
        model("model = \"llama\"\nmax_prompt_tokens = 9000000").unwrap();
        model("budget_usd = 1.0").unwrap();
        ConfiguredModel::new(&settings("max_prompt_tokens = 120000"), false, None, &Printer::quiet()).unwrap();
    }
}
