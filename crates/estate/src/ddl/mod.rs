//! Facts of DDL sources: tables with their columns and keys, views, indexes, and the verbs of all other statements.

mod cursor;
mod model;
mod parser;
mod query;
mod table;
mod tokens;

pub use model::{
    CheckConstraint, DdlColumn, DdlIndex, DdlSource, DdlStatement, DdlTable, DdlView, ForeignKey, IndexColumn,
    KeyConstraint, SqlName,
};
pub use parser::{parse, parse_lines};
pub(crate) use query::tables_in;
