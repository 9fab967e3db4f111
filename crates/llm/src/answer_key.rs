//! The key under which an answer is stored.
//!
//! A key covers everything that may change an answer: the model, the temperature, the answer limit, and the prompt. It leaves out
//! - the number of the chunk and the number of chunks, which do not affect the question, so that an added or removed chunk before it causes no second
//!   call;
//! - the server's dialect (where the schema goes, what the limit is called), because the question is the same;
//! - the server's address, headers and proxy: the model's name identifies it, wherever it is served;
//! - the service tier, which affects the price of an answer and when it comes;
//! - concurrency, rates, timeouts, retries and the spend cap, which affect when an answer comes but not what it says.

use crate::prompt::BudgetedPrompt;
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// The version of the key's format.
pub(crate) const KEY_VERSION: u32 = 1;

/// The inputs besides the prompt that affect an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestParameters {
    /// The model's name.
    pub model: String,
    /// The temperature as sent; none when it is not sent.
    pub temperature: Option<String>,
    /// The maximum tokens of an answer.
    pub max_answer: u64,
    /// The reasoning effort as sent; none when it is not sent. A key without it is the one of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
}

/// The hashes of a prompt's parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PromptHashes {
    pub(crate) system: String,
    pub(crate) schema: String,
    pub(crate) context: String,
    pub(crate) source: String,
    pub(crate) note: String,
}

impl PromptHashes {
    pub(crate) fn of(prompt: &BudgetedPrompt) -> Self {
        let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
        let [context, source, note] = prompt.user_parts();
        Self {
            system: hash(prompt.system()),
            schema: hash(prompt.schema()),
            context: hash(&context),
            source: hash(&source),
            note: hash(&note),
        }
    }

    /// Hashes all parts of the prompt and the request parameters.
    pub(crate) fn key(&self, parameters: &RequestParameters) -> ContentHash {
        let all = serde_json::to_string(&(KEY_VERSION, parameters, self)).expect("names and hashes have a JSON");
        ContentHash::of(all.as_bytes())
    }
}

/// The key of an answer in a [`CallLog`](crate::CallLog).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnswerKey {
    /// The hash of everything that may change the answer.
    pub key: ContentHash,
    /// The same hash without any note about a first answer; all answers to one question share it.
    pub question: ContentHash,
    /// How many times the same prompt was sent before because its answer was unusable.
    pub turn: u32,
}

impl AnswerKey {
    /// Returns the keys that may find an answer to the prompt, its own key first. A second key belongs to the prompt whose answer it may reuse.
    pub(crate) fn candidates(prompt: &BudgetedPrompt, parameters: &RequestParameters) -> Vec<Self> {
        let parts = PromptHashes::of(prompt);
        let nothing = ContentHash::of(b"").to_string();
        let of = |parts: &PromptHashes| Self {
            key: parts.key(parameters),
            question: PromptHashes { note: nothing.clone(), ..parts.clone() }.key(parameters),
            turn: prompt.reuse().turn,
        };
        let mut keys = vec![of(&parts)];
        keys.extend(prompt.reuse().context.map(|context| of(&PromptHashes { context: context.to_string(), ..parts })));
        keys
    }
}
