//! Merges partial templates into one document with verified citations.
//!
//! The parser's facts are the skeleton of every document: each paragraph, call, copybook, operation and interface that the parser
//! knows is an item before any Scribe contributes. The merger adds what Scribes write to that skeleton, maps their citations from
//! rows of a prompt to lines of the file and judges them by the source. Nothing is dropped silently.
//!
//! # Where to begin
//!
//! - How chunks become one document: `merge.rs`; `skeleton.rs` adds the parser's facts, `merge_chunk.rs` the
//!   Scribe's text, and `matching.rs` finds what an item is about. Rows of the prompt become lines: `claims.rs`.
//! - How a model's words are judged: `evidence.rs`. The parser's own citations are verified by names: `anchors.rs`.
//! - The ids of an answer become names and rows before that: `listed.rs`.
//! - What one more call writes over all chunks: `overview.rs`.
//! - Which data items a document leaves to the documents of copybooks: `data.rs`.
//!
//! # What always holds
//!
//! **The skeleton comes from the parser.** Every paragraph, call, copybook, operation and interface that the parser
//! knows is an item of the document before a Scribe contributes. A Scribe adds text to it. Each item
//! records its origin: `parser`, `model` or `both`. Texts of several chunks about one thing are joined in the order of the
//! lines; a typed value that another chunk contradicts is a recorded conflict. The parser knows all paragraphs, calls, copybooks, SQL, CICS and DL/I:
//! when a model adds another one, it is left out and listed, or kept as `unsupported`
//! if the source contains the name. Where a model is silent, the static Scribe's text is used, with the
//! parser as its origin.

mod anchors;
mod claims;
mod conflicts;
mod data;
mod evidence;
mod listed;
mod matching;
mod merge;
mod merge_chunk;
mod operations;
mod overview;
mod paragraph_uses;
mod skeleton;
mod states;
mod unreached;

pub use data::{CopybookItems, data_dictionary};
pub use listed::resolve_ids;
pub use merge::{Author, ChunkOutcome, FileContext, merge};
