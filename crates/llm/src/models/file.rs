//! Parsing of a model file, with line numbers for error messages.

use super::{LimitName, LongPromptPrices, ModelInfo, ModelPrices};
use crate::money::TokenPrice;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::Range;
use toml::{Spanned, Value};
use war_rig_estimator::{TokenCount, TokenizerEncoding};

/// An error in a model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct ModelRegistryError {
    /// The line, one-based.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
    /// Advice, if there is any.
    pub hint: Option<String>,
}

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ModelFile {
    model: Vec<Spanned<ModelRow>>,
}

/// One row of the file. Prices are dollars for a million tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ModelRow {
    /// The model's name.
    #[serde(deserialize_with = "text")]
    pub(super) name: String,
    #[serde(skip)]
    line: usize,
    #[serde(deserialize_with = "some_text")]
    provider: Option<String>,
    #[serde(deserialize_with = "tokens")]
    context_window: Option<TokenCount>,
    #[serde(deserialize_with = "tokens")]
    max_output: Option<TokenCount>,
    #[serde(deserialize_with = "price")]
    input: Option<TokenPrice>,
    #[serde(deserialize_with = "price")]
    cached_input: Option<TokenPrice>,
    #[serde(deserialize_with = "price")]
    output: Option<TokenPrice>,
    #[serde(deserialize_with = "percentages")]
    tiers: BTreeMap<String, u32>,
    #[serde(deserialize_with = "tokens")]
    long_prompt_above: Option<TokenCount>,
    #[serde(deserialize_with = "price")]
    long_input: Option<TokenPrice>,
    #[serde(deserialize_with = "price")]
    long_cached_input: Option<TokenPrice>,
    #[serde(deserialize_with = "price")]
    long_output: Option<TokenPrice>,
    encoding: Option<TokenizerEncoding>,
    #[serde(deserialize_with = "ratio")]
    token_ratio: Option<f64>,
    answer_limit: Option<LimitName>,
    temperature: Option<bool>,
    #[serde(deserialize_with = "some_text")]
    source: Option<String>,
    #[serde(deserialize_with = "date")]
    as_of: Option<String>,
    #[serde(deserialize_with = "some_text")]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct PartialPrices {
    input: Option<TokenPrice>,
    cached_input: Option<TokenPrice>,
    output: Option<TokenPrice>,
}

/// Returns the candidate most similar to `word`, the first if several are equal.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
    candidates.into_iter().min_by(|a, b| likeness(b).total_cmp(&likeness(a)))
}

/// Parses the rows of a file in order; each name may occur once.
pub(super) fn rows(text: &str) -> Result<Vec<ModelRow>, ModelRegistryError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let line = |span: Range<usize>| war_rig_text::line_number_at(text.as_bytes(), span.start);
    let file: ModelFile = toml::from_str(text).map_err(|error| {
        let line = line(error.span().unwrap_or_default());
        let written = text.lines().nth(line - 1).unwrap_or_default().trim();
        let reason = error.message().lines().next().unwrap_or_default();
        let hint = "a model is a table `[[model]]` with its keys below it";
        ModelRegistryError { line, message: format!("cannot read `{written}`: {reason}"), hint: Some(hint.to_owned()) }
    })?;
    let mut names = BTreeSet::new();
    let rows = file.model.into_iter().map(|row| {
        let row = ModelRow { line: line(row.span()), ..row.into_inner() };
        let error =
            |message: String, hint: &str| ModelRegistryError { line: row.line, message, hint: Some(hint.to_owned()) };
        if row.name.is_empty() {
            let hint = "give the name that its provider knows the model by";
            return Err(error("a model without `name`".to_owned(), hint));
        }
        if !names.insert(row.name.clone()) {
            let message = format!("the model `{}` stands here a second time", row.name);
            return Err(error(message, "keep one of the two tables"));
        }
        Ok(row)
    });
    rows.collect()
}

impl ModelRow {
    /// Returns the model of this row. Missing keys keep their known value, or else the default.
    pub(super) fn merge_over(self, known: Option<&ModelInfo>) -> Result<ModelInfo, ModelRegistryError> {
        let missing = |what: &str, hint: &str| ModelRegistryError {
            line: self.line,
            message: format!("the model `{}` has no `{what}`", self.name),
            hint: Some(hint.to_owned()),
        };
        let own = PartialPrices { input: self.input, cached_input: self.cached_input, output: self.output };
        let own_long =
            PartialPrices { input: self.long_input, cached_input: self.long_cached_input, output: self.long_output };
        let prices = |said: PartialPrices, known: Option<ModelPrices>, keys: [&str; 2]| match (
            said.input.or(known.map(|known| known.input)),
            said.output.or(known.map(|known| known.output)),
        ) {
            (Some(input), Some(output)) => {
                // A new prompt price says nothing about the old price of cached tokens.
                let cached = known.filter(|_| said.input.is_none()).and_then(|known| known.cached_input);
                Ok(Some(ModelPrices { input, cached_input: said.cached_input.or(cached), output }))
            }
            (None, None) if said.cached_input.is_none() => Ok(None),
            (None, _) => Err(missing(keys[0], "a price needs both `input` and `output`")),
            (_, None) => Err(missing(keys[1], "a price needs both `input` and `output`")),
        };
        let long_known = known.and_then(|known| known.long_prompt);
        let usual = prices(own, known.and_then(|known| known.prices), ["input", "output"])?;
        let long = prices(own_long, long_known.map(|known| known.prices), ["long_input", "long_output"])?;
        let above = self.long_prompt_above.or(long_known.map(|known| known.above));
        let long_prompt = match (above, long) {
            (Some(above), Some(prices)) => Some(LongPromptPrices { above, prices }),
            (None, None) => None,
            (None, _) => {
                return Err(missing("long_prompt_above", "say from how many tokens a prompt is long"));
            }
            (_, None) => return Err(missing("long_input", "say what long prompts cost")),
        };
        let context_window = self
            .context_window
            .or(known.map(|known| known.context_window))
            .ok_or_else(|| missing("context_window", "a model that is not built in needs the tokens of its window"))?;
        Ok(ModelInfo {
            provider: self
                .provider
                .or_else(|| known.map(|known| known.provider.clone()))
                .unwrap_or_else(|| "other".to_owned()),
            context_window,
            max_output: self.max_output.or(known.map(|known| known.max_output)).unwrap_or(context_window),
            prices: usual,
            long_prompt,
            tiers: match (self.tiers.is_empty(), known) {
                (true, Some(known)) => known.tiers.clone(),
                _ => self.tiers,
            },
            encoding: self.encoding.or(known.map(|known| known.encoding)).unwrap_or(TokenizerEncoding::O200kBase),
            token_ratio: self.token_ratio.or(known.map(|known| known.token_ratio)).unwrap_or(1.0),
            answer_limit: self.answer_limit.or(known.map(|known| known.answer_limit)).unwrap_or(LimitName::MaxTokens),
            temperature: self.temperature.or(known.map(|known| known.temperature)).unwrap_or(true),
            // A page that was read before the user changed a figure does not vouch for it.
            source: self.source,
            as_of: self.as_of,
            note: self.note.or_else(|| known.and_then(|known| known.note.clone())),
            name: self.name,
        })
    }
}

/// Reads a value and accepts it if `of` makes something of it.
fn checked<'de, D: Deserializer<'de>, V: Deserialize<'de>, T>(
    deserializer: D,
    of: impl FnOnce(V) -> Option<T>,
    expected: &str,
) -> Result<T, D::Error> {
    let read = V::deserialize(deserializer).ok().and_then(of);
    read.ok_or_else(|| Error::custom(format!("expected {expected}")))
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let of = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    checked(deserializer, of, "a string that is not empty")
}

fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TokenCount>, D::Error> {
    // More than four billion are a typing error.
    let of = |count: NonZeroU32| Some(Some(TokenCount::new(count.get().into())));
    checked(deserializer, of, "a number of tokens above 0")
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TokenPrice>, D::Error> {
    let expected = "dollars for a million tokens, from 0 to 1000000";
    checked(deserializer, TokenPrice::usd_per_million, expected).map(Some)
}

fn ratio<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    checked(deserializer, |ratio: f64| (0.1..=10.0).contains(&ratio).then_some(Some(ratio)), "a number from 0.1 to 10")
}

fn percentages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, u32>, D::Error> {
    let of = |tiers: BTreeMap<String, u32>| tiers.values().all(|percent| (1..=1000).contains(percent)).then_some(tiers);
    checked(deserializer, of, "a table of percentages, such as { batch = 50, flex = 50 }")
}

fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let of = |date: Value| {
        let date = date.as_str().map_or_else(|| date.to_string(), str::to_owned);
        let is_date = super::without_date(&format!("x-{date}")) == Some("x") && date.len() == 10;
        is_date.then_some(Some(date))
    };
    checked(deserializer, of, "a day such as 2026-01-31")
}
