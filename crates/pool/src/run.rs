//! A run: from what is there and what is known to documents.
//!
//! First stock is taken of all sources. What is up to date is told from the store; the rest are tickets, the longest first. Each ticket is
//! worked on by one thread outside the runtime's own, at most `jobs` at a time, because decoding, parsing and counting keep a processor
//! busy; the Scribe's calls inside a ticket are awaited from there. Nothing is shared between tickets but what is read, so that neither
//! their number nor their order shows in a document. What tickets hold in memory is bounded by the size of their sources, and their
//! documents are published by one thread for all. The reports come back in the order of the sources.
//!
//! When the run is to stop, tickets already begun are brought to an end or given back, and the others stay pending. A ticket whose source
//! is found changed is given back too, and the run begins again with it, up to three times.

use crate::agenda::{Agenda, AgendaOptions, Around, Task};
use crate::each::each_in_order;
use crate::elsewhere::{BYTES_ELSEWHERE, ELSEWHERE, elsewhere};
use crate::expected::expected_of_surrounding;
use crate::finish::{WAITING, Worked, finish};
use crate::others::{Other, Others, left_over, others};
use crate::plan::Planner;
use crate::ports::{DocumentSink, Outlook, Progress};
use crate::queue::Queue;
use crate::read::{Source, SourceId, SourceOptions, Sources, read};
use crate::report::TicketReport;
use crate::stock::Stock;
use crate::store::{FinishedTicket, KeptTicket, Made, Store, StoreError, WrittenFile};
use crate::ticket::TicketState;
use crate::work::hash_of;
use futures::StreamExt;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use war_rig_estate::{Changes, EstateGraph};
use war_rig_scribe::Scribe;
use war_rig_text::ContentHash;

/// How a run works.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Tickets in work at a time; at least 1.
    pub jobs: usize,
    /// Threads that read and parse at a time before the tickets; at least 1.
    pub readers: usize,
    /// Calls in flight within one ticket; at least 1.
    pub concurrency: usize,
    /// How sources are read and parsed.
    pub source: SourceOptions,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// What counts as up to date.
    pub agenda: AgendaOptions,
    /// What the pages of the run itself were made of, where they stand as they were written: the graph is wanted where that is another.
    pub pages: Option<ContentHash>,
    /// Files that have changed: of the picked sources only those are documented that are among them, or use what is. None has all picked.
    pub changes: Option<Changes>,
}

/// One ticket after the other.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            jobs: 1,
            readers: 1,
            concurrency: 1,
            source: SourceOptions::default(),
            fail_fast: false,
            agenda: AgendaOptions::default(),
            pages: None,
            changes: None,
        }
    }
}

/// The request that a run ends.
#[derive(Debug, Default)]
pub struct StopRequest(AtomicBool);

impl StopRequest {
    /// Has no further ticket begin.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What the workers of a run share.
pub struct Workers<S, P, D> {
    /// Routes and cuts.
    pub planner: Arc<Planner>,
    /// Writes.
    pub scribe: Arc<S>,
    /// Where sources come from.
    pub sources: Arc<P>,
    /// Where documents go.
    pub sink: Arc<D>,
    /// What outlives the process.
    pub store: Arc<dyn Store>,
    /// The request that the run ends.
    pub stop: Arc<StopRequest>,
    /// Those who write elsewhere; none where all is written here. What the parser alone says is always written here: its words are facts, and
    /// those that come from elsewhere are not.
    pub queue: Option<Arc<dyn Queue>>,
    /// How the run works.
    pub options: RunOptions,
}

/// What a run came to.
#[derive(Debug)]
pub struct Ended {
    /// What became of every source that was picked, in order.
    pub reports: Vec<TicketReport>,
    /// What became of all other sources.
    pub others: Others,
    /// What the sources say of each other; none when nothing has changed and it was not wanted.
    pub graph: Option<Arc<EstateGraph>>,
    /// The estate that the documents agree with, and which of them are to be settled once all else is written.
    pub estate: ContentHash,
    /// The hash of what the pages of the run itself are made of.
    pub pages: ContentHash,
    /// Sources that are no more, or no sources any more, of which there still are documents.
    pub stale: Vec<SourceId>,
}

/// The bytes of sources that may be in work at a time; parsed, with chunks and a document, they take some ten to twenty times as much.
const BYTES_IN_WORK: u64 = 4 << 20;

/// How often a run begins again because sources have changed.
const ROUNDS: usize = 3;

/// Prompts that are made before there is a place in flight for them, so that none waits to be made when there is.
const AHEAD: usize = 16;

/// What a round of a run shares with its tickets.
pub(crate) struct Round<S, P, D> {
    pub(crate) workers: Arc<Workers<S, P, D>>,
    pub(crate) stock: Stock,
    pub(crate) graph: Arc<EstateGraph>,
    pub(crate) runtime: Handle,
    /// Chunks of all files that may be at the Scribe, or soon be.
    pub(crate) turns: Semaphore,
    /// The room for sources in work, in units of 1,024 bytes.
    pub(crate) room: Semaphore,
    /// The room for sources that are elsewhere, in units of 1,024 bytes.
    pub(crate) room_elsewhere: Semaphore,
}

/// Documents the picked sources among all.
///
/// # Errors
/// [`StoreError`] when what is known cannot be read, or what was done cannot be kept; documents that were published stay.
///
/// # Panics
/// When a worker panics outside of its ticket, with that panic.
pub async fn run<S, P, D>(
    picked: &[SourceId],
    all: &[SourceId],
    workers: Workers<S, P, D>,
    progress: &dyn Progress,
) -> Result<Ended, StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    let workers = Arc::new(workers);
    let mut picked = picked.to_vec();
    let mut reports: BTreeMap<usize, TicketReport> = BTreeMap::new();
    let mut options = workers.options.agenda.clone();
    let mut changed: HashSet<SourceId> = HashSet::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        let prepared = {
            let (workers, picked, all) = (Arc::clone(&workers), picked.clone(), all.to_vec());
            let options = options.clone();
            // Later rounds are for what has changed meanwhile, and what that changes; what has failed has failed.
            let failed = reports.values().filter(|report| has_failed(report));
            let failed = failed.map(|report| report.ticket.file().to_owned());
            let failed = failed.filter(|file| !changed.contains(&SourceId(file.clone()))).collect();
            // What was narrowed once stays as it is, or what comes back would have other places.
            let is_first = rounds == 1;
            blocking(move || {
                let changes = workers.options.changes.as_ref().filter(|_| is_first);
                Prepared::of((picked, changes), &all, &workers, &options, &failed)
            })
            .await?
        };
        let Prepared { picked: narrowed, others, stock, graph, agenda, stale, is_known } = prepared;
        picked = narrowed;
        let estate = stock.estate();
        if rounds == 1 {
            let outlook = Outlook {
                files: picked.len(),
                up_to_date: agenda.settled.len(),
                reclaimed: agenda.reclaimed,
                pending: agenda.tasks.len() - agenda.reclaimed,
                bytes: agenda.tasks.iter().map(|task| task.size).sum(),
                is_resumed: is_known,
            };
            progress.begins(&outlook);
        }
        for (index, report) in agenda.settled {
            // What this run has done itself is told as it was done.
            reports.entry(index).or_insert(report);
        }
        for (index, report, _) in &agenda.quarantined {
            if reports.insert(*index, report.clone()).is_none() {
                progress.finished(report);
            }
        }
        let round = Round {
            turns: Semaphore::new(workers.options.concurrency.max(1) + AHEAD),
            room: Semaphore::new((BYTES_IN_WORK >> 10) as usize),
            room_elsewhere: Semaphore::new(BYTES_ELSEWHERE >> 10),
            runtime: Handle::current(),
            workers: Arc::clone(&workers),
            graph: Arc::clone(graph.as_ref().unwrap_or(&Arc::default())),
            stock,
        };
        let again = work(round, agenda.tasks, &mut reports, progress).await?;
        if again.is_empty() || rounds == ROUNDS || workers.stop.is_asked() {
            let others = match &graph {
                Some(graph) if !others.is_empty() => {
                    let (workers, graph) = (Arc::clone(&workers), Arc::clone(graph));
                    blocking(move || workers.bring_up(&others, &graph, estate)).await?
                }
                _ => Others::default(),
            };
            let pages = pages(estate, in_order(reports.values().chain(&others.reports)));
            let skipped = reports.values().filter(|report| report.ticket.state() == TicketState::Skipped);
            let skipped = skipped.map(|report| SourceId(report.ticket.file().to_owned()));
            let stale = stale.into_iter().chain(skipped.filter(|id| workers.sink.holds(id))).collect();
            let reports = reports.into_values().collect();
            return Ok(Ended { reports, others, graph, estate, pages, stale });
        }
        // What was to be done anew has begun anew.
        options.anew = None;
        options.is_fresh = false;
        changed = again;
    }
}

impl Ended {
    /// What is known of every source, picked or not, in order.
    pub fn all(&self) -> Vec<&TicketReport> {
        in_order(self.reports.iter().chain(&self.others.reports))
    }
}

fn in_order<'a>(reports: impl Iterator<Item = &'a TicketReport>) -> Vec<&'a TicketReport> {
    let mut reports: Vec<&TicketReport> = reports.collect();
    reports.sort_by(|a, b| a.ticket.file().cmp(b.ticket.file()));
    reports
}

/// The hash of an estate and of what is told of its sources.
fn pages<'a>(estate: ContentHash, reports: impl IntoIterator<Item = &'a TicketReport>) -> ContentHash {
    let rows = reports.into_iter().map(|report| {
        let ticket = &report.ticket;
        format!("{} {} {} {}", ticket.file(), ticket.state(), ticket.reason(), report.told())
    });
    let rows: Vec<String> = std::iter::once(estate.to_string()).chain(rows).collect();
    ContentHash::of_lines(rows.iter().map(String::as_str))
}

fn has_failed(report: &TicketReport) -> bool {
    matches!(report.ticket.state(), TicketState::Failed | TicketState::Partial | TicketState::Pending)
}

/// What is known before any ticket begins.
struct Prepared {
    /// The sources that are to be documented.
    picked: Vec<SourceId>,
    /// All other sources.
    others: Vec<Other>,
    stock: Stock,
    graph: Option<Arc<EstateGraph>>,
    agenda: Agenda,
    /// Sources that are no more.
    stale: Vec<SourceId>,
    /// Whether the store had tickets of this output.
    is_known: bool,
}

/// The hashes of what would now be written of sources that are no COBOL and have documents: they say so much of the rest of the estate that
/// only the whole document tells whether it is still the same.
fn described<S: Scribe, P: Sources, D: DocumentSink>(
    picked: &[SourceId],
    stock: &Stock,
    tickets: &HashMap<String, KeptTicket>,
    workers: &Workers<S, P, D>,
    graph: &EstateGraph,
) -> HashMap<String, ContentHash> {
    let estate = stock.estate();
    let sources = workers.sources.as_ref();
    let differs = |id: &&SourceId| {
        let made = tickets.get(&id.0).and_then(|ticket| ticket.made.as_ref());
        made.is_some_and(|made| made.estate != estate) && !sources.kind(id).is_cobol()
    };
    let ids: Vec<SourceId> = picked.iter().filter(differs).cloned().collect();
    let mut hashes = HashMap::new();
    let policy = workers.options.source.secrets.policy;
    let hash = |id: &SourceId| match read(sources, id, &workers.options.source).ok()? {
        Source::Around(surrounding) => Some(hash_of(&expected_of_surrounding(&surrounding, policy, graph))),
        Source::Cobol(_) => None,
    };
    each_in_order(&ids, workers.options.readers, hash, |id, hash| {
        hashes.extend(hash.ok().flatten().map(|hash| (id.0.clone(), hash)));
    });
    hashes
}

impl Prepared {
    fn of<S: Scribe, P: Sources, D: DocumentSink>(
        (mut picked, changes): (Vec<SourceId>, Option<&Changes>),
        all: &[SourceId],
        workers: &Workers<S, P, D>,
        options: &AgendaOptions,
        left_alone: &HashSet<String>,
    ) -> Result<Self, StoreError> {
        let Workers { sources, store, sink, options: run, .. } = workers;
        let store = store.as_ref();
        let keeps_lookups = changes.is_some();
        let mut stock = Stock::take(all, sources.as_ref(), &run.source, run.readers, keeps_lookups, store)?;
        if let Some(changes) = changes {
            if !changes.is_empty() {
                stock.survey(sources.as_ref(), &run.source, run.readers, store)?;
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
        let is_gone = |ticket: &KeptTicket| {
            ticket.base == options.base && sources.is_gone(&SourceId(ticket.file.clone()))
        };
        let mut stale: BTreeSet<SourceId> =
            stale.into_iter().filter(is_gone).map(|ticket| SourceId(ticket.file)).collect();
        if let Some(changes) = &run.changes {
            stale.extend(left_over(changes, sink.as_ref()));
        }
        let stale = stale.into_iter().collect();
        let mut tickets: HashMap<String, KeptTicket> =
            tickets.into_iter().map(|ticket| (ticket.file.clone(), ticket)).collect();
        let stands = |file: &WrittenFile| sink.stands(file);
        let mut agenda = Agenda::of(&picked, &stock, &tickets, None, options, &stands);
        let mut graph = None;
        let is_idle = agenda.tasks.is_empty() && agenda.quarantined.is_empty();
        let of_now = || pages(stock.estate(), agenda.settled.iter().map(|(_, report)| report));
        let mut others = others(&picked, &stock, &mut tickets, options);
        // What stands in the output folder of other sources is not known before it is looked at.
        if !is_idle || !others.is_empty() || run.pages != Some(of_now()) {
            stock.survey(sources.as_ref(), &run.source, run.readers, store)?;
            for other in &mut others {
                other.is_readable = stock.has_survey(&other.id);
            }
            let (found, mut known) = stock.graph();
            let described = described(&picked, &stock, &tickets, workers, &found);
            let around = Around { graph: &found, known: &known, described: &described };
            agenda = Agenda::of(&picked, &stock, &tickets, Some(&around), options, &stands);
            for other in &mut others {
                other.known = known.remove(&other.id.0);
            }
            graph = Some(Arc::new(found));
        }
        agenda.tasks.retain(|task| !left_alone.contains(&task.id.0));
        agenda.opened.retain(|open| !left_alone.contains(&open.file));
        store.open(&agenda.opened)?;
        let quarantined: Vec<FinishedTicket> = agenda
            .quarantined
            .iter()
            .map(|(_, report, inputs)| FinishedTicket {
                file: report.ticket.file().to_owned(),
                state: report.ticket.state(),
                history: report.ticket.history().to_vec(),
                made: inputs.map(|inputs| Made::unsettled(inputs, ContentHash::of(b""), report.told())),
                chunks: None,
                useless: Vec::new(),
                is_quarantined: true,
            })
            .collect();
        if !quarantined.is_empty() {
            store.finish(&quarantined)?;
        }
        Ok(Self { picked, others, stock, graph, agenda, stale, is_known })
    }
}

/// Works on the tasks of a round, and gives those whose sources have changed meanwhile.
async fn work<S, P, D>(
    round: Round<S, P, D>,
    tasks: Vec<Task>,
    reports: &mut BTreeMap<usize, TicketReport>,
    progress: &dyn Progress,
) -> Result<HashSet<SourceId>, StoreError>
where
    S: Scribe + 'static,
    P: Sources + 'static,
    D: DocumentSink,
{
    if tasks.is_empty() {
        return Ok(HashSet::new());
    }
    let jobs = match round.workers.queue {
        Some(_) => ELSEWHERE,
        None => round.workers.options.jobs.max(1),
    };
    let round = Arc::new(round);
    let (worked, to_finish) = sync_channel::<Worked<D::Staged>>(WAITING);
    let (done, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let finisher = {
        let (sink, store) = (Arc::clone(&round.workers.sink), Arc::clone(&round.workers.store));
        let stop = Arc::clone(&round.workers.stop);
        std::thread::spawn(move || {
            // The reports of a run are as many as its files, so that this channel is bounded by them.
            finish(&to_finish, &sink, store.as_ref(), &stop, |index, report| {
                let _ = done.send((index, report));
            })
        })
    };
    let mut again = HashSet::new();
    let mut take = |(index, report): (usize, TicketReport)| {
        match report.has_changed {
            true => {
                again.insert(SourceId(report.ticket.file().to_owned()));
            }
            false => progress.finished(&report),
        }
        let bill = report.bill;
        if let Some(before) = reports.insert(index, report) {
            // What was paid for in an earlier round was paid for.
            let again = reports.get_mut(&index).expect("it was just put there");
            again.bill = before.bill;
            again.bill += bill;
        }
    };
    let (known, mut all_known) = tokio::sync::watch::channel(0);
    let begun = {
        let (alone, together): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(|task| task.is_alone);
        let mut begun = together.len();
        let begin = |task: Task| {
            let (round, worked) = (Arc::clone(&round), worked.clone());
            async move {
                let workers = &round.workers;
                let asks = |_: &_| {
                    workers.sources.kind(&task.id).is_cobol() && !workers.scribe.speaks_for_the_parser()
                };
                match workers.queue.clone().filter(asks) {
                    Some(queue) => elsewhere(round, task, worked, queue.as_ref()).await,
                    None => blocking(move || one(&round, &task, &worked)).await,
                }
            }
        };
        let working = async {
            let mut together = futures::stream::iter(together.into_iter().map(begin)).buffer_unordered(jobs);
            let mut first: Result<(), StoreError> = Ok(());
            while let Some(worked) = together.next().await {
                first = first.and(worked);
            }
            for task in alone {
                // Whatever comes of it comes of it alone: of all others the store knows by then what became of them.
                if first.is_ok() {
                    all_known.wait_for(|known| *known == begun).await.expect("who counts outlives the work");
                }
                first = first.and(begin(task).await);
                begun += 1;
            }
            first
        };
        tokio::pin!(working);
        loop {
            tokio::select! {
                begun = &mut working => break begun,
                ended = ended.recv() => match ended {
                    Some(ended) => {
                        take(ended);
                        known.send_modify(|known| *known += 1);
                    }
                    // The finisher has panicked, and is joined below.
                    None => break Ok(()),
                },
            }
        }
    };
    // The finisher ends when nobody can hand it anything more.
    drop(worked);
    while let Some(ended) = ended.recv().await {
        take(ended);
    }
    let finished = blocking(move || finisher.join()).await;
    let finished = finished.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    begun.and(finished).map(|()| again)
}

/// Works on one task, if the run goes on, and hands it to whoever finishes it.
pub(crate) fn one<S: Scribe, P: Sources, D: DocumentSink>(
    round: &Round<S, P, D>,
    task: &Task,
    worked: &SyncSender<Worked<D::Staged>>,
) -> Result<(), StoreError> {
    let workers = &round.workers;
    let ended = match round.is_over(task) {
        true => Worked::not_begun(task),
        false => {
            let begun = || workers.store.begin(&task.id.0).and_then(|_| round.ticket(task, None));
            let ended = round.in_its_room(task, begun);
            ended.transpose().inspect_err(|_| workers.stop.ask())?.unwrap_or_else(|| Worked::not_begun(task))
        }
    };
    round.ended(ended, worked);
    Ok(())
}

impl<S: Scribe, P: Sources, D: DocumentSink> Round<S, P, D> {
    /// Whether a task is not begun any more. What is no COBOL asks no Scribe, and is documented also when that one has stopped.
    pub(crate) fn is_over(&self, task: &Task) -> bool {
        let has_stopped = || self.workers.scribe.stopped().is_some();
        self.workers.stop.is_asked() || (self.workers.sources.kind(&task.id).is_cobol() && has_stopped())
    }

    /// The room for a source in work, waited for outside of the runtime's threads.
    pub(crate) fn room_for(&self, task: &Task) -> SemaphorePermit<'_> {
        let room = task.size.min(BYTES_IN_WORK).div_ceil(1 << 10).max(1) as u32;
        self.runtime.block_on(self.room.acquire_many(room)).expect("the room is never closed")
    }

    /// Does something when there is room for a source; none when the run is to stop before that.
    pub(crate) fn in_its_room<T>(&self, task: &Task, work: impl FnOnce() -> T) -> Option<T> {
        let _room = self.room_for(task);
        (!self.workers.stop.is_asked()).then(work)
    }

    /// Hands a ticket that work has ended on to whoever finishes it.
    pub(crate) fn ended(&self, ended: Worked<D::Staged>, worked: &SyncSender<Worked<D::Staged>>) {
        let state = ended.document.as_ref().map_or(ended.report.ticket.state(), |ready| ready.state);
        if self.workers.options.fail_fast && matches!(state, TicketState::Failed | TicketState::Partial) {
            self.workers.stop.ask();
        }
        // The finisher takes whatever comes until all workers are gone.
        worked.send(ended).expect("the finisher outlives the workers");
    }
}

pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
