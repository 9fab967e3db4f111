//! Estimates the length of the answer about a piece of source.
//!
//! An answer that hits the completion limit is paid for and lost, so its length is estimated beforehand. The figures are the sizes
//! of the template's items as JSON in `o200k_base`, rounded up: a paragraph with summary, purpose and citation about
//! 110 tokens, a rule 90, an operation or call 70, an entry of a table 40, and 600 for purpose and frame.

use war_rig_cobol::{BranchKind, ParsedCobol};
use war_rig_text::LineNumber;

/// Answer tokens that do not depend on the source.
pub(crate) const BASE_ANSWER_TOKENS: u64 = 600;

const PARAGRAPH: u64 = 110;
const RULE: u64 = 90;
const OPERATION: u64 = 70;
const ENTRY: u64 = 40;

/// Returns the expected answer tokens of each line.
pub(crate) fn answer_tokens_by_line(parsed: &ParsedCobol, lines: usize) -> Vec<u64> {
    let mut weights = vec![0; lines];
    let mut add = |line: LineNumber, own: bool, weight: u64| {
        if let Some(slot) = weights.get_mut(line.index()).filter(|_| own) {
            *slot += weight;
        }
    };
    for paragraph in &parsed.paragraphs {
        add(paragraph.lines.start(), paragraph.has_label() && paragraph.file.is_none(), PARAGRAPH);
    }
    for branch in parsed
        .branches
        .iter()
        .filter(|branch| matches!(branch.kind, BranchKind::If | BranchKind::When | BranchKind::Phrase))
    {
        add(branch.lines.start(), parsed.statements[branch.statement].file.is_none(), RULE);
    }
    for exec in &parsed.execs {
        add(exec.lines.start(), exec.file.is_none(), OPERATION);
    }
    for call in &parsed.calls {
        add(call.lines.start(), call.file.is_none(), OPERATION);
    }
    for copy in &parsed.copies {
        add(copy.lines.start(), copy.file.is_none(), ENTRY);
    }
    for line in parsed.files.iter().filter_map(|file| file.line) {
        add(line, true, ENTRY);
    }
    weights
}
