//! The options of the command line that set settings, and the groups in which commands take them.

use super::options::Options;
use super::table::{self, Flag, Key, Shape};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

/// Makes groups of options, which a command takes with `#[command(flatten)]`. What the command line says of them stands in `options`.
macro_rules! groups {
    ($($(#[$about:meta])* $group:ident $(below $heading:ident)?: $($flag:literal),+;)+) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub struct $group {
            /// What the command line says of them.
            pub options: Box<Options>,
        }

        impl Args for $group {
            fn augment_args(command: Command) -> Command {
                command.args([$($flag),+].map(argument)$(.map(|arg| arg.help_heading($heading)))?)
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $group {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                given(matches, &[$($flag),+]).map(|options| Self { options: Box::new(options) })
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
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
    /// What documents are to show and to sum up.
    PageArgs: "--source-url", "--reconcile";
    /// How sources are read.
    ReadArgs: "--source-format", "--source-encoding";
    /// How sources are read, and where their copybooks are.
    SourceArgs: "--source-format", "--source-encoding", "--copybooks";
    /// Where the sources are shown, and what fails a check.
    GroupArgs: "--source-url", "--fail-on";
    /// What a check lets pass.
    BaselineArgs: "--baseline";
    /// How a broker is reached. Passwords and tokens come from the environment: `broker.password_env` and `broker.token_env` name the variables.
    BrokerArgs below BROKER_HEADING: "--broker", "--broker-credentials", "--broker-ca-file", "--broker-insecure";
    /// Where a worker keeps answers.
    SpoolArgs: "--spool";
}

/// The heading of the options that say how a broker is reached.
pub const BROKER_HEADING: &str = "Broker options";

/// The key that this option sets.
fn key(flag: &str) -> &'static Key {
    table::keys().find(|key| key.flag() == Some(flag)).expect("groups name options of keys")
}

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

/// What the command line says of these options.
fn given(matches: &ArgMatches, flags: &[&str]) -> Result<Options, clap::Error> {
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
    Ok(Options::of(values.collect::<Result<Vec<_>, _>>()?))
}
