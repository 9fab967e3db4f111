//! Verifies that a document accounts for every line.

use super::FindingCollector;
use crate::rule::Rule;
use war_rig_template::{ChunkStatus, Document, DocumentStatus};
use war_rig_text::{LineNumber, LineRange};

/// Verifies a document's status and counts against the lines that its chunks own.
pub(super) fn hold(document: &Document, findings: &mut FindingCollector<'_>) {
    hold_status(document, findings);
    let coverage = document.coverage;
    let Some(all) = findings.source.line_range() else { return };
    let mut next = Some(LineNumber::FIRST);
    for chunk in &document.chunks {
        if let Some(gap) = next.and_then(|next| before(next, chunk.lines.start())) {
            findings.add(Rule::UncoveredLines, "chunks", Some(gap), format!("no chunk owns lines {gap}"));
        }
        if next.is_some_and(|next| chunk.lines.start() < next) {
            let message = format!("`{}` owns lines that the chunk before it owns too", chunk.chunk_id);
            findings.add(Rule::UncoveredLines, &item(&chunk.chunk_id), Some(chunk.lines), message);
        }
        if chunk.lines.end() > all.end() {
            let message =
                format!("`{}` owns lines {}, and the source has {}", chunk.chunk_id, chunk.lines, all.count());
            findings.add(Rule::UncoveredLines, &item(&chunk.chunk_id), Some(chunk.lines), message);
        }
        next = Some(chunk.lines.end().saturating_add(1));
    }
    let after = all.end().saturating_add(1);
    if let Some(gap) = next.and_then(|next| before(next, after)) {
        findings.add(Rule::UncoveredLines, "chunks", Some(gap), format!("no chunk owns lines {gap}"));
    }
    let owned = |status: ChunkStatus| -> u64 {
        let own = document.chunks.iter().filter(|chunk| chunk.status == status);
        own.map(|chunk| u64::from(chunk.lines.count())).sum()
    };
    counted(findings, "lines", coverage.lines, all.count().into());
    counted(findings, "excluded", coverage.excluded, 0);
    counted(findings, "documented", coverage.documented, owned(ChunkStatus::Complete));
    counted(findings, "failed", coverage.failed, owned(ChunkStatus::Failed));
}

/// Verifies that the document and each of its chunks are complete.
pub(super) fn hold_status(document: &Document, findings: &mut FindingCollector<'_>) {
    let coverage = document.coverage;
    for chunk in document.chunks.iter().filter(|chunk| chunk.status == ChunkStatus::Failed) {
        let why = chunk.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
        let message = format!("lines {} could not be documented{why}", chunk.lines);
        findings.add(Rule::UncoveredLines, &item(&chunk.chunk_id), Some(chunk.lines), message);
    }
    match document.header.status {
        DocumentStatus::Complete => {}
        DocumentStatus::Partial => {
            let message = format!("{} of {} lines could not be documented", coverage.failed, coverage.lines);
            findings.add(Rule::PartialDocument, "header.status", None, message);
        }
        DocumentStatus::Failed => {
            findings.add(Rule::PartialDocument, "header.status", None, "nothing of it could be documented");
        }
    }
}

/// Verifies the number of cited lines against its citations, if they are valid themselves.
pub(super) fn hold_cited(document: &Document, findings: &mut FindingCollector<'_>) {
    let lines = findings.source.line_range().map_or(0, LineRange::count);
    counted(findings, "cited", document.coverage.cited, document.cited_lines(lines).into());
}

fn counted(findings: &mut FindingCollector<'_>, field: &str, said: u32, counted: u64) {
    if u64::from(said) != counted {
        let message = format!("coverage.{field} is {said} in the document, and {counted} are counted");
        findings.add(Rule::UncoveredLines, &format!("coverage.{field}"), None, message);
    }
}

fn item(chunk: &str) -> String {
    format!("chunks.{chunk}")
}

/// Returns the lines from one to the line before another; `None` if there are none.
fn before(from: LineNumber, to: LineNumber) -> Option<LineRange> {
    let end = to.previous()?;
    (from <= end).then(|| LineRange::spanning(from, end))
}
