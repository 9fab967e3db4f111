//! The JSON schema of a Scribe's answer, as sent to the provider and counted against the budget.

use crate::item_kinds::{FieldShape, ItemBody, ItemKind, RequestedField};
use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlowStep, ErrorHandling, Interface, OpenQuestion,
    Paragraph, Purpose, SqlOperation,
};
use serde_json::{Value, json};
use std::sync::LazyLock;
use war_rig_text::spaced_json;

/// Returns the schema of [`PartialTemplate`](crate::PartialTemplate): one line of ASCII with a blank after every comma and colon.
/// Every call sends the same bytes, so that a provider can cache the prompt that begins with them.
///
/// It follows the rules of strict structured output: every property is required, additional ones are forbidden, and an optional
/// value is null.
pub fn answer_schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| spaced_json(&schema()));
    &SCHEMA
}

/// Returns the schema of a [`ProgramOverview`](crate::ProgramOverview), in the same form as [`answer_schema`]. A paragraph is named by
/// the id that its prompt gives it.
pub fn program_overview_schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| {
        let paragraph = object(&[("id", shape(FieldShape::Text)), ("summary", shape(FieldShape::Text))]);
        let asked = asked(&Purpose::KIND);
        let more = [("main_line", shape(FieldShape::TextOrNull)), ("paragraphs", list(paragraph))];
        spaced_json(&object(&asked.chain(more).collect::<Vec<_>>()))
    });
    &SCHEMA
}

/// Returns the schema of [`SourcedSentence`](crate::SourcedSentence)s, in the same form as [`answer_schema`].
pub fn estate_words_schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| {
        let sentence = object(&[("text", shape(FieldShape::Text)), ("from", shape(FieldShape::Texts))]);
        spaced_json(&object(&[("sentences", list(sentence))]))
    });
    &SCHEMA
}

fn schema() -> Value {
    let citations = || ("citations", json!({"$ref": "#/$defs/citations"}));
    let item = |kind: &ItemKind| {
        let id = ("id", shape(FieldShape::TextOrNull));
        object(&[id].into_iter().chain(asked(kind)).chain([citations()]).collect::<Vec<_>>())
    };
    let interfaces = || json!({"$ref": "#/$defs/interfaces"});
    let flows = || json!({"$ref": "#/$defs/flows"});
    let mut purpose = object(&asked(&Purpose::KIND).chain([citations()]).collect::<Vec<_>>());
    purpose["type"] = json!(["object", "null"]);
    let mut schema = object(&[
        ("purpose", purpose),
        ("inputs", interfaces()),
        ("outputs", interfaces()),
        ("called_programs", list(item(&CalledProgram::KIND))),
        ("business_rules", list(item(&BusinessRule::KIND))),
        ("data_flow", object(&[("reads_from", flows()), ("writes_to", flows()), ("transforms", flows())])),
        ("copybooks_used", list(item(&CopybookUse::KIND))),
        ("paragraphs", list(item(&Paragraph::KIND))),
        ("error_handling", list(item(&ErrorHandling::KIND))),
        ("sql_operations", list(item(&SqlOperation::KIND))),
        ("cics_operations", list(item(&CicsOperation::KIND))),
        ("open_questions", list(item(&OpenQuestion::KIND))),
    ]);
    let row = || json!({"type": "integer"});
    let citation = object(&[("start", row()), ("end", row()), ("quote", shape(FieldShape::TextOrNull))]);
    schema["$defs"] = json!({
        "interfaces": list(item(&Interface::KIND)),
        "flows": list(item(&DataFlowStep::KIND)),
        "citations": list(citation),
    });
    schema
}

/// Returns the fields of an item that a model is asked for, besides id and citations.
fn asked(kind: &ItemKind) -> impl Iterator<Item = (&'static str, Value)> {
    kind.requested_fields.iter().map(|RequestedField { name, shape: asked, about }| {
        let mut schema = shape(*asked);
        if let Some(about) = about {
            schema["description"] = json!(about);
        }
        (*name, schema)
    })
}

fn shape(asked: FieldShape) -> Value {
    match asked {
        FieldShape::Text => json!({"type": "string"}),
        FieldShape::TextOrNull => json!({"type": ["string", "null"]}),
        FieldShape::ChoiceOrNull(choices) => {
            let choices: Vec<Option<&str>> = choices.iter().copied().map(Some).chain([None]).collect();
            json!({"type": ["string", "null"], "enum": choices})
        }
        FieldShape::Texts => list(shape(FieldShape::Text)),
    }
}

fn object(properties: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed() -> Value {
        serde_json::from_str(answer_schema()).unwrap()
    }

    /// Asserts that a model is asked only for fields that the item keeps.
    fn check<B: ItemBody>() {
        for RequestedField { name: field, shape, .. } in B::KIND.requested_fields {
            let said = if *shape == FieldShape::Texts { json!(["said"]) } else { json!("said") };
            let body: B = serde_json::from_value(json!({ *field: said })).unwrap();
            assert_eq!(serde_json::to_value(&body).unwrap()[field], said, "{:?} {field}", B::KIND.lists);
        }
    }

    #[test]
    fn what_a_model_is_asked_for_are_fields_of_the_item() {
        check::<Purpose>();
        check::<Interface>();
        check::<CalledProgram>();
        check::<BusinessRule>();
        check::<DataFlowStep>();
        check::<CopybookUse>();
        check::<Paragraph>();
        check::<ErrorHandling>();
        check::<SqlOperation>();
        check::<CicsOperation>();
        check::<OpenQuestion>();
    }

    #[test]
    fn every_object_requires_all_its_properties_and_allows_no_other() {
        fn walk(schema: &Value, objects: &mut usize) {
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                let required: Vec<&str> =
                    schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(schema["additionalProperties"], json!(false));
                *objects += 1;
            }
            match schema {
                Value::Object(fields) => fields.values().for_each(|field| walk(field, objects)),
                Value::Array(entries) => entries.iter().for_each(|entry| walk(entry, objects)),
                _ => {}
            }
        }
        let mut objects = 0;
        walk(&parsed(), &mut objects);
        assert_eq!(objects, 14);
    }

    #[test]
    fn the_schema_is_short_ascii_on_one_line_with_blanks_after_commas_and_colons() {
        let schema = answer_schema();
        assert!(schema.len() < 5500, "{}", schema.len());
        assert!(schema.bytes().all(|byte| (0x20..0x7F).contains(&byte)));
        assert!(schema.starts_with(r#"{"type": "object", "properties": {"purpose": {"type": ["object", "null"], "#));
        let unspaced = schema.replace(", ", "").replace(": ", "");
        assert!(!unspaced.contains([',', ':']), "{unspaced}");
    }
}
