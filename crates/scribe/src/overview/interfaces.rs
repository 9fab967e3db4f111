//! What comes into the estate from outside, and what leaves it.

use super::Overview;
use super::estate_page::{EstatePage, plain, section, some};
use super::way::access_in_words;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{EdgeKind, NamedPath, NodeId, NodeKind, is_data};
use war_rig_template::{MarkdownTable, escape_code, escape_prose, group_digits};

/// How many pieces of data the first page lists.
const ROWS_SHOWN: usize = 20;

/// What is done with a piece of data, by whom.
#[derive(Default)]
struct Ends<'a> {
    readers: BTreeSet<&'a NodeId>,
    changers: BTreeSet<&'a NodeId>,
}

/// Lists data that only enters or only leaves, that of most programs first, and systems whose programs are called.
pub(super) fn interfaces(page: &EstatePage<'_>) -> String {
    let mut rows = rows(page.overview);
    let all = rows.len();
    rows.sort_by_key(|row| (Reverse(row.by.len()), row.data));
    rows.truncate(ROWS_SHOWN);
    let more = match all > rows.len() {
        true => format!("All {}: {}.", group_digits(all as u64), page.page("what comes in and goes out", "interfaces")),
        false => String::new(),
    };
    section("What comes in and goes out", &[table(page, &rows), more, unassigned(page, ROWS_SHOWN), systems(page)])
}

/// Renders `interfaces.md`: all data that only enters or only leaves; nothing if the first page has all.
pub(super) fn list_page(overview: &Overview<'_>) -> Option<String> {
    let rows = rows(overview);
    (rows.len() > ROWS_SHOWN).then(|| {
        let page = EstatePage::new(overview, "interfaces");
        let back = format!("{}.", page.page("Back to the first page", "index"));
        let lead = "# What comes in and goes out".to_owned();
        page.render([lead, back, table(&page, &rows), unassigned(&page, usize::MAX)])
    })
}

/// A piece of data that only enters or only leaves.
struct Interface<'a> {
    data: &'a NodeId,
    direction: &'static str,
    by: Vec<&'a NodeId>,
}

/// Returns the data that only enters or only leaves, in order.
fn rows<'a>(overview: &'a Overview<'_>) -> Vec<Interface<'a>> {
    let graph = overview.graph;
    let mut data: BTreeMap<&NodeId, Ends<'_>> = BTreeMap::new();
    let own = graph.edges.iter().filter(|edge| edge.from.kind == NodeKind::Program);
    for edge in own.filter(|edge| edge.relation == EdgeKind::Accesses && is_data(edge.to.kind)) {
        let ends = data.entry(&edge.to).or_default();
        if edge.access.contains('R') {
            ends.readers.insert(&edge.from);
        }
        if edge.access.contains(['C', 'U', 'D']) {
            ends.changers.insert(&edge.from);
        }
    }
    // A file and the data set that it is stored in are one.
    let stored: BTreeSet<&NodeId> = graph
        .edges
        .iter()
        .filter(|edge| edge.relation == EdgeKind::StoredIn)
        .flat_map(|edge| [&edge.from, &edge.to])
        .collect();
    let changed_by_jobs = |id: &NodeId| graph.incoming_edges(id).any(|edge| edge.access.contains(['C', 'U']));
    let read_by_any = |id: &NodeId| graph.incoming_edges(id).any(|edge| edge.access.contains('R'));
    let mut rows = Vec::new();
    for (id, ends) in data.into_iter().filter(|(id, _)| !stored.contains(*id)) {
        let (direction, by) = match (ends.changers.is_empty(), ends.readers.is_empty()) {
            (true, false) if !changed_by_jobs(id) => ("comes in: nothing of these sources makes it", ends.readers),
            (false, true) if !read_by_any(id) => ("goes out: nothing of these sources reads it", ends.changers),
            _ => continue,
        };
        rows.push(Interface { data: id, direction, by: by.into_iter().collect() });
    }
    rows
}

fn table(page: &EstatePage<'_>, rows: &[Interface<'_>]) -> String {
    let mut table = MarkdownTable::new(["data", "kind", "direction", "by"]);
    for Interface { data, direction, by } in rows {
        let by = some(by, |id| page.node(id));
        table.row([plain(data), data.kind.in_words().0.to_owned(), (*direction).to_owned(), by]);
    }
    table.render()
}

/// Lists the files of programs to which no job of these sources assigns data.
fn unassigned(page: &EstatePage<'_>, most: usize) -> String {
    let mut table = MarkdownTable::new(["file", "DD name, or item with its path", "program", "how"]);
    let mut files = page.overview.graph.unassigned_files();
    files.retain(|used| page.overview.entry_of(&used.program).is_some() && !used.access.is_empty());
    let more = files.len().saturating_sub(most);
    for used in files.iter().take(most) {
        let how = access_in_words(NodeKind::Dataset, &used.access.chars().collect());
        let name = match &used.path {
            Some(NamedPath::Literal(name) | NamedPath::Item(name)) => name,
            None => &used.dd,
        };
        table.row([escape_code(&used.file), escape_code(name), page.node(&used.program), how]);
    }
    if table.is_empty() {
        return String::new();
    }
    let more = if more > 0 { format!("\n\n{more} more stand on the pages of their programs.") } else { String::new() };
    format!("Files of programs, of which no job of these sources says what data they are:\n\n{}{more}", table.render())
}

/// Lists the programs of other systems that programs call.
fn systems(page: &EstatePage<'_>) -> String {
    let graph = page.overview.graph;
    let mut systems: BTreeMap<&str, BTreeMap<&NodeId, BTreeSet<&NodeId>>> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| matches!(edge.relation, EdgeKind::Calls(_))) {
        if let Some(system) = graph.node(&edge.to).and_then(|node| node.supplied_by) {
            systems.entry(system).or_default().entry(&edge.to).or_default().insert(&edge.from);
        }
    }
    let mut table = MarkdownTable::new(["system", "programs of it that are called", "by"]);
    for (system, called) in systems {
        let names: Vec<&&NodeId> = called.keys().collect();
        let callers: Vec<&NodeId> = called.values().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        table.row([escape_prose(system), some(&names, |id| plain(id)), some(&callers, |id| page.node(id))]);
    }
    table.render()
}
