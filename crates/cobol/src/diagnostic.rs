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
