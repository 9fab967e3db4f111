//! The summary of a document whose seal is intact and whose source is unchanged.

use serde::Deserialize;
use war_rig_check::CheckTotals;
use war_rig_template::{CallingContext, CitationTotals, Coverage, DocumentStatus};
use war_rig_text::ContentHash;

/// The few fields of a document that a check needs when its seal is intact.
#[derive(Deserialize)]
pub struct SealedSummary {
    header: SummaryHeader,
    coverage: Coverage,
    /// The document's statements about the estate, which may have changed around it.
    pub calling_context: CallingContext,
    #[serde(skip)]
    citations: CitationTotals,
}

#[derive(Deserialize)]
struct SummaryHeader {
    status: DocumentStatus,
    made_from: Option<ContentHash>,
}

impl SealedSummary {
    /// Summarizes a sealed document. Returns `None` when the full check is required: the document was made from another source, is incomplete, or
    /// itself reports a citation that failed verification.
    pub fn of(json: &[u8], made_from: ContentHash) -> Option<Self> {
        let glance: Self = serde_json::from_slice(json).ok()?;
        let Coverage { lines, documented, .. } = glance.coverage;
        let is_whole = glance.header.status == DocumentStatus::Complete && lines == documented;
        let is_of_now = glance.header.made_from == Some(made_from);
        if !is_whole || !is_of_now {
            return None;
        }
        // Quotes inside a text are escaped, so these patterns match only citations. Documents of earlier versions have a blank there.
        let count = |status: &str| {
            let patterns = [format!("\"status\":\"{status}\""), format!("\"status\": \"{status}\"")];
            let found = patterns.iter().map(|pattern| memchr::memmem::find_iter(json, pattern.as_bytes()).count());
            found.sum::<usize>() as u64
        };
        if count("unsupported") + count("contradicted") > 0 {
            return None;
        }
        let citations = CitationTotals {
            verified: count("verified"),
            relocated: count("relocated"),
            unchecked: count("unchecked"),
            ..CitationTotals::default()
        };
        Some(Self { citations, ..glance })
    }

    /// Returns the document's contribution to the check's totals.
    pub fn checked(&self) -> CheckTotals {
        CheckTotals {
            documents: 1,
            citations: self.citations,
            lines: self.coverage.lines.into(),
            cited: self.coverage.cited.into(),
            ..CheckTotals::default()
        }
    }
}
