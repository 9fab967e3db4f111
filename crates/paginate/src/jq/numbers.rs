//! Converting jq numbers to JSON.

use jaq_json::Num;
use serde_json::{Number, Value};

/// Converts a number. An integer of more than 64 bits becomes the nearest float, as everywhere with JSON here.
pub(super) fn json(number: &Num) -> Result<Value, String> {
    let json = match number {
        Num::Int(value) => i64::try_from(*value).ok().map(Number::from),
        Num::Float(value) => Number::from_f64(*value),
        Num::BigInt(_) | Num::Dec(_) => serde_json::from_str(&number.to_string()).ok(),
    };
    json.map(Value::Number).ok_or_else(|| format!("gives `{number}`, which is no number of JSON"))
}
