//! Messages to targets over a real broker: `send` in one process, the worker that serves the target in another, and a fake model behind it.

mod refusals;
mod scene;

use crate::extract::{counter, feedback, ids, lister, minutes};
use scene::{Scene, finder, notes_file};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use war_rig_tests::fake::{CallFault, Extraction, FakeOptions, FaultScript, Tokenizer};
use war_rig_tests::pdf::{TestPdfOptions, test_pdf};

/// The most tokens of a message in most cases, headers and all.
const AT_ONCE: u64 = 2000;

/// The most tokens of a prompt about such a message: what is said of the answer and the schema comes on top.
const PROMPT: u64 = 3000;

fn counted(text: &str) -> u64 {
    Tokenizer::O200k.count(text)
}

/// A target whose messages have at most so many tokens.
fn budget(tokens: u64) -> String {
    format!("token_budget = {{ max_chunk_size = {tokens} }}")
}

#[test]
fn a_message_within_the_budget_is_read_whole() {
    let scene =
        Scene::of_model(&lister(""), &budget(AT_ONCE), FakeOptions { budget: Some(PROMPT), ..FakeOptions::default() });
    let sent = scene.send("minutes.txt", minutes(20), "");
    sent.assert_exit(0);
    assert_eq!(ids(&sent.json()).len(), 20);
    let calls = scene.calls();
    let [call] = calls.as_slice() else { panic!("{} calls", calls.len()) };
    let part = call.part.as_ref().unwrap();
    assert_eq!((call.chunk, part.file.as_str(), part.context("overlap")), ((0, 0), "minutes.txt", ""));
    assert!(part.opening.starts_with("What changed?\n"), "{}", part.opening);
    let text = scene.send("minutes.txt", minutes(2), "-o text");
    assert!(text.assert_exit(0).out.starts_with("items: 2 items\n"), "{}", text.out);
}

#[test]
fn what_is_over_the_budget_is_read_in_parts_and_comes_to_the_same() {
    let scene =
        Scene::of_model(&lister(""), &budget(AT_ONCE), FakeOptions { budget: Some(PROMPT), ..FakeOptions::default() });
    let plan = scene.send("minutes.txt", minutes(400), "--dry-run -o json");
    let plan: Value = plan.assert_exit(0).json();
    assert!(scene.calls().is_empty());
    let parts = plan["parts"].as_array().unwrap();
    assert_eq!(plan["way"], "parts");
    assert_eq!(plan["tokens"]["needs_splitting"], true);
    assert!(parts.len() as u64 >= plan["tokens"]["suggested_chunks"].as_u64().unwrap(), "{plan}");

    let sent = scene.send("minutes.txt", minutes(400), "");
    sent.assert_exit(0).assert_stderr(&["part 2 of "]);
    let calls = scene.calls();
    assert_eq!(calls.len(), parts.len());
    for (number, (call, planned)) in (1..).zip(calls.iter().zip(parts)) {
        let part = call.part.as_ref().unwrap();
        assert_eq!(call.chunk, (number, parts.len()), "they are asked in order, each told which one it is");
        let shown = format!("{}{}", part.context("overlap"), part.bare());
        assert_eq!(counted(&shown), planned["payload_tokens"].as_u64().unwrap(), "part {number}");
        assert!(planned["total_tokens"].as_u64().unwrap() <= AT_ONCE, "{planned}");
        assert_eq!(part.context("overlap").len() as u64, planned["overlap_bytes"].as_u64().unwrap());
        assert_eq!(number > 1, !part.context("overlap").is_empty());
    }
    // What one call would have said.
    let whole = Scene::of_model(&lister(""), &budget(50_000), FakeOptions::default());
    let at_once = whole.send("minutes.txt", minutes(400), "");
    assert_eq!((whole.calls().len(), &at_once.assert_exit(0).out), (1, &sent.out));
    assert_eq!(ids(&sent.json()).len(), 400);
}

#[test]
fn what_a_model_reports_twice_from_an_overlap_counts_once() {
    let agent = counter("").replace("x-merge = \"union\"", "x-merge = \"concat\"");
    let extraction = Extraction { disobeys: true, ..Extraction::default() };
    let scene = Scene::of_model(&agent, &budget(AT_ONCE), FakeOptions { extraction, ..FakeOptions::default() });
    let sent = scene.send("minutes.txt", minutes(200), "");
    let told = sent.assert_exit(0).json();
    let ids: Vec<&str> = told["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (200, 200));
    sent.assert_stderr(&["joined in overlaps"]);
}

#[test]
fn elements_are_never_cut_and_numbers_count_their_records() {
    let records: Vec<Value> = feedback(600).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let input = serde_json::to_string_pretty(&records).unwrap();
    let scene =
        Scene::of_model(&counter(""), &budget(AT_ONCE), FakeOptions { budget: Some(PROMPT), ..FakeOptions::default() });
    let sent = scene.send("feedback.json", &input, "");
    let told = sent.assert_exit(0).json();
    assert!(scene.calls().len() > 5, "{}", scene.calls().len());
    let whole = Scene::of_model(&counter(""), &budget(90_000), FakeOptions::default());
    let at_once = whole.send("feedback.json", &input, "").assert_exit(0).json();
    assert_eq!(whole.calls().len(), 1);
    for field in ["count", "total", "ids"] {
        assert_eq!(told[field], at_once[field], "{field}");
    }
    let (mean, right) = (told["score"].as_f64().unwrap(), at_once["score"].as_f64().unwrap());
    assert!((mean - right).abs() < 1e-9, "{mean} {right}");
}

#[test]
fn a_target_without_a_model_sees_whole_what_travels_in_pieces() {
    let scene = Scene::of_patterns(&finder(), "chunking = { max_payload_size = 65536 }");
    let large = minutes(36_000);
    assert!(large.len() > 2_000_000);
    let plan = scene.send("minutes.txt", &large, "--dry-run -o json").assert_exit(0).json();
    assert_eq!((&plan["way"], &plan["tokens"]), (&json!("pieces"), &Value::Null));
    assert!(plan["messages"].as_u64().unwrap() > 30, "{plan}");
    let sent = scene.send("minutes.txt", &large, "");
    assert_eq!(sent.assert_exit(0).json(), scene.extracted("minutes.txt", &large));
    assert_eq!(sent.json()["changes"].as_array().unwrap().len(), 36_000);
}

#[test]
fn one_byte_decides_how_many_messages_there_are() {
    const LIMIT: usize = 8192;
    let scene = Scene::of_patterns(&finder(), &format!("chunking = {{ max_payload_size = {LIMIT} }}"));
    for (bytes, messages, way) in [(LIMIT - 1, 1, "whole"), (LIMIT, 1, "whole"), (LIMIT + 1, 2, "pieces")] {
        let mut input = minutes(200);
        input.truncate(bytes - " PBI-9999".len());
        input.push_str(" PBI-9999");
        let plan = scene.send("a.txt", &input, "--dry-run -o json").assert_exit(0).json();
        assert_eq!((&plan["messages"], &plan["way"]), (&json!(messages), &json!(way)), "{bytes}");
        let found = scene.send("a.txt", &input, "").assert_exit(0).json();
        assert_eq!(found, scene.extracted("a.txt", &input), "{bytes}");
        assert_eq!(found["changes"].as_array().unwrap().last().unwrap(), "PBI-9999");
    }
}

#[test]
fn bytes_are_for_targets_that_are_no_model() {
    let pdf = test_pdf(TestPdfOptions::default()).bytes;
    let scene = Scene::of_patterns(&finder(), "");
    let sent = scene.send("minutes.pdf", &pdf, "");
    assert_eq!(sent.assert_exit(0).json(), scene.extracted("minutes.pdf", &pdf));
    assert!(!sent.json()["changes"].as_array().unwrap().is_empty());
}

#[test]
fn a_part_that_fails_is_told_and_the_others_are_given_where_that_is_wanted() {
    let failing = || {
        let script = FaultScript::when(|asked| (asked.chunk.0 == 2).then_some(CallFault::Refused));
        FakeOptions { script, ..FakeOptions::default() }
    };
    let scene = Scene::of_model(&lister(""), &budget(AT_ONCE), failing());
    let sent = scene.send("minutes.txt", minutes(300), "");
    sent.assert_exit(3).assert_stderr(&["no answer of `notes`: part 2 of ", "--on-failure partial"]);
    assert_eq!(sent.out, "");
    let asked: BTreeSet<usize> = scene.calls().iter().map(|call| call.chunk.0).collect();
    assert_eq!(asked, BTreeSet::from([1, 2]), "nothing is paid for behind it");

    let sent = scene.send("minutes.txt", minutes(300), "--on-failure partial");
    sent.assert_exit(3).assert_stderr(&["part 2: "]);
    let found: BTreeSet<String> = ids(&sent.json()).into_iter().collect();
    let missing = 300 - found.len();
    assert!(missing > 20 && missing < 120, "{missing} of 300 are missing");
    assert!(found.contains("PBI-0001") && found.contains("PBI-0300"));
}

#[test]
fn what_parts_say_differently_is_told() {
    let extraction = Extraction { contradicts: true, disobeys: true, ..Extraction::default() };
    let scene = Scene::of_model(&lister(""), &budget(AT_ONCE), FakeOptions { extraction, ..FakeOptions::default() });
    let sent = scene.send("minutes.txt", minutes(200), "");
    sent.assert_exit(0).assert_stderr(&["in conflict", "joined by their keys", "of part 2 does not"]);
    assert_eq!(ids(&sent.json()).len(), 200);
}

#[test]
fn a_program_of_the_agent_merges_the_answers_once() {
    let agent = lister("merge = \"custom\"\nprogram = '{items: (map(.items) | add | unique_by(.id)), parts: length}'");
    let scene = Scene::of_model(&agent, &budget(AT_ONCE), FakeOptions::default());
    let sent = scene.send("minutes.txt", minutes(200), "");
    let told: Value = serde_json::from_str(&sent.out).unwrap_or_else(|_| panic!("{}", sent.err));
    assert_eq!(told["parts"], scene.calls().len());
    assert_eq!(ids(&told).len(), 200);
    let one = scene.send("minutes.txt", minutes(5), "");
    assert_eq!(serde_json::from_str::<Value>(&one.out).unwrap()["parts"], 1);
}

#[test]
fn a_question_may_have_lines_and_any_letter() {
    let scene = Scene::of_model(&lister(""), "", FakeOptions::default());
    let prompt = "What \"changed\",\nand when? \u{e9}\u{85}\u{65e5}";
    let words = notes_file(&scene, "minutes.txt", minutes(3));
    let sent = scene.run(&["send", "notes", prompt, "--input", &words, "-o", "json"]);
    sent.assert_exit(0);
    assert!(scene.calls()[0].part.as_ref().unwrap().opening.starts_with(prompt));
}
