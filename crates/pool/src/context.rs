//! What the estate says of one source: who calls, runs and copies it, and on which data sets it works.

use std::collections::{BTreeMap, BTreeSet};
use war_rig_cobol::Parsed;
use war_rig_estate::{EstateGraph, NodeId, NodeKind};
use war_rig_template::{CallingContext, DataSetUse, RunBy, UsedBy};

/// How the rest of the estate reaches a source.
pub(crate) fn context(graph: &EstateGraph, file: &str, parsed: &Parsed) -> CallingContext {
    let names: Vec<String> = parsed
        .programs
        .iter()
        .flat_map(|program| std::iter::once(&program.name).chain(&program.entries))
        .cloned()
        .collect();
    let run_by: BTreeSet<RunBy> = graph
        .runs(&names)
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
    let used_by = graph.users(file).iter().map(|user| UsedBy {
        name: user.id.name.to_string(),
        kind: user.id.kind.as_str().to_owned(),
        file: user.place.file.to_string(),
        line: user.place.line,
    });
    let programs: Vec<NodeId> = names.iter().map(|name| NodeId::new(NodeKind::Program, name)).collect();
    let data_sets =
        programs.iter().flat_map(|program| graph.given_data_sets(program)).map(|given| DataSetUse {
            file: given.file.clone(),
            dd: given.dd.clone(),
            data_set: given.data_set.name.to_string(),
            step: given.step.name.to_string(),
            access: given.access.clone(),
        });
    CallingContext {
        called_by: graph.callers(&names),
        run_by: run_by.into_iter().collect(),
        used_by: used_by.collect(),
        data_sets: data_sets.collect(),
        defined_in: defined_in(graph, file, &names, parsed),
        ..CallingContext::default()
    }
}

/// The sources of everything that a document may name: what its programs are tied to, and its copybooks.
fn defined_in(
    graph: &EstateGraph,
    file: &str,
    programs: &[String],
    parsed: &Parsed,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut note = |id: &NodeId| {
        let place = graph.node(id).and_then(|node| node.defined.first());
        if let Some(place) = place.filter(|place| *place.file != *file) {
            found.entry(id.to_string()).or_insert_with(|| place.file.to_string());
        }
    };
    for program in programs {
        let id = NodeId::new(NodeKind::Program, program);
        graph.leading_from(&id).for_each(|edge| note(&edge.to));
        graph.leading_to(&id).for_each(|edge| note(&edge.from));
    }
    for user in graph.users(file) {
        note(&user.id);
    }
    // A program copies the one copybook of a name that was found for it.
    for copy in &parsed.copies {
        if let Some(resolved) = &copy.resolved {
            let id = NodeId::new(NodeKind::Copybook, &copy.name);
            found.insert(id.to_string(), resolved.clone());
        }
    }
    found
}
