//! What holds of any schema, any answers, and any order in which they come. `WAR_RIG_CASES` sets how often each law is tried.

use super::*;
use proptest::prelude::{TestCaseError, any, prop_assert, prop_assert_eq};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Map;
use std::collections::BTreeSet;

fn cases() -> u32 {
    std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500)
}

/// Chance, from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn is_one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const NAMES: [&str; 6] = ["a", "b/c", "d~", "id", "text", ""];

fn schema(dice: &mut Dice, depth: usize) -> Value {
    let mut schema = match dice.below(if depth == 0 { 4 } else { 9 }) {
        0 => {
            json!({"type": "string", "x-merge": dice.of(&["concat", "min", "max", "vote", "first", "last", "summary"])})
        }
        1 => {
            json!({"type": "number", "x-merge": dice.of(&["sum", "min", "max", "mean", "vote", "first", "last"])})
        }
        2 => json!({"type": "boolean", "x-merge": "vote"}),
        3 => json!({}),
        4..=6 => {
            let mut list = json!({"type": "array", "x-merge": dice.of(&["union", "union", "concat", "first", "last"]), "items": schema(dice, depth - 1)});
            if list["x-merge"] == "union" && !dice.is_one_in(4) {
                let mut items = object(dice, depth - 1);
                items["properties"]["id"] = json!({"type": "integer"});
                items["properties"]["text"] = json!({"type": "string"});
                list["items"] = items;
                if dice.is_one_in(2) {
                    list["x-key"] = json!("id");
                }
                if dice.is_one_in(2) {
                    list["x-similar"] = json!("text");
                }
            }
            list
        }
        _ => object(dice, depth - 1),
    };
    if dice.is_one_in(4) {
        schema.as_object_mut().unwrap().remove("x-merge");
        schema.as_object_mut().unwrap().remove("x-key");
    }
    schema
}

fn object(dice: &mut Dice, depth: usize) -> Value {
    let mut properties = Map::new();
    for _ in 0..1 + dice.below(4) {
        let name = dice.of(&NAMES);
        properties.insert(name.to_owned(), schema(dice, depth));
    }
    json!({"type": "object", "properties": properties})
}

/// A value that a schema may have brought about, and sometimes another.
fn value(dice: &mut Dice, schema: &Value, depth: usize) -> Value {
    if dice.is_one_in(12) {
        return Value::Null;
    }
    let kind = if dice.is_one_in(12) { "" } else { schema["type"].as_str().unwrap_or_default() };
    let few = dice.is_one_in(2);
    let bound = if few { 4 } else { 1_000_000 };
    match (kind, if kind.is_empty() { dice.below(5) } else { 9 }) {
        ("string", _) | (_, 0) => {
            let text = format!("the text of the entry is {}", "x".repeat(dice.below(4)));
            if few { json!(text) } else { json!(format!("s{}", dice.below(bound))) }
        }
        ("number", _) | (_, 1) if dice.is_one_in(3) => json!(dice.below(bound) as f64 / 4.0),
        ("number" | "integer", _) | (_, 1) => json!(dice.below(bound)),
        ("boolean", _) | (_, 2) => json!(dice.is_one_in(2)),
        ("array", _) | (_, 3) if depth > 0 => {
            (0..dice.below(8)).map(|_| value(dice, &schema["items"], depth - 1)).collect()
        }
        ("object", _) | (_, 4) if depth > 0 => {
            let mut fields = Map::new();
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                if !dice.is_one_in(5) {
                    fields.insert(name.clone(), value(dice, schema, depth - 1));
                }
            }
            if dice.is_one_in(3) {
                let name = dice.of(&["id", "more", "text"]);
                fields.entry(name).or_insert_with(|| value(dice, &Value::Null, depth - 1));
            }
            Value::Object(fields)
        }
        _ => json!(dice.below(bound)),
    }
}

/// A schema, its strategy and the answers of parts, whose numbers have gaps.
struct Case {
    schema: Value,
    rules: MergeRules,
    answers: Vec<PartAnswer>,
}

impl Case {
    fn of(seed: u64) -> Self {
        let dice = &mut Dice(seed);
        let schema = if dice.is_one_in(8) { schema(dice, 3) } else { object(dice, 3) };
        let strategy =
            [MergeStrategy::Merge, MergeStrategy::Merge, MergeStrategy::First, MergeStrategy::Last][dice.below(4)];
        let rules = MergeRules::of(&schema, strategy).unwrap();
        let mut number = 0;
        let answers = (0..dice.below(7)).map(|_| {
            number += 1 + dice.below(3) as u64;
            PartAnswer { number, weight: dice.below(5) as u64, value: value(dice, &schema, 4) }
        });
        let answers = answers.collect();
        Self { schema, rules, answers }
    }

    fn gathered(&self) -> Vec<GatheredAnswers> {
        let of = |answer: &PartAnswer| GatheredAnswers::from_answer(answer.clone(), &Somewhere(answer.number));
        self.answers.iter().map(of).collect()
    }

    fn merged(&self) -> MergedAnswer {
        self.gathered().into_iter().fold(GatheredAnswers::default(), GatheredAnswers::union).merge(&self.rules)
    }
}

/// Finds values by their look: some only in what was shown again, some nowhere.
struct Somewhere(u64);

impl ValueLocator for Somewhere {
    fn origin(&self, value: &Value) -> ValueOrigin {
        let look = value.to_string().bytes().fold(self.0, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        ValueOrigin {
            part: self.0,
            place: InputLocation { records: Some((look % 7, look % 7)), ..InputLocation::default() },
            located: !look.is_multiple_of(5),
            in_overlap: look.is_multiple_of(3),
        }
    }
}

fn hold(law: impl Fn(u64) -> Result<(), TestCaseError>) {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases()) });
    runner.run(&any::<u64>(), law).unwrap();
}

#[test]
fn neither_order_nor_grouping_shows() {
    hold(|seed| {
        let case = Case::of(seed);
        let expected = case.merged();
        let dice = &mut Dice(!seed);
        let mut heap = case.gathered();
        if heap.is_empty() {
            return Ok(());
        }
        while heap.len() > 1 {
            let one = heap.swap_remove(dice.below(heap.len()));
            let other = heap.swap_remove(dice.below(heap.len()));
            heap.push(one.union(other));
        }
        prop_assert_eq!(heap.remove(0).merge(&case.rules), expected);
        Ok(())
    });
}

/// The scalars of a value. Those that a rule folds into one are left out: what was added up is not there any more.
fn leaves(schema: &Value, value: &Value, found: &mut Vec<Value>) {
    let is_folded = ["sum", "mean", "min", "max"].iter().any(|rule| schema["x-merge"] == *rule);
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| leaves(&schema["items"], item, found)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| leaves(&schema["properties"][name], field, found));
        }
        Value::Number(_) | Value::String(_) if is_folded => {}
        scalar => found.push(scalar.clone()),
    }
}

fn look(leaf: &Value) -> String {
    leaf.as_f64().map_or_else(|| leaf.to_string(), |number| number.to_string())
}

#[test]
fn nothing_is_lost() {
    hold(|seed| {
        let case = Case::of(seed);
        let merged = case.merged();
        let conflicts = merged.conflicts.iter().map(|conflict| &conflict.dropped);
        let joined = merged.joined.iter().map(|joined| &joined.dropped);
        let discarded = merged.discarded.iter().map(|discarded| &discarded.value);
        let mut there = Vec::new();
        for value in conflicts.chain(joined).chain(discarded).chain([&merged.value]) {
            leaves(&Value::Null, value, &mut there);
        }
        let looks: HashSet<String> = there.iter().map(look).collect();
        let texts: HashSet<&str> = there.iter().filter_map(Value::as_str).flat_map(|text| text.split("\n\n")).collect();
        for answer in &case.answers {
            let mut said = Vec::new();
            leaves(&case.schema, &answer.value, &mut said);
            for leaf in said {
                let is_there = looks.contains(&look(&leaf)) || leaf.as_str().is_some_and(|text| texts.contains(text));
                prop_assert!(is_there, "{} of part {} is gone: {:#?}", leaf, answer.number, merged);
            }
        }
        Ok(())
    });
}

/// The pointers of the scalars outside of lists and of the items of lists.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Array(items) => found.extend((0..items.len()).map(|index| format!("{path}/{index}"))),
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

#[test]
fn every_value_says_where_it_comes_from() {
    hold(|seed| {
        let case = Case::of(seed);
        let merged = case.merged();
        let mut expected = Vec::new();
        places(&merged.value, "", &mut expected);
        let told: Vec<&String> = merged.provenance.iter().map(|told| &told.path).collect();
        prop_assert_eq!(told, expected.iter().collect::<Vec<_>>());
        let numbers: BTreeSet<u64> = case.answers.iter().map(|answer| answer.number).collect();
        for told in &merged.provenance {
            prop_assert!(!told.origins.is_empty());
            prop_assert!(told.origins.is_sorted() && told.origins.iter().all(|origin| numbers.contains(&origin.part)));
        }
        let paths = merged.conflicts.iter().map(|told| &told.path).chain(merged.joined.iter().map(|told| &told.path));
        for path in paths.chain(merged.summaries.iter().map(|told| &told.path)) {
            prop_assert!(merged.value.pointer(path).is_some(), "{path} leads nowhere: {merged:#?}");
        }
        Ok(())
    });
}

#[test]
fn the_cases_are_of_every_kind() {
    let merged: Vec<MergedAnswer> = (0..2_000).map(|seed| Case::of(seed).merged()).collect();
    let count = |of: &dyn Fn(&MergedAnswer) -> usize| merged.iter().map(of).sum::<usize>();
    assert!(count(&|merged| merged.conflicts.len()) > 500);
    assert!(count(&|merged| merged.discarded.len()) > 500);
    assert!(count(&|merged| merged.summaries.len()) > 20);
    for by in ["key", "equal", "overlap", "similarity"] {
        let names =
            |merged: &MergedAnswer| joined(merged).iter().filter(|line| line.contains(&format!(": {by}, "))).count();
        assert!(count(&names) > 20, "{by}: {}", count(&names));
    }
}
