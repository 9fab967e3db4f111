//! Draws the calls of an estate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use war_rig_estate::{EdgeKind, EstateGraph, NodeId, NodeKind};

/// The maximum number of arrows in a useful drawing.
const ARROWS_DRAWN: usize = 80;

/// Draws jobs and transactions with the programs that they run, and the calls of these; nothing if it is too large to read. Nodes
/// outside the estate are round; nodes that a system supplies are omitted.
pub(super) fn drawing(graph: &EstateGraph) -> String {
    let own = |id: &NodeId| graph.node(id).is_some_and(|node| node.supplied_by.is_none());
    let mut arrows: BTreeSet<(NodeId, NodeId, bool)> = BTreeSet::new();
    for edge in graph.edges.iter().filter(|edge| edge.to.kind == NodeKind::Program && own(&edge.to)) {
        let from = match (edge.relation, edge.from.kind) {
            (EdgeKind::Calls(_), _) | (EdgeKind::Starts, NodeKind::Transaction) => edge.from.clone(),
            // A step is drawn as its job.
            (EdgeKind::Runs, _) => NodeId::new(NodeKind::Job, edge.from.name.split('.').next().unwrap_or_default()),
            _ => continue,
        };
        let is_dotted = matches!(edge.relation, EdgeKind::Calls(kind) if kind.as_str() != "static");
        arrows.insert((from, edge.to.clone(), is_dotted));
    }
    if arrows.is_empty() {
        return String::new();
    }
    if arrows.len() > ARROWS_DRAWN {
        return format!("{} ties between jobs, transactions and programs are too many to draw.", arrows.len());
    }
    let nodes: BTreeSet<&NodeId> = arrows.iter().flat_map(|(from, to, _)| [from, to]).collect();
    let numbers: BTreeMap<&NodeId, usize> = nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
    let mut text = String::from("```mermaid\nflowchart LR\n");
    for (node, number) in &numbers {
        let is_here = graph.node(node).is_some_and(|node| !node.defined.is_empty());
        let (open, close) = match (node.kind, is_here) {
            (NodeKind::Job, _) => ("[[", "]]"),
            (NodeKind::Transaction, _) => ("{{", "}}"),
            (_, true) => ("[", "]"),
            (_, false) => ("([", "])"),
        };
        writeln!(text, "  n{number}{open}\"{}\"{close}", plain(&node.name)).expect("a string takes every write");
    }
    for (from, to, is_dotted) in &arrows {
        let shaft = if *is_dotted { "-.->" } else { "-->" };
        writeln!(text, "  n{} {shaft} n{}", numbers[from], numbers[to]).expect("a string takes every write");
    }
    text.push_str("```\n\nDouble frame: job. Hexagon: transaction. Round: not among the sources. Dotted: CICS LINK and XCTL, and calls by the name in an item.");
    text
}

fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '$' | '#'));
    // In a label, `#` begins a character code.
    kept.collect::<String>().replace('#', "#35;")
}
