//! The parser on COBOL as it is found.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod catalogue;
mod cobc;
mod copying;
mod data;
mod execs;
mod layouts;
mod statements;
mod structure;
mod support;
mod unread;
