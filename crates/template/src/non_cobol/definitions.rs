//! CICS definitions.

use super::mention::{Mention, NamedValue, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A resource defined to CICS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DefinitionUnit {
    /// Its type, as DEFINE has it: `TRANSACTION`.
    pub resource_type: String,
    /// Its name.
    pub resource_name: String,
    /// The group that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// DESCRIPTION, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its target: the program of a transaction, the data set of a file, the source of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<Mention>,
    /// Whether its target, or the resource itself, should have a source in the estate but has none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_missing: bool,
    /// Its use, in words: the language of a program, the permitted operations of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The programs that use it, and the transactions that start it.
    pub used_by: Users,
    /// Its other attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<NamedValue>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
