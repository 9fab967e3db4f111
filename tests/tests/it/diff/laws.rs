//! What holds of any two documents, tried on those of the fixtures and on what becomes of them when something of theirs is changed.
//!
//! `WAR_RIG_CASES` sets how often each law is tried.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::sync::LazyLock;
use war_rig_template::Document;
use war_rig_template::diff::{ChangeKind, DocumentChange, ItemChange, compare};
use war_rig_tests::{Sandbox, files_below, fixtures};

/// How often each law is tried when nothing is said.
const CASES: u32 = 100;

/// The documents of the fixtures, as JSON.
static DOCUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let place = Sandbox::new();
    place.line("document {} -o out", &fixtures()).assert_exit(0);
    let files = files_below(&place.path().join("out"));
    let documents = files
        .into_iter()
        .filter(|(name, _)| name.ends_with(".json") && !["run.json", "estate.json"].contains(&name.as_str()));
    documents.map(|(_, bytes)| serde_json::from_slice(&bytes).unwrap()).collect()
});

/// Lists whose order is what happens first, is shown above, or is handed over before.
const IN_ORDER: [&str; 11] = [
    "columns", "data", "data_dictionary", "first_lines", "libraries", "parameters", "pcbs", "procedures", "programs",
    "screen", "segments",
];

/// Fields in which two documents may differ and mean the same.
const NO_MEANING: [&str; 25] = [
    "asks", "brings", "chunk_id", "chunks", "cited", "confidence", "declared_at", "end_line", "ends", "is_reported",
    "items_read", "items_set", "key_action", "line", "lines", "origin", "outcome_line", "program_end", "repeated",
    "rule_id", "source_hash", "made_from", "seal", "start_line", "version",
];

fn document(json: &Value) -> Document {
    serde_json::from_value(json.clone()).unwrap()
}

/// What is told of two documents, told the other way round.
fn mirrored(told: &DocumentChange) -> Vec<String> {
    let mirror = |change: &ItemChange| {
        let mut change = change.clone();
        change.kind = match change.kind {
            ChangeKind::Added => ChangeKind::Gone,
            ChangeKind::Gone => ChangeKind::Added,
            kind => kind,
        };
        std::mem::swap(&mut change.before, &mut change.after);
        std::mem::swap(&mut change.lines_before, &mut change.lines_after);
        if let Some(was) = &mut change.was {
            std::mem::swap(&mut change.item, was);
        }
        change
    };
    sorted(told.changes.iter().map(mirror))
}

fn sorted(changes: impl IntoIterator<Item = ItemChange>) -> Vec<String> {
    let line = |mut change: ItemChange| {
        // What is on both sides is told under the name that its program has now.
        change.program = change.program.filter(|_| change.what.is_none());
        serde_json::to_string(&change).unwrap()
    };
    let mut lines: Vec<String> = changes.into_iter().map(line).collect();
    lines.sort_unstable();
    lines
}

/// Asserts that two documents are told of in the same way from both sides.
#[track_caller]
fn check_mirror(old: &Document, new: &Document) -> DocumentChange {
    let (there, back) = (compare(old, new), compare(new, old));
    let (expected, told) = (mirrored(&there), sorted(back.changes.clone()));
    let differing = expected.iter().zip(&told).find(|(expected, told)| expected != told);
    assert!(expected == told, "{} and {} changes, {differing:?}", expected.len(), told.len());
    assert_eq!((there.moved_citations, there.is_same()), (back.moved_citations, back.is_same()));
    there
}

/// Every value of a document that means something, as the path to it.
fn meanings(value: &Value, path: &str, paths: &mut Vec<String>) {
    let mut add = |name: &str, value: &Value| meanings(value, &format!("{path}/{name}"), paths);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_place = name == "file" && path.contains("/citations/");
                // Counts say something of lines that are not documented alone.
                let is_counted = name == "lines" && path == "/coverage";
                if is_counted || !(NO_MEANING.contains(&name.as_str()) || is_place) {
                    add(&name.replace('~', "~0").replace('/', "~1"), value);
                }
            }
        }
        Value::Array(parts) => {
            for (at, part) in parts.iter().enumerate() {
                add(&at.to_string(), part);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        paths.push(path.to_owned());
    }
}

/// The document with another value at the path, or without what stands there, or with it twice; none where that is no document.
fn changed(json: &Value, path: &str, how: u8) -> Option<Document> {
    let mut json = json.clone();
    let (above, last) = path.rsplit_once('/').unwrap();
    if let Some(Value::Array(list)) = json.pointer_mut(above)
        && let Ok(at) = last.parse::<usize>()
        && !how.is_multiple_of(3)
    {
        let part = list[at].clone();
        if how % 3 == 1 {
            drop(list.remove(at))
        } else {
            list.insert(at, part)
        }
        return serde_json::from_value(json).ok();
    }
    let candidates = match json.pointer(path)? {
        Value::Null => vec![json!("SOMETHING"), json!(7)],
        Value::Bool(is) => vec![json!(!is)],
        Value::Number(number) => vec![json!(number.as_f64()? as u64 + 1)],
        Value::String(text) => {
            let mut other = text.clone();
            other.push_str("-OTHER");
            let hash = text.chars().rev().collect::<String>();
            vec![json!(other), json!("unsupported"), json!("partial"), json!(hash)]
        }
        // Of these the parts are changed.
        Value::Array(_) | Value::Object(_) => return None,
    };
    candidates.into_iter().find_map(|value| {
        let mut json = json.clone();
        *json.pointer_mut(path)? = value;
        serde_json::from_value(json).ok()
    })
}

/// The same with every list whose order says nothing turned around and cut.
fn reordered(value: &Value, name: &str, by: usize) -> Value {
    match value {
        Value::Array(parts) => {
            let mut parts: Vec<Value> = parts.iter().map(|part| reordered(part, "", by)).collect();
            if !IN_ORDER.contains(&name) && name != "steps" && !parts.is_empty() {
                parts.reverse();
                let by = by % parts.len();
                parts.rotate_left(by);
            }
            Value::Array(parts)
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), reordered(value, name, by))).collect()
        }
        value => value.clone(),
    }
}

/// The same with every line further down.
fn moved(value: &Value, by: u64) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(|part| moved(part, by)).collect(),
        Value::Object(fields) => {
            let of = |name: &String, value: &Value| match (name.as_str(), value.as_u64()) {
                ("line" | "start_line" | "end_line" | "declared_at", Some(line)) => json!(line + by),
                _ => moved(value, by),
            };
            fields.iter().map(|(name, value)| (name.clone(), of(name, value))).collect()
        }
        value => value.clone(),
    }
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() }
}

#[test]
fn a_document_means_what_it_means() {
    for json in DOCUMENTS.iter() {
        let document = document(json);
        // Its parts are compared, and not its whole alone.
        let mut other = document.clone();
        other.business_rules.iter_mut().for_each(|rule| rule.rule_id.push('0'));
        other.chunks.clear();
        for told in [compare(&document, &document), check_mirror(&document, &other)] {
            assert!(told.is_same() && told.changes.is_empty() && told.moved_citations == 0, "{told:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_order_of_lists_says_nothing(which: Index, by: usize) {
        let json = which.get(&DOCUMENTS);
        let told = check_mirror(&document(json), &document(&reordered(json, "", by)));
        prop_assert!(told.is_same() && told.moved_citations == 0, "{:?}", told.changes);
    }

    #[test]
    fn where_lines_stand_says_nothing(which: Index, by in 100_000..200_000u64) {
        let json = which.get(&DOCUMENTS);
        let document = document(json);
        let told = check_mirror(&document, &self::document(&moved(json, by)));
        prop_assert!(told.is_same(), "{:?}", told.changes);
        prop_assert_eq!(told.moved_citations, document.citations().count() as u64);
    }

    #[test]
    fn every_change_is_told_and_from_both_sides(which: Index, place: Index, how: u8) {
        let json = which.get(&DOCUMENTS);
        let mut paths = Vec::new();
        meanings(json, "", &mut paths);
        let path = place.get(&paths);
        if let Some(other) = changed(json, path, how) {
            let told = check_mirror(&document(json), &other);
            prop_assert!(!told.is_same(), "{path} of {}", json["header"]["file_name"]);
        }
    }

    #[test]
    fn any_two_documents_are_told_from_both_sides(one: Index, other: Index) {
        check_mirror(&document(one.get(&DOCUMENTS)), &document(other.get(&DOCUMENTS)));
    }
}
