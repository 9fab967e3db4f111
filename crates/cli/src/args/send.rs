//! The arguments of `send`.

use super::batch::BatchRefusal;
use super::extract::{ON_FAILURE, said};
use super::shared::{OutputFormat, choices};
use crate::settings::{BrokerArgs, Options};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use war_rig_paginate::OnFailure;

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The longest time that an answer is waited for, in seconds. A worker keeps answers for longer.
const LONGEST_WAIT: u64 = 3600;

/// Ask a target that a worker serves, whatever the size of the input
#[derive(Debug, Args)]
#[command(after_help = "\
A target is a section [targets.NAME] of the settings: an agent, its model and how much it
may be sent at once. What is over its token budget reaches it in parts, one by one, and
their answers are merged. A worker with `--serve TARGET` answers.

Examples:
  war-rig send notes \"What changed?\" --input history.md --broker nats://127.0.0.1:4222
  war-rig send notes \"What changed?\" --input history.md --dry-run")]
pub struct SendArgs {
    /// The target, by its name in the settings
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// What is wanted of the input, in words
    #[arg(value_name = "PROMPT", value_parser = said)]
    pub prompt: String,
    /// The input: a file, or - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub batch: BatchRefusal,
    /// What becomes of the answer where a part has none: no answer, or that of the others
    #[arg(long, value_name = "WHAT", default_value = "fail", value_parser = choices(&ON_FAILURE))]
    pub on_failure: OnFailure,
    /// How long one answer is waited for
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = clap::value_parser!(u64).range(1..=LONGEST_WAIT))]
    pub wait: u64,
    /// How the answer is printed
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: OutputFormat,
    /// Print what would be sent and what it weighs, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub broker: BrokerArgs,
}

impl SendArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        Options::clone(&self.broker.options)
    }

    /// The input's file; none for standard input.
    pub fn file(&self) -> Option<&Path> {
        (self.input.as_os_str() != STANDARD_INPUT).then_some(self.input.as_path())
    }

    /// How long one answer is waited for.
    pub fn wait(&self) -> Duration {
        Duration::from_secs(self.wait)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, CliCommand};
    use super::*;

    fn parse(line: &str) -> Result<SendArgs, clap::Error> {
        let words = ["war-rig", "send", "notes", "List it"].into_iter().chain(line.split_whitespace());
        match Cli::parse_in(Path::new(""), words)?.command {
            CliCommand::Send(args) => Ok(*args),
            other => panic!("not send: {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_refused() {
        for line in
            ["", "--input a --wait 0", "--input a --wait 3601", "--input a -o ndjson", "--input a --on-failure retry"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn options_hold_what_was_given_and_nothing_else() {
        let args = parse("--input -").unwrap();
        assert_eq!((args.options(), args.file()), (Options::default(), None));
        assert_eq!((args.on_failure, args.wait()), (OnFailure::Fail, Duration::from_secs(600)));
        let args = parse("-i a.json --broker nats://b --on-failure partial -o json").unwrap();
        assert_eq!(args.options().broker.url.as_deref(), Some("nats://b"));
        assert_eq!((args.file(), args.on_failure), (Some(Path::new("a.json")), OnFailure::Partial));
    }
}
