//! Database tables.

use super::mention::{Mention, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A table, a view, or a table of another source that this source extends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableUnit {
    /// Its name, with its schema if known.
    pub table_name: String,
    /// Its kind here: `table`, `temporary table`, `view`, or `table of another source`.
    pub kind: String,
    /// The source that creates it, if that is not the document's own source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// Its comment in the source, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its location: database and table space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    /// Its columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnUnit>,
    /// The base tables of a view, or the table whose columns it copies.
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
    /// The programs that use it.
    pub used_by: Users,
    /// Its citations.
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
    /// Whether it is nullable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// Its default, or how its value is generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Its comment in the source, quoted.
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
    /// The referenced table and its referenced columns.
    pub references: Mention,
    /// What happens to a row when its parent row is deleted, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<String>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexUnit {
    /// Its name.
    pub index_name: String,
    /// Whether it is unique.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unique: bool,
    /// Its columns, each with `descending` if its order is descending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
