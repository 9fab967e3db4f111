//! Log lines for whoever looks for a fault: to standard error, and at the default level without a word of any source.

use crate::failure::Failure;
use std::io::{self, IsTerminal};
use tracing_subscriber::EnvFilter;

/// The variable that says what is logged, such as `war_rig=debug`; it wins over `-v`.
pub const VARIABLE: &str = "WAR_RIG_LOG";

/// Libraries that log what they send and receive: prompts, answers, headers.
const SILENT: [&str; 4] = ["async_openai=off", "reqwest=off", "hyper=off", "hyper_util=off"];

/// Starts logging, `verbose` being the number of `-v`.
///
/// # Errors
/// A usage failure when the variable holds no filter.
pub fn start(verbose: u8) -> Result<(), Failure> {
    let filter = match std::env::var(VARIABLE) {
        Ok(text) if !text.trim().is_empty() => parse(&text)?,
        _ => EnvFilter::new(default_filter(verbose)),
    };
    let filter = SILENT.iter().fold(filter, |filter, silent| {
        filter.add_directive(silent.parse().expect("our own directives are some"))
    });
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    Ok(())
}

fn parse(text: &str) -> Result<EnvFilter, Failure> {
    EnvFilter::try_new(text).map_err(|error| {
        Failure::usage(format!("{VARIABLE}: `{text}` is no log filter"))
            .because(error)
            .with_hint("write a level such as `debug`, or a part and its level such as `war_rig=debug`")
    })
}

/// Our own crates speak up with every `-v`; others stay at warnings, because they log what they send.
fn default_filter(verbose: u8) -> &'static str {
    match verbose {
        0 => "warn",
        1 => "warn,war_rig=info",
        2 => "warn,war_rig=debug",
        _ => "warn,war_rig=trace",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_filter_is_one() {
        for verbose in 0..5 {
            assert!(parse(default_filter(verbose)).is_ok());
        }
        assert!(parse("war_rig=loud").is_err());
    }
}
