//! SARIF against what the standard asks of the objects that are written.
//!
//! The standard's schema allows no other properties than its own, so these types refuse unknown ones; what it requires is no option here,
//! what it enumerates is an enumeration, and lines begin at one.

#![expect(dead_code, reason = "that each field can be read is what is tested")]

use super::{sample, written};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use war_rig_check::{Finding, Report, ReportFormat, Rule};

macro_rules! objects {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => {$(
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $name { $(pub(super) $field: $type,)* }
    )*};
}

macro_rules! names {
    ($($name:ident { $($value:ident,)* })*) => {$(
        #[derive(Debug, Deserialize, PartialEq, Eq)]
        #[serde(rename_all = "camelCase")]
        pub(super) enum $name { $($value,)* }
    )*};
}

names! {
    Severity { None, Note, Warning, Error, }
    Columns { Utf16CodeUnits, UnicodeCodePoints, }
    State { New, Unchanged, Updated, Absent, }
    Kind { InSource, External, }
    Status { Accepted, UnderReview, Rejected, }
}

objects! {
    Run {
        tool: Tool,
        column_kind: Columns,
        original_uri_base_ids: BTreeMap<String, UriBase>,
        invocations: Vec<Invocation>,
        properties: Map<String, Value>,
        results: Vec<Outcome>,
    }
    Tool { driver: Driver, }
    Driver { name: String, version: String, semantic_version: String, rules: Vec<Descriptor>, notifications: Vec<Descriptor>, }
    Descriptor {
        id: String,
        name: String,
        short_description: Message,
        full_description: Option<Message>,
        help: Option<Message>,
        default_configuration: Configuration,
        properties: Option<Map<String, Value>>,
    }
    Configuration { level: Severity, }
    Message { text: String, }
    UriBase { description: Message, }
    Invocation { execution_successful: bool, tool_execution_notifications: Vec<Notification>, }
    Notification { level: Severity, message: Message, descriptor: Reference, }
    Reference { id: String, index: usize, }
    Outcome {
        rule_id: String,
        rule_index: usize,
        level: Severity,
        message: Message,
        locations: Vec<Location>,
        partial_fingerprints: BTreeMap<String, String>,
        baseline_state: Option<State>,
        suppressions: Option<Vec<Suppression>>,
    }
    Suppression { kind: Kind, status: Status, justification: String, }
    Location { physical_location: PhysicalLocation, }
    PhysicalLocation { artifact_location: ArtifactLocation, region: Region, }
    ArtifactLocation { uri: String, uri_base_id: String, }
    Region { start_line: NonZeroU32, end_line: NonZeroU32, }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    #[serde(rename = "$schema")]
    schema: String,
    version: String,
    runs: Vec<Run>,
}

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The only run of the log, all of whose references are followed and whose addresses are those that a URI may have.
pub(super) fn run(text: &str) -> Run {
    let mut log: Log = read(text);
    assert_eq!(log.version, "2.1.0");
    assert!(log.schema.ends_with("/sarif-schema-2.1.0.json"));
    assert_eq!(log.runs.len(), 1);
    let run = log.runs.remove(0);
    let driver = &run.tool.driver;
    for notification in run.invocations.iter().flat_map(|invocation| &invocation.tool_execution_notifications) {
        assert_eq!(driver.notifications[notification.descriptor.index].id, notification.descriptor.id);
    }
    for result in &run.results {
        assert_eq!(driver.rules[result.rule_index].id, result.rule_id);
        assert!(!result.message.text.is_empty());
        let [location] = result.locations.as_slice() else { panic!("one location, not {:?}", result.locations) };
        let PhysicalLocation { artifact_location, region } = &location.physical_location;
        assert!(region.start_line <= region.end_line);
        assert!(run.original_uri_base_ids.contains_key(&artifact_location.uri_base_id));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
        assert!(artifact_location.uri.chars().all(is_plain), "{}", artifact_location.uri);
    }
    let has_state = run.results.iter().filter(|result| result.baseline_state.is_some()).count();
    assert!(has_state == 0 || has_state == run.results.len());
    let own: BTreeSet<_> = run.results.iter().map(|result| &result.partial_fingerprints).collect();
    assert_eq!(own.len(), run.results.len(), "no two results share a fingerprint");
    run
}

#[test]
fn what_is_written_is_what_the_standard_knows() {
    let run = run(&written(&sample(), ReportFormat::Sarif).0);
    assert_eq!(run.results.len(), 6);
    assert_eq!(run.results.iter().filter(|result| result.suppressions.is_some()).count(), 1);
    assert_eq!(run.tool.driver.semantic_version.split('.').count(), 3);
}

/// GitHub cuts names at 255 characters and descriptions at 1,024, and shows no rule without a help.
#[test]
fn rules_are_told_in_full() {
    let run = run(&written(&Report::default(), ReportFormat::Sarif).0);
    for (descriptor, rule) in run.tool.driver.rules.iter().zip(Rule::ALL) {
        assert_eq!(descriptor.id, rule.as_str());
        assert!(descriptor.name.len() < 255 && !descriptor.name.contains('-'));
        let full = descriptor.full_description.as_ref().unwrap();
        for text in [&descriptor.short_description, full, descriptor.help.as_ref().unwrap()] {
            assert!(text.text.ends_with('.') && text.text.len() < 1_024, "{text:?}");
        }
    }
}

#[test]
fn a_path_is_escaped_as_an_address() {
    let report =
        |file: &str| Report { findings: vec![Finding::new(Rule::StaleDocument, file, "x")], ..Report::default() };
    for (file, uri) in [
        ("cbl/A.cbl", "cbl/A.cbl"),
        ("c:d/A B.cbl", "c%3Ad/A%20B.cbl"),
        ("100%/#1?.cbl", "100%25/%231%3F.cbl"),
        ("Größe.cbl", "Gr%C3%B6%C3%9Fe.cbl"),
        ("a\u{202E}\n.cbl", "a%E2%80%AE%0A.cbl"),
    ] {
        let run = run(&written(&report(file), ReportFormat::Sarif).0);
        assert_eq!(run.results[0].locations[0].physical_location.artifact_location.uri, uri);
    }
}
