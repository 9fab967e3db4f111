//! What is grouped: sources of programs, each with the programs that it alone calls.

use super::PinnedFunction;
use crate::graph::{EdgeKind, EstateGraph, NodeId, NodeKind};
use foldhash::{HashMap, HashMapExt};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_cobol::CallKind;

/// How many functions must call a program that belongs to none of them. More than half of its callers in one of them bind it to that one.
const CALLING_FUNCTIONS: usize = 3;

/// The units of an estate.
pub(super) struct Units {
    /// The programs of each unit, by name. A unit is named after its first source.
    programs: Vec<Vec<NodeId>>,
    /// The unit of each program.
    unit_of: HashMap<NodeId, usize>,
    /// The units that call each unit.
    callers: Vec<BTreeSet<usize>>,
    /// Whether a transaction or a job starts the unit.
    is_started: Vec<bool>,
}

impl Units {
    /// Groups the programs of the estate by source, and the sources by who calls them.
    pub(super) fn of(graph: &EstateGraph) -> Self {
        let mut sources: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        // All versions of a program are one unit.
        for node in graph.nodes_of_kind(NodeKind::Program) {
            let first = graph.node(graph.first_version(&node.id));
            if let Some(place) = first.and_then(|first| first.defined.first()).filter(|_| !node.defined.is_empty()) {
                sources.entry(&place.file).or_default().push(node.id.clone());
            }
        }
        let sources: Vec<Vec<NodeId>> = sources.into_values().collect();
        let source_of: HashMap<&NodeId, usize> =
            sources.iter().enumerate().flat_map(|(at, ids)| ids.iter().map(move |id| (id, at))).collect();
        let mut calls = BTreeSet::new();
        let mut is_started = vec![false; sources.len()];
        for edge in &graph.edges {
            let Some(to) = source_of.get(&edge.to).copied() else { continue };
            match edge.relation {
                // XCTL hands work on to another function as often as not.
                EdgeKind::Calls(CallKind::CicsXctl) => {}
                EdgeKind::Calls(_) => {
                    calls.extend(source_of.get(&edge.from).filter(|from| **from != to).map(|from| (*from, to)));
                }
                EdgeKind::Runs | EdgeKind::Starts => is_started[to] = true,
                _ => {}
            }
        }
        let owners = owners(sources.len(), &calls, &is_started);
        Self::from_owners(&sources, &owners, &calls, &is_started)
    }

    fn from_owners(
        sources: &[Vec<NodeId>],
        owners: &[usize],
        calls: &BTreeSet<(usize, usize)>,
        started: &[bool],
    ) -> Self {
        let mut numbers = HashMap::new();
        let mut units =
            Self { programs: Vec::new(), unit_of: HashMap::new(), callers: Vec::new(), is_started: Vec::new() };
        let of_source: Vec<usize> = owners
            .iter()
            .map(|owner| {
                let next = numbers.len();
                *numbers.entry(*owner).or_insert(next)
            })
            .collect();
        units.programs.resize(numbers.len(), Vec::new());
        units.callers.resize(numbers.len(), BTreeSet::new());
        units.is_started.resize(numbers.len(), false);
        for (source, unit) in of_source.iter().enumerate() {
            units.programs[*unit].extend_from_slice(&sources[source]);
            units.is_started[*unit] |= started[source];
            units.unit_of.extend(sources[source].iter().map(|id| (id.clone(), *unit)));
        }
        for (from, to) in calls.iter().map(|(from, to)| (of_source[*from], of_source[*to])) {
            if from != to {
                units.callers[to].insert(from);
            }
        }
        units.programs.iter_mut().for_each(|programs| programs.sort());
        units
    }

    /// Returns the number of units.
    pub(super) fn count(&self) -> usize {
        self.programs.len()
    }

    /// Returns the programs of each unit.
    pub(super) fn programs(&self) -> &[Vec<NodeId>] {
        &self.programs
    }

    /// Returns the unit of a program.
    pub(super) fn unit_of(&self, program: &NodeId) -> Option<usize> {
        self.unit_of.get(program).copied()
    }

    /// Returns the programs of several units, by name.
    pub(super) fn programs_of(&self, units: &[usize]) -> Vec<NodeId> {
        let mut programs: Vec<NodeId> = units.iter().flat_map(|unit| self.programs[*unit].iter().cloned()).collect();
        programs.sort();
        programs
    }

    /// Returns the pinned function of each unit. If several name its programs, the first counts.
    pub(super) fn pins(&self, pinned: &[PinnedFunction]) -> Vec<Option<usize>> {
        let names = |pin: &PinnedFunction, programs: &[NodeId]| {
            let is_named = |id: &NodeId, pattern: &str| matches(pattern, id.plain_name()) || matches(pattern, &id.name);
            programs.iter().any(|id| pin.programs.iter().any(|pattern| is_named(id, pattern)))
        };
        self.programs.iter().map(|programs| pinned.iter().position(|pin| names(pin, programs))).collect()
    }

    /// Moves the units that nothing starts and that several groups call to a group of their own, the last one. Returns its number, if there is one.
    pub(super) fn set_shared_apart(&self, groups: &mut Vec<Vec<usize>>, pins: &[Option<usize>]) -> Option<usize> {
        let mut group_of = vec![0; self.count()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|unit| group_of[*unit] = number);
        }
        let is_shared = |unit: &usize| {
            let mut callers: BTreeMap<usize, usize> = BTreeMap::new();
            self.callers[*unit].iter().for_each(|caller| *callers.entry(group_of[*caller]).or_default() += 1);
            let most = callers.values().copied().max().unwrap_or(0);
            let is_of_one = 2 * most > self.callers[*unit].len();
            pins[*unit].is_none() && !self.is_started[*unit] && callers.len() >= CALLING_FUNCTIONS && !is_of_one
        };
        let shared: Vec<usize> = (0..self.count()).filter(is_shared).collect();
        if shared.is_empty() {
            return None;
        }
        for group in groups.iter_mut() {
            group.retain(|unit| !shared.contains(unit));
        }
        groups.retain(|group| !group.is_empty());
        groups.push(shared);
        Some(groups.len() - 1)
    }
}

/// Returns for each source the one that it belongs to: the outermost source without which nothing would call it. What is started, or called
/// by nobody, belongs to itself.
fn owners(count: usize, calls: &BTreeSet<(usize, usize)>, is_started: &[bool]) -> Vec<usize> {
    let mut graph = DiGraph::<(), ()>::with_capacity(count + 1, calls.len() + count);
    let nodes: Vec<NodeIndex> = (0..count).map(|_| graph.add_node(())).collect();
    let root = graph.add_node(());
    let mut is_called = vec![false; count];
    for (from, to) in calls {
        graph.add_edge(nodes[*from], nodes[*to], ());
        is_called[*to] = true;
    }
    for source in (0..count).filter(|source| is_started[*source] || !is_called[*source]) {
        graph.add_edge(root, nodes[source], ());
    }
    let dominators = simple_fast(&graph, root);
    let owner = |source: usize| {
        // The last of them before the root; a circle of calls that nothing starts has none.
        let chain = dominators.dominators(nodes[source]).into_iter().flatten();
        chain.filter(|node| *node != root).last().map_or(source, NodeIndex::index)
    };
    (0..count).map(owner).collect()
}

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for one. Case does not matter.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_uppercase(), name.to_uppercase());
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The ends of the name that the pattern so far can match.
    let mut ends = vec![false; name.len() + 1];
    ends[0] = true;
    for sign in pattern {
        ends = match sign {
            '*' => ends
                .iter()
                .scan(false, |any, end| {
                    *any |= end;
                    Some(*any)
                })
                .collect(),
            sign => {
                let stepped = name.iter().enumerate().map(|(at, c)| ends[at] && (sign == '?' || sign == *c));
                std::iter::once(false).chain(stepped).collect()
            }
        };
    }
    ends[name.len()]
}
