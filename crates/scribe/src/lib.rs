//! Renders prompts and writes partial templates.
//!
//! A [`Scribe`] receives a counted prompt and the parser's facts about the same lines, and writes a partial template
//! whose citations are rows of the prompt's block. The static Scribe needs no model: it turns the facts into
//! sentences. The model Scribe asks a model and reads its answer with tolerance.
//!
//! # Where to begin
//!
//! - The pages about the estate: `overview.rs`; what they know of a program's run: `crates/template/src/run_outline.rs`.
//! - The documents of jobs, maps, definitions and tables: `non_cobol/mod.rs`; their items are in
//!   `crates/template/src/non_cobol/`.
//! - The static Scribe: `static_scribe/mod.rs`; `static_scribe/clauses.rs` builds the sentences; verbs and operations in words: `phrases.rs`,
//!   CICS commands: `cics_phrases.rs`, SQL: `sql_phrases.rs`.
//! - The overview of a program that was documented in several chunks: `model_scribe/program_overview.rs`,
//!   `model_scribe/overview_rows.rs`, `program_overview.txt`.
//! - The prompt: `prompt.rs`, `system.txt`, `instructions.txt`.
//!
//! # What always holds
//!
//! **A model is asked for what only a model knows.** What the parser knows of a chunk is listed with short ids (`kind=items`), and an answer
//! gives words for an id. The list takes only room that is free in the prompt. `crates/cobol/src/listed_items.rs` numbers the items, and
//! `crates/merger/src/listed.rs` reads the ids.

mod cics_phrases;
mod facts;
mod function_arguments;
mod model_scribe;
mod non_cobol;
mod overview;
mod phrases;
mod prompt;
mod scribe;
mod sql_phrases;
mod static_scribe;

pub use facts::{ChunkFacts, FileFacts};
pub use model_scribe::ModelScribe;
pub use non_cobol::describe_non_cobol;
pub use overview::{ESTATE_FOLDERS, ESTATE_PAGES, ListedSource, Overview, SourceFolder};
pub use prompt::{PromptContextPrices, PromptRenderer};
pub use scribe::{EstateSubject, PartWords, Scribe, ScribeError, ScribeOutput, ScribeResponse};
pub use static_scribe::StaticScribe;
