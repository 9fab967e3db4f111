//! Converts between values and columns.

use crate::{FieldType, Value};
use rusqlite::types::{ToSqlOutput, Value as Column, ValueRef};
use war_rig_store::sqlite::StoreFault;

/// Converts a value for its column. An empty list is stored as absent.
pub(super) fn column_of(value: &Value) -> Result<ToSqlOutput<'_>, StoreFault> {
    Ok(match value {
        Value::Text(text) => ToSqlOutput::Borrowed(text.as_str().into()),
        Value::Number(number) => (*number).into(),
        Value::Decimal(decimal) => (*decimal).into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::List(list) if !list.is_empty() => serde_json::to_string(list)?.into(),
        Value::Absent | Value::List(_) => ToSqlOutput::Owned(Column::Null),
    })
}

/// Returns the value in a column.
pub(super) fn value_of(column: ValueRef<'_>, holds: FieldType) -> Result<Value, StoreFault> {
    let wrong = || StoreFault::damaged("a value stands in the catalogue where another kind of value should");
    Ok(match (holds, column) {
        (FieldType::List, ValueRef::Null) => Value::List(Vec::new()),
        (_, ValueRef::Null) => Value::Absent,
        (FieldType::Text, ValueRef::Text(_)) => Value::Text(column.as_str().map_err(|_| wrong())?.to_owned()),
        (FieldType::List, ValueRef::Text(text)) => Value::List(serde_json::from_slice(text)?),
        (FieldType::Number, ValueRef::Integer(number)) => Value::Number(number),
        (FieldType::Boolean, ValueRef::Integer(number)) => Value::Boolean(number != 0),
        (FieldType::Decimal, ValueRef::Real(decimal)) => Value::Decimal(decimal),
        _ => return Err(wrong()),
    })
}
