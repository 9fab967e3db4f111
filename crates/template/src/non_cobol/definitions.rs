//! What is defined to CICS.

use super::{Mention, NamedValue, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A resource that is defined to CICS.
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
    /// What it leads to: the program of a transaction, the data set of a file, the source of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<Mention>,
    /// Whether what it leads to, or what it is itself, has no source in the estate although it should.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_missing: bool,
    /// What it is for, in words: the language of a program, what a file may be used for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The programs that use it, the transactions that start it.
    pub used_by: Users,
    /// Its other attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<NamedValue>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}
