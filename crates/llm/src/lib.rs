//! Prompts that are counted before they are sent, and the only path that sends them.
//!
//! A prompt exists only as a [`BudgetedPrompt`], and the only way to build one is to count the text that would be sent. No code in the workspace can
//! exceed the budget, because a provider accepts no other type.
//!
//! A [`ModelClient`] sits between the caller and a [`ModelProvider`]. It respects rates, waits and caps, retries what may be retried, and replays or
//! records answers.
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
//! - What an answer's key contains, and what it leaves out: `answer_key.rs`.
//! - What all workers together may spend and send: `shared_budget.rs`.
//! - What happens between a prompt and its answer: `model.rs`: `ModelClient::ask`, and `model/send.rs`; then `rate_limiter.rs`, `cost_ledger.rs`,
//!   `cassette.rs`; how the client obtains a complete answer, `complete.rs`.
//! - Calls that are handed in as batches and answered later: `outbox.rs`, `model/deferred.rs`, `openai/batches.rs`; what the state folder keeps of them,
//!   `crates/cli/src/batches.rs`.
//! - What a server's error means: `classify.rs`; how the client reacts, `error.rs`: `CallErrorKind::remedy`.
//! - How an answer is parsed: `object.rs` finds its JSON object, `crates/scribe/src/model_scribe/answer_reader.rs` reads it.
//! - Known facts about models: `models.toml`, `models.rs`; how the settings use them, `crates/cli/src/configured_model.rs`.
//!
//! # What always holds
//!
//! **The budget is a type.** A prompt exists only as `BudgetedPrompt`, which counts system message, schema and user message exactly as they would be
//! sent. `Scribe::write` accepts nothing else. So no code path can send text that is uncounted or over budget. The code never truncates a prompt to
//! make it fit. Second attempts (`with_note`), the wording for servers that accept no schema (`messages_with_schema`), the pieces of a chunk and
//! overviews are counted the same way.
//!
//! **One path to a model.** Only `ModelClient::ask` calls a `ModelProvider`, or hands a request to an `Outbox`. It sends only with a permit from the rate limiter, with a reservation for the
//! most that the call can cost, and only while the run has not stopped. No other code retries a request. One exhaustive match decides how to react to
//! an error. Each outcome is recorded, and on disk, before it is used.
//!
//! **Everything that steers a run is recorded.** A replay makes the same decisions as the recorded run, so the cassette keeps both answers and overflows.
//! A key contains everything that may change an answer and nothing else: neither the number of a chunk nor the server's dialect. A run with a
//! cassette ignores what earlier runs learned.

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
mod outbox;
mod prompt;
mod provider;
mod rate_limiter;
mod shared_budget;

pub use answer::{FinishReason, ModelAnswer, TokenUsage, UsageTotals};
pub use answer_key::{AnswerKey, RequestParameters};
pub use call_log::{CallLog, CallLogError, CallLogErrorKind, CallLogFuture, CallOutcome, FinishedCall, NewCall};
pub use cassette::{Cassette, CassetteError};
pub use complete::{CompletionError, excerpt};
pub use dialect::{Dialect, OutputLimitParameter, RequestFeature, ResponseFormat};
pub use error::{CallError, CallErrorKind, ContextOverflow, ModelError, StopError, StopReason};
pub use model::{BookedCall, CallProgress, ModelClient, ModelOptions, WindowEstimate, tokens_as_worded};
pub use models::{
    BATCH_TIER, LimitName, LongPromptPrices, ModelInfo, ModelPrices, ModelRegistry, ModelRegistryError,
    optimal_chunk_size,
};
pub use money::{Money, TokenPrice, units};
pub use object::{AnswerParseError, answer_object};
pub use openai::{
    BatchApi, BatchLine, Endpoint, EndpointError, ListModelsError, OpenAi, RemoteBatch, install_encryption, list_models,
};
pub use outbox::{CallRoute, DeferredCall, Outbox};
pub use prompt::{AnswerReuse, BudgetedPrompt, CountedText, OverBudget, PromptKind, PromptMessages, UserMessage};
pub use provider::ModelProvider;
pub use rate_limiter::RateLimits;
pub use secrecy::SecretString;
pub use shared_budget::{CallPermit, SharedBudget};
