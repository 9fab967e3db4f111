//! The arguments of `check`.

use super::shared::{JobsArgs, PickArgs};
use crate::settings::{BaselineArgs, GroupArgs, Options, SourceArgs, overlaid};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use war_rig_check::ReportFormat;

/// Hold documents against their sources, without a model
#[derive(Debug, Args)]
#[command(mut_arg("source.url", |arg| arg.help("Where the sources are shown, as `document` was told, so that --thorough knows where the links of pages lead")))]
#[command(after_help = "\
Examples:
  war-rig check src --docs docs
  war-rig check src --docs docs --thorough --changed-since origin/main --summary summary.md --against docs-before
  war-rig check src --docs docs --format github --write sarif=war-rig.sarif --fail-on stale,claim")]
pub struct CheckArgs {
    /// Source files and folders of them, as `document` was given them; or a part of them; without any, those of `source.paths`
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The folder that holds the documents; without it, that of `output.folder`
    #[arg(long, value_name = "OUT")]
    pub docs: Option<PathBuf>,
    /// A site that `site` has made of the documents, to be held against them too
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
    /// How the findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format())]
    pub format: ReportFormat,
    /// Write the findings in another format, too; repeat for more
    #[arg(long, value_name = "FORMAT=FILE", value_parser = form_and_file)]
    pub write: Vec<(ReportFormat, PathBuf)>,
    /// Take no seal for granted: hold every word against the sources, and look at all else that stands in the folder
    #[arg(long)]
    pub thorough: bool,
    #[command(flatten)]
    pub groups: GroupArgs,
    /// End with 0 also where the check fails
    #[arg(long)]
    pub exit_zero: bool,
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Write all findings to FILE as a baseline for later checks
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Write a summary for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// The documents as they were before, for the summary
    #[arg(long, value_name = "OLDDOCS", requires = "summary")]
    pub against: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub pick: PickArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl CheckArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.source.options, &self.groups.options, &self.baseline.options])
    }
}

/// A format by its name, with all names in the help.
fn format() -> impl TypedValueParser<Value = ReportFormat> {
    let names = PossibleValuesParser::new(ReportFormat::ALL.map(ReportFormat::as_str));
    names.map(|name| name.parse().expect("only names of formats are possible values"))
}

pub(super) fn form_and_file(text: &str) -> Result<(ReportFormat, PathBuf), String> {
    let (form, file) = text.split_once('=').ok_or("it is written as FORMAT=FILE, such as sarif=findings.sarif")?;
    let form = form.parse::<ReportFormat>().map_err(|unknown| unknown.to_string())?;
    if file.is_empty() {
        return Err("the name of the file is missing behind `=`".to_owned());
    }
    Ok((form, PathBuf::from(file)))
}
