//! Map sets with their screens.

use super::mention::Mention;
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A set of BMS maps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapSetUnit {
    /// Its name.
    pub map_set_name: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// What it is, in sentences.
    pub summary: String,
    /// The copybook that contains its symbolic maps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copybook: Option<Mention>,
    /// Its maps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<MapUnit>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A map: a screen, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapUnit {
    /// Its name.
    pub map_name: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// Rows.
    pub height: u16,
    /// Columns.
    pub width: u16,
    /// Its appearance before a program fills it, row by row: `_` accepts input, `.` is filled by a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screen: Vec<String>,
    /// The record of the symbolic map for input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_record: Option<String>,
    /// The record of the symbolic map for output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_record: Option<String>,
    /// The programs that send or receive it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<Mention>,
    /// The transactions that start one of those programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<Mention>,
    /// Its fields in source order, including fields without a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<MapFieldUnit>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A field of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapFieldUnit {
    /// Its name; a field without one is a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_name: Option<String>,
    /// The row of its attribute byte.
    pub row: u16,
    /// The column of its attribute byte.
    pub column: u16,
    /// Its length in characters.
    pub length: u16,
    /// Whether a user may type into it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_input: bool,
    /// Its attributes in words.
    pub attributes: String,
    /// Its text before a program fills it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// Its names in the symbolic map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbolic_names: Vec<String>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
