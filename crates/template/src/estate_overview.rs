//! `estate.json`: the business functions and entry points of an estate, for programs that read them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use war_rig_text::LineNumber;

/// The name of the file in an output folder.
pub const ESTATE_JSON: &str = "estate.json";

/// The content of `estate.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EstateOverview {
    /// The program that wrote it, and its version.
    pub written_by: String,
    /// The model that wrote the summaries, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summaries_by: Option<String>,
    /// What the system is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<SourcedSentence>,
    /// The business functions, by name.
    pub functions: Vec<FunctionEntry>,
    /// The entry points, by kind and name.
    pub entry_points: Vec<EntryPointEntry>,
}

/// A sentence that a model wrote about several documents, with those that say so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcedSentence {
    /// The sentence.
    pub text: String,
    /// The programs whose documents say so, or in a sentence about the system, the functions; never empty.
    pub from: Vec<String>,
}

/// What a model wrote about an estate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EstateWords {
    /// The model; `None` if none was asked.
    pub by: Option<String>,
    /// What the system is for.
    pub system: Vec<SourcedSentence>,
    /// What each function is for, by its name.
    pub functions: BTreeMap<String, Vec<SourcedSentence>>,
}

impl EstateWords {
    /// Returns the words of an `estate.json`.
    pub fn of(overview: &EstateOverview) -> Self {
        let functions = overview.functions.iter().map(|function| (function.name.clone(), function.summary.clone()));
        Self { by: overview.summaries_by.clone(), system: overview.summary.clone(), functions: functions.collect() }
    }

    /// Returns what a function is for; empty if nobody wrote it.
    pub fn of_function(&self, name: &str) -> &[SourcedSentence] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }
}

/// A business function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionEntry {
    /// Its name.
    pub name: String,
    /// Where the name comes from: `settings`, `comments`, `folder`, `data`, `program_names` or `shared`.
    pub named_by: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<SourcedSentence>,
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
