//! The plan of chunks over a parsed source.
//!
//! Chunks tile the file: their line ranges follow each other without a gap from the first line to the last, so the raw bytes of
//! the ranges, put together, are the file. A chunk is cut where COBOL is divided, holds at most its share of tokens, and there
//! are as few of them as the cuts allow.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
//! use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
//! use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
//! use war_rig_text::{ReadOptions, SourceText};
//!
//! let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n";
//! let source = SourceText::read("HELLO.cbl", code.into(), &ReadOptions::default()).unwrap();
//! let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
//! let measure = SourceMeasure::of(&source, analysis.parsed(), &TokenCounter::new(TokenizerEncoding::O200kBase));
//! let limits = ChunkLimits::of_source(TokenCount::new(500));
//! let chunks = chunk(&source, &analysis, &measure, &limits);
//! assert_eq!(chunks[0].chunk_id, "HELLO-001");
//! ```
//!
//! # Where to begin
//!
//! - How a file is cut: `atoms.rs`, then `pack.rs`.
//! - What a chunk is told of the rest: `context/mod.rs`.
//!
//! # What always holds
//!
//! **Chunks tile the file.** The line ranges of a file's chunks follow each other from its first line to
//! its last, without a gap or an overlap. The raw bytes of the ranges, put together, are the file. This
//! needs no knowledge of COBOL to check, so it is checked on random bytes.
//!
//! # How a file is cut
//!
//! The limits come from the budget: the tokens of source rows a prompt can hold beside everything else in it, and the answer
//! that may be expected of the rows (`crates/chunker/src/answer_estimate.rs`), which must fit `max_completion_tokens`.
//!
//! 1. **Seams.** For every line the parser notes the strongest construct that begins on it: program, division, section, paragraph
//!    (also an 01 or 77 level, FD and SELECT), sentence, statement with its depth, branch (WHEN or ELSE, stronger than the statements under it), or nothing. A seam moves up above the comments
//!    that stand directly over its line, so that a banner stays with what it announces.
//! 2. **Atoms** (`atoms.rs`). A piece that fits is left whole. One that does not is divided at the strongest seams inside it, and
//!    its parts are looked at in the same way. So a PROCEDURE DIVISION that fits stays whole; else it falls into sections, then
//!    paragraphs, sentences, statements, and single lines at last. Statements deeper than 12 are cut alike, which bounds the
//!    passes over a file.
//! 3. **Packing** (`pack.rs`). Neighbouring atoms are joined to chunks in one pass of dynamic programming: for each atom, the best plan
//!    up to it is known. Before that, the largest reserve for context that costs no chunk is taken off the limit. A plan is better when, in
//!    this order, it has fewer chunks; fewer chunks without room for context; more PERFORM and GO TO edges with both ends in
//!    one chunk; more pairs of paragraphs that share data in one chunk; stronger seams at its cuts; chunks of more even size. A chunk reaches back only as far as its limits.
//!
//! A single line of free format can exceed the limits alone. It becomes a chunk that does not fit: no prompt is made for it, its
//! lines are listed as failed, and the document is partial.

mod answer_estimate;
mod atoms;
mod chunk;
mod context;
mod measure;
mod pack;
mod shared_data;
mod units;

pub use chunk::{
    ChunkLimits, CodeChunk, ContextType, chunk, chunk_with_borders, chunk_with_reserve, needs_chunking,
    subdivide_chunk,
};
pub use context::{ChunkContext, ContextBlock, ContextIndex, ContextKind, ContextLimit, ContextPrices};
pub use measure::SourceMeasure;
