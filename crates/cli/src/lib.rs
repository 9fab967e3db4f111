//! The commands of War Rig, from the words of a command line to what is printed and how it ends.
//!
//! The binary `war-rig` is [`main`] and nothing else. [`run`] is the same within another program, which says what the run has of the machine
//! ([`RunContext`]) and where its output goes ([`Streams`]); so what is only output can be tested without a process. Begin reading in `run.rs`.
//!
//! # Where to begin
//!
//! - How far a run has come: `progress/run_tally.rs`.
//! - What a signal does: `signals.rs`: `listen`.
//! - What a command does: `run.rs`, then `commands/`; what it has of the machine, `context.rs`.
//! - Which settings travel, and which are a machine's own: `settings/travelling.rs`; what a worker makes of
//!   them, `commands/worker/executor.rs`.
//! - What the doctor looks at: `commands/doctor.rs`; of a broker, `crates/transport/src/probe.rs`.
//! - Which figures are served: `metrics.rs`, then `metrics/families.rs`.
//! - Which settings there are: a table for each section: `settings/scribe.rs`, `source.rs`, `check.rs`,
//!   `broker.rs`, `targets.rs`; what follows from a row, `table.rs`.
//! - What has changed since a revision: `git.rs`; whom it affects `crates/pool/src/affected.rs` and
//!   `crates/estate/src/changes.rs`.
//! - What a search prints, and when its walk moves on: `commands/search.rs`; whether a reader has taken a
//!   page, `pipe_reader.rs`.
//! - Where an extraction's prompt and budget come from: `commands/extract/resolve.rs`; what the store keeps
//!   of it, `question_ticket.rs`.
//!
//! # What always holds
//!
//! **Names do not become paths.** A copybook is looked up by its name among scanned files; a file named
//! alone adds the folders near it that are called like libraries of copybooks, never above the project.
//! Output names are made from the source's name below the common folder, shortened and without `..`. Text
//! from sources reaches Markdown and the terminal escaped.

mod args;
mod broker;
mod catalogue;
mod changed_sources;
mod commands;
mod configured_model;
mod context;
mod distribution;
mod exit;
mod failure;
mod git;
mod logging;
mod merge_program;
mod metrics;
mod model_connection;
mod output;
mod pipe_reader;
mod printer;
mod progress;
mod question;
mod run;
mod run_state;
mod settings;
mod shell;
mod signals;
mod sources;
mod store_failures;
mod window_estimates;

pub use context::RunContext;
pub use exit::ExitStatus;
pub use printer::{CapturedOutput, Streams};
pub use run::{main, run};
