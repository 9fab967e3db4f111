//! The commands of War Rig: from a command line to its output and exit code.
//!
//! The binary `war-rig` only calls [`main`]. [`run`] does the same inside another program: the caller provides the environment ([`RunContext`]) and
//! the output ([`Streams`]), so tests need no process.
//!
//! # Where to begin
//!
//! - What a command does: `run.rs`, then `commands/`; its folder, environment and executable: `context.rs`.
//! - How far a run has progressed: `progress/run_tally.rs`.
//! - What a signal does: `listen` in `signals.rs`.
//! - Which settings travel, and which stay on their machine: `settings/travelling.rs`; how a worker uses them: `commands/worker/executor.rs`.
//! - What the doctor checks: `commands/doctor.rs`; for a broker: `crates/transport/src/probe.rs`.
//! - Which metrics are served: `metrics.rs`, then `metrics/families.rs`.
//! - Which settings exist: one table per section in `settings/scribe.rs`, `settings/source.rs`, `settings/check.rs`, `settings/broker.rs`
//!   and `settings/targets.rs`; what a row generates: `settings/table.rs`; all of them: `settings/options.rs`;
//!   whether it changes documents: `settings/writing.rs`.
//! - What has changed since a revision: `git.rs`; what the changes affect: `crates/pool/src/affected.rs` and `crates/estate/src/changes.rs`.
//! - What a search prints, and when its cursor advances: `commands/search.rs`; whether the reader has consumed a page: `pipe_reader.rs`.
//! - Where an extraction's prompt and budget come from: `commands/extract/resolve.rs`; what the store keeps of it: `commands/extract/question_ticket.rs`.
//!
//! # What always holds
//!
//! **Names do not become paths.** A copybook is looked up by name among scanned files. If a single file is given, nearby folders whose names
//! look like copybook libraries are searched too, never above the project. Output names are built from the source's name below the common folder, shortened and
//! without `..`. Text from sources is escaped before it reaches Markdown or the terminal.

mod args;
mod batches;
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
mod runtime;
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
