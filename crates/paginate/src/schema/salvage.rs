//! Making answers fit their schema.

use super::subschemas::is_required;
use super::{AnswerSchema, branches, empty, field, is_too_deep, reason, resolved, types_of};
use crate::json_pointer::{self, at, below};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum validation rounds. Each removes something: an unusable item, and in the next round the errors that its removal causes.
const ROUNDS: usize = 8;

/// The maximum notes on one answer.
const MOST_NOTES: usize = 100;

/// The usable part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SalvagedAnswer {
    /// The usable part.
    pub value: Value,
    /// What was dropped: a JSON pointer into the original answer (less nulls and earlier dropped items) and the reason. Never quotes the answer.
    pub dropped: Vec<String>,
    /// Whether nothing required is missing and nothing known was dropped. Unknown fields do not count.
    pub is_whole: bool,
}

impl AnswerSchema {
    /// Makes an answer fit. Removes nulls of optional fields and unknown fields, and drops invalid list items and invalid optional fields. A required
    /// value outside of lists that is missing or invalid becomes an empty list or object if the schema has one there, and otherwise stays absent.
    pub fn salvage(&self, value: Value) -> SalvagedAnswer {
        if is_too_deep(&value) {
            dismantle(value);
            return self.nothing("the answer is nested too deeply");
        }
        if !value.is_object() {
            return self.nothing("the answer is no object");
        }
        let mut work = Salvager { root: &self.author, dropped: Vec::new(), more: 0, is_whole: true };
        let mut value = value;
        work.trim(&self.author, &mut value, "");
        for _ in 0..ROUNDS {
            let errors: Vec<ValidationFailure> =
                self.validator.iter_errors(&value).map(|error| ValidationFailure::of(&error)).collect();
            if errors.is_empty() || !work.mend(&mut value, errors) {
                break;
            }
        }
        if !self.validator.is_valid(&value) {
            work.is_whole = false;
        }
        work.finish(value)
    }

    fn nothing(&self, why: &str) -> SalvagedAnswer {
        SalvagedAnswer { value: self.empty(), dropped: vec![why.to_owned()], is_whole: false }
    }
}

/// A validation error at a location of the answer.
struct ValidationFailure {
    path: String,
    reason: String,
    missing: Option<String>,
    /// Whether it concerns a whole list, whose items are still usable.
    of_list: bool,
}

impl ValidationFailure {
    fn of(error: &ValidationError<'_>) -> Self {
        let missing = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => None,
        };
        let of_list = matches!(
            error.kind(),
            ValidationErrorKind::MinItems { .. }
                | ValidationErrorKind::MaxItems { .. }
                | ValidationErrorKind::UniqueItems
                | ValidationErrorKind::Contains
        );
        Self { path: error.instance_path().as_str().to_owned(), reason: reason(error), missing, of_list }
    }
}

/// A step on the path to a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PathStep {
    Item(usize),
    Field(String),
}

impl PathStep {
    /// Returns the value to which the step leads.
    fn within<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            PathStep::Item(index) => value.get(index),
            PathStep::Field(name) => value.get(name),
        }
    }

    fn within_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            PathStep::Item(index) => value.get_mut(index),
            PathStep::Field(name) => value.get_mut(name),
        }
    }

    /// Returns the schema of the value to which the step leads.
    fn schema_within<'v>(&self, schema: &'v Value) -> Option<&'v Value> {
        match self {
            PathStep::Item(_) => schema.get("items"),
            PathStep::Field(name) => field(schema, name),
        }
    }
}

struct Salvager<'a> {
    root: &'a Value,
    dropped: Vec<String>,
    more: usize,
    is_whole: bool,
}

impl<'a> Salvager<'a> {
    /// Removes nulls without meaning and unknown fields. Recurses as deep as the value, which was checked before.
    fn trim(&mut self, schema: &'a Value, value: &mut Value, path: &str) {
        let schema = chosen(self.root, schema, value);
        match value {
            Value::Object(fields) => {
                let Some(known) = schema.get("properties").and_then(Value::as_object) else { return };
                let open = schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
                let before = fields.len();
                fields.retain(|name, _| open || known.contains_key(name));
                if fields.len() < before {
                    let count = before - fields.len();
                    let fields = if count == 1 { "a field" } else { "fields" };
                    self.note(path, &format!("{fields} that the schema has not"));
                }
                fields
                    .retain(|name, value| !(value.is_null() && known.contains_key(name) && !is_required(schema, name)));
                for (name, value) in fields.iter_mut() {
                    if let Some(schema) = known.get(name) {
                        self.trim(schema, value, &below(path, name));
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items").filter(|items| items.is_object()) else { return };
                for (index, item) in items.iter_mut().enumerate() {
                    self.trim(schema, item, &at(path, index));
                }
            }
            _ => {}
        }
    }

    /// Removes invalid values. Returns whether anything has changed.
    fn mend(&mut self, value: &mut Value, errors: Vec<ValidationFailure>) -> bool {
        let mut gone: BTreeMap<Vec<PathStep>, BTreeSet<PathStep>> = BTreeMap::new();
        let mut noted: BTreeSet<(Vec<PathStep>, PathStep)> = BTreeSet::new();
        let mut emptied = false;
        for wrong in errors {
            let steps = steps(value, &wrong.path);
            if let Some((parent, step)) = self.droppable(value, &steps).filter(|_| !wrong.of_list) {
                if noted.insert((parent.clone(), step.clone())) {
                    self.is_whole = false;
                    self.note(&wrong.path, &wrong.reason);
                }
                gone.entry(parent).or_default().insert(step);
            } else if let Some(name) = &wrong.missing {
                self.is_whole = false;
                self.note(&wrong.path, &wrong.reason);
                emptied |= self.fill(value, &steps, name);
            } else if let (false, Some((PathStep::Field(name), parent))) = (wrong.of_list, steps.split_last()) {
                // A required field outside of lists is invalid: the next round replaces it with an empty one, if possible.
                self.note(&wrong.path, &wrong.reason);
                self.is_whole = false;
                gone.entry(parent.to_vec()).or_default().insert(PathStep::Field(name.clone()));
            } else if !self.dropped.iter().any(|note| note.starts_with(&format!("{}: ", wrong.path))) {
                self.is_whole = false;
                self.note(&wrong.path, &wrong.reason);
            }
        }
        let changed = emptied || !gone.is_empty();
        // Removes deeper values first, so that the other paths stay valid.
        for (parent, steps) in gone.into_iter().rev() {
            if let Some(value) = parent.iter().try_fold(&mut *value, |value, step| step.within_mut(value)) {
                remove(value, &steps);
            }
        }
        changed
    }

    /// Returns the nearest removable value around a location: a list item, or an optional field.
    fn droppable(&self, value: &Value, steps: &[PathStep]) -> Option<(Vec<PathStep>, PathStep)> {
        let mut schema = Some(self.root);
        let mut value = Some(value);
        let mut nearest = None;
        for (index, step) in steps.iter().enumerate() {
            let here = schema.zip(value).map(|(schema, value)| chosen(self.root, schema, value));
            let may_go = match step {
                PathStep::Item(_) => true,
                PathStep::Field(name) => {
                    here.is_some_and(|schema| field(schema, name).is_some() && !is_required(schema, name))
                }
            };
            if may_go {
                nearest = Some((steps[..index].to_vec(), step.clone()));
            }
            schema = here.and_then(|schema| step.schema_within(schema));
            value = value.and_then(|value| step.within(value));
        }
        nearest
    }

    /// Inserts an empty list or object where one is missing.
    fn fill(&self, value: &mut Value, steps: &[PathStep], name: &str) -> bool {
        let mut schema = self.root;
        let mut object = value;
        for step in steps {
            let here = chosen(self.root, schema, object);
            let Some(next) = step.schema_within(here).zip(step.within_mut(object)) else { return false };
            (schema, object) = next;
        }
        let schema = field(chosen(self.root, schema, object), name);
        let nothing = schema.and_then(|schema| empty(self.root, schema));
        match (object, nothing) {
            (Value::Object(fields), Some(nothing @ (Value::Array(_) | Value::Object(_) | Value::Null))) => {
                fields.insert(name.to_owned(), nothing);
                true
            }
            _ => false,
        }
    }

    fn note(&mut self, path: &str, why: &str) {
        if self.dropped.len() < MOST_NOTES {
            let path = if path.is_empty() { "the answer" } else { path };
            self.dropped.push(format!("{path}: {why}"));
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self, value: Value) -> SalvagedAnswer {
        if self.more > 0 {
            self.dropped.push(format!("{} more are not listed", self.more));
        }
        SalvagedAnswer { value, dropped: self.dropped, is_whole: self.is_whole }
    }
}

/// Returns the schema that a value probably matches: among alternatives, the first of its type with no required field that it lacks.
fn chosen<'a>(root: &'a Value, schema: &'a Value, value: &Value) -> &'a Value {
    let schema = resolved(root, schema);
    let Some(all) = branches(schema) else { return schema };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let of_type = || all.iter().map(|one| resolved(root, one)).filter(|one| types_of(one).contains(&kind));
    of_type().find(|one| has_all(one, value)).or_else(|| of_type().next()).unwrap_or(schema)
}

/// Whether a value has all required fields of a schema, with the constants that it specifies.
fn has_all(schema: &Value, value: &Value) -> bool {
    let Value::Object(fields) = value else { return true };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).all(|name| {
        let Some(value) = fields.get(name) else { return false };
        let one = field(schema, name);
        let only = one.and_then(|one| one.get("const"));
        let allowed = one.and_then(|one| one.get("enum")).and_then(Value::as_array);
        only.is_none_or(|only| only == value) && allowed.is_none_or(|allowed| allowed.contains(value))
    })
}

/// Splits a JSON pointer into steps, as far as the value goes.
fn steps(value: &Value, path: &str) -> Vec<PathStep> {
    let mut value = Some(value);
    let mut steps = Vec::new();
    for name in json_pointer::steps(path) {
        let step = match (value, name.parse()) {
            (Some(Value::Array(_)), Ok(index)) => PathStep::Item(index),
            _ => PathStep::Field(name),
        };
        value = value.and_then(|value| step.within(value));
        steps.push(step);
    }
    steps
}

fn remove(value: &mut Value, steps: &BTreeSet<PathStep>) {
    match value {
        Value::Array(items) => {
            let mut index = 0;
            items.retain(|_| {
                index += 1;
                !steps.contains(&PathStep::Item(index - 1))
            });
        }
        Value::Object(fields) => fields.retain(|name, _| !steps.contains(&PathStep::Field(name.clone()))),
        _ => {}
    }
}

/// Drops a value level by level, because a normal drop recurses as deep as the value.
fn dismantle(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(Map::into_iter(fields).map(|(_, field)| field)),
            _ => {}
        }
    }
}
