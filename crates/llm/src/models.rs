//! Known facts about models: their limits, their prices, and how their tokens are counted.
//!
//! `models.toml` contains the built-in models, each with the page that the figures come from and the day on which they were read. A user's file adds
//! to them. Nothing is ever fetched.

mod file;

use crate::money::{Money, TokenPrice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use war_rig_estimator::{ChunkSize, TokenCount, TokenizerEncoding};

pub use file::ModelRegistryError;

/// The facts about one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelInfo {
    /// The provider's name for it.
    pub name: String,
    /// The provider: `openai`, `anthropic`, `google`, or what a user's file specifies.
    pub provider: String,
    /// The tokens of a prompt and its answer together, in tokens of the model.
    pub context_window: TokenCount,
    /// The maximum tokens of an answer, in tokens of the model.
    pub max_output: TokenCount,
    /// The token prices; none when they are not known.
    pub prices: Option<ModelPrices>,
    /// Different prices for long prompts, if the provider has them.
    pub long_prompt: Option<LongPromptPrices>,
    /// The prices of calls in tiers of service, such as `batch` and `flex`, as percentages of the price of an ordinary one.
    pub tiers: BTreeMap<String, u32>,
    /// The encoding whose count is closest to the model's own.
    pub encoding: TokenizerEncoding,
    /// The model's tokens for each token of the encoding: 1.0 if the encoding is the model's own, otherwise rather too high than too low.
    pub token_ratio: f64,
    /// The request parameter for the answer limit.
    pub answer_limit: LimitName,
    /// Whether a request may set the sampling temperature.
    pub temperature: bool,
    /// The page that the figures come from.
    pub source: Option<String>,
    /// The day on which the figures were read there, as `YYYY-MM-DD`.
    pub as_of: Option<String>,
    /// A note for readers of the figures.
    pub note: Option<String>,
}

/// Token prices in dollars per million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ModelPrices {
    /// The price of a prompt token.
    pub input: TokenPrice,
    /// The price of a cached prompt token; none when it is not known, and then the price is `input`.
    pub cached_input: Option<TokenPrice>,
    /// The price of an answer token, reasoning included.
    pub output: TokenPrice,
}

/// Prices of a call with a long prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LongPromptPrices {
    /// Prompts with more tokens than this are long.
    pub above: TokenCount,
    /// The price of each token of such a call.
    pub prices: ModelPrices,
}

/// The request parameter for the maximum tokens of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// `max_tokens`, the older name, which most servers know.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models require.
    MaxCompletionTokens,
}

impl LimitName {
    /// Returns the name in requests and files.
    pub fn as_str(self) -> &'static str {
        match self {
            LimitName::MaxTokens => "max_tokens",
            LimitName::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// The tier of calls that are handed in as a batch.
pub const BATCH_TIER: &str = "batch";

impl ModelInfo {
    /// Returns the price of a call in a tier as a percentage of that of an ordinary one. A tier whose price is not known costs the same.
    pub fn tier_percent(&self, tier: Option<&str>) -> u32 {
        tier.and_then(|tier| self.tiers.get(tier)).copied().unwrap_or(100)
    }

    /// Returns the cost of a call; none when the model's price is not known. `input` counts all prompt tokens and `cached` those among them that came
    /// from the provider's cache; `output` counts the answer tokens, reasoning included.
    pub fn cost(&self, input: TokenCount, cached: TokenCount, output: TokenCount) -> Option<Money> {
        let long = self.long_prompt.filter(|long| input > long.above);
        let prices = long.map(|long| long.prices).or(self.prices)?;
        let cached = cached.min(input);
        let fresh = input.get() - cached.get();
        Some(
            prices.input.cost_of(fresh)
                + prices.cached_input.unwrap_or(prices.input).cost_of(cached.get())
                + prices.output.cost_of(output.get()),
        )
    }
}

/// The known models by name.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRegistry {
    models: BTreeMap<String, ModelInfo>,
}

impl ModelRegistry {
    /// Returns the models that this version knows.
    pub fn built_in() -> Self {
        let none = Self { models: BTreeMap::new() };
        none.with_file(include_str!("models.toml")).expect("a test reads the models that are built in")
    }

    /// Overlays the models of a file. A `[[model]]` table with a known `name` replaces the keys that it contains and keeps the rest; a new name adds
    /// a model, which needs its `context_window`.
    ///
    /// # Errors
    /// [`ModelRegistryError`] for invalid TOML, unknown keys and illegal values, with the line.
    pub fn with_file(mut self, text: &str) -> Result<Self, ModelRegistryError> {
        for row in file::rows(text)? {
            let known = self.models.get(&row.name);
            let model = row.merge_over(known)?;
            self.models.insert(model.name.clone(), model);
        }
        Ok(self)
    }

    /// Finds a model by name. An unknown name is retried without a date at its end (`gpt-4o-2024-08-06`, `claude-sonnet-4-5-20250929`), then without
    /// the prefix before its last `/` (`openai/gpt-4o`, `azure/gpt-4o`), then without both. Nothing else is guessed: models with similar names differ
    /// in window and price.
    pub fn find(&self, name: &str) -> Option<&ModelInfo> {
        let bare = name.rsplit_once('/').map_or(name, |(_, bare)| bare);
        [Some(name), without_date(name), Some(bare), without_date(bare)]
            .into_iter()
            .flatten()
            .find_map(|name| self.models.get(name))
    }

    /// Returns all models by provider, then by name.
    pub fn all(&self) -> Vec<&ModelInfo> {
        let mut all: Vec<&ModelInfo> = self.models.values().collect();
        all.sort_by(|a, b| a.provider.cmp(&b.provider));
        all
    }

    /// Returns the most similar known name; none when no model is known.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        file::nearest(name, self.models.keys().map(String::as_str))
    }
}

/// Strips `-YYYY-MM-DD` or `-YYYYMMDD` from the end of a name; returns none when it has no date.
fn without_date(name: &str) -> Option<&str> {
    ["-0000-00-00", "-00000000"].into_iter().find_map(|shape| {
        let (rest, date) = name.split_at_checked(name.len().checked_sub(shape.len())?)?;
        let fits = date.bytes().zip(shape.bytes()).all(|(have, want)| match want {
            b'0' => have.is_ascii_digit(),
            _ => have == want,
        });
        (fits && !rest.is_empty()).then_some(rest)
    })
}

/// Returns the maximum tokens of a chunk for this model: its window less the rest of the prompt and the room for the answer. With the usual overhead
/// and buffer, a window of 200,000 tokens leaves 158,500. Returns zero when the two take up the whole window.
pub fn optimal_chunk_size(model: &ModelInfo, size: ChunkSize) -> TokenCount {
    size.within(model.context_window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built_in(name: &str) -> ModelInfo {
        ModelRegistry::built_in().find(name).unwrap().clone()
    }

    fn refused(text: &str, line: &str, hint: Option<&str>) {
        let error = ModelRegistry::built_in().with_file(text).unwrap_err();
        assert_eq!(error.to_string(), line, "{text}");
        assert_eq!(error.hint.as_deref(), hint, "{text}");
    }

    #[test]
    fn every_built_in_model_has_its_page_and_day() {
        let registry = ModelRegistry::built_in();
        for model in registry.all() {
            let source = model.source.as_deref().unwrap_or_default();
            assert!(source.starts_with("https://"), "{}", model.name);
            assert!(model.as_of.is_some(), "{}", model.name);
            assert!(model.max_output < model.context_window, "{}", model.name);
            assert_eq!(model.provider == "openai", model.token_ratio == 1.0, "{}", model.name);
            if let Some(prices) = model.prices {
                assert!(prices.input < prices.output, "{}", model.name);
                assert!(prices.cached_input.is_none_or(|cached| cached < prices.input), "{}", model.name);
                let long = model.long_prompt.map_or(prices, |long| long.prices);
                assert!(prices.input <= long.input && prices.output <= long.output, "{}", model.name);
            }
        }
    }

    #[test]
    fn the_models_that_are_asked_for_are_there() {
        let registry = ModelRegistry::built_in();
        for name in [
            "claude-opus-4-20250514",
            "claude-opus-4-1-20250805",
            "claude-opus-4-5-20251101",
            "claude-sonnet-4-20250514",
            "anthropic/claude-sonnet-4-5-20250929",
            "claude-haiku-4-5",
            "gpt-4o-mini",
            "gpt-4.1-mini",
            "gpt-4.1-nano-2025-04-14",
            "gpt-5-mini",
            "gpt-5-nano",
            "o3",
            "o4-mini-2025-04-16",
            "gemini/gemini-3-pro-preview",
            "gemini-3-pro",
            "gemini-2.5-pro",
            "gemini-2.5-flash",
        ] {
            assert!(registry.find(name).is_some_and(|model| model.prices.is_some()), "{name}");
        }
        let reasoning = registry.find("gpt-5").unwrap();
        assert_eq!((reasoning.answer_limit, reasoning.temperature), (LimitName::MaxCompletionTokens, false));
    }

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let tokens = TokenCount::new;
        let cost =
            |input, cached, output| built_in("gpt-4o").cost(tokens(input), tokens(cached), tokens(output)).unwrap();
        assert_eq!(cost(1_000_000, 0, 0).to_string(), "2.50");
        assert_eq!(cost(1_000_000, 400_000, 0).to_string(), "2.00");
        assert_eq!(cost(0, 0, 1000).to_string(), "0.01");
        assert_eq!(cost(15_000, 0, 16_000).to_string(), "0.1975");
        // A server that reports more cached tokens than it was sent lowers the cost no further.
        assert_eq!(cost(1000, 9999, 0), cost(1000, 1000, 0));
    }

    #[test]
    fn names_are_found_without_a_prefix_and_without_a_date() {
        let registry = ModelRegistry::built_in();
        for name in [
            "gpt-4o",
            "openai/gpt-4o",
            "azure/gpt-4o",
            "proxy/openai/gpt-4o",
            "gpt-4o-2024-08-06",
            "gpt-4o-20240806",
            "openai/gpt-4o-2024-08-06",
        ] {
            assert_eq!(registry.find(name).map(|model| model.name.as_str()), Some("gpt-4o"), "{name}");
        }
        for name in ["gpt-4", "gpt-4o-latest", "GPT-4o", "gpt-4o-2024", "-2024-08-06", "", "gpt-4o/"] {
            assert_eq!(registry.find(name), None, "{name}");
        }
        assert_eq!(registry.nearest("gpt4o"), Some("gpt-4o"));
    }

    #[test]
    fn a_name_with_a_prefix_or_a_date_of_its_own_comes_first() {
        let text = "[[model]]\nname = \"azure/gpt-4o\"\ncontext_window = 64000\n\
                    [[model]]\nname = \"gpt-4o-2024-05-13\"\ncontext_window = 32000\n";
        let registry = ModelRegistry::built_in().with_file(text).unwrap();
        let window = |name| registry.find(name).unwrap().context_window.get();
        assert_eq!(window("azure/gpt-4o"), 64_000);
        assert_eq!(window("azure/gpt-4o-2024-08-06"), 64_000);
        assert_eq!(window("gpt-4o-2024-05-13"), 32_000);
        assert_eq!(window("gpt-4o"), 128_000);
    }

    #[test]
    fn a_row_of_the_user_replaces_what_it_says_and_keeps_the_rest() {
        let text = "[[model]]\nname = \"gpt-4o\"\ninput = 1\noutput = 2\nas_of = 2026-01-31\n";
        let model = ModelRegistry::built_in().with_file(text).unwrap().find("gpt-4o").unwrap().clone();
        let known = built_in("gpt-4o");
        let prices = model.prices.unwrap();
        assert_eq!((prices.input.to_string(), prices.output.to_string()), ("1.00".into(), "2.00".into()));
        assert_eq!(prices.cached_input, None, "the old price of what is cached belongs to the old price");
        assert_eq!((model.context_window, model.max_output), (known.context_window, known.max_output));
        assert_eq!((model.source, model.as_of.as_deref()), (None, Some("2026-01-31")));
    }

    #[test]
    fn a_new_model_is_usual_where_its_row_says_nothing() {
        let text = "[[model]]\nname = \"local\"\ncontext_window = 32_768\n";
        let registry = ModelRegistry::built_in().with_file(text).unwrap();
        let model = registry.find("local").unwrap();
        assert_eq!(model.max_output, TokenCount::new(32_768));
        assert_eq!((model.encoding, model.token_ratio), (TokenizerEncoding::O200kBase, 1.0));
        assert_eq!((model.answer_limit, model.temperature), (LimitName::MaxTokens, true));
        assert_eq!(model.cost(TokenCount::new(1), TokenCount::ZERO, TokenCount::ZERO), None);
    }

    #[test]
    fn long_prompts_have_prices_of_their_own() {
        let text = "[[model]]\nname = \"tiered\"\ncontext_window = 1000000\ninput = 1\noutput = 2\n\
                    long_prompt_above = 200000\nlong_input = 3\nlong_output = 4\n";
        let registry = ModelRegistry::built_in().with_file(text).unwrap();
        let model = registry.find("tiered").unwrap();
        let cost = |input| model.cost(TokenCount::new(input), TokenCount::ZERO, TokenCount::new(100_000));
        assert_eq!(cost(200_000).unwrap().to_string(), "0.40");
        assert_eq!(cost(200_001).unwrap().to_string(), "1.000003");
    }

    #[test]
    fn what_is_wrong_in_a_file_is_told_with_its_line() {
        let model = "[[model]]\nname = \"m\"\n";
        refused(
            "\n[[model]]\nprovider = \"x\"\n",
            "2: a model without `name`",
            Some("give the name that its provider knows the model by"),
        );
        refused(
            model,
            "1: the model `m` has no `context_window`",
            Some("a model that is not built in needs the tokens of its window"),
        );
        refused(
            &format!("{model}context_window = 1000\ninput = 1\n"),
            "1: the model `m` has no `output`",
            Some("a price needs both `input` and `output`"),
        );
        refused(
            &format!("{model}context_window = 1000\n{model}"),
            "4: the model `m` stands here a second time",
            Some("keep one of the two tables"),
        );
        for (entry, message) in [
            (
                "contextwindow = 1",
                "unknown field `contextwindow`, expected one of `name`, `provider`, `context_window`, ",
            ),
            ("context_window = 0", "expected a number of tokens above 0"),
            ("context_window = 128k", ""),
            ("input = -1", "expected dollars for a million tokens, from 0 to 1000000"),
            ("token_ratio = \"x\"", "expected a number from 0.1 to 10"),
            ("token_ratio = 20", "expected a number from 0.1 to 10"),
            ("provider = \" \"", "expected a string that is not empty"),
            ("tiers = { batch = 0 }", "expected a table of percentages, such as { batch = 50, flex = 50 }"),
            ("encoding = \"p50k\"", "unknown variant `p50k`, expected one of `o200k_base`, `cl100k_base`, `heuristic`"),
            ("answer_limit = 1", ""),
            ("temperature = 1", "invalid type: integer `1`, expected a boolean"),
            ("as_of = \"soon\"", "expected a day such as 2026-01-31"),
        ] {
            let error = ModelRegistry::built_in().with_file(&format!("{model}{entry}\n")).unwrap_err();
            assert!(error.to_string().starts_with(&format!("3: cannot read `{entry}`: {message}")), "{error}");
        }
        let error = ModelRegistry::built_in().with_file("[models]\n").unwrap_err();
        assert_eq!(error.to_string(), "1: cannot read `[models]`: unknown field `models`, expected `model`");
        assert_eq!(error.hint.as_deref(), Some("a model is a table `[[model]]` with its keys below it"));
    }

    #[test]
    fn a_chunk_for_a_model_fits_its_window() {
        let chunk = optimal_chunk_size(&built_in("gpt-4o"), ChunkSize::default());
        assert_eq!(chunk, TokenCount::new(100_900));
    }
}
