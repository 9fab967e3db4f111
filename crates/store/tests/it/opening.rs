//! Which stores are opened, by whom, and which are left as they are.

use crate::support::{OUTPUT, begun, clock, done, folder, new_run, open, opened};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use war_rig_pool::{Store, TicketState};
use war_rig_store::{Database, LockStatus, OpenErrorKind, STORE_FILE, StatusQuery, StoreReader};

/// Opens what is in a folder, by both ways, and gives the words. The store must stay as it is.
fn refused(folder: &Path) -> (String, String) {
    let before = fs::read(folder.join(STORE_FILE)).ok();
    let writer = Database::open(folder, clock()).unwrap_err();
    let reader = StoreReader::open(folder).unwrap_err();
    assert!(fs::read(folder.join(STORE_FILE)).ok() == before, "{writer}");
    assert!(!writer.advice().is_empty() && !reader.advice().is_empty());
    let named = format!("`{}`: ", folder.join(STORE_FILE).display());
    let words = |error: String| error.strip_prefix(&named).map(str::to_owned).unwrap_or(error);
    (words(writer.to_string()), words(reader.to_string()))
}

/// Says how a store is refused whose bytes were replaced.
fn check_bytes(change: impl FnOnce(Vec<u8>) -> Vec<u8>, expected: &str) {
    let folder = folder();
    drop(begun(folder.path()));
    let path = folder.path().join(STORE_FILE);
    fs::write(&path, change(fs::read(&path).unwrap())).unwrap();
    let (writer, reader) = refused(folder.path());
    assert_eq!((writer.as_str(), reader.as_str()), (expected, expected));
}

#[test]
fn a_store_is_made_where_there_is_none_and_opened_where_there_is() {
    let folder = folder();
    let below = folder.path().join("a/b");
    let missing = StoreReader::open(&below).unwrap_err();
    assert!(matches!(missing.kind, OpenErrorKind::Missing), "{missing}");
    assert!(!below.exists(), "looking makes nothing");
    drop(open(&below));
    let files: Vec<_> =
        fs::read_dir(&below).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(files.len() == 2 && files.contains(&"lock".to_owned()) && files.contains(&STORE_FILE.to_owned()));
    assert_eq!(open(&below).begin_run(new_run(OUTPUT)).unwrap().number, 1);
    assert_eq!(StoreReader::open(&below).unwrap().version(), 1);
}

#[test]
fn what_is_left_of_a_store_that_was_being_made_is_no_store() {
    let folder = folder();
    let unfinished = folder.path().join(".war_rig.db.new");
    fs::write(&unfinished, "half a store").unwrap();
    fs::write(folder.path().join(".war_rig.db.new-journal"), "and its journal").unwrap();
    drop(begun(folder.path()));
    assert!(!unfinished.exists());
    assert_eq!(open(folder.path()).begin_run(new_run(OUTPUT)).unwrap().number, 2);
}

#[test]
fn a_store_that_is_none_is_left_as_it_is() {
    check_bytes(|_| Vec::new(), "the store is damaged: it has 0 bytes, and a head has 100");
    check_bytes(|bytes| bytes[..99].to_vec(), "the store is damaged: it has 99 bytes, and a head has 100");
    check_bytes(|_| b"war_rig.db is a text here. ".repeat(9), "this is no store of War Rig");
    check_bytes(|bytes| [b"X", &bytes[1..]].concat(), "this is no store of War Rig");
}

#[test]
fn a_store_of_another_program_is_left_as_it_is() {
    let folder = folder();
    let other = rusqlite::Connection::open(folder.path().join(STORE_FILE)).unwrap();
    other.execute_batch("CREATE TABLE tickets (a); PRAGMA user_version = 1").unwrap();
    drop(other);
    let expected = "this is no store of War Rig".to_owned();
    assert_eq!(refused(folder.path()), (expected.clone(), expected));
}

/// Has another program change a store of ours.
fn changed(sql: &str) -> tempfile::TempDir {
    let folder = folder();
    drop(begun(folder.path()));
    let store = rusqlite::Connection::open(folder.path().join(STORE_FILE)).unwrap();
    store.execute_batch(sql).unwrap();
    drop(store);
    folder
}

#[test]
fn a_newer_store_and_one_with_other_tables_are_left_as_they_are() {
    let check = |sql: &str, expected: &str| {
        let folder = changed(sql);
        let (writer, reader) = refused(folder.path());
        assert_eq!((writer.as_str(), reader.as_str()), (expected, expected));
    };
    check("PRAGMA user_version = 7", "the store has version 7, and this War Rig knows versions up to 1");
    check("PRAGMA user_version = 0", "the store is damaged: it says that its version is 0");
    check("PRAGMA user_version = -1", "the store is damaged: it says that its version is -1");
    check("DROP INDEX answers_by_key", "the store is damaged: its tables are not those of version 1");
    check("ALTER TABLE runs ADD COLUMN x TEXT", "the store is damaged: its tables are not those of version 1");
    check(
        "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END",
        "the store is damaged: its tables are not those of version 1",
    );
    let statistics = changed("ANALYZE");
    assert_eq!(open(statistics.path()).begin_run(new_run(OUTPUT)).unwrap().number, 2);
}

#[test]
fn a_newer_version_that_stands_in_the_log_alone_is_seen() {
    let folder = folder();
    drop(begun(folder.path()));
    let path = folder.path().join(STORE_FILE);
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.execute_batch("PRAGMA user_version = 7").unwrap();
    let copy = crate::support::folder();
    for ending in ["", "-wal"] {
        let name = format!("{STORE_FILE}{ending}");
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    let expected = "the store has version 7, and this War Rig knows versions up to 1".to_owned();
    let log = fs::read(copy.path().join("war_rig.db-wal")).unwrap();
    assert_eq!(refused(copy.path()), (expected.clone(), expected));
    assert!(fs::read(copy.path().join("war_rig.db-wal")).unwrap() == log);
}

#[test]
fn a_log_without_its_store_is_damage() {
    let folder = folder();
    fs::write(folder.path().join("war_rig.db-wal"), "x").unwrap();
    let expected = "the store is damaged: its log is there, and the store itself is gone".to_owned();
    assert_eq!(refused(folder.path()), (expected.clone(), expected));
    assert!(!folder.path().join(STORE_FILE).exists());
}

#[test]
fn a_change_that_another_program_has_broken_off_is_not_touched() {
    let folder = folder();
    drop(begun(folder.path()));
    fs::write(folder.path().join("war_rig.db-journal"), "x").unwrap();
    let expected = "the store is damaged: another program has changed it, and was broken off".to_owned();
    assert_eq!(refused(folder.path()), (expected.clone(), expected));
    assert_eq!(fs::read(folder.path().join("war_rig.db-journal")).unwrap(), b"x");
}

#[test]
fn a_folder_that_cannot_be_used_is_told() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Database::open(&file.join("state"), clock()).unwrap_err();
    assert!(matches!(error.kind, OpenErrorKind::Storage(_)), "{error}");
    fs::create_dir(folder.path().join(STORE_FILE)).unwrap();
    let error = Database::open(folder.path(), clock()).unwrap_err();
    assert!(matches!(error.kind, OpenErrorKind::Foreign), "{error}");
}

#[test]
fn a_second_writer_is_told_who_the_first_one_is() {
    let folder = folder();
    let (database, output, _) = begun(folder.path());
    let error = Database::open(folder.path(), clock()).unwrap_err();
    let words = error.to_string();
    let holder = format!("locked by process {} on ", std::process::id());
    assert!(words.contains(&holder) && words.contains(" since 2026-01-02 03:04:05 UTC ("), "{words}");
    assert_eq!(error.file, folder.path().join("lock"));
    assert!(matches!(StoreReader::open(folder.path()).unwrap().lock_status().unwrap(), LockStatus::HeldBy(Some(_))));
    drop(database);
    assert!(Database::open(folder.path(), clock()).is_err(), "what was handed out still writes");
    drop(output);
    assert_eq!(StoreReader::open(folder.path()).unwrap().lock_status().unwrap(), LockStatus::Free);
    open(folder.path());
}

/// Started by the next test as a process of its own: holds a store until it is killed.
#[test]
fn holds_a_store_until_it_is_killed() {
    let Some(folder) = std::env::var_os("WAR_RIG_TEST_HELD") else { return };
    let (_database, output, _) = begun(Path::new(&folder));
    output.open(&[opened("A")]).unwrap();
    output.begin("A").unwrap();
    fs::write(Path::new(&folder).join("ready"), "").unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn the_lock_of_a_process_that_was_killed_is_free() {
    let folder = folder();
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opening::holds_a_store_until_it_is_killed"])
        .env("WAR_RIG_TEST_HELD", folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("ready").exists() {
        assert!(holder.try_wait().unwrap().is_none(), "the process has ended");
        std::thread::yield_now();
    }
    let refused = Database::open(folder.path(), clock()).unwrap_err().to_string();
    assert!(refused.contains(&format!("locked by process {} on ", holder.id())), "{refused}");
    let seen = StoreReader::open(folder.path()).unwrap().status(StatusQuery::default()).unwrap();
    assert_eq!(seen.tickets[0].state, TicketState::Writing);
    holder.kill().unwrap();
    holder.wait().unwrap();
    let database = open(folder.path());
    let run = database.begin_run(new_run(OUTPUT)).unwrap();
    assert_eq!(run.number, 2);
    let tickets = database.for_output(OUTPUT, run.number).tickets().unwrap();
    assert_eq!((tickets[0].state, tickets[0].attempts), (TicketState::Writing, 1));
}

#[test]
fn whoever_looks_leaves_no_trace() {
    let folder = folder();
    let (database, output, _) = begun(folder.path());
    output.open(&[opened("A")]).unwrap();
    output.finish(&[done("A")]).unwrap();
    drop((database, output));
    let names = || {
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), fs::read(folder.path().join(STORE_FILE)).unwrap());
    let reader = StoreReader::open(folder.path()).unwrap();
    assert_eq!(reader.status(StatusQuery::default()).unwrap().tickets.len(), 1);
    drop(reader);
    assert_eq!(names(), before);
    assert!(fs::read(folder.path().join(STORE_FILE)).unwrap() == bytes);
}
