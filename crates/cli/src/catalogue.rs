//! How the commands bring the catalogue up to date: what it needs of the machine, and what fails there.

use crate::failure::Failure;
use crate::printer::Printer;
use crate::run_state::resolve_from_state;
use crate::signals::{RunResult, listen};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_catalogue::{SyncError, SyncOptions, SyncReport};

/// Has the catalogue of a state folder follow the documents, as `update` does it. `is_own` is whether it is this process that writes to the store.
///
/// # Errors
/// Those of `update`.
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

/// Does work on a thread of its own and listens to signals meanwhile: the first asks it to come to its end.
///
/// # Errors
/// An internal failure when it panics, and when nobody can listen.
pub async fn run_interruptible<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    printer: &Printer,
) -> Result<RunResult<T>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, ended) = tokio::sync::oneshot::channel();
    let asked = Arc::clone(&stop);
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(move || {
        // Who does not wait any more ends the process.
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
