//! A broker that dies, comes back without what it had, and a line to it that is cut, slow, or says everything three times.

use super::same::queued;
use super::scene::{JOBS, Scene, right};
use std::time::Duration;
use war_rig_tests::crash::Seed;

const CALL: Duration = Duration::from_millis(300);

/// A run with two workers, whose broker this happens to while calls are in flight.
fn disturbed(what: &str, happens: impl FnOnce(&mut Scene)) {
    let mut scene = Scene::new();
    scene.hands(2, CALL);
    let run = scene.document();
    scene.wait_for_open(0, JOBS);
    happens(&mut scene);
    let run = scene.end_of(run);
    // Nobody's calls depend on the broker, so none is made again.
    scene.check(&run, right(), 0, what);
    for hand in &mut scene.hands {
        hand.worker.interrupt().assert_exit(130, what);
    }
}

#[test]
fn a_broker_that_is_killed_and_comes_back_loses_nothing() {
    disturbed("the broker was killed", |scene| scene.server.restart());
}

#[test]
fn a_broker_that_is_shut_down_for_a_while_loses_nothing() {
    disturbed("the broker was shut down", |scene| {
        scene.server.stop();
        // The calls in flight are answered while nobody can say so.
        scene.wait_for("answers", |scene| scene.hands.iter().all(|hand| hand.open() == 0));
        scene.server.restart();
    });
}

#[test]
fn a_broker_whose_store_is_wiped_is_filled_again() {
    disturbed("the store was wiped", |scene| {
        scene.server.restart_wiped();
    });
}

#[test]
fn a_queue_that_is_deleted_under_a_run_is_made_again() {
    disturbed("the queue was deleted", |scene| {
        assert!(queued(scene) > 0, "tickets wait");
        scene.server.client().ask("$JS.API.STREAM.DELETE.WAR_RIG_TICKETS_1", b"");
    });
}

#[test]
fn every_message_may_come_three_times() {
    let mut scene = Scene::new();
    scene.proxy.repeat(3);
    scene.hands(2, Duration::from_millis(50));
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "every message came three times");
    assert!(scene.proxy.counts().repeated > 50, "{:?}", scene.proxy.counts());
}

#[test]
fn connections_may_be_cut_all_the_time() {
    let mut scene = Scene::new();
    scene.hands(2, Duration::from_millis(100));
    let run = scene.document();
    // A command that finds no broker at its start ends, which is tried elsewhere.
    scene.wait_for_open(0, 1);
    let cutting = scene.proxy.cut_every(Duration::from_millis(250));
    let run = scene.end_of(run);
    drop(cutting);
    scene.check(&run, right(), 0, "connections were cut");
    assert!(scene.proxy.counts().cut > 3, "{:?}", scene.proxy.counts());
}

#[test]
fn messages_may_be_lost() {
    let seed = Seed::any();
    let mut scene = Scene::new();
    // Where nothing is lost in setting up, a share of all that follows is.
    scene.hands(2, Duration::from_millis(100));
    let run = scene.document();
    scene.wait_for_open(0, 1);
    // A note that is lost is delivered anew by the server, but after half a minute only.
    scene.proxy.drop_share(0.05, seed.0, |frame| frame.subject().starts_with("war_rig.1.tickets."));
    let run = scene.end_of(run);
    scene.check(&run, right(), JOBS, "messages were lost");
    assert!(scene.proxy.counts().dropped > 0, "{:?}", scene.proxy.counts());
}

#[test]
fn a_slow_line_makes_a_run_slow_and_nothing_else() {
    let mut scene = Scene::new();
    scene.proxy.delay(Duration::from_millis(40), Duration::from_millis(40));
    scene.hands(2, Duration::from_millis(20));
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "a slow line");
}
