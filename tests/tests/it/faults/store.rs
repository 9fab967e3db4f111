//! Stores that are damaged, cut off, foreign or of another version.

use super::{Files, asked};
use crate::crash::{asking, check_rows, fake, small_job};
use std::sync::atomic::{AtomicUsize, Ordering};
use war_rig_tests::crash::{FaultPlan, ProcessResult, Seed, TestCommand, cases};
use war_rig_tests::fake::{FakeProvider, Latency};

const DATABASE: &str = "war_rig.db";
const LOG: &str = "war_rig.db-wal";

/// Asserts that a store was refused and left as it was, and nothing else done.
#[track_caller]
fn check_refused(job: &TestCommand, run: &ProcessResult, state: &Files, what: &str) {
    run.assert_exit(10, what).assert_stderr(&["error: ", DATABASE, "hint: "]);
    let now = job.kept_state();
    assert!(now[DATABASE] == state[DATABASE], "{what}: the store was changed");
    if let Some(log) = state.get(LOG) {
        assert!(now.get(LOG) == Some(log), "{what}: the store's log was changed");
    }
}

/// Asserts what becomes of a store with these bytes: it is refused by every command and stays as it is.
#[track_caller]
fn refuses(job: &TestCommand, fake: &FakeProvider, bytes: Vec<u8>, what: &str) {
    let (documents, calls) = (job.documents(), fake.log().calls.len());
    let mut state = job.kept_state();
    state.retain(|name, _| !name.starts_with(DATABASE));
    state.insert(DATABASE.to_owned(), bytes);
    job.put_state(&state);
    check_refused(job, &job.run(&FaultPlan::count()), &state, what);
    check_refused(job, &job.run_more(&FaultPlan::count(), &["--force"]), &state, what);
    check_refused(job, &job.status(), &state, what);
    assert_eq!(fake.log().calls.len(), calls, "{what}: a call was made");
    assert!(job.documents() == documents, "{what}: a document was changed");
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let (job, fake) = asked();
    let mut bytes = std::fs::read(job.store()).unwrap();
    // PRAGMA user_version, big-endian in the file's head.
    bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
    refuses(&job, &fake, bytes, "newer");
    job.run(&FaultPlan::count()).assert_exit(10, "newer").assert_stderr(&["9999"]);
}

#[test]
fn what_is_no_store_is_left_alone() {
    let (job, fake) = asked();
    let whole = std::fs::read(job.store()).unwrap();
    refuses(&job, &fake, b"my own notes\n".to_vec(), "text");
    refuses(&job, &fake, vec![0; 8192], "zeros");
    let mut random = fastrand::Rng::with_seed(7);
    refuses(&job, &fake, (0..20_000).map(|_| random.u8(..)).collect(), "noise");
    let foreign = job.place.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup');").unwrap();
    drop(connection);
    refuses(&job, &fake, std::fs::read(foreign).unwrap(), "another program's");
    job.put_state(&[(DATABASE.to_owned(), whole)].into());
    job.run(&FaultPlan::count()).assert_exit(0, "its own again");
}

#[test]
fn a_store_that_was_cut_off_is_left_alone() {
    let (job, fake) = asked();
    let whole = std::fs::read(job.store()).unwrap();
    for length in [0, 1, 15, 16, 100, 512, 4095, 4096, 5000, 8192, whole.len() / 2, whole.len() - 4096] {
        refuses(&job, &fake, whole[..length].to_vec(), &format!("{length} bytes of {}", whole.len()));
    }
}

#[test]
fn a_store_that_lacks_its_last_bytes_is_refused_or_whole_all_the_same() {
    let (job, fake) = asked();
    let (right, whole) = (job.documents(), job.kept_state());
    for lacking in [1, 2, 100, 1000, 4000] {
        let mut cut = whole.clone();
        let length = cut[DATABASE].len() - lacking;
        cut.get_mut(DATABASE).unwrap().truncate(length);
        judged(&job, &fake, &right, &cut, false, &format!("without the last {lacking} bytes"));
    }
}

/// Puts a damaged store there and asks for all documents anew: either the store is refused, or they are what they were, without a call
/// unless some may have been forgotten. Gives whether it was refused.
#[track_caller]
fn judged(
    job: &TestCommand,
    fake: &FakeProvider,
    right: &Files,
    damaged: &Files,
    may_forget: bool,
    what: &str,
) -> bool {
    let calls = fake.log().calls.len();
    job.put_state(damaged);
    job.remove_documents();
    let run = job.run(&FaultPlan::count());
    let made = fake.log().calls.len() - calls;
    if run.code == Some(10) {
        run.assert_stderr(&["error: ", DATABASE, "hint: "]);
        assert_eq!(made, 0, "{what}: refused, and a call made");
        job.check_known_documents(right, what);
        return true;
    }
    if run.code == Some(15) && run.err.contains("readonly database") {
        // So SQLite takes a file whose head says that it has a form of the future.
        assert_eq!((made, &job.kept_state()[DATABASE]), (0, &damaged[DATABASE]), "{what}: {}", run.err);
        return true;
    }
    run.assert_exit(0, what);
    job.check_documents(right, what);
    assert!(made == 0 || may_forget, "{what}: {made} calls paid for again");
    let status = job.status();
    // What is told of the past may be damaged and decide nothing.
    if status.code == Some(10) {
        status.assert_stderr(&["error: ", DATABASE, "hint: "]);
        return true;
    }
    check_rows(job, right, what);
    false
}

/// The same with a bit that is flipped.
#[track_caller]
fn flipped(job: &TestCommand, fake: &FakeProvider, right: &Files, state: &Files, file: &str, bit: usize) -> bool {
    let mut damaged = state.clone();
    damaged.get_mut(file).unwrap()[bit / 8] ^= 1 << (bit % 8);
    let what = format!("bit {} of byte {} of {file}", bit % 8, bit / 8);
    // SQLite reads a log up to the first change that does not have its checksum. What was answered behind it is asked again.
    judged(job, fake, right, &damaged, file == LOG, &what)
}

/// Flips so many bits, on several stores at a time. `is_killed` is whether the run that made the store was killed at its end, so that
/// its log is still there.
fn flip(file: &str, flips: usize, is_killed: bool) {
    let seed = Seed::any();
    let refused = AtomicUsize::new(0);
    let threads: Vec<u64> = (0..3).collect();
    war_rig_tests::crash::on_all_cores(&threads, |thread| {
        let fake = fake(Latency::None);
        let job = asking(small_job("--jobs 1"), &fake, 1);
        let (right, _) = asked();
        let right = right.documents();
        if is_killed {
            // The log lives as long as nobody closes the store.
            let mut counted = small_job("--jobs 1").run(&FaultPlan::count()).steps.len();
            while !job.run(&FaultPlan::kill_at(counted)).was_killed() {
                counted -= 1;
            }
        } else {
            job.run(&FaultPlan::count()).assert_exit(0, "the first run");
        }
        let state = job.kept_state();
        let length = state.get(file).map_or(0, Vec::len);
        assert!(length > 4096, "{file} has {length} bytes");
        let mut random = fastrand::Rng::with_seed(seed.0.wrapping_add(*thread));
        for number in 0..flips.div_ceil(3) {
            // The head of the file and of each page decide more than what fills them.
            let byte = match number % 3 {
                0 => random.usize(..100),
                1 => (random.usize(..length / 4096) * 4096 + random.usize(..64)).min(length - 1),
                _ => random.usize(..length),
            };
            if flipped(&job, &fake, &right, &state, file, byte * 8 + random.usize(..8)) {
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    assert!(is_killed || refused.into_inner() > 0, "no flip was found");
}

#[test]
fn a_flipped_bit_of_a_store_never_makes_another_document() {
    flip(DATABASE, cases(30), false);
}

#[test]
fn a_flipped_bit_of_a_stores_log_never_makes_another_document() {
    flip(LOG, cases(15), true);
}
