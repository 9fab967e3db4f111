//! A short summary of a document, for a list of documents.

use crate::Document;
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
        }
    }
}

/// Returns a text up to the first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
