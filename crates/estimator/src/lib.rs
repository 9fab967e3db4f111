//! Token counting and the prompt budget.
//!
//! Counting is exact for the encodings `o200k_base` and `cl100k_base`; `heuristic` estimates an upper bound. Rows of a numbered source block are
//! exactly additive: see [`RowTokens`]. So the sum of a plan equals the count of the prompt.
//!
//! ```
//! use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
//!
//! let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
//! assert_eq!(counter.count("MOVE A TO B."), TokenCount::new(5));
//! ```
//!
//! # What always holds
//!
//! **Rows are additive.** The tokens of a source block are exactly the sum over its rows. In general the tokens of two joined texts are not the sum
//! of their tokens, because a token may span the joint. Both exact encodings first cut a text into pieces by a regular expression, and encode each
//! piece separately. A row of the block is `{number}|{line}` and a line end. The next row begins with a digit, and no piece spans a line end and a
//! digit, or a digit and `|`. So every row is encoded separately, whatever the line contains. A number costs one token for each started group of
//! three digits. `crates/estimator/src/rows.rs` counts each line once and keeps running sums, so counting any block of the file takes two look-ups.
//! That is why the chunker can count many thousand blocks, and why the sum of a plan is the exact count of the prompt (a debug assertion in `pool`
//! and property tests verify it). Context rows begin with `c|` and headers with `<<<`, each after a line end, so they are encoded separately as well.
//! The heuristic counts line by line, and is additive by construction.

mod ascii_tokens;
mod budget;
mod chunk_size;
mod counter;
mod encoder;
mod heuristic;
mod piece_cache;
mod rows;

pub use budget::{
    BudgetAllocation, ContextShares, FixedParts, MIN_ANSWER_TOKENS, MIN_SOURCE_TOKENS, PromptBudget, PromptBudgetError,
};
pub use chunk_size::ChunkSize;
pub use counter::{TokenCount, TokenCounter, TokenizerEncoding};
pub use rows::RowTokens;
