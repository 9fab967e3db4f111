//! A coordinator that is killed or interrupted while its workers live.

use super::scene::{JOBS, Scene, right};
use std::time::Duration;

#[test]
fn a_coordinator_that_is_killed_goes_on_where_it_was() {
    let mut scene = Scene::new();
    scene.held_hands(2);
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    assert!(run.kill_after(Duration::ZERO).was_killed());
    scene.release();
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 2 * JOBS, "the coordinator was killed");
    run.assert_stderr(&["resumed: "]);
}

#[test]
fn a_coordinator_that_is_killed_again_and_again_gets_to_its_end() {
    let mut scene = Scene::new();
    scene.held_hands(2);
    // With so many answers of each worker's provider there are so many calls at least, and the run cannot end.
    for (answers, calls) in [(0, 1), (2, 4), (3, 7)] {
        scene.hands.iter().for_each(|hand| hand.fake.release_first(answers));
        let mut run = scene.document();
        run.wait_for("calls", || scene.calls().len() >= calls);
        assert!(run.kill_after(Duration::ZERO).was_killed());
        scene.job.check_whole(&right().documents, "behind a kill");
    }
    scene.release();
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 3 * 2 * JOBS, "the coordinator was killed three times");
}

#[test]
fn a_coordinator_that_is_interrupted_keeps_what_its_workers_have() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut scene = Scene::new();
        scene.held_hands(2);
        let run = scene.document();
        scene.wait_for_open(0, JOBS);
        run.signal(signal);
        scene.wait_for("a word of the signal", |_| run.stderr().contains("a second signal ends at once"));
        scene.release();
        run.end().assert_exit(code, &format!("{signal}\n{}", scene.told()));
        let calls = scene.calls();
        assert!(calls.iter().all(|call| call.status == Some(200)), "{signal}: a call was given up");
        assert!(calls.len() < right().asked.len(), "{signal}: the run was over before");
        // As on one machine, a program of which a part was written by then has a partial document until the rerun.
        scene.job.check_known_documents(&right().documents, signal);
        let run = scene.end_of(scene.document());
        scene.check(&run, right(), 0, signal);
        run.assert_stderr(&["resumed: "]);
    }
}

#[test]
fn what_was_begun_on_several_machines_can_be_ended_on_one() {
    let mut scene = Scene::new();
    scene.held_hands(2);
    // Documents come of some answers, and the run cannot end with so few.
    scene.hands.iter().for_each(|hand| hand.fake.release_first(3));
    let mut run = scene.document();
    let programs = || right().documents.keys().filter(|name| name.ends_with(".cbl.json"));
    run.wait_for("documents", || programs().any(|name| scene.job.out().join(name).exists()));
    assert!(run.kill_after(Duration::ZERO).was_killed());
    let before = scene.calls().len();
    let fake = war_rig_tests::fake::FakeProvider::start(super::scene::taking(Duration::ZERO));
    let Scene { job, hands, .. } = scene;
    drop(hands);
    let words = ["document", "src", "-o", "out", "--scribe", "openai"];
    let job = job.variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url()).variable("OPENAI_API_KEY", crate::asked::KEY);
    job.start_with(&war_rig_tests::crash::FaultPlan::count(), &words).end().assert_exit(0, "on one machine");
    job.check_documents(&right().documents, "on one machine");
    let calls = fake.log().calls.len();
    assert!(calls + before <= right().asked.len() + 2 * JOBS, "{before} and {calls} calls");
}
