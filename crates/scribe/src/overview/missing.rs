//! What the estate names but does not have, with what that hides, and what it has but does not use.

use super::estate_page::{EstatePage, section, some};
use std::collections::{BTreeSet, HashSet};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{MarkdownTable, escape_code};

/// The maximum number of nodes that are followed back from a missing one.
const FOLLOWED: usize = 2_000;

/// Lists what is missing, where it is named, and which entry points lead to it.
pub(super) fn missing(page: &EstatePage<'_>) -> String {
    let mut table = MarkdownTable::new(["what", "name", "named in", "what that hides"]);
    for missing in &page.overview.graph.missing {
        let entries: Vec<NodeId> = entry_points_to(page, &missing.id).into_iter().collect();
        let hidden = match missing.id.kind {
            NodeKind::Program => "what it does, reads and changes",
            NodeKind::Copybook => "the layout of what it declares",
            NodeKind::Map | NodeKind::MapSet => "what the screen shows",
            NodeKind::Procedure => "the steps that it runs",
            NodeKind::Table => "its columns and keys",
            _ => "what it is",
        };
        let hidden = match entries.is_empty() {
            true => hidden.to_owned(),
            false => format!("{hidden}, in {}", some(&entries, |id| page.described(id))),
        };
        table.row([
            missing.id.kind.in_words().0.to_owned(),
            escape_code(&missing.id.name),
            some(&missing.named, |place| page.place(place)),
            hidden,
        ]);
    }
    let lead = if table.is_empty() { "" } else { "These names are used, and no source defines them." };
    section("Not in the estate", &[lead.to_owned(), table.render()])
}

/// Returns the transactions and jobs that lead to a node.
fn entry_points_to(page: &EstatePage<'_>, id: &NodeId) -> BTreeSet<NodeId> {
    let graph = page.overview.graph;
    let (mut open, mut seen, mut found) = (vec![id.clone()], HashSet::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        if seen.len() >= FOLLOWED || !seen.insert(id.clone()) {
            continue;
        }
        for edge in graph.incoming_edges(&id) {
            let leads = match edge.relation {
                EdgeKind::Starts if edge.from.kind == NodeKind::Program => false,
                EdgeKind::Calls(kind) => kind.as_str() != "cics_xctl",
                EdgeKind::Accesses | EdgeKind::Copies | EdgeKind::Runs | EdgeKind::Starts | EdgeKind::UsesProcedure => {
                    true
                }
                EdgeKind::Contains => edge.from.kind == NodeKind::Job,
                _ => false,
            };
            if page.overview.entry_pages.contains_key(&edge.from) {
                found.insert(edge.from.clone());
            } else if leads {
                open.push(edge.from.clone());
            }
        }
    }
    found
}

/// Lists what nothing uses, by kind.
pub(super) fn unused(page: &EstatePage<'_>) -> String {
    let mut lines = Vec::new();
    for kind in [NodeKind::Program, NodeKind::Copybook, NodeKind::Procedure, NodeKind::Map, NodeKind::Table] {
        let names: Vec<&NodeId> = page.overview.graph.unused.iter().filter(|id| id.kind == kind).collect();
        if names.is_empty() {
            continue;
        }
        let shown: Vec<String> = names.iter().map(|id| page.node(id)).collect();
        let (one, many) = kind.in_words();
        let noun = if names.len() == 1 { one } else { many };
        lines.push(format!("- {} {noun}: {}", names.len(), shown.join(", ")));
    }
    if lines.is_empty() {
        return String::new();
    }
    let opening = "No call, job, transaction or COPY of these sources leads here. What is called from elsewhere, or by a name \
                   that is made at run time, is not seen.";
    section("Not used by anything seen", &[opening.to_owned(), lines.join("\n")])
}
