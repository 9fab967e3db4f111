//! What one place says of the settings: everything optional, nothing judged.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Seconds that a call may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
    /// How tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
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
}

/// The section `[secrets]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretOptions {
    /// What is done with a source that holds one: `warn`, `redact` or `block`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

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
            },
            source: SourceOptions {
                include: Some(
                    ["**/*.cbl", "**/*.cob", "**/*.cobol", "**/*.cpy", "**/*.copy"]
                        .map(str::to_owned)
                        .to_vec(),
                ),
                exclude: Some(Vec::new()),
                types: Some(BTreeMap::new()),
                copybooks: Some(Vec::new()),
                format: text("auto"),
                encoding: text("auto"),
                pointer_bytes: Some(4),
            },
            secrets: SecretOptions { policy: text("redact") },
        }
    }
}
