//! The arguments of `search` and `count`.
//!
//! The commands print their help themselves, because the help of a kind lists its fields.

use super::shared::choices;
use crate::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use war_rig_catalogue::RowKind;

/// How many results are printed at a time where nothing else is asked for.
const USUAL_LIMIT: u64 = 100;

/// Find what is documented: programs, paragraphs, rules, data items and more
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
`search KIND --help` lists the fields of a kind. A page that is not the last says on standard
error how the next one is had, in a line that ends with --state=FILE.

Examples:
  war-rig search rules \"credit limit\" --limit 20
  war-rig search paragraphs --filter 'dead = true' --fields name,program,file,line -o ndjson
  war-rig search programs --all --sort -lines
  war-rig search --init"
)]
pub struct SearchArgs {
    /// What to look for
    #[arg(value_name = "KIND", value_parser = kinds())]
    pub kind: Option<RowKind>,
    #[command(flatten)]
    pub query: QueryArgs,
    /// The fields that are printed, in this order; if not given, those for people in text, and all in JSON
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',')]
    pub fields: Option<Vec<String>>,
    /// Order by FIELD, with `-` before it from the last to the first, or by `place`; if not given, the best matches of TEXT come
    /// first, and without TEXT all stand by their place: by folder, document and line
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// The most results that are printed, at least 1; 100 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Leave out the first N results; beside --state it says nothing
    #[arg(long, value_name = "N")]
    pub offset: Option<u64>,
    /// Print all results, and make no state file
    #[arg(long)]
    pub all: bool,
    /// Go on after the page that FILE says was printed; KIND, TEXT and options must be those of that page, but for --limit and -o
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Make a state file for a search to come, and print its path
    #[arg(long)]
    pub init: bool,
    /// Remove the state file FILE
    #[arg(long, value_name = "FILE")]
    pub close: Option<PathBuf>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How results are printed
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: RowFormat,
    /// Print help, of KIND with its fields
    #[arg(short, long)]
    pub help: bool,
}

/// Count what is documented
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Of more than 2000 results, a state file is made that `search` pages through them with. `count
KIND --help` lists the fields of a kind.

Examples:
  war-rig count programs
  war-rig count data-items --filter 'usage = \"COMP-3\"' -o json"
)]
pub struct CountArgs {
    /// What to count
    #[arg(value_name = "KIND", value_parser = kinds(), required_unless_present = "help")]
    pub kind: Option<RowKind>,
    #[command(flatten)]
    pub query: QueryArgs,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How the number is printed
    #[arg(short, long, value_name = "FORMAT", default_value = "text", value_parser = choices(&NUMBER_FORMATS))]
    pub output: RowFormat,
    /// Print help, of KIND with its fields
    #[arg(short, long)]
    pub help: bool,
}

/// Which rows of a kind are meant.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// Words that must stand in it, in one argument or several: `limit`, `CUST*` for all that begins so, `"credit limit"` between
    /// quotation marks for words that follow each other
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Take only what FILTER holds for, such as `program = "COACTUPC" and line > 100`
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Take only what the documents in OUT say
    #[arg(long, value_name = "OUT")]
    pub docs: Option<String>,
}

/// Where the catalogue stands.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// The folder that holds the catalogue
    #[arg(long, value_name = "DIR", default_value = ".war_rig")]
    pub state_dir: PathBuf,
}

/// The forms of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Columns: fitted to a terminal, else parted by tabs
    Text,
    /// An array of objects
    Json,
    /// An object on each line
    Ndjson,
}

/// What a search is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTask<'a> {
    /// To make a state file.
    Init,
    /// To remove one.
    Close(&'a Path),
    /// To print all rows of a kind but the first ones.
    All {
        /// The kind.
        kind: RowKind,
        /// How many are left out.
        offset: u64,
    },
    /// To print some rows of a kind.
    Page {
        /// The kind.
        kind: RowKind,
        /// How many at the most.
        limit: u64,
        /// Where they begin.
        from: PageBegin<'a>,
    },
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageBegin<'a> {
    /// After so many rows.
    Offset(u64),
    /// Where the last page ended, by this file.
    State(&'a Path),
}

impl SearchArgs {
    /// What is to be done.
    ///
    /// # Errors
    /// A usage failure for options that do not go together, and where the kind is missing.
    pub fn task(&self) -> Result<SearchTask<'_>, Failure> {
        if let Some(file) = &self.close {
            let others = [(self.init, "--init"), (self.state.is_some(), "--state"), (self.all, "--all")];
            self.alone("--close", &others, "it only removes a state file; leave out all else")?;
            return Ok(SearchTask::Close(file));
        }
        if self.init {
            let others = [(self.state.is_some(), "--state"), (self.all, "--all")];
            let hint =
                "give the query with the first search that is told --state=FILE: that one decides what the file is for";
            self.alone("--init", &others, hint)?;
            return Ok(SearchTask::Init);
        }
        let kind = self.kind.ok_or_else(|| {
            let failure = Failure::usage("KIND is missing: what is to be looked for?");
            match self.state {
                Some(_) => failure.with_hint("give the query again that the state file is of, then `--state`"),
                None => failure.with_hint(format!("it is one of {}", names().join(", "))),
            }
        })?;
        if self.all {
            let beside = [(self.state.is_some(), "--state"), (self.limit.is_some(), "--limit")];
            if let Some((_, option)) = beside.into_iter().find(|(is_given, _)| *is_given) {
                return Err(Failure::usage(format!("`--all` and `{option}` cannot stand together")).with_hint(
                    "`--all` prints all results at once, and `--limit` and `--state` page by page; leave out one of both",
                ));
            }
            return Ok(SearchTask::All { kind, offset: self.offset.unwrap_or(0) });
        }
        let from = match &self.state {
            Some(file) => PageBegin::State(file),
            None => PageBegin::Offset(self.offset.unwrap_or(0)),
        };
        Ok(SearchTask::Page { kind, limit: self.limit.unwrap_or(USUAL_LIMIT), from })
    }

    /// Refuses these options and every part of a query beside an option that stands alone. A kind says nothing there, and is let pass.
    fn alone(&self, option: &str, others: &[(bool, &str)], hint: &str) -> Result<(), Failure> {
        let query = [
            (!self.query.text.is_empty(), "TEXT"),
            (self.query.filter.is_some(), "--filter"),
            (self.query.docs.is_some(), "--docs"),
            (self.fields.is_some(), "--fields"),
            (self.sort.is_some(), "--sort"),
            (self.limit.is_some(), "--limit"),
            (self.offset.is_some(), "--offset"),
        ];
        match others.iter().chain(&query).find(|(is_given, _)| *is_given) {
            None => Ok(()),
            Some((_, other)) => {
                Err(Failure::usage(format!("`{option}` and `{other}` cannot stand together")).with_hint(hint))
            }
        }
    }
}

impl QueryArgs {
    /// The words as one text.
    pub fn text(&self) -> Option<String> {
        (!self.text.is_empty()).then(|| self.text.join(" "))
    }
}

/// The forms of rows, described as those of a number.
const NUMBER_FORMATS: [(&str, &str, RowFormat); 3] = [
    ("text", "The number", RowFormat::Text),
    ("json", "An object that has it as `count`, and the state file where there is one", RowFormat::Json),
    ("ndjson", "The same", RowFormat::Ndjson),
];

fn names() -> [&'static str; RowKind::ALL.len()] {
    RowKind::ALL.map(RowKind::name)
}

fn kinds() -> impl TypedValueParser<Value = RowKind> {
    let values = RowKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.description()));
    PossibleValuesParser::new(values).map(|name| RowKind::from_name(&name).expect("a name that was offered"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, CliCommand};

    fn parse(line: &str) -> Result<SearchArgs, clap::Error> {
        let words = ["war-rig", "search"].into_iter().chain(line.split_whitespace());
        match Cli::parse_in(Path::new(""), words)?.command {
            CliCommand::Search(args) => Ok(*args),
            other => panic!("not search: {other:?}"),
        }
    }

    #[test]
    fn lines_that_are_refused() {
        for line in [
            "rulez", "rules --limit 0", "rules --limit -1", "rules --limit many", "rules --offset -1", "rules -o xml",
            "rules --state", "rules --close",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("rulez").unwrap_err().to_string().contains("'rules'"));
        assert!(Cli::parse_in(Path::new(""), ["war-rig", "count"]).is_err());
        assert!(Cli::parse_in(Path::new(""), ["war-rig", "count", "--help"]).is_ok());
    }

    #[test]
    fn options_that_do_not_go_together_are_refused_with_advice() {
        for (line, expected) in [
            ("", "KIND is missing: what is to be looked for?"),
            ("--state a.json", "KIND is missing: what is to be looked for?"),
            ("rules --all --state a.json", "`--all` and `--state` cannot stand together"),
            ("rules --all --limit 5", "`--all` and `--limit` cannot stand together"),
            ("rules --all --init", "`--init` and `--all` cannot stand together"),
            ("--init --state a.json", "`--init` and `--state` cannot stand together"),
            ("rules --init --sort name", "`--init` and `--sort` cannot stand together"),
            ("rules credit --init", "`--init` and `TEXT` cannot stand together"),
            ("--close a.json --init", "`--close` and `--init` cannot stand together"),
            ("--close a.json --limit 3", "`--close` and `--limit` cannot stand together"),
        ] {
            let args = parse(line).unwrap();
            let failure = args.task().unwrap_err();
            assert_eq!(failure.line(), expected, "{line}");
            assert!(failure.hint().is_some(), "{line}");
        }
    }

    #[test]
    fn what_is_asked_for_is_done() {
        let check = |line: &str, expected: SearchTask<'_>| {
            assert_eq!(parse(line).unwrap().task().unwrap(), expected, "{line}");
        };
        let (kind, file) = (RowKind::Rules, Path::new("a.json"));
        check("--init", SearchTask::Init);
        check("rules --init --state-dir x", SearchTask::Init);
        check("--close a.json", SearchTask::Close(file));
        check("rules --close a.json", SearchTask::Close(file));
        check("rules --all", SearchTask::All { kind, offset: 0 });
        check("rules --all --offset 7", SearchTask::All { kind, offset: 7 });
        check("rules", SearchTask::Page { kind, limit: 100, from: PageBegin::Offset(0) });
        check("rules --limit 3 --offset 7", SearchTask::Page { kind, limit: 3, from: PageBegin::Offset(7) });
        check("rules --state=a.json --offset 7", SearchTask::Page { kind, limit: 100, from: PageBegin::State(file) });
    }

    #[test]
    fn a_state_file_may_be_named_as_a_message_names_it() {
        let words = ["war-rig", "search", "rules", "--state='a b/x.json'", "--close=a b/'x'"];
        let CliCommand::Search(args) = Cli::parse_in(Path::new(""), words).unwrap().command else {
            panic!("not search")
        };
        assert_eq!(args.state.as_deref(), Some(Path::new("a b/x.json")));
        assert_eq!(args.close.as_deref(), Some(Path::new("a b/'x'")));
    }

    #[test]
    fn words_are_one_text_however_they_are_given() {
        let text = |line: &str| parse(line).unwrap().query.text();
        assert_eq!(text("rules"), None);
        assert_eq!(text("rules credit limit --limit 3"), Some("credit limit".to_owned()));
        let args = parse("rules --sort -line --fields name,line").unwrap();
        assert_eq!(args.sort.as_deref(), Some("-line"));
        assert_eq!(args.fields, Some(vec!["name".to_owned(), "line".to_owned()]));
    }
}
