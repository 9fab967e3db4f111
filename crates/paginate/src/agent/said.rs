//! What a file says, TOML or JSON, with the line of everything in it.

use super::AgentError;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How deep an agent's file may be nested, as in JSON.
const DEEPEST: usize = 128;

/// A value and its line, one-based: in TOML of a field the line of its name, else where it begins.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub line: usize,
    pub what: What,
}

/// What is said.
#[derive(Debug, Clone)]
pub(super) enum What {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<Said>),
    /// In the order of the file.
    Table(Vec<(String, Said)>),
}

impl Said {
    /// A field of a table.
    pub fn get(&self, name: &str) -> Option<&Said> {
        match &self.what {
            What::Table(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, said)| said),
            _ => None,
        }
    }

    /// The line of what a JSON pointer leads to, as far as it leads.
    pub fn line_of(&self, pointer: &str) -> usize {
        let mut said = self;
        for part in pointer.split('/').skip(1) {
            let name = part.replace("~1", "/").replace("~0", "~");
            let next = match &said.what {
                What::List(items) => part.parse().ok().and_then(|index: usize| items.get(index)),
                _ => said.get(&name),
            };
            match next {
                Some(next) => said = next,
                None => break,
            }
        }
        said.line
    }

    /// The same as JSON. Recurses as deep as the value is, which the readers of both formats bound.
    pub fn to_value(&self) -> Value {
        match &self.what {
            What::Null => Value::Null,
            What::Flag(flag) => Value::Bool(*flag),
            What::Number(number) => Value::Number(number.clone()),
            What::Text(text) => Value::String(text.clone()),
            What::List(items) => Value::Array(items.iter().map(Said::to_value).collect()),
            What::Table(fields) => {
                let fields = fields.iter().map(|(name, said)| (name.clone(), said.to_value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    /// What it is, in words.
    pub fn article(&self) -> String {
        match &self.what {
            What::Null => "null".to_owned(),
            What::Flag(flag) => format!("`{flag}`"),
            What::Number(number) => format!("the number `{number}`"),
            What::Text(text) if text.len() <= 20 && !text.contains('\n') => {
                format!("the string `\"{text}\"`")
            }
            What::Text(_) => "a string".to_owned(),
            What::List(_) => "a list".to_owned(),
            What::Table(_) => "a table".to_owned(),
        }
    }
}

/// Reads TOML.
pub(super) fn toml(text: &str) -> Result<Said, AgentError> {
    let source = Source { text, first: 1 };
    let root = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        let line = source.line(error.span().unwrap_or_default().start);
        AgentError::at(line, "", format!("cannot be read as TOML: {message}"))
    })?;
    let (span, table) = (root.span(), root.into_inner());
    Ok(Said { line: source.line(span.start), what: source.table(table, 0)? })
}

/// Reads JSON that begins on this line.
pub(super) fn json(text: &str, first: usize) -> Result<Said, AgentError> {
    let source = Source { text, first };
    // Bounds the depth as well, which raw values would not.
    serde_json::from_str::<Value>(text).map_err(|error| source.not_json(&error))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| source.not_json(&error))?;
    source.raw(raw)
}

struct Source<'a> {
    text: &'a str,
    first: usize,
}

impl Source<'_> {
    fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        self.first + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn table(&self, table: DeTable<'_>, depth: usize) -> Result<What, AgentError> {
        let mut fields: Vec<(Range<usize>, String, Spanned<DeValue<'_>>)> = table
            .into_iter()
            .map(|(name, value)| (name.span(), name.into_inner().into_owned(), value))
            .collect();
        // The order of the file is what an author has in mind, and what a model is shown.
        fields.sort_by_key(|(span, ..)| span.start);
        let said = |(span, name, value): (Range<usize>, String, Spanned<DeValue<'_>>)| {
            let line = self.line(span.start);
            Ok((name, Said { line, what: self.value(value, depth + 1)?.what }))
        };
        Ok(What::Table(fields.into_iter().map(said).collect::<Result<_, AgentError>>()?))
    }

    fn value(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<Said, AgentError> {
        let span = value.span();
        let line = self.line(span.start);
        // Dotted keys inside of tables inside of dotted keys go deeper than the parser counts.
        if depth > DEEPEST {
            return Err(AgentError::at(line, "", "nested too deeply"));
        }
        let no_number = || AgentError::at(line, "", "a number that JSON cannot hold");
        let what = match value.into_inner() {
            DeValue::String(text) => What::Text(text.into_owned()),
            DeValue::Boolean(flag) => What::Flag(flag),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| no_number())?;
                What::Number(number.into())
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse().ok().and_then(Number::from_f64);
                What::Number(number.ok_or_else(no_number)?)
            }
            DeValue::Datetime(_) => {
                return Err(
                    AgentError::at(line, "", "a date is no value of JSON").with_hint("put it in quotes")
                );
            }
            DeValue::Array(items) => {
                let items = items.into_iter().map(|item| self.value(item, depth + 1));
                What::List(items.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table, depth)?,
        };
        Ok(Said { line, what })
    }

    /// A value of JSON. Its line is that of its first byte: a raw value is a piece of the text.
    fn raw(&self, raw: &RawValue) -> Result<Said, AgentError> {
        let text = raw.get();
        let line = self.line(text.as_ptr() as usize - self.text.as_ptr() as usize);
        let what = match text.as_bytes().first() {
            Some(b'{') => {
                let Fields(fields) = serde_json::from_str(text).map_err(|error| self.not_json(&error))?;
                let mut names = HashSet::new();
                let mut said: Vec<(String, Said)> = Vec::new();
                for (name, value) in fields {
                    let value = self.raw(value)?;
                    if !names.insert(name.clone()) {
                        return Err(AgentError::at(value.line, &name, format!("`{name}` is given twice")));
                    }
                    said.push((name, value));
                }
                What::Table(said)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> =
                    serde_json::from_str(text).map_err(|error| self.not_json(&error))?;
                What::List(items.into_iter().map(|item| self.raw(item)).collect::<Result<_, _>>()?)
            }
            _ => match serde_json::from_str(text).map_err(|error| self.not_json(&error))? {
                Value::Bool(flag) => What::Flag(flag),
                Value::Number(number) => What::Number(number),
                Value::String(text) => What::Text(text),
                _ => What::Null,
            },
        };
        Ok(Said { line, what })
    }

    fn not_json(&self, error: &serde_json::Error) -> AgentError {
        let message = error.to_string();
        // The place is told in front, counted in the file.
        let message = message.split(" at line ").next().unwrap_or_default();
        let line = self.first + error.line().saturating_sub(1);
        AgentError::at(line, "", format!("cannot be read as JSON: {message}"))
    }
}

/// The fields of an object in their order, doubles as well.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}
