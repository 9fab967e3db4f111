//! All that a check has found.

use crate::finding::{Finding, FindingLocation};
use crate::rule::{FindingLevel, Rule, RuleGroup};
use serde::Serialize;
use std::ops::AddAssign;
use war_rig_template::CitationTotals;

/// All findings of a check, in order, and what was looked at.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings, by file, line and rule; those at level `off` are not among them.
    pub findings: Vec<Finding>,
    /// What was looked at.
    pub checked: CheckTotals,
    /// Where its files lie.
    pub paths: ReportPaths,
    /// The groups that fail the gate.
    pub fail_on: Vec<RuleGroup>,
}

/// What a check has looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckTotals {
    /// Sources that should have a document.
    pub sources: u64,
    /// Documents that were held against their source.
    pub documents: u64,
    /// Citations in them.
    pub citations: CitationTotals,
    /// Lines of the sources that have a document.
    pub lines: u64,
    /// Those under a citation that holds.
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

/// Where files lie below the root of the repository, or below the current folder where there is none. Both parts end with `/`, or are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportPaths {
    /// What stands before the name of a source.
    pub sources: String,
    /// What stands before the name of a document's file.
    pub documents: String,
}

impl ReportPaths {
    /// The path of the file that a finding stands on, with `/` between folders.
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
    /// Whether a finding fails the gate: it is new, an error, and of a group that was asked for, or of no group. What could not be looked at
    /// fails every group.
    pub fn fails(&self, finding: &Finding) -> bool {
        let is_asked_for = match finding.rule.group() {
            Some(_) if finding.hides_others => !self.fail_on.is_empty(),
            group => group.is_none_or(|group| self.fail_on.contains(&group)),
        };
        finding.level == FindingLevel::Error && !finding.is_known && is_asked_for
    }

    /// How many findings fail the gate.
    pub fn failures(&self) -> usize {
        self.findings.iter().filter(|finding| self.fails(finding)).count()
    }

    /// How many findings of each rule there are, those without any left out.
    pub fn counts(&self) -> Vec<(Rule, usize)> {
        let count = |rule: Rule| self.findings.iter().filter(|finding| finding.rule == rule).count();
        Rule::ALL.into_iter().map(|rule| (rule, count(rule))).filter(|(_, count)| *count > 0).collect()
    }
}
