//! Reads the status of a store, even while another process writes to it.

use crate::answers;
use crate::column_values::{from_sql, money};
use crate::fault::StoreFault;
use crate::lock::{self, LockStatus};
use crate::open_error::{OpenError, OpenErrorKind};
use crate::schema::{self, MIGRATIONS};
use crate::store_path::{ConnectionMode, StorePath, check_whole};
use crate::tickets::state_of;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use war_rig_llm::Money;
use war_rig_pool::{StoreError, TicketState, Transition, WrittenFile};

/// A store that is only read: without the lock, and without changing it.
#[derive(Debug)]
pub struct StoreReader {
    connection: Connection,
    place: StorePath,
    version: i64,
    /// The file's stamp before it was opened as immutable; `None` if it was not.
    unchanged: Option<FileStamp>,
}

/// What to read from a store.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatusQuery<'a> {
    /// The output folder; `None` for all.
    pub output: Option<&'a str>,
    /// Whether to include the history of tickets.
    pub history: bool,
}

/// The contents of a store at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// The output folders, by name.
    pub outputs: Vec<String>,
    /// The runs, oldest first.
    pub runs: Vec<RunStatus>,
    /// The tickets, by output folder and file.
    pub tickets: Vec<TicketStatus>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStatus {
    /// Its number.
    pub number: u64,
    /// Its output folder.
    pub output: String,
    /// Its command line, with the program first.
    pub command: Vec<String>,
    /// The writer: `static`, or the model's name.
    pub scribe: String,
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// When it ended, if it did.
    pub ended: Option<i64>,
    /// How it ended.
    pub end: RunEnd,
    /// How many tickets ended in it.
    pub tickets: u64,
    /// Its totals at the end, as JSON.
    pub totals: Option<String>,
    /// Its calls.
    pub calls: CallTotals,
    /// Whether no later run was started, for any output folder, and none has found it killed.
    is_last: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// It has not ended: its process has the store open.
    Running,
    /// Its process ended without recording an end.
    Killed,
    /// It ended with this code.
    Exited(u8),
}

/// Calls to a model, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// All calls.
    pub calls: u64,
    /// Calls in flight.
    pub sent: u64,
    /// Calls that got an answer.
    pub answered: u64,
    /// Calls whose prompt exceeded the model's window.
    pub too_long: u64,
    /// Calls that got no answer.
    pub failed: u64,
    /// Calls whose end is unknown because their process was killed.
    pub lost: u64,
    /// The tokens of the prompts, as counted.
    pub prompt_tokens: u64,
    /// The tokens of the answers.
    pub completion_tokens: u64,
    /// Their cost; calls in flight or lost count with their maximum cost.
    pub cost: Money,
    /// The part of the cost that lost calls may have caused.
    pub lost_cost: Money,
    /// The part of the cost that calls in flight may cause.
    sent_cost: Money,
}

impl CallTotals {
    /// Returns the sum of both.
    pub fn combined(self, other: Self) -> Self {
        let sum = |one: Money, other: Money| Money::from_units(one.units().saturating_add(other.units()));
        Self {
            calls: self.calls + other.calls,
            sent: self.sent + other.sent,
            answered: self.answered + other.answered,
            too_long: self.too_long + other.too_long,
            failed: self.failed + other.failed,
            lost: self.lost + other.lost,
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            cost: sum(self.cost, other.cost),
            lost_cost: sum(self.lost_cost, other.lost_cost),
            sent_cost: sum(self.sent_cost, other.sent_cost),
        }
    }

    /// Returns the totals as the next run will find them after the process is gone.
    fn without_process(self) -> Self {
        let lost = Self { lost: self.sent, lost_cost: self.sent_cost, ..Self::default() };
        Self { sent: 0, sent_cost: Money::ZERO, ..self.combined(lost) }
    }
}

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketStatus {
    /// Its output folder.
    pub output: String,
    /// Its source file.
    pub file: String,
    /// Its state.
    pub state: TicketState,
    /// Why it is in this state.
    pub reason: String,
    /// How often work on it was begun without an end or an answer.
    pub attempts: u32,
    /// Its transitions, each with the number of its run; empty if not requested.
    pub history: Vec<(u64, Transition)>,
}

/// A document recorded in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDocument {
    /// Its output folder.
    pub output: String,
    /// Its source.
    pub file: String,
    /// Its JSON, as it was written.
    pub json: WrittenFile,
}

impl StoreStatus {
    /// Marks which runs and calls are active. If the store is locked, its last run is active: there is one at a time. A killed run has no calls in
    /// flight, whether or not another run has recorded that.
    fn say_what_runs(&mut self, is_held: bool) {
        let last = self.runs.last_mut().filter(|run| is_held && run.is_last && run.end == RunEnd::Killed);
        if let Some(last) = last {
            last.end = RunEnd::Running;
        }
        for run in self.runs.iter_mut().filter(|run| run.end == RunEnd::Killed) {
            run.calls = run.calls.without_process();
        }
    }
}

impl StoreReader {
    /// Opens the store of a folder for reading.
    ///
    /// # Errors
    /// [`OpenError`] if there is none, if it is foreign, older, newer or damaged, or if it cannot be read. It is never
    /// [`Locked`](OpenErrorKind::Locked).
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let place = StorePath::of(folder).map_err(|kind| OpenError { file: folder.to_owned(), kind })?;
        let opened = place.check_file().and_then(|()| {
            // If nobody writes, no coordination files are created, so that a reader leaves no trace.
            let unchanged = stamp(&place).filter(|_| is_at_rest(&place));
            let access = if unchanged.is_some() { ConnectionMode::Immutable } else { ConnectionMode::Read };
            match reading(&place, access) {
                // Readers and writers coordinate through files that cannot be created in a read-only folder. Without a log, there is nothing to do.
                Err(OpenErrorKind::Storage(_)) if access == ConnectionMode::Read && !place.has_wal() => {
                    Ok((reading(&place, ConnectionMode::Immutable)?, None))
                }
                opened => Ok((opened?, unchanged)),
            }
        });
        match opened {
            Ok(((connection, version), unchanged)) => Ok(Self { connection, place, version, unchanged }),
            Err(kind) => Err(OpenError { file: place.named, kind }),
        }
    }

    /// Returns the file's path as given.
    pub fn file(&self) -> PathBuf {
        self.place.named.clone()
    }

    /// Returns the version of the store.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Checks the whole store, as a run does before it starts: damage anywhere would end the run.
    ///
    /// # Errors
    /// [`OpenError`] if it is damaged or cannot be read.
    pub fn check_integrity(&self) -> Result<(), OpenError> {
        let whole =
            check_whole(&self.connection).and_then(|()| answers::check_marks(&self.connection).map_err(schema::told));
        whole.map_err(|kind| OpenError { file: self.file(), kind })
    }

    /// Returns who currently writes to the store.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be determined.
    pub fn lock_status(&self) -> Result<LockStatus, StoreError> {
        let path = self.place.lock();
        lock::held(&path)
            .map_err(|error| StoreError { is_damaged: false, message: format!("`{}`: {error}", path.display()) })
    }

    /// Returns the contents of the store.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read or is damaged.
    pub fn status(&self, wanted: StatusQuery<'_>) -> Result<StoreStatus, StoreError> {
        let was_held = self.lock_status()? != LockStatus::Free;
        let mut status = self.at_one_moment(|connection| read(connection, wanted))?;
        // A run may have started or ended while the rows were read.
        let is_held = was_held || self.lock_status()? != LockStatus::Free;
        status.say_what_runs(is_held);
        Ok(status)
    }

    /// Returns the documents of tickets, by output folder and file.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read or is damaged.
    pub fn documents(&self) -> Result<Vec<RecordedDocument>, StoreError> {
        self.at_one_moment(documents)
    }

    fn at_one_moment<T>(&self, read: impl Fn(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreError> {
        let read = match read(&self.connection) {
            read if self.is_as_it_was() => read,
            // A process wrote in the meantime, so the data may mix two moments.
            _ => self.place.connect(ConnectionMode::Read).and_then(|other| read(&other)),
        };
        read.map_err(|fault| fault.into_store_error(&self.place.named))
    }

    /// Whether nobody has changed a store that was opened as immutable.
    fn is_as_it_was(&self) -> bool {
        self.unchanged.is_none() || (self.unchanged == stamp(&self.place) && is_at_rest(&self.place))
    }
}

/// What reveals a change of the file: its size, and its time of last change.
type FileStamp = (u64, SystemTime);

fn stamp(place: &StorePath) -> Option<FileStamp> {
    let file = place.named.metadata().ok()?;
    Some((file.len(), file.modified().ok()?))
}

/// Whether all of the store's data is in its main file, and nobody writes to it.
fn is_at_rest(place: &StorePath) -> bool {
    matches!(lock::held(&place.lock()), Ok(LockStatus::Free)) && !place.has_wal()
}

/// Reads the requested data, all from one moment.
fn read(connection: &Connection, wanted: StatusQuery<'_>) -> Result<StoreStatus, StoreFault> {
    // A transaction without its own changes sees one moment, whoever writes in the meantime.
    let moment = connection.unchecked_transaction()?;
    let status =
        StoreStatus { outputs: outputs(&moment)?, runs: runs(&moment, wanted)?, tickets: tickets(&moment, wanted)? };
    moment.commit()?;
    Ok(status)
}

/// Opens a reading connection and returns it with the store's version.
fn reading(place: &StorePath, access: ConnectionMode) -> Result<(Connection, i64), OpenErrorKind> {
    let connection = place.connect(access).map_err(schema::told)?;
    let found = schema::check(&connection, MIGRATIONS)?;
    let known = schema::newest(MIGRATIONS);
    match found == known {
        true => Ok((connection, found)),
        false => Err(OpenErrorKind::Older { found, known }),
    }
}

fn outputs(connection: &Connection) -> Result<Vec<String>, StoreFault> {
    let mut statement = connection.prepare("SELECT name FROM outputs ORDER BY name")?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn runs(connection: &Connection, wanted: StatusQuery<'_>) -> Result<Vec<RunStatus>, StoreFault> {
    let mut calls = calls(connection)?;
    let mut ended_tickets = BTreeMap::new();
    let mut statement = connection.prepare("SELECT run, count(*) FROM history GROUP BY run")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        ended_tickets.insert(row.get::<_, i64>(0)?, from_sql(row.get(1)?)?);
    }
    let mut statement = connection.prepare(
        "SELECT number, name, command, scribe, started, ended, exit, totals,
           NOT is_killed AND number = (SELECT max(number) FROM runs) AS is_last
         FROM runs JOIN outputs ON outputs.id = runs.output
         WHERE ?1 IS NULL OR name = ?1 ORDER BY number",
    )?;
    let mut rows = statement.query([wanted.output])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        let run: i64 = row.get("number")?;
        let command: String = row.get("command")?;
        runs.push(RunStatus {
            number: from_sql(run)?,
            output: row.get("name")?,
            command: serde_json::from_str(&command)?,
            scribe: row.get("scribe")?,
            started: row.get("started")?,
            ended: row.get("ended")?,
            end: match row.get::<_, Option<u8>>("exit")? {
                Some(code) => RunEnd::Exited(code),
                None => RunEnd::Killed,
            },
            tickets: ended_tickets.remove(&run).unwrap_or_default(),
            totals: row.get("totals")?,
            calls: calls.remove(&run).unwrap_or_default(),
            is_last: row.get("is_last")?,
        });
    }
    Ok(runs)
}

/// Returns the calls of each run.
fn calls(connection: &Connection) -> Result<BTreeMap<i64, CallTotals>, StoreFault> {
    let mut statement = connection.prepare(
        "SELECT run, state, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost)
         FROM calls GROUP BY run, state",
    )?;
    let mut rows = statement.query([])?;
    let mut sums: BTreeMap<i64, CallTotals> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let state: String = row.get(1)?;
        let (count, cost) = (from_sql(row.get(2)?)?, money(row.get(5)?)?);
        let mut these = CallTotals {
            calls: count,
            prompt_tokens: from_sql(row.get(3)?)?,
            completion_tokens: from_sql(row.get(4)?)?,
            cost,
            ..CallTotals::default()
        };
        match state.as_str() {
            "sent" => (these.sent, these.sent_cost) = (count, cost),
            "answered" => these.answered = count,
            "too_long" => these.too_long = count,
            "failed" => these.failed = count,
            "lost" => (these.lost, these.lost_cost) = (count, cost),
            other => return Err(StoreFault::damaged(format!("`{other}` is no state of a call"))),
        }
        let before = sums.entry(row.get(0)?).or_default();
        *before = before.combined(these);
    }
    Ok(sums)
}

/// The JSON is the first file that a ticket wrote; a skipped source has none.
fn documents(connection: &Connection) -> Result<Vec<RecordedDocument>, StoreFault> {
    let mut statement = connection.prepare(
        "SELECT name, file, files FROM outputs JOIN tickets ON outputs.id = tickets.output
         WHERE files IS NOT NULL ORDER BY name, file",
    )?;
    let mut rows = statement.query([])?;
    let mut documents = Vec::new();
    while let Some(row) = rows.next()? {
        let files: Vec<WrittenFile> = serde_json::from_str(&row.get::<_, String>(2)?)?;
        if let Some(json) = files.into_iter().next() {
            documents.push(RecordedDocument { output: row.get(0)?, file: row.get(1)?, json });
        }
    }
    Ok(documents)
}

fn tickets(connection: &Connection, wanted: StatusQuery<'_>) -> Result<Vec<TicketStatus>, StoreFault> {
    let mut statement = connection.prepare(
        "SELECT tickets.id AS id, name, file, state, reason, attempts
         FROM outputs JOIN tickets ON outputs.id = tickets.output
         WHERE ?1 IS NULL OR name = ?1 ORDER BY name, file",
    )?;
    let mut steps = connection.prepare("SELECT run, transitions FROM history WHERE ticket = ?1 ORDER BY run")?;
    let mut rows = statement.query([wanted.output])?;
    let mut tickets = Vec::new();
    while let Some(row) = rows.next()? {
        let mut history = Vec::new();
        if wanted.history {
            let mut of_runs = steps.query([row.get::<_, i64>("id")?])?;
            while let Some(of_run) = of_runs.next()? {
                let run = from_sql(of_run.get(0)?)?;
                let transitions: Vec<Transition> = serde_json::from_str(&of_run.get::<_, String>(1)?)?;
                history.extend(transitions.into_iter().map(|step| (run, step)));
            }
        }
        tickets.push(TicketStatus {
            output: row.get("name")?,
            file: row.get("file")?,
            state: state_of(&row.get::<_, String>("state")?)?,
            reason: row.get("reason")?,
            attempts: row.get("attempts")?,
            history,
        });
    }
    Ok(tickets)
}
