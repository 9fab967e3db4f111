//! A perfect Scribe, and nothing lost of what it says.

use crate::asked::Case;
use serde_json::Value;
use std::collections::BTreeMap;
use war_rig_tests::fake::{AnswerItemKind, FakeOptions};
use war_rig_tests::oracle::Verdict;
use war_rig_tests::quality::Quality;
use war_rig_tests::{binary, files_below, fixtures, json_file};

/// Asserts that a run over the fixtures loses nothing and costs what was planned.
#[track_caller]
fn check(budget: u64, by_ids: bool) {
    let options = FakeOptions { by_ids, ..FakeOptions::default() };
    let quality = Quality::measure_with(binary(), &fixtures(), budget, options);
    let quality = quality.unwrap_or_else(|error| panic!("{error}"));
    let faults = quality.faults();
    assert!(faults.is_empty(), "{}\n{}", quality.row(), faults.join("\n"));
    let (facts, items) = (&quality.verdict.facts, &quality.verdict.items);
    // None of this is worth anything where there is nothing to lose.
    assert!(Verdict::sum(facts).total > 700 && Verdict::sum(items).total > 1500, "{}", quality.row());
    for kind in AnswerItemKind::ALL {
        assert!(items.get(&kind).is_some_and(|tally| tally.total > 5), "{kind}: {}", quality.row());
    }
}

#[test]
fn nothing_is_lost_at_6000() {
    check(6000, false);
}

#[test]
fn nothing_is_lost_at_8000() {
    check(8000, false);
}

#[test]
fn nothing_is_lost_at_15000() {
    check(15_000, false);
}

#[test]
fn nothing_is_lost_of_words_for_ids_at_6000() {
    check(6000, true);
}

#[test]
fn nothing_is_lost_of_words_for_ids_at_15000() {
    check(15_000, true);
}

/// The documents of the fixtures, and the tokens of the answers.
fn documents(by_ids: bool) -> (BTreeMap<String, Value>, u64) {
    let case = Case::in_folder(fixtures(), FakeOptions { by_ids, ..FakeOptions::default() });
    let outcome = case.run_into("out", "");
    outcome.ended(0, &[]);
    let out = case.place.path().join("out");
    let documents = files_below(&out)
        .into_keys()
        .filter(|name| name.ends_with(".json") && !["run.json", "estate.json"].contains(&name.as_str()));
    let documents = documents.map(|name| (name.clone(), json_file(&out.join(&name))));
    (documents.collect(), outcome.calls.iter().map(|call| call.completion_tokens).sum())
}

#[test]
fn an_answer_by_ids_gives_the_same_facts_as_one_by_names_for_fewer_tokens() {
    let ((by_names, of_names), (by_ids, of_ids)) = (documents(false), documents(true));
    assert_eq!(by_names.keys().collect::<Vec<_>>(), by_ids.keys().collect::<Vec<_>>());
    let said = |document: &Value, path: &str, text: &str| -> Vec<String> {
        let mut said: Vec<String> = document
            .pointer(path)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|item| item[text].to_string())
            .collect();
        said.sort_unstable();
        said
    };
    for (name, expected) in &by_names {
        let found = &by_ids[name];
        // Where the parser has a frame, the document is the same to the last citation.
        for list in [
            "paragraphs", "called_programs", "copybooks_used", "sql_operations", "cics_operations", "inputs", "outputs",
        ] {
            assert_eq!(found[list], expected[list], "{name} {list}");
        }
        for (path, text) in [
            ("/business_rules", "description"),
            ("/error_handling", "action"),
            ("/data_flow/reads_from", "name"),
            ("/data_flow/reads_from", "description"),
            ("/data_flow/writes_to", "name"),
            ("/data_flow/writes_to", "description"),
            ("/data_flow/transforms", "description"),
        ] {
            assert_eq!(said(found, path, text), said(expected, path, text), "{name} {path}");
        }
        assert_eq!(
            (&found["conflicts"], &found["rejected"]),
            (&expected["conflicts"], &expected["rejected"]),
            "{name}"
        );
    }
    assert!(of_ids < of_names, "{of_ids} {of_names}");
}
