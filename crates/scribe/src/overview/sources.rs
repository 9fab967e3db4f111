//! `sources.md`: every source with its document.

use super::estate_page::{EstatePage, section, some};
use super::{ListedSource, Overview, versions};
use std::collections::BTreeMap;
use war_rig_estate::{NodeId, NodeKind};
use war_rig_template::{MarkdownTable, escape_prose};

/// Renders the page; none without a document.
pub(super) fn page(overview: &Overview<'_>) -> Option<String> {
    let page = EstatePage::new(overview, "sources");
    let back = format!("{}.", page.page("Back to the first page", "index"));
    let lists = [programs(&page), copybooks(&page), others(&page)];
    if lists.iter().all(String::is_empty) {
        return None;
    }
    Some(page.render(["# Sources".to_owned(), back].into_iter().chain(lists)))
}

/// Leads from the first page to the list.
pub(super) fn lead(page: &EstatePage<'_>) -> String {
    let count = page.overview.documented(|_| true).len();
    if count == 0 {
        return String::new();
    }
    let link = page.page("list of sources", "sources");
    section(
        "All sources",
        &[format!(
            "The {link} has the page of each: programs with what they are for, copybooks, and what stands around them."
        )],
    )
}

fn programs(page: &EstatePage<'_>) -> String {
    let mut table = MarkdownTable::new([
        "program",
        "type",
        "what for",
        "function",
        "lines",
        "called by",
        "source",
        "other sources of its name",
    ]);
    for (ListedSource { file, is_partial, .. }, document) in page.overview.documented(|kind| kind == "program") {
        let partial = if *is_partial { " (partial)" } else { "" };
        let first = document.programs.first().map(|first| page.overview.graph.program_in(file, first));
        table.row([
            format!("{}{partial}", page.document(&document.programs.join(", "), file)),
            escape_prose(&document.program_type),
            escape_prose(&document.purpose),
            first.as_ref().map(|first| page.function_of(first)).unwrap_or_default(),
            document.lines.to_string(),
            page.linked(NodeKind::Program, &document.called_by),
            escape_prose(file),
            first.map(|first| versions::others_of(page, &first, file)).unwrap_or_default(),
        ]);
    }
    section("Programs", &[table.render()])
}

fn copybooks(page: &EstatePage<'_>) -> String {
    let mut table = MarkdownTable::new(["copybook", "what it describes", "lines", "copied by"]);
    for (ListedSource { file, .. }, document) in page.overview.documented(|kind| kind == "copybook") {
        let users = page.overview.graph.copybook_users(file);
        table.row([
            page.document(file, file),
            escape_prose(&document.purpose),
            document.lines.to_string(),
            if users.is_empty() { "-".to_owned() } else { some(users, |user| escape_prose(&user.id.name)) },
        ]);
    }
    section("Copybooks", &[table.render()])
}

/// Lists jobs, maps, definitions and tables by file.
fn others(page: &EstatePage<'_>) -> String {
    let mut jobs: BTreeMap<&str, Vec<&NodeId>> = BTreeMap::new();
    for node in page.overview.graph.nodes_of_kind(NodeKind::Job) {
        node.defined.iter().for_each(|place| jobs.entry(&place.file).or_default().push(&node.id));
    }
    let mut table = MarkdownTable::new(["source", "kind", "what it is", "lines", "other sources of its name"]);
    let others = page.overview.documented(|kind| !matches!(kind, "program" | "copybook"));
    for (ListedSource { file, .. }, document) in others {
        let of_jobs = jobs.get(file).into_iter().flatten().map(|job| versions::others_of(page, job, file));
        let mut of_jobs = of_jobs.filter(|others| !others.is_empty());
        table.row([
            page.document(file, file),
            escape_prose(&document.file_type),
            escape_prose(&document.purpose),
            document.lines.to_string(),
            of_jobs.next().unwrap_or_default(),
        ]);
    }
    section("Around the programs", &[table.render()])
}

/// Lists the sources that have no document, with the reasons.
pub(super) fn without_document(overview: &Overview<'_>) -> String {
    let mut table = MarkdownTable::new(["file", "why"]);
    for source in overview.sources.iter().filter(|source| source.document.is_none()) {
        table.row([escape_prose(source.file), source.ended.clone()]);
    }
    section("Without a document", &[table.render()])
}
