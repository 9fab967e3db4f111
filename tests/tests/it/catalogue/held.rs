//! What a catalogue holds, read with SQLite from a copy, so that reading changes nothing and needs no code of ours.

use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use war_rig_tests::crash::TestCommand;
use war_rig_text::ContentHash;

/// How many bits of a row's number say which row of its document it is.
const ROW_BITS: u32 = 22;

/// All that is found: two catalogues of the same documents hold the same.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    /// By what its contents are known.
    pub(crate) version: Vec<u8>,
    /// Folder, source, name of the JSON and its hash in letters, in the order of the catalogue.
    pub(crate) documents: Vec<[String; 4]>,
    /// The rows of each kind in their order, each behind its folder, source and place.
    pub(crate) rows: BTreeMap<String, Vec<Vec<String>>>,
    /// Which rows of a kind are found by some words, by kind and words.
    pub(crate) found: BTreeMap<(String, String), Vec<Vec<String>>>,
}

/// Words that are looked for in every kind, in prose and, after their mark, in names.
const WORDS: [&str; 5] = ["SUBONE", "step", "GOBACK", "WIDE", "WS-TOTAL"];

/// What the catalogue of a state folder holds; none when there is none.
pub(crate) fn held(state: &Path) -> Option<Held> {
    let copy = tempfile::tempdir().unwrap();
    for name in ["catalogue.db", "catalogue.db-wal"] {
        if state.join(name).exists() {
            std::fs::copy(state.join(name), copy.path().join(name)).unwrap();
        }
    }
    let file = copy.path().join("catalogue.db");
    if !file.exists() {
        return None;
    }
    let catalogue = Connection::open(file).unwrap();
    let documents = rows(
        &catalogue,
        "SELECT docs, file, document, lower(hex(hash)) FROM documents WHERE hash IS NOT NULL ORDER BY position",
    );
    let documents = documents.into_iter().map(|row| row.try_into().unwrap()).collect();
    let tables = rows(
        &catalogue,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_words%' ESCAPE '\\'",
    );
    let kinds: BTreeSet<String> = tables.into_iter().flatten().collect();
    let (mut of_kinds, mut found) = (BTreeMap::new(), BTreeMap::new());
    let own = ["contents", "documents", "shared_values", "totals"];
    let mut shared = BTreeSet::new();
    for kind in kinds.iter().filter(|kind| !own.contains(&kind.as_str())) {
        let place = format!("documents.docs, documents.file, {kind}.id & {}", (1 << ROW_BITS) - 1);
        let of_documents = format!("JOIN documents ON documents.position = {kind}.id >> {ROW_BITS}");
        let all = format!("SELECT {place}, {kind}.* FROM {kind} {of_documents} ORDER BY {kind}.id");
        let mut all = rows(&catalogue, &all);
        // The number itself says where the document stands among others, which is not the same in two catalogues.
        all.iter_mut().for_each(|row| drop(row.remove(3)));
        let total = "SELECT number FROM totals WHERE replace(kind, '-', '_') = ?1";
        let total: i64 = catalogue.query_row(total, [kind], |row| row.get(0)).unwrap_or(0);
        assert_eq!(all.len(), usize::try_from(total).unwrap(), "the total of {kind}");
        of_kinds.insert(kind.clone(), all);
        for field in ["program", "file"] {
            let values =
                format!("SELECT id >> {ROW_BITS}, '{field}', \"{field}\" FROM {kind} WHERE {field} IS NOT NULL");
            let has_column = format!("SELECT 1 FROM pragma_table_info('{kind}') WHERE name = '{field}'");
            if !rows(&catalogue, &has_column).is_empty()
                && !["functions", "entry_points", "tickets"].contains(&kind.as_str())
            {
                shared.extend(rows(&catalogue, &values));
            }
        }
        for words in WORDS {
            let found_by = format!(
                "SELECT {place} FROM {kind} {of_documents} WHERE {kind}.id IN (SELECT rowid FROM {kind}_words WHERE {kind}_words MATCH '\"{words}\" OR \"\u{e001}{words}\"') ORDER BY {kind}.id"
            );
            if catalogue.prepare(&found_by).is_ok() {
                found.insert((kind.clone(), words.to_owned()), rows(&catalogue, &found_by));
            }
        }
    }
    let kept = rows(&catalogue, "SELECT position, field, value FROM shared_values");
    assert_eq!(kept.into_iter().collect::<BTreeSet<_>>(), shared, "the values by which documents are found");
    let version = catalogue.query_row("SELECT version FROM contents", [], |row| row.get(0)).unwrap();
    Some(Held { version, documents, rows: of_kinds, found })
}

fn rows(catalogue: &Connection, sql: &str) -> Vec<Vec<String>> {
    let mut statement = catalogue.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let cells = |row: &Row<'_>| (0..columns).map(|at| Ok(cell(row.get(at)?))).collect();
    let found = statement.query_map([], cells).unwrap();
    found.collect::<rusqlite::Result<_>>().unwrap()
}

fn cell(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        value => format!("{value:?}"),
    }
}

impl Held {
    /// How many rows there are of all kinds.
    pub(crate) fn count(&self) -> usize {
        self.rows.values().map(Vec::len).sum()
    }

    /// The sources that have rows of a kind, each once.
    pub(crate) fn files_with(&self, kind: &str) -> BTreeSet<&str> {
        self.rows[kind].iter().map(|row| row[1].as_str()).collect()
    }

    /// All that is there of one source.
    pub(crate) fn of(&self, file: &str) -> Vec<&Vec<String>> {
        self.rows.values().flatten().filter(|row| row[1] == file).collect()
    }
}

/// Asserts that the catalogue of a job has these documents as they are, and no others.
#[track_caller]
pub(crate) fn check_known(job: &TestCommand, documents: &BTreeMap<String, Vec<u8>>, what: &str) {
    let known = held(&job.state()).unwrap_or_else(|| panic!("{what}: there is no catalogue"));
    let right = documents.iter().filter(|(name, _)| name.ends_with(".json") && *name != "estate.json");
    let right = right.map(|(name, bytes)| {
        let file = name.trim_end_matches(".json").to_owned();
        ["out".to_owned(), file, name.clone(), ContentHash::of(bytes).to_string()]
    });
    assert_eq!(known.documents.into_iter().collect::<BTreeSet<_>>(), right.collect(), "{what}");
}
