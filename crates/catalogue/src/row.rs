//! One row of a kind: a value for each of its fields.

use crate::row_kind::{FieldType, RowKind};
use std::collections::BTreeMap;
use war_rig_template::ItemBody;
use war_rig_text::{LineNumber, LineRange};

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// No value.
    #[default]
    Absent,
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// Texts in order.
    List(Vec<String>),
}

/// A row: the values are in the order of the kind's fields.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueRow {
    kind: RowKind,
    values: Vec<Value>,
}

/// The rows of a document: by kind, in the order of the document.
pub type DocumentRows = BTreeMap<RowKind, Vec<CatalogueRow>>;

impl CatalogueRow {
    /// Creates a row with all values absent.
    pub fn new(kind: RowKind) -> Self {
        Self { kind, values: vec![Value::Absent; kind.fields().len()] }
    }

    /// Sets the value of this field.
    ///
    /// # Panics
    /// If its kind has no field of this name, which is a defect.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        let place = self.kind.field(field).expect("a field of its kind");
        self.values[place] = value.into();
        debug_assert!(self.values[place].fits(self.kind.fields()[place].field_type), "{} of {}", field, self.kind);
        self
    }

    /// Sets the texts of an item's columns.
    #[must_use]
    pub fn with_columns<B: ItemBody>(self, item: &B) -> Self {
        let columns = B::KIND.columns.iter().zip(item.columns());
        columns.fold(self, |row, (column, text)| row.with(column.field, text))
    }

    /// Creates a row of these values, which are in the order of the kind's fields.
    pub fn of(kind: RowKind, values: Vec<Value>) -> Self {
        debug_assert_eq!(values.len(), kind.fields().len(), "a value for each field of {kind}");
        Self { kind, values }
    }

    /// Returns the text in the field of this name.
    pub fn text(&self, field: &str) -> Option<&str> {
        match self.value(field) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the lines that it stands on.
    pub fn lines(&self) -> Option<LineRange> {
        let number = |field: &str| match self.value(field) {
            Some(Value::Number(number)) => LineNumber::new(u32::try_from(*number).ok()?),
            _ => None,
        };
        let start = number("line")?;
        LineRange::new(start, number("end_line").unwrap_or(start))
    }

    /// Returns its kind.
    pub fn kind(&self) -> RowKind {
        self.kind
    }

    /// Returns its values, in the order of the fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the value of the field of this name; `None` if its kind has no such field.
    pub fn value(&self, field: &str) -> Option<&Value> {
        self.kind.field(field).ok().map(|place| &self.values[place])
    }
}

impl Value {
    /// Whether a field of this type can contain it. Every field can be without a value.
    pub fn fits(&self, holds: FieldType) -> bool {
        match self {
            Value::Absent => true,
            Value::Text(_) => holds == FieldType::Text,
            Value::Number(_) => holds == FieldType::Number,
            Value::Decimal(number) => holds == FieldType::Decimal && number.is_finite(),
            Value::Boolean(_) => holds == FieldType::Boolean,
            Value::List(_) => holds == FieldType::List,
        }
    }
}

/// Converts what rows are built from.
macro_rules! values_from {
    ($($from:ty: $value:ident => $made:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $made
            }
        }
    )*};
}

values_from! {
    &str: text => Value::Text(text.to_owned());
    String: text => Value::Text(text);
    u32: number => Value::Number(number.into());
    i64: number => Value::Number(number);
    u64: number => Value::Number(i64::try_from(number).unwrap_or(i64::MAX));
    usize: number => Value::Number(i64::try_from(number).unwrap_or(i64::MAX));
    f64: number => Value::Decimal(number);
    bool: truth => Value::Boolean(truth);
    Vec<String>: list => Value::List(list);
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Absent, Into::into)
    }
}
