//! The SARIF 2.1.0 objects that are written, with the names of the standard.

use super::SarifResults;
use crate::report::CheckTotals;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [SarifRun<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun<'a> {
    pub(super) tool: Tool,
    pub(super) column_kind: &'static str,
    pub(super) original_uri_base_ids: UriBases,
    pub(super) invocations: [Invocation; 1],
    pub(super) properties: RunProperties<'a>,
    pub(super) results: SarifResults<'a>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Descriptor>,
    pub(super) notifications: [Descriptor; 1],
}

/// A rule, or a kind of notification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) id: &'static str,
    pub(super) name: String,
    pub(super) short_description: SarifMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_description: Option<SarifMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<SarifMessage>,
    pub(super) default_configuration: Configuration,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Tags>,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct Tags {
    pub(super) tags: Vec<&'static str>,
}

#[derive(Serialize)]
pub(super) struct SarifMessage {
    text: String,
}

impl SarifMessage {
    pub(super) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Serialize)]
pub(super) struct UriBases {
    #[serde(rename = "%SRCROOT%")]
    pub(super) root: UriBase,
}

#[derive(Serialize)]
pub(super) struct UriBase {
    pub(super) description: SarifMessage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: SarifMessage,
    pub(super) descriptor: SarifReference,
}

#[derive(Serialize)]
pub(super) struct SarifReference {
    pub(super) id: &'static str,
    pub(super) index: usize,
}

/// Our own property bag.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunProperties<'a> {
    pub(super) findings: usize,
    pub(super) left_out: usize,
    pub(super) failed: usize,
    pub(super) counts: BTreeMap<&'static str, usize>,
    pub(super) checked: &'a CheckTotals,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: SarifMessage,
    pub(super) locations: [SarifLocation; 1],
    pub(super) partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressions: Option<[Suppression; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    pub(super) physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    pub(super) uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

#[derive(Serialize)]
pub(super) struct Fingerprints {
    #[serde(rename = "warRigFindingHash/v1")]
    pub(super) own: String,
    #[serde(rename = "primaryLocationLineHash")]
    pub(super) github: String,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: &'static str,
}
