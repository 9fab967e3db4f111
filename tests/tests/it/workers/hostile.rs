//! Messages that none of ours has sent, and sources that hold secrets.

use super::scene::{JOBS, Scene, right, taking};
use crate::secrets::PLANTED;
use serde_json::{Value, json};
use std::time::Duration;
use war_rig_tests::nats::{NatsFrameKind, NatsOptions};
use war_rig_tests::{files_below, project};

/// An estate that nobody has.
const FOREIGN: &str = "ffffffffffffffff";

/// Where the notes of an estate are published, as was seen on the wire.
fn subject(scene: &Scene) -> String {
    let kept = scene.proxy.kept();
    let note = kept
        .iter()
        .find(|frame| frame.kind == NatsFrameKind::Publication && frame.subject().starts_with("war_rig.1.tickets."));
    note.unwrap_or_else(|| panic!("no note was published: {}", scene.told())).subject().to_owned()
}

#[test]
fn notes_that_nobody_can_follow_are_thrown_away() {
    let mut scene = Scene::new();
    scene.proxy.keep();
    let mut run = scene.document();
    run.wait_for("the notes", || super::same::queued(&scene) > 3);
    let subject = subject(&scene);
    let estate = subject.rsplit('.').next().unwrap().to_owned();
    let note = |ticket: &str, version: u64| json!({"estate": estate, "epoch": "0123456789abcdef", "ticket": ticket, "attempt": 1, "alone": false, "version": version});
    let mut client = scene.server.client();
    let nested = "[".repeat(50_000);
    let notes = [
        note("more/P00.cbl", 99).to_string(),
        note("more/P00.cbl", 1).to_string(),
        note("../../etc/passwd", 1).to_string(),
        note("no/such.cbl", 1).to_string(),
        json!({"estate": "another"}).to_string(),
        "no note".to_owned(),
        String::new(),
        nested,
    ];
    for forged in notes {
        let told: Value = serde_json::from_slice(&client.ask(&subject, forged.as_bytes())).unwrap();
        assert!(told["seq"].is_u64(), "{told}");
    }
    let foreign = note("a.cbl", 1).to_string().replace(&estate, FOREIGN);
    client.ask(&format!("war_rig.1.tickets.{FOREIGN}"), foreign.as_bytes());
    // One worker holds what it has, so that the run goes on until the other has been through the queue.
    scene.held_hands(1);
    scene.wait_for_open(0, JOBS);
    scene.hands(1, Duration::ZERO);
    // What stays is what the first has in work, and what may be for workers of another version or for another coordinator.
    let left = JOBS as u64 + 2;
    scene.wait_for("a queue without what nobody can follow", |scene| super::same::queued(scene) == left);
    let said: String = scene.hands.iter().map(|hand| hand.worker.stderr()).collect();
    let thrown = said.matches("a message that is no note was taken out of the queue").count();
    assert_eq!(thrown, 4, "{said}");
    scene.release();
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "among forged notes");
    // Another estate's note is not for this coordinator to take away.
    let asked = br#"{"subjects_filter":"war_rig.1.tickets.>"}"#;
    let told = client.ask("$JS.API.STREAM.INFO.WAR_RIG_TICKETS_1", asked);
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(told["state"]["subjects"][format!("war_rig.1.tickets.{FOREIGN}")], 1, "{told}");
}

#[test]
fn what_is_sent_to_the_coordinator_by_others_is_refused() {
    let mut scene = Scene::new();
    scene.proxy.keep();
    scene.hands(1, Duration::from_millis(100));
    let mut run = scene.document();
    run.wait_for("calls", || scene.calls().len() > 2);
    let estate = subject(&scene).rsplit('.').next().unwrap().to_owned();
    let subject = format!("war_rig.1.coordinator.{estate}");
    let kept = scene.proxy.kept();
    let said: Vec<_> = kept.into_iter().filter(|frame| frame.subject() == subject).collect();
    assert!(!said.is_empty(), "nothing was said to the coordinator");
    let mut client = scene.server.client();
    for bytes in [&b""[..], b"{}", b"\0\xff", b"[1,2,3]", &[b'x'; 900_000]] {
        client.publish(&subject, bytes);
    }
    // What was said once, said again without what made it a message, and with a byte changed.
    for frame in &said {
        client.publish(&subject, frame.payload());
        let mut changed = frame.payload().to_vec();
        if let Some(byte) = changed.first_mut() {
            *byte ^= 1;
        }
        client.publish(&subject, &changed);
    }
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "among forged requests");
}

#[test]
fn a_secret_of_a_source_reaches_nobody() {
    let mut scene = Scene::with(NatsOptions::default(), |_| project().join("fixtures/secrets"));
    scene.proxy.keep();
    scene.hands(2, Duration::ZERO);
    let run = scene.end_of(scene.job.start_bare(&["-vvv"]));
    run.assert_exit(0, &scene.told()).assert_stderr(&["it is shown as XXXXXXXX"]);
    let is_clean = |what: &str, bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        for planted in PLANTED {
            let at = text.find(planted);
            assert!(at.is_none(), "{what}: {}", text[at.unwrap_or(0)..].chars().take(80).collect::<String>());
        }
    };
    let sent: String = scene.calls().iter().map(|call| call.body.to_string()).collect();
    assert!(sent.contains("GATEWAY") && sent.contains("XXXXXXXX"));
    is_clean("a prompt", sent.as_bytes());
    // A source travels to its worker as it would lie on a disk, in the one reply that holds a job. Nothing else of it is ever sent.
    let kept = scene.proxy.kept();
    for frame in kept.iter().filter(|frame| !frame.subject().starts_with("_INBOX_WAR_RIG.worker.")) {
        is_clean(&format!("a message to {}", frame.subject()), &frame.bytes);
    }
    for (name, bytes) in scene.server.stored() {
        is_clean(&format!("the broker's {name}"), &bytes);
    }
    is_clean("the coordinator's log", run.err.as_bytes());
    is_clean("the broker's log", scene.server.output().as_bytes());
    for (name, bytes) in files_below(&scene.job.out()) {
        is_clean(&name, &bytes);
    }
    for hand in &mut scene.hands {
        hand.worker.interrupt();
        is_clean("a worker's log", hand.worker.stderr().as_bytes());
        for (name, bytes) in hand.worker.files() {
            is_clean(&format!("a worker's {name}"), &bytes);
        }
    }
}

#[test]
fn a_worker_obeys_no_path_of_a_name() {
    // A ticket's name is the coordinator's; a worker writes nothing but its spool.
    let mut scene = Scene::new();
    scene.hand(taking(Duration::ZERO));
    scene.end_of(scene.document()).assert_exit(0, "a run");
    let files = scene.hands[0].worker.files();
    assert!(files.keys().all(|name| name.starts_with(".war_rig/")), "{:?}", files.keys());
}
