//! Tickets, chunks and sources are there again when the store is opened again.

use crate::support::{OUTPUT, begun, chunk, done, finished, folder, hash, made, new_run, open, opened, source};
use std::path::Path;
use std::sync::Arc;
use war_rig_pool::{
    AttemptPolicy, BuildRecord, CopybookLookup, FinishedTicket, OpenTicket, Store, StoredTicket, TicketState,
};
use war_rig_store::{OutputStore, StatusQuery, StoreReader};

/// Has something written, then reads all tickets of a store that was opened anew.
fn check(write: impl FnOnce(&Arc<OutputStore>), expected: &[StoredTicket]) {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    write(&output);
    assert_eq!(output.tickets().unwrap(), expected);
    drop((database, output));
    assert_eq!(open(folder.path()).for_output(OUTPUT, run).tickets().unwrap(), expected);
    assert!(!Path::new(&folder.path().join("war_rig.db-wal")).exists(), "the log is taken over at the end");
}

fn kept(file: &str, state: TicketState, reason: &str, attempts: u32) -> StoredTicket {
    StoredTicket {
        file: file.to_owned(),
        base: "src".to_owned(),
        state,
        reason: reason.to_owned(),
        attempts,
        answers_since: 0,
        build_record: None,
    }
}

#[test]
fn tickets_come_in_the_order_of_their_files() {
    let files = ["cbl/B.cbl", "cbl/A.cbl", "cbl/a.cbl", "cbl/Ä.cbl"];
    check(
        |output| output.open(&files.map(opened)).unwrap(),
        &["cbl/A.cbl", "cbl/B.cbl", "cbl/a.cbl", "cbl/Ä.cbl"].map(|file| kept(file, TicketState::Pending, "new", 0)),
    );
}

#[test]
fn an_attempt_is_counted_when_it_begins_and_forgotten_when_it_ends() {
    check(
        |output| {
            output.open(&["A", "B", "C"].map(opened)).unwrap();
            for file in ["A", "A", "B", "B", "C"] {
                output.begin(file).unwrap();
            }
            output.finish(&[finished("B", TicketState::Failed, "line 3 is too long")]).unwrap();
            output
                .open(&[OpenTicket { attempts: AttemptPolicy::Reset, answers_since: Some(4), ..opened("C") }])
                .unwrap();
        },
        &[
            kept("A", TicketState::Writing, "new", 2),
            kept("B", TicketState::Failed, "line 3 is too long", 0),
            StoredTicket { answers_since: 4, ..kept("C", TicketState::Pending, "new", 0) },
        ],
    );
}

#[test]
fn what_a_document_was_made_from_stays_until_it_is_replaced() {
    check(
        |output| {
            output.open(&["A", "B"].map(opened)).unwrap();
            output.finish(&["A", "B"].map(done)).unwrap();
            output.confirm_estate(hash("new estate"), &["A", "none such"]).unwrap();
            output.open(&[OpenTicket { reason: "the source has changed".to_owned(), ..opened("B") }]).unwrap();
            output.begin("B").unwrap();
            assert_eq!(output.chunks("B").unwrap(), [chunk("B"), chunk("other")]);
            output.finish(&[finished("B", TicketState::Pending, "given back")]).unwrap();
        },
        &[
            StoredTicket {
                build_record: Some(BuildRecord { estate_hash: hash("new estate"), ..made("A") }),
                ..kept("A", TicketState::Done, "written", 0)
            },
            StoredTicket { build_record: Some(made("B")), ..kept("B", TicketState::Pending, "given back", 0) },
        ],
    );
}

#[test]
fn tickets_are_finished_together_or_not_at_all() {
    check(
        |output| {
            output.open(&[opened("A")]).unwrap();
            let failed = output.finish(&["A", "none such"].map(done)).unwrap_err();
            assert!(!failed.is_damaged);
            assert!(failed.message.ends_with("war_rig.db`: there is no ticket of `none such`"), "{failed}");
            assert_eq!(output.chunks("A").unwrap(), []);
            assert!(output.begin("none such").is_err());
        },
        &[kept("A", TicketState::Pending, "new", 0)],
    );
}

#[test]
fn a_ticket_that_is_forgotten_leaves_nothing() {
    check(
        |output| {
            output.open(&["A", "B"].map(opened)).unwrap();
            output.finish(&["A", "B"].map(done)).unwrap();
            output.forget(&["A", "none such"]).unwrap();
            assert_eq!(output.chunks("A").unwrap(), []);
            output.open(&[opened("A")]).unwrap();
            output.finish(&[FinishedTicket { chunks: Some(Vec::new()), ..done("B") }]).unwrap();
            assert_eq!(output.chunks("B").unwrap(), []);
        },
        &[
            kept("A", TicketState::Pending, "new", 0),
            StoredTicket { build_record: Some(made("B")), ..kept("B", TicketState::Done, "written", 0) },
        ],
    );
}

#[test]
fn output_folders_know_nothing_of_each_other() {
    let folder = folder();
    let (database, first, run) = begun(folder.path());
    let second = database.for_output("other", run);
    first.open(&[opened("A")]).unwrap();
    assert_eq!(second.tickets().unwrap(), []);
    second.open(&[opened("A")]).unwrap();
    second.begin("A").unwrap();
    assert_eq!(first.tickets().unwrap(), [kept("A", TicketState::Pending, "new", 0)]);
    let runs = |output| {
        let status = StoreReader::open(folder.path()).unwrap().status(StatusQuery { output, history: false }).unwrap();
        status.runs.len()
    };
    database.begin_run(new_run("other")).unwrap();
    assert_eq!((runs(Some("other")), runs(Some(OUTPUT)), runs(None)), (1, 1, 2));
}

#[test]
fn sources_are_known_again_with_their_surveys() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    let lookups = vec![CopybookLookup {
        name: "CVACT01Y".to_owned(),
        library: None,
        found: Some(("cpy/CVACT01Y.cpy".to_owned(), hash("copybook"))),
        masked: None,
        passed_over: vec!["old/CVACT01Y.cpy".to_owned()],
        is_source: true,
    }];
    let first = war_rig_pool::StoredSource { lookups, ..source("B") };
    let kept = [
        (first.clone(), Some("{\"b\":1}".to_owned())),
        (source("C"), None),
        (source("A"), Some("{}".to_owned())),
        (source("D"), Some("{}".to_owned())),
    ];
    output.save_sources(&kept).unwrap();
    let changed = war_rig_pool::StoredSource { hash: hash("other bytes"), ..source("A") };
    output.save_sources(&[(changed.clone(), Some("{\"a\":2}".to_owned())), (source("B2"), None)]).unwrap();
    output.forget_sources(&["D", "none such"]).unwrap();
    drop((database, output));
    let output = open(folder.path()).for_output(OUTPUT, run);
    assert_eq!(output.sources().unwrap(), [changed, first, source("B2"), source("C")]);
    let mut surveys = Vec::new();
    output.surveys(&mut |file, survey| surveys.push((file.to_owned(), survey.to_owned()))).unwrap();
    assert_eq!(surveys, [("A", "{\"a\":2}"), ("B", "{\"b\":1}")].map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn whoever_looks_sees_the_documents_of_all_folders() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    let reader = StoreReader::open(folder.path()).unwrap();
    assert_eq!(reader.documents().unwrap(), []);
    output.open(&["B", "A", "skipped", "failed", "again"].map(opened)).unwrap();
    let skipped = FinishedTicket {
        build_record: Some(BuildRecord { files: Vec::new(), ..made("skipped") }),
        ..finished("skipped", TicketState::Skipped, "no text")
    };
    let failed = finished("failed", TicketState::Failed, "line 3 is too long");
    output.finish(&[done("B"), done("A"), done("again"), skipped, failed]).unwrap();
    // One that is worked on again has its document still.
    output.open(&[opened("again")]).unwrap();
    let other = database.for_output("a", run);
    other.open(&[opened("C")]).unwrap();
    other.finish(&[done("C")]).unwrap();
    let documents = reader.documents().unwrap();
    let names: Vec<_> = documents.iter().map(|document| (document.output.as_str(), document.file.as_str())).collect();
    assert_eq!(names, [("a", "C"), (OUTPUT, "A"), (OUTPUT, "B"), (OUTPUT, "again")]);
    assert_eq!(documents[1].json, made("A").files[0]);
}
