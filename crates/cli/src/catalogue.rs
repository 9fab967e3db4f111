//! Updates the catalogue for the commands, and reports what fails.

use crate::failure::Failure;
use crate::printer::Printer;
use crate::run_state::resolve_from_state;
use crate::signals::{RunResult, listen};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_catalogue::{SyncError, SyncOptions, SyncReport};

/// Brings a state folder's catalogue up to date with the documents through `update`. `is_own` is true when this process writes to the store.
///
/// # Errors
/// The errors of `update`.
pub fn follow_documents(
    update: fn(&SyncOptions<'_>) -> Result<SyncReport, SyncError>,
    state: &Path,
    is_own: bool,
    stop: &AtomicBool,
    printer: &Printer,
) -> Result<SyncReport, SyncError> {
    let folder_of = |docs: &str| resolve_from_state(state, docs);
    update(&SyncOptions { state, is_own, stop, folder_of: &folder_of, note: &|text| printer.note(text) })
}

/// Runs work on its own thread and listens for signals meanwhile; the first signal asks the work to finish.
///
/// # Errors
/// An internal failure when the work panics, or when signals cannot be listened for.
pub async fn run_interruptible<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    printer: &Printer,
) -> Result<RunResult<T>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, ended) = tokio::sync::oneshot::channel();
    let asked = Arc::clone(&stop);
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(move || {
        // If nobody waits for the result any more, the process is ending.
        let _ = done.send(work(&asked));
    });
    thread.map_err(|error| Failure::internal("a thread cannot be started").with_source(error))?;
    let ask = || stop.store(true, Ordering::Release);
    Ok(match listen(ended, Some(&ask), printer).await? {
        RunResult::Ended(Ok(ended), signal) => RunResult::Ended(ended, signal),
        RunResult::Ended(Err(_), _) => {
            return Err(Failure::internal("the catalogue was not brought up to date"));
        }
        RunResult::CutOff(status) => RunResult::CutOff(status),
    })
}
