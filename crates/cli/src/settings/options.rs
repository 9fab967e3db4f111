//! What one place says of the settings: everything optional, nothing validated.

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
/// The types are those of TOML; whether a number is in range is validated once for all places.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Who writes, and within which limits.
    pub scribe: ScribeOptions,
    /// What is read, and how.
    pub source: SourceOptions,
    /// What is done with secrets in the sources.
    pub secrets: SecretOptions,
    /// What is done with the files of an output folder.
    pub output: OutputOptions,
    /// What a check lets pass.
    pub check: CheckOptions,
    /// How coordinator and workers reach each other.
    pub broker: BrokerOptions,
    /// What messages are sent to, by name. Only a file can say it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, TargetOptions>,
}

impl Options {
    /// What holds where nothing else is said: every key has a value here.
    pub fn defaults() -> Self {
        let keys = table::keys().filter(|key| key.section() != TARGET);
        Self::of(keys.map(|key| (key, (key.default)())))
    }

    /// The options in which these keys have these values, each of which has the shape of its key.
    pub fn of(values: impl IntoIterator<Item = (&'static Key, Value)>) -> Self {
        from_value(nested(values.into_iter().map(|(key, value)| (key.path, value))))
    }
}

/// Options out of JSON whose values have the shapes of their keys.
pub fn from_value<T: DeserializeOwned>(values: Value) -> T {
    serde_json::from_value(values).expect("values have the shapes of their keys")
}

/// Options as JSON: an object for each section, without what is not said.
pub fn to_value(options: &impl Serialize) -> Value {
    serde_json::to_value(options).expect("options are strings, numbers, lists and maps")
}

/// Lays options over each other, later ones winning. A list replaces the list below it; the entries of a table join those below.
pub fn overlaid<'a, T: Serialize + DeserializeOwned + 'a>(layers: impl IntoIterator<Item = &'a T>) -> T {
    let layers = layers.into_iter().map(Serialized::defaults);
    let figment = layers.fold(Figment::new(), |below, layer| below.merge(layer));
    figment.extract().expect("options combine to options")
}
