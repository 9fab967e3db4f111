//! The state folder: the store, what earlier runs have left in it for this one, and the end of a run.

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

/// The store of a run under way.
pub struct RunState {
    database: Database,
    /// The name of the output folder in the store.
    output: String,
    run: u64,
    /// The store, for the run's output folder.
    pub store: Arc<OutputStore>,
    /// What killed runs that this one goes on with have spent.
    pub carried: Money,
    /// What the run that this one goes on with knew of its model; none where it goes on with none.
    known: Option<KnownModel>,
}

/// What was known of a model when a run began.
#[derive(Serialize, Deserialize)]
struct KnownModel {
    base_url: String,
    model: String,
    /// None where nothing was.
    learned: Option<KnownModelSize>,
}

#[derive(Serialize, Deserialize)]
struct KnownModelSize {
    token_ratio: Option<f64>,
    window: Option<u64>,
}

impl RunState {
    /// Opens the store of a folder, and notes that a run for an output folder begins.
    ///
    /// # Errors
    /// A failure with status 10, 11 or 15.
    pub fn open(folder: &Path, output: &Path, scribe: &str) -> Result<Self, Failure> {
        Self::open_named(folder, relative_to_state(folder, output), scribe)
    }

    /// The same for a run that has no output folder, under a name that stands for it.
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

    /// What the run that this one goes on with knew of this model; none where it goes on with none, or with one that asked another.
    pub fn saved_estimate(&self, scribe: &ScribeSettings) -> Option<Option<WindowEstimate>> {
        let of_it = |known: &&KnownModel| known.base_url == scribe.base_url && known.model == scribe.model;
        let known = self.known.as_ref().filter(of_it)?;
        let size =
            |size: &KnownModelSize| WindowEstimate { token_ratio: size.token_ratio, window: size.window };
        Some(known.learned.as_ref().map(size))
    }

    /// Notes what this run knows of its model, so that a run which goes on with it cuts sources alike.
    ///
    /// # Errors
    /// A failure with status 10 or 15.
    pub fn save_estimate(
        &self,
        scribe: &ScribeSettings,
        learned: Option<WindowEstimate>,
    ) -> Result<(), Failure> {
        let size = |WindowEstimate { token_ratio, window }| KnownModelSize { token_ratio, window };
        let known = KnownModel {
            base_url: scribe.base_url.clone(),
            model: scribe.model.clone(),
            learned: learned.map(size),
        };
        let text = serde_json::to_string(&known).expect("names and numbers have a JSON");
        self.database.save_window_estimate(self.run, &text).map_err(store_failure)
    }

    /// Where the calls of this run are noted, and where those of earlier ones were.
    pub fn call_logs(&self) -> Arc<dyn CallLogs> {
        Arc::new(RunCallLogs { database: self.database.clone(), output: self.output.clone(), run: self.run })
    }

    /// Notes how the run has ended.
    pub fn end(&self, ended: &Result<ExitStatus, CommandError>, totals: &str, printer: &Printer) {
        let status = match ended {
            Ok(status) => *status,
            Err(CommandError::OutputClosed) => ExitStatus::Ok,
            Err(CommandError::Failed(failure)) => failure.status(),
        };
        // What has failed is told by the run itself; without this note, the run only looks as if it had been killed.
        if let Err(error) = self.database.end_run(self.run, status.code(), totals) {
            printer.warn(&format!("the end of the run could not be noted: {error}"));
        }
    }
}

/// The journals of all runs for one output folder.
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

/// The id of the estate that a state folder is about, by which workers know its coordinator; made where there is none yet.
///
/// # Errors
/// A failure with status 10 when the file holds no id, and 15 when it cannot be read or written.
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

/// The name of the file with the estate's id in the state folder.
const ESTATE: &str = "estate";

/// The time, in seconds since 1970.
pub fn system_clock() -> war_rig_store::Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or_else(|before| -(before.duration().as_secs() as i64), |after| after.as_secs() as i64)
    })
}

/// A folder as seen from the one that holds the state folder, so that both may be moved together.
pub fn relative_to_state(state: &Path, folder: &Path) -> String {
    crate::output::relative_path(&home(state), &absolute(folder))
}

/// The folder that [`relative_to_state`] has named so.
pub fn resolve_from_state(state: &Path, name: &str) -> PathBuf {
    normalize_path(&home(state).join(name))
}

/// The folder that holds the state folder.
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
