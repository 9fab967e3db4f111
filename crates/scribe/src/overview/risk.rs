//! The programs in which a change is most likely to do harm.

use super::Overview;
use super::estate_page::{EstatePage, section};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{EdgeKind, NodeId, NodeKind, is_data};
use war_rig_template::{MarkdownTable, group_digits};

/// How many programs are listed.
const LISTED: usize = 10;

/// What is measured of a program. Each measure counts as the share of programs that have less of it.
const MEASURES: usize = 5;

/// A program with its measures.
struct Measured<'a> {
    program: &'a NodeId,
    measures: [usize; MEASURES],
    score: f64,
}

/// Returns the program in which a change is most likely to do harm; none if there are no two to compare.
pub(super) fn riskiest_program<'a>(overview: &'a Overview<'a>) -> Option<&'a NodeId> {
    let programs = ranked(overview);
    programs.first().filter(|_| programs.len() > 1).map(|first| first.program)
}

/// Lists the ten riskiest programs with their reasons.
pub(super) fn riskiest(page: &EstatePage<'_>) -> String {
    let programs = ranked(page.overview);
    let mut table =
        MarkdownTable::new(["program", "lines", "rules", "hazards", "used by", "changes data that others use"]);
    for Measured { program, measures, .. } in programs.iter().take(LISTED) {
        let [lines, rules, hazards, users, shared] = measures.map(|number| group_digits(number as u64));
        table.row([page.node(program), lines, rules, hazards, users, shared]);
    }
    let lead = "Size, decisions, hazards, users (callers, steps and transactions), and how much shared data a program changes, each \
                counted as the share of programs that have less of it; the sum decides.";
    if programs.len() <= 1 {
        return String::new();
    }
    section("The riskiest programs", &[lead.to_owned(), table.render()])
}

/// Returns all programs, the riskiest first.
fn ranked<'a>(overview: &'a Overview<'a>) -> Vec<Measured<'a>> {
    let mut programs = measured(overview);
    for at in 0..MEASURES {
        let mut sorted: Vec<usize> = programs.iter().map(|program| program.measures[at]).collect();
        sorted.sort_unstable();
        let count = sorted.len().max(1) as f64;
        for program in &mut programs {
            program.score += sorted.partition_point(|other| *other < program.measures[at]) as f64 / count;
        }
    }
    programs.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.program.cmp(b.program)));
    programs
}

fn measured<'a>(overview: &'a Overview<'a>) -> Vec<Measured<'a>> {
    let graph = overview.graph;
    let mut users: BTreeMap<&NodeId, BTreeSet<&NodeId>> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.from.kind == NodeKind::Program && is_data(edge.to.kind)) {
        users.entry(graph.stored_data(&edge.to)).or_default().insert(&edge.from);
    }
    let programs = graph.nodes_of_kind(NodeKind::Program);
    programs
        .filter_map(|node| {
            let (file, document) = overview.entry_of(&node.id)?;
            let callers: BTreeSet<&NodeId> = graph
                .incoming_edges(&node.id)
                .filter(|edge| matches!(edge.relation, EdgeKind::Calls(_) | EdgeKind::Runs | EdgeKind::Starts))
                .map(|edge| &edge.from)
                .collect();
            let changed: BTreeSet<&NodeId> = graph
                .outgoing_edges(&node.id)
                .filter(|edge| edge.access.contains(['C', 'U', 'D']) && *edge.place.file == *file)
                .map(|edge| graph.stored_data(&edge.to))
                .filter(|data| users.get(data).is_some_and(|users| users.len() > 1))
                .collect();
            let [lines, rules, hazards] =
                [document.lines, document.rules, document.hazards].map(|count| count as usize);
            let measures = [lines, rules, hazards, callers.len(), changed.len()];
            Some(Measured { program: &node.id, measures, score: 0.0 })
        })
        .collect()
}
