//! The arguments of `diff`.

use super::shared::PrintArgs;
use clap::Args;
use std::path::PathBuf;

/// Compare two folders of documents, or two documents, by what they mean
#[derive(Debug, Args)]
#[command(after_help = "\
Lines that moved, numbers of rules and the order of lists are no meaning.

Examples:
  war-rig diff docs-before docs
  war-rig diff docs-before/cbl/X.cbl.json docs/cbl/X.cbl.json --format json --exit-code")]
pub struct DiffArgs {
    /// The folder that `document` wrote before, or a JSON document out of it
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The folder that it has written now, or a JSON document out of it
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
    /// End with 4 where they differ in meaning
    #[arg(long)]
    pub exit_code: bool,
}
