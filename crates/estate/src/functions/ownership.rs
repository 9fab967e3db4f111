//! Which entry points and data belong to which function.

use super::{BusinessFunction, BusinessFunctions, is_data};
use crate::graph::{EdgeKind, EstateGraph, NodeId, NodeKind};
use foldhash::HashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What the functions do with one piece of data: of each function, how many of its programs and jobs use it, and how many of these change it.
type DataUses = BTreeMap<usize, (usize, usize)>;

/// What is known while entry points and data find their functions.
struct Assignment<'a> {
    graph: &'a EstateGraph,
    places: HashMap<NodeId, usize>,
    data: BTreeMap<&'a NodeId, DataUses>,
}

/// Completes functions whose programs are known.
pub(super) fn assign(graph: &EstateGraph, functions: Vec<BusinessFunction>) -> BusinessFunctions {
    let places = functions.iter().enumerate();
    let places = places.flat_map(|(at, function)| function.programs.iter().map(move |program| (program.clone(), at)));
    let mut assignment = Assignment { graph, places: places.collect(), data: BTreeMap::new() };
    assignment.count_programs();
    assignment.place_entry_points();
    assignment.into_functions(functions)
}

impl<'a> Assignment<'a> {
    fn count_programs(&mut self) {
        for (id, function) in self.places.clone() {
            let uses = self.data_of(std::iter::once(&id));
            self.count(uses, function);
        }
    }

    /// Returns the data that nodes use, and whether they change it.
    fn data_of<'n>(&self, nodes: impl Iterator<Item = &'n NodeId>) -> BTreeMap<&'a NodeId, bool> {
        let mut uses = BTreeMap::new();
        for edge in nodes.flat_map(|node| self.graph.outgoing_edges(node)).filter(|edge| is_data(edge.to.kind)) {
            let data = self.graph.stored_data(&edge.to);
            *uses.entry(data).or_default() |= edge.access.contains(['C', 'U', 'D']);
        }
        uses
    }

    fn count(&mut self, uses: BTreeMap<&'a NodeId, bool>, function: usize) {
        for (data, changes) in uses {
            let (users, changers) = self.data.entry(data).or_default().entry(function).or_default();
            *users += 1;
            *changers += usize::from(changes);
        }
    }

    /// A transaction belongs to the function of the program that it starts; a job to that of most of its programs, and without any to the
    /// function that does most with the data that it changes.
    fn place_entry_points(&mut self) {
        let graph = self.graph;
        for node in graph.nodes_of_kind(NodeKind::Transaction) {
            let programs = graph.outgoing_edges(&node.id).filter(|edge| edge.relation == EdgeKind::Starts);
            let function = programs.filter_map(|edge| self.places.get(&edge.to).copied()).next();
            self.places.extend(function.map(|function| (node.id.clone(), function)));
        }
        let mut uses_of_jobs = Vec::new();
        for job in graph.jobs() {
            let steps = graph.steps_of(&job.id);
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for edge in steps.iter().flat_map(|step| graph.outgoing_edges(step)) {
                if let Some(function) = self.places.get(&edge.to).filter(|_| edge.relation == EdgeKind::Runs) {
                    *counts.entry(*function).or_default() += 1;
                }
            }
            let uses = self.data_of(steps.iter());
            let by_programs = counts.into_iter().max_by_key(|(function, count)| (*count, Reverse(*function)));
            let function = by_programs.map(|(function, _)| function).or_else(|| self.nearest(&uses));
            if let Some(function) = function {
                self.places.insert(job.id.clone(), function);
                uses_of_jobs.push((uses, function));
            }
        }
        uses_of_jobs.into_iter().for_each(|(uses, function)| self.count(uses, function));
    }

    /// Returns the function whose programs do most with data: with what is changed, or, if nothing is changed, with what is read.
    fn nearest(&self, uses: &BTreeMap<&NodeId, bool>) -> Option<usize> {
        let changes_any = uses.iter().any(|(data, changes)| *changes && self.data.contains_key(data));
        let mut weights: BTreeMap<usize, usize> = BTreeMap::new();
        for (data, _) in uses.iter().filter(|(_, changes)| **changes || !changes_any) {
            for (function, (users, changers)) in self.data.get(data).into_iter().flatten() {
                *weights.entry(*function).or_default() += users + changers;
            }
        }
        weights.into_iter().max_by_key(|(function, weight)| (*weight, Reverse(*function))).map(|(function, _)| function)
    }

    fn into_functions(mut self, mut functions: Vec<BusinessFunction>) -> BusinessFunctions {
        let entry_points: BTreeSet<&NodeId> =
            self.places.keys().filter(|id| matches!(id.kind, NodeKind::Transaction | NodeKind::Job)).collect();
        for id in entry_points {
            functions[self.places[id]].entry_points.push(id.clone());
        }
        for (data, uses) in &self.data {
            let changers: Vec<usize> =
                uses.iter().filter(|(_, (_, changers))| *changers > 0).map(|(function, _)| *function).collect();
            let owner = match (changers.as_slice(), uses.len()) {
                ([only], _) => Some(*only),
                ([], 1) => uses.keys().next().copied(),
                _ => None,
            };
            for function in uses.keys() {
                let function_of = &mut functions[*function];
                let list =
                    if owner == Some(*function) { &mut function_of.own_data } else { &mut function_of.shared_data };
                list.push((*data).clone());
            }
            self.places.extend(owner.map(|owner| ((*data).clone(), owner)));
        }
        for file in self.graph.nodes_of_kind(NodeKind::File) {
            let owner = self.places.get(self.graph.stored_data(&file.id)).copied();
            self.places.extend(owner.map(|owner| (file.id.clone(), owner)));
        }
        BusinessFunctions { functions, places: self.places }
    }
}
