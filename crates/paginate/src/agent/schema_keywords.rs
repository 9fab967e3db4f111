//! Custom schema keywords: field patterns, and the paths that audits search.

use super::FieldPattern;
use crate::json_pointer::{below, unescaped};
use crate::schema::{SchemaError, Subschema, branches, field, last_line, resolved, types_of};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::HashSet;

/// Our own keywords; the merge handles most of them.
const OURS: [&str; 6] = ["x-merge", "x-key", "x-similar", "x-threshold", "x-weight", "x-pattern"];

/// The maximum bytes of a compiled pattern.
const LARGEST_PATTERN: usize = 4 << 20;

/// The maximum depth of lists with patterns in an answer.
const DEEPEST: usize = 8;

/// Compiles a pattern, and rejects one that matches the empty text.
pub(super) fn pattern(text: &str) -> Result<Regex, String> {
    let pattern = RegexBuilder::new(text).size_limit(LARGEST_PATTERN).build();
    let pattern = pattern.map_err(|error| format!("no regular expression: {}", last_line(&error)))?;
    if pattern.is_match("") { Err("a pattern that finds nothing at all, everywhere".to_owned()) } else { Ok(pattern) }
}

/// Rejects unknown keywords with our prefix.
pub(super) fn check(schema: &Value) -> Result<(), SchemaError> {
    for spot in Subschema::all(schema) {
        let keywords = spot.schema.as_object().into_iter().flat_map(serde_json::Map::keys);
        for keyword in keywords.filter(|keyword| keyword.starts_with("x-")) {
            if !OURS.contains(&keyword.as_str()) {
                let path = format!("{}/{keyword}", spot.path);
                return Err(SchemaError::new(path, format!("unknown keyword `{keyword}`"))
                    .with_hint(format!("did you mean `{}`?", crate::nearest(keyword, OURS))));
            }
        }
    }
    Ok(())
}

/// Returns all `x-pattern`s in the order of the schema.
pub(super) fn patterns(schema: &Value) -> Result<Vec<FieldPattern>, SchemaError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut way = Vec::new();
    lists(schema, schema, ("", ""), &mut way, &mut |spot, at, list| {
        seen.insert(std::ptr::from_ref(list));
        let said = match &list["x-pattern"] {
            Value::Array(all) => all.iter().enumerate().map(|(index, one)| (format!("/{index}"), one)).collect(),
            one => vec![(String::new(), one)],
        };
        for (index, one) in said {
            let path = format!("{spot}/x-pattern{index}");
            let Some(text) = one.as_str() else {
                return Err(SchemaError::new(path, "`x-pattern` must be a string, or a list of strings"));
            };
            let pattern =
                pattern(text).map_err(|message| SchemaError::new(&path, format!("`x-pattern` is {message}")))?;
            fits(schema, list, &pattern).map_err(|(message, hint)| SchemaError {
                path: path.clone(),
                message,
                hint,
            })?;
            found.push(FieldPattern { path: at.to_owned(), pattern });
        }
        Ok(())
    })?;
    for spot in Subschema::all(schema) {
        if spot.schema.get("x-pattern").is_some() && !seen.contains(&std::ptr::from_ref(spot.schema)) {
            let path = format!("{}/x-pattern", spot.path);
            return Err(SchemaError::new(
                path,
                "`x-pattern` stands on a list outside of other lists, and nowhere else",
            ));
        }
    }
    Ok(found)
}

/// Calls `found` for every list with `x-pattern` that is reached through objects: its path in the schema, its path in the answer, and its schema.
fn lists<'a>(
    root: &'a Value,
    schema: &'a Value,
    (spot, at): (&str, &str),
    way: &mut Vec<*const Value>,
    found: &mut impl FnMut(&str, &str, &'a Value) -> Result<(), SchemaError>,
) -> Result<(), SchemaError> {
    let target = resolved(root, schema);
    // A referenced schema has its own path, that of its pointer.
    let spot = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => reference.trim_start_matches('#'),
        None => spot,
    };
    if types_of(target).contains(&"array") {
        return if target.get("x-pattern").is_some() { found(spot, at, target) } else { Ok(()) };
    }
    // A recursive schema has lists at any depth; those at its first occurrence are enough.
    if way.len() > DEEPEST || way.contains(&std::ptr::from_ref(target)) {
        return Ok(());
    }
    way.push(target);
    let properties = target.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let spot = below(&format!("{spot}/properties"), name);
        lists(root, property, (&spot, &below(at, name)), way, found)?;
    }
    way.pop();
    Ok(())
}

type PatternMismatch = (String, Option<String>);

/// Verifies that a pattern's groups match the items of a list.
fn fits(root: &Value, list: &Value, pattern: &Regex) -> Result<(), PatternMismatch> {
    let Some(items) = list.get("items").map(|items| resolved(root, items)) else {
        return Err(("a list with `x-pattern` must say what its `items` are".to_owned(), None));
    };
    let groups: Vec<&str> = pattern.capture_names().flatten().collect();
    let types = types_of(items);
    if types.iter().any(|kind| matches!(*kind, "string" | "integer" | "number")) {
        return match groups.first() {
            Some(group) => Err((
                format!("`x-pattern` names `{group}`, and the items are no objects"),
                Some("what counts is the first group, or the whole match".to_owned()),
            )),
            None => Ok(()),
        };
    }
    let Some(properties) = items.get("properties").and_then(Value::as_object).filter(|_| types.contains(&"object"))
    else {
        return Err(("a list with `x-pattern` must have items that are strings, numbers or objects".to_owned(), None));
    };
    if groups.is_empty() {
        let first = properties.keys().next().map_or("name", String::as_str);
        return Err((
            "`x-pattern` names no groups, and the items are objects".to_owned(),
            Some(format!("name a group after each field: `(?P<{first}>...)`")),
        ));
    }
    for group in &groups {
        let Some(property) = properties.get(*group) else {
            let nearest = crate::nearest(group, properties.keys().map(String::as_str));
            return Err((
                format!("`x-pattern` names `{group}`, which the items do not have"),
                Some(format!("did you mean `{nearest}`?")),
            ));
        };
        let kinds = types_of(resolved(root, property));
        if kinds.iter().any(|kind| matches!(*kind, "array" | "object")) {
            return Err((format!("`x-pattern` names `{group}`, which is neither a text nor a number"), None));
        }
    }
    let required = items.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str).filter(|name| !groups.contains(name)) {
        let property = properties.get(name).map(|property| resolved(root, property));
        let is_fillable = property.is_some_and(|property| {
            let kinds = types_of(property);
            kinds.contains(&"null") || kinds.contains(&"array")
        });
        if !is_fillable {
            return Err((
                format!("`x-pattern` has no group for `{name}`, which the items require"),
                Some(format!("name a group `{name}`, or leave `{name}` out of `required`")),
            ));
        }
    }
    Ok(())
}

/// Verifies that the schema has the value at a pointer with `*`.
pub(super) fn check_path(schema: &Value, path: &str) -> Result<(), PatternMismatch> {
    let Some(steps) = path.strip_prefix('/') else {
        let message = format!("`path` must begin with `/`, not `{path}`");
        return Err((
            message,
            Some("write a JSON pointer in which `*` stands for each item: `/items/*/id`".to_owned()),
        ));
    };
    let mut open = vec![schema];
    for step in steps.split('/') {
        let name = unescaped(step);
        let here: Vec<&Value> = open.iter().flat_map(|one| alternatives(schema, one)).collect();
        open = here.iter().filter_map(|one| if step == "*" { one.get("items") } else { field(one, &name) }).collect();
        if !open.is_empty() {
            continue;
        }
        let is_list = here.iter().any(|one| types_of(one).contains(&"array"));
        let names = here.iter().filter_map(|one| one.get("properties")?.as_object()).flat_map(serde_json::Map::keys);
        let nearest = crate::nearest(&name, names.map(String::as_str));
        let hint = match (is_list, nearest) {
            (true, _) => Some("`*` stands for each item of a list".to_owned()),
            (false, "") => None,
            (false, nearest) => Some(format!("did you mean `{nearest}`?")),
        };
        return Err((format!("`path` leads to `{step}`, which the schema does not have there"), hint));
    }
    Ok(())
}

/// Returns the schemas that a value may match.
fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = resolved(root, schema);
    match branches(schema) {
        Some(branches) => branches.iter().map(|branch| resolved(root, branch)).collect(),
        None => vec![schema],
    }
}
