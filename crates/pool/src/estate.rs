//! What the sources of an estate say of each other.

use crate::read::Prepared;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use war_rig_cobol::CallKind;

/// What the estate needs to know of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The source's name.
    pub file: String,
    /// Its programs and their other entry points.
    pub programs: Vec<String>,
    /// Whom its programs call: caller, target, kind.
    pub calls: Vec<(String, String, CallKind)>,
    /// The literals that dynamic calls may name: caller, target.
    pub candidates: Vec<(String, String)>,
    /// The copybooks it names that were not found.
    pub missing_copybooks: Vec<String>,
}

impl Survey {
    /// Surveys a parsed source.
    pub fn of(prepared: &Prepared) -> Self {
        let parsed = &prepared.parsed;
        // What a copybook calls is called by the programs that copy it, where it is expanded.
        let caller = |program: Option<usize>| program.map(|program| parsed.programs[program].name.clone());
        let programs =
            parsed.programs.iter().flat_map(|program| std::iter::once(&program.name).chain(&program.entries));
        // An operand that is a data item names no program; what it may hold are candidates.
        let calls = parsed
            .calls
            .iter()
            .filter(|call| call.is_literal)
            .filter_map(|call| Some((caller(call.program)?, call.target.clone(), call.kind)));
        let candidates = parsed.calls.iter().flat_map(|call| {
            call.candidates.iter().filter_map(|(target, _)| Some((caller(call.program)?, target.clone())))
        });
        let missing: BTreeSet<_> = parsed
            .copies
            .iter()
            .filter(|copy| copy.resolved.is_none())
            .map(|copy| copy.name.clone())
            .collect();
        Self {
            file: prepared.source.name().to_owned(),
            programs: programs.cloned().collect(),
            calls: calls.collect(),
            candidates: candidates.collect::<BTreeSet<_>>().into_iter().collect(),
            missing_copybooks: missing.into_iter().collect(),
        }
    }
}

/// A call between programs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CallEdge {
    /// The program that calls.
    pub from: String,
    /// The program that is called.
    pub to: String,
    /// `static`, `dynamic`, `cics_link` or `cics_xctl`.
    pub kind: String,
}

/// The calls of an estate and what is missing from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EstateGraph {
    /// Every program and entry point with the file that holds it.
    pub programs: BTreeMap<String, String>,
    /// Every call, once for each pair and kind. A dynamic call leads to the programs of the estate whose names are moved to its item.
    pub calls: Vec<CallEdge>,
    /// Programs that are called by name and not in the estate.
    pub missing_programs: Vec<String>,
    /// Copybooks that are named and not in the estate, with the files that name them.
    pub missing_copybooks: BTreeMap<String, Vec<String>>,
    /// The programs that call each program, for every ticket asks.
    #[serde(skip)]
    callers: HashMap<String, BTreeSet<String>>,
}

impl EstateGraph {
    /// The graph over surveyed sources.
    pub fn of(surveys: &[Survey]) -> Self {
        let mut graph = Self::default();
        for survey in surveys {
            for program in &survey.programs {
                graph.programs.entry(program.clone()).or_insert_with(|| survey.file.clone());
            }
            for copybook in &survey.missing_copybooks {
                graph.missing_copybooks.entry(copybook.clone()).or_default().push(survey.file.clone());
            }
        }
        let mut calls = BTreeSet::new();
        let mut missing = BTreeSet::new();
        for survey in surveys {
            for (from, to, kind) in &survey.calls {
                // The operand of LINK and XCTL may be a data item; only what is a program here, or was written as a literal, is one.
                let known = graph.programs.contains_key(to);
                match kind {
                    CallKind::Static if !known => {
                        missing.insert(to.clone());
                    }
                    CallKind::Dynamic => continue,
                    CallKind::Static | CallKind::CicsLink | CallKind::CicsXctl => {}
                }
                if known || *kind == CallKind::Static {
                    calls.insert(CallEdge {
                        from: from.clone(),
                        to: to.clone(),
                        kind: kind.as_str().to_owned(),
                    });
                }
            }
            for (from, to) in survey.candidates.iter().filter(|(_, to)| graph.programs.contains_key(to)) {
                calls.insert(CallEdge { from: from.clone(), to: to.clone(), kind: "dynamic".to_owned() });
            }
        }
        for call in &calls {
            graph.callers.entry(call.to.clone()).or_default().insert(call.from.clone());
        }
        graph.calls = calls.into_iter().collect();
        graph.missing_programs = missing.into_iter().collect();
        graph
    }

    /// The programs that call any of these, in order and once each, themselves aside.
    pub fn callers(&self, programs: &[String]) -> Vec<String> {
        let own: HashSet<&String> = programs.iter().collect();
        let callers = programs.iter().filter_map(|program| self.callers.get(program)).flatten();
        let others: BTreeSet<&String> = callers.filter(|caller| !own.contains(caller)).collect();
        others.into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_found_and_what_is_missing_is_named() {
        let survey = |file: &str, program: &str, calls: &[(&str, CallKind)]| Survey {
            file: file.to_owned(),
            programs: vec![program.to_owned()],
            calls: calls.iter().map(|(to, kind)| (program.to_owned(), (*to).to_owned(), *kind)).collect(),
            ..Survey::default()
        };
        let mut first = survey(
            "A.cbl",
            "A",
            &[("B", CallKind::Static), ("WS-PGM", CallKind::Dynamic), ("CEEDAYS", CallKind::Static)],
        );
        first.candidates.push(("A".to_owned(), "C".to_owned()));
        let graph = EstateGraph::of(&[
            first,
            survey("B.cbl", "B", &[]),
            survey("C.cbl", "C", &[("B", CallKind::CicsLink)]),
        ]);
        assert_eq!(graph.callers(&["B".to_owned()]), ["A", "C"]);
        assert_eq!(graph.callers(&["C".to_owned()]), ["A"]);
        assert_eq!(graph.missing_programs, ["CEEDAYS"]);
    }
}
