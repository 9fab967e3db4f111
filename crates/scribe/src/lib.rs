//! Renders prompts and writes partial templates.
//!
//! A [`Scribe`] receives a counted prompt and the parser's facts about the same lines, and writes a partial template
//! whose citations are rows of the prompt's block. The static Scribe needs no model: it turns the facts into
//! sentences. The model Scribe asks a model and reads its answer with tolerance.
//!
//! # Where to begin
//!
//! - The overview pages: `overview.rs`.
//! - The documents of jobs, maps, definitions and tables: `non_cobol/mod.rs`; their items are in
//!   `crates/template/src/non_cobol/`.
//! - The static Scribe: `static_scribe/mod.rs`; `static_scribe/clauses.rs` builds the sentences; names of verbs, commands and
//!   operations in words: `phrases.rs`.
//! - The overview of a program that was documented in several chunks: `model_scribe/program_overview.rs`,
//!   `model_scribe/overview_rows.rs`, `program_overview.txt`.
//! - The prompt: `prompt.rs`, `system.txt`, `instructions.txt`.
//!
//! # What always holds
//!
//! **The list of decisions costs nothing.** The decisions of a chunk come last in the context for a model (`kind=decisions`), in the room
//! that the other hints leave.

mod facts;
mod model_scribe;
mod non_cobol;
mod overview;
mod phrases;
mod prompt;
mod scribe;
mod static_scribe;

pub use facts::{ChunkFacts, FileFacts};
pub use model_scribe::ModelScribe;
pub use non_cobol::describe_non_cobol;
pub use overview::{ListedSource, Overview};
pub use prompt::{PromptContextPrices, PromptRenderer};
pub use scribe::{PartWords, Scribe, ScribeError, ScribeOutput, ScribeResponse};
pub use static_scribe::StaticScribe;
