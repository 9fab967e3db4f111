//! What is documented, as rows that can be searched.
//!
//! A [`Kind`] is a table of such rows, with the [`Field`]s that each of them has. [`rows_of`] takes a document apart into [`Row`]s. A [`Query`]
//! asks for rows of one kind: by [`Words`] that stand in them, by a [`Filter`] over their fields, in an [`Order`]. This crate is pure: the rows are
//! kept and found elsewhere.

mod filter;
mod kind;
mod kinds;
mod query;
mod reference;
mod row;
mod rows;
mod words;

pub use filter::{Comparison, Condition, Filter, FilterError, Literal};
pub use kind::{Field, FieldType, Kind, Part, UnknownName};
pub use query::{Asked, Order, Query, QueryError, QueryHash};
pub use reference::fields_reference;
pub use row::{Row, Rows, Value};
pub use rows::rows_of;
pub use words::{Columns, Snippet, TOKENIZER, Words, WordsError};
