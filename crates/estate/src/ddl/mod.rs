//! Facts of DDL sources: tables with their columns and keys, views, indexes, and every other statement by its verb.

mod cursor;
mod model;
mod parser;
mod query;
mod table;
mod tokens;

pub use model::{
    CheckConstraint, DdlColumn, DdlIndex, DdlSource, DdlStatement, DdlTable, DdlView, ForeignKey,
    IndexColumn, KeyConstraint, SqlName,
};
pub use parser::{parse, parse_lines};
