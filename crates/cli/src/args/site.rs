//! The arguments of `site`.

use super::shared::JobsArgs;
use crate::settings::{Options, SourceArgs};
use clap::Args;
use std::path::PathBuf;

/// Make a folder of HTML from documents and their sources, which opens in a browser without a server
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig site
  war-rig site src --docs docs -o site")]
pub struct SiteArgs {
    /// Source files and folders of them, as `document` was given them; without any, those of `source.paths`
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The folder that holds the documents; without it, that of `output.folder`
    #[arg(long, value_name = "OUT")]
    pub docs: Option<PathBuf>,
    /// The folder of the site; files of an earlier site in it are replaced, and removed where they are no longer needed
    #[arg(short, long, value_name = "DIR", default_value = "site")]
    pub output: PathBuf,
    /// The title of the site
    #[arg(long, value_name = "TEXT", default_value = "War Rig")]
    pub title: String,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl SiteArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *self.source.options.clone()
    }
}
