//! What an answer is kept under.
//!
//! A key is made of all that may change an answer: the model, the temperature, the limit of the answer, and the prompt. Left out are
//! - the number of the chunk and how many there are, which say nothing of what is asked, so that a chunk more or less before it costs no
//!   second call;
//! - how the server wanted to be asked (where the schema stands, under which name the limit goes), which is the same question;
//! - the address of the server, its headers and its proxy: a model is known by its name, wherever it is reached;
//! - concurrency, rates, time limits, repeats and the cap on what is spent, which decide when an answer comes and not what it says.

use crate::prompt::BudgetedPrompt;
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// The version of what keys are made of.
pub(crate) const KEY_VERSION: u32 = 1;

/// What besides the prompt decides on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestParameters {
    /// The model.
    pub model: String,
    /// The temperature, as sent; none when none is.
    pub temperature: Option<String>,
    /// The most tokens of an answer.
    pub max_answer: u64,
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

    /// The hash of all parts and of what else decides on the answer.
    pub(crate) fn key(&self, parameters: &RequestParameters) -> ContentHash {
        let all =
            serde_json::to_string(&(KEY_VERSION, parameters, self)).expect("names and hashes have a JSON");
        ContentHash::of(all.as_bytes())
    }
}

/// What an answer is kept under in a [`CallLog`](crate::CallLog).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnswerKey {
    /// The hash of all that may change the answer.
    pub key: ContentHash,
    /// The same without what was said of a first answer: all answers to one question share it.
    pub question: ContentHash,
    /// How often the very same was asked before, because no use could be made of what came.
    pub turn: u32,
}

impl AnswerKey {
    /// The keys under which the answer to a prompt may be found, its own first. A second is that of the prompt that it may stand for.
    pub(crate) fn candidates(prompt: &BudgetedPrompt, parameters: &RequestParameters) -> Vec<Self> {
        let parts = PromptHashes::of(prompt);
        let nothing = ContentHash::of(b"").to_string();
        let of = |parts: &PromptHashes| Self {
            key: parts.key(parameters),
            question: PromptHashes { note: nothing.clone(), ..parts.clone() }.key(parameters),
            turn: prompt.reuse().turn,
        };
        let mut keys = vec![of(&parts)];
        keys.extend(
            prompt.reuse().context.map(|context| of(&PromptHashes { context: context.to_string(), ..parts })),
        );
        keys
    }
}
