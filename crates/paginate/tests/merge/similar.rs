//! Items without a key that are nearly the same.

use super::*;

fn schema(threshold: f64) -> Value {
    fields(json!({"items": {
        "type": "array", "x-merge": "union", "x-key": "id", "x-similar": "text", "x-threshold": threshold,
        "items": fields(json!({"id": {"type": ["string", "null"]}, "text": {"type": "string"}, "owner": {}}))
    }}))
}

/// The likeness of two texts, as the report has it; none where they stay two.
fn likeness(one: &str, other: &str) -> Option<f64> {
    let answers = [one, other].map(|text| json!({"items": [{"text": text}]}));
    let merged = merged(&schema(0.9), MergeStrategy::Merge, &answers);
    let count = merged.value["items"].as_array().unwrap().len();
    assert_eq!(count + merged.joined.len(), 2);
    merged.joined.first().and_then(|joined| joined.similarity)
}

#[test]
fn texts_that_are_nearly_the_same_are_one() {
    let text = "Move the nightly export of invoices to the new server";
    let about = |found: Option<f64>| found.map(|likeness| (likeness * 100.0).round());
    assert_eq!(likeness(text, " move the  nightly export of invoices to the new SERVER"), Some(1.0));
    assert_eq!(about(likeness(text, "Move the nightly export of invocies to the new server.")), Some(96.0));
    assert_eq!(likeness(text, "Move the nightly import of orders to the new server"), None);
    assert_eq!(likeness(text, "Move the new server to the nightly export of invoices"), None);
    assert_eq!(likeness("", ""), None);
    assert_eq!(likeness("Überprüfung der Rückstände", "überprüfung der Rückständ"), Some(25.0 / 26.0));
    assert_eq!(likeness("unbelievablylongword", "unbelievablylomgword"), Some(0.95));
}

#[test]
fn a_number_makes_another_thing() {
    let with = |number: &str| format!("Raise the timeout of the nightly batch to {number} seconds on all servers");
    assert_eq!(likeness(&with("30"), &with("30").to_uppercase()), Some(1.0));
    assert!(likeness(&with("30"), &with("30").replace("batch", "bacth")).is_some());
    assert_eq!(likeness(&with("30"), &with("31")), None);
    assert_eq!(likeness(&with("PBI-1"), &with("PBI-2")), None);
}

#[test]
fn what_is_known_by_different_ids_stays_apart() {
    let item = |id: Value, owner: &str| json!({"items": [{"id": id, "text": "Close the ledger of the old branch", "owner": owner}]});
    let answers = [item(json!("A"), "x"), item(json!("B"), "x"), item(Value::Null, "y"), item(Value::Null, "z")];
    let merged = merged(&schema(0.9), MergeStrategy::Merge, &answers);
    assert_eq!(merged.value["items"].as_array().unwrap().len(), 3);
    assert_eq!(
        joined(&merged),
        ["/items/2: similarity, 3, {\"id\":null,\"text\":\"Close the ledger of the old branch\",\"owner\":\"z\"} (4)"]
    );
    assert_eq!(conflicts(&merged), ["/items/2/owner: \"y\" (3) not \"z\" (4)"]);
}

#[test]
fn small_differences_do_not_add_up() {
    let texts: Vec<String> = (0..20).map(|count| format!("{}{}", "y".repeat(count), "x".repeat(40 - count))).collect();
    let answers: Vec<Value> = texts.iter().map(|text| json!({"items": [{"text": format!("see {text}")}]})).collect();
    let merged = merged(&schema(0.9), MergeStrategy::Merge, &answers);
    let items = merged.value["items"].as_array().unwrap();
    assert!(items.len() >= 4, "{items:?}");
    assert!(merged.joined.iter().all(|joined| joined.similarity.unwrap() > 0.9));
    // The text of the first stands, and is no contradiction.
    assert_eq!(merged.conflicts, []);
}

/// Five thousand texts of the same few words, the worst there is: each is like many and the same as none.
#[test]
fn many_texts_are_merged_soon() {
    let words = ["close", "ledger", "branch", "invoice", "export", "server", "nightly", "report", "account", "batch"];
    let text = |index: usize| {
        let mut rest = index;
        let picked = (0..12).map(|_| {
            rest = rest.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            words[(rest >> 33) % words.len()]
        });
        picked.collect::<Vec<_>>().join(" ")
    };
    let answers: Vec<Value> = (0..50)
        .map(|part| {
            let items: Vec<Value> = (0..100).map(|item| json!({"text": text(part * 100 + item)})).collect();
            json!({"items": items})
        })
        .collect();
    let merged = merged(&schema(0.92), MergeStrategy::Merge, &answers);
    let items = merged.value["items"].as_array().unwrap();
    assert_eq!(items.len() + merged.joined.len(), 5_000);
}
