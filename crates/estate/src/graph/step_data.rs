//! What a step does with its data sets, by the files of the programs that it runs.

use super::node::{DataVersion, Edge, EdgeKind, EdgeNature, NodeId, NodeKind, SourceLocation};
use super::survey::{DdUse, NamedPath, Survey};
use super::{AssignedData, AssignedDataSet, GraphBuilder};
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

/// What the programs of an estate use and call, as the steps that run them need it.
struct ProgramUses<'a> {
    /// The files of each program, with the sources that declare them.
    files: HashMap<&'a NodeId, Vec<(&'a DdUse, &'a Arc<str>)>>,
    calls: HashMap<NodeId, Vec<NodeId>>,
    /// The programs that sources in COBOL or assembler define.
    defined: HashSet<&'a NodeId>,
    /// The programs that call another whose name they do not show.
    calls_unknown: HashSet<&'a NodeId>,
    /// The DDs of steps that give something else than a data set.
    others: HashMap<(&'a NodeId, &'a str), &'a AssignedData>,
}

/// What the programs of one step do with its data sets.
struct StepFindings {
    programs: HashSet<NodeId>,
    /// Whether all programs were found.
    is_complete: bool,
    /// The letters of access to each data set; none if no program has a file for it.
    selected: Vec<Option<BTreeSet<char>>>,
    edges: Vec<Edge>,
}

impl GraphBuilder {
    /// Links programs to the data sets that steps assign to files of the program that the step runs and of all that it calls.
    pub(super) fn data_sets_of_programs(&mut self, surveys: &[Survey]) {
        let others = surveys.iter().flat_map(|survey| &survey.other_dds);
        let mut uses = ProgramUses {
            files: HashMap::new(),
            calls: HashMap::new(),
            defined: surveys.iter().flat_map(|survey| &survey.declared).map(|declared| &declared.id).collect(),
            calls_unknown: surveys.iter().flat_map(|survey| &survey.calls_unknown).collect(),
            others: others.map(|(step, dd, other)| ((step, dd.as_str()), other)).collect(),
        };
        for survey in surveys {
            for used in &survey.dd_uses {
                uses.files.entry(&used.program).or_default().push((used, &survey.file));
            }
        }
        let mut steps: BTreeMap<NodeId, StepRun> = BTreeMap::new();
        self.sort_edges();
        for (place, edge) in self.graph.edges.iter().enumerate() {
            match edge.relation {
                EdgeKind::Calls(_) => uses.calls.entry(edge.from.clone()).or_default().push(edge.to.clone()),
                EdgeKind::Runs => steps.entry(edge.from.clone()).or_default().programs.push(edge.to.clone()),
                EdgeKind::Accesses if edge.from.kind == NodeKind::Step => {
                    steps.entry(edge.from.clone()).or_default().data_sets.push(place);
                }
                _ => {}
            }
        }
        let (mut found, mut accesses) = (Vec::new(), Vec::new());
        for (step, run) in steps {
            let findings = self.findings_of_step(&step, &run, &uses);
            accesses.extend(self.accesses_of_step(&run, &findings, &uses));
            if Self::are_files_known(&findings, &uses) {
                self.graph.steps_with_known_files.insert(step);
            }
            found.extend(findings.edges);
        }
        for (place, access) in accesses {
            self.graph.edges[place].access = access;
            self.graph.edges[place].nature = EdgeNature::Stated;
        }
        found.into_iter().for_each(|edge| self.add(edge));
        for given in self.graph.given.values_mut() {
            given.sort();
            given.dedup();
        }
        let files = surveys.iter().flat_map(|survey| survey.dd_uses.iter().map(move |used| (used, &survey.file)));
        let by_path: Vec<Edge> = files.filter_map(|(used, file)| self.data_by_path(used, file)).collect();
        by_path.into_iter().for_each(|edge| self.add(edge));
    }

    /// Returns the edge from a program to the data whose path it names itself, if no step gives its file other data.
    fn data_by_path(&self, used: &DdUse, file: &Arc<str>) -> Option<Edge> {
        let Some(NamedPath::Literal(path)) = &used.path else { return None };
        let mut given = self.graph.given.get(&used.program).into_iter().flatten();
        given.all(|given| given.file != used.file).then(|| Edge {
            from: used.program.clone(),
            to: NodeId::of_path(path),
            relation: EdgeKind::Accesses,
            detail: Some(used.file.clone()),
            access: used.access.clone(),
            nature: EdgeNature::default(),
            version: DataVersion::default(),
            generation: None,
            place: SourceLocation { file: Arc::clone(file), line: used.line },
        })
    }

    /// Follows the programs of a step, and notes what the step assigns to their files.
    fn findings_of_step(&mut self, step: &NodeId, run: &StepRun, uses: &ProgramUses<'_>) -> StepFindings {
        let mut open = run.programs.clone();
        let mut findings = StepFindings {
            programs: HashSet::new(),
            is_complete: true,
            selected: vec![None; run.data_sets.len()],
            edges: Vec::new(),
        };
        while let Some(program) = open.pop() {
            if findings.programs.contains(&program) {
                continue;
            }
            if findings.programs.len() >= PROGRAMS_REACHED {
                findings.is_complete = false;
                break;
            }
            findings.programs.insert(program.clone());
            open.extend(uses.calls.get(&program).into_iter().flatten().cloned());
            for (used, file) in uses.files.get(&program).into_iter().flatten() {
                let assigned = |data| AssignedDataSet {
                    file: used.file.clone(),
                    dd: used.dd.clone(),
                    step: step.clone(),
                    data,
                    access: used.access.clone(),
                };
                let other = uses.others.get(&(step, used.dd.as_str())).copied().cloned();
                let all = self.graph.given.entry(program.clone()).or_default();
                all.extend(other.map(assigned));
                let given = run.data_sets.iter().map(|place| &self.graph.edges[*place]).zip(&mut findings.selected);
                for (given, selected) in
                    given.filter(|(given, _)| given.detail.as_ref() == Some(&used.dd) && !used.dd.is_empty())
                {
                    selected.get_or_insert_default().extend(used.access.chars());
                    let (id, generation) = (given.to.clone(), given.generation);
                    all.push(assigned(AssignedData::DataSet { id, generation }));
                    findings.edges.push(Edge {
                        from: program.clone(),
                        to: given.to.clone(),
                        relation: EdgeKind::Accesses,
                        detail: Some(format!("{} as {} in {}", used.file, used.dd, step.name)),
                        access: used.access.clone(),
                        nature: EdgeNature::default(),
                        version: given.version,
                        // What the step names is asked of its own edge; two generations of one data set are one access of the program.
                        generation: None,
                        place: SourceLocation { file: Arc::clone(file), line: used.line },
                    });
                }
            }
        }
        findings
    }

    /// Returns whether all programs of a step are known, one has files, and none calls a program that it does not name. Programs in assembler are taken to
    /// have no files.
    fn are_files_known(findings: &StepFindings, uses: &ProgramUses<'_>) -> bool {
        let is_known = |program: &NodeId| uses.defined.contains(program) && !uses.calls_unknown.contains(program);
        findings.is_complete
            && findings.programs.iter().any(|program| uses.files.contains_key(program))
            && findings.programs.iter().all(is_known)
    }

    /// Returns the accesses of a step to data sets that follow from its programs, each with the index of its edge.
    ///
    /// The operations of programs are more certain than a guess from DISP, which stays for what they only open. Where all programs of a step are
    /// known, and have files, nothing is done to what none of them selects; the names of the system are its own.
    fn accesses_of_step(&self, run: &StepRun, findings: &StepFindings, uses: &ProgramUses<'_>) -> Vec<(usize, String)> {
        let StepFindings { programs, is_complete, selected, .. } = findings;
        let has_files = |program: &NodeId| self.is_defined(program) && uses.files.contains_key(program);
        let is_known = *is_complete
            && !programs.is_empty()
            && programs.iter().all(|program| has_files(program) && !uses.calls_unknown.contains(program));
        let accesses = run.data_sets.iter().zip(selected).filter_map(|(place, selected)| {
            let dd = self.graph.edges[*place].detail.as_deref().unwrap_or_default();
            let own = || programs.iter().flat_map(|program| &uses.files[program]).map(|(used, _)| used.dd.as_str());
            let is_of_system = || is_system_dd(dd) || own().any(|own| is_alternate_index(dd, own));
            let letters = match selected {
                Some(letters) if !letters.is_empty() => letters.clone(),
                None if is_known && !is_of_system() => BTreeSet::new(),
                _ => return None,
            };
            Some((*place, "CRUD".chars().filter(|letter| letters.contains(letter)).collect()))
        });
        accesses.collect()
    }
}

/// Returns whether the system uses a DD itself: libraries, dumps, and what begins as its own names do.
pub fn is_system_dd(name: &str) -> bool {
    ["SYS", "SORT", "CEE", "DFS", "DSN", "IEF", "IMS"].iter().any(|begins| name.starts_with(begins))
        || name.ends_with("LIB")
        || name.ends_with("CAT")
}

/// Returns whether a DD gives a file the path of an alternate index: the name of its own DD, cut where it is long, with a number. Source: Enterprise COBOL for
/// z/OS, Programming Guide.
pub fn is_alternate_index(dd: &str, of: &str) -> bool {
    let digits = dd.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=digits).any(|digits| {
        let own = &dd[..dd.len() - digits];
        own == of || (dd.len() == 8 && of.len() + digits > 8 && of.starts_with(own))
    })
}
