//! The table of settings: what a row contains, and what it generates.
//!
//! Each section of `war_rig.toml` is one [`section!`], and each setting one row of it. A row generates the field of the options, the default, the
//! environment variable, the command-line option, the typed field of the settings with its validation, the reference entry, and the entry in the file
//! that `init` writes.

use super::broker::BrokerOptions;
use super::check::CheckOptions;
use super::scribe::ScribeOptions;
use super::source::{OutputOptions, SecretOptions, SourceOptions};
use super::targets::{ChunkingOptions, TargetOptions, TokenBudgetOptions};
use clap::Arg;
use serde_json::{Map, Value, json};

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

/// Nests the values into one object, with an inner object for each part of a path except the last.
pub fn nested(values: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut root = json!({});
    for (path, value) in values {
        *path.split('.').fold(&mut root, |object, part| &mut object[part]) = value;
    }
    root
}

/// Returns the value at a path, or at a name with dots, if it exists.
pub fn value<'v>(path: &str, values: &'v Value) -> Option<&'v Value> {
    path.split('.').try_fold(values, |value, part| value.get(part))
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

/// The prefix of the settings' environment variables.
pub const PREFIX: &str = "WAR_RIG_";

/// The section that contains a table for each target.
pub const TARGETS: &str = "targets";

/// The placeholder for a target's section, when no specific target is meant.
pub const TARGET: &str = "targets.NAME";

/// Returns every key in the order of `config show`: first the keys of sections, then those of each target.
pub fn keys() -> impl Iterator<Item = &'static Key> + Clone {
    const ALL: [&[Key]; 9] = [
        ScribeOptions::KEYS,
        SourceOptions::KEYS,
        SecretOptions::KEYS,
        OutputOptions::KEYS,
        CheckOptions::KEYS,
        BrokerOptions::KEYS,
        TargetOptions::KEYS,
        TokenBudgetOptions::KEYS,
        ChunkingOptions::KEYS,
    ];
    ALL.into_iter().flatten()
}

/// Returns every section, in order; the targets come last.
pub fn sections() -> Vec<&'static str> {
    let mut sections: Vec<_> = keys().map(Key::section).collect();
    sections.dedup();
    sections
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

/// A section of the settings. A row has this form:
///
/// ```text
/// /// What the setting does, in the lines of the file that `init` writes.
/// name: RawType = default => field: Type = check(arguments), flag("--name VALUE", "What it does", method(arguments));
/// ```
///
/// `check` is a method of [`Setting`](super::validate::Setting) that converts the value to the typed field; `method` is one of [`Arg`]. A row without
/// a typed field belongs to one of the `derived` fields, each of which a method of `Setting` makes from the section's options. `tables` lists the
/// sections below this one.
macro_rules! section {
    (
        $(#[$about:meta])*
        $options:ident => $settings:ident at $section:literal {
            $(
                $(#[doc = $words:literal])+
                $key:ident: $raw:ty = $default:expr
                $(=> $field:ident: $typed:ty = $check:ident $(($($argument:expr),+))?)?
                $(, flag($usage:literal, $help:literal $(, $method:ident($($value:expr),+))*))?
            );+ $(;)?
        }
        $(derived { $($(#[$derived_about:meta])* $derived:ident: $derived_type:ty = $derive:ident),+ $(,)? })?
        $(tables { $($(#[$table_about:meta])* $table:ident: $table_options:ty),+ $(,)? })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $options {
            $(
                $(#[doc = $words])+
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $key: Option<$raw>,
            )+
            $($($(#[$table_about])* pub $table: $table_options,)+)?
        }

        impl $options {
            /// The keys of the section, in order, without those of nested tables.
            pub(super) const KEYS: &[$crate::settings::table::Key] = &[$(
                $crate::settings::table::Key {
                    path: concat!($section, ".", stringify!($key)),
                    default: || serde_json::json!(<$raw>::from($default)),
                    words: &[$($words),+],
                    flags: &[$($crate::settings::table::Flag {
                        usage: $usage,
                        help: $help,
                        describe: |arg| arg$(.$method($($value),+))*,
                    })?],
                },
            )+];
        }

        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $settings {
            $($(
                #[doc = concat!("What `", $section, ".", stringify!($key), "` says.")]
                pub $field: $typed,
            )?)+
            $($($(#[$derived_about])* pub $derived: $derived_type,)+)?
        }

        impl $settings {
            /// Validates the options of the section.
            ///
            /// # Errors
            /// A usage failure for an invalid value, with the place that set it.
            pub(super) fn validated(
                section: &$crate::settings::validate::Setting<'_>,
                options: &$options,
            ) -> Result<Self, $crate::failure::Failure> {
                Ok(Self {
                    $($(
                        $field: section.below(stringify!($key)).$check(
                            options.$key.as_ref().expect("every key has a default"),
                            $($($argument),+)?
                        )?,
                    )?)+
                    $($($derived: section.$derive(options)?,)+)?
                })
            }
        }
    };
}
pub(super) use section;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Options;

    #[test]
    fn the_keys_are_the_fields_of_the_options() {
        let defaults = serde_json::to_value(Options::defaults()).unwrap();
        let fields: Vec<String> = defaults
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(section, keys)| keys.as_object().unwrap().keys().map(move |key| format!("{section}.{key}")))
            .collect();
        let keys = keys().filter(|key| key.section() != TARGET);
        assert_eq!(keys.map(|key| key.path).collect::<Vec<_>>(), fields);
    }

    #[test]
    fn the_keys_of_a_target_are_the_fields_of_its_options() {
        let defaults = serde_json::to_value(TargetOptions::defaults()).unwrap();
        let fields = defaults.as_object().unwrap().iter().flat_map(|(name, value)| match value {
            Value::Object(table) => table.keys().map(|key| format!("{name}.{key}")).collect(),
            _ => vec![name.clone()],
        });
        let keys = keys().filter(|key| key.section() == TARGET);
        assert_eq!(keys.map(Key::name).collect::<Vec<_>>(), fields.collect::<Vec<_>>());
    }

    #[test]
    fn the_nearest_name_is_found() {
        let names = || keys().filter(|key| key.section() == "scribe").map(Key::name);
        for (word, expected) in [
            ("modle", "model"),
            ("modell", "model"),
            ("max_promt_tokens", "max_prompt_tokens"),
            ("api_key", "api_key_env"),
            ("TIMEOUT", "timeout_seconds"),
        ] {
            assert_eq!(nearest(word, names()), expected, "{word}");
        }
    }
}
