//! The entry points of the estate: jobs and transactions.

use super::{Overview, section, some};
use std::collections::{BTreeSet, HashSet};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{MarkdownTable, escape_code, escape_prose};

/// Lists the jobs with the programs and data they use, and the transactions with the programs they start.
pub(super) fn entries(overview: &Overview<'_>) -> String {
    section("Where work comes in", &[transactions(overview), jobs(overview)])
}

fn transactions(overview: &Overview<'_>) -> String {
    let mut table = MarkdownTable::new(["transaction", "starts", "screens", "what the definition says"]);
    for node in overview.graph.nodes_of_kind(NodeKind::Transaction).filter(|node| !node.defined.is_empty()) {
        let programs = overview.programs_from(&node.id, EdgeKind::Starts);
        let screens: Vec<&NodeId> = programs
            .iter()
            .flat_map(|program| overview.graph.outgoing_edges(&program.id))
            .filter(|edge| edge.to.kind == NodeKind::Map)
            .map(|edge| &edge.to)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        table.row([
            overview.name(NodeKind::Transaction, &node.id.name),
            some(&programs, |program| overview.name(NodeKind::Program, &program.id.name)),
            some(&screens, |map| overview.name(NodeKind::Map, &map.name)),
            escape_prose(node.about.as_deref().unwrap_or_default()),
        ]);
    }
    table.render()
}

fn jobs(overview: &Overview<'_>) -> String {
    let graph = overview.graph;
    let mut table = MarkdownTable::new(["job", "steps", "programs", "reads", "writes"]);
    for node in graph.nodes_of_kind(NodeKind::Job).filter(|node| !node.defined.is_empty()) {
        let mut steps: Vec<&NodeId> = graph
            .outgoing_edges(&node.id)
            .filter(|edge| edge.relation == EdgeKind::Contains)
            .map(|edge| &edge.to)
            .collect();
        steps.sort_by_key(|step| graph.node(step).and_then(|step| step.defined.first().map(|at| at.line)));
        let (mut programs, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for edge in steps.iter().flat_map(|step| graph.outgoing_edges(step)) {
            let (list, what) = match (edge.relation, edge.to.kind) {
                (EdgeKind::Runs, _) => (&mut programs, 'p'),
                (EdgeKind::Accesses, NodeKind::Dataset) if edge.access.contains(['C', 'U']) => (&mut writes, 'w'),
                (EdgeKind::Accesses, NodeKind::Dataset) if edge.access.contains('R') => (&mut reads, 'r'),
                _ => continue,
            };
            if seen.insert((what, &edge.to.name)) {
                list.push(edge.to.name.clone());
            }
        }
        // Programs that a system supplies appear only on the job's own page.
        programs.retain(|name| {
            graph.node(&NodeId::new(NodeKind::Program, name)).is_none_or(|node| node.supplied_by.is_none())
        });
        reads.retain(|name| !seen.contains(&('w', name)));
        table.row([
            overview.name(NodeKind::Job, &node.id.name),
            steps.len().to_string(),
            some(&programs, |name| overview.name(NodeKind::Program, name)),
            some(&reads, |name| escape_code(name)),
            some(&writes, |name| escape_code(name)),
        ]);
    }
    table.render()
}
