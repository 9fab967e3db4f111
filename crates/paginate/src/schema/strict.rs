//! The strict form of a schema that providers enforce.

use super::SchemaError;
use super::subschemas::is_required;
use crate::json_pointer::{at, below};
use serde_json::{Map, Value, json};

/// Keywords that every provider supports. All others are omitted, but still validated in answers.
const KEPT: [&str; 4] = ["type", "enum", "const", "description"];

/// Returns the strict form: every object requires all its properties and allows no others, and optional properties may be null.
pub(super) fn strict(author: &Value) -> Result<Value, SchemaError> {
    of(author, "")
}

/// Recurses as deep as the schema, which is limited when it is accepted.
fn of(schema: &Value, path: &str) -> Result<Value, SchemaError> {
    let Value::Object(said) = schema else {
        return Ok(schema.clone());
    };
    if let Some(reference) = said.get("$ref") {
        // A reference allows no sibling keywords.
        let reference = json!({"$ref": reference});
        return Ok(match said.get("description") {
            Some(description) => json!({"description": description, "anyOf": [reference]}),
            None => reference,
        });
    }
    refused(said, path)?;
    let mut strict = Map::new();
    for (keyword, value) in said {
        let path = below(path, keyword);
        match (keyword.as_str(), value) {
            (keyword, value) if KEPT.contains(&keyword) => {
                strict.insert(keyword.to_owned(), value.clone());
            }
            ("items", Value::Object(_)) => {
                strict.insert("items".to_owned(), of(value, &path)?);
            }
            ("anyOf" | "oneOf", Value::Array(branches)) => {
                let branch = |(index, branch)| of(branch, &at(&path, index));
                let branches: Vec<Value> = branches.iter().enumerate().map(branch).collect::<Result<_, _>>()?;
                strict.insert("anyOf".to_owned(), Value::Array(branches));
            }
            ("$defs" | "definitions", Value::Object(named)) => {
                let mut all = Map::new();
                for (name, schema) in named {
                    all.insert(name.clone(), of(schema, &below(&path, name))?);
                }
                strict.insert(keyword.clone(), Value::Object(all));
            }
            ("properties", Value::Object(properties)) => {
                let mut all = Map::new();
                for (name, property) in properties {
                    let property_strict = of(property, &below(&path, name))?;
                    let required = is_required(schema, name);
                    all.insert(name.clone(), if required { property_strict } else { nullable(property_strict) });
                }
                strict.insert("properties".to_owned(), Value::Object(all));
            }
            _ => {}
        }
    }
    let is_object = super::types_of(schema).contains(&"object");
    if is_object {
        close(&mut strict);
    } else if super::types_of(schema) == ["array"] {
        strict.entry("type").or_insert_with(|| json!("array"));
    }
    Ok(Value::Object(strict))
}

/// Makes an object require all its properties and allow no others.
fn close(strict: &mut Map<String, Value>) {
    strict.entry("type").or_insert_with(|| json!("object"));
    let properties = strict.entry("properties").or_insert_with(|| json!({}));
    let names: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    let names = json!(names);
    strict.insert("required".to_owned(), names);
    strict.insert("additionalProperties".to_owned(), json!(false));
}

/// Rejects constructs that cannot be omitted without changing the meaning.
fn refused(said: &Map<String, Value>, path: &str) -> Result<(), SchemaError> {
    for keyword in ["patternProperties", "additionalProperties"] {
        if said.get(keyword).is_some_and(Value::is_object) {
            let message =
                format!("`{keyword}` with a schema cannot be asked for: the names of all fields must be known");
            return Err(SchemaError::new(format!("{path}/{keyword}"), message)
                .with_hint("use a list of objects with a name and a value"));
        }
    }
    for keyword in ["allOf", "prefixItems"] {
        if said.contains_key(keyword) {
            let message = format!("`{keyword}` cannot be asked for");
            return Err(SchemaError::new(format!("{path}/{keyword}"), message)
                .with_hint("providers take `type`, `properties`, `items`, `enum`, `const`, `anyOf` and `$ref`"));
        }
    }
    Ok(())
}

/// Adds null to the allowed types of a schema.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut said) = schema else { return schema };
    if said.contains_key("$ref") {
        return json!({"anyOf": [said, {"type": "null"}]});
    }
    let null = json!("null");
    match said.get_mut("type") {
        Some(Value::String(name)) if name != "null" => {
            let name = std::mem::take(name);
            said.insert("type".to_owned(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if !names.contains(&null) => names.push(null),
        _ => {}
    }
    if let Some(Value::Array(allowed)) = said.get_mut("enum")
        && !allowed.contains(&Value::Null)
    {
        allowed.push(Value::Null);
    }
    if let Some(only) = said.remove("const") {
        said.insert("enum".to_owned(), json!([only, null]));
    }
    if let Some(Value::Array(branches)) = said.get_mut("anyOf") {
        let null = json!({"type": "null"});
        if !branches.contains(&null) {
            branches.push(null);
        }
    }
    Value::Object(said)
}
