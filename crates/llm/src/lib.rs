//! Prompts that are counted before they can be sent, and the one way on which they are sent.
//!
//! A prompt exists only as [`BudgetedPrompt`], and one can only be had by counting the text that would be sent. So nothing in
//! the workspace can hand a provider more than the budget: there is no other type to hand it.
//!
//! A [`Model`] stands between whoever writes and a [`Provider`]: it keeps to rates, waits and caps, repeats what may be repeated, and
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

mod allowance;
mod answer;
mod classify;
mod dialect;
mod error;
mod gate;
mod journal;
mod key;
mod model;
mod models;
mod money;
mod object;
mod openai;
mod prompt;
mod provider;
mod say;
mod spend;
mod tape;

pub use allowance::{Allowance, Leave};
pub use answer::{Answer, Bill, FinishReason, Usage};
pub use dialect::{AnswerFormat, AnswerLimit, Dialect, Feature};
pub use error::{AskError, CallError, CallErrorKind, Overflow, StopReason, Stopped};
pub use gate::Limits;
pub use journal::{EndedCall, Journal, JournalError, JournalErrorKind, NewCall, Outcome, Recording};
pub use key::{AnswerKey, Parameters};
pub use model::{Learned, Meter, Model, ModelOptions};
pub use models::{LimitName, LongPrompt, ModelInfo, Prices, Registry, RegistryError, optimal_chunk_size};
pub use money::{Money, Price, units};
pub use object::{NoObject, answer_object};
pub use openai::{Endpoint, EndpointError, ListError, OpenAi, install_encryption, listed};
pub use prompt::{BudgetedPrompt, CountedText, OverBudget, PromptKind, Recall, UserMessage, Wording};
pub use provider::Provider;
pub use say::{Unsaid, excerpt};
pub use secrecy::SecretString;
pub use tape::{Tape, TapeError};
