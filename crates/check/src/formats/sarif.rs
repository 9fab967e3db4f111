//! The format for code scanning: SARIF 2.1.0, without a time or an absolute path, so that the same report gives the same bytes.
//!
//! GitHub identifies an alert only by `partialFingerprints.primaryLocationLineHash`. Without it, the uploading action computes a hash of
//! the line. Then two findings of a rule on one line would be one alert, and a changed line would be another alert.
//! So that field contains our own fingerprint, with a number that distinguishes equal ones. The action keeps it, and logs
//! that it would have calculated another.

use super::json::write_compact;
use super::truncation::KeptFindings;
use super::wording::{self, sentence};
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::{FindingLevel, Rule};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use war_rig_text::ContentHash;

/// The maximum number of results that GitHub accepts for a run: it refuses a file with more ("SARIF results exceed one or more limits" in its
/// documentation). The other limits of that page cannot be reached: 20 runs in a file, 25,000 rules and 100 extensions in a run, 20 tags of
/// a rule, 1,000 locations of a result and 10,000 of its thread flows. The output has one run, one location, and no flow.
pub(super) const RESULTS: usize = 25_000;

/// The maximum number of accepted results that GitHub shows, according to the same page: the most severe ones.
const SHOWN: usize = 5_000;

/// The maximum size of the differing bytes of all results. GitHub accepts files of 10 MB, packed with gzip ("SARIF support for code scanning").
/// The common parts pack to a few bytes each, and differing parts pack to at most their own length.
pub(super) const ROOM: usize = 10_000_000;

/// The packed size of a result without its path and message: two fingerprints, which do not pack, and the repeated parts.
const COMMON: usize = 120;

/// The base of the paths.
const ROOT: &str = "%SRCROOT%";

/// The id of the notification about what is left out.
const LEFT_OUT: &str = "findings-left-out";

/// The characters that are escaped in a path. A colon would turn its first part into a scheme, and most other marks have a meaning in an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The file. Its objects have the names of the standard.
#[derive(serde::Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'a>; 1],
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'a> {
    tool: Value,
    column_kind: &'static str,
    original_uri_base_ids: Value,
    invocations: Value,
    properties: Value,
    results: SarifResults<'a>,
}

/// Writes the report, the most severe findings first.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<Option<String>> {
    let weight = |finding: &Finding| COMMON + uri(report, finding).len() + wording::message(finding).len();
    let kept = KeptFindings::gravest(report, |_| true, RESULTS, ROOM, weight);
    let note = kept.note("code scanning takes 25,000 results of a run, and 10 MB of a packed file");
    let counts: BTreeMap<&str, usize> =
        report.counts().into_iter().map(|(rule, count)| (rule.as_str(), count)).collect();
    let run = SarifRun {
        tool: json!({ "driver": driver() }),
        column_kind: "unicodeCodePoints",
        original_uri_base_ids: json!({ ROOT: { "description": { "text": "The root of the repository." } } }),
        invocations: json!([{
            "executionSuccessful": true,
            "toolExecutionNotifications": notifications(kept.findings.len(), note.as_deref()),
        }]),
        properties: json!({
            "findings": report.findings.len(),
            "leftOut": kept.left_out,
            "failed": report.failures(),
            "counts": counts,
            "checked": report.checked,
        }),
        results: SarifResults { report, kept: &kept, fingerprints: fingerprints(report) },
    };
    let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    write_compact(&Log { schema, version: "2.1.0", runs: [run] }, out)?;
    Ok(note)
}

/// Returns War Rig as the tool: its version and its rules.
fn driver() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "name": "War Rig",
        "version": version,
        "semanticVersion": version,
        "rules": Rule::ALL.map(descriptor),
        "notifications": [{
            "id": LEFT_OUT,
            "name": pascal(LEFT_OUT),
            "shortDescription": { "text": "Findings that the reader of this file would not take are left out." },
            "defaultConfiguration": { "level": "warning" },
        }],
    })
}

fn descriptor(rule: Rule) -> Value {
    let meaning = sentence(rule.meaning());
    let group = match rule.group() {
        Some(group) => format!("It is of the group `{group}`, and fails a check that asks for that group."),
        None => "It fails no check unless its level is set to `error`.".to_owned(),
    };
    let tags: Vec<&str> = ["documentation"].into_iter().chain(rule.group().map(|group| group.as_str())).collect();
    json!({
        "id": rule.as_str(),
        "name": pascal(rule.as_str()),
        "shortDescription": { "text": meaning },
        "fullDescription": { "text": format!("{meaning} {group}") },
        "help": { "text": wording::advice(rule) },
        "defaultConfiguration": { "level": level(rule.default_level()) },
        "properties": { "tags": tags },
    })
}

/// Returns notes about what is left out, and what GitHub will not show.
fn notifications(results: usize, note: Option<&str>) -> Vec<Value> {
    let unseen = (results > SHOWN)
        .then(|| format!("{results} results are in this file; GitHub shows the {SHOWN} gravest of a run"));
    let texts = note.map(str::to_owned).into_iter().chain(unseen);
    let notification = |text: String| {
        json!({
            "level": "warning",
            "message": { "text": sentence(&text) },
            "descriptor": { "id": LEFT_OUT, "index": 0 },
        })
    };
    texts.map(notification).collect()
}

/// Returns each finding's fingerprint with its number among equal ones in the report, from one.
fn fingerprints(report: &Report) -> Vec<(ContentHash, u32)> {
    let mut seen: HashMap<ContentHash, u32> = HashMap::new();
    let numbered = |finding: &Finding| {
        let hash = finding.fingerprint();
        let number = seen.entry(hash).or_default();
        *number += 1;
        (hash, *number)
    };
    report.findings.iter().map(numbered).collect()
}

/// The results, made one by one during writing.
struct SarifResults<'a> {
    report: &'a Report,
    kept: &'a KeptFindings<'a>,
    fingerprints: Vec<(ContentHash, u32)>,
}

impl Serialize for SarifResults<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The standard requires the state for each result, or for none.
        let has_baseline = self.report.findings.iter().any(|finding| finding.is_known);
        serializer.collect_seq(self.kept.findings.iter().map(|(index, finding)| {
            let (hash, number) = self.fingerprints[*index];
            let mut result = json!({
                "ruleId": finding.rule.as_str(),
                "ruleIndex": finding.rule as usize,
                "level": level(finding.level),
                // Square brackets before round ones would form a link in a SARIF message.
                "message": { "text": sentence(&wording::message(finding)).replace("](", "] (") },
                "locations": [location(self.report, finding)],
                "partialFingerprints": {
                    "warRigFindingHash/v1": format!("{hash}:{number}"),
                    "primaryLocationLineHash": format!("{}:{number}", hash.short(16)),
                },
            });
            if has_baseline {
                result["baselineState"] = json!(if finding.is_known { "unchanged" } else { "new" });
            }
            if finding.is_known {
                let justification = "The baseline holds it.";
                result["suppressions"] =
                    json!([{ "kind": "external", "status": "accepted", "justification": justification }]);
            }
            result
        }))
    }
}

/// Returns the location of a finding. A finding about a whole file is on line one, because GitHub shows nothing without a line.
fn location(report: &Report, finding: &Finding) -> Value {
    let (start_line, end_line) = finding.lines.map_or((1, 1), |lines| (lines.start().get(), lines.end().get()));
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(report, finding), "uriBaseId": ROOT },
            "region": { "startLine": start_line, "endLine": end_line },
        },
    })
}

fn uri(report: &Report, finding: &Finding) -> String {
    utf8_percent_encode(&report.paths.path_of(finding), ESCAPED).to_string()
}

/// Returns the standard's name of a level.
fn level(level: FindingLevel) -> &'static str {
    match level {
        FindingLevel::Off => "none",
        FindingLevel::Note => "note",
        FindingLevel::Warning => "warning",
        FindingLevel::Error => "error",
    }
}

/// Converts `stale-document` to `StaleDocument`.
fn pascal(id: &str) -> String {
    id.split('-').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}
