//! Converts between columns and values.

use crate::fault::StoreFault;
use rusqlite::{Connection, OptionalExtension, params};
use war_rig_llm::Money;
use war_rig_text::ContentHash;

/// Returns a number as SQLite stores it. Our numbers stay far below the limit.
pub(crate) fn kept(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a number from its column.
///
/// # Errors
/// A [`StoreFault`] if it is below zero.
pub fn from_sql(kept: i64) -> Result<u64, StoreFault> {
    u64::try_from(kept).map_err(|_| StoreFault::damaged(format!("`{kept}` stands where a number should")))
}

/// Returns a sum of money from its column.
pub(crate) fn money(kept: i64) -> Result<Money, StoreFault> {
    Ok(Money::from_units(from_sql(kept)?))
}

/// Returns a hash from its column.
///
/// # Errors
/// A [`StoreFault`] if it has another length.
pub fn hash_from_sql(bytes: &[u8]) -> Result<ContentHash, StoreFault> {
    let bytes: [u8; 32] =
        bytes.try_into().map_err(|_| StoreFault::damaged(format!("a hash has {} bytes", bytes.len())))?;
    Ok(bytes.into())
}

/// Returns the number of an output folder; `None` if the store does not contain it.
pub(crate) fn output(connection: &Connection, name: &str) -> Result<Option<i64>, StoreFault> {
    let mut statement = connection.prepare("SELECT id FROM outputs WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// Returns the number of an output folder, and adds the folder if necessary.
pub(crate) fn output_made(connection: &Connection, name: &str) -> Result<i64, StoreFault> {
    if let Some(known) = output(connection, name)? {
        return Ok(known);
    }
    connection.execute("INSERT INTO outputs (name) VALUES (?1)", params![name])?;
    Ok(connection.last_insert_rowid())
}
