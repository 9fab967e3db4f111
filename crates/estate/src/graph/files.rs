//! Which files of programs the DDs of a step are.

use super::EstateGraph;
use super::node::{NodeId, Relation};
use super::survey::{DdUse, Survey};
use std::collections::{HashMap, HashSet};

/// The files that programs assign to DD names, by program.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ProgramFiles(HashMap<NodeId, Vec<DdUse>>);

impl ProgramFiles {
    pub(super) fn of(surveys: &[Survey]) -> Self {
        let mut files: HashMap<NodeId, Vec<DdUse>> = HashMap::new();
        for used in surveys.iter().flat_map(|survey| &survey.dd_uses) {
            files.entry(used.program.clone()).or_default().push(used.clone());
        }
        Self(files)
    }
}

impl EstateGraph {
    /// The files of these programs, and of all that they call, with the DD names under which a step gives them data; nearest program
    /// first.
    pub fn files_of(&self, programs: impl IntoIterator<Item = NodeId>) -> Vec<&DdUse> {
        let mut open: Vec<NodeId> = Vec::new();
        let mut seen = HashSet::new();
        open.extend(programs.into_iter().filter(|program| seen.insert(program.clone())));
        let mut next = 0;
        while let Some(program) = open.get(next).cloned() {
            next += 1;
            let calls =
                self.leading_from(&program).filter(|edge| matches!(edge.relation, Relation::Calls(_)));
            open.extend(calls.map(|edge| edge.to.clone()).filter(|called| seen.insert(called.clone())));
        }
        open.iter().filter_map(|program| self.program_files.0.get(program)).flatten().collect()
    }
}
