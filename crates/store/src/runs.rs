//! The runs: which of them were killed, and what the next one needs from them.

use crate::column_values::{from_sql, kept, money, output_made};
use crate::fault::StoreFault;
use crate::row_seal::RowSeal;
use crate::tickets;
use rusqlite::{Connection, OptionalExtension, params};
use war_rig_llm::Money;

/// The exit codes of a run that did all it could: 0, 3 for a run with failed tickets, and 4 for a run whose answer did not pass a gate.
const FINISHED: [u8; 3] = [0, 3, 4];

/// The exit code of a run that reached its spend cap. A user who starts another one has decided to spend more.
const CAP_REACHED: u8 = 13;

/// The exit codes of a run that was interrupted.
const INTERRUPTED: [u8; 2] = [130, 143];

/// A run that starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// The output folder, by the name that is passed to [`Database::for_output`](crate::Database::for_output).
    pub output: String,
    /// The command line, with the program first.
    pub command: Vec<String>,
    /// The writer: `static`, or the model's name.
    pub scribe: String,
}

/// What a starting run needs to know about earlier runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStart {
    /// Its number, starting at 1, over all output folders.
    pub number: u64,
    /// What the runs have spent since the last one that ended with code 0, 3, 4 or 13. This covers runs that were killed, interrupted, or stopped by
    /// something else, because this run continues the spending on the same documents. After 13 (spend cap reached), a run starts with its own
    /// cap. A call whose end is unknown counts with the most that it can have cost.
    pub carried: Money,
    /// What the last run recorded as learned, if it ended with another code than 0, 3 or 4, or was killed.
    pub window_estimate: Option<String>,
}

/// Records the start of a run.
pub(crate) fn begin(connection: &Connection, new: &NewRun, now: i64) -> Result<RunStart, StoreFault> {
    let output = output_made(connection, &new.output)?;
    for file in waiting(connection, output)? {
        tickets::has_waited(connection, output, &file)?;
    }
    connection.execute(
        "UPDATE calls SET state = 'lost' WHERE state = 'sent' AND run IN
           (SELECT number FROM runs WHERE output = ?1 AND ended IS NULL AND NOT is_killed)",
        params![output],
    )?;
    connection.execute(
        "UPDATE runs SET is_killed = 1 WHERE output = ?1 AND ended IS NULL AND NOT is_killed",
        params![output],
    )?;
    let carried = carried_cost(connection, output)?;
    let learned = last_learned(connection, output)?;
    let command = serde_json::to_string(&new.command)?;
    connection.execute(
        "INSERT INTO runs (output, command, scribe, started) VALUES (?1, ?2, ?3, ?4)",
        params![output, command, new.scribe, now],
    )?;
    let run = connection.last_insert_rowid();
    if let Some(text) = &learned {
        // A run that is killed before it records anything passes on what it received.
        note_learned(connection, run, text)?;
    }
    Ok(RunStart { number: from_sql(run)?, carried, window_estimate: learned })
}

/// Returns the files that killed runs were waiting for an answer about when they died.
fn waiting(connection: &Connection, output: i64) -> Result<Vec<String>, StoreFault> {
    let mut statement = connection.prepare(
        "SELECT DISTINCT file FROM calls WHERE state = 'sent' AND run IN
           (SELECT number FROM runs WHERE output = ?1 AND ended IS NULL AND NOT is_killed)",
    )?;
    let files = statement.query_map([output], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(files)
}

/// Returns what was spent since the last run that did all it could or was allowed to.
fn carried_cost(connection: &Connection, output: i64) -> Result<Money, StoreFault> {
    let spent: i64 = connection.query_row(
        "SELECT coalesce(sum(cost), 0) FROM calls WHERE run IN
           (SELECT number FROM runs WHERE output = ?1 AND number >
             (SELECT coalesce(max(number), 0) FROM runs WHERE output = ?1 AND exit IN (?2, ?3, ?4, ?5)))",
        params![output, FINISHED[0], FINISHED[1], FINISHED[2], CAP_REACHED],
        |row| row.get(0),
    )?;
    money(spent)
}

fn last_learned(connection: &Connection, output: i64) -> Result<Option<String>, StoreFault> {
    let mut statement = connection
        .prepare("SELECT number, exit, learned, seal FROM runs WHERE output = ?1 ORDER BY number DESC LIMIT 1")?;
    let last = statement
        .query_row([output], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, Option<u8>>(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, Option<Vec<u8>>>(3)?,
            ))
        })
        .optional()?;
    let Some((run, exit, Some(learned), seal)) = last else { return Ok(None) };
    if exit.is_some_and(|exit| FINISHED.contains(&exit)) {
        return Ok(None);
    }
    sealed(run, &learned).check(&seal.unwrap_or_default(), || format!("what run {run} has learned"))?;
    Ok(Some(learned))
}

fn sealed(run: i64, learned: &str) -> RowSeal {
    RowSeal::of("runs").number(run).text(learned)
}

/// Records what a run has learned.
pub(crate) fn note_learned(connection: &Connection, run: i64, learned: &str) -> Result<(), StoreFault> {
    let changed = connection.execute(
        "UPDATE runs SET learned = ?2, seal = ?3 WHERE number = ?1",
        params![run, learned, sealed(run, learned).made()],
    )?;
    found(run, changed)
}

/// Records the end of a run. Calls that it left unfinished are lost. If the run was interrupted, tickets in progress are returned: they are
/// not the cause.
pub(crate) fn end(connection: &Connection, run: u64, exit: u8, totals: &str, now: i64) -> Result<(), StoreFault> {
    let run = kept(run);
    connection.execute("UPDATE calls SET state = 'lost' WHERE state = 'sent' AND run = ?1", params![run])?;
    let changed = connection.execute(
        "UPDATE runs SET ended = ?2, exit = ?3, totals = ?4, is_killed = 0 WHERE number = ?1",
        params![run, now, exit, totals],
    )?;
    found(run, changed)?;
    if INTERRUPTED.contains(&exit) {
        let of_run = "SELECT output FROM runs WHERE number = ?1";
        let output = connection.query_row(of_run, params![run], |row| row.get(0))?;
        tickets::give_back(connection, output, "the run was interrupted")?;
    }
    Ok(())
}

fn found(run: i64, changed: usize) -> Result<(), StoreFault> {
    match changed {
        0 => Err(StoreFault::refused(format!("there is no run {run}"))),
        _ => Ok(()),
    }
}
