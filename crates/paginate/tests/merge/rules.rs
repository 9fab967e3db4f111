//! Schemas whose rules are none.

use super::*;

/// The error that a schema makes; empty where it makes none.
fn check(schema: Value, expected: &str) {
    let told = MergeRules::of(&schema, MergeStrategy::Merge).map_or_else(|error| error.to_string(), |_| String::new());
    assert_eq!(told, expected, "{schema}");
}

#[test]
fn rules_fit_their_fields() {
    let field = |field: Value| fields(json!({"f": field}));
    check(
        field(json!({"x-merge": "joined"})),
        "/properties/f/x-merge: `joined` is no rule; there are concat, union, sum, min, max, mean, vote, first, last, summary",
    );
    check(
        field(json!({"x-merge": ["sum"]})),
        "/properties/f/x-merge: `[\"sum\"]` is no rule; there are concat, union, sum, min, max, mean, vote, first, last, summary",
    );
    check(
        field(json!({"type": ["string", "null"], "x-merge": "sum"})),
        "/properties/f/x-merge: `sum` is for numbers, and the field is of the type `null, string`",
    );
    check(
        field(json!({"type": "integer", "x-merge": "mean"})),
        "/properties/f/x-merge: `mean` is for fields of the type `number`, and the field is of the type `integer`",
    );
    check(
        field(json!({"type": "object", "x-merge": "union"})),
        "/properties/f/x-merge: `union` is for lists, and the field is of the type `object`",
    );
    for (kind, rule) in [
        ("number", "sum"),
        ("integer", "max"),
        ("string", "min"),
        ("boolean", "vote"),
        ("array", "concat"),
        ("string", "concat"),
        ("string", "summary"),
        ("object", "last"),
    ] {
        check(field(json!({"type": kind, "x-merge": rule})), "");
    }
}

#[test]
fn keys_and_texts_are_fields_of_the_items() {
    let list = |list: Value| {
        let mut schema = json!({"type": "array", "items": fields(json!({"id": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object"}}))});
        schema.as_object_mut().unwrap().extend(list.as_object().unwrap().clone());
        fields(json!({"l": schema}))
    };
    check(list(json!({"x-merge": "union", "x-key": "id", "x-similar": "id", "x-threshold": 0.9})), "");
    check(list(json!({"x-merge": "union", "x-key": "n"})), "");
    check(list(json!({"x-similar": "id"})), "");
    check(list(json!({"x-merge": "union", "x-key": "name"})), "/properties/l/x-key: the items have no field `name`");
    check(
        list(json!({"x-merge": "union", "x-key": "o"})),
        "/properties/l/x-key: the field `o` of the items is no string",
    );
    check(list(json!({"x-merge": "union", "x-key": 1})), "/properties/l/x-key: `1` is no name of a field");
    check(list(json!({"x-key": "id"})), "/properties/l/x-key: `x-key` needs `x-merge` to be `union`");
    check(list(json!({"x-similar": "n"})), "/properties/l/x-similar: the field `n` of the items is no string");
    check(
        list(json!({"x-merge": "concat", "x-similar": "id"})),
        "/properties/l/x-similar: `x-similar` is for lists that are a union or just extend",
    );
    for threshold in [json!(0.8), json!(1), json!("0.9")] {
        let name = threshold.as_str().map_or_else(|| threshold.to_string(), str::to_owned);
        check(
            list(json!({"x-similar": "id", "x-threshold": threshold})),
            &format!("/properties/l/x-threshold: `{name}` is no threshold: a number above 0.8 and below 1"),
        );
    }
    check(
        fields(json!({"l": {"x-merge": "union", "x-key": "id", "items": {"type": "string"}}})),
        "/properties/l/x-key: the items have no field `id`",
    );
    check(fields(json!({"l": {"x-merge": "union", "x-key": "id"}})), "");
}

#[test]
fn weights_are_siblings() {
    let mean = |sibling: Value| {
        fields(json!({"m": {"type": "number", "x-merge": "mean", "x-weight": "w"}, "w~": {}, "w": sibling}))
    };
    check(mean(json!({"type": "integer"})), "");
    check(mean(json!({"type": "string"})), "/properties/m/x-weight: `w` is no number");
    let alone = fields(json!({"a/b": fields(json!({"m": {"x-merge": "mean", "x-weight": "w"}}))}));
    check(alone, "/properties/a~1b/properties/m/x-weight: there is no field `w` beside it");
    check(
        fields(json!({"m": {"x-merge": "sum", "x-weight": "w"}, "w": {}})),
        "/properties/m/x-weight: `x-weight` needs `x-merge` to be `mean`",
    );
}

#[test]
fn references_lead_somewhere() {
    check(
        fields(json!({"a": {"$ref": "#/$defs/none"}})),
        "/properties/a/$ref: `#/$defs/none` leads nowhere within the schema",
    );
    check(
        fields(json!({"a": {"$ref": "https://example.com/a"}})),
        "/properties/a/$ref: `https://example.com/a` leads nowhere within the schema",
    );
    // References that lead to each other, or to themselves, end.
    check(
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#"}]}}}),
        "",
    );
    check(fields(json!({"a": {"$ref": "#/properties/a"}})), "");
    check(json!(true), "");
}

#[test]
fn a_long_chain_of_references_takes_no_stack() {
    let count = 20_000;
    let mut definitions = serde_json::Map::new();
    for index in 0..count {
        let next = fields(json!({"next": {"$ref": format!("#/$defs/d{}", (index + 1) % count)}}));
        definitions.insert(format!("d{index}"), next);
    }
    check(json!({"$ref": "#/$defs/d0", "$defs": definitions}), "");
}
