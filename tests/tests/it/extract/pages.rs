//! A PDF of 300 pages with 400 planted items, some of which go on over the end of a page.

use super::{Case, Outcome, lister};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_tests::fake::{Extraction, FakeOptions};
use war_rig_tests::pdf::{TestPdf, TestPdfOptions, test_pdf};

fn asked(paper: &TestPdf, extraction: Extraction, more: &str) -> Outcome {
    let options = FakeOptions { extraction, ..FakeOptions::default() };
    let case = Case::new(&lister(""), ("notes.pdf", &paper.bytes), options).set("concurrency", 16);
    case.run(more)
}

/// The first page of each item, as its provenance says.
#[track_caller]
fn pages(answer: &Value) -> BTreeMap<String, u64> {
    let of = |at: usize| {
        let path = format!("/items/{at}");
        let rows = answer["provenance"].as_array().unwrap();
        let row = rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{path} is from nowhere"));
        let origins = row["origins"].as_array().unwrap();
        assert!(origins.iter().all(|origin| origin["located"] == true), "{row}");
        origins.iter().map(|origin| origin["pages"][0].as_u64().unwrap()).min().unwrap()
    };
    super::ids(&answer["answer"]).into_iter().enumerate().map(|(at, id)| (id, of(at))).collect()
}

/// Asserts that each planted item is there once, with the page that it begins on.
#[track_caller]
fn check_all(outcome: &Outcome, paper: &TestPdf) {
    let answer = outcome.json();
    let ids = outcome.ids();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an item is there twice");
    let found = pages(&answer);
    let wrong: Vec<_> = paper.pages_by_id.iter().filter(|(id, page)| found.get(*id) != Some(*page)).collect();
    let told: Vec<_> = wrong.iter().map(|(id, _)| (id, found.get(id.as_str()))).collect();
    assert!(wrong.is_empty(), "{wrong:?} are told as {told:?}");
    assert_eq!(ids.len(), paper.pages_by_id.len());
    assert!(answer["conflicts"].as_array().unwrap().is_empty(), "{}", answer["conflicts"]);
    assert_eq!(answer["audit"]["missed"], Value::Array(Vec::new()));
    assert_eq!(answer["audit"]["found"], paper.pages_by_id.len());
    assert_eq!(answer["status"], "complete");
}

#[test]
fn all_items_are_found_once_and_on_their_pages() {
    let paper = test_pdf(TestPdfOptions::default());
    let outcome = asked(&paper, Extraction::default(), "--fail-on missed");
    outcome.ended(0, &["no text"]);
    check_all(&outcome, &paper);
    // A page without text is said, and nobody is asked about it.
    let shown: BTreeSet<u64> =
        outcome.calls.iter().filter_map(|call| Some(*call.part.as_ref()?.place.as_ref()?.start())).collect();
    let written: BTreeSet<u64> = (1..=300).filter(|page| !paper.blank.contains(page)).collect();
    assert_eq!(shown, written);
    let notes = outcome.json()["notes"].to_string();
    for page in &paper.blank {
        assert!(notes.contains(&page.to_string()), "{page}: {notes}");
    }
}

#[test]
fn pages_packed_into_parts_come_to_the_same() {
    let paper = test_pdf(TestPdfOptions { pages: 60, items: 90, ..TestPdfOptions::default() });
    for more in ["--pages-per-chunk auto", "--pages-per-chunk 4", "--pages-per-chunk 2 --overlap 80"] {
        let outcome = asked(&paper, Extraction::default(), more);
        outcome.ended(0, &[]);
        check_all(&outcome, &paper);
        assert!(outcome.calls.len() < 35, "{more}: {} calls", outcome.calls.len());
        let several = outcome.calls.iter().any(|call| call.part.as_ref().is_some_and(|part| part.pages().len() > 1));
        assert!(several, "{more}: no part has two pages");
    }
}

#[test]
fn what_is_forgotten_is_named_with_its_page() {
    let paper = test_pdf(TestPdfOptions::default());
    let forgets = Extraction { forgets: true, ..Extraction::default() };
    let outcome = asked(&paper, forgets, "--fail-on missed");
    outcome.ended(4, &["CR-0010"]);
    let answer = outcome.json();
    let missed = answer["audit"]["missed"].as_array().unwrap();
    let told: BTreeMap<String, u64> = missed
        .iter()
        .map(|row| (row["text"].as_str().unwrap().to_owned(), row["pages"][0].as_u64().unwrap()))
        .collect();
    let right: BTreeMap<String, u64> =
        paper.pages_by_id.iter().filter(|(id, _)| id.ends_with('0')).map(|(id, page)| (id.clone(), *page)).collect();
    assert_eq!(right.len(), 40);
    assert_eq!(told, right);
    assert_eq!(missed.len(), 40);
    let order: Vec<u64> = missed.iter().map(|row| row["pages"][0].as_u64().unwrap()).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(answer["status"], "complete");
}

#[test]
fn a_gate_is_what_ends_with_another_code() {
    let paper = test_pdf(TestPdfOptions { pages: 20, items: 30, ..TestPdfOptions::default() });
    let forgets = Extraction { forgets: true, ..Extraction::default() };
    asked(&paper, forgets, "").ended(0, &["missed"]);
}

#[test]
fn who_reports_what_stands_in_overlaps_is_not_believed_twice() {
    let paper = test_pdf(TestPdfOptions::default());
    let disobeys = Extraction { disobeys: true, ..Extraction::default() };
    let outcome = asked(&paper, disobeys, "");
    outcome.ended(0, &[]);
    check_all(&outcome, &paper);
    // Each of these pairs is listed.
    assert!(outcome.json()["joined"].as_array().unwrap().len() > 100);
}

#[test]
fn what_parts_say_differently_is_listed() {
    let paper = test_pdf(TestPdfOptions { pages: 40, items: 60, ..TestPdfOptions::default() });
    let contradicts = Extraction { contradicts: true, disobeys: true, ..Extraction::default() };
    let outcome = asked(&paper, contradicts, "");
    outcome.ended(0, &["conflict"]);
    let answer = outcome.json();
    let conflicts = answer["conflicts"].as_array().unwrap();
    assert!(conflicts.len() > 5, "{}", conflicts.len());
    for conflict in conflicts {
        let path = conflict["path"].as_str().unwrap();
        assert!(path.ends_with("/description"), "{conflict}");
        assert_eq!(answer["answer"].pointer(path), Some(&conflict["kept"]), "{conflict}");
        assert!(conflict["kept_part"].as_u64() < conflict["dropped_part"].as_u64(), "{conflict}");
    }
    assert_eq!(outcome.report["conflicts"], conflicts.len());
    let ids = outcome.ids();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>(), paper.pages_by_id.keys().collect::<BTreeSet<_>>());
    assert_eq!(ids.len(), 60);
}
