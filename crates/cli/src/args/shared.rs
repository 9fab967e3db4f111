//! The arguments that several commands share.

use crate::failure::Failure;
use crate::settings::Globs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;

/// Which of the sources are taken.
#[derive(Debug, Args)]
pub struct PickArgs {
    /// Take only the files that match; repeat for more
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Take only what has changed since the git revision REV, and what uses copybooks, procedures or maps that have
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
}

impl PickArgs {
    /// The files that are asked for; none when all are.
    ///
    /// # Errors
    /// A usage failure when a glob is none.
    pub fn globs(&self) -> Result<Option<Globs>, Failure> {
        if self.only.is_empty() {
            return Ok(None);
        }
        let globs = Globs::compile(&self.only)
            .map_err(|bad| Failure::usage(format!("`--only`: `{}` is no glob", bad.glob)).with_source(bad.reason))?;
        Ok(Some(globs))
    }
}

/// How many workers there are.
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// Files in work at the same time; if not given, the number of processors, and at least twice `scribe.concurrency` where a
    /// model is asked
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
}

/// A number of jobs that there may be.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= JobsArgs::MOST);
    jobs.ok_or_else(|| format!("use a number from 1 to {}", JobsArgs::MOST))
}

impl JobsArgs {
    /// The most files in work at a time: each holds a thread and a parsed source.
    pub const MOST: usize = 512;

    /// The files in work at the same time, where so many calls to a model may be in flight; none where no model is asked. A file
    /// that waits for its answers needs no processor, so that there are more of them than processors then.
    pub fn get(&self, calls: Option<NonZeroUsize>) -> usize {
        let usual = || {
            let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            calls.map_or(processors, |calls| calls.get().saturating_mul(2).max(processors))
        };
        self.jobs.map_or_else(usual, NonZeroUsize::get).min(Self::MOST)
    }
}

/// How data is printed.
#[derive(Debug, Args)]
pub struct PrintArgs {
    /// How the result is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: OutputFormat,
}

/// The forms of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    Text,
    Json,
}

/// The forms of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FactsFormat {
    Text,
    Json,
    /// The graph for Graphviz
    Dot,
    /// The graph as XML, for Gephi, yEd and others
    Graphml,
    /// The edges of the graph as a table
    Csv,
}

/// The ways to show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar; a line every 10 seconds where standard error is no terminal
    Auto,
    /// A line for every file, and one for all of them now and then
    Plain,
    /// A JSON object for every file, and one for all of them every 5 seconds
    Json,
    /// Nothing
    None,
}

/// A parser of values by their names. The help lists the names, and says of each what stands beside it.
pub(super) fn choices<T: Copy + Send + Sync>(
    choices: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(name, help, _)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    });
    PossibleValuesParser::new(values)
        .map(|name| choices.iter().find(|(known, ..)| *known == name).expect("a name that was offered").2)
}
