//! The store through its ports, on a disk of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod concurrency;
mod damage;
mod journal;
mod opening;
mod runs;
mod support;
mod tickets;
