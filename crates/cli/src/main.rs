//! War Rig documents COBOL: a document a source file, every claim tied to the lines it comes from.

mod args;
mod broker;
mod catalogue;
mod changed;
mod commands;
mod connection;
mod distribution;
mod exit;
mod failure;
mod git;
mod learned;
mod logging;
mod merge_program;
mod messages;
mod metrics;
mod model;
mod output;
mod overview;
mod printer;
mod progress;
mod run;
mod settings;
mod shell;
mod signals;
mod sources;
mod state;
mod store;
mod taken;

use crate::args::Cli;
use crate::exit::ExitStatus;
use crate::failure::Stop;
use crate::printer::Printer;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (printer, ended) = match Cli::try_parse() {
        Ok(cli) => {
            let printer = Printer::new(cli.global.quiet);
            (
                printer,
                logging::start(cli.global.verbose)
                    .map_err(Stop::from)
                    .and_then(|()| run::guarded(&cli, printer)),
            )
        }
        Err(told) => (Printer::default(), run::told(&told, Printer::default())),
    };
    let status = match ended {
        Ok(status) => status,
        Err(Stop::OutputClosed) => ExitStatus::Ok,
        Err(Stop::Failed(failure)) => {
            printer.error(&failure);
            failure.status()
        }
    };
    status.into()
}
