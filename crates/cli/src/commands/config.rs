//! `war-rig config`: every setting with its origin, and the reference of all settings.

use crate::args::{OutputFormat, ShowArgs};
use crate::exit::ExitStatus;
use crate::failure::CommandError;
use crate::printer::Printer;
use crate::settings::{self, Combined, Settings};

/// Validates and prints the settings.
///
/// # Errors
/// Invalid settings, and when standard output cannot be written.
pub fn show(args: &ShowArgs, combined: &Combined, printer: &Printer) -> Result<ExitStatus, CommandError> {
    Settings::resolve(combined)?;
    printer.data(&match args.print.format {
        OutputFormat::Text => settings::to_text(combined),
        OutputFormat::Json => settings::to_json(combined),
    })?;
    Ok(ExitStatus::Ok)
}

/// Prints the reference of all settings.
///
/// # Errors
/// As [`Printer::data`].
pub fn reference(printer: &Printer) -> Result<ExitStatus, CommandError> {
    printer.data(&settings::to_markdown())?;
    Ok(ExitStatus::Ok)
}
