//! Finds and counts rows. Each function sees one moment if it is called within a transaction.

use super::results::{CatalogueVersion, FoundRow, PageStart, ResultPage, RowPosition};
use super::schema::{LAST_POSITION, ROW_BITS, columns, rows_of};
use super::sql::{self, IdBounds, RowScan};
use super::values::value_of;
use crate::{Query, Value};
use foldhash::{HashMap, HashMapExt};
use rusqlite::types::Value as Column;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use war_rig_store::sqlite::{StoreFault, from_sql, hash_from_sql};

/// Returns the catalogue's version: one hash of its contents.
pub(super) fn version(connection: &Connection) -> Result<CatalogueVersion, StoreFault> {
    let bytes: Vec<u8> = connection.prepare_cached("SELECT version FROM contents")?.query_row([], |row| row.get(0))?;
    Ok(CatalogueVersion(hash_from_sql(&bytes)?))
}

/// Returns the number of rows of a query.
pub(super) fn count(connection: &Connection, query: &Query) -> Result<u64, StoreFault> {
    if query.words.is_none() && query.filter.is_none() && query.docs().is_none() {
        let mut all = connection.prepare_cached("SELECT number FROM totals WHERE kind = ?1")?;
        let all: Option<i64> = all.query_row([query.kind.name()], |row| row.get(0)).optional()?;
        return all.map_or(Ok(0), from_sql);
    }
    match bounds(connection, query)? {
        Some(bounds) => counted(connection, sql::count(query, bounds)),
        None => Ok(0),
    }
}

fn counted(connection: &Connection, (text, parameters): (String, Vec<Column>)) -> Result<u64, StoreFault> {
    let mut statement = connection.prepare_cached(&text)?;
    from_sql(statement.query_row(params_from_iter(parameters), |row| row.get(0))?)
}

/// Returns some rows of a query.
pub(super) fn page(
    connection: &Connection,
    query: &Query,
    start: &PageStart,
    limit: u64,
    known: Option<(CatalogueVersion, u64)>,
) -> Result<ResultPage, StoreFault> {
    let version = version(connection)?;
    let total = match known {
        Some((then, total)) if then == version => total,
        _ => count(connection, query)?,
    };
    let mut reading = QueryReader::of(connection, query, total);
    let (mut rows, mut last) = (Vec::new(), None);
    // Request one more row to find out whether there are more.
    let has_more = reading.from(start, limit.saturating_add(1), &mut |reading, found| {
        if rows.len() as u64 == limit {
            return Ok(true);
        }
        rows.push(reading.row(found.id)?);
        last = Some(found);
        Ok(false)
    })?;
    let last = last.map(|found| reading.place(found)).transpose()?;
    Ok(ResultPage { rows, last, has_more, total, version })
}

/// Passes on the rows of a query one after the other, and returns their total number.
pub(super) fn each<E>(
    connection: &Connection,
    query: &Query,
    offset: u64,
    take: &mut dyn FnMut(FoundRow) -> Result<(), E>,
) -> Result<Result<u64, E>, StoreFault> {
    let total = count(connection, query)?;
    let mut failed = None;
    let mut reading = QueryReader::of(connection, query, total);
    reading.from(&PageStart::Offset(offset), u64::MAX, &mut |reading, found| {
        failed = take(reading.row(found.id)?).err();
        Ok(failed.is_some())
    })?;
    Ok(failed.map_or(Ok(total), Err))
}

/// Returns the bounds of all row numbers; `None` if there are no rows.
fn bounds(connection: &Connection, query: &Query) -> Result<Option<IdBounds>, StoreFault> {
    let (mut first, mut last) = (0, i64::MAX);
    let mut narrow = |found: Option<IdBounds>| {
        let (from, to) = found?;
        (first, last) = (first.max(from), last.min(to));
        (first <= last).then_some(())
    };
    if let Some(docs) = query.docs() {
        let found: (Option<i64>, Option<i64>) = connection
            .prepare_cached("SELECT min(position), max(position) FROM documents WHERE docs = ?1")?
            .query_row([docs], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found = found.0.zip(found.1);
        let found = found.map(|(first, last)| (first << ROW_BITS, ((last + 1) << ROW_BITS) - 1));
        if narrow(found).is_none() {
            return Ok(None);
        }
    }
    for (text, parameters) in sql::bounds(query) {
        let found: (Option<i64>, Option<i64>) = connection
            .prepare_cached(&text)?
            .query_row(params_from_iter(parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        if narrow(found.0.zip(found.1)).is_none() {
            return Ok(None);
        }
    }
    Ok(Some((first, last)))
}

/// A found row, by its number.
struct RowHit {
    id: i64,
    /// The key of its position.
    key: serde_json::Value,
}

/// The document of a row.
#[derive(Clone)]
struct OwningDocument {
    docs: String,
    file: String,
    /// The JSON document below the folder; `None` for a ticket without one.
    document: Option<String>,
}

/// A query in progress.
struct QueryReader<'c, 'q> {
    connection: &'c Connection,
    query: &'q Query,
    /// The total number of its rows.
    total: u64,
    /// The documents looked up so far, by position.
    documents: HashMap<i64, OwningDocument>,
    /// The statement that returns a row.
    text: String,
}

impl<'c, 'q> QueryReader<'c, 'q> {
    fn of(connection: &'c Connection, query: &'q Query, total: u64) -> Self {
        let kind = query.kind;
        let names: Vec<String> = columns(kind).map(|(_, field)| format!("\"{}\"", field.name)).collect();
        let text = format!("SELECT {} FROM {} WHERE id = ?1", names.join(", "), rows_of(kind));
        Self { connection, query, total, documents: HashMap::new(), text }
    }

    /// Passes on rows until there are no more, or `take` has enough; returns whether it had enough.
    fn from(
        &mut self,
        start: &PageStart,
        limit: u64,
        take: &mut dyn FnMut(&mut Self, RowHit) -> Result<bool, StoreFault>,
    ) -> Result<bool, StoreFault> {
        let Some(bounds) = bounds(self.connection, self.query)? else { return Ok(false) };
        let (stretches, mut skipped) = match start {
            PageStart::Offset(offset) => (sql::whole(self.query, self.total), *offset),
            PageStart::After(place) => {
                let id = self.number_of(place)?;
                (sql::after(self.query, place, id, self.total)?, 0)
            }
        };
        let mut left = limit;
        for stretch in stretches {
            let found = self.stretch(&stretch, bounds, (left, skipped), take)?;
            if found.has_enough {
                return Ok(true);
            }
            left -= found.rows.min(left);
            if found.rows > 0 {
                skipped = 0;
            } else if skipped > 0 {
                let all = counted(self.connection, sql::count_of(self.query, &stretch, bounds))?;
                skipped -= all.min(skipped);
            }
        }
        Ok(false)
    }

    fn stretch(
        &mut self,
        stretch: &RowScan,
        bounds: IdBounds,
        (limit, offset): (u64, u64),
        take: &mut dyn FnMut(&mut Self, RowHit) -> Result<bool, StoreFault>,
    ) -> Result<ScanResult, StoreFault> {
        let (text, mut parameters) = sql::numbers(self.query, stretch, bounds);
        for number in [limit, offset] {
            parameters.push(Column::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
        }
        let connection = self.connection;
        let mut statement = connection.prepare_cached(&text)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        let mut taken = ScanResult { rows: 0, has_enough: false };
        while let Some(row) = rows.next()? {
            taken.rows += 1;
            let key = match stretch.key {
                Some(key) => key.into(),
                None => key_of(row.get_ref(1)?)?,
            };
            if take(self, RowHit { id: row.get(0)?, key })? {
                taken.has_enough = true;
                break;
            }
        }
        Ok(taken)
    }

    /// Returns the row of this number.
    fn row(&mut self, id: i64) -> Result<FoundRow, StoreFault> {
        let kind = self.query.kind;
        let connection = self.connection;
        let mut statement = connection.prepare_cached(&self.text)?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or_else(|| StoreFault::damaged("words stand in it without their row"))?;
        let mut values = vec![Value::Absent; kind.fields().len()];
        for (at, (place, field)) in columns(kind).enumerate() {
            values[place] = value_of(row.get_ref(at)?, field.field_type)?;
        }
        let owner = self.document(id >> ROW_BITS)?;
        for (place, field) in kind.fields().iter().enumerate() {
            match field.name {
                "docs" => values[place] = owner.docs.as_str().into(),
                "document" => values[place] = owner.document.clone().into(),
                _ => {}
            }
        }
        let snippet = self.query.words.as_ref().and_then(|words| words.snippet(kind, &values));
        Ok(FoundRow { values, snippet })
    }

    /// Returns a row's position.
    fn place(&mut self, found: RowHit) -> Result<RowPosition, StoreFault> {
        let OwningDocument { docs, file, .. } = self.document(found.id >> ROW_BITS)?.clone();
        let row = from_sql(found.id & ((1 << ROW_BITS) - 1))?;
        Ok(RowPosition { key: found.key, docs, file, row })
    }

    fn document(&mut self, position: i64) -> Result<&OwningDocument, StoreFault> {
        use std::collections::hash_map::Entry;
        match self.documents.entry(position) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => {
                let found = self
                    .connection
                    .prepare_cached("SELECT docs, file, document FROM documents WHERE position = ?1")?
                    .query_row([position], |row| {
                        Ok(OwningDocument { docs: row.get(0)?, file: row.get(1)?, document: row.get(2)? })
                    })
                    .optional()?;
                let found = found.ok_or_else(|| StoreFault::damaged("a row stands in it without its document"))?;
                Ok(unknown.insert(found))
            }
        }
    }

    /// Returns the number of the row at a position; if its document is gone, that of the last row that can come before it.
    fn number_of(&self, place: &RowPosition) -> Result<i64, StoreFault> {
        let found: Option<(i64, bool)> = self
            .connection
            .prepare_cached(
                "SELECT position, docs = ?1 AND file = ?2 FROM documents WHERE (docs, file) >= (?1, ?2)
                 ORDER BY docs, file LIMIT 1",
            )?
            .query_row([&place.docs, &place.file], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let row = i64::try_from(place.row).unwrap_or(i64::MAX).min((1 << ROW_BITS) - 1);
        Ok(match found {
            Some((position, true)) => (position << ROW_BITS) | row,
            Some((position, false)) => (position << ROW_BITS) - 1,
            None => LAST_POSITION << ROW_BITS,
        })
    }
}

/// The result of a scan.
struct ScanResult {
    rows: u64,
    has_enough: bool,
}

/// Returns the key of a row, as its position stores it.
fn key_of(column: rusqlite::types::ValueRef<'_>) -> Result<serde_json::Value, StoreFault> {
    use rusqlite::types::ValueRef;
    Ok(match column {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(decimal) => decimal.into(),
        ValueRef::Text(_) => column.as_str().map_err(|_| StoreFault::damaged("a value of it is no text"))?.into(),
        ValueRef::Blob(_) => return Err(StoreFault::damaged("a value of it is no text")),
    })
}
