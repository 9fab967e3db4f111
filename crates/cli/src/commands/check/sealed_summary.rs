//! What is looked at of a document that is as it was written, from the source as it is.

use serde::Deserialize;
use war_rig_check::CheckTotals;
use war_rig_template::{CallingContext, CitationTotals, Coverage, DocumentStatus};
use war_rig_text::ContentHash;

/// The few fields of a document that a check needs where its seal holds.
#[derive(Deserialize)]
pub struct SealedSummary {
    header: SummaryHeader,
    coverage: Coverage,
    /// What it says of the estate, which may have changed around it.
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
    /// A glance at a sealed document; none where it must be looked at closely: it was made from something else than there is now, it is not
    /// whole, or it says itself that a citation does not hold.
    pub fn of(json: &[u8], made_from: ContentHash) -> Option<Self> {
        let glance: Self = serde_json::from_slice(json).ok()?;
        let Coverage { lines, documented, .. } = glance.coverage;
        let is_whole = glance.header.status == DocumentStatus::Complete && lines == documented;
        let is_of_now = glance.header.made_from == Some(made_from);
        if !is_whole || !is_of_now {
            return None;
        }
        // Quotes inside a text are escaped, so that these stand in citations alone.
        // Documents of earlier versions have a blank there.
        let count = |status: &str| {
            let patterns = [format!("\"status\":\"{status}\""), format!("\"status\": \"{status}\"")];
            let found =
                patterns.iter().map(|pattern| memchr::memmem::find_iter(json, pattern.as_bytes()).count());
            found.sum::<usize>() as u64
        };
        if count("unsupported") > 0 {
            return None;
        }
        let citations =
            CitationTotals { verified: count("verified"), relocated: count("relocated"), unsupported: 0 };
        Some(Self { citations, ..glance })
    }

    /// What the check counts of it.
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
