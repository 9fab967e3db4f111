//! The items of a document as JSON: their names, their lines, and the matching of two lists.

use serde_json::Value;
use std::collections::HashMap;
use war_rig_text::{LineNumber, LineRange};

/// Matches each item of a list with an item of another: an equal one, one with the same name and line, or one with the same name.
pub(super) fn paired(said: &[Value], expected: &[Value]) -> Vec<Option<usize>> {
    let mut pairs: Vec<Option<usize>> = vec![None; said.len()];
    let mut free = vec![true; expected.len()];
    for (index, item) in said.iter().enumerate() {
        if expected.get(index) == Some(item) {
            (pairs[index], free[index]) = (Some(index), false);
        }
    }
    type ItemNameKey<'a> = (String, Option<LineNumber>);
    let keys: [&dyn Fn(&Value) -> ItemNameKey<'static>; 2] =
        [&|item| (label(item), first_line(item)), &|item| (name_of(item), None)];
    for key in keys {
        let mut open: HashMap<ItemNameKey<'_>, Vec<usize>> = HashMap::new();
        for (index, item) in expected.iter().enumerate().rev().filter(|(index, _)| free[*index]) {
            open.entry(key(item)).or_default().push(index);
        }
        for (index, item) in said.iter().enumerate() {
            if pairs[index].is_none()
                && let Some(found) = open.get_mut(&key(item)).and_then(Vec::pop)
            {
                (pairs[index], free[found]) = (Some(found), false);
            }
        }
    }
    pairs
}

/// Returns the name of an item in a path: the number of a rule, else its name.
pub(super) fn label(item: &Value) -> String {
    match item.get("rule_id").or_else(|| item.get("chunk_id")).and_then(Value::as_str) {
        Some(number) => number.to_owned(),
        None => name_of(item),
    }
}

/// Returns the name of an item of any kind.
fn name_of(item: &Value) -> String {
    const NAMES: [&str; 11] = [
        "program_id", "name", "operation", "command", "function", "condition", "question", "field", "description",
        "meaning", "copybook",
    ];
    let Some(fields) = item.as_object() else { return text_of(item) };
    if let (Some(from), Some(to)) = (fields.get("from"), fields.get("to")) {
        return format!("{} to {}", text_of(from), text_of(to));
    }
    let named = fields.iter().find(|(name, _)| name.ends_with("_name")).map(|(_, value)| value);
    let named = named.or_else(|| NAMES.iter().find_map(|name| fields.get(*name)));
    named.map(text_of).unwrap_or_default()
}

pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the lines of an object from `start_line` and `end_line`.
pub(super) fn lines_of(value: &Value) -> Option<LineRange> {
    let line = |name: &str| LineNumber::new(u32::try_from(value.get(name)?.as_u64()?).ok()?);
    LineRange::new(line("start_line")?, line("end_line")?)
}

fn first_line(item: &Value) -> Option<LineNumber> {
    place(item).map(LineRange::start)
}

/// Returns the place of an item in its own file: its first citation, or its line.
pub(super) fn place(item: &Value) -> Option<LineRange> {
    let is_elsewhere = item.get("file").is_some_and(Value::is_string) && item.get("status").is_none();
    if is_elsewhere {
        return None;
    }
    let cited = item.get("citations").and_then(Value::as_array).and_then(|all| all.first()).and_then(lines_of);
    let line = || {
        let line = u32::try_from(item.get("line")?.as_u64()?).ok()?;
        LineNumber::new(line).map(LineRange::single)
    };
    cited.or_else(|| lines_of(item)).or_else(line)
}
