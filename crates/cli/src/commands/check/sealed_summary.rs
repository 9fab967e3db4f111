//! The summary of a document whose seal is intact and whose source is unchanged.

use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use war_rig_check::CheckTotals;
use war_rig_template::{CallingContext, CitationTotals, Coverage, DocumentStatus};
use war_rig_text::ContentHash;

/// The few fields of a document that a check needs when its seal is intact. The rest of its JSON, nearly all of it, is not parsed.
pub struct SealedSummary {
    coverage: Coverage,
    /// The document's statements about the estate, which may have changed around it.
    pub calling_context: CallingContext,
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
        let (header, coverage): (SummaryHeader, Coverage) = (field(json, "header")?, field(json, "coverage")?);
        let is_whole = header.status == DocumentStatus::Complete && coverage.lines == coverage.documented;
        let citations = citations_by_status(json);
        let is_supported = citations.unsupported + citations.contradicted == 0;
        if !is_whole || !is_supported || header.made_from != Some(made_from) {
            return None;
        }
        Some(Self { coverage, calling_context: field(json, "calling_context")?, citations })
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

/// Returns a field of a document. Only the fields of the document itself are on a line of their own with this indentation, as it was written.
fn field<T: DeserializeOwned>(json: &[u8], name: &str) -> Option<T> {
    let start = format!("\n  \"{name}\": ");
    let at = memmem::find(json, start.as_bytes())? + start.len();
    T::deserialize(&mut serde_json::Deserializer::from_slice(&json[at..])).ok()
}

/// Counts the citations of a document by status. Quotes inside a text are escaped, so that the pattern matches only citations, and the statuses of the
/// document and its chunks. Documents of earlier versions have a blank behind the colon.
fn citations_by_status(json: &[u8]) -> CitationTotals {
    const STATUS: &[u8] = b"\"status\":";
    let mut totals = CitationTotals::default();
    for at in memmem::find_iter(json, STATUS) {
        let rest = &json[at + STATUS.len()..];
        let value = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"\"").unwrap_or_default();
        let count = match value.split(|byte| *byte == b'"').next() {
            Some(b"verified") => &mut totals.verified,
            Some(b"relocated") => &mut totals.relocated,
            Some(b"unchecked") => &mut totals.unchecked,
            Some(b"unsupported") => &mut totals.unsupported,
            Some(b"contradicted") => &mut totals.contradicted,
            _ => continue,
        };
        *count += 1;
    }
    totals
}
