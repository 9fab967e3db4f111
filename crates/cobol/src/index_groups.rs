//! Indices by what they belong to: statements by paragraphs, branches by statements.

use crate::model::ParsedCobol;

/// Indices by group, in order, in two lists for all groups.
#[derive(Debug, Clone)]
pub struct IndexGroups {
    /// The start of each group, followed by the end of the last one.
    starts: Vec<u32>,
    members: Vec<usize>,
}

impl IndexGroups {
    /// Groups the indices of `group_of` by its values.
    pub fn of(groups: usize, group_of: impl Iterator<Item = Option<usize>> + Clone) -> Self {
        let mut starts = vec![0; groups + 1];
        for group in group_of.clone().flatten() {
            starts[group + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts[groups] as usize];
        for (index, group) in group_of.enumerate() {
            if let Some(group) = group {
                members[next[group] as usize] = index;
                next[group] += 1;
            }
        }
        Self { starts, members }
    }

    /// Groups the branches of a source by their statements.
    pub fn of_branches(parsed: &ParsedCobol) -> Self {
        Self::of(parsed.statements.len(), parsed.branches.iter().map(|branch| Some(branch.statement)))
    }

    /// Returns the members of a group.
    pub fn get(&self, group: usize) -> &[usize] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}
