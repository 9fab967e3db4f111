//! What a program reads and writes.

use super::Writer;
use crate::phrases::{in_words, list, sentence, shorten};
use war_rig_cobol::{Resource, ResourceKind};
use war_rig_template::{PartialDataFlow, PartialFlow, PartialInterface};

impl Writer<'_, '_> {
    pub(super) fn interfaces(&self, wanted: impl Fn(&Resource) -> bool) -> Vec<PartialInterface> {
        self.reading.resources
            .iter()
            .filter(|resource| wanted(resource))
            .filter_map(|resource| {
                let citations: Vec<_> =
                    resource.operations.iter().filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                (!citations.is_empty()).then(|| PartialInterface {
                    name: resource.name.clone(),
                    io_type: resource.kind.in_words().to_owned(),
                    description: self.describe(resource),
                    copybook: resource.copybook.clone(),
                    citations,
                })
            })
            .collect()
    }

    fn describe(&self, resource: &Resource) -> String {
        let mut operations: Vec<String> = Vec::new();
        for (operation, _) in &resource.operations {
            if !operations.contains(operation) {
                operations.push(operation.clone());
            }
        }
        let what = match &resource.kind {
            ResourceKind::File(index) => {
                let file = &self.reading.parsed.files[*index];
                let kind = if file.sort {
                    "Sort file".to_owned()
                } else {
                    sentence(&format!("{} file", file.organization.to_lowercase()))
                        .trim_end_matches('.')
                        .to_owned()
                };
                let assigned =
                    file.assign.as_deref().map(|assign| format!(" assigned to {assign}")).unwrap_or_default();
                let key = file.key.as_deref().map(|key| format!(", key {key}")).unwrap_or_default();
                let status =
                    file.status.as_deref().map(|status| format!(", status in {status}")).unwrap_or_default();
                format!("{kind}{assigned}{key}{status}")
            }
            ResourceKind::Parameter => {
                return "Handed over by the caller (PROCEDURE DIVISION USING).".to_owned();
            }
            kind => {
                let named = self.reading.parsed.data_items.iter().find(|item| item.name == resource.name);
                let value = named
                    .and_then(|item| item.value.as_deref())
                    .map(|value| format!(" named by the value {value}"))
                    .unwrap_or_default();
                format!("{}{value}", sentence(kind.in_words()).trim_end_matches('.'))
            }
        };
        format!("{what}; {}.", list(&operations))
    }

    pub(super) fn data_flow(&self) -> PartialDataFlow {
        let flows = |wanted: &dyn Fn(&Resource) -> bool, verb: &str| {
            let mut flows = Vec::new();
            for resource in self.reading.resources
                .iter()
                .filter(|resource| resource.kind != ResourceKind::Parameter && wanted(resource))
            {
                let citations: Vec<_> =
                    resource.operations.iter().filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                if !citations.is_empty() {
                    let description = format!("{verb} the {} {}.", resource.kind.in_words(), resource.name);
                    flows.push(PartialFlow { name: resource.name.clone(), description, citations });
                }
            }
            flows
        };
        let mut transforms = Vec::new();
        for found in
            self.reading.parsed.statements.iter().filter(|found| found.verb == "COMPUTE" && found.file.is_none())
        {
            let citations = self.cite(found.lines);
            if let Some((target, formula)) = found.text[7..].split_once('=').filter(|_| !citations.is_empty())
            {
                transforms.push(PartialFlow {
                    name: in_words(target.trim()),
                    description: sentence(&format!("computed as {}", shorten(&in_words(formula.trim())))),
                    citations,
                });
            }
        }
        PartialDataFlow {
            reads_from: flows(&|resource| resource.is_read, "Read from"),
            writes_to: flows(&|resource| resource.is_written, "Written to"),
            transforms,
        }
    }
}
