//! The tables of a store, and the migration of older stores.
//!
//! Migrations are only ever added; a store contains the number of its migrations. Each one is in its own file, next to sample rows of every
//! version that tests migrate. A migration adds tables, columns and rows. It renames nothing, because SQLite rewrites the text of a renamed
//! table, and not in the same way in all versions.

use crate::fault::StoreFault;
use crate::open_error::OpenErrorKind;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// The migrations, in order. Never change a released one: add another.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("schema/1.sql")];

/// The `application_id` of our stores: the letters `WRig`.
pub(crate) const APPLICATION: i32 = 0x5752_6967;

/// Returns the version of a store after all these migrations.
pub(crate) fn newest(migrations: &[&str]) -> i64 {
    migrations.len() as i64
}

/// Returns how many migrations a store has had.
pub(crate) fn version(connection: &Connection) -> Result<i64, StoreFault> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Applies the missing migrations, all of them or none.
pub(crate) fn migrate(connection: &mut Connection, migrations: &[&str]) -> Result<(), StoreFault> {
    let found = version(connection)?;
    if found == newest(migrations) {
        return Ok(());
    }
    // With foreign keys on, replacing a table would also delete the rows that refer to it; they are checked at the end instead.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in &migrations[usize::try_from(found).unwrap_or_default()..] {
        transaction.execute_batch(migration)?;
    }
    let mut check = transaction.prepare("PRAGMA foreign_key_check")?;
    if check.exists([])? {
        return Err(StoreFault::damaged("a row refers to one that is not there"));
    }
    drop(check);
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", newest(migrations))?;
    transaction.commit()?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(())
}

/// Compares the version and the tables of a store with the expected ones. A table with a foreign name or condition would be written to, and
/// read incorrectly, without an error.
pub(crate) fn check(connection: &Connection, migrations: &[&str]) -> Result<i64, OpenErrorKind> {
    match connection.pragma_query_value(None, "application_id", |row| row.get::<_, i32>(0)) {
        Ok(APPLICATION) => {}
        Ok(_) => return Err(OpenErrorKind::Foreign),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(OpenErrorKind::Foreign);
        }
        Err(error) => return Err(told(error.into())),
    }
    let (found, known) = (version(connection).map_err(told)?, newest(migrations));
    if found > known {
        return Err(OpenErrorKind::Newer { found, known });
    }
    let Some(made) = usize::try_from(found).ok().filter(|made| *made > 0) else {
        return Err(OpenErrorKind::Damaged(format!("it says that its version is {found}")));
    };
    let expected = || {
        let model = Connection::open_in_memory()?;
        migrations[..made].iter().try_for_each(|migration| model.execute_batch(migration))?;
        tables(&model)
    };
    if tables(connection).map_err(told)? != expected().map_err(told)? {
        return Err(OpenErrorKind::Damaged(format!("its tables are not those of version {found}")));
    }
    Ok(found)
}

/// Converts a fault into the reason why a store cannot be opened.
pub(crate) fn told(fault: StoreFault) -> OpenErrorKind {
    use crate::fault::StoreFaultKind;
    match fault.kind {
        StoreFaultKind::Damaged => OpenErrorKind::Damaged(fault.message),
        StoreFaultKind::Storage | StoreFaultKind::SyncLost | StoreFaultKind::Refused => {
            OpenErrorKind::Storage(fault.message)
        }
    }
}

/// Returns the tables and indexes with their SQL. SQLite's own tables, such as statistics, are ignored.
fn tables(connection: &Connection) -> Result<Vec<(String, String, String)>, StoreFault> {
    let mut statement =
        connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))?;
    let mut tables = Vec::new();
    for row in rows {
        let (kind, name, sql): (String, String, String) = row?;
        if !name.starts_with("sqlite_stat") {
            tables.push((kind, name, sql.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests;
