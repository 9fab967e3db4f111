//! `war-rig index`: the catalogue brought up to date with the documents, without a run.

use crate::args::IndexArgs;
use crate::catalogue::{followed, listened};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::signals::Came;
use crate::store::{cannot_open, cannot_use_catalogue, not_written, some};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use war_rig_catalogue::{Asked, Brought, CatalogueReader, Ends, Gone, Kind, Query, anew, up_to_date};
use war_rig_store::Reader;

/// How often what a run beside this one has written meanwhile is looked at again. What comes later, that run finds at its end.
const ROUNDS: usize = 3;

/// Brings the catalogue up to date, or makes it anew.
///
/// # Errors
/// Failures when there is no store, and when one of both cannot be used.
pub fn run(args: &IndexArgs, printer: &Printer) -> Result<ExitStatus, Stop> {
    // Where there is no store, no catalogue is made.
    Reader::open(&args.state_dir).map_err(cannot_open)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::internal("signals cannot be listened to").because(error))?;
    let (state, rebuild, own) = (args.state_dir.clone(), args.rebuild, printer.clone());
    let work = move |stop: &AtomicBool| match rebuild {
        true => followed(anew, &state, false, stop, &own),
        false => until_settled(&state, stop, &own),
    };
    let interrupted = |status| {
        let left = match args.rebuild {
            true => "the catalogue is as it was",
            false => "what was written to the catalogue by then stays",
        };
        let failure =
            Failure::new(status, "the documents were not all indexed, because that was interrupted");
        Err(Stop::from(failure.with_hint(format!("{left}; run the command again"))))
    };
    match runtime.block_on(listened(work, printer))? {
        Came::Ended(Ok(brought), _) => {
            let rows = rows(&args.state_dir)?;
            Ok(say(&brought, args.rebuild, rows, printer))
        }
        Came::Ended(Err(Ends::Catalogue(error)), _) => Err(cannot_use_catalogue(error).into()),
        Came::Ended(Err(Ends::Defect), _) => Err(not_written().into()),
        Came::Ended(Err(Ends::Stopped), signal) => interrupted(signal.unwrap_or(ExitStatus::Interrupted)),
        Came::CutOff(status) => interrupted(status),
    }
}

/// Brings it up to date, and looks again at what a run has written meanwhile: a document may be replaced after it was read and before its rows are
/// written.
fn until_settled(state: &Path, stop: &AtomicBool, printer: &Printer) -> Result<Brought, Ends> {
    let mut brought = Brought::default();
    for _ in 0..ROUNDS {
        let now = followed(up_to_date, state, false, stop, printer)?;
        let is_settled = now.changed + now.removed == 0;
        let (changed, removed) = (brought.changed + now.changed, brought.removed + now.removed);
        brought = Brought { changed, removed, ..now };
        if is_settled {
            break;
        }
    }
    Ok(brought)
}

/// How many rows there are of all kinds.
fn rows(state: &Path) -> Result<u64, Failure> {
    Kind::of_documents().try_fold(0, |rows, kind| {
        let reader = CatalogueReader::open(state, kind).map_err(cannot_use_catalogue)?;
        let query = Query::of(kind, Asked::default()).expect("everything can be asked for");
        Ok(rows + reader.count(&query).map_err(cannot_use_catalogue)?)
    })
}

/// Says what was done.
fn say(brought: &Brought, is_anew: bool, rows: u64, printer: &Printer) -> ExitStatus {
    let Brought { documents, changed, removed, missing, unread, gone } = brought;
    let documents_of = |count: usize| match count {
        1 => "1 document".to_owned(),
        count => format!("{count} documents"),
    };
    for (folder, Gone { documents, kept }) in gone {
        let documents = documents_of(*documents);
        let rows = match kept {
            0 => "put it back and run the command again".to_owned(),
            kept => format!(
                "the catalogue keeps the rows of {kept} of them as they were; put it back and run the command again, or have them forgotten \
                 with `war-rig index --rebuild`"
            ),
        };
        printer.warn(&format!("the folder `{folder}` is gone or empty, and its {documents} with it; {rows}"));
    }
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        printer.warn(&format!(
            "{} not there: {}; `war-rig document` writes them again",
            if missing.len() == 1 {
                "1 document is".to_owned()
            } else {
                format!("{} documents are", missing.len())
            },
            some(&names)
        ));
    }
    warn_of_unread(unread, printer);
    let done = match (is_anew, changed, removed) {
        (true, ..) => " anew".to_owned(),
        (false, 0, 0) => " (none changed)".to_owned(),
        (false, changed, 0) => format!(" ({changed} changed)"),
        (false, changed, removed) => format!(" ({changed} changed, {removed} removed)"),
    };
    let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
    printer.note(&format!("indexed {}{done}: {rows}", documents_of(*documents)));
    match missing.is_empty() && unread.is_empty() && gone.is_empty() {
        true => ExitStatus::Ok,
        false => ExitStatus::TicketsFailed,
    }
}

/// Says which documents could not be read, and why the first of them could not.
pub fn warn_of_unread(unread: &[(String, String)], printer: &Printer) {
    let names: Vec<&str> = unread.iter().map(|(name, _)| name.as_str()).collect();
    let Some((_, reason)) = unread.first() else { return };
    printer.warn(&match unread.len() {
        1 => format!("{}: its document cannot be found: {reason}", names[0]),
        count => format!("{count} documents cannot be found: {}; the first: {reason}", some(&names)),
    });
}
