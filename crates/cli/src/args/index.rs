//! The arguments of `index`.

use clap::Args;
use std::path::PathBuf;

/// Bring the catalogue that is searched up to date with the documents, as `document` does at its end
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig index
  war-rig index --rebuild")]
pub struct IndexArgs {
    /// Make the catalogue anew from all documents that are there, without those of folders out of reach; until that is done, it is searched as it was
    #[arg(long)]
    pub rebuild: bool,
    /// The folder that holds the store and the catalogue
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
}
