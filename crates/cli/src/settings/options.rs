//! All sections: their keys, and their values from one place, all optional and nothing validated.

use super::broker::BrokerOptions;
use super::check::CheckOptions;
use super::key::{Key, TARGET};
use super::scribe::ScribeOptions;
use super::source::{OutputOptions, SecretOptions, SourceOptions};
use super::targets::TargetOptions;
use super::values::{from_value, nested};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// All sections of `war_rig.toml`.
///
/// The types are TOML's; ranges are validated once for all places.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The model, and its limits.
    pub scribe: ScribeOptions,
    /// The sources, and how to read them.
    pub source: SourceOptions,
    /// The handling of secrets in the sources.
    pub secrets: SecretOptions,
    /// The handling of files in an output folder.
    pub output: OutputOptions,
    /// What a check tolerates.
    pub check: CheckOptions,
    /// How coordinator and workers reach each other.
    pub broker: BrokerOptions,
    /// The targets of messages, by name. Only a file can define them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, TargetOptions>,
}

impl Options {
    /// Returns the defaults: every key has a value.
    pub fn defaults() -> Self {
        let keys = keys().filter(|key| key.section() != TARGET);
        Self::of(keys.map(|key| (key, (key.default)())))
    }

    /// Creates options from keys and values; each value has the shape of its key.
    pub fn of(values: impl IntoIterator<Item = (&'static Key, Value)>) -> Self {
        from_value(nested(values.into_iter().map(|(key, value)| (key.path, value))))
    }
}

/// Returns every key in the order of `config show`: first the keys of sections, then those of each target.
pub fn keys() -> impl Iterator<Item = &'static Key> + Clone {
    const SECTIONS: [&[Key]; 6] = [
        ScribeOptions::KEYS,
        SourceOptions::KEYS,
        SecretOptions::KEYS,
        OutputOptions::KEYS,
        CheckOptions::KEYS,
        BrokerOptions::KEYS,
    ];
    SECTIONS.into_iter().flatten().chain(TargetOptions::keys())
}

/// Returns every section, in order; the targets come last.
pub fn sections() -> Vec<&'static str> {
    let mut sections: Vec<_> = keys().map(Key::section).collect();
    sections.dedup();
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::key::nearest;

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
