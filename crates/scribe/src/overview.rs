//! The pages about the estate: `index.md` and the pages that it leads to.
//!
//! The first page answers a newcomer's questions: which parts the system has, where work enters, which data the parts share, what is risky, what is
//! missing. Each business function and each entry point has a page of its own.

mod coverage;
mod data;
mod dictionary;
mod entry_point_pages;
mod entry_points;
mod estate_page;
mod figures;
mod function_map;
mod functions;
mod interfaces;
mod job_flow;
mod misfits;
mod missing;
mod risk;
mod sources;
mod versions;
mod way;
mod words;

use estate_page::EstatePage;
use foldhash::{HashMap, HashSet, HashSetExt};
use function_map::FunctionFlows;
use job_flow::JobFlow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use war_rig_estate::{
    BusinessFunction, BusinessFunctions, EdgeKind, EstateGraph, Node, NodeId, NodeKind, PinnedFunction,
};
use war_rig_template::{
    EntryPointEntry, EstateOverview, EstateWords, FunctionEntry, IndexEntry, SourceLinks, SourceUrl, escape_prose,
    estate_page_name,
};

/// The folders of the pages of functions and of entry points, below the output folder.
pub const ESTATE_FOLDERS: [&str; 2] = ["functions", "entry-points"];

/// The pages at the top of the output folder.
pub const ESTATE_PAGES: [&str; 10] = [
    "index.md", "functions.md", "entry-points.md", "sources.md", "data.md", "dictionary.md", "interfaces.md",
    "missing.md", "unused.md", "versions.md",
];

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

/// Where the sources are, seen from the output folder.
#[derive(Debug, Clone)]
pub enum SourceFolder {
    /// The path from the output folder to the folder that their names are relative to, with `/` between folders; empty if they are the same.
    Path(String),
    /// A repository on the web.
    Web {
        /// Its address.
        url: SourceUrl,
        /// The folder in it that their names are relative to; empty for its top.
        folder: String,
    },
}

impl SourceFolder {
    /// Returns the same, seen from a folder that is so many levels below the output folder.
    fn seen_from_below(&self, depth: usize) -> Self {
        match self {
            SourceFolder::Path(path) => {
                let end = if path.is_empty() || path.ends_with('/') { "" } else { "/" };
                SourceFolder::Path(format!("{}{path}{end}", "../".repeat(depth)))
            }
            SourceFolder::Web { .. } => self.clone(),
        }
    }

    fn links(&self) -> SourceLinks<'_> {
        match self {
            SourceFolder::Path(path) => SourceLinks::Path(path),
            SourceFolder::Web { url, folder } => SourceLinks::Web { url, folder },
        }
    }
}

/// The input of the pages.
pub struct Overview<'a> {
    /// Every source, by name.
    sources: Vec<ListedSource<'a>>,
    /// The graph between them.
    graph: &'a EstateGraph,
    /// The business functions.
    functions: BusinessFunctions,
    /// What flows between the functions.
    flows: FunctionFlows<'a>,
    /// The flow of data between jobs.
    job_flow: JobFlow<'a>,
    /// The sources whose documents lack parts.
    partial: HashSet<&'a str>,
    /// The documents of sources, by name.
    documents: HashMap<&'a str, &'a IndexEntry>,
    /// The page of each entry point, without extension.
    entry_pages: BTreeMap<NodeId, String>,
    /// Where the sources are, seen from the top and from one folder below.
    source_paths: [SourceFolder; 2],
    /// What a model wrote about the functions and the system.
    words: EstateWords,
}

impl<'a> Overview<'a> {
    /// Collects the input of the pages.
    pub fn new(
        sources: Vec<ListedSource<'a>>,
        graph: &'a EstateGraph,
        pinned: &[PinnedFunction],
        folder: &SourceFolder,
    ) -> Self {
        let documents = sources.iter().filter_map(|source| Some((source.file, source.document?))).collect();
        let partial = sources.iter().filter(|source| source.is_partial).map(|source| source.file).collect();
        let functions = BusinessFunctions::of(graph, pinned);
        Self {
            partial,
            flows: FunctionFlows::of(graph, &functions),
            functions,
            job_flow: JobFlow::of(graph),
            entry_pages: entry_pages(graph),
            source_paths: [folder.seen_from_below(0), folder.seen_from_below(1)],
            sources,
            graph,
            documents,
            words: EstateWords::default(),
        }
    }

    /// Renders the pages, one after the other, with their file names; none for a page without content.
    pub fn pages(&self) -> impl Iterator<Item = (String, Option<String>)> + '_ {
        let top = [
            ("index.md", Some(self.first_page())),
            ("functions.md", functions::list_page(self)),
            ("entry-points.md", entry_points::list_page(self)),
            ("sources.md", sources::page(self)),
            ("data.md", data::page(self)),
            ("dictionary.md", dictionary::page(self)),
            ("interfaces.md", interfaces::list_page(self)),
            ("missing.md", missing::list_page(self)),
            ("unused.md", missing::unused_page(self)),
            ("versions.md", versions::list_page(self)),
        ];
        let of_functions = self.functions.functions.iter().enumerate().map(|(place, function)| {
            let path = self.function_page(function);
            (format!("{path}.md"), Some(functions::page(self, place, &path)))
        });
        let of_entry_points = self
            .entry_pages
            .iter()
            .map(|(id, path)| (format!("{path}.md"), Some(entry_point_pages::render(self, id, path))));
        top.into_iter().map(|(name, page)| (name.to_owned(), page)).chain(of_functions).chain(of_entry_points)
    }

    /// Returns the pages that a newcomer opens first, with what they tell: at most three.
    pub fn where_to_begin(&self) -> Vec<(String, &'static str)> {
        let mut pages = vec![("index.md".to_owned(), "the parts of the system, its interfaces, what is missing")];
        if !self.entry_pages.is_empty() {
            pages.push(("entry-points.md".to_owned(), "what each transaction and each job does from start to end"));
        }
        let riskiest = risk::riskiest_program(self).and_then(|program| self.entry_of(program));
        pages.extend(riskiest.map(|(file, _)| (format!("{file}.md"), "the program in which a change risks most")));
        pages
    }

    /// Returns the functions and entry points for programs that read them.
    pub fn for_programs(&self, written_by: &str) -> EstateOverview {
        let names = |ids: &[NodeId]| ids.iter().map(|id| id.name.to_string()).collect();
        let ids = |ids: &[NodeId]| ids.iter().map(NodeId::to_string).collect();
        let functions = self.functions.functions.iter().map(|function| FunctionEntry {
            name: function.name.clone(),
            named_by: <&str>::from(function.named_by).to_owned(),
            summary: self.words.of_function(&function.name).to_vec(),
            page: format!("{}.md", self.function_page(function)),
            programs: names(&function.programs),
            entry_points: ids(&function.entry_points),
            own_data: ids(&function.own_data),
            shared_data: ids(&function.shared_data),
        });
        let entry_points = self.entry_pages.iter().map(|(id, page)| {
            let node = self.graph.node(id);
            let place = node.and_then(Node::place);
            let programs = self.started_by(id);
            let about = node.and_then(|node| node.about.as_deref()).filter(|about| !about.is_empty());
            let first = programs.first().and_then(|program| self.entry_of(program));
            let purpose = about.or(first.map(|(_, document)| document.purpose.as_str()));
            EntryPointEntry {
                name: id.name.to_string(),
                kind: id.kind.as_str().to_owned(),
                programs: programs.iter().map(|id| id.name.to_string()).collect(),
                function: self.functions.function_of(id).map(|function| function.name.clone()),
                purpose: purpose.unwrap_or_default().to_owned(),
                page: format!("{page}.md"),
                file: place.map(|place| place.file.to_string()),
                line: place.map(|place| place.line),
            }
        });
        let (functions, entry_points) = (functions.collect(), entry_points.collect());
        let (summaries_by, summary) = (self.words.by.clone(), self.words.system.clone());
        EstateOverview { written_by: written_by.to_owned(), summaries_by, summary, functions, entry_points }
    }

    /// Returns the programs of the estate that a transaction starts or the steps of a job run, in this order.
    fn started_by(&self, id: &NodeId) -> Vec<&'a NodeId> {
        let steps = self.graph.steps_of(id).iter();
        let mut started: Vec<&NodeId> = Vec::new();
        for edge in std::iter::once(id).chain(steps).flat_map(|id| self.graph.outgoing_edges(id)) {
            let is_own = self.graph.node(&edge.to).is_some_and(|node| !node.defined.is_empty());
            let starts = matches!(edge.relation, EdgeKind::Starts | EdgeKind::Runs);
            if is_own && starts && !started.contains(&&edge.to) {
                started.push(&edge.to);
            }
        }
        started
    }

    /// Whether a source has a document.
    fn has_page(&self, file: &str) -> bool {
        self.documents.contains_key(file)
    }

    /// Returns the entry of a source's document.
    fn document(&self, file: &str) -> Option<&'a IndexEntry> {
        self.documents.get(file).copied()
    }

    /// Returns the source of a program and the entry of its document, if the document is first about this program.
    fn entry_of(&self, program: &NodeId) -> Option<(&'a str, &'a IndexEntry)> {
        let file = self.graph.node(program)?.defined.first()?.file.as_ref();
        let document = self.document(file)?;
        let is_first = document.programs.first().is_some_and(|first| first.eq_ignore_ascii_case(program.plain_name()));
        is_first.then_some((file, document))
    }

    /// Returns the number of lines of the source that defines a node; none without a document.
    fn lines_of(&self, id: &NodeId) -> u32 {
        let place = self.graph.node(id).and_then(|node| node.defined.first());
        place.and_then(|place| self.document(&place.file)).map_or(0, |document| document.lines)
    }

    /// Returns the page of a function, without extension.
    fn function_page(&self, function: &BusinessFunction) -> String {
        estate_page_name(ESTATE_FOLDERS[0], &function.id)
    }

    /// Returns the transactions that start a program.
    fn transactions_of(&self, program: &NodeId) -> Vec<&'a NodeId> {
        let starts = self.graph.incoming_edges(program).filter(|edge| edge.relation == EdgeKind::Starts);
        starts.map(|edge| &edge.from).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the programs of the estate that a node leads to by this relation, in order and without duplicates.
    fn programs_from(&self, id: &NodeId, relation: EdgeKind) -> Vec<&'a Node> {
        let mut found: Vec<&Node> = Vec::new();
        for edge in self.graph.outgoing_edges(id).filter(|edge| edge.relation == relation) {
            let node = self.graph.node(&edge.to).filter(|node| node.id.kind == NodeKind::Program);
            found.extend(node.filter(|node| !found.contains(node)));
        }
        found
    }

    /// Returns the documented sources of a kind.
    fn documented(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(&ListedSource<'a>, &'a IndexEntry)> {
        let all = self.sources.iter().filter_map(|source| Some((source, source.document?)));
        all.filter(|(_, document)| is_wanted(&document.file_type)).collect()
    }

    /// Renders the first page.
    fn first_page(&self) -> String {
        let page = EstatePage::new(self, "index");
        page.render([
            "# Documentation".to_owned(),
            figures::figures(self),
            words::of_system(&page),
            functions::overview(&page),
            entry_points::overview(&page),
            entry_points::order_of_jobs(&page, entry_points::LISTED),
            functions::crud_matrix(&page),
            interfaces::interfaces(&page),
            risk::riskiest(&page),
            misfits::misfits(&page),
            missing::missing(&page),
            missing::unused(&page),
            versions::overview(&page),
            coverage::coverage(&page),
            data::most_used(&page),
            sources::lead(&page),
            sources::without_document(self),
        ])
    }
}

/// Names the pages of the entry points: jobs, and transactions that are defined or start a program of the estate.
fn entry_pages(graph: &EstateGraph) -> BTreeMap<NodeId, String> {
    let leads_on = |id: &NodeId| {
        let mut starts = graph.outgoing_edges(id).filter(|edge| edge.relation == EdgeKind::Starts);
        starts.any(|edge| graph.node(&edge.to).is_some_and(|node| !node.defined.is_empty()))
    };
    let transactions = graph.nodes_of_kind(NodeKind::Transaction);
    let transactions = transactions.filter(|node| !node.defined.is_empty() || leads_on(&node.id));
    let mut taken = HashSet::new();
    let entries = transactions.chain(graph.jobs()).map(|node| {
        let kind = node.id.kind.in_words().0;
        let plain: String = node.id.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let name = format!("{kind}-{}", plain.trim_matches('-'));
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.expect("numbers do not end");
        taken.insert(free.clone());
        (node.id.clone(), estate_page_name(ESTATE_FOLDERS[1], &free))
    });
    entries.collect()
}
