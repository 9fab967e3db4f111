//! Prompts that are counted before they can be sent, and the one way on which they are sent.
//!
//! A prompt exists only as [`BudgetedPrompt`], and one can only be had by counting the text that would be sent. So nothing in
//! the workspace can hand a provider more than the budget: there is no other type to hand it.
//!
//! A [`ModelClient`] stands between whoever writes and a [`ModelProvider`]: it keeps to rates, waits and caps, repeats what may be repeated, and
//! takes answers from a record or puts them on it.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
//! use war_rig_llm::{BudgetedPrompt, PromptKind, UserMessage};
//!
//! let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
//! let kind = Arc::new(PromptKind::new("answer", "You document COBOL.", "{}", &counter));
//! let limit = TokenCount::new(12);
//! assert!(BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, limit).is_ok());
//! let long = "MOVE A TO B. ".repeat(9);
//! assert!(BudgetedPrompt::new(&kind, UserMessage::from(long.as_str()), &counter, limit).is_err());
//! ```
//!
//! # Where to begin
//!
//! - What an answer is kept under, and what is left out of that: `answer_key.rs`.
//! - What all workers together may spend and send: `shared_budget.rs`.
//! - What happens between a prompt and its answer: `model.rs`: `ModelClient::ask`, and `model/send.rs`;
//!   then `rate_limiter.rs`, `cost_ledger.rs`, `cassette.rs`; how a whole answer is got, `complete.rs`.
//! - What a server's error means: `classify.rs`; what is done about it, `error.rs`:
//!   `CallErrorKind::remedy`.
//! - How an answer is read: `object.rs` finds its JSON object,
//!   `crates/scribe/src/model_scribe/answer_reader.rs` reads it.
//! - What a model is known to be: `models.toml`, `models.rs`; what the settings make of it,
//!   `crates/cli/src/configured_model.rs`.
//!
//! # What always holds
//!
//! **The budget is a type.** A prompt exists only as `BudgetedPrompt`, made by counting system message,
//! schema and user message as they would be sent. `Scribe::write` takes nothing else. So no code path can
//! send what was not counted, or is over the budget. Nothing is ever cut off a prompt to make it fit. A
//! second try (`with_note`), the wording for servers that take no schema (`spelled_wording`), the pieces of
//! a chunk and the summary of purposes are counted in the same way.
//!
//! **One way to a model.** `Model::ask` alone calls a `ModelProvider`. It sends only with leave of the
//! gate, with a reservation of the most that the call can cost, and unless the run has stopped; it alone
//! sends the same again. What is to be done about an error is one exhaustive match. What came is on record,
//! and on the disk, before it is used.
//!
//! **What steers a run is on record.** A replay takes the same turns as the run that made the record, so
//! answers and overflows are both kept. A key holds all that may change an answer and nothing else: neither
//! the number of a chunk nor how the server wanted to be asked. A run with a record ignores what earlier
//! runs have learned.

mod answer;
mod answer_key;
mod call_log;
mod cassette;
mod classify;
mod complete;
mod cost_ledger;
mod dialect;
mod error;
mod model;
mod models;
mod money;
mod object;
mod openai;
mod prompt;
mod provider;
mod rate_limiter;
mod shared_budget;

pub use answer::{FinishReason, ModelAnswer, TokenUsage, UsageTotals};
pub use answer_key::{AnswerKey, RequestParameters};
pub use call_log::{
    CallLog, CallLogError, CallLogErrorKind, CallLogFuture, CallOutcome, FinishedCall, NewCall,
};
pub use cassette::{Cassette, CassetteError};
pub use complete::{CompletionError, excerpt};
pub use dialect::{Dialect, OutputLimitParameter, RequestFeature, ResponseFormat};
pub use error::{CallError, CallErrorKind, ContextOverflow, ModelError, StopError, StopReason};
pub use model::{CallProgress, ModelClient, ModelOptions, WindowEstimate};
pub use models::{
    LimitName, LongPromptPrices, ModelInfo, ModelPrices, ModelRegistry, ModelRegistryError,
    optimal_chunk_size,
};
pub use money::{Money, TokenPrice, units};
pub use object::{AnswerParseError, answer_object};
pub use openai::{Endpoint, EndpointError, ListModelsError, OpenAi, install_encryption, list_models};
pub use prompt::{
    AnswerReuse, BudgetedPrompt, CountedText, OverBudget, PromptKind, PromptMessages, UserMessage,
};
pub use provider::ModelProvider;
pub use rate_limiter::RateLimits;
pub use secrecy::SecretString;
pub use shared_budget::{CallPermit, SharedBudget};
