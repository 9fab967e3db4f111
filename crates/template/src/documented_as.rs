//! A document in a few words, as a list of documents shows it.

use crate::Document;
use serde::{Deserialize, Serialize};

/// A document in the words of the index.
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
    /// Lines under a citation that holds.
    pub cited: u32,
    /// The programs that call it.
    pub called_by: Vec<String>,
    /// What the file is: `program`, `copybook`, `jcl`.
    pub file_type: String,
}

impl IndexEntry {
    /// What the index says of a document.
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

/// A text up to its first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
