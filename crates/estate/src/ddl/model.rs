//! The facts of a DDL source.
//!
//! Names are upper case unless the source quotes them. Lines are one-based and inclusive.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Not;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, line_and_end};

/// All facts of one source of SQL statements, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DdlSource {
    /// The file's name.
    pub file: String,
    /// Every statement, including those detailed below.
    pub statements: Vec<DdlStatement>,
    /// The tables that the source creates, alters or comments on.
    pub tables: Vec<DdlTable>,
    /// The views.
    pub views: Vec<DdlView>,
    /// The indexes.
    pub indexes: Vec<DdlIndex>,
    /// Errors and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// The name of a table or a similar object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SqlName {
    /// The qualifier before the last point, or the one set by `SET CURRENT SQLID` or `SET SCHEMA`.
    pub schema: Option<String>,
    /// The name itself.
    pub name: String,
}

impl fmt::Display for SqlName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        f.write_str(&self.name)
    }
}

impl Serialize for SqlName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DdlStatement {
    /// The verb with the type of its object, if any: `CREATE TABLE`, `CREATE UNIQUE INDEX`, `GRANT`, `INSERT`.
    pub verb: String,
    /// The object that it creates, changes or drops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<SqlName>,
    /// The other tables and views that it mentions, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<SqlName>,
    /// The lines from its first word to its last.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DdlTable {
    /// Its name.
    pub name: SqlName,
    /// Whether the source creates it; otherwise it only alters it, comments on it, or declares its columns.
    pub is_created: bool,
    /// Whether it exists only during a connection, `DECLARE GLOBAL TEMPORARY TABLE` or `CREATE GLOBAL TEMPORARY TABLE`.
    #[serde(skip_serializing_if = "Not::not")]
    pub is_temporary: bool,
    /// The columns, with those of ALTER TABLE last.
    pub columns: Vec<DdlColumn>,
    /// The primary key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<KeyConstraint>,
    /// The foreign keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
    /// The other unique keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unique_keys: Vec<KeyConstraint>,
    /// The check constraints, including those of columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckConstraint>,
    /// The table whose columns it copies, `LIKE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<SqlName>,
    /// Its database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Its table space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_space: Option<String>,
    /// Its text in COMMENT ON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its text in LABEL ON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The lines of the statement that first names it.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DdlColumn {
    /// Its name.
    pub name: String,
    /// Its type without length: `CHAR`, `DECIMAL`, `TIMESTAMP WITH TIME ZONE`. Empty if unknown, as in a view of a table.
    #[serde(rename = "type")]
    pub data_type: String,
    /// The length in characters or bytes, or the digits of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The digits after the decimal point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<u64>,
    /// Whether it may be null.
    pub nullable: bool,
    /// The default as written; `DEFAULT` for the default of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// How its value is generated: `ALWAYS AS IDENTITY`, `BY DEFAULT AS IDENTITY`, `ALWAYS AS ROW BEGIN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated: Option<String>,
    /// Its kind of characters, `BIT`, `SBCS` or `MIXED`, `FOR ... DATA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_data: Option<String>,
    /// Its text in COMMENT ON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its text in LABEL ON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A primary or unique key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyConstraint {
    /// The name of the constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForeignKey {
    /// The name of the constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The columns of this table.
    pub columns: Vec<String>,
    /// The table that they refer to.
    pub references: SqlName,
    /// The referenced columns; empty for the primary key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub referenced_columns: Vec<String>,
    /// What happens to a row when the referenced row is deleted: `CASCADE`, `RESTRICT`, `SET NULL`, `NO ACTION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<String>,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A check constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckConstraint {
    /// The name of the constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The column whose definition contains it, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The condition as written, in one line.
    pub condition: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DdlView {
    /// Its name.
    pub name: SqlName,
    /// Its columns: those in parentheses, else those named in its query, else none.
    pub columns: Vec<String>,
    /// The tables and views that it reads, each once.
    pub tables: Vec<SqlName>,
    /// The lines of the statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DdlIndex {
    /// Its name.
    pub name: SqlName,
    /// The table it is on.
    pub table: SqlName,
    /// Whether each key is unique.
    pub is_unique: bool,
    /// Its columns.
    pub columns: Vec<IndexColumn>,
    /// The lines of the statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A column of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexColumn {
    /// The column, or the expression as written.
    pub name: String,
    /// Whether it is in descending order.
    #[serde(skip_serializing_if = "Not::not")]
    pub is_descending: bool,
}
