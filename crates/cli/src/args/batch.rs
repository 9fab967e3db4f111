//! The arguments that hand questions to the provider together.

use super::scribe::CassetteArgs;
use crate::failure::Failure;
use crate::settings::Provider;
use clap::Args;

/// Whether the questions of a run are handed to the provider together.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Hand all questions to the provider's batches, which cost less and are answered within a day; the same command later takes what is there
    #[arg(long)]
    pub batch: bool,
    /// Wait until all batches are done
    #[arg(long, requires = "batch")]
    pub wait: bool,
    /// Cancel the open batches, and keep what was answered by then
    #[arg(long, requires = "batch", conflicts_with = "wait")]
    pub cancel: bool,
}

impl BatchArgs {
    /// Whether questions go into batches.
    ///
    /// # Errors
    /// A usage failure when that does not go together with another argument or setting.
    pub fn hands_in(&self, provider: Provider, is_distributed: bool, tape: &CassetteArgs) -> Result<bool, Failure> {
        match () {
            () if !self.batch => Ok(false),
            () if is_distributed => Err(refused_by_workers("run it on this machine alone, with --broker \"\"")),
            () if provider != Provider::OpenAi => {
                Err(refused("no model is asked, so that there is nothing to hand in", "ask one with --scribe openai"))
            }
            () if tape.record.is_some() || tape.replay.is_some() => Err(refused(
                "a file of answers is written and read call by call",
                "leave out --record and --replay; the store in --state-dir keeps the answers of batches too",
            )),
            () => Ok(true),
        }
    }
}

/// For commands around a broker, which say why they know no batches.
#[derive(Debug, Args)]
pub struct BatchRefusal {
    /// Refused, with the reason
    #[arg(long, hide = true)]
    batch: bool,
}

impl BatchRefusal {
    /// Refuses `--batch`.
    ///
    /// # Errors
    /// A usage failure with the reason, if it was given.
    pub fn check(&self) -> Result<(), Failure> {
        let advice = "leave it out; `document --batch` and `extract --batch` run on one machine, without a broker";
        if self.batch { Err(refused_by_workers(advice)) } else { Ok(()) }
    }
}

fn refused_by_workers(advice: &str) -> Failure {
    refused("workers call the model themselves, and a batch belongs to one machine", advice)
}

fn refused(why: &str, advice: &str) -> Failure {
    Failure::usage(format!("`--batch`: {why}")).with_hint(advice.to_owned())
}
