//! Matches the DDs of a step to the files of programs.

use super::EstateGraph;
use super::node::{EdgeKind, NodeId};
use super::survey::{DdUse, NamedPath, Survey};
use crate::jcl::AllocationKind;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// Returns the files that programs assign to DD names, by program.
pub(super) fn by_program(surveys: &[Survey]) -> HashMap<NodeId, Vec<DdUse>> {
    let mut files: HashMap<NodeId, Vec<DdUse>> = HashMap::new();
    for used in surveys.iter().flat_map(|survey| &survey.dd_uses) {
        files.entry(used.program.clone()).or_default().push(used.clone());
    }
    files
}

/// What a DD gives to a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AssignedData {
    /// DUMMY: nothing.
    Dummy,
    /// Lines of the job itself.
    InStream,
    /// Output to print.
    Sysout,
    /// A data set.
    DataSet {
        /// The data set.
        id: NodeId,
        /// The relative generation of it that the step names: 0 is the current one, 1 the next, -1 the one before.
        generation: Option<i32>,
    },
}

impl AssignedData {
    /// Returns what an allocation without a data set gives; none for those of which nothing is told.
    pub(super) fn without_data_set(kind: AllocationKind) -> Option<Self> {
        match kind {
            AllocationKind::Dummy => Some(Self::Dummy),
            AllocationKind::InStream => Some(Self::InStream),
            AllocationKind::Sysout => Some(Self::Sysout),
            _ => None,
        }
    }
}

/// What a step assigns to a file of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssignedDataSet {
    /// The file's name in the program.
    pub file: String,
    /// The DD name.
    pub dd: String,
    /// The step.
    pub step: NodeId,
    /// What the DD gives.
    pub data: AssignedData,
    /// The program's access to it: letters of `CRUD`.
    pub access: String,
}

impl EstateGraph {
    /// Returns what steps assign to the files of a program, in the order of files and steps.
    pub fn assigned_data_sets(&self, program: &NodeId) -> &[AssignedDataSet] {
        self.given.get(program).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether all files of the programs that a step runs are known: no other DD of it is a file's.
    pub fn has_known_files(&self, step: &NodeId) -> bool {
        self.steps_with_known_files.contains(step)
    }

    /// Returns the number of lines of the source that defines this; none if the estate only names it.
    pub fn lines_of(&self, id: &NodeId) -> Option<u64> {
        let place = self.node(id)?.defined.first()?;
        self.lines.get(&place.file).copied()
    }

    /// Returns the files of programs to which no step assigns anything, and of which no program says what data they are, in the order of the programs.
    pub fn unassigned_files(&self) -> Vec<&DdUse> {
        let is_assigned = |used: &&DdUse| {
            let given = self.given.get(&used.program).map(Vec::as_slice).unwrap_or_default();
            matches!(used.path, Some(NamedPath::Literal(_))) || given.iter().any(|given| given.dd == used.dd)
        };
        let mut files: Vec<&DdUse> = self.program_files.values().flatten().filter(|used| !is_assigned(used)).collect();
        files.sort_by_key(|used| (&used.program, used.line, &used.dd));
        files
    }

    /// Returns the files of these programs and of all that they call, with the DD names through which a step assigns data; nearest
    /// program first. A file that several sources of a program define alike is one.
    pub fn files_of(&self, programs: impl IntoIterator<Item = NodeId>) -> Vec<&DdUse> {
        let mut open: Vec<NodeId> = Vec::new();
        let mut seen = HashSet::new();
        open.extend(programs.into_iter().filter(|program| seen.insert(program.clone())));
        let mut next = 0;
        while let Some(program) = open.get(next).cloned() {
            next += 1;
            let calls = self.outgoing_edges(&program).filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)));
            open.extend(calls.map(|edge| edge.to.clone()).filter(|called| seen.insert(called.clone())));
        }
        let files = open.iter().filter_map(|program| self.program_files.get(program)).flatten();
        let mut known = HashSet::new();
        files.filter(|used| known.insert((&used.program, &used.file, &used.dd, &used.access))).collect()
    }
}
