//! The commands of War Rig, from the words of a command line to what is printed and how it ends.
//!
//! The binary `war-rig` is [`main`] and nothing else. [`run`] is the same within another program, which says what the run has of the machine
//! ([`RunContext`]) and where its output goes ([`Streams`]); so what is only output can be tested without a process. Begin reading in `run.rs`.

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
