//! The business functions: their list, what they do with data, and a page for each.

use super::estate_page::{EstatePage, crud, section, some};
use super::{Overview, words};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_cobol::CallKind;
use war_rig_estate::{BusinessFunction, EdgeKind, Node, NodeId, NodeKind, is_data};
use war_rig_template::{MarkdownTable, escape_prose};
use war_rig_text::LineNumber;

/// The maximum number of functions that the first page lists.
const LISTED: usize = 20;

/// How many comments tell what a function is for.
const REMARKS: usize = 4;

/// The maximum number of pieces of data in the matrix.
const DATA_IN_MATRIX: usize = 20;

/// Lists the functions on the first page, with a drawing of what flows between them.
pub(super) fn overview(page: &EstatePage<'_>) -> String {
    let functions = &page.overview.functions.functions;
    if functions.is_empty() {
        return String::new();
    }
    let mut largest: Vec<&BusinessFunction> = functions.iter().collect();
    largest.sort_by_key(|function| (Reverse(function.programs.len()), &function.name));
    let left = largest.len().saturating_sub(LISTED);
    largest.truncate(LISTED);
    let lead = "Groups of programs that do one job: average linkage over what they call, change, read, copy, say and are named. The list \
                is a proposal from the sources; `output.functions` in the settings names, merges and pins.";
    let more = match left {
        0 => String::new(),
        left => format!("{left} more: {}.", page.page("all functions", "functions")),
    };
    let drawing = page.overview.flows.drawing(functions);
    section("Business functions", &[lead.to_owned(), words::author(page), table(page, &largest), more, drawing])
}

/// Renders `functions.md`: all functions.
pub(super) fn list_page(overview: &Overview<'_>) -> Option<String> {
    let page = EstatePage::new(overview, "functions");
    let all: Vec<&BusinessFunction> = overview.functions.functions.iter().collect();
    if all.is_empty() {
        return None;
    }
    let back = page.page("Back to the first page", "index");
    Some(page.render(["# Business functions".to_owned(), format!("{back}."), words::author(&page), table(&page, &all)]))
}

fn table(page: &EstatePage<'_>, functions: &[&BusinessFunction]) -> String {
    let told = match page.overview.words.by {
        Some(_) => "what it is for, or what its programs say of themselves",
        None => "what its programs say of themselves",
    };
    let mut table = MarkdownTable::new(["function", told, "programs", "what comes in", "data of its own"]);
    for function in functions {
        table.row([
            page.page(&function.name, &page.overview.function_page(function)),
            remarks(page, function),
            format!("{}: {}", function.programs.len(), page.nodes(&function.programs)),
            some(&function.entry_points, |id| page.described(id)),
            page.nodes(&function.own_data),
        ]);
    }
    table.render()
}

/// Returns the first sentence that was written about a function, or quotes the comments of its first programs.
fn remarks(page: &EstatePage<'_>, function: &BusinessFunction) -> String {
    if let Some(first) = page.overview.words.of_function(&function.name).first() {
        return escape_prose(&first.text);
    }
    let nodes = function.programs.iter().filter_map(|id| page.overview.graph.node(id));
    let all: BTreeSet<&str> = nodes.map(Node::first_remark).filter(|remark| !remark.is_empty()).collect();
    let all: Vec<&str> = all.into_iter().collect();
    let more = if all.len() > REMARKS { "; ..." } else { "" };
    format!("{}{more}", all.iter().take(REMARKS).map(|remark| escape_prose(remark)).collect::<Vec<_>>().join("; "))
}

/// How functions access data, in letters: by the data, and by the name of the function.
pub(super) type DataUses<'a> = BTreeMap<&'a NodeId, BTreeMap<&'a str, BTreeSet<char>>>;

/// Returns the data of the estate by function: which function creates, reads, updates and deletes what.
pub(super) fn uses<'a>(overview: &'a Overview<'_>) -> DataUses<'a> {
    let graph = overview.graph;
    let mut uses: DataUses<'a> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| is_data(edge.to.kind) && edge.from.kind == NodeKind::Program) {
        if let Some(function) = overview.functions.function_of(&edge.from) {
            let letters = uses.entry(graph.stored_data(&edge.to)).or_default().entry(&function.name).or_default();
            letters.extend(edge.access.chars());
        }
    }
    uses
}

/// Shows which function creates, reads, updates and deletes the data that several functions use.
pub(super) fn crud_matrix(page: &EstatePage<'_>) -> String {
    let uses = uses(page.overview);
    let mut shared: Vec<(&NodeId, &BTreeMap<&str, BTreeSet<char>>)> =
        uses.iter().filter(|(_, functions)| functions.len() > 1).map(|(id, functions)| (*id, functions)).collect();
    let of_one = uses.len() - shared.len();
    shared.sort_by_key(|(id, functions)| (Reverse(functions.len()), *id));
    let left = shared.len().saturating_sub(DATA_IN_MATRIX);
    shared.truncate(DATA_IN_MATRIX);
    let mut table = MarkdownTable::new(["data", "kind", "functions: C creates, R reads, U updates, D deletes"]);
    for (id, functions) in shared {
        let by: Vec<String> = functions
            .iter()
            .map(|(name, letters)| {
                let letters = crud(letters);
                format!("{} **{letters}**", escape_prose(name))
            })
            .collect();
        table.row([names(page, id), id.kind.in_words().0.to_owned(), some(&by, Clone::clone)]);
    }
    let mut rest = Vec::new();
    if left > 0 {
        rest.push(format!("{left} more pieces of data are shared"));
    }
    if of_one > 0 {
        rest.push(format!("{of_one} are used by one function alone"));
    }
    let rest = if table.is_empty() || rest.is_empty() { String::new() } else { format!("{}.", rest.join("; ")) };
    section("Data that functions share", &[table.render(), rest])
}

/// Renders the page of a function, by its place in the list.
pub(super) fn page(overview: &Overview<'_>, place: usize, path: &str) -> String {
    let function = &overview.functions.functions[place];
    let page = EstatePage::new(overview, path);
    let opening = format!(
        "# {}\n\n{} {} ({}). {}.",
        escape_prose(&function.name),
        function.programs.len(),
        if function.programs.len() == 1 { "program" } else { "programs" },
        function.named_by.in_words(),
        page.page("All functions", "functions")
    );
    let sections = [
        opening,
        words::of_function(&page, function),
        section("What comes in", &[entry_points(&page, function)]),
        section("Programs", &[programs(&page, function)]),
        section("Data of its own", &[data(&page, function, &function.own_data)]),
        section("Data that it shares", &[data(&page, function, &function.shared_data)]),
        section("Ways out", &[ways(&page, function, true)]),
        section("Ways in from other functions", &[ways(&page, function, false)]),
        overview.flows.drawing_around(&overview.functions.functions, place),
    ];
    page.render(sections)
}

fn entry_points(page: &EstatePage<'_>, function: &BusinessFunction) -> String {
    let mut table = MarkdownTable::new(["entry point", "kind", "starts", "what the definition says"]);
    for id in &function.entry_points {
        let programs = page.overview.started_by(id);
        let about = page.overview.graph.node(id).and_then(|node| node.about.as_deref()).unwrap_or_default();
        table.row([
            page.node(id),
            id.kind.in_words().0.to_owned(),
            some(&programs, |id| page.node(id)),
            escape_prose(about),
        ]);
    }
    table.render()
}

fn programs(page: &EstatePage<'_>, function: &BusinessFunction) -> String {
    let mut table = MarkdownTable::new(["program", "type", "what for", "called by"]);
    for id in &function.programs {
        let entry = page.overview.entry_of(id);
        let callers: BTreeSet<&NodeId> = page
            .overview
            .graph
            .incoming_edges(id)
            .filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)))
            .map(|edge| &edge.from)
            .collect();
        let callers: Vec<&NodeId> = callers.into_iter().collect();
        table.row([
            page.node(id),
            entry.map(|(_, document)| escape_prose(&document.program_type)).unwrap_or_default(),
            entry.map(|(_, document)| escape_prose(&document.purpose)).unwrap_or_default(),
            some(&callers, |id| page.node(id)),
        ]);
    }
    table.render()
}

fn data(page: &EstatePage<'_>, function: &BusinessFunction, all: &[NodeId]) -> String {
    let graph = page.overview.graph;
    let mut table = MarkdownTable::new(["data", "kind", "used here by", "used elsewhere by"]);
    for id in all {
        let stored = graph.incoming_edges(id).filter(|edge| edge.relation == EdgeKind::StoredIn).map(|edge| &edge.from);
        let ids: Vec<&NodeId> = std::iter::once(id).chain(stored).collect();
        let (mut here, mut elsewhere): (BTreeMap<String, BTreeSet<char>>, BTreeMap<String, BTreeSet<char>>) =
            Default::default();
        for edge in
            ids.iter().flat_map(|id| graph.incoming_edges(id)).filter(|edge| edge.relation == EdgeKind::Accesses)
        {
            let user = match edge.from.kind {
                NodeKind::Step => NodeId::new(NodeKind::Job, edge.from.name.split('.').next().unwrap_or_default()),
                _ => edge.from.clone(),
            };
            let is_here = page.overview.functions.function_of(&user).is_some_and(|of| of.id == function.id);
            let list = if is_here { &mut here } else { &mut elsewhere };
            list.entry(page.node(&user)).or_default().extend(edge.access.chars());
        }
        let told = |users: BTreeMap<String, BTreeSet<char>>| {
            let users: Vec<String> = users
                .into_iter()
                .map(|(user, letters)| {
                    let letters = crud(&letters);
                    format!("{user} {letters}").trim_end().to_owned()
                })
                .collect();
            some(&users, Clone::clone)
        };
        table.row([names(page, id), id.kind.in_words().0.to_owned(), told(here), told(elsewhere)]);
    }
    table.render()
}

/// Returns the names of a piece of data: its own, and those of the CICS files that are stored in it.
fn names(page: &EstatePage<'_>, id: &NodeId) -> String {
    let stored = page.overview.graph.incoming_edges(id).filter(|edge| edge.relation == EdgeKind::StoredIn);
    let names: BTreeSet<&NodeId> = stored.map(|edge| &edge.from).collect();
    std::iter::once(id).chain(names).map(|id| page.node(id)).collect::<Vec<_>>().join(" = ")
}

/// Lists the calls and starts that leave a function, or those that enter it: several from one program to another with the first and their number.
fn ways(page: &EstatePage<'_>, function: &BusinessFunction, out: bool) -> String {
    let graph = page.overview.graph;
    let mut ways: BTreeMap<String, BTreeSet<(&str, LineNumber)>> = BTreeMap::new();
    for id in &function.programs {
        let edges: Vec<_> = if out { graph.outgoing_edges(id).collect() } else { graph.incoming_edges(id).collect() };
        for edge in edges {
            let how = match (edge.relation, out) {
                (EdgeKind::Calls(CallKind::CicsXctl), _) => "passes control to",
                (EdgeKind::Calls(_), _) => "calls",
                (EdgeKind::Starts, true) => "starts",
                (EdgeKind::Starts, false) if edge.from.kind == NodeKind::Program => "starts",
                _ => continue,
            };
            let other = if out { &edge.to } else { &edge.from };
            let of = page.overview.functions.function_of(other);
            if of.is_some_and(|of| of.id == function.id) {
                continue;
            }
            let whose = match of {
                Some(of) => format!(" ({})", page.page(&of.name, &page.overview.function_page(of))),
                None => String::new(),
            };
            let (from, to) = (page.node(&edge.from), page.node(&edge.to));
            let way = match out {
                true => format!("{from} {how} {to}{whose}"),
                false => format!("{from}{whose} {how} {to}"),
            };
            ways.entry(way).or_default().insert((&edge.place.file, edge.place.line));
        }
    }
    let line = |(way, places): (String, BTreeSet<(&str, LineNumber)>)| {
        let first = places.first().map(|(file, line)| page.line(file, *line)).unwrap_or_default();
        let more = if places.len() > 1 { format!(" ({} places)", places.len()) } else { String::new() };
        format!("- {way} {first}{more}")
    };
    ways.into_iter().map(line).collect::<Vec<_>>().join("\n")
}
