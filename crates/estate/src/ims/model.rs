//! The facts of an IMS source.
//!
//! Names are upper case. Lines are one-based and inclusive.

use serde::Serialize;
use std::ops::Not;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, line_and_end};

/// All facts of one IMS source, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImsSource {
    /// The file's name.
    pub file: String,
    /// The PSBs.
    pub program_specifications: Vec<ProgramSpecification>,
    /// The DBDs.
    pub databases: Vec<DatabaseDescription>,
    /// Errors and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// A PSB: the access of a program to databases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramSpecification {
    /// `PSBNAME`; none if the source has no PSBGEN.
    pub name: Option<String>,
    /// The language of its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its PCBs, in the order in which the program receives them.
    pub pcbs: Vec<Pcb>,
    /// From its first PCB to its PSBGEN.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A PCB: one view of a database, or a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pcb {
    /// The name before it, or `PCBNAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `DB`, `GSAM` or `TP`.
    #[serde(rename = "type")]
    pub pcb_type: String,
    /// The database, `DBDNAME` or `NAME`; the destination of a TP PCB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The permitted operations, `PROCOPT`: `G` get, `I` insert, `R` replace, `D` delete, `A` all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing_options: Option<String>,
    /// The length of the longest concatenated key in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_length: Option<u32>,
    /// The index for reading, `PROCSEQ`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The segments that the program sees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SensitiveSegment>,
    /// From PCB to the last of its segments.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A segment that a program sees, SENSEG.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SensitiveSegment {
    /// Its name.
    pub name: String,
    /// The segment above it; none for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The permitted operations, if they differ from those of its PCB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing_options: Option<String>,
    /// The fields that the program sees, SENFLD; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The lines of the macro.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A DBD: the structure of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseDescription {
    /// Its name.
    pub name: String,
    /// How it is stored: `HIDAM`, `VSAM`; `INDEX`, `VSAM`; `GSAM`, `BSAM`.
    pub access: Vec<String>,
    /// The DD names of its data sets.
    pub dd_names: Vec<String>,
    /// The length of the records of its first data set, and their format: `200 bytes, format F`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Its segments.
    pub segments: Vec<ImsSegment>,
    /// From DBD to DBDGEN.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A segment, SEGM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImsSegment {
    /// Its name.
    pub name: String,
    /// The segment above it; none for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its maximum length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// The fields that IMS knows.
    pub fields: Vec<SegmentField>,
    /// The related segments of other databases, LCHILD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedSegment>,
    /// The names that find it through an index, XDFLD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub index_fields: Vec<IndexField>,
    /// From SEGM to the last of its fields.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A segment of another database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RelatedSegment {
    /// The segment.
    pub segment: String,
    /// Its database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
}

/// A field for searching an index, XDFLD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexField {
    /// Its name.
    pub name: String,
    /// The segment's fields that it consists of, in order.
    pub fields: Vec<String>,
    /// The lines of the macro.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A field of a segment, FIELD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentField {
    /// Its name.
    pub name: String,
    /// Whether segments are sorted by it.
    #[serde(skip_serializing_if = "Not::not")]
    pub is_key: bool,
    /// Whether each value of the key is unique.
    #[serde(skip_serializing_if = "Not::not")]
    pub is_unique: bool,
    /// The first byte in the segment, one-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// Its length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// `C` characters, `P` packed, `X` binary and so on.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub field_type: Option<String>,
    /// The lines of the macro.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}
