//! `estate.json`: the business functions and entry points of an estate, for programs that read them.

use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// The name of the file in an output folder.
pub const ESTATE_JSON: &str = "estate.json";

/// The content of `estate.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EstateOverview {
    /// The program that wrote it, and its version.
    pub written_by: String,
    /// The business functions, by name.
    pub functions: Vec<FunctionEntry>,
    /// The entry points, by kind and name.
    pub entry_points: Vec<EntryPointEntry>,
}

/// A business function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionEntry {
    /// Its name.
    pub name: String,
    /// Where the name comes from: `settings`, `comments`, `data`, `program_names` or `shared`.
    pub named_by: String,
    /// Its page, below the output folder.
    pub page: String,
    /// Its programs.
    pub programs: Vec<String>,
    /// The transactions and jobs that start them: `transaction:CT02`.
    pub entry_points: Vec<String>,
    /// Data that only its programs and jobs change, or that only they use: `table:POLICY`.
    pub own_data: Vec<String>,
    /// Data that it uses and other functions use too.
    pub shared_data: Vec<String>,
}

/// An entry point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPointEntry {
    /// Its name.
    pub name: String,
    /// `transaction` or `job`.
    pub kind: String,
    /// The programs of the estate that it starts.
    pub programs: Vec<String>,
    /// The function it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// What its definition or its first program says that it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// Its page, below the output folder.
    pub page: String,
    /// The source that defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineNumber>,
}
