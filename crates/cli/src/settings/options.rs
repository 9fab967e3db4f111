//! The settings from one place: all optional, nothing validated.

use super::broker::BrokerOptions;
use super::check::CheckOptions;
use super::scribe::ScribeOptions;
use super::source::{OutputOptions, SecretOptions, SourceOptions};
use super::table::{self, Key, TARGET, nested};
use super::targets::TargetOptions;
use figment::Figment;
use figment::providers::Serialized;
use serde::de::DeserializeOwned;
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
        let keys = table::keys().filter(|key| key.section() != TARGET);
        Self::of(keys.map(|key| (key, (key.default)())))
    }

    /// Creates options from keys and values; each value has the shape of its key.
    pub fn of(values: impl IntoIterator<Item = (&'static Key, Value)>) -> Self {
        from_value(nested(values.into_iter().map(|(key, value)| (key.path, value))))
    }
}

/// Converts JSON whose values have the shapes of their keys into options.
pub fn from_value<T: DeserializeOwned>(values: Value) -> T {
    serde_json::from_value(values).expect("values have the shapes of their keys")
}

/// Converts options to JSON: an object for each section, without unset keys.
pub fn to_value(options: &impl Serialize) -> Value {
    serde_json::to_value(options).expect("options are strings, numbers, lists and maps")
}

/// Merges options, later ones winning. A list replaces an earlier list; table entries are added to earlier ones.
pub fn overlaid<'a, T: Serialize + DeserializeOwned + 'a>(layers: impl IntoIterator<Item = &'a T>) -> T {
    let layers = layers.into_iter().map(Serialized::defaults);
    let figment = layers.fold(Figment::new(), |below, layer| below.merge(layer));
    figment.extract().expect("options combine to options")
}
