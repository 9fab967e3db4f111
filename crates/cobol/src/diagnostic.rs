//! What the parser tells of a source besides its structure.

use serde::Serialize;
use war_rig_text::LineNumber;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something does not follow the language's rules.
    Warning,
}

/// An error or another finding, with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// A stable name: `missing-copybook`, `unclosed-exec`.
    pub code: &'static str,
    /// The line of the file that it refers to.
    pub line: Option<LineNumber>,
    /// A description of the problem.
    pub message: String,
}

/// The codes of warnings that something was not read as it was meant.
const OF_READING: [&str; 6] = [
    "incomplete-statement",
    "misplaced-comment",
    "missing-period",
    "no-statement",
    "unclosed-exec",
    "unclosed-literal",
];

impl Diagnostic {
    /// Returns whether something on its line was not read as it was meant, so that what is told of it may be wrong or missing.
    pub fn is_of_reading(&self) -> bool {
        OF_READING.contains(&self.code)
    }

    /// Returns a warning about a line, or about the file as a whole.
    pub fn warning(code: &'static str, line: impl Into<Option<LineNumber>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, code, line: line.into(), message: message.into() }
    }

    /// Returns a note on a line, or on the file as a whole.
    pub fn note(code: &'static str, line: impl Into<Option<LineNumber>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, code, line: line.into(), message: message.into() }
    }
}
