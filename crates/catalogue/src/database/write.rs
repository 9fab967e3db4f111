//! Adds and removes rows. Call each function within a transaction.

use super::schema::{LAST_POSITION, ROW_BITS, columns, has_words, rows_of, words_of};
use super::values::column_of;
use super::{CatalogueEntry, CatalogueErrorKind, IndexedDocument, positions};
use crate::{CatalogueRow, FieldDefinition, FieldIndex, RowKind, SearchColumns, Value};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use war_rig_store::sqlite::{StoreFault, hash_from_sql};
use war_rig_text::ContentHash;

type WriteResult<T> = Result<T, CatalogueErrorKind>;

/// How the hash of the contents changes: each document is added and removed by toggling its own hash.
#[derive(Default)]
pub(super) struct VersionChange([u8; 32]);

impl VersionChange {
    /// Toggles a document: adding and then removing it leaves the hash unchanged.
    fn toggle(&mut self, docs: &str, file: &str, document: &ContentHash) {
        let mut bytes = Vec::new();
        for text in [docs, file] {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(document.as_bytes());
        self.0.iter_mut().zip(ContentHash::of(&bytes).as_bytes()).for_each(|(one, other)| *one ^= other);
    }

    /// Writes the changed hash, once for all documents of a transaction: before this statement, SQLite has every word table flush its buffer.
    pub(super) fn write(self, connection: &Connection) -> Result<(), StoreFault> {
        let before: Vec<u8> =
            connection.prepare_cached("SELECT version FROM contents")?.query_row([], |row| row.get(0))?;
        let after: Vec<u8> = before.iter().zip(self.0).map(|(one, other)| one ^ other).collect();
        connection.prepare_cached("UPDATE contents SET version = ?1")?.execute([after])?;
        Ok(())
    }
}

/// Returns all documents, in order.
pub(super) fn documents(connection: &Connection) -> Result<Vec<IndexedDocument>, StoreFault> {
    let mut statement = connection.prepare("SELECT docs, file, hash FROM documents ORDER BY position")?;
    let mut rows = statement.query([])?;
    let mut documents = Vec::new();
    while let Some(row) = rows.next()? {
        let bytes: Option<Vec<u8>> = row.get(2)?;
        let hash = bytes.map(|bytes| hash_from_sql(&bytes)).transpose()?;
        documents.push(IndexedDocument { docs: row.get(0)?, file: row.get(1)?, hash });
    }
    Ok(documents)
}

/// Assigns positions to the sources that have none. If there is no room between two documents, some of their neighbors are moved, which leaves those
/// without rows.
pub(super) fn make_room(
    connection: &Connection,
    version: &mut VersionChange,
    docs: &str,
    files: &[&str],
) -> WriteResult<()> {
    while let Some((file, count)) = put_between(connection, docs, files)? {
        move_neighbours(connection, version, docs, file, count)?;
    }
    Ok(())
}

/// Assigns positions as long as there is room. Returns where there is none: the first of the sources that belong there, and their
/// number.
fn put_between<'a>(connection: &Connection, docs: &str, files: &[&'a str]) -> WriteResult<Option<(&'a str, usize)>> {
    let known = places(connection)?;
    let has = |file: &str| index_of(&known, docs, file);
    let new: BTreeSet<&str> = files.iter().copied().filter(|file| has(file).is_err()).collect();
    let new: Vec<(usize, &str)> = new.into_iter().map(|file| (has(file).err().unwrap_or(known.len()), file)).collect();
    // Sources that belong between the same two documents are placed together.
    for group in new.chunk_by(|one, other| one.0 == other.0) {
        let at = group[0].0;
        let (before, after) = (at.checked_sub(1).map(|before| &known[before]), known.get(at));
        let is_last = after.is_none();
        let is_within = [before, after].into_iter().flatten().any(|place| place.docs == docs);
        let gap = if is_within {
            positions::InsertionGap::Within { is_last }
        } else {
            positions::InsertionGap::Folder { is_last }
        };
        let before = before.map_or(0, |place| place.position);
        let after = after.map_or(LAST_POSITION, |place| place.position);
        let Some(positions) = positions::between(before, after, group.len(), gap) else {
            return Ok(Some((group[0].1, group.len())));
        };
        for ((_, file), position) in group.iter().zip(positions) {
            insert(connection, position, docs, file)?;
        }
    }
    Ok(None)
}

/// Moves the documents around a position so that this many more fit there. A row's number depends on the position, so a moved document has no rows
/// until it is added again.
fn move_neighbours(
    connection: &Connection,
    version: &mut VersionChange,
    docs: &str,
    file: &str,
    count: usize,
) -> WriteResult<()> {
    let known = places(connection)?;
    let at = index_of(&known, docs, file).unwrap_or_else(|at| at);
    let positions: Vec<i64> = known.iter().map(|place| place.position).collect();
    let (window, moved) = positions::moved(&positions, LAST_POSITION, at, count)
        .ok_or_else(|| CatalogueErrorKind::NoRoom(format!("{} documents are as many as it can hold", known.len())))?;
    let window = &known[window];
    for place in window {
        remove(connection, version, &place.docs, &place.file)?;
    }
    for (place, position) in window.iter().zip(moved) {
        insert(connection, position, &place.docs, &place.file)?;
    }
    Ok(())
}

fn insert(connection: &Connection, position: i64, docs: &str, file: &str) -> Result<(), StoreFault> {
    connection
        .prepare_cached("INSERT INTO documents (position, docs, file) VALUES (?1, ?2, ?3)")?
        .execute(params![position, docs, file])?;
    Ok(())
}

/// A document's position in the catalogue.
struct DocumentPosition {
    docs: String,
    file: String,
    position: i64,
}

/// Returns the index of a document, or the one that it would have.
fn index_of(known: &[DocumentPosition], docs: &str, file: &str) -> Result<usize, usize> {
    known.binary_search_by(|place| (place.docs.as_str(), place.file.as_str()).cmp(&(docs, file)))
}

/// Returns all documents with their positions, in order.
fn places(connection: &Connection) -> Result<Vec<DocumentPosition>, StoreFault> {
    let mut statement = connection.prepare("SELECT docs, file, position FROM documents ORDER BY position")?;
    let rows = statement
        .query_map([], |row| Ok(DocumentPosition { docs: row.get(0)?, file: row.get(1)?, position: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the rows of a document.
pub(super) fn put(connection: &Connection, version: &mut VersionChange, entry: &CatalogueEntry) -> WriteResult<()> {
    let (position, before) = match place(connection, &entry.docs, &entry.file)? {
        Some(place) => place,
        None => {
            make_room(connection, version, &entry.docs, &[&entry.file])?;
            let made = place(connection, &entry.docs, &entry.file)?;
            made.ok_or_else(|| StoreFault::damaged("a document has no position after it was given one"))?
        }
    };
    if before == Some(entry.hash) {
        return Ok(());
    }
    if let Some(before) = before {
        take_rows(connection, position)?;
        version.toggle(&entry.docs, &entry.file, &before);
    }
    for (kind, rows) in &entry.rows {
        put_rows(connection, position, *kind, rows)?;
    }
    put_shared_values(connection, position, entry)?;
    connection
        .prepare_cached("UPDATE documents SET document = ?2, hash = ?3 WHERE position = ?1")
        .and_then(|mut statement| statement.execute(params![position, entry.document, entry.hash.as_bytes()]))
        .map_err(StoreFault::from)?;
    version.toggle(&entry.docs, &entry.file, &entry.hash);
    Ok(())
}

/// Removes a document.
pub(super) fn remove(
    connection: &Connection,
    version: &mut VersionChange,
    docs: &str,
    file: &str,
) -> Result<(), StoreFault> {
    let Some((position, before)) = place(connection, docs, file)? else { return Ok(()) };
    take_rows(connection, position)?;
    connection.prepare_cached("DELETE FROM documents WHERE position = ?1")?.execute([position])?;
    if let Some(before) = before {
        version.toggle(docs, file, &before);
    }
    Ok(())
}

/// Returns the position of a document, with the hash of the document that its rows are from.
fn place(connection: &Connection, docs: &str, file: &str) -> Result<Option<(i64, Option<ContentHash>)>, StoreFault> {
    let mut statement =
        connection.prepare_cached("SELECT position, hash FROM documents WHERE docs = ?1 AND file = ?2")?;
    let found: Option<(i64, Option<Vec<u8>>)> =
        statement.query_row([docs, file], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    found.map(|(position, bytes)| Ok((position, bytes.map(|bytes| hash_from_sql(&bytes)).transpose()?))).transpose()
}

fn take_rows(connection: &Connection, position: i64) -> Result<(), StoreFault> {
    connection.prepare_cached("DELETE FROM shared_values WHERE position = ?1")?.execute([position])?;
    let (first, last) = (position << ROW_BITS, (position + 1) << ROW_BITS);
    for kind in RowKind::ALL {
        let rows = rows_of(kind);
        let gone = connection
            .prepare_cached(&format!("DELETE FROM {rows} WHERE id >= ?1 AND id < ?2"))?
            .execute([first, last])?;
        count(connection, kind, -i64::try_from(gone).unwrap_or(i64::MAX))?;
        if has_words(kind) {
            let words = words_of(kind);
            connection
                .prepare_cached(&format!("DELETE FROM {words} WHERE rowid >= ?1 AND rowid < ?2"))?
                .execute([first, last])?;
        }
    }
    Ok(())
}

/// Adds the values by which the rows of a document are found through the document.
fn put_shared_values(connection: &Connection, position: i64, entry: &CatalogueEntry) -> Result<(), StoreFault> {
    let mut values = BTreeSet::new();
    for (kind, rows) in &entry.rows {
        for (place, field) in kind.fields().iter().enumerate().filter(|(_, field)| field.index == FieldIndex::Documents)
        {
            let texts = rows.iter().filter_map(|row| match &row.values()[place] {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            });
            values.extend(texts.map(|text| (field.name, text)));
        }
    }
    let mut insert = connection
        .prepare_cached("INSERT OR IGNORE INTO shared_values (position, field, value) VALUES (?1, ?2, ?3)")?;
    values.into_iter().try_for_each(|(field, value)| insert.execute(params![position, field, value]).map(drop))?;
    Ok(())
}

/// Adds to the number of rows of a kind, so that they need not be counted.
fn count(connection: &Connection, kind: RowKind, more: i64) -> Result<(), StoreFault> {
    connection
        .prepare_cached(
            "INSERT INTO totals (kind, number) VALUES (?1, ?2) ON CONFLICT (kind) DO UPDATE SET number = number + ?2",
        )?
        .execute(params![kind.name(), more])?;
    Ok(())
}

fn put_rows(connection: &Connection, position: i64, kind: RowKind, rows: &[CatalogueRow]) -> WriteResult<()> {
    if rows.len() >= 1 << ROW_BITS {
        return Err(CatalogueErrorKind::NoRoom(format!("a document has {} {kind}", rows.len())));
    }
    let into = |error: rusqlite::Error| StoreFault::from(error);
    let columns: Vec<(usize, &FieldDefinition)> = columns(kind).collect();
    let names: Vec<String> = columns.iter().map(|(_, field)| format!("\"{}\"", field.name)).collect();
    let marks = ", ?".repeat(names.len());
    let insert = format!("INSERT INTO {} (id, {}) VALUES (?{marks})", rows_of(kind), names.join(", "));
    let mut insert = connection.prepare_cached(&insert).map_err(into)?;
    let read = format!("INSERT INTO {} (rowid, name, prose, parts) VALUES (?, ?, ?, ?)", words_of(kind));
    let mut read = match has_words(kind) {
        true => Some(connection.prepare_cached(&read).map_err(into)?),
        false => None,
    };
    for (number, row) in (position << ROW_BITS..).zip(rows) {
        insert.raw_bind_parameter(1, number).map_err(into)?;
        for (parameter, (place, field)) in (2..).zip(&columns) {
            let value = &row.values()[*place];
            debug_assert!(value.fits(field.field_type), "`{}` of {kind}: {value:?}", field.name);
            insert.raw_bind_parameter(parameter, column_of(value)?).map_err(into)?;
        }
        insert.raw_execute().map_err(into)?;
        if let Some(read) = &mut read {
            let SearchColumns { name, prose, parts } = SearchColumns::of(kind, row.values());
            read.execute(params![number, name, prose, parts]).map_err(into)?;
        }
    }
    Ok(count(connection, kind, i64::try_from(rows.len()).unwrap_or(i64::MAX))?)
}
