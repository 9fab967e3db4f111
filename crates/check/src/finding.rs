//! The findings of a check.

use crate::rule::{FindingLevel, Rule};
use serde::Serialize;
use std::cmp::Ordering;
use war_rig_text::{ContentHash, LineNumber, LineRange, SourceText};

/// The maximum number of lines in an excerpt.
const EXCERPT: u32 = 6;

/// A disagreement between a document and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The severity.
    pub level: FindingLevel,
    /// The source, under its name in documents.
    pub file: String,
    /// The file that the finding refers to.
    pub place: FindingLocation,
    /// The lines of the source; `None` for a finding about the whole file, or about a document without a source.
    pub lines: Option<LineRange>,
    /// The part of the document, as a path: `paragraphs.2000-POST`, `business_rules.R014`.
    pub item: Option<String>,
    /// The message: lowercase, without a full stop, names in backticks.
    pub message: String,
    /// The source lines of the finding, at most six.
    pub excerpt: Option<Excerpt>,
    /// Whether the baseline already contains it.
    pub is_known: bool,
    /// Whether the document could not be checked further, so that it fails every group of rules.
    pub hides_others: bool,
}

/// The file that a finding refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingLocation {
    /// The source.
    Source,
    /// The document, because there is no source.
    Document,
    /// The file of exactly this name in the folder of the documents.
    Folder,
}

/// Source lines for display, with masked secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first: LineNumber,
    /// The lines.
    pub lines: Vec<String>,
}

impl Excerpt {
    /// Returns the first of these lines, at most six; `None` if the source has none of them.
    pub fn of(source: &SourceText, lines: LineRange) -> Option<Self> {
        let shown: Vec<String> =
            source.lines_in(lines).take(EXCERPT as usize).map(|line| line.visible().trim_end().to_owned()).collect();
        (!shown.is_empty()).then(|| Self { first: lines.start(), lines: shown })
    }
}

impl Finding {
    /// Makes a finding about a whole source, at its rule's default level.
    pub fn new(rule: Rule, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule,
            level: rule.default_level(),
            file: file.into(),
            place: FindingLocation::Source,
            lines: None,
            item: None,
            message: message.into(),
            excerpt: None,
            is_known: false,
            hides_others: false,
        }
    }

    /// Returns the same finding for a document that cannot be checked further.
    #[must_use]
    pub fn hiding_others(self) -> Self {
        Self { hides_others: true, ..self }
    }

    /// Returns the same finding on these lines of the source, with an excerpt of them.
    pub fn at_lines(mut self, source: &SourceText, lines: LineRange) -> Self {
        self.excerpt = Excerpt::of(source, lines);
        self.lines = Some(lines);
        self
    }

    /// Returns the same finding about an item of the document.
    pub fn for_item(mut self, item: impl Into<String>) -> Self {
        self.item = Some(item.into());
        self
    }

    /// Returns an identity that is stable while lines move: the hash of the rule, the file, the item, and the message without numbers. Two
    /// findings of one file may have the same one.
    pub fn fingerprint(&self) -> ContentHash {
        let item = self.item.as_deref().unwrap_or_default();
        let words = without_numbers(&self.message);
        ContentHash::of_lines([self.rule.as_str(), self.file.as_str(), item, words.as_str()])
    }

    /// Returns the sort key of findings: file, line, rule and item.
    pub fn compare(&self, other: &Self) -> Ordering {
        fn key(finding: &Finding) -> (&str, Option<LineRange>, Rule, Option<&str>, &str) {
            let Finding { file, lines, rule, item, message, .. } = finding;
            (file, *lines, *rule, item.as_deref(), message)
        }
        key(self).cmp(&key(other))
    }
}

/// Removes each number that is a word of its own: names such as `2000-POST` keep theirs.
fn without_numbers(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@');
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        words.push_str(before);
        let is_number = word.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        words.push_str(if is_number { "#" } else { word });
        rest = after;
    }
    words.push_str(rest);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_outlives_moved_lines_and_nothing_else() {
        let finding = |message: &str| {
            Finding::new(Rule::CitationUnsupported, "cbl/A.cbl", message).for_item("paragraphs.2000-POST")
        };
        let first = finding("line 12 does not hold `2000-POST`").fingerprint();
        assert_eq!(finding("line 170 does not hold `2000-POST`").fingerprint(), first);
        assert_ne!(finding("line 12 does not hold `3000-POST`").fingerprint(), first);
        assert_eq!(without_numbers("lines 12-40, and 7 of 2000-POST"), "lines #, and # of 2000-POST");
    }
}
