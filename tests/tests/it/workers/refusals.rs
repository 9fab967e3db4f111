//! Who refuses whom, and how it ends.

use super::scene::{Scene, estate, held, right, taking};
use crate::asked::{KEY, cost};
use crate::extract::{lister, minutes};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use war_rig_tests::crash::TestCommand;
use war_rig_tests::fake::{CallFault, FakeOptions, FakeProvider, FaultScript};
use war_rig_tests::nats::NatsOptions;
use war_rig_tests::workers::TestWorker;

#[test]
fn a_worker_whose_provider_refuses_it_leaves_and_another_goes_on() {
    for (fault, code) in [(CallFault::Unauthorized, 12), (CallFault::Quota, 12), (CallFault::Status(503), 14)] {
        let what = format!("{fault:?}");
        let mut scene = Scene::new();
        scene.hand(FakeOptions { script: FaultScript::always(fault), ..taking(Duration::ZERO) });
        let run = scene.document();
        scene.hands[0].worker.end().assert_exit(code, &what).assert_stderr(&["error: ", "hint: "]);
        let in_vain = scene.hands.remove(0).calls();
        assert!(in_vain > 0, "{what}");
        scene.hands(1, Duration::ZERO);
        let run = scene.end_of(run);
        run.assert_exit(0, &format!("{what}\n{}", scene.told()));
        scene.job.check_documents(&right().documents, &what);
        assert_eq!(scene.calls().len(), right().asked.len(), "{what}");
    }
}

#[test]
fn a_run_whose_workers_were_all_refused_ends_as_they_did() {
    let mut scene = Scene::new().deadline(1);
    for _ in 0..2 {
        scene.hand(FakeOptions { script: FaultScript::always(CallFault::Unauthorized), ..held() });
    }
    // Either is refused once both have asked.
    let run = scene.document();
    for hand in 0..2 {
        scene.wait_for_open(hand, 1);
    }
    scene.release();
    let run = scene.end_of(run);
    run.assert_exit(12, &scene.told()).assert_stderr(&["error: ", "HTTP 401", "hint: "]);
    for hand in &mut scene.hands {
        hand.worker.end().assert_exit(12, "refused");
    }
    scene.hands.clear();
    scene.hands(1, Duration::ZERO);
    scene.end_of(scene.document()).assert_exit(0, &scene.told());
    scene.job.check_documents(&right().documents, "with a worker that is not refused");
    assert_eq!(scene.calls().len(), right().asked.len(), "{}", scene.told());
}

#[test]
fn a_worker_without_a_key_says_so_and_leaves() {
    let mut scene = Scene::new();
    let options = FakeOptions { key: Some(KEY.to_owned()), ..taking(Duration::ZERO) };
    scene.hand_with(options, |worker| worker.variable("WAR_RIG_SCRIBE__API_KEY_ENV", "NOT_SET"));
    let run = scene.document();
    let ended = scene.hands[0].worker.end();
    ended.assert_exit(12, "without a key").assert_stderr(&["error: ", "HTTP 401", "scribe.api_key_env"]);
    assert!(scene.calls().iter().all(|call| !call.had_key && call.status == Some(401)));
    scene.hands.clear();
    scene.hands(1, Duration::ZERO);
    scene.end_of(run).assert_exit(0, &scene.told());
    scene.job.check_documents(&right().documents, "behind a worker without a key");
    assert_eq!(scene.calls().len(), right().asked.len(), "{}", scene.told());
}

#[test]
fn a_cap_holds_over_all_workers() {
    const CAP: f64 = 0.2;
    let mut scene = Scene::new().variable("WAR_RIG_SCRIBE__BUDGET_USD", CAP);
    scene.hands(2, Duration::from_millis(20));
    let run = scene.end_of(scene.document());
    run.assert_exit(13, &scene.told()).assert_stderr(&["of 0.20 are left", "documents are whole"]);
    let paid: f64 = scene.calls().iter().map(cost).sum();
    assert!(paid > 0.0 && paid <= CAP, "{paid} of {CAP}");
    assert!(scene.calls().len() < right().asked.len(), "{}", scene.told());
    // As on one machine, a program of which a part was written when the cap was reached has a partial document until the rerun.
    scene.job.check_known_documents(&right().documents, "at the cap");
    // The workers are not to blame, and stay.
    for hand in &mut scene.hands {
        assert!(!hand.worker.running().has_ended(), "a worker has left\n{}", hand.worker.stderr());
    }
    let run = scene.end_of(scene.job.start_bare(&["--budget-usd", "9"]));
    scene.check(&run, right(), 0, "with a higher cap");
}

#[test]
fn calls_a_minute_are_spread_over_all_workers() {
    let mut scene = Scene::new().variable("WAR_RIG_SCRIBE__REQUESTS_PER_MINUTE", 600);
    scene.hands(2, Duration::ZERO);
    let begun = Instant::now();
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "600 calls a minute");
    // 600 a minute are one in 100 ms, over both.
    let least = Duration::from_millis(100) * (right().asked.len() as u32 - 2);
    assert!(begun.elapsed() >= least, "{:?}", begun.elapsed());
}

#[test]
fn without_any_worker_a_run_ends_after_its_wait() {
    let scene = Scene::new().variable("WAR_RIG_BROKER__WORKER_WAIT_SECONDS", 1);
    let run = scene.end_of(scene.document());
    run.assert_exit(14, "no worker").assert_stderr(&["error: ", "worker", "hint: ", "war-rig worker"]);
    // A worker may take longer than a second to start.
    let mut scene = scene.variable("WAR_RIG_BROKER__WORKER_WAIT_SECONDS", 300);
    scene.hands(1, Duration::ZERO);
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "with a worker");
}

/// The address of a broker that is not there.
fn nowhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("nats://127.0.0.1:{port}")
}

#[test]
fn a_broker_that_is_not_there_is_named() {
    let url = nowhere();
    let place = war_rig_tests::Sandbox::in_memory();
    let sources = estate(&place);
    let job = super::scene::settled(TestCommand::in_place(place, &sources, &format!("--broker {url}")));
    // Each tries for a while, so all do it at the same time.
    let coordinator = job.start_bare(&[]);
    let mut worker = TestWorker::new(&url, "").variable("OPENAI_API_KEY", KEY).started();
    let place = war_rig_tests::Sandbox::in_memory();
    let agent = place.write("agent.toml", lister(""));
    let target = "ai_provider = 'openai'\nai_model = 'gpt-4o'";
    place.write("war_rig.toml", format!("[targets.notes]\nagent = '{}'\n{target}\n", agent.display()));
    place.write("a.txt", minutes(3));
    let words = ["send", "notes", "What changed?", "--input", "a.txt", "--broker", &url];
    let sender = TestCommand::of_words(place, words.map(str::to_owned).to_vec());
    let sending = sender.start_bare(&[]);
    for ended in [coordinator.end(), worker.end(), sending.end()] {
        ended.assert_exit(14, "no broker").assert_stderr(&["error: ", &url, "hint: "]);
    }
    assert!(job.documents().is_empty(), "nothing is begun that cannot be ended");
}

#[test]
fn a_broker_without_jetstream_is_no_broker() {
    let options = NatsOptions { without_jetstream: true, ..NatsOptions::default() };
    let scene = Scene::with(options, estate);
    scene
        .end_of(scene.document())
        .assert_exit(14, "without JetStream")
        .assert_stderr(&["error: ", "JetStream", "hint: "]);
}

#[test]
fn a_broker_that_is_not_surely_on_this_machine_must_speak_tls() {
    let scene = Scene::new();
    // It is this machine all the same, which no client can know by the name.
    let url = format!("nats://0.0.0.0:{}", scene.server.port());
    let ended = TestWorker::new(&url, "").variable("OPENAI_API_KEY", KEY).started().end();
    assert!(matches!(ended.code, Some(2 | 14)), "{:?}: {}", ended.code, ended.err);
    ended.assert_stderr(&["error: ", "TLS", "hint: ", "insecure"]);
    let mut worker = TestWorker::new(&url, "--broker-insecure").variable("OPENAI_API_KEY", KEY).started();
    worker.wait_for_output("Ctrl-C ends it");
    worker.interrupt().assert_exit(130, "without TLS");
}

#[test]
fn a_second_coordinator_of_one_estate_is_turned_away() {
    let mut scene = Scene::new();
    scene.held_hands(1);
    let mut first = scene.document();
    first.wait_for("a call", || !scene.calls().is_empty());
    scene.end_of(scene.document()).assert_exit(11, "the second").assert_stderr(&["error: ", "hint: "]);
    assert!(!first.has_ended());
    scene.release();
    let run = first.end();
    scene.check(&run, right(), 0, "beside a second coordinator");
}

#[test]
fn a_fake_that_nobody_asks_is_never_asked() {
    // The coordinator asks no provider itself, whatever address and key it has.
    let fake = FakeProvider::perfect();
    let mut scene = Scene::new().variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url()).variable("OPENAI_API_KEY", KEY);
    scene.hands(1, Duration::ZERO);
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "with a provider of its own");
    assert!(fake.log().calls.is_empty());
}

#[test]
fn a_coordinator_that_would_have_the_key_is_refused_and_others_are_served() {
    let astray = Scene::new().deadline(1).variable("WAR_RIG_SCRIBE__BASE_URL", "https://192.0.2.1/v1");
    let mut worker = TestWorker::new(&astray.proxy.url(), "").variable("OPENAI_API_KEY", KEY).started();
    astray.end_of(astray.document()).assert_exit(2, &worker.stderr()).assert_stderr(&[
        "error: ",
        "https://192.0.2.1/v1",
        "the worker's key",
        "hint: ",
    ]);
    // A slip in the settings of one estate ends no worker of others.
    let fake = FakeProvider::start(taking(Duration::ZERO));
    let place = war_rig_tests::Sandbox::in_memory();
    let sources = estate(&place);
    let job =
        super::scene::settled(TestCommand::in_place(place, &sources, &format!("--broker {}", astray.proxy.url())))
            .variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url());
    job.start_bare(&[]).end().assert_exit(0, &worker.stderr());
    job.check_documents(&right().documents, "beside a coordinator that was refused");
    worker.interrupt().assert_exit(130, "a worker that has refused a coordinator");
}

/// On its own machine, or at the provider's public address, a worker's key goes where a coordinator says.
#[test]
fn a_worker_without_an_address_of_its_own_asks_where_the_coordinator_says() {
    let fake = FakeProvider::start(taking(Duration::ZERO));
    let scene = Scene::new().variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url());
    let worker = TestWorker::new(&scene.proxy.url(), "").variable("OPENAI_API_KEY", KEY).started();
    scene.end_of(scene.document()).assert_exit(0, &worker.stderr());
    scene.job.check_documents(&right().documents, "where the coordinator says");
    assert_eq!(fake.log().calls.len(), right().asked.len());
}
