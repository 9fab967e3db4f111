//! Merges partial templates into one document with verified citations.
//!
//! The parser's facts are the skeleton of every document: each paragraph, call, copybook, operation and interface that the parser
//! knows is an item before any Scribe contributes. The merger adds what Scribes write to that skeleton, maps their citations from
//! rows of a prompt to lines of the file and verifies them against the source. Nothing is dropped silently: a difference between
//! two chunks is recorded as a conflict.
//!
//! # Where to begin
//!
//! - How chunks become one document: `merge.rs`; `skeleton.rs` adds the parser's facts, `merge_chunk.rs` the
//!   Scribe's text. Rows of the prompt become lines, and claims are verified: `claims.rs`.
//! - Which data items a document leaves to the documents of copybooks: `data.rs`.
//!
//! # What always holds
//!
//! **The skeleton comes from the parser.** Every paragraph, call, copybook, operation and interface that the parser
//! knows is an item of the document before a Scribe contributes. A Scribe adds text to it. Each item
//! records its origin: `parser`, `model` or `both`. A text that another chunk contradicts is a recorded
//! conflict, never dropped silently. The parser knows all paragraphs, calls, copybooks, SQL, CICS and DL/I:
//! when a model adds another one, it is left out and listed, or kept as `unsupported`
//! if the source contains the name. Where a model is silent, the static Scribe's text is used, with the
//! parser as its origin.

mod anchors;
mod claims;
mod conflicts;
mod data;
mod merge;
mod merge_chunk;
mod operations;
mod paragraph_uses;
mod skeleton;
mod unreached;

pub use data::CopybookItems;
pub use merge::{Author, ChunkOutcome, FileContext, merge};
