//! What the readers of maps, definitions and DDL share: how a diagnostic is made, and how facts spell lines.

use serde::{Serialize, Serializer};
use war_rig_cobol::{Diagnostic, Severity};
use war_rig_text::{LineNumber, LineRange};

/// Something that could not be read as its language has it.
pub(crate) fn warning(code: &'static str, line: LineNumber, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, code, line: Some(line), message: message.into() }
}

/// Something worth knowing.
pub(crate) fn note(code: &'static str, line: LineNumber, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Note, code, line: Some(line), message: message.into() }
}

/// Writes a range flattened, as the facts of a program have it: `line` and `end_line`.
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
