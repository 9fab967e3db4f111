//! The section `[scribe]`: the options, and the typed settings for the commands.

use super::address::is_own;
use super::table::section;
use super::validate::{Setting, is_variable};
use crate::failure::Failure;
use clap::value_parser;
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use war_rig_estimator::TokenizerEncoding as TokenEncoding;
use war_rig_llm::{Money, OutputLimitParameter, ResponseFormat};

section! {
    /// Who writes, and within which limits.
    ScribeOptions => ScribeSettings at "scribe" {
        /// Who writes the documents: `static` puts the parser's facts into words and needs no model; `openai` asks a model behind an
        /// OpenAI-compatible interface; `replay` takes the answers of an earlier run from the file that `--replay` names.
        provider: String = "static" => provider: Provider = named(&Provider::NAMES),
            flag("--scribe NAME", "Who writes: nobody is asked with `static`, a model with `openai`, a file of answers with `replay`",
                value_parser(Provider::NAMES.map(|(name, _)| name)));
        /// Where an OpenAI-compatible model is served.
        base_url: String = "http://localhost:11434/v1" => base_url: String = base_url;
        /// The name of the model.
        model: String = "gpt-4o" => model: String = model,
            flag("--model NAME", "The name of the model; `war-rig models` lists those that are known");
        /// The environment variable that holds the key; the key itself never stands in this file.
        api_key_env: String = "OPENAI_API_KEY" => api_key_env: String = api_key_env;
        /// The most tokens that a prompt may have, everything counted; `SCRIBE_MAX_PROMPT_TOKENS` sets it too.
        max_prompt_tokens: i64 = 15_000 => max_prompt_tokens: NonZeroU32 = positive,
            flag("--max-prompt-tokens N", "The most tokens that a prompt may have",
                value_parser(value_parser!(u32).range(1..)));
        /// The most tokens that an answer may have.
        max_completion_tokens: i64 = 16_000 => max_completion_tokens: NonZeroU32 = positive;
        /// The temperature of sampling, from 0 to 2.
        temperature: f64 = 0.0 => temperature: Temperature = temperature;
        /// Calls to the model in flight at the same time.
        concurrency: i64 = 4 => concurrency: NonZeroUsize = count;
        /// Calls a minute; 0 is no limit.
        requests_per_minute: i64 = 0 => requests_per_minute: Option<NonZeroU32> = limit;
        /// Tokens a minute; 0 is no limit.
        tokens_per_minute: i64 = 0 => tokens_per_minute: Option<NonZeroU32> = limit;
        /// Seconds that a call may take, up to the last byte of its answer; one that takes longer is sent once more.
        timeout_seconds: i64 = 120 => timeout: Duration = seconds(&ANY_TIME);
        /// How tokens are counted: `o200k_base`, `cl100k_base` or `heuristic`.
        encoding: String = "o200k_base" => encoding: TokenEncoding = named(&TokenEncoding::ALL.map(|encoding| (encoding.as_str(), encoding))),
            flag("--encoding NAME", "How tokens are counted",
                value_parser(TokenEncoding::ALL.map(TokenEncoding::as_str)));
        /// Seconds without a byte, once an answer has begun, after which the call is given up.
        idle_timeout_seconds: i64 = 30 => idle_timeout: Duration = seconds(&ANY_TIME);
        /// The longest wait in seconds that a provider may ask for, and the longest time for which it may refuse every call as one too
        /// many; beyond, the run ends with exit code 14.
        max_wait_seconds: i64 = 120 => max_wait: Duration = seconds(&ANY_TIME);
        /// Seconds for which a provider may be out of reach or answer with errors of its own before the run ends with exit code 14.
        outage_seconds: i64 = 30 => outage: Duration = seconds(&ANY_TIME);
        /// Dollars that a run may cost; 0 is no cap.
        budget_usd: f64 = 0.0 => budget: Option<Money> = budget,
            flag("--budget-usd X", "The dollars that a run may cost; 0 is no cap",
                value_parser(value_parser!(f64)));
        /// The name under which the limit of an answer is sent: `auto`, `max_tokens`, `max_completion_tokens`, or `none` to send no limit.
        answer_limit: String = "auto" => answer_limit: Option<OutputLimitParameter> = named(&ANSWER_LIMITS);
        /// The form in which answers are asked for: `auto`, `json_schema`, `json_object` or `text`.
        answer_format: String = "auto" => answer_format: Option<ResponseFormat> = named(&ANSWER_FORMATS);
        /// Whether the temperature is sent; some models take none.
        send_temperature: bool = true => send_temperature: bool = any;
        /// The service tier that is asked for, as the provider names it, such as "flex"; empty is the provider's default. An answer costs what
        /// `war-rig models` shows for the tier that served it. In "flex", a call may take 900 seconds, and the provider may be without room
        /// for 1800, unless `timeout_seconds` and `max_wait_seconds` say otherwise.
        service_tier: String = "" => service_tier: Option<String> = word;
        /// The most requests of a batch.
        batch_requests: i64 = 50_000 => batch_requests: NonZeroUsize = count;
        /// The most megabytes of a batch's file.
        batch_megabytes: i64 = 190 => batch_megabytes: NonZeroUsize = count;
        /// The most prompt tokens that are handed in and not yet answered, which providers limit for each model; 0 is no limit. A batch holds at
        /// most as many, and further ones wait in the state folder until there is room.
        batch_tokens: i64 = 0 => batch_tokens: Option<NonZeroU32> = limit;
        /// Seconds between two looks at the batches that `--wait` waits for.
        batch_poll_seconds: i64 = 60 => batch_poll: Duration = seconds(&ANY_TIME);
        /// What a run with `--batch` does with the questions that arise from a batch, such as smaller chunks, second attempts and overviews, and
        /// with those that came back without an answer: `batch` hands them in again, `calls` asks them one by one.
        batch_again: String = "batch" => batch_again: BatchAgain = named(&BATCH_AGAIN);
        /// How much a reasoning model may think, as the provider names it, such as "low"; empty is the model's default.
        reasoning_effort: String = "" => reasoning_effort: Option<String> = word;
        /// The model's tokens for each token of the encoding, where they are counted differently; 0 is what `war-rig models` says.
        token_ratio: f64 = 0.0 => token_ratio: Option<f64> = token_ratio;
        /// Whether one more call for each program of several chunks writes its purpose and the story of its main line over all that was
        /// written about them.
        reconcile: bool = true => reconcile: bool = any,
            flag("--reconcile", "Write the overview of each program of several chunks by one more call; this is the default");
        /// Whether one more call for each business function of several sources, and one for the system, writes in a few sentences what it is for.
        functions: bool = true => functions: bool = any;
        /// The model that writes overviews, and about functions and the system; empty is `scribe.model`.
        overview_model: String = "" => overview_model: Option<String> = word;
        /// The version of the interface, such as "2024-10-21"; set it for Azure OpenAI only.
        api_version: String = "" => api_version: Option<String> = api_version;
        /// Extra headers of every request; a value `env:NAME` is read from that environment variable, such as { "X-Team" = "env:TEAM" }.
        headers: BTreeMap<String, String> = BTreeMap::new() => headers: Vec<(String, HeaderValue)> = headers;
        /// The address of a proxy on the way to the model.
        proxy: String = "" => proxy: Option<String> = proxy;
        /// A PEM file of certificate authorities that are trusted besides the usual ones, relative to this file.
        ca_file: String = "" => ca_file: Option<PathBuf> = file;
        /// A file of models that adds to those built in, relative to this file; `war-rig models` shows them all.
        models: String = "" => models: Option<PathBuf> = file;
    }
    derived {
        /// Which limits of a call the user has set, wherever: what is not set may follow from the model.
        limits_set: LimitsSet = limits_set,
    }
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
    /// That of the time of a call.
    pub timeout: bool,
    /// That of the time for which the provider may have no room.
    pub max_wait: bool,
}

/// The tier of service that is slow, and without room at times.
const SLOW_TIER: &str = "flex";

/// How long a call may take there, as the provider advises, and for how long it may have no room.
const SLOW_CALL: Duration = Duration::from_secs(900);
const SLOW_WAIT: Duration = Duration::from_secs(1800);

impl ScribeSettings {
    /// Returns how long a call may take: longer in a slow tier, if nothing else is set.
    pub fn call_time(&self) -> Duration {
        let is_slow = self.service_tier.as_deref() == Some(SLOW_TIER) && !self.limits_set.timeout;
        if is_slow { self.timeout.max(SLOW_CALL) } else { self.timeout }
    }

    /// Returns for how long the provider may say nothing but that there is no room, likewise.
    pub fn longest_wait(&self) -> Duration {
        let is_slow = self.service_tier.as_deref() == Some(SLOW_TIER) && !self.limits_set.max_wait;
        if is_slow { self.max_wait.max(SLOW_WAIT) } else { self.max_wait }
    }

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
    /// Every value with the name that users and JSON have for it.
    pub const NAMES: [(&'static str, Provider); 3] =
        [("static", Provider::Static), ("openai", Provider::OpenAi), ("replay", Provider::Replay)];

    /// The name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        Self::NAMES.into_iter().find(|(_, provider)| *provider == self).expect("every provider has a name").0
    }
}

/// How the questions are asked that arise from a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchAgain {
    /// In another batch.
    Batch,
    /// One by one.
    Calls,
}

const BATCH_AGAIN: [(&str, BatchAgain); 2] = [("batch", BatchAgain::Batch), ("calls", BatchAgain::Calls)];

/// The names under which the limit of an answer is sent; `None` for the one that the model is known to take.
const ANSWER_LIMITS: [(&str, Option<OutputLimitParameter>); 4] = [
    ("auto", None),
    ("max_tokens", Some(OutputLimitParameter::MaxTokens)),
    ("max_completion_tokens", Some(OutputLimitParameter::MaxCompletionTokens)),
    ("none", Some(OutputLimitParameter::None)),
];

/// The forms in which answers are asked for; `None` for the strictest that the server takes.
const ANSWER_FORMATS: [(&str, Option<ResponseFormat>); 4] = [
    ("auto", None),
    ("json_schema", Some(ResponseFormat::JsonSchema)),
    ("json_object", Some(ResponseFormat::JsonObject)),
    ("text", Some(ResponseFormat::Text)),
];

/// Seconds that have no limit of their own.
const ANY_TIME: RangeInclusive<i64> = 1..=u32::MAX as i64;

/// What the name of a header holds that carries a key.
const KEY_LIKE: [&str; 7] = ["authorization", "api-key", "apikey", "token", "cookie", "secret", "password"];

/// The most that a run may be allowed to cost; above it, a number is a slip of the keys.
const MOST_DOLLARS: f64 = 1_000_000.0;

impl Setting<'_> {
    fn limits_set(&self, _: &ScribeOptions) -> Result<LimitsSet, Failure> {
        Ok(LimitsSet {
            prompt: self.below("max_prompt_tokens").is_set(),
            answer: self.below("max_completion_tokens").is_set(),
            concurrency: self.below("concurrency").is_set(),
            timeout: self.below("timeout_seconds").is_set(),
            max_wait: self.below("max_wait_seconds").is_set(),
        })
    }

    fn base_url(&self, url: &str) -> Result<String, Failure> {
        let hint = "put the key in the variable that `scribe.api_key_env` names";
        self.address(url, &["http://", "https://"], "http:// or https://", hint)
    }

    fn proxy(&self, url: &str) -> Result<Option<String>, Failure> {
        if url.is_empty() {
            return Ok(None);
        }
        let schemes = ["http://", "https://", "socks5://", "socks5h://"];
        let hint = "leave it empty and put the address into the variable HTTPS_PROXY";
        self.address(url, &schemes, "http://, https:// or socks5://", hint).map(Some)
    }

    /// An address that begins with a scheme and has a host. It is printed by `config show`, so it may not carry a password; nor may the message.
    fn address(&self, url: &str, schemes: &[&str], shown: &str, hint: &str) -> Result<String, Failure> {
        let rest = schemes.iter().find_map(|scheme| url.strip_prefix(scheme));
        let host = rest.and_then(|rest| rest.split('/').next()).filter(|host| !host.is_empty());
        if host.unwrap_or(url).contains('@') {
            return Err(self.fails("must not hold a user or a password").with_hint(hint));
        }
        let must = || self.must(format_args!("an address that begins with {shown}"), url);
        host.map(|_| url.to_owned()).ok_or_else(must)
    }

    fn api_version(&self, version: &str) -> Result<Option<String>, Failure> {
        // It becomes a part of the address.
        if !version.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')) {
            return Err(self.must("a version such as 2024-10-21", version));
        }
        Ok((!version.is_empty()).then(|| version.to_owned()))
    }

    fn headers(&self, headers: &BTreeMap<String, String>) -> Result<Vec<(String, HeaderValue)>, Failure> {
        headers.iter().map(|(name, value)| Ok((name.clone(), self.below(name).header(name, value)?))).collect()
    }

    /// A header's value. No message repeats it: it may be a secret, also where it should not stand.
    fn header(&self, name: &str, value: &str) -> Result<HeaderValue, Failure> {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(self.failure(format_args!("`{name}` is no name of a header")));
        }
        if let Some(variable) = value.strip_prefix("env:") {
            return match is_variable(variable) {
                true => Ok(HeaderValue::Variable(variable.to_owned())),
                false => Err(self.fails("must name an environment variable behind `env:`")),
            };
        }
        let lower = name.to_ascii_lowercase().replace('_', "-");
        if KEY_LIKE.iter().any(|word| lower.contains(word)) {
            return Err(self
                .fails("looks like a key, which must not stand in the settings")
                .with_hint("put the value into an environment variable and write `env:NAME` here"));
        }
        if value.chars().any(char::is_control) {
            return Err(self.fails("holds what no header can carry"));
        }
        Ok(HeaderValue::Literal(value.to_owned()))
    }

    fn budget(&self, dollars: &f64) -> Result<Option<Money>, Failure> {
        let money = Money::from_usd(self.number(*dollars, 0.0..=MOST_DOLLARS, "between 0 (no cap) and 1000000")?);
        Ok(Some(money).filter(|money| *money > Money::ZERO))
    }

    fn token_ratio(&self, ratio: &f64) -> Result<Option<f64>, Failure> {
        let be = "0 (what is known of the model) or between 0.1 and 10";
        if *ratio == 0.0 { Ok(None) } else { self.number(*ratio, 0.1..=10.0, be).map(Some) }
    }

    fn model(&self, name: &str) -> Result<String, Failure> {
        if name.trim().is_empty() { Err(self.must("the name of a model", name)) } else { Ok(name.to_owned()) }
    }

    /// A name that is passed on as it is; empty is none.
    fn word(&self, name: &str) -> Result<Option<String>, Failure> {
        if name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(self.must("one word", name));
        }
        Ok((!name.is_empty()).then(|| name.to_owned()))
    }

    fn api_key_env(&self, name: &str) -> Result<String, Failure> {
        if is_variable(name) { Ok(name.to_owned()) } else { Err(self.not_a_variable("key")) }
    }

    fn temperature(&self, value: &f64) -> Result<Temperature, Failure> {
        self.number(*value, 0.0..=2.0, "between 0 and 2").map(Temperature)
    }
}
