//! Counters, scores, unions and programs: an answer of many parts is the answer of one.

use super::{Case, Outcome, counter, feedback};
use crate::asked::together;
use serde_json::{Value, json};
use war_rig_tests::fake::FakeOptions;

const RECORDS: u64 = 240;

/// Far more than any of these inputs has.
const WIDE: u64 = 60_000;

fn asked(agent: &str, name: &str, input: &str, more: &str, budget: u64) -> Outcome {
    let options = FakeOptions { budget: Some(budget), ..FakeOptions::default() };
    Case::new(agent, (name, input.as_bytes()), options).set("concurrency", 8).run(more)
}

/// The answer in one part, and in many.
fn both(name: &str, input: &str, more: &str) -> (Value, Value) {
    let whole = asked(&counter("paginate = \"never\""), name, input, more, WIDE);
    whole.ended(0, &[]);
    assert_eq!(whole.calls.len(), 1);
    let chunked = asked(&counter("chunk_size = 17"), name, input, more, 4000);
    chunked.ended(0, &[]);
    assert!(chunked.calls.len() > 10, "{} calls", chunked.calls.len());
    (whole.json()["answer"].clone(), chunked.json()["answer"].clone())
}

/// Asserts that both are the same, means up to the last digits.
#[track_caller]
fn check_same(name: &str, (whole, chunked): (Value, Value), count: u64) {
    for field in ["count", "total", "ids"] {
        assert_eq!(whole[field], chunked[field], "{name}: {field}");
    }
    assert_eq!(whole["count"], count, "{name}");
    assert_eq!(whole["ids"].as_array().unwrap().len() as u64, count, "{name}");
    let (one, other) = (whole["score"].as_f64().unwrap(), chunked["score"].as_f64().unwrap());
    assert!((one - other).abs() < 1e-9 && one > 1.0, "{name}: {one} {other}");
}

/// The same records as rows of columns.
fn as_csv(records: &str) -> String {
    let row = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        format!("{},{},{},{}\n", record["id"].as_str().unwrap(), record["amount"], record["score"], "as said")
    };
    format!("id,amount,score,text\n{}", records.lines().map(row).collect::<String>())
}

/// The same records as a list.
fn as_list(records: &str) -> String {
    format!("[\n  {}\n]\n", records.lines().collect::<Vec<_>>().join(",\n  "))
}

#[test]
fn sums_means_and_unions_of_parts_are_those_of_the_whole() {
    let lines = feedback(RECORDS);
    let inputs =
        vec![("feedback.jsonl", lines.clone()), ("feedback.json", as_list(&lines)), ("feedback.csv", as_csv(&lines))];
    together(inputs, |(name, input)| check_same(name, both(name, &input, ""), RECORDS));
}

#[test]
fn overlapping_records_count_once() {
    let lines = feedback(RECORDS);
    let plain = asked(&counter("chunk_size = 17"), "feedback.jsonl", &lines, "", 4000);
    let overlapping = asked(&counter("chunk_size = 17"), "feedback.jsonl", &lines, "--overlap 3", 4000);
    let shows = overlapping.calls[1].part.as_ref().is_some_and(|part| part.context("overlap").lines().count() == 3);
    assert!(shows, "{:?}", overlapping.calls[1].part);
    check_same("overlap", (plain.json()["answer"].clone(), overlapping.json()["answer"].clone()), RECORDS);
}

const PROGRAM: &str = "{count: (map(.count) | add), total: (map(.total) | add), ids: (map(.ids) | add | sort | reverse), \
    score: ((map(.score * .count) | add) / (map(.count) | add))}";

#[test]
fn a_program_of_the_user_merges_many_answers_as_one() {
    let lines = feedback(RECORDS);
    let place = war_rig_tests::Sandbox::new();
    let file = place.write("merge.jq", PROGRAM);
    let more = format!("--merge-strategy custom --merge-program {}", file.display());
    let (whole, chunked) = both("feedback.jsonl", &lines, &more);
    check_same("program", (whole, chunked.clone()), RECORDS);
    assert_eq!(chunked["ids"][0], format!("FB-{RECORDS:05}"));
    // The same in the agent's file.
    let agent = counter(&format!("chunk_size = 17\nmerge = \"custom\"\nprogram = '''{PROGRAM}'''"));
    let own = asked(&agent, "feedback.jsonl", &lines, "", 4000);
    own.ended(0, &[]);
    assert_eq!(own.json()["answer"], chunked);
}

#[test]
fn a_program_sees_no_environment_and_ends() {
    let lines = feedback(40);
    let place = war_rig_tests::Sandbox::new();
    for (program, said) in [
        ("env.OPENAI_API_KEY", "there is no filter `env`"),
        ("$ENV.OPENAI_API_KEY", "$ENV"),
        ("[limit(1; repeat(1))] | {count: 1, total: input_filename, score: 1, ids: []}", "input_filename"),
        ("[range(1e9)]", "merge program"),
        (".[", "line 1, column "),
        ("error(\"I will not\")", "I will not"),
    ] {
        let file = place.write("merge.jq", program);
        let more = format!("--merge-program {}", file.display());
        let agent = counter("chunk_size = 17");
        let case = Case::new(&agent, ("feedback.jsonl", lines.as_bytes()), FakeOptions::default());
        let outcome = case.run_freely(&more);
        outcome.ended(2, &[said]);
        assert!(outcome.ran.out.is_empty(), "{program}: {}", outcome.ran.out);
    }
}

#[test]
fn what_a_strategy_leaves_out_is_listed_and_what_it_does_not_need_is_not_asked() {
    let lines = feedback(85);
    let with = |strategy: &str| {
        let agent = counter("chunk_size = 17")
            .replace("x-merge = \"sum\"\n", "")
            .replace("x-merge = \"mean\"\nx-weight = \"count\"\n", "")
            .replace("x-merge = \"union\"\n", "");
        asked(&agent, "feedback.jsonl", &lines, &format!("--merge-strategy {strategy}"), 4000)
    };
    let last = with("last");
    last.ended(0, &["4 discarded"]);
    let answer = last.json();
    assert_eq!((&answer["answer"]["ids"][0], &answer["answer"]["count"]), (&json!("FB-00069"), &json!(17)));
    let discarded = answer["discarded"].as_array().unwrap();
    assert_eq!(discarded.len(), 4, "{discarded:?}");
    assert!(discarded.iter().all(|row| row["value"]["count"] == json!(17)), "{discarded:?}");
    assert_eq!(last.report["discarded"], 4);

    let first = with("first");
    first.ended(0, &["the answer of part 1 stands; no later part was asked"]);
    let answer = first.json();
    assert_eq!((&answer["answer"]["ids"][0], &answer["answer"]["count"]), (&json!("FB-00001"), &json!(17)));
    assert_eq!(first.report["answered"], 1, "{}", first.report);
}

#[test]
fn an_answer_that_is_not_what_the_schema_says_is_told() {
    let lines = feedback(40);
    let place = war_rig_tests::Sandbox::new();
    let file = place.write("merge.jq", "{count: \"many\"}");
    let more = format!("--merge-program {}", file.display());
    let outcome = asked(&counter("chunk_size = 17"), "feedback.jsonl", &lines, &more, 4000);
    outcome.ended(3, &["the answer has no `total`"]);
    let violations = outcome.json()["violations"].to_string();
    assert!(violations.contains("/count"), "{violations}");
}
