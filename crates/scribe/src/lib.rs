//! Renders prompts and writes partial templates.
//!
//! A [`Scribe`] is handed a counted prompt and the parser's facts about the same lines, and writes what it knows as a
//! partial template whose citations are rows of the prompt's block. The static Scribe needs no model: it puts the facts into
//! sentences. The model Scribe asks, and reads what comes with care.
//!
//! # Where to begin
//!
//! - What the first pages say: `overview.rs`.
//! - What a document says of jobs, maps, definitions and tables: `non_cobol/mod.rs`; its items
//!   `crates/template/src/surroundings/`.
//! - What the static Scribe says: `static_scribe/mod.rs`; `clauses.rs` makes the sentences.
//! - What a prompt looks like: `prompt.rs`, `system.txt`, `instructions.txt`.
//!
//! # What always holds
//!
//! **Anchors cost nothing.** What a chunk decides is told to a model last (`kind=decisions`), in the room
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
pub use scribe::{Scribe, ScribeError, ScribeOutput, ScribeResponse};
pub use static_scribe::StaticScribe;
