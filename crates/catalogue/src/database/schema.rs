//! The tables of a catalogue, generated from the kinds and their fields.
//!
//! Each kind has a table of its rows and, if its words can be searched, one of those words. The number of a row gives its place: the position of its
//! document, then its index among the rows of its kind in that document. So the order of the numbers is the order of the rows.

use crate::{FieldDefinition, FieldRole, FieldType, RowKind, TOKENIZER};
use rusqlite::Connection;
use std::fmt::Write;
use std::sync::LazyLock;
use war_rig_text::ContentHash;

/// The `application_id` of a catalogue: the letters `WRic`.
pub(super) const APPLICATION: i32 = 0x5752_6963;

/// How many bits of a row's number are its index in the document; the rest is the document's position.
pub(super) const ROW_BITS: u32 = 22;

/// The first invalid position: with the bits of a row, numbers stay below SQLite's largest.
pub(super) const LAST_POSITION: i64 = 1 << 40;

/// The statements that create an empty catalogue.
pub(super) static MADE_BY: LazyLock<String> = LazyLock::new(made_by);

/// The version of the tables: other tables give another version. Positive, as SQLite stores it.
pub(super) static VERSION: LazyLock<i32> = LazyLock::new(|| {
    let hash = ContentHash::of(MADE_BY.as_bytes());
    let bytes: [u8; 4] = hash.as_bytes()[..4].try_into().expect("a hash has more than four bytes");
    i32::from_le_bytes(bytes) & i32::MAX | 1
});

/// Creates the tables of an empty catalogue.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&MADE_BY)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", *VERSION)
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
        .execute_batch("DROP TABLE IF EXISTS documents; DROP TABLE IF EXISTS totals; DROP TABLE IF EXISTS contents;")
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

/// Returns the additional columns of an index. If many rows may share a value (it is not a name, program or file), the index also contains the row's
/// number fields, so that conditions on them need not read the rows. They come after the row's own number, which keeps rows in order.
fn beside(kind: RowKind, field: &FieldDefinition) -> String {
    if field.role == FieldRole::Name || ["program", "file"].contains(&field.name) {
        return String::new();
    }
    let is_small = |other: &FieldDefinition| matches!(other.field_type, FieldType::Number | FieldType::Boolean);
    let small = columns(kind).filter(|(_, other)| other.name != field.name && is_small(other));
    let small: Vec<String> = small.map(|(_, other)| format!(", \"{}\"", other.name)).collect();
    if small.is_empty() { String::new() } else { format!(", id{}", small.concat()) }
}

fn made_by() -> String {
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
        for (_, field) in columns(kind).filter(|(_, field)| field.is_indexed) {
            let name = field.name;
            let beside = beside(kind, field);
            made.push_str(&format!("CREATE INDEX {table}_by_{name} ON {table} (\"{name}\"{beside});\n"));
        }
        if has_words(kind) {
            made.push_str(&format!(
                "CREATE VIRTUAL TABLE {} USING fts5(name, prose, parts, content='', contentless_delete=1, tokenize='{}');\n",
                words_of(kind),
                TOKENIZER.replace('\'', "''")
            ));
        }
    }
    made
}
