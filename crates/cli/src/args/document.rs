//! The arguments of `document`.

use super::batch::BatchArgs;
use super::broker::MetricsArgs;
use super::scribe::{CassetteArgs, CassetteMode};
use super::shared::{JobsArgs, PickArgs, ProgressMode};
use crate::failure::Failure;
use crate::settings::{
    BrokerArgs, BrokerSettings, Options, PageArgs, ScribeArgs, ScribeSettings, SourceArgs, overlaid,
};
use clap::Args;
use std::path::PathBuf;

/// Write a document for every source
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig document
  war-rig document src -o docs
  war-rig document src -o docs --prune --changed-since origin/main
  war-rig document src -o docs --scribe openai --model gpt-4.1 --budget-usd 5 --record answers.jsonl
  war-rig document src -o docs --scribe openai --broker nats://127.0.0.1:4222")]
pub struct DocumentArgs {
    /// Source files and folders of them; without any, those of `source.paths`
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The folder that the documents are written to; without it, that of `output.folder`
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub scribe: ScribeArgs,
    #[command(flatten)]
    pub tape: CassetteArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
    #[command(flatten)]
    pub page: PageArgs,
    /// The folder that keeps what was done and learned, so that a run that is repeated goes on where the last one ended
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub pick: PickArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Say what would be done, as `plan` does, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do everything anew, and ask a model again for what is on record
    #[arg(long)]
    pub force: bool,
    /// Try the files again that were set aside because the process died over them; no other file is paid for again
    #[arg(long)]
    pub retry_failed: bool,
    /// Remove the documents of sources that are gone
    #[arg(long)]
    pub prune: bool,
    /// Overwrite files in OUT that this program has not written, where documents belong
    #[arg(long)]
    pub overwrite_foreign: bool,
    /// Count a file that is passed over because it is no text as failed
    #[arg(long)]
    pub strict: bool,
    /// Begin no further file once one has failed
    #[arg(long)]
    pub fail_fast: bool,
    /// Leave the catalogue that `search` reads as it is; `index` brings it up to date
    #[arg(long)]
    pub no_index: bool,
    /// How progress is shown on standard error
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: ProgressMode,
    #[command(flatten)]
    pub broker: BrokerArgs,
    #[command(flatten)]
    pub metrics: MetricsArgs,
}

impl DocumentArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        let scribe = self.tape.options(&self.scribe);
        *overlaid([&scribe, &self.source.options, &self.page.options, &self.broker.options])
    }

    /// Whether the sources are handed to workers, which a broker's address says, in an argument or in a setting.
    ///
    /// # Errors
    /// A usage failure when that does not go together with another argument.
    pub fn is_distributed(&self, broker: &BrokerSettings) -> Result<bool, Failure> {
        let is_distributed = broker.urls.is_some();
        let alone = "run it on this machine alone, with --broker \"\"";
        let named = if self.broker.options.broker.url.is_some() { "`--broker`" } else { "`broker.url`" };
        let both = |other: &str, why: &str| Failure::usage(format!("{named} and `{other}` do not go together: {why}"));
        match () {
            () if !is_distributed && self.metrics.metrics.is_some() => Err(Failure::usage(
                "`--metrics`: there is no broker, and a run on one machine shows how far it is by itself",
            )
            .with_hint(
                "name the broker with --broker URL, or leave out --metrics; --progress json tells the same to programs",
            )),
            () if !is_distributed => Ok(false),
            // A dry run calls no model, wherever the settings come from.
            () if self.dry_run && self.broker.options.broker.url.is_some() => {
                Err(both("--dry-run", "a dry run calls nobody").with_hint("leave out one of them"))
            }
            () if self.dry_run => Ok(false),
            () if self.tape.replay.is_some() => {
                Err(both("--replay", "a replay asks nobody, so workers have nothing to do").with_hint(alone))
            }
            () if self.tape.record.is_some() => {
                Err(both("--record", "answers come from the workers, whose calls no file of this machine records")
                    .with_hint(alone))
            }
            () => Ok(true),
        }
    }

    /// The files in work at the same time.
    pub fn jobs(&self, scribe: &ScribeSettings, tape: CassetteMode<'_>) -> usize {
        self.jobs.get(tape.calls_model(scribe.provider).then_some(scribe.concurrency))
    }
}
