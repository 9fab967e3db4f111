//! Navigating a schema.

use super::SchemaError;
use crate::json_pointer::{at, below};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum nesting of schemas and answers. Parsed text is never deeper, because parsers stop before.
pub(super) const DEEPEST: usize = 128;

/// The maximum length of a chain of references.
const LONGEST_CHAIN: usize = 32;

/// The types of JSON schema.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Keywords whose value is a schema.
const ONE: [&str; 9] =
    ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "additionalItems"];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const NAMED: [&str; 5] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];

/// A subschema.
pub(crate) struct Subschema<'a> {
    /// A JSON pointer to it.
    pub path: String,
    /// The schema.
    pub schema: &'a Value,
}

impl<'a> Subschema<'a> {
    /// Returns a schema and all its subschemas, outer ones first.
    pub fn all(root: &'a Value) -> Vec<Subschema<'a>> {
        let mut all = Vec::new();
        let mut open = vec![Subschema { path: String::new(), schema: root }];
        while let Some(spot) = open.pop() {
            let first = open.len();
            if let Value::Object(keywords) = spot.schema {
                for (keyword, value) in keywords {
                    spot.inside(keyword, value, &mut open);
                }
            }
            open[first..].reverse();
            all.push(spot);
        }
        all
    }

    fn inside(&self, keyword: &str, value: &'a Value, open: &mut Vec<Subschema<'a>>) {
        let path = below(&self.path, keyword);
        match value {
            Value::Object(_) if ONE.contains(&keyword) => open.push(Subschema { path, schema: value }),
            Value::Object(named) if NAMED.contains(&keyword) => {
                for (name, schema) in named {
                    open.push(Subschema { path: below(&path, name), schema });
                }
            }
            Value::Array(list) if LISTS.contains(&keyword) || keyword == "items" => {
                for (index, schema) in list.iter().enumerate() {
                    open.push(Subschema { path: at(&path, index), schema });
                }
            }
            _ => {}
        }
    }
}

/// Checks a schema before validation, for errors that deserve better messages than the validator's.
pub(super) fn check(root: &Value) -> Result<(), SchemaError> {
    if !root.is_object() {
        return Err(SchemaError::new("", "a schema is a table"));
    }
    let spots = Subschema::all(root);
    for spot in &spots {
        reference(root, spot)?;
    }
    circles(root, &spots)?;
    for spot in &spots {
        types(spot)?;
        required(spot)?;
        if let Some(pattern) = spot.schema.get("pattern").and_then(Value::as_str)
            && let Err(error) = regex::Regex::new(pattern)
        {
            let message = format!("`pattern` is no regular expression: {}", last_line(&error));
            return Err(SchemaError::new(format!("{}/pattern", spot.path), message));
        }
    }
    if !types_of(resolved(root, root)).contains(&"object") {
        return Err(SchemaError::new("", "the schema of an answer must be that of an object")
            .with_hint("write `type = \"object\"` and put the list into one of its properties"));
    }
    Ok(())
}

fn types(spot: &Subschema<'_>) -> Result<(), SchemaError> {
    let Some(said) = spot.schema.get("type") else { return Ok(()) };
    let all = said.as_array().map_or(std::slice::from_ref(said), Vec::as_slice);
    for one in all {
        let Some(name) = one.as_str() else { continue };
        if !TYPES.contains(&name) {
            let error = SchemaError::new(format!("{}/type", spot.path), format!("`type` cannot be `{name}`"));
            return Err(error.with_hint(format!("did you mean `{}`?", crate::nearest(name, TYPES))));
        }
    }
    Ok(())
}

fn reference(root: &Value, spot: &Subschema<'_>) -> Result<(), SchemaError> {
    let Some(target) = spot.schema.get("$ref").and_then(Value::as_str) else { return Ok(()) };
    let path = format!("{}/$ref", spot.path);
    if followed(root, target).is_none() {
        return Err(SchemaError::new(path, format!("`$ref` leads nowhere: `{target}`"))
            .with_hint("references are into the schema itself, such as `#/$defs/name`"));
    }
    Ok(())
}

/// Rejects references that form a cycle without descending into the value: validation would never end.
fn circles(root: &Value, spots: &[Subschema<'_>]) -> Result<(), SchemaError> {
    let mut done: HashSet<*const Value> = HashSet::new();
    for spot in spots {
        // The path to the current schema, each step with the schemas still to be visited from there.
        let mut way = vec![(std::ptr::from_ref(spot.schema), beside(root, spot.schema))];
        while let Some((here, open)) = way.last_mut() {
            let here = *here;
            let Some(next) = open.pop().filter(|_| !done.contains(&here)) else {
                done.insert(here);
                way.pop();
                continue;
            };
            let at = std::ptr::from_ref(next);
            if let Some(first) = way.iter().position(|(known, _)| *known == at) {
                let circle: HashSet<*const Value> = way[first..].iter().map(|(known, _)| *known).collect();
                let on_it = |spot: &&Subschema<'_>| {
                    spot.schema.get("$ref").is_some() && circle.contains(&std::ptr::from_ref(spot.schema))
                };
                let path = spots.iter().find(on_it).map_or("", |spot| &spot.path);
                return Err(SchemaError::new(format!("{path}/$ref"), "`$ref` leads back to itself"));
            }
            if way.len() > LONGEST_CHAIN {
                let message = format!("more than {LONGEST_CHAIN} references lead to each other");
                return Err(SchemaError::new(&spot.path, message));
            }
            way.push((at, beside(root, next)));
        }
    }
    Ok(())
}

/// Returns the schemas that apply to the same value.
fn beside<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| followed(root, target));
    let one = ["not", "if", "then", "else"].into_iter().filter_map(|keyword| schema.get(keyword));
    let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    let named = schema.get("dependentSchemas").and_then(Value::as_object);
    target.into_iter().chain(one).chain(lists.flatten()).chain(named.into_iter().flat_map(|all| all.values())).collect()
}

fn required(spot: &Subschema<'_>) -> Result<(), SchemaError> {
    let Some(required) = spot.schema.get("required").and_then(Value::as_array) else { return Ok(()) };
    let names: Vec<&str> = match spot.schema.get("properties").and_then(Value::as_object) {
        Some(properties) => properties.keys().map(String::as_str).collect(),
        None => return Ok(()),
    };
    let known: HashSet<&str> = names.iter().copied().collect();
    let Some(unknown) = required.iter().filter_map(Value::as_str).find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let error = SchemaError::new(format!("{}/required", spot.path), format!("`{unknown}` is required and no property"));
    Err(if names.is_empty() {
        error
    } else {
        error.with_hint(format!("did you mean `{}`?", crate::nearest(unknown, names)))
    })
}

/// Returns the last line of an error message, which describes the error; those before show its position.
pub(crate) fn last_line(error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().next_back().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Returns the target of a reference.
fn followed<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Returns the schema itself, or the target of its reference.
pub(crate) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..LONGEST_CHAIN {
        let target = schema.get("$ref").and_then(Value::as_str);
        match target.and_then(|target| followed(root, target)) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// Returns the types that a schema allows; with properties it is an object, with items a list.
pub(crate) fn types_of(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ if schema.get("items").is_some() => vec!["array"],
        _ => Vec::new(),
    }
}

/// Returns the schema of a property.
pub(crate) fn field<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// Whether a property is required.
pub(super) fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// Returns the alternatives of a schema.
pub(crate) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
}

/// Whether a value is nested deeper than any parsed text.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    false
}
