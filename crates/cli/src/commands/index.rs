//! `war-rig index`: brings the catalogue up to date with the documents, without a run.

use crate::args::IndexArgs;
use crate::catalogue::{follow_documents, run_interruptible};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, counted};
use crate::runtime;
use crate::signals::RunResult;
use crate::store_failures::{catalogue_failure, list_names, not_written, open_failure};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tokio::runtime::Builder;
use war_rig_catalogue::{
    CatalogueReader, MissingFolder, Query, RawQuery, RowKind, SyncError, SyncReport, rebuild_catalogue, sync_catalogue,
};
use war_rig_store::StoreReader;

/// The most rounds for documents that a concurrent run writes meanwhile. That run handles later ones at its end.
const ROUNDS: usize = 3;

/// Updates the catalogue, or rebuilds it.
///
/// # Errors
/// Failures when there is no store, and when the store or the catalogue cannot be used.
pub fn run(args: &IndexArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    // Without a store, no catalogue is created.
    StoreReader::open(&args.state_dir).map_err(open_failure)?;
    let runtime = runtime::start(&mut Builder::new_current_thread(), "signals cannot be listened to")?;
    let (state, rebuild, own) = (args.state_dir.clone(), args.rebuild, printer.clone());
    let work = move |stop: &AtomicBool| match rebuild {
        true => follow_documents(rebuild_catalogue, &state, false, stop, &own),
        false => until_settled(&state, stop, &own),
    };
    let interrupted = |status| {
        let left = match args.rebuild {
            true => "the catalogue is as it was",
            false => "what was written to the catalogue by then stays",
        };
        let failure = Failure::new(status, "the documents were not all indexed, because that was interrupted");
        Err(CommandError::from(failure.with_hint(format!("{left}; run the command again"))))
    };
    match runtime.block_on(run_interruptible(work, printer))? {
        RunResult::Ended(Ok(brought), _) => {
            let rows = rows(&args.state_dir)?;
            Ok(say(&brought, args.rebuild, rows, printer))
        }
        RunResult::Ended(Err(SyncError::Catalogue(error)), _) => Err(catalogue_failure(error).into()),
        RunResult::Ended(Err(SyncError::Internal), _) => Err(not_written().into()),
        RunResult::Ended(Err(SyncError::Interrupted), signal) => interrupted(signal.unwrap_or(ExitStatus::Interrupted)),
        RunResult::CutOff(status) => interrupted(status),
    }
}

/// Updates the catalogue, and repeats it for documents that a run has written meanwhile: a document may be replaced after it was read and before its
/// rows are written.
fn until_settled(state: &Path, stop: &AtomicBool, printer: &Printer) -> Result<SyncReport, SyncError> {
    let mut brought = SyncReport::default();
    for _ in 0..ROUNDS {
        let now = follow_documents(sync_catalogue, state, false, stop, printer)?;
        let is_settled = now.changed + now.removed == 0;
        let (changed, removed) = (brought.changed + now.changed, brought.removed + now.removed);
        brought = SyncReport { changed, removed, ..now };
        if is_settled {
            break;
        }
    }
    Ok(brought)
}

/// Returns the number of rows of all kinds.
fn rows(state: &Path) -> Result<u64, Failure> {
    RowKind::document_kinds().try_fold(0, |rows, kind| {
        let reader = CatalogueReader::open(state, kind).map_err(catalogue_failure)?;
        let query = Query::parse(kind, RawQuery::default()).expect("everything can be asked for");
        Ok(rows + reader.count(&query).map_err(catalogue_failure)?)
    })
}

/// Reports what was done.
fn say(brought: &SyncReport, is_anew: bool, rows: u64, printer: &Printer) -> ExitStatus {
    let SyncReport { documents, changed, removed, missing, unread, gone } = brought;
    let documents_of = |count: usize| match count {
        1 => "1 document".to_owned(),
        count => format!("{count} documents"),
    };
    for (folder, MissingFolder { documents, kept }) in gone {
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
            if missing.len() == 1 { "1 document is".to_owned() } else { format!("{} documents are", missing.len()) },
            list_names(&names)
        ));
    }
    warn_of_unread(unread, printer);
    let done = match (is_anew, changed, removed) {
        (true, ..) => " anew".to_owned(),
        (false, 0, 0) => " (none changed)".to_owned(),
        (false, changed, 0) => format!(" ({changed} changed)"),
        (false, changed, removed) => format!(" ({changed} changed, {removed} removed)"),
    };
    let rows = counted(rows, "row");
    printer.note(&format!("indexed {}{done}: {rows}", documents_of(*documents)));
    match missing.is_empty() && unread.is_empty() && gone.is_empty() {
        true => ExitStatus::Ok,
        false => ExitStatus::TicketsFailed,
    }
}

/// Reports which documents could not be read, and the reason for the first one.
pub fn warn_of_unread(unread: &[(String, String)], printer: &Printer) {
    let names: Vec<&str> = unread.iter().map(|(name, _)| name.as_str()).collect();
    let Some((_, reason)) = unread.first() else { return };
    printer.warn(&match unread.len() {
        1 => format!("{}: its document cannot be found: {reason}", names[0]),
        count => format!("{count} documents cannot be found: {}; the first: {reason}", list_names(&names)),
    });
}
