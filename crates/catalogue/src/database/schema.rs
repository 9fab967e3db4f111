//! The tables of a catalogue, generated from the kinds and their fields.
//!
//! Each kind has a table of its rows and, if its words can be searched, one of those words. The number of a row gives its place: the position of its
//! document, then its index among the rows of its kind in that document. So the order of the numbers is the order of the rows.

use crate::{FieldDefinition, FieldIndex, FieldRole, FieldType, RowKind, TOKENIZER};
use rusqlite::Connection;
use std::fmt::Write;
use std::sync::LazyLock;
use war_rig_text::ContentHash;

/// The `application_id` of a catalogue: the letters `WRic`.
pub(super) const APPLICATION: i32 = 0x5752_6963;

/// How many bits of a row's number are its index in the document; the rest is the document's position.
pub(super) const ROW_BITS: u32 = 22;

/// How many segments of the same size a word table collects before it merges them: the most that FTS5 takes, so that words are merged seldom
/// while many documents are added. A search looks into each.
const SEGMENTS: u32 = 16;

/// The first invalid position: with the bits of a row, numbers stay below SQLite's largest.
pub(super) const LAST_POSITION: i64 = 1 << 40;

/// The statements that create an empty catalogue, without its indexes.
static TABLES: LazyLock<String> = LazyLock::new(tables);

/// The indexes, each as its name and the rest of the statement that creates it.
static INDEXES: LazyLock<Vec<(String, String)>> = LazyLock::new(indexes);

/// The version of the tables: other tables give another version. Positive, as SQLite stores it.
pub(super) static VERSION: LazyLock<i32> = LazyLock::new(|| {
    let mut statements = TABLES.clone();
    INDEXES.iter().for_each(|(name, rest)| statements.extend([name, " ", rest]));
    let hash = ContentHash::of(statements.as_bytes());
    let bytes: [u8; 4] = hash.as_bytes()[..4].try_into().expect("a hash has more than four bytes");
    i32::from_le_bytes(bytes) & i32::MAX | 1
});

/// Creates the tables of an empty catalogue. Its indexes come later: to sort all rows once costs a tenth of inserting them one by one, and a search
/// without them is slower, not wrong.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", *VERSION)
}

/// Creates the indexes that are missing.
pub(super) fn create_indexes(connection: &Connection) -> rusqlite::Result<()> {
    for (name, rest) in INDEXES.iter() {
        connection.execute_batch(&format!("CREATE INDEX IF NOT EXISTS {name} {rest};"))?;
    }
    Ok(())
}

/// Whether all indexes are there.
pub(super) fn has_indexes(connection: &Connection) -> rusqlite::Result<bool> {
    let mut named = connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1")?;
    for (name, _) in INDEXES.iter() {
        if !named.exists([name])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Drops all tables.
pub(super) fn clear(connection: &Connection) -> rusqlite::Result<()> {
    for kind in RowKind::ALL {
        connection.execute_batch(&format!(
            "DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {};",
            rows_of(kind),
            words_of(kind)
        ))?;
    }
    connection
        .execute_batch("DROP TABLE IF EXISTS documents; DROP TABLE IF EXISTS shared_values; DROP TABLE IF EXISTS totals; DROP TABLE IF EXISTS contents;")
}

/// Returns the name of the table for a kind's rows.
pub(super) fn rows_of(kind: RowKind) -> String {
    kind.name().replace('-', "_")
}

/// Returns the name of the table for the words in a kind's rows.
pub(super) fn words_of(kind: RowKind) -> String {
    format!("{}_words", rows_of(kind))
}

/// Returns the column of a field in the table of its kind; `None` if the value is stored once per document.
pub(super) fn column(field: &FieldDefinition) -> Option<&'static str> {
    (!field.is_of_document()).then_some(field.name)
}

/// Returns the fields of a kind that have a column in its table, with their indexes among all fields.
pub(super) fn columns(kind: RowKind) -> impl Iterator<Item = (usize, &'static FieldDefinition)> {
    kind.fields().iter().enumerate().filter(|(_, field)| column(field).is_some())
}

/// Whether words can be searched in a kind.
pub(super) fn has_words(kind: RowKind) -> bool {
    kind.fields().iter().any(|field| field.role != FieldRole::Unsearched)
}

/// Returns the additional columns of an index. If many rows may share a value (it is not a name), the index also contains the row's
/// number fields, so that conditions on them need not read the rows. They come after the row's own number, which keeps rows in order.
fn beside(kind: RowKind, field: &FieldDefinition) -> String {
    if field.role == FieldRole::Name {
        return String::new();
    }
    let is_small = |other: &FieldDefinition| matches!(other.field_type, FieldType::Number | FieldType::Boolean);
    let small = columns(kind).filter(|(_, other)| other.name != field.name && is_small(other));
    let small: Vec<String> = small.map(|(_, other)| format!(", \"{}\"", other.name)).collect();
    if small.is_empty() { String::new() } else { format!(", id{}", small.concat()) }
}

fn indexes() -> Vec<(String, String)> {
    let of_kind = |kind: RowKind| {
        let table = rows_of(kind);
        columns(kind).filter(|(_, field)| field.index == FieldIndex::Rows).map(move |(_, field)| {
            let name = format!("{table}_by_{}", field.name);
            (name, format!("ON {table} (\"{}\"{})", field.name, beside(kind, field)))
        })
    };
    RowKind::ALL.into_iter().flat_map(of_kind).collect()
}

fn tables() -> String {
    let mut made = String::from(
        "CREATE TABLE contents (one INTEGER PRIMARY KEY CHECK (one = 1), version BLOB NOT NULL) STRICT;
         INSERT INTO contents (one, version) VALUES (1, zeroblob(32));
         CREATE TABLE documents (
             position INTEGER PRIMARY KEY,
             docs TEXT NOT NULL,
             file TEXT NOT NULL,
             document TEXT,
             hash BLOB,
             UNIQUE (docs, file)
         ) STRICT;
         CREATE TABLE shared_values (
             position INTEGER NOT NULL,
             field TEXT NOT NULL,
             value TEXT NOT NULL COLLATE NOCASE,
             PRIMARY KEY (position, field, value)
         ) STRICT, WITHOUT ROWID;
         CREATE INDEX documents_with_value ON shared_values (field, value, position);
         CREATE TABLE totals (kind TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;\n",
    );
    for kind in RowKind::ALL {
        let table = rows_of(kind);
        let mut columns_made = String::new();
        for (_, field) in columns(kind) {
            let holds = match field.field_type {
                FieldType::Text => "TEXT COLLATE NOCASE",
                FieldType::List => "TEXT",
                FieldType::Number | FieldType::Boolean => "INTEGER",
                FieldType::Decimal => "REAL",
            };
            write!(columns_made, ", \"{}\" {holds}", field.name).expect("a string takes every write");
        }
        made.push_str(&format!("CREATE TABLE {table} (id INTEGER PRIMARY KEY{columns_made}) STRICT;\n"));
        if has_words(kind) {
            let words = words_of(kind);
            let tokenizer = TOKENIZER.replace('\'', "''");
            made.push_str(&format!(
                "CREATE VIRTUAL TABLE {words} USING fts5(name, prose, parts, content='', contentless_delete=1, tokenize='{tokenizer}');
                 INSERT INTO {words} ({words}, rank) VALUES ('automerge', {SEGMENTS});\n",
            ));
        }
    }
    made
}
