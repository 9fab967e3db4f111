//! Shows which program creates, reads, updates and deletes which data.

use super::Overview;
use super::estate_page::{EstatePage, crud, section, some};
use foldhash::HashSet;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{AssignedData, Edge, EdgeKind, EstateGraph, NodeId, NodeKind, is_data};
use war_rig_template::{MarkdownTable, escape_prose};

/// The kinds of data nodes, in display order.
const KINDS: [NodeKind; 6] =
    [NodeKind::Table, NodeKind::File, NodeKind::Dataset, NodeKind::Queue, NodeKind::Database, NodeKind::Segment];

/// How much data the first page shows.
const SHOWN: usize = 15;

/// The maximum number of resources in a matrix with their programs.
const COLUMNS: usize = 12;

/// The letter of a data set that a job gives, shared, and that no statement of it that is known reads: it may be read.
const GIVEN: char = 'S';

/// The access of programs and jobs to a piece of data: letters of `CRUD`, or `S`.
type Accesses = BTreeMap<NodeId, BTreeSet<char>>;

/// The access to each piece of data.
type DataUses<'a> = BTreeMap<&'a NodeId, Accesses>;

/// Collects the access of programs, and that of jobs to the data sets that no program of the estate has from them: sorts and copies.
fn uses<'a>(graph: &'a EstateGraph) -> DataUses<'a> {
    let programs = graph.nodes_of_kind(NodeKind::Program);
    let assigned: HashSet<(&NodeId, &NodeId)> = programs
        .flat_map(|program| graph.assigned_data_sets(&program.id))
        .filter_map(|assigned| match &assigned.data {
            AssignedData::DataSet { id, .. } => Some((&assigned.step, id)),
            _ => None,
        })
        .collect();
    let accesses = || graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Accesses && is_data(edge.to.kind));
    let reads = |edge: &&Edge| edge.from.kind == NodeKind::Step && !edge.is_guess() && edge.access.contains('R');
    let read: HashSet<(&str, &NodeId)> = accesses().filter(reads).map(|edge| (job_of(&edge.from), &edge.to)).collect();
    let mut uses: DataUses<'_> = BTreeMap::new();
    for edge in accesses() {
        let user = match edge.from.kind {
            NodeKind::Program => edge.from.clone(),
            NodeKind::Step if edge.access.is_empty() => continue,
            // What another step of the job reads is not only given.
            NodeKind::Step if edge.is_guess() && read.contains(&(job_of(&edge.from), &edge.to)) => continue,
            NodeKind::Step if !assigned.contains(&(&edge.from, &edge.to)) => {
                NodeId::new(NodeKind::Job, job_of(&edge.from))
            }
            _ => continue,
        };
        let access = uses.entry(&edge.to).or_default().entry(user).or_default();
        for letter in edge.access.chars() {
            let letter = match (edge.is_guess(), edge.is_recreation()) {
                (true, _) => GIVEN,
                // What a step deletes to define it anew is not gone: the job creates it.
                (_, true) => 'C',
                _ => letter,
            };
            access.insert(letter);
        }
    }
    uses
}

/// Returns the name of the job that a step is of.
fn job_of(step: &NodeId) -> &str {
    step.name.split('.').next().unwrap_or_default()
}

/// Lists the data that the most programs and jobs access.
pub(super) fn most_used(page: &EstatePage<'_>) -> String {
    let uses = uses(page.overview.graph);
    let mut all: Vec<_> = uses.iter().collect();
    all.sort_by_key(|(id, users)| (std::cmp::Reverse(users.len()), *id));
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

/// Builds a row for each piece of data, with the programs and jobs by kind of access.
fn by_data<'a>(page: &EstatePage<'_>, all: impl IntoIterator<Item = (&'a &'a NodeId, &'a Accesses)>) -> String {
    let mut table = MarkdownTable::new(["data", "kind", "created by", "read by", "updated by", "deleted by"]);
    for (id, users) in all {
        let by = |letter: char| {
            let users = users.iter().filter(|(_, letters)| letters.contains(&letter)).map(|(user, _)| user);
            // Programs come before jobs.
            let (programs, jobs): (Vec<_>, Vec<_>) = users.partition(|user| user.kind == NodeKind::Program);
            some(&[programs, jobs].concat(), |user| match (user.kind, letter) {
                (NodeKind::Program, _) => page.node(user),
                (_, GIVEN) => format!("{} (given)", page.described(user)),
                _ => page.described(user),
            })
        };
        let read: Vec<String> = [by('R'), by(GIVEN)].into_iter().filter(|users| !users.is_empty()).collect();
        let kind = id.kind.in_words().0.to_owned();
        table.row([page.name(id.kind, &id.name), kind, by('C'), read.join(", "), by('U'), by('D')]);
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
    let is_given = uses.values().flat_map(BTreeMap::values).any(|access| access.contains(&GIVEN));
    let given = if is_given { " S: a job gives it, shared, and no statement that is known reads it." } else { "" };
    let mut sections = vec![
        "# Data".to_owned(),
        format!(
            "C creates, R reads, U updates, D deletes, after the statements of each program.{given} A data set is told under the programs whose \
             files a job gives it to, and under the jobs whose other steps use it, such as a sort. [Back to the first page](index.md)."
        ),
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

/// Builds a matrix with programs and jobs as rows and data as columns.
fn matrix(page: &EstatePage<'_>, own: &[(&&NodeId, &Accesses)]) -> String {
    let users: BTreeSet<&NodeId> = own.iter().flat_map(|(_, users)| users.keys()).collect();
    if users.len() < 2 || own.len() < 2 {
        return String::new();
    }
    let has_jobs = users.iter().any(|user| user.kind == NodeKind::Job);
    let headings: Vec<String> = own.iter().map(|(id, _)| escape_prose(&id.name)).collect();
    let mut lines = vec![
        format!("| {} | {} |", if has_jobs { "program or job" } else { "program" }, headings.join(" | ")),
        format!("|---{}|", "|---".repeat(own.len())),
    ];
    let (jobs, programs): (Vec<_>, Vec<_>) = users.into_iter().partition(|user| user.kind == NodeKind::Job);
    for user in programs.into_iter().chain(jobs) {
        let accesses = own.iter().map(|(_, users)| users.get(user));
        let cells: Vec<String> = accesses.map(|access| access.map(crud).unwrap_or_default()).collect();
        let user = if user.kind == NodeKind::Job { page.described(user) } else { page.node(user) };
        lines.push(format!("| {user} | {} |", cells.join(" | ")));
    }
    lines.join("\n")
}
