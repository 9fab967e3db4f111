//! `war-rig completions`: prints the completion script for a shell.

use crate::args::{Cli, CompletionsArgs};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use clap::{Command, CommandFactory};

/// Prints the script.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: &CompletionsArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown(&Cli::command()), "war-rig", &mut script);
    let script = String::from_utf8(script)
        .map_err(|error| Failure::internal("the completion script is not UTF-8").with_source(error))?;
    printer.data(&script)?;
    Ok(ExitStatus::Ok)
}

/// Removes the commands that `--help` does not list, because completion scripts would offer them.
fn shown(program: &Command) -> Command {
    let commands = program.get_subcommands().filter(|below| !below.is_hide_set()).cloned();
    let shown = Command::new("war-rig").args(program.get_arguments().cloned()).subcommands(commands);
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    shown.about(about).version(env!("CARGO_PKG_VERSION"))
}
