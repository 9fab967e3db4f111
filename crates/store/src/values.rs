//! From the columns of a row to values, and back.

use crate::fault::Fault;
use rusqlite::{Connection, OptionalExtension, params};
use war_rig_llm::Money;
use war_rig_text::ContentHash;

/// A number as SQLite keeps it. Ours stay far below the end.
pub(crate) fn kept(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as it was before it was kept.
///
/// # Errors
/// A [`Fault`] when it is below zero.
pub fn number(kept: i64) -> Result<u64, Fault> {
    u64::try_from(kept).map_err(|_| Fault::damaged(format!("`{kept}` stands where a number should")))
}

/// A sum of money from its column.
pub(crate) fn money(kept: i64) -> Result<Money, Fault> {
    Ok(Money::from_units(number(kept)?))
}

/// A hash from its column.
///
/// # Errors
/// A [`Fault`] when it has another length.
pub fn hash(bytes: &[u8]) -> Result<ContentHash, Fault> {
    let bytes: [u8; 32] =
        bytes.try_into().map_err(|_| Fault::damaged(format!("a hash has {} bytes", bytes.len())))?;
    Ok(bytes.into())
}

/// The number of an output folder; none when the store knows nothing of it.
pub(crate) fn output(connection: &Connection, name: &str) -> Result<Option<i64>, Fault> {
    let mut statement = connection.prepare("SELECT id FROM outputs WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// The number of an output folder, which has one from now on.
pub(crate) fn output_made(connection: &Connection, name: &str) -> Result<i64, Fault> {
    if let Some(known) = output(connection, name)? {
        return Ok(known);
    }
    connection.execute("INSERT INTO outputs (name) VALUES (?1)", params![name])?;
    Ok(connection.last_insert_rowid())
}
