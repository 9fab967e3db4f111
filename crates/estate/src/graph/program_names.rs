//! The programs of one name. Several files may have a program of a name: copies of a member in other folders, members whose PROGRAM-ID somebody forgot
//! to change, programs that others contain. Each is a node of its own. The one that represents the name best has its plain name, the others have their
//! file behind it: `PAY (test/pay.cbl)`.
//!
//! A name means the program of that name in the same source; else the one to which the fewest steps lead up from the folder of whoever names it, and then
//! down. A program that another contains is named by its own source alone.

use super::copies::best_first;
use super::node::{NodeId, NodeKind};
use super::survey::{ProgramRole, Survey};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::sync::Arc;
use war_rig_text::member_name;

/// The programs whose names need more than themselves, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ProgramNames {
    /// The programs of each name; the one that represents it best comes first.
    by_name: HashMap<Arc<str>, Vec<NamedSource>>,
}

/// A program of a name.
#[derive(Debug, Clone, PartialEq)]
struct NamedSource {
    file: Arc<str>,
    node: NodeId,
    role: ProgramRole,
}

impl NamedSource {
    fn is_visible_in(&self, file: &str) -> bool {
        self.role != ProgramRole::Contained || *self.file == *file
    }
}

impl ProgramNames {
    /// Names the programs of an estate.
    pub(super) fn of(surveys: &[Survey]) -> Self {
        let mut by_name: HashMap<Arc<str>, Vec<NamedSource>> = HashMap::new();
        for survey in best_first(surveys).into_iter().map(|place| &surveys[place]) {
            for declared in survey.declared.iter().filter(|declared| declared.id.kind == NodeKind::Program) {
                let known = by_name.entry(Arc::clone(&declared.id.name)).or_default();
                match known.iter_mut().find(|source| source.file == survey.file) {
                    Some(own) => own.role = own.role.min(declared.role),
                    None => {
                        let (file, node) = (Arc::clone(&survey.file), declared.id.clone());
                        known.push(NamedSource { file, node, role: declared.role });
                    }
                }
            }
        }
        for (name, sources) in &mut by_name {
            // Who writes a program from another one may leave it that one's name.
            sources.sort_by_key(|source| (source.role, !stem(&source.file).eq_ignore_ascii_case(name)));
        }
        let links = surveys.iter().flat_map(|survey| survey.links.iter().map(move |link| (&survey.file, &link.to)));
        let is_hidden = |(file, to): &(&Arc<str>, &NodeId)| {
            let sources = by_name.get(&to.name).filter(|_| to.kind == NodeKind::Program);
            sources.is_some_and(|sources| sources.iter().all(|source| !source.is_visible_in(file)))
        };
        let named_outside: HashSet<Arc<str>> = links.filter(is_hidden).map(|(_, to)| Arc::clone(&to.name)).collect();
        by_name.retain(|name, sources| sources.len() > 1 || named_outside.contains(name));
        for (name, sources) in &mut by_name {
            let is_plain = |place: usize, source: &NamedSource| place == 0 && source.role != ProgramRole::Contained;
            for (_, source) in sources.iter_mut().enumerate().filter(|(place, source)| !is_plain(*place, source)) {
                source.node = NodeId::new(NodeKind::Program, &format!("{name} ({})", source.file));
            }
        }
        Self { by_name }
    }

    fn sources(&self, id: &NodeId) -> &[NamedSource] {
        let of_name = self.by_name.get(&id.name).filter(|_| id.kind == NodeKind::Program);
        of_name.map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether several sources have a program of this plain name.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|sources| sources.len() > 1)
    }

    /// Returns the node of a program that a file defines under a plain name.
    pub(super) fn defined(&self, file: &str, id: &NodeId) -> NodeId {
        let own = self.sources(id).iter().find(|source| *source.file == *file);
        own.map_or(id, |source| &source.node).clone()
    }

    /// Returns the node of the program that a plain name means in a file.
    pub(super) fn meant(&self, file: &str, id: &NodeId) -> NodeId {
        let steps = |source: &&NamedSource| (*source.file != *file, steps_between(file, &source.file));
        let visible = self.sources(id).iter().filter(|source| source.is_visible_in(file));
        visible.min_by_key(steps).map_or(id, |source| &source.node).clone()
    }

    /// Returns the files that have a program of this plain name which others can call, the one that represents it first.
    pub(super) fn files(&self, id: &NodeId) -> impl Iterator<Item = (&Arc<str>, &NodeId)> {
        let others_call = |source: &&NamedSource| source.role != ProgramRole::Contained;
        self.sources(id).iter().filter(others_call).map(|source| (&source.file, &source.node))
    }

    /// Returns the programs that are other versions of one, each with that: they have its name and lie in a member of its name, or are entry points.
    pub(super) fn versions(&self) -> impl Iterator<Item = (&NodeId, &NodeId)> {
        self.by_name.values().flat_map(|sources| {
            let mut outer = sources.iter().filter(|source| source.role != ProgramRole::Contained);
            let first = outer.next();
            let of_first = outer.filter(move |source| {
                let same_member = |first: &NamedSource| stem(&first.file).eq_ignore_ascii_case(stem(&source.file));
                first.is_some_and(|first| source.role != first.role || same_member(first))
            });
            of_first.filter_map(move |source| Some((&source.node, &first?.node)))
        })
    }

    /// Gives the programs in the facts of a source the names of their nodes.
    pub(super) fn apply(&self, survey: &mut Survey) {
        if self.by_name.is_empty() {
            return;
        }
        let file = Arc::clone(&survey.file);
        let own = |id: &mut NodeId| *id = self.defined(&file, id);
        let other = |id: &mut NodeId| *id = self.meant(&file, id);
        survey.declared.iter_mut().for_each(|declared| own(&mut declared.id));
        for link in &mut survey.links {
            own(&mut link.from);
            other(&mut link.to);
        }
        survey.dd_uses.iter_mut().for_each(|used| own(&mut used.program));
        survey.calls_unknown = survey.calls_unknown.iter().map(|id| self.defined(&file, id)).collect();
        survey.copied.iter_mut().for_each(|copied| own(&mut copied.by));
        for used in &mut survey.shared_uses {
            let program = NodeId::new(NodeKind::Program, &used.program);
            if !self.sources(&program).is_empty() {
                used.program = self.defined(&file, &program).name;
            }
        }
        let handed = &mut survey.handed_names;
        handed.calls.iter_mut().for_each(|call| own(&mut call.from));
        handed.given = std::mem::take(&mut handed.given)
            .into_iter()
            .map(|(from, field, name)| (self.defined(&file, &from), field, name))
            .collect();
        handed.named = std::mem::take(&mut handed.named)
            .into_iter()
            .map(|mut named| {
                own(&mut named.from);
                other(&mut named.by);
                named
            })
            .collect();
        survey.handed_items.received.iter_mut().for_each(|received| own(&mut received.program));
        for call in &mut survey.handed_items.handed {
            own(&mut call.from);
            other(&mut call.to);
        }
    }
}

/// Returns how many steps lead up from the folder of one file, and then down to that of another.
pub(super) fn steps_between(from: &str, to: &str) -> (usize, usize) {
    let folders = |file: &str| -> Vec<String> { file.split('/').rev().skip(1).map(str::to_owned).collect() };
    let (mut from, mut to) = (folders(from), folders(to));
    while from.last().is_some_and(|last| to.last() == Some(last)) {
        from.pop();
        to.pop();
    }
    (from.len(), to.len())
}

/// Returns the name of a file without its folders and all of its extensions.
fn stem(file: &str) -> &str {
    let member = member_name(file);
    member.split('.').next().unwrap_or(member)
}

#[cfg(test)]
mod tests {
    use crate::graph::tests::{cobol, has_edges, read, survey};
    use crate::graph::{EstateGraph, NodeId, NodeKind};
    use war_rig_cobol::CallKind;

    #[test]
    fn a_call_means_the_nearest_program_of_its_name() {
        let calls = |file: &str, program: &str| survey(file, program, &[("PAY", CallKind::Static)]);
        let graph = EstateGraph::of(vec![
            calls("test/batch/day.cbl", "DAY"),
            calls("live/night.cbl", "NIGHT"),
            calls("tools/probe.cbl", "PROBE"),
            survey("live/pay.cbl", "PAY", &[("TAX", CallKind::Static)]),
            survey("test/pay.cbl", "PAY", &[("PAY", CallKind::Static)]),
            survey("test/copied.cbl", "TAX", &[]),
            survey("live/tax.cbl", "TAX", &[]),
            read("test/j.jcl", "//J JOB\n//S EXEC PGM=PAY\n"),
        ]);
        has_edges(
            &graph,
            &[
                "program:DAY calls program:PAY (test/pay.cbl)",
                "program:NIGHT calls program:PAY",
                "program:PROBE calls program:PAY",
                "program:PAY calls program:TAX",
                "program:PAY (test/pay.cbl) calls program:PAY (test/pay.cbl)",
                "step:J.S runs program:PAY (test/pay.cbl)",
            ],
            &["program:DAY calls program:PAY", "step:J.S runs program:PAY"],
        );
        let version_of = |name: &str| {
            let node = graph.node(&NodeId::new(NodeKind::Program, name)).unwrap();
            node.version_of.as_ref().map(|first| first.name.to_string())
        };
        assert_eq!(version_of("PAY (test/pay.cbl)").as_deref(), Some("PAY"));
        // A member of another name is another program.
        assert_eq!(version_of("TAX (test/copied.cbl)"), None);
        assert_eq!(graph.missing_programs, Vec::<String>::new());
    }

    #[test]
    fn a_load_module_means_the_nearest_program_of_its_file() {
        let program = |file: &str| survey(file, "PAYROLL", &[]);
        let graph = EstateGraph::of(vec![
            program("live/pay.cbl"),
            program("test/pay.cbl"),
            survey("test/m.cbl", "M", &[("PAY", CallKind::Static)]),
            read("live/j.jcl", "//J JOB\n//S EXEC PGM=PAY\n"),
        ]);
        has_edges(
            &graph,
            &["step:J.S runs program:PAYROLL", "program:M calls program:PAYROLL (test/pay.cbl)"],
            &["step:J.S runs program:PAY"],
        );
    }

    #[test]
    fn a_program_of_its_own_goes_before_a_contained_one_of_its_source() {
        let text = "IDENTIFICATION DIVISION.\nPROGRAM-ID. OUTER.\nPROCEDURE DIVISION.\n    GOBACK.\nIDENTIFICATION DIVISION.\nPROGRAM-ID. CALC.\nPROCEDURE DIVISION.\n    GOBACK.\nEND PROGRAM CALC.\nEND PROGRAM OUTER.\nIDENTIFICATION DIVISION.\nPROGRAM-ID. CALC.\nPROCEDURE DIVISION.\n    GOBACK.\nEND PROGRAM CALC.\n";
        let graph = EstateGraph::of(vec![cobol("a", text), survey("c.cbl", "C", &[("CALC", CallKind::Static)])]);
        assert_eq!(graph.missing_programs, Vec::<String>::new());
    }

    #[test]
    fn a_contained_program_is_called_by_its_own_source_alone() {
        let nest = |name: &str| {
            let call = "PROCEDURE DIVISION.\n    CALL 'CALC'\n    GOBACK.\n";
            let inner =
                "IDENTIFICATION DIVISION.\nPROGRAM-ID. CALC.\nPROCEDURE DIVISION.\n    GOBACK.\nEND PROGRAM CALC.\n";
            cobol(name, &format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\n{call}{inner}END PROGRAM {name}.\n"))
        };
        let graph = EstateGraph::of(vec![nest("A"), nest("B"), survey("c.cbl", "C", &[("CALC", CallKind::Static)])]);
        has_edges(
            &graph,
            &[
                "program:A calls program:CALC (A.cbl)",
                "program:B calls program:CALC (B.cbl)",
                "program:C calls program:CALC",
            ],
            &["program:A calls program:CALC"],
        );
        assert_eq!(graph.missing_programs, ["CALC"]);
        let own = survey("calc.cbl", "CALC", &[]);
        let graph = EstateGraph::of(vec![nest("A"), own, survey("c.cbl", "C", &[("CALC", CallKind::Static)])]);
        has_edges(&graph, &["program:A calls program:CALC (A.cbl)", "program:C calls program:CALC"], &[]);
        assert_eq!(graph.missing_programs, Vec::<String>::new());
        // Nobody else names it.
        has_edges(&EstateGraph::of(vec![nest("A")]), &["program:A calls program:CALC"], &[]);
    }
}
