//! What a step does with its data sets, by the files of the programs that it runs.

use super::node::{Edge, EdgeKind, NodeId, NodeKind, SourceLocation};
use super::survey::{DdUse, Survey};
use super::{AssignedDataSet, GraphBuilder};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The maximum number of programs followed from one step. A router that may call every program proves nothing about data sets.
const PROGRAMS_REACHED: usize = 1_000;

/// The programs and data sets of a step.
#[derive(Default)]
struct StepRun {
    programs: Vec<NodeId>,
    /// The indices of the edges to the data sets.
    data_sets: Vec<usize>,
}

impl GraphBuilder {
    /// Links programs to the data sets that steps assign to files of the program that the step runs and of all that it calls.
    pub(super) fn data_sets_of_programs(&mut self, surveys: &[Survey]) {
        let mut uses: HashMap<&NodeId, Vec<(&DdUse, &Arc<str>)>> = HashMap::new();
        for survey in surveys {
            for used in &survey.dd_uses {
                uses.entry(&used.program).or_default().push((used, &survey.file));
            }
        }
        let mut calls: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        let mut steps: BTreeMap<NodeId, StepRun> = BTreeMap::new();
        self.sort_edges();
        for (place, edge) in self.graph.edges.iter().enumerate() {
            match edge.relation {
                EdgeKind::Calls(_) => calls.entry(edge.from.clone()).or_default().push(edge.to.clone()),
                EdgeKind::Runs => steps.entry(edge.from.clone()).or_default().programs.push(edge.to.clone()),
                EdgeKind::Accesses if edge.from.kind == NodeKind::Step => {
                    steps.entry(edge.from.clone()).or_default().data_sets.push(place);
                }
                _ => {}
            }
        }
        let others: HashMap<(&NodeId, &str), &'static str> = surveys
            .iter()
            .flat_map(|survey| &survey.other_dds)
            .map(|(step, dd, other)| ((step, dd.as_str()), *other))
            .collect();
        let calls_unknown: HashSet<&NodeId> = surveys.iter().flat_map(|survey| &survey.calls_unknown).collect();
        let (mut found, mut accesses) = (Vec::new(), Vec::new());
        for (step, StepRun { programs, data_sets }) in steps {
            let (mut open, mut seen) = (programs, HashSet::new());
            let mut selected: Vec<Option<BTreeSet<char>>> = vec![None; data_sets.len()];
            let mut is_known = true;
            while let Some(program) = open.pop() {
                if seen.contains(&program) {
                    continue;
                }
                if seen.len() >= PROGRAMS_REACHED {
                    is_known = false;
                    break;
                }
                seen.insert(program.clone());
                open.extend(calls.get(&program).into_iter().flatten().cloned());
                for (used, file) in uses.get(&program).into_iter().flatten() {
                    if let Some(other) = others.get(&(&step, used.dd.as_str())) {
                        self.graph.given.entry(program.clone()).or_default().push(AssignedDataSet {
                            file: used.file.clone(),
                            dd: used.dd.clone(),
                            step: step.clone(),
                            data_set: None,
                            generation: None,
                            other: Some(other),
                            access: used.access.clone(),
                        });
                    }
                    let given = data_sets.iter().map(|place| &self.graph.edges[*place]).zip(&mut selected);
                    for (given, selected) in given.filter(|(given, _)| given.detail.as_ref() == Some(&used.dd)) {
                        selected.get_or_insert_default().extend(used.access.chars());
                        self.graph.given.entry(program.clone()).or_default().push(AssignedDataSet {
                            file: used.file.clone(),
                            dd: used.dd.clone(),
                            step: step.clone(),
                            data_set: Some(given.to.clone()),
                            generation: given.generation,
                            other: None,
                            access: used.access.clone(),
                        });
                        found.push(Edge {
                            from: program.clone(),
                            to: given.to.clone(),
                            relation: EdgeKind::Accesses,
                            detail: Some(format!("{} as {} in {}", used.file, used.dd, step.name)),
                            access: used.access.clone(),
                            version: given.version,
                            generation: given.generation,
                            place: SourceLocation { file: Arc::clone(file), line: used.line },
                        });
                    }
                }
            }
            // The operations of programs are more certain than a guess from DISP, which stays for what they only open. Where all programs of a step are
            // known, and have files, nothing is done to what none of them selects; the names of the system are its own.
            let has_files = |program: &NodeId| self.is_defined(program) && uses.contains_key(program);
            is_known &= seen.iter().all(|program| has_files(program) && !calls_unknown.contains(program));
            for (place, selected) in data_sets.into_iter().zip(selected) {
                let dd = self.graph.edges[place].detail.as_deref().unwrap_or_default();
                let of_programs = || seen.iter().flat_map(|program| &uses[program]).map(|(used, _)| used.dd.as_str());
                let is_of_system = || is_system_dd(dd) || of_programs().any(|own| is_alternate_index(dd, own));
                let letters = match selected {
                    Some(letters) if !letters.is_empty() => letters,
                    None if is_known && !seen.is_empty() && !is_of_system() => BTreeSet::new(),
                    _ => continue,
                };
                accesses.push((place, "CRUD".chars().filter(|letter| letters.contains(letter)).collect()));
            }
        }
        for (place, access) in accesses {
            self.graph.edges[place].access = access;
        }
        found.into_iter().for_each(|edge| self.add(edge));
        for given in self.graph.given.values_mut() {
            given.sort();
            given.dedup();
        }
    }
}

/// Whether the system uses a DD itself: libraries, dumps, and what begins as its own names do.
fn is_system_dd(name: &str) -> bool {
    ["SYS", "SORT", "CEE", "DFS", "DSN", "IEF", "IMS"].iter().any(|begins| name.starts_with(begins))
        || name.ends_with("LIB")
        || name.ends_with("CAT")
}

/// Whether a DD gives a file the path of an alternate index: the name of its own DD, cut where it is long, with a number. Source: Enterprise COBOL for
/// z/OS, Programming Guide.
pub(super) fn is_alternate_index(dd: &str, of: &str) -> bool {
    let digits = dd.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=digits).any(|digits| {
        let own = &dd[..dd.len() - digits];
        own == of || (dd.len() == 8 && of.len() + digits > 8 && of.starts_with(own))
    })
}
