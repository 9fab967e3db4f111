//! The time to merge 10,000 answers: `cargo bench -p war-rig-paginate --bench answers`.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use serde_json::{Value, json};
use war_rig_paginate::{
    GatheredAnswers, InputLocation, MergeRules, MergeStrategy, PartAnswer, ValueLocator, ValueOrigin,
};

/// The answers of one input.
const ANSWERS: u64 = 10_000;
/// The items of an answer.
const ITEMS: u64 = 10;

fn main() {
    divan::main();
}

struct Here;

impl ValueLocator for Here {
    fn origin(&self, _: &Value) -> ValueOrigin {
        ValueOrigin { part: 0, place: InputLocation::default(), located: true, in_overlap: false }
    }
}

/// Generates items with these rules; every fourth is a duplicate.
fn gathered(list: &Value) -> (MergeRules, GatheredAnswers) {
    let mut list = list.clone();
    list["type"] = json!("array");
    list["items"] = json!({"type": "object", "properties": {
        "id": {"type": ["string", "null"]}, "description": {"type": "string"}, "pages": {"type": "integer", "x-merge": "sum"}, "owner": {"type": "string"}
    }});
    let schema =
        json!({"type": "object", "properties": {"items": list, "count": {"type": "integer", "x-merge": "sum"}}});
    let rules = MergeRules::of(&schema, MergeStrategy::Merge).unwrap();
    let has_key = !list["x-key"].is_null();
    let words = ["close", "ledger", "branch", "invoice", "export", "server", "nightly", "report", "account", "batch"];
    let mut all = GatheredAnswers::default();
    for number in 1..=ANSWERS {
        let items: Vec<Value> = (0..ITEMS)
            .map(|item| {
                let which = number * ITEMS + item;
                let which = if which.is_multiple_of(4) { which / 2 } else { which };
                let text: Vec<&str> = (0..9).map(|place| words[(which / 3_u64.pow(place) % 10) as usize]).collect();
                let id = if has_key { json!(format!("PBI-{which}")) } else { Value::Null };
                json!({"id": id, "description": text.join(" "), "pages": 1, "owner": "nobody"})
            })
            .collect();
        let value = json!({"items": items, "count": ITEMS});
        all = all.union(GatheredAnswers::from_answer(PartAnswer { number, weight: 1, value }, &Here));
    }
    (rules, all)
}

fn bench(bencher: divan::Bencher<'_, '_>, list: Value) {
    let (rules, all) = gathered(&list);
    bencher.with_inputs(|| all.clone()).bench_values(|all| all.merge(&rules));
}

#[divan::bench(sample_count = 5)]
fn extended(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, json!({}));
}

#[divan::bench(sample_count = 5)]
fn by_key(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, json!({"x-merge": "union", "x-key": "id"}));
}

#[divan::bench(sample_count = 5)]
fn by_similarity(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, json!({"x-merge": "union", "x-similar": "description"}));
}
