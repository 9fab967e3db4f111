//! What several machines write is what one writes.

use super::scene::{JOBS, Scene, alone, estate, right, settled, taking};
use crate::asked::KEY;
use crate::kept;
use crate::programs::small;
use std::fmt::Write;
use std::time::Duration;
use war_rig_tests::Sandbox;
use war_rig_tests::crash::{FaultPlan, TestCommand};
use war_rig_tests::nats::NatsOptions;

#[test]
fn two_workers_write_what_one_process_writes() {
    let mut scene = Scene::new();
    scene.held_hands(2);
    scene.ready();
    let run = scene.document();
    for hand in 0..2 {
        scene.wait_for_open(hand, JOBS);
    }
    scene.release();
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "two workers");
    assert!(scene.hands.iter().all(|hand| hand.calls() > 1), "both have worked\n{}", scene.told());
    // Nothing is left to be done, on several machines or on one.
    let before = scene.calls().len();
    scene.end_of(scene.document()).assert_exit(0, "again");
    assert_eq!(scene.calls().len(), before, "nothing is asked again\n{}", scene.told());
    let alone = ["document", "src", "-o", "out"];
    scene.job.start_with(&FaultPlan::count(), &alone).end().assert_exit(0, "again on one machine");
    assert_eq!(scene.calls().len(), before);
    scene.job.check_documents(&right().documents, "again");
    for hand in &mut scene.hands {
        hand.worker.interrupt().assert_exit(130, "an idle worker");
    }
}

#[test]
fn an_edited_program_is_handed_out_alone() {
    let mut scene = Scene::new();
    scene.hands(2, Duration::ZERO);
    scene.end_of(scene.document()).assert_exit(0, "before");
    let before = scene.calls().len();
    scene.job.place.write("src/more/P03.cbl", small("P03").replace("SUBP03", "OTHER"));
    scene.end_of(scene.document()).assert_exit(0, "behind the edit");
    let calls = scene.calls();
    assert_eq!(calls.len(), before + 1, "{}", scene.told());
    let place = Sandbox::in_memory();
    let sources = estate(&place);
    place.write("src/more/P03.cbl", small("P03").replace("SUBP03", "OTHER"));
    let edited = alone(settled(TestCommand::in_place(place, &sources, "")));
    scene.job.check_documents(&edited.documents, "behind the edit");
}

#[test]
fn the_ledger_has_what_the_providers_counted() {
    // Tokens are counted on both sides, and not estimated to be quicker.
    let mut scene = Scene::new().variable("WAR_RIG_SCRIBE__ENCODING", "o200k_base");
    scene.hands(2, Duration::ZERO);
    scene.end_of(scene.document()).assert_exit(0, "counted");
    let mut told: Vec<_> =
        scene.calls().into_iter().map(|call| (call.file, call.prompt_tokens, call.completion_tokens)).collect();
    let kept = kept::calls(&scene.job).into_iter();
    let mut kept: Vec<_> = kept.map(|call| (call.file, call.prompt_tokens, call.completion_tokens)).collect();
    told.sort_unstable();
    kept.sort_unstable();
    assert_eq!(kept, told);
}

#[test]
fn the_static_scribe_writes_the_same_at_a_worker() {
    let place = Sandbox::in_memory();
    let sources = estate(&place);
    let job = settled(TestCommand::in_place(place, &sources, "")).variable("WAR_RIG_SCRIBE__PROVIDER", "static");
    job.run(&FaultPlan::count()).assert_exit(0, "on one machine");
    let mut scene = Scene::new().variable("WAR_RIG_SCRIBE__PROVIDER", "static");
    scene.hand_with(taking(Duration::ZERO), |worker| worker);
    scene.end_of(scene.document()).assert_exit(0, "at a worker");
    scene.job.check_documents(&job.documents(), "at a worker");
    assert!(scene.calls().is_empty());
}

/// A program of more than a megabyte, most of which is comments.
fn large() -> String {
    let mut text = small("LARGE");
    for number in 0..200 {
        writeln!(text, "       {number:04}-STEP.\n           CALL 'SUB{number:04}'.").unwrap();
        for line in 0..80 {
            writeln!(text, "      * Line {line} of what is said of step {number}, which is nothing new.").unwrap();
        }
    }
    text
}

/// The estate with a large program, and settings at which that is cut into a few chunks.
fn with_large(place: &Sandbox) -> std::path::PathBuf {
    let text = large();
    assert!(text.len() > 1024 * 1024, "{} bytes", text.len());
    place.write("src/large/LARGE.cbl", text);
    estate(place)
}

#[test]
fn what_is_larger_than_a_message_travels_in_pieces() {
    const BUDGET: u64 = 100_000;
    let place = Sandbox::in_memory();
    let sources = with_large(&place);
    let job = settled(TestCommand::in_place(place, &sources, "")).variable("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", BUDGET);
    let right = alone(job);
    let mut scene = Scene::with(NatsOptions::default(), with_large);
    scene = scene.variable("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", BUDGET);
    for _ in 0..2 {
        let options = taking(Duration::ZERO);
        scene.hand(war_rig_tests::fake::FakeOptions { budget: Some(BUDGET), ..options });
    }
    let run = scene.end_of(scene.document());
    scene.check(&run, &right, 0, "a program of a megabyte");
}

#[test]
fn a_broker_that_takes_little_at_a_time_is_kept_to() {
    // Every job and nearly every answer is larger than a message.
    let options = NatsOptions { max_payload: Some(4096), ..NatsOptions::default() };
    let mut scene = Scene::with(options, estate);
    scene.hands(2, Duration::from_millis(20));
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "4,096 bytes at a time");
    let said = scene.server.output();
    assert!(!said.contains("maximum payload"), "{said}");
}

#[test]
fn two_estates_share_workers_and_nothing_else() {
    let mut scene = Scene::new();
    scene.hands(2, Duration::from_millis(50));
    let place = Sandbox::in_memory();
    let names = ["ONE", "TWO", "SIX"];
    for name in names {
        place.write(&format!("src/{name}.cbl"), small(name));
    }
    let sources = place.path().join("src");
    let words = format!("--broker {}", scene.proxy.url());
    let other = settled(TestCommand::in_place(place, &sources, &words));
    let (first, second) = (scene.document(), other.start_bare(&[]));
    second.end().assert_exit(0, "the other estate");
    first.end().assert_exit(0, "the estate");
    scene.job.check_documents(&right().documents, "beside another estate");
    let place = Sandbox::in_memory();
    for name in names {
        place.write(&format!("src/{name}.cbl"), small(name));
    }
    let sources = place.path().join("src");
    let apart = alone(settled(TestCommand::in_place(place, &sources, "")));
    other.check_documents(&apart.documents, "beside the estate");
    assert_eq!(scene.calls().len(), right().asked.len() + apart.asked.len(), "{}", scene.told());
}

#[test]
fn whoever_comes_first_waits_for_the_other() {
    // The coordinator before any worker.
    let mut scene = Scene::new();
    let mut run = scene.document();
    run.wait_for("the first ticket", || queued(&scene) > 0);
    scene.hands(1, Duration::ZERO);
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "the coordinator first");
    // The worker before the coordinator, and before there is a queue.
    let mut scene = Scene::new();
    scene.hands(1, Duration::ZERO);
    scene.wait_for("a worker that is there", |scene| scene.proxy.counts().published > 0);
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "the worker first");
}

/// How many tickets wait at the broker.
pub(super) fn queued(scene: &Scene) -> u64 {
    let told = scene.server.client().ask("$JS.API.STREAM.INFO.WAR_RIG_TICKETS_1", b"");
    let told: serde_json::Value = serde_json::from_slice(&told).unwrap_or_default();
    told["state"]["messages"].as_u64().unwrap_or_default()
}

#[test]
fn a_key_is_only_ever_at_its_worker() {
    let mut scene = Scene::new();
    scene.proxy.keep();
    scene.hands(2, Duration::ZERO);
    let run = scene.end_of(scene.job.start_bare(&["-vvv"]));
    scene.check(&run, right(), 0, "with keys");
    assert!(scene.calls().iter().all(|call| call.had_key));
    assert!(!run.err.contains(KEY) && !run.out.contains(KEY));
    assert!(scene.proxy.kept().iter().all(|frame| !holds(&frame.bytes)), "the key was sent to the broker");
    let stored = scene.server.stored();
    assert!(stored.values().all(|bytes| !holds(bytes)) && !scene.server.output().contains(KEY));
    for hand in &mut scene.hands {
        hand.worker.interrupt();
        assert!(!hand.worker.stderr().contains(KEY), "a worker says its key");
        assert!(hand.worker.files().values().all(|bytes| !holds(bytes)), "a worker writes its key");
    }
    for (name, bytes) in war_rig_tests::files_below(scene.job.place.path()) {
        assert!(!holds(&bytes), "{name} holds the key");
    }
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes())
}
