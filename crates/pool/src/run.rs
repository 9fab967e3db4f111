//! A run: from sources and stored records to documents.
//!
//! A run first takes a snapshot of all sources. The store shows which documents are up to date; the rest are tickets, the longest first. One
//! thread outside the runtime works on each ticket, with at most `jobs` at a time, because decoding, parsing and counting keep a processor busy;
//! the thread awaits the Scribe's calls inside a ticket. Tickets share only what they read, so neither their number nor their order affects a
//! document. The size of their sources bounds the memory of tickets, and one thread publishes all documents. The reports come back in the
//! order of the sources.
//!
//! If the run is to stop, tickets already begun are finished or returned, and the others stay pending. A ticket whose source has changed is
//! returned too, and the run begins again with it, up to three times.

use crate::build_plan::{BuildPlan, BuildPlanOptions, BuildTask, EstateView};
use crate::expected::expected_non_cobol_document;
use crate::load::{LoadedSource, SourceId, Sources, load_source};
use crate::parallel::for_each_ordered;
use crate::ports::{DocumentSink, PlanSummary, RunProgress};
use crate::process::document_hash;
use crate::publish::{CompletedWork, PUBLISH_BACKLOG, publish_loop};
use crate::relink::{RelinkReport, UnpickedSource, orphaned_documents, unpicked_sources};
use crate::remote::{MAX_REMOTE_TICKETS, run_remote};
use crate::report::TicketReport;
use crate::round::{PoolContext, Round, blocking};
use crate::snapshot::SourceSnapshot;
use crate::store::{BuildRecord, FinishedTicket, StoreError, StoredTicket, WrittenFile};
use crate::ticket::TicketState;
use futures::StreamExt;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use war_rig_estate::{ChangedFiles, EstateGraph};
use war_rig_scribe::Scribe;
use war_rig_text::ContentHash;

/// The result of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// The report of every selected source, in order.
    pub reports: Vec<TicketReport>,
    /// The results for all other sources.
    pub others: RelinkReport,
    /// The graph of the sources; `None` if nothing has changed and it was not requested.
    pub graph: Option<Arc<EstateGraph>>,
    /// The estate that the documents agree with, and the documents to confirm once everything else is written.
    pub estate: ContentHash,
    /// The hash of the content of the run's own pages.
    pub pages: ContentHash,
    /// Sources that no longer exist, or are no longer sources, and still have documents.
    pub stale: Vec<SourceId>,
}

/// How often a run begins again because sources have changed.
const ROUNDS: usize = 3;

/// Documents the selected sources.
///
/// # Errors
/// [`StoreError`] if records cannot be read, or results cannot be stored; published documents remain.
///
/// # Panics
/// If a worker panics outside its ticket, with that panic.
pub async fn run<S, P, D>(
    picked: &[SourceId],
    all: &[SourceId],
    workers: PoolContext<S, P, D>,
    progress: &dyn RunProgress,
) -> Result<RunOutcome, StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let mut rounds = RunRounds {
        options: workers.options.build_plan.clone(),
        workers: Arc::new(workers),
        picked: picked.to_vec(),
        reports: BTreeMap::new(),
        changed: HashSet::new(),
    };
    let mut count = 0;
    loop {
        count += 1;
        // Only the first round narrows the selection; otherwise, the indexes of returned reports would shift.
        let is_first = count == 1;
        let setup = rounds.set_up(all, is_first).await?;
        if is_first {
            progress.on_start(&setup.summary());
        }
        let RunSetup { picked, others, stock, graph, agenda, stale, is_known: _ } = setup;
        rounds.picked = picked;
        let estate = stock.estate_hash();
        let tasks = rounds.take_settled(agenda, progress);
        let round = Round::of(&rounds.workers, stock, graph.clone().unwrap_or_default());
        let changed = work(round, tasks, &mut rounds.reports, progress).await?;
        if changed.is_empty() || count == ROUNDS || rounds.workers.stop.is_requested() {
            return rounds.end(estate, graph, others, stale).await;
        }
        rounds.begin_again(changed);
    }
}

/// What a run keeps between its rounds.
struct RunRounds<S, P, D> {
    workers: Arc<PoolContext<S, P, D>>,
    /// The sources to document.
    picked: Vec<SourceId>,
    reports: BTreeMap<usize, TicketReport>,
    options: BuildPlanOptions,
    /// The sources that have changed during the round before.
    changed: HashSet<SourceId>,
}

impl<S, P, D> RunRounds<S, P, D>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    /// Finds out what there is to do in a round.
    async fn set_up(&self, all: &[SourceId], is_first: bool) -> Result<RunSetup, StoreError> {
        // Later rounds handle only what has changed in the meantime, and what that affects; failed tickets stay failed.
        let failed = self.reports.values().filter(|report| has_failed(report));
        let failed = failed.map(|report| report.ticket.file().to_owned());
        let failed = failed.filter(|file| !self.changed.contains(&SourceId(file.clone()))).collect();
        let (workers, picked, all) = (Arc::clone(&self.workers), self.picked.clone(), all.to_vec());
        let options = self.options.clone();
        blocking(move || {
            let changes = workers.options.changes.as_ref().filter(|_| is_first);
            RunSetup::of((picked, changes), &all, &workers, &options, &failed)
        })
        .await
    }

    /// Takes the reports of the sources that need no work, and returns the tasks of all others.
    fn take_settled(&mut self, agenda: BuildPlan, progress: &dyn RunProgress) -> Vec<BuildTask> {
        for (index, report) in agenda.up_to_date {
            // Keep this run's own report of a ticket.
            self.reports.entry(index).or_insert(report);
        }
        for (index, report, _) in &agenda.quarantined {
            if self.reports.insert(*index, report.clone()).is_none() {
                progress.on_ticket_finished(report);
            }
        }
        agenda.tasks
    }

    /// Turns to the sources that have changed in the meantime.
    fn begin_again(&mut self, changed: HashSet<SourceId>) {
        // The forced work has begun already.
        self.options.force_since = None;
        self.options.force = false;
        self.changed = changed;
    }

    /// Brings the documents of all other sources up to date with the estate, and returns the result of the run.
    async fn end(
        self,
        estate: ContentHash,
        graph: Option<Arc<EstateGraph>>,
        others: Vec<UnpickedSource>,
        stale: Vec<SourceId>,
    ) -> Result<RunOutcome, StoreError> {
        let Self { workers, reports, .. } = self;
        let others = match &graph {
            Some(graph) if !others.is_empty() => {
                let (workers, graph) = (Arc::clone(&workers), Arc::clone(graph));
                blocking(move || workers.relink(&others, &graph, estate)).await?
            }
            _ => RelinkReport::default(),
        };
        let pages =
            pages_hash(estate, workers.options.pages_settings, in_order(reports.values().chain(&others.reports)));
        let skipped = reports.values().filter(|report| report.ticket.state() == TicketState::Skipped);
        let skipped = skipped.map(|report| SourceId(report.ticket.file().to_owned()));
        let stale = stale.into_iter().chain(skipped.filter(|id| workers.sink.has_document(id))).collect();
        Ok(RunOutcome { reports: reports.into_values().collect(), others, graph, estate, pages, stale })
    }
}

impl RunOutcome {
    /// Returns the report of every source, selected or not, in order.
    pub fn all(&self) -> Vec<&TicketReport> {
        in_order(self.reports.iter().chain(&self.others.reports))
    }
}

fn in_order<'a>(reports: impl Iterator<Item = &'a TicketReport>) -> Vec<&'a TicketReport> {
    let mut reports: Vec<&TicketReport> = reports.collect();
    reports.sort_by(|a, b| a.ticket.file().cmp(b.ticket.file()));
    reports
}

/// Returns the hash of an estate, of the settings of its pages and of the reports of its sources.
fn pages_hash<'a>(
    estate: ContentHash,
    settings: ContentHash,
    reports: impl IntoIterator<Item = &'a TicketReport>,
) -> ContentHash {
    let rows = reports.into_iter().map(|report| {
        let ticket = &report.ticket;
        format!("{} {} {} {}", ticket.file(), ticket.state(), ticket.reason(), report.to_stored_json())
    });
    ContentHash::of_lines([estate.to_string(), settings.to_string()].into_iter().chain(rows))
}

fn has_failed(report: &TicketReport) -> bool {
    matches!(report.ticket.state(), TicketState::Failed | TicketState::Partial | TicketState::Pending)
}

/// What is known before any ticket begins.
struct RunSetup {
    /// The sources to document.
    picked: Vec<SourceId>,
    /// All other sources.
    others: Vec<UnpickedSource>,
    stock: SourceSnapshot,
    graph: Option<Arc<EstateGraph>>,
    agenda: BuildPlan,
    /// Sources that no longer exist.
    stale: Vec<SourceId>,
    /// Whether the store has tickets of this output folder.
    is_known: bool,
}

/// Returns the hashes of the documents that sources other than COBOL would get now, if they have documents. These report so much about the
/// rest of the estate that only the whole document shows whether anything has changed.
fn described<S: Scribe, P: Sources, D: DocumentSink>(
    picked: &[SourceId],
    stock: &SourceSnapshot,
    tickets: &HashMap<String, StoredTicket>,
    workers: &PoolContext<S, P, D>,
    graph: &EstateGraph,
) -> HashMap<String, ContentHash> {
    let estate = stock.estate_hash();
    let sources = workers.sources.as_ref();
    let differs = |id: &&SourceId| {
        let made = tickets.get(&id.0).and_then(|ticket| ticket.build_record.as_ref());
        made.is_some_and(|made| made.estate_hash != estate) && !sources.kind(id).is_cobol()
    };
    let ids: Vec<SourceId> = picked.iter().filter(differs).cloned().collect();
    let mut hashes = HashMap::new();
    let policy = workers.options.source.secrets.policy;
    let hash = |id: &SourceId| match load_source(sources, id, &workers.options.source).ok()? {
        LoadedSource::NonCobol(surrounding) => {
            Some(document_hash(&expected_non_cobol_document(&surrounding, policy, graph)))
        }
        LoadedSource::Cobol(_) => None,
    };
    for_each_ordered(&ids, workers.options.readers, hash, |id, hash| {
        hashes.extend(hash.ok().flatten().map(|hash| (id.0.clone(), hash)));
    });
    hashes
}

impl RunSetup {
    /// Returns what the user is told before the tickets begin.
    fn summary(&self) -> PlanSummary {
        let agenda = &self.agenda;
        PlanSummary {
            files: self.picked.len(),
            up_to_date: agenda.up_to_date.len(),
            reclaimed: agenda.reclaimed,
            pending: agenda.tasks.len() - agenda.reclaimed,
            bytes: agenda.tasks.iter().map(|task| task.size).sum(),
            is_resumed: self.is_known,
        }
    }

    fn of<S: Scribe, P: Sources, D: DocumentSink>(
        (mut picked, changes): (Vec<SourceId>, Option<&ChangedFiles>),
        all: &[SourceId],
        workers: &PoolContext<S, P, D>,
        options: &BuildPlanOptions,
        left_alone: &HashSet<String>,
    ) -> Result<Self, StoreError> {
        let PoolContext { sources, store, sink, options: run, .. } = workers;
        let store = store.as_ref();
        let keeps_lookups = changes.is_some();
        let mut stock = SourceSnapshot::take(all, sources.as_ref(), &run.source, run.readers, keeps_lookups, store)?;
        if let Some(changes) = changes {
            if !changes.is_empty() {
                stock.load_surveys(sources.as_ref(), &run.source, run.readers, store)?;
            }
            let affected = stock.affected(changes);
            picked.retain(|id| affected.contains(&id.0));
        }
        let picked = picked;
        let tickets = store.tickets()?;
        let is_known = !tickets.is_empty();
        let now: HashSet<&str> = all.iter().map(|id| id.0.as_str()).collect();
        let (tickets, stale): (Vec<_>, Vec<_>) =
            tickets.into_iter().partition(|ticket| now.contains(ticket.file.as_str()));
        let is_gone =
            |ticket: &StoredTicket| ticket.base == options.base && sources.is_deleted(&SourceId(ticket.file.clone()));
        let mut stale: BTreeSet<SourceId> =
            stale.into_iter().filter(is_gone).map(|ticket| SourceId(ticket.file)).collect();
        if let Some(changes) = &run.changes {
            stale.extend(orphaned_documents(changes, sink.as_ref()));
        }
        let stale = stale.into_iter().collect();
        let mut tickets: HashMap<String, StoredTicket> =
            tickets.into_iter().map(|ticket| (ticket.file.clone(), ticket)).collect();
        let stands = |file: &WrittenFile| sink.is_current(file);
        let mut agenda = BuildPlan::of(&picked, &stock, &tickets, None, options, &stands);
        let mut graph = None;
        let is_idle = agenda.tasks.is_empty() && agenda.quarantined.is_empty();
        let of_now =
            || pages_hash(stock.estate_hash(), run.pages_settings, agenda.up_to_date.iter().map(|(_, report)| report));
        let mut others = unpicked_sources(&picked, &stock, &mut tickets, options);
        // The state of other sources' documents is unknown until the run looks at them.
        if !is_idle || !others.is_empty() || run.pages != Some(of_now()) {
            stock.load_surveys(sources.as_ref(), &run.source, run.readers, store)?;
            for other in &mut others {
                other.is_readable = stock.has_survey(&other.id);
            }
            let (found, mut known) = stock.graph();
            let described = described(&picked, &stock, &tickets, workers, &found);
            let around = EstateView { graph: &found, known: &known, described: &described };
            agenda = BuildPlan::of(&picked, &stock, &tickets, Some(&around), options, &stands);
            for other in &mut others {
                other.identity = known.remove(&other.id.0);
            }
            graph = Some(Arc::new(found));
        }
        agenda.tasks.retain(|task| !left_alone.contains(&task.id.0));
        agenda.to_open.retain(|open| !left_alone.contains(&open.file));
        store.open(&agenda.to_open)?;
        let quarantined: Vec<FinishedTicket> = agenda
            .quarantined
            .iter()
            .map(|(_, report, inputs)| FinishedTicket {
                build_record: inputs
                    .map(|inputs| BuildRecord::unconfirmed(inputs, ContentHash::of(b""), report.to_stored_json())),
                is_quarantined: true,
                ..FinishedTicket::of(&report.ticket)
            })
            .collect();
        if !quarantined.is_empty() {
            store.finish(&quarantined)?;
        }
        Ok(Self { picked, others, stock, graph, agenda, stale, is_known })
    }
}

/// Works on the tasks of a round, and returns those whose sources have changed in the meantime.
async fn work<S, P, D>(
    round: Round<S, P, D>,
    tasks: Vec<BuildTask>,
    reports: &mut BTreeMap<usize, TicketReport>,
    progress: &dyn RunProgress,
) -> Result<HashSet<SourceId>, StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    if tasks.is_empty() {
        return Ok(HashSet::new());
    }
    let round = Arc::new(round);
    let (worked, to_finish) = sync_channel::<CompletedWork<D::StagedDocument>>(PUBLISH_BACKLOG);
    let (finisher, mut ended) = start_finisher(&round.workers, to_finish);
    let mut results = RoundResults { reports, progress, changed: HashSet::new() };
    let begun = {
        let (known, all_known) = watch::channel(0);
        let working = begin_all(&round, tasks, &worked, all_known);
        tokio::pin!(working);
        loop {
            tokio::select! {
                begun = &mut working => break begun,
                ended = ended.recv() => match ended {
                    Some((index, report)) => {
                        results.take(index, report);
                        known.send_modify(|known| *known += 1);
                    }
                    // The finisher has panicked, and is joined below.
                    None => break Ok(()),
                },
            }
        }
    };
    // The finisher ends when no sender is left.
    drop(worked);
    while let Some((index, report)) = ended.recv().await {
        results.take(index, report);
    }
    let finished = blocking(move || finisher.join()).await;
    let finished = finished.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    begun.and(finished).map(|()| results.changed)
}

/// A ticket that has ended: its index and its report.
type EndedTicket = (usize, TicketReport);

/// Starts the thread that publishes documents. It passes on the report of every ticket.
fn start_finisher<S, P, D: DocumentSink>(
    workers: &PoolContext<S, P, D>,
    to_finish: Receiver<CompletedWork<D::StagedDocument>>,
) -> (JoinHandle<Result<(), StoreError>>, UnboundedReceiver<EndedTicket>) {
    // A run has as many reports as files, which bounds this channel.
    let (done, ended) = unbounded_channel();
    let (sink, store, stop) = (Arc::clone(&workers.sink), Arc::clone(&workers.store), Arc::clone(&workers.stop));
    let finisher = std::thread::spawn(move || {
        publish_loop(&to_finish, &sink, store.as_ref(), &stop, |index, report| {
            let _ = done.send((index, report));
        })
    });
    (finisher, ended)
}

/// What came of the tickets of a round.
struct RoundResults<'a> {
    reports: &'a mut BTreeMap<usize, TicketReport>,
    progress: &'a dyn RunProgress,
    /// The sources that have changed in the meantime.
    changed: HashSet<SourceId>,
}

impl RoundResults<'_> {
    fn take(&mut self, index: usize, report: TicketReport) {
        match report.has_changed {
            true => {
                self.changed.insert(SourceId(report.ticket.file().to_owned()));
            }
            false => self.progress.on_ticket_finished(&report),
        }
        let bill = report.usage;
        if let Some(before) = self.reports.insert(index, report) {
            // Usage of an earlier round was paid for.
            let again = self.reports.get_mut(&index).expect("it was just put there");
            again.usage = before.usage;
            again.usage += bill;
        }
    }
}

/// Works on all tasks: first on those that run together, then on those that run alone. `known` is the number of tickets whose end is known.
async fn begin_all<S, P, D>(
    round: &Arc<Round<S, P, D>>,
    tasks: Vec<BuildTask>,
    worked: &SyncSender<CompletedWork<D::StagedDocument>>,
    mut known: watch::Receiver<usize>,
) -> Result<(), StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let jobs = match round.workers.queue {
        Some(_) => MAX_REMOTE_TICKETS,
        None => round.workers.options.jobs.max(1),
    };
    let (alone, together): (Vec<BuildTask>, Vec<BuildTask>) = tasks.into_iter().partition(|task| task.runs_alone);
    let mut begun = together.len();
    let begin = |task: BuildTask| begin(Arc::clone(round), task, worked.clone());
    let mut together = futures::stream::iter(together.into_iter().map(begin)).buffer_unordered(jobs);
    let mut first: Result<(), StoreError> = Ok(());
    while let Some(worked) = together.next().await {
        first = first.and(worked);
    }
    for task in alone {
        // A task that runs alone fails alone: by then, the store has the results of all others.
        if first.is_ok() {
            known.wait_for(|known| *known == begun).await.expect("who counts outlives the work");
        }
        first = first.and(begin(task).await);
        begun += 1;
    }
    first
}

/// Works on one task, here or at a remote worker.
async fn begin<S, P, D>(
    round: Arc<Round<S, P, D>>,
    task: BuildTask,
    worked: SyncSender<CompletedWork<D::StagedDocument>>,
) -> Result<(), StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let workers = &round.workers;
    let asks = |_: &_| workers.sources.kind(&task.id).is_cobol() && !workers.scribe.is_parser_only();
    match workers.queue.clone().filter(asks) {
        Some(queue) => run_remote(round, task, worked, queue.as_ref()).await,
        None => blocking(move || round.run_local(&task, &worked)).await,
    }
}
