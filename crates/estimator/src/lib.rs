//! Token counting and the prompt budget.
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
mod chunk_size;
mod counter;
mod heuristic;
mod piece_cache;
mod rows;

pub use budget::{
    BudgetAllocation, ContextShares, FixedParts, MIN_ANSWER_TOKENS, MIN_SOURCE_TOKENS, PromptBudget,
    PromptBudgetError,
};
pub use chunk_size::ChunkSize;
pub use counter::{TokenCount, TokenCounter, TokenizerEncoding};
pub use rows::RowTokens;
