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
//! use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
//! use war_rig_llm::{BudgetedPrompt, PromptKind, UserMessage};
//!
//! let counter = TokenCounter::new(Encoding::O200kBase);
//! let kind = Arc::new(PromptKind::new("answer", "You document COBOL.", "{}", &counter));
//! let limit = TokenCount::new(12);
//! assert!(BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, limit).is_ok());
//! let long = "MOVE A TO B. ".repeat(9);
//! assert!(BudgetedPrompt::new(&kind, UserMessage::from(long.as_str()), &counter, limit).is_err());
//! ```

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
