//! Map sets with their screens.

use super::Mention;
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
    /// The copybook that its symbolic maps are found in.
    pub copybook: Option<Mention>,
    /// Its maps.
    pub maps: Vec<MapUnit>,
    /// Where it comes from.
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
    /// How it looks before a program has filled it, row by row: `_` may be typed into, `.` is filled by a program.
    pub screen: Vec<String>,
    /// The record of the symbolic map that is received.
    pub input_record: Option<String>,
    /// The record of the symbolic map that is sent.
    pub output_record: Option<String>,
    /// The programs that send or receive it.
    pub used_by: Vec<Mention>,
    /// The transactions that start one of those programs.
    pub transactions: Vec<Mention>,
    /// Its fields in the order of the source, those without a name too.
    pub fields: Vec<MapFieldUnit>,
    /// Where it comes from.
    pub citations: Vec<Citation>,
}

/// A field of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapFieldUnit {
    /// Its name; a field without one is a label.
    pub field_name: Option<String>,
    /// The row of its attribute byte.
    pub row: u16,
    /// The column of its attribute byte.
    pub column: u16,
    /// The characters that it holds.
    pub length: u16,
    /// Whether a user may type into it.
    pub is_input: bool,
    /// Its attributes in words.
    pub attributes: String,
    /// What it shows before a program has filled it.
    pub initial: Option<String>,
    /// Its names in the symbolic map.
    pub symbolic_names: Vec<String>,
    /// Where it comes from.
    pub citations: Vec<Citation>,
}
