//! A setting's key: its path, its default, and the shape of its values.

use clap::Arg;
use serde_json::{Map, Value, json};

/// The prefix of the settings' environment variables.
pub const PREFIX: &str = "WAR_RIG_";

/// The section that contains a table for each target.
pub const TARGETS: &str = "targets";

/// The placeholder for a target's section, when no specific target is meant.
pub const TARGET: &str = "targets.NAME";

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Section and name, as in messages and `config show`.
    pub path: &'static str,
    /// Its default value, in the shape of the key.
    pub default: fn() -> Value,
    /// The lines that explain it in the file that `init` writes.
    pub words: &'static [&'static str],
    /// The command-line option that sets it, if there is one.
    pub flags: &'static [Flag],
}

/// A command-line option that sets a value.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its name with the dashes, and its value's name, such as `--model NAME`.
    pub usage: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Adds further properties to the argument.
    pub describe: fn(Arg) -> Arg,
}

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A whole number.
    Whole,
    /// A number, with or without a fraction.
    Decimal,
    /// True or false.
    Flag,
    /// A list of strings.
    List,
    /// A table whose values are strings.
    Table,
}

impl Key {
    /// Returns the section, without brackets, and the name in it, which contains a dot when the key is in a table of its own.
    pub fn parts(&self) -> (&'static str, &'static str) {
        match self.path.strip_prefix(TARGET).and_then(|rest| rest.strip_prefix('.')) {
            Some(name) => (TARGET, name),
            None => self.path.split_once('.').expect("a path is a section and a name"),
        }
    }

    /// Returns the section, without brackets.
    pub fn section(&self) -> &'static str {
        self.parts().0
    }

    /// Returns the name inside the section.
    pub fn name(&self) -> &'static str {
        self.parts().1
    }

    /// Returns the environment variable that sets it. Users name their targets, so no variable sets a target's key.
    pub fn variable(&self) -> Option<String> {
        let (section, name) = self.parts();
        (section != TARGET).then(|| format!("{PREFIX}{section}__{name}").to_ascii_uppercase())
    }

    /// Returns the shape of its values.
    pub fn shape(&self) -> Shape {
        match (self.default)() {
            Value::Number(number) if number.is_i64() => Shape::Whole,
            Value::Number(_) => Shape::Decimal,
            Value::Bool(_) => Shape::Flag,
            Value::Array(_) => Shape::List,
            Value::Object(_) => Shape::Table,
            Value::String(_) | Value::Null => Shape::Text,
        }
    }

    /// Returns the command-line option that sets it, with the dashes.
    pub fn flag(&self) -> Option<&'static str> {
        self.flags.first().map(|flag| flag.usage.split(' ').next().unwrap_or(flag.usage))
    }
}

impl Shape {
    /// The name of this shape in messages.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Text => "a string",
            Shape::Whole => "a whole number",
            Shape::Decimal => "a number",
            Shape::Flag => "true or false",
            Shape::List => "a list of strings",
            Shape::Table => "a table of strings",
        }
    }

    /// Parses a value from text: a list is separated by commas, and a table is a list of `name=value`. `None` when the text has another shape.
    pub fn parse(self, text: &str) -> Option<Value> {
        let trimmed = text.trim();
        let elements = || text.split(',').map(str::trim).filter(|element| !element.is_empty());
        match self {
            Shape::Text => Some(json!(text)),
            Shape::Whole => trimmed.replace('_', "").parse::<i64>().ok().map(Value::from),
            // JSON has only finite numbers, and no key accepts others.
            Shape::Decimal => trimmed.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            Shape::Flag => trimmed.to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
            Shape::List => Some(elements().collect()),
            Shape::Table => {
                let entry = |(name, value): (&str, &str)| (name.trim().to_owned(), json!(value.trim()));
                let entries = elements().map(|element| element.rsplit_once('=').map(entry));
                entries.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
        }
    }
}

/// Returns the candidate most similar to `word`, the first of equals, since a misspelled key always gets a suggestion.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> &'a str {
    let word = word.to_ascii_lowercase();
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
    candidates
        .into_iter()
        .min_by(|a, b| likeness(b).total_cmp(&likeness(a)))
        .expect("every section has keys, and there are sections")
}
