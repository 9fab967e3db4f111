//! Migrates stores of every older version, with rows.
//!
//! `samples/N.sql` contains the rows of a store of version N as that version wrote them, including seals. Samples never change: when a
//! migration is added, the sample of the version before it already exists, and one of the new version is added.

use super::*;
use crate::database::Database;
use crate::store_path::STORE_FILE;
use std::path::Path;
use std::sync::Arc;
use war_rig_llm::{AnswerKey, CallLog, CallOutcome};
use war_rig_pool::{Store, TicketState};
use war_rig_text::ContentHash;

const SAMPLES: &[&str] = &[include_str!("samples/1.sql")];

/// A future migration.
const NEXT: &str = "ALTER TABLE tickets ADD COLUMN note TEXT NOT NULL DEFAULT 'none';
    CREATE TABLE notes (ticket INTEGER PRIMARY KEY REFERENCES tickets (id), note TEXT NOT NULL) STRICT;
    INSERT INTO notes SELECT id, file FROM tickets;";

/// Writes a store of an older version to a folder, as its War Rig left it.
fn put(folder: &Path, version: usize) {
    let store = Connection::open(folder.join(STORE_FILE)).unwrap();
    MIGRATIONS[..version].iter().for_each(|migration| store.execute_batch(migration).unwrap());
    store.execute_batch(SAMPLES[version - 1]).unwrap();
    store.pragma_update(None, "application_id", APPLICATION).unwrap();
    store.pragma_update(None, "user_version", version as i64).unwrap();
    store.query_row("PRAGMA journal_mode = wal", [], |_| Ok(())).unwrap();
}

/// Compares the contents of a migrated store with the samples.
fn check(database: &Database) {
    let run = crate::runs::NewRun {
        output: "docs".to_owned(),
        command: vec!["war-rig".to_owned()],
        scribe: "static".to_owned(),
    };
    let begun = database.begin_run(run).unwrap();
    assert_eq!((begun.number, begun.carried.units()), (3, 620));
    assert_eq!(begun.window_estimate.as_deref(), Some("{\"ratio\":1.5}"));
    let output = database.for_output("docs", begun.number);
    let tickets = output.tickets().unwrap();
    let states: Vec<_> = tickets.iter().map(|one| (one.file.as_str(), one.state, one.attempts)).collect();
    assert_eq!(
        states,
        [
            ("cbl/A.cbl", TicketState::Done, 0),
            ("cbl/B.cbl", TicketState::Failed, 0),
            ("cbl/C.cbl", TicketState::Writing, 0)
        ]
    );
    assert_eq!(tickets[0].build_record.as_ref().unwrap().files.len(), 2);
    assert_eq!((tickets[1].reason.as_str(), &tickets[1].build_record), ("line 3 is too long", &None));
    assert_eq!(output.chunks("cbl/A.cbl").unwrap().len(), 2);
    assert_eq!(output.sources().unwrap().len(), 2);
    let mut surveys = Vec::new();
    output.surveys(&mut |file, survey| surveys.push(format!("{file} {survey}"))).unwrap();
    assert_eq!(surveys, ["cbl/A.cbl {\"a\":1}"]);
    let key = |text: &str| {
        let hash = ContentHash::of(text.as_bytes());
        AnswerKey { key: hash, question: hash, turn: 0 }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime.block_on(output.find_answer(key("q"), 0)).unwrap();
    assert!(matches!(found, Some(CallOutcome::Answer(answer)) if answer.text == "the answer"));
    assert_eq!(runtime.block_on(output.find_answer(key("useless"), 0)).unwrap(), None);
    assert_eq!(output.last_answer_position().unwrap(), 2);
}

fn open(folder: &Path, migrations: &[&str]) -> Database {
    Database::open_with(folder, Arc::new(|| 0), migrations).unwrap()
}

#[test]
fn a_store_of_every_version_is_brought_up_to_date_with_its_rows() {
    assert_eq!(SAMPLES.len(), MIGRATIONS.len(), "every version has a sample");
    for version in 1..=MIGRATIONS.len() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), version);
        check(&open(folder.path(), MIGRATIONS));
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), version);
        let with_next = [MIGRATIONS, &[NEXT]].concat();
        check(&open(folder.path(), &with_next));
        let store = Connection::open(folder.path().join(STORE_FILE)).unwrap();
        let notes: i64 = store.query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap();
        assert_eq!((super::version(&store).unwrap() as usize, notes), (with_next.len(), 3));
        drop(store);
        drop(open(folder.path(), &with_next));
        let refused = Database::open_with(folder.path(), Arc::new(|| 0), MIGRATIONS).unwrap_err();
        assert!(matches!(refused.kind, OpenErrorKind::Newer { .. }), "{refused}");
    }
}

#[test]
fn a_migration_is_made_as_a_whole_or_not_at_all() {
    for broken in [
        "CREATE TABLE notes (a INTEGER) STRICT; INSERT INTO no_such_table VALUES (1)",
        "DELETE FROM runs WHERE number = 1",
    ] {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), MIGRATIONS.len());
        let with_broken = [MIGRATIONS, &[broken]].concat();
        let failed = Database::open_with(folder.path(), Arc::new(|| 0), &with_broken).unwrap_err();
        assert!(matches!(failed.kind, OpenErrorKind::Damaged(_)), "{failed}");
        check(&open(folder.path(), MIGRATIONS));
    }
}

#[test]
fn a_new_store_is_one_that_was_brought_up_to_date() {
    let (new, migrated) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(migrated.path(), 1);
    drop(open(new.path(), MIGRATIONS));
    drop(open(migrated.path(), MIGRATIONS));
    let tables = |folder: &Path| tables(&Connection::open(folder.join(STORE_FILE)).unwrap()).unwrap();
    assert_eq!(tables(new.path()), tables(migrated.path()));
}
