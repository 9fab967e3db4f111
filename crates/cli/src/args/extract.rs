//! The arguments of `extract`.

use super::batch::BatchArgs;
use super::scribe::CassetteArgs;
use super::shared::{ProgressMode, choices};
use crate::settings::{EncodingArgs, Options, ScribeArgs, overlaid};
use clap::{Args, ValueEnum};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use war_rig_paginate::MergeStrategy;
use war_rig_paginate::{InputKind, OnFailure, PagesPerChunk, PaginationMode, PartOrder};

/// What the input is named that comes on standard input.
const STANDARD_INPUT: &str = "-";

/// Ask an agent about an input of any size, part by part, and print one merged answer
#[derive(Debug, Args)]
#[command(after_help = "\
An agent is a file that holds what a model is told, the schema of its answer, and how
answers are merged. Options go before what the agent's file says, and that before the settings.

Examples:
  war-rig extract action-items \"List the action items\" --input minutes.txt
  war-rig extract agents/release-notes.toml \"Find all PBIs and CRs\" --input notes.pdf --scribe openai -o json
  war-rig extract operations-facts \"List the jobs\" --input runbook.md --scribe openai --dry-run")]
pub struct ExtractArgs {
    /// The agent: its file, or the name of one in `agents/` or of one that is built in
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// What is wanted of the input, in your words
    #[arg(value_name = "PROMPT", value_parser = said)]
    pub prompt: String,
    /// The input; `-` is standard input
    #[arg(long, value_name = "FILE", required = true)]
    pub input: PathBuf,
    /// What the input is; if not given, its name's ending and its first bytes say so
    #[arg(long, value_name = "KIND", value_parser = choices(&INPUT_KINDS))]
    pub input_type: Option<InputKind>,
    /// The encoding of the input, such as utf-8 or windows-1252; if not given, UTF-8 or what its first bytes say
    #[arg(long, value_name = "NAME")]
    pub input_encoding: Option<String>,
    /// Whether the input is divided; without a value, always
    #[arg(long, value_name = "WHEN", num_args = 0..=1, default_missing_value = "always", value_parser = choices(&PAGINATE))]
    pub paginate: Option<PaginationMode>,
    /// The most tokens of text, or records of a list, in a part
    #[arg(long, value_name = "N")]
    pub chunk_size: Option<NonZeroU64>,
    /// The most records in a part, whatever fits
    #[arg(long, value_name = "N")]
    pub max_records: Option<NonZeroU64>,
    /// What of a part the next one is shown again: tokens of text, records of a list, characters of pages
    #[arg(long, value_name = "N")]
    pub overlap: Option<u64>,
    /// The pages in a part; `auto` takes as many as fit
    #[arg(long, value_name = "N", value_parser = pages)]
    pub pages_per_chunk: Option<PagesPerChunk>,
    /// Whether parts are asked about at the same time, or one after the other
    #[arg(long, value_name = "HOW", value_parser = choices(&ORDERS))]
    pub order: Option<PartOrder>,
    /// Tell each part what those before it came to, which asks one after the other
    #[arg(long)]
    pub carry: bool,
    /// Do not tell parts which of how many they are
    #[arg(long)]
    pub no_chunk_metadata: bool,
    /// How answers are merged where the schema does not say
    #[arg(long, value_name = "HOW")]
    pub merge_strategy: Option<MergeName>,
    /// The program, in the language of jq, that merges the list of all answers
    #[arg(long, value_name = "FILE")]
    pub merge_program: Option<PathBuf>,
    /// What becomes of the answer where a part has none: no answer, or that of the others
    #[arg(long, value_name = "WHAT", value_parser = choices(&ON_FAILURE))]
    pub on_failure: Option<OnFailure>,
    /// End with 4 where the agent's patterns find something in the input that the answer has not
    #[arg(long, value_name = "WHAT")]
    pub fail_on: Option<FailOn>,
    /// How the answer is printed
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ExtractFormat,
    /// Write what the run took, and what it kept, merged and lost, to FILE in JSON
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub report: Option<PathBuf>,
    /// Print parts, tokens and cost, and ask nobody
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub scribe: ScribeArgs,
    #[command(flatten)]
    pub encoding: EncodingArgs,
    #[command(flatten)]
    pub tape: CassetteArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
    /// The folder that keeps answers, so that a run that is repeated goes on where the last one ended
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
    /// Ask a model again for what is on record
    #[arg(long)]
    pub force: bool,
    /// How progress is shown on standard error
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: ProgressMode,
}

/// The kinds of inputs.
const INPUT_KINDS: [(&str, &str, InputKind); 6] = [
    ("text", "", InputKind::Text),
    ("markdown", "", InputKind::Markdown),
    ("json", "", InputKind::Json),
    ("jsonl", "", InputKind::JsonLines),
    ("csv", "", InputKind::Csv),
    ("pdf", "", InputKind::Pdf),
];

/// Whether an input is divided.
const PAGINATE: [(&str, &str, PaginationMode); 3] = [
    ("auto", "Where it does not fit into one prompt; pages always", PaginationMode::Auto),
    ("always", "As finely as the sizes say", PaginationMode::Always),
    ("never", "Not at all: what does not fit is refused", PaginationMode::Never),
];

/// In which order parts are asked about.
const ORDERS: [(&str, &str, PartOrder); 2] =
    [("parallel", "", PartOrder::Parallel), ("sequential", "", PartOrder::Sequential)];

/// What becomes of an answer of which a part is missing.
pub(super) const ON_FAILURE: [(&str, &str, OnFailure); 2] =
    [("fail", "", OnFailure::Fail), ("partial", "", OnFailure::Partial)];

/// How answers are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MergeName {
    /// The answer of the first part
    First,
    /// The answer of the last part
    Last,
    /// Lists extend, objects recurse, of scalars that differ the first stands and the other is listed
    Merge,
    /// By a program: that of --merge-program, or the agent's own
    Custom,
}

/// What fails the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Something that a pattern of the agent finds in the input and the answer has not
    Missed,
}

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExtractFormat {
    /// For people
    Text,
    /// All that there is to say of it
    Json,
    /// A line for each item of its lists, and one for the rest
    Ndjson,
}

impl ExtractArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.tape.options(&self.scribe), &self.encoding.options])
    }

    /// The input's file; none for standard input.
    pub fn file(&self) -> Option<&Path> {
        (self.input.as_os_str() != STANDARD_INPUT).then_some(self.input.as_path())
    }
}

impl MergeName {
    /// The strategy of this name; none for a program.
    pub fn strategy(self) -> Option<MergeStrategy> {
        match self {
            MergeName::First => Some(MergeStrategy::First),
            MergeName::Last => Some(MergeStrategy::Last),
            MergeName::Merge => Some(MergeStrategy::Merge),
            MergeName::Custom => None,
        }
    }
}

pub(super) fn said(prompt: &str) -> Result<String, String> {
    if prompt.trim().is_empty() {
        return Err("it says nothing".to_owned());
    }
    Ok(prompt.to_owned())
}

fn pages(text: &str) -> Result<PagesPerChunk, String> {
    if text == "auto" {
        return Ok(PagesPerChunk::Auto);
    }
    text.parse().map(PagesPerChunk::Count).map_err(|_| "it is a number from 1, or auto".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, CliCommand};

    fn parse(line: &str) -> Result<ExtractArgs, clap::Error> {
        let words = ["war-rig", "extract", "a", "List it"].into_iter().chain(line.split_whitespace());
        match Cli::parse_in(Path::new(""), words)?.command {
            CliCommand::Extract(args) => Ok(*args),
            other => panic!("not extract: {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_refused() {
        for line in [
            "",
            "--input a --chunk-size 0",
            "--input a --max-records 0",
            "--input a --pages-per-chunk 0",
            "--input a --pages-per-chunk some",
            "--input a --overlap -1",
            "--input a --max-prompt-tokens 0",
            "--input a --paginate often",
            "--input a --order random",
            "--input a --merge-strategy sum",
            "--input a --on-failure retry",
            "--input a --fail-on stale",
            "--input a --input-type xml",
            "--input a -o out.json",
            "--input a --dry-run --report report.json",
            "--input a --record-missing",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        let blank = Cli::parse_in(Path::new(""), ["war-rig", "extract", "a", " ", "--input", "b"]);
        assert!(blank.is_err());
    }

    #[test]
    fn what_is_not_given_is_not_said() {
        let args = parse("--input a").unwrap();
        assert_eq!(args.options(), Options::default());
        assert_eq!((args.output, args.file()), (ExtractFormat::Text, Some(Path::new("a"))));
        assert_eq!(parse("--input -").unwrap().file(), None);
        assert_eq!(parse("--input ./-").unwrap().file(), Some(Path::new("./-")));
    }

    #[test]
    fn options_hold_what_was_given_and_nothing_else() {
        let line = "--input a --scribe openai --model m --max-prompt-tokens 900 --budget-usd 2 --encoding heuristic";
        let scribe = parse(line).unwrap().options().scribe;
        assert_eq!((scribe.provider.as_deref(), scribe.model.as_deref()), (Some("openai"), Some("m")));
        assert_eq!((scribe.max_prompt_tokens, scribe.budget_usd), (Some(900), Some(2.0)));
        assert_eq!((scribe.encoding.as_deref(), scribe.concurrency), (Some("heuristic"), None));
        let replayed = parse("--input a --replay Cargo.toml").unwrap().options();
        assert_eq!(replayed.scribe.provider.as_deref(), Some("replay"));
    }

    #[test]
    fn pages_are_a_number_or_auto() {
        let given = |line: &str| parse(&format!("--input a {line}")).unwrap().pages_per_chunk;
        assert_eq!(given(""), None);
        assert_eq!(given("--pages-per-chunk auto"), Some(PagesPerChunk::Auto));
        assert_eq!(given("--pages-per-chunk 3"), Some(PagesPerChunk::Count(NonZeroU64::new(3).unwrap())));
    }
}
