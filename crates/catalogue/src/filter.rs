//! The filter language: selects rows by the values of their fields.
//!
//! ```text
//! filter     = term { "or" term }
//! term       = factor { "and" factor }
//! factor     = "not" factor | "(" filter ")" | condition
//! condition  = field ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" ) literal
//!            | field "in" "(" literal { "," literal } ")"
//! literal    = text | number | "true" | "false" | "null"
//! text       = '"' { character | '""' } '"' | "'" { character | "''" } "'"
//! number     = [ "-" ] digit { digit } [ "." digit { digit } ]
//! ```
//!
//! Words of the language may be in any case; names of fields are written as listed. A quotation mark inside a text with the same marks is doubled,
//! and a backslash is an ordinary character. Each condition must suit its field, so that every accepted filter can be
//! evaluated: a number is compared with numbers, and a list can only contain texts or be absent.

mod issue;
mod parse;
mod type_check;

use crate::row_kind::RowKind;

/// Selects rows. Its fields and literals fit the kind that it was parsed for.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Rows for which all of these are true; at least two.
    And(Vec<Filter>),
    /// Rows for which one of these is true; at least two.
    Or(Vec<Filter>),
    /// Rows for which this is not true. A condition on an absent value is not true, so its negation is. `!=` is the negation of
    /// [`FieldComparison::Equal`].
    Not(Box<Filter>),
    /// Rows whose field meets a condition.
    Is(FieldCondition),
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCondition {
    /// The index of the field among the fields of its kind.
    pub field: usize,
    /// The comparison.
    pub comparison: FieldComparison,
}

/// The comparison of a field's value. Texts are compared without regard to ASCII case, and ordered by the bytes of their lowercase letters.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldComparison {
    /// It equals this value. A list can only be compared with [`FilterLiteral::Null`]: whether it is empty or absent.
    Equal(FilterLiteral),
    /// It is below this value, which is a text or a number.
    Less(FilterLiteral),
    /// It is this value or below it.
    LessOrEqual(FilterLiteral),
    /// It is above this value.
    Greater(FilterLiteral),
    /// It is this value or above it.
    GreaterOrEqual(FilterLiteral),
    /// A text contains this text, or a list contains this text as an item. The text is not empty.
    Contains(String),
    /// It is one of these values; there is at least one, and none is [`FilterLiteral::Null`].
    In(Vec<FilterLiteral>),
}

/// A value in a filter, converted to the type of its field.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterLiteral {
    /// A text without NUL characters.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A number with a fraction. A field of whole numbers is compared with it only if it is not whole itself.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// No value.
    Null,
}

/// The error for an invalid filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FilterError {
    /// The column of the error, starting at 1; the one after the last character if something is missing.
    pub column: usize,
    /// The message, lowercase, without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

impl Filter {
    /// The most bytes in the text of a filter.
    pub const MAX_BYTES: usize = 64 * 1024;
    /// How deeply parentheses and `not` may be nested.
    pub const MAX_DEPTH: usize = 64;
    /// The most conditions in a filter: SQLite accepts a thousand operators in sequence, and one condition can need two.
    pub const MAX_CONDITIONS: usize = 400;
    /// The most values in all `in` lists of a filter, well below the 32,766 that SQLite accepts.
    pub const MAX_VALUES: usize = 10_000;

    /// Parses a filter over the fields of a kind.
    ///
    /// # Errors
    /// [`FilterError`] with the column at which the text becomes invalid.
    pub fn parse(kind: RowKind, text: &str) -> Result<Self, FilterError> {
        parse::filter(kind, text)
    }
}

#[cfg(test)]
mod tests;
