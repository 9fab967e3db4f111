//! Plans the chunks of a parsed source.
//!
//! Chunks tile the file: their line ranges follow each other without a gap from the first line to the last, so the concatenated raw
//! bytes of the ranges are the file. Cuts follow the structure of COBOL, each chunk contains at most its share of tokens, and there
//! are as few chunks as the cuts allow.
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
//! - How a file is cut: start with `atoms.rs`, then read `pack.rs`.
//! - The context that a chunk gets from the rest of its file: `context/mod.rs`.
//!
//! # What always holds
//!
//! **Chunks tile the file.** The line ranges of a file's chunks follow each other from its first line to
//! its last, without a gap or an overlap. The concatenated raw bytes of the ranges are the file. Checking this
//! needs no knowledge of COBOL, so tests check it on random bytes.
//!
//! # How a file is cut
//!
//! The limits come from the budget: the tokens of source rows that fit a prompt beside everything else in it, and the expected
//! answer to the rows (`crates/chunker/src/answer_estimate.rs`), which must fit `max_completion_tokens`.
//!
//! 1. **Seams.** For every line the parser records the strongest construct that begins on it: program, division, section, paragraph
//!    (also an 01 or 77 level, FD and SELECT), sentence, statement with its depth, branch (WHEN or ELSE, stronger than the statements
//!    under it), or nothing. A seam moves up above the comments directly over its line, so that a banner stays with what it announces.
//! 2. **Atoms** (`atoms.rs`). A piece that fits stays whole. One that does not is divided at the strongest seams inside it, and
//!    its parts are treated the same way. So a PROCEDURE DIVISION that fits stays whole; otherwise it is divided into sections, then
//!    paragraphs, sentences, statements, and finally single lines. All statements deeper than 12 count as one depth, which bounds the
//!    passes over a file.
//! 3. **Packing** (`pack.rs`). One pass of dynamic programming joins neighboring atoms to chunks: it knows the best plan up to each
//!    atom. Before that, it subtracts from the limit the largest reserve for context that costs no extra chunk. A plan is better when, in
//!    this order, it has fewer chunks; fewer chunks without room for context; more PERFORM and GO TO edges inside one chunk; more pairs of
//!    paragraphs that share data in one chunk; stronger seams at its cuts; more even chunks. A chunk reaches back only as far as its limits.
//!
//! A single line of free format can exceed the limits alone. It becomes a chunk that does not fit: it gets no prompt, its
//! lines are listed as failed, and the document is partial.
//!
//! # What a chunk is told
//!
//! The shares of the budget decide which context comes first; the room that a chunk leaves free beyond them is filled with what is
//! missing of its items and of the outline (`context/mod.rs`). The items of a chunk, with the ids by which an answer names
//! them, follow from the chunk alone: `context/items.rs`.

mod answer_estimate;
mod atoms;
mod chunk;
mod context;
mod measure;
mod pack;
mod shared_data;
mod units;

pub use chunk::{
    ChunkLimits, CodeChunk, ContextType, chunk, chunk_with_borders, chunk_with_reserve, needs_chunking, subdivide_chunk,
};
pub use context::{ChunkContext, ContextBlock, ContextIndex, ContextKind, ContextLimit, ContextPrices};
pub use measure::SourceMeasure;
