//! The catalogue says what the documents say, whatever became of runs, of documents and of itself.

pub(crate) mod held;

use crate::crash::{asking, small_estate, small_job};
use crate::programs::{small, wide};
use held::{Held, check_known, held};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use war_rig_tests::Sandbox;
use war_rig_tests::crash::{FaultPlan, ProcessResult, RunningProcess, TestCommand};
use war_rig_tests::fake::{CallFault, FakeOptions, FakeProvider, FaultScript, Latency, Tokenizer};

const ONE: &str = "cbl/ONE.cbl";

/// The small estate, documented.
fn documented() -> TestCommand {
    let job = small_job("--jobs 1");
    job.run(&FaultPlan::count()).assert_exit(0, "the first run");
    job
}

fn index(job: &TestCommand, more: &[&str]) -> ProcessResult {
    job.start_with(&FaultPlan::count(), &[&["index"], more].concat()).end()
}

/// What is found, a row a line.
fn search(job: &TestCommand, words: &[&str]) -> String {
    let words = [&["search"], words, &["--all", "-o", "ndjson"]].concat();
    let found = job.start_with(&FaultPlan::count(), &words).end();
    found.assert_exit(0, "a search");
    found.out
}

/// What the catalogue of a job holds.
#[track_caller]
fn holds(job: &TestCommand) -> Held {
    held(&job.state()).expect("there is a catalogue")
}

/// Asserts that a catalogue is that of the documents that stand there, and the one that is made of them anew.
#[track_caller]
fn check_current(job: &TestCommand, what: &str) -> Held {
    check_known(job, &job.documents(), what);
    let now = holds(job);
    index(job, &["--rebuild"]).assert_exit(0, what);
    let anew = holds(job);
    assert!(now == anew, "{what}: {now:#?} is not {anew:#?}");
    now
}

fn source(job: &TestCommand, name: &str) -> std::path::PathBuf {
    job.place.path().join("src").join(name)
}

#[test]
fn a_run_writes_the_rows_of_its_documents() {
    let job = documented();
    let held = check_current(&job, "documented");
    let programs = ["cbl/COPIES.cbl", ONE, "cbl/WIDE.cbl"];
    assert_eq!(held.files_with("programs"), BTreeSet::from(programs));
    assert_eq!(held.files_with("calls").len(), programs.len());
    assert!(held.rows["paragraphs"].len() > 70, "{}", held.rows["paragraphs"].len());
    let found = &held.found[&("calls".to_owned(), "SUBONE".to_owned())];
    assert!(!found.is_empty() && found.iter().all(|row| row[1] == ONE), "{found:?}");
    assert_eq!(search(&job, &["calls", "SUBONE"]).lines().count(), found.len());
    assert_eq!(search(&job, &["paragraphs"]).lines().count(), held.rows["paragraphs"].len());
    let again = job.run(&FaultPlan::count());
    assert!(!again.assert_exit(0, "again").err.contains("catalogue"), "{}", again.err);
    assert!(holds(&job) == held, "a run that has nothing to do changes nothing");
}

#[test]
fn a_run_that_is_told_to_leaves_the_catalogue_to_index() {
    let job = small_job("--jobs 1 --no-index");
    let said = job.run(&FaultPlan::count());
    assert!(said.assert_exit(0, "a run").err.contains("`war-rig index` brings it up to date"), "{}", said.err);
    assert!(held(&job.state()).is_none(), "no catalogue is made");
    index(&job, &[]).assert_exit(0, "indexed");
    check_current(&job, "left to index");
}

#[test]
fn only_the_rows_of_what_has_changed_are_others() {
    let job = documented();
    let before = holds(&job);
    std::fs::write(source(&job, ONE), small("ONE").replace("SUBONE", "WIDE")).unwrap();
    // Over a part alone: what is not picked says who calls it now, and so do its rows.
    job.run_more(&FaultPlan::count(), &["--only", ONE])
        .assert_exit(0, "a part")
        .assert_stderr(&["1 other brought up to date with the estate"]);
    let after = check_current(&job, "edited");
    let (old, new) = (before.of(ONE), after.of(ONE));
    assert!(old != new && new.iter().any(|row| row.contains(&"WIDE".to_owned())), "{new:?}");
    let changed: Vec<&str> = before
        .documents
        .iter()
        .filter(|document| !after.documents.contains(document))
        .map(|document| document[1].as_str())
        .collect();
    assert_eq!(changed, [ONE, "cbl/WIDE.cbl"]);
    for file in ["cbl/COPIES.cbl", "cpy/RECORDS.cpy"] {
        assert_eq!(before.of(file), after.of(file), "{file}");
    }
}

#[test]
fn rows_go_with_their_documents_and_come_with_others() {
    let job = documented();
    let before = holds(&job);
    std::fs::rename(source(&job, ONE), source(&job, "cbl/RENAMED.cbl")).unwrap();
    job.run(&FaultPlan::count()).assert_exit(0, "renamed");
    let both = holds(&job);
    assert_eq!(both.of(ONE), before.of(ONE), "its document stands there still");
    assert_eq!(both.of("cbl/RENAMED.cbl").len(), before.of(ONE).len());
    job.run_more(&FaultPlan::count(), &["--prune"]).assert_exit(0, "pruned");
    let pruned = check_current(&job, "pruned");
    assert!(pruned.of(ONE).is_empty() && !pruned.of("cbl/RENAMED.cbl").is_empty());
    std::fs::rename(source(&job, "cbl/RENAMED.cbl"), source(&job, ONE)).unwrap();
    job.run_more(&FaultPlan::count(), &["--prune"]).assert_exit(0, "and back");
    assert!(check_current(&job, "and back") == before);
}

#[test]
fn rows_come_in_the_order_of_the_sources_however_they_were_made() {
    let job = small_job("");
    job.run(&FaultPlan::count()).assert_exit(0, "the first run");
    for name in ["cbl/A.cbl", "cbl/ONE1.cbl", "cbl/ZED.cbl", "cbl/ONE0.cbl"] {
        job.place.write(&format!("src/{name}"), small("OTHER"));
        job.run_more(&FaultPlan::count(), &["--only", name]).assert_exit(0, name);
    }
    job.run_more(&FaultPlan::count(), &["--force", "--jobs", "4"]).assert_exit(0, "all anew");
    let held = check_current(&job, "one after the other");
    let files: Vec<&str> = held.documents.iter().map(|document| document[1].as_str()).collect();
    assert!(files.is_sorted() && files.len() == 8, "{files:?}");
}

/// Replaces a catalogue by these bytes; none removes it.
fn put(job: &TestCommand, bytes: Option<&[u8]>) {
    for ending in ["", "-wal", "-shm"] {
        std::fs::remove_file(job.state().join(format!("catalogue.db{ending}"))).ok();
    }
    if let Some(bytes) = bytes {
        std::fs::write(job.state().join("catalogue.db"), bytes).unwrap();
    }
}

#[test]
fn a_catalogue_that_is_gone_or_damaged_is_made_again_by_the_next_run() {
    let job = documented();
    let right = holds(&job);
    let whole = std::fs::read(job.state().join("catalogue.db")).unwrap();
    let other_version = {
        let mut bytes = whole.clone();
        // PRAGMA user_version, big-endian in the file's head.
        bytes[60..64].copy_from_slice(&7_u32.to_be_bytes());
        bytes
    };
    let cut = &whole[..whole.len() / 2 / 4096 * 4096];
    let begun = job.place.path().join("begun.db");
    let connection = rusqlite::Connection::open(&begun).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(connection);
    let begun = std::fs::read(begun).unwrap();
    assert!(!begun.is_empty());
    for (what, bytes) in [
        ("gone", None),
        ("empty", Some(&[] as &[u8])),
        ("cut off", Some(cut)),
        ("begun, and nothing in it", Some(begun.as_slice())),
        ("of another version", Some(other_version.as_slice())),
    ] {
        put(&job, bytes);
        job.run(&FaultPlan::count()).assert_exit(0, what);
        assert!(holds(&job) == right, "{what}, then `document`");
        for more in [&[] as &[&str], &["--rebuild"]] {
            put(&job, bytes);
            index(&job, more).assert_exit(0, what).assert_stderr(&["indexed 4 documents"]);
            assert!(holds(&job) == right, "{what}, then `index {more:?}`");
        }
    }
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let job = documented();
    let right = holds(&job);
    let foreign = job.place.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup');").unwrap();
    drop(connection);
    for bytes in [b"my own notes\n".repeat(1000), std::fs::read(foreign).unwrap()] {
        put(&job, Some(&bytes));
        std::fs::write(source(&job, ONE), small("ONE")).unwrap();
        let run = job.run_more(&FaultPlan::count(), &["--force"]);
        run.assert_exit(0, "documents do not need it").assert_stderr(&[
            "error: the catalogue is behind the documents: ",
            "this is no catalogue of War Rig",
            "`war-rig index",
        ]);
        assert_eq!(run.err.matches("catalogue of War Rig").count(), 1, "{}", run.err);
        for more in [&[] as &[&str], &["--rebuild"]] {
            index(&job, more).assert_exit(10, "foreign").assert_stderr(&["error: ", "catalogue.db", "hint: "]);
        }
        assert!(std::fs::read(job.state().join("catalogue.db")).unwrap() == bytes, "it was changed");
    }
    put(&job, None);
    index(&job, &[]).assert_exit(0, "moved away");
    assert!(holds(&job) == right);
}

#[test]
fn a_disk_that_is_full_for_the_catalogue_alone_is_no_matter_to_the_documents() {
    let undisturbed = documented();
    let right = holds(&undisturbed);
    let job = small_job("--jobs 1");
    std::fs::create_dir_all(job.state()).unwrap();
    let full = FaultPlan::room(&job.state().join("catalogue.db-wal"), 40_000);
    job.run(&full).assert_exit(0, "full").assert_stderr(&["error: the catalogue is behind the documents: ", "full"]);
    job.check_documents(&undisturbed.documents(), "full");
    job.start_with(&full, &["index"]).end().assert_exit(15, "full").assert_stderr(&["error: ", "hint: "]);
    job.run(&FaultPlan::count()).assert_exit(0, "with room");
    assert!(holds(&job) == right);
}

#[test]
fn what_stands_is_what_is_found() {
    let job = documented();
    let json = job.out().join("cbl/ONE.cbl.json");
    let text = std::fs::read_to_string(&json).unwrap();
    std::fs::write(&json, text.replace("SUBONE", "MYOWN1")).unwrap();
    index(&job, &[]).assert_exit(0, "changed by hand").assert_stderr(&["indexed 4 documents (1 changed): "]);
    let changed = check_current(&job, "changed by hand");
    assert!(changed.of(ONE).iter().any(|row| row.contains(&"MYOWN1".to_owned())));
    index(&job, &[])
        .assert_exit(0, "once")
        .assert_stderr(&["indexed 4 documents (none changed): ", &format!("{} rows", changed.count())]);
    for (what, bytes, says) in [
        (
            "damaged",
            &text.as_bytes()[..text.len() / 2],
            "out/cbl/ONE.cbl.json: its document cannot be found: it is no document",
        ),
        (
            "another's",
            &std::fs::read(job.out().join("cbl/WIDE.cbl.json")).unwrap(),
            "it is the document of `cbl/WIDE.cbl`",
        ),
    ] {
        std::fs::write(&json, bytes).unwrap();
        index(&job, &[]).assert_exit(3, what).assert_stderr(&[says, "indexed 3 documents"]);
        let now = holds(&job);
        assert!(now.of(ONE).is_empty() && now.documents.len() == 3, "{what}");
        index(&job, &["--rebuild"]).assert_exit(3, what).assert_stderr(&[says, "indexed 3 documents anew: "]);
        assert!(holds(&job) == now, "{what}");
    }
    std::fs::remove_file(&json).unwrap();
    index(&job, &[])
        .assert_exit(3, "gone")
        .assert_stderr(&["1 document is not there: out/cbl/ONE.cbl.json", "`war-rig document`"]);
    job.run(&FaultPlan::count()).assert_exit(0, "written again");
    check_current(&job, "written again");
}

#[test]
fn the_rows_of_a_folder_that_is_out_of_reach_stay_until_all_is_made_anew() {
    let job = documented();
    job.start_with(&FaultPlan::count(), &["document", "src", "-o", "other"]).end().assert_exit(0, "another folder");
    let before = holds(&job);
    let away = job.place.path().join("away");
    std::fs::rename(job.out(), &away).unwrap();
    let rows = format!("indexed 8 documents (none changed): {} rows", before.count());
    let keeps =
        ["the folder `out` is gone or empty, and its 4 documents with it", "rows of 4 of them", "--rebuild", &rows];
    index(&job, &[]).assert_exit(3, "gone").assert_stderr(&keeps);
    assert!(holds(&job) == before, "gone");
    job.start_with(&FaultPlan::count(), &["document", "src", "-o", "other"]).end().assert_exit(0, "a run elsewhere");
    assert!(holds(&job) == before, "a run elsewhere");
    std::fs::create_dir(job.out()).unwrap();
    index(&job, &[]).assert_exit(3, "empty").assert_stderr(&keeps);
    assert!(holds(&job) == before, "empty");
    index(&job, &["--rebuild"])
        .assert_exit(3, "anew")
        .assert_stderr(&["`out` is gone or empty", "indexed 4 documents anew: "]);
    let anew = holds(&job);
    assert_eq!((anew.documents.len(), anew.count()), (4, before.count() / 2));
    index(&job, &[]).assert_exit(3, "after that").assert_stderr(&["`out` is gone or empty", "put it back and run"]);
    assert!(holds(&job) == anew, "after that");
    std::fs::remove_dir(job.out()).unwrap();
    std::fs::rename(&away, job.out()).unwrap();
    index(&job, &[]).assert_exit(0, "back").assert_stderr(&["indexed 8 documents (4 changed)"]);
    assert!(holds(&job) == before, "back");
}

#[test]
fn a_catalogue_that_cannot_be_kept_is_told_also_to_who_wants_errors_alone() {
    let job = documented();
    let documents = job.documents();
    put(&job, Some(&[b'x'; 4096]));
    for quiet in [&["-q"][..], &[]] {
        let run = job.run_more(&FaultPlan::count(), quiet);
        run.assert_exit(0, "foreign").assert_stderr(&[
            "error: the catalogue is behind the documents: `.war_rig/catalogue.db`: this is no catalogue of War Rig\n",
            "hint: the file is left as it is; move it away",
        ]);
    }
    assert!(job.documents() == documents);
    put(&job, None);
    assert_eq!(job.run_more(&FaultPlan::count(), &["-q"]).assert_exit(0, "none").err, "");
}

#[test]
fn a_store_from_before_there_was_a_catalogue_is_indexed_and_two_folders_do_not_meet() {
    let job = documented();
    let first = holds(&job);
    job.start_with(&FaultPlan::count(), &["document", "src", "-o", "other"]).end().assert_exit(0, "another folder");
    let both = holds(&job);
    assert_eq!(both.documents.len(), 2 * first.documents.len());
    put(&job, None);
    job.run(&FaultPlan::count()).assert_exit(0, "one of both");
    assert!(holds(&job) == both, "the documents of all folders are read");
    let elsewhere = ["document", "src", "-o", "third", "--state-dir", "elsewhere"];
    job.start_with(&FaultPlan::count(), &elsewhere).end().assert_exit(0, "another state folder");
    assert!(holds(&job) == both);
    assert_eq!(held(&job.place.path().join("elsewhere")).unwrap().documents.len(), first.documents.len());
}

#[test]
fn index_says_what_it_cannot_do() {
    let place = Sandbox::in_memory();
    small_estate(&place);
    let job = TestCommand::of_words(place, vec!["index".to_owned()]);
    index(&job, &[]).assert_exit(10, "no store").assert_stderr(&["there is no store", "hint: "]);
    assert!(!job.state().exists(), "nothing is made where there is no store");
    index(&job, &["src"]).assert_exit(2, "a word too many");
    index(&job, &["--rebuild=yes"]).assert_exit(2, "a value too many");
    let job = documented();
    assert_eq!(index(&job, &["-q", "--rebuild"]).assert_exit(0, "quiet").err, "");
    let elsewhere = index(&job, &["--state-dir", "nowhere"]);
    elsewhere.assert_exit(10, "another folder").assert_stderr(&["nowhere"]);
}

#[test]
fn other_commands_leave_it_alone() {
    let job = documented();
    put(&job, None);
    for words in ["check src --docs out", "status", "plan src", "facts src", "diff out out"] {
        let words: Vec<&str> = words.split(' ').collect();
        job.start_with(&FaultPlan::count(), &words).end().assert_exit(0, words[0]);
    }
    job.place.write("notes.txt", "TODO: nothing\n");
    let words = ["extract", "action-items", "What is to be done?", "--input", "notes.txt"];
    let extracted = job.start_with(&FaultPlan::count(), &words).end();
    assert!(extracted.code.is_some_and(|code| code != 1), "{}", extracted.err);
    job.start_with(&FaultPlan::count(), &["document", "src", "--dry-run"]).end().assert_exit(0, "a dry run");
    assert!(!job.state().join("catalogue.db").exists());
}

/// A run that has documented one program and waits for an answer about another one.
fn hanging() -> (TestCommand, FakeProvider, RunningProcess, Held) {
    Tokenizer::O200k.count("loaded");
    let first = FakeProvider::start(FakeOptions { latency: Latency::None, ..FakeOptions::default() });
    let job = asking(small_job("--jobs 1"), &first, 1);
    job.run(&FaultPlan::count()).assert_exit(0, "before");
    let before = holds(&job);
    drop(first);
    let script = FaultScript::always(CallFault::Silence);
    let silent = FakeProvider::start(FakeOptions { script, ..FakeOptions::default() });
    let job = job.variable("WAR_RIG_SCRIBE__BASE_URL", silent.base_url());
    // What is no COBOL asks nobody, and is documented meanwhile.
    job.place.write("src/cpy/RECORDS.cpy", "       01  RECORD-ONE.\n           05  RECORD-NUMBER PIC X(8).\n");
    std::fs::write(source(&job, ONE), small("ONE").replace("SUBONE", "SUBTWO")).unwrap();
    let mut run = job.start(&FaultPlan::count(), &[]);
    run.wait_for("a call", || !silent.log().calls.is_empty());
    (job, silent, run, before)
}

#[test]
fn whoever_looks_while_a_run_goes_on_sees_whole_documents() {
    let (job, _silent, run, before) = hanging();
    let during = holds(&job);
    for file in [ONE, "cbl/WIDE.cbl"] {
        assert_eq!(during.of(file), before.of(file), "{file} is as it was until its document is another");
    }
    for more in [&[] as &[&str], &["--rebuild"]] {
        index(&job, more).assert_exit(0, "beside a run").assert_stderr(&["indexed 4 documents"]);
        let beside = holds(&job);
        assert_eq!(beside.documents.len(), 4);
        assert_eq!(beside.of(ONE), before.of(ONE));
        assert_eq!(search(&job, &["paragraphs"]).lines().count(), beside.rows["paragraphs"].len());
        assert!(search(&job, &["calls", "SUBTWO"]).is_empty(), "nothing is found of what is not written yet");
    }
    run.signal("KILL");
    assert!(run.end().was_killed());
    index(&job, &[]).assert_exit(0, "behind the kill");
    check_current(&job, "behind the kill");
}

/// Whether a process takes this signal itself.
fn takes(process: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|caught| u64::from_str_radix(caught.trim(), 16).ok());
    caught.is_some_and(|caught| caught >> (signal - 1) & 1 == 1)
}

#[test]
fn index_that_is_interrupted_leaves_the_catalogue_as_it_was() {
    let job = documented();
    let before = holds(&job);
    let json = job.out().join("cbl/ONE.cbl.json");
    let text = std::fs::read_to_string(&json).unwrap();
    std::fs::write(&json, text.replace("SUBONE", "MYOWN1")).unwrap();
    for (more, signals) in [("--rebuild", 1), ("--rebuild", 2), ("", 2)] {
        // Another process writes, so that this one waits.
        let other = rusqlite::Connection::open(job.state().join("catalogue.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let words: Vec<&str> = ["index", more].into_iter().filter(|word| !word.is_empty()).collect();
        let mut run = job.start_with(&FaultPlan::count(), &words);
        let process = run.id();
        run.wait_for("its ears", || takes(process, 2));
        for _ in 0..signals {
            run.signal("INT");
            std::thread::sleep(Duration::from_millis(50));
        }
        if signals == 1 {
            other.execute_batch("ROLLBACK").unwrap();
        }
        let run = run.end();
        run.assert_exit(130, more).assert_stderr(&["error: ", "interrupted", "hint: "]);
        drop(other);
        assert!(holds(&job) == before, "{more}, {signals} signals");
    }
    index(&job, &[]).assert_exit(0, "again").assert_stderr(&["(1 changed)"]);
    check_current(&job, "again");
}

#[test]
fn a_catalogue_of_wide_programs_is_written_in_pieces() {
    // More documents than are written with one commit, and more than may wait.
    let place = Sandbox::in_memory();
    let sources = small_estate(&place);
    for number in 0..150 {
        place.write(&format!("src/many/M{number:03}.cbl"), small(&format!("M{number:03}")));
    }
    place.write("src/many/WIDER.cbl", wide("WIDER", 400));
    let job = TestCommand::in_place(place, &sources, "--jobs 4").variable("WAR_RIG_SCRIBE__ENCODING", "heuristic");
    job.run(&FaultPlan::count()).assert_exit(0, "many");
    let held = check_current(&job, "many");
    assert_eq!(held.documents.len(), 155);
    for file in ["many/M000.cbl", "many/M149.cbl"] {
        assert!(!held.of(file).is_empty(), "{file}");
    }
    assert!(Path::new(&job.state().join("catalogue.db")).exists());
}

#[test]
fn a_catalogue_that_lacks_nothing_is_not_written_to() {
    let job = documented();
    let connection = rusqlite::Connection::open(job.state().join("catalogue.db")).unwrap();
    // Whoever would write now waits, and gives up.
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    index(&job, &[]).assert_exit(0, "nothing is to be written").assert_stderr(&["(none changed)"]);
}
