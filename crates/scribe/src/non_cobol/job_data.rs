//! Describes the data of a job's steps, and how it passes between them.

use super::dds::{DataAccess, name_of, node_of};
use super::writer::{NonCobolWriter, accesses_in_words};
use crate::phrases::list;
use foldhash::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use war_rig_estate::jcl::{
    Allocation, AllocationKind, Dd, DdUsage, EffectiveStep, IdcamsCommand, JclComment, is_library,
};
use war_rig_estate::{Edge, Node, NodeId, NodeKind};
use war_rig_template::{JobData, Mention, Users};
use war_rig_text::LineNumber;

/// How many steps that wrote a data set are named.
const MAKERS_NAMED: usize = 3;

/// How many other jobs that use a data set are named.
const JOBS_NAMED: usize = 20;

/// Collects the data of a job while its steps are described.
#[derive(Default)]
pub(super) struct DataSetTracker {
    entries: Vec<TrackedData>,
    places: HashMap<String, usize>,
    /// How many steps have each name.
    steps: HashMap<String, u32>,
    /// The data sets that commands of steps have deleted.
    deletions: HashMap<String, Deletions>,
    /// Where each comment above the EXEC of a procedure stands that was told with the first step of the procedure.
    told: HashSet<(Option<Arc<str>>, LineNumber)>,
}

/// A data set of the job.
struct TrackedData {
    data: JobData,
    node: Option<NodeId>,
    /// How many of its writers wrote the data set that was there before a step made it anew.
    earlier_writers: usize,
}

/// How the commands of a job delete a data set.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deletions {
    /// One deletes it, and a later one defines it anew.
    pub(super) to_define_anew: bool,
    /// One deletes it for good.
    pub(super) for_good: bool,
    /// One deletes for good what the job has defined itself.
    pub(super) of_its_own: bool,
}

impl DataSetTracker {
    /// Returns what commands of the job delete of a data set.
    pub(super) fn deletions(&self, name: &str) -> Deletions {
        self.deletions.get(&name.to_uppercase()).copied().unwrap_or_default()
    }

    /// Returns the name under which a step is recorded: its own, and its order among the steps of that name if it is not the first.
    pub(super) fn begin_step(&mut self, name: String) -> String {
        let times = self.steps.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name} ({times})") }
    }

    /// Returns the comments above the EXECs of the procedures that a step is of, if it is the first step that runs for them.
    pub(super) fn new_comments<'s>(&mut self, step: &'s EffectiveStep) -> impl Iterator<Item = &'s JclComment> {
        step.caller_comments
            .iter()
            .filter(move |comment| self.told.insert((comment.file.clone(), comment.lines.start())))
    }

    /// Returns the previous steps that wrote this data set or, if none did, that defined it, last first.
    pub(super) fn made_by(&self, name: &str) -> Vec<String> {
        let entry = self.places.get(&name.to_uppercase()).map(|place| &self.entries[*place]);
        let makers = entry.map(|entry| match &entry.data.written_by[entry.earlier_writers..] {
            [] => entry.data.defined_by.as_slice(),
            writers => writers,
        });
        makers.unwrap_or_default().iter().rev().take(MAKERS_NAMED).cloned().collect()
    }

    /// Says which generation an allocation names if previous steps made one of its data set: relative numbers hold for the whole job.
    pub(super) fn generation_note(&self, allocation: &Allocation) -> Option<String> {
        let (number, base) = (allocation.generation?, &allocation.dataset.as_ref()?.resolved);
        let made = |number: i32| {
            let name = format!("{base}(+{number})").to_uppercase();
            let entry = self.places.get(&name).map(|place| &self.entries[*place].data);
            entry.filter(|entry| !entry.written_by.is_empty())
        };
        match number {
            0 => {
                made(1).map(|_| "(0) is the generation that was current when the job began, before its (+1)".to_owned())
            }
            _ if number < 0 => made(1).map(|_| format!("({number}) counts from what was current when the job began")),
            _ if allocation.usage != DdUsage::Created => {
                Some(format!("(+{number}) is the new generation that {} made", list(&made(number)?.written_by)))
            }
            _ => {
                let first = made(number).filter(|made| made.deleted_by.is_empty())?.written_by.first()?;
                Some(format!("(+{number}) is made by {first} too"))
            }
        }
    }

    /// Records the access of a step to the data sets of a DD.
    pub(super) fn note(&mut self, step: &str, dd: &Dd, access: impl Fn(&Dd, usize) -> DataAccess) {
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
            // Users of other members of a library are irrelevant to this member.
            let node = node_of(allocation).filter(|_| allocation.member.is_none());
            let entry = self.add(step, &name, is_temporary, node, access(dd, place));
            let may_be_new = entry.data.is_temporary || !entry.data.deleted_by.is_empty();
            if allocation.usage == DdUsage::Created && may_be_new {
                let writers = &entry.data.written_by;
                entry.earlier_writers = writers.len() - usize::from(writers.last().is_some_and(|last| last == step));
            }
        }
    }

    /// Records the access of a step to the data sets that one of its commands names.
    pub(super) fn note_command(&mut self, step: &str, command: &IdcamsCommand) {
        self.note_deletions(command);
        let reads = DataAccess { reads: true, ..DataAccess::default() };
        let writes = DataAccess { writes: true, ..DataAccess::default() };
        let deletes = DataAccess { deletes: true, ..DataAccess::default() };
        let defines = DataAccess { defines: true, ..DataAccess::default() };
        let (names, access) = match command.verb.as_str() {
            "DEFINE" => (&command.names[..command.names.len().min(1)], defines),
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

    /// Records what a DELETE deletes for good, and what to define it anew.
    fn note_deletions(&mut self, command: &IdcamsCommand) {
        for name in command.names.iter().filter(|_| command.verb == "DELETE") {
            let key = name.to_uppercase();
            let entry = self.places.get(&key).map(|place| &self.entries[*place].data);
            let is_own = entry.is_some_and(|entry| !entry.defined_by.is_empty());
            let deletions = self.deletions.entry(key).or_default();
            if command.recreated.contains(name) {
                deletions.to_define_anew = true;
            } else {
                deletions.for_good = true;
                deletions.of_its_own |= is_own;
            }
        }
    }

    fn add(
        &mut self,
        step: &str,
        name: &str,
        is_temporary: bool,
        node: Option<NodeId>,
        access: DataAccess,
    ) -> &mut TrackedData {
        let place = *self.places.entry(name.to_uppercase()).or_insert_with(|| {
            let data = JobData { name: name.to_owned(), is_temporary, ..JobData::default() };
            self.entries.push(TrackedData { data, node, earlier_writers: 0 });
            self.entries.len() - 1
        });
        let tracked = &mut self.entries[place];
        let entry = &mut tracked.data;
        let lists = [
            (access.reads, &mut entry.read_by),
            (access.writes, &mut entry.written_by),
            (access.defines, &mut entry.defined_by),
            (access.deletes, &mut entry.deleted_by),
            (access.uses, &mut entry.used_in),
        ];
        for (_, list) in lists.into_iter().filter(|(is_so, _)| *is_so) {
            // Each step is recorded once, and its DDs are consecutive.
            if list.last().is_none_or(|last| last != step) {
                list.push(step.to_owned());
            }
        }
        tracked
    }

    /// Returns all data in the order of first use.
    pub(super) fn finish(&mut self, writer: &NonCobolWriter<'_>, job: &str) -> Vec<JobData> {
        let finish = |TrackedData { mut data, node, .. }: TrackedData| {
            data.elsewhere = node.map(|node| elsewhere(writer, &node, job)).unwrap_or_default();
            data
        };
        std::mem::take(&mut self.entries).into_iter().map(finish).collect()
    }
}

/// Lists the other jobs that use a data set, each once with all its access, and the CICS files stored in it.
fn elsewhere(writer: &NonCobolWriter<'_>, data_set: &NodeId, job: &str) -> Users {
    let mut jobs: BTreeMap<&str, (Vec<&Edge>, &NodeId)> = BTreeMap::new();
    // Other versions of a job do not run beside it.
    let is_here = |node: &&Node| node.defined.iter().any(|place| *place.file == *writer.source.name());
    let own: Vec<&NodeId> =
        writer.graph.jobs_of_name(job).filter(is_here).map(|node| writer.graph.first_version(&node.id)).collect();
    let mut users = Users::default();
    for edge in writer.graph.incoming_edges(data_set) {
        match edge.from.kind {
            NodeKind::File => users.named.push(writer.mention_of(&edge.from, Some("CICS file".to_owned()))),
            NodeKind::Step => {
                let name = edge.from.name.split('.').next().unwrap_or_default();
                let of_step = NodeId::new(NodeKind::Job, name);
                let is_own = own.contains(&writer.graph.first_version(&of_step));
                if !is_own {
                    jobs.entry(name).or_insert_with(|| (Vec::new(), &edge.from)).0.push(edge);
                }
            }
            _ => {}
        }
    }
    let more = jobs.len().saturating_sub(JOBS_NAMED) as u64;
    let jobs = jobs.into_iter().take(JOBS_NAMED).map(|(name, (edges, step))| {
        let is_told = |edge: &&&Edge| !edge.is_recreation() && !edge.is_guess();
        let letters: String = edges.iter().filter(is_told).map(|edge| edge.access.as_str()).collect();
        let anew = if edges.iter().any(|edge| edge.is_recreation()) { "defines anew" } else { "defines" };
        let defines = edges.iter().any(|edge| edge.defines()).then(|| anew.to_owned());
        let words: Vec<String> = defines.into_iter().chain(accesses_in_words(&letters)).collect();
        Mention {
            kind: "job".to_owned(),
            name: name.to_owned(),
            document: writer.document_of(step),
            detail: (!words.is_empty()).then(|| list(&words)),
        }
    });
    users.named.extend(jobs);
    users.more = more;
    users
}
