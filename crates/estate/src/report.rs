//! Shared by the parsers of maps, definitions and DDL: building diagnostics and serializing lines.

use serde::{Serialize, Serializer};
use war_rig_cobol::{Diagnostic, Severity};
use war_rig_text::{LineNumber, LineRange};

/// Builds a warning about text that is not valid in its language.
pub(crate) fn warning(code: &'static str, line: LineNumber, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, code, line: Some(line), message: message.into() }
}

/// Builds a note.
pub(crate) fn note(code: &'static str, line: LineNumber, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Note, code, line: Some(line), message: message.into() }
}

/// Serializes a range flattened, as in the facts of a program: `line` and `end_line`.
pub(crate) fn lines<S: Serializer>(range: &LineRange, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Lines {
        line: LineNumber,
        end_line: LineNumber,
    }
    Lines { line: range.start(), end_line: range.end() }.serialize(serializer)
}

/// Whether a flag is left out of facts.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
