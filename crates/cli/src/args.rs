//! The command-line arguments.
//!
//! Options that several commands share form one struct. The options that set settings are declared with the settings and stored in [`Options`], so
//! that `config show` can distinguish an argument from a file.

mod batch;
mod broker;
mod check;
mod config;
mod diff;
mod doctor;
mod document;
mod extract;
mod index;
mod paths;
mod scribe;
mod search;
mod send;
mod serve;
mod shared;
mod site;
mod worker;

pub use batch::BatchArgs;
pub use check::CheckArgs;
pub use config::{ConfigArgs, ConfigCommand, ShowArgs};
pub use diff::DiffArgs;
pub use doctor::DoctorArgs;
pub use document::DocumentArgs;
pub use extract::{ExtractArgs, ExtractFormat, FailOn, MergeName};
pub use index::IndexArgs;
pub use scribe::CassetteMode;
pub use search::{CountArgs, PageBegin, QueryArgs, RowFormat, SearchArgs, SearchTask};
pub use send::SendArgs;
pub use serve::ServeArgs;
pub use shared::{FactsFormat, JobsArgs, OutputFormat, PickArgs, PrintArgs, ProgressMode};
pub use site::SiteArgs;
pub use worker::WorkerArgs;

use crate::exit::ExitStatus;
use crate::settings::{EncodingArgs, Options, ReadArgs, ScribeArgs, SourceArgs, overlaid};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The fewest source tokens that a chunk may own: below this, headers and single statements no longer fit.
const SMALLEST_CHUNK: i64 = 500;

/// The heading of the options that every command takes, so that they stand apart from a command's own.
const GLOBAL: &str = "Global options";

/// Documents COBOL from its sources, every claim tied to the lines it comes from.
#[derive(Debug, Parser)]
#[command(name = "war-rig", bin_name = "war-rig", version, after_help = ExitStatus::table(), arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CliCommand,
}

impl Cli {
    /// Reads the words of a command line, the program's name first. Paths begin in `folder`.
    ///
    /// # Errors
    /// What is to be shown instead of running a command: help, the version, or what is wrong with the words.
    pub fn parse_in(
        folder: &Path,
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = paths::begin_in(Self::command(), folder).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Read settings from FILE instead of `war_rig.toml` in the current folder
    #[arg(long, value_name = "FILE", global = true, help_heading = GLOBAL)]
    pub config: Option<PathBuf>,
    /// Print data and errors only
    #[arg(short, long, global = true, help_heading = GLOBAL, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log more; repeat for more still (the variable WAR_RIG_LOG takes a filter instead)
    #[arg(short, long, global = true, help_heading = GLOBAL, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    Init(InitArgs),
    Document(Box<DocumentArgs>),
    Worker(WorkerArgs),
    Send(Box<SendArgs>),
    Plan(PlanArgs),
    Chunk(ChunkArgs),
    Facts(FactsArgs),
    Check(CheckArgs),
    Site(SiteArgs),
    Serve(ServeArgs),
    Diff(DiffArgs),
    Extract(Box<ExtractArgs>),
    Index(IndexArgs),
    Search(Box<SearchArgs>),
    Count(CountArgs),
    Status(StatusArgs),
    Doctor(DoctorArgs),
    Models(ModelsArgs),
    Config(ConfigArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    MergeProgram(MergeProgramArgs),
}

/// Look at a folder, write the settings that matter for it, and keep `.war_rig/` out of version control
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig init
  war-rig init estate
  war-rig init --all")]
pub struct InitArgs {
    /// The folder that gets the file; made if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Write every setting with its default and its explanation, whatever is in the folder
    #[arg(long)]
    pub all: bool,
}

/// Say what `document` would do, and what it would cost
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig plan src
  war-rig plan src --max-prompt-tokens 8000 --format json")]
pub struct PlanArgs {
    /// Source files and folders of them; without any, those of `source.paths`
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub scribe: ScribeArgs,
    /// The folder that keeps what one run learns for the next
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub pick: PickArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Compute the cost of a run with --batch, and say in how many batches its questions go
    #[arg(long)]
    pub batch: bool,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// Cut one source file into chunks
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig chunk src/cbl/X.cbl --max-tokens 4000
  war-rig chunk src/cbl/X.cbl --max-tokens 4000 --encoding heuristic --format json")]
pub struct ChunkArgs {
    /// The source file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The source tokens that a chunk may own, at least 500; its context comes on top, up to five sixteenths of that
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(SMALLEST_CHUNK..))]
    pub max_tokens: u32,
    #[command(flatten)]
    pub encoding: EncodingArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// Print what the parser knows, with lines
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig facts src/cbl/X.cbl
  war-rig facts src --copybooks cpy --format json
  war-rig facts src --format graphml")]
pub struct FactsArgs {
    /// Source files and folders of them; without any, those of `source.paths`
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// How the result is printed: facts as text or JSON, or the graph between the sources alone
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: FactsFormat,
}

/// Print what the store knows: runs, tickets and calls, and how what failed is tried again
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig status
  war-rig status --output docs --format json")]
pub struct StatusArgs {
    /// The folder that holds the store
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
    /// Print what concerns the documents in OUT alone
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
    /// Print when runs began and ended, too
    #[arg(long)]
    pub timestamps: bool,
    /// Print again every second, until the run that uses the store has ended
    #[arg(long)]
    pub watch: bool,
}

/// Print what is known of models: windows, prices, and how their tokens are counted
#[derive(Debug, Args)]
#[command(after_help = "\
Prices are US dollars for a million tokens. A name is also found without a prefix
such as openai/ and without a date such as -2024-08-06. The file that scribe.models
names corrects and adds models, in tables such as

  [[model]]
  name = \"my-model\"
  context_window = 32768
  input = 0.20
  output = 0.60

Examples:
  war-rig models
  war-rig models gpt-4.1 --format json")]
pub struct ModelsArgs {
    /// Print this model alone
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig completions bash > war-rig.bash
  war-rig completions zsh > _war-rig")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Print the manual page, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig man > war-rig.1
  war-rig man --output share/man/man1")]
pub struct ManArgs {
    /// Write the pages of the program and of all its commands into DIR
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Run a program over answers from standard input; this binary starts itself as that
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct MergeProgramArgs {
    /// The bytes of memory that it may take
    #[arg(long, value_name = "BYTES")]
    pub memory: u64,
    /// The seconds of a processor that it may take
    #[arg(long, value_name = "N")]
    pub seconds: u64,
}

impl PlanArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.scribe.options, &self.source.options])
    }
}

impl ChunkArgs {
    /// What the arguments set.
    pub fn options(&self) -> Options {
        *overlaid([&self.encoding.options, &self.read.options])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::parse_in(Path::new(""), std::iter::once("war-rig").chain(line.split(' ')))
    }

    pub(super) fn document(line: &str) -> DocumentArgs {
        match parse(line).unwrap().command {
            CliCommand::Document(args) => *args,
            other => panic!("not document: {other:?}"),
        }
    }

    #[test]
    fn the_declarations_agree_with_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lines_that_are_refused() {
        for line in [
            "document a -o out --jobs 0",
            "document a -o out --max-prompt-tokens 0",
            "document a -o out --max-prompt-tokens many",
            "document a -o out --scribe cobol",
            "document a -o out --budget-usd much",
            "document a -o out --record-missing",
            "document a -o out --replay no-such-file",
            "document a -o out --replay Cargo.toml --record x",
            "document a -o out --jobs 513",
            "document a -o out --jobs 0",
            "chunk a --max-tokens 499",
            "chunk a",
            "chunk a --max-tokens 4000 --encoding utf-8",
            "index src",
            "index --state-dir",
            "status --watch now",
            "-q -v config show",
            "--config no-such-file.toml config show",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn document_takes_its_folders_from_the_settings() {
        assert_eq!(document("document a --dry-run").output, None);
        assert!(document("document").paths.is_empty());
        assert_eq!(document("document a b -o out").paths.len(), 2);
    }

    #[test]
    fn the_jobs_that_are_not_given_are_the_processors() {
        let calls = NonZeroUsize::new;
        let jobs = |line: &str, calls| document(line).jobs.get(calls);
        let processors = jobs("document a -o out", None);
        assert!(processors >= 1);
        assert_eq!(jobs("document a -o out --jobs 3", None), 3);
        assert_eq!(jobs("document a -o out --jobs 512", None), JobsArgs::MOST);
        assert_eq!(jobs("document a -o out", calls(1)), processors.max(2));
        assert_eq!(jobs("document a -o out", calls(100)), processors.max(200));
        assert_eq!(jobs("document a -o out", calls(usize::MAX)), JobsArgs::MOST);
        assert_eq!(jobs("document a -o out --jobs 3", calls(100)), 3);
    }

    #[test]
    fn options_hold_what_was_given_and_nothing_else() {
        assert_eq!(document("document a -o out").options(), Options::default());
        let options = document(
            "document a -o out --scribe openai --model m --budget-usd 1.5 --reconcile --max-prompt-tokens 9000 --copybooks x --copybooks y --source-format free",
        )
        .options();
        assert_eq!(options.scribe.provider.as_deref(), Some("openai"));
        assert_eq!(options.scribe.max_prompt_tokens, Some(9000));
        assert_eq!((options.scribe.model.as_deref(), options.scribe.budget_usd), (Some("m"), Some(1.5)));
        assert_eq!(options.scribe.reconcile, Some(true));
        assert_eq!(options.source.copybooks, Some(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!(options.source.format.as_deref(), Some("free"));
        assert_eq!(options.source.encoding, None);
    }

    #[test]
    fn sources_are_handed_to_workers_where_a_broker_is_named() {
        let file = |url: &str| {
            let text = format!("[broker]\nurl = \"{url}\"\n");
            crate::settings::ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text }
        };
        let check = |line: &str, url: &str, expected: Result<bool, &str>| {
            let args = document(line);
            let combined = crate::settings::combine(Some(file(url)), [], args.options()).unwrap();
            let settings = crate::settings::Settings::resolve(&combined).unwrap();
            let found = args.is_distributed(&settings.broker).map_err(|failure| {
                assert!(failure.hint().is_some());
                failure.line()
            });
            assert_eq!(found, expected.map_err(str::to_owned), "{line}");
        };
        check("document a -o out", "", Ok(false));
        check("document a -o out", "nats://a", Ok(true));
        check("document a -o out --broker tls://b", "", Ok(true));
        check("document a -o out --broker=", "nats://a", Ok(false));
        check("document a --dry-run", "nats://a", Ok(false));
        check(
            "document a --dry-run --broker nats://b",
            "",
            Err("`--broker` and `--dry-run` do not go together: a dry run calls nobody"),
        );
        check(
            "document a -o out --replay Cargo.toml",
            "nats://a",
            Err("`broker.url` and `--replay` do not go together: a replay asks nobody, so workers have nothing to do"),
        );
        check(
            "document a -o out --scribe openai --record x --broker nats://b",
            "",
            Err(
                "`--broker` and `--record` do not go together: answers come from the workers, whose calls no file of this machine records",
            ),
        );
        check(
            "document a -o out --metrics 127.0.0.1:9464",
            "",
            Err("`--metrics`: there is no broker, and a run on one machine shows how far it is by itself"),
        );
        check("document a -o out --metrics 127.0.0.1:9464", "nats://a", Ok(true));
    }

    #[test]
    fn a_bad_glob_is_named() {
        let bad = PickArgs { only: vec!["a[".to_owned()], changed_since: None }.globs().unwrap_err();
        assert!(bad.line().starts_with("`--only`: `a[` is no glob: "), "{}", bad.line());
    }
}
