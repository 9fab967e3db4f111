//! Token counting, the prompt budget, and what is known of models and their prices.
//!
//! Counting is exact for the encodings `o200k_base` and `cl100k_base`, and an estimate from above for `heuristic`. Rows of a
//! numbered source block are additive, exactly: see [`RowTokens`]. So a plan made of sums is the count of the prompt.
//!
//! ```
//! use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
//!
//! let counter = TokenCounter::new(Encoding::O200kBase);
//! assert_eq!(counter.count("MOVE A TO B."), TokenCount::new(5));
//! ```

mod budget;
mod counter;
mod heuristic;
mod models;
mod money;
mod pieces;
mod rows;

pub use budget::{
    Allocation, BudgetError, ContextShares, FixedParts, MINIMUM_ANSWER, MINIMUM_SOURCE, PromptBudget,
};
pub use counter::{Encoding, TokenCount, TokenCounter};
pub use models::{
    AnswerLimit, ChunkSize, LongPrompt, ModelInfo, Prices, Registry, RegistryError, optimal_chunk_size,
};
pub use money::{Money, Price, units};
pub use rows::RowTokens;
