//! Databases of IMS, and what programs see of them.

use super::{Mention, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A PSB: what a program may do in which databases.
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
    /// The programs and steps that work under it.
    pub used_by: Users,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A PCB: one view of a database, or a terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PcbUnit {
    /// `DB`, `GSAM` or `TP`.
    pub pcb_type: String,
    /// The database; none of a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Mention>,
    /// What may be done, in words.
    pub may: String,
    /// The segments that are seen, each with what may be done where that differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<String>,
    /// Where it comes from.
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
    /// How it is kept: `HIDAM VSAM`.
    pub access: String,
    /// The DDs of its data sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dd_names: Vec<String>,
    /// Its segments, parents before their children.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentUnit>,
    /// The PSBs that give access to it, and what else refers to it.
    pub used_by: Users,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A segment of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentUnit {
    /// Its name.
    pub segment_name: String,
    /// The segment above it; none for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its length in bytes, the most it may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// The fields that IMS knows of, in words: `LIFENO, bytes 1-10, unique key`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The segments of other databases that it is tied to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
