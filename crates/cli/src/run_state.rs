//! The state folder: the store, what earlier runs have left there for this one, and the end of a run.

use crate::args::CassetteMode;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::settings::ScribeSettings;
use crate::sources::normalize_path;
use crate::store_failures::{open_failure, store_failure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use war_rig_llm::{CallLog, Money, WindowEstimate};
use war_rig_store::{Database, NewRun, OutputStore, durable};
use war_rig_transport::{CallLogs, EstateId};

/// The store of a run in progress.
pub struct RunState {
    database: Database,
    /// The name of the output folder in the store.
    output: String,
    run: u64,
    /// The store, restricted to the run's output folder.
    pub store: Arc<OutputStore>,
    /// The spending of killed runs that this run continues.
    pub carried: Money,
    /// What the continued run knew of its model; `None` when this run continues none.
    known: Option<KnownModel>,
}

/// What was known of a model when a run started.
#[derive(Serialize, Deserialize)]
struct KnownModel {
    base_url: String,
    model: String,
    /// `None` when nothing was known.
    learned: Option<WindowEstimate>,
}

impl RunState {
    /// Opens the store of a folder, and records the start of a run for an output folder.
    ///
    /// # Errors
    /// A failure with status 10, 11 or 15.
    pub fn open(folder: &Path, output: &Path, scribe: &str) -> Result<Self, Failure> {
        Self::open_named(folder, relative_to_state(folder, output), scribe)
    }

    /// Like [`RunState::open`], for a run without an output folder; `output` is a name in its place.
    ///
    /// # Errors
    /// As [`RunState::open`].
    pub fn open_named(folder: &Path, output: String, scribe: &str) -> Result<Self, Failure> {
        let database = Database::open(folder, system_clock()).map_err(open_failure)?;
        let run = NewRun {
            output: output.clone(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            scribe: scribe.to_owned(),
        };
        let begun = database.begin_run(run).map_err(store_failure)?;
        let known = begun.window_estimate.and_then(|text| serde_json::from_str(&text).ok());
        let store = database.for_output(&output, begun.number);
        let (run, carried) = (begun.number, begun.carried);
        Ok(Self { database, output, run, store, carried, known })
    }

    /// What the continued run knew of this model; `None` when this run continues none, or one with another model.
    pub fn saved_estimate(&self, scribe: &ScribeSettings) -> Option<Option<WindowEstimate>> {
        let of_it = |known: &&KnownModel| known.base_url == scribe.base_url && known.model == scribe.model;
        self.known.as_ref().filter(of_it).map(|known| known.learned)
    }

    /// Records what this run knows of its model, so that a run that continues it cuts sources in the same way.
    ///
    /// # Errors
    /// A failure with status 10 or 15.
    pub fn save_estimate(&self, scribe: &ScribeSettings, learned: Option<WindowEstimate>) -> Result<(), Failure> {
        let known = KnownModel { base_url: scribe.base_url.clone(), model: scribe.model.clone(), learned };
        let text = serde_json::to_string(&known).expect("names and numbers have a JSON");
        self.database.save_window_estimate(self.run, &text).map_err(store_failure)
    }

    /// Returns the call log of this run; `None` for a replay, which uses only the contents of a record.
    pub fn call_log(&self, tape: CassetteMode<'_>) -> Option<Arc<dyn CallLog>> {
        (!matches!(tape, CassetteMode::Replay(_))).then(|| Arc::clone(&self.store) as _)
    }

    /// Returns the call logs of this run and of earlier ones.
    pub fn call_logs(&self) -> Arc<dyn CallLogs> {
        Arc::new(RunCallLogs { database: self.database.clone(), output: self.output.clone(), run: self.run })
    }

    /// Records how the run has ended.
    pub fn end(&self, ended: &Result<ExitStatus, CommandError>, totals: &str, printer: &Printer) {
        let status = match ended {
            Ok(status) => *status,
            Err(CommandError::OutputClosed) => ExitStatus::Ok,
            Err(CommandError::Failed(failure)) => failure.status(),
        };
        // The run itself reports what has failed; without this record, the run only looks as if it had been killed.
        if let Err(error) = self.database.end_run(self.run, status.code(), totals) {
            printer.warn(&format!("the end of the run could not be noted: {error}"));
        }
    }
}

/// The call logs of all runs for one output folder.
struct RunCallLogs {
    database: Database,
    output: String,
    run: u64,
}

impl CallLogs for RunCallLogs {
    fn current_run(&self) -> u64 {
        self.run
    }

    fn for_run(&self, run: u64) -> Arc<dyn CallLog> {
        self.database.for_output(&self.output, run)
    }
}

/// Returns the id of a state folder's estate, by which workers identify its coordinator; creates it when missing.
///
/// # Errors
/// A failure with status 10 when the file contains no valid id, and 15 when it cannot be read or written.
pub fn estate_id(folder: &Path) -> Result<EstateId, Failure> {
    let path = folder.join(ESTATE);
    match std::fs::read_to_string(&path) {
        Ok(text) => EstateId::new(text.trim_end()).map_err(|error| {
            Failure::new(ExitStatus::StoreUnusable, format!("`{}`: {error}", path.display()))
                .with_hint("remove the file; the next run makes another")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let estate = EstateId::random();
            durable::replace_file(&path, format!("{estate}\n").as_bytes())
                .map_err(|error| Failure::cannot_write(&path, error))?;
            Ok(estate)
        }
        Err(error) => Err(Failure::cannot_read(&path, error)),
    }
}

/// The name of the file in the state folder that contains the estate's id.
const ESTATE: &str = "estate";

/// Returns a clock that counts seconds since 1970.
pub fn system_clock() -> war_rig_store::Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or_else(|before| -(before.duration().as_secs() as i64), |after| after.as_secs() as i64)
    })
}

/// Returns a folder's path relative to the state folder's parent, so that both can be moved together.
pub fn relative_to_state(state: &Path, folder: &Path) -> String {
    crate::output::relative_path(&home(state), &absolute(folder))
}

/// Resolves a path that [`relative_to_state`] has returned.
pub fn resolve_from_state(state: &Path, name: &str) -> PathBuf {
    normalize_path(&home(state).join(name))
}

/// Returns the parent of the state folder.
fn home(state: &Path) -> PathBuf {
    let state = absolute(state);
    state.parent().unwrap_or(&state).to_owned()
}

fn absolute(path: &Path) -> PathBuf {
    normalize_path(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_again_by_its_name() {
        for (state, folder) in [
            (".war_rig", "docs"),
            ("/a/b/.war_rig", "/a/b/docs/x"),
            ("/a/b/.war_rig", "/c/docs"),
            ("/a/b/.war_rig", "/a/b"),
            ("/.war_rig", "/docs"),
            ("a/../.war_rig", "../docs"),
        ] {
            let (state, folder) = (Path::new(state), Path::new(folder));
            assert_eq!(
                resolve_from_state(state, &relative_to_state(state, folder)),
                absolute(folder),
                "{}",
                folder.display()
            );
        }
    }
}
