//! Runs through the library, with somebody who answers in the same process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod failures;
mod parts;
mod patterns;
mod summaries;
mod support;
