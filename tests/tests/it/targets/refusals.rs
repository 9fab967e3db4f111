//! What is not sent, not served or not answered, and how that is told.

use super::scene::{Scene, finder};
use super::{AT_ONCE, budget};
use crate::extract::{lister, minutes};
use serde_json::json;
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript};

fn unserved(target: &str) -> Scene {
    Scene::unserved(&lister(""), target, FakeOptions::default())
}

const GPT: &str = "ai_model = \"gpt-4o\"\n";

#[test]
fn a_message_that_cannot_be_weighed_or_divided_is_not_sent() {
    let over = budget(AT_ONCE);
    let element = json!(["small", "word ".repeat(4000)]).to_string();
    let one = json!("word ".repeat(4000)).to_string();
    let few = minutes(3);
    let cases: [(&str, &str, &[u8], &[&str]); 6] = [
        (&over, "a.json", element.as_bytes(), &["the element `/1` has ", "targets.notes.token_budget.max_chunk_size"]),
        (&over, "a.json", one.as_bytes(), &["is no JSON array or object", "chunking.strategy"]),
        ("", "a.bin", b"\xff\x00\xfe", &["a payload of bytes has no tokens that could be counted", "without a model"]),
        ("token_budget = { max_chunk_size = 20 }", "a.txt", few.as_bytes(), &["leave no room"]),
        ("", "a.json", b"[1,", &["a.json: the payload is no JSON: line 1"]),
        ("", "a.txt", b" \n", &["a.txt: there is nothing in it"]),
    ];
    for (more, name, bytes, said) in cases {
        let scene = unserved(&format!("{GPT}{more}"));
        // Nobody listens, which would be told if anything were sent.
        let sent = scene.send(name, bytes, "");
        sent.assert_exit(2).assert_stderr(said);
        assert_eq!(sent.out, "");
        scene.send(name, bytes, "--dry-run").assert_exit(2).assert_stderr(said);
    }
    let scene = unserved("ai_model = \"gpt-4q\"\n");
    scene
        .send("a.txt", minutes(3), "")
        .assert_exit(2)
        .assert_stderr(&["the model `gpt-4q` of `openai` is not known", "did you mean `gpt-4"]);
    let scene = unserved("chunking = { enabled = false, max_payload_size = 8192 }");
    scene.send("a.txt", "x".repeat(2_000_000), "").assert_exit(2).assert_stderr(&["chunking is off"]);
    // It can be weighed, as somebody else's.
    let scene = unserved(&format!("ai_provider = \"azure\"\n{GPT}"));
    let plan = scene.send("a.txt", minutes(3), "--dry-run");
    plan.assert_exit(0)
        .assert_stderr(&["warning: target `notes`: `gpt-4o` is known as a model of `openai`, not of `azure`; "]);
}

#[test]
fn a_target_that_there_is_not_or_that_nobody_serves_is_told() {
    let scene = unserved(GPT);
    let file = super::notes_file(&scene, "a.txt", minutes(3));
    let send =
        |target: &str, more: &[&str]| scene.run(&[&["send", target, "What changed?", "--input", &file], more].concat());
    send("nodes", &[]).assert_exit(2).assert_stderr(&["there is no target `nodes`", "did you mean `notes`?"]);
    send("notes", &["--broker", ""]).assert_exit(2).assert_stderr(&["no broker is named"]);
    send("notes", &[]).assert_exit(14).assert_stderr(&["nobody serves the target `notes`", "--serve notes"]);
    // Without a broker it can be planned all the same.
    let plan = send("notes", &["--broker", "", "--dry-run"]);
    assert!(plan.assert_exit(0).out.contains("goes      whole, in at least 1 message"), "{}", plan.out);
}

#[test]
fn a_target_has_one_server() {
    let scene = Scene::of_model(&lister(""), "", FakeOptions::default());
    let mut second = scene.another_worker().started();
    second
        .end()
        .assert_exit(2, "the second")
        .assert_stderr(&["the target `notes` is served already by the worker `first`"]);
    scene.send("a.txt", minutes(3), "").assert_exit(0);
    assert_eq!(scene.calls().len(), 1);
}

#[test]
fn a_target_that_nothing_answers_for_is_not_served() {
    for (agent, target, said) in [
        (lister(""), "", "the target `notes` has no model, and its agent `lister` finds nothing without one"),
        (finder(), "ai_model = \"nobody-knows\"\n", "how large a prompt `nobody-knows` takes is not known"),
    ] {
        let mut scene = Scene::unserved(&agent, target, FakeOptions::default());
        scene.worker.start();
        scene.worker.end().assert_exit(2, said).assert_stderr(&[said]);
    }
}

#[test]
fn a_worker_whose_provider_refuses_it_says_so_to_both_sides() {
    let mut scene = Scene::of_model(
        &lister(""),
        "",
        FakeOptions { script: FaultScript::always(CallFault::Unauthorized), ..FakeOptions::default() },
    );
    let sent = scene.send("a.txt", minutes(3), "");
    sent.assert_exit(3).assert_stderr(&["no answer of `notes`: "]);
    assert_eq!(sent.out, "");
    scene.worker.end().assert_exit(12, "the worker").assert_stderr(&["the worker leaves: "]);
}

#[test]
fn a_worker_that_is_told_to_end_answers_what_it_has_in_work() {
    let mut scene = Scene::of_model(&lister(""), "", FakeOptions { is_held: true, ..FakeOptions::default() });
    let idle = scene.another_worker();
    let mut worker = std::mem::replace(&mut scene.worker, idle);
    std::thread::scope(|threads| {
        let sending = threads.spawn(|| scene.send("a.txt", minutes(3), ""));
        while scene.calls().is_empty() {
            assert!(!sending.is_finished(), "the model is asked");
            std::thread::sleep(Duration::from_millis(2));
        }
        worker.signal("INT");
        worker.wait_for_output("a second signal ends at once");
        scene.fake.release();
        worker.end().assert_exit(130, "told to end");
        sending.join().unwrap().assert_exit(0);
    });
    assert_eq!(scene.calls().len(), 1);
}

#[test]
fn a_message_whose_worker_dies_is_answered_by_the_next_one() {
    let mut scene = Scene::of_model(&lister(""), "", FakeOptions { is_held: true, ..FakeOptions::default() });
    let next = scene.another_worker();
    let mut first = std::mem::replace(&mut scene.worker, next);
    let mut next = scene.another_worker();
    std::thread::scope(|threads| {
        let sending = threads.spawn(|| scene.send("a.txt", minutes(3), ""));
        while scene.calls().is_empty() {
            assert!(!sending.is_finished(), "the model is asked");
            std::thread::sleep(Duration::from_millis(2));
        }
        first.kill();
        scene.fake.release();
        next.start();
        next.wait_for_output("serves `notes`");
        let sent = sending.join().unwrap();
        assert_eq!(crate::extract::ids(&sent.assert_exit(0).json()).len(), 3);
    });
    assert_eq!(scene.calls().len(), 2, "the one that was lost, and the one that counts");
}
