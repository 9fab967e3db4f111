//! Workers that are killed, frozen and asked to leave.

use super::scene::{JOBS, Scene, in_vain, right, taking};
use crate::kept;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript, Latency};

#[test]
fn a_worker_that_is_killed_loses_the_calls_in_flight_and_nothing_else() {
    let mut scene = Scene::new().deadline(1);
    scene.held_hands(2);
    scene.ready();
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    scene.hands[0].worker.kill();
    scene.release();
    let run = scene.end_of(run);
    scene.check(&run, right(), JOBS, "a worker was killed");
    assert!(scene.hands[1].calls() > JOBS, "{}", scene.told());
}

#[test]
fn workers_that_are_killed_one_after_the_other_are_replaced() {
    let mut scene = Scene::new().deadline(1);
    let run = scene.document();
    for hand in 0..3 {
        scene.held_hands(1);
        scene.wait_for_open(hand, JOBS);
        scene.hands[hand].worker.kill();
    }
    scene.hands(1, Duration::ZERO);
    let run = scene.end_of(run);
    scene.check(&run, right(), 3 * JOBS, "three workers were killed");
}

#[test]
fn a_worker_that_comes_back_in_its_folder_brings_what_it_had() {
    let mut scene = Scene::new().deadline(1);
    scene.held_hands(1);
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    scene.hands[0].worker.kill();
    scene.release();
    scene.hands[0].worker.start();
    let run = scene.end_of(run);
    scene.check(&run, right(), JOBS, "a worker came back");
}

#[test]
fn a_worker_that_freezes_past_its_deadline_and_wakes_changes_nothing() {
    let mut scene = Scene::new().deadline(1);
    scene.held_hands(1);
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    scene.hands[0].worker.freeze();
    let lost = scene.hands[0].open_files();
    // Its answers come while it cannot hear them.
    scene.release();
    scene.hands(1, Duration::from_millis(100));
    // What the frozen one had in hand is with the other.
    scene.wait_for("its tickets with another worker", |scene| lost.is_subset(&scene.hands[1].files()));
    scene.hands[0].worker.thaw();
    let run = scene.end_of(run);
    scene.check(&run, right(), JOBS, "a worker was frozen");
    scene.hands[0].worker.interrupt().assert_exit(130, "a worker that woke");
}

/// A run that has ended without a worker which stood still with calls in flight, and which has woken since and holds what came of them.
fn woken() -> Scene {
    let mut scene = Scene::new().deadline(1);
    scene.held_hands(1);
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    scene.hands[0].worker.freeze();
    // Its answers come while it cannot hear them.
    scene.release();
    scene.hands(1, Duration::ZERO);
    let run = scene.end_of(run);
    scene.check(&run, right(), JOBS, "a worker was frozen");
    scene.hands[0].worker.thaw();
    scene.wait_for("answers in the spool", |scene| spooled(scene) == JOBS);
    scene
}

/// How many answers lie in the spool of the first worker.
fn spooled(scene: &Scene) -> usize {
    let folder = scene.hands[0].worker.folder().join(".war_rig/spool");
    // A file may go while the folder is read, so that names are all that is looked at.
    let names = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    names.filter(|entry| entry.file_name().to_string_lossy().ends_with(".json")).count()
}

#[test]
fn a_worker_that_wakes_behind_the_end_of_the_run_keeps_what_was_paid_for() {
    let mut scene = woken();
    scene.hands[0].worker.signal("INT");
    scene.hands[0].worker.wait_for_output("a second signal ends at once");
    scene.hands[0].worker.interrupt().assert_exit(130, "a second signal");
    assert_eq!(spooled(&scene), JOBS, "what no coordinator has is kept");
    let before = scene.calls().len();
    scene.end_of(scene.document()).assert_exit(0, "again");
    assert_eq!(scene.calls().len(), before, "nothing is asked again");
    scene.job.check_documents(&right().documents, "again");
}

#[test]
fn a_worker_whose_coordinator_is_gone_leaves_what_came_of_calls_in_its_spool() {
    let mut scene = woken();
    // Told to end or not, it waits for nobody who is gone.
    scene.hands[0].worker.wait_for_output("its coordinator is not heard of any more");
    let ended = scene.hands[0].worker.interrupt();
    ended.assert_exit(130, "a worker that is told to end").assert_stderr(&["no coordinator has yet", ".war_rig/spool"]);
    assert!(!ended.err.contains("cut off"), "{}", ended.err);
    assert_eq!(spooled(&scene), JOBS, "what no coordinator has is kept");
}

#[test]
fn a_worker_that_is_asked_to_leave_ends_its_calls_and_gives_the_rest_back() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut scene = Scene::new();
        scene.held_hands(1);
        let run = scene.document();
        scene.wait_for_open(0, JOBS);
        let begun = scene.hands[0].calls();
        scene.hands[0].worker.signal(signal);
        scene.hands[0].worker.wait_for_output("a second signal ends at once");
        scene.release();
        scene.hands[0].worker.end().assert_exit(code, signal);
        let calls = scene.hands[0].fake.log().calls;
        assert_eq!(calls.len(), begun, "{signal}: calls were begun behind the signal");
        assert!(calls.iter().all(|call| call.status == Some(200)), "{signal}: a call was given up");
        scene.hands(1, Duration::ZERO);
        let run = scene.end_of(run);
        scene.check(&run, right(), 0, signal);
        // What was given back was in vain for nobody.
        assert_eq!(in_vain(&run.err), 0, "{signal}: {}", run.err);
    }
}

#[test]
fn a_ticket_that_kills_its_workers_is_set_aside_and_named() {
    const POISON: &str = "more/P02.cbl";
    // An attempt that a stall of the machine takes would be one of the three.
    let mut scene = Scene::new().deadline(2);
    let is_bad = Arc::new(AtomicBool::new(true));
    let options = |flag: &Arc<AtomicBool>| {
        let flag = Arc::clone(flag);
        let script = FaultScript::when(move |asked| {
            (asked.file == POISON && flag.load(Ordering::Relaxed)).then_some(CallFault::Silence)
        });
        FakeOptions { script, ..taking(Duration::from_millis(20)) }
    };
    let mut run = scene.document();
    for attempt in 0..3 {
        scene.hand(options(&is_bad));
        scene.wait_for("the call that kills", |scene| scene.hands[attempt].files().contains(POISON));
        scene.hands[attempt].worker.kill();
    }
    scene.hand(options(&is_bad));
    run.wait_for("a run without it", || scene.job.out().join("cbl/WIDE.cbl.json").exists());
    let run = scene.end_of(run);
    run.assert_exit(3, &scene.told()).assert_stderr(&[POISON, "--retry-failed"]);
    assert!(!scene.hands[3].files().contains(POISON), "it is not handed out a fourth time");
    let tickets = kept::tickets(&scene.job);
    for ticket in &tickets {
        let state = if ticket.file == POISON { "failed" } else { "done" };
        assert_eq!(ticket.state, state, "{tickets:?}");
    }
    let status = scene.job.status();
    assert!(status.assert_exit(0, "set aside").out.contains(POISON), "{}", status.out);
    // Each kill may have taken another ticket's call with it.
    let documents = scene.job.documents();
    assert_eq!(documents.len() + 2, right().documents.len());
    is_bad.store(false, Ordering::Relaxed);
    let run = scene.end_of(scene.job.start_bare(&["--retry-failed"]));
    run.assert_exit(0, &scene.told());
    scene.job.check_documents(&right().documents, "tried again");
}

#[test]
fn a_worker_whose_calls_fail_now_and_then_asks_again() {
    let mut scene = Scene::new();
    for _ in 0..2 {
        let script = FaultScript::each(1, CallFault::Status(503));
        scene.hand(FakeOptions { script, latency: Latency::None, ..taking(Duration::ZERO) });
    }
    let run = scene.end_of(scene.document());
    run.assert_exit(0, &scene.told());
    scene.job.check_documents(&right().documents, "servers that fail");
    let failed = scene.calls().iter().filter(|call| call.status == Some(503)).count();
    assert!(failed > 0 && scene.calls().len() == right().asked.len() + failed, "{failed} calls have failed");
}
