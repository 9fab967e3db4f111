//! Answers on record: replayed by any number of workers without a provider they come to the same bytes.

use crate::asked::Case;
use crate::programs::{long, small, wide};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript, Latency, OverflowStyle, Window};
use war_rig_tests::{files_below, fixtures, json_file, project};

const RECORD: &str = "answers.jsonl";

/// The documents of a run, its report aside.
fn documents(case: &Case, out: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&case.place.path().join(out));
    assert!(files.remove("run.json").is_some());
    files
}

/// The fixtures, with answers that come in another order than they were asked for.
fn fixtures_case() -> Case {
    let (least, most) = (Duration::ZERO, Duration::from_millis(30));
    let latency = Latency::Random { least, most, seed: 11 };
    // Some of the answers are broken or cut off, so that repairs and pieces are on record as well.
    let script = FaultScript::when(|asked| match asked.rows % 10 {
        3 if asked.attempt == 1 => Some(CallFault::BadItem),
        5 if asked.attempt == 1 => Some(CallFault::Refused),
        7 if asked.rows > 150 => Some(CallFault::Truncated),
        _ => None,
    });
    let options = FakeOptions { latency, script, budget: Some(6000), ..FakeOptions::default() };
    Case::in_folder(fixtures(), options).set("concurrency", 8)
}

/// Replays, and asserts that the provider, which is still there, is left alone.
#[track_caller]
fn replay(case: &Case, out: &str, more: &str) -> (i32, String) {
    let calls = case.fake.log().calls.len();
    let outcome = case.run_freely(out, &format!("--replay {RECORD} {more}"));
    assert_eq!(case.fake.log().calls.len(), calls, "a replay makes no call");
    (outcome.ran.code.unwrap(), outcome.ran.err)
}

fn lines(case: &Case) -> Vec<String> {
    let text = std::fs::read_to_string(case.place.path().join(RECORD)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn put(case: &Case, lines: &[String]) {
    case.place.write(RECORD, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_replay_comes_to_the_same_bytes_with_any_number_of_workers() {
    let case = fixtures_case();
    let recorded = case.run_freely("out", &format!("--record {RECORD}"));
    recorded.ended(0, &[]);
    assert!(recorded.log.most_open > 1 && recorded.log.over_budget.is_empty());
    let faults: BTreeSet<&str> = recorded.calls.iter().filter_map(|call| call.fault.as_deref()).collect();
    assert_eq!(faults.len(), 3, "{faults:?}");
    let first = documents(&case, "out");
    for jobs in [1, 16] {
        let out = format!("out-{jobs}");
        let (code, said) = replay(&case, &out, &format!("--jobs {jobs}"));
        assert_eq!(code, 0, "{said}");
        let again = documents(&case, &out);
        assert_eq!(first.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
        for (name, bytes) in &first {
            assert!(*bytes == again[name], "{name} differs with {jobs} jobs");
        }
        let report: Value = json_file(&case.place.path().join(out).join("run.json"));
        assert_eq!((&report["calls"], &report["replayed"]), (&0.into(), &recorded.report["calls"]));
        assert_eq!(report["cost_usd"].as_f64(), Some(0.0));
    }
}

#[test]
fn a_missing_answer_is_named_with_the_nearest_and_only_it_is_asked_for() {
    let case = Case::new(FakeOptions::default());
    case.run_into("out", &format!("--record {RECORD}")).ended(0, &[]);
    let whole = lines(&case);
    assert_eq!(whole.len(), 3);
    let kept: Vec<String> = whole.iter().filter(|line| !line.contains("TWO.cbl")).cloned().collect();
    put(&case, &kept);
    let (code, said) = replay(&case, "gone", "");
    assert_eq!(code, 3, "{said}");
    let text = "warning: TWO.cbl: failed: lines 1-6: no answer is on record for TWO.cbl chunk 1/1 (lines 1-6) (key ";
    assert!(said.contains(text), "{said}");
    let nearest = "; the nearest is ONE.cbl chunk 1/1 (lines 1-6) (key ";
    assert!(
        said.contains(nearest) && said.contains(", which differs in the instructions or the context, the source"),
        "{said}"
    );
    let filled = case.run_freely("filled", &format!("--replay {RECORD} --record-missing"));
    filled.ended(0, &[]);
    let asked: Vec<&str> = filled.calls.iter().map(|call| call.file.as_str()).collect();
    assert_eq!(asked, ["TWO.cbl"]);
    let (code, said) = replay(&case, "whole", "");
    assert_eq!(code, 0, "{said}");
    assert!(documents(&case, "out") == documents(&case, "whole"));
    assert!(documents(&case, "out") == documents(&case, "filled"));
}

#[test]
fn what_differs_is_told_for_a_changed_source_and_another_model() {
    let case = Case::new(FakeOptions::default());
    case.run_into("out", &format!("--record {RECORD}")).ended(0, &[]);
    let (code, said) = replay(&case, "other", "--model gpt-4.1");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("the nearest is ONE.cbl chunk 1/1"), "{said}");
    assert!(said.contains("which differs in the model (`gpt-4o` on record)"), "{said}");
    case.place.write("src/ONE.cbl", small("ONE").replace("SUBONE", "SUBTEN"));
    let (code, said) = replay(&case, "changed", "");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("warning: ONE.cbl: failed") && said.contains("1 of 2 files documented"), "{said}");
    assert!(said.contains("which differs in the instructions or the context, the source"), "{said}");
}

#[test]
fn a_record_that_was_interrupted_goes_on() {
    let case = Case::of(
        &[("ONE.cbl", &small("ONE")), ("TWO.cbl", &small("TWO")), ("WIDE.cbl", &wide("WIDE", 60))],
        FakeOptions::default(),
    );
    case.run_into("out", &format!("--record {RECORD}")).ended(0, &[]);
    let whole = lines(&case);
    let last = whole.last().unwrap();
    let cut = format!("{}\n{}", whole[..whole.len() - 1].join("\n"), &last[..last.len() / 2]);
    case.place.write(RECORD, cut);
    let resumed = case.run_freely("again", &format!("--replay {RECORD} --record-missing"));
    resumed.ended(0, &[]);
    assert_eq!(resumed.calls.len(), 1);
    assert!(documents(&case, "out") == documents(&case, "again"));
    let (code, said) = replay(&case, "third", "");
    assert_eq!(code, 0, "{said}");
    assert!(documents(&case, "out") == documents(&case, "third"));
}

#[test]
fn a_record_is_not_overwritten_and_what_is_none_is_not_read() {
    let case = Case::new(FakeOptions::default());
    case.place.write(RECORD, "my own notes\n");
    let refused = case.run_freely("out", &format!("--record {RECORD}"));
    let hint = "hint: add to it with --replay FILE --record-missing, or name another file";
    refused.ended(2, &[&format!("error: {RECORD}: there is a record already"), hint]);
    let (code, said) = replay(&case, "out", "");
    assert!(code == 2 && said.contains(&format!("error: {RECORD}: line 1: this is no record")), "{said}");
    assert_eq!(std::fs::read_to_string(case.place.path().join(RECORD)).unwrap(), "my own notes\n");
    assert!(case.fake.log().calls.is_empty());
}

#[test]
fn a_record_holds_no_key_no_place_no_row_of_a_source_and_no_secret() {
    let case = Case::in_folder(project().join("fixtures/secrets"), FakeOptions::default());
    case.run_into("out", &format!("--record {RECORD}")).ended(0, &[]);
    let text = std::fs::read_to_string(case.place.path().join(RECORD)).unwrap();
    assert!(text.lines().count() > 2);
    let place = case.place.path().display().to_string();
    let project = project().display().to_string();
    for never in [place.as_str(), &project, "PLANT", "plant", "900901", "Bearer", "127.0.0.1"] {
        assert!(!text.contains(never), "`{never}` is on record");
    }
    // Names that an answer speaks of are on record; what was sent is not.
    let source = std::fs::read_to_string(crate::secrets::program()).unwrap();
    let rows = source.lines().filter_map(|line| line.get(7..)).map(str::trim).filter(|row| row.len() > 24);
    for row in rows {
        let row = serde_json::to_string(row).unwrap();
        assert!(!text.contains(row.trim_matches('"')), "{row} is on record");
    }
}

#[test]
fn a_record_of_a_model_that_holds_less_is_replayed_to_the_same_pieces() {
    let window = Some(Window { tokens: 5000, ratio: 1.4, overflow: OverflowStyle::OpenAi });
    let options = FakeOptions { window, ..FakeOptions::default() };
    let both = long("LONG", 14) + &long("OTHER", 14);
    let case = Case::of(&[("LONG.cbl", &both)], options).option("--reconcile");
    let recorded = case.run_freely("out", &format!("--record {RECORD}"));
    recorded.ended(0, &[]);
    assert!(recorded.calls.iter().any(|call| call.status == Some(400)));
    let (code, said) = replay(&case, "again", "--jobs 16");
    assert_eq!(code, 0, "{said}");
    assert!(documents(&case, "out") == documents(&case, "again"));
}

#[test]
fn what_was_paid_for_before_a_run_was_stopped_is_not_paid_for_again() {
    let case = Case::many(9, FakeOptions::default());
    let stopped = case.run_into("out", &format!("--record {RECORD} --budget-usd 0.19"));
    stopped.ended(13, &["the run was stopped: the next call may cost 0.16"]);
    let paid = stopped.calls.len();
    assert!((1..9).contains(&paid), "{paid}");
    let resumed = case.run_freely("out", &format!("--replay {RECORD} --record-missing"));
    resumed.ended(0, &["9 of 9 files documented"]);
    assert_eq!(resumed.calls.len(), 9 - paid);
    let whole = Case::many(9, FakeOptions::default());
    whole.run().ended(0, &[]);
    assert!(documents(&case, "out") == documents(&whole, "out"));
}

#[test]
fn a_record_that_cannot_be_made_ends_the_run_before_any_call() {
    let case = Case::new(FakeOptions::default());
    let outcome = case.run_freely("out", "--record nowhere/answers.jsonl");
    outcome.ended(15, &["nowhere/answers.jsonl"]);
    assert!(outcome.calls.is_empty());
}
