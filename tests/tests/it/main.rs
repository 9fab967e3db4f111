//! War Rig end to end: the estate of the fixtures, bad input, the limits that every prompt and chunk keeps, and what the
//! project says of itself.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

mod bad_input;
mod chunks;
mod copybooks;
mod documents;
mod models;
mod odd_sources;
mod project;
mod prompts;
mod random;
mod same_bytes;
mod stress;
mod tokens;
mod views;
