//! The plan of chunks over a parsed source.
//!
//! Chunks tile the file: their line ranges follow each other without a gap from the first line to the last, so the raw bytes of
//! the ranges, put together, are the file. A chunk is cut where COBOL is divided, holds at most its share of tokens, and there
//! are as few of them as the cuts allow.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
//! use war_rig_cobol::{Analysis, Lexed, NoCopybooks, parse};
//! use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
//! use war_rig_text::{ReadOptions, SourceText};
//!
//! let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n";
//! let source = SourceText::read("HELLO.cbl", code.into(), &ReadOptions::default()).unwrap();
//! let analysis = Analysis::of(parse(&Arc::new(Lexed::of(&source)), &NoCopybooks));
//! let measure = SourceMeasure::of(&source, analysis.parsed(), &TokenCounter::new(Encoding::O200kBase));
//! let limits = ChunkLimits::of_source(TokenCount::new(500));
//! let chunks = chunk(&source, &analysis, &measure, &limits);
//! assert_eq!(chunks[0].chunk_id, "HELLO-001");
//! ```

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
