//! Known findings, so that only new ones fail.
//!
//! A baseline is a file in the repository. It contains fingerprints instead of lines, so that code may move. Each entry is on its own line, in
//! a stable order, so that two versions of it merge and their diff is readable.

use crate::finding::Finding;
use crate::report::Report;
use crate::rule::Rule;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use war_rig_text::ContentHash;

/// The marker that identifies a baseline file.
const KIND: &str = "war-rig-baseline";

/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// The findings of an earlier check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The number of findings of each fingerprint.
    counts: BTreeMap<BaselineKey, NonZeroU32>,
}

/// A fingerprint; its file and rule come first for the sort order and for readers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BaselineKey {
    file: String,
    rule: Rule,
    fingerprint: ContentHash,
}

/// Findings in a baseline that a check did not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedEntry {
    /// The rule.
    pub rule: Rule,
    /// The source, under its name in documents.
    pub file: String,
    /// The number of findings.
    pub count: u32,
}

/// Why a baseline cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BaselineError {
    file: String,
    line: Option<usize>,
    /// The kind of error.
    pub kind: BaselineErrorKind,
}

/// The kind of a [`BaselineError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineErrorKind {
    /// The file is damaged, with these details; a merge may have left conflict markers.
    Broken(String),
    /// The file is not a baseline.
    Foreign,
    /// A later version of War Rig wrote the file, with this format version.
    Newer(u32),
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.kind {
            BaselineErrorKind::Broken(why) => write!(f, ": the baseline is damaged: {why}"),
            BaselineErrorKind::Foreign => write!(f, ": the file is no baseline"),
            BaselineErrorKind::Newer(version) => {
                write!(f, ": the baseline has version `{version}`, and this War Rig reads up to {VERSION}")
            }
        }
    }
}

#[derive(Deserialize)]
struct BaselineHeader {
    kind: String,
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(rename = "version")]
    _version: u32,
    findings: Vec<BaselineEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    file: String,
    rule: Rule,
    count: NonZeroU32,
    fingerprint: ContentHash,
}

impl Baseline {
    /// Makes a baseline of all findings of a report, including known ones.
    pub fn of(report: &Report) -> Self {
        let mut counts: BTreeMap<BaselineKey, NonZeroU32> = BTreeMap::new();
        for finding in &report.findings {
            let count = counts.entry(BaselineKey::of(finding));
            count.and_modify(|count| *count = count.saturating_add(1)).or_insert(NonZeroU32::MIN);
        }
        Self { counts }
    }

    /// Parses the output of [`Baseline::to_json`]; errors name the file `file`. If an entry occurs twice, as after a merge, the larger
    /// count applies.
    ///
    /// # Errors
    /// The text is damaged, is not a baseline, or has a later version.
    pub fn read(file: &str, text: &str) -> Result<Self, BaselineError> {
        let fault = |line, kind| BaselineError { file: file.to_owned(), line, kind };
        // Some editors add a byte order mark.
        let text = text.trim_start_matches('\u{FEFF}');
        let broken = |error: serde_json::Error| {
            let (line, words) = (error.line(), error.to_string());
            let place = format!(" at line {line} column {}", error.column());
            let why = words.strip_suffix(place.as_str()).unwrap_or(&words).to_owned();
            fault((line > 0).then_some(line), BaselineErrorKind::Broken(why))
        };
        let head: BaselineHeader = serde_json::from_str(text).map_err(|error| match error.classify() {
            Category::Data => fault(None, BaselineErrorKind::Foreign),
            _ => broken(error),
        })?;
        match head {
            BaselineHeader { kind, .. } if kind != KIND => {
                return Err(fault(None, BaselineErrorKind::Foreign));
            }
            BaselineHeader { version, .. } if version > VERSION => {
                return Err(fault(None, BaselineErrorKind::Newer(version)));
            }
            _ => {}
        }
        let whole: BaselineFile = serde_json::from_str(text).map_err(broken)?;
        let mut counts = BTreeMap::new();
        for BaselineEntry { file, rule, count, fingerprint } in whole.findings {
            let kept = counts.entry(BaselineKey { file, rule, fingerprint }).or_insert(count);
            *kept = count.max(*kept);
        }
        Ok(Self { counts })
    }

    /// Returns the baseline as JSON with a final line feed: by file and rule, one entry a line, the same bytes for the same findings.
    pub fn to_json(&self) -> String {
        let mut text = format!("{{\n  \"kind\": \"{KIND}\",\n  \"version\": {VERSION},\n  \"findings\": [");
        for (index, (key, count)) in self.counts.iter().enumerate() {
            let BaselineKey { file, rule, fingerprint } = key.clone();
            let entry = BaselineEntry { file, rule, count: *count, fingerprint };
            let entry = serde_json::to_string(&entry).expect("an entry has no map and no number that JSON lacks");
            text += if index > 0 { ",\n    " } else { "\n    " };
            text += &entry;
        }
        text + if self.counts.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" }
    }

    /// Marks findings as known, up to the baseline's count for each fingerprint, the first ones first. Returns the unused
    /// entries, which can be removed if the check covered the whole estate.
    pub fn mark_known(&self, report: &mut Report) -> Vec<ResolvedEntry> {
        let mut left: BTreeMap<BaselineKey, u32> =
            self.counts.iter().map(|(key, count)| (key.clone(), count.get())).collect();
        for finding in &mut report.findings {
            let left = left.get_mut(&BaselineKey::of(finding)).filter(|left| **left > 0);
            finding.is_known = left.is_some();
            if let Some(left) = left {
                *left -= 1;
            }
        }
        let gone = left.into_iter().filter(|(_, count)| *count > 0);
        gone.map(|(BaselineKey { file, rule, .. }, count)| ResolvedEntry { rule, file, count }).collect()
    }
}

impl BaselineKey {
    fn of(finding: &Finding) -> Self {
        Self { file: finding.file.clone(), rule: finding.rule, fingerprint: finding.fingerprint() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(findings: &[(&str, &str)]) -> Report {
        let one = |(file, message): &(&str, &str)| Finding::new(Rule::ClaimMissing, *file, *message);
        Report { findings: findings.iter().map(one).collect(), ..Report::default() }
    }

    #[test]
    fn a_baseline_is_stable_and_reads_back() {
        let (first, second) = (("cbl/B.cbl", "`X` is missing"), ("cbl/A \"1\".cbl", "line 3 calls `Y`"));
        let baseline = Baseline::of(&report(&[first, second, second]));
        let text = baseline.to_json();
        assert_eq!(text, Baseline::of(&report(&[second, first, second])).to_json());
        let mask = |line: &str| line.split("\"fingerprint\"").next().unwrap_or_default().to_owned() + "\n";
        let shown: String = text.lines().map(mask).collect();
        let expected = r#"{
  "kind": "war-rig-baseline",
  "version": 1,
  "findings": [
    {"file":"cbl/A \"1\".cbl","rule":"claim-missing","count":2,
    {"file":"cbl/B.cbl","rule":"claim-missing","count":1,
  ]
}
"#;
        assert_eq!(shown, expected);
        assert_eq!(Baseline::read("b.json", &text), Ok(baseline.clone()));
        assert_eq!(Baseline::read("b.json", &format!("\u{FEFF}{}", text.replace('\n', "\r\n"))), Ok(baseline));
        let empty = Baseline::default();
        assert_eq!(Baseline::read("b.json", &empty.to_json()), Ok(empty));
    }

    #[test]
    fn as_many_are_known_as_the_baseline_holds() {
        let (first, moved, other) =
            (("A.cbl", "line 3 calls `Y`"), ("A.cbl", "line 90 calls `Y`"), ("A.cbl", "line 3 calls `Z`"));
        let baseline = Baseline::of(&report(&[first, first]));
        let known = |findings: &[(&str, &str)]| {
            let mut report = report(findings);
            let gone = baseline.mark_known(&mut report);
            let known: Vec<bool> = report.findings.iter().map(|finding| finding.is_known).collect();
            (known, gone.iter().map(|gone| gone.count).sum())
        };
        assert_eq!(known(&[moved, first, moved]), (vec![true, true, false], 0));
        assert_eq!(known(&[other, moved]), (vec![false, true], 1));
        assert_eq!(known(&[]), (vec![], 2));

        let mut again = report(&[first]);
        again.findings[0].is_known = true;
        Baseline::default().mark_known(&mut again);
        assert!(!again.findings[0].is_known, "what no baseline holds is new");
    }

    #[test]
    fn what_is_no_baseline_says_why() {
        let good = Baseline::of(&report(&[("A.cbl", "x")])).to_json();
        let check = |text: &str, expected: &str| {
            let error = Baseline::read("b.json", text).expect_err("it is no baseline");
            assert_eq!(error.to_string(), expected, "{text}");
        };
        check("", "b.json:1: the baseline is damaged: EOF while parsing a value");
        check("{}", "b.json: the file is no baseline");
        check("[1]", "b.json: the file is no baseline");
        check(r#"{"$schema": "x", "version": "2.1.0", "runs": []}"#, "b.json: the file is no baseline");
        check(r#"{"kind": "other", "version": 1, "findings": []}"#, "b.json: the file is no baseline");
        check(
            r#"{"kind": "war-rig-baseline", "version": 2, "entries": {}}"#,
            "b.json: the baseline has version `2`, and this War Rig reads up to 1",
        );
        check(&good.replace("    {", "<<<<<<< HEAD\n    {"), "b.json:5: the baseline is damaged: expected value");
        let unknown = good.replace("claim-missing", "claim-lost");
        let error = Baseline::read("b.json", &unknown).expect_err("there is no such rule").to_string();
        assert!(error.starts_with("b.json:5: the baseline is damaged: unknown variant `claim-lost`"), "{error}");
        let zero = good.replace("\"count\":1", "\"count\":0");
        assert!(Baseline::read("b.json", &zero).is_err());
        let short = good.replace("\"fingerprint\":\"", "\"fingerprint\":\"x");
        let error = Baseline::read("b.json", &short).expect_err("a fingerprint has 64 digits").to_string();
        assert!(error.starts_with("b.json:5: "), "{error}");
    }

    #[test]
    fn what_a_merge_has_doubled_counts_once() {
        let text = Baseline::of(&report(&[("A.cbl", "x")])).to_json();
        let entry = text.lines().nth(4).map(str::trim).unwrap_or_default().to_owned();
        let more = entry.replace("\"count\":1", "\"count\":3");
        let doubled = text.replace(&entry, &format!("{entry},\n{more}"));
        let mut found = report(&[("A.cbl", "x")]);
        let gone = Baseline::read("b.json", &doubled).map(|baseline| baseline.mark_known(&mut found));
        assert_eq!(gone, Ok(vec![ResolvedEntry { rule: Rule::ClaimMissing, file: "A.cbl".into(), count: 2 }]));
    }
}
