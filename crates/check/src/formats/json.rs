//! The format for programs.
//!
//! ```json
//! {
//!   "findings": [
//!     {
//!       "rule": "citation-unsupported", "level": "error", "group": "citation",
//!       "file": "cbl/A.cbl", "start_line": 12, "end_line": 14, "item": "paragraphs.2000-POST",
//!       "message": "...", "fingerprint": "...", "known": false, "fails": true
//!     }
//!   ],
//!   "checked": {
//!     "sources": 1, "documents": 1, "citations": {"verified": 9, "relocated": 0, "unsupported": 1},
//!     "lines": 120, "cited": 100, "uncovered": 0
//!   },
//!   "counts": {"citation-unsupported": 1},
//!   "known": 0,
//!   "failed": 1
//! }
//! ```
//!
//! Every key is always present; `group`, `item` and both lines may be null. `file` is the unmodified path below the root of the repository:
//! terminal control characters occur in no other text, and are escaped in a path.

use crate::finding::Finding;
use crate::report::{CheckTotals, Report};
use crate::rule::{FindingLevel, Rule, RuleGroup};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};
use war_rig_text::{ContentHash, sanitize_line, write_compact_json, write_json_at};

/// Writes everything; never leaves anything out.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<Option<String>> {
    let whole = JsonReport {
        findings: JsonFindings(report),
        checked: &report.checked,
        counts: RuleCounts(report),
        known: report.findings.iter().filter(|finding| finding.is_known).count(),
        failed: report.failures(),
    };
    write_json_at(0, &whole, out)?;
    writeln!(out)?;
    Ok(None)
}

/// Writes a value as JSON on one line, without terminal control characters in its strings.
pub(super) fn write_compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_compact_json(value, out)?;
    writeln!(out)
}

#[derive(serde::Serialize)]
struct JsonReport<'a> {
    findings: JsonFindings<'a>,
    checked: &'a CheckTotals,
    counts: RuleCounts<'a>,
    known: usize,
    failed: usize,
}

#[derive(serde::Serialize)]
struct JsonFinding<'a> {
    rule: Rule,
    level: FindingLevel,
    group: Option<RuleGroup>,
    file: String,
    start_line: Option<u32>,
    end_line: Option<u32>,
    item: Option<Cow<'a, str>>,
    message: Cow<'a, str>,
    fingerprint: ContentHash,
    known: bool,
    fails: bool,
}

impl<'a> JsonFinding<'a> {
    fn of(report: &Report, finding: &'a Finding) -> Self {
        Self {
            rule: finding.rule,
            level: finding.level,
            group: finding.rule.group(),
            file: report.paths.path_of(finding),
            start_line: finding.lines.map(|lines| lines.start().get()),
            end_line: finding.lines.map(|lines| lines.end().get()),
            item: finding.item.as_deref().map(sanitize_line),
            message: sanitize_line(&finding.message),
            fingerprint: finding.fingerprint(),
            known: finding.is_known,
            fails: report.fails(finding),
        }
    }
}

struct JsonFindings<'a>(&'a Report);

impl Serialize for JsonFindings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.findings.iter().map(|finding| JsonFinding::of(self.0, finding)))
    }
}

/// The number of findings of each rule, without rules that have none.
struct RuleCounts<'a>(&'a Report);

impl Serialize for RuleCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.0.counts();
        let mut map = serializer.serialize_map(Some(counts.len()))?;
        for (rule, count) in counts {
            map.serialize_entry(&rule, &count)?;
        }
        map.end()
    }
}
