//! `war-rig completions`: the completion script of a shell.

use crate::args::{Cli, CompletionsArgs};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use clap::CommandFactory;

/// Prints the script.
///
/// # Errors
/// When standard output takes no more.
pub fn run(args: &CompletionsArgs, printer: Printer) -> Result<ExitStatus, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "war-rig", &mut script);
    let script = String::from_utf8(script)
        .map_err(|error| Failure::internal("the completion script is not UTF-8").because(error))?;
    printer.data(&script)?;
    Ok(ExitStatus::Ok)
}
