//! The schema of an agent's answer: its form for providers, and validation of answers.

mod salvage;
mod strict;
mod subschemas;

pub use salvage::SalvagedAnswer;
pub(crate) use subschemas::{Subschema, branches, field, is_too_deep, last_line, resolved, types_of};

use crate::agent::Agent;
use crate::outcome::Violation;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};
use war_rig_text::spaced_json;

/// The maximum number of violations listed.
const MOST_VIOLATIONS: usize = 100;

/// The maximum number of schemas visited for an empty answer.
const MOST_STEPS: usize = 10_000;

/// An answer schema.
#[derive(Debug, Clone)]
pub struct AnswerSchema {
    author: Value,
    sent: String,
    validator: Validator,
}

/// An invalid or unsupported schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SchemaError {
    /// A JSON pointer into the schema.
    pub path: String,
    /// The error.
    pub message: String,
    /// Advice on what to write instead.
    pub hint: Option<String>,
}

impl SchemaError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl AnswerSchema {
    /// Returns the schema of an agent.
    ///
    /// # Panics
    /// If an agent built in code has a schema that [`AnswerSchema::from_author`] rejects; no parsed agent has one.
    pub fn for_agent(agent: &Agent) -> Self {
        Self::from_author(&agent.schema).expect("the schema of an agent is looked at when it is read")
    }

    /// Accepts an author's schema: of an object, with references only into itself.
    ///
    /// # Errors
    /// [`SchemaError`] for invalid JSON schemas, and for constructs that the strict form of providers cannot express.
    ///
    /// # Example
    /// ```
    /// # use serde_json::json;
    /// use war_rig_paginate::AnswerSchema;
    ///
    /// let author = json!({"type": "object", "properties": {"note": {"type": "string", "minLength": 1}}});
    /// let schema = AnswerSchema::from_author(&author).unwrap();
    /// assert_eq!(
    ///     schema.strict_json(),
    ///     r#"{"type": "object", "properties": {"note": {"type": ["string", "null"]}}, "required": ["note"], "additionalProperties": false}"#
    /// );
    /// assert_eq!(schema.salvage(json!({"note": null})).value, json!({}));
    /// assert_eq!(schema.violations(&json!({"note": ""})).len(), 1);
    /// ```
    pub fn from_author(author: &Value) -> Result<Self, SchemaError> {
        if is_too_deep(author) {
            return Err(SchemaError::new("", "the schema is nested too deeply"));
        }
        subschemas::check(author)?;
        if let Err(error) = jsonschema::meta::validate(author) {
            return Err(SchemaError::new(error.instance_path().as_str(), reason(&error)));
        }
        let sent = spaced_json(&strict::strict(author)?);
        // Look-around patterns may take unbounded time on some texts, so they are not supported.
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .offline()
            .build(author)
            .map_err(|error| {
                let message = error.to_string();
                let message = message.lines().next().unwrap_or_default();
                SchemaError::new(error.instance_path().as_str(), message)
            })?;
        Ok(Self { author: author.clone(), sent, validator })
    }

    /// Returns the schema as its author wrote it.
    pub fn author(&self) -> &Value {
        &self.author
    }

    /// Returns the strict form for providers, on one line of ASCII with a blank after every comma and colon: all properties are required and no
    /// others allowed, optional properties may be null, and only keywords that providers know are left. The same schema always has the same bytes.
    pub fn strict_json(&self) -> &str {
        &self.sent
    }

    /// Returns the names of the answer's fields, in order.
    pub fn fields(&self) -> Vec<String> {
        let properties = resolved(&self.author, &self.author).get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Map::keys).cloned().collect()
    }

    /// Returns the empty answer: required values are empty. Numbers to be summed are 0; a value that can be neither empty nor null is absent.
    pub fn empty(&self) -> Value {
        empty(&self.author, &self.author).unwrap_or_else(|| json!({}))
    }

    /// Returns the schema violations of an answer: at most 100, the last of which states how many more there are.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        if is_too_deep(value) {
            let message = "is nested too deeply".to_owned();
            return vec![Violation { path: String::new(), message }];
        }
        let mut errors = self.validator.iter_errors(value);
        let mut violations: Vec<Violation> = errors
            .by_ref()
            .take(MOST_VIOLATIONS)
            .map(|error| Violation { path: error.instance_path().as_str().to_owned(), message: reason(&error) })
            .collect();
        let more = errors.count();
        if more > 0 {
            violations.pop();
            let message = format!("{} more are not listed", more + 1);
            violations.push(Violation { path: String::new(), message });
        }
        violations
    }
}

/// Describes an error in terms of the schema, without quoting the value.
fn reason(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("has no `{}`", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => format!("is no {kind}"),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            let kinds: Vec<String> = kinds.iter().map(|kind| kind.to_string()).collect();
            format!("is neither {}", kinds.join(" nor "))
        }
        ValidationErrorKind::Enum { options } if options.as_array().is_some_and(|all| all.len() <= 10) => {
            format!("is none of {options}")
        }
        ValidationErrorKind::Enum { .. } => "is none of the values that are allowed".to_owned(),
        ValidationErrorKind::AdditionalProperties { .. } => "has fields that the schema has not".to_owned(),
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            "is none of what it may be".to_owned()
        }
        ValidationErrorKind::MinItems { limit } => format!("has fewer than {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("has more than {limit} items"),
        ValidationErrorKind::MinLength { limit } => format!("has fewer than {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("has more than {limit} characters"),
        ValidationErrorKind::Minimum { limit } => format!("is less than {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("is more than {limit}"),
        ValidationErrorKind::Pattern { pattern } => format!("does not match `{pattern}`"),
        ValidationErrorKind::Format { format } => format!("is not written as a {format}"),
        ValidationErrorKind::UniqueItems => "has equal items".to_owned(),
        kind => format!("is not what `{}` asks for", kind.keyword()),
    }
}

/// Returns the empty value of a schema; none if every value has content, or none is finite.
fn empty(root: &Value, schema: &Value) -> Option<Value> {
    EmptyValueBuilder { root, way: Vec::new(), steps: MOST_STEPS }.of(schema)
}

/// Builds empty values.
struct EmptyValueBuilder<'a> {
    root: &'a Value,
    /// The schemas around the current one: a schema that requires itself has no value.
    way: Vec<*const Value>,
    /// The remaining number of schemas to visit: references can multiply them.
    steps: usize,
}

impl<'a> EmptyValueBuilder<'a> {
    fn of(&mut self, schema: &'a Value) -> Option<Value> {
        let schema = resolved(self.root, schema);
        let here = std::ptr::from_ref(schema);
        self.steps = self.steps.checked_sub(1)?;
        if self.way.contains(&here) {
            return None;
        }
        self.way.push(here);
        let value = self.within(schema);
        self.way.pop();
        value
    }

    fn within(&mut self, schema: &'a Value) -> Option<Value> {
        if let Some(branches) = branches(schema) {
            let empties: Vec<Value> = branches.iter().filter_map(|branch| self.of(branch)).collect();
            return empties.iter().find(|value| value.is_null()).or(empties.first()).cloned();
        }
        let types = types_of(schema);
        if types.contains(&"null") {
            return Some(Value::Null);
        }
        let allowed = schema.get("enum").or(schema.get("const"));
        match types.first().copied() {
            Some("array") => Some(json!([])),
            Some("string") if allowed.is_none() && schema.get("minLength").is_none() => Some(json!("")),
            Some("integer" | "number") if schema.get("x-merge").is_some_and(|rule| rule == "sum") => Some(json!(0)),
            Some("object") => {
                let mut fields = Map::new();
                let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                for name in required.filter_map(Value::as_str) {
                    if let Some(value) = field(schema, name).and_then(|field| self.of(field)) {
                        fields.insert(name.to_owned(), value);
                    }
                }
                Some(Value::Object(fields))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
