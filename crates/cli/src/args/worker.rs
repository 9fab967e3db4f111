//! The arguments of `worker`.

use super::batch::BatchRefusal;
use super::broker::MetricsArgs;
use super::shared::JobsArgs;
use crate::settings::{BrokerArgs, Options, SpoolArgs, overlaid};
use clap::Args;

/// Take sources from a broker and write of them, on as many machines as wanted
#[derive(Debug, Args)]
#[command(after_help = "\
A worker takes what a `document --broker` hands out, and asks the model with its own
key. It needs no file of the sources, and nothing on this machine but a spool folder.

Examples:
  war-rig worker --broker nats://127.0.0.1:4222 --jobs 8
  war-rig worker --broker tls://broker:4222 --broker-credentials me.creds --metrics 127.0.0.1:9464
  war-rig worker --broker nats://127.0.0.1:4222 --serve notes")]
pub struct WorkerArgs {
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub spool: SpoolArgs,
    /// What the worker is called in logs and figures, at most 64 letters, digits, `.`, `-` and `_`; if not given, a name of its own
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// Serve messages to the target NAME of the settings as well, which no other worker may; repeat for more
    #[arg(long, value_name = "NAME")]
    pub serve: Vec<String>,
    #[command(flatten)]
    pub batch: BatchRefusal,
    #[command(flatten)]
    pub broker: BrokerArgs,
    #[command(flatten)]
    pub metrics: MetricsArgs,
}

impl WorkerArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.broker.options, &self.spool.options])
    }
}

/// The most characters of a worker's name.
const LONGEST_NAME: usize = 64;

fn name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && text.len() <= LONGEST_NAME
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if is_name {
        Ok(text.to_owned())
    } else {
        Err("use letters, digits, `.`, `-` and `_`, at most 64 of them".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, CliCommand};
    use super::*;

    fn parse(line: &str) -> Result<WorkerArgs, clap::Error> {
        let line = format!("war-rig worker {line}");
        match Cli::parse_in(std::path::Path::new(""), line.trim().split(' '))?.command {
            CliCommand::Worker(args) => Ok(args),
            other => panic!("not worker: {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_refused() {
        for line in [
            "--jobs 0",
            "--metrics 9464",
            "--metrics localhost:9464",
            "--name a/b",
            "--name =",
            "src",
            "--replay Cargo.toml",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn options_hold_what_was_given_and_nothing_else() {
        assert_eq!(parse("").unwrap().options(), Options::default());
        let args = parse("--broker nats://a --jobs 3 --spool x --name rack-4.2 --broker-insecure --broker-ca-file ca.pem --broker-credentials c --metrics 127.0.0.1:0").unwrap();
        let broker = args.options().broker;
        assert_eq!((broker.url.as_deref(), broker.spool.as_deref()), (Some("nats://a"), Some("x")));
        assert_eq!((broker.ca_file.as_deref(), broker.credentials.as_deref()), (Some("ca.pem"), Some("c")));
        assert_eq!(broker.insecure, Some(true));
        assert_eq!((args.name.as_deref(), args.jobs.get(None)), (Some("rack-4.2"), 3));
        assert_eq!(args.metrics.metrics, Some("127.0.0.1:0".parse().unwrap()));
    }
}
