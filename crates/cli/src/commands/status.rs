//! `war-rig status`: what the store knows of runs, tickets and calls.

use crate::args::{OutputFormat, StatusArgs};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::state::from_state;
use crate::store::{cannot_open, cannot_use};
use std::path::{Path, PathBuf};
use std::time::Duration;
use war_rig_store::{CallSums, Held, Reader, Status, Wanted};

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
struct View {
    file: PathBuf,
    version: i64,
    held: Held,
    status: Status,
    /// Whether times are shown.
    times: bool,
}

impl View {
    fn calls(&self) -> CallSums {
        self.status.runs.iter().fold(CallSums::default(), |sum, run| sum.and(run.calls))
    }
}

/// Prints what the store holds.
///
/// # Errors
/// Failures when there is no store or it cannot be read, and when standard output takes no more.
pub fn run(args: &StatusArgs, printer: &Printer) -> Result<ExitStatus, Stop> {
    // What a run would be refused for is not shown as if nothing were wrong.
    let whole = Reader::open(&args.state_dir).and_then(|reader| reader.check_whole());
    whole.map_err(cannot_open)?;
    match (args.print.format, args.watch) {
        (OutputFormat::Json, false) => printer.json(&json::of(&look(args)?))?,
        (OutputFormat::Text, false) => printer.data(&text::of(&look(args)?))?,
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
fn look(args: &StatusArgs) -> Result<View, Stop> {
    let reader = Reader::open(&args.state_dir).map_err(cannot_open)?;
    let history = args.print.format == OutputFormat::Json;
    let read = |output: Option<&str>| reader.status(Wanted { output, history }).map_err(cannot_use);
    let mut status = match &args.output {
        None => read(None)?,
        Some(given) => {
            // The folder means what it means to `document`; else it may be the name that is shown here, as seen from elsewhere.
            let path = from_state(&args.state_dir, Path::new(given));
            let shown = given.trim_start_matches("./").trim_end_matches('/');
            let known = |status: &Status, name: &str| status.outputs.iter().any(|known| known == name);
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
    let held = reader.held().map_err(cannot_use)?;
    Ok(View { file: reader.file(), version: reader.version(), held, status, times: args.timestamps })
}

/// The name that a folder has in the store.
fn stored(shown: &str) -> &str {
    if shown == HERE { "" } else { shown }
}

fn unknown(output: &str, status: &Status) -> Failure {
    let shown = |name: &String| format!("`{}`", if name.is_empty() { HERE } else { name });
    let known: Vec<String> = status.outputs.iter().map(shown).collect();
    let failure = Failure::usage(format!("`--output`: the store knows no output folder `{output}`"));
    match known.is_empty() {
        true => failure.with_hint("it knows of none yet: no run has begun"),
        false => failure.with_hint(format!("it knows {}", known.join(", "))),
    }
}

/// Shows the store until nobody holds it: on a terminal all of it in place, else a line whenever it has changed, and all of it at the end.
fn watch(args: &StatusArgs, printer: &Printer) -> Result<(), Stop> {
    let on_terminal = printer.is_on_terminal();
    let mut said = String::new();
    if on_terminal {
        printer.data(CLEAR)?;
    }
    loop {
        let view = look(args)?;
        let is_over = view.held == Held::Free;
        if on_terminal {
            printer.data(&format!("{REDRAW}{}", text::of(&view)))?;
        } else if is_over {
            printer.data(&text::of(&view))?;
        } else {
            let line = text::line(&view);
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
