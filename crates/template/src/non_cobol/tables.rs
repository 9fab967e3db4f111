//! Tables of a database.

use super::{Mention, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A table, a view, or a table of another source that this one adds to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableUnit {
    /// Its name, with its schema where that is known.
    pub table_name: String,
    /// What it is here: `table`, `temporary table`, `view`, or `table of another source`.
    pub kind: String,
    /// The source that creates it, where that is not the document's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// What the source says of it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it lies: database and table space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    /// Its columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnUnit>,
    /// The tables that a view rests on, or the table whose columns it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<Mention>,
    /// Its primary and unique keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyUnit>,
    /// Its foreign keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKeyUnit>,
    /// Its check constraints, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// Its indexes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexUnit>,
    /// The tables and views that refer to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub referred_to_by: Vec<Mention>,
    /// The programs that work on it.
    pub used_by: Users,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnUnit {
    /// Its name.
    pub column_name: String,
    /// Its type with its length, as written.
    pub column_type: String,
    /// Whether it may be without a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// Its default, or how its value comes about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What the source says of it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
}

/// A primary or unique key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUnit {
    /// `primary` or `unique`.
    pub kind: String,
    /// Its columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKeyUnit {
    /// The columns of this table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The table that they refer to, and which of its columns.
    pub references: Mention,
    /// What happens to a row when the one it refers to is deleted, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<String>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexUnit {
    /// Its name.
    pub index_name: String,
    /// Whether it holds each key once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unique: bool,
    /// Its columns, each with `descending` where it runs from the highest value down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
