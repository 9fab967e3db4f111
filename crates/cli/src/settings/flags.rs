//! The command-line options that set settings.

use super::broker::BROKER_HEADING;
use super::key::{Flag, Key, Shape};
use super::options::{self, Options};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use serde_json::json;

/// Groups of command-line options, each of which a command includes with `#[command(flatten)]`. `options` contains the values given.
macro_rules! groups {
    ($($(#[$about:meta])* $group:ident $(below $heading:ident)?: $($flag:literal),+;)+) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub struct $group {
            /// The values given on the command line; boxed, because commands are variants of one enum.
            pub options: Box<Options>,
        }

        impl clap::Args for $group {
            fn augment_args(command: clap::Command) -> clap::Command {
                command.args([$($flag),+].map(argument)$(.map(|arg| arg.help_heading($heading)))?)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                <Self as clap::Args>::augment_args(command)
            }
        }

        impl clap::FromArgMatches for $group {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                given(matches, &[$($flag),+]).map(|options| Self { options })
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = clap::FromArgMatches::from_arg_matches(matches)?;
                Ok(())
            }
        }
    )+};
}

groups! {
    /// Who writes, and within which budget.
    ScribeArgs: "--scribe", "--model", "--budget-usd", "--max-prompt-tokens";
    /// How tokens are counted.
    EncodingArgs: "--encoding";
    /// How sources are read.
    ReadArgs: "--source-format", "--source-encoding";
    /// How sources are read, and where their copybooks are.
    SourceArgs: "--source-format", "--source-encoding", "--copybooks";
    /// What documents are to show and to sum up.
    PageArgs: "--source-url", "--reconcile";
    /// Where the sources are shown, and what fails a check.
    GroupArgs: "--source-url", "--fail-on";
    /// What a check lets pass.
    BaselineArgs: "--baseline";
    /// How a broker is reached. Passwords and tokens come from the environment: `broker.password_env` and `broker.token_env` name the variables.
    BrokerArgs below BROKER_HEADING: "--broker", "--broker-credentials", "--broker-ca-file", "--broker-insecure";
    /// Where a worker keeps answers.
    SpoolArgs: "--spool";
}

/// Returns the key that this option sets.
fn key(flag: &str) -> &'static Key {
    options::keys().find(|key| key.flag() == Some(flag)).expect("groups name options of keys")
}

/// Returns the option of this name.
fn argument(name: &'static str) -> Arg {
    let key = key(name);
    let Flag { usage, help, describe } = key.flags[0];
    let arg = Arg::new(key.path).long(name.trim_start_matches('-')).help(help);
    let arg = match usage.split_once(' ') {
        Some((_, value)) => arg.value_name(value),
        None => arg,
    };
    describe(arg.action(match key.shape() {
        Shape::Flag => ArgAction::SetTrue,
        Shape::List => ArgAction::Append,
        Shape::Text | Shape::Whole | Shape::Decimal | Shape::Table => ArgAction::Set,
    }))
}

/// Returns the values that the command line gives for these options.
fn given(matches: &ArgMatches, flags: &[&str]) -> Result<Box<Options>, clap::Error> {
    let keys = flags.iter().map(|flag| key(flag));
    let keys = keys.filter(|key| matches.value_source(key.path) == Some(ValueSource::CommandLine));
    let values = keys.map(|key| {
        let words: Vec<_> =
            matches.get_raw(key.path).into_iter().flatten().map(|word| word.to_string_lossy()).collect();
        let value = match key.shape() {
            Shape::List => Some(json!(words)),
            shape => words.last().and_then(|word| shape.parse(word)),
        };
        let must = || format!("must be {}, not `{}`\n", key.shape().name(), words.join(" "));
        let wrong = || format!("`{}`: `{}` {}", key.flag().unwrap_or_default(), key.path, must());
        value.map(|value| (key, value)).ok_or_else(|| clap::Error::raw(ErrorKind::ValueValidation, wrong()))
    });
    Ok(Box::new(Options::of(values.collect::<Result<Vec<_>, _>>()?)))
}
