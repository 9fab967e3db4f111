//! The values of settings as JSON: nesting them by their paths, and merging those of several places.

use figment::Figment;
use figment::providers::Serialized;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

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
