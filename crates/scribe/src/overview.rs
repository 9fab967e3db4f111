//! `index.md`, the first page of an estate's documentation, and the data pages: `data.md` and `dictionary.md`.
//!
//! The first page answers a newcomer's questions: how large the estate is, where work enters, what calls what, on which data, what is missing.

mod call_graph;
mod data;
mod dictionary;
mod entry_points;
mod figures;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use war_rig_estate::{EdgeKind, EstateGraph, Node, NodeId, NodeKind};
use war_rig_template::{IndexEntry, MarkdownTable, document_name, escape_code, escape_prose, escape_target};

/// A source in the lists of the pages.
#[derive(Debug, Clone)]
pub struct ListedSource<'a> {
    /// Its name.
    pub file: &'a str,
    /// The index entry of its document, if it has one.
    pub document: Option<&'a IndexEntry>,
    /// Whether parts of its document are missing.
    pub is_partial: bool,
    /// The result and its reason, shown if it has no document.
    pub ended: String,
}

impl ListedSource<'_> {
    /// Returns the text shown for a source without a document.
    pub fn ended(state: impl fmt::Display, reason: &str) -> String {
        format!("{state}: {}", escape_prose(reason))
    }
}

/// The input of the pages.
pub struct Overview<'a> {
    /// Every source, by name.
    pub sources: Vec<ListedSource<'a>>,
    /// The graph between them.
    pub graph: &'a EstateGraph,
    /// The sources that have a document.
    pages: HashSet<&'a str>,
}

impl<'a> Overview<'a> {
    /// Collects the input of the pages.
    pub fn new(sources: Vec<ListedSource<'a>>, graph: &'a EstateGraph) -> Self {
        let documented = sources.iter().filter(|source| source.document.is_some());
        let pages = documented.map(|source| source.file).collect();
        Self { sources, graph, pages }
    }

    /// Returns the pages with their file names; none for a page without content.
    pub fn pages(&self) -> [(&'static str, Option<String>); 3] {
        [("index.md", Some(self.page())), ("data.md", data::page(self)), ("dictionary.md", dictionary::page(self))]
    }

    /// Whether a source has a document.
    fn has_page(&self, file: &str) -> bool {
        self.pages.contains(file)
    }
}

impl Overview<'_> {
    /// Renders the first page.
    fn page(&self) -> String {
        let sections = [
            "# Documentation".to_owned(),
            figures::figures(self),
            entry_points::entries(self),
            self.calls(),
            data::most_used(self),
            self.programs(),
            self.copybooks(),
            self.others(),
            self.missing(),
            self.unused(),
            self.without_document(),
        ];
        let mut page = sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n\n");
        page.push('\n');
        page
    }

    /// Returns the documented sources of a kind.
    fn documented(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(&ListedSource<'_>, &IndexEntry)> {
        let all = self.sources.iter().filter_map(|source| Some((source, source.document?)));
        all.filter(|(_, document)| is_wanted(&document.file_type)).collect()
    }

    fn programs(&self) -> String {
        let mut table = MarkdownTable::new(["program", "type", "what for", "lines", "called by", "source"]);
        for (ListedSource { file, is_partial, .. }, document) in self.documented(|kind| kind == "program") {
            let partial = if *is_partial { " (partial)" } else { "" };
            table.row([
                format!("[{}]({}){partial}", escape_prose(&document.programs.join(", ")), link(file)),
                escape_prose(&document.program_type),
                escape_prose(&document.purpose),
                document.lines.to_string(),
                self.linked(NodeKind::Program, &document.called_by),
                escape_prose(file),
            ]);
        }
        section("Programs", &[table.render()])
    }

    fn copybooks(&self) -> String {
        let mut table = MarkdownTable::new(["copybook", "what it describes", "lines", "copied by"]);
        for (ListedSource { file, .. }, document) in self.documented(|kind| kind == "copybook") {
            let users: Vec<String> =
                self.graph.copybook_users(file).iter().map(|user| user.id.name.to_string()).collect();
            table.row([
                format!("[{}]({})", escape_prose(file), link(file)),
                escape_prose(&document.purpose),
                document.lines.to_string(),
                if users.is_empty() { "-".to_owned() } else { some(&users, |name| escape_prose(name)) },
            ]);
        }
        section("Copybooks", &[table.render()])
    }

    /// Lists jobs, maps, definitions and tables by file.
    fn others(&self) -> String {
        let mut table = MarkdownTable::new(["source", "kind", "what it is", "lines"]);
        for (ListedSource { file, .. }, document) in self.documented(|kind| !matches!(kind, "program" | "copybook")) {
            table.row([
                format!("[{}]({})", escape_prose(file), link(file)),
                escape_prose(&document.file_type),
                escape_prose(&document.purpose),
                document.lines.to_string(),
            ]);
        }
        section("Around the programs", &[table.render()])
    }

    fn calls(&self) -> String {
        let calls = &self.graph.calls;
        if calls.is_empty() {
            return String::new();
        }
        let mut ways: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for call in calls {
            ways.entry((&call.from, &call.to)).or_default().push(&call.kind);
        }
        let mut table = MarkdownTable::new(["program", "calls", "how", "brought by"]);
        for ((from, to), kinds) in ways {
            let supplied = self.graph.node(&NodeId::new(NodeKind::Program, to)).and_then(|node| node.supplied_by);
            table.row([
                self.name(NodeKind::Program, from),
                self.name(NodeKind::Program, to),
                escape_prose(&kinds.join(", ")),
                supplied.unwrap_or_default().to_owned(),
            ]);
        }
        section("What calls what", &[call_graph::drawing(self.graph), folded("All calls", table.render())])
    }

    fn missing(&self) -> String {
        let mut table = MarkdownTable::new(["what", "name", "named in"]);
        for missing in &self.graph.missing {
            let places: Vec<String> =
                missing.named.iter().map(|place| format!("{}:{}", place.file, place.line)).collect();
            table.row([
                missing.id.kind.in_words().0.to_owned(),
                escape_code(&missing.id.name),
                some(&places, |place| escape_prose(place)),
            ]);
        }
        let mut lines: Vec<String> = Vec::new();
        if !table.is_empty() {
            lines.push("These names are used, and no source defines them.".to_owned());
            lines.push(table.render());
        }
        section("Not in the estate", &lines)
    }

    fn unused(&self) -> String {
        let mut lines = Vec::new();
        for kind in [NodeKind::Program, NodeKind::Copybook, NodeKind::Procedure, NodeKind::Map, NodeKind::Table] {
            let names: Vec<&NodeId> = self.graph.unused.iter().filter(|id| id.kind == kind).collect();
            if names.is_empty() {
                continue;
            }
            let shown: Vec<String> = names.iter().map(|id| self.name(kind, &id.name)).collect();
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

    fn without_document(&self) -> String {
        let mut table = MarkdownTable::new(["file", "why"]);
        for source in self.sources.iter().filter(|source| source.document.is_none()) {
            table.row([escape_prose(source.file), source.ended.clone()]);
        }
        section("Without a document", &[table.render()])
    }

    /// Returns the name of a node, linked to the document of the source that defines it.
    fn name(&self, kind: NodeKind, name: &str) -> String {
        let node = self.graph.node(&NodeId::new(kind, name));
        match node.and_then(|node| node.defined.iter().find(|place| self.has_page(&place.file))) {
            Some(place) => format!("[{}]({})", escape_prose(name), link(&place.file)),
            None => escape_prose(name),
        }
    }

    /// Joins names, each linked.
    fn linked(&self, kind: NodeKind, names: &[String]) -> String {
        if names.is_empty() {
            return "-".to_owned();
        }
        some(names, |name| self.name(kind, name))
    }

    /// Returns the programs of the estate that a node leads to by this relation, in order and without duplicates.
    fn programs_from(&self, id: &NodeId, relation: EdgeKind) -> Vec<&Node> {
        let mut found: Vec<&Node> = Vec::new();
        for edge in self.graph.outgoing_edges(id).filter(|edge| edge.relation == relation) {
            let node = self.graph.node(&edge.to).filter(|node| node.id.kind == NodeKind::Program);
            found.extend(node.filter(|node| !found.contains(node)));
        }
        found
    }
}

/// How many names a table cell shows.
const NAMES_SHOWN: usize = 8;

/// Joins the first names and counts the rest.
fn some<T>(names: &[T], show: impl Fn(&T) -> String) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let more = if more > 1 { more } else { 0 };
    let mut shown: Vec<String> = names[..names.len() - more].iter().map(show).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

/// Builds a section from its non-empty parts; empty if there are none.
fn section(title: &str, parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("## {title}\n\n{}", parts.join("\n\n"))
}

/// Builds a collapsible part; empty if its content is.
fn folded(title: &str, part: String) -> String {
    if part.is_empty() {
        return part;
    }
    format!("<details><summary>{title}</summary>\n\n{part}\n\n</details>")
}

/// Returns the path of a source's page, encoded for a link.
fn link(file: &str) -> String {
    escape_target(&format!("{}.md", document_name(file)))
}
