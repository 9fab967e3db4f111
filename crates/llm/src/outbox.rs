//! The port to calls that are not made one by one: they are handed to the provider together, and answered later.

use crate::Money;
use crate::answer_key::AnswerKey;
use serde::{Deserialize, Serialize};
use std::{fmt, io};

/// A call that somebody else makes, later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeferredCall {
    /// The key under which its answer will be stored.
    pub key: AnswerKey,
    /// The position after which answers to it count.
    pub since: u64,
    /// The model that is asked.
    pub model: String,
    /// The source file of the prompt; empty if it has none.
    pub file: String,
    /// A label for error messages: `cbl/X.cbl chunk 2/5 (lines 1-80)`.
    pub about: String,
    /// Tokens of the prompt, as counted.
    pub prompt_tokens: u64,
    /// The most that the call can cost.
    #[serde(with = "crate::money::units")]
    pub most: Money,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRoute {
    /// It is sent now.
    Send,
    /// It is handed to the outbox.
    Defer,
    /// Its answer is under way already.
    Waiting,
}

/// Takes calls that are answered later.
pub trait Outbox: Send + Sync + fmt::Debug {
    /// Says what becomes of a call that would be stored under the first of these keys, and whose answer may be found under any of them.
    fn route(&self, keys: &[AnswerKey]) -> CallRoute;

    /// Takes a call with the body of its request, which is one line of JSON.
    ///
    /// # Errors
    /// If the call cannot be kept.
    fn take(&self, call: DeferredCall, body: &str) -> io::Result<()>;
}
