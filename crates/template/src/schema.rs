//! The JSON schema of a Scribe's answer, as it goes to the provider and is counted against the budget.

use serde_json::ser::{Formatter, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::LazyLock;

/// The schema of [`PartialTemplate`](crate::PartialTemplate): one line of ASCII with a blank after every comma and colon,
/// the same bytes at every call, so that a provider can cache the prompt that begins with it.
///
/// It keeps to what strict structured output asks for: every property is required, none may be added, and what may be
/// absent is null.
pub fn answer_schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| one_line(&schema()));
    &SCHEMA
}

/// The schema of what the parts of a purpose come to: the purpose of a [`PartialTemplate`](crate::PartialTemplate) without citations,
/// in the same form as [`answer_schema`].
pub fn purpose_schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| {
        let purpose = [("summary", text()), ("business_context", optional()), ("program_type", optional())];
        one_line(&object(&purpose))
    });
    &SCHEMA
}

fn schema() -> Value {
    let cited = || json!({"$ref": "#/$defs/citations"});
    let interfaces = || json!({"$ref": "#/$defs/interfaces"});
    let flows = || json!({"$ref": "#/$defs/flows"});
    let mut purpose = object(&[
        ("summary", text()),
        ("business_context", optional()),
        ("program_type", optional()),
        ("citations", cited()),
    ]);
    purpose["type"] = json!(["object", "null"]);
    let call = object(&[
        ("program_name", text()),
        ("call_type", text()),
        ("purpose", text()),
        ("citations", cited()),
    ]);
    let rule = object(&[
        ("description", text()),
        ("logic_summary", optional()),
        ("conditions", list(text())),
        ("citations", cited()),
    ]);
    let copybook = object(&[("copybook_name", text()), ("purpose", text()), ("citations", cited())]);
    let paragraph = object(&[
        ("paragraph_name", text()),
        ("summary", text()),
        ("purpose", optional()),
        ("citations", cited()),
    ]);
    let handling = object(&[("condition", text()), ("action", text()), ("citations", cited())]);
    let sql =
        object(&[("operation", text()), ("table", optional()), ("purpose", text()), ("citations", cited())]);
    let cics =
        object(&[("command", text()), ("resource", optional()), ("purpose", text()), ("citations", cited())]);
    let question = object(&[
        ("question", text()),
        ("context", optional()),
        ("suggestion", optional()),
        ("citations", cited()),
    ]);
    let mut schema = object(&[
        ("purpose", purpose),
        ("inputs", interfaces()),
        ("outputs", interfaces()),
        ("called_programs", list(call)),
        ("business_rules", list(rule)),
        ("data_flow", object(&[("reads_from", flows()), ("writes_to", flows()), ("transforms", flows())])),
        ("copybooks_used", list(copybook)),
        ("paragraphs", list(paragraph)),
        ("error_handling", list(handling)),
        ("sql_operations", list(sql)),
        ("cics_operations", list(cics)),
        ("open_questions", list(question)),
    ]);
    let interface = object(&[
        ("name", text()),
        ("io_type", text()),
        ("description", text()),
        ("copybook", optional()),
        ("citations", cited()),
    ]);
    let flow = object(&[("name", text()), ("description", text()), ("citations", cited())]);
    let row = || json!({"type": "integer"});
    let citation = object(&[("start", row()), ("end", row()), ("quote", optional())]);
    schema["$defs"] =
        json!({"interfaces": list(interface), "flows": list(flow), "citations": list(citation)});
    schema
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

fn text() -> Value {
    json!({"type": "string"})
}

fn optional() -> Value {
    json!({"type": ["string", "null"]})
}

/// JSON on one line with a blank after every comma and colon.
fn one_line(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    serde::Serialize::serialize(value, &mut serializer)
        .expect("a value has string keys and writes to memory");
    String::from_utf8(bytes).expect("JSON is written as UTF-8")
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BlockCitation, PartialCall, PartialCics, PartialCopybook, PartialDataFlow, PartialErrorHandling,
        PartialFlow, PartialInterface, PartialParagraph, PartialPurpose, PartialQuestion, PartialRule,
        PartialSql, PartialTemplate,
    };

    /// A template in which every list has an entry, so that every key is written.
    fn full() -> PartialTemplate {
        let citations = || vec![BlockCitation::default()];
        let flow = || vec![PartialFlow { citations: citations(), ..Default::default() }];
        PartialTemplate {
            purpose: Some(PartialPurpose { citations: citations(), ..Default::default() }),
            inputs: vec![PartialInterface { citations: citations(), ..Default::default() }],
            outputs: vec![PartialInterface { citations: citations(), ..Default::default() }],
            called_programs: vec![PartialCall { citations: citations(), ..Default::default() }],
            business_rules: vec![PartialRule { citations: citations(), ..Default::default() }],
            data_flow: PartialDataFlow { reads_from: flow(), writes_to: flow(), transforms: flow() },
            copybooks_used: vec![PartialCopybook { citations: citations(), ..Default::default() }],
            paragraphs: vec![PartialParagraph { citations: citations(), ..Default::default() }],
            error_handling: vec![PartialErrorHandling { citations: citations(), ..Default::default() }],
            sql_operations: vec![PartialSql { citations: citations(), ..Default::default() }],
            cics_operations: vec![PartialCics { citations: citations(), ..Default::default() }],
            steps: Vec::new(),
            open_questions: vec![PartialQuestion { citations: citations(), ..Default::default() }],
            // A model is not asked for these.
            dli_operations: Vec::new(),
        }
    }

    fn parsed() -> Value {
        serde_json::from_str(answer_schema()).unwrap()
    }

    /// Walks a value and its schema side by side and holds their keys equal.
    fn same_keys(value: &Value, schema: &Value, root: &Value, path: &str) {
        let schema = match schema.get("$ref").and_then(Value::as_str) {
            Some(name) => root.pointer(name.strip_prefix('#').unwrap()).unwrap(),
            None => schema,
        };
        match value {
            Value::Object(fields) => {
                let keys: Vec<&String> = fields.keys().collect();
                let properties = schema["properties"].as_object().unwrap();
                assert_eq!(keys, properties.keys().collect::<Vec<_>>(), "{path}");
                for (key, field) in fields {
                    same_keys(field, &properties[key], root, &format!("{path}.{key}"));
                }
            }
            Value::Array(entries) => {
                entries.iter().for_each(|entry| same_keys(entry, &schema["items"], root, path))
            }
            Value::Null => assert!(schema["type"].as_array().unwrap().contains(&json!("null")), "{path}"),
            Value::String(_) => assert!(schema["type"] == "string", "{path}"),
            _ => assert_eq!(schema["type"], "integer", "{path}"),
        }
    }

    #[test]
    fn the_schema_has_the_keys_of_a_partial_template_at_every_depth() {
        same_keys(&serde_json::to_value(full()).unwrap(), &parsed(), &parsed(), "");
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
        assert!(schema.len() < 4500, "{}", schema.len());
        assert!(schema.bytes().all(|byte| (0x20..0x7F).contains(&byte)));
        assert!(
            schema
                .starts_with(r#"{"type": "object", "properties": {"purpose": {"type": ["object", "null"], "#)
        );
        let unspaced = schema.replace(", ", "").replace(": ", "");
        assert!(!unspaced.contains([',', ':']), "{unspaced}");
    }
}
