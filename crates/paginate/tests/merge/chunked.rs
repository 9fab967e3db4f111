//! What an extraction gives of a whole list, and of the same list in parts.

use super::*;
use proptest::prelude::{prop_assert, prop_assert_eq};
use proptest::test_runner::{Config, TestRunner};

struct Record {
    id: String,
    kind: &'static str,
    amount: i64,
    score: f64,
}

/// A thousand records, whose ids come back now and then.
fn records() -> Vec<Record> {
    let mut state = 7_u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let record = |_| Record {
        id: format!("PBI-{}", next(300)),
        kind: ["bug", "change", "question"][next(3) as usize],
        amount: i64::try_from(next(1 << 30)).unwrap() << 20,
        score: next(1_000) as f64 / 100.0,
    };
    (0..1_000).map(record).collect()
}

fn schema() -> Value {
    let item = fields(
        json!({"id": {"type": "string"}, "times": {"type": "integer", "x-merge": "sum"}, "largest": {"type": "integer", "x-merge": "max"}}),
    );
    fields(json!({
        "count": {"type": "integer", "x-merge": "sum"},
        "amount": {"type": "integer", "x-merge": "sum"},
        "score": {"type": "number", "x-merge": "mean"},
        "items": {"type": "array", "x-merge": "union", "x-key": "id", "items": item},
        "kinds": {"type": "array", "x-merge": "union", "items": {"type": "string"}}
    }))
}

/// What somebody who sees these records and no others says of them.
fn extracted(records: &[Record]) -> Value {
    let (mut items, mut kinds) = (Vec::<Value>::new(), Vec::<&str>::new());
    for record in records {
        match items.iter_mut().find(|item| item["id"] == record.id) {
            Some(item) => {
                item["times"] = json!(item["times"].as_i64().unwrap() + 1);
                item["largest"] = json!(item["largest"].as_i64().unwrap().max(record.amount));
            }
            None => items.push(json!({"id": record.id, "times": 1, "largest": record.amount})),
        }
        if !kinds.contains(&record.kind) {
            kinds.push(record.kind);
        }
    }
    json!({
        "count": records.len(),
        "amount": records.iter().map(|record| record.amount).sum::<i64>(),
        "score": records.iter().map(|record| record.score).sum::<f64>() / records.len() as f64,
        "items": items,
        "kinds": kinds
    })
}

#[test]
fn parts_come_to_what_the_whole_is() {
    let records = records();
    let whole = extracted(&records);
    let rules = rules(&schema(), MergeStrategy::Merge);
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32_u32).min(500);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
    let sizes = proptest::collection::vec(1..200_usize, 1..50);
    let law = |sizes: Vec<usize>| {
        let (mut rest, mut parts) = (&records[..], Vec::new());
        for size in sizes.iter().cycle() {
            let (part, left) = rest.split_at((*size).min(rest.len()));
            let number = parts.len() as u64 + 1;
            let answer = PartAnswer { number, weight: part.len() as u64, value: extracted(part) };
            parts.push(GatheredAnswers::from_answer(answer, &Part { number, ..Part::default() }));
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        let gathered = parts.into_iter().rev().fold(GatheredAnswers::default(), GatheredAnswers::union);
        let merged = gathered.merge(&rules);
        for field in ["count", "amount", "items", "kinds"] {
            prop_assert_eq!(&merged.value[field], &whole[field], "{} of {:?}", field, &sizes);
        }
        let (mean, expected) = (merged.value["score"].as_f64().unwrap(), whole["score"].as_f64().unwrap());
        prop_assert!((mean - expected).abs() < 1e-12, "{} and {}", mean, expected);
        prop_assert!(merged.conflicts.is_empty() && merged.discarded.is_empty());
        Ok(())
    };
    runner.run(&sizes, law).unwrap();
}
