//! What a check has found.

use crate::rule::{FindingLevel, Rule};
use serde::Serialize;
use std::cmp::Ordering;
use war_rig_text::{ContentHash, LineNumber, LineRange, SourceText};

/// The most lines of an excerpt.
const EXCERPT: u32 = 6;

/// Where a document and its source do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How grave it is.
    pub level: FindingLevel,
    /// The source, as documents name it.
    pub file: String,
    /// Which file the finding stands on.
    pub place: FindingLocation,
    /// The lines of the source; none where it is about the whole file, or about a document without a source.
    pub lines: Option<LineRange>,
    /// What of the document, as a path: `paragraphs.2000-POST`, `business_rules.R014`.
    pub item: Option<String>,
    /// What was found: lowercase, without a full stop, names in backticks.
    pub message: String,
    /// The lines that it is about, at most six.
    pub excerpt: Option<Excerpt>,
    /// Whether the baseline holds it already.
    pub is_known: bool,
    /// Whether nothing else could be looked for in the document, so that it fails every group of rules.
    pub hides_others: bool,
}

/// Which file a finding stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingLocation {
    /// The source.
    Source,
    /// The document, because there is no source.
    Document,
    /// The file of this very name in the folder of the documents.
    Folder,
}

/// Lines of a source as they are shown, secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first of them.
    pub first: LineNumber,
    /// The lines.
    pub lines: Vec<String>,
}

impl Excerpt {
    /// The first of these lines, at most six; none where the source has none of them.
    pub fn of(source: &SourceText, lines: LineRange) -> Option<Self> {
        let shown: Vec<String> = source
            .lines_in(lines)
            .take(EXCERPT as usize)
            .map(|line| line.visible().trim_end().to_owned())
            .collect();
        (!shown.is_empty()).then(|| Self { first: lines.start(), lines: shown })
    }
}

impl Finding {
    /// A finding about a whole source, at its rule's usual level.
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

    /// The same of a document in which nothing else could be looked for.
    #[must_use]
    pub fn hiding_others(self) -> Self {
        Self { hides_others: true, ..self }
    }

    /// The same on these lines of the source, with an excerpt of them.
    pub fn at_lines(mut self, source: &SourceText, lines: LineRange) -> Self {
        self.excerpt = Excerpt::of(source, lines);
        self.lines = Some(lines);
        self
    }

    /// The same about an item of the document.
    pub fn for_item(mut self, item: impl Into<String>) -> Self {
        self.item = Some(item.into());
        self
    }

    /// What stays the same of it while lines move: the hash of its rule, file, item and message, whose numbers do not count. Two findings
    /// of one file may share it.
    pub fn fingerprint(&self) -> ContentHash {
        let item = self.item.as_deref().unwrap_or_default();
        let words = without_numbers(&self.message);
        ContentHash::of_lines([self.rule.as_str(), self.file.as_str(), item, words.as_str()])
    }

    /// The order in which findings are told: by file, line, rule and item.
    pub fn compare(&self, other: &Self) -> Ordering {
        fn key(finding: &Finding) -> (&str, Option<LineRange>, Rule, Option<&str>, &str) {
            let Finding { file, lines, rule, item, message, .. } = finding;
            (file, *lines, *rule, item.as_deref(), message)
        }
        key(self).cmp(&key(other))
    }
}

/// The text with each number that is a word of its own taken out: names such as `2000-POST` keep theirs.
fn without_numbers(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@');
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        words.push_str(before);
        let is_number =
            word.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
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
