//! From parsed arguments to the command that was asked for.

use crate::args::{Cli, Command, ConfigCommand};
use crate::commands;
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::settings::{self, Options, Settings};
use std::panic::AssertUnwindSafe;

/// Runs the command; a defect of ours ends it as an internal error and not with the runtime's own status.
///
/// # Errors
/// As the command.
pub fn guarded(cli: &Cli, printer: Printer) -> Result<ExitStatus, Stop> {
    let ended = std::panic::catch_unwind(AssertUnwindSafe(|| run(cli, printer)));
    ended.unwrap_or_else(|_| {
        let failure = Failure::internal("the program failed where it never should; its message stands above");
        Err(failure
            .with_hint("sources and documents written so far are whole; report the message with the command")
            .into())
    })
}

/// Runs the command.
///
/// # Errors
/// As the command.
fn run(cli: &Cli, printer: Printer) -> Result<ExitStatus, Stop> {
    let file = cli.global.config.as_deref();
    let settings = |arguments: Options| Settings::resolve(&settings::load(file, arguments)?);
    match &cli.command {
        Command::Init(args) => commands::init::run(args, printer),
        Command::Document(args) => commands::document::run(args, &settings(args.options())?, printer),
        Command::Worker(args) => commands::worker::run(args, &settings::load(file, args.options())?, printer),
        Command::Send(args) => commands::send::run(args, &settings(args.options())?, printer),
        Command::Plan(args) => commands::plan::run(args, &settings(args.options())?, printer),
        Command::Chunk(args) => commands::chunk::run(args, &settings(args.options())?, printer),
        Command::Facts(args) => commands::facts::run(args, &settings(args.options())?, printer),
        Command::Check(args) => commands::check::run(args, &settings(args.options())?, printer),
        Command::Diff(args) => commands::diff::run(args, printer),
        Command::Extract(args) => commands::extract::run(args, &settings(args.options())?, printer),
        Command::Index(args) => commands::index::run(args, printer),
        Command::Search(args) => commands::search::run(args, printer),
        Command::Count(args) => commands::count::run(args, printer),
        Command::Status(args) => commands::status::run(args, printer),
        Command::Doctor(args) => commands::doctor::run(args, &settings(args.options())?, printer),
        Command::Models(args) => commands::models::run(args, &settings(args.options())?, printer),
        Command::Config(args) => match &args.command {
            ConfigCommand::Show(args) => commands::config::show(args, file, printer),
            ConfigCommand::Reference(_) => commands::config::reference(printer),
        },
        Command::Completions(args) => commands::completions::run(args, printer),
        Command::Man(args) => commands::man::run(args, printer),
        Command::MergeProgram(args) => commands::merge_program::run(args, printer),
    }
}

/// What the arguments came to where they name no command: help and version are data, the rest is an error of usage.
///
/// # Errors
/// When standard output takes no more.
pub fn told(told: &clap::Error, printer: Printer) -> Result<ExitStatus, Stop> {
    let text = told.render().to_string();
    if told.use_stderr() {
        printer.block(&text);
        return Ok(ExitStatus::Usage);
    }
    printer.data(&text)?;
    Ok(ExitStatus::Ok)
}
