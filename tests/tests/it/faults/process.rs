//! Two processes on one store, and tickets that kill their worker.

use super::asked;
use crate::crash::{BUDGET, asking, check_rows, fake, rows, small_estate, small_job};
use crate::kept;
use crate::programs::small;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use war_rig_tests::Sandbox;
use war_rig_tests::crash::{FaultPlan, SyscallKind, TestCommand};
use war_rig_tests::fake::{CallFault, FakeOptions, FakeProvider, FaultScript, Latency, Tokenizer};

#[test]
fn a_second_process_is_turned_away_and_readers_are_let_in() {
    let fake = fake(Latency::Fixed(Duration::from_millis(300)));
    let job = asking(small_job("--jobs 1"), &fake, 1);
    let mut first = job.start(&FaultPlan::count(), &[]);
    first.wait_for("a call", || !fake.log().calls.is_empty());
    let calls = fake.log().calls.len();
    let second = job.run(&FaultPlan::count());
    second.assert_exit(11, "the second").assert_stderr(&["error: ", &first.id().to_string(), ".war_rig", "hint: "]);
    assert!(second.steps.iter().all(|step| step.kind != SyscallKind::Send), "the second has made a call");
    let status = job.status();
    let told = rows(&status.assert_exit(0, "a reader").json());
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told.iter().any(|row| row.1 != "done"), "{told:?}");
    assert!(!first.has_ended(), "the first was to go on for a while");
    let first = first.end();
    first.assert_exit(0, "the first");
    let (right, undisturbed) = asked();
    assert!(calls < undisturbed.log().calls.len());
    assert_eq!(fake.log().calls.len(), undisturbed.log().calls.len());
    job.check_documents(&right.documents(), "with a second process");
    // A lock is held by a process and not by a file that was left behind.
    job.run(&FaultPlan::count()).assert_exit(0, "once the first has ended");
}

#[test]
fn two_stores_need_no_turns() {
    let fake = fake(Latency::Fixed(Duration::from_millis(300)));
    let job = asking(small_job("--jobs 1"), &fake, 1);
    let mut first = job.start(&FaultPlan::count(), &[]);
    first.wait_for("a call", || !fake.log().calls.is_empty());
    let sources = job.place.path().join("src").display().to_string();
    let words = ["document", &sources, "-o", "other", "--state-dir", "other-state", "--scribe", "static"];
    job.start_with(&FaultPlan::count(), &words).end().assert_exit(0, "with a store of its own");
    assert!(!first.has_ended());
    first.end().assert_exit(0, "the first");
}

/// An estate with a program that no answer comes for while the flag is set.
fn with_poison() -> (TestCommand, FakeProvider, Arc<AtomicBool>) {
    let place = Sandbox::in_memory();
    let sources = small_estate(&place);
    place.write("src/bad/POISON.cbl", small("POISON"));
    Tokenizer::O200k.count("loaded");
    let is_bad = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&is_bad);
    let script = FaultScript::when(move |asked| {
        (asked.file == "bad/POISON.cbl" && flag.load(Ordering::Relaxed)).then_some(CallFault::Silence)
    });
    let fake = FakeProvider::start(FakeOptions { script, budget: Some(BUDGET), ..FakeOptions::default() });
    let job = asking(TestCommand::in_place(place, &sources, "--jobs 5"), &fake, 4);
    (job, fake, is_bad)
}

fn count(fake: &FakeProvider, file: &str) -> usize {
    fake.log().calls.iter().filter(|call| call.file == file).count()
}

#[test]
fn a_ticket_that_was_waited_for_when_its_process_died_is_not_set_aside() {
    let (job, fake, is_bad) = with_poison();
    for attempt in 1..=5 {
        let mut run = job.start(&FaultPlan::count(), &[]);
        run.wait_for("the call in flight", || count(&fake, "bad/POISON.cbl") == attempt);
        run.kill_after(Duration::from_millis(100));
        let kept = kept::tickets(&job);
        let poison = kept.iter().find(|ticket| ticket.file == "bad/POISON.cbl").unwrap();
        assert_eq!(poison.attempts, 1, "{kept:?}");
    }
    is_bad.store(false, Ordering::Relaxed);
    job.run(&FaultPlan::count()).assert_exit(0, "once it is answered");
    assert_eq!(count(&fake, "bad/POISON.cbl"), 6);
    check_rows(&job, &job.documents().into_iter().filter(|file| file.0.contains('/')).collect(), "answered");
}

#[test]
fn a_ticket_that_kills_its_worker_is_set_aside_until_it_is_tried_again() {
    let (job, fake, is_bad) = with_poison();
    is_bad.store(false, Ordering::Relaxed);
    let deadly = || FaultPlan::kill_at(1).only(SyscallKind::Rename).under(&job.out().join("bad"));
    for attempt in 1..=3 {
        let run = job.run(&deadly());
        assert!(run.was_killed(), "run {attempt}: {}", run.err);
    }
    let run = job.run(&deadly());
    run.assert_exit(3, "the fourth run").assert_stderr(&["bad/POISON.cbl", "--retry-failed tries it again"]);
    let status = job.status();
    for (file, state) in rows(&status.assert_exit(0, "set aside").json()) {
        assert_eq!(state, if file == "bad/POISON.cbl" { "failed" } else { "done" }, "{file}");
    }
    for file in ["cbl/ONE.cbl", "cbl/COPIES.cbl", "cbl/WIDE.cbl"] {
        assert!(job.out().join(format!("{file}.json")).exists(), "{file}");
    }
    // A rerun does not try it either, and says so as well.
    job.run(&FaultPlan::count()).assert_exit(3, "the fifth run").assert_stderr(&["bad/POISON.cbl"]);
    let told = job.place.run(["status", "--state-dir", ".war_rig"]);
    told.assert_stderr(&[]);
    let advice = told.out.lines().find(|line| line.starts_with("run again")).unwrap_or_default();
    assert!(advice.contains(" document --retry-failed "), "{}", told.out);
    let calls = fake.log().calls.len();
    job.run_more(&FaultPlan::count(), &["--retry-failed"]).assert_exit(0, "tried again");
    assert_eq!(fake.log().calls.len(), calls, "a file is paid for again");
    check_rows(&job, &job.documents().into_iter().filter(|file| file.0.contains('/')).collect(), "tried again");
}

#[test]
fn a_ticket_without_a_model_that_kills_its_worker_is_set_aside() {
    let place = Sandbox::in_memory();
    let sources = small_estate(&place);
    place.write("src/bad/POISON.cbl", small("POISON"));
    let job = TestCommand::in_place(place, &sources, "--jobs 1");
    let deadly = || FaultPlan::kill_at(1).only(SyscallKind::Rename).under(&job.out().join("bad"));
    for attempt in 1..=3 {
        let run = job.run(&deadly());
        assert!(run.was_killed(), "run {attempt}: {}", run.err);
    }
    job.run(&deadly()).assert_exit(3, "the fourth run").assert_stderr(&["bad/POISON.cbl"]);
    assert!(job.out().join("cbl/WIDE.cbl.json").exists());
    job.run_more(&FaultPlan::count(), &["--force"]).assert_exit(0, "with --force");
    assert!(job.out().join("bad/POISON.cbl.json").exists());
}

#[test]
fn a_ticket_that_gets_on_with_every_run_is_not_set_aside() {
    let fake = fake(Latency::None);
    let job = asking(small_job("--jobs 1"), &fake, 1);
    let (right, undisturbed) = asked();
    let (mut kills, calls) = (0, undisturbed.log().calls.len());
    // Each run is killed at its second call, and has kept the answer to its first.
    while job.run(&FaultPlan::kill_at(2).only(SyscallKind::Send)).was_killed() {
        kills += 1;
        assert!(kills <= calls, "the runs do not get on");
    }
    assert!(kills + 1 >= calls, "{kills} kills, {calls} calls");
    job.run(&FaultPlan::count()).assert_exit(0, "the last run");
    job.check_documents(&right.documents(), "killed at every second call");
    assert_eq!(fake.log().calls.len(), calls);
}
