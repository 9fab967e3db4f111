//! Names that several sources define, and how these differ.

use super::Overview;
use super::estate_page::{EstatePage, section, some};
use std::cmp::Reverse;
use war_rig_estate::{NodeId, NodeKind, SourceLocation, Versions};
use war_rig_template::{MarkdownTable, escape_prose, group_digits};

/// How many names the first page lists.
const LISTED: usize = 10;

/// The kinds of names that are listed.
const KINDS: [NodeKind; 4] = [NodeKind::Program, NodeKind::Job, NodeKind::Copybook, NodeKind::MapSet];

const RULE: &str = "The pages tell one source of each name: a whole one before a fragment, then the content that most of the sources \
                    have, then the longest.";

/// Returns the names that several sources define, with these.
fn names<'a>(overview: &'a Overview<'_>) -> Vec<(&'a NodeId, Versions<'a>)> {
    let nodes = KINDS.into_iter().flat_map(|kind| overview.graph.nodes_of_kind(kind));
    // A second program in a source, or an entry point, has the versions of its source.
    let is_first =
        |id: &NodeId| id.kind != NodeKind::Program || (overview.entry_of(id).is_some() && *id.plain_name() == *id.name);
    nodes
        .filter(|node| node.version_of.is_none() && is_first(&node.id))
        .map(|node| (&node.id, overview.graph.versions(&node.id)))
        .filter(|(_, versions)| versions.sources() > 1)
        .collect()
}

/// Counts the names on the first page, and lists those with most different sources.
pub(super) fn overview(page: &EstatePage<'_>) -> String {
    let mut names = names(page.overview);
    let mut counts = Vec::new();
    for kind in KINDS {
        let of_kind: Vec<&Versions<'_>> =
            names.iter().filter(|(id, _)| id.kind == kind).map(|(_, versions)| versions).collect();
        let (one, many) = kind.in_words();
        let noun = if of_kind.len() == 1 { one } else { many };
        let sources: usize = of_kind.iter().map(|versions| versions.sources()).sum();
        let differ = of_kind.iter().filter(|versions| versions.contents > 1).count();
        if !of_kind.is_empty() {
            let number = |count: usize| group_digits(count as u64);
            counts.push(format!(
                "- {} {noun} with {} sources, which differ for {}",
                number(of_kind.len()),
                number(sources),
                number(differ)
            ));
        }
    }
    if names.is_empty() {
        return String::new();
    }
    names.sort_by_key(|(id, versions)| (Reverse((versions.contents, versions.sources())), *id));
    names.truncate(LISTED);
    let mut table = MarkdownTable::new(["name", "kind", "sources", "different contents"]);
    for (id, versions) in names {
        table.row([
            page.node(id),
            id.kind.in_words().0.to_owned(),
            versions.sources().to_string(),
            versions.contents.to_string(),
        ]);
    }
    let more = format!("Which sources these are: {}.", page.page("names with several sources", "versions"));
    section("Names with several sources", &[RULE.to_owned(), counts.join("\n"), table.render(), more])
}

/// Renders `versions.md`: all names with several sources; nothing if there are none.
pub(super) fn list_page(overview: &Overview<'_>) -> Option<String> {
    let page = EstatePage::new(overview, "versions");
    let names = names(overview);
    if names.is_empty() {
        return None;
    }
    let mut sections = vec![
        "# Names with several sources".to_owned(),
        format!(
            "{}. {RULE} Jobs are compared by their statements, others by all of their bytes.",
            page.page("Back to the first page", "index")
        ),
    ];
    for kind in KINDS {
        let mut table = MarkdownTable::new(["name", "told from", "the same", "different"]);
        for (id, versions) in names.iter().filter(|(id, _)| id.kind == kind) {
            table.row([
                page.node(id),
                versions.first.map(|place| source(&page, place)).unwrap_or_default(),
                some(&versions.same, |place| source(&page, place)),
                some(&versions.different, |place| source(&page, place)),
            ]);
        }
        let many = kind.in_words().1;
        sections.push(section(&format!("{}{}", many[..1].to_uppercase(), &many[1..]), &[table.render()]));
    }
    Some(page.render(sections))
}

fn source(page: &EstatePage<'_>, place: &SourceLocation) -> String {
    match page.overview.has_page(&place.file) {
        true => page.document(&place.file, &place.file),
        false => escape_prose(&place.file),
    }
}

/// Names the other sources of a name, seen from one of them: those with the same content, then those that differ.
pub(super) fn others_of(page: &EstatePage<'_>, id: &NodeId, file: &str) -> String {
    let of_name = page.overview.graph.of_plain_name(id);
    let versions = page.overview.graph.versions(&of_name);
    let Some(first) = versions.first else { return String::new() };
    let (mut same, mut different) = (Vec::new(), Vec::new());
    let all = std::iter::once(first).chain(versions.same.iter().chain(&versions.different).copied());
    for place in all.filter(|place| *place.file != *file) {
        let is_same = match id.kind {
            NodeKind::Job => page.overview.graph.node(id).is_some_and(|node| node.defined.contains(place)),
            _ => page.overview.graph.have_same_content(file, &place.file),
        };
        if is_same { &mut same } else { &mut different }.push(place);
    }
    let what = if id.kind == NodeKind::Job { "the same steps" } else { "identical" };
    let parts = [(what, same), ("different", different)].into_iter().filter(|(_, places)| !places.is_empty());
    parts
        .map(|(what, places)| format!("{what}: {}", some(&places, |place| source(page, place))))
        .collect::<Vec<_>>()
        .join("; ")
}
