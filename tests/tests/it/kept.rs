//! What a store holds, read with SQLite from a copy, so that reading changes nothing and needs no code of ours.

use rusqlite::{Connection, Row};
use war_rig_tests::crash::TestCommand;

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    pub(crate) file: String,
    pub(crate) state: String,
    pub(crate) attempts: u64,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) state: String,
    pub(crate) file: String,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

/// The rows of a query; none when there is no store yet.
fn query<T>(job: &TestCommand, sql: &str, of: fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    if !job.store().exists() {
        return Vec::new();
    }
    let copy = tempfile::tempdir().unwrap();
    for (name, bytes) in job.kept_state() {
        // What processes share of the log is made anew from it.
        if name.starts_with("war_rig.db") && !name.ends_with("-shm") {
            std::fs::write(copy.path().join(name), bytes).unwrap();
        }
    }
    let connection = Connection::open(copy.path().join("war_rig.db")).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], of).unwrap();
    rows.collect::<rusqlite::Result<Vec<T>>>().unwrap()
}

/// The tickets by file.
pub(crate) fn tickets(job: &TestCommand) -> Vec<Ticket> {
    query(job, "SELECT file, state, attempts FROM tickets ORDER BY file", |row| {
        Ok(Ticket { file: row.get(0)?, state: row.get(1)?, attempts: row.get::<_, u32>(2)?.into() })
    })
}

/// The ledger, in the order in which the calls were made. A call for an overview has no file, since no fake sees which file it is about.
pub(crate) fn calls(job: &TestCommand) -> Vec<Call> {
    let file = "CASE WHEN about LIKE '% overview' THEN '' ELSE file END";
    let sql = format!("SELECT state, {file}, prompt_tokens, completion_tokens FROM calls ORDER BY run, number");
    query(job, &sql, |row| {
        Ok(Call {
            state: row.get(0)?,
            file: row.get(1)?,
            prompt_tokens: row.get::<_, u32>(2)?.into(),
            completion_tokens: row.get::<_, u32>(3)?.into(),
        })
    })
}
