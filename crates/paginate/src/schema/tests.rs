use super::*;
use proptest::prelude::*;

fn schema(author: Value) -> AnswerSchema {
    AnswerSchema::from_author(&author).unwrap()
}

/// A typical agent's schema: a list of items with some optional fields.
fn changes() -> AnswerSchema {
    schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {"type": "array", "x-merge": "union", "x-key": "id", "items": {"$ref": "#/$defs/item"}},
            "summary": {"type": "string", "description": "In Caf\u{e9} English", "x-merge": "summary", "minLength": 3},
        },
        "$defs": {"item": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "pattern": "^CHG"},
                "risk": {"enum": ["low", "high"]},
                "jobs": {"type": "array", "items": {"type": "string"}},
                "after": {"$ref": "#/$defs/item"},
            },
        }},
    }))
}

fn check_salvage(schema: &AnswerSchema, answer: Value, value: Value, dropped: &[&str], is_whole: bool) {
    let salvage = schema.salvage(answer);
    assert_eq!(salvage.value, value);
    assert_eq!(salvage.dropped, dropped);
    assert_eq!(salvage.is_whole, is_whole);
}

fn check_refused(author: Value, message: &str, hint: Option<&str>) {
    let error = AnswerSchema::from_author(&author).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.hint.as_deref(), hint);
}

#[test]
fn what_is_sent_is_strict_and_without_rules_of_ours() {
    assert_eq!(
        changes().strict_json(),
        concat!(
            r##"{"type": "object", "properties": {"##,
            r##""items": {"type": "array", "items": {"$ref": "#/$defs/item"}}, "##,
            r##""summary": {"type": ["string", "null"], "description": "In Caf\u00e9 English"}}, "##,
            r##""$defs": {"item": {"type": "object", "properties": {"id": {"type": "string"}, "##,
            r##""risk": {"enum": ["low", "high", null]}, "##,
            r##""jobs": {"type": ["array", "null"], "items": {"type": "string"}}, "##,
            r##""after": {"anyOf": [{"$ref": "#/$defs/item"}, {"type": "null"}]}}, "##,
            r##""required": ["id", "risk", "jobs", "after"], "additionalProperties": false}}, "##,
            r##""required": ["items", "summary"], "additionalProperties": false}"##,
        )
    );
}

#[test]
fn every_object_that_is_sent_is_closed_and_properties_may_be_called_like_keywords() {
    let author = json!({"type": "object", "properties": {
        "x-ray": {"type": "string"},
        "format": {"properties": {"default": {"const": 1}, "type": {"type": ["integer", "null"]}}},
        "either": {"oneOf": [{"type": "string"}, {"type": "object"}], "default": "x"},
        "kind": {"type": "string", "description": "d", "enum": ["a"]},
        "named": {"description": "d", "$ref": "#/properties/kind"},
    }, "required": ["x-ray", "named"]});
    assert_eq!(
        schema(author).strict_json(),
        concat!(
            r##"{"type": "object", "properties": {"x-ray": {"type": "string"}, "##,
            r##""format": {"properties": {"default": {"enum": [1, null]}, "type": {"type": ["integer", "null"]}}, "##,
            r##""type": ["object", "null"], "required": ["default", "type"], "additionalProperties": false}, "##,
            r##""either": {"anyOf": [{"type": "string"}, "##,
            r##"{"type": "object", "properties": {}, "required": [], "additionalProperties": false}, {"type": "null"}]}, "##,
            r##""kind": {"type": ["string", "null"], "description": "d", "enum": ["a", null]}, "##,
            r##""named": {"description": "d", "anyOf": [{"$ref": "#/properties/kind"}]}}, "##,
            r##""required": ["x-ray", "format", "either", "kind", "named"], "additionalProperties": false}"##,
        )
    );
}

#[test]
fn what_is_sent_is_a_schema_that_whole_answers_keep_to() {
    let sent: Value = serde_json::from_str(changes().strict_json()).unwrap();
    let sent = jsonschema::validator_for(&sent).unwrap();
    let answer = json!({"items": [{"id": "CHG1", "risk": null, "jobs": null, "after": null}], "summary": null});
    assert!(sent.is_valid(&answer));
    check_salvage(&changes(), answer, json!({"items": [{"id": "CHG1"}]}), &[], true);
}

#[test]
fn items_that_are_of_no_use_go_and_the_others_stay() {
    check_salvage(
        &changes(),
        json!({"items": [
            {"id": "CHG1", "risk": "low"},
            {"risk": "low"},
            {"id": 7},
            "CHG2",
            {"id": "secret words"},
            {"id": "CHG3", "after": {"id": "CHG4", "after": null}},
        ], "summary": "fine"}),
        json!({"items": [{"id": "CHG1", "risk": "low"}, {"id": "CHG3", "after": {"id": "CHG4"}}], "summary": "fine"}),
        &[
            "/items/1: has no `id`",
            "/items/2/id: is no string",
            "/items/3: is no object",
            "/items/4/id: does not match `^CHG`",
        ],
        false,
    );
}

#[test]
fn of_an_item_only_the_field_goes_that_may_be_absent() {
    check_salvage(
        &changes(),
        json!({"items": [{"id": "CHG1", "risk": "odd", "jobs": ["A", 5, "B"], "after": {"id": 1}}], "summary": "x"}),
        json!({"items": [{"id": "CHG1", "jobs": ["A", "B"]}]}),
        &[
            "/items/0/risk: is none of [\"low\",\"high\"]",
            "/items/0/jobs/1: is no string",
            "/items/0/after/id: is no string",
            "/summary: has fewer than 3 characters",
        ],
        false,
    );
}

#[test]
fn a_list_where_there_should_be_none_goes_as_anything_else() {
    check_salvage(
        &changes(),
        json!({"items": [{"id": "CHG1", "risk": []}]}),
        json!({"items": [{"id": "CHG1"}]}),
        &["/items/0/risk: is none of [\"low\",\"high\"]"],
        false,
    );
}

#[test]
fn fields_that_the_schema_has_not_go_without_a_word_of_them() {
    check_salvage(
        &changes(),
        json!({"items": [{"id": "CHG1", "SECRET": 1, "other": 2}], "more": null}),
        json!({"items": [{"id": "CHG1"}]}),
        &["the answer: a field that the schema has not", "/items/0: fields that the schema has not"],
        true,
    );
    let open = schema(json!({"type": "object", "properties": {}, "additionalProperties": true}));
    check_salvage(&open, json!({"any": 1}), json!({"any": 1}), &[], true);
}

#[test]
fn what_is_required_and_missing_or_wrong_is_empty_where_it_can_be() {
    let schema = schema(json!({
        "type": "object",
        "required": ["list", "count", "head"],
        "properties": {
            "list": {"type": "array", "items": {"type": "string"}},
            "count": {"type": "integer"},
            "head": {"type": "object", "required": ["tags"], "properties": {"tags": {"type": "array"}}},
        },
    }));
    let notes = ["the answer: has no `list`", "the answer: has no `count`", "the answer: has no `head`"];
    let salvage = schema.salvage(json!({}));
    assert_eq!(salvage.value, json!({"list": [], "head": {"tags": []}}));
    assert_eq!(&salvage.dropped[..3], notes);
    assert!(!salvage.is_whole);
    let salvage = schema.salvage(json!({"list": "SECRET", "count": 3, "head": {}}));
    assert_eq!(salvage.value, json!({"count": 3, "head": {"tags": []}, "list": []}));
    assert!(!salvage.dropped.join(" ").contains("SECRET"));
    assert!(!salvage.is_whole);
}

#[test]
fn a_list_that_is_too_short_keeps_what_it_has() {
    let schema = schema(json!({"type": "object", "required": ["l"], "properties": {"l": {
        "type": "array", "minItems": 2, "items": {"type": "string"}}}}));
    check_salvage(
        &schema,
        json!({"l": ["a", 1]}),
        json!({"l": ["a"]}),
        &["/l/1: is no string", "/l: has fewer than 2 items"],
        false,
    );
}

#[test]
fn of_several_schemas_the_one_counts_that_is_meant() {
    let schema = schema(json!({"type": "object", "required": ["events"], "properties": {"events": {
    "type": "array", "items": {"anyOf": [
        {"type": "object", "required": ["kind", "job"], "properties": {
            "kind": {"const": "run"}, "job": {"type": "string"}, "code": {"type": "string"}}},
        {"type": "object", "required": ["kind", "who"], "properties": {
            "kind": {"const": "call"}, "who": {"type": "string"}, "code": {"type": "integer"}}},
    ]}}}}));
    check_salvage(
        &schema,
        json!({"events": [
            {"kind": "call", "who": "ops", "code": null, "job": "X"},
            {"kind": "run", "job": "TMBILL", "code": null},
            {"kind": "walk"},
        ]}),
        json!({"events": [{"kind": "call", "who": "ops"}, {"kind": "run", "job": "TMBILL"}]}),
        &["/events/0: a field that the schema has not", "/events/2: is none of what it may be"],
        false,
    );
}

#[test]
fn whatever_comes_gives_an_answer() {
    let schema = changes();
    for value in [json!(null), json!([]), json!("x"), json!(1)] {
        check_salvage(&schema, value, json!({"items": []}), &["the answer is no object"], false);
    }
    let mut deep = json!(1);
    for _ in 0..100_000 {
        // The macro would recurse as deep as the value.
        deep = Value::Object(Map::from_iter([("after".to_owned(), deep)]));
    }
    check_salvage(&schema, deep, json!({"items": []}), &["the answer is nested too deeply"], false);
    let mut nested = json!({"id": "CHG0"});
    for _ in 0..120 {
        nested = json!({"id": "CHG1", "after": nested});
    }
    check_salvage(&schema, json!({"items": [nested.clone()]}), json!({"items": [nested]}), &[], true);
    let many: Vec<Value> = (0..1000).map(|_| json!(1)).collect();
    let salvage = schema.salvage(json!({ "items": many }));
    assert_eq!(salvage.value, json!({"items": []}));
    assert_eq!(salvage.dropped.len(), 101);
    assert_eq!(salvage.dropped[100], "900 more are not listed");
}

#[test]
fn violations_have_places_and_no_words_of_the_answer() {
    let found = changes().violations(&json!({"items": [{"id": "SECRET"}], "summary": "x"}));
    let told: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.message)).collect();
    assert_eq!(told, ["/items/0/id does not match `^CHG`", "/summary has fewer than 3 characters"]);
    let many: Vec<Value> = (0..250).map(|_| json!(1)).collect();
    let found = changes().violations(&json!({ "items": many }));
    assert_eq!(found.len(), 100);
    assert_eq!(found[99].message, "151 more are not listed");
    assert_eq!(changes().violations(&json!({"items": []})), []);
}

#[test]
fn the_answer_that_says_nothing_is_what_is_required_and_empty() {
    assert_eq!(changes().empty(), json!({"items": []}));
    let author = json!({
        "type": "object",
        "required": ["text", "count", "score", "maybe", "either", "head", "kind"],
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer", "x-merge": "sum"},
            "score": {"type": "number"},
            "maybe": {"type": ["integer", "null"]},
            "either": {"anyOf": [{"type": "array"}, {"type": "null"}]},
            "head": {"type": "object", "required": ["l"], "properties": {"l": {"type": "array"}}},
            "kind": {"enum": ["a"], "type": "string"},
            "else": {"type": "array"},
        },
    });
    assert_eq!(
        schema(author).empty(),
        json!({"text": "", "count": 0, "maybe": null, "either": null, "head": {"l": []}})
    );
    // Building empty values terminates for schemas that require themselves more than once.
    let author =
        json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
    assert_eq!(schema(author).empty(), json!({}));
    let mut definitions = Map::new();
    for index in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", (index + 1) % 41)});
        let object = json!({"type": "object", "required": ["a", "b"], "properties": {"a": next, "b": next}});
        definitions.insert(format!("d{index}"), object);
    }
    definitions.insert("d40".to_owned(), json!({"type": "array"}));
    let author =
        json!({"type": "object", "required": ["d"], "properties": {"d": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    assert!(schema(author).empty().is_object());
}

#[test]
fn what_is_no_schema_of_an_answer_is_refused_with_its_place() {
    check_refused(
        json!({"type": "array"}),
        ": the schema of an answer must be that of an object",
        Some("write `type = \"object\"` and put the list into one of its properties"),
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"type": "strng"}}}),
        "/properties/a/type: `type` cannot be `strng`",
        Some("did you mean `string`?"),
    );
    check_refused(
        json!({"type": "object", "properties": {"item": {}}, "required": ["items"]}),
        "/required: `items` is required and no property",
        Some("did you mean `item`?"),
    );
    for target in ["#/$defs/none", "https://example.com/schema.json", "other.json#/a"] {
        check_refused(
            json!({"type": "object", "properties": {"a": {"$ref": target}}}),
            &format!("/properties/a/$ref: `$ref` leads nowhere: `{target}`"),
            Some("references are into the schema itself, such as `#/$defs/name`"),
        );
    }
    check_refused(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/b"}}}),
        "/$defs/b/$ref: `$ref` leads back to itself",
        None,
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {
            "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/c"}]}, "c": {"not": {"$ref": "#/$defs/b"}}}}),
        "/$defs/b/anyOf/1/$ref: `$ref` leads back to itself",
        None,
    );
    check_refused(
        json!({"type": "object", "anyOf": [{"$ref": "#"}]}),
        "/anyOf/0/$ref: `$ref` leads back to itself",
        None,
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)"}}}),
        "/properties/a/pattern: `pattern` is no regular expression: look-around, including look-ahead and look-behind, is not supported",
        None,
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": "2"}}}),
        "/properties/a/minLength: is no integer",
        None,
    );
    check_refused(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        "/additionalProperties: `additionalProperties` with a schema cannot be asked for: the names of all fields must be known",
        Some("use a list of objects with a name and a value"),
    );
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    check_refused(deep, ": the schema is nested too deeply", None);
}

/// Values that a model might answer, within the schema of changes and outside it.
fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof!["CHG[0-9]", "low", "[a-z/~]{0,4}"].prop_map(Value::from),
    ];
    let name = prop_oneof!["items", "summary", "id", "risk", "jobs", "after", "[a-z/~]{0,3}"];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        let fields = prop::collection::vec((name.clone(), inner.clone()), 0..6);
        let object = fields.prop_map(|fields| Value::Object(fields.into_iter().collect()));
        prop_oneof![2 => object, 1 => prop::collection::vec(inner, 0..6).prop_map(Value::Array)]
    })
}

proptest! {
    #[test]
    fn what_is_made_to_fit_fits_and_stays(value in values(), items in prop::collection::vec(values(), 0..8)) {
        let schema = changes();
        for answer in [value, json!({ "items": items, "summary": "fine" })] {
            let salvage = schema.salvage(answer);
            // Everything that this schema requires can be empty, so no violation remains.
            prop_assert_eq!(schema.violations(&salvage.value), []);
            prop_assert!(salvage.is_whole || !salvage.dropped.is_empty());
            let again = schema.salvage(salvage.value.clone());
            prop_assert_eq!(again, SalvagedAnswer { value: salvage.value, dropped: Vec::new(), is_whole: true });
        }
    }
}
