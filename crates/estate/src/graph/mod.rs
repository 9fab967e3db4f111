//! The graph of an estate: jobs, transactions, programs, copybooks and data, and the edges between them.

mod affected;
mod arguments;
mod copies;
mod dd_names;
mod dictionary;
mod handed_names;
mod macro_calls;
mod module_names;
mod node;
mod non_cobol;
mod procedure_index;
mod program_files;
mod program_names;
mod step_data;
mod survey;
mod system_supplied;
mod transactions;

pub use affected::affected_by;
pub use arguments::{CallArguments, HandedItem, HandedItems, Misfit, MisfitCall, ReceivedItems};
pub use copies::Versions;
pub use dictionary::{DictionaryItem, SharedItem, SharedUse};
pub use handed_names::{HandedCall, HandedNames, NamedProgram};
pub use node::{DataVersion, Edge, EdgeKind, Node, NodeId, NodeKind, SourceLocation};
pub use non_cobol::describe_cluster;
pub use procedure_index::ProcedureIndex;
pub use program_files::{AssignedData, AssignedDataSet};
pub use step_data::{is_alternate_index, is_system_dd};
pub use survey::{CopiedCopybook, DdUse, NamedPath, NodeDefinition, ProgramRole, SourceCounts, Survey, SurveyLink};
pub use system_supplied::{supplier_of_node, supplying_system};

use crate::SourceKind;
use foldhash::{HashMap, HashSet};
use module_names::ModuleNames;
use program_names::ProgramNames;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_cobol::copybook_name;
use war_rig_text::ContentHash;

/// A call between programs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CallEdge {
    /// The calling program.
    pub from: String,
    /// The called program.
    pub to: String,
    /// `static`, `dynamic`, `cics_link` or `cics_xctl`.
    pub kind: String,
}

/// A name that the estate uses but does not define, although it defines others of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingNode {
    /// The missing node.
    pub id: NodeId,
    /// Where it is named, in order.
    pub named: Vec<SourceLocation>,
}

/// A source that copies a copybook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CopybookUser {
    /// The program, or the copybook that copies it in turn.
    pub id: NodeId,
    /// The location of the COPY.
    pub place: SourceLocation,
}

/// The sources of an estate and the edges between them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EstateGraph {
    /// The number of files and the counts of their contents for each kind of source.
    pub figures: BTreeMap<&'static str, KindCounts>,
    /// Every program and entry point with its file.
    pub programs: BTreeMap<String, String>,
    /// Every call, once for each pair and kind. A dynamic call leads to the programs of the estate whose names are moved to its item.
    pub calls: Vec<CallEdge>,
    /// Programs that are called by name, but that neither the estate nor a system supplies.
    pub missing_programs: Vec<String>,
    /// Copybooks that are named but not in the estate, with the files that name them.
    pub missing_copybooks: BTreeMap<String, Vec<String>>,
    /// All nodes, by kind and name.
    pub nodes: Vec<Node>,
    /// All edges, in order.
    pub edges: Vec<Edge>,
    /// Everything that is named but not defined. A kind counts only if the estate defines any of it: without CSD every transaction
    /// would be missing.
    pub missing: Vec<MissingNode>,
    /// Definitions without a known use, in order.
    pub unused: Vec<NodeId>,
    /// The items of all copybooks, by name.
    pub data_dictionary: Vec<DictionaryItem>,
    /// The index of each node in `nodes`.
    #[serde(skip)]
    places: HashMap<NodeId, usize>,
    /// The incoming and outgoing edges of each node.
    #[serde(skip)]
    ties: HashMap<NodeId, NodeEdges>,
    /// The sources that copy each copybook, by its file.
    #[serde(skip)]
    users: HashMap<Arc<str>, Vec<CopybookUser>>,
    /// The steps of each job, in the order in which they run.
    #[serde(skip)]
    steps: HashMap<NodeId, Vec<NodeId>>,
    /// The step at which each job begins that does not begin at its first.
    #[serde(skip)]
    restarts: HashMap<NodeId, String>,
    /// The procedures of the estate.
    #[serde(skip)]
    procedures: ProcedureIndex,
    /// The data sets that steps assign to the files of each program.
    #[serde(skip)]
    given: HashMap<NodeId, Vec<AssignedDataSet>>,
    /// The calls whose arguments do not fit.
    #[serde(skip)]
    misfits: Vec<MisfitCall>,
    /// The steps of whose programs all files are known.
    #[serde(skip)]
    steps_with_known_files: HashSet<NodeId>,
    /// The files that programs assign to DD names, by program.
    #[serde(skip)]
    program_files: HashMap<NodeId, Vec<DdUse>>,
    /// The content of each source.
    #[serde(skip)]
    contents: HashMap<Arc<str>, ContentHash>,
    /// The number of lines of each source.
    #[serde(skip)]
    lines: HashMap<Arc<str>, u64>,
    /// The other versions of each program, job or table that has some.
    #[serde(skip)]
    other_versions: HashMap<NodeId, Vec<NodeId>>,
    /// The programs that are known by the names of their files and load modules.
    #[serde(skip)]
    modules: ModuleNames,
    /// The programs that have their name with others.
    #[serde(skip)]
    program_names: ProgramNames,
}

/// The indices of a node's edges in `edges`.
#[derive(Debug, Clone, Default, PartialEq)]
struct NodeEdges {
    to: Vec<usize>,
    from: Vec<usize>,
}

/// The counts for one kind of source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct KindCounts {
    /// The number of files.
    pub files: u64,
    /// The counts of their contents.
    #[serde(flatten)]
    pub figures: SourceCounts,
}

impl EstateGraph {
    /// Builds the graph from surveyed sources.
    pub fn of(mut surveys: Vec<Survey>) -> Self {
        let procedures = ProcedureIndex::of(&surveys);
        let jobs = copies::name_jobs(&surveys);
        let members = copies::jobs_by_member(&jobs);
        let program_names = ProgramNames::of(&surveys);
        let modules = ModuleNames::of(&surveys, &program_names);
        // Survey data is dropped as soon as it is in the graph. Storing both would double the memory.
        for survey in &mut surveys {
            survey.run_jobs(&procedures, &jobs, &members);
            program_names.apply(survey);
            survey.jcl = None;
            survey.sql = Vec::new();
        }
        let restarts = surveys.iter_mut().flat_map(|survey| std::mem::take(&mut survey.restarts)).collect();
        let graph = EstateGraph { procedures, restarts, program_names, ..EstateGraph::default() };
        let mut builder = GraphBuilder { graph, modules, ..GraphBuilder::default() };
        builder.declare_all(&surveys, &jobs);
        builder.join_tables(&surveys);
        builder.trust_macro_calls(&mut surveys);
        surveys.iter_mut().for_each(|survey| builder.tie(survey));
        let surveys = surveys.as_slice();
        builder.tie_named_programs(surveys);
        builder.tie_handed_names(surveys);
        builder.infer_transactions();
        builder.name_transactions_of_tasks();
        builder.data_sets_of_programs(surveys);
        builder.finish(surveys)
    }

    /// Returns a node by its name.
    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.places.get(id).map(|place| &self.nodes[*place])
    }

    /// Returns the node of a program that a file defines.
    pub fn program_in(&self, file: &str, name: &str) -> NodeId {
        self.program_names.defined(file, &NodeId::new(NodeKind::Program, name))
    }

    /// Returns the node of the program that a file means by a name.
    pub fn program_meant(&self, file: &str, name: &str) -> NodeId {
        self.program_names.meant(file, &NodeId::new(NodeKind::Program, name))
    }

    /// Returns the program of the estate that a file means by a name in upper case: its own, or that of its file or load module.
    pub fn program_named(&self, file: &str, name: &str) -> Option<&NodeId> {
        let own = self.node(&self.program_meant(file, name)).filter(|node| !node.defined.is_empty());
        own.map(|node| &node.id).or_else(|| self.modules.program(file, name))
    }

    /// Returns the nodes of one kind, by name.
    pub fn nodes_of_kind(&self, kind: NodeKind) -> impl Iterator<Item = &Node> {
        // Nodes are sorted by kind.
        let from = self.nodes.partition_point(|node| node.id.kind < kind);
        let to = self.nodes.partition_point(|node| node.id.kind <= kind);
        self.nodes[from..to].iter()
    }

    /// Returns the edges that lead to a node, in order.
    pub fn incoming_edges(&self, id: &NodeId) -> impl Iterator<Item = &Edge> {
        self.ties.get(id).into_iter().flat_map(|ties| &ties.to).map(|place| &self.edges[*place])
    }

    /// Returns the edges that start at a node, in order.
    pub fn outgoing_edges(&self, id: &NodeId) -> impl Iterator<Item = &Edge> {
        self.ties.get(id).into_iter().flat_map(|ties| &ties.from).map(|place| &self.edges[*place])
    }

    /// Returns the data set in which a CICS file is stored, and any other node as it is: online and batch programs know it under two names.
    pub fn stored_data<'a>(&'a self, id: &'a NodeId) -> &'a NodeId {
        match id.kind {
            NodeKind::File => {
                let mut stored = self.outgoing_edges(id).filter(|edge| edge.relation == EdgeKind::StoredIn);
                stored.next().map_or(id, |edge| &edge.to)
            }
            _ => id,
        }
    }

    /// Returns the steps of a job, in the order in which they run.
    pub fn steps_of(&self, job: &NodeId) -> &[NodeId] {
        self.steps.get(job).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the step at which RESTART lets a job begin; none if it begins at its first step.
    pub fn restart_of(&self, job: &NodeId) -> Option<&str> {
        self.restarts.get(job).map(String::as_str)
    }

    /// Returns the programs that call any of these, without these themselves, in order and without duplicates.
    pub fn callers(&self, programs: &[NodeId]) -> Vec<String> {
        let edges = programs.iter().flat_map(|program| self.incoming_edges(program));
        let calls = edges.filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)));
        let callers: BTreeSet<&NodeId> = calls.map(|edge| &edge.from).filter(|from| !programs.contains(from)).collect();
        callers.into_iter().map(|caller| caller.name.to_string()).collect()
    }

    /// Returns the edges by which a step runs or a transaction starts any of these programs, in order.
    pub fn run_edges<'a>(&'a self, programs: &'a [NodeId]) -> impl Iterator<Item = &'a Edge> {
        let edges = programs.iter().flat_map(|program| self.incoming_edges(program));
        edges.filter(|edge| matches!(edge.from.kind, NodeKind::Step | NodeKind::Transaction))
    }

    /// Returns the procedures of the estate, which expand jobs to what runs.
    pub fn procedures(&self) -> &ProcedureIndex {
        &self.procedures
    }

    /// Returns the sources that copy the copybook in this file, in order.
    pub fn copybook_users(&self, file: &str) -> &[CopybookUser] {
        self.users.get(file).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A graph under construction. Its edges are in order of discovery, with duplicates.
#[derive(Default)]
struct GraphBuilder {
    graph: EstateGraph,
    nodes: BTreeMap<NodeId, Node>,
    /// Declared maps, tables and segments by the last part of their names.
    parts: HashMap<(NodeKind, String), Vec<NodeId>>,
    /// The sets, schemas and databases that prefix such names.
    owners: HashSet<(NodeKind, String)>,
    modules: ModuleNames,
}

impl GraphBuilder {
    /// Adds the nodes of these kinds that a source defines.
    fn declare(&mut self, survey: &Survey, is_wanted: impl Fn(&NodeDefinition) -> bool) {
        for declared in survey.declared.iter().filter(|declared| is_wanted(declared)) {
            let file = declared.file.as_ref().unwrap_or(&survey.file);
            let place = SourceLocation { file: Arc::clone(file), line: declared.line };
            if let Some(part) = last_part(&declared.id) {
                if let Some((owner, _)) = declared.id.name.rsplit_once('.') {
                    self.owners.insert((declared.id.kind, owner.to_owned()));
                }
                let known = self.parts.entry((declared.id.kind, part.to_owned())).or_default();
                if !known.contains(&declared.id) {
                    known.push(declared.id.clone());
                }
            }
            let node = self.node(&declared.id);
            node.defined.push(place);
            let is_its_entry = declared.role == ProgramRole::EntryPoint && node.defined.len() > 1;
            if node.about.is_none() && !is_its_entry {
                node.about.clone_from(&declared.about);
            }
            if node.remark.is_none() && declared.id.kind == NodeKind::Program {
                node.remark.clone_from(&survey.remark);
            }
        }
    }

    /// Makes one table of those that differ only in their schemas, where a source names the table without a schema. Which of them is meant depends on
    /// how the program is bound.
    fn join_tables(&mut self, surveys: &[Survey]) {
        let named = surveys.iter().flat_map(|survey| &survey.links).map(|link| &link.to);
        let is_open = |id: &&NodeId| id.kind == NodeKind::Table && !id.name.contains('.') && !self.is_defined(id);
        let named: BTreeSet<&NodeId> = named.filter(is_open).collect();
        for id in named {
            let of_name = self.parts.get(&(NodeKind::Table, id.name.to_string())).filter(|all| all.len() > 1);
            let (mut defined, mut about) = (Vec::new(), None);
            for one in of_name.cloned().into_iter().flatten() {
                let node = self.node(&one);
                node.version_of = Some(id.clone());
                defined.extend(node.defined.iter().cloned());
                about = about.or_else(|| node.about.clone());
            }
            if !defined.is_empty() {
                let node = self.node(id);
                (node.defined, node.about) = (defined, about);
            }
        }
    }

    fn node(&mut self, id: &NodeId) -> &mut Node {
        self.nodes.entry(id.clone()).or_insert_with(|| Node {
            id: id.clone(),
            defined: Vec::new(),
            inferred: None,
            version_of: None,
            supplied_by: None,
            about: None,
            remark: None,
        })
    }

    fn is_defined(&self, id: &NodeId) -> bool {
        self.nodes.get(id).is_some_and(|node| !node.defined.is_empty())
    }

    fn tie(&mut self, survey: &mut Survey) {
        for link in std::mem::take(&mut survey.links) {
            if link.relation == EdgeKind::Contains && link.from.kind == NodeKind::Job {
                self.graph.steps.entry(link.from.clone()).or_default().push(link.to.clone());
            }
            let mut meant = self.meant(&link.to, &survey.file);
            meant.retain(|to| link.is_certain || self.is_defined(to) || supplier_of_node(to).is_some());
            let Some(last) = meant.pop() else { continue };
            let file = link.file.unwrap_or_else(|| Arc::clone(&survey.file));
            let edge = Edge {
                from: link.from,
                to: last,
                relation: link.relation,
                detail: link.detail,
                access: link.access,
                nature: link.nature,
                version: link.version,
                generation: link.generation,
                place: SourceLocation { file, line: link.line },
            };
            for to in meant {
                self.add(Edge { to, ..edge.clone() });
            }
            self.add(edge);
        }
    }

    fn add(&mut self, mut edge: Edge) {
        for id in [&mut edge.from, &mut edge.to] {
            let node = self.node(id);
            node.supplied_by = supplier_of_node(id).filter(|_| node.defined.is_empty());
            // All edges of a node share one text.
            id.clone_from(&node.id);
        }
        self.graph.edges.push(edge);
    }

    fn sort_edges(&mut self) {
        self.graph.edges.sort_unstable();
        self.graph.edges.dedup();
    }

    /// Returns the nodes that a name may mean. A map without its set, or a table without its schema, means each one of that name, unless the
    /// tables are joined. A name whose set or schema the estate does not have means the only one of its name. A name that no program has may be that
    /// of a program's load module.
    fn meant(&self, id: &NodeId, file: &str) -> Vec<NodeId> {
        let own = || vec![id.clone()];
        let joined = self.nodes.get(id).and_then(|node| node.version_of.as_ref());
        if let Some(joined) = joined.filter(|_| id.kind == NodeKind::Table) {
            return vec![joined.clone()];
        }
        let is_unknown = id.kind == NodeKind::Program && !self.is_defined(id) && supplier_of_node(id).is_none();
        if let Some(program) = self.modules.program(file, &id.name).filter(|_| is_unknown) {
            return vec![program.clone()];
        }
        let Some(part) = last_part(id).filter(|_| !self.is_defined(id) && supplier_of_node(id).is_none()) else {
            return own();
        };
        let found = self.parts.get(&(id.kind, part.to_owned())).map(Vec::as_slice).unwrap_or_default();
        match (found, id.name.rsplit_once('.')) {
            ([], _) => own(),
            (all, None) => all.to_vec(),
            ([only], Some((owner, _))) if !self.owners.contains(&(id.kind, owner.to_owned())) => {
                vec![only.clone()]
            }
            (_, Some(_)) => own(),
        }
    }

    fn finish(mut self, surveys: &[Survey]) -> EstateGraph {
        self.sort_edges();
        let mut graph = self.graph;
        graph.modules = self.modules;
        graph.edges.shrink_to_fit();
        graph.nodes = self.nodes.into_values().collect();
        graph.data_dictionary = dictionary::dictionary(surveys);
        graph.program_files = program_files::by_program(surveys);
        graph.places = graph.nodes.iter().enumerate().map(|(place, node)| (node.id.clone(), place)).collect();
        for (place, edge) in graph.edges.iter().enumerate() {
            graph.ties.entry(edge.to.clone()).or_default().to.push(place);
            graph.ties.entry(edge.from.clone()).or_default().from.push(place);
        }
        for node in &graph.nodes {
            if let Some(first) = &node.version_of {
                graph.other_versions.entry(first.clone()).or_default().push(node.id.clone());
            }
        }
        for survey in surveys {
            let kind = graph.figures.entry(survey.kind.in_words()).or_default();
            kind.files += 1;
            kind.figures += survey.figures;
            graph.lines.insert(Arc::clone(&survey.file), survey.figures.lines);
            let missing = survey.missing_copybooks.iter();
            for copybook in missing.filter(|name| supplier_of_node(&NodeId::new(NodeKind::Copybook, name)).is_none()) {
                graph.missing_copybooks.entry(copybook.clone()).or_default().push(survey.file.to_string());
            }
            for copied in &survey.copied {
                let file = copied.file.as_ref().unwrap_or(&survey.file);
                let place = SourceLocation { file: Arc::clone(file), line: copied.line };
                let user = CopybookUser { id: copied.by.clone(), place };
                graph.users.entry(Arc::clone(&copied.copybook)).or_default().push(user);
            }
        }
        for users in graph.users.values_mut() {
            users.sort();
            users.dedup_by(|a, b| a.id == b.id);
        }
        graph.know_symbolic_maps(surveys);
        graph.name_programs();
        graph.find_missing();
        graph.find_unused(surveys);
        graph.find_misfits(surveys);
        graph
    }
}

impl EstateGraph {
    /// A symbolic map's copybook is generated from its map set and may be absent from the sources.
    fn know_symbolic_maps(&mut self, surveys: &[Survey]) {
        let sets = self.nodes_of_kind(NodeKind::MapSet).filter(|node| !node.defined.is_empty());
        let mut sets: HashSet<Arc<str>> = sets.map(|node| Arc::clone(&node.id.name)).collect();
        // A COPY may name the source of the map set.
        let sources = surveys.iter().filter(|survey| survey.kind == SourceKind::Bms);
        sets.extend(sources.map(|survey| copybook_name(&survey.file).to_uppercase().into()));
        let copybooks = self.nodes.iter_mut().filter(|node| node.id.kind == NodeKind::Copybook);
        for node in copybooks.filter(|node| node.defined.is_empty() && sets.contains(&node.id.name)) {
            node.supplied_by = Some("its map set");
        }
        self.missing_copybooks.retain(|name, _| !sets.contains(name.to_uppercase().as_str()));
    }

    fn name_programs(&mut self) {
        let programs = self.nodes.iter().filter(|node| node.id.kind == NodeKind::Program);
        self.programs = programs
            .filter_map(|node| Some((node.id.name.to_string(), node.defined.first()?.file.to_string())))
            .collect();
        let calls: BTreeSet<CallEdge> = self
            .edges
            .iter()
            .filter_map(|edge| match edge.relation {
                EdgeKind::Calls(kind) => Some((edge, kind)),
                _ => None,
            })
            .map(|(edge, kind)| CallEdge {
                from: edge.from.name.to_string(),
                to: edge.to.name.to_string(),
                kind: kind.as_str().to_owned(),
            })
            .collect();
        self.calls = calls.into_iter().collect();
    }

    fn find_missing(&mut self) {
        let mut has: HashSet<NodeKind> =
            self.nodes.iter().filter(|node| !node.defined.is_empty()).map(|node| node.id.kind).collect();
        // What a source calls, copies or executes can be missing whatever else the estate defines; running the job creates a data set.
        has.extend([NodeKind::Program, NodeKind::Copybook, NodeKind::Procedure, NodeKind::CommandProcedure]);
        has.remove(&NodeKind::Dataset);
        let undefined = self
            .nodes
            .iter()
            .filter(|node| node.defined.is_empty() && node.supplied_by.is_none() && has.contains(&node.id.kind));
        let missing = undefined.filter_map(|node| {
            let ties = self.ties.get(&node.id)?;
            let named: BTreeSet<SourceLocation> = ties.to.iter().map(|edge| self.edges[*edge].place.clone()).collect();
            (!named.is_empty()).then(|| MissingNode { id: node.id.clone(), named: named.into_iter().collect() })
        });
        self.missing = missing.collect();
        self.missing_programs = self
            .missing
            .iter()
            .filter(|missing| missing.id.kind == NodeKind::Program)
            .map(|missing| missing.id.name.to_string())
            .collect();
    }

    fn find_unused(&mut self, surveys: &[Survey]) {
        // An entry point is part of its program, and functions are reached other than by CALL.
        let others: HashSet<&NodeId> = surveys
            .iter()
            .filter(|survey| survey.kind.is_cobol())
            .flat_map(|survey| &survey.declared)
            .filter(|declared| declared.about.is_some())
            .map(|declared| &declared.id)
            .collect();
        let counts = |kind: NodeKind| {
            matches!(
                kind,
                NodeKind::Program | NodeKind::Copybook | NodeKind::Map | NodeKind::Procedure | NodeKind::Table
            )
        };
        let unused = self.nodes.iter().filter(|node| {
            counts(node.id.kind)
                && !node.defined.is_empty()
                && !others.contains(&node.id)
                && node.version_of.is_none()
                && self.ties.get(&node.id).is_none_or(|ties| ties.to.iter().all(|edge| !is_use(&self.edges[*edge])))
        });
        self.unused = unused.map(|node| node.id.clone()).collect();
    }
}

/// Returns the name of a map without its set, of a table without its schema, of a segment without its database; none for other kinds.
fn last_part(id: &NodeId) -> Option<&str> {
    let has_parts = matches!(id.kind, NodeKind::Map | NodeKind::Table | NodeKind::Segment);
    has_parts.then(|| id.name.rsplit('.').next().unwrap_or(&id.name))
}

/// Whether an edge counts as a use of its target: containing a part and calling oneself do not.
fn is_use(edge: &Edge) -> bool {
    edge.relation != EdgeKind::Contains && edge.from != edge.to
}

#[cfg(test)]
mod tests;
