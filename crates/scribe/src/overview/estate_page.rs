//! A page about the estate under construction: its links and its sections.

use super::Overview;
use crate::phrases::list;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{NodeId, NodeKind, SourceLocation};
use war_rig_template::{PageLinks, escape_code, escape_prose, group_digits};
use war_rig_text::{LineNumber, LineRange};

/// How many names a table cell shows.
const NAMES_SHOWN: usize = 8;

/// A page about the estate.
pub(super) struct EstatePage<'a> {
    pub(super) overview: &'a Overview<'a>,
    links: PageLinks<'a>,
}

impl<'a> EstatePage<'a> {
    /// Begins a page at this path below the output folder, without extension.
    pub(super) fn new(overview: &'a Overview<'a>, path: &str) -> Self {
        let depth = path.matches('/').count();
        let links = PageLinks::of_estate_page(path, overview.source_paths[depth.min(1)].links());
        Self { overview, links }
    }

    /// Joins the sections that are not empty, and appends the targets of the citations.
    pub(super) fn render(&self, sections: impl IntoIterator<Item = String>) -> String {
        let sections = sections.into_iter().filter(|section| !section.is_empty());
        let text = sections.collect::<Vec<_>>().join("\n\n");
        let targets = self.links.targets();
        if targets.is_empty() { format!("{text}\n") } else { format!("{text}\n\n{targets}\n") }
    }

    /// Returns the name of a node, linked to the page that tells most of it: an entry point's own page, or that of the source that defines it.
    pub(super) fn name(&self, kind: NodeKind, name: &str) -> String {
        let id = NodeId::new(kind, name);
        if let Some(page) = self.overview.entry_pages.get(&id) {
            return format!("[{}]({})", escape_prose(name), self.links.to_estate_page(page));
        }
        self.defined(&id, name)
    }

    /// Returns the name of a node, linked to the page of the source that defines it.
    pub(super) fn defined(&self, id: &NodeId, name: &str) -> String {
        let node = self.overview.graph.node(id);
        match node.and_then(|node| node.defined.iter().find(|place| self.overview.has_page(&place.file))) {
            Some(place) => format!("[{}]({})", escape_prose(name), self.links.to_document(&place.file)),
            None => escape_prose(name),
        }
    }

    /// Returns the name of a node as [`EstatePage::name`].
    pub(super) fn node(&self, id: &NodeId) -> String {
        self.name(id.kind, &id.name)
    }

    /// Returns a node with its kind, unless it is a program: ``CICS file `ACCTDAT` ``.
    pub(super) fn described(&self, id: &NodeId) -> String {
        format!("{} {}", id.kind.in_words().0, self.node(id))
    }

    /// Returns text linked to the page of a source.
    pub(super) fn document(&self, text: &str, file: &str) -> String {
        format!("[{}]({})", escape_prose(text), self.links.to_document(file))
    }

    /// Returns text linked to another page about the estate.
    pub(super) fn page(&self, text: &str, page: &str) -> String {
        format!("[{}]({})", escape_prose(text), self.links.to_estate_page(page))
    }

    /// Returns the name of a program's function, linked to its page.
    pub(super) fn function_of(&self, id: &NodeId) -> String {
        let function = self.overview.functions.function_of(id);
        function.map(|function| self.page(&function.name, &self.overview.function_page(function))).unwrap_or_default()
    }

    /// Cites a place.
    pub(super) fn place(&self, place: &SourceLocation) -> String {
        self.line(&place.file, place.line)
    }

    /// Cites a line.
    pub(super) fn line(&self, file: &str, line: LineNumber) -> String {
        self.links.member_lines(file, LineRange::single(line))
    }

    /// Joins names, each linked.
    pub(super) fn linked(&self, kind: NodeKind, names: &[String]) -> String {
        if names.is_empty() {
            return "-".to_owned();
        }
        some(names, |name| self.name(kind, name))
    }

    /// Joins nodes, each linked.
    pub(super) fn nodes(&self, ids: &[NodeId]) -> String {
        some(ids, |id| self.node(id))
    }
}

/// Joins the first names and counts the rest.
pub(super) fn some<T>(names: &[T], show: impl Fn(&T) -> String) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let more = if more > 1 { more } else { 0 };
    let mut shown: Vec<String> = names[..names.len() - more].iter().map(show).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// Counts nodes by kind: `8 programs and 1 copybook`.
pub(super) fn counted_kinds(kinds: impl Iterator<Item = NodeKind>) -> String {
    let mut counts: BTreeMap<NodeKind, u64> = BTreeMap::new();
    kinds.for_each(|kind| *counts.entry(kind).or_default() += 1);
    let counts = counts.into_iter().map(|(kind, count)| {
        let (one, many) = kind.in_words();
        format!("{} {}", group_digits(count), if count == 1 { one } else { many })
    });
    list(&counts.collect::<Vec<_>>())
}

/// Returns letters of access in the order of CRUD, then S of what is given, shared, and not known to be read.
pub(super) fn crud(letters: &BTreeSet<char>) -> String {
    "CRUDS".chars().filter(|letter| letters.contains(letter)).collect()
}

/// Builds a section from its non-empty parts; empty if there are none.
pub(super) fn section(title: &str, parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("## {title}\n\n{}", parts.join("\n\n"))
}

/// Builds a collapsible part; empty if its content is.
pub(super) fn folded(title: &str, part: String) -> String {
    if part.is_empty() {
        return part;
    }
    format!("<details><summary>{title}</summary>\n\n{part}\n\n</details>")
}

/// Returns a name as code, without link.
pub(super) fn plain(id: &NodeId) -> String {
    escape_code(&id.name)
}
