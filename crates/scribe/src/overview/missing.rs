//! What the estate names but does not have, with what that hides, and what it has but does not use.

use super::Overview;
use super::estate_page::{EstatePage, counted_kinds, section, some};
use foldhash::{HashSet, HashSetExt};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use war_rig_estate::{EdgeKind, MissingNode, NodeId, NodeKind};
use war_rig_template::{MarkdownTable, escape_code, group_digits};

/// The maximum number of nodes that are followed back from a missing one.
const FOLLOWED: usize = 2_000;

/// How many names of each kind the first page lists.
const LISTED: usize = 8;

const LEAD: &str = "These names are used, and no source defines them.";

/// Lists on the first page what is missing: of each kind, the names that the most places use.
pub(super) fn missing(page: &EstatePage<'_>) -> String {
    let all = &page.overview.graph.missing;
    let mut listed: Vec<&MissingNode> = Vec::new();
    for of_kind in all.chunk_by(|a, b| a.id.kind == b.id.kind) {
        let mut of_kind: Vec<&MissingNode> = of_kind.iter().collect();
        of_kind.sort_by_key(|missing| (Reverse(missing.named.len()), &missing.id));
        listed.extend(of_kind.into_iter().take(LISTED));
    }
    let table = missing_table(page, &listed);
    if table.is_empty() {
        return String::new();
    }
    let more = match all.len() > listed.len() {
        true => format!(
            "{} are missing: {}.",
            counted_kinds(all.iter().map(|missing| missing.id.kind)),
            page.page("all of them", "missing")
        ),
        false => String::new(),
    };
    section("Not in the estate", &[LEAD.to_owned(), table, more])
}

/// Renders `missing.md`: everything that is missing; nothing if the first page has all.
pub(super) fn list_page(overview: &Overview<'_>) -> Option<String> {
    let all: Vec<&MissingNode> = overview.graph.missing.iter().collect();
    let is_long = all.chunk_by(|a, b| a.id.kind == b.id.kind).any(|of_kind| of_kind.len() > LISTED);
    is_long.then(|| {
        let page = EstatePage::new(overview, "missing");
        let back = format!("{}. {LEAD}", page.page("Back to the first page", "index"));
        page.render(["# Not in the estate".to_owned(), back, missing_table(&page, &all)])
    })
}

/// Lists missing names, how often and where they are used, and which entry points lead to them.
fn missing_table(page: &EstatePage<'_>, all: &[&MissingNode]) -> String {
    let mut table = MarkdownTable::new(["what", "name", "named", "in", "what that hides"]);
    for missing in all {
        let entries: Vec<NodeId> = entry_points_to(page, &missing.id).into_iter().collect();
        let hidden = match missing.id.kind {
            NodeKind::Program | NodeKind::CommandProcedure => "what it does, reads and changes",
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
        let times = match missing.named.len() {
            1 => "once".to_owned(),
            times => format!("{} times", group_digits(times as u64)),
        };
        table.row([
            missing.id.kind.in_words().0.to_owned(),
            escape_code(&missing.id.name),
            times,
            some(&missing.named, |place| page.place(place)),
            hidden,
        ]);
    }
    table.render()
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
                EdgeKind::Accesses
                | EdgeKind::Copies
                | EdgeKind::Runs
                | EdgeKind::Starts
                | EdgeKind::Submits
                | EdgeKind::UsesProcedure => true,
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

/// The kinds of names that something may use.
const USED_KINDS: [NodeKind; 5] =
    [NodeKind::Program, NodeKind::Copybook, NodeKind::Procedure, NodeKind::Map, NodeKind::Table];

const UNUSED_LEAD: &str = "No call, job, transaction or COPY of these sources leads here. What is called from elsewhere, or by a name \
                           that is made at run time, is not seen.";

/// Counts on the first page what nothing uses, with the largest of each kind.
pub(super) fn unused(page: &EstatePage<'_>) -> String {
    let lines = unused_lines(page, LISTED);
    if lines.is_empty() {
        return String::new();
    }
    let more = match has_more_unused(page.overview) {
        true => format!("Everything that is not used: {}.", page.page("list", "unused")),
        false => String::new(),
    };
    section("Not used by anything seen", &[UNUSED_LEAD.to_owned(), lines.join("\n"), more])
}

/// Renders `unused.md`: everything that nothing uses; nothing if the first page has all.
pub(super) fn unused_page(overview: &Overview<'_>) -> Option<String> {
    has_more_unused(overview).then(|| {
        let page = EstatePage::new(overview, "unused");
        let back = format!("{}. {UNUSED_LEAD}", page.page("Back to the first page", "index"));
        let lines = unused_lines(&page, usize::MAX).join("\n");
        page.render(["# Not used by anything seen".to_owned(), back, lines])
    })
}

fn has_more_unused(overview: &Overview<'_>) -> bool {
    USED_KINDS.into_iter().any(|kind| overview.graph.unused.iter().filter(|id| id.kind == kind).count() > LISTED)
}

/// Lists what nothing uses by kind; of more than `most` names, the largest sources.
fn unused_lines(page: &EstatePage<'_>, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in USED_KINDS {
        let mut names: Vec<&NodeId> = page.overview.graph.unused.iter().filter(|id| id.kind == kind).collect();
        let count = names.len();
        if count == 0 {
            continue;
        }
        let mut largest = "";
        if count > most {
            names.sort_by_key(|id| (Reverse(page.overview.lines_of(id)), *id));
            names.truncate(most);
            largest = ", the largest";
        }
        let shown: Vec<String> = names.iter().map(|id| page.node(id)).collect();
        let (one, many) = kind.in_words();
        let noun = if count == 1 { one } else { many };
        lines.push(format!("- {} {noun}{largest}: {}", group_digits(count as u64), shown.join(", ")));
    }
    lines
}
