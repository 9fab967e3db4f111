//! Facts of DDL sources: tables with their columns and keys, views, indexes, and every other statement by its verb.

mod cursor;
mod model;
mod query;
mod read;
mod table;
mod tokens;

pub use model::{
    Check, Column, DdlSource, ForeignKey, Index, IndexColumn, Key, SqlName, Statement, Table, View,
};
pub use read::{parse, parse_lines};
