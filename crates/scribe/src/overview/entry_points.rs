//! The entry points of the estate: jobs and transactions.

use super::Overview;
use super::estate_page::{EstatePage, plain, section, some};
use foldhash::{HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_estate::{Edge, EdgeKind, Node, NodeId, NodeKind};
use war_rig_template::{MarkdownTable, escape_prose, group_digits};

/// How many transactions, and how many jobs, the first page lists.
pub(super) const LISTED: usize = 20;

/// Lists the entry points on the first page.
pub(super) fn overview(page: &EstatePage<'_>) -> String {
    let all = page.overview.entry_pages.len();
    let lead = match all {
        0 => String::new(),
        _ => "Each name leads to a page that follows the work from its start to its end.".to_owned(),
    };
    let more = match [NodeKind::Transaction, NodeKind::Job].iter().any(|kind| nodes(page, *kind).len() > LISTED) {
        true => format!("All {all}: {}.", page.page("entry points", "entry-points")),
        false => String::new(),
    };
    section("Where work comes in", &[lead, transactions(page, LISTED), jobs(page, LISTED), more, without_start(page)])
}

/// Returns the programs that CICS or IMS runs, or that call others, and that nothing in the sources starts or calls, in order. Where the sources have
/// neither jobs nor transactions, these are all programs that no other calls.
fn unstarted<'a>(overview: &'a Overview<'_>) -> Vec<&'a Node> {
    let graph = overview.graph;
    let is_alone = overview.entry_pages.is_empty();
    let starts = |edge: &Edge| matches!(edge.relation, EdgeKind::Starts | EdgeKind::Runs | EdgeKind::Calls(_));
    let is_way_in = |node: &&Node| {
        let entry = overview.entry_of(&node.id).filter(|_| node.version_of.is_none());
        let Some((_, document)) = entry else { return false };
        let is_online = ["CICS", "IMS"].iter().any(|monitor| document.program_type.contains(monitor));
        let calls = |edge: &Edge| matches!(edge.relation, EdgeKind::Calls(_)) && overview.entry_of(&edge.to).is_some();
        (is_online || is_alone || graph.outgoing_edges(&node.id).any(calls))
            && !graph.incoming_edges(&node.id).any(|edge| starts(edge) && edge.from != node.id)
    };
    graph.nodes_of_kind(NodeKind::Program).filter(is_way_in).collect()
}

/// Tells on the first page of the programs that nothing starts: all that is known of ways in where there are neither jobs nor transactions, or else how
/// many they are.
fn without_start(page: &EstatePage<'_>) -> String {
    let unstarted = unstarted(page.overview);
    let list = page.page("list", "entry-points");
    match (unstarted.len(), page.overview.entry_pages.is_empty()) {
        (0, _) => String::new(),
        (count, true) if count <= LISTED => unstarted_table(page, &unstarted),
        (1, _) => format!("1 program may be a way in, but nothing in these sources starts it ({list})."),
        (count, _) => {
            let count = group_digits(count as u64);
            format!("{count} programs may be ways in, but nothing in these sources starts them ({list}).")
        }
    }
}

/// Lists programs that nothing starts.
fn unstarted_table(page: &EstatePage<'_>, unstarted: &[&Node]) -> String {
    let mut table = MarkdownTable::new(["program", "type", "what for", "function"]);
    for node in unstarted {
        let Some((_, document)) = page.overview.entry_of(&node.id) else { continue };
        table.row([
            page.node(&node.id),
            escape_prose(&document.program_type),
            escape_prose(&document.purpose),
            page.function_of(&node.id),
        ]);
    }
    table.render()
}

/// Lists which jobs hand data to which, so that the order in which they must run can be seen.
pub(super) fn order_of_jobs(page: &EstatePage<'_>, most: usize) -> String {
    let flow = &page.overview.job_flow;
    let mut table = MarkdownTable::new(["job", "changes data that these jobs read", "data"]);
    let ordered = first(page, NodeKind::Job, usize::MAX).into_iter();
    for (node, after) in ordered.filter_map(|node| Some((node, flow.after(&node.id)?))).take(most) {
        let jobs: Vec<_> = after.iter().collect();
        let data: BTreeSet<&NodeId> = after.values().flatten().copied().collect();
        let data: Vec<&NodeId> = data.into_iter().collect();
        let reader = |(job, data): &(&&NodeId, &BTreeSet<&NodeId>)| {
            let is_given = data.iter().all(|data| flow.only_gives(job, data));
            format!("{}{}", page.node(job), if is_given { " (given)" } else { "" })
        };
        table.row([page.node(&node.id), some(&jobs, reader), some(&data, |id| plain(id))]);
    }
    let lead = if table.is_empty() {
        String::new()
    } else {
        "A job that reads data runs after the one that changes it, unless both read and change it. What a scheduler says beyond that is \
         not read."
            .to_owned()
    };
    section("Which job needs which", &[lead, table.render()])
}

/// Renders `entry-points.md`: all entry points.
pub(super) fn list_page(overview: &Overview<'_>) -> Option<String> {
    let page = EstatePage::new(overview, "entry-points");
    let unstarted = unstarted_table(&page, &unstarted(overview));
    if overview.entry_pages.is_empty() && unstarted.is_empty() {
        return None;
    }
    let back = format!("{}.", page.page("Back to the first page", "index"));
    let sections = [
        transactions(&page, usize::MAX),
        jobs(&page, usize::MAX),
        section("Programs that nothing in these sources starts", &[unstarted]),
        order_of_jobs(&page, usize::MAX),
    ];
    Some(page.render(["# Entry points".to_owned(), back].into_iter().chain(sections)))
}

/// Returns the first entry points of a kind that have a page, by name: of jobs, those that run programs of the estate before those that run only utilities.
/// How many steps a job has says nothing of its weight.
fn first<'a>(page: &EstatePage<'a>, kind: NodeKind, most: usize) -> Vec<&'a Node> {
    let mut all = nodes(page, kind);
    if kind == NodeKind::Job {
        all.sort_by_key(|node| (page.overview.started_by(&node.id).is_empty(), &node.id));
    }
    all.truncate(most);
    all
}

/// Returns the entry points of a kind that have a page.
fn nodes<'a>(page: &EstatePage<'a>, kind: NodeKind) -> Vec<&'a Node> {
    let all = page.overview.graph.nodes_of_kind(kind);
    all.filter(|node| page.overview.entry_pages.contains_key(&node.id)).collect()
}

fn transactions(page: &EstatePage<'_>, most: usize) -> String {
    let overview = page.overview;
    let mut table = MarkdownTable::new(["transaction", "starts", "what for", "screens", "function", "defined in"]);
    for node in first(page, NodeKind::Transaction, most) {
        let programs = overview.programs_from(&node.id, EdgeKind::Starts);
        let screens: BTreeSet<&NodeId> = programs
            .iter()
            .flat_map(|program| overview.graph.outgoing_edges(&program.id))
            .filter(|edge| edge.to.kind == NodeKind::Map)
            .map(|edge| &edge.to)
            .collect();
        let screens: Vec<&NodeId> = screens.into_iter().collect();
        let purpose = programs.first().and_then(|program| overview.entry_of(&program.id));
        let purpose = purpose.map(|(_, document)| document.purpose.as_str());
        let about = node.about.as_deref().filter(|about| !about.is_empty());
        table.row([
            page.node(&node.id),
            some(&programs, |program| page.node(&program.id)),
            escape_prose(about.or(purpose).unwrap_or_default()),
            some(&screens, |map| page.node(map)),
            page.function_of(&node.id),
            node.place().map(|place| page.place(place)).unwrap_or_default(),
        ]);
    }
    table.render()
}

fn jobs(page: &EstatePage<'_>, most: usize) -> String {
    let graph = page.overview.graph;
    let mut table = MarkdownTable::new(["job", "steps", "programs", "reads", "writes", "function"]);
    for node in first(page, NodeKind::Job, most) {
        let steps = graph.steps_of(&node.id);
        let (mut programs, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for edge in steps.iter().flat_map(|step| graph.outgoing_edges(step)) {
            let (list, what) = match (edge.relation, edge.to.kind) {
                (EdgeKind::Runs, _) => (&mut programs, 'p'),
                (EdgeKind::Accesses, NodeKind::Dataset) if edge.access.contains(['C', 'U']) => (&mut writes, 'w'),
                // Also what it only gives, shared, to a program that is not in the sources.
                (EdgeKind::Accesses, NodeKind::Dataset) if edge.access.contains('R') => (&mut reads, 'r'),
                _ => continue,
            };
            if seen.insert((what, &edge.to.name)) {
                list.push(&edge.to);
            }
        }
        // Programs that a system supplies appear only on the job's own page.
        programs.retain(|id| graph.node(id).is_none_or(|node| node.supplied_by.is_none()));
        reads.retain(|id| !seen.contains(&('w', &id.name)));
        table.row([
            page.node(&node.id),
            steps.len().to_string(),
            some(&programs, |id| page.node(id)),
            some(&reads, |id| plain(id)),
            some(&writes, |id| plain(id)),
            page.function_of(&node.id),
        ]);
    }
    table.render()
}
