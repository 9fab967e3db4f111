//! Executes a job on this machine: with the settings that came with it, and this machine's way to the model.

use crate::configured_model::{self, ConfiguredModel};
use crate::context::RunContext;
use crate::failure::Failure;
use crate::model_connection::{self, ConnectedModel};
use crate::printer::Printer;
use crate::settings::{OwnWay, Provider, ScribeSettings, Travelling};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use war_rig_llm::{CallLog, CallProgress, ModelRegistry, Money, UsageTotals};
use war_rig_pool::{DraftWriter, InternalError, Planner, SourceOptions};
use war_rig_scribe::ModelScribe;
use war_rig_transport::{EstateId, JobAssignment, JobExecutor, JobOutcome};

/// The reason reported for calls that are not made because the worker is ending.
const TOLD_TO_END: &str = "the worker is told to end";

/// The most open sessions: nothing reports that a coordinator is gone.
const MOST_ROOMS: usize = 16;

/// Writes documents by calling models.
pub(super) struct ModelExecutor {
    own: OwnWay,
    /// The limit of concurrent calls, over all sessions.
    calls: usize,
    /// The permits for calls, which targets share.
    places: Arc<Semaphore>,
    around: RunContext,
    printer: Printer,
    rooms: Mutex<SessionTable>,
    is_ending: AtomicBool,
}

#[derive(Default)]
struct SessionTable {
    /// The open sessions, by coordinator.
    open: HashMap<EstateId, Arc<CoordinatorSession>>,
    /// The usage of closed sessions.
    before: UsageTotals,
}

/// The shared state of one coordinator's jobs.
struct CoordinatorSession {
    epoch: String,
    settings: String,
    asked: Arc<ConnectedModel>,
    /// The model that writes overviews, if that is another one.
    overview_client: Option<Arc<ConnectedModel>>,
    scribe: ModelScribe<war_rig_llm::OpenAi>,
    planner: Planner,
    source: SourceOptions,
}

impl CoordinatorSession {
    /// Returns what the models' server does not support.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.asked.notes();
        let of_other = self.overview_client.as_ref().map(|overview_client| overview_client.notes()).unwrap_or_default();
        notes.extend(of_other.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        notes
    }
}

impl ModelExecutor {
    pub(super) fn new(
        own: OwnWay,
        (calls, places): (usize, Arc<Semaphore>),
        around: &RunContext,
        printer: &Printer,
    ) -> Self {
        let (rooms, is_ending) = (Mutex::default(), AtomicBool::new(false));
        let (around, printer) = (around.clone(), printer.clone());
        Self { own, calls, places, around, printer, rooms, is_ending }
    }

    /// Returns the progress of the calls, over all sessions.
    pub(super) fn meter(&self) -> CallProgress {
        let rooms = self.rooms.lock();
        let mut sum = CallProgress { usage: rooms.before, ..CallProgress::default() };
        for room in rooms.open.values() {
            sum += room.asked.progress();
        }
        sum
    }

    /// Returns the open session of a coordinator, or a new one.
    fn room(
        &self,
        estate: &EstateId,
        epoch: &str,
        settings: String,
        journal: &Arc<dyn CallLog>,
    ) -> Result<Arc<CoordinatorSession>, Failure> {
        let mut rooms = self.rooms.lock();
        let same = |room: &&Arc<CoordinatorSession>| room.epoch == epoch && room.settings == settings;
        if let Some(room) = rooms.open.get(estate).filter(same) {
            return Ok(Arc::clone(room));
        }
        let room = Arc::new(self.made(epoch, settings, Arc::clone(journal))?);
        if rooms.open.len() >= MOST_ROOMS
            && let Some(idle) = rooms.open.iter().find(|(_, room)| Arc::strong_count(room) == 1)
        {
            let idle = idle.0.clone();
            let closed = rooms.open.remove(&idle).expect("it was just found");
            rooms.before += closed.asked.progress().usage;
        }
        if let Some(closed) = rooms.open.insert(estate.clone(), Arc::clone(&room)) {
            rooms.before += closed.asked.progress().usage;
        }
        Ok(room)
    }

    fn made(&self, epoch: &str, text: String, journal: Arc<dyn CallLog>) -> Result<CoordinatorSession, Failure> {
        let senseless = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("the coordinator's settings cannot be read: {error}"))
                .with_hint("run coordinator and workers of one release")
        };
        let travelling = Travelling::read(&text).map_err(|error| senseless(&error))?;
        let settings = travelling.settings(&self.own, self.calls)?;
        let scribe = &settings.scribe;
        if scribe.provider != Provider::OpenAi {
            return Err(senseless(&"its Scribe asks no model"));
        }
        let registry = match &travelling.models {
            Some(models) => ModelRegistry::built_in().with_file(models).map_err(|error| senseless(&error))?,
            None => ModelRegistry::built_in(),
        };
        let info = registry.find(&scribe.model).cloned();
        let overview = configured_model::overview_model(scribe, &registry);
        let model = ConfiguredModel { info, ratio: travelling.ratio, window: travelling.window, overview };
        let planner = model.planner(scribe, &self.printer)?;
        let client = model_connection::client(scribe, crate::args::CassetteMode::None, &self.around)?;
        // Only the coordinator knows how much of the cap is left; the worker only knows that there is one.
        let budget = scribe.budget.map(|_| Money::from_units(u64::MAX));
        let scribe = &ScribeSettings { budget, ..scribe.clone() };
        let asked = model_connection::connect(scribe, &model, (client, None), Some(journal), Money::ZERO);
        let asked = Arc::new(asked.with_shared_slots(Arc::clone(&self.places)));
        if self.is_ending.load(Ordering::Acquire) {
            asked.interrupt(TOLD_TO_END);
        }
        let writer = ModelScribe::new(Arc::clone(&asked), scribe.model.clone());
        let known = (scribe, &model, &planner);
        let (writer, overview_client) = model_connection::with_overviews(writer, &asked, known, true, &self.around)?;
        self.printer.note(&format!("`{}` is asked at {}", scribe.model, scribe.base_url));
        let source = settings.source_options();
        let epoch = epoch.to_owned();
        Ok(CoordinatorSession { epoch, settings: text, asked, overview_client, scribe: writer, planner, source })
    }
}

impl JobExecutor for ModelExecutor {
    fn write(&self, assignment: JobAssignment) -> BoxFuture<'static, JobOutcome> {
        let JobAssignment { estate, epoch, settings, job, journal } = assignment;
        let room = match self.room(&estate, &epoch, settings, &journal) {
            Ok(room) => room,
            Err(failure) => {
                let why = match failure.hint() {
                    Some(hint) => format!("{} ({hint})", failure.line()),
                    None => failure.line(),
                };
                return Box::pin(std::future::ready(JobOutcome::Unusable(why)));
            }
        };
        let calls = self.calls;
        Box::pin(async move {
            let runtime = Handle::current();
            let written = tokio::task::spawn_blocking(move || {
                let writer = DraftWriter { planner: &room.planner, scribe: &room.scribe, concurrency: calls };
                // A panic caused by one file fails that file, and does not end the worker.
                match InternalError::catch_panic(|| job.execute(&writer, &room.source, &runtime)) {
                    Ok(Ok(draft)) => JobOutcome::Draft {
                        draft: Box::new(draft),
                        learned: room.asked.window_estimate(),
                        notes: room.notes(),
                        stopped: room.asked.stopped().cloned(),
                    },
                    Ok(Err(unreadable)) => JobOutcome::Failed(unreadable.to_string()),
                    Err(defect) => JobOutcome::Failed(defect.to_string()),
                }
            });
            match written.await {
                Ok(written) => written,
                Err(error) => JobOutcome::Failed(format!("internal error: {error}")),
            }
        })
    }

    fn stop(&self) {
        self.is_ending.store(true, Ordering::Release);
        for room in self.rooms.lock().open.values() {
            room.asked.interrupt(TOLD_TO_END);
        }
    }
}
