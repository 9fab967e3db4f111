//! The result of a check.

use crate::finding::{Finding, FindingLocation};
use crate::rule::{FindingLevel, Rule, RuleGroup};
use serde::Serialize;
use std::ops::AddAssign;
use war_rig_template::CitationTotals;

/// All findings of a check, in order, with the totals.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings, by file, line and rule; those at level `off` are left out.
    pub findings: Vec<Finding>,
    /// The totals of the check.
    pub checked: CheckTotals,
    /// The paths of its files.
    pub paths: ReportPaths,
    /// The groups that fail the check.
    pub fail_on: Vec<RuleGroup>,
}

/// The totals of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckTotals {
    /// Sources that should have a document.
    pub sources: u64,
    /// Documents that were verified against their source.
    pub documents: u64,
    /// Citations in them.
    pub citations: CitationTotals,
    /// Lines of the sources that have a document.
    pub lines: u64,
    /// Lines that valid citations cover.
    pub cited: u64,
    /// Lines that nothing documents.
    pub uncovered: u64,
}

impl AddAssign for CheckTotals {
    fn add_assign(&mut self, other: Self) {
        let Self { sources, documents, citations, lines, cited, uncovered } = other;
        self.sources += sources;
        self.documents += documents;
        self.citations += citations;
        self.lines += lines;
        self.cited += cited;
        self.uncovered += uncovered;
    }
}

/// Path prefixes relative to the root of the repository, or to the current folder if there is none. Both end with `/`, or are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportPaths {
    /// The prefix of a source's name.
    pub sources: String,
    /// The prefix of a document file's name.
    pub documents: String,
}

impl ReportPaths {
    /// Returns the path of a finding's file, with `/` between folders.
    pub fn path_of(&self, finding: &Finding) -> String {
        match finding.place {
            FindingLocation::Source => format!("{}{}", self.sources, finding.file),
            FindingLocation::Document => {
                format!("{}{}.json", self.documents, war_rig_template::document_name(&finding.file))
            }
            FindingLocation::Folder => format!("{}{}", self.documents, finding.file),
        }
    }
}

impl Report {
    /// Returns whether a finding fails the check: it is new, an error, and of a requested group or of no group. A document that could not be
    /// checked fails every group.
    pub fn fails(&self, finding: &Finding) -> bool {
        let is_asked_for = match finding.rule.group() {
            Some(_) if finding.hides_others => !self.fail_on.is_empty(),
            group => group.is_none_or(|group| self.fail_on.contains(&group)),
        };
        finding.level == FindingLevel::Error && !finding.is_known && is_asked_for
    }

    /// Counts the findings that fail the check.
    pub fn failures(&self) -> usize {
        self.findings.iter().filter(|finding| self.fails(finding)).count()
    }

    /// Counts the findings of each rule, without rules that have none.
    pub fn counts(&self) -> Vec<(Rule, usize)> {
        let count = |rule: Rule| self.findings.iter().filter(|finding| finding.rule == rule).count();
        Rule::ALL.into_iter().map(|rule| (rule, count(rule))).filter(|(_, count)| *count > 0).collect()
    }
}
