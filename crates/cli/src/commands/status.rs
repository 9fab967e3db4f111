//! `war-rig status`: what the store knows of runs, tickets and calls.

use crate::args::{OutputFormat, StatusArgs};
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

/// How long it is before a store that is watched is looked at again.
const PAUSE: Duration = Duration::from_secs(1);

/// How the folder that holds the state folder is shown; its name in the store is empty.
const HERE: &str = ".";

/// Puts the cursor of a terminal at its begin, and takes away what stands below.
const REDRAW: &str = "\x1b[H\x1b[J";

/// Makes room for the first drawing.
const CLEAR: &str = "\x1b[2J";

/// What is shown.
struct StatusView {
    file: PathBuf,
    version: i64,
    held: LockStatus,
    status: StoreStatus,
    /// Whether times are shown.
    times: bool,
}

impl StatusView {
    fn calls(&self) -> CallTotals {
        self.status.runs.iter().fold(CallTotals::default(), |sum, run| sum.combined(run.calls))
    }
}

/// Prints what the store holds.
///
/// # Errors
/// Failures when there is no store or it cannot be read, and when standard output takes no more.
pub fn run(args: &StatusArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    // What a run would be refused for is not shown as if nothing were wrong.
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

/// Looks at the store once. It is opened each time, so that nobody is kept from taking its log away.
fn look(args: &StatusArgs) -> Result<StatusView, CommandError> {
    let reader = StoreReader::open(&args.state_dir).map_err(open_failure)?;
    let history = args.print.format == OutputFormat::Json;
    let read = |output: Option<&str>| reader.status(StatusQuery { output, history }).map_err(store_failure);
    let mut status = match &args.output {
        None => read(None)?,
        Some(given) => {
            // The folder means what it means to `document`; else it may be the name that is shown here, as seen from elsewhere.
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
    Ok(StatusView { file: reader.file(), version: reader.version(), held, status, times: args.timestamps })
}

/// The name that a folder has in the store.
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

/// Shows the store until nobody holds it: on a terminal all of it in place, else a line whenever it has changed, and all of it at the end.
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
