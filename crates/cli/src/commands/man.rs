//! `war-rig man`: the manual, with a page for the program and one for each command, generated from the arguments.

use crate::args::{Cli, ManArgs};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;

const PROGRAM: &str = "war-rig";
/// The heading of the example calls in help texts.
const EXAMPLES: &str = "Examples:";
/// The macros that start every rendered section; a page needs them once.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Prints the program's page, or writes all pages into a folder.
///
/// # Errors
/// A storage failure when a page cannot be written; as [`Printer::data`].
pub fn run(args: &ManArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let pages = pages().map_err(|error| Failure::internal("the manual cannot be made").with_source(error))?;
    let Some(folder) = &args.output else {
        printer.data(&pages[0].text)?;
        return Ok(ExitStatus::Ok);
    };
    fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, error))?;
    for page in &pages {
        let path = folder.join(&page.file);
        fs::write(&path, &page.text).map_err(|error| Failure::cannot_write(&path, error))?;
    }
    printer.note(&format!("wrote {} pages to `{}`", pages.len(), folder.display()));
    Ok(ExitStatus::Ok)
}

/// A manual page.
struct ManPage {
    /// The name of its file, such as `war-rig-document.1`.
    file: String,
    /// The page in roff.
    text: String,
}

/// Returns all pages: the program's own, then those of its commands in the order of `--help`, each before its subcommands.
fn pages() -> io::Result<Vec<ManPage>> {
    // Without this, clap adds a command `help` below each command that has subcommands.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    let mut open = vec![&program];
    while let Some(command) = open.pop() {
        let man = Man::new(command.clone()).source(format!("War Rig {}", env!("CARGO_PKG_VERSION"))).manual("War Rig");
        pages.push(ManPage { file: man.get_filename(), text: page(command, &man)? });
        let below: Vec<&Command> = shown(command).collect();
        open.extend(below.into_iter().rev());
    }
    Ok(pages)
}

/// Returns the subcommands that `--help` lists.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

fn page(command: &Command, man: &Man) -> io::Result<String> {
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    // No hyphenation and no justification: users copy options and paths from pages.
    text.extend_from_slice(b".nh\n.ad l\n");
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    let mut own = Roff::new();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = help.split_once(EXAMPLES).unwrap_or_default();
    as_written(&mut own, "NOTES", notes);
    as_written(&mut own, "EXAMPLES", examples);
    exit_status(&mut own);
    if command.get_name() == PROGRAM {
        surroundings(&mut own);
    } else {
        own.control("SH", ["SEE ALSO"]).text([bold(PROGRAM), roman("(1)")]);
    }
    Ok(format!("{PREAMBLE}{}{}", text.replace(PREAMBLE, ""), own.to_roff()))
}

/// Appends a preformatted section; nothing when it has no lines.
fn as_written(page: &mut Roff, heading: &str, lines: &str) {
    if lines.trim().is_empty() {
        return;
    }
    page.control("SH", [heading]).control("nf", []);
    for line in lines.trim_matches('\n').lines() {
        page.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    page.control("fi", []);
}

fn exit_status(page: &mut Roff) {
    page.control("SH", ["EXIT STATUS"]);
    for status in ExitStatus::ALL {
        page.control("TP", []);
        page.text([bold(status.code().to_string())]).text([roman(status.meaning())]);
    }
}

/// Describes the program's files and environment variables.
fn surroundings(page: &mut Roff) {
    for (heading, entries) in [("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)] {
        page.control("SH", [heading]);
        for (name, meaning) in entries {
            page.control("TP", []).text([bold(*name)]).text([roman(*meaning)]);
        }
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "war_rig.toml",
        "The settings, looked for in the current folder; `war-rig init` writes one that explains every key.",
    ),
    (
        ".war_rig/",
        "What runs keep for the runs that follow; --state-dir names another folder. It does not belong under version control.",
    ),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "WAR_RIG_<SECTION>__<KEY>",
        "The setting KEY in [SECTION]; it wins over war_rig.toml, and the command line wins over it.",
    ),
    ("SCRIBE_MAX_PROMPT_TOKENS", "The same as WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS."),
    ("WAR_RIG_LOG", "A filter of what is logged, such as war_rig=debug."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::{ContextKind, ContextValue};
    use std::path::Path;

    /// Returns all commands with the words that call them, without the program itself.
    fn commands() -> Vec<(String, Command)> {
        let mut found = Vec::new();
        let mut open = vec![("war-rig".to_owned(), Cli::command())];
        while let Some((name, command)) = open.pop() {
            open.extend(shown(&command).map(|below| (format!("{name} {}", below.get_name()), below.clone())));
            found.push((name, command));
        }
        found.retain(|(name, _)| name != "war-rig");
        found
    }

    fn examples(command: &Command) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, examples) = help.split_once(EXAMPLES).unwrap_or_default();
        let examples = examples.lines().map(str::trim).filter(|line| !line.is_empty());
        examples.map(str::to_owned).collect()
    }

    /// Splits a line like a shell: without quotes, and without what follows `>`.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in line.chars().chain([' ']) {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, ' ') if !word.is_empty() => words.push(std::mem::take(&mut word)),
                (None, ' ') => {}
                (_, c) => word.push(c),
            }
        }
        assert_eq!(quote, None, "an open quote: {line}");
        words.into_iter().take_while(|word| word != ">").collect()
    }

    /// Parses a line; an existing file replaces the files that an example names, which need not exist.
    fn parse(line: &str) -> Result<Cli, clap::Error> {
        let mut words = words(line);
        loop {
            let refused = match Cli::parse_in(Path::new(""), &words) {
                Ok(cli) => return Ok(cli),
                Err(refused) => refused,
            };
            let missing = match refused.get(ContextKind::InvalidValue) {
                Some(ContextValue::String(file)) if refused.to_string().contains("no such file") => {
                    words.iter().position(|word| word == file)
                }
                _ => None,
            };
            let Some(at) = missing else { return Err(refused) };
            words[at] = "Cargo.toml".to_owned();
        }
    }

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words("war-rig plan src --only 'cbl/*'"), ["war-rig", "plan", "src", "--only", "cbl/*"]);
        assert_eq!(words("a \"b c\"  d > e"), ["a", "b c", "d"]);
        assert!(parse("war-rig --config other.toml config show").is_ok());
        assert!(parse("war-rig --config other.toml config show --nothing").is_err());
    }

    #[test]
    fn every_command_shows_two_examples_that_parse() {
        let commands = commands();
        assert!(commands.len() >= 10, "{}", commands.len());
        for (name, command) in &commands {
            let examples = examples(command);
            assert!(examples.len() >= 2, "{name}: {examples:?}");
            for example in &examples {
                let parsed = parse(example);
                assert!(parsed.is_ok(), "{name}: {}", parsed.unwrap_err());
            }
            let own = |example: &&String| {
                let parts: Vec<&str> = name.split(' ').skip(1).collect();
                words(example).windows(parts.len()).any(|window| window == parts)
            };
            assert_eq!(examples.iter().filter(own).count(), examples.len(), "{name}: {examples:?}");
        }
    }

    /// Returns the calls of War Rig in the `console` blocks of a page.
    fn calls(page: &str) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
        let mut kind = None;
        let mut calls = Vec::new();
        for line in text.lines() {
            if let Some(fence) = line.strip_prefix("```") {
                kind = if kind.is_some() { None } else { Some(fence.to_owned()) };
            } else if let Some(command) = line.strip_prefix("$ ").filter(|_| kind.as_deref() == Some("console")) {
                let command = command.split(" # ").next().unwrap_or_default();
                let at =
                    command.find("war-rig ").filter(|at| *at == 0 || !command[..*at].contains(char::is_whitespace));
                calls.extend(at.map(|at| command[at..].to_owned()));
            }
        }
        calls
    }

    #[test]
    fn every_call_in_the_pages_parses() {
        let pages = [
            "README.md",
            "docs/getting-started.md",
            "docs/ci.md",
            "docs/checks.md",
            "docs/prompt-and-budget.md",
            "docs/extract.md",
            "docs/search.md",
            "docs/several-machines.md",
        ];
        for page in pages {
            let calls = calls(page);
            assert!(!calls.is_empty(), "{page}");
            for call in &calls {
                let parsed = parse(call);
                let is_version = call == "war-rig --version";
                assert!(parsed.is_ok() || is_version, "{page}: {call}\n{}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let pages = pages().unwrap();
        let mut files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files[0], "war-rig.1");
        let mut expected: Vec<String> = commands().iter().map(|(name, _)| name.replace(' ', "-") + ".1").collect();
        expected.push("war-rig.1".to_owned());
        files.sort_unstable();
        expected.sort_unstable();
        assert_eq!(files, expected);
    }

    #[test]
    fn a_page_has_its_sections_in_the_usual_order() {
        let sections = |page: &ManPage| {
            let lines = page.text.lines().filter_map(|line| line.strip_prefix(".SH "));
            lines.map(|name| name.trim_matches('"').to_owned()).collect::<Vec<_>>()
        };
        let order = [
            "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "BROKER OPTIONS", "GLOBAL OPTIONS", "SUBCOMMANDS", "NOTES",
            "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO",
        ];
        for page in pages().unwrap() {
            let sections = sections(&page);
            let places: Vec<usize> = sections
                .iter()
                .map(|name| order.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}")))
                .collect();
            assert!(places.is_sorted(), "{}: {sections:?}", page.file);
            let is_program = page.file == "war-rig.1";
            assert_eq!(sections.contains(&"FILES".to_owned()), is_program, "{}", page.file);
            for name in ["EXAMPLES", "SEE ALSO"] {
                assert_eq!(sections.contains(&name.to_owned()), !is_program, "{}", page.file);
            }
            for name in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"] {
                assert!(sections.contains(&name.to_owned()), "{}: no {name}", page.file);
            }
            for status in ExitStatus::ALL {
                let row = format!(".TP\n\\fB{}\\fR\n{}\n", status.code(), status.meaning().replace('-', "\\-"));
                assert!(page.text.contains(&row), "{}: no {row}", page.file);
            }
            assert_eq!(page.text.matches(PREAMBLE).count(), 1, "{}", page.file);
            assert!(page.text.starts_with(PREAMBLE), "{}", page.file);
        }
    }
}
