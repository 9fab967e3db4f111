//! Clocks that jump, and sources that change while they are worked on.

use super::asked;
use crate::crash::{asking, check_rows, fake, small_job};
use crate::programs::{small, wide};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use war_rig_tests::crash::{FaultPlan, SyscallKind, TestCommand};
use war_rig_tests::fake::Latency;

const DAY: i64 = 86_400;

/// Which files the documents of sources are: a file that is written again is another one.
fn identities(job: &TestCommand) -> BTreeMap<String, u64> {
    let documents = job.documents().into_keys().filter(|name| name.contains('/'));
    documents.map(|name| (name.clone(), std::fs::metadata(job.out().join(name)).unwrap().ino())).collect()
}

#[test]
fn nothing_is_done_again_when_the_clock_jumps() {
    let (job, fake) = asked();
    let (documents, files, calls) = (job.documents(), identities(&job), fake.log().calls.len());
    for days in [-1, 3, -400, 400, 20_000, 0] {
        let what = format!("{days} days");
        job.run(&FaultPlan::clock(days * DAY)).assert_exit(0, &what);
        assert_eq!(fake.log().calls.len(), calls, "{what}");
        assert_eq!(identities(&job), files, "{what}: a document was written again");
        job.check_documents(&documents, &what);
        check_rows(&job, &documents, &what);
    }
}

#[test]
fn nothing_is_lost_when_the_clock_jumps_between_a_kill_and_the_rerun() {
    let (right, undisturbed) = asked();
    let calls = undisturbed.log().calls.len();
    let fake = fake(Latency::None);
    let job = asking(small_job("--jobs 1"), &fake, 1);
    // Every run goes on for two more calls, at another time of another year.
    for (number, days) in [5, -5, 300, -3000].into_iter().enumerate() {
        let plan = FaultPlan::kill_at(3).only(SyscallKind::Send).and(&FaultPlan::clock(days * DAY));
        let run = job.run(&plan);
        assert!(run.was_killed() || run.code == Some(0), "{days} days: {}", run.err);
        assert!(fake.log().calls.len() <= calls, "{days} days");
        assert!(fake.log().calls.len() >= (2 * (number + 1)).min(calls), "{days} days: nothing new");
    }
    job.run(&FaultPlan::clock(-DAY)).assert_exit(0, "the last run");
    assert_eq!(fake.log().calls.len(), calls);
    job.check_documents(&right.documents(), "at other times");
    check_rows(&job, &right.documents(), "at other times");
}

#[test]
fn a_source_that_was_only_touched_is_not_done_again() {
    let (job, fake) = asked();
    let (files, calls) = (identities(&job), fake.log().calls.len());
    for name in ["cbl/ONE.cbl", "cbl/WIDE.cbl", "cpy/RECORDS.cpy"] {
        let path = job.place.path().join("src").join(name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    job.run(&FaultPlan::count()).assert_exit(0, "touched");
    assert_eq!((identities(&job), fake.log().calls.len()), (files, calls));
}

#[test]
fn a_source_that_changes_in_flight_is_documented_as_it_is_in_the_end() {
    let changes: [(&str, String); 2] = [("src/cbl/ONE.cbl", small("CHANGED")), ("src/cbl/WIDE.cbl", wide("WIDE", 75))];
    for (changed, text) in changes {
        let fake = fake(Latency::Fixed(Duration::from_millis(400)));
        let job = asking(small_job("--jobs 4"), &fake, 4);
        let mut run = job.start(&FaultPlan::count(), &[]);
        let name = changed.trim_start_matches("src/");
        run.wait_for("its call", || fake.log().calls.iter().any(|call| call.file == name));
        job.place.write(changed, &text);
        run.end().assert_exit(0, changed);
        let other = {
            let quick = crate::crash::fake(Latency::None);
            let job = asking(small_job("--jobs 4"), &quick, 4);
            job.place.write(changed, &text);
            job.run(&FaultPlan::count()).assert_exit(0, "undisturbed");
            job.documents()
        };
        job.check_documents(&other, changed);
        check_rows(&job, &other, changed);
        let calls = fake.log().calls.len();
        job.run(&FaultPlan::count()).assert_exit(0, "up to date");
        assert_eq!(fake.log().calls.len(), calls, "{changed} is up to date");
    }
}

#[test]
fn a_source_that_vanishes_in_flight_fails_alone() {
    let fake = fake(Latency::Fixed(Duration::from_millis(400)));
    let job = asking(small_job("--jobs 4"), &fake, 4);
    let mut run = job.start(&FaultPlan::count(), &[]);
    run.wait_for("its call", || fake.log().calls.iter().any(|call| call.file == "cbl/ONE.cbl"));
    std::fs::remove_file(job.place.path().join("src/cbl/ONE.cbl")).unwrap();
    let run = run.end();
    assert!(matches!(run.code, Some(0 | 3)), "{:?} {}", run.code, run.err);
    assert!(job.out().join("cbl/WIDE.cbl.json").exists());
    job.run_more(&FaultPlan::count(), &["--prune"]).assert_exit(0, "without it");
    assert!(!job.out().join("cbl/ONE.cbl.json").exists());
    check_rows(&job, &job.documents(), "without it");
}
