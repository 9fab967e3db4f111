//! The section `[scribe]` as the commands use it.

use super::judge::{HELD, Judge, set};
use super::options::ScribeOptions;
use super::secrets::is_own;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;
use war_rig_estimator::Encoding as TokenEncoding;
use war_rig_llm::Money;

/// Who writes, and within which limits.
#[derive(Debug, Clone)]
pub struct ScribeSettings {
    /// Who writes.
    pub provider: Provider,
    /// Where the model is served, over http or https.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The environment variable that holds the key.
    pub api_key_env: String,
    /// The most tokens that a prompt may have. Whether the smallest prompt fits, the estimator says.
    pub max_prompt_tokens: NonZeroU32,
    /// The most tokens that an answer may have.
    pub max_completion_tokens: NonZeroU32,
    /// Which of the two the user has set, wherever: what is not set may follow from the model.
    pub limits_set: LimitsSet,
    /// The temperature of sampling.
    pub temperature: Temperature,
    /// Calls in flight at the same time.
    pub concurrency: NonZeroUsize,
    /// Calls a minute; none is no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens a minute; none is no limit.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// The time that a call may take.
    pub timeout: Duration,
    /// How tokens are counted.
    pub encoding: TokenEncoding,
    /// The time without a byte, once an answer has begun.
    pub idle_timeout: Duration,
    /// The longest wait that a provider may ask for, and the longest time for which it may refuse every call as one too many.
    pub max_wait: Duration,
    /// The time for which a provider may be out of reach.
    pub outage: Duration,
    /// What a run may cost; none is no cap.
    pub budget: Option<Money>,
    /// The name under which the limit of an answer is sent.
    pub answer_limit: AnswerLimit,
    /// The form in which answers are asked for.
    pub answer_format: AnswerFormat,
    /// Whether the temperature is sent.
    pub send_temperature: bool,
    /// The model's tokens for each token of the encoding, from 0.1 to 10; none is what is known of the model.
    pub token_ratio: Option<f64>,
    /// Whether one more call sums up a program that was documented in chunks.
    pub reconcile: bool,
    /// The version of the interface, which Azure OpenAI asks for.
    pub api_version: Option<String>,
    /// Extra headers of a request, by name.
    pub headers: Vec<(String, HeaderValue)>,
    /// The address of a proxy, over http, https or socks5.
    pub proxy: Option<String>,
    /// A PEM file of certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// A file of models.
    pub models: Option<PathBuf>,
}

/// Which limits of a call the user has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitsSet {
    /// That of a prompt.
    pub prompt: bool,
    /// That of an answer.
    pub answer: bool,
    /// That of calls in flight.
    pub concurrency: bool,
}

impl ScribeSettings {
    /// Whether the model is served on this machine or in a private network.
    pub fn is_own_model(&self) -> bool {
        is_own(&self.base_url)
    }
}

/// Who writes the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// The parser's facts put into words, without a model.
    Static,
    /// A model behind an OpenAI-compatible interface.
    OpenAi,
    /// The answers of an earlier run.
    Replay,
}

/// The name under which the limit of an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerLimit {
    /// The one that the model is known to take.
    Auto,
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// No limit is sent.
    None,
}

/// The form in which answers are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
    /// The strictest that the server takes.
    Auto,
    /// By the answer's schema.
    JsonSchema,
    /// As any JSON object.
    JsonObject,
    /// As text, which should hold JSON.
    Text,
}

/// The value of an extra header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// As it stands in the settings.
    Literal(String),
    /// What the environment variable of this name holds.
    Variable(String),
}

/// A temperature of sampling, from 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature(pub(super) f64);

impl Temperature {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Provider {
    /// The name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::Static => "static",
            Provider::OpenAi => "openai",
            Provider::Replay => "replay",
        }
    }
}

const PROVIDERS: [(&str, Provider); 3] =
    [("static", Provider::Static), ("openai", Provider::OpenAi), ("replay", Provider::Replay)];

const ANSWER_LIMITS: [(&str, AnswerLimit); 4] = [
    ("auto", AnswerLimit::Auto),
    ("max_tokens", AnswerLimit::MaxTokens),
    ("max_completion_tokens", AnswerLimit::MaxCompletionTokens),
    ("none", AnswerLimit::None),
];

const ANSWER_FORMATS: [(&str, AnswerFormat); 4] = [
    ("auto", AnswerFormat::Auto),
    ("json_schema", AnswerFormat::JsonSchema),
    ("json_object", AnswerFormat::JsonObject),
    ("text", AnswerFormat::Text),
];

/// What the name of a header holds that carries a key.
const KEY_LIKE: [&str; 7] = ["authorization", "api-key", "apikey", "token", "cookie", "secret", "password"];

/// The most that a run may be allowed to cost; above it, a number is a slip of the keys.
const MOST_DOLLARS: f64 = 1_000_000.0;

/// The host of an address with one of these beginnings, user and port included.
fn host<'a>(url: &'a str, schemes: &[&str]) -> Option<&'a str> {
    let rest = schemes.iter().find_map(|scheme| url.strip_prefix(scheme))?;
    rest.split('/').next().filter(|host| !host.is_empty())
}

/// Whether a name can be that of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl ScribeSettings {
    /// Judges what is said of the Scribe.
    ///
    /// # Errors
    /// A usage failure for a value that is not legal, with the place that set it.
    pub(super) fn judged(from: &Judge<'_>, scribe: &ScribeOptions) -> Result<Self, Failure> {
        Ok(ScribeSettings {
            provider: from.named("scribe.provider", set(&scribe.provider), &PROVIDERS)?,
            base_url: from.base_url(set(&scribe.base_url))?,
            model: from.model(set(&scribe.model))?,
            api_key_env: from.api_key_env(set(&scribe.api_key_env))?,
            max_prompt_tokens: from.positive("scribe.max_prompt_tokens", scribe.max_prompt_tokens)?,
            max_completion_tokens: from
                .positive("scribe.max_completion_tokens", scribe.max_completion_tokens)?,
            limits_set: LimitsSet {
                prompt: from.is_set("scribe.max_prompt_tokens"),
                answer: from.is_set("scribe.max_completion_tokens"),
                concurrency: from.is_set("scribe.concurrency"),
            },
            temperature: from.temperature(scribe.temperature)?,
            concurrency: from.concurrency(scribe.concurrency)?,
            requests_per_minute: from.limit("scribe.requests_per_minute", scribe.requests_per_minute)?,
            tokens_per_minute: from.limit("scribe.tokens_per_minute", scribe.tokens_per_minute)?,
            timeout: from.seconds("scribe.timeout_seconds", scribe.timeout_seconds)?,
            encoding: from.named(
                "scribe.encoding",
                set(&scribe.encoding),
                &TokenEncoding::ALL.map(|encoding| (encoding.as_str(), encoding)),
            )?,
            idle_timeout: from.seconds("scribe.idle_timeout_seconds", scribe.idle_timeout_seconds)?,
            max_wait: from.seconds("scribe.max_wait_seconds", scribe.max_wait_seconds)?,
            outage: from.seconds("scribe.outage_seconds", scribe.outage_seconds)?,
            budget: from.budget(scribe.budget_usd)?,
            answer_limit: from.named("scribe.answer_limit", set(&scribe.answer_limit), &ANSWER_LIMITS)?,
            answer_format: from.named("scribe.answer_format", set(&scribe.answer_format), &ANSWER_FORMATS)?,
            send_temperature: scribe.send_temperature.expect(HELD),
            token_ratio: from.token_ratio(scribe.token_ratio)?,
            reconcile: scribe.reconcile.expect(HELD),
            api_version: from.api_version(set(&scribe.api_version))?,
            headers: from.headers(scribe.headers.as_ref().expect(HELD))?,
            proxy: from.proxy(set(&scribe.proxy))?,
            ca_file: from.file("scribe.ca_file", set(&scribe.ca_file)),
            models: from.file("scribe.models", set(&scribe.models)),
        })
    }
}

impl Judge<'_> {
    fn base_url(&self, url: &str) -> Result<String, Failure> {
        let path = "scribe.base_url";
        let host = host(url, &["http://", "https://"]);
        if host.unwrap_or(url).contains('@') {
            // The address is printed by `config show`, so it may not carry a password; nor may this message.
            return Err(self
                .fail(path, "`scribe.base_url` must not hold a user or a password")
                .with_hint("put the key in the variable that `scribe.api_key_env` names"));
        }
        match host {
            Some(_) => Ok(url.to_owned()),
            None => Err(self.must(path, "an address that begins with http:// or https://", url)),
        }
    }

    fn proxy(&self, url: &str) -> Result<Option<String>, Failure> {
        let path = "scribe.proxy";
        if url.is_empty() {
            return Ok(None);
        }
        let host = host(url, &["http://", "https://", "socks5://", "socks5h://"]);
        if url.contains('@') {
            return Err(self
                .fail(path, "`scribe.proxy` must not hold a user or a password")
                .with_hint("leave it empty and put the address into the variable HTTPS_PROXY"));
        }
        match host {
            Some(_) => Ok(Some(url.to_owned())),
            None => Err(self.must(path, "an address that begins with http://, https:// or socks5://", url)),
        }
    }

    fn api_version(&self, version: &str) -> Result<Option<String>, Failure> {
        if version.is_empty() {
            return Ok(None);
        }
        // It becomes a part of the address.
        if !version.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')) {
            return Err(self.must("scribe.api_version", "a version such as 2024-10-21", version));
        }
        Ok(Some(version.to_owned()))
    }

    fn headers(&self, headers: &BTreeMap<String, String>) -> Result<Vec<(String, HeaderValue)>, Failure> {
        headers.iter().map(|(name, value)| Ok((name.clone(), self.header(name, value)?))).collect()
    }

    /// A header's value. No message repeats it: it may be a secret, also where it should not stand.
    fn header(&self, name: &str, value: &str) -> Result<HeaderValue, Failure> {
        let path = format!("scribe.headers.{name}");
        if name.is_empty()
            || !name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
        {
            return Err(self.fail(&path, &format!("`{name}` is no name of a header")));
        }
        if let Some(variable) = value.strip_prefix("env:") {
            if !is_variable(variable) {
                return Err(
                    self.fail(&path, &format!("`{path}` must name an environment variable behind `env:`"))
                );
            }
            return Ok(HeaderValue::Variable(variable.to_owned()));
        }
        let lower = name.to_ascii_lowercase().replace('_', "-");
        if KEY_LIKE.iter().any(|word| lower.contains(word)) {
            return Err(self
                .fail(&path, &format!("`{path}` looks like a key, which must not stand in the settings"))
                .with_hint("put the value into an environment variable and write `env:NAME` here"));
        }
        if value.chars().any(char::is_control) {
            return Err(self.fail(&path, &format!("`{path}` holds what no header can carry")));
        }
        Ok(HeaderValue::Literal(value.to_owned()))
    }

    fn budget(&self, value: Option<f64>) -> Result<Option<Money>, Failure> {
        let value = value.expect(HELD);
        if !(0.0..=MOST_DOLLARS).contains(&value) {
            return Err(self.must("scribe.budget_usd", "between 0 (no cap) and 1000000", value));
        }
        Ok(Some(Money::from_usd(value)).filter(|money| *money > Money::ZERO))
    }

    fn token_ratio(&self, value: Option<f64>) -> Result<Option<f64>, Failure> {
        let value = value.expect(HELD);
        if value != 0.0 && !(0.1..=10.0).contains(&value) {
            return Err(self.must(
                "scribe.token_ratio",
                "0 (what is known of the model) or between 0.1 and 10",
                value,
            ));
        }
        Ok(Some(value).filter(|value| *value != 0.0))
    }

    fn model(&self, name: &str) -> Result<String, Failure> {
        if name.trim().is_empty() {
            return Err(self.must("scribe.model", "the name of a model", name));
        }
        Ok(name.to_owned())
    }

    fn api_key_env(&self, name: &str) -> Result<String, Failure> {
        if !is_variable(name) {
            // The value is left out: what is no name may well be the key itself.
            return Err(self
                .fail(
                    "scribe.api_key_env",
                    "`scribe.api_key_env` must be the name of an environment variable",
                )
                .with_hint("put the key itself into that variable"));
        }
        Ok(name.to_owned())
    }

    fn temperature(&self, value: Option<f64>) -> Result<Temperature, Failure> {
        let value = value.expect(HELD);
        if (0.0..=2.0).contains(&value) {
            Ok(Temperature(value))
        } else {
            Err(self.must("scribe.temperature", "between 0 and 2", value))
        }
    }

    fn concurrency(&self, value: Option<i64>) -> Result<NonZeroUsize, Failure> {
        let value = value.expect(HELD);
        usize::try_from(value)
            .ok()
            .and_then(NonZeroUsize::new)
            .ok_or_else(|| self.must("scribe.concurrency", "at least 1", value))
    }
}
