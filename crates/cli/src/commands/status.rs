//! `war-rig status`: prints the store's runs, tickets and calls.

use crate::args::{OutputFormat, StatusArgs};
use crate::batches::{BatchRecord, open_batches};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::run_state::relative_to_state;
use crate::store_failures::{open_failure, store_failure};
use std::path::{Path, PathBuf};
use std::time::Duration;
use war_rig_store::{CallTotals, LockStatus, StatusQuery, StoreReader, StoreStatus};

mod json;
mod text;

/// The interval between two polls of a watched store.
const PAUSE: Duration = Duration::from_secs(1);

/// The display name of the folder that contains the state folder; its name in the store is empty.
const HERE: &str = ".";

/// Moves the cursor to the top left, and clears everything below.
const REDRAW: &str = "\x1b[H\x1b[J";

/// Makes room for the first drawing.
const CLEAR: &str = "\x1b[2J";

/// The displayed data.
struct StatusView {
    file: PathBuf,
    version: i64,
    held: LockStatus,
    status: StoreStatus,
    /// The batches whose answers have not been taken.
    batches: Vec<BatchRecord>,
    /// Whether times are shown.
    times: bool,
}

impl StatusView {
    fn calls(&self) -> CallTotals {
        self.status.runs.iter().fold(CallTotals::default(), |sum, run| sum.combined(run.calls))
    }
}

/// Prints the contents of the store.
///
/// # Errors
/// Failures when there is no store or it cannot be read, and when standard output cannot be written.
pub fn run(args: &StatusArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    // A store that a run would reject must not look healthy.
    let whole = StoreReader::open(&args.state_dir).and_then(|reader| reader.check_integrity());
    whole.map_err(open_failure)?;
    match (args.print.format, args.watch) {
        (OutputFormat::Json, false) => printer.json(&json::to_json(&look(args)?))?,
        (OutputFormat::Text, false) => printer.data(&text::to_text(&look(args)?))?,
        (OutputFormat::Text, true) => watch(args, printer)?,
        (OutputFormat::Json, true) => {
            return Err(Failure::usage("`--watch` cannot stand beside `--format json`")
                .with_hint("leave out one of them; `document --progress json` tells a run as it goes")
                .into());
        }
    }
    Ok(ExitStatus::Ok)
}

/// Reads the store once. It is reopened each time, so that it does not prevent others from removing its log.
fn look(args: &StatusArgs) -> Result<StatusView, CommandError> {
    let reader = StoreReader::open(&args.state_dir).map_err(open_failure)?;
    let history = args.print.format == OutputFormat::Json;
    let read = |output: Option<&str>| reader.status(StatusQuery { output, history }).map_err(store_failure);
    let mut status = match &args.output {
        None => read(None)?,
        Some(given) => {
            // The folder is interpreted as by `document`; otherwise it may be the displayed name, seen from another folder.
            let path = relative_to_state(&args.state_dir, Path::new(given));
            let shown = given.trim_start_matches("./").trim_end_matches('/');
            let known = |status: &StoreStatus, name: &str| status.outputs.iter().any(|known| known == name);
            let mut status = read(Some(&path))?;
            if !known(&status, &path) {
                status = read(Some(stored(shown)))?;
                if !known(&status, stored(shown)) {
                    return Err(unknown(shown, &status).into());
                }
            }
            status
        }
    };
    let names = status.outputs.iter_mut();
    let names = names.chain(status.runs.iter_mut().map(|run| &mut run.output));
    let names = names.chain(status.tickets.iter_mut().map(|ticket| &mut ticket.output));
    names.filter(|name| name.is_empty()).for_each(|name| HERE.clone_into(name));
    let held = reader.lock_status().map_err(store_failure)?;
    let batches = open_batches(&args.state_dir)?;
    Ok(StatusView { file: reader.file(), version: reader.version(), held, status, batches, times: args.timestamps })
}

/// Returns the name of a folder in the store.
fn stored(shown: &str) -> &str {
    if shown == HERE { "" } else { shown }
}

fn unknown(output: &str, status: &StoreStatus) -> Failure {
    let shown = |name: &String| format!("`{}`", if name.is_empty() { HERE } else { name });
    let known: Vec<String> = status.outputs.iter().map(shown).collect();
    let failure = Failure::usage(format!("`--output`: the store knows no output folder `{output}`"));
    match known.is_empty() {
        true => failure.with_hint("it knows of none yet: no run has begun"),
        false => failure.with_hint(format!("it knows {}", known.join(", "))),
    }
}

/// Shows the store until no process holds it: on a terminal in place, otherwise a line for every change, and everything at the end.
fn watch(args: &StatusArgs, printer: &Printer) -> Result<(), CommandError> {
    let on_terminal = printer.is_on_terminal();
    let mut said = String::new();
    if on_terminal {
        printer.data(CLEAR)?;
    }
    loop {
        let view = look(args)?;
        let is_over = view.held == LockStatus::Free;
        if on_terminal {
            printer.data(&format!("{REDRAW}{}", text::to_text(&view)))?;
        } else if is_over {
            printer.data(&text::to_text(&view))?;
        } else {
            let line = text::status_line(&view);
            if line != said {
                printer.data(&line)?;
                said = line;
            }
        }
        if is_over {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}
