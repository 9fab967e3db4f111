//! What one place says of the settings: everything optional, nothing judged.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use war_rig_check::Group;
use war_rig_envelope::{Chunking, MAX_PAYLOAD_SIZE, TokenBudget};

/// All sections of `war_rig.toml`.
///
/// The types are those of TOML; whether a number is in range is judged once for all places, in `resolve.rs`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Who writes, and within which limits.
    pub scribe: ScribeOptions,
    /// What is read, and how.
    pub source: SourceOptions,
    /// What is done with secrets in the sources.
    pub secrets: SecretOptions,
    /// What is done with the files of an output folder.
    pub output: OutputOptions,
    /// What a check lets pass.
    pub check: CheckOptions,
    /// How coordinator and workers reach each other.
    pub broker: BrokerOptions,
    /// What messages are sent to, by name. Only a file can say it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, TargetOptions>,
}

/// The section `[scribe]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScribeOptions {
    /// Who writes: `static`, `openai` or `replay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Where the model is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The most tokens that a prompt may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_prompt_tokens: Option<i64>,
    /// The most tokens that an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_completion_tokens: Option<i64>,
    /// The temperature of sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Calls in flight at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<i64>,
    /// Calls a minute; 0 is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<i64>,
    /// Tokens a minute; 0 is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<i64>,
    /// Seconds that a call may take, up to the last byte of its answer; one that takes longer is sent once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
    /// How tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Seconds without a byte, once an answer has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<i64>,
    /// The longest wait that a provider may ask for, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait_seconds: Option<i64>,
    /// Seconds that a provider may be out of reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outage_seconds: Option<i64>,
    /// The dollars that a run may cost; 0 is no cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// The name under which the limit of an answer is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_limit: Option<String>,
    /// The form in which answers are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_format: Option<String>,
    /// Whether the temperature is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_temperature: Option<bool>,
    /// The model's tokens for each token of the encoding; 0 is what is known of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_ratio: Option<f64>,
    /// Whether a program in chunks is summed up by one more call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<bool>,
    /// The version of the interface, for Azure OpenAI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Extra headers of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// The proxy on the way to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// A file of certificate authorities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// A file of models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<String>,
}

/// The section `[source]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceOptions {
    /// Globs of the files that are sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Globs of files that are left out all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// Kinds of files by glob, for members without extensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<BTreeMap<String, String>>,
    /// Folders of copybooks, in the order in which they are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copybooks: Option<Vec<String>>,
    /// The reference format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The encoding of the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The bytes of a pointer: 4 or 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer_bytes: Option<i64>,
    /// The address under which the sources are shown on the web; empty where pages link to the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The section `[secrets]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretOptions {
    /// What is done with a source that holds one: `warn`, `redact` or `block`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Words that say, in the name of an item or a parameter, that its value is a password; beside those that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// Forms of secrets by name: a pattern with one group around the secret; beside those that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<BTreeMap<String, String>>,
}

/// The section `[output]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputOptions {
    /// What becomes of a page that a person has changed: `keep`, `beside` or `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

/// The section `[check]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckOptions {
    /// The groups of rules that fail a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<Vec<String>>,
    /// Levels by rule: `off`, `note`, `warning` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<String, String>>,
    /// Globs of sources whose findings are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// The file of findings that may stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

/// The section `[broker]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BrokerOptions {
    /// The address of the broker, or several of one cluster parted by commas; empty where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file of credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
    /// The environment variable that holds the user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_env: Option<String>,
    /// The environment variable that holds the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_env: Option<String>,
    /// The environment variable that holds a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
    /// A file of certificate authorities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// The file of the client's own certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The file of that certificate's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether a broker on another machine may be reached without TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    /// Seconds without a sign of life after which a worker's ticket goes to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<i64>,
    /// Seconds that a coordinator waits for a worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_wait_seconds: Option<i64>,
    /// The most bytes of a message's payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_payload_size: Option<i64>,
    /// The folder in which a worker keeps answers until the coordinator has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spool: Option<String>,
}

/// A section `[targets.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetOptions {
    /// The agent that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who serves its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai_provider: Option<String>,
    /// Its model; empty for what is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai_model: Option<String>,
    /// What a message to it may weigh in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<TokenBudgetOptions>,
    /// How a message to it travels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunking: Option<ChunkingOptions>,
}

/// The table `token_budget` of a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenBudgetOptions {
    /// Whether messages are counted, and sent in parts where they are too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The share of the model's room that is left free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_margin: Option<f64>,
    /// The most tokens of a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chunk_size: Option<i64>,
    /// The share of a part of text that the next one repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_overlap: Option<f64>,
}

/// The table `chunking` of a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkingOptions {
    /// Whether messages that are too large for the broker travel in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Where a message is cut: `auto`, `json` or `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The most bytes of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_payload_size: Option<i64>,
}

/// The names that sources usually have.
const INCLUDED: [&str; 16] = [
    "**/*.cbl",
    "**/*.cob",
    "**/*.cobol",
    "**/*.cpy",
    "**/*.copy",
    "**/*.dcl",
    "**/*.jcl",
    "**/*.prc",
    "**/*.proc",
    "**/*.bms",
    "**/*.csd",
    "**/*.ddl",
    "**/*.sql",
    "**/*.psb",
    "**/*.dbd",
    "**/*.asm",
];

impl Options {
    /// What holds where nothing else is said: every key has a value here.
    pub fn defaults() -> Self {
        let text = |value: &str| Some(value.to_owned());
        Options {
            scribe: ScribeOptions {
                provider: text("static"),
                base_url: text("http://localhost:11434/v1"),
                model: text("gpt-4o"),
                api_key_env: text("OPENAI_API_KEY"),
                max_prompt_tokens: Some(15_000),
                max_completion_tokens: Some(16_000),
                temperature: Some(0.0),
                concurrency: Some(4),
                requests_per_minute: Some(0),
                tokens_per_minute: Some(0),
                timeout_seconds: Some(120),
                encoding: text("o200k_base"),
                idle_timeout_seconds: Some(30),
                max_wait_seconds: Some(120),
                outage_seconds: Some(30),
                budget_usd: Some(0.0),
                answer_limit: text("auto"),
                answer_format: text("auto"),
                send_temperature: Some(true),
                token_ratio: Some(0.0),
                reconcile: Some(false),
                api_version: text(""),
                headers: Some(BTreeMap::new()),
                proxy: text(""),
                ca_file: text(""),
                models: text(""),
            },
            source: SourceOptions {
                include: Some(INCLUDED.map(str::to_owned).to_vec()),
                exclude: Some(Vec::new()),
                types: Some(BTreeMap::new()),
                copybooks: Some(Vec::new()),
                format: text("auto"),
                encoding: text("auto"),
                pointer_bytes: Some(4),
                url: text(""),
            },
            secrets: SecretOptions {
                policy: text("redact"),
                words: Some(Vec::new()),
                shapes: Some(BTreeMap::new()),
            },
            output: OutputOptions { edited: text("keep") },
            check: CheckOptions {
                fail_on: Some(Group::ALL.map(|group| group.as_str().to_owned()).to_vec()),
                levels: Some(BTreeMap::new()),
                exclude: Some(Vec::new()),
                baseline: text(""),
            },
            broker: BrokerOptions {
                url: text(""),
                credentials: text(""),
                user_env: text(""),
                password_env: text(""),
                token_env: text(""),
                ca_file: text(""),
                certificate: text(""),
                key: text(""),
                insecure: Some(false),
                deadline_seconds: Some(30),
                worker_wait_seconds: Some(300),
                max_payload_size: Some(MAX_PAYLOAD_SIZE as i64),
                spool: text(".war_rig/spool"),
            },
            targets: BTreeMap::new(),
        }
    }
}

impl TargetOptions {
    /// What holds for a target where nothing else is said: every key has a value here.
    pub fn defaults() -> Self {
        let text = |value: &str| Some(value.to_owned());
        let (budget, chunking) = (TokenBudget::default(), Chunking::default());
        Self {
            agent: text(""),
            ai_provider: text(""),
            ai_model: text(""),
            token_budget: Some(TokenBudgetOptions {
                enabled: Some(budget.enabled),
                safety_margin: Some(budget.safety_margin.get()),
                max_chunk_size: Some(budget.max_chunk_size.get() as i64),
                chunk_overlap: Some(budget.chunk_overlap.get()),
            }),
            chunking: Some(ChunkingOptions {
                enabled: Some(chunking.enabled),
                strategy: text(chunking.strategy.as_str()),
                max_payload_size: Some(chunking.max_payload_size as i64),
            }),
        }
    }

    /// What is said here, and the defaults for the rest.
    pub fn completed(&self) -> Self {
        let usual = Self::defaults();
        let (budget, chunking) =
            (self.token_budget.clone().unwrap_or_default(), self.chunking.clone().unwrap_or_default());
        let (usual_budget, usual_chunking) =
            (usual.token_budget.unwrap_or_default(), usual.chunking.unwrap_or_default());
        Self {
            agent: self.agent.clone().or(usual.agent),
            ai_provider: self.ai_provider.clone().or(usual.ai_provider),
            ai_model: self.ai_model.clone().or(usual.ai_model),
            token_budget: Some(TokenBudgetOptions {
                enabled: budget.enabled.or(usual_budget.enabled),
                safety_margin: budget.safety_margin.or(usual_budget.safety_margin),
                max_chunk_size: budget.max_chunk_size.or(usual_budget.max_chunk_size),
                chunk_overlap: budget.chunk_overlap.or(usual_budget.chunk_overlap),
            }),
            chunking: Some(ChunkingOptions {
                enabled: chunking.enabled.or(usual_chunking.enabled),
                strategy: chunking.strategy.or(usual_chunking.strategy),
                max_payload_size: chunking.max_payload_size.or(usual_chunking.max_payload_size),
            }),
        }
    }
}
