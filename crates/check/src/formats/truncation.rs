//! Selects the findings that a format keeps if its reader limits them.

use crate::finding::Finding;
use crate::report::Report;
use std::cmp::Reverse;

/// The findings that a format keeps.
pub(super) struct KeptFindings<'a> {
    /// The findings with their index in the report, the most severe first.
    pub(super) findings: Vec<(usize, &'a Finding)>,
    /// The number of other findings.
    pub(super) left_out: usize,
}

impl<'a> KeptFindings<'a> {
    /// Selects the most severe of these findings, at most `most`, with a total weight of at most `room`. Findings that fail the check come first,
    /// known ones last; equal ones keep the order of the report.
    pub(super) fn gravest(
        report: &'a Report,
        among: impl Fn(&Finding) -> bool,
        most: usize,
        room: usize,
        weight: impl Fn(&Finding) -> usize,
    ) -> Self {
        let mut findings: Vec<(usize, &Finding)> =
            report.findings.iter().enumerate().filter(|(_, finding)| among(finding)).collect();
        findings.sort_by_key(|(_, finding)| (Reverse(report.fails(finding)), finding.is_known, Reverse(finding.level)));
        let mut room = Some(room);
        let fits = |(_, finding): &&(usize, &Finding)| {
            room = room.and_then(|room| room.checked_sub(weight(finding)));
            room.is_some()
        };
        let count = findings.iter().take(most).take_while(fits).count();
        let left_out = findings.len() - count;
        findings.truncate(count);
        Self { findings, left_out }
    }

    /// Returns the same findings in the order of the report.
    pub(super) fn in_order(mut self) -> Self {
        self.findings.sort_by_key(|(index, _)| *index);
        self
    }

    /// Returns a sentence about how many are left out, and why; `None` if nothing is left out.
    pub(super) fn note(&self, why: &str) -> Option<String> {
        (self.left_out > 0).then(|| {
            let all = self.findings.len() + self.left_out;
            format!("{} of {all} findings are left out, the least grave first: {why}", self.left_out)
        })
    }
}
