//! A short summary of a document, for a list of documents.

use crate::{CitationTotals, Document, RunOutline};
use serde::{Deserialize, Serialize};

/// The entry of a document in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The programs of the file, in order; empty for a copybook.
    pub programs: Vec<String>,
    /// The kind of program.
    pub program_type: String,
    /// The first sentence of its purpose.
    pub purpose: String,
    /// Lines of the source.
    pub lines: u32,
    /// Lines that valid citations cover.
    pub cited: u32,
    /// The programs that call it.
    pub called_by: Vec<String>,
    /// The type of file: `program`, `copybook`, `jcl`.
    pub file_type: String,
    /// Its citations by status.
    #[serde(default)]
    pub citations: CitationTotals,
    /// Lines in chunks that were documented.
    #[serde(default)]
    pub documented: u32,
    /// What its first program does from start to end.
    #[serde(default, skip_serializing_if = "RunOutline::is_empty")]
    pub outline: RunOutline,
    /// The steps of its jobs that run only under conditions: the names of job and step, and the conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_conditions: Vec<(String, String, Vec<String>)>,
}

impl IndexEntry {
    /// Returns the index entry of a document.
    pub fn of(document: &Document) -> Self {
        Self {
            programs: document.programs.iter().map(|program| program.program_id.clone()).collect(),
            program_type: document.purpose.program_type.clone(),
            purpose: first_sentence(&document.purpose.summary).to_owned(),
            lines: document.coverage.lines,
            cited: document.coverage.cited,
            called_by: document.calling_context.called_by.clone(),
            file_type: document.header.file_type.clone(),
            citations: document.citation_totals(),
            documented: document.coverage.documented,
            outline: RunOutline::of(document),
            step_conditions: step_conditions(document),
        }
    }
}

fn step_conditions(document: &Document) -> Vec<(String, String, Vec<String>)> {
    let steps = document.jobs.iter().flat_map(|job| job.steps.iter().map(move |step| (&job.job_name, step)));
    let steps = steps.filter(|(_, step)| !step.conditions.is_empty());
    steps.map(|(job, step)| (job.clone(), step.step_name.clone(), step.conditions.clone())).collect()
}

/// Returns a text up to the first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
