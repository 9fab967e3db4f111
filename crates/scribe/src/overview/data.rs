//! Shows which program creates, reads, updates and deletes which data.

use super::Overview;
use super::estate_page::{EstatePage, crud, section, some};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{EstateGraph, NodeId, NodeKind, is_data};
use war_rig_template::{MarkdownTable, escape_prose};

/// The kinds of data nodes, in display order.
const KINDS: [NodeKind; 6] =
    [NodeKind::Table, NodeKind::File, NodeKind::Dataset, NodeKind::Queue, NodeKind::Database, NodeKind::Segment];

/// How much data the first page shows.
const SHOWN: usize = 15;

/// The maximum number of resources in a matrix with their programs.
const COLUMNS: usize = 12;

/// The access of programs to each piece of data: the letters of `CRUD` by program.
type DataUses<'a> = BTreeMap<&'a NodeId, BTreeMap<&'a str, BTreeSet<char>>>;

fn uses(graph: &EstateGraph) -> DataUses<'_> {
    let mut uses: DataUses<'_> = BTreeMap::new();
    let edges = graph.edges.iter().filter(|edge| edge.from.kind == NodeKind::Program);
    for edge in edges.filter(|edge| is_data(edge.to.kind)) {
        let programs = uses.entry(&edge.to).or_default();
        programs.entry(&edge.from.name).or_default().extend(edge.access.chars());
    }
    uses
}

/// Lists the data that the most programs access.
pub(super) fn most_used(page: &EstatePage<'_>) -> String {
    let uses = uses(page.overview.graph);
    let mut all: Vec<_> = uses.iter().collect();
    all.sort_by_key(|(id, programs)| (std::cmp::Reverse(programs.len()), *id));
    let left = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    let table = by_data(page, all);
    if table.is_empty() {
        return String::new();
    }
    let more = if left > 0 { format!("{left} more, and all of it") } else { "All of it".to_owned() };
    let shared = if page.overview.graph.data_dictionary.is_empty() {
        String::new()
    } else {
        " The items of all records: [data dictionary](dictionary.md).".to_owned()
    };
    section("What data it works on", &[table, format!("{more} by program: [data](data.md).{shared}")])
}

/// Builds a row for each piece of data, with the programs by kind of access.
fn by_data<'a>(
    page: &EstatePage<'_>,
    all: impl IntoIterator<Item = (&'a &'a NodeId, &'a BTreeMap<&'a str, BTreeSet<char>>)>,
) -> String {
    let mut table = MarkdownTable::new(["data", "kind", "created by", "read by", "updated by", "deleted by"]);
    for (id, programs) in all {
        let by = |letter: char| {
            let names: Vec<&str> =
                programs.iter().filter(|(_, letters)| letters.contains(&letter)).map(|(name, _)| *name).collect();
            some(&names, |name| page.name(NodeKind::Program, name))
        };
        table.row([page.name(id.kind, &id.name), id.kind.in_words().0.to_owned(), by('C'), by('R'), by('U'), by('D')]);
    }
    table.render()
}

/// Renders `data.md`: all data of the estate with the access of programs; nothing if no program accesses any.
pub fn page(overview: &Overview<'_>) -> Option<String> {
    let uses = uses(overview.graph);
    if uses.is_empty() {
        return None;
    }
    let page = EstatePage::new(overview, "data");
    let mut sections = vec![
        "# Data".to_owned(),
        "C creates, R reads, U updates, D deletes, after the statements of each program. A data set is told under the programs whose \
         files a job gives it to. [Back to the first page](index.md)."
            .to_owned(),
    ];
    for kind in KINDS {
        let own: Vec<_> = uses.iter().filter(|(id, _)| id.kind == kind).collect();
        let many = kind.in_words().1;
        let title = format!("{}{}", many[..1].to_uppercase(), &many[1..]);
        let matrix = if own.len() <= COLUMNS { matrix(&page, &own) } else { String::new() };
        sections.push(section(&title, &[matrix, by_data(&page, own)]));
    }
    Some(page.render(sections))
}

/// Builds a matrix with programs as rows and data as columns.
fn matrix(page: &EstatePage<'_>, own: &[(&&NodeId, &BTreeMap<&str, BTreeSet<char>>)]) -> String {
    let programs: BTreeSet<&str> = own.iter().flat_map(|(_, programs)| programs.keys().copied()).collect();
    if programs.len() < 2 || own.len() < 2 {
        return String::new();
    }
    let headings: Vec<String> = own.iter().map(|(id, _)| escape_prose(&id.name)).collect();
    let mut lines =
        vec![format!("| program | {} |", headings.join(" | ")), format!("|---{}|", "|---".repeat(own.len()))];
    for program in programs {
        let cells: Vec<String> = own.iter().map(|(_, uses)| uses.get(program).map(crud).unwrap_or_default()).collect();
        lines.push(format!("| {} | {} |", page.name(NodeKind::Program, program), cells.join(" | ")));
    }
    lines.join("\n")
}
