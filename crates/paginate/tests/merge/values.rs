//! Each rule, and what it lists.

use super::*;
use war_rig_paginate::{CustomMerge, SummaryTexts};

#[test]
fn without_rules_lists_extend_objects_recurse_and_the_first_scalar_stands() {
    let schema = fields(json!({"title": {}, "items": {"type": "array"}, "of": {"type": "object"}}));
    let merged = merged(
        &schema,
        MergeStrategy::Merge,
        &[
            json!({"note": "n", "items": ["a"], "title": null, "of": {"a/b": 1}}),
            json!({"items": ["b", "a"], "title": "T", "of": {"a/b": 1.0, "c~": true}}),
            json!({"title": "U", "items": null, "more": [], "of": {"a/b": 2}}),
        ],
    );
    // Fields stand as the schema has them, then as they were first said.
    assert_eq!(
        merged.value.to_string(),
        r#"{"title":"T","items":["a","b","a"],"of":{"a/b":1,"c~":true},"note":"n","more":[]}"#
    );
    assert_eq!(conflicts(&merged), ["/title: \"T\" (2) not \"U\" (3)", "/of/a~1b: 1 (1) not 2 (3)"]);
    assert_eq!(
        provenance(&merged),
        ["/title: 2", "/items/0: 1", "/items/1: 2", "/items/2: 2", "/of/a~1b: 1 2", "/of/c~0: 2", "/note: 1"]
    );
    assert_eq!((joined(&merged), discarded(&merged)), (vec![], vec![]));
}

#[test]
fn values_of_another_kind_are_conflicts() {
    let answers = [json!({"a": [1]}), json!({"a": 2}), json!({"a": {"b": 3}}), json!({"a": [4]}), json!(5)];
    let merged = merged(&json!({}), MergeStrategy::Merge, &answers);
    assert_eq!(merged.value, json!({"a": [1, 4]}));
    assert_eq!(
        conflicts(&merged),
        ["/a: [1] (1) not 2 (2)", "/a: [1] (1) not {\"b\":3} (3)", ": {\"a\":[1]} (1) not 5 (5)",]
    );
}

/// One field with a rule.
fn check(field: Value, said: &[Value], expected: Value, listed: &[&str]) -> MergedAnswer {
    let answers: Vec<Value> = said.iter().map(|said| json!({"f": said})).collect();
    let merged = merged(&fields(json!({"f": field})), MergeStrategy::Merge, &answers);
    assert_eq!(merged.value, json!({"f": expected}), "{field} {said:?}");
    let told: Vec<String> = [conflicts(&merged), discarded(&merged)].concat();
    assert_eq!(told, listed, "{field} {said:?}");
    merged
}

#[test]
fn rules_of_scalars() {
    let rule = |rule: &str| json!({"x-merge": rule});
    let n = Value::Null;
    check(rule("sum"), &[json!(1), n.clone(), json!(2)], json!(3), &[]);
    check(rule("sum"), &[json!(u64::MAX), json!(-5)], json!(u64::MAX - 5), &[]);
    check(rule("sum"), &[json!("x"), json!(1), json!(2)], json!(3), &["/f: 1 (2) not \"x\" (1)"]);
    check(rule("sum"), &[json!("x"), json!("y")], json!("x"), &["/f: \"x\" (1) not \"y\" (2)"]);
    check(
        rule("sum"),
        &[json!(f64::MAX), json!(f64::MAX / 2.0), json!(f64::MAX)],
        json!(f64::MAX),
        &["/f: 1.7976931348623157e+308 (1) not 8.988465674311579e+307 (2)"],
    );
    check(rule("min"), &[json!(3), json!(1.5), json!(2)], json!(1.5), &[]);
    check(rule("max"), &[json!("b"), json!("c"), json!(9)], json!("c"), &["/f: \"b\" (1) not 9 (3)"]);
    // The parts weigh 1, 2 and 3.
    check(rule("mean"), &[json!(6), json!(0), json!(4)], json!(3.0), &[]);
    check(rule("vote"), &[json!("no"), json!("yes"), json!("yes")], json!("yes"), &["/f: \"yes\" (2) not \"no\" (1)"]);
    check(rule("vote"), &[json!(true), json!(false)], json!(true), &["/f: true (1) not false (2)"]);
    check(rule("first"), &[n.clone(), json!(1), json!(1), json!([2])], json!(1), &["/f: [2] (4)"]);
    check(rule("last"), &[json!(1), json!(2), n.clone()], json!(2), &["/f: 1 (1)"]);
    check(rule("concat"), &[json!("a"), json!(" "), json!("a")], json!("a\n\na"), &[]);
    check(rule("concat"), &[json!([1]), json!("b"), json!([1])], json!([1, 1]), &["/f: [1] (1) not \"b\" (2)"]);
    check(rule("sum"), &[n.clone(), n], Value::Null, &[]);
}

#[test]
fn summaries_are_joined_until_they_are_summed_up() {
    let merged = check(json!({"x-merge": "summary"}), &[json!("a"), json!(""), json!("b")], json!("a\n\nb"), &[]);
    let texts = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(merged.summaries, [SummaryTexts { path: "/f".to_owned(), texts }]);
    assert_eq!(provenance(&merged), ["/f: 1 2 3"]);
    let one = check(json!({"x-merge": "summary"}), &[json!("a")], json!("a"), &[]);
    assert_eq!(one.summaries, []);
}

#[test]
fn a_mean_is_weighed_by_its_sibling() {
    let schema = fields(
        json!({"score": {"type": "number", "x-merge": "mean", "x-weight": "count"}, "count": {"type": "integer", "x-merge": "sum"}}),
    );
    let all = |answers: &[Value]| merged(&schema, MergeStrategy::Merge, answers);
    let both = all(&[json!({"score": 1, "count": 3}), json!({"score": 5, "count": 1})]);
    assert_eq!(both.value, json!({"score": 2.0, "count": 4}));
    let without = all(&[json!({"score": 1, "count": 3}), json!({"score": 5})]);
    assert_eq!(without.value, json!({"score": 1, "count": 3}));
    assert_eq!(conflicts(&without), ["/score: 1 (1) not 5 (2)"]);
    let by_part = all(&[json!({"score": 1}), json!({"score": 4})]);
    assert_eq!(by_part.value, json!({"score": 3.0}));
}

#[test]
fn items_with_one_key_are_one() {
    let schema = fields(json!({"items": {"type": "array", "x-merge": "union", "x-key": "id", "items": fields(json!({
        "id": {"type": ["string", "integer"]}, "text": {}, "count": {"x-merge": "sum"}, "tags": {"x-merge": "union"}
    }))}}));
    let merged = merged(
        &schema,
        MergeStrategy::Merge,
        &[
            json!({"items": [{"id": "A", "count": 1, "tags": ["x"]}, {"id": 7}, {"text": "no id"}]}),
            json!({"items": [{"id": " A ", "count": 2, "text": "t", "tags": ["y", "x"]}, {"id": 7.0, "text": "seven"}, {"id": "7"}]}),
            json!({"items": [{"id": "A", "text": "u"}, {"text": "no id", "id": null}, "loose", {"id": " ", "text": "blank"}]}),
        ],
    );
    assert_eq!(
        merged.value,
        json!({"items": [
            {"id": "A", "text": "t", "count": 3, "tags": ["x", "y"]},
            {"id": 7, "text": "seven"}, {"text": "no id"}, {"id": "7"}, "loose", {"id": " ", "text": "blank"}
        ]})
    );
    assert_eq!(conflicts(&merged), ["/items/0/text: \"t\" (2) not \"u\" (3)"]);
    assert_eq!(
        joined(&merged),
        [
            "/items/0: key, 1, {\"id\":\" A \",\"count\":2,\"text\":\"t\",\"tags\":[\"y\",\"x\"]} (2)",
            "/items/0: key, 1, {\"id\":\"A\",\"text\":\"u\"} (3)",
            "/items/0/tags/0: equal, 1, \"x\" (2)",
            "/items/1: key, 1, {\"id\":7.0,\"text\":\"seven\"} (2)",
            "/items/2: equal, 1, {\"text\":\"no id\",\"id\":null} (3)",
        ]
    );
    assert_eq!(
        provenance(&merged),
        ["/items/0: 1 2 3", "/items/1: 1 2", "/items/2: 1 3", "/items/3: 2", "/items/4: 3", "/items/5: 3"]
    );
}

#[test]
fn what_was_shown_again_counts_once() {
    let check = |rule: Value, is_lost: bool, expected: Value, listed: &[&str]| {
        let schema = fields(json!({"items": rule}));
        let rules = rules(&schema, MergeStrategy::Merge);
        let of = |number: u64, again: &[Value], items: Value| {
            let again = RefCell::new(again.iter().map(Value::to_string).collect());
            let answer = PartAnswer { number, weight: 1, value: json!({"items": items}) };
            GatheredAnswers::from_answer(answer, &Part { number, again, is_lost })
        };
        let first = of(1, &[], json!([{"id": 1, "n": 1}, {"id": 2, "n": 5}]));
        let second = of(
            2,
            &[json!({"id": 2, "n": 5}), json!({"id": 3})],
            json!([{"id": 2, "n": 5}, {"id": 3}, {"id": 1, "n": 1}]),
        );
        let merged = first.union(second).merge(&rules);
        assert_eq!(merged.value, json!({"items": expected}), "{rule}");
        assert_eq!(joined(&merged), listed, "{rule}");
        merged
    };
    let twice = "/items/1: overlap, 1, {\"id\":2,\"n\":5} (2)";
    let all = json!([{"id": 1, "n": 1}, {"id": 2, "n": 5}, {"id": 3}, {"id": 1, "n": 1}]);
    let merged = check(json!({"type": "array"}), false, all, &[twice]);
    assert_eq!(provenance(&merged), ["/items/0: 1", "/items/1: 1 2*", "/items/2: 2*", "/items/3: 2"]);
    // What is added up counts once as well, unless it was said of a part's own text.
    let union = json!({"x-merge": "union", "x-key": "id", "items": fields(json!({"id": {}, "n": {"x-merge": "sum"}}))});
    let both = json!([{"id": 1, "n": 2}, {"id": 2, "n": 5}, {"id": 3}]);
    check(union, false, both, &["/items/0: key, 1, {\"id\":1,\"n\":1} (2)", twice]);
    let lost = json!([{"id": 1, "n": 1}, {"id": 2, "n": 5}, {"id": 2, "n": 5}, {"id": 3}, {"id": 1, "n": 1}]);
    check(json!({"type": "array"}), true, lost, &[]);
}

#[test]
fn strategies_take_one_answer_and_list_the_others() {
    let answers = [Value::Null, json!({"a": 1, "b": [1]}), json!({"a": 2, "c": true}), Value::Null];
    let first = merged(&json!({}), MergeStrategy::First, &answers);
    assert_eq!(first.value, answers[1]);
    assert_eq!(discarded(&first), [": {\"a\":2,\"c\":true} (3)"]);
    assert_eq!(provenance(&first), ["/a: 2", "/b/0: 2"]);
    let last = merged(&json!({}), MergeStrategy::Last, &answers);
    assert_eq!(
        (last.value.clone(), discarded(&last)),
        (answers[2].clone(), vec![": {\"a\":1,\"b\":[1]} (2)".to_owned()])
    );
    // A rule of a field is a rule under any strategy.
    let schema = fields(json!({"a": {"x-merge": "sum"}, "b": {}}));
    let ruled = merged(&schema, MergeStrategy::First, &answers);
    assert_eq!(ruled.value, json!({"a": 3, "b": [1]}));
    assert_eq!(discarded(&ruled), ["/c: true (3)"]);
}

#[test]
fn rules_stand_at_any_depth_and_behind_references() {
    let schema = json!({
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {"type": "object", "properties": {
                "count": {"anyOf": [{"type": "integer", "x-merge": "sum"}, {"type": "null"}]},
                "below": {"$ref": "#/$defs/node"},
                "list": {"type": "array", "x-merge": "union", "x-key": "id", "items": {"allOf": [
                    {"$ref": "#/$defs/node"}, {"type": "object", "properties": {"id": {"type": "string"}}}
                ]}}
            }}
        }
    });
    let one =
        json!({"count": 1, "below": {"count": 2, "below": {"count": 3}}, "list": [{"id": "a", "below": {"count": 4}}]});
    let merged = merged(&schema, MergeStrategy::Merge, &[one.clone(), one.clone(), one]);
    assert_eq!(
        merged.value,
        json!({"count": 3, "below": {"count": 6, "below": {"count": 9}}, "list": [{"id": "a", "below": {"count": 12}}]})
    );
    assert_eq!(conflicts(&merged), Vec::<String>::new());
}

/// Takes the first of each answer's items, and the number of answers.
struct Heads;

impl CustomMerge for Heads {
    fn merge(&self, answers: &[Value]) -> Result<Value, String> {
        if answers.len() == 1 {
            return Err("one is not enough".to_owned());
        }
        let heads: Vec<&Value> = answers.iter().filter_map(|answer| answer.pointer("/items/0")).collect();
        Ok(json!({"heads": heads, "count": answers.len(), "title": "T"}))
    }
}

#[test]
fn a_program_merges_all_at_once() {
    let part = |number, items: Value| gathered(number, json!({"items": items, "title": "T"}));
    let both = part(9, json!(["b"])).union(part(2, json!(["a", "c"])));
    assert_eq!((both.len(), both.answers().map(|(part, _)| part).collect::<Vec<_>>()), (2, vec![2, 9]));
    let merged = both.merge_with_program(&Heads).unwrap();
    assert_eq!(merged.value, json!({"heads": ["a", "b"], "count": 2, "title": "T"}));
    assert_eq!(provenance(&merged), ["/heads/0: 2", "/heads/1: 9", "/title: 2 9"]);
    assert_eq!(part(1, json!([])).merge_with_program(&Heads), Err("one is not enough".to_owned()));
}

#[test]
fn of_nothing_comes_nothing() {
    assert_eq!(merged(&json!({}), MergeStrategy::Merge, &[]), MergedAnswer::default());
    assert_eq!(merged(&json!({}), MergeStrategy::Last, &[Value::Null]), MergedAnswer::default());
}
