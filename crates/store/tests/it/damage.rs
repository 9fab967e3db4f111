//! A bit that has flipped is found, or makes no difference.

use crate::support::{OUTPUT, answered, begun, call, clock, done, finished, folder, hash, key, opened, source, wait};
use std::fs;
use std::path::Path;
use war_rig_llm::{CallLog, CallLogErrorKind};
use war_rig_pool::{BuildRecord, FinishedTicket, OpenTicket, Store, StoreError, TicketState};
use war_rig_store::{Database, NewRun, OpenErrorKind, STORE_FILE};

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

/// A store with rows in every table.
fn sample(folder: &Path) {
    let (database, output, run) = begun(folder);
    let files = ["cbl/A.cbl", "cbl/B.cbl", "cbl/C.cbl", "cbl/D.cbl", "cbl/E.cbl"];
    output.open(&files.map(opened)).unwrap();
    for file in &files {
        output.begin(file).unwrap();
    }
    for text in KEYS {
        let number = wait(output.record_call(call(key(text, 1), "cbl/A.cbl"))).unwrap();
        wait(output.record_outcome(number, answered(key(text, 1), &format!("the answer to {text}. ").repeat(99)), 0))
            .unwrap();
    }
    let useless = vec![key("d", 1).question];
    let partial =
        FinishedTicket { unusable_questions: useless, ..finished(files[0], TicketState::Partial, "lines 3-9 failed") };
    output.finish(&[partial, done(files[1]), done(files[2]), done(files[3])]).unwrap();
    output.open(&[OpenTicket { answers_since: Some(2), ..opened(files[3]) }]).unwrap();
    let survey = |file: &str| Some(format!("{{\"of\":\"{file}\",\"names\":\"{}\"}}", "CUSTOMER ".repeat(700)));
    let kept = files.map(|file| (source(file), survey(file)));
    output.save_sources(&kept).unwrap();
    output.save_sources(&[(source("cpy/X.cpy"), None)]).unwrap();
    database.save_window_estimate(run, "{\"ratio\":1.5}").unwrap();
}

/// All that steers a run, as one text. What a document was last held against is left out: a wrong one costs a look.
fn steering(folder: &Path) -> Result<String, String> {
    let told = |error: StoreError| match error.is_damaged {
        true => "damaged".to_owned(),
        false => format!("no damage: {error}"),
    };
    let database = Database::open(folder, clock()).map_err(|error| match error.kind {
        OpenErrorKind::Damaged(_) | OpenErrorKind::Foreign | OpenErrorKind::Newer { .. } => "damaged".to_owned(),
        _ => format!("no damage: {error}"),
    })?;
    let output = database.for_output(OUTPUT, 1);
    let mut tickets = output.tickets().map_err(told)?;
    for ticket in &mut tickets {
        let made = ticket.build_record.take();
        ticket.build_record = made.map(|made| BuildRecord { estate_hash: hash(""), ..made });
    }
    let mut text = format!("{tickets:?} {:?} ", output.sources().map_err(told)?);
    for ticket in &tickets {
        text += &format!("{:?} ", output.chunks(&ticket.file).map_err(told)?);
    }
    output.surveys(&mut |file, survey| text += &format!("{file} {survey} ")).map_err(told)?;
    for name in KEYS {
        let found = wait(output.find_answer(key(name, 1), 0));
        let told = |error: war_rig_llm::CallLogError| match error.kind == CallLogErrorKind::Damaged {
            true => "damaged".to_owned(),
            false => format!("no damage: {error}"),
        };
        text += &format!("{:?} ", found.map_err(told)?);
    }
    text += &output.last_answer_position().map_err(told)?.to_string();
    let run = NewRun { output: OUTPUT.to_owned(), command: Vec::new(), scribe: String::new() };
    text += &format!("{:?}", database.begin_run(run).map_err(told)?.window_estimate);
    Ok(text)
}

/// How many bits are flipped: each in a copy of its own.
fn cases() -> usize {
    std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

#[test]
fn a_bit_that_has_flipped_is_found_or_makes_no_difference() {
    let whole = folder();
    sample(whole.path());
    let bytes = fs::read(whole.path().join(STORE_FILE)).unwrap();
    let expected = steering(whole.path()).unwrap();
    // Most of a page is room that nothing stands in, so a byte that has something is looked for.
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut found = 0;
    for _ in 0..cases() {
        let at = (0..9).map(|_| next(bytes.len())).find(|at| bytes[*at] != 0).unwrap_or(0);
        let bit = next(8);
        let copy = folder();
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << bit;
        fs::write(copy.path().join(STORE_FILE), damaged).unwrap();
        match steering(copy.path()) {
            Ok(text) => assert!(text == expected, "byte {at} bit {bit} makes an unseen difference"),
            Err(told) => {
                assert_eq!(told, "damaged", "byte {at} bit {bit}");
                found += 1;
            }
        }
    }
    assert!(found * 2 > cases(), "{found} of {} were found", cases());
}

#[test]
fn a_store_that_was_cut_off_is_found() {
    let whole = folder();
    sample(whole.path());
    let bytes = fs::read(whole.path().join(STORE_FILE)).unwrap();
    for length in (0..bytes.len()).step_by(4096).chain([99, 100, 4000, bytes.len() - 1]) {
        let copy = folder();
        fs::write(copy.path().join(STORE_FILE), &bytes[..length]).unwrap();
        assert_eq!(steering(copy.path()).unwrap_err(), "damaged", "{length} bytes");
        assert_eq!(fs::read(copy.path().join(STORE_FILE)).unwrap().len(), length, "it is left as it is");
    }
}

#[test]
fn a_survey_that_is_gone_is_missed() {
    let folder = folder();
    sample(folder.path());
    let store = rusqlite::Connection::open(folder.path().join(STORE_FILE)).unwrap();
    store.execute_batch("DELETE FROM surveys WHERE source = 3").unwrap();
    drop(store);
    let database = Database::open(folder.path(), clock()).unwrap();
    let failed = database.for_output(OUTPUT, 1).surveys(&mut |_, _| {}).unwrap_err();
    assert!(failed.is_damaged && failed.message.ends_with("the survey of `cbl/C.cbl` is gone"), "{failed}");
}

#[test]
fn a_row_that_was_changed_by_hand_is_found() {
    for (change, row) in [
        ("UPDATE tickets SET attempts = 9 WHERE file = 'cbl/B.cbl'", "the ticket of `cbl/B.cbl`"),
        ("UPDATE tickets SET file = 'cbl/BB.cbl' WHERE file = 'cbl/B.cbl'", "the ticket of `cbl/BB.cbl`"),
        ("UPDATE tickets SET inputs = NULL WHERE file = 'cbl/B.cbl'", "the ticket of `cbl/B.cbl`"),
        ("UPDATE tickets SET files = '[]' WHERE file = 'cbl/B.cbl'", "the ticket of `cbl/B.cbl`"),
    ] {
        let folder = folder();
        sample(folder.path());
        let store = rusqlite::Connection::open(folder.path().join(STORE_FILE)).unwrap();
        store.execute_batch(change).unwrap();
        drop(store);
        let database = Database::open(folder.path(), clock()).unwrap();
        let failed = database.for_output(OUTPUT, 1).tickets().unwrap_err();
        let expected = format!(
            "`{}`: {row} is not what was put there: its checksum is wrong",
            folder.path().join(STORE_FILE).display()
        );
        assert_eq!((failed.message, failed.is_damaged), (expected, true), "{change}");
    }
}

#[test]
fn a_log_that_is_damaged_is_read_up_to_there() {
    let whole = folder();
    let (database, output, _) = begun(whole.path());
    output.open(&["A", "B"].map(opened)).unwrap();
    for _ in 0..20 {
        output.begin("A").unwrap();
    }
    let (store, log) = (STORE_FILE.to_owned(), format!("{STORE_FILE}-wal"));
    let [store_bytes, log_bytes] = [&store, &log].map(|name| fs::read(whole.path().join(name)).unwrap());
    let mut seen = std::collections::BTreeSet::new();
    for at in (0..log_bytes.len()).step_by(log_bytes.len() / 60) {
        let copy = folder();
        let mut damaged = log_bytes.clone();
        damaged[at] ^= 4;
        fs::write(copy.path().join(&store), &store_bytes).unwrap();
        fs::write(copy.path().join(&log), damaged).unwrap();
        let again = Database::open(copy.path(), clock()).unwrap();
        let tickets = again.for_output(OUTPUT, 1).tickets().unwrap();
        // One of the states that were, and what is written now follows on it.
        assert!(matches!(tickets.len(), 0 | 2), "{at}");
        let attempts = tickets.first().map(|ticket| ticket.attempts);
        assert!(attempts.is_none_or(|attempts| attempts <= 20), "{at}");
        seen.insert(attempts);
        again.begin_run(crate::support::new_run(OUTPUT)).unwrap();
    }
    assert!(seen.len() > 10, "{seen:?}");
    drop((database, output));
}
