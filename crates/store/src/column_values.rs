//! From the columns of a row to values, and back.

use crate::fault::StoreFault;
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
/// A [`StoreFault`] when it is below zero.
pub fn from_sql(kept: i64) -> Result<u64, StoreFault> {
    u64::try_from(kept).map_err(|_| StoreFault::damaged(format!("`{kept}` stands where a number should")))
}

/// A sum of money from its column.
pub(crate) fn money(kept: i64) -> Result<Money, StoreFault> {
    Ok(Money::from_units(from_sql(kept)?))
}

/// A hash from its column.
///
/// # Errors
/// A [`StoreFault`] when it has another length.
pub fn hash_from_sql(bytes: &[u8]) -> Result<ContentHash, StoreFault> {
    let bytes: [u8; 32] =
        bytes.try_into().map_err(|_| StoreFault::damaged(format!("a hash has {} bytes", bytes.len())))?;
    Ok(bytes.into())
}

/// The number of an output folder; none when the store knows nothing of it.
pub(crate) fn output(connection: &Connection, name: &str) -> Result<Option<i64>, StoreFault> {
    let mut statement = connection.prepare("SELECT id FROM outputs WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// The number of an output folder, which has one from now on.
pub(crate) fn output_made(connection: &Connection, name: &str) -> Result<i64, StoreFault> {
    if let Some(known) = output(connection, name)? {
        return Ok(known);
    }
    connection.execute("INSERT INTO outputs (name) VALUES (?1)", params![name])?;
    Ok(connection.last_insert_rowid())
}
