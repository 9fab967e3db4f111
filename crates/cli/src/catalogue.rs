//! How the commands bring the catalogue up to date: what it needs of the machine, and what fails there.

use crate::failure::Failure;
use crate::printer::Printer;
use crate::signals::{Came, listen};
use crate::state::to_folder;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_catalogue::{Brought, Ends, UpdateOptions};

/// Has the catalogue of a state folder follow the documents, as `update` does it. `is_own` is whether it is this process that writes to the store.
///
/// # Errors
/// Those of `update`.
pub fn followed(
    update: fn(&UpdateOptions<'_>) -> Result<Brought, Ends>,
    state: &Path,
    is_own: bool,
    stop: &AtomicBool,
    printer: &Printer,
) -> Result<Brought, Ends> {
    let folder_of = |docs: &str| to_folder(state, docs);
    update(&UpdateOptions { state, is_own, stop, folder_of: &folder_of, note: &|text| printer.note(text) })
}

/// Does work on a thread of its own and listens to signals meanwhile: the first asks it to come to its end.
///
/// # Errors
/// An internal failure when it panics, and when nobody can listen.
pub async fn listened<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    printer: &Printer,
) -> Result<Came<T>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, ended) = tokio::sync::oneshot::channel();
    let asked = Arc::clone(&stop);
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(move || {
        // Who does not wait any more ends the process.
        let _ = done.send(work(&asked));
    });
    thread.map_err(|error| Failure::internal("a thread cannot be started").because(error))?;
    let ask = || stop.store(true, Ordering::Release);
    Ok(match listen(ended, Some(&ask), printer).await? {
        Came::Ended(Ok(ended), signal) => Came::Ended(ended, signal),
        Came::Ended(Err(_), _) => return Err(Failure::internal("the catalogue was not brought up to date")),
        Came::CutOff(status) => Came::CutOff(status),
    })
}
