//! The parsed content of a file, TOML or JSON, with the line of each value.

use super::AgentError;
use crate::json_pointer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The maximum nesting of an agent's file, as in JSON.
const DEEPEST: usize = 128;

/// A value and its line, one-based: for a TOML field the line of its name, else the line where it begins.
#[derive(Debug, Clone)]
pub(super) struct SpannedValue {
    pub line: usize,
    pub kind: SpannedKind,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum SpannedKind {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<SpannedValue>),
    /// The fields in the order of the file.
    Table(Vec<(String, SpannedValue)>),
}

impl SpannedValue {
    /// Returns a field of a table.
    pub fn get(&self, name: &str) -> Option<&SpannedValue> {
        match &self.kind {
            SpannedKind::Table(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, said)| said),
            _ => None,
        }
    }

    /// Returns the line of the value at a JSON pointer, or of its nearest existing parent.
    pub fn line_of(&self, pointer: &str) -> usize {
        let mut said = self;
        for name in json_pointer::steps(pointer) {
            let next = match &said.kind {
                SpannedKind::List(items) => name.parse().ok().and_then(|index: usize| items.get(index)),
                _ => said.get(&name),
            };
            match next {
                Some(next) => said = next,
                None => break,
            }
        }
        said.line
    }

    /// Converts the value to JSON. Recurses as deep as the value, which both parsers limit.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            SpannedKind::Null => Value::Null,
            SpannedKind::Flag(flag) => Value::Bool(*flag),
            SpannedKind::Number(number) => Value::Number(number.clone()),
            SpannedKind::Text(text) => Value::String(text.clone()),
            SpannedKind::List(items) => Value::Array(items.iter().map(SpannedValue::to_value).collect()),
            SpannedKind::Table(fields) => {
                let fields = fields.iter().map(|(name, said)| (name.clone(), said.to_value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    /// Describes the kind of value in words.
    pub fn describe(&self) -> String {
        match &self.kind {
            SpannedKind::Null => "null".to_owned(),
            SpannedKind::Flag(flag) => format!("`{flag}`"),
            SpannedKind::Number(number) => format!("the number `{number}`"),
            SpannedKind::Text(text) if text.len() <= 20 && !text.contains('\n') => {
                format!("the string `\"{text}\"`")
            }
            SpannedKind::Text(_) => "a string".to_owned(),
            SpannedKind::List(_) => "a list".to_owned(),
            SpannedKind::Table(_) => "a table".to_owned(),
        }
    }
}

/// Parses TOML.
pub(super) fn toml(text: &str) -> Result<SpannedValue, AgentError> {
    let source = SpannedReader { text, first: 1 };
    let root = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        let line = source.line(error.span().unwrap_or_default().start);
        AgentError::at(line, "", format!("cannot be read as TOML: {message}"))
    })?;
    let (span, table) = (root.span(), root.into_inner());
    Ok(SpannedValue { line: source.line(span.start), kind: source.table(table, 0)? })
}

/// Parses JSON that begins on this line.
pub(super) fn json(text: &str, first: usize) -> Result<SpannedValue, AgentError> {
    let source = SpannedReader { text, first };
    // This also limits the depth, which raw values do not.
    serde_json::from_str::<Value>(text).map_err(|error| source.not_json(&error))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| source.not_json(&error))?;
    source.raw(raw)
}

struct SpannedReader<'a> {
    text: &'a str,
    first: usize,
}

impl SpannedReader<'_> {
    fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        self.first + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn table(&self, table: DeTable<'_>, depth: usize) -> Result<SpannedKind, AgentError> {
        let mut fields: Vec<(Range<usize>, String, Spanned<DeValue<'_>>)> =
            table.into_iter().map(|(name, value)| (name.span(), name.into_inner().into_owned(), value)).collect();
        // Keeps the order of the file, which the author intends and the model sees.
        fields.sort_by_key(|(span, ..)| span.start);
        let said = |(span, name, value): (Range<usize>, String, Spanned<DeValue<'_>>)| {
            let line = self.line(span.start);
            Ok((name, SpannedValue { line, kind: self.value(value, depth + 1)?.kind }))
        };
        Ok(SpannedKind::Table(fields.into_iter().map(said).collect::<Result<_, AgentError>>()?))
    }

    fn value(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<SpannedValue, AgentError> {
        let span = value.span();
        let line = self.line(span.start);
        // Dotted keys in tables in dotted keys nest deeper than the parser counts.
        if depth > DEEPEST {
            return Err(AgentError::at(line, "", "nested too deeply"));
        }
        let no_number = || AgentError::at(line, "", "a number that JSON cannot hold");
        let what = match value.into_inner() {
            DeValue::String(text) => SpannedKind::Text(text.into_owned()),
            DeValue::Boolean(flag) => SpannedKind::Flag(flag),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| no_number())?;
                SpannedKind::Number(number.into())
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse().ok().and_then(Number::from_f64);
                SpannedKind::Number(number.ok_or_else(no_number)?)
            }
            DeValue::Datetime(_) => {
                return Err(AgentError::at(line, "", "a date is no value of JSON").with_hint("put it in quotes"));
            }
            DeValue::Array(items) => {
                let items = items.into_iter().map(|item| self.value(item, depth + 1));
                SpannedKind::List(items.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table, depth)?,
        };
        Ok(SpannedValue { line, kind: what })
    }

    /// Parses a JSON value. Its line is that of its first byte: a raw value is a slice of the text.
    fn raw(&self, raw: &RawValue) -> Result<SpannedValue, AgentError> {
        let text = raw.get();
        let line = self.line(text.as_ptr() as usize - self.text.as_ptr() as usize);
        let what = match text.as_bytes().first() {
            Some(b'{') => {
                let RawFields(fields) = serde_json::from_str(text).map_err(|error| self.not_json(&error))?;
                let mut names = HashSet::new();
                let mut said: Vec<(String, SpannedValue)> = Vec::new();
                for (name, value) in fields {
                    let value = self.raw(value)?;
                    if !names.insert(name.clone()) {
                        return Err(AgentError::at(value.line, &name, format!("`{name}` is given twice")));
                    }
                    said.push((name, value));
                }
                SpannedKind::Table(said)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| self.not_json(&error))?;
                SpannedKind::List(items.into_iter().map(|item| self.raw(item)).collect::<Result<_, _>>()?)
            }
            _ => match serde_json::from_str(text).map_err(|error| self.not_json(&error))? {
                Value::Bool(flag) => SpannedKind::Flag(flag),
                Value::Number(number) => SpannedKind::Number(number),
                Value::String(text) => SpannedKind::Text(text),
                _ => SpannedKind::Null,
            },
        };
        Ok(SpannedValue { line, kind: what })
    }

    fn not_json(&self, error: &serde_json::Error) -> AgentError {
        let message = error.to_string();
        // The error has its own position, counted in the file.
        let message = message.split(" at line ").next().unwrap_or_default();
        let line = self.first + error.line().saturating_sub(1);
        AgentError::at(line, "", format!("cannot be read as JSON: {message}"))
    }
}

/// The fields of an object in order, including duplicates.
struct RawFields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for RawFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = RawFields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}
