//! COBOL source bytes decoded to numbered lines.
//!
//! This crate does no I/O. It takes bytes and returns [`SourceText`]: lines numbered as an editor numbers them, known columns, and
//! the raw bytes without loss. The crates above name lines by [`LineNumber`] and [`LineRange`], one-based and inclusive.
//!
//! ```
//! use war_rig_text::{ReadOptions, SourceFormat, SourceText};
//!
//! let bytes = b"000100 IDENTIFICATION DIVISION.                                         X0000001\n".to_vec();
//! let source = SourceText::read("A.cbl", bytes, &ReadOptions::default()).unwrap();
//! assert_eq!(source.format(), SourceFormat::Fixed);
//! assert_eq!(source.lines().next().unwrap().visible(), " IDENTIFICATION DIVISION.");
//! ```
//!
//! # Where to begin
//!
//! - How bytes become lines: start with `line_breaks.rs`, then read `encoding.rs` and `decode.rs`.
//!
//! # What always holds
//!
//! **Every guess about the bytes is reported.** `line_breaks.rs` alone decides where a line ends. A guess
//! (a code page, records without line ends) becomes a `ReadNote`, which facts and documents repeat.

mod columns;
mod decode;
mod ebcdic;
mod encoding;
mod format_detection;
mod hash;
mod identification;
mod json;
mod line_breaks;
mod line_map;
mod line_spans;
mod lines;
mod sanitize;
mod source;
mod wording;

pub use columns::{byte_of_column, columns};
pub use decode::{ReadError, ReadErrorKind, ReadNote};
pub use ebcdic::CodePage;
pub use encoding::Encoding;
pub use format_detection::SourceFormat;
pub use hash::{ContentHash, ContentHasher, InvalidHash, LinesHash};
pub use json::{escaped, spaced_json, write_compact_json, write_json_at};
pub use line_breaks::{line_number_at, unix_line_ends};
pub use line_map::LineMap;
pub use line_spans::LineSpans;
pub use lines::{InvalidLine, LineNumber, LineRange, line_and_end};
pub use sanitize::{is_unsafe_to_display, sanitize_line};
pub use source::{ColumnSpan, ReadOptions, SourceLine, SourceText, member_name};
pub use wording::{capitalized, counted, sentence};
