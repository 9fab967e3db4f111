//! Parsing of a model file, with line numbers for error messages.

use super::{LimitName, LongPromptPrices, ModelInfo, ModelPrices};
use crate::money::TokenPrice;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
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

/// One row of the file with its line numbers.
#[derive(Debug, Default)]
pub(super) struct ModelRow {
    /// The model's name.
    pub(super) name: String,
    line: usize,
    provider: Option<String>,
    context_window: Option<u64>,
    max_output: Option<u64>,
    prices: PartialPrices,
    tiers: BTreeMap<String, u32>,
    long_prompt_above: Option<u64>,
    long_prices: PartialPrices,
    encoding: Option<TokenizerEncoding>,
    token_ratio: Option<f64>,
    answer_limit: Option<LimitName>,
    temperature: Option<bool>,
    source: Option<String>,
    as_of: Option<String>,
    note: Option<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct PartialPrices {
    input: Option<TokenPrice>,
    cached_input: Option<TokenPrice>,
    output: Option<TokenPrice>,
}

/// The keys of a row. Prices are dollars for a million tokens.
const KEYS: [&str; 19] = [
    "name", "provider", "context_window", "max_output", "input", "cached_input", "output", "tiers",
    "long_prompt_above", "long_input", "long_cached_input", "long_output", "encoding", "token_ratio", "answer_limit",
    "temperature", "source", "as_of", "note",
];

/// Returns the candidate most similar to `word`, the first if several are equal.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
    candidates.into_iter().min_by(|a, b| likeness(b).total_cmp(&likeness(a)))
}

/// Parses the rows of a file in order; each name may occur once.
pub(super) fn rows(text: &str) -> Result<Vec<ModelRow>, ModelRegistryError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let reader = ModelFileReader { text };
    let root = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default();
        reader.error(error.span().unwrap_or_default(), format!("cannot be read as TOML: {message}"))
    })?;
    let mut rows = Vec::new();
    let mut names = BTreeSet::new();
    for (key, value) in root.get_ref() {
        let (DeValue::Array(tables), "model") = (value.get_ref(), key.get_ref().as_ref()) else {
            return Err(reader
                .error(key.span(), format!("unknown key `{}`", key.get_ref()))
                .hint("a model is a table `[[model]]` with its keys below it"));
        };
        for table in tables {
            let row = reader.row(table)?;
            if !names.insert(row.name.clone()) {
                return Err(reader
                    .error(table.span(), format!("the model `{}` stands here a second time", row.name))
                    .hint("keep one of the two tables"));
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

impl ModelRegistryError {
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl ModelRow {
    /// Returns the model of this row. Missing keys keep their known value, or else the default.
    pub(super) fn merge_over(self, known: Option<&ModelInfo>) -> Result<ModelInfo, ModelRegistryError> {
        let missing = |what: &str, hint: &str| ModelRegistryError {
            line: self.line,
            message: format!("the model `{}` has no `{what}`", self.name),
            hint: Some(hint.to_owned()),
        };
        let window = self.context_window.map(TokenCount::new);
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
        let usual = prices(self.prices, known.and_then(|known| known.prices), ["input", "output"])?;
        let long = prices(self.long_prices, long_known.map(|known| known.prices), ["long_input", "long_output"])?;
        let above = self.long_prompt_above.map(TokenCount::new).or(long_known.map(|known| known.above));
        let long_prompt = match (above, long) {
            (Some(above), Some(prices)) => Some(LongPromptPrices { above, prices }),
            (None, None) => None,
            (None, _) => {
                return Err(missing("long_prompt_above", "say from how many tokens a prompt is long"));
            }
            (_, None) => return Err(missing("long_input", "say what long prompts cost")),
        };
        let context_window = window
            .or(known.map(|known| known.context_window))
            .ok_or_else(|| missing("context_window", "a model that is not built in needs the tokens of its window"))?;
        Ok(ModelInfo {
            provider: self
                .provider
                .or_else(|| known.map(|known| known.provider.clone()))
                .unwrap_or_else(|| "other".to_owned()),
            context_window,
            max_output: self
                .max_output
                .map(TokenCount::new)
                .or(known.map(|known| known.max_output))
                .unwrap_or(context_window),
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

struct ModelFileReader<'a> {
    text: &'a str,
}

impl ModelFileReader<'_> {
    fn row(&self, table: &Spanned<DeValue<'_>>) -> Result<ModelRow, ModelRegistryError> {
        let DeValue::Table(entries) = table.get_ref() else {
            return Err(self
                .error(table.span(), "a model is a table".to_owned())
                .hint("write `[[model]]` on a line of its own and the keys below it"));
        };
        let mut row = ModelRow { line: self.line(table.span()), ..ModelRow::default() };
        for (key, value) in entries {
            match key.get_ref().as_ref() {
                "name" => row.name = self.text(key, value)?,
                "provider" => row.provider = Some(self.text(key, value)?),
                "context_window" => row.context_window = Some(self.tokens(key, value)?),
                "max_output" => row.max_output = Some(self.tokens(key, value)?),
                "input" => row.prices.input = Some(self.price(key, value)?),
                "cached_input" => row.prices.cached_input = Some(self.price(key, value)?),
                "output" => row.prices.output = Some(self.price(key, value)?),
                "tiers" => row.tiers = self.tiers(key, value)?,
                "long_prompt_above" => row.long_prompt_above = Some(self.tokens(key, value)?),
                "long_input" => row.long_prices.input = Some(self.price(key, value)?),
                "long_cached_input" => row.long_prices.cached_input = Some(self.price(key, value)?),
                "long_output" => row.long_prices.output = Some(self.price(key, value)?),
                "encoding" => {
                    let names = TokenizerEncoding::ALL.map(|encoding| (encoding.as_str(), encoding));
                    row.encoding = Some(self.named(key, value, &names)?);
                }
                "token_ratio" => row.token_ratio = Some(self.ratio(key, value)?),
                "answer_limit" => {
                    let names = [LimitName::MaxTokens, LimitName::MaxCompletionTokens];
                    row.answer_limit = Some(self.named(key, value, &names.map(|limit| (limit.as_str(), limit)))?);
                }
                "temperature" => match value.get_ref() {
                    DeValue::Boolean(accepted) => row.temperature = Some(*accepted),
                    _ => return Err(self.must(key, value, "true or false")),
                },
                "source" => row.source = Some(self.text(key, value)?),
                "as_of" => row.as_of = Some(self.date(key, value)?),
                "note" => row.note = Some(self.text(key, value)?),
                unknown => {
                    let near = nearest(unknown, KEYS).expect("there are keys");
                    return Err(self
                        .error(key.span(), format!("unknown key `{unknown}` of a model"))
                        .hint(format!("did you mean `{near}`?")));
                }
            }
        }
        if row.name.is_empty() {
            return Err(self
                .error(table.span(), "a model without `name`".to_owned())
                .hint("give the name that its provider knows the model by"));
        }
        Ok(row)
    }

    fn tiers(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<BTreeMap<String, u32>, ModelRegistryError> {
        let must = || self.must(key, value, "a table of percentages, such as { batch = 50, flex = 50 }");
        let DeValue::Table(table) = value.get_ref() else { return Err(must()) };
        let percent = |value: &Spanned<DeValue<'_>>| {
            number(value).filter(|percent| percent.fract() == 0.0 && (1.0..=1000.0).contains(percent))
        };
        let tiers =
            table.iter().map(|(tier, value)| Ok((tier.get_ref().to_string(), percent(value).ok_or_else(must)? as u32)));
        tiers.collect()
    }

    fn text(&self, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) -> Result<String, ModelRegistryError> {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            _ => Err(self.must(key, value, "a string that is not empty")),
        }
    }

    fn tokens(&self, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) -> Result<u64, ModelRegistryError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        // A token count above four billion is a typing error.
        number
            .filter(|number| *number > 0)
            .map(u64::from)
            .ok_or_else(|| self.must(key, value, "a number of tokens above 0"))
    }

    fn price(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<TokenPrice, ModelRegistryError> {
        number(value)
            .and_then(TokenPrice::usd_per_million)
            .ok_or_else(|| self.must(key, value, "dollars for a million tokens, from 0 to 1000000"))
    }

    fn ratio(&self, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) -> Result<f64, ModelRegistryError> {
        number(value)
            .filter(|ratio| (0.1..=10.0).contains(ratio))
            .ok_or_else(|| self.must(key, value, "a number from 0.1 to 10"))
    }

    fn date(&self, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) -> Result<String, ModelRegistryError> {
        let date = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(date) => date.to_string(),
            _ => String::new(),
        };
        let is_date = super::without_date(&format!("x-{date}")) == Some("x") && date.len() == 10;
        if is_date { Ok(date) } else { Err(self.must(key, value, "a day such as 2026-01-31")) }
    }

    fn named<T: Copy>(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        names: &[(&str, T)],
    ) -> Result<T, ModelRegistryError> {
        let found = match value.get_ref() {
            DeValue::String(text) => names.iter().find(|(name, _)| name == text),
            _ => None,
        };
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.must(key, value, &format!("one of {}", known.join(", ")))
        })
    }

    fn must(&self, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>, be: &str) -> ModelRegistryError {
        let said = self.text.get(value.span()).unwrap_or_default().lines().next().unwrap_or_default();
        self.error(value.span(), format!("`{}` must be {be}, not `{said}`", key.get_ref().as_ref()))
    }

    fn error(&self, span: Range<usize>, message: String) -> ModelRegistryError {
        ModelRegistryError { line: self.line(span), message, hint: None }
    }

    fn line(&self, span: Range<usize>) -> usize {
        war_rig_text::line_number_at(self.text.as_bytes(), span.start)
    }
}

fn number(value: &Spanned<DeValue<'_>>) -> Option<f64> {
    match value.get_ref() {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n as f64),
        _ => None,
    }
}
