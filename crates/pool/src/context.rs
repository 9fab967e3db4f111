//! What the estate says of one source: who calls, runs and copies it, and on which data sets it works.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_cobol::ParsedCobol;
use war_rig_estate::{EstateGraph, NodeId, NodeKind, Survey};
use war_rig_template::{CallingContext, DataSetUse, RunBy, UsedBy};
use war_rig_text::ContentHash;

/// By what the estate knows a source: its programs and entry points, and the copybooks that it was found to copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceIdentity {
    file: Arc<str>,
    programs: Vec<String>,
    copybooks: Vec<(Arc<str>, Arc<str>)>,
}

impl SourceIdentity {
    /// Of a source that was surveyed.
    pub fn from_survey(survey: &Survey) -> Self {
        let programs = survey.declared.iter().filter(|declared| declared.id.kind == NodeKind::Program);
        Self {
            file: Arc::clone(&survey.file),
            programs: programs.map(|declared| declared.id.name.to_string()).collect(),
            copybooks: survey.found_copybooks.clone(),
        }
    }

    /// Of a source that was parsed under this name.
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

    /// The hash of what the estate says of it.
    pub fn context_hash(&self, graph: &EstateGraph) -> ContentHash {
        let context = serde_json::to_vec(&calling_context(graph, self)).expect("names and lines have a JSON");
        ContentHash::of(&context)
    }
}

/// How the rest of the estate reaches a source.
pub fn calling_context(graph: &EstateGraph, known: &SourceIdentity) -> CallingContext {
    let (file, names) = (known.file.as_ref(), &known.programs);
    let run_by: BTreeSet<RunBy> = graph
        .run_edges(names)
        .map(|edge| {
            // A step is looked for in its job, though a procedure may name the program.
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
    let used_by = graph.copybook_users(file).iter().map(|user| UsedBy {
        name: user.id.name.to_string(),
        kind: user.id.kind.as_str().to_owned(),
        file: user.place.file.to_string(),
        line: user.place.line,
    });
    let programs: Vec<NodeId> = names.iter().map(|name| NodeId::new(NodeKind::Program, name)).collect();
    let data_sets =
        programs.iter().flat_map(|program| graph.assigned_data_sets(program)).map(|given| DataSetUse {
            file: given.file.clone(),
            dd: given.dd.clone(),
            data_set: given.data_set.name.to_string(),
            step: given.step.name.to_string(),
            access: given.access.clone(),
        });
    CallingContext {
        called_by: graph.callers(names),
        run_by: run_by.into_iter().collect(),
        used_by: used_by.collect(),
        data_sets: data_sets.collect(),
        defined_in: defined_in(graph, known),
        ..CallingContext::default()
    }
}

/// The sources of everything that a document may name: what its programs are tied to, and its copybooks.
fn defined_in(graph: &EstateGraph, known: &SourceIdentity) -> BTreeMap<String, String> {
    let SourceIdentity { file, programs, copybooks } = known;
    let mut found = BTreeMap::new();
    let mut note = |id: &NodeId| {
        let place = graph.node(id).and_then(|node| node.defined.first());
        if let Some(place) = place.filter(|place| place.file != *file) {
            found.entry(id.to_string()).or_insert_with(|| place.file.to_string());
        }
    };
    for program in programs {
        let id = NodeId::new(NodeKind::Program, program);
        graph.outgoing_edges(&id).for_each(|edge| note(&edge.to));
        graph.incoming_edges(&id).for_each(|edge| note(&edge.from));
    }
    for user in graph.copybook_users(file) {
        note(&user.id);
    }
    // A program copies the one copybook of a name that was found for it.
    for (name, resolved) in copybooks {
        found.insert(NodeId::new(NodeKind::Copybook, name).to_string(), resolved.to_string());
    }
    found
}
