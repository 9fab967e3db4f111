//! Merges partial templates into one document with verified citations.
//!
//! The parser's facts are the frame of every document: each paragraph, call, copybook, operation and interface that the parser
//! knows is an item before any Scribe has said a word. What Scribes write is laid over that frame, its citations mapped from rows
//! of a prompt to lines of the file and held against the source. Nothing is dropped in silence: what two chunks say
//! differently is a conflict on record.

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
