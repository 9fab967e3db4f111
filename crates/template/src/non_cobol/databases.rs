//! IMS databases, and the programs' views of them.

use super::mention::{Mention, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A PSB: the databases that a program may access, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PsbUnit {
    /// Its name.
    pub psb_name: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// Its PCBs, in the order in which the program gets them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pcbs: Vec<PcbUnit>,
    /// The programs and steps that run under it.
    pub used_by: Users,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A PCB: one view of a database, or a terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PcbUnit {
    /// `DB`, `GSAM` or `TP`.
    pub pcb_type: String,
    /// The database; `None` for a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Mention>,
    /// The permitted operations, in words.
    pub may: String,
    /// The visible segments, each with its permitted operations if they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<String>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseUnit {
    /// Its name.
    pub database_name: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// Its organization: `HIDAM VSAM`.
    pub access: String,
    /// The DDs of its data sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dd_names: Vec<String>,
    /// The length of the records in its first data set, and their format: `200 bytes, format F`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Its segments, parents before their children.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentUnit>,
    /// The PSBs that give access to it, and other references to it.
    pub used_by: Users,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A segment of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentUnit {
    /// Its name.
    pub segment_name: String,
    /// The parent segment; `None` for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its maximum length in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// The fields that IMS knows of, in words: `LIFENO, bytes 1-10, unique key`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The segments of other databases that it is related to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
