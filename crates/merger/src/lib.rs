//! Merges partial templates into one document with verified citations.
//!
//! The parser's facts are the frame of every document: each paragraph, call, copybook, operation and interface that the parser
//! knows is an item before any Scribe has said a word. What Scribes write is laid over that frame, its citations mapped from rows
//! of a prompt to lines of the file and held against the source. Nothing is dropped in silence: what two chunks say
//! differently is a conflict on record.
//!
//! # Where to begin
//!
//! - How chunks become one document: `merge.rs`: `skeleton.rs` is the parser's part, `merge_chunk.rs` the
//!   Scribe's.
//!
//! # What always holds
//!
//! **The frame is the parser's.** Every paragraph, call, copybook, operation and interface that the parser
//! knows is an item of the document before a Scribe has said a word. A Scribe adds words to it. Each item
//! says where it comes from: `parser`, `model` or `both`. A text that another chunk says differently is a
//! conflict on record, never dropped in silence. Of paragraphs, calls, copybooks, SQL, CICS and DL/I the
//! parser knows all there are: what a model says of others is left out and listed, or kept as `unsupported`
//! where the source has the name. Where a model says nothing, the static Scribe's words stand, with the
//! parser as their origin.

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

pub use merge::{Author, ChunkOutcome, FileContext, merge};
