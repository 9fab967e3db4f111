//! The data that the steps of a job work on, and how it passes between them.

use super::dds::{Access, is_library, name_of, node_of};
use super::writer::{Writer, access_in_words};
use std::collections::HashMap;
use war_rig_estate::jcl::{AllocationKind, Dd, IdcamsCommand};
use war_rig_estate::{NodeId, NodeKind};
use war_rig_template::JobData;

/// How many steps that wrote a data set are named.
const MAKERS_NAMED: usize = 3;

/// The data of a job while its steps are gone through.
#[derive(Default)]
pub(super) struct Ledger {
    entries: Vec<(JobData, Option<NodeId>)>,
    places: HashMap<String, usize>,
}

impl Ledger {
    /// The steps so far that wrote this data set, last first.
    pub(super) fn made_by(&self, name: &str) -> Vec<String> {
        let entry = self.places.get(&name.to_uppercase()).map(|place| &self.entries[*place].0);
        entry
            .map(|entry| entry.written_by.iter().rev().take(MAKERS_NAMED).cloned().collect())
            .unwrap_or_default()
    }

    /// Notes what a step does with the data sets of a DD.
    pub(super) fn note(&mut self, step: &str, dd: &Dd, access: impl Fn(&Dd, usize) -> Access) {
        if is_library(&dd.name) {
            return;
        }
        for (place, allocation) in dd.allocations.iter().enumerate() {
            let is_data = matches!(
                allocation.kind,
                AllocationKind::Dataset | AllocationKind::Temporary | AllocationKind::Reference
            );
            let Some(name) = name_of(allocation).filter(|_| is_data) else { continue };
            let is_temporary = allocation.kind == AllocationKind::Temporary || name.starts_with("&&");
            self.add(step, &name, is_temporary, node_of(allocation), access(dd, place));
        }
    }

    /// Notes what a step does with the data sets that a command names.
    pub(super) fn note_command(&mut self, step: &str, command: &IdcamsCommand) {
        let reads = Access { reads: true, ..Access::default() };
        let writes = Access { writes: true, ..Access::default() };
        let deletes = Access { deletes: true, ..Access::default() };
        let (names, access) = match command.verb.as_str() {
            "DEFINE" => (&command.names[..command.names.len().min(1)], writes),
            "DELETE" => (command.names.as_slice(), deletes),
            _ => (&[][..], reads),
        };
        let all = names.iter().map(|name| (name, access));
        let all = all.chain(command.input_datasets.iter().map(|name| (name, reads)));
        for (name, access) in all.chain(command.output_datasets.iter().map(|name| (name, writes))) {
            let plain = name.split('(').next().unwrap_or(name);
            self.add(step, name, false, Some(NodeId::new(NodeKind::Dataset, plain)), access);
        }
    }

    fn add(&mut self, step: &str, name: &str, is_temporary: bool, node: Option<NodeId>, access: Access) {
        let place = *self.places.entry(name.to_uppercase()).or_insert_with(|| {
            let data = JobData { name: name.to_owned(), is_temporary, ..JobData::default() };
            self.entries.push((data, node));
            self.entries.len() - 1
        });
        let entry = &mut self.entries[place].0;
        let lists = [
            (access.reads, &mut entry.read_by),
            (access.writes, &mut entry.written_by),
            (access.deletes, &mut entry.deleted_by),
            (access == Access::default(), &mut entry.used_in),
        ];
        for (_, list) in lists.into_iter().filter(|(is_so, _)| *is_so) {
            // A step comes once, and its DDs follow each other.
            if list.last().is_none_or(|last| last != step) {
                list.push(step.to_owned());
            }
        }
    }

    /// All of it, in the order of first use.
    pub(super) fn finish(self, writer: &Writer<'_>, job: &str) -> Vec<JobData> {
        let own = format!("{}.", job.to_uppercase());
        let finish = |(mut data, node): (JobData, Option<NodeId>)| {
            if let Some(node) = node {
                let others = writer.graph.leading_to(&node).filter(|edge| match edge.from.kind {
                    NodeKind::Step => job.is_empty() || !edge.from.name.starts_with(&own),
                    NodeKind::File => true,
                    _ => false,
                });
                data.elsewhere = writer.users(others, |edge| {
                    Some(access_in_words(&edge.access)).filter(|words| !words.is_empty())
                });
            }
            data
        };
        self.entries.into_iter().map(finish).collect()
    }
}
