//! The readers of what stands around COBOL, on the fixtures and on any text.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod any;
mod maps;
mod support;
mod tables;
