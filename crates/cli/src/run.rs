//! Dispatches a command line to its command.

use crate::args::{Cli, CliCommand, ConfigCommand};
use crate::commands;
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::logging;
use crate::printer::{Printer, Streams};
use crate::settings::{self, Options, Settings};
use std::ffi::OsString;
use std::panic::AssertUnwindSafe;

/// Runs the command line of this process. Logs go to standard error.
pub fn main() -> ExitStatus {
    ended(&RunContext::from_process(), Streams::Process, std::env::args_os(), |cli| logging::start(cli.global.verbose))
}

/// Runs a command line inside another program. The first word is the program's name. It handles no signals, and log lines go to the host program's
/// subscriber.
pub fn run(context: &RunContext, streams: Streams, words: impl IntoIterator<Item = OsString>) -> ExitStatus {
    ended(context, streams, words, |_| Ok(()))
}

fn ended(
    context: &RunContext,
    streams: Streams,
    words: impl IntoIterator<Item = OsString>,
    begin: impl FnOnce(&Cli) -> Result<(), Failure>,
) -> ExitStatus {
    let (printer, ended) = match Cli::parse_in(context.folder(), words) {
        Ok(cli) => {
            let printer = Printer::new(cli.global.quiet, streams);
            let ended = begin(&cli).map_err(CommandError::from).and_then(|()| guarded(&cli, context, &printer));
            printer.end_repeated(None);
            (printer, ended)
        }
        Err(told) => {
            let printer = Printer::new(false, streams);
            let ended = self::told(&told, &printer);
            (printer, ended)
        }
    };
    match ended {
        Ok(status) => status,
        Err(CommandError::OutputClosed) => ExitStatus::Ok,
        Err(CommandError::Failed(failure)) => {
            printer.error(&failure);
            failure.status()
        }
    }
}

/// Runs the command. A panic ends it as an internal error, not with the runtime's own status.
fn guarded(cli: &Cli, context: &RunContext, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let ended = std::panic::catch_unwind(AssertUnwindSafe(|| command(cli, context, printer)));
    ended.unwrap_or_else(|_| {
        let failure = Failure::internal("the program failed where it never should; its message stands above");
        Err(failure
            .with_hint("sources and documents written so far are whole; report the message with the command")
            .into())
    })
}

fn command(cli: &Cli, around: &RunContext, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let file = cli.global.config.as_deref();
    let combined = |arguments: Options| settings::load(file, around, arguments);
    let settings = |arguments: Options| Settings::resolve(&combined(arguments)?);
    match &cli.command {
        CliCommand::Init(args) => commands::init::run(args, printer),
        CliCommand::Document(args) => commands::document::run(args, &settings(args.options())?, around, printer),
        CliCommand::Worker(args) => commands::worker::run(args, &combined(args.options())?, around, printer),
        CliCommand::Send(args) => commands::send::run(args, &settings(args.options())?, around, printer),
        CliCommand::Plan(args) => commands::plan::run(args, &settings(args.options())?, printer),
        CliCommand::Chunk(args) => commands::chunk::run(args, &settings(args.options())?, printer),
        CliCommand::Facts(args) => {
            commands::facts::run(args, &settings(Options::clone(&args.source.options))?, printer)
        }
        CliCommand::Check(args) => commands::check::run(args, &settings(args.options())?, printer),
        CliCommand::Site(args) => commands::site::run(args, &settings(args.options())?, printer),
        CliCommand::Serve(args) => commands::serve::run(args, &settings(Options::default())?, printer),
        CliCommand::Diff(args) => commands::diff::run(args, printer),
        CliCommand::Extract(args) => commands::extract::run(args, &settings(args.options())?, around, printer),
        CliCommand::Index(args) => commands::index::run(args, printer),
        CliCommand::Search(args) => commands::search::run(args, printer),
        CliCommand::Count(args) => commands::count::run(args, printer),
        CliCommand::Status(args) => commands::status::run(args, printer),
        CliCommand::Doctor(args) => commands::doctor::run(args, &settings(args.options())?, around, printer),
        CliCommand::Models(args) => commands::models::run(args, &settings(Options::default())?, printer),
        CliCommand::Config(args) => match &args.command {
            ConfigCommand::Show(args) => commands::config::show(args, &combined(args.options())?, printer),
            ConfigCommand::Reference(_) => commands::config::reference(printer),
        },
        CliCommand::Completions(args) => commands::completions::run(args, printer),
        CliCommand::Man(args) => commands::man::run(args, printer),
        CliCommand::MergeProgram(args) => commands::merge_program::run(args, printer),
    }
}

/// Handles arguments that name no command: help and version are data, everything else is a usage error.
fn told(told: &clap::Error, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let text = told.render().to_string();
    if told.use_stderr() {
        printer.error_block(&text);
        return Ok(ExitStatus::Usage);
    }
    printer.data(&text)?;
    Ok(ExitStatus::Ok)
}
