//! The arguments of `config`.

use super::shared::PrintArgs;
use crate::settings::{Options, ScribeArgs, SourceArgs, overlaid};
use clap::{Args, Subcommand};

/// Look at the settings
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig config show
  war-rig --config other.toml config show --format json")]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    Show(ShowArgs),
    Reference(ReferenceArgs),
}

/// Print every setting with where it comes from
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig config show
  war-rig config show --max-prompt-tokens 8000 --format json")]
pub struct ShowArgs {
    #[command(flatten)]
    pub scribe: ScribeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// Print what every setting does, with its type, default and variable, as Markdown
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig config reference
  war-rig config reference > settings.md")]
pub struct ReferenceArgs {}

impl ShowArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.scribe.options, &self.source.options])
    }
}
