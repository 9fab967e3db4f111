//! The filter language: which rows are wanted, by the values of their fields.
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
//! Words of the language may be written in any case; names of fields are written as they are listed. A quotation mark is written twice within a text
//! that stands between such marks, and a backslash is a letter like others. Each condition must suit its field, so that what is accepted can be
//! answered: a number is compared with numbers, and a list only contains texts or is absent.

mod evaluate;
mod format;
mod issue;
mod parse;
mod type_check;

use crate::row_kind::RowKind;

/// Which rows are wanted. Its fields and literals fit the kind that it was read for.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Rows for which all of them hold; two at least.
    And(Vec<Filter>),
    /// Rows for which one of them holds; two at least.
    Or(Vec<Filter>),
    /// Rows for which it does not hold. A condition on a value that is absent does not hold, so its negation does. `!=` is the negation of
    /// [`FieldComparison::Equal`].
    Not(Box<Filter>),
    /// Rows whose field fulfils a condition.
    Is(FieldCondition),
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCondition {
    /// The place of the field among the fields of its kind.
    pub field: usize,
    /// What is asked of it.
    pub comparison: FieldComparison,
}

/// What is asked of the value of a field. Texts are compared without regard to ASCII case, and ordered by the bytes of their lowercase letters.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldComparison {
    /// It is this value. Of a field that holds a list, only [`FilterLiteral::Null`] can be asked: whether it is empty or absent.
    Equal(FilterLiteral),
    /// It is below this value, which is a text or a number.
    Less(FilterLiteral),
    /// It is this value or below it.
    LessOrEqual(FilterLiteral),
    /// It is above this value.
    Greater(FilterLiteral),
    /// It is this value or above it.
    GreaterOrEqual(FilterLiteral),
    /// A text: these letters stand in it. A list: one of its texts is this one. It is not empty.
    Contains(String),
    /// It is one of these values, of which there is at least one and none is [`FilterLiteral::Null`].
    In(Vec<FilterLiteral>),
}

/// A value that was written in a filter, already fitted to the field that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterLiteral {
    /// A text, which does not hold the character NUL.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A number with a fraction. A field of whole numbers is compared with it only where it is not whole itself.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// No value.
    Null,
}

/// A filter that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FilterError {
    /// The character that is the matter, counted from 1; the one after the last where something is missing.
    pub column: usize,
    /// What is the matter, lowercase, without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Filter {
    /// The most bytes that the text of a filter may have.
    pub const MAX_BYTES: usize = 64 * 1024;
    /// How deep parentheses and `not` may stand in each other.
    pub const MAX_DEPTH: usize = 64;
    /// The most conditions of a filter: SQLite takes a thousand operators after each other, and one condition can need two.
    pub const MAX_CONDITIONS: usize = 400;
    /// The most values that `in` may list in all of a filter, well below the 32,766 that SQLite takes.
    pub const MAX_VALUES: usize = 10_000;

    /// Reads a filter over the fields of a kind.
    ///
    /// # Errors
    /// [`FilterError`] with the column at which the text stops being one.
    pub fn parse(kind: RowKind, text: &str) -> Result<Self, FilterError> {
        parse::filter(kind, text)
    }
}

#[cfg(test)]
mod tests;
