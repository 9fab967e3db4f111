//! A store as it can be looked at, also while another process writes to it.

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

/// A store that is only read: without the lock, and without a change to it.
#[derive(Debug)]
pub struct StoreReader {
    connection: Connection,
    place: StorePath,
    version: i64,
    /// The store as it was before it was opened as one that nobody changes; none where it was not.
    unchanged: Option<FileStamp>,
}

/// What is asked of a store.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatusQuery<'a> {
    /// The output folder that it is about; none for all.
    pub output: Option<&'a str>,
    /// Whether the tickets come with their history.
    pub history: bool,
}

/// What a store holds, all of it as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// The output folders, by name.
    pub outputs: Vec<String>,
    /// The runs, the first one first.
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
    /// Its command line, the program first.
    pub command: Vec<String>,
    /// Who wrote.
    pub scribe: String,
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// When it ended, where it did.
    pub ended: Option<i64>,
    /// How it ended.
    pub end: RunEnd,
    /// How many tickets came to an end in it.
    pub tickets: u64,
    /// What it told at its end, as JSON.
    pub totals: Option<String>,
    /// Its calls.
    pub calls: CallTotals,
    /// Whether no run was begun after it, for any output folder, and nobody has found it killed.
    is_last: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// Not yet: its process holds the store.
    Running,
    /// Its process ended without a word.
    Killed,
    /// With this code.
    Exited(u8),
}

/// Calls to a model, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// All of them.
    pub calls: u64,
    /// Those that are under way.
    pub sent: u64,
    /// Those that brought an answer.
    pub answered: u64,
    /// Those whose prompt was more than the model's window.
    pub too_long: u64,
    /// Those that brought nothing.
    pub failed: u64,
    /// Those whose end is not known, because their process was killed.
    pub lost: u64,
    /// The tokens of the prompts, as counted.
    pub prompt_tokens: u64,
    /// The tokens of the answers.
    pub completion_tokens: u64,
    /// What they cost; with the most that it can be, for those that are under way or lost.
    pub cost: Money,
    /// The part of that which those that are lost may have cost.
    pub lost_cost: Money,
    /// The part of it which those that are under way may cost.
    sent_cost: Money,
}

impl CallTotals {
    /// With these added.
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

    /// As the next run will find them once their process is gone.
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
    /// How far it has come.
    pub state: TicketState,
    /// Why.
    pub reason: String,
    /// How often work on it was begun without an end or an answer.
    pub attempts: u32,
    /// How it came there, each step with the number of its run; empty where it was not asked for.
    pub history: Vec<(u64, Transition)>,
}

/// A document that the store knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDocument {
    /// Its output folder.
    pub output: String,
    /// The source that it is the document of.
    pub file: String,
    /// Its JSON, as it was written.
    pub json: WrittenFile,
}

impl StoreStatus {
    /// Where the store is held, its last run goes on: there is one at a time. No call of a run that was killed is under way any more, whether
    /// or not another run has noted that.
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
    /// Opens the store of a folder to look at it.
    ///
    /// # Errors
    /// [`OpenError`] when there is none, when it is foreign, older, newer or damaged, and when it cannot be read. It is never
    /// [`LockedStream`](OpenErrorKind::Locked).
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let place = StorePath::of(folder).map_err(|kind| OpenError { file: folder.to_owned(), kind })?;
        let opened = place.check_file().and_then(|()| {
            // Where nobody writes, no files are made to agree by: whoever looks leaves no trace.
            let unchanged = stamp(&place).filter(|_| is_at_rest(&place));
            let access = if unchanged.is_some() { ConnectionMode::Immutable } else { ConnectionMode::Read };
            match reading(&place, access) {
                // What readers and writers agree by cannot be made in a folder that is read-only. Without a log there is nothing to agree on.
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

    /// The file, as it was named.
    pub fn file(&self) -> PathBuf {
        self.place.named.clone()
    }

    /// The version of the store.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Looks at all of the store, as a run does before it begins: what is damaged anywhere in it would end that.
    ///
    /// # Errors
    /// [`OpenError`] when it is damaged, or cannot be read.
    pub fn check_integrity(&self) -> Result<(), OpenError> {
        let whole = check_whole(&self.connection)
            .and_then(|()| answers::check_marks(&self.connection).map_err(schema::told));
        whole.map_err(|kind| OpenError { file: self.file(), kind })
    }

    /// Who writes to the store just now.
    ///
    /// # Errors
    /// [`StoreError`] when that cannot be found out.
    pub fn lock_status(&self) -> Result<LockStatus, StoreError> {
        let path = self.place.lock();
        lock::held(&path).map_err(|error| StoreError {
            is_damaged: false,
            message: format!("`{}`: {error}", path.display()),
        })
    }

    /// What the store holds.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, or is damaged.
    pub fn status(&self, wanted: StatusQuery<'_>) -> Result<StoreStatus, StoreError> {
        let was_held = self.lock_status()? != LockStatus::Free;
        let mut status = self.at_one_moment(|connection| read(connection, wanted))?;
        // A run may have begun or ended while the rows were read.
        let is_held = was_held || self.lock_status()? != LockStatus::Free;
        status.say_what_runs(is_held);
        Ok(status)
    }

    /// The documents that tickets have come to, by output folder and file.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, or is damaged.
    pub fn documents(&self) -> Result<Vec<RecordedDocument>, StoreError> {
        self.at_one_moment(documents)
    }

    fn at_one_moment<T>(&self, read: impl Fn(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreError> {
        let read = match read(&self.connection) {
            read if self.is_as_it_was() => read,
            // Somebody wrote meanwhile, and what was read may be of two moments.
            _ => self.place.connect(ConnectionMode::Read).and_then(|other| read(&other)),
        };
        read.map_err(|fault| fault.into_store_error(&self.place.named))
    }

    /// Whether a store that was opened as one that nobody changes was none that somebody did.
    fn is_as_it_was(&self) -> bool {
        self.unchanged.is_none() || (self.unchanged == stamp(&self.place) && is_at_rest(&self.place))
    }
}

/// By what a change of the file is seen: its size, and when it was last changed.
type FileStamp = (u64, SystemTime);

fn stamp(place: &StorePath) -> Option<FileStamp> {
    let file = place.named.metadata().ok()?;
    Some((file.len(), file.modified().ok()?))
}

/// Whether all that the store holds stands in its file, and nobody writes to it.
fn is_at_rest(place: &StorePath) -> bool {
    matches!(lock::held(&place.lock()), Ok(LockStatus::Free)) && !place.has_wal()
}

/// Reads what is wanted, all of it as it is at one moment.
fn read(connection: &Connection, wanted: StatusQuery<'_>) -> Result<StoreStatus, StoreFault> {
    // Without a change of its own the transaction sees one moment, whoever writes meanwhile.
    let moment = connection.unchecked_transaction()?;
    let status = StoreStatus {
        outputs: outputs(&moment)?,
        runs: runs(&moment, wanted)?,
        tickets: tickets(&moment, wanted)?,
    };
    moment.commit()?;
    Ok(status)
}

/// A connection that reads, with the version that it found.
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

/// The calls of each run.
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

/// The JSON is the first of the files that a ticket has written; a source that was skipped has none.
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
    let mut steps =
        connection.prepare("SELECT run, transitions FROM history WHERE ticket = ?1 ORDER BY run")?;
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
