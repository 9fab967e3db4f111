//! The arguments of `doctor`.

use super::shared::PrintArgs;
use crate::settings::{BrokerArgs, Options, ScribeArgs, overlaid};
use clap::Args;
use std::path::PathBuf;

/// Say what provider, store, catalogue and broker can promise, and what is wrong with them
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is changed, and no call is paid for. Ends with 0 where a run could begin, else
with the code that the run would end with.

Examples:
  war-rig doctor
  war-rig doctor --scribe openai --broker nats://127.0.0.1:4222 --format json")]
pub struct DoctorArgs {
    /// The folder that holds the store and the catalogue
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
    #[command(flatten)]
    pub scribe: ScribeArgs,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub broker: BrokerArgs,
}

impl DoctorArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.scribe.options, &self.broker.options])
    }
}
