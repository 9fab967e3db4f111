//! What the estate knows about one source: who calls, runs and copies it, and which data sets it uses.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use war_rig_cobol::ParsedCobol;
use war_rig_estate::{AssignedData, Edge, EdgeKind, EstateGraph, Misfit, NodeId, NodeKind, Survey};
use war_rig_template::{CallingContext, DataSetUse, OtherData, RunBy, ShortCall, Shortage, StartedTransaction, UsedBy};
use war_rig_text::ContentHash;

/// How the estate identifies a source: by its programs and entry points, and by the copybooks that it copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceIdentity {
    file: Arc<str>,
    programs: Vec<String>,
    copybooks: Vec<(Arc<str>, Arc<str>)>,
}

impl SourceIdentity {
    /// Creates the identity of a surveyed source.
    pub fn from_survey(survey: &Survey) -> Self {
        let programs = survey.declared.iter().filter(|declared| declared.id.kind == NodeKind::Program);
        Self {
            file: Arc::clone(&survey.file),
            programs: programs.map(|declared| declared.id.name.to_string()).collect(),
            copybooks: survey.found_copybooks.clone(),
        }
    }

    /// Creates the identity of a source that was parsed under this name.
    pub fn from_parsed(file: &str, parsed: &ParsedCobol) -> Self {
        let mut copybooks: Vec<(Arc<str>, Arc<str>)> = parsed
            .copies
            .iter()
            .filter_map(|copy| Some((copy.name.as_str().into(), copy.resolved.as_deref()?.into())))
            .collect();
        copybooks.sort();
        copybooks.dedup();
        let programs = parsed.programs.iter();
        let names = programs.flat_map(|program| std::iter::once(&program.name).chain(&program.entries));
        Self { file: file.into(), programs: names.map(|name| name.to_uppercase()).collect(), copybooks }
    }

    /// Returns the hash of the source's context in the estate.
    pub fn context_hash(&self, graph: &EstateGraph) -> ContentHash {
        let context = serde_json::to_vec(&calling_context(graph, self)).expect("names and lines have a JSON");
        ContentHash::of(&context)
    }
}

/// Returns how the rest of the estate reaches a source.
pub fn calling_context(graph: &EstateGraph, known: &SourceIdentity) -> CallingContext {
    let file = known.file.as_ref();
    let programs: Vec<NodeId> = known.programs.iter().map(|name| graph.program_in(file, name)).collect();
    let mut run_by: BTreeSet<RunBy> = graph
        .run_edges(&programs)
        .map(|edge| {
            // Look for a step in its job, although a procedure may name the program.
            let defined = graph.node(&edge.from).map(|node| node.defined.as_slice()).unwrap_or_default();
            let own = defined.iter().find(|place| place.file == edge.place.file);
            let place = own.or(defined.first()).unwrap_or(&edge.place);
            RunBy {
                kind: edge.from.kind.as_str().to_owned(),
                name: edge.from.name.to_string(),
                how: edge.detail.clone(),
                file: place.file.to_string(),
                line: place.line,
            }
        })
        .collect();
    run_by.extend(starters(graph, &programs).into_iter().map(|(starter, _)| starter));
    let used_by = graph.copybook_users(file).iter().map(|user| UsedBy {
        name: user.id.name.to_string(),
        kind: user.id.kind.as_str().to_owned(),
        file: user.place.file.to_string(),
        line: user.place.line,
    });
    let data_sets = programs.iter().flat_map(|program| graph.assigned_data_sets(program)).map(|given| {
        let (data_set, generation, other) = match &given.data {
            AssignedData::DataSet { id, generation } => (id.name.to_string(), *generation, None),
            AssignedData::InStream => (String::new(), None, Some(OtherData::InStream)),
            AssignedData::Sysout => (String::new(), None, Some(OtherData::Sysout)),
            AssignedData::Dummy => (String::new(), None, Some(OtherData::Dummy)),
        };
        let (file, dd, step) = (given.file.clone(), given.dd.clone(), given.step.name.to_string());
        DataSetUse { file, dd, data_set, generation, other, step, access: given.access.clone() }
    });
    CallingContext {
        called_by: graph.callers(&programs),
        run_by: run_by.into_iter().collect(),
        starts: started(graph, file, &programs),
        used_by: used_by.collect(),
        data_sets: data_sets.collect(),
        short_calls: short_calls(graph, file, &programs),
        defined_in: defined_in(graph, known, &programs),
        ..CallingContext::default()
    }
}

/// Returns the programs that start transactions of these programs, other than these themselves, each with its node.
fn starters<'a>(graph: &'a EstateGraph, programs: &'a [NodeId]) -> Vec<(RunBy, &'a NodeId)> {
    let transactions = graph.run_edges(programs).map(|edge| &edge.from);
    let transactions = transactions.filter(|from| from.kind == NodeKind::Transaction);
    let starts = transactions.flat_map(|transaction| graph.incoming_edges(transaction)).filter(|edge| starts(edge));
    let others = starts.filter(|edge| !programs.contains(&edge.from));
    let mut known = HashSet::new();
    others
        .filter(|edge| known.insert((&edge.from, &edge.to, &edge.detail)))
        .map(|edge| {
            let starter = RunBy {
                kind: NodeKind::Program.as_str().to_owned(),
                name: edge.from.name.to_string(),
                how: Some(format!("{} of {}", edge.detail.as_deref().unwrap_or_default(), edge.to.name)),
                file: edge.place.file.to_string(),
                line: edge.place.line,
            };
            (starter, &edge.from)
        })
        .collect()
}

/// Returns the transactions that these programs of a source start, in the order of the lines.
fn started(graph: &EstateGraph, file: &str, programs: &[NodeId]) -> Vec<StartedTransaction> {
    let mut edges: Vec<&Edge> =
        programs.iter().flat_map(|id| graph.outgoing_edges(id)).filter(|edge| starts(edge)).collect();
    edges.sort_by_key(|edge| (&*edge.place.file != file, edge.place.line));
    let mut found: Vec<StartedTransaction> = Vec::new();
    for edge in edges {
        let how = edge.detail.as_deref().unwrap_or_default();
        if found.iter().any(|other| other.name == *edge.to.name && other.how == how) {
            continue;
        }
        let runs = graph.outgoing_edges(&edge.to).map(|edge| &edge.to).filter(|id| id.kind == NodeKind::Program);
        let runs: BTreeSet<String> = runs.map(|id| id.name.to_string()).collect();
        found.push(StartedTransaction {
            name: edge.to.name.to_string(),
            how: how.to_owned(),
            programs: runs.into_iter().collect(),
            line: Some(edge.place.line).filter(|_| &*edge.place.file == file),
        });
    }
    found
}

/// Returns the calls of these programs of a source that hand over less than the called programs describe, in the order of the lines.
fn short_calls(graph: &EstateGraph, file: &str, programs: &[NodeId]) -> Vec<ShortCall> {
    let misfits = programs.iter().flat_map(|program| graph.misfits_of(program));
    let mut found: Vec<ShortCall> = misfits
        .filter(|call| &*call.place.file == file)
        .map(|call| ShortCall {
            program: call.to.plain_name().to_owned(),
            line: call.place.line,
            shortage: match &call.misfit {
                Misfit::Fewer { handed, received } => Shortage::Arguments { handed: *handed, described: *received },
                Misfit::Shorter { handed, received } => Shortage::Bytes {
                    argument: handed.name.clone(),
                    handed: handed.bytes,
                    parameter: received.name.clone(),
                    described: received.bytes,
                },
            },
        })
        .collect();
    found.sort_by_key(|call| call.line);
    found
}

/// Whether a program starts a transaction beside itself, and does not leave it as the next of its terminal.
fn starts(edge: &Edge) -> bool {
    edge.relation == EdgeKind::Starts
        && edge.from.kind == NodeKind::Program
        && edge.to.kind == NodeKind::Transaction
        && matches!(edge.detail.as_deref(), Some("START" | "RUN"))
}

/// Returns the sources of everything that a document may name: what its programs are linked to, and its copybooks.
fn defined_in(graph: &EstateGraph, known: &SourceIdentity, programs: &[NodeId]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut note = |name: String, id: &NodeId| {
        let place = graph.node(id).and_then(|node| node.defined.first());
        if let Some(place) = place.filter(|place| place.file != known.file) {
            found.entry(name).or_insert_with(|| place.file.to_string());
        }
    };
    for program in programs {
        // What the source itself names has no more than its plain name there.
        for edge in graph.outgoing_edges(program) {
            let plain = if edge.to.kind == NodeKind::Program { edge.to.plain_name() } else { &edge.to.name };
            note(NodeId::new(edge.to.kind, plain).to_string(), &edge.to);
        }
        graph.incoming_edges(program).for_each(|edge| note(edge.from.to_string(), &edge.from));
        graph.outgoing_edges(program).filter(|edge| starts(edge)).for_each(|started| {
            graph.outgoing_edges(&started.to).for_each(|edge| note(edge.to.to_string(), &edge.to));
        });
    }
    for (_, starter) in starters(graph, programs) {
        note(starter.to_string(), starter);
    }
    for user in graph.copybook_users(&known.file) {
        note(user.id.to_string(), &user.id);
    }
    // For each name, a program copies the one copybook that was found for it.
    for (name, resolved) in &known.copybooks {
        found.insert(NodeId::new(NodeKind::Copybook, name).to_string(), resolved.to_string());
    }
    found
}
